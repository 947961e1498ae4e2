"""The profile of one user in the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from langgraph.store.base import Item
from pydantic import BaseModel

from langgraph_memory import clock
from langgraph_memory.calls import Call, Steps, adrive, drive
from langgraph_memory.profile.fields import check_schema
from langgraph_memory.profile.history import changes_of, history_of
from langgraph_memory.profile.merging import MergedProfile, merged_profile
from langgraph_memory.profile.reading import readable, validated
from langgraph_memory.profile.update import ProfileChange, ProfileUpdate
from langgraph_memory.store import Change, MemoryStore, committed

__all__ = ["ReadProfile", "UserProfile"]

P = TypeVar("P", bound=BaseModel)
Namespace = tuple[str, ...]

KEY = "profile"


@dataclass(frozen=True, slots=True)
class ReadProfile(Generic[P]):
    """A profile as it was read.

    Attributes:
        profile: As an instance of the model; what it does not know or accept is left out.
        stored: The stored value; None if there is none.
        version: Of the item; None if there is none.
    """

    profile: P
    stored: Mapping[str, Any] | None = None
    version: datetime | None = None

    def history(self, field: str | None = None) -> list[ProfileChange]:
        """Changes in order of time: of one field with all in it, or of all fields."""
        return changes_of(history_of(self.stored or {}), field)


class UserProfile(Generic[P]):
    """What is known of one user, in the form that an application's Pydantic model gives it.

    Methods have async forms (`aread`, …) that do not block the event loop.

    Args:
        store: Where it is.
        namespace: ``("agent:…", "user:…", "profile")``.
        schema: The model. Every field of it has a default; one whose value nobody stated has the
            default when the profile is read, and is neither stored nor shown.

    Raises:
        InvalidInputError: If the model needs values.
    """

    def __init__(self, store: MemoryStore, namespace: Namespace, schema: type[P]) -> None:
        check_schema(schema)
        self.store = store
        self.namespace = namespace
        self.schema = schema

    def read(self) -> ReadProfile[P]:
        """The profile; an empty one if nothing was stored yet."""
        return drive(self.reading())

    async def aread(self) -> ReadProfile[P]:
        """`read` without blocking the event loop."""
        return await adrive(self.reading())

    def reading(self) -> Steps[ReadProfile[P]]:
        """`read` as steps, for those who have other calls to make in between."""
        item: Item | None = yield Call.of(self.store.get, self.store.aget, self.namespace, KEY)
        if item is None:
            return ReadProfile(validated(self.schema, {}))
        fields = readable(self.schema, item.value.get("fields") or {})
        return ReadProfile(validated(self.schema, fields), item.value, item.updated_at)

    def update(
        self,
        update: ProfileUpdate,
        *,
        when: datetime | None = None,
        thread_id: str | None = None,
    ) -> MergedProfile:
        """Merge what was said and store it; see `merged_profile`.

        Args:
            update: What was said.
            when: When; None for now.
            thread_id: In which conversation.

        Raises:
            VersionConflictError: If others change the profile all the time.
        """
        return drive(self._update(update, when, thread_id))

    async def aupdate(
        self,
        update: ProfileUpdate,
        *,
        when: datetime | None = None,
        thread_id: str | None = None,
    ) -> MergedProfile:
        """`update` without blocking the event loop."""
        return await adrive(self._update(update, when, thread_id))

    def _update(
        self, update: ProfileUpdate, when: datetime | None, thread_id: str | None
    ) -> Steps[MergedProfile]:
        def decide() -> Steps[tuple[Sequence[Change], MergedProfile]]:
            read = yield from self.reading()
            merged = merged_profile(
                self.schema, read.stored, update, when=when or clock.now(), thread_id=thread_id
            )
            change = self.change(read, merged)
            return [] if change is None else [change], merged

        return (yield from committed(self.store, decide))

    def change(self, read: ReadProfile[P], merged: MergedProfile) -> Change | None:
        """What is to be committed, perhaps together with other changes; None if nothing changed.

        It holds as long as nobody else has changed the profile since it was read. A profile is
        read by its key and in no search's way, so it is not indexed.
        """
        if not merged.changed:
            return None
        return Change(self.namespace, KEY, merged.value, read.version, index=False)
