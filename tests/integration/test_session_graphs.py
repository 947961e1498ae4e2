"""Forms and artifacts in real graphs: agents, parallel calls, restarts, subgraphs."""

import sqlite3
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, create_react_agent, tools_condition
from langgraph.types import Command
from pydantic import BaseModel, Field

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.integrations.approval import approval_node, approved_tools
from langgraph_memory.session import Artifact, SessionPrompt, TaskForm, state_with
from tests.needed import needed
from tests.scripted import ScriptedModel


class Table(BaseModel):
    guests: int = Field(gt=0, le=12, description="How many people come")
    evening: str = Field(description="On which evening")
    window: bool | None = None


FORM = TaskForm(Table, name="table")
MENU = Artifact("menu")
TOOLS = [*FORM.tools(), *MENU.tools()]
PROMPT = SessionPrompt(FORM, MENU, system="You take bookings.")
CONFIG: Any = {"configurable": {"thread_id": "t"}}


class State(MessagesState):
    table: Annotated[dict[str, Any], FORM.merge]
    menu: Annotated[dict[str, Any], MENU.merge]


def call(number: int, name: str, **args: Any) -> Any:
    return {"id": f"c{number}", "name": name, "args": args}


def model_of(*replies: Any) -> ScriptedModel:
    """A model that says one after the other; a list is one message with calls."""
    left = [each if isinstance(each, str) else AIMessage("", tool_calls=each) for each in replies]
    return ScriptedModel(reply=lambda _: left.pop(0))


def plain_graph(model: Any, **around: Any) -> Any:
    graph = StateGraph(State)
    graph.add_node("model", lambda state: {"messages": [model.invoke(PROMPT(state))]})
    graph.add_node("tools", ToolNode(TOOLS))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    return graph.compile(**around)


def react_agent(model: Any, **around: Any) -> Any:
    from langgraph.prebuilt.chat_agent_executor import AgentState

    schema = state_with(AgentState, FORM, MENU)
    return create_react_agent(model, TOOLS, state_schema=schema, prompt=PROMPT, **around)


def langchain_agent(model: Any, **around: Any) -> Any:
    agents = needed("langchain.agents", "langchain")
    schema = state_with(agents.AgentState, FORM, MENU)
    return agents.create_agent(model, TOOLS, state_schema=schema, **around)


pytestmark = pytest.mark.filterwarnings(
    # create_react_agent is deprecated upstream and still used.
    "ignore:create_react_agent has been moved:langgraph.warnings.LangGraphDeprecatedSinceV10"
)
graphs = pytest.mark.parametrize("graph_of", [plain_graph, react_agent, langchain_agent])


def say(text: str) -> dict[str, Any]:
    return {"messages": [HumanMessage(text)]}


def answers(state: Any) -> list[Any]:
    return [message for message in state["messages"] if message.type == "tool"]


def saver() -> SqliteSaver:
    """A database that keeps nothing but JSON and messages: other types would come back as dicts."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    return SqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))


@graphs
def test_a_form_and_a_text_are_worked_on_over_turns(graph_of):
    model = model_of(
        [
            call(1, "fill_table", values={"guests": 40, "evening": "Friday"}, asking=["guests"]),
            call(2, "write_menu", text="Soup\r\nBread"),
        ],
        "For how many?",
        [
            call(1, "fill_table", values={"guests": 4}),  # Ids come again in a long thread.
            call(2, "edit_menu", edits=[{"find": "Bread", "replace": "Cheese"}]),
        ],
        "Booked.",
    )
    database = saver()
    graph = graph_of(model, checkpointer=database)
    first = graph.invoke(say("Friday, the whole club"), CONFIG)
    refused, written = answers(first)
    assert (refused.status, written.status) == ("error", "success")
    assert "guests: 40 cannot be used" in refused.content
    assert '"maximum": 12' in refused.content
    assert "evening" in FORM.values(first)
    assert FORM.entries(first)["guests"]["asked"] == 1
    again = graph_of(model, checkpointer=database)  # As after a restart.
    last = again.invoke(say("Four, and rather cheese"), CONFIG)
    assert FORM.result(last) == Table(guests=4, evening="Friday")
    assert MENU.text(last) == "Soup\r\nCheese"
    assert MENU.text(last, 1) == "Soup\r\nBread"
    said = [message.id for message in last["messages"] if message.type == "human"]
    entries = FORM.entries(last)
    assert [entries[slot]["message"] for slot in ("evening", "guests")] == said


@graphs
async def test_calls_made_at_once_see_each_other_and_tell_the_truth(graph_of):
    model = model_of(
        [
            call(1, "write_menu", text="one two three"),
            call(2, "edit_menu", edits=[{"find": "two", "replace": "2"}]),
            call(3, "edit_menu", edits=[{"find": "one two", "replace": "x"}]),
            call(4, "write_menu", text="!", where="end"),
            call(5, "fill_table", values={"guests": 2}, said_by="assistant"),
            call(6, "fill_table", values={"evening": "Monday"}),
            call(7, "confirm_table", slots=["guests"]),
            call(8, "restore_menu", version=9),
            call(9, "read_menu"),
        ],
        "Done.",
    )
    state = await graph_of(model).ainvoke(say("Go"))
    assert MENU.text(state) == "one 2 three!"
    assert FORM.values(state) == {"guests": 2, "evening": "Monday"}
    by_id = {answer.tool_call_id: answer for answer in answers(state)}
    failed = {key for key, answer in by_id.items() if answer.status == "error"}
    assert failed == {"c3", "c7", "c8"}
    assert '"one two" was found 0 times' in by_id["c3"].content
    assert "only set in this turn" in by_id["c7"].content
    assert "versions 0 (empty) to 3" in by_id["c8"].content
    assert "one 2 three!" in by_id["c9"].content
    assert MENU.refused(state) == FORM.refused(state) == []


def test_the_prompt_shows_how_things_stand_now():
    model = model_of([call(1, "fill_table", values={"guests": 3})], "Which evening?", "Fine.")
    graph = plain_graph(model, checkpointer=saver())
    graph.invoke(say("Three"), CONFIG)
    assert "- guests: 3" not in model.said_to(0)
    assert "- guests: 3 (said by user)" in model.said_to(1)
    assert "- evening: On which evening" in model.said_to(1)
    graph.invoke(say("Hm"), CONFIG)
    # Nothing has changed since, so the system message is the same to the byte.
    assert model.requests[2][0].content == model.requests[1][0].content


def test_an_application_edits_too_and_a_model_reads_parts():
    model = model_of(
        [
            call(1, "read_menu", section="Drinks"),
            call(2, "read_menu", first_line=9),
            call(3, "read_menu", version=1),
            call(4, "read_menu", history=True),
            call(5, "read_menu", section="Desserts"),
        ],
        "Read.",
    )
    graph = plain_graph(model, checkpointer=saver())
    graph.update_state(CONFIG, MENU.write({}, "# Food\nsoup\n# Drinks\ntea\n", note="first"))
    values = graph.get_state(CONFIG).values
    graph.update_state(CONFIG, MENU.edit(values, [("tea", "coffee")]))
    section, lines, version, history, unknown = answers(graph.invoke(say("Look"), CONFIG))
    assert "lines 3 to 4 of 4" in section.content
    assert "<menu>\n# Drinks\ncoffee\n\n</menu>" in section.content
    assert "there are lines 1 to 4" in lines.content
    assert "tea" in version.content
    assert '1: write by "user", +25 characters, "first"' in history.content
    assert (unknown.status, '"Food", "Drinks"' in unknown.content) == ("error", True)


def test_subgraphs_and_parallel_branches_give_back_what_they_changed():
    def booked(state: State) -> Any:
        return FORM.fill(state, {"guests": 2})

    def cooked(state: State) -> Any:
        return MENU.edit(state, [("a", "b")])

    def tasted(state: State) -> Any:
        return MENU.edit(state, [("z", "y")]) | FORM.fill(state, {"evening": "Sunday"})

    def inner(node: Any) -> Any:
        graph = StateGraph(State)
        graph.add_node("work", node)
        graph.add_edge(START, "work")
        return graph.compile()

    graph = StateGraph(State)
    for name, node in {"booked": booked, "cooked": cooked, "tasted": tasted}.items():
        graph.add_node(name, inner(node))
        graph.add_edge(START, name)
        graph.add_edge(name, END)
    state = graph.compile().invoke({"messages": [], **MENU.write({}, "a\nz")})
    assert MENU.text(state) == "b\ny"
    assert FORM.values(state) == {"guests": 2, "evening": "Sunday"}


def test_going_back_in_time_goes_back_in_the_text():
    graph = plain_graph(model_of("a", "b"), checkpointer=saver())
    graph.update_state(CONFIG, MENU.write({}, "old"))
    past = graph.get_state(CONFIG)
    graph.update_state(CONFIG, MENU.write(past.values, "new"))
    fork = graph.update_state(past.config, MENU.write(past.values, "other"))
    assert MENU.text(graph.get_state(fork).values) == "other"
    assert MENU.version(graph.get_state(fork).values) == 2


def test_a_call_that_a_person_rejected_is_not_counted_by_those_after_it():
    middleware = needed("langchain.agents.middleware", "langchain")
    model = model_of(
        [
            call(1, "write_menu", text="soup"),
            call(2, "edit_menu", edits=[{"find": "soup", "replace": "tea"}]),
        ],
        "Well.",
    )
    asking = middleware.HumanInTheLoopMiddleware({"write_menu": True})
    agent = langchain_agent(model, checkpointer=saver(), middleware=[asking])
    agent.invoke(say("Write"), CONFIG)
    decisions = {"decisions": [{"type": "reject", "message": "No."}]}
    state = agent.invoke(Command(resume=decisions), CONFIG)
    [edited] = [answer for answer in answers(state) if answer.tool_call_id == "c2"]
    assert (edited.status, MENU.version(state)) == ("error", 0)


@pytest.mark.parametrize("form", ["plain", "agent"])
def test_a_call_that_a_person_changed_is_not_what_those_after_it_count_on(form):
    model = model_of(
        [call(1, "write_menu", text="soup")],
        [
            call(2, "edit_menu", edits=[{"find": "soup", "replace": "tea"}]),
            call(3, "edit_menu", edits=[{"find": "tea", "replace": "tea and cake"}]),
        ],
        "Well.",
    )
    if form == "agent":
        middleware = needed("langchain.agents.middleware", "langchain")
        asking = middleware.HumanInTheLoopMiddleware({"edit_menu": True})
        graph = langchain_agent(model, checkpointer=saver(), middleware=[asking])
    else:
        plain = StateGraph(State)
        plain.add_node("model", lambda state: {"messages": [model.invoke(PROMPT(state))]})
        plain.add_node("approval", approval_node({"edit_menu": True}))
        plain.add_node("tools", approved_tools(TOOLS))
        plain.add_edge(START, "model")
        plain.add_edge("model", "approval")
        plain.add_edge("tools", "model")
        graph = plain.compile(checkpointer=saver())
    graph.invoke(say("Write"), CONFIG)
    changed = {"name": "edit_menu", "args": {"edits": [{"find": "soup", "replace": "broth"}]}}
    decisions = [{"type": "edit", "edited_action": changed}, {"type": "approve"}]
    state = graph.invoke(Command(resume={"decisions": decisions}), CONFIG)
    assert MENU.text(state) == "broth"
    said = {answer.tool_call_id: answer.content for answer in answers(state)}
    assert "If your calls before" not in said["c1"] + said["c2"]
    # It cannot know of the other, and must not say that it is done.
    assert said["c3"].startswith("If your calls before this one are run just as you made them")
    assert len(MENU.refused(state)) == 1


def test_wrong_arguments_are_answered_and_change_nothing():
    model = model_of(
        [call(1, "edit_menu", edits=[]), call(2, "fill_table", values="Friday")], "Sorry."
    )
    state = plain_graph(model).invoke(say("Go"))
    assert [answer.status for answer in answers(state)] == ["error", "error"]
    assert all("cannot be used" in answer.content for answer in answers(state))
    assert FORM.values(state) == {}


def test_schemas_say_what_each_slot_takes():
    for tool in TOOLS:
        schema = convert_to_openai_tool(tool)["function"]
        assert "$ref" not in str(schema)
        assert "null" not in str(schema)
        assert "runtime" not in schema["parameters"]["properties"]
    slots = convert_to_openai_tool(TOOLS[0])["function"]["parameters"]["properties"]["values"]
    assert slots["properties"]["guests"] == {
        "description": "How many people come",
        "exclusiveMinimum": 0,
        "maximum": 12,
        "type": "integer",
    }


def test_a_tool_outside_a_graph_and_two_channels_of_one_name_are_errors():
    with pytest.raises(InvalidInputError, match="outside a graph"):
        TOOLS[0].invoke({"values": {}})
    with pytest.raises(InvalidInputError, match="'menu'"):
        state_with(MessagesState, MENU, Artifact("menu"))
