"""Making a second index beside the one in use, and changing over when it is complete."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from langgraph_memory.calls import Call, Steps
from langgraph_memory.errors import InvalidStateError
from langgraph_memory.store.analysis import terms
from langgraph_memory.store.embedding import Embedder, texts_of
from langgraph_memory.store.escape import load
from langgraph_memory.store.operations import IndexIdentity, Row, Write
from langgraph_memory.store.transaction import Transaction

__all__ = ["reindex"]

T = TypeVar("T")


class Within(Protocol):
    """Does work in a transaction."""

    def __call__(self, write: bool, work: Callable[[Transaction], T]) -> T:
        """Do `work` in a transaction that may write or not."""
        ...


def reindex(
    within: Within,
    embedder: Embedder | None,
    identity: IndexIdentity,
    progress: Callable[[int, int], None] | None,
    batch_size: int,
) -> Steps[int]:
    """Index every item for `identity`; how many it were.

    Items are embedded outside any transaction. One that is changed meanwhile is found again, as
    the generation of its index is then another.
    """
    generation, lacking = yield Call(lambda: within(True, lambda tx: tx.begin_generation(identity)))
    done, after = 0, 0
    while True:
        found: list[tuple[Row, str | None]] = yield _read(within, generation, after, batch_size)
        if found:
            texts = [_texts(row, indexing, identity.fields) for row, indexing in found]
            vectors: Any = {}
            if embedder:
                vectors, _ = yield embedder.vectors([text for part in texts for text in part], [])
            writes = [
                (row, _write(row, part, vectors))
                for (row, _), part in zip(found, texts, strict=True)
            ]
            done += yield _build(within, generation, writes)
            after = found[-1][0].item
            if progress:
                progress(min(done, lacking), lacking)
        elif after:
            after = 0  # Once more from the start: what was changed or added meanwhile.
        elif (yield _own(within, generation, lambda tx: tx.finish_generation(generation), True)):
            break
    while (yield Call(lambda: within(True, lambda tx: tx.discard_generations(_AT_ONCE)))):
        pass
    return done


_AT_ONCE = 1_000


def _read(within: Within, generation: int, after: int, limit: int) -> Call:
    return Call(lambda: within(False, lambda tx: tx.unbuilt(generation, after, limit)))


def _build(within: Within, generation: int, writes: Sequence[tuple[Row, Write]]) -> Call:
    return _own(within, generation, lambda tx: tx.build(generation, writes), 0)


def _own(within: Within, generation: int, work: Callable[[Transaction], T], finished: T) -> Call:
    """Work on a generation, unless another reindex has finished it, or taken its place.

    Args:
        within: Does the work.
        generation: Whose turn it is.
        work: What is to be done.
        finished: The answer if somebody with the same embedder has finished it meanwhile.

    Raises:
        InvalidStateError: If it has. Nothing of the index in use was changed.
    """

    def checked(tx: Transaction) -> T:
        if tx.building() != generation:
            tx.identity()  # Looks anew which generation is the current one.
            if tx.generation() == generation:
                return finished
            raise InvalidStateError(
                "Another reindex of this database was begun with another embedder or other fields, "
                "and goes on in place of this one. Nothing is lost; readers use the old index. "
                "Let it finish, then reindex again if this one's is wanted."
            )
        return work(tx)

    return Call(lambda: within(True, checked))


def _texts(row: Row, indexing: str | None, fields: Sequence[str]) -> list[str]:
    return texts_of(load(row.value), None if indexing is None else json.loads(indexing), fields)


def _write(row: Row, texts: Sequence[str], vectors: Any) -> Write:
    counted: Counter[str] = Counter()
    for text in texts:
        counted.update(terms(text))
    found = [vectors[text] for text in texts if text in vectors]
    return Write(row.path, row.key, row.value, terms=counted, vectors=found)
