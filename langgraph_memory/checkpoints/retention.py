"""Which checkpoints of a thread must stay, so that the newest ones go on working as they do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["Place", "Resolved", "Retained", "Stored", "retained"]

ROOT = ""
BRANCHING = ("update", "fork")
"""Sources of checkpoints that begin a branch. A replay of one restores subgraphs by its parent."""


class Place(NamedTuple):
    """Where a checkpoint of a thread is."""

    namespace: str
    id: str


@dataclass(frozen=True, slots=True)
class Stored:
    """What is known of a checkpoint without its values.

    Attributes:
        place: Where it is. Of two ids in a namespace, the greater one is newer.
        parent: Id of the checkpoint before it, in the same namespace.
        parents: The checkpoints of the graphs around this one, at which it was made: id by
            namespace.
        source: What made it, in LangGraph's words.
        waiting: Whether an interrupt was raised at it.
        sends: Whether tasks that it is to run are stored with its parent, as old formats do.
    """

    place: Place
    parent: str | None
    parents: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    waiting: bool = False
    sends: bool = False


Resolved = Callable[[Place, str], bool]
"""Whether the value of a channel at a checkpoint is known without looking at older ones."""


@dataclass(frozen=True, slots=True)
class Retained:
    """Checkpoints that stay.

    Attributes:
        whole: With everything that is needed to go on from them.
        links: Older ones, from whose writes channels of the former are put together. Where several
            channels are stored as differences, not all of them can be restored at these.
    """

    whole: frozenset[Place]
    links: frozenset[Place]


def retained(
    stored: Iterable[Stored], keep_last: int, deltas: Sequence[str], resolved: Resolved
) -> Retained:
    """Choose what of a thread stays.

    In each namespace these stay: the `keep_last` newest, those at the end of a branch that wait
    for a person, and the parents of those that begin a branch. Checkpoints of a subgraph's call go
    with the checkpoint at which it was called. Of a subgraph that remembers its calls, the state
    that it had at each checkpoint that stays is there as well. At last, each needs its ancestors
    as far back as one of its channels is stored in differences.

    Args:
        stored: All checkpoints of one thread.
        keep_last: How many.
        deltas: Names of channels that may be stored as differences.
        resolved: Whether a channel is not, at a checkpoint.
    """
    known = {each.place: each for each in stored}
    namespaces: dict[str, list[Stored]] = {}
    for each in sorted(known.values(), key=lambda each: each.place.id, reverse=True):
        namespaces.setdefault(each.place.namespace, []).append(each)
    children = {Place(each.place.namespace, each.parent) for each in known.values() if each.parent}
    whole: set[Place] = set()
    # Outer graphs come first: what stays of them decides about the inner ones.
    for namespace in sorted(namespaces, key=_depth):
        rows = namespaces[namespace]
        wanted = [each for each in rows if not _orphaned(each, known, whole)]
        chosen = wanted[:keep_last]
        chosen += [each for each in wanted if each.waiting and each.place not in children]
        if _remembers(namespace):
            chosen += _as_it_was(rows, sorted(each.id for each in whole))
        for each in chosen:
            whole.add(each.place)
            if each.sends or each.source in BRANCHING:
                whole |= {Place(namespace, each.parent or "")} & known.keys()
    links = {link for place in whole for link in _links(known[place], known, deltas, resolved)}
    return Retained(frozenset(whole), frozenset(links - whole))


def _depth(namespace: str) -> int:
    return 0 if namespace == ROOT else namespace.count("|") + 1


def _remembers(namespace: str) -> bool:
    """Whether a namespace is that of all calls of a subgraph: one call's ends with a task's id."""
    return namespace != ROOT and ":" not in namespace.rsplit("|", 1)[-1]


def _orphaned(each: Stored, known: Mapping[Place, Stored], whole: set[Place]) -> bool:
    """Whether what it belongs to goes. One around it that is not stored may be on its way."""
    around = (
        Place(namespace, id)
        for namespace, id in each.parents.items()
        if _depth(namespace) < _depth(each.place.namespace)
    )
    return any(place in known and place not in whole for place in around)


def _as_it_was(rows: Sequence[Stored], moments: Sequence[str]) -> Iterator[Stored]:
    """The newest of the rows, and the newest before each moment; rows come newest first."""
    yield rows[0]
    ahead = list(moments)
    for each in rows:
        passed = False
        while ahead and ahead[-1] > each.place.id:
            ahead.pop()
            passed = True
        if passed:
            yield each


def _links(
    each: Stored, known: Mapping[Place, Stored], deltas: Sequence[str], resolved: Resolved
) -> Iterator[Place]:
    """Its ancestors, up to where every channel's value is stored."""
    open_ = {channel for channel in deltas if not resolved(each.place, channel)}
    seen = {each.place}
    while open_ and each.parent:
        place = Place(each.place.namespace, each.parent)
        if place in seen or place not in known:
            return
        seen.add(place)
        yield place
        each = known[place]
        open_ = {channel for channel in open_ if not resolved(place, channel)}
