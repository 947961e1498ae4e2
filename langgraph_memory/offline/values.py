"""What kind of exact value a sentence holds: an amount, a date, a place, a name.

A kind is written `#money` and so on, as the thesaurus does.
"""

from __future__ import annotations

import re
from functools import lru_cache

from langgraph_memory.offline.lexicon import concepts
from langgraph_memory.offline.words import HAN, listed, stem

__all__ = ["KINDS", "kinds", "proper_names", "specifics"]

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_SMALL = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|"
    r"sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|"
    r"hundred|thousand|million|dozen)"
)
_NUMERAL = "[零〇一二两三四五六七八九十百千万亿半\\d]"
_UNIT_OF_TIME = r"(?:seconds?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)"

_PATTERNS: dict[str, str] = {
    "#money": (
        rf"[$€£¥￥]\s?\d|\d[\d,.]*\s?(?:k\s)?(?:dollars?|euros?|pounds?|bucks|usd|eur|gbp|yuan|rmb|cny|"
        rf"yen|块|元|美元|欧元|万|千块)|\b{_SMALL}\s(?:dollars?|euros?|pounds?|bucks|yuan)|"
        rf"{_NUMERAL}+(?:块|元|万|千|百)|(?:预算|价格|房租|月薪|工资|最多)\D{{0,6}}{_NUMERAL}{{2,}}|"
        rf"(?:budget|price|cost|rent|salary|spend)\D{{1,30}}\d{{2,}}"
    ),
    "#date": (
        rf"\b{_DAY}\b|\b(?:in|by|since|until|before|after|on|of|this|next|last|mid|late|early|every)[\s-]"
        rf"(?:the\s)?{_MONTH}\b|\b{_MONTH}\.?\s\d{{1,4}}|\d{{1,2}}(?:st|nd|rd|th)\b(?!\s(?:floor|level"
        rf"|place|grade|edition))|\b\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}\b|\d{{4}}-\d\d-\d\d|"
        rf"\b\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?\b|\b(?:19|20)\d\d\b|\b(?:today|tomorrow|yesterday|"
        rf"tonight|weekends?|christmas|easter)\b|\b(?:next|last|this|every|each)\s(?:other\s)?(?:week|month|"
        rf"year|spring|summer|autumn|fall|winter|{_DAY})\b|\bin\s(?:the\s)?(?:spring|summer|autumn|winter)"
        rf"\b|\b{_MONTH}$|{_NUMERAL}+(?:月|号|日)(?!楼|线)|周[一二三四五六日末天]|星期[一二三四五六日天]|"
        rf"礼拜[一二三四五六日天]|[今明后昨前去]天|[今明后去前]年|[上下这本]个?(?:月|周|星期|季度)|月底|月初|"
        rf"[春夏秋冬](?:天|季)|春节|国庆|中秋|暑假|寒假|\d{{4}}年|\b{_MONTH}\b(?=[\s,.]+(?:\d|and|or|to))"
    ),
    "#time": (
        rf"\b\d{{1,2}}:\d\d\b|\b\d{{1,2}}\s?(?:am|pm|a\.m|p\.m|o'clock|h\b|uhr)|\b(?:noon|midnight)\b|"
        rf"\b(?:at|by|until|from|before|after|between|around)\s(?:about\s)?\d{{1,2}}\b(?!\s?[%$€£/.-]\d)|"
        rf"\b(?:at|by|around)\s{_SMALL}\b|{_NUMERAL}+点|中午|半夜|凌晨"
    ),
    "#duration": (
        rf"\d+\s?-?{_UNIT_OF_TIME}\b|\b(?:{_SMALL}|an?|few|several|couple\sof)\s{_UNIT_OF_TIME}\b|"
        rf"{_NUMERAL}+个?(?:小时|分钟|天|周|星期|月|年|秒)|\bsince\b|\buntil\b"
    ),
    "#frequency": (
        r"\b(?:every|each|once|twice|daily|weekly|monthly|yearly|annually|always|never|often|usually|"
        rf"times\sa|per\s(?:day|week|month|year))\b|\b{_DAY[:-2]}s\b|每|经常|从不|一次|次"
    ),
    "#age": (
        rf"\b(?:\d+|{_SMALL})[\s-]years?[\s-]old\b|\bage[ds]?\s\d+|\bturn(?:s|ed|ing)?\s(?:\d+|{_SMALL})|"
        rf"{_NUMERAL}+岁|今年{_NUMERAL}+(?![年月级])|\bborn\b|出生|生于|\b(?:is|am|i'm|he's|she's)\s(?:only\s|just\s|now\s)?"
        rf"(?:\d{{1,2}}|{_SMALL})(?:[.,!]|$|\sand\b)"
    ),
    "#number": rf"(?<![\w.:/-])[$€£¥]?\d[\d,.]*(?![\w:/-])(?!年|月|日|号)|\b\d+(?:k|kg|km|"
    rf"cm|mg|ml|m|g|%|°)\b|\b{_SMALL}\b|{_NUMERAL}+[个只位名条本间次台辆匹把岁月号点块元万千度楼层]|[零〇一二两三四五六七八九十百千万亿]{{2,}}|\b(?:both|couple)\b",
    "#code": (
        r"\b(?=[\w.!@#$%-]*\d)(?=[\w.!@#$%-]*[A-Za-z])[A-Za-z0-9][\w.!@#$%-]{2,}|\b\d+(?:-\d+)+\b|\b\d{4,}\b|"
        r"\b[\w]+(?:[-_][\w]+){2,}\b|\b[a-z]+_[a-z0-9]+"
    ),
    "#ip": r"\b\d{1,3}(?:\.\d{1,3}){3}\b",
    "#phone": r"(?<![\w.])\+?\d[\d\s().-]{5,}\d\b|\b1[3-9]\d{9}\b",
    "#email": r"[\w.+-]+@[\w-]+\.\w+",
    "#url": r"https?://|\bwww\.|\b[\w-]+\.(?:com|org|net|io|dev|cn|de)\b",
    "#place": (
        rf"\b(?:[Ii]n|[Aa]t|[Tt]o|[Ff]rom|[Nn]ear|outside|around|towards|via)\s(?:the\s|downtown\s|central\s)?"
        rf"(?!(?i:{_MONTH}|{_DAY})\b)[A-Z][\w'-]+|\b(?:in|on|under|behind|inside|at|beside|near|next\sto|"
        rf"above|below)\s(?:the|my|a|an|our|his|her|their)\s\w+|\b\d+[A-Za-z]?\s[A-Z]\w+\s(?:Street|St|Avenue|Ave|Road|Terrace|Close|Court|Gardens|Place|Row|Crescent|Boulevard|Hill|Park|Grove|"
        rf"Rd|Lane|Drive|Way|Square)\b|(?:在|去|往|住|来自|搬[到去至]了?|飞|到)(?!周|星期|下|上|底|了|[今明后去]|{_NUMERAL}|时|过|的)[{HAN}A-Za-z]|[{HAN}](?:市|省|县|"
        rf"区|路|街|镇|村|巷|弄|栋|单元|花园|广场|大厦|大道|公园|大学|医院|机场|车站|号楼|会议室|酒店)|\b\d+\s\w+\s(?:floor|street)|\b\w+\sfloor\b"
    ),
    "#reason": (
        r"\b(?:because|since|due\sto|as\sa\sresult|so\s(?:that|i)|therefore|caused?|reason|thanks\sto|"
        r"in\sorder\sto|for\smy|for\sthe|was\stoo|so)\b|因为|由于|所以|因此|为了|导致|太"
    ),
    "#self": (
        r"\bmy\s(?:\w+\s)?name(?:'s|\sis)|\b(?:i'm|i\sam|this\sis)\s(?-i:[A-ZÀ-Þ])|\bcall(?:s|ed)?\sme\b|\buser(?:'s\sname|"
        r"\sis\s(?:called|named))|^name(?:\sis|:)|\bnamed?\sme\b|\bgo\sby\b|我叫|我是[^\s,，。]{2,3}(?:[,，。]|$)|我姓|[叫喊]我|"
        r"我的(?:名字|全名)|用户(?:叫|姓|的?名字|名叫)|名字[是:：]|本人"
    ),
    "#condition": r"\b(?:when|whenever|if|while|once|as\ssoon\sas|unless)\b|每当|一旦|如果|"
    r"的时候|的话",
    "#negation": (
        r"\b(?:not|no|never|none|nothing|without|nor|neither|cannot|avoid|hates?|dislikes?|refuses?|can't|don't|doesn't"
        r"|didn't|won't|isn't|aren't|wasn't|stopped|quit|allerg\w+|intoleran\w+|stand)\b|不|没|别|勿|无法|"
        r"讨厌|过敏|禁止|禁忌|严禁|忌口|戒"
    ),
}
# Places are known by their capitals; a code may stand right after a Chinese character.
_FLAGS = {
    "#place": re.RegexFlag(0),
    **dict.fromkeys(["#code", "#ip", "#phone", "#email", "#url"], re.IGNORECASE | re.ASCII),
}
_COMPILED = {
    kind: re.compile(pattern, _FLAGS.get(kind, re.IGNORECASE))
    for kind, pattern in _PATTERNS.items()
}
KINDS = (*_PATTERNS, "#person", "#name", "#name?")
"""Every kind of value that `kinds` can find."""

_CAPITALISED = re.compile(r"(?<![\w'])[A-ZÀ-Þ][\w'’-]+(?:\s(?:&\s)?[A-ZÀ-Þ][\w'’-]+)*")
_SURNAME = (
    "王李张刘陈杨黄赵周吴徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任"
    "沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔"
)
_HAN_PERSON = re.compile(
    f"(?:叫|名叫|是|找|和|跟|与|由|给|姓)(?:[{_SURNAME}][{HAN}]{{0,2}}|[小老阿大][{HAN}])|[小老阿][{_SURNAME}{HAN}]|"
    f"[{_SURNAME}][{HAN}]{{0,2}}(?:老师|医生|经理|先生|女士|总|工|教授|律师|师傅|阿姨|叔)|"
    f"(?:叫|名叫|喊我|叫我|姓)[{HAN}]{{1,4}}|"
    f"(?:经理|老师|导师|负责人|主管|老板|医生|律师|编辑|助理|组长|会计|教练|房东)(?:是|叫)[{HAN}]{{2,3}}(?=[，。,；\\s]|$)|"
    f"(?:哥|姐|弟|妹|儿子|女儿|老婆|老公|妻子|丈夫|朋友|同事|老板)(?:[{_SURNAME}小阿][{HAN}]{{1,2}})"
)
_NAMED = re.compile(
    r"\b(?:called|named|nickname[ds]?|goes\sby|call(?:s)?\s(?:me|him|her|it)|name(?:'s|\sis|\sof)|i'm|i\sam|"
    r"this\sis)\s+(?!(?:a|an|the|not|so|in|on|at|very|from|going|also)\b)\w+|叫|姓|名字|名为|代号|喊我",
    re.IGNORECASE,
)
_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|Professor|Sir|Aunt|Uncle)\.?\s[A-Z]")
_COMMON_CAPITALS = frozenset(
    listed("""
    i i'm i've i'll i'd the a an my our your his her its their we you he she it they this
    that these those there here what when where who why how which if and but or so also
    please thanks whose whom must may might had does each whenever once keep give list show
    put get got add use tell say ask need make take send bring buy book call try help
    remember remind since until till during while because although though however moreover
    besides anyway maybe perhaps yeah yep nope only more most less least many much other
    another such both few several first second third whatever unless instead don't can't
    won't doesn't didn't isn't aren't that's it's there's he's she's they're we're you're
    what's who's where's when's how's let's i'd we've we'll thank yes no ok okay hi hello
    hey dear sure great nice good well actually sorry oh wait by before after on in at for
    from to with as is are was were do does did can could will would should let let's just
    now then today tomorrow yesterday everything nothing someone correction note next last
    every each all some any not never always mum dad mom monday tuesday wednesday thursday
    friday saturday sunday january february march april may june july august september
    october november december mondays tuesdays wednesdays thursdays fridays saturdays
    sundays christmas utc usd eur gbp fact preference constraint
    """)
)


@lru_cache(maxsize=65_536)
def kinds(sentence: str) -> frozenset[str]:
    """The kinds of value in a sentence, such as `#money` or `#date`."""
    found = {kind for kind, pattern in _COMPILED.items() if pattern.search(sentence)}
    if "#number" in found:
        # The numbers of a date or a time of day count nothing.
        rest = _COMPILED["#time"].sub(" ", _COMPILED["#date"].sub(" ", sentence))
        if not _COMPILED["#number"].search(rest):
            found.discard("#number")
    names = proper_names(sentence)
    if names or _TITLE.search(sentence) or _HAN_PERSON.search(sentence):
        found.add("#person")
    if (names and _NAMED.search(sentence)) or _HAN_PERSON.search(sentence):
        found.add("#name")
    elif names or _NAMED.search(sentence):
        found.add("#name?")
    return frozenset(found)


@lru_cache(maxsize=65_536)
def proper_names(sentence: str) -> frozenset[str]:
    """Capitalised words that look like names, in lower case.

    The first word of a sentence counts only when it is no ordinary word of the thesaurus.
    """
    found: set[str] = set()
    for match in _CAPITALISED.finditer(sentence):
        opens = not sentence[: match.start()].strip(" \"'“”‘’([-*•\t0123456789.")
        for position, word in enumerate(match.group().split()):
            low = word.lower().replace("’", "'").removesuffix("'s")
            if low in _COMMON_CAPITALS or not low[:1].isalpha():
                continue
            numbered = sentence[match.end() :].lstrip()[:1].isdigit()
            if (
                opens
                and position == 0
                and (numbered or concepts((stem(low),)) or low.endswith(("ing", "ly")))
            ):
                continue
            found.add(low)
    return frozenset(found)


def specifics(sentence: str) -> int:
    """How many sorts of exact value a sentence holds; the more, the less it can be paraphrased."""
    exact = kinds(sentence) & {
        "#money", "#date", "#time", "#code", "#phone", "#email", "#ip", "#number", "#age", "#person"
    }  # fmt: skip
    return len(exact)
