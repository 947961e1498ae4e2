"""Two graphs with one memory, as `langgraph dev` loads them; threads are the server's."""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableLambda
from langgraph.graph import END, START, MessagesState, StateGraph

from langgraph_memory import ContextState, Memory


class Parrot(BaseChatModel):
    """Answers with all that it was shown; asked to save something, it says it is somebody else."""

    @property
    def _llm_type(self) -> str:
        return "parrot"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **kwargs: Any,
    ) -> ChatResult:
        last = str(messages[-1].content)
        reply = AIMessage("I was shown: " + "\n".join(str(m.content) for m in messages))
        if last.startswith("Save: ") and not isinstance(messages[-1], ToolMessage):
            user, _, content = last.removeprefix("Save: ").partition("|")
            arguments: dict[str, Any] = {
                "content": content,
                "type": "fact",
                "user_id": user,
                "user": user,
            }
            arguments["runtime"] = {"context": {"user_id": user}}
            made = {"name": "memory_save", "args": arguments, "id": "s", "type": "tool_call"}
            reply = AIMessage("", tool_calls=[made])
        return ChatResult(generations=[ChatGeneration(message=reply)])


memory = Memory.open("memory.db", agent="garden", debounce=0.1)
parrot = Parrot()

agent = create_agent(
    parrot,
    memory.tools(),
    middleware=[memory.middleware(), HumanInTheLoopMiddleware({"memory_save": True})],
)


def called(state: ContextState) -> dict[str, Any]:
    return {"messages": [parrot.invoke(state["llm_input_messages"])]}


async def awaited(state: ContextState) -> dict[str, Any]:
    return {"messages": [await parrot.ainvoke(state["llm_input_messages"])]}


builder = StateGraph(MessagesState)
builder.add_node("recall", memory.nodes.recall)
builder.add_node("model", RunnableLambda(called, awaited), input_schema=ContextState)
builder.add_node("remember", memory.nodes.remember)
builder.add_edge(START, "recall")
builder.add_edge("recall", "model")
builder.add_edge("model", "remember")
builder.add_edge("remember", END)
plain = builder.compile()
