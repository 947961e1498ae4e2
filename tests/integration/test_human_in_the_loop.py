"""A person decides before what cannot be undone, with context, history and memory around it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.tools import InjectedToolCallId, tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import Command, interrupt
from openai import BadRequestError
from openai_server import OpenAIServer, call
from openai_server import say as reply_of
from pydantic import SecretStr, ValidationError
from scripted import ScriptedModel, digest

from langgraph_memory import Memory, MemoryRecord, clock
from langgraph_memory.context import (
    ClearToolResults,
    ContextRequest,
    ContextStrategy,
    MessageWindow,
    SlidingWindow,
    Summarize,
    TieredExpiry,
    Trim,
)
from langgraph_memory.events import Event
from langgraph_memory.history import (
    FilterHistory,
    HistoryMiddleware,
    HistoryStrategy,
    KeepLatest,
    PendingThreadError,
    SummarizeHistory,
    TrimHistory,
    apply_to_thread,
    history_node,
)
from langgraph_memory.identity import Identity
from langgraph_memory.integrations import ContextMiddleware, ordered_steps
from langgraph_memory.integrations.approval import (
    DECISIONS,
    DecisionError,
    NotPendingError,
    approval_node,
    approved_tools,
    ask,
    resume_command,
)
from langgraph_memory.messages import PROFILES, text_of, units, validate
from langgraph_memory.summarization import (
    ContextState,
    SummarizationHook,
    add_summarization,
    summarized_messages,
)

pytestmark = pytest.mark.filterwarnings("ignore:Deserializing unregistered type")

ANNA = Identity("florist", "anna")
LILIES = "Hello, I am allergic to lilies."


# -- a shop where an order cannot be taken back


class Shop:
    """What the tools of a run have done, in order."""

    def __init__(self) -> None:
        self.done: list[str] = []

        @tool
        def order(kind: str, stems: int = 10) -> str:
            """Order flowers from the grower; it cannot be taken back."""
            self.done.append(f"order {stems} {kind}")
            return f"{stems} {kind} are ordered"

        @tool
        def stock(kind: str) -> str:
            """Say how many flowers of a kind there are."""
            self.done.append(f"stock {kind}")
            return f"{len(kind)} {kind} in stock. " + "They came on Monday. " * 20

        self.tools = [order, stock]


def florist(request: list[BaseMessage]) -> str | BaseMessage:
    """Calls the tools that the newest message names: ``order roses tulips`` or ``stock asters``."""
    if isinstance(request[-1], ToolMessage):
        return f"Done: {text_of(request[-1])[:60]}"
    words = text_of(request[-1]).rstrip(".").split()
    for name in ("order", "stock"):
        if name in words:
            kinds = words[words.index(name) + 1 :]
            made = [
                # Nine letters and digits, which every provider takes.
                {"name": name, "args": {"kind": kind}, "id": f"{kind:x<7.7}{len(request):02}"}
                for kind in kinds
            ]
            return AIMessage("", tool_calls=[{**each, "type": "tool_call"} for each in made])
    return "Noted."


def steps() -> Any:
    """Old results cleared, and a summary from a size on that a few turns reach."""
    hook = SummarizationHook(ScriptedModel(reply=digest), max_tokens=300, keep_last=4)
    return ordered_steps({30: ClearToolResults(keep=1), 50: hook})


def agent(memory: Memory, model: Any, tools: Sequence[Any], keep: int = 12, **options: Any) -> Any:
    asks = HumanInTheLoopMiddleware({"order": True, **options.pop("gates", {})}, **options)
    context = ContextMiddleware(steps())
    return create_agent(
        model,
        list(tools),
        middleware=[HistoryMiddleware(KeepLatest(keep)), memory.middleware(), asks, context],
        checkpointer=memory.checkpointer,
    )


def plain(memory: Memory, model: Any, tools: Sequence[Any], keep: int = 12) -> Any:
    async def awaited(state: ContextState) -> dict[str, Any]:
        return {"messages": [await model.ainvoke(state["llm_input_messages"])]}

    def called(state: ContextState) -> dict[str, Any]:
        return {"messages": [model.invoke(state["llm_input_messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("recall", memory.recall_node(strategy=steps(), tools=list(tools)))
    graph.add_node("model", RunnableLambda(called, awaited), input_schema=ContextState)
    approval = approval_node({"order": True}, model="recall", end="remember")
    graph.add_node("approval", approval)
    graph.add_node("tools", approved_tools(tools))
    graph.add_node("remember", memory.nodes.remember)
    graph.add_node("history", history_node(KeepLatest(keep)))
    graph.add_edge(START, "recall")
    graph.add_edge("recall", "model")
    graph.add_edge("model", "approval")
    graph.add_edge("tools", "recall")
    graph.add_edge("remember", "history")
    graph.add_edge("history", END)
    return graph.compile(checkpointer=memory.checkpointer)


Form = Callable[..., Any]
FORMS = pytest.mark.parametrize("form", [agent, plain], ids=["agent", "plain"])
BOTH = pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    name = getattr(request, "param", "sqlite")
    return request.getfixturevalue("postgres_database") if name == "postgres" else tmp_path / "m.db"


DATABASES = pytest.mark.parametrize("url", ["sqlite", "postgres"], indirect=True)


@pytest.fixture
def events() -> list[Event]:
    return []


@pytest.fixture
def memory(url: Any, events: list[Event]) -> Iterator[Memory]:
    """Nothing is read for memories before `flush`."""
    with opened(url, events) as memory:
        yield memory


def opened(url: Any, events: list[Event]) -> Memory:
    return Memory.open(url, agent="florist", debounce=3_600, on_event=events.append)


def config(thread: str = "one") -> RunnableConfig:
    return {"configurable": {"thread_id": thread}, "recursion_limit": 100}


async def run(
    graph: Any, given: Any, asynchronous: bool = False, thread: str = "one", user: Any = "anna"
) -> Any:
    given = {"messages": [HumanMessage(given)]} if isinstance(given, str) else given
    context = None if user is None else {"user_id": user}
    if asynchronous:
        return await graph.ainvoke(given, config(thread), context=context)
    return graph.invoke(given, config(thread), context=context)


def say(graph: Any, text: str, thread: str = "one") -> Any:
    given = {"messages": [HumanMessage(text)]}
    return graph.invoke(given, config(thread), context={"user_id": "anna"})


def waiting(graph: Any, thread: str = "one") -> Any:
    """The only question of a thread."""
    [question] = graph.get_state(config(thread)).interrupts
    return question


def answered(graph: Any, *decisions: Any, thread: str = "one") -> Command[Any]:
    state = graph.get_state(config(thread))
    return resume_command(state, {waiting(graph, thread).id: {"decisions": list(decisions)}})


def results(state: Any) -> list[str]:
    return [text_of(each) for each in state["messages"] if isinstance(each, ToolMessage)]


def known(memory: Memory, user: Identity = ANNA) -> list[str]:
    found = memory.service.memories(user).search("", limit=100)
    return sorted(each.record.content for each in found)


def times_read(events: Sequence[Event]) -> Counter[str]:
    """How often each turn was looked at, also where it was then found not to be worth it."""
    read = ("extracted", "extraction_skipped")
    return Counter(key for event in events if event.name in read for key in event.ids)


def knows_of(memory: Memory, word: str) -> bool:
    return any(word in each for each in known(memory))


APPROVE = {"type": "approve"}
REJECT = {"type": "reject", "message": "It is too dear."}
RESPOND = {"type": "respond", "message": "I have ordered them by telephone."}


def edit(**arguments: Any) -> dict[str, Any]:
    return {"type": "edit", "edited_action": {"name": "order", "args": arguments}}


class TestDecisions:
    CASES = (
        (APPROVE, ["order 10 roses"], r"^10 roses are ordered$"),
        (edit(kind="roses", stems=3), ["order 3 roses"], r"(?s)\"stems\": 3.*3 roses are ordered$"),
        (REJECT, [], r"rejected.*too dear"),
        (RESPOND, [], r"^I have ordered them by telephone\.$"),
    )

    @FORMS
    @BOTH
    async def test_what_a_person_decides_is_done(
        self, memory: Memory, shop: Shop, form: Form, asynchronous: bool
    ) -> None:
        model = ScriptedModel(reply=florist)
        graph = form(memory, model, shop.tools)
        for decision, done, told in self.CASES:
            thread = decision["type"]
            shop.done.clear()
            state = await run(graph, "Please order roses", asynchronous, thread)
            assert state["__interrupt__"]
            assert shop.done == []
            command = answered(graph, decision, thread=thread)
            state = await run(graph, command, asynchronous, thread)
            assert shop.done == done
            [result] = results(state)
            assert re.search(told, result)
            # The call stays as the model made it, and the model is sent a valid list.
            called = next(each for each in state["messages"] if isinstance(each, AIMessage))
            assert called.tool_calls[0]["args"] == {"kind": "roses"}
            assert text_of(model.requests[-1][-1]) == result
            assert validate(model.requests[-1], "common") == []

    @FORMS
    def test_a_question_has_the_form_that_clients_know(
        self, memory: Memory, shop: Shop, form: Form
    ) -> None:
        graph = form(memory, ScriptedModel(reply=florist), shop.tools)
        say(graph, "Please order roses tulips")
        value = waiting(graph).value
        assert set(value) == {"action_requests", "review_configs"}
        requests = value["action_requests"]
        assert [set(each) for each in requests] == [{"name", "args", "description"}] * 2
        assert [each["args"] for each in requests] == [{"kind": "roses"}, {"kind": "tulips"}]
        assert "roses" in requests[0]["description"]
        config = {"action_name": "order", "allowed_decisions": list(DECISIONS)}
        assert value["review_configs"] == [config] * 2

    @FORMS
    @BOTH
    async def test_of_several_calls_each_gets_its_own(
        self, memory: Memory, shop: Shop, form: Form, asynchronous: bool
    ) -> None:
        graph = form(memory, ScriptedModel(reply=florist), shop.tools)
        await run(graph, "Please order roses tulips asters", asynchronous)
        decisions = [APPROVE, REJECT, edit(kind="asters", stems=1)]
        state = await run(graph, answered(graph, *decisions), asynchronous)
        assert sorted(shop.done) == ["order 1 asters", "order 10 roses"]
        by_call = {m.tool_call_id: m for m in state["messages"] if isinstance(m, ToolMessage)}
        kinds = sorted((call[:4], m.status) for call, m in by_call.items())
        assert kinds == [("aste", "success"), ("rose", "success"), ("tuli", "error")]

    def test_calls_that_need_nobody_wait_for_those_that_do(
        self, memory: Memory, shop: Shop
    ) -> None:
        def both(request: list[BaseMessage]) -> str | BaseMessage:
            if isinstance(request[-1], ToolMessage):
                return "Done."
            made = [
                {"name": "stock", "args": {"kind": "roses"}, "id": "s", "type": "tool_call"},
                {"name": "order", "args": {"kind": "roses"}, "id": "o", "type": "tool_call"},
            ]
            return AIMessage("", tool_calls=made)

        graph = plain(memory, ScriptedModel(reply=both), shop.tools)
        say(graph, "Please look and order.")
        assert shop.done == []
        graph.invoke(answered(graph, REJECT), config())
        assert shop.done == ["stock roses"]

    @BOTH
    @pytest.mark.parametrize("kind", ["blocks", "command"])
    async def test_a_result_of_any_form_says_what_was_changed(
        self, asynchronous: bool, kind: str
    ) -> None:
        @tool
        def order(kind: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Any:
            """Order flowers."""
            made = ToolMessage(
                [{"type": "text", "text": f"{kind} come"}], tool_call_id=tool_call_id
            )
            return Command(update={"messages": [made]}) if kind == "command" else made

        graph = StateGraph(MessagesState)
        graph.add_node("approval", approval_node({"order": True}, model=END))
        graph.add_node("tools", approved_tools([order]))
        graph.add_edge(START, "approval")
        chat: Any = graph.compile(checkpointer=InMemorySaver())
        made = {"name": "order", "args": {"kind": "roses"}, "id": "o", "type": "tool_call"}
        await run(chat, {"messages": [AIMessage("", tool_calls=[made])]}, asynchronous)
        state = await run(chat, answered(chat, edit(kind=kind)), asynchronous)
        note, said = state["messages"][-1].content
        assert f'"kind": "{kind}"' in note["text"]
        assert said["text"] == f"{kind} come"

    def test_a_call_that_was_run_is_not_run_again_when_another_fails(
        self, memory: Memory, shop: Shop
    ) -> None:
        @tool
        def order(kind: str) -> str:
            """Order flowers."""
            shop.done.append(kind)
            if kind == "tulips" and shop.done.count("tulips") == 1:
                raise OSError("the grower's line is busy")
            return f"{kind} come"

        graph = plain(memory, ScriptedModel(reply=florist), [order])
        say(graph, "Please order roses tulips")
        with pytest.raises(OSError, match="busy"):
            graph.invoke(answered(graph, APPROVE, APPROVE), config())
        state = graph.invoke(None, config())
        assert Counter(shop.done) == {"roses": 1, "tulips": 2}
        assert sorted(results(state)) == ["roses come", "tulips come"]

    def test_some_decisions_only(self, memory: Memory, shop: Shop) -> None:
        graph = StateGraph(MessagesState)
        graph.add_node("approval", approval_node({"order": ["approve", "reject"]}, model=END))
        graph.add_node("tools", approved_tools(shop.tools))
        graph.add_edge(START, "approval")
        chat: Any = graph.compile(checkpointer=InMemorySaver())
        made = {"name": "order", "args": {"kind": "roses"}, "id": "o", "type": "tool_call"}
        chat.invoke({"messages": [AIMessage("", tool_calls=[made])]}, config())
        with pytest.raises(DecisionError, match="approve, reject"):
            answered(chat, edit(kind="roses"))
        chat.invoke(answered(chat, APPROVE), config())
        assert shop.done == ["order 10 roses"]

    @pytest.mark.parametrize("choice", [[], "approve", ["approve", "maybe"], [{}], None])
    def test_a_choice_that_is_none_is_refused_when_the_graph_is_built(self, choice: Any) -> None:
        with pytest.raises(ValueError, match="'order' must be True"):
            approval_node({"order": choice})

    def test_a_node_that_does_not_exist_is_named_when_the_graph_is_built(self) -> None:
        graph = StateGraph(MessagesState)
        graph.add_node("approval", approval_node({"order": True}, tools="hammer", model=END))
        graph.add_edge(START, "approval")
        with pytest.raises(ValueError, match="hammer"):
            graph.compile()


WRONG = (
    ("yes", "decisions"),
    ({"type": "okay"}, "decisions"),
    ({"decisions": []}, "2 actions wait.*'order', 'order'.*has 0"),
    ({"decisions": [APPROVE]}, "has 1"),
    ({"decisions": [APPROVE, {"type": "okay"}]}, "Decision 2, about 'order'.*approve, edit"),
    ({"decisions": [APPROVE, "approve"]}, "Decision 2"),
    ({"decisions": [APPROVE, {"type": "edit"}]}, 'needs "edited_action"'),
    (
        {"decisions": [edit(), {**edit(), "edited_action": {"name": "stock", "args": {}}}]},
        "'stock'",
    ),
    ({"decisions": [{**APPROVE, "message": "but only three"}, APPROVE]}, "takes no 'message'"),
    ({"decisions": [{**APPROVE, **edit(), "type": "approve"}, APPROVE]}, "no 'edited_action'"),
    ({"decisions": [{"type": "respond"}, APPROVE]}, 'needs a "message"'),
    ({"decisions": [{"type": "reject", "message": 7}, APPROVE]}, "not text"),
)


class TestWrongAnswers:
    @FORMS
    def test_each_is_named_and_the_right_one_still_counts(
        self, memory: Memory, shop: Shop, form: Form
    ) -> None:
        graph = form(memory, ScriptedModel(reply=florist), shop.tools)
        say(graph, "Please order roses tulips")
        key = waiting(graph).id
        for wrong, message in WRONG:
            if wrong == {"type": "okay"}:
                continue  # One decision stands for all actions.
            with pytest.raises(DecisionError, match=message):
                resume_command(graph.get_state(config()), {key: wrong})
        graph.invoke(answered(graph, APPROVE, REJECT), config())
        assert shop.done == ["order 10 roses"]

    @BOTH
    @DATABASES
    async def test_in_a_plain_graph_langgraph_keeps_none_of_them(
        self, memory: Memory, shop: Shop, asynchronous: bool
    ) -> None:
        graph = plain(memory, ScriptedModel(reply=florist), shop.tools)
        await run(graph, "Please order roses tulips", asynchronous)
        for wrong, message in WRONG:
            with pytest.raises(ValidationError, match=f"(?s){message}"):
                await run(graph, Command(resume=wrong), asynchronous)
        state = await graph.aget_state(config()) if asynchronous else graph.get_state(config())
        [question] = state.interrupts
        with pytest.raises(DecisionError, match="has 1"):
            resume_command(state, {question.id: {"decisions": [APPROVE]}})
        command = resume_command(state, {question.id: {"decisions": [REJECT, APPROVE]}})
        await run(graph, command, asynchronous)
        assert shop.done == ["order 10 tulips"]

    @pytest.mark.parametrize("allowed", [DECISIONS, ["approve"], ["edit"]], ids=str)
    def test_nor_of_those_to_single_calls(
        self, memory: Memory, shop: Shop, allowed: Sequence[str]
    ) -> None:
        gates = {"order": {"allowed_decisions": [*allowed]}}
        model = ScriptedModel(reply=florist)
        graph = agent(memory, model, shop.tools, gates=gates, interrupt_mode="per_call")
        say(graph, "Please order roses")
        for wrong in ("yes", {"type": "okay"}, {"decisions": [APPROVE]}):
            with pytest.raises(ValidationError):
                graph.invoke(Command(resume=wrong), config())
        right = edit(kind="tulips", stems=3) if allowed == ["edit"] else APPROVE
        question = waiting(graph).id
        graph.invoke(resume_command(graph.get_state(config()), {question: right}), config())
        assert shop.done == ["order 3 tulips" if allowed == ["edit"] else "order 10 roses"]

    def test_one_decision_stands_for_all_actions_of_a_question(
        self, memory: Memory, shop: Shop
    ) -> None:
        graph = plain(memory, ScriptedModel(reply=florist), shop.tools)
        say(graph, "Please order roses tulips")
        graph.invoke(
            resume_command(graph.get_state(config()), {waiting(graph).id: REJECT}), config()
        )
        assert shop.done == []
        assert len(results(graph.get_state(config()).values)) == 2

    @FORMS
    def test_an_answer_counts_once(self, memory: Memory, shop: Shop, form: Form) -> None:
        graph = form(memory, ScriptedModel(reply=florist), shop.tools)
        say(graph, "Please order roses")
        question = waiting(graph).id
        graph.invoke(answered(graph, APPROVE), config())
        with pytest.raises(NotPendingError, match="nothing does"):
            resume_command(graph.get_state(config()), {question: {"decisions": [APPROVE]}})
        say(graph, "Please order tulips")
        # Not taken for the answer to the question that waits now.
        with pytest.raises(NotPendingError, match=waiting(graph).id):
            resume_command(graph.get_state(config()), {question: {"decisions": [APPROVE]}})
        assert shop.done == ["order 10 roses"]

    def test_an_approval_is_not_taken_back_by_a_failure(self) -> None:
        done: list[str] = []

        def pay(state: Orders) -> Orders:
            [decided] = ask([{"name": "pay", "args": {"sum": 40}}])
            done.append(decided.decision)
            if len(done) == 1:
                raise OSError("the bank is closed")
            return {"placed": [decided.decision]}

        graph = StateGraph(Orders)
        graph.add_node("pay", pay)
        graph.add_edge(START, "pay")
        chat: Any = graph.compile(checkpointer=InMemorySaver())
        chat.invoke({"placed": []}, config())
        question = waiting(chat).id
        with pytest.raises(ValidationError):
            chat.invoke(Command(resume="go on"), config())
        with pytest.raises(OSError, match="closed"):
            chat.invoke(answered(chat, APPROVE), config())
        # LangGraph would take the rejection, and pay.
        with pytest.raises(NotPendingError, match="bank is closed"):
            resume_command(chat.get_state(config()), {question: REJECT})
        assert chat.invoke(None, config()) == {"placed": ["approve"]}

    def test_other_interrupts_are_answered_as_they_are(self) -> None:
        graph = StateGraph(MessagesState)
        graph.add_node("asking", lambda state: {"messages": [AIMessage(interrupt("How many?"))]})
        graph.add_edge(START, "asking")
        chat: Any = graph.compile(checkpointer=InMemorySaver())
        chat.invoke({"messages": []}, config())
        command = resume_command(chat.get_state(config()), {waiting(chat).id: "twelve"})
        assert text_of(chat.invoke(command, config())["messages"][-1]) == "twelve"


class Orders(TypedDict, total=False):
    placed: Annotated[list[str], lambda left, right: [*left, *right]]


class TestSeveralQuestions:
    @BOTH
    async def test_of_calls_answered_one_by_one(
        self, memory: Memory, shop: Shop, asynchronous: bool
    ) -> None:
        model = ScriptedModel(reply=florist)
        graph = agent(memory, model, shop.tools, interrupt_mode="per_call")
        await run(graph, f"{LILIES} Please order roses tulips", asynchronous)
        first, second = graph.get_state(config()).interrupts
        assert (first.value["name"], second.value["args"]) == ("order", {"kind": "tulips"})
        with pytest.raises(DecisionError, match="Decision 1"):
            resume_command(graph.get_state(config()), {second.id: {"decisions": [APPROVE]}})
        command = resume_command(graph.get_state(config()), {second.id: APPROVE})
        await run(graph, command, asynchronous)
        assert shop.done == ["order 10 tulips"]
        assert waiting(graph).id == first.id
        assert model.calls == 1
        command = resume_command(graph.get_state(config()), {first.id: REJECT})
        state = await run(graph, command, asynchronous)
        assert shop.done == ["order 10 tulips"]
        assert text_of(state["messages"][-1]).startswith("Done")
        assert validate(model.requests[-1], "common") == []
        memory.flush()
        assert knows_of(memory, "lilies")

    @DATABASES
    @BOTH
    async def test_of_parallel_nodes_answered_one_by_one(
        self, memory: Memory, asynchronous: bool
    ) -> None:
        begun: list[str] = []

        def buyer(kind: str) -> Callable[[Orders], Orders]:
            def buy(state: Orders) -> Orders:
                begun.append(kind)
                [decided] = ask([{"name": "buy", "args": {"kind": kind}}])
                return {"placed": [f"{kind} {decided.decision}"]}

            return buy

        graph = StateGraph(Orders)
        for kind in ("roses", "tulips"):
            graph.add_node(kind, buyer(kind))
            graph.add_edge(START, kind)
        chat: Any = graph.compile(checkpointer=memory.checkpointer)
        await run(chat, {"placed": []}, asynchronous)
        questions = {each.value["action_requests"][0]["args"]["kind"]: each.id
                     for each in chat.get_state(config()).interrupts}  # fmt: skip
        with pytest.raises(RuntimeError, match="multiple pending interrupts"):
            await run(chat, Command(resume={"decisions": [APPROVE]}), asynchronous)
        begun.clear()
        command = resume_command(chat.get_state(config()), {questions["tulips"]: APPROVE})
        await run(chat, command, asynchronous)
        assert waiting(chat).id == questions["roses"]
        command = resume_command(chat.get_state(config()), {questions["roses"]: REJECT})
        state = await run(chat, command, asynchronous)
        assert sorted(state["placed"]) == ["roses reject", "tulips approve"]
        assert Counter(begun)["tulips"] == 1


class TestANewMessageWhileOneWaits:
    @FORMS
    @BOTH
    async def test_the_model_is_told_and_nothing_is_run(
        self, memory: Memory, shop: Shop, form: Form, asynchronous: bool
    ) -> None:
        model = ScriptedModel(reply=florist)
        graph = form(memory, model, shop.tools)
        await run(graph, f"{LILIES} Please order roses tulips", asynchronous)
        question = waiting(graph).id
        state = await run(graph, "When do you close today?", asynchronous)
        assert text_of(state["messages"][-1]) == "Noted."
        assert shop.done == []
        sent = model.requests[-1]
        assert [text_of(m)[:9] for m in sent if isinstance(m, ToolMessage)] == ["No result"] * 2
        for profile in PROFILES:
            assert validate(sent, profile) == [], profile
        # It is not lost without a trace: the history has the question, and a late answer is told.
        asked = [each for each in graph.get_state_history(config()) if each.interrupts]
        assert [each.id for each in asked[0].interrupts] == [question]
        assert [unit.unanswered for unit in units(state["messages"]) if unit.unanswered]
        with pytest.raises(NotPendingError, match="wrote again"):
            resume_command(graph.get_state(config()), {question: {"decisions": [APPROVE] * 2}})
        memory.flush()
        assert knows_of(memory, "lilies")
        # Every later request is valid, too.
        await run(graph, "Please order asters", asynchronous)
        await run(graph, answered(graph, APPROVE), asynchronous)
        assert shop.done == ["order 10 asters"]
        assert all(validate(request, "common") == [] for request in model.requests)

    @FORMS
    def test_it_can_be_declined_first(self, memory: Memory, shop: Shop, form: Form) -> None:
        model = ScriptedModel(reply=florist)
        graph = form(memory, model, shop.tools)
        say(graph, "Please order roses")
        declined = {"type": "reject", "message": "The user went on to something else."}
        graph.invoke(answered(graph, declined), config())
        state = say(graph, "When do you close today?")
        # Now the thread is valid by itself.
        assert validate([*state["messages"], HumanMessage("?")], "common") == []
        assert shop.done == []

    @FORMS
    def test_what_was_asked_can_be_gone_back_to(
        self, memory: Memory, shop: Shop, form: Form
    ) -> None:
        graph = form(memory, ScriptedModel(reply=florist), shop.tools)
        say(graph, "Please order roses")
        say(graph, "When do you close today?")
        asked = next(each for each in graph.get_state_history(config()) if each.interrupts)
        command = resume_command(asked, {asked.interrupts[0].id: {"decisions": [APPROVE]}})
        state = graph.invoke(command, asked.config)
        assert shop.done == ["order 10 roses"]
        assert validate([*state["messages"], HumanMessage("?")], "common") == []

    @pytest.mark.parametrize(
        ("viewed", "asynchronous"), [(True, False), (True, True), (False, False)]
    )
    async def test_at_a_provider_that_refuses_open_calls(
        self, shop: Shop, viewed: bool, asynchronous: bool
    ) -> None:
        def reply(messages: Sequence[Any]) -> Any:
            if "order" in str(messages[-1]["content"]):
                return call(("c1", "order", {"kind": "roses"}))
            return reply_of("At six.")

        context = [ContextMiddleware(SlidingWindow(4_000))] if viewed else []
        with OpenAIServer(reply) as server:
            model = ChatOpenAI(
                model="m", base_url=server.url, api_key=SecretStr("none"), max_retries=0
            )
            graph: Any = create_agent(
                model,
                shop.tools,
                middleware=[HumanInTheLoopMiddleware({"order": True}), *context],
                checkpointer=InMemorySaver(),
            )
            await run(graph, "Please order roses", asynchronous)
            if not viewed:
                with pytest.raises(BadRequestError):
                    await run(graph, "When do you close?", asynchronous)
                return
            state = await run(graph, "When do you close?", asynchronous)
            assert text_of(state["messages"][-1]) == "At six."


STRATEGIES: tuple[ContextStrategy, ...] = (
    Trim(1, 2),
    MessageWindow(2),
    SlidingWindow(200),
    ClearToolResults(keep=1),
    TieredExpiry(recent=1, middle=2, step=1),
    Summarize(ScriptedModel(reply=digest), threshold=3, keep_last=1),
)
KEPT: tuple[HistoryStrategy, ...] = (
    TrimHistory(0, 1),
    KeepLatest(1),
    FilterHistory(lambda message: False),
    SummarizeHistory(ScriptedModel(reply=digest), threshold=3, keep_last=1),
)


class TestCallsThatWaitStay:
    def waiting_thread(self, memory: Memory, shop: Shop, form: Form) -> tuple[Any, list[Any]]:
        graph = form(memory, ScriptedModel(reply=florist), shop.tools, keep=100)
        for kind in ("roses", "tulips", "asters"):
            say(graph, f"How many are there in stock {kind}")
        say(graph, "Please order lilac peonies")
        messages = graph.get_state(config()).values["messages"]
        assert len(messages) == 14
        return graph, messages

    def test_in_views(self, memory: Memory, shop: Shop) -> None:
        _, messages = self.waiting_thread(memory, shop, plain)
        for strategy in STRATEGIES:
            view = strategy.apply(messages, ContextRequest(interrupted=True))
            assert view.messages[-1].tool_calls == messages[-1].tool_calls  # type: ignore[attr-defined]
            assert view.messages != messages, strategy

    @pytest.mark.parametrize(
        ("form", "strategy"),
        list(zip((agent, plain, agent, plain), KEPT, strict=True)),
        ids=[type(each).__name__ for each in KEPT],
    )
    def test_in_the_thread(
        self, memory: Memory, shop: Shop, form: Form, strategy: HistoryStrategy
    ) -> None:
        graph, messages = self.waiting_thread(memory, shop, form)
        with pytest.raises(PendingThreadError, match="interrupt"):
            apply_to_thread(graph, "one", strategy)
        assert graph.get_state(config()).values["messages"] == messages
        change = strategy.change(messages)
        assert change.messages[-1] is messages[-1]
        graph.invoke(answered(graph, APPROVE, REJECT), config())
        assert shop.done[-1] == "order 10 lilac"
        assert apply_to_thread(graph, "one", strategy).applied
        left = graph.get_state(config()).values["messages"]
        assert len(left) < len(messages)
        assert validate([*left, HumanMessage("?")], "common") == []

    @pytest.mark.parametrize(("form", "asynchronous"), [(agent, False), (plain, True)])
    async def test_in_a_long_thread_with_everything_at_once(
        self, memory: Memory, shop: Shop, form: Form, asynchronous: bool
    ) -> None:
        model = ScriptedModel(reply=florist)
        graph = form(memory, model, shop.tools)
        for number in range(8):
            await run(graph, f"Is there in stock kind{number} other{number}", asynchronous)
            await run(graph, f"Please order kind{number}", asynchronous)
            if number % 3 == 2:
                continue  # The user goes on instead.
            await run(graph, answered(graph, APPROVE), asynchronous)
        ordered = Counter(each for each in shop.done if each.startswith("order"))
        assert ordered == Counter(f"order 10 kind{n}" for n in range(8) if n % 3 != 2)
        assert all(validate(request, "common") == [] for request in model.requests)
        # The hook has summarized, and the history kept the thread small.
        assert "Σ" in model.said_to()
        assert len(graph.get_state(config()).values["messages"]) <= 16

    @BOTH
    async def test_beside_the_summarization_edge(self, shop: Shop, asynchronous: bool) -> None:
        model, summarizer = ScriptedModel(reply=florist), ScriptedModel(reply=digest)

        async def awaited(state: ContextState) -> dict[str, Any]:
            return {"messages": [await model.ainvoke(summarized_messages(state))]}

        def called(state: ContextState) -> dict[str, Any]:
            return {"messages": [model.invoke(summarized_messages(state))]}

        graph = StateGraph(ContextState)
        graph.add_node("model", RunnableLambda(called, awaited), input_schema=ContextState)
        graph.add_node("approval", approval_node({"order": True}))
        graph.add_node("tools", approved_tools(shop.tools))
        graph.add_edge("model", "approval")
        add_summarization(
            graph, summarizer, after=[START, "tools"], before="model", max_tokens=150, keep_last=3
        )
        chat: Any = graph.compile(checkpointer=InMemorySaver())
        for number in range(6):
            await run(chat, f"Please order kind{number} other{number}", asynchronous)
            if number % 2:
                await run(chat, answered(chat, REJECT, APPROVE), asynchronous)
        assert shop.done == [f"order 10 other{number}" for number in (1, 3, 5)]
        assert summarizer.calls
        assert all(validate(request, "common") == [] for request in model.requests)


class TestMemory:
    @FORMS
    @pytest.mark.parametrize(
        ("url", "asynchronous"), [("sqlite", False), ("postgres", True)], indirect=["url"]
    )
    async def test_a_turn_that_waits_for_days_is_remembered_once(
        self, url: Any, events: list[Event], shop: Shop, form: Form, asynchronous: bool
    ) -> None:
        later = datetime.now(UTC) + timedelta(days=3)
        with opened(url, events) as memory:
            model = ScriptedModel(reply=florist)
            graph = form(memory, model, shop.tools)
            await run(graph, f"{LILIES} Please order roses", asynchronous)
            memory.flush()
            # Its reply may still be on its way.
            assert not knows_of(memory, "lilies")
            with clock.set_to(later):
                memory.flush()
                # It may never come, and what was said is not lost.
                assert knows_of(memory, "lilies")
        with clock.set_to(later), opened(url, events) as memory:  # Another process.
            model = ScriptedModel(reply=florist)
            graph = form(memory, model, shop.tools)
            # Nobody says who is asking: the thread knows.
            state = await run(graph, answered(graph, APPROVE), asynchronous, user=None)
            assert text_of(state["messages"][-1]).startswith("Done")
            assert "lilies" in model.said_to()
            memory.flush()
            assert shop.done == ["order 10 roses"]
            assert list(times_read(events).values()) == [1]
            assert len([each for each in known(memory) if "lilies" in each]) == 1

    @FORMS
    @BOTH
    async def test_a_turn_that_is_answered_soon_is_read_when_it_has_ended(
        self, memory: Memory, shop: Shop, events: list[Event], form: Form, asynchronous: bool
    ) -> None:
        graph = form(memory, ScriptedModel(reply=florist), shop.tools)
        await run(graph, f"{LILIES} Please order roses", asynchronous)
        memory.flush()
        assert not times_read(events)
        await run(graph, answered(graph, REJECT), asynchronous)
        memory.flush()
        memory.flush()
        assert list(times_read(events).values()) == [1]
        assert knows_of(memory, "lilies")

    @FORMS
    def test_what_a_person_decides_is_not_taken_for_the_users_words(
        self, memory: Memory, shop: Shop, form: Form
    ) -> None:
        graph = form(memory, ScriptedModel(reply=florist), shop.tools)
        say(graph, "Hello, please order roses")
        reason = {"type": "reject", "message": "I am allergic to roses, and my name is Odile."}
        graph.invoke(answered(graph, reason), config())
        say(graph, "Thank you, that is all for today from me.")
        memory.flush()
        assert known(memory) == []

    @FORMS
    def test_a_memory_tool_can_be_what_is_approved(
        self, memory: Memory, shop: Shop, form: Form
    ) -> None:
        model = ScriptedModel(reply=saving("memory_save", content="The user sells wreaths."))
        tools = [*shop.tools, *memory.tools()]
        if form is agent:
            graph = agent(memory, model, tools, gates={"memory_save": True})
        else:
            graph = gated(memory, model, tools, {"memory_save": True})
        say(graph, "Remember it, please.")
        assert known(memory) == []
        changed = {
            "name": "memory_save",
            "args": {"content": "The user sells garlands.", "type": "fact"},
        }
        graph.invoke(answered(graph, {"type": "edit", "edited_action": changed}), config())
        assert known(memory) == ["The user sells garlands."]
        [record] = [each.record for each in memory.service.memories(ANNA).search("", limit=9)]
        asked = graph.get_state(config()).values["messages"][0]
        assert record.source_message_ids == (asked.id,)
        assert record.source_thread_id == "one"


def saving(name: str, **arguments: Any) -> Callable[[list[BaseMessage]], str | BaseMessage]:
    """A model that calls a memory tool, and one that asks a person beside it."""

    def reply(request: list[BaseMessage]) -> str | BaseMessage:
        if isinstance(request[-1], ToolMessage):
            return "Done."
        given = {"type": "fact", "importance": 0.9, **arguments} if "save" in name else arguments
        made = {"name": name, "args": given, "id": f"m{len(request)}", "type": "tool_call"}
        return AIMessage("", tool_calls=[made])

    return reply


def gated(memory: Memory, model: Any, tools: Sequence[Any], gates: Any) -> Any:
    """The smallest graph with memory and approval."""

    def called(state: ContextState) -> dict[str, Any]:
        return {"messages": [model.invoke(state["llm_input_messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("recall", memory.nodes.recall)
    graph.add_node("model", called)
    graph.add_node("approval", approval_node(gates, model="recall", end="remember"))
    graph.add_node("tools", approved_tools(tools))
    graph.add_node("remember", memory.nodes.remember)
    graph.add_edge(START, "recall")
    graph.add_edge("recall", "model")
    graph.add_edge("model", "approval")
    graph.add_edge("tools", "recall")
    graph.add_edge("remember", END)
    return graph.compile(checkpointer=memory.checkpointer)


class TestNodesThatRunAgain:
    """A question inside a tool, where all calls of a message are one node that runs again."""

    def graph(self, memory: Memory, calls: Sequence[tuple[str, dict[str, Any]]]) -> Any:
        @tool
        def confirm(what: str) -> str:
            """Ask the person."""
            [decided] = ask([{"name": "confirm", "args": {"what": what}}])
            return decided.decision

        def reply(request: list[BaseMessage]) -> str | BaseMessage:
            if isinstance(request[-1], ToolMessage):
                return "Done."
            made = [
                {"name": name, "args": given, "id": f"c{at}", "type": "tool_call"}
                for at, (name, given) in enumerate([*calls, ("confirm", {"what": "all"})])
            ]
            return AIMessage("", tool_calls=made)

        model = ScriptedModel(reply=reply)

        def called(state: ContextState) -> dict[str, Any]:
            return {"messages": [model.invoke(state["llm_input_messages"])]}

        async def awaited(state: ContextState) -> dict[str, Any]:
            return {"messages": [await model.ainvoke(state["llm_input_messages"])]}

        graph = StateGraph(MessagesState)
        graph.add_node("recall", memory.nodes.recall)
        graph.add_node("model", RunnableLambda(called, awaited), input_schema=ContextState)
        tools = [*memory.tools(), *memory.task_tools(), confirm]
        graph.add_node("tools", ToolNode(tools))
        graph.add_node("remember", memory.nodes.remember)
        graph.add_edge(START, "recall")
        graph.add_edge("recall", "model")
        graph.add_conditional_edges("model", tools_condition, {"tools": "tools", END: "remember"})
        graph.add_edge("tools", "recall")
        graph.add_edge("remember", END)
        return graph.compile(checkpointer=memory.checkpointer)

    WREATHS: Any = ("memory_save", {"content": "The user sells wreaths.", "type": "fact"})

    @BOTH
    @DATABASES
    async def test_saves_once(self, memory: Memory, asynchronous: bool) -> None:
        graph = self.graph(memory, [self.WREATHS])
        await run(graph, "Remember it, please.", asynchronous)
        await run(graph, answered(graph, APPROVE), asynchronous)
        assert known(memory) == ["The user sells wreaths."]
        [found] = memory.service.memories(ANNA).search("", limit=9)
        assert found.record.supersedes == ()

    def test_does_not_bring_back_what_was_forgotten_meanwhile(self, memory: Memory) -> None:
        graph = self.graph(memory, [self.WREATHS])
        say(graph, "Remember it, please.")
        memories = memory.service.memories(ANNA)
        [found] = memories.search("", limit=9)
        memories.forget(found.record.id)
        graph.invoke(answered(graph, APPROVE), config())
        assert known(memory) == []

    def test_a_task_makes_its_progress_once(self, memory: Memory) -> None:
        given = {"title": "Spring window", "progress": ["The ribbon is chosen."]}
        graph = self.graph(memory, [("task_save", given)])
        say(graph, "We go on with the window.")
        graph.invoke(answered(graph, APPROVE), config())
        items = memory.store.search(ANNA.tasks)
        assert [len(each.value["progress_notes"]) for each in items] == [1]

    @pytest.mark.parametrize("name", ["memory_update", "memory_forget"])
    def test_what_was_done_is_not_reported_as_a_failure(self, memory: Memory, name: str) -> None:
        memories = memory.service.memories(ANNA)
        old = memories.save(MemoryRecord(content="The user sells wreaths.", type="fact")).record
        given = {"id": old.id}
        if name == "memory_update":
            given["content"] = "The user sells garlands."
        graph = self.graph(memory, [(name, given)])
        say(graph, "Change it, please.")
        state = graph.invoke(answered(graph, APPROVE), config())
        assert known(memory) == (["The user sells garlands."] if "content" in given else [])
        assert "no active memory" not in results(state)[0]


class TestTimeTravel:
    """The store does not go back with a thread; what was learnt says where it comes from."""

    def after(self, graph: Any, messages: int) -> Any:
        """The thread as it was at the end of a turn."""
        return next(
            each
            for each in graph.get_state_history(config())
            if not each.next and len(each.values.get("messages", ())) == messages
        )

    def record(self, memory: Memory, word: str) -> MemoryRecord:
        [found] = [
            each.record
            for each in memory.service.memories(ANNA).search("", limit=100)
            if word in each.record.content
        ]
        return found

    @pytest.mark.parametrize(
        ("form", "url"), [(agent, "sqlite"), (plain, "postgres")], indirect=["url"]
    )
    def test_what_a_left_branch_has_taught_stays_and_is_attributable(
        self, memory: Memory, shop: Shop, events: list[Event], form: Form
    ) -> None:
        graph = form(memory, ScriptedModel(reply=florist), shop.tools)
        say(graph, "Hello, my name is Mirre.")
        left = say(graph, LILIES)
        memory.flush()
        fork = self.after(graph, 2)
        given = {"messages": [HumanMessage("I prefer deliveries in the evening.")]}
        graph.invoke(given, fork.config, context={"user_id": "anna"})
        memory.flush()
        assert list(times_read(events).values()) == [1, 1, 1]
        assert all(knows_of(memory, word) for word in ("Mirre", "lilies", "evening"))
        record = self.record(memory, "lilies")
        assert record.source_thread_id == "one"
        [source] = record.source_message_ids
        assert source == left["messages"][2].id
        now = {each.id for each in graph.get_state(config()).values["messages"]}
        assert source not in now
        # The branch is in the thread's history, for whoever wants to know.
        assert any(
            source in {each.id for each in old.values.get("messages", ())}
            for old in graph.get_state_history(config())
        )
        # It can be told in another thread why it is known, and be forgotten.
        state = say(graph, "Which lilies am I allergic to?", "two")
        recall = graph.get_state(config("two")).values["memory_recall"]
        told = {each.record.id: each for each in memory.service.why(ANNA, recall) if each.record}
        assert told[record.id].record == self.record(memory, "lilies")
        assert "'one'" in str(told[record.id])
        assert state["messages"]
        gone = [
            each.record.id
            for each in memory.service.memories(ANNA).search("", limit=100)
            if each.record.source_thread_id == "one"
            and not now.intersection(each.record.source_message_ids)
        ]
        assert gone == [record.id]

    @FORMS
    def test_to_go_back_to_a_branch_reads_only_what_is_new(
        self, memory: Memory, shop: Shop, events: list[Event], form: Form
    ) -> None:
        graph = form(memory, ScriptedModel(reply=florist), shop.tools)
        say(graph, "Hello, my name is Mirre.")
        say(graph, LILIES)
        memory.flush()
        first, second = self.after(graph, 2), self.after(graph, 4)
        for place, text in (
            (first, "I prefer deliveries in the evening."),
            (second, "I live in Ghent."),
        ):
            given = {"messages": [HumanMessage(text)]}
            graph.invoke(given, place.config, context={"user_id": "anna"})
            memory.flush()
        assert list(times_read(events).values()) == [1] * 4
        assert knows_of(memory, "Ghent")
        assert len(known(memory)) == 4

    @FORMS
    @BOTH
    async def test_a_turn_that_is_run_again_is_taken_once(
        self, memory: Memory, shop: Shop, events: list[Event], form: Form, asynchronous: bool
    ) -> None:
        model = ScriptedModel(reply=florist)
        graph = form(memory, model, shop.tools)
        await run(graph, f"{LILIES} Please order roses", asynchronous)
        asked = graph.get_state(config())
        await run(graph, answered(graph, APPROVE), asynchronous)
        memory.flush()
        start = [e for e in graph.get_state_history(config()) if e.values.get("messages")][-1]
        again = await graph.ainvoke(None, start.config) if asynchronous else graph.invoke(
            None, start.config
        )  # fmt: skip
        assert again["__interrupt__"]
        assert shop.done == ["order 10 roses"]
        await run(graph, answered(graph, REJECT), asynchronous)
        # What was answered cannot be answered otherwise: LangGraph would run the first answer.
        question = {asked.interrupts[0].id: REJECT}
        with pytest.raises(NotPendingError, match="answered before"):
            resume_command(graph.get_state(asked.config), question)
        memory.flush()
        assert shop.done == ["order 10 roses"]
        assert list(times_read(events).values()) == [1]
        assert len([each for each in known(memory) if "lilies" in each]) == 1

    @pytest.mark.parametrize("same", [True, False], ids=["same call id", "another"])
    def test_a_tool_that_is_called_again_saves_once(self, memory: Memory, same: bool) -> None:
        calls = iter(range(100))

        def reply(request: list[BaseMessage]) -> str | BaseMessage:
            if isinstance(request[-1], ToolMessage):
                return "Done."
            given = {"content": "The user sells wreaths.", "type": "fact"}
            made = {"name": "memory_save", "args": given, "type": "tool_call"}
            return AIMessage("", tool_calls=[{**made, "id": "c" if same else f"c{next(calls)}"}])

        graph = gated(memory, ScriptedModel(reply=reply), memory.tools(), {})
        say(graph, "Remember it, please.")
        start = [e for e in graph.get_state_history(config()) if e.values.get("messages")][-1]
        graph.invoke(None, start.config)
        assert known(memory) == ["The user sells wreaths."]

    @FORMS
    def test_an_edited_message_is_read_and_the_old_statement_stays(
        self, memory: Memory, shop: Shop, form: Form
    ) -> None:
        graph = form(memory, ScriptedModel(reply=florist), shop.tools)
        say(graph, "Hello, my name is Mirre.")
        state = say(graph, LILIES)
        memory.flush()
        edited = HumanMessage("Hello, I am allergic to hyacinths.", id=state["messages"][2].id)
        given = {"messages": [edited]}
        graph.invoke(given, self.after(graph, 2).config, context={"user_id": "anna"})
        memory.flush()
        old, new = self.record(memory, "lilies"), self.record(memory, "hyacinths")
        assert old.source_message_ids == new.source_message_ids == (edited.id,)

    def test_a_branch_that_is_left_before_it_was_read_is_read_all_the_same(
        self, memory: Memory, shop: Shop, events: list[Event]
    ) -> None:
        graph = plain(memory, ScriptedModel(reply=florist), shop.tools)
        say(graph, "Hello, my name is Mirre.")
        say(graph, LILIES)
        given = {"messages": [HumanMessage("I prefer deliveries in the evening.")]}
        graph.invoke(given, self.after(graph, 2).config, context={"user_id": "anna"})
        memory.flush()
        assert knows_of(memory, "lilies")
        assert knows_of(memory, "evening")
