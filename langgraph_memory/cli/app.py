"""Commands and their options."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from langgraph_memory import __version__
from langgraph_memory.chat.strategies import STRATEGIES, strategy_named
from langgraph_memory.cli.chat import ChatSession
from langgraph_memory.cli.databases import Db, Embedder
from langgraph_memory.cli.memories import memories_app
from langgraph_memory.cli.reindex import reindex
from langgraph_memory.cli.threads import threads_app
from langgraph_memory.memory import Memory
from langgraph_memory.models import chat_model
from langgraph_memory.store.opening import open_store

typer_app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)
typer_app.add_typer(memories_app, name="memories")
typer_app.add_typer(threads_app, name="threads")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"langgraph-memory {__version__}")
        raise typer.Exit


@typer_app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Memory for LangGraph agents. The evaluations: python -m langgraph_memory.evals --help."""


@typer_app.command()
def chat(
    thread: Annotated[str, typer.Option(help="The thread to go on with, or to begin.")] = "default",
    db: Db = "memory.db",
    budget: Annotated[int, typer.Option(help="Tokens that a request may have.")] = 4_000,
    strategy: Annotated[
        str, typer.Option(help=f"What the model sees: {', '.join(STRATEGIES)}.")
    ] = "summarize",
    model: Annotated[
        str | None,
        typer.Option(
            help="provider:name, or 'offline' for the extractive model that needs no key. "
            "By default OpenAI's if OPENAI_API_KEY is set, else the offline one."
        ),
    ] = None,
    input: Annotated[
        Path | None,
        typer.Option(help="Play the lines of a file as messages; '-' or a pipe reads them."),
    ] = None,
    show_context: Annotated[
        bool, typer.Option("--show-context", help="After each turn, what the model was sent.")
    ] = False,
    user: Annotated[
        str | None,
        typer.Option(help="Who is talking: what they say is remembered across threads."),
    ] = None,
    agent: Annotated[
        str | None, typer.Option(help="Whose memory of the user; by default that of 'default'.")
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(help="YAML file with the settings of agents.")
    ] = None,
    embedder: Embedder = None,
    incognito: Annotated[
        bool, typer.Option("--incognito", help="Read and write no memory in this thread.")
    ] = False,
) -> None:
    """Chat on a thread that fits its budget and survives a restart.

    In the chat: /context shows the last view, /threads lists the threads, /quit ends. With --user,
    /why shows what the model was told of the user and why.
    """
    if not thread.strip():
        raise typer.BadParameter("a thread needs a name that is not empty", param_hint="--thread")
    if user is not None and not user.strip():
        raise typer.BadParameter("a user needs a name that is not empty", param_hint="--user")
    of_memory = {
        "--agent": agent,
        "--settings": settings,
        "--embedder": embedder,
        "--incognito": incognito,
    }
    for option, given in of_memory.items():
        if given and user is None:
            raise typer.BadParameter(
                "says how a user is remembered: name the user with --user", param_hint=option
            )
    if user is not None and embedder is None:
        _refuse_indexed(db)
    talker = chat_model(model)
    session = ChatSession(
        db=db,
        thread=thread,
        model=talker,
        strategy=strategy_named(strategy, budget, talker),
        console=Console(highlight=False, soft_wrap=True),
        show_context=show_context,
        open_memory=None
        if user is None
        else partial(Memory.open, db, settings, agent=agent or "default", index=embedder),
        user=user,
        incognito=incognito,
    )
    lines: Iterable[str] | None = None
    if input is not None and str(input) != "-":
        if not input.is_file():
            raise typer.BadParameter(f"there is no file {str(input)!r}", param_hint="--input")
        try:
            lines = input.read_text(encoding="utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise typer.BadParameter(
                f"{str(input)!r} is not UTF-8 text (byte {error.start})", param_hint="--input"
            ) from error
    elif input is not None or sys.stdin is None or not sys.stdin.isatty():
        lines = sys.stdin or ()
    session.run(lines)


typer_app.command()(reindex)


def _refuse_indexed(db: str) -> None:
    """Without its embedder nothing can be remembered in a database that is searched by meaning."""
    with open_store(db) as store:
        made_by = store.stats().embedder
    if made_by:
        raise typer.BadParameter(
            f"the database is indexed by {made_by}: name that embedder, as 'local', "
            "'provider:model' or 'module:attribute'",
            param_hint="--embedder",
        )
