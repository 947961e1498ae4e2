"""What the user says to be: "I am …" in all its forms."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re
from dataclasses import replace

from langgraph_memory.extraction.dates import has_date
from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.english.clauses import Predicate
from langgraph_memory.extraction.rules.english.third_person import about_user
from langgraph_memory.extraction.rules.english.topics import is_deictic, topic
from langgraph_memory.extraction.rules.english.word_classes import (
    BESIDE_WORK,
    MAKE,
    is_job,
    is_kind,
    one_of,
)
from langgraph_memory.offline.words import listed
from langgraph_memory.records import MemoryType

__all__ = ["is_stay", "read_being"]

_HEALTH = re.compile(
    r"\b(?:diabetic|asthmatic|epileptic|an(?:a|)emic|c(?:o|)eliac|pregnant|expecting|deaf|blind|colou?r[\s-]?blind|hard\sof\shearing|dyslexic|autistic|adhd|bipolar|"
    r"disabled|wheelchair|immunocompromised|hypertensive|hypoglyc\w+|prediabetic|insulin|breastfeeding|nursing|in\sremission|in\srecovery|sober|near-?sighted|"
    r"short-?sighted|far-?sighted|paraly[sz]ed|haemophiliac|hemophiliac|arthritic|insomniac|neurodivergent|on\s(?:blood\sthinners|medication|antidepressants|statins|insulin|beta\sblockers|antibiotics))\b|\w+-(?:intolerant|blind)\b",
    re.I,
)
_DIET = re.compile(
    r"\b(?:vegan|vegetarian|veggie|pescatarian|flexitarian|plant-based|keto|paleo|kosher|halal|(?:gluten|dairy|sugar)[\s-]free|teetotal\w*|lacto-\w+|fruitarian|"
    r"off\s(?:sugar|dairy|gluten|meat|alcohol|carbs|caffeine|booze)|low-carb)\b|\bon\s(?:a|an|the)\s[\w\s-]*diet\b",
    re.I,
)
_LASTING = re.compile(
    r"^(?:(?:happily|recently|newly|still|now|currently|a|an|the|also|very|quite|pretty|extremely|highly|rather|kind\sof|bit|the\sonly|really|totally|severely|mildly|partially|legally|deathly|more\sof|technically|actually|proud)\s)*(?:"
    r"(?:left|right)-?\s?handed|lefty|righty|ambidextrous|single|married|divorced|separated|widowed|engaged|retired|unemployed|self-?employed|between\sjobs|"
    r"bi?lingual|trilingual|multilingual|introvert(?:ed)?|extrovert(?:ed)?|ambivert|shy|religious|muslim|christian|catholic|jewish|hindu|buddhist|atheist|"
    r"gay|lesbian|queer|bisexual|straight|trans(?:gender)?|non-?binary|homeschooled|adopted|only\schild|twin|orphan|"
    r"(?:night|early)[\s-](?:owl|bird|riser)|morning\sperson|night\sperson|people\sperson|homebody|minimalist|perfectionist|early\sriser|light\ssleeper|heavy\ssleeper|picky\seater|"
    r"feminist|nomad|digital\snomad|expat|immigrant|refugee|veteran|foodie|gamer|smoker|non-?smoker|widow(?:er)?|parent|single\s(?:mom|mum|dad|parent|mother|father)|"
    r"stay-at-home\s\w+|new\s(?:mom|mum|dad|parent|father|mother)|(?:mom|mum|mother|dad|father)\s(?:of|to)\b|grand(?:mother|father|ma|pa)|tall|short|\d[\d.]*\s?(?:cm|m|ft|feet|kg|kilos|lbs|pounds)\b)",
    re.I,
)
_WED = re.compile(r"\b(?:single|married|divorced|widowed|engaged)\b(?!\s(?!now\b)\w)", re.I)
_NATIONALITY = re.compile(
    r"^(?:(?:half|originally|a|an|part|originally\sa|actually)\s)*(?-i:(?:[A-Z]\w*(?:ese|ish|ian|ean|can|ench|utch|elsh|man|reek|wiss|iss|ai|aeli|qi|ani|hai|eli|oli|ech|ane))|[A-Z]hai)\b(?!\s(?:food|cuisine))",
    re.I,
)
_AFRAID = re.compile(
    r"^(?:\w+ly\s|really\s|so\s|super\s|a\sbit\s)?(?:(?:afraid|scared|terrified|frightened)\sof|phobic|claustrophobic)\b",
    re.I,
)
_FOND = re.compile(
    r"^(?:really\s|super\s|very\s|big\s|huge(?:ly)?\s|totally\s|so\s|pretty\s|quite\s|more\s|also\s|particularly\s|a\s(?:\w+\s){0,2}|much\s|the\s\w+\s)*"
    r"(?:into|fan\sof|fond\sof|keen\son|partial\sto|obsessed\swith|crazy\sabout|mad\sabout|nuts\sabout|interested\sin(?!\s(?:learning|knowing|seeing|hearing|trying|exploring|finding|getting|how|what))|passionate\sabout|addicted\sto|hooked\son|"
    r"enthusiastic\sabout|big\son|fascinated\sby|lover\sof|sucker\sfor|averse\sto|opposed\sto|against|fussy\sabout|picky\sabout|sensitive\sto\s(?:noise|light)|"
    r"comfortable\swith|uncomfortable\swith|bothered\sby|used\sto)\s+(?P<what>.+)$",
    re.I,
)
_PERSON = re.compile(
    r"^(?:more\sof\s)?(?:a|an)\s(?:\w+\s)?(?P<what>[\w-]+)\s(?:person|lover|guy|gal|girl|addict|fanatic|enthusiast|junkie|buff|nut|geek|nerd|drinker|hater|purist|eater|aficionado)\b",
    re.I,
)
_SKILLED = re.compile(
    r"^(?:(?:really|very|pretty|quite|also|fairly|not|fully|absolutely|a\sbit|still|totally|completely|relatively|super|so)\s)*(?:good\s(?:at|with)|bad\s(?:at|with)|terrible\s(?:at|with)|hopeless\s(?:at|with)|great\s(?:at|with)|fluent(?:\sin)?|proficient\s(?:in|with)|new\sto|"
    r"familiar\swith|experienced\s(?:in|with)|skilled\s(?:in|at)|trained\s(?:in|as)|certified|qualified|well[\s-]versed|native\sin|conversational\sin|competent|an?\s(?:\w+\s){0,2}(?:expert|beginner|novice|newbie|noob|pro|native\sspeaker|intermediate)|advanced|self-taught|rusty)\b",
    re.I,
)
_FROM = re.compile(r"^(?:originally\s)?(?:from|native\sto)\s+(?P<where>.+)$", re.I)
_PLACE = re.compile(
    r"^(?:currently\s|now\s|also\s|actually\s|mostly\s)?(?:(?:based|living|located|settled|stationed|residing|staying|situated)\s(?:out\sof\s|in\s|near\s|at\s|just\soutside\s|outside\s)+|(?:back\s)?in\s(?=(?-i:[A-Z])))(?P<where>.+)$",
    re.I,
)
# Who is somewhere for some days lives elsewhere.
_STAY = re.compile(
    r"\b(?:until|till|on\s(?:business|holiday|vacation|a\s(?:\w+\s)?(?:trip|tour|break)|tour)|visiting|travel\w+|"
    r"for\s(?:(?:a|an|the|one|two|three|four|five|six|seven|ten|a\sfew|a\scouple\sof|just|only|another|\d+|next|this|long)\s)*"
    r"(?:nights?|days?|weeks?|weekend|fortnight|while|bit|conference|wedding|work|holidays?|vacation)|this\s(?:week|weekend|month)|"
    r"hotel|hostel|airbnb|b&b|inn|campsite|resort|motel|guest\s?house)\b",
    re.I,
)
_SETTLED = re.compile(r"(?:\w+\s)?(?:based|living|located|settled|stationed|residing)\b", re.I)
_FIELD = re.compile(
    r"^(?:currently\s|now\s|also\s|working\s)?in\s(?P<field>marketing|sales|finance|banking|insurance|hr|human\sresources|tech|it|software|education|healthcare|health\scare|construction|"
    r"logistics|retail|real\sestate|consulting|advertising|pr|law|medicine|publishing|engineering|design|manufacturing|hospitality|academia|research|procurement|"
    r"customer\s\w+|media|politics|farming|agriculture|accounting|biotech|pharma|operations|management|the\s(?:army|navy|military|police|\w+\s(?:industry|business|sector|department|team)))\b",
    re.I,
)
_STUDIES = re.compile(
    r"^(?:currently\s|now\s|still\s)?(?:in|at)\s(?:my\s)?(?:\w+\s)?(?:high\sschool|middle\sschool|college|university|uni|grad\sschool|med\sschool|law\sschool|(?:first|second|third|final|last)\syear)\b|^(?:doing|finishing|pursuing)\s(?:a|an|my)\s(?:\w+\s)?(?:phd|master|bachelor|degree|mba)",
    re.I,
)
_AT = re.compile(
    r"^(?:currently\s|now\s|working\s)?(?:at|with)\s(?P<org>(?-i:[A-Z])[\w&.'-]*(?:\s(?:(?-i:[A-Z])[\w&.'-]*|&|of|and|the))*)",
    re.I,
)
_AGE = re.compile(
    r"^(?:now\s|about\s|almost\s|currently\s|only\s|just\s|already\s|turning\s)?(?:\d{1,2}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty)(?:[\s-]?\w+)?|(?:six|seven|eigh|nine)teen)\b(?!\s?(?:%|minutes|min|hours|days|weeks|months|percent|steps|cm|kg|km|miles|of|pages|people|guests|k\b))(?:$|[\s,.](?!\d))",
    re.I,
)
_CHARGE = re.compile(
    r"^(?:also\s|currently\s)?(?:responsible\sfor|in\scharge\sof|the\s(?:head|lead|owner|founder|co-?founder|ceo|cto|cfo|manager|director|chair\w*|chief|principal|editor|author|maintainer|president|vp|captain|only\s\w+)\b)",
    re.I,
)
_PART = re.compile(r"(?:also\s|currently\s)?(?:responsible\sfor|in\scharge\sof)\b", re.I)
_NAME = re.compile(
    r"^(?P<name>(?-i:[A-ZÀ-Þ])[\w'’-]+(?:\s(?-i:[A-ZÀ-Þ])[\w'’-]+){0,2})(?P<more>$|[,.]|\sand\b|\sfrom\b|\sby\b|\shere\b|\s\()",
    re.I,
)
_BORN = re.compile(r"^born\b", re.I)
_RAISED = re.compile(r"^(?:raised|brought\sup|educated|homeschooled)\b", re.I)
_ROYAL = re.compile(
    r"\b(?:king|queen|emperor|pope|god|president\sof\sthe\s(?:us|usa|world|united)|batman|santa|superman|potato|robot|alien|unicorn|wizard)\b",
    re.I,
)
_GROUP = re.compile(
    r"(?:(?:also|now|only|just|all)\s)*(?:a|an)\s(?:[\w-]+\s){0,3}?(?:team|family|group|household|couple|company|crew|band|startup|studio|charity|nonprofit|lab|agency|club)\s(?:of|with|that|(?P<doing>\w+ing))\b",
    re.I,
)
_NOT_NAMES = frozenset(
    listed("""
    Ok Okay Done Sorry Good Fine Happy Glad Not Sure Trying Looking Just So Also Still Back Here
    Ready New In On At From Very English Really
    """)
)


def read_being(clause: str, said: Predicate) -> list[Draft]:
    """What "I am …", "I was …" or "I have been …" tells about the user."""
    rest = said.rest.strip()
    past = said.auxiliary == "was"
    content = about_user(clause)
    if not rest or is_deictic(rest):
        return []
    found = _matched(rest, content, said)
    if found is None or (
        past and not (_BORN.match(rest) or _RAISED.match(rest) or "diagnosed" in rest)
    ):
        return []
    if found.subject == "diet":  # What follows from it ends with it.
        found = replace(found, content=re.sub(r",?\s(?:and\s)?so\s.*$", "", content, flags=re.I))
    if found.subject == "home" and is_stay(rest) and not _SETTLED.match(rest):
        return [replace(found, type=MemoryType.EPISODE, importance=0.5, subject=None)]
    beside = (found.subject == "home" and re.match(r"we\s\w+\sin\b", clause, re.I)) or (
        found.subject == "job" and (_PART.match(rest) or BESIDE_WORK.search(rest))
    )
    return [replace(found, subject=None) if beside else found]


def is_stay(where: str) -> bool:
    """Whether somebody is or stays somewhere for some days only."""
    return _STAY.search(where) is not None


def _matched(rest: str, content: str, said: Predicate) -> Draft | None:
    fact, negated = MemoryType.FACT, said.negated
    if _ROYAL.search(rest) and not _FOND.match(rest):
        return None
    if (
        "allergic" in rest
        or "intolerant" in rest
        or re.match(r"(?:\w+ly\s)?sensitive\sto\b", rest, re.I)
    ):
        if not negated:
            return Draft(MemoryType.CONSTRAINT, content, 0.95)
        known = re.search(r"(?:allergic|intolerant|sensitive)\sto\s(?!any)[^,]+", rest, re.I)
        thing = re.sub(r"\s(?:any\s?more|any\slonger|at\sall)$", "", known.group()) if known else ""
        retracts = (f"The user is {thing}",) if thing else ()
        subject = None if thing else "allergy"
        return Draft(MemoryType.CONSTRAINT, content, 0.95, subject=subject, retracts=retracts)
    if _HEALTH.search(rest):
        return Draft(fact, content, 0.9)
    trade = re.match(r"(?:a|an)\s(?:vegan|vegetarian|pescatarian)\s(?P<noun>\w.+)$", rest, re.I)
    if trade and is_job(trade.group("noun")):
        return Draft(fact, content, 0.9, subject="job")
    if _DIET.search(rest):
        return Draft(fact if negated else MemoryType.CONSTRAINT, content, 0.85, subject="diet")
    if _AFRAID.match(rest) and not re.match(r"\w+\s(?:that|I|it|so|not)\b", rest):
        return (
            None
            if re.search(r"\b(?:that|I|we)\b", rest)
            else Draft(MemoryType.PREFERENCE, content, 0.6)
        )
    fond = _FOND.match(rest)
    if fond and not is_deictic(fond.group("what")):
        return Draft(
            MemoryType.PREFERENCE, content, 0.6, subject=f"taste:{topic(fond.group('what'))}"
        )
    if _SKILLED.match(rest) and not re.search(r"\b(?:this|that|it|here)\b", rest):
        return Draft(MemoryType.SKILL, content, 0.6)
    if negated and not _LASTING.match(rest) and not _PERSON.match(rest):
        return None
    machine = re.match(
        r"(?:still\s|now\s|currently\s)?(?:on|using|running)\s(?:a\s|an\s|the\s)?(?:new\s|old\s)?(?P<what>(?-i:[A-Z])\w+|mac\w*|linux|windows|iphone|android|i[oO][sS])",
        rest,
        re.I,
    )
    if machine and not re.match(
        r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:Face|Insta|Tik|Link|Whats|Twit|Red)\w+$",
        machine.group("what"),
    ):
        return Draft(fact, content, 0.65)
    if re.match(
        r"(?:supposed|meant|due|scheduled|set|expected|booked)\s(?:to|in|on|for|back)\b", rest, re.I
    ):
        return Draft(MemoryType.EPISODE, content, 0.5) if has_date(rest) else None
    if re.match(
        r"(?:off\sto|away|back\s(?:in|on)|out\sof\s|on\s(?:holiday|vacation|leave))", rest, re.I
    ):
        dated = has_date(rest) and not re.search(r"\b(?:today|tonight)\b", rest)
        return Draft(MemoryType.EPISODE, content, 0.5) if dated else None
    if re.match(r"(?:still\s)?on\sthe\spayroll\s(?:of|at)\b", rest, re.I):
        return Draft(fact, content, 0.85, subject="employer")
    if re.match(
        r"(?:determined|committed|eager|keen|resolved|hell-bent)\s(?:to|on)\s\w+", rest, re.I
    ) and not re.match(r"\w+\sto\s(?:know|hear|see|understand|try)\b", rest, re.I):
        return Draft(MemoryType.GOAL, content, 0.6)
    if re.match(
        r"(?:currently\s|now\s)?(?:employed|hired|contracted)\s(?:by|at|as|with|in)\b", rest, re.I
    ):
        return Draft(fact, content, 0.9, subject="employer")
    if re.match(
        r"(?:now\s)?in\smy\s(?:early\s|mid-?\s?|late\s)?(?:teens|twenties|thirties|forties|fifties|sixties|seventies|eighties|\d0s)",
        rest,
        re.I,
    ):
        return Draft(fact, content, 0.75, subject="age")
    if re.match(
        r"(?:on|taking)\s(?:the\spill|leave|parental|maternity|paternity|sick)", rest, re.I
    ):
        return Draft(fact, content, 0.6)
    if _FIELD.match(rest) or _CHARGE.match(rest):
        return Draft(fact, content, 0.9, subject="job")
    if re.match(
        r"(?:in|at|near)\s(?:between|trouble|a\shurry|love|pain|luck|the\smiddle|line)\b",
        rest,
        re.I,
    ):
        return None
    if _FROM.match(rest):
        return Draft(fact, content, 0.8, subject="origin")
    if _PLACE.match(rest):
        return Draft(fact, content, 0.8, subject="home")
    if _STUDIES.match(rest):
        return Draft(fact, content, 0.8, subject="job")
    if _AT.match(rest):
        return Draft(fact, content, 0.85, subject="employer")
    if _BORN.match(rest) or _RAISED.match(rest):
        return Draft(
            fact,
            content,
            0.8,
            subject="born" if _BORN.match(rest) and re.search(r"\d", rest) else "origin",
        )
    if re.match(r"diagnosed\b", rest, re.I):
        return Draft(fact, content, 0.9)
    if _LASTING.match(rest):
        return Draft(fact, content, 0.7, subject="marital status" if _WED.search(rest) else None)
    if _AGE.match(rest):
        return Draft(fact, content, 0.8, subject="age")
    group = _GROUP.match(rest)
    if group:
        return Draft(
            MemoryType.PROJECT if group["doing"] in MAKE else fact,
            content.replace(" is ", " is part of ", 1),
            0.6,
        )
    noun = re.match(
        r"(?:(?:also|now|currently|actually|still|really|just|both|basically|only|more\sof)\s)*(?:a|an|the|one\sof\sthe)\s(?P<noun>.+)$",
        rest,
        re.I,
    )
    if noun:
        if is_job(noun.group("noun")):
            return Draft(fact, content, 0.9, subject="job")
        person = _PERSON.match(rest)
        if person:
            return Draft(
                MemoryType.PREFERENCE, content, 0.6, subject=f"taste:{topic(person.group('what'))}"
            )
        if _NATIONALITY.match(rest):
            return Draft(fact, content, 0.8)
        return None
    if _NATIONALITY.match(rest) and not re.search(r"^\w+\s(?:speaking|class)", rest):
        return Draft(fact, content, 0.8, subject="nationality")
    if is_job(rest) and rest.split(" ", maxsplit=1)[0].lower() in one_of(
        "head lead vp director cto ceo cfo chief senior junior freelance co-founder founder "
        "part-time"
    ):
        return Draft(fact, content, 0.9, subject="job")
    name = _NAME.match(rest)
    if (
        name
        and name.group("name").split(" ")[0] not in _NOT_NAMES
        and not is_kind(name.group("name"), "language")
    ):
        given = name.group("name")
        return Draft(fact, f"The user's name is {given}", 0.95, subject="name")
    return None
