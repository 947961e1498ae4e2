"""What in a user's message are the user's own words: no code, no pasted text, no recalled memory."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from langgraph_memory.extraction.reported import without_reported

__all__ = ["has_code", "is_record", "own_words", "quoted_again", "without_code", "without_recalled"]

_FENCED = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
_OPENED = re.compile(r"<(?P<tag>[A-Za-z_][\w-]*)(?:\s[^<>]*)?>")
_CLOSED = re.compile(r"</(?P<tag>[A-Za-z_][\w-]*)>")
_UNCLOSED_MEMORY = re.compile(
    r"<[\w-]{0,40}(?:memory|memories|summary|tasks|profile)[\w-]{0,40}>.*\Z", re.DOTALL
)
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_CODE_LINE = re.compile(
    r"^\s*(?:def |class |import |from \w+ import|return\b|function\b|const |let |var |public |private |#include|"
    r"SELECT\b|INSERT\b|UPDATE\b|CREATE TABLE|if \(|for \(|while \(|\}|\{|</?\w+[^<>]*>\s*$|\$ |>>> |"
    r"Traceback|File \"|at \w[\w.]+\(|npm |pip |git |[\w.\[\]]+ = .*[()\[\]{}]|[\w.]+\(.*\);?\s*$|//|"
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|(?:ERROR|WARN|INFO|DEBUG)\b)"
)
_PASTED = re.compile(
    r"(?:\b(?:following|below|email|e-mail|mail|letter|text|article|paragraph|message|log|logs|output|"
    r"transcript|lyrics|poem|document|draft|review|post|tweet|sentence|passage|quote|story|note|bio|resume|cv|"
    r"conversation|chat|prompt|instructions|ticket|comment|example|this)\b[^.:\n]{0,40}[:]|"
    r"(?:下面|以下|如下|邮件|文章|这段|这句|原文|内容|文字|日志|聊天记录|短信|评论|例子|歌词|台词|简历|段落|信)[^。：\n]{0,12}[：:])"
    r"[ \t]*(?=\n|[\"“「『])",
    re.IGNORECASE,
)
# What is drafted is said by a text, to other people.
_DRAFTED = re.compile(
    r"(?:^|(?<=[\n.!?:] )|(?<=\n))[^.!?:\n]{0,30}\b(?:draft|speech|(?<!french\s)toast|eulogy|(?:cover\s)?letter|monologue|caption|obituary)(?:\s(?:for|to|so|I|at|of|from|is|here|below|text)\b[^.:\n]{0,30})?:(?=\s)|"
    r"(?:草稿|初稿|致辞|致词|演讲稿|发言稿|讲稿|稿子|文案|悼词|情书|求职信|自荐信|推荐信)[^。：:\n]{0,10}[：:]",
    re.IGNORECASE,
)
_REWRITE = re.compile(
    r"\b(?:translate|summari[sz]e|proofread|paraphrase|rephrase|rewrite|reword|correct|edit|polish|"
    r"fix\sthe\sgrammar|check\sthe\sgrammar|what\sdo(?:es)?|explain|analy[sz]e|classify|extract|reply\sto|"
    r"respond\sto|answer\sthis|shorten|pronounce|say)\b|"
    r"翻译|总结|概括|润色|改写|校对|缩写|扩写|解释|分析|仿写|续写|改成|译成|回复这",
    re.IGNORECASE,
)
_GREETED = re.compile(
    r"^(?:hi|hello|dear|hey)\b[^\n.!?]{1,40},[ \t]*$|^[^\n，。]{1,12}(?:您好|你好)[，,：:！!]",
    re.IGNORECASE | re.MULTILINE,
)
_SIGNED = re.compile(
    r"^(?:best|kind|warm|many|regards|sincerely|yours|cheers|thanks)\b[^\n.!?]{0,30}$|"
    r"^[ \t]*(?:此致|敬礼|祝好|顺颂|谨启|祝商祺)",
    re.IGNORECASE | re.MULTILINE,
)
_SHOWN = re.compile(
    r"^[^\n]*\b(?:mail|e-?mail|text|paragraph|message|letter|passage|essay|bio|post|draft|abstract)\b[^\n]*\n",
    re.IGNORECASE,
)
_SPEECH = re.compile(
    r"[“\"「『]([^“”\"「」『』]*)[”\"」』]|(?<![\w'])'((?:(?=I\b|my\b|we\b)|(?=[^'\n]{12}))(?:[^'\n]|(?<=\w)'(?=\w))+?)'(?!\w)"
)
_OUTLINE = re.compile(
    r"^[ \t]*(?:\d+[.)]|[-*•])?[ \t]*(?:\*\*|__).*$|^[ \t]*#{1,6} .*$", re.MULTILINE
)
# A quotation that was taken out: its place in the list of them, as a character of private use.
_HOLE = re.compile("‹([\ue000-\uf8ff])›")
_FIRST_HOLE = 0xE000
_MOST_HOLES = 6_000
_LONGEST_QUOTED = 100
_LONGEST_NAME = 24
_SPEAKS = re.compile(r"\b(?:i|i'm|my|we|you|he|she|they|is|are)\b|[我你您他她是]", re.IGNORECASE)


def without_recalled(text: str) -> str:
    """The text without fenced blocks, which hold recalled memory, summaries or pasted markup."""
    return _UNCLOSED_MEMORY.sub("", _without_blocks(text)).strip()


def _without_blocks(text: str) -> str:
    """The text without `<tag>…</tag>`, in one pass: a tag that nothing closes is no block."""
    last = {closed["tag"]: closed.start() for closed in _CLOSED.finditer(text)}
    kept, at = [], 0
    for opened in _OPENED.finditer(text):
        if opened.start() >= at and last.get(opened["tag"], -1) >= opened.end():
            kept.append(text[at : opened.start()])
            closing = f"</{opened['tag']}>"
            at = text.index(closing, opened.end()) + len(closing)
    return "".join([*kept, text[at:]])


def without_code(text: str) -> str:
    """The text without fenced code and without lines that can only be code, logs or traces."""
    kept = [line for line in _FENCED.sub("\n", text).splitlines() if not _CODE_LINE.match(line)]
    return "\n".join(kept).strip()


def has_code(text: str) -> bool:
    """Whether there is anything that `without_code` takes out."""
    return without_code(text) != text.strip()


def is_record(text: str) -> bool:
    """Whether the whole text is a JSON object or list."""
    bare = text.strip()
    if not bare.startswith(("{", "[")):
        return False
    try:
        json.loads(bare)
    except (ValueError, RecursionError):
        return False
    return True


def own_words(text: str) -> tuple[str, tuple[str, ...]]:
    """What the user says in a message, in the user's own words, and what was quoted in them.

    Pasted text, quotations, code and recalled blocks are taken out; a short quotation that can
    only be a name stays.
    """
    if is_record(text):
        return "", ()
    text = _QUOTED_LINE.sub("", without_code(without_recalled(text)))
    if len(_OUTLINE.findall(text)) > 1:
        text = _OUTLINE.sub("", text)  # Nobody types bold lists: this is an article.
    pasted = _PASTED.search(text)
    if pasted is not None:
        text = text[: pasted.end()].rstrip(" :：")
    drafted = _DRAFTED.search(text)
    if drafted is not None:
        text = text[: drafted.end()].rstrip(" :：")
    text = without_reported(_without_letter(text))
    quoted: list[str] = []
    text = _SPEECH.sub(lambda found: _quotation(found, quoted), text)
    # What follows a colon in "Translate: …" is material, not a statement.
    shown = _SHOWN.match(text)
    rewrite = _REWRITE.search(text)
    if rewrite and shown and rewrite.end() <= shown.end():
        return shown.group().strip(), tuple(quoted)
    colon = re.compile(r"[:：]").search(text, rewrite.end()) if rewrite else None
    if colon is not None and not re.search(
        r"[.!?。！？\n]", text[rewrite.end() : colon.start()] if rewrite else ""
    ):
        text = text[: colon.start()]
    return text.strip(), tuple(quoted)


def quoted_again(content: str, quoted: Sequence[str]) -> str:
    """What was read from somebody's own words, with the quotations in it; nothing if too long."""
    for hole in _HOLE.findall(content):
        said = "".join(quoted[ord(hole) - _FIRST_HOLE :][:1])
        if not 0 < len(said) <= _LONGEST_QUOTED:
            return ""
        content = content.replace(f"‹{hole}›", said)
    return content


def _without_letter(text: str) -> str:
    """The text up to a salutation on a line of its own that a signature follows."""
    greeted = _GREETED.search(text)
    letter = greeted is not None and _SIGNED.search(text, greeted.end()) is not None
    return text[: greeted.start()] if greeted and letter else text


def _quotation(match: re.Match[str], quoted: list[str]) -> str:
    inner = match.group(1) or match.group(2) or ""
    if len(inner) <= _LONGEST_NAME and not _SPEAKS.search(inner):
        return inner
    if len(quoted) == _MOST_HOLES:
        return ""
    quoted.append(match.group())
    return f"‹{chr(_FIRST_HOLE + len(quoted) - 1)}›"
