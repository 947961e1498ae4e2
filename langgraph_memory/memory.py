"""`Memory.open(url)`: threads and long-term memory of an agent, wired from one place."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from pydantic import BaseModel

from langgraph_memory.calls import drive
from langgraph_memory.checkpoints import open_checkpointer
from langgraph_memory.checkpoints.upkeep import Upkeep
from langgraph_memory.context import ContextStrategy
from langgraph_memory.drawn import table
from langgraph_memory.embeddings import index_named
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.events import Listener
from langgraph_memory.extraction import Extractor
from langgraph_memory.extraction.by_model import ModelExtractor
from langgraph_memory.identity import Identification
from langgraph_memory.integrations import context_node
from langgraph_memory.integrations.memory_nodes import MemoryNodes, RecallNode, RememberNode
from langgraph_memory.integrations.memory_run import MemoryLayers, MemoryRuns, memory_layers
from langgraph_memory.integrations.traces import hide_memories_in_traces
from langgraph_memory.models import chat_model
from langgraph_memory.options import check_options
from langgraph_memory.profile import ProfileExtractor
from langgraph_memory.service import MemoryService, Placement, Recollection, Transcripts
from langgraph_memory.settings import (
    AgentSettings,
    LongTermMemorySettings,
    Settings,
    load_settings,
)
from langgraph_memory.store import MemoryStore
from langgraph_memory.store import open as open_store
from langgraph_memory.tools import memory_tools, task_tools

if TYPE_CHECKING:
    from langgraph_memory.integrations import MemoryMiddleware

__all__ = ["Memory"]

logger = logging.getLogger("langgraph_memory")


class Memory:
    """Threads and long-term memory of one agent, on one database.

    `checkpointer` and `store` are LangGraph's: compile a graph with them. `middleware()` is for
    `create_agent`, `nodes` are for a `StateGraph`, `recall_node(strategy=…)` and `nodes.remember`
    for `create_react_agent`'s hooks, `tools()` for any of them. All of it serves synchronous and
    asynchronous graphs.

    Use `Memory.open`, or give a store and a checkpointer of your own.

    Args:
        store: Where memories are.
        checkpointer: Where threads are. Without one, conversations are read from the messages that
            a run hands over.
        settings: Of the agent; what `Settings.of` returns. None switches memory on. Without a
            namespace there it is that of `identification`, or else "default".
        identification: How a run tells who is asking; by default LangGraph's authenticated user,
            and `user_id` of the runtime context where that can be trusted.
        extractor: Reads turns for memories. By default the model of the settings, else the rules.
        profile: Asks a model what belongs in users' profiles, which are then shown on every call.
        on_event: Told what happens: recalls, skips, writes, losses. No content.
        debounce: Seconds to wait after a turn for the next, so that several are read together.
    """

    def __init__(
        self,
        store: MemoryStore,
        checkpointer: BaseCheckpointSaver[Any] | None = None,
        settings: AgentSettings | None = None,
        *,
        identification: Identification | None = None,
        extractor: Extractor | None = None,
        profile: ProfileExtractor | None = None,
        on_event: Listener | None = None,
        debounce: float = 5.0,
    ) -> None:
        check_options(
            store=store,
            checkpointer=checkpointer,
            agent_settings=settings,
            identification=identification,
            on_event=on_event,
            debounce=debounce,
        )
        # To make a memory in code is to switch it on.
        given = settings or AgentSettings(long_term_memory=LongTermMemorySettings(enabled=True))
        name = given.long_term_memory.namespace
        self.identification = identification or Identification(name or "default")
        self.settings = given.in_namespace(name or self.identification.agent)
        long_term = self.settings.long_term_memory
        self.store = store
        self.checkpointer = checkpointer
        self.service = MemoryService(
            store,
            long_term,
            transcripts=Transcripts(checkpointer)
            if checkpointer is not None and Transcripts.can_read(checkpointer)
            else None,
            extractor=extractor or _extractor(_model(long_term)),
            profile=profile,
            listener=on_event,
            debounce=debounce,
        )
        self._runs = MemoryRuns(self.service, self.identification)
        self._opened = ExitStack()
        if isinstance(checkpointer, Upkeep):
            checkpointer.on_delete(self.forget_thread)

    @classmethod
    def open(
        cls,
        url: str | os.PathLike[str],
        settings: Settings | Mapping[str, Any] | str | os.PathLike[str] | None = None,
        *,
        agent: str = "default",
        index: Mapping[str, Any] | str | None = None,
        extraction_model: BaseChatModel | None = None,
        profile: type[BaseModel] | None = None,
        resolver: Callable[[Any], str | None] | None = None,
        trust_context: bool | None = None,
        on_event: Listener | None = None,
        debounce: float = 5.0,
    ) -> Self:
        """Open a database for an agent, and go on with what was left to do.

        Args:
            url: The path of an SQLite file, or ``postgresql://…``.
            settings: A YAML file, the settings themselves, or None: then memory is on for the
                agent that is named here, with the defaults for everything else. Environment
                variables go over a file and over None, not over settings given in code.
            agent: Name of the agent.
            index: LangGraph's index configuration, or an embedder's name (``local``,
                ``provider:model``). Without one, memories are found by keyword.
            extraction_model: Reads turns for memories, in place of the one in the settings.
            profile: A Pydantic model of what is to be known of every user, such as a budget, a
                level or a language. It is kept up to date by the extraction model.
            resolver: Given the runtime, tells the user; for hosts with their own authentication.
            trust_context: See `Identification`.
            on_event: Told what happens.
            debounce: Seconds to wait after a turn for the next.

        Raises:
            InvalidSettingsError: A key or value of the settings is not one of ours, or they are
                about other agents.
            InvalidInputError: There is no such database or embedder, or a value cannot be meant.
            StoreUnavailableError: The server cannot be reached.
            EmbedderMismatchError: The database was indexed by an embedder that is not given here.
        """
        check_options(
            url=url,
            settings=settings,
            agent=agent,
            index=index,
            profile=profile,
            resolver=resolver,
            trust_context=trust_context,
            on_event=on_event,
            debounce=debounce,
        )
        given = _settings(settings, agent)
        long_term = given.long_term_memory
        if long_term.enabled and not long_term.trace_content:
            hide_memories_in_traces()
        if "enabled" not in long_term.model_fields_set:
            logger.warning(
                "Agent %r has no long-term memory: its settings do not say whether it is enabled.",
                agent,
            )
        identification = Identification(
            long_term.namespace or agent, resolver=resolver, trust_context=trust_context
        )
        model = extraction_model or _model(long_term)
        if profile is not None and model is None:
            raise InvalidInputError(
                "A profile is filled in by a chat model: give extraction_model=…, or name one in "
                "the settings."
            )
        with ExitStack() as opened:
            indexed = index_named(index) if isinstance(index, str) else index
            store = opened.enter_context(open_store(url, index=indexed))
            store.setup()
            store.check_index()
            memory = cls(
                store,
                opened.enter_context(open_checkpointer(url)),
                given,
                identification=identification,
                extractor=_extractor(model),
                profile=None
                if profile is None or model is None
                else ProfileExtractor(model, profile),
                on_event=on_event,
                debounce=debounce,
            )
            memory._opened = opened.pop_all()
        memory.service.start()
        return memory

    # -- for graphs

    def tools(self) -> list[BaseTool]:
        """The memory tools, whether the settings switch them on for the middleware or not."""
        long_term = self.settings.long_term_memory
        return memory_tools(
            self.identification,
            self.store,
            max_items=long_term.max_items,
            duplicate_similarity=long_term.duplicate_similarity,
            owner_of=self._runs.owner_of,
            traced=long_term.trace_content,
        )

    def task_tools(self) -> list[BaseTool]:
        """Tools for work that goes on over several conversations."""
        return task_tools(
            self.identification,
            self.store,
            owner_of=self._runs.owner_of,
            traced=self.settings.long_term_memory.trace_content,
        )

    def middleware(
        self,
        *,
        placement: Placement | None = None,
        on_recall: Callable[[Recollection], None] | None = None,
    ) -> MemoryMiddleware:
        """Middleware for `create_agent`, to be put before `ContextMiddleware`.

        With `memory_tools` in the settings the agent gets the tools with it.

        Args:
            placement: Where recalled memories go, in place of what the settings say.
            on_recall: Called with what the model is shown.
        """
        from langgraph_memory.integrations import MemoryMiddleware

        check_options(placement=placement, on_recall=on_recall)
        has_tools = self.settings.memory_tools and self.settings.long_term_memory.enabled
        return MemoryMiddleware(
            self._runs,
            placement=placement or self.settings.long_term_memory.placement,
            tools=self.tools() if has_tools else (),
            on_recall=on_recall,
        )

    @property
    def nodes(self) -> MemoryNodes:
        """The nodes of a `StateGraph`: `recall` before the model, `remember` after it."""
        return MemoryNodes(self.recall_node(), RememberNode(self._runs))

    def recall_node(
        self,
        *,
        system: str | None = None,
        strategy: ContextStrategy | None = None,
        placement: Placement | None = None,
        on_recall: Callable[[Recollection], None] | None = None,
        **context: Any,
    ) -> RecallNode:
        """A node that recalls, and may fit the result into a budget; also a `pre_model_hook`.

        Args:
            system: The system prompt, if it is not among the messages.
            strategy: A context strategy for the result.
            placement: Where recalled memories go, in place of what the settings say.
            on_recall: Called with what the model is shown.
            **context: Further options of `context_node`, such as `tools` or `profile`.
        """
        check_options(placement=placement, on_recall=on_recall)
        node = None
        if strategy is not None:
            node = context_node(strategy, source="llm_input_messages", **context)
        return RecallNode(
            self._runs,
            system=system,
            strategy=node,
            placement=placement or self.settings.long_term_memory.placement,
            on_recall=on_recall,
        )

    def layers(self) -> MemoryLayers:
        """Profile and memories for ``Layered(model, **memory.layers())``.

        The middleware or recall node then has ``placement="layers"``.
        """
        return memory_layers()

    def _repr_html_(self) -> str:
        """A small table for notebooks; nothing in it is a user's."""
        long_term, threads = self.settings.long_term_memory, self.checkpointer
        switches = ("enabled", "auto_load", "auto_extract")
        return table(
            [
                ("agent", self.identification.agent),
                ("memories", type(self.store).__name__),
                ("threads", "–" if threads is None else type(threads).__name__),
                ("found", "by keyword" if self.store.index_config is None else "by meaning, too"),
                *((name, "yes" if getattr(long_term, name) else "no") for name in switches),
            ]
        )

    # -- life

    def forget_thread(
        self, thread_id: str, checkpointer: BaseCheckpointSaver[Any] | None = None
    ) -> None:
        """A thread was deleted: forget whose it was, so that its id can be another's.

        Memory's own checkpointer tells it by itself.

        Args:
            thread_id: Of the thread.
            checkpointer: That it was deleted from; by default memory's own.

        Raises:
            InvalidInputError: If there is no checkpointer.
        """
        saver = checkpointer or self.checkpointer
        if saver is None:
            raise InvalidInputError(
                "This memory has no checkpointer: name the one that the thread was deleted from."
            )
        self.service.forget_thread(drive(self.service.owners.place(str(thread_id), saver)))

    def flush(self) -> int:
        """Read now, in this thread, what waits in the background; how many jobs were done."""
        return self.service.flush()

    def close(self) -> None:
        """Stop after what runs now, and close what `open` opened. Closing twice is harmless."""
        self.service.close()
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _settings(
    given: Settings | Mapping[str, Any] | str | os.PathLike[str] | None, agent: str
) -> AgentSettings:
    if isinstance(given, Settings):
        return given.of(agent)
    # What is said in code, no variable changes.
    environment: Mapping[str, str] | None = {} if isinstance(given, Mapping) else None
    return load_settings(given, environment, opened=agent).of(agent)


def _model(settings: LongTermMemorySettings) -> BaseChatModel | None:
    named = settings.extraction_model
    return None if named is None or not settings.enabled else chat_model(named)


def _extractor(model: BaseChatModel | None) -> Extractor | None:
    return None if model is None else ModelExtractor(model)
