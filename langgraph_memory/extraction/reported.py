"""Words of others that a user reports without quotation marks: "My friend said: I hate cats"."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections import Counter

__all__ = ["without_reported"]

_VERB = r"(?:sa(?:id|ys?)|t(?:old|ells?)|wr(?:ote|ites?)|text(?:ed|s)|messaged|repl(?:ied|ies)|answer(?:ed|s)|ask(?:ed|s)|goes|claim(?:ed|s)|insist(?:ed|s)|explain(?:ed|s)|announced|shout(?:ed|s)|s[ai]ngs?|quipped|post(?:ed|s)|tweeted|puts?\sit)"
_VERB_HAN = r"(?:说道?|讲|写道|回复|回了?一?句|[答问喊唱]道|唱|告诉(?:我|我们|大家)|留言)"
# After a colon stand the words of the one who speaks, up to the end of the line, or of the text if
# they begin on a line of their own; after a comma ("he told me, I'm off"), to that of the sentence.
_SPEAKS = re.compile(
    rf"\b{_VERB}\b(?:[^.!?,;:\n]{{0,40}}:(?P<line>[ \t]*\n[\s\S]*|[^\n]+)|"
    r"(?:\s(?:me|us|him|her|them|to\s\w+))?,\s+(?P<sentence>(?:I|my|we|our)\b[^.!?\n]*))",
    re.IGNORECASE,
)
_SPEAKS_HAN = re.compile(
    rf"{_VERB_HAN}[^。！？，；：:\n]{{0,6}}[：:](?P<line>[ \t]*\n[\s\S]*|[^\n]+)"
)
_ONE = r"(?:he|she|they|someone|(?:my|our|his|her|the|a)\s\w+|(?-i:[A-Z])\w+)"
_SAID_AFTER = re.compile(
    rf",\s(?:as\s)?(?:{_ONE}\s(?:always\s|once\s|just\s|used\sto\s)?{_VERB}|{_VERB}\s{_ONE})(?=[^\w\n.!?]*(?:$|[.!?\n]))",
    re.IGNORECASE,
)
_STOP = re.compile(r"[.!?,;:\n。！？，；：]")
_FICTION = re.compile(
    rf"\bin\s(?:the|this|that|his|her|my|a)\s(?:\w+\s)?(?:novel|book|film|movie|song|poem|play|game|story|series|show|comic|lyrics)\b[^.!?\n]{{0,80}}\b{_VERB}\b[^.!?\n]*|"
    rf"(?:歌词?|诗|小说|电影|电视剧|剧|书|故事|游戏|漫画|台词)(?:里|中|上)[^。！？\n]{{0,8}}?{_VERB_HAN}[^。！？\n]*",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:i|we|you|i've|i'd|let\sme)(?:\s\w+){0,2}\s*$", re.IGNORECASE)
_OWN_HAN = re.compile(
    r"^\W*$|(?:来|想|要|所|据|如|是|话|再|先|一般)$|"
    r"(?:我|咱|俺)们?(?:也|都|还|刚才?|之前|一直|经常|常|总|就|(?:跟|和|对|给|向)\S{1,4})*$"
)
_HEADERS = re.compile(
    r"^(?:(?:from|to|cc|subject|sent|date|发件人|收件人|抄送|主题|日期|时间)[ \t]*[:：].*\n){2}[\s\S]*|"
    r"^[ \t]*-{2,}[ \t]*(?:forwarded|original|转发|原始)[\s\S]*|^begin\sforwarded[\s\S]*",
    re.IGNORECASE | re.MULTILINE,
)
_TURN = re.compile(
    r"^[ \t]*(?:\[[^\]\n]{1,25}\][ \t]*)?(?P<who>[A-Z][\w.'-]{0,20}(?: [A-Z][\w.'-]{0,20})?|[\u4e00-\u9fff]{1,4}|@\w{1,20})[ \t]*[:：].*$",
    re.MULTILINE,
)


def without_reported(text: str) -> str:
    """The text without what others say in it: reported speech, forwarded mails, pasted chats."""
    text = _without_chat(_HEADERS.sub("", text))
    text = _without_said_before(_FICTION.sub("", text))
    return _without_speech(_without_speech(text, _SPEAKS, _OWN), _SPEAKS_HAN, _OWN_HAN)


def _without_speech(text: str, speaks: re.Pattern[str], own: re.Pattern[str]) -> str:
    """The text without what follows a verb of speaking, unless the user is who speaks."""
    kept, at = [], 0
    for said in speaks.finditer(text):
        who = _STOP.split(text[max(at, said.start() - 60) : said.start()])[-1]
        if not own.search(who):
            what = said.lastgroup or "line"
            kept.append(text[at : said.start(what)].rstrip(" ,:：") + ".")
            at = said.end()
    return "".join([*kept, text[at:]])


def _without_said_before(text: str) -> str:
    """The text without the sentences that end with who said them: "I hate Mondays, said Ann"."""
    kept, at = [], 0
    for said in _SAID_AFTER.finditer(text):
        start = max(text.rfind(mark, at, said.start()) + 1 for mark in ".!?\n")
        kept.append(text[at : max(at, start)])
        at = said.end()
    return "".join([*kept, text[at:]])


def _without_chat(text: str) -> str:
    """The text without the lines of a conversation, where one speaks more than once."""
    turns = Counter(found["who"] for found in _TURN.finditer(text))
    again = len(turns) > 1 and max(turns.values()) > 1
    return _TURN.sub("", text) if again else text
