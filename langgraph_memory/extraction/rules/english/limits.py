"""Budgets and other limits on what the user will pay."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.english.terms import BOUND_FIRST, BOUND_LAST
from langgraph_memory.extraction.rules.english.third_person import about_user, pronouns_changed
from langgraph_memory.offline.kinship import RELATIVE
from langgraph_memory.offline.words import listed, stem
from langgraph_memory.records import MemoryType

__all__ = ["amount_in", "is_bare", "limit_of"]

_CURRENCY = (
    r"(?:dollars?|euros?|pounds?|quid|bucks?|usd|eur|gbp|yuan|rmb|cny|yen|jpy|kronor|kroner|sek|nok|dkk|chf|francs?|rupees?|inr|"
    r"pesos?|reais|rand|zloty|aud|cad|grand|cents?|k)"
)
_NUMBER_WORD = (
    r"(?:(?:a|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
    r"[\s-])?(?:hundred|thousand|grand|million)"
)
_AMOUNT = re.compile(
    rf"[$€£¥]\s?\d[\d,.]*\s?(?:k|m)?\b|\b\d[\d,.]*\s?(?:k\s)?{_CURRENCY}\b|\b\d[\d,.]*\b(?!\s?(?:%|percent))|\b{_NUMBER_WORD}\b(?:\s{_CURRENCY})?",
    re.I,
)
_MONEY = re.compile(
    rf"[$€£¥]\s?\d|\b\d[\d,.]*\s?(?:k\s)?{_CURRENCY}\b|\b{_NUMBER_WORD}\s?{_CURRENCY}\b|\bgrand\b|\d\s?k\b",
    re.I,
)
_NOT_MONEY = re.compile(
    r"\d\s?-?(?:words?|lines?|characters?|sentences?|paragraphs?|pages?|minutes?|mins?|hours?|seconds?|days?|weeks?|months?|years?|kg|kilos?|km|miles?|"
    r"cm|mb|gb|ms|degrees|people|guests|items|bullets?|points?|stops?|°|calories|kcal|th\b|am|pm|steps?|reps?|rows?|columns?|chars|tokens|meters?|metres?|percent)\b|\d:\d\d|%",
    re.I,
)
_TALKS_OF_SPENDING = re.compile(
    r"\b(?:budget\w*|spend\w*|afford|pay(?:ing)?|price\w*|cost\w*|cheap\w*|expensive|shell\sout|splurge|fork\sout|per\snight|a\snight|wallet|tops|"
    r"set\saside|to\swork\swith|stretch\sto|to\splay\swith|as\s(?:high|far|much)\sas\s(?:I|we)\b|to\sspend|top\sout|max\sout|draw\sthe\sline|go\s(?:up\sto|as\shigh)|my\s(?:limit|max\w*|cap|ceiling))\b",
    re.I,
)
_BOUND = re.compile(
    r"\b(?:under|below|less\sthan|no\smore\sthan|not\smore\sthan|at\smost|max(?:imum)?|as\s(?:high|far|much)\sas|up\sto|within|cap(?:ped)?|limit|ceiling|tops|not\sexceed|exceed|beyond|over|above|"
    r"more\sthan|higher\sthan|cheaper\sthan|or\sless|or\sunder|around|about|roughly|between)\b",
    re.I,
)
_FRAGMENT = re.compile(
    r"^(?:(?:please\s)?(?:do\snot|never)\s(?:show|suggest|recommend|book|send|give|pick|offer|buy|get|find)\s(?:me\s)?\w+\s(?:over|above|beyond|more|costing|that\scosts)|the\s(?:most|max\w*|highest|absolute\s\w+)\s(?:that\s)?(?:I|we)\s|(?:please\s)?(?:keep|make|get|find)\s(?:it|everything|things|the\s\w+|prices?|costs?)\s(?:all\s)?|nothing\s|not\s|only\s|anything\s|(?:i\s(?:want|need)\s)?(?:it|something)\s|"
    r"max(?:imum)?\s|budget\b|price\s|(?:under|below|less\sthan|no\smore\sthan|at\smost|up\sto|within|cheaper\sthan|between)\s|no\s(?:\w+\s)?(?:over|above|more)\s|it\s(?:must|has\sto|should|can)\s|can\snot\s(?:be|go|cost))",
    re.I,
)
_ELLIPTIC = re.compile(rf"^(?:please\s)?(?:{BOUND_FIRST}|{BOUND_LAST})", re.I)
# After a bare figure: what it is paid for, or nothing. "3 arguments" cost nothing.
_PAID = re.compile(
    r"\d[\d.,]*(?!\d)(?:k\b)?(?=\s*(?:$|,|[-–]|(?:a|an|per|each|every|for|on|in|at|or|max\w*|tops|is|would|please|altogether|apiece|all|total|and)\b))",
    re.I,
)
_PRICED = re.compile(
    r"^(?:the\s|my\s|our\s|any\s|every\s)?(?:\w+\s)?(?P<what>tickets?|fares?|flights?|rooms?|hotels?|meals?|lunch(?:es)?|dinners?|breakfasts?|bills?|rents?|prices?|costs?|total|tuition|fees?|seats?|subscriptions?)\s"
    r"(?:must|has\sto|have\sto|should|can\snot|may\snot|ought\sto)\s",
    re.I,
)
# Of what a budget is: "for a sofa", "on hotels", "my hotel budget", "80 a night".
_SCOPE = re.compile(
    r"\b(?:for|on)\s(?:(?:a|an|the|my|our|this|each|any|all)\s)?(?:whole\s|entire\s|new\s|next\s|(?:jan|febr)uary\s|march\s|april\s|may\s|june\s|july\s|august\s|(?:sept|nov|dec)ember\s|october\s)?(?P<what>[a-z]{3,})\b|"
    r"\b(?:my|our)\s(?:new\s|monthly\s|weekly\s|total\s|overall\s)?(?P<whose>[a-z]{3,})\s(?:budget|limit|price\slimit)\b|"
    r"\b(?:per|a|each|every)\s(?P<each>night|person|head|month|week|day|year|meal)\b",
    re.I,
)
_WHOLE = frozenset(
    listed("""
    trip journey whole moment now this budget total overall everything holiday vacation maximum
    spending current new all
    """)
)
_WHOLE_PRICE = frozenset(
    stem(one) for one in listed("ticket fare flight bill price cost total fee")
)
_SAME_SCOPE = {
    "room": "hotel",
    "night": "hotel",
    "accommodation": "hotel",
    "lodging": "hotel",
    "head": "person",
}


# Nobody has raised a limit who might, and "my wife's budget" is hers.
_NOT_YET = re.compile(
    r"\b(?:might|may|could|should|want\sto|would\slike\sto|would\slove\sto|plan\sto|hope\sto|thinking\s(?:of|about)|considering|wonder\w*)\s(?:\w+ly\s)?"
    r"(?:rais|increas|cut|lower|reduc|chang|mov|bump|up)(?:e|es|ing|t)?(?:ting)?\b",
    re.I,
)
_OF_OTHERS = re.compile(
    rf"(?:my|our)\s(?:\w+\s)?(?:{RELATIVE})(?:['’]s\s(?!and\b)|\s(?:has\s|have\s)?\w+\s(?:her|his|their)\b)",
    re.I,
)


def amount_in(text: str) -> bool:
    """Whether a sum is named that could be a limit on spending."""
    return bool(_AMOUNT.search(text)) and not _NOT_MONEY.search(text)


def is_bare(clause: str) -> bool:
    """Whether a clause is no more than an amount and that it is the most: "40 at most"."""
    return _ELLIPTIC.match(clause) is not None


def limit_of(clause: str) -> Draft | None:
    """The limit on spending that a clause sets, or None."""
    if not amount_in(clause):
        return None
    own = re.match(r"(?:I|we|my|our)\b", clause, re.I)
    spending = _TALKS_OF_SPENDING.search(clause)
    if own:
        if _NOT_YET.search(clause) or _OF_OTHERS.match(clause):
            return None
        if re.match(
            r"(?:I|we)\s(?:\w+ly\s)?(?:think|believe|know|heard|saw|found|read|see|guess|noticed|got|bought)\b",
            clause,
            re.I,
        ):
            return None
        if not (spending or _PRICED.match(clause)) and not (
            _BOUND.search(re.sub(r"\b(?:around|about|roughly|between)\b", "", clause))
            and re.search(r"\bgo\b|\bstay\b|\bkeep\b|limit|max", clause, re.I)
        ):
            return None
        if re.match(
            r"(?:I|we)\s(?:just\s|already\s|recently\s)?(?:paid|spent|earn|make|sold|bought|owe|am\spaid)\b",
            clause,
            re.I,
        ):
            return None
        return _draft(about_user(_without_denied(clause)), clause, 0.95)
    priced = _PRICED.match(clause)
    elliptic = _ELLIPTIC.match(clause) or priced
    if not (_FRAGMENT.match(clause) or elliptic) and not (spending and _BOUND.search(clause)):
        return None
    money = _MONEY.search(clause) or spending or priced
    if not money and elliptic and not _PAID.search(clause):
        return None
    if re.match(
        r"(?:was|were|is|which|it\s(?:was|cost|is)|that|this|they|he|she|\w+ed)\b", clause, re.I
    ):
        return None
    if not (money or elliptic or _BOUND.search(clause)):
        return None
    bound = re.sub(
        r"^(?:a\s)?budget\sof\s|^(?:please\s)?(?:keep|make|get|find)\s(?:it|everything|things|the\s\w+|prices?|costs?)\s|^(?:it|something|anything|budget|price)\s(?:(?:must|has\sto|should|is|can)\s(?:be\s|cost\s|stay\s)?)?|^budget:?\s|^(?:the\s)?(?:spending\s|price\s)?limit\s(?=for\b|on\b)",
        "", clause, flags=re.I,
    )  # fmt: skip
    bound = re.sub(
        r"\s(?:is|are|would\sbe|sounds)\s(?:fine|ok|okay|good|great|perfect|acceptable|doable)\b.*$",
        "",
        bound,
    )
    opening = (
        "The user's spending limit is "
        if re.match(
            r"[\d$€£¥]|under|below|less|at\smost|up\sto|within|no\smore|max|around|about|between|not\s",
            bound,
            re.I,
        )
        else "The user's spending limit: "
    )
    return _draft(opening + pronouns_changed(bound), clause, 0.85 if money else 0.65)


def _without_denied(clause: str) -> str:
    """A correction without the value it takes back: "700, not 900" → "700"."""
    return re.sub(
        r",?\s*(?:and\s)?(?:not|instead\sof|rather\sthan|no\slonger)\s[$€£¥]?\d[\d,.]*\s?\w*$",
        "",
        clause,
        flags=re.I,
    )


def _draft(content: str, clause: str, confidence: float) -> Draft:
    named = [
        stem(found[group].lower())
        for group in ("whose", "what", "each")  # A thing tells more than how often it is paid.
        for found in _SCOPE.finditer(clause)
        if found[group] and found[group].lower() not in _WHOLE
    ]
    priced = _PRICED.match(clause)
    if priced and not named and stem(priced["what"].lower()) not in _WHOLE_PRICE:
        named.append(stem(priced["what"].lower()))
    thing = named[0] if named else ""
    thing = _SAME_SCOPE.get(thing, thing)
    return Draft(
        MemoryType.CONSTRAINT,
        content,
        0.9,
        confidence,
        subject=f"budget:{thing}" if thing else "budget",
    )
