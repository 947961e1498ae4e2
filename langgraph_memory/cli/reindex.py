"""The command that indexes a store anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.progress import Progress

from langgraph_memory import store as stores
from langgraph_memory.embeddings import index_named

__all__ = ["reindex"]


def reindex(
    db: str,
    embedder: str,
    dims: int | None,
    fields: Sequence[str],
    name: str | None,
    schema: str | None,
    batch_size: int,
) -> None:
    """Index the store at a URL with an embedder, or for keywords only if that is ``none``.

    Without `fields` those that the database was indexed on are kept.
    """
    console = Console(highlight=False, soft_wrap=True)
    if not fields:
        with stores.open(db, schema=schema) as store:
            fields = store.stats().fields
    index: dict[str, Any] = {"fields": list(fields)}
    if embedder != "none":
        index = index_named(embedder, dims=dims, fields=fields)
    if name:
        index["name"] = name
    with (
        stores.open(db, index=index, schema=schema) as store,
        Progress(console=console) as progress,
    ):
        task = progress.add_task("Indexing", total=None)
        done = store.reindex(
            progress=lambda made, total: progress.update(task, completed=made, total=total),
            batch_size=batch_size,
        )
        stats = store.stats()
    made_by = f"{stats.embedder}, {stats.dims} dimensions" if stats.embedder else "keywords only"
    console.print(f"{done} items indexed ({made_by}), {stats.vectors} vectors.")
