from __future__ import annotations

import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from needed import needed

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.evals.__main__ import main
from langgraph_memory.evals.context.contenders import Contender, load_strategy
from langgraph_memory.evals.context.cost import PrefixCache, cacheable
from langgraph_memory.evals.context.coverage import unseen_by
from langgraph_memory.evals.context.exact import MESSAGE_OVERHEAD, ExactCounter
from langgraph_memory.evals.context.metrics import Course, Tally, replay
from langgraph_memory.evals.context.peers import PEERS
from langgraph_memory.evals.context.rules import added_faults, faults
from langgraph_memory.evals.context.summarizers import SUMMARY_TOKENS, ScriptedSummarizer
from langgraph_memory.evals.context.timing import warm_median
from langgraph_memory.evals.context.transcripts import (
    Thread,
    chain_runs,
    load_runs,
    thread_of_length,
)


@pytest.fixture(scope="module")
def counter() -> ExactCounter:
    return ExactCounter()


def call(call_id: str, **args: Any) -> dict[str, Any]:
    return {"name": "look_up", "args": args, "id": call_id, "type": "tool_call"}


def asks(*call_ids: str) -> AIMessage:
    return AIMessage(content="", tool_calls=[call(each) for each in call_ids])


def result(call_id: str, content: str = "done") -> ToolMessage:
    return ToolMessage(content=content, tool_call_id=call_id)


def recorded(number: int, turns: int = 4, *, system: str | None = "You sell garden tools.") -> Any:
    messages: list[dict[str, Any]] = (
        [] if system is None else [{"role": "system", "content": system}]
    )
    for turn in range(turns):
        messages += [
            {
                "role": "user",
                "content": f"Order {number}-{turn}: how many rakes are in aisle {turn}?",
            },
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "count", "arguments": json.dumps({"bay": turn})},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": f"stock {turn}: " + "rake " * 60},
            {
                "role": "assistant",
                "content": f"There are {60 + turn} rakes for order {number}-{turn}.",
            },
        ]
    return {"id": f"run-{number}", "messages": messages}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "transcripts"
    folder.mkdir()
    lines = [
        json.dumps(recorded(number, system=None if number == 1 else "You sell garden tools."))
        for number in range(4)
    ]
    with gzip.open(folder / "openai_messages.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(lines))
    return tmp_path


class Whole:
    """Sends everything."""

    def view(self, messages: list[BaseMessage]) -> list[BaseMessage]:
        return messages


class Newest:
    """Sends the last message only."""

    def view(self, messages: list[BaseMessage]) -> list[BaseMessage]:
        return messages[-1:]


def measured(session: type, threads: list[Thread], budget: int, counter: ExactCounter) -> Tally:
    contender = Contender(session.__name__, lambda budget, model: session())
    return replay([Course.of(t, counter) for t in threads], contender, budget, counter)


class TestTranscripts:
    def test_a_run_becomes_messages_with_unique_ids_and_its_calls(self, data: Path) -> None:
        run = load_runs(data)[0]
        assert [m.type for m in run.messages[:5]] == ["system", "human", "ai", "tool", "ai"]
        assert len({m.id for m in run.messages}) == len(run.messages)
        assert run.calls == (2, 4, 6, 8, 10, 12, 14, 16)
        second = run.messages[2]
        assert isinstance(second, AIMessage)
        assert second.tool_calls[0]["args"] == {"bay": 0}

    def test_an_opening_line_of_the_assistant_is_not_a_call(self) -> None:
        thread = Thread.of(
            "t", [SystemMessage("s"), AIMessage("Hello!"), HumanMessage("Hi"), AIMessage("Yes?")]
        )
        assert thread.calls == (3,)

    def test_chains_have_one_system_prompt_and_keep_call_ids(
        self, data: Path, counter: ExactCounter
    ) -> None:
        runs = load_runs(data)
        (chain,) = chain_runs(runs, tokens=1_000, count=1, counter=counter)
        assert [m.type for m in chain.messages].count("system") == 1
        assert isinstance(chain.messages[0], SystemMessage)
        assert len({m.id for m in chain.messages}) == len(chain.messages)
        assert {m.tool_call_id for m in chain.messages if isinstance(m, ToolMessage)} == {"call_1"}
        assert counter(chain.messages) >= 1_000

    def test_a_chain_without_a_prompt_of_its_own_gets_the_usual_one(
        self, data: Path, counter: ExactCounter
    ) -> None:
        runs = load_runs(data)
        (chain,) = chain_runs([runs[1], runs[2]], tokens=300, count=1, counter=counter)
        assert chain.messages[0].text == "You sell garden tools."

    def test_runs_are_repeated_with_new_ids_until_a_thread_is_long_enough(self, data: Path) -> None:
        thread = thread_of_length(load_runs(data), 200, 5)
        assert len({m.id for m in thread.messages}) == len(thread.messages)
        assert len([end for end in thread.calls if end >= 200]) >= 5

    def test_a_folder_without_transcripts_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidInputError, match=re.escape(str(tmp_path))):
            load_runs(tmp_path)

    def test_a_line_that_is_no_run_is_named(self, tmp_path: Path) -> None:
        path = tmp_path / "runs.jsonl.gz"
        with gzip.open(path, "wt", encoding="utf-8") as file:
            file.write('{"id": "a", "messages": [{"role": "oracle", "content": "x"}]}\n')
        with pytest.raises(InvalidInputError, match=r"Line 1 .*oracle"):
            load_runs(path)

    def test_a_file_may_be_plain_or_packed_and_nothing_else(self, tmp_path: Path) -> None:
        line = '{"id": "a", "messages": [{"role": "user", "content": "x"}]}\n'
        path = tmp_path / "runs.jsonl"
        path.write_text(line, encoding="utf-8")
        assert [run.messages[0].content for run in load_runs(path)] == ["x"]
        path.write_bytes(b"\xff\xfe\x00")
        with pytest.raises(InvalidInputError, match="no file of JSON lines"):
            load_runs(path)


class TestRules:
    @pytest.mark.parametrize(
        ("messages", "kinds"),
        [
            ([HumanMessage("q"), asks("a", "b"), result("b"), result("a")], []),
            ([asks("a"), result("a"), asks("a"), result("a")], []),
            ([HumanMessage("q"), result("a")], ["orphan"]),
            ([asks("a"), result("a"), HumanMessage("q"), result("a")], ["orphan"]),
            ([asks("a", "b"), result("a"), HumanMessage("q")], ["unanswered"]),
            ([asks("a")], ["unanswered"]),
            ([asks("a"), HumanMessage("q"), result("a")], ["unanswered", "orphan"]),
            ([asks("a"), result("a"), result("a")], ["duplicate"]),
            ([], ["empty"]),
        ],
    )
    def test_what_the_endpoint_refuses(self, messages: list[BaseMessage], kinds: list[str]) -> None:
        assert sorted(kind for kind, _ in faults(messages).elements()) == sorted(kinds)

    def test_faults_of_the_thread_itself_are_not_held_against_a_view(self) -> None:
        thread = [HumanMessage("q"), asks("a"), HumanMessage("r"), asks("b"), result("b")]
        assert added_faults(thread, faults(thread)) == 0
        assert added_faults([thread[1], result("b")], faults(thread)) == 1

    def test_a_fault_of_the_thread_stays_one_when_its_call_is_renamed(self) -> None:
        thread = [HumanMessage("q"), asks("a").model_copy(update={"id": "m1"})]
        renamed = [HumanMessage("q"), asks("b").model_copy(update={"id": "m1"})]
        assert added_faults(renamed, faults(thread)) == 0


class TestCounting:
    def test_a_message_costs_its_text_its_calls_and_an_overhead(
        self, counter: ExactCounter
    ) -> None:
        plain = HumanMessage("How many rakes?")
        assert counter([plain]) == counter.count_text("How many rakes?") + MESSAGE_OVERHEAD
        calling = AIMessage(content="", tool_calls=[call("a", aisle=3)])
        assert counter([calling]) == counter.count_text('look_up{"aisle":3}') + MESSAGE_OVERHEAD

    def test_a_message_that_was_changed_in_place_is_counted_again(
        self, counter: ExactCounter
    ) -> None:
        message = HumanMessage("short")
        before = counter([message])
        message.content = "a good deal longer than it was before"
        assert counter([message]) > before


class TestCost:
    @pytest.mark.parametrize(
        ("prefix", "cached"), [(0, 0), (1_023, 0), (1_024, 1_024), (1_151, 1_024), (1_152, 1_152)]
    )
    def test_prefixes_are_cached_in_steps(self, prefix: int, cached: int) -> None:
        assert cacheable(prefix) == cached

    def test_a_request_that_only_grew_is_cached_but_for_its_end(
        self, counter: ExactCounter
    ) -> None:
        cache = PrefixCache(counter)
        messages: list[BaseMessage] = [SystemMessage("rule " * 2_000), HumanMessage("first")]
        first = cache.agent(counter.render_all(messages))
        second = cache.agent(counter.render_all([*messages, AIMessage("answer")]))
        assert first.cached == 0
        assert second.cached == cacheable(first.tokens) > 0
        assert second.cost == pytest.approx(second.tokens - 0.9 * second.cached)

    def test_a_changed_start_is_not_cached_and_a_changed_middle_up_to_there(
        self, counter: ExactCounter
    ) -> None:
        cache = PrefixCache(counter)
        text = "rule " * 4_000
        cache.agent(counter.render_all([SystemMessage(text)]))
        middle = cache.agent(counter.render_all([SystemMessage(text[:10_000] + "new " * 900)]))
        assert 1_900 <= middle.cached <= 2_001
        assert cache.agent(counter.render_all([SystemMessage("Now: " + text)])).cached == 0

    def test_a_summarizer_that_repeats_the_agents_request_reads_the_cache(
        self, counter: ExactCounter
    ) -> None:
        cache = PrefixCache(counter)
        messages: list[BaseMessage] = [SystemMessage("rule " * 2_000), HumanMessage("first")]
        sent = cache.agent(counter.render_all(messages))
        asked = cache.summarizer(counter.render_all([*messages, HumanMessage("Summarize.")]))
        assert asked.cached == cacheable(sent.tokens)
        elsewhere = cache.summarizer(
            counter.render_all([HumanMessage("Summarize: " + "x " * 3_000)])
        )
        assert elsewhere.cached == 0


class TestCoverage:
    def test_a_message_counts_as_read_however_it_was_written(self) -> None:
        said = HumanMessage('Is "A < B" & C\nso?')
        asked = AIMessage(content="", tool_calls=[call("a", title='Tom & "Jerry"', year=1940)])
        requests = [
            [HumanMessage('<m>Is "A &lt; B" &amp; C\nso?</m>')],
            [HumanMessage('args {"title": "Tom &amp; \\"Jerry\\"", "year": 1940}')],
        ]
        assert unseen_by(requests, [said, asked]) == []
        in_other_order = [[HumanMessage("look_up(year=1940, title='Tom & \"Jerry\"')")]]
        assert unseen_by(in_other_order, [asked]) == []

    def test_a_message_cut_short_or_inside_a_word_was_not_read(self) -> None:
        cut = HumanMessage("The key is under the third pot from the left")
        word = HumanMessage("yes")
        requests = [[HumanMessage("user: The key is under the third pot\nuser: yesterday")]]
        assert unseen_by(requests, [cut, word]) == [cut, word]

    def test_arguments_that_nobody_showed_were_not_read(self) -> None:
        asked = AIMessage(content="Looking.", tool_calls=[call("a", city="Lyon")])
        assert unseen_by([[HumanMessage("assistant: Looking.")]], [asked]) == [asked]
        assert unseen_by([[HumanMessage("assistant: Looking.\nuser: Lyon")]], [asked]) == [asked]


def fenced(*lines: str, previous: str | None = None) -> list[BaseMessage]:
    before = f"<previous_summary>\n{previous}\n</previous_summary>\n\n" if previous else ""
    body = "\n".join(lines)
    return [
        SystemMessage("Write this form:\nKey facts:\n- one line each\n"),
        HumanMessage(f"{before}<conversation>\n{body}\n</conversation>"),
    ]


class TestScriptedSummarizer:
    def long(self, word: str = "rake") -> list[str]:
        return [
            line
            for n in range(80)
            for line in (
                f"user: I need {n} of the {word} model {n * 7}, never the red one.",
                f"assistant: Noted, {n} pieces of {word} {n * 7} are set aside for Friday.",
            )
        ]

    def test_the_same_request_gets_the_same_answer_and_another_a_different_one(self) -> None:
        answers = [
            ScriptedSummarizer().invoke(fenced(*self.long(word))).text
            for word in ("rake", "rake", "spade")
        ]
        assert answers[0] == answers[1] != answers[2]

    def test_a_long_source_gets_a_full_summary_in_two_parts(self, counter: ExactCounter) -> None:
        text = str(ScriptedSummarizer().invoke(fenced(*self.long())).text)
        facts, course = text.split("\n\n")
        assert facts.startswith("Key facts:\n- ")
        assert course.startswith("Course of the conversation:\n")
        assert SUMMARY_TOKENS - 60 <= counter.count_text(text) <= SUMMARY_TOKENS + 40
        assert "one line each" not in text

    @pytest.mark.parametrize("lines", [1, 2, 4, 8, 30])
    def test_a_summary_is_shorter_than_its_source(self, lines: int) -> None:
        source = self.long()[:lines]
        text = str(ScriptedSummarizer().invoke(fenced(*source)).text)
        assert 0 < len(text) < len("\n".join(source))

    def test_facts_of_the_summary_before_stay(self) -> None:
        model = ScriptedSummarizer()
        first = "Key facts:\n- No nickel in any handle.\n\nCourse of the conversation:\nStarted."
        for _ in range(5):
            first = str(model.invoke(fenced(*self.long(), previous=first)).text)
        assert "- No nickel in any handle." in first

    def test_a_chinese_conversation_gets_chinese_headings(self) -> None:
        lines = [f"user: 我要{n}把铲子，不要红色的，周{n}送到。" for n in range(40)]
        text = str(ScriptedSummarizer().invoke(fenced(*lines)).text)
        assert text.startswith("关键事实：\n- ")
        assert "\n对话经过：\n" in text

    def test_an_instruction_after_the_conversation_is_not_part_of_the_source(self) -> None:
        model = ScriptedSummarizer()
        told = [HumanMessage(line) for line in self.long()]
        text = str(model.invoke([*told, HumanMessage("Sum up in 7 words, never more.")]).text)
        assert "7 words" not in text
        assert len(model.requests) == 1
        assert len(model.requests[0]) == len(told) + 1


class TestReplay:
    def test_sending_everything_is_the_measure_of_cost_and_loses_nothing(
        self, data: Path, counter: ExactCounter
    ) -> None:
        chain = chain_runs(load_runs(data), tokens=1_400, count=1, counter=counter)
        tally = measured(Whole, chain, 100_000, counter)
        assert tally.calls == len(chain[0].calls)
        assert tally.relative_cost == pytest.approx(1.0)
        assert tally.retention == 1.0
        assert tally.coverage is None
        assert (tally.faults, tally.violations, tally.lost_questions, tally.lost_systems) == (
            0,
        ) * 4
        assert tally.over_budget == 0
        assert tally.agent.cached > 0

    def test_losses_of_a_tool_that_sends_the_last_message(
        self, data: Path, counter: ExactCounter
    ) -> None:
        run = load_runs(data)[0]
        tally = measured(Newest, [run], 100_000, counter)
        # Each turn makes two calls: one on the question, one on the tool's result.
        assert tally.per_thousand(tally.faults) == 500
        assert tally.per_thousand(tally.lost_questions) == 500
        assert tally.per_thousand(tally.lost_systems) == 1_000
        expected = sum(1 / (end - 1) for end in run.calls) / len(run.calls)
        assert tally.retention == pytest.approx(expected)

    def test_over_budget_is_avoidable_where_the_needed_messages_fit(
        self, data: Path, counter: ExactCounter
    ) -> None:
        run = load_runs(data)[0]
        roomy = measured(Whole, [run], 200, counter)
        assert roomy.avoidable == roomy.over_budget > 0
        tight = measured(Whole, [run], 5, counter)
        assert tight.over_budget == tight.calls
        assert tight.avoidable == 0

    def test_dropped_messages_are_covered_by_what_the_summarizer_was_sent(
        self, data: Path, counter: ExactCounter
    ) -> None:
        class Half:
            """Shows the summarizer every second message, once."""

            def __init__(self, model: ScriptedSummarizer) -> None:
                self.model = model
                self.asked = False

            def view(self, messages: list[BaseMessage]) -> list[BaseMessage]:
                if len(messages) >= 16 and not self.asked:
                    self.asked = True
                    self.model.invoke([m for m in messages[1:] if isinstance(m, HumanMessage)])
                return [messages[0], messages[-1]]

        run = load_runs(data)[0]
        contender = Contender("half", lambda budget, model: Half(model))  # type: ignore[arg-type]
        tally = replay([Course.of(run, counter)], contender, 1_000, counter)
        assert tally.model_calls == 1
        assert tally.summarizer.tokens > 0
        assert tally.dropped == 14
        assert tally.coverage == pytest.approx(4 / 14)

    def test_copies_without_ids_count_as_verbatim(self, data: Path, counter: ExactCounter) -> None:
        class Nameless:
            def view(self, messages: list[BaseMessage]) -> list[BaseMessage]:
                return [message.model_copy(update={"id": None}) for message in messages]

        assert measured(Nameless, load_runs(data)[:1], 100_000, counter).retention == 1.0


class TestPeers:
    @pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
    def test_each_tool_runs_its_own_code_on_a_thread_above_the_budget(
        self, peer: Contender, data: Path, counter: ExactCounter
    ) -> None:
        if peer.module is not None:
            needed(peer.module, "evals")
        (chain,) = chain_runs(load_runs(data), tokens=1_400, count=1, counter=counter)
        tally = replay([Course.of(chain, counter)], peer, 700, counter)
        assert tally.calls == len(chain.calls)
        assert tally.retention < 1.0
        if "Summar" in peer.name:
            # Its state is carried: it does not ask again at each call above the budget.
            assert 0 < tally.model_calls < tally.calls
            assert tally.lost_systems == 0
        else:
            assert tally.model_calls == 0

    def test_trim_messages_cuts_pairs_apart_and_the_documented_form_does_not(
        self, data: Path, counter: ExactCounter
    ) -> None:
        courses = [Course.of(run, counter) for run in load_runs(data)]
        plain, documented = (replay(courses, peer, 110, counter) for peer in PEERS[:2])
        assert plain.faults > 0
        assert documented.lost_systems == 0
        assert plain.over_budget == documented.over_budget == 0

    def test_time_is_measured_on_the_longer_thread(self, data: Path) -> None:
        thread = thread_of_length(load_runs(data), 60, 19)
        assert warm_median(thread, 60, PEERS[0], 500) > 0


STRATEGY = """
class View:
    def __init__(self, messages, state):
        self.messages, self.state = messages, state

class Last:
    def __init__(self, budget):
        self.budget = budget

    def apply(self, messages, request=None):
        calls = (request.state or {}).get("calls", 0) + 1
        assert len(messages) >= calls
        return View([messages[0], *messages[-2:]], {"calls": calls})

def make(budget, model):
    return Last(budget)

ready = Last(1)
number = 3
"""


@pytest.fixture
def strategies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "garden_strategies.py").write_text(STRATEGY)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "garden_strategies", raising=False)
    return "garden_strategies"


class TestCommand:
    @pytest.mark.parametrize("attribute", ["make", "ready"])
    def test_a_strategy_by_import_path_gets_a_row(
        self,
        attribute: str,
        data: Path,
        strategies: str,
        capsys: pytest.CaptureFixture[str],
        tmp_path: Path,
    ) -> None:
        out = tmp_path / "table.json"
        path = f"{strategies}:{attribute}"
        arguments = ["--data", str(data), "--budget", "500", "--strategy", path, "--no-timing"]
        assert main(["context", *arguments, "--only", path, "trim_", "--json", str(out)]) == 0
        printed = capsys.readouterr().out
        assert path in printed
        assert "500 tokens, 4 single runs, 32 calls" in printed
        values = json.loads(out.read_text())["context"]["500"]
        assert list(values) == ["trim_messages, defaults", "trim_messages, as documented", path]
        assert values[path]["calls"] == 32
        assert 0 < values[path]["verbatim_retention"] < 1

    def test_a_tool_that_is_not_installed_is_said_to_be(
        self, data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "langmem.short_term", None)
        arguments = ["--data", str(data), "--budget", "500", "--no-timing"]
        assert main(["context", *arguments, "--only", "langmem", "trim_"]) == 0
        printed = capsys.readouterr().out
        assert "langmem SummarizationNode: not installed." in printed
        assert "[evals]" in printed

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["--budget", "0"], "--budget 0"),
            (["--chains", "0"], "--chains 0"),
            (["--only", "nothing"], "matches no tool"),
            (["--strategy", "garden_strategies:missing"], "garden_strategies:missing"),
            (["--strategy", "no_such_module_here:x"], "no_such_module_here:x"),
            (["--strategy", "garden_strategies:number"], "not a strategy"),
            (["--budget", "8000"], "too short for a chain"),
        ],
    )
    def test_what_cannot_be_run_is_named(
        self,
        arguments: list[str],
        said: str,
        data: Path,
        strategies: str,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        assert main(["context", "--data", str(data), *arguments]) == 2
        assert said in capsys.readouterr().err

    def test_data_must_be_named(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("LANGGRAPH_MEMORY_DATA", raising=False)
        assert main(["context"]) == 2
        assert "--data" in capsys.readouterr().err

    def test_a_strategy_class_is_called_for_each_thread(self, strategies: str) -> None:
        contender = load_strategy(f"{strategies}:Last")
        with pytest.raises(TypeError):
            contender.start(100, ScriptedSummarizer())


def test_recorded_runs_show_what_trimming_breaks(data_dir: Path, counter: ExactCounter) -> None:
    courses = [Course.of(run, counter) for run in load_runs(data_dir)]
    trimmed = replay(courses, PEERS[0], 2_000, counter)
    assert trimmed.calls > 2_000
    assert 50 < trimmed.per_thousand(trimmed.faults) < 300
    whole = replay(courses, Contender("whole", lambda budget, model: Whole()), 2_000, counter)
    assert whole.faults == whole.violations == 0
    assert whole.relative_cost == pytest.approx(1.0)
