"""English clauses in a marked word order, put into the plain one: "X is something I avoid"."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re

from langgraph_memory.extraction.rules.english.word_classes import is_job

__all__ = ["plain_order"]

_WHAT = r"(?P<what>[\w\s'’+#.-]{2,60}?)"
_CLEFT = re.compile(
    rf"^(?!(?:it|that|this|which|there|here|he|she|they|you)\b){_WHAT}\s(?:is|are)\s(?:(?:just|also|usually|mostly|really|simply)\s)?(?P<not>not\s)?(?:exactly\s|really\s)?(?:what|where|something|anything|stuff|things?|a\sthing|food|the\s(?:one\s)?(?:thing|language|tool|place|city|editor|database|stack|food|drink|framework|one)s?|who)\s(?:that\s|which\s)?(?P<who>I|we)\s(?P<rest>.+)$",
    re.I,
)
_REVERSED = re.compile(
    r"^(?:what|where|the\s(?:thing|one\sthing|language|tool|city|place|editor|food|drink|kind\sof\s\w+))s?\s(?:that\s)?(?P<who>I|we)\s(?P<rest>[\w\s]{2,40}?)\s(?:is|are)\s(?P<what>.+)$",
    re.I,
)
_FRONTED = re.compile(
    r"^(?P<what>(?!(?:so|and|but|that|this|it|as|if|when|what|how|because|whatever|now|then|yes|no|here|there|why|where|maybe|sometimes|the\s(?:way|thing|reason|first|last|one))\b)[\w\s'-]{3,30}?),?\s(?P<who>I)\s(?P<rest>(?:(?:really|absolutely|just|always|also|simply)\s)*(?:love|hate|adore|detest|can\snot\s(?:stand|eat|drink|have|tolerate|do)|do\snot\s(?:eat|drink|like|do|touch|use)|never\s(?:eat|drink|touch|liked|use)|avoid|could\slive\swithout|can\sdo\swithout|prefer|will\snot\s(?:eat|touch|fly|use)))$",
    re.I,
)
_ONE_OF = re.compile(r"^one\sof\s(?P<whose>my|our)\s(?:\w+\s)?(?P<what>\w+?)s\sis\b", re.I)
_BUSY = re.compile(
    r"^(?P<who>I|we)\s(?P<be>am|are|have\sbeen)\s(?:currently\s|still\s)?(?:in\sthe\s(?:middle|process|midst)\sof|busy(?:\swith)?|knee-deep\sin|halfway\sthrough|tied\sup)\s(?P<doing>\w+ing\b.*)$",
    re.I,
)
_TEND = re.compile(
    r"^(I|we)\s(?:(?:generally|usually|really|do)\s)?(?:tend\sto|happen\sto|like\sto\sthink\sI|would\ssay\s(?:that\s)?I|have\sto\ssay\s(?:that\s)?I|must\sadmit\s(?:that\s)?I|seem\sto)\s(?=\w)",
    re.I,
)
_HOME = re.compile(
    r"^(?:home|base)\s(?:for\s(?:me|us)\s)?(?:is|has\sbeen)\s(?:now\s|currently\s|in\s)*(?P<where>(?!your\b|the\b|a\b|my\b)(?-i:[A-Z]).+)$",
    re.I,
)
_CAUSE = re.compile(
    r"^(?:(?:if|when|whenever|every\stime|each\stime|anytime|any\stime|after|as\ssoon\sas|once)\s(?P<if>(?:I|we)\s(?:(?:so\smuch\sas|even|just|ever|accidentally)\s)?(?:eat|ate|drink|have|had|touch|consume|smell|am\s(?:around|near|exposed)|get\s(?:near|stung|close)|inhale|wear|take|use)\b[^,]*?)(?:,|\sthen)?\s(?P<then>(?:I|my|we)\s.+))$",
    re.I,
)


# What suits somebody is what they like: "horror is not for me".
_SUITS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), into)
    for pattern, into in (
        (
            r"^(?!(?:it|that|this|there|these|those|he|she|they)\b)(?P<what>[\w'-]+(?:\s[\w'-]+){0,3}?)\s(?:is|are)\s(?:just\s|really\s)?not\s(?:really\s|quite\s)?for\s(?:me|us)$",
            r"I do not like \g<what>",
        ),
        (
            r"^(?!(?:it|that|this|these|those|what)\b)(?P<what>[\w'-]+(?:\s[\w'-]+){0,3}?)\s(?:works?|suits?)\s(?:me\sbest|(?:best|better)\sfor\sme)$",
            r"I prefer \g<what>",
        ),
        (r"^(?:I\s)?can\snot\sget\senough\sof\s(?P<what>\S.*)$", r"I love \g<what>"),
        (r"^the\s(?P<what>(?:\w+\s)?\w+)\sis(?=\sdue\s)", r"my \g<what> is"),
        (r"^the\s(?P<what>goal|aim|dream|plan)\sis(?=\sto\s)", r"my \g<what> is"),
    )
)


# Who speaks: "nurse here", "single mum of three here".
_HERE = re.compile(
    r"^(?!(?:I|we|you|he|she|it|this|that|they|there|what|who|is|are|am|my|our|your|the|an?|any|some|many|other|all|more|everything|everyone|nothing|nobody|no|not|right|back|over|out|only|still|same|up|down|in|from|live|work|come|see|got)\b)(?P<what>[\w-]+(?:\s(?!(?:is|are|was|were|works?|lives?|has|have|do|does)\b)[\w-]+){0,4}?)\shere(?:,\s.*)?$",
    re.IGNORECASE,
)


_IN_ROLE = re.compile(
    r"^(?P<who>(?:Dr\.?\s|Mrs?\.?\s|Ms\.?\s)?(?-i:(?!(?:It|This|That|He|She|They|What|Who|There|Here)\b)[A-Z])[\w-]+(?:\s(?-i:[A-Z])[\w-]+)?)\sis\s"
    r"(?P<whose>my|our)\snew\s(?P<role>[\w-]+(?:\s[\w-]+)?)(?:\snow)?$",
    re.I,
)


def plain_order(clause: str) -> str:
    """The clause with its subject first, or the clause as it is."""
    role = _IN_ROLE.match(clause)
    if role and is_job(role["role"]):
        return f"{role['whose'].lower()} new {role['role']} is {role['who']}"
    for pattern, into in _SUITS:
        clause = pattern.sub(into, clause)
    here = _HERE.match(clause)
    if here:
        what = here["what"]
        bare = (
            "" if what[:1].isupper() and not is_job(what) else "an " if what[0] in "aeiou" else "a "
        )
        return f"I am {bare}{what}"
    clause = _TEND.sub(lambda one: f"{one.group(1)} ", clause)
    clause = re.sub(r"^I would say (?:that )?(?=(?:my|our|I|we)\b)", "", clause)
    clause = re.sub(r"^((?:my|our)(?:\s[\w'’-]+){1,4}?):\s(?=\S)", r"\1 is ", clause, flags=re.I)
    clause = re.sub(r"^(?:now\s)?all\s(?:of\s)?(?=(?:my|our)\b)", "", clause, flags=re.I)
    one_of = _ONE_OF.match(clause)
    if one_of:
        clause = f"{one_of.group('whose')} {one_of.group('what')} is{clause[one_of.end() :]}"
    home = _HOME.match(clause)
    if home:
        return f"I live in {home.group('where')}"
    busy = _BUSY.match(clause)
    if busy:
        return f"{busy.group('who')} {busy.group('be')} {busy.group('doing')}"
    cause = _CAUSE.match(clause)
    if cause:
        return f"{cause.group('then').rstrip(' .')} when {cause.group('if')}"
    cleft = _CLEFT.match(clause)
    if cleft and not re.match(
        r"(?:can|could|should|would|think|mean|meant|said|need|want|asked)\b",
        cleft.group("rest"),
        re.I,
    ):
        return _joined(
            cleft.group("who"),
            cleft.group("rest"),
            cleft.group("what"),
            denied=cleft.group("not") is not None,
        )
    reversed_ = _REVERSED.match(clause)
    if reversed_ and not re.match(
        r"(?:need|want|mean|meant|said|asked|think|am\s(?:saying|asking|looking|trying))\b",
        reversed_.group("rest"),
        re.I,
    ):
        return _joined(
            reversed_.group("who"), reversed_.group("rest"), reversed_.group("what"), denied=False
        )
    fronted = _FRONTED.match(clause)
    if fronted and len(fronted.group("what").split()) <= 4:
        return _joined("I", fronted.group("rest"), fronted.group("what"), denied=False)
    return clause


_PARTICLE = r"(?:on|with|in|at|for|to|by|from|about)"


def _joined(who: str, rest: str, what: str, *, denied: bool) -> str:
    """The object put behind the verb it belongs to."""
    what = (
        what
        if re.match(r"(?:[A-Z]\w*[A-Z]|[A-Z][\w-]+\s[A-Z])", what)
        or not what[:1].isupper()
        or " " not in what
        else what[:1].lower() + what[1:]
    )
    found = re.match(
        rf"(?P<verb>(?:do\snot\s|(?:can|could|will|would)\s(?:not\s)?|am\s|really\s|always\s|usually\s|mostly\s|never\s|absolutely\s|just\s)*[\w-]+(?:\swithout)?(?:\s{_PARTICLE}(?=$|\s(?:best|most|more|all|a\slot|these|every|now)))?)(?P<tail>\s.*)?$",
        rest,
        re.I,
    )
    if found is None:
        return f"{who} {rest} {what}"
    negation = (
        "do not "
        if denied and not re.match(r"(?:can|will|would|am)\b", found.group("verb"))
        else ""
    )
    return f"{who} {negation}{found.group('verb')} {what}{found.group('tail') or ''}"
