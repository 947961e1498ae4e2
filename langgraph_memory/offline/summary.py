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
from langgraph_memory.offline.statement import Statement, read_statement
from langgraph_memory.offline.words import HAN, clean, has_han, sentences
from langgraph_memory.offline.worth import is_replaced, worth_of

__all__ = ["summarize", "summary_wanted"]

MAX_WORDS = 300
_IDLE = 0.5
"""Worth below which a sentence is small talk and never a key fact."""
_TELLING = 1.2
"""Worth below which a fact may stay only while the summary is short."""
_STANDING_WORTH = 2.0
"""Worth below which a fact goes before the course of the conversation."""
_SEASONED = 0.2
"""What a fact gains for having been kept before."""
_REPLY = 1.0
"""What a short reply gains, because somebody wanted to know it."""
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
_COURSE_HEADING = re.compile(
    r"^\W*(?:course of the conversation|对话经过)\W*[:：]\s*", re.IGNORECASE
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
    facts = [one for one in _less_for_alike(facts) if one.worth >= _IDLE]
    short = MAX_WORDS // 2
    while facts and len(_WORD.findall(_laid_out(facts, "", headings))) > short:
        weakest = _weakest(facts)
        if weakest.worth >= _TELLING:
            break
        facts.remove(weakest)
    course = _course(turns, _earlier_course(previous), language)
    source = len(previous) + sum(len(turn.text) + len(turn.role) + 3 for turn in turns)
    while not _fits(text := _laid_out(facts, course, headings), source):
        limit = _TELLING if len(text) >= source else _STANDING_WORTH
        if facts and (_weakest(facts).worth < limit or (not course and len(facts) > 1)):
            facts.remove(_weakest(facts))
        elif course:
            course = ""
        else:
            # One short sentence cannot be made shorter without losing it.
            break
    return _escaped(text)


def _weakest(facts: list[_Fact]) -> _Fact:
    return min(facts, key=lambda one: (one.worth, one.order))


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
            label = _ROLE.match(text)
            role = (
                "user" if label is None else _ROLES.get(label.group(0).strip(" :："), "assistant")
            )
            facts.append(_Fact(text, worth_of(role, text) + _SEASONED, len(facts)))
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
            replies = turn.role == "user" and asked != "" and _is_reply(statement)
            if replies and not lead:
                lead = asked
            whole = f"{lead} {sentence}".strip() if lead else sentence
            worth = worth_of(turn.role, sentence) + _REPLY * replies
            before, asked = sentence, ""
            if worth <= 0 or len(whole) > _LONGEST_FACT:
                continue
            if lead and facts and facts[-1].text == lead:
                facts.pop()
            if turn.role != "user":
                whole = f"{_label(turn.role, language)}{whole}"
            facts.append(_Fact(whole, worth, 10_000 + number * 100 + len(facts) % 100))
    return facts


def _is_reply(statement: Statement) -> bool:
    """Whether a statement is too short to be understood without the question before it."""
    long = 7 if has_han(statement.sentence) else 4
    size = len(statement.text) if has_han(statement.sentence) else statement.length
    return statement.fragment and size <= long


def _label(role: str, language: str) -> str:
    if language == "zh":
        return {"assistant": "助手：", "tool": "工具："}.get(role, "系统：")
    return f"{role}: "


def _without_replaced(facts: list[_Fact]) -> list[_Fact]:
    """Facts without repetitions, and without those that a later one corrects entirely."""
    kept: list[_Fact] = []
    for fact in facts:
        if fact.text.casefold() in {one.text.casefold() for one in kept}:
            continue
        kept = [one for one in kept if not is_replaced(one.text, fact.text)]
        if read_statement(fact.text).length:
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
