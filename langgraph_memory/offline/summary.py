"""Summaries by extraction: the user's exact statements first, then what happened.

Nothing is rephrased. A key fact is a sentence of the source, or a line of the earlier summary;
when the room is short, the least telling ones go first and the user's standing wishes last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from langgraph_memory.offline.passages import newest_request, plain_text
from langgraph_memory.offline.phrases import is_own_quote, is_own_refusal
from langgraph_memory.offline.question import is_question
from langgraph_memory.offline.statement import corrects, read_statement
from langgraph_memory.offline.values import specifics
from langgraph_memory.offline.words import HAN, clean, has_han, sentences

__all__ = ["summarize", "summary_wanted"]

MAX_WORDS = 300
_TELLING = 1.5
"""Worth below which a fact goes before the course, when the source is hardly longer."""
_STANDING_WORTH = 3.0
"""The same when the summary is as long as any may be: all but standing wishes."""
_ALIKE = 0.5
"""What a fact loses for each other fact that is worded like it, up to four of them."""
_LONGEST_FACT = 300
"""Characters of a sentence that a key fact keeps; longer ones are no facts but texts."""

_CONVERSATION = re.compile(r"<conversation>[ \t]*\n(.*?)\n?</conversation>", re.DOTALL)
_PREVIOUS = re.compile(r"<previous_summary>[ \t]*\n(.*?)\n?</previous_summary>", re.DOTALL)
_RUNNING = re.compile(r"<conversation_summary>[ \t]*\n(.*?)\n?</conversation_summary>", re.DOTALL)
_OUR_TAGS = re.compile(
    r"<(?=/?(?:conversation_summary|conversation|previous_summary|long_term_memory)\b)"
)
_ASKS = re.compile(
    r"^\W*(?:(?:please|can you|could you|now|ok|okay|so|pause the conversation)\b.{0,80}?)?"
    r"\b(?:summari[sz]e|sum up|recap|give me a (?:\w+ )?(?:summary|recap))\b",
    re.IGNORECASE | re.DOTALL,
)
_ASKS_HAN = re.compile(r"^.{0,12}(?:总结|概括|归纳|小结|摘要)(?!里|中|是什么)")
_ABOUT_TALK = re.compile(
    r"\b(?:conversation|chat|discussion|everything|so far|above|we\b|our\b|talked|discussed|"
    r"messages|said)|"
    r"对话|聊天|上面|以上|之前|目前|到现在|一下|我们",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"^(user|human|assistant|ai|tool|system)(?: [^\s:]{1,64})?: |^(用户|助手|工具|系统)[:：]\s*",
    re.IGNORECASE,
)
_ROLES = {
    "human": "user",
    "ai": "assistant",
    "用户": "user",
    "助手": "assistant",
    "工具": "tool",
    "系统": "system",
}
_BULLET = re.compile(r"^\s*[-*•]\s+")
_FACTS_HEADING = re.compile(r"^\W*(?:key facts|关键事实)\W*[:：]\W*$", re.IGNORECASE)
_COURSE_HEADING = re.compile(
    r"^\W*(?:course of the conversation|对话经过)\W*[:：]\s*", re.IGNORECASE
)
_STANDING = re.compile(
    r"\b(?:never|always|must|allerg\w*|intoleran\w*|can't|cannot|don't|won't|do\snot|avoid|prefer\w*|hate|love|"
    r"favou?rite|budget|limit|at\smost|under|maximum|no\s\w+|only|my\sname|i'm\s(?:an?\b|[A-Z])|i\sam|call\sme|"
    r"my\s\w+|our\s\w+|i\s(?:live|work|use|like|need|want|have|moved|take)|we\s(?:decided|use|agreed|chose)|decided|deadline|"
    r"from\snow\son)\b|不要|不能|不吃|不坐|别|过敏|预算|以内|总是|必须|一定|从不|喜欢|讨厌|偏好|我叫|我是|我姓|我在|我的(?!天)|我们(?:决定|用|团队|公司|打算|选)|以后|"
    r"决定|截止|住|最多|只要",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"^\W*(?:(?:hi|hello|hey|good \w+)(?:\s\w+){0,2}|thanks?(?:\syou)?|thank\syou.*|"
    r"ok(?:ay)?|great|nice|cool|sure|good|bye|perfect|got\sit|"
    r"(?:all|sounds)\s\w+|noted.*|understood|你好|您好|谢谢.*|好的?|嗯|行|再见|明白|收到|已记[下录].*|记住了|没问题|欢迎)\W*$",
    re.IGNORECASE,
)
_WORD = re.compile(f"[{HAN}]|[^\\s{HAN}]+")
_HEADINGS = {
    "en": ("Key facts:", "Course of the conversation:"),
    "zh": ("关键事实：", "对话经过："),
}


@dataclass(frozen=True, slots=True)
class _Turn:
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class _Fact:
    text: str
    worth: float
    order: int


def summary_wanted(messages: Sequence[BaseMessage]) -> bool:
    """Whether the newest user message asks for a summary of a conversation."""
    _, request = newest_request(messages)
    whole = next((plain_text(m) for m in reversed(messages) if isinstance(m, HumanMessage)), "")
    if _CONVERSATION.search(whole) is not None:
        return True
    head = sentences(request)[:3]
    asked = any(_ASKS.search(one) or _ASKS_HAN.search(one) for one in [request[:200], *head])
    return asked and _ABOUT_TALK.search(request) is not None


def summarize(messages: Sequence[BaseMessage]) -> str:
    """The summary that a request asks for, in the language of the conversation.

    Args:
        messages: A request for which `summary_wanted` is true.

    Returns:
        Two headed parts, at most 300 words (Chinese characters count as words).
    """
    whole = next((plain_text(m) for m in reversed(messages) if isinstance(m, HumanMessage)), "")
    conversation = _CONVERSATION.search(whole)
    if conversation is not None:
        previous = _PREVIOUS.search(whole)
        turns = _transcript(conversation.group(1))
    else:
        index, _ = newest_request(messages)
        previous = next(
            (found for m in messages[:index] if (found := _RUNNING.search(plain_text(m)))), None
        )
        turns = _thread(messages[:index])
    return _compose(turns, previous.group(1) if previous else "")


def _transcript(text: str) -> list[_Turn]:
    turns: list[_Turn] = []
    for line in text.splitlines():
        label = _ROLE.match(line)
        if label is not None:
            role = (label.group(1) or label.group(2)).lower()
            turns.append(_Turn(_ROLES.get(role, role), line[label.end() :]))
        elif turns:
            turns[-1] = _Turn(turns[-1].role, f"{turns[-1].text}\n{line}")
        elif line.strip():
            turns.append(_Turn("user", line))
    return turns


def _thread(messages: Sequence[BaseMessage]) -> list[_Turn]:
    roles: tuple[tuple[type[BaseMessage], str], ...] = (
        (HumanMessage, "user"),
        (AIMessage, "assistant"),
        (ToolMessage, "tool"),
    )
    turns = []
    for message in messages:
        text = _RUNNING.sub("", plain_text(message)).strip()
        role = next((name for kind, name in roles if isinstance(message, kind)), "")
        if role and text:
            turns.append(_Turn(role, text))
    return turns


def _compose(turns: list[_Turn], previous: str) -> str:
    said = " ".join(turn.text for turn in turns if turn.role == "user") or previous
    letters = len(re.findall("[A-Za-z]+", said))
    language = "zh" if len(re.findall(f"[{HAN}]", said)) > letters else "en"
    headings = _HEADINGS[language]
    facts = _without_replaced([*_earlier(previous), *_facts(turns, language)])
    facts = _less_for_alike(facts)
    course = _course(turns, _earlier_course(previous), language)
    source = len(previous) + sum(len(turn.text) + len(turn.role) + 3 for turn in turns)
    while not _fits(text := _laid_out(facts, course, headings), source):
        weakest = min(facts, key=lambda one: (one.worth, one.order), default=None)
        limit = _TELLING if len(text) >= source else _STANDING_WORTH
        if weakest is not None and weakest.worth < limit:
            facts.remove(weakest)
        elif course:
            course = ""
        elif weakest is not None and len(facts) > 1:
            facts.remove(weakest)
        else:
            # One short sentence cannot be made shorter without losing it.
            break
    return _escaped(text)


def _laid_out(facts: list[_Fact], course: str, headings: tuple[str, str]) -> str:
    lines = [f"- {fact.text}" for fact in sorted(facts, key=lambda one: one.order)]
    parts = ["\n".join([headings[0], *lines])] if lines else []
    return "\n\n".join([*parts, f"{headings[1]}\n{course}"] if course else parts)


def _fits(text: str, source: int) -> bool:
    return len(_WORD.findall(text)) <= MAX_WORDS and len(text) < source


def _escaped(text: str) -> str:
    return _OUR_TAGS.sub("&lt;", clean(text)).strip()


def _earlier(previous: str) -> list[_Fact]:
    """Key facts of the earlier summary, word for word."""
    facts: list[_Fact] = []
    for line in previous.splitlines():
        if _COURSE_HEADING.match(line.strip()):
            break
        if _BULLET.match(line):
            text = _BULLET.sub("", line).strip()
            lasting = bool(_STANDING.search(text)) or corrects(text)
            worth = 2.5 + 1.5 * lasting + 0.2 * specifics(text)
            if re.match(r"(?:assistant|tool|助手|工具)[:：]", text):
                worth -= 2
            facts.append(_Fact(text, worth, len(facts)))
    if not facts and previous.strip():
        free = [one for line in previous.splitlines() for one in sentences(line)]
        facts = [
            _Fact(one, 2.5, i)
            for i, one in enumerate(free)
            if not one.endswith((":", "：")) and len(one) <= _LONGEST_FACT
        ]
    return facts


def _earlier_course(previous: str) -> str:
    lines = previous.splitlines()
    for at, line in enumerate(lines):
        heading = _COURSE_HEADING.match(line.strip())
        if heading:
            return " ".join([line.strip()[heading.end() :], *lines[at + 1 :]]).strip()
    return ""


def _facts(turns: list[_Turn], language: str) -> list[_Fact]:
    facts: list[_Fact] = []
    asked = ""
    for number, turn in enumerate(turns):
        if turn.role == "assistant" and (is_own_quote(turn.text) or is_own_refusal(turn.text)):
            continue
        before = ""
        for sentence in sentences(turn.text):
            statement = read_statement(sentence)
            if is_question(sentence):
                before = asked = sentence
                continue
            lead = before if statement.dependent else ""
            if turn.role == "user" and asked and statement.fragment and not lead:
                lead = asked
            whole = f"{lead} {sentence}".strip() if lead else sentence
            worth = _worth(turn.role, sentence, bool(lead))
            before, asked = sentence, ""
            if worth <= 0 or len(whole) > _LONGEST_FACT:
                continue
            if lead and facts and facts[-1].text == lead:
                facts.pop()
            if turn.role != "user":
                whole = f"{_label(turn.role, language)}{whole}"
            facts.append(_Fact(whole, worth, 10_000 + number * 100 + len(facts) % 100))
    return facts


def _label(role: str, language: str) -> str:
    if language == "zh":
        return {"assistant": "助手：", "tool": "工具："}.get(role, "系统：")
    return f"{role}: "


def _worth(role: str, sentence: str, answers: bool) -> float:
    if _SMALL_TALK.match(sentence) or role == "system":
        return 0.0
    exact = specifics(sentence)
    if role == "user":
        standing = bool(_STANDING.search(sentence))
        lasting = 2.5 * (standing or corrects(sentence))
        return 1.0 + lasting + 0.4 * min(exact, 3) + 1.0 * answers
    if role == "tool":
        return 0.5 + 0.3 * min(exact, 3) if exact else 0.0
    return 0.3 * min(exact, 3)


def _without_replaced(facts: list[_Fact]) -> list[_Fact]:
    """Facts without repetitions, and without those that a later one corrects entirely."""
    kept: list[_Fact] = []
    for fact in facts:
        new = read_statement(fact.text)
        same = {one.text.casefold() for one in kept}
        if fact.text.casefold() in same:
            continue
        if corrects(fact.text):
            kept = [one for one in kept if not _says_all_of(one.text, fact.text)]
        if new.length:
            kept.append(fact)
    return kept


def _less_for_alike(facts: list[_Fact]) -> list[_Fact]:
    """Take worth from facts that say nearly the same: one that stands alone tells more."""
    words = [
        frozenset(word for word in read_statement(fact.text).stems if not word.isdigit())
        for fact in facts
    ]
    return [
        replace(fact, worth=fact.worth - _ALIKE * min(_alike(words, at), 4))
        for at, fact in enumerate(facts)
    ]


def _alike(words: list[frozenset[str]], at: int) -> int:
    """How many other facts share most of their words with one."""
    own = words[at]
    return sum(
        len(own & other) > 0.6 * len(own | other)
        for i, other in enumerate(words)
        if i != at and own
    )


def _says_all_of(old: str, new: str) -> bool:
    """Whether a correction restates everything of an older sentence but its value."""
    first, second = read_statement(old), read_statement(new)
    exact = (
        first.kinds
        & second.kinds
        & {"#money", "#date", "#time", "#number", "#code", "#place", "#age"}
    )
    if not exact or first.about_other != second.about_other or first.names - second.names:
        return False
    if has_han(old):
        # Numbers change in a correction; the words around them must be there again.
        parts = set(
            re.findall(f"[{HAN}]", re.sub("[零一二两三四五六七八九十百千万半点月日号周]", "", old))
        )
        return bool(parts) and len(parts & set(new)) >= 0.75 * len(parts)
    words = {word for word in first.stems if word.isalpha() and len(word) > 2}
    return bool(words) and len(words & second.stems) >= 0.75 * len(words)


def _course(turns: list[_Turn], earlier: str, language: str) -> str:
    """Two to four sentences: what went before, what was asked, and what was said last."""
    asked = [
        sentence
        for turn in turns
        if turn.role == "user"
        for sentence in sentences(turn.text)
        if is_question(sentence)
    ]
    replies = [turn.text for turn in turns if turn.role == "assistant" and turn.text.strip()]
    users = sum(turn.role == "user" for turn in turns)
    last = _shortened(sentences(replies[-1])[0]) if replies and sentences(replies[-1]) else ""
    parts = [_shortened(earlier, 120)] if earlier else []
    if language == "zh":
        parts.append(f"用户发了{users}条消息。")
        if asked:
            parts.append("问过：" + " ".join(f"“{_shortened(one)}”" for one in asked[-2:]))
        if last:
            parts.append(f"助手最后说：“{last}”")
        return "".join(parts)
    parts.append(f"The user sent {users} message{'' if users == 1 else 's'}.")
    if asked:
        parts.append("Asked: " + " ".join(f"“{_shortened(one)}”" for one in asked[-2:]))
    if last:
        parts.append(f"The assistant last said: “{last}”")
    return " ".join(parts)


def _shortened(text: str, limit: int = 80) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
