"""Presets: what each puts together, in which order, and what the model then sees."""

import subprocess
import sys
from typing import Any, Literal

import pytest
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import BaseModel, Field

from langgraph_memory import Memory
from langgraph_memory.errors import InvalidBudgetError
from langgraph_memory.messages import is_summary
from langgraph_memory.offline import CommandModel
from langgraph_memory.presets import cowriting, open_chat, task
from langgraph_memory.session import Artifact, TaskForm
from tests.needed import needed
from tests.scripted import ScriptedModel

agents = needed("langchain.agents", "langchain")
OFFLINE = CommandModel(semantic=False)
CONFIG: Any = {"configurable": {"thread_id": "t"}}
ANNA = {"user_id": "anna"}


class Repair(BaseModel):
    """What a workshop needs to know."""

    bicycle: Literal["city", "cargo"] = Field(description="Which kind of bicycle")
    day: str = Field(description="On which day it is brought")


@tool
def order_part(part: str) -> str:
    """Order a part; it cannot be sent back.

    Args:
        part: Its name.
    """
    return f"{part} ordered. " * 40


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "m.db", agent="shop", debounce=1e6) as opened:
        yield opened


def agent_of(model: Any, middleware: Any, tools: Any = ()) -> Any:
    return agents.create_agent(
        model,
        list(tools),
        system_prompt="You help in a workshop.",
        middleware=middleware,
        checkpointer=InMemorySaver(),
    )


def says(agent: Any, text: str) -> Any:
    return agent.invoke({"messages": [("user", text)]}, CONFIG, context=ANNA)


def calls(name: str, **args: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"id": f"call-{name}", "name": name, "args": args}])


def scripted(*replies: Any) -> ScriptedModel:
    left = list(replies)
    return ScriptedModel(reply=lambda _: left.pop(0))


def kinds(middleware: Any) -> list[str]:
    return [type(each).__name__ for each in middleware]


def test_each_preset_has_its_parts_in_their_order(memory):
    assert kinds(open_chat(OFFLINE)) == ["ContextMiddleware"]
    assert kinds(open_chat(OFFLINE, memory=memory)) == ["MemoryMiddleware", "ContextMiddleware"]
    assert kinds(task(OFFLINE)) == ["ContextMiddleware"]
    assert kinds(task(OFFLINE, form=Repair, memory=memory, approve=["order_part"])) == [
        "MemoryMiddleware",
        "SessionMiddleware",
        "HumanInTheLoopMiddleware",
        "ContextMiddleware",
    ]
    assert kinds(cowriting(OFFLINE)) == ["SessionMiddleware", "ContextMiddleware"]
    assert kinds(cowriting(OFFLINE, memory=memory))[0] == "MemoryMiddleware"


@pytest.mark.parametrize("preset", [open_chat, task, cowriting])
@pytest.mark.parametrize(
    ("window", "budget"), [(8_000, 3_200), (None, 12_800), (128_000, 51_200), (10**6, 60_000)]
)
def test_the_budget_is_a_share_of_the_models_window(preset, window, budget):
    model = ScriptedModel(reply=lambda _: "Fine.")
    if window is not None:
        model.profile = {"max_input_tokens": window}
    views: list[Any] = []
    agent = agent_of(model, preset(model, on_view=views.append))
    cut = []
    for share in (0.2, 0.4, 0.9, 1.1):
        words = "word " * int(budget * share / 20)
        thread = [HumanMessage(f"{number} {words}") for number in range(20)]
        agent.invoke({"messages": thread}, {"configurable": {"thread_id": str(share)}})
        report = views[-1].report
        assert bool(report.dropped) == (report.tokens_before > budget)
        assert report.tokens_after <= budget
        cut.append(bool(report.dropped))
    assert (cut[0], cut[-1]) == (False, True)
    with pytest.raises(InvalidBudgetError):
        preset(model, budget=0)


def test_what_is_known_and_the_form_are_counted_and_stand_in_order(memory):
    model = scripted(
        calls("fill_task_form", values={"bicycle": "cargo"}, asking=["day"]), "When?", "Right."
    )
    views: list[Any] = []
    parts = task(model, form=Repair, memory=memory, on_view=views.append)
    agent = agent_of(model, parts)
    says(agent, "I am allergic to latex. My cargo bike squeaks.")
    memory.flush()
    says(agent, "It squeaks when it is cold.")
    system = str(views[-1].messages[0].content)
    places = [
        system.index(each)
        for each in ("You help in a workshop.", "latex", '- bicycle: "cargo"', "- day")
    ]
    assert places == sorted(places)
    report = views[-1].report
    assert report.tokens_after >= report.tokens_before - 5
    assert report.tokens_after > len(system) / 6  # All of it is counted.
    assert isinstance(model.requests[-1][0], SystemMessage)
    assert sum(isinstance(each, SystemMessage) for each in model.requests[-1]) == 1


def test_a_form_may_be_given_with_a_name_of_its_own():
    form = TaskForm(Repair, name="repair", confirm=["day"])
    model = scripted(calls("fill_repair", values={"bicycle": "city", "day": "Friday"}), "Noted.")
    state = says(agent_of(model, task(model, form=form)), "A city bike, on Friday.")
    assert form.values(state) == {"bicycle": "city", "day": "Friday"}
    assert form.unconfirmed(state) == ["day"]


def test_a_person_decides_on_what_cannot_be_undone_however_small_the_view():
    model = scripted(calls("order_part", part="chain"), "Ordered.")
    agent = agent_of(
        model, task(model, approve=["order_part"], form=Repair, budget=700), [order_part]
    )
    state = says(agent, "Order a chain.")
    [asked] = state["__interrupt__"]
    assert asked.value["action_requests"][0]["args"] == {"part": "chain"}
    assert not any(isinstance(each, ToolMessage) for each in state["messages"])
    approved = Command(resume={"decisions": [{"type": "approve"}]})
    state = agent.invoke(approved, CONFIG, context=ANNA)
    assert [each.name for each in state["messages"] if isinstance(each, ToolMessage)] == [
        "order_part"
    ]


def test_one_name_may_stand_alone():
    model = scripted(calls("order_part", part="chain"), "Ordered.")
    agent = agent_of(model, task(model, approve="order_part"), [order_part])
    [asked] = says(agent, "Order a chain.")["__interrupt__"]
    assert asked.value["action_requests"][0]["name"] == "order_part"


def test_what_a_person_may_decide_can_be_said_for_each_tool():
    model = scripted(calls("order_part", part="chain"), "Then not.")
    rules = {"order_part": {"allowed_decisions": ["approve", "reject"]}}
    agent = agent_of(model, task(model, approve=rules), [order_part])
    [asked] = says(agent, "Order a chain.")["__interrupt__"]
    assert asked.value["review_configs"][0]["allowed_decisions"] == ["approve", "reject"]


def test_a_refused_request_is_tried_once_more_and_shorter():
    refusals = [ContextOverflowError("too long")]

    def answer(_: Any) -> str:
        if refusals:
            raise refusals.pop()
        return "Fine."

    model = ScriptedModel(reply=answer)
    agent = agent_of(model, task(model, form=Repair))
    thread = [HumanMessage(f"{number} " + "word " * 40) for number in range(20)]
    state = agent.invoke({"messages": thread}, CONFIG)
    assert state["messages"][-1].text == "Fine."
    assert len(model.requests[1]) < len(model.requests[0])


def test_old_results_of_a_task_give_way_and_the_form_stays():
    replies: list[Any] = [calls("fill_task_form", values={"day": "Monday"}), "Noted."]
    for number in range(12):
        replies += [calls("order_part", part=f"part {number}"), "Done."]
    model = scripted(*replies)
    agent = agent_of(model, task(model, form=Repair, summarize_above=10**6), [order_part])
    says(agent, "I bring it on Monday.")
    for number in range(12):
        says(agent, f"Order part {number}.")
    last = model.requests[-1]
    whole = [each for each in last if isinstance(each, ToolMessage) and "ordered" in each.text]
    assert 3 <= len(whole) <= 6
    assert 'day: "Monday"' in str(last[0].content)


@pytest.mark.parametrize(
    "few",
    [{"budget": 0.5}, {"budget": "8000"}, {"budget": 50}, {"artifact_tokens": 0},
     {"artifact_tokens": 30}, {"brief_tokens": 9}],
    ids=str,
)  # fmt: skip
def test_room_for_the_text_is_looked_at_before_there_is_one(few):
    with pytest.raises(InvalidBudgetError, match=r"budget|tokens"):
        cowriting(OFFLINE, **few)


@pytest.mark.parametrize("few", [{"budget": 400}, {"artifact_tokens": 200}], ids=str)
def test_the_least_room_serves_any_text(few):
    play = Artifact("q1w2e3r4t5z6u7i8o9p0a1s2d3f4g5h6j7k8l9x0y")
    agent = agent_of(OFFLINE, cowriting(OFFLINE, artifact=play, **few))
    says(agent, f"/write_{play.name} " + "# A title\r\nsome words on one line of it\n" * 4_000)
    state = says(agent, "How long is it?")
    assert len(play.text(state)) > 100_000


def test_a_form_without_room_is_refused_when_it_is_made():
    with pytest.raises(InvalidBudgetError, match="task_form"):
        task(OFFLINE, form=Repair, form_tokens=10)


def test_a_brief_and_a_text_outlive_the_conversation_word_for_word():
    wishes = [f"Wish {number}: not one word of number {number}, please." for number in range(30)]
    text = "The ferry\r\nsleeps.\t\n</play> e\u0301\n"
    play = Artifact("play")
    views: list[Any] = []
    parts = cowriting(OFFLINE, artifact=play, summarize_above=6, keep_last=2, on_view=views.append)
    agent = agent_of(OFFLINE, parts)
    values = str({"values": {"constraints": wishes}}).replace("'", '"')
    says(agent, f"/fill_brief {values}")
    says(agent, f"/write_play {text}")
    for number in range(8):
        state = says(agent, f"The stage of scene {number} is lit in blue.")
    [first, *rest] = views[-1].messages
    assert is_summary(first)
    assert not any("/fill_brief" in str(each.content) for each in rest)
    for wish in wishes:
        assert wish in str(first.content)
    assert f">\n{text}\n</play" in str(first.content)
    assert play.text(state) == text


def test_a_chat_is_summarized_beside_the_conversation():
    model = ScriptedModel(
        reply=lambda request: (
            "Key facts:\n- blue\n\nCourse of the conversation:\nTalk."
            if "<conversation>" in request[-1].text
            else "I see. " * 12
        )
    )
    views: list[Any] = []
    agent = agent_of(model, open_chat(model, on_view=views.append))
    for number in range(15):
        says(agent, f"On day {number} the boat was painted, and nobody was on board that day.")
    assert not any(is_summary(view.messages[0]) for view in views)
    for number in range(100):
        says(agent, f"And then, on day {number}, it was painted once more, and all were on board.")
        if is_summary(views[-1].messages[0]):
            break
    assert is_summary(views[-1].messages[0])
    assert "blue" in str(views[-1].messages[0].content)


async def test_presets_serve_asynchronous_agents(memory):
    model = scripted(calls("fill_task_form", values={"day": "Monday"}), "Noted.")
    agent = agent_of(model, task(model, form=Repair, memory=memory))
    state = await agent.ainvoke({"messages": [("user", "On Monday.")]}, CONFIG, context=ANNA)
    assert state["task_form"]["slots"]["day"]["value"] == "Monday"


def test_without_langchain_a_preset_says_what_to_install():
    code = """if True:
        import sys
        sys.modules["langchain"] = None
        from langgraph_memory import errors, offline, presets
        for preset in (presets.open_chat, presets.task, presets.cowriting):
            try:
                preset(offline.CommandModel())
            except errors.MissingExtraError as error:
                print(error)
    """
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.count("pip install 'langgraph-layered-memory[langchain]'") == 3


class TestCommandModel:
    def model(self) -> Any:
        return CommandModel(semantic=False).bind_tools([order_part, *Artifact("play").tools()])

    def test_a_command_calls_a_tool_with_what_is_written(self):
        reply = self.model().invoke([HumanMessage('/order_part {"part": "chain"}')])
        assert [(each["name"], each["args"]) for each in reply.tool_calls] == [
            ("order_part", {"part": "chain"})
        ]

    @pytest.mark.parametrize("text", ["chain", " two\r\nlines \n", "12", "[1]", "{half"])
    def test_the_only_argument_needs_no_json_and_is_not_changed(self, text):
        reply = self.model().invoke([HumanMessage(f"/order_part {text}")])
        assert reply.tool_calls[0]["args"] == {"part": text}

    def test_a_number_is_a_number(self):
        reply = self.model().invoke([HumanMessage("/restore_play 3")])
        assert reply.tool_calls[0]["args"] == {"version": 3}

    @pytest.mark.parametrize("text", ["/", "/help", "/sing la la"])
    def test_tools_that_are_not_there_are_answered_with_those_that_are(self, text):
        reply = self.model().invoke([HumanMessage(text)])
        assert not reply.tool_calls
        assert "/order_part {part: string}" in reply.text

    @pytest.mark.parametrize("text", ["/order_part", "/order_part  "])
    def test_a_command_without_its_argument_is_answered_with_its_form(self, text):
        assert "/order_part {part: string}" in self.model().invoke([HumanMessage(text)]).text

    def test_a_result_is_shown_and_everything_else_is_read(self):
        asked = [HumanMessage("/order_part chain"), calls("order_part", part="chain")]
        result = ToolMessage("chain ordered", tool_call_id="call-order_part")
        assert self.model().invoke([*asked, result]).text == "chain ordered"
        said = [HumanMessage("My ferry leaves at 9:42."), AIMessage("Noted.")]
        reply = self.model().invoke([*said, HumanMessage("When does my ferry leave?")])
        assert "9:42" in reply.text

    def test_streaming_says_the_same(self):
        chunks = list(self.model().stream([HumanMessage("/order_part chain")]))
        whole = chunks[0]
        for chunk in chunks[1:]:
            whole += chunk
        assert whole.tool_calls[0]["args"] == {"part": "chain"}
        words = list(self.model().stream([HumanMessage("The ferry leaves at 9:42 today.")]))
        assert len(words) > 3
