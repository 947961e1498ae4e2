"""Whether one statement says what another does, or the contrary of it. By words, not by meaning."""

from __future__ import annotations

import re
import unicodedata

from langgraph_memory.offline.words import listed
from langgraph_memory.store.analysis import query_terms

__all__ = [
    "corrects",
    "is_about",
    "is_contained",
    "is_one_of_several",
    "negations",
    "numbers",
    "opposes",
    "plain",
    "says_more",
    "shared_words",
]

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# A figure within a name (E102, B12) is no amount.
_FIGURE = re.compile(r"(?<![a-z0-9])\d[\d ]*(?![a-z0-9])")
_NUMBERS = listed("""
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty
""")
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_NUMBERS[2:])})\b")
# In figures of any kind: they are only compared.
_NUMBER_HAN = re.compile(
    r"[一二两三四五六七八九十百千万]+(?=[点次步杯片个公小分只块元斤页遍周])(?!个?人|点儿|个月前|下)"
)
# Nor is one behind a name ("omega 3", "an iPhone 15"). An amount has a unit, or stands behind a
# verb, a preposition or what is measured.
_UNIT = re.compile(
    r"\s*(?:[a-z]*(?:euro|dollar|pound|franc|yuan|krone|kronor|buck|time|year|month|week|day|night|hour|minute|"
    r"second|kilo|gram|liter|litre|mile|met(?:er|re)|degree|percent|people|person|kid|child|page|word|line|step|point|cup)"
    r"|eur\b|usd\b|gbp\b|kg\b|km\b|cm\b|g\b|k\b|am\b|pm\b|o'clock|"
    r"[个只条辆台张件次岁年月日天周点分秒块元万千百美欧英刀斤克升米公里厘毫度楼层间人口名位页字句行段遍杯瓶碗片粒颗套])"
)
_MEASURED = re.compile(
    r"(?:^|\b(?:is|are|was|were|has|have|had|be|of|at|to|under|over|about|around|by|for|in|on|from|than|most|"
    r"least|within|below|above|exactly|only|nearly|almost|roughly|max|maximum|minimum|and|or|between|after|before|"
    r"per|every|all|until|till|up|budget|limit|price|age|aged|weight|height|size|(?:user|\w+ly|now|also|still)\s\w+)"
    r"|[是为到过于约多少大满近超每在至花付买吃喝跑走住用要养带写做开涨降成有了给存赚算高重龄数量额价率费资薪月])\s*$"
)
_LABEL = re.compile(rf"号(?=[{_HAN}])")
_ALLERGY = re.compile(r"\ballerg|\bintoleran|过敏|不耐受")
_ALLERGY_TO = re.compile(r"\ballerg(?:y|ies)\b")
_NEGATION = re.compile(
    r"\b(?:no\s+longer|not|no|never|none|nobody|nothing|neither|nor|without|cannot|hardly|barely|"
    r"stopped|quit|former|formerly|unless|except|dislik\w*|hat(?:e|es|ed|ing)|detest\w*|"
    r"loath\w*|avoid\w*|refus\w*)\b|n['’]t\b|[不没別别勿未无無非莫]|除了|戒|讨厌|反感|避免|拒绝",
)

# What says how somebody stands to a thing, or since when, and not which thing it is.
_ATTITUDE = re.compile(
    r"\b(?:the\s)?user(?:['’]s)?\b|\b(?:lik|lov|enjoy|prefer|want|hat|dislik|detest|loath|avoid|"
    r"refus|stop|quit|start|use[sd]?\sto|car)(?:e|es|ed|ing|s)?\b|\b(?:does|do|did|is|are|was|were|"
    r"has|have|had|been|not|no|never|longer|anymore|any\smore|now|nowadays|currently|again|still|"
    r"really|very|much|always|all|at|fond|fan|into|of|a|an|the|to|for|cannot|can)\b|n['’]t\b|"
    r"用户|[不没别別无無非]|更|最|很|非常|特别|喜欢|喜爱|热爱|讨厌|反感|偏好|偏爱|想要|爱|现在|如今|目前|已经|"
    r"再也|仍然|依然|还是|一直|总是|从来|了|的|是|有|再"
)
_JOINED = re.compile(
    r"\s*(?:[;；，、]|,(?!\d)|\b(?:and|but|also|plus|while|whereas)\b|并且|而且|另外|此外|但是?|还有|同时)\s*"
)
# What makes a clause a limit, an order or a taste of its own.
_OF_ITS_OWN = re.compile(
    r"\b(?:must|should|shall|has\sto|have\sto|needs?\sto|always|only|at\s(?:the\s)?most|no\smore\sthan|less\sthan|under|below|within|up\sto|max(?:imum)?|"
    r"limit|budget|prefers?|likes?|loves?|enjoys?|wants?|allergic|intolerant|vegan|vegetarian)\b|"
    r"必须|一定|只|务必|每次|一律|总是|最多|至多|不超过|以内|以下|封顶|预算|喜欢|偏好|偏爱|爱|要|过敏"
)
_AMOUNT = re.compile(r"\d|[一二两三四五六七八九十]+[百千万]")
SAME_THING = 0.6
"""Share of the words of two statements that both have, from which on they speak of one thing."""


def opposes(statement: str, other: str) -> bool:
    """Whether two statements speak of the same thing, one for it and one against it.

    "Hates okra now" opposes "Loves okra". Statements that differ in more than where they stand
    ("coffee in the morning", "no coffee at night") do not.
    """
    if negations(statement) % 2 == negations(other) % 2:
        return False
    one, two = _things(statement), _things(other)
    return bool(one) and len(one & two) >= SAME_THING * len(one | two)


def corrects(statement: str, other: str) -> bool:
    """Whether a statement is another one with another amount, and with nothing else changed.

    Where two amounts differ, as a date and a number, they may be two things of one kind. "Omega 3"
    and "omega 6" are names, and whoever is allergic to two things has two allergies.
    """
    if _ALLERGY.search(_folded(statement)):
        return False
    (one, figures), (two, others) = _measured(statement), _measured(other)
    return (
        one == two
        and _has_words(one)
        and sum(before != after for before, after in zip(figures, others, strict=True)) == 1
    )


def says_more(statement: str, other: str) -> bool:
    """Whether a statement holds a limit, an order or a taste of which another one says nothing.

    "Never flies at night, and tickets must stay below 900" says more than "the budget is 700":
    to replace it would end the limit on flights.
    """
    said, amount = _things(other), _AMOUNT.search(other) is not None
    parts = [part for part in _JOINED.split(_folded(statement)) if _things(part)]
    return len(parts) > 1 and any(
        (_NEGATION.search(part) or _OF_ITS_OWN.search(part))
        and not (_things(part) & said or (amount and _AMOUNT.search(part)))
        for part in parts
    )


# They tell of any value what kind it is, and not whose.
_KIND = frozenset(
    query_terms(
        "time times day days date hour hours limit budget number new amount monthly weekly daily"
    )
)
_KIND_HAN = re.compile(
    r"^(?:我们?|用户|家里?)?的?|的|(?:时间|日期|次数|预算|上限|限额|费用?|[课日])$|每个?[天周月年]"
)


def shared_words(topic: str, statement: str) -> bool:
    """Whether a statement has to do with a topic: half of its words, and one that tells it apart.

    "The user goes to the gym on Tuesdays" has to do with "gym day".
    """
    if re.search(f"[{_HAN}]", topic):
        bare = _KIND_HAN.sub("", _KIND_HAN.sub("", topic)) or topic
        return bare in statement or (
            len(bare) > 3 and (bare[:2] in statement and bare[-2:] in statement)
        )
    wanted = _things(topic)
    has = wanted & query_terms(statement).keys()
    telling = wanted - _KIND
    return bool(has & telling if telling else wanted and has) and 2 * len(has) >= len(wanted)


def is_one_of_several(statement: str) -> bool:
    """Whether a statement says several things."""
    return len([part for part in _JOINED.split(_folded(statement)) if _things(part)]) > 1


def is_about(statement: str, topic: str) -> bool:
    """Whether a statement has all the words of a topic that say anything."""
    wanted = _things(_ALLERGY_TO.sub("allergic", _folded(topic)))
    said = query_terms(_ALLERGY_TO.sub("allergic", _folded(statement)))
    return bool(wanted) and wanted <= said.keys()


def numbers(statement: str) -> list[str]:
    """Figures of a statement: 'budget 500' and 'budget 5000' are near, and not the same."""
    return re.findall(r"\d+(?:[.,:/-]\d+)*", statement)


def is_contained(statement: str, other: str) -> bool:
    """Whether `other` holds the whole of `statement`, and says it as true.

    Letter case, spaces and punctuation do not count. "Likes coffee" is contained neither in
    "dislikes coffee" (words are whole) nor in "no longer likes coffee" (a negation more).
    """
    short, long = plain(statement), plain(other)
    if not short or negations(statement) != negations(other):
        return False
    return re.search(f"{_edge(short[0])}{re.escape(short)}{_edge(short[-1])}", long) is not None


def negations(statement: str) -> int:
    """How many words of a statement deny or turn against something, in English and Chinese."""
    return len(_NEGATION.findall(_folded(statement)))


def plain(text: str) -> str:
    """The words of a text in lower case, separated by single spaces; Chinese without any."""
    words = " ".join(_WORD.findall(_folded(text)))
    return re.sub(f"(?<=[{_HAN}]) (?=[{_HAN}])", "", words)


def _things(text: str) -> frozenset[str]:
    return frozenset(query_terms(_ATTITUDE.sub(" ", _folded(text))))


def _measured(text: str) -> tuple[str, list[str]]:
    """A statement with its amounts left out, and the amounts."""
    words, amounts = _counted(plain(text)), []

    def masked(figure: re.Match[str]) -> str:
        if _LABEL.match(words, figure.end()) or not (
            _UNIT.match(words, figure.end()) or _MEASURED.search(words[: figure.start()])
        ):
            return figure.group()
        amounts.append(figure.group().strip())
        return "# "

    return re.sub(r"(?<=#)\s+[ap]m\b", "", _FIGURE.sub(masked, words)).strip(), amounts


def _counted(words: str) -> str:
    """Words with figures for numbers, and without since when it is so: "now at eight"."""
    words = re.sub(r"\s*\b(?:now|nowadays|currently|these\sdays)\b|现在|目前|如今|了$", "", words)
    words = _NUMBER_WORD.sub(lambda one: str(_NUMBERS.index(one.group())), words)
    return _NUMBER_HAN.sub(lambda one: str(sum(map(ord, one.group()))), words)


def _has_words(text: str) -> bool:
    return any(character.isalpha() for character in text)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _edge(character: str) -> str:
    """Words of letters end at a boundary; Chinese ones anywhere."""
    return "" if re.match(f"[{_HAN}]", character) else r"\b"
