"""The command that indexes a store anew."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from langgraph_memory import store as stores
from langgraph_memory.cli.databases import MEMORIES, Db, refuse_empty
from langgraph_memory.embeddings import index_named

__all__ = ["reindex"]


def reindex(
    db: Db = "memory.db",
    embedder: Annotated[
        str,
        typer.Option(
            help="'local' (offline; the extra 'local'), 'provider:model' as LangChain names them, "
            "'module:attribute' for one of yours, or 'none' for keywords only."
        ),
    ] = "local",
    dims: Annotated[
        int | None, typer.Option(help="Numbers in a vector; by default the embedder is asked.")
    ] = None,
    field: Annotated[
        list[str] | None,
        typer.Option(
            help="Path indexed in values that are no records; may be repeated. By default those "
            "that the database was indexed on."
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(help="Name of the embedder, where the application gives index['name']."),
    ] = None,
    schema: Annotated[
        str | None, typer.Option(help="Schema of the tables on Postgres, if not the usual one.")
    ] = None,
    batch_size: Annotated[int, typer.Option(min=1, help="Items embedded at once.")] = 100,
) -> None:
    """Index long-term memory anew with another embedder, while readers go on.

    What was done before an interruption is not done again: run the same command once more.
    """
    refuse_empty(db, MEMORIES)
    console = Console(highlight=False, soft_wrap=True)
    fields = field or []
    if not fields:
        with stores.open(db, schema=schema) as store:
            fields = list(store.stats().fields)
    index: dict[str, Any] = {"fields": fields}
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
