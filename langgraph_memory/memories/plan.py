"""Working out what edits of memories come to, before anything is written."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Literal

from langgraph.store.base import Item

from langgraph_memory import clock
from langgraph_memory.calls import Call, Steps
from langgraph_memory.memories.edits import Edited, Outcome, Remember, Retire, Saved
from langgraph_memory.memories.matters import is_of_matter
from langgraph_memory.memories.reading import record_in
from langgraph_memory.memories.statements import (
    corrects,
    is_about,
    is_contained,
    negations,
    numbers,
    opposes,
    says_more,
)
from langgraph_memory.memories.uses import is_same_use
from langgraph_memory.memories.values import Swap, has_value, is_of_limit, with_value
from langgraph_memory.records import (
    Confirmation,
    MemoryRecord,
    MemoryType,
    Status,
    used,
)
from langgraph_memory.store import Change, MemoryHit, MemoryStore

__all__ = ["ACTIVE", "Plan"]

Namespace = tuple[str, ...]

ACTIVE: Mapping[str, Any] = {"status": Status.ACTIVE.value}
SIMILAR = 5
"""How many neighbours a new memory is compared with."""
EVERYTHING = 2**31
IMPORTANT = 0.8
"""From what importance on a memory is not archived for its age, as long as others are less so."""
SUBJECT = "subject"
"""Extra field of a record that names what has one value at a time."""


@dataclass
class Plan:
    """Memories as they were read, and as they are to be.

    Args:
        store: Where they are read.
        namespace: Whose they are.
        max_items: How many active ones there may be.
        duplicate_similarity: Cosine from which on two statements are one.
    """

    store: MemoryStore
    namespace: Namespace
    max_items: int
    duplicate_similarity: float
    _versions: dict[str, datetime] = field(default_factory=dict)
    _records: dict[str, MemoryRecord] = field(default_factory=dict)
    _changed: dict[str, None] = field(default_factory=dict)
    _saved: list[Saved] = field(default_factory=list)
    _retired: list[MemoryRecord] = field(default_factory=list)
    _archived: list[MemoryRecord] = field(default_factory=list)
    _newest: datetime | Literal["any"] | None = "any"

    # -- edits

    def remember(self, edit: Remember) -> Steps[Saved]:
        """Add a memory, unless one says it already; supersede those that it takes the place of."""
        if self._newest == "any":
            # What is not there decides, too: another may be saving the same at this moment.
            newest: list[MemoryHit] = yield self._find("", {}, 1)
            self._newest = newest[0].updated_at if newest else None
        saved = yield from self._remember(edit)
        self._saved.append(saved)
        return saved

    def _remember(self, edit: Remember) -> Steps[Saved]:
        record = edit.record
        there = yield from self.read(record.id)
        if there is not None:
            # The same origin again: a node that ran twice changes nothing.
            return Saved(Outcome.DUPLICATE, there)
        named = yield from self._of_ids(edit.replaces)
        if edit.swap is not None:
            holder = yield from self._holder(edit.swap)
            if holder is None and edit.swap.known_only:
                return Saved(Outcome.UNKNOWN, record)
            if holder is not None:
                record = _restated(holder, record, edit.swap)
                named[holder.id] = holder
        near = yield from self._near(record.content)
        for each, _ in near:
            if each.id not in named and is_contained(record.content, each.content):
                return Saved(Outcome.DUPLICATE, self._use(each))
        replaced = dict(named)
        replaced |= {each.id: each for each, hit in near if self._gives_way(each, hit, record)}
        ended = yield from self._on_subject(record)
        ended |= yield from self._retracted(edit.retracts)
        replaced |= {each.id: each for each in ended.values() if not _would_lose(each, record)}
        if not replaced:
            self._put(record)
            return Saved(Outcome.ADDED, record)
        record = _in_place_of(list(replaced.values()), record)
        self._put(record)
        for old in replaced.values():
            self._put(_superseded(old, by=record.id))
        return Saved(Outcome.UPDATED, record, tuple(replaced.values()))

    def retire(self, edit: Retire) -> Steps[None]:
        """Archive what the user withdrew."""
        if edit.ids:
            found = yield from self._of_ids(edit.ids)
        else:
            near = yield from self._near(edit.topic)
            found = {each.id: each for each, _ in near if is_about(each.content, edit.topic)}
            yield from self._look(ACTIVE)  # What is on the matter need not be near.
            found |= {
                each.id: each
                for each in self._records.values()
                if each.status is Status.ACTIVE and is_of_matter(each.content, edit.topic)
            }
            if edit.subject:
                found |= yield from self._with_subject(edit.subject)
        self._retired += [self._put(_archived(record)) for record in found.values()]

    def revise(self, old: MemoryRecord, new: MemoryRecord) -> MemoryRecord:
        """Put a new version in the place of a memory that was read."""
        new = _in_place_of([old], new)
        self._put(new)
        self._put(_superseded(old, by=new.id))
        return new

    def forget(self, record: MemoryRecord) -> MemoryRecord:
        """Archive a memory that was read."""
        return self._put(_archived(record))

    def finish(self) -> Steps[Edited]:
        """What all of it comes to, with the least valuable archived beyond the bound."""
        yield from self._keep_few()
        changes = [
            Change(
                self.namespace,
                key,
                self._records[key].to_value(),
                self._versions.get(key),
                newest=self._newest,
                # What does not count any more needs no place in the index, and no embedder.
                index=None if self._records[key].status is Status.ACTIVE else False,
            )
            for key in self._changed
        ]
        return Edited(
            tuple(changes), tuple(self._saved), tuple(self._retired), tuple(self._archived)
        )

    # -- what there is

    def read(self, memory_id: str) -> Steps[MemoryRecord | None]:
        """A memory by its id, whatever its status."""
        if memory_id not in self._records:
            item: Item | None = yield Call.of(
                self.store.get, self.store.aget, self.namespace, memory_id
            )
            if item is not None:
                self._see(item)
        return self._records.get(memory_id)

    def _near(self, text: str) -> Steps[list[tuple[MemoryRecord, MemoryHit | None]]]:
        """Active memories near a text; those planned just now are compared by their words."""
        hits: list[MemoryHit] = yield self._find(text, ACTIVE, SIMILAR)
        seen = [(each, hit) for hit in hits if (each := self._see(hit)) is not None]
        found = {hit.key for hit in hits}
        fresh = [(each, None) for key, each in self._records.items() if key not in found]
        return [(each, hit) for each, hit in [*seen, *fresh] if each.status is Status.ACTIVE]

    def _of_ids(self, ids: Iterable[str]) -> Steps[dict[str, MemoryRecord]]:
        """The active ones of some ids."""
        found: dict[str, MemoryRecord] = {}
        for memory_id in dict.fromkeys(ids):
            record = yield from self.read(memory_id)
            if record is not None and record.status is Status.ACTIVE:
                found[memory_id] = record
        return found

    def _on_subject(self, record: MemoryRecord) -> Steps[dict[str, MemoryRecord]]:
        """Active memories on the same subject, which has one value at a time."""
        subject = _subject(record)
        if subject is None:
            return {}
        known = yield from self._with_subject(subject)
        return {key: each for key, each in known.items() if not _is_less_sure(record, each)}

    def _with_subject(self, subject: str) -> Steps[dict[str, MemoryRecord]]:
        yield from self._look({**ACTIVE, SUBJECT: subject})
        return {
            each.id: each
            for each in self._records.values()
            if each.status is Status.ACTIVE and _subject(each) == subject
        }

    def _retracted(self, statements: Sequence[str]) -> Steps[dict[str, MemoryRecord]]:
        """Active memories that say what is no longer true."""
        found: dict[str, MemoryRecord] = {}
        if statements:
            yield from self._look(ACTIVE)  # They need not be near, in words or in meaning.
        for statement in statements:
            near = yield from self._near(statement)
            for each, hit in near:
                if (
                    self._says_the_same(each, hit, statement)
                    or is_contained(statement, each.content)
                    or is_same_use(statement, each.content)
                ):
                    found[each.id] = each
        return found

    def _holder(self, swap: Swap) -> Steps[MemoryRecord | None]:
        """The active memory that has the old value of a swap most plainly."""
        yield from self._look(ACTIVE)
        # Without a word on what it is of, a taste or an event that has the value is not meant.
        fleeting = {MemoryType.EPISODE, MemoryType.PREFERENCE}
        held = [
            (has_value(each.content, swap), each.updated_at, each)
            for each in self._records.values()
            if each.status is Status.ACTIVE
            and (swap.of or each.type not in fleeting)
            # "The shoes went up to 90" is of their price, and of no limit.
            and (each.lifetime.archived_by_time or is_of_limit(swap))
        ]
        plain = [one for one in held if one[0]]
        return max(plain, key=lambda one: one[:2])[2] if plain else None

    def _look(self, filter: Mapping[str, Any]) -> Steps[None]:
        hits: list[MemoryHit] = yield self._find("", filter, EVERYTHING)
        for hit in hits:
            self._see(hit)

    def _find(self, query: str, filter: Mapping[str, Any], limit: int, offset: int = 0) -> Call:
        given: dict[str, Any] = {"filter": filter, "limit": limit, "offset": offset}
        return Call.of(self.store.find, self.store.afind, self.namespace, query, **given)

    def _see(self, item: Item) -> MemoryRecord | None:
        """A record as planned; at first sight, as it was read. None for what is no record."""
        if item.key not in self._records:
            record = record_in(item)
            if record is None:
                return None
            self._records[item.key] = record
            self._versions[item.key] = item.updated_at
        return self._records[item.key]

    # -- decisions

    def _gives_way(self, old: MemoryRecord, hit: MemoryHit | None, new: MemoryRecord) -> bool:
        """Whether an old memory is superseded by a new one near it."""
        if self._says_the_same(old, hit, new.content) or is_contained(old.content, new.content):
            return True
        # What once happened is no less true for what happened later. And a taste is no reason to
        # give up a limit or a standing order.
        if MemoryType.EPISODE in (old.type, new.type) or _is_less_sure(new, old):
            return False
        if not old.lifetime.archived_by_time and old.type is not new.type:
            return False
        return opposes(new.content, old.content) or corrects(new.content, old.content)

    def _says_the_same(self, old: MemoryRecord, hit: MemoryHit | None, content: str) -> bool:
        return (
            hit is not None
            and hit.similarity is not None
            and hit.similarity > self.duplicate_similarity
            and negations(content) == negations(old.content)
            and numbers(content) == numbers(old.content)
        )

    def _keep_few(self) -> Steps[None]:
        new = {
            key: self._records[key]
            for key in self._changed
            if key not in self._versions and self._records[key].status is Status.ACTIVE
        }
        if not new:
            return
        gone = sum(
            self._records[key].status is not Status.ACTIVE
            for key in self._changed
            if key in self._versions
        )
        room = self.max_items - len(new) + gone
        if room >= 0:
            beyond = yield self._find("", ACTIVE, 1, room)
            if not beyond:
                return
        yield from self._look(ACTIVE)
        active = [each for each in self._records.values() if each.status is Status.ACTIVE]
        newest = next(reversed(new))  # It was asked for, so it is kept in any case.
        others = sorted(
            (each for each in active if each.id != newest), key=partial(_value, now=clock.now())
        )
        for record in others[: max(0, len(active) - self.max_items)]:
            self._archived.append(self._put(_archived(record)))

    def _use(self, record: MemoryRecord) -> MemoryRecord:
        """What is said once more is used once more."""
        value = used(record.to_value(), clock.now())
        return record if value is None else self._put(MemoryRecord.from_value(value))

    def _put(self, record: MemoryRecord) -> MemoryRecord:
        self._records[record.id] = record
        self._changed[record.id] = None
        return record


def _subject(record: MemoryRecord) -> str | None:
    subject = (record.model_extra or {}).get(SUBJECT)
    return subject if isinstance(subject, str) and subject else None


def _is_less_sure(record: MemoryRecord, other: MemoryRecord) -> bool:
    """Whether a guess stands against what was stated; then both stay, the guess marked as one."""
    guessed = Confirmation.INFERRED
    return record.confirmation is guessed and other.confirmation is not guessed


def _would_lose(old: MemoryRecord, new: MemoryRecord) -> bool:
    """Whether a limit, an order or a taste that is also in the old one would end with it."""
    wish = old.type is MemoryType.PREFERENCE or not old.lifetime.archived_by_time
    return wish and says_more(old.content, new.content)


def _restated(old: MemoryRecord, new: MemoryRecord, swap: Swap) -> MemoryRecord:
    """What a memory says with the new value of a swap, said where the new one is."""
    content = with_value(old.content, swap)
    if content is None:
        return new
    words = content.casefold()
    return new.revised(
        content=content,
        type=old.type,
        importance=max(old.importance, new.importance),
        keywords=[one for one in dict.fromkeys([*old.keywords, *new.keywords]) if one in words],
        **({SUBJECT: _subject(old)} if _subject(old) else {}),
    )


def _in_place_of(old: Sequence[MemoryRecord], new: MemoryRecord) -> MemoryRecord:
    """The new version of some records: it goes on with the use of the one used most."""
    used_most = max(old, key=lambda each: (each.heat, each.access_count))
    return new.revised(
        supersedes=[each.id for each in old],
        heat=used_most.heat,
        access_count=used_most.access_count,
        last_accessed_at=used_most.last_accessed_at,
    )


def _superseded(record: MemoryRecord, *, by: str) -> MemoryRecord:
    return record.revised(status=Status.SUPERSEDED, superseded_by=by, updated_at=clock.now())


def _archived(record: MemoryRecord) -> MemoryRecord:
    return record.revised(status=Status.ARCHIVED, updated_at=clock.now())


def _value(record: MemoryRecord, now: datetime) -> tuple[bool, bool, float, str]:
    """What a memory is worth keeping for.

    Standing orders and limits come before all others, then what is important: that it was told
    long ago and seldom asked for, as a name is, makes room for no small talk. Uses count less the
    more there are: what was said last week has had no time for as many as what is months old.
    """
    lasting = not record.lifetime.archived_by_time
    warmth = math.log2(1 + record.heat_at(now))
    worth = record.lifetime.weight * record.effective_importance_at(now) * (1 + warmth)
    return lasting, record.importance >= IMPORTANT, worth, record.id
