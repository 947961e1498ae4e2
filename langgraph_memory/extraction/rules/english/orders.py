"""Standing orders to the assistant, told from what is wanted only once."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.english.exclusions import read_exclusion
from langgraph_memory.extraction.rules.english.third_person import pronouns_changed
from langgraph_memory.extraction.rules.english.topics import is_deictic
from langgraph_memory.extraction.rules.english.word_classes import is_kind, one_of
from langgraph_memory.records import MemoryType

__all__ = [
    "is_for_good",
    "is_imperative",
    "is_standing",
    "read_manner",
    "read_order",
    "read_withdrawal",
]

_STANDING = re.compile(
    r"\b(?:under\sno\scircumstances?|on\sno\saccount|always|never|from\s(?:now|here|today|this\s(?:point|moment|day)|here\son|there)\s(?:on|out|onward|onwards|forward)|from\shere\son\s(?:out|in)|from\snow|(?:going|moving)\sforwards?|in\s(?:the\s)?future|"
    r"hence\s?forth|whenever|every\s?time|each\stime|any\s?time|by\sdefault|at\sall\stimes|ever|as\sa\s(?:rule|default)|for\s(?:all|any|every)\s(?:future\s|of\s)?(?:my\s|your\s)?\w+|for\sgood|"
    r"in\syour\s(?:answers|replies|responses|messages|explanations|summaries)\b|in\s(?:all|every|any|each)\s(?:of\s)?(?:your\s|my\s|our\s)?\w+|in\severything|all\s(?:of\s)?(?:your|my|our)\s\w+|permanently|until\sI\ssay|until\sfurther\snotice|every\s(?:single\s)?(?:day|morning|evening|week|month|answer|reply|response|message|night|friday|monday|sunday|code|email|file|function|commit)|"
    r"on\s(?:mon|tues|wednes|thurs|fri|satur|sun)days|for\sthe\srest\sof|in\sgeneral|all\sthe\stime|so\soften|anymore|any\smore|as\slong\sas|consistently|without\sexception|no\smatter\swhat|as\sstandard|for\sthis\sproject|if\sI\s(?:ask|write|say|send|mention|request|forget|paste|share|post|type)\b|when\s(?:I|we|you\s(?:write|answer|reply|respond|talk|code|book|send|explain|suggest|recommend)|talking|writing|answering|replying|coding|explaining)\b|"
    r"without\s(?:me\s|my\s)?(?:asking|checking|confirming|permission|approval|my\s\w+))\b",
    re.I,
)
_SOON = re.compile(
    r"\b(?:this\stime|just\sthis\sonce|for\snow|right\snow|this\sone|just\sonce|for\sthis\s(?:one|email|message|answer|question|task|time)|today\b|now$|the\s(?:above|following))",
    re.I,
)
_LEAD = re.compile(
    r"^(?:(?P<now>from\s(?:now|here|today|this\s(?:point|moment|day))\s(?:on|out|onward|onwards|forward)(?:\sout|\sin)?|(?:going|moving)\sforwards?|in\s(?:the\s)?future|henceforth|for\s(?:the\s)?future(?:\sreference)?|as\sof\s(?:now|today)|starting\s(?:now|today)|by\sdefault|as\sa\srule|in\sgeneral)|"
    r"(?P<when>(?:whenever|when|every\s?time|each\stime|any\s?time|if|for\s(?:all|any|every)|in\s(?:all|every|any)|after|before|as\slong\sas|until|on\s\w+days)\b[^,]{2,80}?))\s*,\s*(?P<order>.+)$",
    re.I | re.S,
)
_ASKING = re.compile(
    r"^(?:(?:can|could|would|will)\syou\s(?:please\s|kindly\s)?|I\s(?:(?:would\s)?(?:also\s|really\s)?(?:like|prefer|love|appreciate)|want|need|expect|ask)\s(?:it\sif\s)?(?:for\s)?you\s(?:to\s|would\s|could\s)?|I\swould\s(?:really\s)?appreciate\sit\sif\syou\s(?:would\s|could\s)?|"
    r"you\s(?:should|must|have\sto|need\sto|ought\sto|can|may|will|are\sto|are\ssupposed\sto)\s|make\ssure\s(?:that\syou\s|you\s|to\s)|be\ssure\s(?:to|you)\s|please\s|kindly\s|just\s|try\sto\s|remember\sto\s|do\snot\sforget\sto\s|"
    r"it\swould\sbe\s(?:great|nice|good)\sif\syou\s(?:could\s|would\s)?|let\sus\s|so\s|also\s|and\s|then\s|I\s(?:would\s)?rather\syou\s|would\syou\smind\s(?:not\s)?)+",
    re.I,
)
_IMPERATIVE = re.compile(
    r"^(?:(?:under\sno\scircumstances?|on\sno\saccount|always|never|only|please|not|do\snot(?:\sever)?|ever|just|simply|consistently|kindly)\s)*(?P<verb>answer|reply|respond|write|speak|talk|use|avoid|refrain|keep|be|stop|quit|give|show|include|exclude|add|put|omit|leave|skip|"
    r"format|explain|address|call|refer|ask|check|double-check|confirm|verify|tell|remind|send|cc|bcc|email|mail|text|message|notify|warn|let|make|provide|list|cite|quote|round|convert|display|print|return|start|begin|end|finish|sign|greet|stick|"
    r"assume|treat|follow|translate|summari[sz]e|prefer|suggest|recommend|book|order|schedule|share|forward|mention|bring|apologi[sz]e|repeat|name|prefix|comment|document|test|run|commit|push|lint|generate|output|wrap|indent|limit|shorten|drop|"
    r"remove|ignore|consider|think|say|insert|attach|offer|pick|choose|plan|default|switch|go|do|have|get|help|act|cut|sugarcoat|assign|report|mark|highlight|number|spell|capitali[sz]e|lowercase|state|note|save|store|delete|disturb|interrupt|contact|wake|sell|buy|spend|pay|charge|correct|challenge|praise|flatter|argue|lecture|swear|curse|joke|post|publish|deploy|merge|touch|edit|change|modify|pretend|infer|guess|assume|reveal|disclose|discuss|propose|order|reserve|read|put|work|draft|"
    r"double|re-?read|review|mind|wait|hold|break|split|sort|group|sum|calculate|measure|express|price|cost|look|point|describe|compare|analy[sz]e|identify|flag|rate|watch|search)\b(?P<rest>(?!\s(?:is|are|was|were|has|have|gets?|feels?|makes?|seems?)\b).*)$",
    re.I | re.S,
)
_STYLE = re.compile(
    r"\b(?:words?|sentences?|replies|reply|answers?|responses?|tone|jargon|emojis?|bullet(?:s|\spoints)?|metric|imperial|units?|celsius|fahrenheit|formal\w*|informal\w*|casual\w*|concise\w*|brief\w*|short|verbose|details?|plain|simple|simply|language|english|french|german|spanish|chinese|"
    r"italian|japanese|markdown|tables?|lists?|code\s(?:blocks|examples|samples)|examples|comments|headings|capital\sletters|exclamation\s\w+|slang|abbreviations|24-hour|currency|euros|pounds|dollars|british|american|honest\w*|blunt|direct\w*|polite\w*|step[\s-]by[\s-]step|charts?|colou?rs?|red/green)\b",
    re.I,
)
_SPEECH = r"(?:answers|replies|responses|explanations|summaries|messages|paragraphs|sentences|suggestions|examples|wording|language|tone|style)"
_MANNER = (
    r"(?:(?:a\s)?(?:bit|little|lot|much|more|less|very|rather|quite|really|as|always|nice\sand|to)\s)*"
    r"(?:brief|short|shorter|long|longer|concise|succinct|simple|simpler|plain|formal|informal|casual|polite|direct|blunt|honest|friendly|friendlier|detailed|specific|precise|thorough|technical|serious|kind|gentle|readable|clear|clearer|light|neutral|crisp|"
    r"the\spoint|(?:briefly|shortly|concisely|succinctly|simply|plainly|formally|informally|casually|politely|directly|honestly|precisely|clearly|slowly))"
    r"(?:\s(?:with\sme|and\s\w+|as\spossible))*"
)
_TONGUE = r"in\s(?:(?:plain|simple|easy)\s)?(?-i:[A-Z])[a-z]+|in\s(?:plain|simple|full|short|complete)\s\w+"
# How the assistant is to talk, whatever about. Of one text ("keep the intro short") it says nothing.
_TALKS_SO = re.compile(
    rf"^(?:(?:please|kindly|just|always|try\sto|do\snot|never)\s)*(?:"
    rf"(?:keep|make|give|write|leave|hold|format|structure|phrase|word)\s(?:me\s)?(?:all\s(?:of\s)?)?(?:your|the|my)?\s?(?:\w+\s)?{_SPEECH}\s(?:\w+\s){{0,2}}?(?:{_MANNER}|under\s\S+\s\w+|below\s\S+\s\w+|to\s(?:a|one|two|three|\d+)\s\w+|in\s\w+(?:\s\w+)?)|"
    rf"be\s{_MANNER}|sound\s{_MANNER}|"
    rf"(?:answer|reply|respond|speak|talk|write|explain\s(?:things|everything))\s(?:(?:to|with)?\s?(?:me|us)\s)?(?:{_MANNER}|{_TONGUE})|"
    rf"(?:skip|drop|avoid|leave\sout|omit|cut(?:\sout)?|stop|spare\sme|no\sneed\sfor)\s(?:all\s|any\s|with\s)?(?:the\s|your\s)?(?:small\stalk|jargon|pleasantries|emojis?|disclaimers?|preambles?|apologies|flattery|filler|buzzwords|fluff|chit-?chat|slang|lectur\w+|smileys|compliments|introductions|caveats)"
    rf")$",
    re.I,
)
# What one switches to is the language of all that follows.
_TONGUE_FROM_NOW = re.compile(
    r"^(?:(?:please|you\s(?:can|may|could)|let\sus|just|we\s(?:can|could))\s)*(?:switch|change|go)\s(?:back\s|over\s)*to\s(?P<tongue>\w+)(?:\s(?:again|now|please|from\s\w+\son))*$",
    re.I,
)
_SUCH_ANSWERS = re.compile(
    rf"^(?P<how>(?:(?:more|less|much|a\sbit|even|only|just)\s)*(?:\w+er|{_MANNER}))\s(?P<what>answers|replies|responses|explanations|summaries|sentences|paragraphs)$",
    re.I,
)
_OF_ANSWERS = re.compile(rf"\byour\s(?:\w+\s)?{_SPEECH}\b", re.I)
_YOURS = re.compile(
    r"^(?:all\s(?:of\s)?|every\sone\sof\s|please,?\s)?your\s(?P<what>(?:\w+\s)?(?:answers?|replies|reply|responses?|messages|tone|explanations|suggestions|recommendations|emails|summaries|code|language|outputs?))\s(?P<rest>(?:should|must|need\sto|have\sto|ought\sto|shall|can|are\sto)\s.+)$",
    re.I,
)
_FORGET = re.compile(
    r"^(?:(?:please|just|kindly|you\s(?:can|may|should))\s|(?:can|could|would|will)\syou\s(?:please\s)?)*(?P<verb>forget|delete|erase|remove|drop|disregard|ignore|scrap|discard|unlearn|wipe|clear|scratch|do\snot\sremember|stop\sremembering|do\snot\s(?:store|save|keep|retain)|let\sgo\sof)\s(?:about\s|everything\s|anything\s|all\s)*"
    r"(?:(?:the\s(?:fact|thing|bit|part|stuff|note|memory|info(?:rmation)?|details?|entry)\s)?(?:that\s|about\s|of\s|on\s)?)?(?:(?:what|whatever)\s(?:I|you)\s(?:just\s|ever\s)?(?:told|said|know|mentioned|have|saved|stored|wrote|remember)(?:\s(?:to\s)?(?:you|me))?(?:\searlier|\sbefore)?\s?(?:about\s|regarding\s|on\s|concerning\s)?|you\sknow\s(?:about\s)?)?"
    r"(?P<what>.+)$",
    re.I,
)
_STORED = re.compile(
    r"\b(?:my|I|me|from\s(?:your\s)?memory|told|said|mentioned|remember\w*|saved|stored|thing\b)",
    re.I,
)
_NOT_ABOUT_ME = re.compile(
    r"\b(?:file|line|function|column|row|folder|branch|comment|paragraph|sentence|word|import|table|the\slast|duplicates?|variable|class|code|image|text|space|error)\b",
    re.I,
)


def is_imperative(text: str) -> bool:
    """Whether a clause begins with the verb of an order."""
    return _IMPERATIVE.match(text) is not None


def is_standing(text: str) -> bool:
    """Whether something is wanted for good."""
    return _STANDING.search(text) is not None and not _SOON.search(text)


_FOR_GOOD = re.compile(
    r"\b(?:always|never|from\s(?:now|here|today)\s\w+|from\snow|(?:going|moving)\sforwards?|in\s(?:the\s)?future|henceforth|whenever\s(?:I|you|we)|every\s?time\s(?:I|you|we)|each\stime\s(?:I|you|we)|by\sdefault|at\sall\stimes|as\sa\srule|until\sfurther\snotice|in\sall\syour|permanently)\b",
    re.I,
)


def is_for_good(text: str) -> bool:
    """Whether something that is asked for in a question is plainly wanted for good."""
    return _FOR_GOOD.search(text) is not None and not _SOON.search(text)


def read_withdrawal(clause: str) -> list[Draft]:
    """What the user wants forgotten, or nothing."""
    found = _FORGET.match(clause)
    if not found:
        return []
    verb, what = found.group("verb").lower(), found.group("what").strip(" .")
    plain = verb in {"forget", "disregard", "unlearn", "do not remember", "stop remembering"}
    if not plain and (
        not _STORED.search(clause)
        or _NOT_ABOUT_ME.search(what)
        or (
            verb in {"ignore", "remove", "drop", "clear"}
            and not re.search(r"\b(?:my|thing|memory|told|said)\b", clause, re.I)
        )
    ):
        return []
    if re.match(
        r"(?:to\b|it$|that$|this$|about\sit$|how\b(?!\smuch\sI\s)|them$)", what
    ) and not re.match(r"(?:that|this)$", what):
        return []
    if (
        not _STORED.search(clause)
        and not (
            verb == "forget"
            and re.search(r"\bforget\sabout\b", clause, re.I)
            and not _NOT_ABOUT_ME.search(what)
        )
        and not re.match(r"(?:that|this)$", what)
    ):
        return []
    what = re.sub(r"\s(?:from\s(?:your\s)?memory|please|now|thing|anymore)$", "", what)
    return [
        Draft(
            MemoryType.FACT,
            pronouns_changed(re.sub(r"^(?:that|the)\s(?=\w)", "", what)),
            0.9,
            0.85,
            subject=_subject_of(what),
            forgets=True,
        )
    ]


# What is asked to be forgotten by the name of what it is: "where I live", "my job".
_NAMES = (
    (
        "home",
        r"(?:where\s(?:I|we)\s(?:now\s|currently\s)?live|my\s(?:home|place\sof\sresidence|city))",
    ),
    ("name", r"(?:my\s(?:first\s|full\s|real\s)?name|what\sI\sam\scalled)"),
    ("job", r"(?:my\s(?:job|profession|occupation)|what\sI\sdo(?:\sfor\sa\sliving)?)"),
    ("employer", r"(?:my\semployer|(?:where|who)\sI\swork(?:\sfor)?)"),
    ("age", r"(?:my\sage|how\sold\sI\sam)"),
    ("birthday", r"(?:my\sbirthday|when\sI\swas\sborn)"),
    ("budget", r"my\sbudget"),
    ("diet", r"my\sdiet"),
)


def _subject_of(what: str) -> str | None:
    found = (name for name, pattern in _NAMES if re.fullmatch(pattern, what, re.I))
    return next(found, None)


def read_order(clause: str, sentence: str, *, reasoned: bool, asked: bool = False) -> list[Draft]:
    """The standing order in a clause.

    Args:
        clause: The clause.
        sentence: The sentence it stands in, which may say that it holds for good.
        reasoned: Whether the same sentence gives a lasting reason for it.
        asked: Whether another sentence asks for something, which it may be about.
    """
    tongue = _TONGUE_FROM_NOW.match(clause)
    if tongue and is_kind(tongue["tongue"].lower(), "language"):
        content = f"The user wants the assistant to answer in {tongue['tongue']}"
        return [Draft(MemoryType.INSTRUCTION, content, 0.85, 0.85, subject="order:language")]
    if _SOON.search(clause):
        return []
    hours = re.match(
        r"(?:please\s)?(?:nothing|no\s(?:calls?|meetings?|messages?|appointments?|flights?|reminders?|emails?|notifications?))\s(?:before|after|between|past|earlier\sthan|later\sthan|on)\s(?!then\b|that\b|this\b|it\b).{1,40}$",
        clause,
        re.I,
    )
    if hours:
        return [
            Draft(
                MemoryType.CONSTRAINT,
                f"The user wants {clause[:1].lower()}{pronouns_changed(clause[1:])}",
                0.8,
                0.8,
            )
        ]
    nobody = re.match(
        r"(?:nobody|no\sone)\s(?:should|may|is\sto|can|must)\s.*\b(?:me|us|my)\b", clause, re.I
    )
    if nobody:
        content = f"{clause[:1].upper()}{clause[1:]}"
        content = re.sub(r"\b(?:me|us)\b", "the user", content, count=1)
        content = (
            re.sub(r"\bmy\b", "the user's", content, count=1)
            if "the user" not in content
            else content
        )
        return [Draft(MemoryType.CONSTRAINT, pronouns_changed(content), 0.75, 0.8)]
    needless = re.match(r"(?:there\sis\s)?no\sneed\sto\s(?P<what>\w.+)$", clause, re.I)
    if needless and (is_standing(sentence) or re.search(r"\bme\b", clause)):
        what = re.sub(r",?\s(?:ever|at\sall)$", "", needless.group("what"))
        return [
            Draft(
                MemoryType.INSTRUCTION,
                f"The user does not want the assistant to {pronouns_changed(what)}",
                0.75,
                0.8,
            )
        ]
    excluded = read_exclusion(clause, sentence)
    if excluded:
        return [excluded]
    yours = _YOURS.match(clause)
    if yours:
        verb = re.sub(
            r"^(?:should|must|need\sto|have\sto|ought\sto|shall|can|are\sto)\s",
            "",
            yours.group("rest"),
        )
        adverb = re.match(r"(always|never|only|all|not)\s", verb)
        return [
            Draft(
                MemoryType.INSTRUCTION,
                f"The user wants the assistant's {yours.group('what')} {'' if adverb is None else adverb.group()}to {pronouns_changed(verb[adverb.end() :] if adverb else verb)}",
                0.85,
                0.9,
                subject=_subject(clause),
            )
        ]
    spoken = read_manner(clause, sentence, reasoned=reasoned, asked=asked)
    if spoken:
        return [spoken]
    lead = _LEAD.match(clause) or _LEAD.match(sentence)
    if lead and not clause.lower().startswith(sentence[:6].lower()):
        lead = None
    order = lead.group("order") if lead else clause
    polite = _ASKING.match(order)
    asks = polite is not None and re.search(
        r"\byou\b|sure|please|forget|remember|kindly", polite.group(), re.I
    )
    bare = order[polite.end() :] if polite else order
    bare = re.sub(r"^(?:also|just|and|please)\s", "", bare)
    found = _IMPERATIVE.match(bare)
    if found is None and polite and re.search(r"mind", polite.group(), re.I):
        found = re.match(r"(?P<verb>\w+ing)\b(?P<rest>.*)$", bare)
    if found is None and asks and (lead or is_standing(clause)):
        found = re.match(r"(?:(?:always|never|not)\s)?(?P<verb>[a-z-]+)\b(?P<rest>.*)$", bare)
    if found is None:
        return []
    verb, rest = found.group("verb").lower(), found.group("rest").strip(" .!")
    if not _holds(
        lead,
        clause,
        sentence,
        bare,
        verb,
        rest,
        reasoned=reasoned,
        asked=bool(
            polite
            and re.search(r"(?:want|like|need|prefer|rather|expect|ask)\syou", polite.group(), re.I)
        ),
    ):
        return []
    return [
        Draft(
            MemoryType.INSTRUCTION,
            _wanted(bare, lead),
            0.85,
            0.9 if is_standing(clause) else 0.75,
            subject=_subject(bare),
        )
    ]


_WANTED_ANSWERS = re.compile(
    r"^(?:(?:from\snow\son|actually|now|please|in\sfuture)[,\s]+)*(?:(?:I|we)\s(?:would\s(?:now\s|actually\s)?(?:like|prefer|love)|(?:now\s|actually\s)?(?:want|prefer|need|like))|(?:give|send|write)(?:\sme)?)\s"
    r"(?P<how>(?:(?:much|a\sbit|slightly|somewhat|a\slittle|more|less|rather|your|the)\s)*(?:brief|short|long|detailed|concise|thorough|elaborate|in-depth|succinct|terse|crisp)(?:er)?)\s"
    r"(?P<what>answers|replies|responses|explanations)(?:[,\s]+(?:from\snow\son|now|again|instead|please|in\sfuture|any\s?more|these\sdays))*$",
    re.I,
)


def read_wanted_answers(clause: str) -> Draft | None:
    """How long all answers are to be, said as a wish: "I would like longer answers"."""
    found = _WANTED_ANSWERS.match(clause)
    if found is None:
        return None
    content = f"The user wants {found['how'].lower()} {found['what'].lower()}"
    return Draft(MemoryType.INSTRUCTION, content, 0.85, 0.85, subject="order:length")


def read_manner(clause: str, sentence: str, *, reasoned: bool, asked: bool) -> Draft | None:
    """An order on how to answer: said by itself, for a reason, or after words on the answers.

    After a request ("tell me about X, and be brief") it is about that answer.

    Args:
        clause: The clause.
        sentence: The sentence it stands in.
        reasoned: Whether the same sentence gives a lasting reason for it.
        asked: Whether another sentence asks for something.
    """
    before, _, after = sentence.partition(clause)
    alone = not asked and len(before.split()) + len(after.split()) <= 2
    polite = _ASKING.match(clause)
    bare = clause[polite.end() :] if polite else clause
    if not (alone or reasoned or _OF_ANSWERS.search(sentence)):
        return None
    such = _SUCH_ANSWERS.match(bare)
    if such:
        content = f"The user wants {bare[:1].lower()}{bare[1:]}"
    elif _TALKS_SO.match(bare):
        content = _wanted(bare, None)
    else:
        return None
    return Draft(MemoryType.INSTRUCTION, content, 0.85, 0.75, subject=_subject(bare))


def _holds(
    lead: re.Match[str] | None,
    clause: str,
    sentence: str,
    bare: str,
    verb: str,
    rest: str,
    *,
    reasoned: bool,
    asked: bool,
) -> bool:
    if (
        is_deictic(rest)
        and verb
        not in {"ask", "call", "tell", "remind", "send", "be", "talk", "speak", "let", "stop"}
        and not (lead or is_standing(clause))
    ):
        return False
    if re.match(r"(?:never|always)\s(?:mind|forget\sthat)", bare, re.I) or re.match(
        r"(?:do\snot|never)\s(?:worry|mind|bother|sweat|panic|get\sme\swrong|be\ssorry)", bare, re.I
    ):
        return False
    if verb in {"stop", "quit"}:
        return bool(re.match(r"(?:being\s\w+|\w+ing)\b|with\sthe\b", rest)) and not re.match(
            r"(?:running|talking\sto\shim)\b", rest
        )
    if lead and (lead.group("now") or is_standing(lead.group("when") or "")):
        return True
    if lead and re.match(
        r"(?:when|for|in|after|before|if|until)\b", lead.group("when") or "", re.I
    ):
        return bool(
            re.search(
                r"\bI\b|\byou\b|\bmy\b|\b(?:writing|coding|answering|replying|code|booking|emails?)\b",
                lead.group("when"),
            )
        ) and not re.match(r"if\b", lead.group("when"), re.I)
    if is_standing(clause):
        return not re.search(r"\b(?:he|she|they|user\sinput|users?)\b", rest)
    if _subject(bare) in {"order:units", "order:currency"}:
        return verb in {"use", "show", "give", "quote", "display"}  # Nobody changes these often.
    negative = re.match(r"(?:please\s)?(?:do\snot|never|avoid|refrain)\b", bare, re.I)
    if (
        negative
        and re.search(r"\bme\b", rest)
        and verb
        in one_of(
            "call address talk lecture treat wake contact interrupt disturb send text ask book give"
        )
    ):
        return True
    if re.match(
        r"(?:always\s|please\s|do\snot\s)*(?:keep|make|limit|write|give|format|end|start|sign|structure|number)\s(?:me\s)?(?:all\s|the\s|your\s|my\s|any\s)?(?:\w+\s)?(?:replies|answers|responses|explanations|messages\sto\sme|summaries|code\ssamples)\b",
        bare,
        re.I,
    ):
        return True
    if verb in {"call", "address"} and re.match(
        r"me\s(?!when|if|back|at|on|later|tomorrow|tonight|once|after|before|in\b)", rest
    ):
        return True
    if negative and re.search(
        r"\b(?:before|after|past|earlier\sthan|later\sthan)\s(?:\d|noon|midnight|\w+\s?(?:am|pm)|(?:six|seven|eight|nine|ten|eleven|twelve|five|four))",
        rest,
    ):
        return True
    if asked and re.search(r"\b(?:before|without|unless|first)\b", rest):
        return True
    if reasoned and (_STYLE.search(bare) or negative or verb in {"avoid", "keep", "skip"}):
        return True
    if negative and re.search(
        r"\b(?:emojis?|jargon|exclamation|sugarcoat|smileys|slang|bullet\spoints|exclamation\s\w+|filler|flattery|disclaimers|hashtags)\b",
        bare,
        re.I,
    ):
        return True
    if asked and (_STYLE.search(bare) or verb == "be" or negative):
        return True
    return bool(
        re.match(
            r"(?:be|talk\sto\sme|speak\sto\sme)\s(?:\w+\s){0,2}?(?:\w+\s)?with\sme\b", bare, re.I
        )
        or (
            is_standing(sentence)
            and re.match(r"(?:and|keep|use|avoid)", bare)
            and _STYLE.search(bare)
        )
    )


def _wanted(bare: str, lead: re.Match[str] | None) -> str:
    """The order as a sentence about what the user wants."""
    order = bare.strip(" .!")
    order = re.sub(r"^not\s", "do not ", order)
    order = re.sub(
        r"^((?:always|never)\s)?(\w{3,})ed\b",
        lambda one: f"{one.group(1) or ''}{_present(one.group(2))}",
        order,
    )
    negative = re.match(r"(?:please\s)?do\snot\s(?:ever\s)?(.+)$", order, re.I | re.S)
    inner = pronouns_changed(negative.group(1) if negative else order)
    inner = inner[:1].lower() + inner[1:] if not re.match(r"[A-Z]{2}", inner) else inner
    inner = (
        re.sub(r"^(\w+ing)\b", r"try \1", inner)
        if re.match(r"\w{3,}ing\b", inner) and not inner.startswith("bring")
        else inner
    )
    wanted = f"the user wants the assistant {'not ' if negative else ''}to {inner}"
    if lead and lead.group("when"):
        when = pronouns_changed(lead.group("when"))
        return f"{when[:1].upper()}{when[1:]}, {wanted}"
    tail = (
        " from now on" if lead and lead.group("now") and "default" not in lead.group("now") else ""
    )
    return f"T{wanted[1:]}{tail}"


def _present(stem: str) -> str:
    """The verb of a form in -ed, without that ending: "quot" → "quote", "ask" → "ask"."""
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsz":
        return stem[:-1]
    return (
        stem + "e"
        if re.search(r"(?:[^aeiou][aeiou]|u)[tdsvgcz]$|[lr][vgcs]$|[aeiou]r$", stem)
        and not stem.endswith(("it", "er", "en"))
        else stem
    )


_SUBJECTS = (
    ("language", r"\b(?:in|speak|use|to)\s(?:English|French|German|Spanish|Chinese|Mandarin|Italian|Japanese|Portuguese|Korean|Russian|Dutch|Arabic|Hindi|Polish|Turkish|Swedish|Danish|Norwegian|Finnish|Icelandic|Greek|Czech|Hungarian|Romanian|Ukrainian|Hebrew|Farsi|Persian|Urdu|Bengali|Vietnamese|Thai|Indonesian|Malay|Cantonese|Welsh|Irish|Catalan|Latin)\b"),
    ("length", r"\b(?:brief|short|shorter|concise|long|longer|sentences?|words|paragraphs?|succinct|verbose|detailed|to\sthe\spoint)\b"),
    ("units", r"\b(?:metric|imperial|celsius|fahrenheit|kilomet\w+|miles)\b"),
    ("emoji", r"\b(?:emojis?|smileys|emoticons)\b"),
    ("currency", r"\b(?:euros?|dollars?|pounds?|currency|yen|yuan)\b"),
    ("tone", r"\b(?:tone|formal\w*|informal\w*|casual\w*|polite\w*|blunt\w*|friendly|professional\w*)\b"),
)  # fmt: skip


# "A short example" is as long as an answer may be; what holds for one case ends no order for all.
_OF_A_PART = re.compile(
    r"\b(?:an?|one|two|some|the)\s(?:[\w-]+\s)?(?:brief|short|concise|long|detailed|\w+-(?:sentence|word|paragraph|line))\s"
    r"(?!(?:answer|repl|respon|explanation|message)\w*)\w+",
    re.I,
)
_IN_A_CASE = re.compile(
    r"\b(?:when|whenever|if)\b(?!\s(?:\w+ing|you|I|we)\s?(?:answer|repl|respond|talk|speak|chat|ask|writ)\w*)",
    re.I,
)


def _subject(order: str) -> str | None:
    if _IN_A_CASE.search(order):
        return None
    order = _OF_A_PART.sub("", order)
    for name, pattern in _SUBJECTS:
        if re.search(pattern, order, re.I):
            return f"order:{name}"
    return None
