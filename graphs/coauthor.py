"""A co-author: you and the model write one document, and every character of it is kept exactly.

The document and its versions are in the thread's state, beside a brief with what holds for all of
it. The conversation may be summarized; they never are.
With a language model (OPENAI_API_KEY, or LANGGRAPH_MEMORY_MODEL as provider:name) say what to write
and what to change. Without one nobody writes for you, and you call the tools yourself:
`/write_document Once …`, `/edit_document {"edits": [{"find": "Once", "replace": "Twice"}]}`,
`/restore_document 1`, and `/` for the list.
"""

from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.base import BaseCheckpointSaver

from langgraph_memory import Memory
from langgraph_memory.presets import Person, cowriting, served_memory, served_model
from langgraph_memory.session import Artifact

SYSTEM_PROMPT = """\
You write a document together with the user. Change it with your tools only, and change no more \
than what was asked for. Note at once in the brief what the user wants for the whole text, and \
keep to it. In the conversation say in a sentence or two what you did, and do not repeat the text. \
Write in the language of the document, and answer in the language of the user."""

document = Artifact("document")


def coauthor(
    model: BaseChatModel,
    *,
    memory: Memory | None = None,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    **options: Any,
) -> Any:
    """Build the co-author. `document.text(state)` is the text of a thread.

    Args:
        model: Writes, and makes the summaries.
        memory: Knows the user's ways of writing from other threads.
        checkpointer: Keeps the threads; on LangGraph's server none, as it has its own.
        **options: Of `cowriting`.
    """
    return create_agent(
        model,
        system_prompt=SYSTEM_PROMPT,
        middleware=cowriting(model, artifact=document, memory=memory, **options),
        context_schema=Person,
        checkpointer=checkpointer,
        name="coauthor",
    )


model = served_model()
graph = coauthor(model, memory=served_memory("coauthor", model))
