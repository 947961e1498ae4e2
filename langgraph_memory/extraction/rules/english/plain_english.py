"""Informal English brought to one form: contractions written out, fillers taken off."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re

__all__ = ["expanded", "without_filler"]

_NOT = {
    "ca": "can", "wo": "will", "do": "do", "does": "does", "did": "did", "is": "is", "are": "are",
    "was": "was", "were": "were", "have": "have", "has": "has", "had": "had", "would": "would",
    "could": "could", "should": "should", "must": "must", "need": "need", "ai": "am",
}  # fmt: skip
_REPLACED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), into)
    for pattern, into in (
        (r"[’‘`]", "'"),
        (r"\bi\b(?=[' ])|(?<= )i$|^i$", "I"),
        (r"\bI'?m\b(?!\w)", "I am"),
        (r"\bI'?ve\b", "I have"),
        (
            r"\b(?:I'd|id)\s(?=rather|like|love|prefer|never|sooner|want|hate|appreciate|say|be\b)",
            "I would ",
        ),
        (r"\bI'd\s(?=better)", "I had "),
        (r"\bI'd\b", "I would"),
        (r"\bI'll\b", "I will"),
        (r"\bwe're\b", "we are"),
        (r"\bwe've\b", "we have"),
        (r"\bwe'd\b", "we would"),
        (r"\bwe'll\b", "we will"),
        (r"\byou'?re\b", "you are"),
        (r"\byou'll\b", "you will"),
        (r"\b(?:it's)\b", "it is"),
        (r"\b(?:that's|thats)\b", "that is"),
        (r"\b(?:cannot|can\snot)\b", "can not"),
        (r"\bit'd\b", "it would"),
        (r"\bname's\b(?!\s\w+\s(?:is|was)\b)", "name is"),
        (r"\blet's\b", "let us"),
        (r"\bgonna\b", "going to"),
        (r"\bwanna\b", "want to"),
        (r"\bgotta\b", "have to"),
        (r"\b(?:pls|plz|plss)\b", "please"),
        (r"\bu\b(?!\.)", "you"),
        (r"\bur\b", "your"),
        (r"\s(?:n|&)\s(?=[a-zI])", " and "),
        (r"\bw/\s", "with "),
    )
)
_NEGATIVE = re.compile(
    r"\b(ca|wo|do|does|did|is|are|was|were|have|has|had|would|could|should|must|need|ai)n'?t\b(?!\w)",
    re.IGNORECASE,
)
_CONTRACTED_IS = re.compile(
    r"^((?:my|our|mum|mom|dad)(?:\s(?-i:[a-z])[\w-]*){0,3}?)'s\s(?=(?:an?|the|not|my|called|named|from|on|in|at|around|about|under|due|\w+ing|\d|[$€£¥]|[A-Z])\b|[$€£¥\d]|\w+$)",
    re.IGNORECASE,
)
_OPENER = re.compile(
    r"^[\s,.!:;–—*•-]*(?:(?:hey|hi|hello|yo|hiya|oh|ah|um+|uh|er|hm+|well|so|ok|okay|also|and|but|plus|then|anyways?|"
    r"actually|honestly|frankly|personally|basically|obviously|clearly|literally|quick\snote|"
    r"btw|by\sthe\sway|fyi|for\sthe\srecord|for\scontext|for\syour\sinformation|for\sreference|for\sbackground|"
    r"just\sso\syou\sknow|just\sto\slet\syou\sknow|so\syou\sknow|jsyk|heads[\s-]up|note\sto\sself|"
    r"as\s(?:you\sknow|i\ssaid|mentioned|i\smentioned|a\sreminder)|like\si\ssaid|to\sbe\s(?:honest|clear|fair|precise)|"
    r"tbh|ngl|not\s(?:gonna|going\sto)\slie|in\sfact|correction|update|edit|sorry|apologies|oops|wait|hold\son|no\swait|scratch\sthat|strike\sthat|"
    r"my\s(?:bad|mistake)|nevermind|never\smind(?:\sthat)?|good\s(?:morning|afternoon|evening|day)|thanks(?:\sa\slot)?|"
    r"thank\syou(?:\sso\smuch)?|cheers|sure|yes|yeah|yep|yup|nope|no(?=,)|right|great|nice|cool|guess\swhat|fun\sfact|"
    r"(?:one|another)\s(?:more\s)?thing|a\sbit\sabout\sme|about\sme|little\sabout\sme|first\sof\sall|first|second(?:ly)?|finally|lastly|"
    r"i\smeant(?:\sto\ssay)?|i\smean|let\sme\s(?:correct|clarify|rephrase)(?:\s(?:that|myself))?|"
    r"look|listen|see|long\sstory\sshort|basically\sthe\ssituation\sis|(?:the\s)?(?:thing|situation|problem|issue|point|truth|fact|trouble|catch|story)\sis|what\shappened\sis|the\smain\sthing\sis|a\sbit\sof\sbackground|before\si\sforget|if\sit\s(?:matters|helps)|not\ssure\sif\s(?:it|this|that)\smatters(?:\sbut)?|as\sfar\sas\si\sam\sconcerned|in\smy\scase|on\smy\s(?:end|side)|"
    r"because|since|though|although|whereas|while|(?:it\s)?turns\sout|"
    r"(?:please\s)?(?:do\s)?(?:note|remember|keep\sin\smind|bear\sin\smind|be\saware|know|take\snote|make\sa\snote|don't\sforget|"
    r"do\snot\sforget)\b(?:\sof\sthis)?(?=\s*(?:that|:|,|i\b|my\b|we\b|our\b|to\b))|"
    r"(?:i\s(?:want|need|would\slike)\syou\sto\s(?:know|remember)|you\sshould\s(?:probably\s)?know|i\s(?:should|must|have\sto|forgot\sto|wanted\sto|"
    r"want\sto|need\sto)\s(?:also\s)?(?:mention|say|admit|tell\syou|add|point\sout)|let\sme\s(?:mention|add|tell\syou|say)|"
    r"did\si\smention|have\si\smentioned|(?:it\sis|it's)\simportant(?:\sto\sknow)?|it\shelps\sto\sknow|"
    r"(?:can|could|will|would)\syou\s(?:please\s)?(?:remember|note|keep\sin\smind|make\sa\snote))(?=\s*(?:that|:|,|i\b|my\b|we\b|our\b)))"
    r"(?:\s(?:everyone|all|there|again|team|guys|folks))?(?:[\s,:;.!–—-]+|\s+(?=that\b)))(?:that\s(?=I\b|my\b|we\b|our\b|the\b))?",
    re.IGNORECASE,
)
_CLOSER = re.compile(
    r"[\s,(]*\b(?:btw|by\sthe\sway|fyi|lol|haha+|lmao|tbh|ngl|though|please|thanks|thank\syou|pls|just\sso\syou\sknow|you\sknow|"
    r"if\syou\smust\sknow|i\sguess|i\sthink|i\ssuppose|for\swhat\sit's\sworth|just\sfyi|for\sthe\srecord|too|as\swell|"
    r"if\sthat\s(?:helps|matters)|after\sall|to\sbe\s(?:fair|honest|clear)|honestly|actually|I\smust\ssay|okay|ok|right|innit|mate|man|cheers|really)\b[\s,.!)]*$|[\s,;:!.…)(😀-🙏🌀-🗿🤀-🧿☀-➿)]+$|\s*[:;]-?[)D(P]+\s*$",
    re.IGNORECASE,
)


def expanded(text: str) -> str:
    """The text with its contractions written out, apostrophes optional."""
    for pattern, into in _REPLACED:
        text = pattern.sub(into, text)
    text = _NEGATIVE.sub(lambda found: f"{_NOT[found.group(1).lower()]} not", text)
    return re.sub(r"\b(?:do|does) not (?:ever|even)\b", "never", text, flags=re.I)


def without_filler(clause: str) -> str:
    """A clause without what people say before and after it."""
    before = None
    while clause != before:
        before = clause
        opener = _OPENER.match(clause)
        # "So that", "no red wine": an opener is one only if something is left that it opens.
        if opener and len(clause) - opener.end() > 2:
            clause = clause[opener.end() :]
        clause = _CLOSER.sub("", clause)
    clause = clause.strip(" ,;:.!*–—-")
    contracted = _CONTRACTED_IS.match(clause)
    if contracted and not re.search(
        r"\b(?:is|are|was|has|can|lives?|works?)\b", clause[contracted.end() :].split(",")[0]
    ):
        clause = f"{contracted.group(1)} is {clause[contracted.end() :]}"
    return (
        clause[:1].lower() + clause[1:] if clause[:3].lower() in {"my ", "we ", "our"} else clause
    )
