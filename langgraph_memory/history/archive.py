"""Where removed messages go before they are removed, and the form in which they are kept."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.store.base import BaseStore

from langgraph_memory import clock
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.history.errors import ArchiveError
from langgraph_memory.history.strategy import HistoryChange
from langgraph_memory.messages import key_of
from langgraph_memory.shown import shown

__all__ = ["Archive", "ArchiveEntry", "archive_of"]


@dataclass(frozen=True)
class ArchiveEntry:
    """What one change took from one thread.

    Attributes:
        id: The same for the same change of the same messages.
        thread: Id of the thread.
        at: When it was archived.
        strategy: What took it.
        order: Keys of all messages that the thread had, in their order.
        removed: The messages that went, with their positions in that order.
        added: Keys of the messages that were put in their place.
    """

    id: str
    thread: str
    at: datetime
    strategy: str
    order: tuple[str, ...]
    removed: tuple[tuple[int, BaseMessage], ...]
    added: tuple[str, ...] = ()

    @classmethod
    def of(cls, thread: str, change: HistoryChange) -> ArchiveEntry:
        """The entry of a change.

        Raises:
            ArchiveError: A message cannot be written so that it can be read back as it is.
        """
        order = tuple(map(key_of, change.source))
        removed = [[at, _written(message)] for at, message in change.removed]
        said = json.dumps([thread, order, removed]).encode()
        return cls(
            id=hashlib.sha256(said).hexdigest()[:32],
            thread=thread,
            at=clock.now(),
            strategy=change.strategy,
            order=order,
            removed=tuple(change.removed),
            added=tuple(map(key_of, change.added)),
        )

    def to_json(self) -> dict[str, Any]:
        """The entry as plain JSON."""
        return {
            "id": self.id,
            "thread": self.thread,
            "at": clock.utc_text(self.at),
            "strategy": self.strategy,
            "order": list(self.order),
            "removed": [{"at": at, **_written(message)} for at, message in self.removed],
            "added": list(self.added),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ArchiveEntry:
        """Read what `to_json` wrote.

        Raises:
            ArchiveError: It is something else.
        """
        try:
            return cls(
                id=str(value["id"]),
                thread=str(value["thread"]),
                at=datetime.fromisoformat(value["at"]),
                strategy=str(value["strategy"]),
                order=tuple(value["order"]),
                removed=tuple((int(each["at"]), _read(each)) for each in value["removed"]),
                added=tuple(value["added"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ArchiveError(
                f"This is not an entry of a thread archive ({error!r}): {shown(value)}. "
                "Was the file or namespace written by something else?"
            ) from error


class Archive(ABC):
    """Keeps removed messages. Its methods block; asynchronous code runs them in threads."""

    @abstractmethod
    def add(self, entry: ArchiveEntry) -> None:
        """Keep an entry durably before returning; the same one again changes nothing.

        An entry that was marked as undone counts again.

        Raises:
            ArchiveError: It could not be written.
        """

    @abstractmethod
    def entries(self, thread: str) -> Sequence[ArchiveEntry]:
        """A thread's entries that were not undone, oldest first."""

    @abstractmethod
    def mark_undone(self, entry: ArchiveEntry) -> None:
        """Note that what an entry has is back in its thread."""

    @abstractmethod
    def erase(self, thread: str) -> int:
        """Delete all entries of a thread for good.

        Returns:
            How many there were.
        """


def archive_of(given: Archive | BaseStore | str | os.PathLike[str] | None) -> Archive | None:
    """The archive that is meant: one as it is, a JSONL file by its path, or a store.

    Raises:
        InvalidInputError: It is none of these.
    """
    from langgraph_memory.history.jsonl_archive import JsonlArchive
    from langgraph_memory.history.store_archive import StoreArchive

    if given is None or isinstance(given, Archive):
        return given
    if isinstance(given, BaseStore):
        return StoreArchive(given)
    if isinstance(given, str | os.PathLike):
        return JsonlArchive(given)
    raise InvalidInputError(
        f"archive must be the path of a JSONL file, a store or an Archive, not {shown(given)}."
    )


# Reads no classes but LangChain's own messages: a file of others must not run their code.
_SERDE = JsonPlusSerializer(allowed_msgpack_modules=None)


def _written(message: BaseMessage) -> dict[str, Any]:
    """A message as JSON that reads well, or packed where JSON cannot give it back exactly."""
    try:
        plain = {"message": message_to_dict(message)}
        read = _read(json.loads(json.dumps(plain)))
        if type(read) is type(message) and read == message:
            return plain
    except (TypeError, ValueError):
        pass
    try:
        kind, packed = _SERDE.dumps_typed(message)
        written = {"packed": [kind, base64.b64encode(packed).decode()]}
        read = _read(written)
        # As exact as a checkpointer is: a tuple comes back as a list.
        if type(read) is type(message) and _SERDE.dumps_typed(read) == (kind, packed):
            return written
    except (TypeError, ValueError):
        pass
    raise ArchiveError(
        f"The message {key_of(message)!r} holds something that an archive cannot give back as it "
        f"is: {shown(message.model_dump())}. Nothing was removed. Keep plain JSON in messages, or "
        "pin this one."
    )


def _read(written: Mapping[str, Any]) -> BaseMessage:
    if "packed" in written:
        kind, packed = written["packed"]
        message = _SERDE.loads_typed((kind, base64.b64decode(packed)))
        if not isinstance(message, BaseMessage):
            raise ValueError("what was packed is no message")
        return message
    return messages_from_dict([written["message"]])[0]
