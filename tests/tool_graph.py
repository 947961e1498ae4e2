"""A graph that does what a model's tool calls say, and the calls."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.graph import MessagesState, StateGraph
from langgraph.prebuilt import ToolNode


def graph_of(tools: list[Any], store: Any = None) -> Any:
    """The graph."""
    graph = StateGraph(MessagesState, context_schema=dict)
    graph.add_node("tools", ToolNode(tools))
    graph.set_entry_point("tools")
    return graph.compile(store=store)


def called(name: str, call_id: str = "c1", **args: Any) -> dict[str, Any]:
    """The input of a graph in which a model has called a tool."""
    call = {"name": name, "args": args, "id": call_id}
    return {"messages": [HumanMessage("hi", id="m1"), AIMessage("", tool_calls=[call])]}


def run(graph: Any, name: str, user: str = "anna", thread: str = "t", **args: Any) -> ToolMessage:
    """What a tool answers."""
    config = {"configurable": {"thread_id": thread}}
    answered = graph.invoke(called(name, **args), config, context={"user_id": user})
    answer: ToolMessage = answered["messages"][-1]
    return answer
