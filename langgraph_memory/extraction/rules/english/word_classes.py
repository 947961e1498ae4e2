"""Classes of English verbs, nouns and adjectives by what they tell about the one who says them."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re
from functools import lru_cache

from langgraph_memory.offline.lexicon import concepts, is_kind_of, word_meanings
from langgraph_memory.offline.words import listed, stem

__all__ = [
    "ALLERGY",
    "BODY",
    "CONSUME",
    "EVENT",
    "EXPLICIT_HABIT",
    "GOAL_VERBS",
    "HABIT_ONLY",
    "HATE",
    "KIN",
    "LASTING_STATE",
    "LEARN",
    "LIKE",
    "MAKE",
    "MOMENT",
    "PET",
    "REPLIES",
    "SHORT_WISH",
    "SKILLED",
    "SMALL_THING",
    "STANCE",
    "SURROUNDINGS",
    "USE",
    "is_job",
    "is_kind",
    "is_past",
    "one_of",
]


@lru_cache(maxsize=256)
def one_of(words: str) -> frozenset[str]:
    """The words of a text as a set, kept: these tests are made for every clause."""
    return frozenset(listed(words))


LIKE = one_of("""
    love like adore enjoy prefer favor favour fancy dig cherish crave relish savor savour
    loved liked adored enjoyed preferred luv
""")
HATE = one_of("""
    hate dislike detest loathe despise abhor resent hated disliked detested loathed dread
""")
CONSUME = one_of("""
    eat drink have consume take touch tolerate digest handle do stomach smoke vape swallow process ingest
""")
USE = one_of("""
    use code program write develop deploy build run host rely ship test track manage prefer work
    design model edit draw record
""")
LEARN = one_of("learning studying practicing practising relearning mastering")
MAKE = one_of("""
    building developing writing making designing creating coding launching organizing organising
    renovating producing researching prototyping translating editing recording founding programming
    composing restoring illustrating migrating rewriting porting refactoring converting running
    opening starting maintaining crafting assembling directing filming curating drafting putting constructing
""")
GOAL_VERBS = one_of(
    "trying hoping planning aiming saving training preparing looking working thinking considering intending hope plan aim intend aspire dream strive"
)
EVENT = one_of("""
    flying going traveling travelling moving visiting getting having meeting leaving starting attending
    staying hosting taking seeing graduating expecting retiring coming heading driving speaking
    presenting running interviewing relocating returning undergoing celebrating throwing spending
    sitting defending giving switching joining
""")
STANCE = one_of("""
    think know guess see mean hope wish believe suppose bet understand agree disagree doubt wonder feel remember
    forget hear say ask tell thank want need look seem get try keep notice figure expect assume imagine promise
    swear suggest recommend appreciate apologize apologise care mind find miss owe happen let put make come gave give went
    click press type pass enter submit upload install execute print import receive encounter run call open close
    send sent copy paste read reckon realize realise recall request require beg admit deny confess claim repeat
    quote trust insist stand hit change add remove replace set check deserve am was is be do did done got had
    got said thought knew saw heard told asked felt kept tried meant wanted needed looked made came put took
    found forgot noticed seemed wrote read ran clicked typed pasted sent hear'
""")
# They tell of a habit only if something says how often.
HABIT_ONLY = one_of(
    "get go take make do put come find leave start keep run read call send check try have see look meet spend"
)
EXPLICIT_HABIT = re.compile(
    r"\b(?:always|usually|normally|generally|typically|every|each|never|often|most|(?:mon|tues|wednes|thurs|fri|satur|sun)days|on\s(?:mon|tues|wednes|thurs|fri|satur|sun)day|on\s(?:weekdays|weekends)|"
    r"weekdays|weekends|mornings|evenings|nights|daily|weekly|monthly|twice|once\sa|times\sa|regularly|rarely|"
    r"(?:at|around|before|after|by)\s(?:about\s)?(?:\d{1,2}(?::\d\d)?|noon|midnight|five|six|seven|eight|nine|ten|eleven|twelve)\b|whenever|by\s(?:bike|bus|train|car|metro|subway))",
    re.IGNORECASE,
)
SHORT_WISH = one_of("""
    know ask understand see check book find get buy say talk discuss order cancel change try make send write use hear
    thank tell return print add remove fix do go have be look show read reset update install convert calculate
    compare translate set create delete count sort confirm share report schedule reschedule apologize clarify plot
    generate download upload export import open close start stop run call pay eat drink order watch think figure
    put give let keep replace test insert parse extract summarize implement point mention note add believe
    double-check cook avoid explore approach help ensure focus incorporate figure visualize customize
""")
SKILLED = one_of(
    "speak play code program swim cook sing dance sew juggle fix drive ski surf paint draw knit weld type sail ride bake write read"
)
LASTING_STATE = one_of(
    "living working staying renting using eating drinking doing dating taking suffering recovering seeing teaching freelancing caring raising running managing leading sharing wearing driving owning practicing commuting"
)
ALLERGY = re.compile(
    r"\b(?:allerg\w+|intoleran\w+|anaphyla\w+|hives|rash|epipen|c(?:o|)?eliac|hypersensitiv\w+|swell\w*|reaction)\b",
    re.I,
)
BODY = re.compile(
    r"\b(?:sick|ill|hives|rash|swell\w*|throat|stomach|belly|gut|skin|head|heart|breath\w*|hospital|er|emergency|itch\w*|vomit\w*|"
    r"throw\sup|puke|nauseous|nausea|migraines?|headaches?|bloat\w*|cramps?|asthma|allerg\w*|eczema|reflux|heartburn|jitter\w*|"
    r"break\sout|wheez\w*|sneez\w*|lips|tongue|mouth|eyes|anaphyla\w*|faint|dizzy|digest\w*|react\w*)\b",
    re.I,
)
KIN = (
    r"(?:(?:mother|father|sister|brother|son|daughter)-in-law|mother|mum|mom|mama|father|dad|papa|brother|sister|son|"
    r"daughter|wife|husband|hubby|girlfriend|boyfriend|partner|spouse|fianc[eé]e?|grandmother|grandfather|grandma|grandpa|"
    r"granny|grandson|granddaughter|grandkids?|grandchild(?:ren)?|aunt|uncle|cousin|nephew|niece|twins?|kids?|child|"
    r"children|toddlers?|teenagers?|teens|baby|parents|folks|stepson|stepdaughter|stepmom|stepdad|in-laws|family|siblings?|brothers|sisters|"
    r"sons|daughters|boys?|girls?|household)"
)
PET = r"(?:dogs?|cats?|puppy|puppies|kittens?|parrot|rabbits?|hamster|horse|tortoise|goldfish|budgie|pets?)"
SURROUNDINGS = (
    r"(?:hallway|corridor|kitchen|bathroom|bedroom|living\sroom|dining\sroom|study|attic|basement|cellar|balcony|terrace|garden|yard|garage|roof|walls?|floors?|stairs|house|flat|apartment|home|place|cottage|"
    r"boiler|heating|oven|hob|stove|fridge|freezer|dishwasher|sofa|bed|fireplace|lift|elevator|car|van|bike|boat|motorbike|caravan|"
    r"choir|band|club|team|crew|squad|orchestra|lab|workshop|studio|office|company|firm|shop|store|caf[eé]|restaurant|bakery|farm|school|kindergarten|street|village|building|neighbou?rhood|"
    r"app|website|backend|frontend|stack|database|product|project)"
)
"""Rooms, things, groups and works that are around somebody for long."""
BESIDE_WORK = re.compile(
    r"\b(?:clubs?|choirs?|band|orchestra|leagues?|society|committee|parish|allotment|under-\d+s|scouts|pta|"
    r"(?:on|at)\s(?:\w+days|weekends|the\sweekend))\b|"
    r"^(?:(?:an?|the|my|our|about|around)\s)?(?:\w+\s){0,2}?(?:team|group|crew|squad)(?:\sof\s[\w\s]{2,20})?$|"
    r"^(?:\d+|two|three|four|five|six|seven|eight|nine|ten|a\sdozen|twelve|fifteen|twenty)\s(?:other\s|junior\s|direct\s)?"
    r"(?:people|engineers|developers|designers|nurses|reports|employees|colleagues|others)$",
    re.I,
)
"""What somebody leads or does beside or within the work they have."""
_JOB_END = re.compile(
    r"(?:\w{2,}(?:ologist|ician|wright|smith|keeper|worker|maker|man|woman|person|eer|monger|herd|master|ist|ographer|"
    r"[tcsnlrdvgkmph]er|tor|sor|ian|ant|ee|ess)|chef|nurse|coach|cook|pilot|clerk|judge|dj|vet|ceo|cto|cfo|coo|vp|sre|"
    r"pm|dev|guard|monk|priest|nun|au pair|intern|head|lead|chief|boss|student|undergrad|postdoc|phd|freelance\w*|"
    r"apprentice|spouse|nanny|barista|devops|mom|dad|mum|parent|entrepreneur|partner|member|professor|sailor|contractor)s?$",
    re.I,
)
_NOT_A_JOB = frozenset(
    listed("""
    character hero heroine protagonist villain narrator number letter matter winner loser beginner newcomer stranger customer reader listener believer foreigner
    river error factor minor major human paper answer order other either corner never later better newbie
    user person lover hater fan sucker drinker eater smoker sleeper riser sister brother mother father daughter
    vegetarian veggie vegan mess fool christian
    owner member mixer wanderer talker thinker bit little lot moment issue problem
    gamer hiker runner cyclist climber swimmer traveler traveller optimist pessimist perfectionist minimalist
    introvert extrovert feminist atheist pescatarian flexitarian american canadian italian german
    """)
)


@lru_cache(maxsize=4096)
def is_kind(word: str, broader: str) -> bool:
    """Whether the thesaurus has a word, or its singular, as a kind of something broader."""
    wide = word_meanings(broader)
    said = concepts((stem(word),))
    return any(one in wide or any(is_kind_of(one, two) for two in wide) for one in said)


def is_job(noun: str) -> bool:
    """Whether a noun phrase names an occupation, by its last words."""
    phrase = re.split(
        r"\b(?:at|for|in|with|from|of|who|on|by|working|and|here)\b|,|-", noun, maxsplit=1
    )[0].strip()
    head = phrase.split(" ")[-1].lower() if phrase else ""
    if not head or head in _NOT_A_JOB:
        return False
    if is_kind(head, "job") or is_kind(phrase.lower(), "job"):
        return True
    return _JOB_END.fullmatch(head) is not None


_PAST = frozenset(
    listed("""
    was were had did went got bought sold told said took gave came saw ate drank drove flew wrote spoke taught thought
    brought caught kept slept left met paid made ran sat stood swam wore won lost found felt held knew grew began chose
    broke spent sent built lent sang rode fell hid woke tore became quit hurt switched gave studied married hated
    used cut began forgot understood led
    """)
)


def is_past(verb: str) -> bool:
    """Whether a verb form is one of the past."""
    low = verb.lower()
    return low in _PAST or (
        len(low) > 4
        and low.endswith("ed")
        and low not in {"need", "speed", "exceed", "succeed", "proceed", "breed", "bleed"}
    )


REPLIES = re.compile(
    r"^(?!(?:the|these|those|this|more|better)\b)(?:\w+\s){1,3}(?:answers|replies|responses|explanations|summaries)(?:$|\s(?:in|with|without)\b)",
    re.I,
)
MOMENT = re.compile(
    r"\b(?:right\snow|today|tonight|this\s(?:morning|afternoon|evening)|at\sthe\smoment|just\snow|yesterday|last\snight|a\sminute)\b",
    re.I,
)
SMALL_THING = re.compile(
    r"^(?:a|an|the|some|this|that|my|up|down|it|your)\s(?:\w+\s){0,2}?(?:email|e-mail|letter|message|query|script|function|loop|regex|test|tests|unit\stests?|post|tweet|list|reply|response|comment|line|"
    r"call|request|mistake|decision|error|copy|file|report|sentence|paragraph|docker\w*|config\w*|class|method|table|cake|dinner|lunch|coffee|tea)\b",
    re.I,
)
