"""Terms of a request: "at most 40 a head", "lines must stay below 90 characters"."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.english.third_person import pronouns_changed
from langgraph_memory.extraction.rules.kinds import CONSTRAINT

__all__ = ["BOUND_FIRST", "BOUND_LAST", "FOR_ONCE", "is_about_work", "read_requirement", "terms"]

_FIGURE = r"(?:about\s|around\s)?[$€£¥]?\s?\d[\d.,]*k?"
BOUND_FIRST = (
    r"(?:at\s(?:the\s)?(?:very\s)?most|(?:no|not)\s(?:more\sthan|over|above)|max(?:imum|\.)?(?:\sof)?|up\sto|"
    rf"under|below|less\sthan|within|cheaper\sthan|(?:a\s|my\s)?budget(?:\sof|\sis|:)?)\s{_FIGURE}\b"
)
BOUND_LAST = (
    rf"{_FIGURE}\b(?:\s[a-z]+){{0,4}}?,?\s(?:at\s(?:the\s)?(?:very\s)?most|max(?:imum)?|tops|or\s(?:less|under|below|cheaper)|"
    r"is\s(?:the|my|our)\s(?:\w+\s)?(?:max\w*|limit|most|ceiling|cap|top))\b"
)
_MUST = r"(?:must|has\sto|have\sto|shall|may\snot|can\snot|should(?=\s(?:not\s(?:exceed|cost|last|be)|stay|be|cost|last|always|never)\b))"
_SUBJECT = (
    r"(?!(?:I|we|you|he|she|it|they|who|which|that|this|these|those|there|what|people|everyone|everybody|nobody|somebody|someone|the\s(?:function|method|class|code|script|program|output|query|array|list|string|answer)s?)\b)"
    r"(?:(?:everything|all|anything|whatever)\s(?:that\s)?(?:I|we)\s\w+|(?:[a-z][\w'’-]*\s){0,3}?[a-z][\w'’-]*)"
)
_REQUIRED = re.compile(rf"^(?P<what>{_SUBJECT})\s{_MUST}\s(?P<rest>\S.+)$", re.I)
# "It must be a joke": a guess. "Must have left": what was.
_GUESSED = re.compile(
    rf"\s{_MUST}\s(?:be\s(?:kidding|a\sjoke|joking|wrong|right)\b|have\s\w+ed\b)", re.I
)
_OPENS = re.compile(
    rf"(?:\s*,\s*(?:and|but|also|plus)?|\s+(?:and|but|also|plus))\s*(?=(?:also\s|please\s)*(?:{BOUND_FIRST}|{BOUND_LAST}|(?:absolutely\s)?(?:no|nothing)\s\w+|{_SUBJECT}\s{_MUST}\s))",
    re.I,
)
_HEAD = re.compile(
    r"(?:\b(?:I|we|my|our|never|always|no|nothing|only)\b|^\W*(?:please|do\snot)\b).*\s\w", re.I
)
FOR_ONCE = re.compile(
    r"\b(?:this\s(?:time|once)|just\s(?:this\s)?once|only\s(?:for\s)?(?:this|now|today|tonight)|"
    r"for\s(?:now|once|today|tonight|this\s(?:one|order|booking|meal|dinner|lunch|breakfast|evening|night|answer|reply|question)))\b",
    re.I,
)
_WORK = re.compile(
    r"^\W*(?:(?:please|can\syou|could\syou|now|then)\s)*(?:sort|refactor|implement|code|draw|design|paint|fix|count|print|give\sme\s(?:a|an|some|the)\s(?:list|number|example|summary)|pick\sa|guess|think|play|rename|compress|resize|crop|solve|calculate|compute|convert|filter|split|parse|format|build|make)\b",
    re.I,
)


def terms(clause: str) -> Iterator[str]:
    """A clause, and the terms that are joined to it: "no X, and rooms must …" are two.

    What is joined to a bare noun ("a bath and a view must be there") belongs to it.
    """
    at = 0
    for opens in _OPENS.finditer(clause):
        rest = clause[opens.end() :]
        if opens.start() > at and (
            not _needs_verb(rest) or _HEAD.search(clause[at : opens.start()])
        ):
            yield clause[at : opens.start()]
            at = opens.end()
    yield re.sub(r"^(?:also|please)\s", "", clause[at:], flags=re.I) if at else clause


def _needs_verb(term: str) -> bool:
    return _REQUIRED.match(term) is not None


def is_about_work(sentence: str) -> bool:
    """Whether a sentence asks for a piece of work, whose terms are those of that piece."""
    return _WORK.match(sentence) is not None


def read_requirement(clause: str) -> Draft | None:
    """What a thing must be, as the user's; whoever calls has seen that it is for good."""
    found = _REQUIRED.match(clause)
    if found is None or _GUESSED.search(clause):
        return None
    return Draft(CONSTRAINT, f"The user's requirement: {pronouns_changed(clause)}", 0.8, 0.75)
