"""The assistant with all layers: a context that fits, summaries, threads, and long-term memory.

In Studio, tell it something about yourself, open a new thread, and ask. Threads and their
checkpointer are the server's; what is known about users is in LANGGRAPH_MEMORY_URL.
Without a key it runs on the offline model, which answers with sentences of the conversation, and
calls a tool where you write `/name …`; `/` lists the tools. Set OPENAI_API_KEY, or
LANGGRAPH_MEMORY_MODEL to provider:name, for a real one. LANGGRAPH_MEMORY_BUDGET sets the token
budget of a request.
"""

from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.base import BaseCheckpointSaver

from langgraph_memory import Memory
from langgraph_memory.chat import SYSTEM_PROMPT
from langgraph_memory.presets import Person, open_chat, served_budget, served_memory, served_model


def chat(
    model: BaseChatModel,
    *,
    memory: Memory | None = None,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    **options: Any,
) -> Any:
    """Build the assistant.

    Args:
        model: Answers, and writes the summaries.
        memory: Remembers users across threads, and gives the assistant its tools.
        checkpointer: Keeps the threads; on LangGraph's server none, as it has its own.
        **options: Of `open_chat`.
    """
    return create_agent(
        model,
        [*memory.tools(), *memory.task_tools()] if memory is not None else [],
        system_prompt=SYSTEM_PROMPT,
        middleware=open_chat(model, memory=memory, **options),
        context_schema=Person,
        checkpointer=checkpointer,
        name="chat",
    )


model = served_model()
graph = chat(model, memory=served_memory("chat", model), budget=served_budget())
