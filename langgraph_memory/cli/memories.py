"""Looking at what is remembered about a user, and forgetting it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from langgraph_memory import store as stores
from langgraph_memory.cli.databases import MEMORIES, Db, Embedder, refuse_empty
from langgraph_memory.cli.terminal import printable
from langgraph_memory.embeddings import index_named
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.identity import Identity, decode_label
from langgraph_memory.memories import Memories
from langgraph_memory.records import MemoryRecord
from langgraph_memory.settings import load_settings

__all__ = ["memories_app"]

memories_app = typer.Typer(help="What is remembered about a user.", no_args_is_help=True)

Agent = Annotated[str, typer.Option(help="The agent, as its settings name it.")]
User = Annotated[str, typer.Option(help="The user whose memories they are.")]
SettingsFile = Annotated[
    Path | None,
    typer.Option("--settings", help="YAML file with the settings of agents: their namespaces."),
]
Id = Annotated[str, typer.Argument(help="Id of a memory, or its beginning.")]


@memories_app.command("list")
def list_memories(
    user: User,
    db: Db = "memory.db",
    agent: Agent = "default",
    settings: SettingsFile = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also those that are archived or superseded.")
    ] = False,
) -> None:
    """List a user's memories, newest first."""
    with _opened(db, settings, agent, user, None) as memories:
        stored = _stored(memories)
        records = [each for each in stored.records if everything or each.status == "active"]
        if not records and not stored.unreadable:
            _say(_nothing_known(memories, agent, user, settings))
            return
    if records:
        _show(records, show_status=everything)
    for key in stored.unreadable:
        _say(f"{key}  cannot be read as a memory")


@memories_app.command()
def search(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    user: User,
    db: Db = "memory.db",
    agent: Agent = "default",
    settings: SettingsFile = None,
    embedder: Embedder = None,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 10,
) -> None:
    """Search a user's memories; shows why each was found."""
    with _opened(db, settings, agent, user, embedder) as memories:
        found = memories.search(query, limit=limit)
        if not found:
            known = any(_stored(memories).records)
            nothing = _nothing_found(memories, embedder) if known else None
            _say(nothing or _nothing_known(memories, agent, user, settings))
            return
    scores = [
        f"{each.hit.score or 0:.2f} (meaning {_number(each.hit.similarity)}, "
        f"words {_number(each.hit.keyword)})"
        for each in found
    ]
    _show([each.record for each in found], scores=scores)


@memories_app.command()
def show(
    id: Id,
    user: User,
    db: Db = "memory.db",
    agent: Agent = "default",
    settings: SettingsFile = None,
) -> None:
    """Show one memory with all that is known about it."""
    with _opened(db, settings, agent, user, None) as memories:
        record = _one(memories, id)
    table = Table(show_header=False, box=None)
    for name, value in record.to_value().items():
        if value not in (None, [], ""):
            table.add_row(name, Text(printable(str(value))))
    _console().print(table)


@memories_app.command()
def forget(
    id: Id,
    user: User,
    db: Db = "memory.db",
    agent: Agent = "default",
    settings: SettingsFile = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Archive a memory: it is not recalled any more."""
    with _opened(db, settings, agent, user, None) as memories:
        record = _one(memories, id)
        if record.status == "archived":
            _say(f"Forgotten already: {record.content}")
            return
        if not yes and not typer.confirm(f"Forget {record.content!r}?"):
            raise typer.Exit(1)
        memories.forget(record.id)
    _say(f"Forgotten: {record.content}")


@contextmanager
def _opened(
    db: str, settings: Path | None, agent: str, user: str, embedder: str | None
) -> Iterator[Memories]:
    refuse_empty(db, MEMORIES)
    namespace = load_settings(settings, opened=agent).of(agent).long_term_memory.namespace
    index: dict[str, Any] | None = index_named(embedder) if embedder else None
    with stores.open(db, index=index) as store:
        yield Memories(store, Identity(namespace or agent, user).memories)


def _nothing_found(memories: Memories, embedder: str | None) -> str:
    if embedder:
        return "Nothing found."
    made_by = memories.store.stats().embedder
    told = "Nothing found that shares a word with this. To search by meaning, too, "
    if made_by:
        return f"{told}name what indexed the database ({made_by}), as --embedder local."
    return f"{told}index the database (langgraph-memory reindex) and give --embedder local."


def _nothing_known(memories: Memories, agent: str, user: str, settings: Path | None) -> str:
    others = [
        decode_label(place[0].removeprefix("agent:"))
        for place in memories.store.list_namespaces(suffix=memories.namespace[1:], limit=20)
        if place != memories.namespace
    ]
    told = f"Nothing is remembered about {user!r} by agent {agent!r}."
    if others:
        told += f" Name another with --agent: {', '.join(map(repr, others))}."
    if settings is None:
        told += " If its settings name a namespace, give --settings."
    return told


class _Stored(NamedTuple):
    """What is in a user's place, the newest first, and the keys of what is no memory."""

    records: list[MemoryRecord]
    unreadable: list[str]


def _stored(memories: Memories) -> _Stored:
    stored = _Stored([], [])
    items = memories.store.scan(memories.namespace)
    for item in sorted(items, key=lambda item: item.updated_at, reverse=True):
        try:
            stored.records.append(MemoryRecord.from_value({"id": item.key, **item.value}))
        except InvalidInputError:  # It quotes what it finds fault with.
            stored.unreadable.append(item.key)
    return stored


def _one(memories: Memories, beginning: str) -> MemoryRecord:
    stored = _stored(memories)
    found = [record for record in stored.records if record.id.startswith(beginning)]
    if len(found) == 1:
        return found[0]
    unreadable = [key for key in stored.unreadable if key.startswith(beginning)]
    if not found and unreadable:
        told = f"{unreadable[0]!r} cannot be read as a memory"
    elif not found:
        told = f"there is no memory whose id begins with {beginning!r}"
    else:
        told = f"there are {len(found)} memories whose id begins with {beginning!r}"
        _show(found, show_status=True, whole_ids=True)
    raise typer.BadParameter(told, param_hint="ID")


def _show(
    records: Sequence[MemoryRecord],
    *,
    scores: Sequence[str] = (),
    show_status: bool = False,
    whole_ids: bool = False,
) -> None:
    table = Table(box=None, pad_edge=False)
    for heading in ("id", "type", "memory"):
        table.add_column(heading, no_wrap=heading != "memory", overflow="fold")
    if show_status:
        table.add_column("status", no_wrap=True)
    if scores:
        table.add_column("why", overflow="fold")
    for at, record in enumerate(records):
        cells = [
            record.id if whole_ids else record.id[:8],
            str(record.type),
            " ".join(record.content.split()),
        ]
        cells += [str(record.status)] if show_status else []
        cells += [scores[at]] if scores else []
        table.add_row(*(Text(printable(cell)) for cell in cells))
    _console().print(table)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _say(text: str) -> None:
    _console().print(Text(printable(text)))


def _console() -> Console:
    return Console(highlight=False)
