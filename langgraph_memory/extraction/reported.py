"""Words of others that a user reports without quotation marks: "My friend said: I hate cats"."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections import Counter

from langgraph_memory.offline.kinship import RELATIVE_HAN

__all__ = ["without_hearsay", "without_reported"]

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

# What somebody else says of the user in the user's sentence. Who treats the user knows, and so do
# papers.
_WHO = r"(?:(?:(?:all|some|one|both|most|many)\s(?:of\s)?)?(?:my|our|his|her|their|the|a|an|some)\s(?:[\w'’-]+\s){1,3}?|(?:every|some|any)(?:one|body)\s|people\s|others\s|they\s|he\s|she\s|(?-i:[A-Z])[\w'’-]+\s(?:(?-i:[A-Z])[\w'’-]+\s)?)"
_HOLDS = r"(?:sa(?:ys?|id)|thinks?|thought|believes?d?|claims?|claimed|tells?|told|insist(?:s|ed)?|reckons?|suspects?|wr(?:ites?|ote)|mention(?:s|ed)|assumes?d?|swears?|swore|complain(?:s|ed)|jok(?:es?|ed)|suggest(?:s|ed)|feels?|felt|(?:is|are)\s(?:sure|convinced|certain)|keeps?\s(?:saying|telling))"
_KNOWS = r"doctor|physician|surgeon|dentist|nutritionist|dietiti?c?ian|nurse|gp|therapist|allergist|specialist|midwife|paediatrician|pediatrician|optician|\w+ologist|contract|lease|results?|report|label|scan|passport|visa|certificate|insurance|law|rules?"
_HEARSAY = re.compile(
    rf"(?P<opens>^\W*|[,;:]\s+|\b(?:and|but|so|because|though|although)\s+)"
    rf"(?P<lead>(?!(?:I|we)\b)(?!(?:\w+\s){{0,3}}?(?:{_KNOWS})\b){_WHO}(?:\w+ly\s|always\s|often\s|just\s|once\s|still\s|all\s|also\s|even\s|once\s)*{_HOLDS}\s(?:(?:me|us|everyone|people|him|her|them)\s)?(?:that\s)?|according\sto\s(?!(?:\w+\s){{0,3}}?(?:{_KNOWS})\b)(?:\w+\s){{0,2}}?\w+,?\s)"
    r"(?P<said>(?:I|we|my|our|I['’]m)\b(?:(?!\sbut\s)[^,;.!?])*)",
    re.IGNORECASE,
)
_AGREED = re.compile(
    r"\b(?:s?he|they|it|that|this|which|everyone)(?:['’]s|['’]re|\sis|\sare|\swas|\swere)\s(?:\w+ly\s|quite\s|so\s|all\s)?(?:right|true|correct)\b|\bI\s(?:agree|admit|must\sadmit|can\sonly\sagree)\b|\bindeed\b|\brightly\sso\b",
    re.IGNORECASE,
)
_WHO_HAN = (
    rf"(?:我们?|咱们?|他们?|她们?)?(?:的|家)?(?:[一几有]个|那个|这个|好|老|小|女|男|前|新|大)*(?:{RELATIVE_HAN}|家人|家里人|老师|同桌|网友|哥们|网上|经理|主管|师傅|班主任|教授|学生|对象|队友|球友)们?(?:[小老阿][\u4e00-\u9fff])?"
    r"|大家|所有人|人人|别人|有人|人家|他们?|她们?|(?<![\u4e00-\u9fff])[小老阿](?![家是板有时师说实])[\u4e00-\u9fff]"
)
_HOLDS_HAN = r"(?:说(?!道理|服)|讲|觉得|认为|以为|声称|怀疑|猜|嫌|坚称|告诉(?:我|我们|大家|别人)|跟(?:我|大家|别人)(?:说|讲)|对(?:我|大家|别人)(?:说|讲)|提到|写道?)"
_HEARSAY_HAN = re.compile(
    rf"(?P<opens>^\W*|[，,；;。：:])(?P<lead>(?:但是?|不过|因为|所以|而且|其实|对了|可是|然后|另外)*(?:{_WHO_HAN})(?:都|也|总|老|老是|总是|一直|经常|常|刚才?|昨天|今天|上次|之前|以前|那天|非|硬)*{_HOLDS_HAN}(?:过|了)?)"
    # Up to where the user speaks again; a clause without a subject goes on with what is said.
    r"(?P<said>(?:我|咱|俺)[^，,；;。！!？?]*(?:[，,](?!\s*(?:但|不过|可是|其实|确实|实际|所以|因为|而我|结果|没错|的确|是的|我|咱|俺|[他她]们?|这|那|你|您|请|以后|大家))[^，,；;。！!？?]*)*)"
)
_AGREED_HAN = re.compile(
    r"(?:说|讲|猜|想)得?(?:很|真|太|挺|都|也|没)?(?:对|有道理|错|没错|准)|确实|的确|没错|是真的|是的|(?:我|咱)(?:也|自己也)?(?:承认|同意|这么觉得|这么认为|也觉得|也认为)"
)
_DENIED_HAN = re.compile(r"(?:说|讲|猜|想)(?:得)?(?:不对|错了)|不是(?:真的|这样)|才怪|胡说")


def without_hearsay(sentence: str, following: str = "") -> str:
    """A sentence without what others say of the user in it, unless the user agrees.

    "My aunt says I snore" is her opinion; "… and she is right" makes it the user's own word.

    Args:
        sentence: The sentence.
        following: The one after it, which may agree.
    """
    for hearsay, agreed in ((_HEARSAY, _AGREED), (_HEARSAY_HAN, _AGREED_HAN)):
        kept, at = [], 0
        for said in hearsay.finditer(sentence):
            rest = f"{sentence[said.end() :]} {following}"
            own = agreed.search(rest) is not None and not _DENIED_HAN.search(rest)
            kept.append(sentence[at : said.start("lead")] + (said["said"] if own else ""))
            at = said.end()
        sentence = "".join([*kept, sentence[at:]])
    return sentence


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
