"""The chat in a terminal: a thread that is kept, streamed replies, and a look at every view."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph
from rich.console import Console

from langgraph_memory.calls import drive
from langgraph_memory.chat.graph import chat_graph
from langgraph_memory.checkpoints import open_checkpointer
from langgraph_memory.cli.terminal import printable
from langgraph_memory.context import ContextStrategy, ContextView
from langgraph_memory.errors import LangGraphMemoryError
from langgraph_memory.history import thread_ids
from langgraph_memory.identity import Identity, Owner
from langgraph_memory.memory import Memory
from langgraph_memory.messages import text_of
from langgraph_memory.service import Recollection
from langgraph_memory.store.database import postgres_database
from langgraph_memory.store.opening import location_of

HELP = "/context: the last view   /threads: all threads   /quit: end"
WHY_HELP = "/why: what the model was told of you, and why   "


class ModelFailedError(LangGraphMemoryError):
    """The chat's model raised; the thread is as it was before the reply."""


@dataclass
class ChatSession:
    """One sitting at a thread.

    Attributes:
        db: Where the threads are, as for `open_checkpointer`.
        thread: Id of the thread.
        model: Answers.
        strategy: Decides what the model sees.
        console: Where everything is shown.
        show_context: Show the view's report after each turn.
        open_memory: Opens the memory of users; without it nothing is remembered across threads.
        user: Who is talking, if there is a memory.
        incognito: Whether to read and write no memory in this thread.
        on_recall: Called with what is known of the user, before each reply.
    """

    db: str | os.PathLike[str]
    thread: str
    model: BaseChatModel
    strategy: ContextStrategy
    console: Console
    show_context: bool = False
    open_memory: Callable[[], Memory] | None = None
    user: str | None = None
    incognito: bool = False
    on_recall: Callable[[Recollection], None] | None = None
    _memory: Memory | None = field(default=None, init=False)
    _recollection: Recollection | None = field(default=None, init=False)
    _view: ContextView | None = field(default=None, init=False)

    def run(self, lines: Iterable[str] | None = None) -> None:
        """Go on with the thread until the lines, or the person, end.

        Args:
            lines: What the user says, a message a line; None asks at a prompt.
        """
        interactive = lines is None
        with ExitStack() as opened:
            if self.open_memory is not None:
                self._memory = opened.enter_context(self.open_memory())
                self._memory.flush()  # What an earlier sitting had no time for.
                opened.callback(self._memory.flush)
            saver = (
                opened.enter_context(open_checkpointer(self.db))
                if self._memory is None
                else self._memory.checkpointer
            )
            assert saver is not None
            if self._memory is not None and self._memory.settings.long_term_memory.enabled:
                self._ask_owner(self._memory, saver)
            graph = chat_graph(
                self.model,
                self.strategy,
                on_view=self._remember,
                memory=self._memory,
                on_recall=self._recall,
            )
            compiled: CompiledStateGraph[Any, Any, Any, Any] = graph.compile(checkpointer=saver)
            self._greet(compiled)
            self._tolerantly(interactive, partial(self._finish_interrupted, compiled))
            for line in self._asked() if lines is None else lines:
                text = line.strip()
                if text in ("/quit", "/exit"):
                    break
                if text.startswith("/"):
                    self._command(text, saver)
                elif text:
                    if not interactive:
                        self._print(f"you> {text}")
                    said = {"messages": [HumanMessage(text)]}
                    self._tolerantly(interactive, partial(self._reply, compiled, said))

    def _ask_owner(self, memory: Memory, saver: BaseCheckpointSaver[Any]) -> None:
        """Refuse a stranger before a word of theirs is in the thread."""
        owners = memory.service.owners
        place = drive(owners.place(self.thread, saver))
        owner = drive(owners.reading(place)) or Owner()
        self.incognito = self.incognito or owner.incognito  # For good, once it was so.
        owner.refuse_stranger(self.user)

    def _tolerantly(self, interactive: bool, talk: Callable[[], None]) -> None:
        """At a prompt, a model that fails is told of and the chat goes on."""
        try:
            talk()
        except ModelFailedError as error:
            if not interactive:
                raise
            self._print(f"\n{error}")

    def _greet(self, graph: CompiledStateGraph[Any, Any, Any, Any]) -> None:
        known = graph.get_state(self._config).values.get("messages", [])
        name = getattr(self.model, "model_name", None) or self.model.get_name()
        # The URL of a server may have a password in it.
        where = self._file or postgres_database(self.db)
        self._print(
            f"thread {self.thread!r} in {where}: {len(known)} messages · {name} · {self._help}"
        )
        if self._memory is not None and not self._memory.settings.long_term_memory.enabled:
            self._print(f"The settings have memory off: nothing of {self.user!r} is remembered.")
        elif self._memory is not None and self.incognito:
            self._print("This thread is incognito: it reads and writes no memory.")

    def _finish_interrupted(self, graph: CompiledStateGraph[Any, Any, Any, Any]) -> None:
        """Go on where a killed process stopped: finished steps are there and do not run again."""
        state = graph.get_state(self._config)
        if not state.next:
            return
        asked = [m for m in state.values.get("messages", []) if m.type == "human"]
        said = f" to {text_of(asked[-1])!r}" if asked else ""
        self._print(
            f"The last run stopped before step {', '.join(state.next)!r}; its reply{said} follows."
        )
        self._reply(graph, None)

    def _reply(
        self, graph: CompiledStateGraph[Any, Any, Any, Any], given: dict[str, Any] | None
    ) -> None:
        self.console.print("assistant> ", end="", markup=False)
        try:
            for part in self._stream(graph, given):
                self.console.print(printable(part), end="", markup=False)
                self.console.file.flush()
        except LangGraphMemoryError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}".rstrip(".")
            raise ModelFailedError(
                f"The model could not answer: {reason}. What you said is in thread "
                f"{self.thread!r} and is answered when the chat goes on."
            ) from error
        self.console.print()
        if self.show_context and self._view is not None:
            self._show_view(summary=self._view.report.model_calls > 0)
        elif self._view is not None and self._view.over_budget:
            self._print("(What may not be left out is over the budget: see /context.)")

    def _stream(
        self, graph: CompiledStateGraph[Any, Any, Any, Any], given: dict[str, Any] | None
    ) -> Iterator[str]:
        # sync: what a step has done is in the file before the next one begins.
        for message, _ in graph.stream(
            given, self._config, context=self._context, stream_mode="messages", durability="sync"
        ):
            if isinstance(message, AIMessageChunk) and (text := text_of(message)):
                yield text

    def _command(self, text: str, saver: BaseCheckpointSaver[Any]) -> None:
        if text == "/context":
            self._show_view()
        elif text == "/why":
            self._show_why()
        elif text == "/threads":
            for name in thread_ids(saver):
                self._print(f"{'*' if name == self.thread else ' '} {name}")
        elif text == "/help":
            self._print(self._help)
        else:
            self._print(f"There is no command {text.split(maxsplit=1)[0]!r}. {self._help}")

    def _show_view(self, *, summary: bool = True) -> None:
        if self._view is None:
            self._print("Nothing has been sent to the model in this sitting.")
            return
        self._print("\n".join(f"  | {line}" for line in str(self._view.report).splitlines()))
        text = self._view.report.summary
        if summary and text:
            self._print("\n".join(f"  | # {line}" for line in text.splitlines()))

    def _show_why(self) -> None:
        """Explain the last recall."""
        if self._memory is None:
            self._print("/why needs to know who is talking: start the chat with --user NAME.")
            return
        agent, user = self._memory.identification.agent, self.user or ""
        if self._recollection is None or not self._recollection.why:
            kept = ["langgraph-memory", "memories", "list", "--user", user, "--agent", agent]
            kept += ["--db", self._file or "URL"]
            later = "" if self.incognito else "; what you say is read some seconds later"
            self._print(
                f"Nothing known of you was shown to the model in this sitting{later}. "
                f"All that is known: {shlex.join(kept)}"
            )
            return
        for reason in self._memory.service.why(Identity(agent, user), self._recollection):
            self._print("\n".join(f"  | {line}" for line in str(reason).splitlines()))

    def _asked(self) -> Iterator[str]:
        # Its import alone gives lines that can be edited; not every system has it.
        with suppress(ImportError):
            import_module("readline")
        while True:
            try:
                yield self.console.input("you> ")
            except (EOFError, KeyboardInterrupt):
                self.console.print()
                return

    def _remember(self, view: ContextView) -> None:
        self._view = view

    def _recall(self, recollection: Recollection) -> None:
        self._recollection = recollection
        if self.on_recall is not None:
            self.on_recall(recollection)

    def _print(self, text: str) -> None:
        self.console.print(printable(text), markup=False)

    @property
    def _help(self) -> str:
        return HELP if self._memory is None else WHY_HELP + HELP

    @property
    def _file(self) -> str | None:
        kind, target = location_of(self.db)
        return target if kind == "sqlite" else None

    @property
    def _config(self) -> RunnableConfig:
        return {"configurable": {"thread_id": self.thread}}

    @property
    def _context(self) -> dict[str, Any] | None:
        if self._memory is None:
            return None
        return {"user_id": self.user, "incognito": self.incognito}
