"""The rule-based extractor: what the user stated, without a model call."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from langchain_core.messages import BaseMessage

from langgraph_memory import clock
from langgraph_memory.calls import Steps
from langgraph_memory.extraction.answers import completed, corrected_limit
from langgraph_memory.extraction.dates import days, end_of_current, period
from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.forgetting import asks_to_forget_everything
from langgraph_memory.extraction.own_words import quoted_again
from langgraph_memory.extraction.proposals import Action, Dropped, DropReason, Extraction, Proposal
from langgraph_memory.extraction.reported import without_hearsay
from langgraph_memory.extraction.request import ExtractionRequest
from langgraph_memory.extraction.rules.chinese.reading import (
    asks_chinese,
    is_of_another_han,
    read_chinese,
)
from langgraph_memory.extraction.rules.english.others import read_of_another
from langgraph_memory.extraction.rules.english.reading import asks_english, read_english
from langgraph_memory.extraction.rules.headed import with_things
from langgraph_memory.extraction.rules.keywords import keywords
from langgraph_memory.extraction.turns import Utterance, speakers, utterances
from langgraph_memory.memories.matters import is_on_health
from langgraph_memory.memories.secrets import holds_secret
from langgraph_memory.messages import check_messages, key_of, role_of, text_of
from langgraph_memory.offline.words import has_han, sentences
from langgraph_memory.records import Confirmation, MemoryType

__all__ = ["RULES", "RulesExtractor", "extract_by_rules"]

RULES = "rules/1"
"""Name and version of this extractor, for `MemoryRecord.extractor`."""

_LEAST_IMPORTANCE = 0.3
_HEALTH = 0.8
"""How important somebody's health is at least."""
_LONGEST_SENTENCE = 600
_LONGEST_MESSAGE = 20_000
_JOKE = re.compile(
    r"(?:^|\s)/s\b|\b(?:just\s)?(?:kidding|joking)\b|\bjk\b|\bsarcasm\b|\bnot\sreally\s?(?:lol|haha)|^\W*(?:lol|haha|yeah|oh|sure)[,\s]+(?:lol\s|yeah\s|oh\s)?(?:sure|right)\b|\byeah,?\sright\b|^\W*oh,?\s(?:great|wonderful|perfect|fantastic|brilliant|lovely|joy)\b|\bjust\slove\s(?:it\swhen|how)\b|^\W*great,\s(?:another|more)\b|\bnot!\s*$|🙃|\bas\sif!|"
    r"开(?:个|的)?玩笑|逗你|反话|反讽|讽刺|狗头|\[doge\]|才怪|骗你的|说着玩|^\W*呵呵|我(?:可|真是?)太\S+[了呢]呢|^(?:哈哈)+哈*我(?:是|就是)",
    re.IGNORECASE,
)
_JOKE_BEFORE = re.compile(
    r"\b(?:just\s)?(?:kidding|joking)\b|\bjk\b|开(?:个|的)?玩笑|逗你|骗你的|说着玩", re.IGNORECASE
)
_SEVERAL = frozenset(
    {"job", "employer", "origin", "nickname", "home", "diet", "project", "birthday"}
)
# "....." says no more than "..."; and no sentence is longer than a piece, which ends with one if
# it can, so that a text takes time in proportion to its length.
_RUN = re.compile(r"(([^\w\s])\2\2)\2+")
_PIECE = re.compile(r".{1,2000}$|.{1,1800}[.!?。！？](?=\s|[^\x00-\x7f])\s*|.{1,2000}")
_GREETED = re.compile(
    r"^(\W*(?:hi|hiya|hey|hello|good\s\w+))[!.]+\s+(?=(?:it['’]?s|it\sis|this\sis)\s)",
    re.IGNORECASE,
)
# What is done on one day of each week is no event.
_RECURS = re.compile(
    r"\b(?:every|each)\s(?:(?:other|second|single|first|last)\s)?(?:\w+day|day|week|month|year|morning|evening|night|weekend)s?\b|"
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b|每(?:隔)?一?[\d两二三]?个?(?:周|星期|礼拜|天|日|月|年|晚|早|逢)|一般|通常|平时|平常",
    re.IGNORECASE,
)
_SELF = re.compile(r"\b(?:i|me|my|we|our|us|you|your)\b|[我咱俺你您]", re.IGNORECASE)
_LATIN = re.compile(r"[A-Za-z]+")
_MIXED = re.compile(
    r"(?<=[A-Za-z.!?,])\s+(?=[\u4e00-\u9fff]{3})|(?<=[\u4e00-\u9fff。！？，])\s*(?=(?:I'm|I|My|my|Please|Always|Never)\s\w+\s\w+)"
)


class RulesExtractor:
    """The rules as an `Extractor`; it costs no model call."""

    name = RULES

    def steps(self, request: ExtractionRequest) -> Steps[Extraction]:
        """What the rules read from the request's messages."""
        return extract_by_rules(request.messages, speaker=request.speaker, said_at=request.said_at)
        yield  # A generator that yields nothing.


def extract_by_rules(
    messages: Sequence[BaseMessage], *, speaker: str | None = None, said_at: datetime | None = None
) -> Extraction:
    """What the user stated about themselves, or asked for as a standing order, in some messages.

    No model is called. Questions, suppositions, quotations, pasted text, jokes marked as such,
    wishes for this once, and what the assistant said are not taken. A short reply is read with
    the question of the assistant that it answers.

    Args:
        messages: A turn, or a few, oldest first; assistant messages only serve as context.
        speaker: In a thread with several speakers, the `name` of the one whose memories these are;
            what others say is dropped. None takes everybody: where there are several, sentences
            name their speaker instead of speaking of "the user".
        said_at: When the messages were written, for "tomorrow" and "next Friday"; now, if None.

    Raises:
        InvalidMessagesError: the messages are not a list of LangChain messages.
    """
    check_messages(messages)
    moment = said_at or clock.now()
    said = list(utterances(messages))
    several = len(speakers(said)) > 1 or (speaker is not None and bool(speakers(said) - {speaker}))
    spoken = {key_of(one): text_of(one) for one in messages if role_of(one) == "assistant"}
    proposals: list[Proposal] = []
    dropped: list[Dropped] = []
    for one in said:
        if speaker is not None and one.speaker not in {speaker, None}:
            if one.text:
                dropped.append(Dropped(one.message_id, DropReason.OTHER_SPEAKER))
            continue
        for found in _proposed(one, spoken.get(one.asked_id, ""), dropped, moment):
            named = _named(found, one.speaker) if several and speaker is None else found
            proposals.append(replace(named, speaker=one.speaker))
    return Extraction(tuple(_once_each(proposals)), tuple(dropped))


def asked_to_forget(
    messages: Sequence[BaseMessage], *, speaker: str | None = None
) -> list[Dropped]:
    """Where the user asks for all that is known of them to be forgotten.

    It is told whoever reads the messages, as a model that is asked for memories cannot tell it.

    Args:
        messages: As for `extract_by_rules`.
        speaker: As there.
    """
    return [
        Dropped(one.message_id, DropReason.EVERYTHING)
        for one in utterances(messages)
        if speaker is None or one.speaker in {speaker, None}
        for sentence in _sentences_of(one.text[:_LONGEST_MESSAGE])
        if asks_to_forget_everything(sentence)
    ]


def _proposed(
    said: Utterance, spoken: str, dropped: list[Dropped], moment: datetime
) -> Iterator[Proposal]:
    text = _GREETED.sub(r"\1, ", said.text[:_LONGEST_MESSAGE])
    corrected = corrected_limit(spoken, said.asked, text)
    if corrected:
        yield from (
            replace(
                _finished(draft, said, moment, has_han(corrected)),
                source_message_ids=(said.asked_id, said.message_id),
            )
            for draft in _drafts(corrected, replying=True)
        )
        return
    reply = next(completed(said.asked, text), None) if said.asked else None
    if reply is not None and not holds_secret(text):
        confirmation = Confirmation.CONFIRMED if reply.agreed else Confirmation.STATED
        for draft in _drafts(reply.text, replying=True):
            found = _finished(draft, said, moment, has_han(reply.text))
            yield replace(
                found,
                confirmation=confirmation,
                source_message_ids=(said.asked_id, said.message_id),
            )
        if (reply.agreed and len(text) < 12) or (reply.denied and len(text) < 25):
            return
    lines = with_things(_with_reasons(_sentences_of(text)))
    asking = {at for at, one in enumerate(lines) if _asks(one)}
    own = False
    for at, sentence in enumerate(lines):
        following = lines[at + 1] if at + 1 < len(lines) else ""
        if asks_to_forget_everything(sentence):
            dropped.append(Dropped(said.message_id, DropReason.EVERYTHING))
            own = False
            continue
        if holds_secret(sentence):
            dropped.append(Dropped(said.message_id, DropReason.SECRET))
            own = False
            continue
        if _JOKE.search(sentence) or _JOKE_BEFORE.search(following):
            dropped.append(Dropped(said.message_id, DropReason.NOT_MEANT))
            own = False
            continue
        if len(sentence) > _LONGEST_SENTENCE:
            continue
        bare = without_hearsay(sentence, following)
        asked = len(asking) > (at in asking)  # By another sentence.
        if _is_chinese(sentence):
            drafts, own = read_chinese(bare, own=own, asked=asked)
        else:
            drafts, own = read_english(bare, asked=asked), False
        for draft in _without_implied(drafts, sentence):
            content = quoted_again(draft.content, said.quoted)
            if content:
                yield _finished(
                    replace(draft, content=content), said, moment, _is_chinese(sentence)
                )


def _sentences_of(text: str) -> list[str]:
    return [
        one
        for line in _RUN.sub(r"\1", text).splitlines()
        for piece in _PIECE.findall(line)
        for part in _by_script(piece)
        for one in sentences(part)
    ]


def _with_reasons(lines: Sequence[str]) -> list[str]:
    """The sentences, those joined that say who cannot have something and then "so no …"."""
    found: list[str] = []
    for line in lines:
        before = found[-1].rstrip(".!。！ ") if found else ""
        joined = f"{before}，{line}" if has_han(line) else f"{before}, {line[:1].lower()}{line[1:]}"
        if (
            len(joined) < 200
            and (
                is_of_another_han(joined)
                if has_han(joined)
                else read_of_another(joined) is not None
            )
            and before
        ):
            found[-1] = joined
        else:
            found.append(line)
    return found


_FOLLOWS = re.compile(r"\bso\b|所以|因此")
_IMPLIED = re.compile(
    r"taste:(?:(?:any|with)\s)?(?:meat\w*|beef|pork|[荤肉]\S?)(?:\s(?:dish|recip)\w*)?"
)


def _without_implied(drafts: Sequence[Draft], sentence: str) -> list[Draft]:
    """Drafts without what only follows from a diet, and must end with it: "so no meat"."""
    diet = any(one.subject == "diet" and one.type is MemoryType.CONSTRAINT for one in drafts)
    if not diet or not _FOLLOWS.search(sentence):
        return list(drafts)
    return [one for one in drafts if not _IMPLIED.fullmatch(one.subject or "")]


def _asks(sentence: str) -> bool:
    """Whether a sentence asks for something, or names a matter that is not the speaker's."""
    if _is_chinese(sentence):
        return asks_chinese(sentence) or (len(sentence) > 8 and not _SELF.search(sentence))
    words = len(sentence.split())
    return asks_english(sentence) or (words > 4 and not _SELF.search(sentence))


def _drafts(text: str, *, replying: bool) -> list[Draft]:
    return (
        read_chinese(text, replying=replying)[0]
        if has_han(text)
        else read_english(text, replying=replying)
    )


def _by_script(line: str) -> list[str]:
    """A line cut where one language ends and the other begins; a borrowed word cuts nothing."""
    parts = _MIXED.split(line)
    whole = all(has_han(one) != has_han(two) for one, two in pairwise(parts))
    return parts if whole else [line]


def _is_chinese(sentence: str) -> bool:
    if not has_han(sentence):
        return False
    characters = sum("\u3400" <= one <= "\u9fff" for one in sentence)
    return 2 * characters >= len(_LATIN.findall(sentence))


def _finished(draft: Draft, said: Utterance, moment: datetime, han: bool) -> Proposal:
    """A draft with its dates worked out and its source named."""
    if draft.type is MemoryType.EPISODE and _RECURS.search(draft.content):
        draft = replace(draft, type=MemoryType.FACT)
    event = draft.type in {MemoryType.EPISODE, MemoryType.GOAL}
    since, until = period(draft.content, moment.date(), event=event)
    subject = draft.subject
    if draft.type is MemoryType.CONSTRAINT and until is None and not draft.forgets:
        until = end_of_current(draft.content, moment.date())
        # What is for this month only leaves what is for every month.
        subject = f"{subject} for now" if until and subject else subject
    content = _dated(draft.content, moment, event=event)
    end = "。" if han else "."
    content = content.strip().rstrip(".。,， ")
    hedged = draft.confidence <= 0.6
    return Proposal(
        content=content if draft.forgets else content + end,
        type=draft.type,
        importance=_importance(draft),
        confidence=draft.confidence,
        confirmation=Confirmation.INFERRED if hedged else Confirmation.STATED,
        action=Action.FORGET if draft.forgets else Action.ADD,
        subject=subject,
        retracts=tuple(f"{one.strip()}{end}" for one in draft.retracts if one),
        swap=draft.swap,
        keywords=keywords(content),
        source_message_ids=(said.message_id,),
        language="zh" if han else "en",
        valid_from=since,
        valid_to=until if draft.type is not MemoryType.GOAL else None,
    )


def _importance(draft: Draft) -> float:
    lasts = draft.type not in {MemoryType.EPISODE, MemoryType.GOAL, MemoryType.PROJECT}
    return max(draft.weight, _HEALTH) if lasts and is_on_health(draft.content) else draft.weight


def _dated(content: str, moment: datetime, *, event: bool) -> str:
    """The date behind each day that is named by how far it is off."""
    for day in reversed(days(content, moment.date())):
        if day.relative and event:
            content = f"{content[: day.end]} ({day.date.isoformat()}){content[day.end :]}"
    return content


def _named(found: Proposal, speaker: str | None) -> Proposal:
    """A proposal that names its speaker, for where "the user" could be anyone."""
    if not speaker:
        return found
    content = found.content.replace("用户", speaker, 1)
    content = re.sub(r"\b[Tt]he user\b", speaker, content, count=1)
    return replace(found, content=content)


def _once_each(proposals: Sequence[Proposal]) -> Iterator[Proposal]:
    """Proposals without repetitions; the last of several that exclude each other.

    One message may tell several things of a job, say; only the first can then be superseded.
    """
    seen: set[tuple[str | None, str]] = set()
    last = {
        (one.speaker, one.subject): at
        for at, one in enumerate(proposals)
        if one.subject is not None and one.action is Action.ADD
    }
    action = None
    for at, one in enumerate(proposals):
        if one.action is not action:  # What was withdrawn can be stated anew, and the reverse.
            seen, action = set(), one.action
        key = (one.speaker, one.content.casefold())
        if key in seen or one.importance < _LEAST_IMPORTANCE:
            continue
        if one.subject is not None and one.action is Action.ADD:
            newest = proposals[last[(one.speaker, one.subject)]]
            together = newest.source_message_ids == one.source_message_ids
            if newest is not one and not (together and one.subject in _SEVERAL):
                continue
            if (
                newest is one
                and one.subject in _SEVERAL
                and any(
                    two.subject == one.subject and two.source_message_ids == one.source_message_ids
                    for two in proposals[:at]
                )
            ):
                one = replace(one, subject=None)
        seen.add(key)
        yield one
