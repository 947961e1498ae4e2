"""A namespace's vectors and keyword index in memory, kept up to date from the database.

An item that is put again gets a new place, and its old one is dead: arrays only grow, so a search
in another thread keeps what it began with. Half of it dead, it is loaded anew.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["NamespaceCache", "NamespaceRow", "NamespaceView"]

Scalar = TypeVar("Scalar", bound=np.generic)
Postings = tuple[NDArray[np.int32], NDArray[np.float32]]
_NO_POSTINGS: Postings = (np.empty(0, np.int32), np.empty(0, np.float32))


@dataclass(frozen=True, slots=True)
class NamespaceRow:
    """A namespace's row: its id, its path, its statistics and what tells its states apart."""

    ns: int
    path: str
    items: int
    documents: int
    length: int
    stamp: int
    removals: int


@dataclass(frozen=True, slots=True)
class NamespaceView:
    """One state of a namespace; all arrays run over places, `vectors` over `places`.

    Attributes:
        index: Where it comes from, by now perhaps in a newer state.
        numbering: Tells whether the index still numbers its places as here.
        stamp: Of the state.
        items: Ids.
        updated: Microseconds of the last write.
        length: Length in terms.
        alive: Whether the place holds an item.
        vectors: Rows of length 1.
        places: The place of each vector; None where place and row number are the same.
    """

    index: NamespaceIndex
    numbering: object
    stamp: int
    items: NDArray[np.int64]
    updated: NDArray[np.int64]
    length: NDArray[np.float32]
    alive: NDArray[np.bool_]
    vectors: NDArray[np.float32]
    places: NDArray[np.int32] | None

    def similarity(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Cosine of each place's nearest vector; nan where there is none."""
        products = self.vectors @ query
        if self.places is None:
            return products
        best = np.full(len(self.items), -np.inf, np.float32)
        np.maximum.at(best, self.places, products)
        best[np.isneginf(best)] = np.nan
        return best

    def among(self, items: Collection[int]) -> NDArray[np.bool_]:
        """Which places hold one of these items."""
        return np.isin(self.items, np.fromiter(items, np.int64, len(items)))

    def postings(self, connection: sqlite3.Connection, ns: int, term: str) -> Postings:
        """Places at which a term occurs, and how often; dead places included."""
        known = self.index.known_postings(term, self)
        if known is not None:
            return known
        rows = connection.execute(
            "SELECT item, tf FROM memory_postings WHERE ns = ? AND term = ?", (ns, term)
        ).fetchall()
        if not rows:
            return _NO_POSTINGS
        pairs = self.index.placed(rows, self)
        if pairs is None:  # Its index has left this view behind.
            place_of = {int(self.items[at]): int(at) for at in np.flatnonzero(self.alive)}
            pairs = sorted((place_of[item], tf) for item, tf in rows if item in place_of)
        found = (
            np.array([place for place, _ in pairs], np.int32),
            np.array([tf for _, tf in pairs], np.float32),
        )
        self.index.keep_postings(term, found, self)
        return found


class NamespaceIndex:
    """The growing arrays behind the views of one namespace. Changed under its lock only."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._row: NamespaceRow | None = None
        self._clear()

    def _clear(self) -> None:
        self._count = self._rows = 0
        self._items = np.empty(0, np.int64)
        self._updated = np.empty(0, np.int64)
        self._length = np.empty(0, np.float32)
        self._alive = np.empty(0, np.bool_)
        self._has_vectors = False
        self._vectors = np.empty((0, 0), np.float32)
        self._places = np.empty(0, np.int32)
        self._one_to_one = True
        self._place_of: dict[int, int] = {}
        self._numbering = object()
        # Each with the stamp of the state it was read in; an older state may have had other places.
        self._postings: dict[str, tuple[int, Postings]] = {}
        self._posted = 0

    @property
    def size(self) -> int:
        """About how many bytes of memory this takes."""
        postings = 8 * self._posted + 200 * len(self._postings)
        return self._vectors.nbytes + postings + 120 * len(self._items)

    def view(
        self,
        connection: sqlite3.Connection,
        row: NamespaceRow,
        generation: int,
        *,
        with_vectors: bool,
    ) -> NamespaceView | None:
        """The state that the connection's transaction sees; None if this is already newer.

        Vectors are read when they are first wanted.
        """
        with self.lock:
            known = self._row
            if known is not None and (row.stamp < known.stamp or row.removals < known.removals):
                return None
            if known is None or 2 * len(self._place_of) < self._count:
                self._clear()
                self._extend(connection, row.ns, generation, after=-1)
            elif known != row:
                if row.removals != known.removals:
                    self._bury(connection, row.ns)
                if row.stamp != known.stamp:
                    self._extend(connection, row.ns, generation, after=known.stamp)
            if with_vectors and not self._has_vectors:
                self._append_vectors(_vectors(connection, row.ns, generation, None))
                self._has_vectors = True
            self._row = row
            count = self._count
            return NamespaceView(
                self,
                self._numbering,
                row.stamp,
                self._items[:count],
                self._updated[:count],
                self._length[:count],
                self._alive[:count],
                self._vectors[: self._rows],
                None if self._one_to_one and self._rows == count else self._places[: self._rows],
            )

    def known_postings(self, term: str, view: NamespaceView) -> Postings | None:
        """A term's postings as a view sees them, if they are in memory."""
        with self.lock:
            known = self._postings.get(term)
            if known is None or view.numbering is not self._numbering or known[0] > view.stamp:
                return None
        places, tf = known[1]
        if places[-1] >= len(view.items):  # What was written after the view.
            seen = int(np.searchsorted(places, len(view.items)))
            return places[:seen], tf[:seen]
        return places, tf

    def keep_postings(self, term: str, found: Postings, view: NamespaceView) -> None:
        """Keep a term's postings in memory, if the view that read them is still the newest."""
        with self.lock:
            if self._is_newest(view) and term not in self._postings:
                self._postings[term] = (view.stamp, found)
                self._posted += len(found[0])

    def placed(
        self, rows: Sequence[tuple[int, int]], view: NamespaceView
    ) -> list[tuple[int, int]] | None:
        """Items of rows by their places, in order; None if the view is not the newest."""
        with self.lock:
            if not self._is_newest(view):
                return None
            place_of = self._place_of
            return sorted((place_of[item], tf) for item, tf in rows if item in place_of)

    def _is_newest(self, view: NamespaceView) -> bool:
        row = self._row
        return view.numbering is self._numbering and row is not None and row.stamp == view.stamp

    def _bury(self, connection: sqlite3.Connection, ns: int) -> None:
        """Mark as dead what is no longer in the database."""
        rows = connection.execute("SELECT item FROM memory_items WHERE ns = ?", (ns,))
        there = {item for (item,) in rows}
        gone = [item for item in self._place_of if item not in there]
        self._die([self._place_of.pop(item) for item in gone])

    def _die(self, places: Sequence[int]) -> None:
        if places:
            self._alive = self._alive.copy()
            self._alive[places] = False

    def _extend(self, connection: sqlite3.Connection, ns: int, generation: int, after: int) -> None:
        """Append what was written after a stamp."""
        fresh = after < 0
        columns = "item, updated_at, length" if fresh else "item, updated_at, length, terms"
        rows = connection.execute(
            f"SELECT {columns} FROM memory_items WHERE ns = ? AND updated_at > ? "
            "ORDER BY updated_at",
            (ns, after),
        ).fetchall()
        if not rows:
            return
        first, count = self._count, self._count + len(rows)
        self._items = _grown(self._items, count)
        self._updated = _grown(self._updated, count)
        self._length = _grown(self._length, count)
        self._alive = _grown(self._alive, count)
        self._items[first:count] = [row[0] for row in rows]
        self._updated[first:count] = [row[1] for row in rows]
        self._length[first:count] = [row[2] for row in rows]
        self._alive[first:count] = True
        self._die([self._place_of[row[0]] for row in rows if row[0] in self._place_of])
        self._place_of.update((row[0], first + at) for at, row in enumerate(rows))
        self._count = count
        if not fresh:
            self._append_postings(
                [(first + at, row[3]) for at, row in enumerate(rows)], connection, ns
            )
        if self._has_vectors:
            written = [row[0] for row in rows]
            self._append_vectors(_vectors(connection, ns, generation, written))

    def _append_vectors(self, found: Iterable[tuple[int, bytes]]) -> None:
        pairs = [(self._place_of[item], blob) for item, blob in found if item in self._place_of]
        if not pairs:
            return
        pairs.sort(key=lambda pair: pair[0])
        first, rows = self._rows, self._rows + len(pairs)
        block = np.frombuffer(b"".join([blob for _, blob in pairs]), np.float32)
        block = block.reshape(len(pairs), -1)
        if not first:
            self._vectors = np.empty((0, block.shape[1]), np.float32)
        self._vectors = _grown(self._vectors, rows)
        self._places = _grown(self._places, rows)
        self._vectors[first:rows] = block
        self._places[first:rows] = [place for place, _ in pairs]
        self._rows = rows
        if self._one_to_one:
            self._one_to_one = bool(
                np.array_equal(self._places[first:rows], np.arange(first, rows, dtype=np.int32))
            )

    def _append_postings(
        self, written: Sequence[tuple[int, str]], connection: sqlite3.Connection, ns: int
    ) -> None:
        """Add places to those lists of postings that are in memory."""
        for place, terms in written:
            item = int(self._items[place])
            for term in self._postings.keys() & set(json.loads(terms)):
                [tf] = connection.execute(
                    "SELECT tf FROM memory_postings WHERE ns = ? AND term = ? AND item = ?",
                    (ns, term, item),
                ).fetchone()
                stamp, (places, counts) = self._postings[term]
                longer = np.append(places, np.int32(place)), np.append(counts, np.float32(tf))
                self._postings[term] = (stamp, longer)
                self._posted += 1


class NamespaceCache:
    """The namespaces searched last, within a bound of memory.

    Args:
        megabytes: The bound. The namespace searched last stays, even if it alone is larger.
    """

    def __init__(self, megabytes: float) -> None:
        self._bound = int(megabytes * 1_000_000)
        self._known: OrderedDict[int, NamespaceIndex] = OrderedDict()
        self._sizes: dict[int, int] = {}
        self._total = 0
        self._generation = -1
        self._lock = threading.Lock()

    def of(self, ns: int, generation: int) -> NamespaceIndex:
        """The index of a namespace, empty if it is not known."""
        with self._lock:
            if generation != self._generation:
                self._known.clear()
                self._sizes.clear()
                self._total, self._generation = 0, generation
            index = self._known.get(ns)
            if index is None:
                index = self._known[ns] = NamespaceIndex()
                self._sizes[ns] = 0
            else:
                self._known.move_to_end(ns)
            return index

    def measure(self, ns: int, index: NamespaceIndex) -> None:
        """Take note of an index's size, and forget the longest unused beyond the bound."""
        size = index.size
        with self._lock:
            if self._known.get(ns) is not index:
                return
            self._total += size - self._sizes[ns]
            self._sizes[ns] = size
            while self._total > self._bound and len(self._known) > 1:
                forgotten, _ = self._known.popitem(last=False)
                self._total -= self._sizes.pop(forgotten)


def _vectors(
    connection: sqlite3.Connection, ns: int, generation: int, items: Sequence[int] | None
) -> list[tuple[int, bytes]]:
    statement = "SELECT item, embedding FROM memory_vectors WHERE ns = ? AND generation = ?"
    if items is None:
        return connection.execute(statement, (ns, generation)).fetchall()
    return connection.execute(
        f"{statement} AND item IN (SELECT value FROM json_each(?))",
        (ns, generation, json.dumps(items)),
    ).fetchall()


def _grown(array: NDArray[Scalar], needed: int) -> NDArray[Scalar]:
    """An array with room for `needed` rows: itself, or a copy with room to spare."""
    if needed <= len(array):
        return array
    room = needed + needed // 4 if len(array) else needed
    larger = np.empty((room, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger
