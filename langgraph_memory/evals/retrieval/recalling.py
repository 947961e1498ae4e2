"""The whole recall path as a contender: `Recall` with its defaults, on this package's store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from langgraph.store.base import PutOp

from langgraph_memory import clock
from langgraph_memory import recall as path
from langgraph_memory.evals.retrieval.conversations import Conversation, Question, Turn
from langgraph_memory.evals.stores import Mode, Place, StoreContender
from langgraph_memory.evals.stores.sessions import BaseStoreSession
from langgraph_memory.store import MemoryStore, SQLiteMemoryStore

__all__ = ["RECALL", "RecallSession"]

Namespace = tuple[str, ...]

_AT_ONCE = 500


class RecallSession(BaseStoreSession):
    """Turns stored with who said them, when and where; questions asked through `Recall`.

    Args:
        store: An open store.
        mode: What to call it: without vectors it is a search by keyword.
    """

    def __init__(self, store: MemoryStore, mode: Mode) -> None:
        super().__init__(store)
        self.modes = (mode,)
        self._path = path.Recall(store)

    def load_turns(self, namespace: Namespace, turns: Mapping[str, Turn]) -> None:
        """Put turns, each under the key by which its neighbours find it."""
        ops = [PutOp(namespace, *_stored(name, turn)) for name, turn in turns.items()]
        for start in range(0, len(ops), _AT_ONCE):
            self.store.batch(ops[start : start + _AT_ONCE])

    def recall(
        self, namespace: Namespace, conversation: Conversation, question: Question
    ) -> list[str]:
        """Ids of the turns that would be injected, best first.

        A question without a time is asked when the conversation is over.
        """
        now = question.asked or conversation.until or clock.now()
        report = self._path.recall(path.Question(question.text, now), namespace)
        return [str(memory.item.value["turn"]) for memory in report.memories]


def _stored(name: str, turn: Turn) -> tuple[str, dict[str, Any]]:
    value: dict[str, Any] = {"text": turn.text, "speaker": turn.speaker, "turn": name}
    if turn.moment is not None:
        value["timestamp"] = turn.moment.isoformat()
    if turn.session is None:
        return name, value
    value |= {"session": turn.session, "position": turn.position}
    return path.turn_key(turn.session, turn.position), value


@contextmanager
def _open(place: Place, index: Mapping[str, Any]) -> Iterator[RecallSession]:
    by_meaning = index["embed"].by_meaning
    known = {"fields": index["fields"]} if not by_meaning else index
    with SQLiteMemoryStore(place.folder / "memory.db", index=known) as store:
        store.setup()
        yield RecallSession(store, "hybrid" if by_meaning else "keyword")


RECALL = StoreContender("Recall", "sqlite", _open, {})
