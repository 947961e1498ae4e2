"""Recorded conversations, and questions with the turns that answer them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.evals.reading_lines import opened_lines
from langgraph_memory.evals.retrieval.moments import moment_of

__all__ = ["Conversation", "DataSet", "Question", "Turn", "load_sets"]

_CONVERSATIONS = "conversations.jsonl.gz"
_QUESTIONS = "questions.jsonl.gz"


@dataclass(frozen=True)
class Turn:
    """What somebody said.

    Attributes:
        text: With the speaker before it.
        speaker: Who said it; empty if that is not known.
        moment: When, aware; None if that is not known.
        session: The part of the conversation it belongs to; None if there are no parts.
        position: Its place there, from 0.
    """

    text: str
    speaker: str = ""
    moment: datetime | None = None
    session: str | None = None
    position: int = 0


@dataclass(frozen=True)
class Question:
    """A question about one conversation.

    Attributes:
        text: As asked.
        category: What kind of question it is.
        evidence: Ids of the turns that answer it, at least one.
        asked: When it is asked, aware; None if that is not known.
        superseded: Ids of the turns that answered it before, and no longer do.
    """

    text: str
    category: str
    evidence: frozenset[str]
    asked: datetime | None = None
    superseded: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Conversation:
    """A conversation, which is one namespace.

    Attributes:
        name: Its id.
        turns: Each turn by its id, in order.
        questions: About it, each with evidence.
    """

    name: str
    turns: dict[str, Turn]
    questions: tuple[Question, ...]

    @property
    def until(self) -> datetime | None:
        """When the last turn was said, as far as that is known."""
        return max((turn.moment for turn in self.turns.values() if turn.moment), default=None)


@dataclass(frozen=True)
class DataSet:
    """Conversations of one source.

    Attributes:
        name: Name of its folder.
        conversations: Those that have a question.
    """

    name: str
    conversations: tuple[Conversation, ...]

    @property
    def turns(self) -> int:
        """How many turns there are."""
        return sum(len(each.turns) for each in self.conversations)

    @property
    def questions(self) -> int:
        """How many questions there are."""
        return sum(len(each.questions) for each in self.conversations)

    def first(self, questions: int) -> DataSet:
        """The same with so many questions about each conversation at most."""
        shorter = [
            replace(each, questions=each.questions[:questions]) for each in self.conversations
        ]
        return replace(self, conversations=tuple(shorter))


def load_sets(
    folder: Path, names: Sequence[str] = (), limit: int | None = None
) -> tuple[DataSet, ...]:
    """Read data sets.

    Args:
        folder: One data set, or a folder of them.
        names: Which ones; all if there are none.
        limit: How many conversations of each to read; all of them if None.

    Raises:
        InvalidInputError: There is no such set, or a line of it is not as it should be.
    """
    inside = sorted(folder.iterdir()) if folder.is_dir() else []
    paths = {each.name: each for each in (folder, *inside) if (each / _CONVERSATIONS).is_file()}
    missing = [name for name in names if name not in paths]
    if missing or not paths:
        there = ", ".join(paths) or "none"
        raise InvalidInputError(
            f"No data set {' '.join(missing) or 'at all'} in {str(folder)!r}; there are: {there}. "
            f"A data set is a folder with {_CONVERSATIONS} and {_QUESTIONS}."
        )
    return tuple(_load_set(paths[name], limit) for name in (names or paths))


def _load_set(folder: Path, limit: int | None) -> DataSet:
    asked: dict[str, list[Question]] = {}
    for line in _lines(folder / _QUESTIONS, ("conversation_id", "question", "evidence_turn_ids")):
        evidence = frozenset(map(str, line["evidence_turn_ids"] or ()))
        if evidence and not line.get("abstention"):
            question = Question(
                str(line["question"]),
                str(line.get("category") or "–"),
                evidence,
                # A month stands for its end: what happened in it is known.
                moment_of(line.get("question_date") or line.get("ask_time"), last=True),
            )
            asked.setdefault(str(line["conversation_id"]), []).append(question)
    conversations: list[Conversation] = []
    for line in _lines(folder / _CONVERSATIONS, ("conversation_id", "turns")):
        if limit is not None and len(conversations) >= limit:
            break
        name = str(line["conversation_id"])
        if name in asked:
            conversations.append(Conversation(name, _turns(line["turns"]), tuple(asked[name])))
    return DataSet(folder.name, tuple(conversations))


def _turns(lines: Sequence[dict[str, Any]]) -> dict[str, Turn]:
    turns: dict[str, Turn] = {}
    lengths: Counter[str] = Counter()
    for line in lines:
        session = None if line.get("session_id") is None else str(line["session_id"])
        position = lengths[session or ""]
        lengths[session or ""] += 1
        turns[str(line["turn_id"])] = Turn(
            text=_spoken(line),
            speaker=str(line.get("speaker") or ""),
            moment=moment_of(line.get("timestamp")),
            session=session,
            position=position,
        )
    return turns


def _spoken(turn: dict[str, Any]) -> str:
    return f"{turn['speaker']}: {turn['text']}" if turn.get("speaker") else str(turn["text"])


def _lines(path: Path, needed: Sequence[str]) -> Iterator[dict[str, Any]]:
    if not path.is_file():
        raise InvalidInputError(f"There is no {path.name} in {str(path.parent)!r}.")
    with opened_lines(path) as lines:
        for number, text in enumerate(lines, 1):
            try:
                line: Any = json.loads(text)
                lacking = [name for name in needed if name not in line]
            except (ValueError, TypeError) as error:
                raise InvalidInputError(
                    f"Line {number} of {str(path)!r} is not a JSON object ({error})."
                ) from error
            if lacking:
                raise InvalidInputError(
                    f"Line {number} of {str(path)!r} lacks {', '.join(lacking)}."
                )
            yield line
