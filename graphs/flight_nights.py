"""What a text says about flights through the night: whether the user takes them.

A welcome is believed only if it is plain: not denied, not asked, not of somebody else or of the
past. Whatever else is said of such flights, and cannot be read, is to be asked about.
"""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Verdict = bool | Literal["unclear"] | None

_NIGHT = re.compile(
    r"\bred[\s-]?eyes?\b|\bovernight\b|\bnight[\s-]?(?:time )?(?:flights?|planes?|flying|departures?|arrivals?)|\b(?:through|during|in the middle of|late at) (?:the )?night|late[\s-]night|\bmidnight|\b(?:small|wee) hours|"
    r"红眼|夜间航班|夜班机|夜航|夜机|半夜|深夜|后半夜|午夜|凌晨|通宵|零点|[十0-9]二点以后",
    re.I,
)
_EARLY = re.compile(
    r"\b(?:[1-4]|one|two|three|four)(?::\d\d)?\s?(?:a\.?m\b|o['’]clock|at night|in the morning)",
    re.I,
)
# These are of flights only where one is mentioned.
_DARK = re.compile(
    r"(?<!to)(?<!last )(?<!good )\bnights?\b|\bin the dark\b|\bafter dark\b|(?<![今明昨天后])晚上(?!好)|夜里|夜间|夜晚|深更",
    re.I,
)
_DAY = re.compile(
    r"\bday[\s-]?(?:time|light)\b|\bday[\s-]?flights?\b|\bduring the day\b|\bby day\b|白天|日间|大白天",
    re.I,
)
_ONLY = re.compile(
    r"\b(?:only|just|solely|nothing but|strictly|exclusively|must|has to|have to|need)\b|只|必须|一定要|得(?=在?白天)|就好|就行",
    re.I,
)
_FLIGHT = re.compile(
    r"\b(?:fl(?:y|ies|ying|ights?)|planes?|tickets?|depart\w*|land(?:s|ing)?|tak(?:e|ing)[\s-]?offs?|in the air|travel\w*|seats?)\b|飞|航班|机票|起落|起飞|降落|班机|的票",
    re.I,
)
_MILD = re.compile(
    r"(?:\b(?:do|does|did|would|could|wo|ca)(?:n['’]?t| not| never)|\b(?:never|not)) (?:\w+ )?(?:mind|care(?! for)|object)\b|"
    r"(?:n['’]?t|\bnot?|\bnever|\bno longer) (?:\w+ )?bother\w*|\bno (?:\w+ )?(?:problems?|objections?|issues?|worries|trouble|big deal)\b|\bnot an? (?:\w+ )?(?:problem|issue|deal[\s-]?breaker|big deal)\b|(?:\bnothing|n['’]t anything) against\b|"
    r"不(?:太|怎么|会|是很)?介意|没关系|没问题|无所谓|不在乎|不在意|不挑|不反对|不嫌|不怕|不要紧|无妨|没意见|不排斥|不讨厌",
    re.I,
)
_ASIDE = re.compile(
    r"\b(?:not|n['’]t) (?:only|just)\b|\bin mind\b|\b(?:change\w*|made up) (?:my|our) mind\b|不仅|不只|不光|(?P<a>[\u4e00-\u9fff])不(?P=a)(?!了)|可不可以|能不能够|有没有|可以的话|行的话|不错|差不多",
    re.I,
)
_UNWELCOME = re.compile(
    r"\b(?:no|not|none|never|nothing|neither|nor|without|avoid\w*|hat(?:e[sd]?|ing)|dislik\w+|loath\w+|detest\w*|dread\w*|fear\w*|afraid|scared|refus\w+|declin\w+|except\w*|exclud\w+|skip\w*|drop|spare|ban\w*|forbid\w*|(?<!non-)(?<!non )stop|remove|(?<!take )(?<!takes )(?<!taking )off|out(?! of (?!the question))|mind|rule[sd]? out|ruling out|instead of|other than|(?:rather|sooner) .{1,30}than|too (?!please\b|then\b|for me\b)(?=\w)|hardly|barely|far from|less than|sick|ill|tired|headaches?|exhaust\w*|awful|terrible|horrible|nightmare|hell|torture|kills?|worst|(?:un|in)[a-z]+able|impossible|cannot|(?:do|does|did|ca|wo|would|should|could|must|is|are|was)n['’]?t)\b|n['’]t\b|\bprefer\w* (?!to\b).{1,40}\b(?:to|over|than)\b|"
    r"不|(?<![特区分级])别(?!人)|无(?!论)|没|免|勿|莫|非(?!常)|拒|讨厌|反感|避|除了|除外|以外|之外|排除|去掉|过滤|剔除|删|禁|怕|恨|烦|介意|算了|受罪|难受|累|头疼|崩溃|折磨",
    re.I,
)
_WELCOME = re.compile(
    r"\b(?:fine|okay|ok|all ?right|alright|acceptable|welcome|after all)\b|可以|也行|都行|也成|能接受|(?<![飞旅银])行(?=$|的|吧|啊|呀|了)|好的|能坐|愿意",
    re.I,
)
# "No need to avoid them" and "cancel that limit" allow what they name.
_LIFTS = re.compile(
    r"(?:\bno need|n['’]t|\bnot|\bnever)(?: \w+){0,3} (?:avoid|skip|exclud|leave out|rule out|filter)|(?:不用|不必|无需|不需要|没必要|别)(?:再)?(?:避|排除|过滤|去掉|排斥)|"
    r"\b(?:rule(?! out)|restriction|limit\w*|ban|filter|condition|requirement)\b|限制|要求|条件|规定|不再(?:讨厌|介意|怕|反感)|不是不",
    re.I,
)
_DOUBT = re.compile(
    r"[?？]|吗|\bif\b|\bunless\b|\bwhen\b|\bdepends\b|\bmaybe\b|\bperhaps\b|\bmight\b|\bsometimes\b|\bused to\b|\bw(?:as|ere)\b|\bhad\b|\bonly\b|\bonce\b|\b(?:s?he|they|his|her|their|wife|husband|friends?|brother|sister|mother|father|colleagues?|boss|some|people)\b|"
    r"如果|要是|假如|除非|以前|曾|也许|可能|有时|偶尔|看情况|才|他|她|别人|有人|有些人|老婆|老公|妈|爸|朋友|同事|老板",
    re.I,
)
# An order for one, and nothing besides.
_CHOOSES = re.compile(
    rf"(?:ok(?:ay)?|please|then|so|yes|well|i['’]?(?:d|ll)?|we['’]?(?:d|ll)?|like to|want to|want|let['’]?s|me|\s)*(?:book|take|buy|reserve|choose|pick|include|allow|show|have)(?: me| us)?(?: an?| the| that| this| any| some| all)? (?:{_NIGHT.pattern})(?: flights?| one| please| then| too| as well| on \w+| for \w+)*\W*|"
    rf"(?:请|那|就|帮我|给我|我们?|要|想|可以|也)*(?:订|坐|买|选|看|接受)(?:了|那|这|个|张|一|班|趟)*(?:{_NIGHT.pattern})(?:航班|机票|的|班|吧|那|票)*\W*",
    re.I,
)
_ASKS = re.compile(
    r"^\W*(?:and |so |but |well )?(?:which|what|how|when|why|where|who|is|are|was|does|do|did|has|have)\b|哪|什么|为何|几[点个]|多少|有没有|是不是|吗\W*$",
    re.I,
)
_BUT = re.compile(r"\b(any|every|all)(?:thing|thing else|one)?(?: \w+){0,2} but\b", re.I)
_SENTENCES = re.compile(r"(?<=[!?;。！？；\n])|(?<=\.)\s")
_CLAUSES = re.compile(
    r",|，|、|:|：|\s[–—-]\s|\b(?:and|but|though|so)\b|而且|但是?|所以|不过", re.I
)


@dataclass(frozen=True)
class _Sentence:
    """What holds for all clauses of a sentence."""

    is_doubtful: bool
    asks: bool
    is_of_flights: bool

    @classmethod
    def of(cls, text: str) -> _Sentence:
        return cls(*(bool(each.search(text)) for each in (_DOUBT, _ASKS, _FLIGHT)))


def takes_red_eyes(text: str) -> Verdict:
    """Whether flights through the night are taken: True, False, "unclear", or None if unsaid.

    Where a text says both, it is unclear; and a denial holds whatever else is unclear.
    """
    plain = _BUT.sub("except", text)
    clauses = [
        (clause, sentence)
        for each in _SENTENCES.split(plain)
        for sentence in (_Sentence.of(each),)
        for clause in _CLAUSES.split(each)
        if re.search(r"\w", clause)
    ]
    verdicts = {
        _verdict(clause, sentence, clauses[at + 1][0] if at + 1 < len(clauses) else "")
        for at, (clause, sentence) in enumerate(clauses)
        if _is_of_nights(clause, sentence.is_of_flights)
    }
    if not verdicts:
        return _by_day(plain)
    if False in verdicts:
        return "unclear" if True in verdicts else False
    return "unclear" if "unclear" in verdicts else True if True in verdicts else None


def _is_of_nights(clause: str, of_flights: bool) -> bool:
    if _NIGHT.search(clause):
        return True
    return of_flights and bool(_DARK.search(clause) or _EARLY.search(clause))


def _verdict(clause: str, sentence: _Sentence, after: str) -> Verdict:
    """What a clause says of them.

    Args:
        clause: That mentions them.
        sentence: Where it stands.
        after: The next clause, which may say what is thought of them.
    """
    if _LIFTS.search(clause):
        return "unclear"
    clause = _ASIDE.sub("", clause)
    without, mild = _MILD.subn("", clause)
    if _UNWELCOME.search(without):
        return False
    if mild or _WELCOME.search(clause) or _CHOOSES.fullmatch(clause):
        return "unclear" if sentence.is_doubtful else True
    if sentence.asks:
        return None
    refused_after = not _is_of_nights(after, _FLIGHT.search(after) is not None) and (
        _UNWELCOME.search(_MILD.sub("", _ASIDE.sub("", after)))
    )
    return False if refused_after else "unclear"


def _by_day(text: str) -> Verdict:
    """What follows for the nights from what is said of the days."""
    if not _DAY.search(text) or _ASKS.search(text):
        return None
    return False if _ONLY.search(text) and not _UNWELCOME.search(text) else "unclear"
