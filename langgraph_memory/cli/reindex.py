"""The command that indexes a store anew."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.progress import Progress

from langgraph_memory import store as stores
from langgraph_memory.embeddings import index_named

__all__ = ["reindex"]


def reindex(
    db: str, embedder: str, dims: int | None, fields: Sequence[str], batch_size: int
) -> None:
    """Index the store at a URL with an embedder, or for keywords only if that is ``none``."""
    console = Console(highlight=False, soft_wrap=True)
    if embedder == "none":
        index = {"fields": list(fields)} if fields else None
    else:
        index = index_named(embedder, dims=dims, fields=fields)
    with stores.open(db, index=index) as store, Progress(console=console) as progress:
        task = progress.add_task("Indexing", total=None)
        done = store.reindex(
            progress=lambda made, total: progress.update(task, completed=made, total=total),
            batch_size=batch_size,
        )
        stats = store.stats()
    made_by = f"{stats.embedder}, {stats.dims} dimensions" if stats.embedder else "keywords only"
    console.print(f"{done} items indexed ({made_by}), {stats.vectors} vectors.")
