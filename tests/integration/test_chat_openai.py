"""The real ChatOpenAI client against a server that refuses what OpenAI refuses."""

from __future__ import annotations

import http.client
import json
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar
from urllib.parse import urlsplit

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from openai import BadRequestError
from openai_server import Json, OpenAIServer, call, exact_tokens, say
from pydantic import SecretStr

from langgraph_memory.chat.graph import chat_graph
from langgraph_memory.context import (
    ClearToolResults,
    Composite,
    ContextStrategy,
    ContextView,
    MessageWindow,
    SemanticRecall,
    SlidingWindow,
    Summarize,
    TieredExpiry,
    Trim,
    UsageFeedbackWindow,
)
from langgraph_memory.integrations import ContextMiddleware, context_node
from langgraph_memory.summarization import ContextState
from langgraph_memory.tokens import CallableTokenCounter, TokenCounter

BUDGET = 4_000
TURNS = 60
SYSTEM = "You work at the front desk of a hotel. Look things up before you answer."
WORDS = ("clean", "guest", "arrival", "bill", "towel", "breakfast", "window", "late", "paid", "key")
SUMMARY = (
    "Key facts:\n- the guest is Ada Winter, room 214\n\n"
    "Course of the conversation:\nThe guest asked about several rooms."
)


@tool
def look_up(room: int, detail: str) -> str:
    """Look up what the register of the hotel says about a room.

    Args:
        room: Number of the room.
        detail: What to look for.
    """
    words = random.Random(room).choices(WORDS, k=150)
    return json.dumps({"room": room, "detail": detail, "entry": " ".join(words)})


def hotel(messages: Sequence[Json]) -> Json:
    """Two parallel calls for each question, one more, then an answer; ids come back every turn."""
    if "<conversation>" in str(messages[-1]["content"]):
        return say(SUMMARY)
    question = max(i for i, message in enumerate(messages) if message["role"] == "user")
    steps = sum(1 for message in messages[question:] if message["role"] == "assistant")
    room = 100 + len(str(messages[question]["content"])) % 7
    if steps == 0:
        return call(
            ("call_a", "look_up", {"room": room, "detail": "guest"}),
            ("call_b", "look_up", {"room": room + 1, "detail": "bill"}),
        )
    if steps == 1:
        return call(("call_a", "look_up", {"room": room, "detail": "late arrival"}))
    return say(f"Room {room} is taken care of; breakfast is paid and the key is at the desk.")


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(hotel) as running:
        yield running


def client(server: OpenAIServer, **options: Any) -> ChatOpenAI:
    return ChatOpenAI(
        model="gpt-4o-mini",
        base_url=server.url,
        api_key=SecretStr("none"),
        max_retries=0,
        **options,
    )


def exactly(messages: list[BaseMessage]) -> int:
    """Tokens as the server counts them."""
    total = 0
    for message in messages:
        calls = message.tool_calls if isinstance(message, AIMessage) else ()
        made = "".join(one["name"] + json.dumps(one["args"]) for one in calls)
        total += exact_tokens(str(message.text)) + exact_tokens(made) + 4
    return total


def question(turn: int) -> str:
    return f"Question {turn}: " + "what about the next room, please? " * (1 + turn % 4)


def thread(name: str = "t") -> RunnableConfig:
    return {"configurable": {"thread_id": name}}


class TestTheServer:
    """A server that refuses nothing would prove nothing."""

    def post(self, server: OpenAIServer, body: Any) -> tuple[int, Json]:
        address = urlsplit(server.url)
        assert address.hostname
        connection = http.client.HTTPConnection(address.hostname, address.port)
        headers = {"Authorization": "Bearer none"}
        try:
            connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    ASKED: ClassVar[Json] = {"role": "user", "content": "hello"}
    CALLED: ClassVar[Json] = call(("c1", "look_up", {"room": 1}), ("c2", "look_up", {"room": 2}))

    @staticmethod
    def result(call_id: str) -> Json:
        return {"role": "tool", "tool_call_id": call_id, "content": "ok"}

    @pytest.mark.parametrize(
        ("messages", "said"),
        [
            ([], "empty array"),
            ([ASKED, {"role": "tool", "tool_call_id": "c1", "content": "ok"}], "role 'tool'"),
            ([ASKED, CALLED], "c1, c2"),
            ([ASKED, CALLED, {"role": "tool", "tool_call_id": "c1", "content": ""}, ASKED], "c2"),
            (
                [ASKED, CALLED]
                + [{"role": "tool", "tool_call_id": c, "content": ""} for c in ("c1", "c1", "c2")],
                "has a result already",
            ),
            ([{"role": "robot", "content": "hello"}], "Supported values"),
            ([{"role": "user", "content": None}], "got null"),
            ([{"role": "user"}], "got null"),
            ([{"role": "user", "content": []}], "empty array"),
            ([ASKED, {"role": "assistant", "content": None}], "got null"),
            ([ASKED, {"role": "assistant", "content": "", "tool_calls": []}], "empty array"),
            (
                [
                    ASKED,
                    {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [
                            {
                                "id": "c1",
                                "type": "function",
                                "function": {"name": "look_up", "arguments": {"room": 1}},
                            }
                        ],
                    },
                ],
                "expected a string",
            ),
        ],
    )
    def test_refuses(self, server: OpenAIServer, messages: list[Json], said: str) -> None:
        status, body = self.post(server, {"model": "m", "messages": messages})
        assert status == 400
        assert said in body["error"]["message"]
        assert server.refused == [body]
        assert server.answered == []

    def test_takes_what_is_right(self, server: OpenAIServer) -> None:
        messages = [self.ASKED, self.CALLED, self.result("c2"), self.result("c1"), self.ASKED]
        status, body = self.post(server, {"model": "m", "messages": messages})
        assert status == 200
        assert body["usage"]["prompt_tokens"] == server.answered[0].tokens

    def test_knows_its_window(self, server: OpenAIServer) -> None:
        server.window = 5
        long = {"role": "user", "content": "one two three four five"}
        status, body = self.post(server, {"model": "m", "messages": [long]})
        assert (status, body["error"]["code"]) == (400, "context_length_exceeded")


def summarizing(model: ChatOpenAI, counter: TokenCounter | None) -> ContextStrategy:
    return Composite(
        [
            Summarize(model, max_tokens=BUDGET - 800, counter=counter),
            SlidingWindow(BUDGET, counter=counter),
        ]
    )


Make = Callable[[ChatOpenAI], ContextStrategy]

STRATEGIES: dict[str, Make] = {
    "sliding": lambda model: SlidingWindow(BUDGET),
    "stepwise": lambda model: SlidingWindow(BUDGET, low_water=0.6),
    "summarize": lambda model: summarizing(model, None),
    "exact counter": lambda model: summarizing(model, CallableTokenCounter(exactly)),
    "cleared": lambda model: Composite(
        [MessageWindow(40), ClearToolResults(keep=2), SlidingWindow(BUDGET)]
    ),
    "trim": lambda model: Composite([Trim(keep_first=3, keep_last=9), SlidingWindow(BUDGET)]),
    "tiers": lambda model: Composite([TieredExpiry(), SlidingWindow(BUDGET)]),
}


def check_sixty_turns(server: OpenAIServer, state: Json, *, summaries: bool) -> None:
    """What must hold however the strategy came to the model."""
    assert server.refused == []
    assert max(answered.tokens for answered in server.answered) <= BUDGET
    turns = [a for a in server.answered if "<conversation>" not in str(a.messages[-1]["content"])]
    assert len(turns) == 3 * TURNS
    assert len(server.answered) > len(turns) if summaries else len(server.answered) == len(turns)
    for number, answered in enumerate(turns):
        roles = [message["role"] for message in answered.messages]
        assert roles.count("system") == 1
        assert answered.messages[0]["content"].startswith(SYSTEM)
        asked = [m["content"] for m in answered.messages if m["role"] == "user"]
        assert asked[-1] == question(number // 3)
    messages = state["messages"]
    assert [m.content for m in messages if m.type == "human"] == [question(t) for t in range(TURNS)]
    assert [m.type for m in messages] == ["human", "ai", "tool", "tool", "ai", "tool", "ai"] * TURNS
    # The budget was at work: sending everything would have been far more.
    everything = exactly(messages)
    assert everything > 4 * BUDGET
    assert turns[-1].tokens < everything / 4


@pytest.mark.parametrize("name", STRATEGIES)
def test_sixty_turns_of_tool_calls_in_an_agent(server: OpenAIServer, name: str) -> None:
    model = client(server)
    agent = create_agent(
        model,
        [look_up],
        system_prompt=SYSTEM,
        middleware=[ContextMiddleware(STRATEGIES[name](model), profile="openai")],
        checkpointer=InMemorySaver(),
    )
    state: Json = {}
    for turn in range(TURNS):
        state = agent.invoke({"messages": [HumanMessage(question(turn))]}, thread())
    check_sixty_turns(server, state, summaries=name in ("summarize", "exact counter"))


async def test_sixty_turns_of_tool_calls_in_an_async_streaming_agent(server: OpenAIServer) -> None:
    model = client(server, streaming=True)
    agent = create_agent(
        model,
        [look_up],
        system_prompt=SYSTEM,
        middleware=[ContextMiddleware(summarizing(model, None))],
        checkpointer=InMemorySaver(),
    )
    state: Json = {}
    for turn in range(TURNS):
        state = await agent.ainvoke({"messages": [HumanMessage(question(turn))]}, thread())
    check_sixty_turns(server, state, summaries=True)


def desk(model: ChatOpenAI, strategy: ContextStrategy, **options: Any) -> Any:
    """The same agent as a plain graph with a context node."""
    bound = model.bind_tools([look_up])

    def answer(state: ContextState) -> Json:
        return {"messages": [bound.invoke(state["llm_input_messages"])]}

    graph = StateGraph(ContextState)
    graph.add_node("context", context_node(strategy, system=SYSTEM, tools=[look_up], **options))
    graph.add_node("model", answer)
    graph.add_node("tools", ToolNode([look_up]))
    graph.add_edge(START, "context")
    graph.add_edge("context", "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "context")
    return graph.compile(checkpointer=InMemorySaver())


@pytest.mark.parametrize("name", ["stepwise", "summarize"])
def test_sixty_turns_of_tool_calls_in_a_graph(server: OpenAIServer, name: str) -> None:
    model = client(server)
    graph = desk(model, STRATEGIES[name](model), profile="openai")
    state: Json = {}
    for turn in range(TURNS):
        state = graph.invoke({"messages": [HumanMessage(question(turn))]}, thread())
    check_sixty_turns(server, state, summaries=name == "summarize")


class TestOverflow:
    """A window that is smaller than the budget says: it is found out by being refused."""

    def long_thread(self) -> list[BaseMessage]:
        said: list[BaseMessage] = []
        for turn in range(30):
            said.append(HumanMessage(f"{turn}. " + "tell me about the garden of the hotel " * 9))
            said.append(AIMessage(f"{turn}. " + "it has roses, a pond and an old apple tree " * 9))
        return [*said, HumanMessage("And the cellar?")]

    def agent(self, server: OpenAIServer, **options: Any) -> Any:
        views: list[ContextView] = []
        agent = create_agent(
            client(server, **options),
            system_prompt=SYSTEM,
            middleware=[ContextMiddleware(SlidingWindow(BUDGET), on_view=views.append)],
        )
        return agent, views

    @pytest.mark.parametrize("streaming", [False, True])
    @pytest.mark.parametrize("asynchronous", [False, True])
    async def test_retries_once_with_less(
        self, server: OpenAIServer, asynchronous: bool, streaming: bool
    ) -> None:
        server.script = lambda _: say("It is dry and cool.")
        server.window = 3_000
        agent, views = self.agent(server, streaming=streaming)
        given = {"messages": self.long_thread()}
        state = await agent.ainvoke(given) if asynchronous else agent.invoke(given)
        assert server.codes == ["context_length_exceeded"]
        assert [answered.tokens <= 3_000 for answered in server.answered] == [True]
        sent = server.answered[0].messages
        assert sent[0]["content"] == SYSTEM
        assert sent[-1]["content"] == "And the cellar?"
        assert len(sent) < len(views[0].messages)
        assert state["messages"][-1].content == "It is dry and cool."
        assert len(state["messages"]) == 62

    def test_later_calls_of_the_thread_are_not_refused_again(self, server: OpenAIServer) -> None:
        server.script = lambda _: say("It is dry and cool.")
        server.window = 3_000
        agent = create_agent(
            client(server),
            system_prompt=SYSTEM,
            middleware=[ContextMiddleware(SlidingWindow(BUDGET))],
            checkpointer=InMemorySaver(),
        )
        thread: Any = {"configurable": {"thread_id": "refused"}}
        agent.invoke({"messages": self.long_thread()}, thread)
        for turn in range(5):
            agent.invoke({"messages": [HumanMessage(f"And the attic, part {turn}?")]}, thread)
        assert server.codes == ["context_length_exceeded"]
        assert len(server.answered) == 6

    @pytest.mark.parametrize("asynchronous", [False, True])
    async def test_a_second_refusal_is_the_callers(
        self, server: OpenAIServer, asynchronous: bool
    ) -> None:
        server.window = 20
        agent, _ = self.agent(server)
        given = {"messages": self.long_thread()}
        with pytest.raises(BadRequestError, match="maximum context length"):
            await agent.ainvoke(given) if asynchronous else agent.invoke(given)
        assert server.codes == ["context_length_exceeded"] * 2
        assert server.answered == []

    @pytest.mark.parametrize("asynchronous", [False, True])
    async def test_the_chat_retries_too(self, server: OpenAIServer, asynchronous: bool) -> None:
        server.script = lambda _: say("It is dry and cool.")
        server.window = 3_000
        chat: Any = chat_graph(client(server), SlidingWindow(BUDGET), system=SYSTEM).compile()
        given = {"messages": self.long_thread()}
        state = await chat.ainvoke(given) if asynchronous else chat.invoke(given)
        assert server.codes == ["context_length_exceeded"]
        assert [answered.tokens <= 3_000 for answered in server.answered] == [True]
        assert len(state["messages"]) == 62
        server.window = 20
        with pytest.raises(BadRequestError, match="maximum context length"):
            await chat.ainvoke(given) if asynchronous else chat.invoke(given)
        assert len(server.codes) == 3

    def test_knows_the_refusal_by_its_code(self, server: OpenAIServer) -> None:
        server.script = lambda _: say("It is dry and cool.")
        server.window, server.too_long = 3_000, "Too many input tokens: {tokens}."
        agent, _ = self.agent(server)
        agent.invoke({"messages": self.long_thread()})
        assert server.codes == ["context_length_exceeded"]
        assert len(server.answered) == 1

    def test_other_refusals_are_not_retried(self, server: OpenAIServer) -> None:
        agent: Any = create_agent(
            client(server, model_kwargs={"tools": []}),
            middleware=[ContextMiddleware(SlidingWindow(BUDGET))],
        )
        with pytest.raises(Exception, match="Invalid 'tools'"):
            agent.invoke({"messages": self.long_thread()})
        assert len(server.refused) == 1

    def test_an_agent_gets_by_in_a_small_window_for_many_turns(self, server: OpenAIServer) -> None:
        server.window = 3_400
        model = client(server)
        agent = create_agent(
            model,
            [look_up],
            system_prompt=SYSTEM,
            middleware=[ContextMiddleware(SlidingWindow(BUDGET), profile="openai")],
            checkpointer=InMemorySaver(),
        )
        for turn in range(20):
            agent.invoke({"messages": [HumanMessage(question(turn))]}, thread())
        assert len(server.answered) == 60
        assert set(server.codes) == {"context_length_exceeded"}
        assert max(answered.tokens for answered in server.answered) <= 3_400


def streamed(chunks: Sequence[Any]) -> str:
    return "".join(
        str(chunk.content) for chunk, _ in chunks if isinstance(chunk, AIMessage) and chunk.content
    )


class TestStreaming:
    """The user sees the answer arrive, and nothing of the summary."""

    def given(self) -> Json:
        return {"messages": [*TestOverflow().long_thread()]}

    def summarized(self, server: OpenAIServer) -> bool:
        return any("<conversation>" in str(a.messages[-1]["content"]) for a in server.answered)

    @pytest.mark.parametrize("asynchronous", [False, True])
    async def test_middleware(self, server: OpenAIServer, asynchronous: bool) -> None:
        model = client(server, streaming=True)
        strategy = Summarize(model, threshold=10)
        agent: Any = create_agent(model, middleware=[ContextMiddleware(strategy)])
        server.script = lambda messages: (
            hotel(messages) if "<conversation>" in str(messages[-1]["content"]) else say("Dry.")
        )
        if asynchronous:
            chunks = [c async for c in agent.astream(self.given(), stream_mode="messages")]
        else:
            chunks = list(agent.stream(self.given(), stream_mode="messages"))
        assert self.summarized(server)
        assert streamed(chunks) == "Dry."
        final = next(a for a in server.answered if a.reply["content"] == "Dry.")
        assert SUMMARY in final.messages[0]["content"]

    @pytest.mark.parametrize("asynchronous", [False, True])
    async def test_node(self, server: OpenAIServer, asynchronous: bool) -> None:
        model = client(server, streaming=True)
        server.script = lambda messages: (
            hotel(messages)
            if "<conversation>" in str(messages[-1]["content"])
            else say("Dry and cool down there.")
        )
        graph = desk(model, Summarize(model, threshold=10))
        if asynchronous:
            stream = graph.astream(self.given(), thread(), stream_mode="messages")
            chunks = [chunk async for chunk in stream]
        else:
            chunks = list(graph.stream(self.given(), thread(), stream_mode="messages"))
        assert self.summarized(server)
        assert streamed(chunks) == "Dry and cool down there."


@pytest.mark.parametrize("streaming", [False, True])
def test_the_providers_own_count_keeps_a_chat_in_its_budget(
    server: OpenAIServer, streaming: bool
) -> None:
    budget = 1_500
    server.script = lambda messages: say(f"answer {len(messages)}: " + "noted, all is well. " * 12)
    agent = create_agent(
        client(server, streaming=streaming, stream_usage=True),
        system_prompt=SYSTEM,
        middleware=[ContextMiddleware(UsageFeedbackWindow(budget))],
        checkpointer=InMemorySaver(),
    )
    asked = "I would like to say a few words about the weather on the coast today. " * 5
    for turn in range(60):
        agent.invoke({"messages": [HumanMessage(f"{turn}: {asked}")]}, thread())
    sizes = [answered.tokens for answered in server.answered]
    one_turn = sizes[1] - sizes[0]
    assert server.refused == []
    assert sum(size > budget for size in sizes) >= 3
    # A report comes one turn late, so a request may be over by what that turn added.
    assert max(sizes) <= budget + one_turn
    assert min(sizes[10:]) > budget / 2


def test_semantic_recall_stays_valid_for_the_provider(server: OpenAIServer) -> None:
    from langchain_core.embeddings import DeterministicFakeEmbedding

    recall = SemanticRecall(DeterministicFakeEmbedding(size=16), k=6, keep_last=8)
    agent = create_agent(
        client(server),
        [look_up],
        system_prompt=SYSTEM,
        middleware=[ContextMiddleware(Composite([recall, SlidingWindow(BUDGET)]))],
        checkpointer=InMemorySaver(),
    )
    for turn in range(20):
        agent.invoke({"messages": [HumanMessage(question(turn))]}, thread())
    assert server.refused == []
    assert len(server.answered) == 60
