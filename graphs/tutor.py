"""A tutor that knows a learner's level, project and history, in every thread and on every device.

In Studio, say what you know and what you are working on, open a new thread, and ask. What is known
is in LANGGRAPH_MEMORY_URL, under the learner and not under the thread; a device of somebody who is
not logged in belongs to whom the host's resolver says.
With a language model (OPENAI_API_KEY, or LANGGRAPH_MEMORY_MODEL as provider:name) it keeps a
profile, too. Without one the offline model answers with sentences of what is known, and calls a
tool where you write `/name …`; `/` lists the tools.
"""

from typing import Any, Literal

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.base import BaseCheckpointSaver
from pydantic import BaseModel, Field

from langgraph_memory import Memory
from langgraph_memory.presets import Person, open_chat, served_memory, served_model

SYSTEM_PROMPT = """\
You are a patient tutor. Begin where the learner stands: use the level, the project and the \
lessons that you are told of, and ask when you are told nothing. Explain one step at a time, with \
an example from the learner's own project, and check with one short question whether it was \
understood. Note each unfinished lesson as a task, with what was understood and what comes next, \
and bring it up to date when it moves on. Answer in the language of the learner."""


class Learner(BaseModel):
    """What a tutor has to know of every learner."""

    subject: str | None = Field(None, description="What the learner is learning")
    level: Literal["beginner", "intermediate", "advanced"] | None = Field(
        None, description="How far the learner is in the subject"
    )
    project: str | None = Field(None, description="What the learner is working on")
    knows: list[str] | None = Field(None, description="Topics that the learner has understood")
    difficulties: list[str] | None = Field(None, description="Topics that the learner finds hard")
    style: str | None = Field(None, description="How the learner likes to have things explained")
    language: str | None = Field(None, description="The language to answer in")


def tutor(
    model: BaseChatModel,
    *,
    memory: Memory | None = None,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    **options: Any,
) -> Any:
    """Build the tutor.

    Args:
        model: Teaches, and writes the summaries.
        memory: Knows the learners. Open it with ``profile=Learner`` to have a profile of each.
        checkpointer: Keeps the threads; on LangGraph's server none, as it has its own.
        **options: Of `open_chat`.
    """
    return create_agent(
        model,
        memory.task_tools() if memory is not None else [],
        system_prompt=SYSTEM_PROMPT,
        middleware=open_chat(model, memory=memory, **options),
        context_schema=Person,
        checkpointer=checkpointer,
        name="tutor",
    )


model = served_model()
graph = tutor(model, memory=served_memory("tutor", model, profile=Learner))
