from __future__ import annotations

import argparse
import copy
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from langgraph_memory.calls import drive
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.evals.longterm import add_parser, run
from langgraph_memory.evals.longterm.metering import Meter, MeteredEmbeddings, injected
from langgraph_memory.evals.longterm.model import LONG_REPLY, PROMPT, Request, StandInModel
from langgraph_memory.evals.longterm.players import langmem, mem0, ours
from langgraph_memory.evals.longterm.players.agents import Agent, in_prompt
from langgraph_memory.evals.longterm.players.nothing import NOTHING
from langgraph_memory.evals.longterm.players.player import Player, Scene, Session
from langgraph_memory.evals.longterm.playing import Outcome, play
from langgraph_memory.evals.longterm.prefixes import Prefixes
from langgraph_memory.evals.longterm.reading import changes, holds, statements
from langgraph_memory.evals.longterm.script import USERS, Turn, script
from langgraph_memory.evals.longterm.talk import LIMITS
from langgraph_memory.evals.topics import CHINESE, ENGLISH
from langgraph_memory.extraction import ExtractionRequest, ModelExtractor
from langgraph_memory.messages import text_of
from langgraph_memory.records import MemoryRecord
from tests.needed import needed
from tests.scripted import LetterEmbeddings

GYM = "I go to the gym Ironworks."
MOVED = "I have changed my gym from Ironworks to Atlas Hall."


class TestScript:
    turns = script()

    def test_each_user_has_a_hundred_turns_in_ten_threads(self) -> None:
        assert Counter(turn.user for turn in self.turns) == dict.fromkeys(USERS, 100)
        assert {len({t.thread for t in self.turns if t.user == user}) for user in USERS} == {10}

    def test_every_answer_was_said_in_an_earlier_thread_and_not_taken_back(self) -> None:
        said: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for turn in self.turns:
            if turn.kind in ("statement", "correction"):
                said[turn.user].append((turn.thread, turn.text))
            if turn.kind == "question":
                told = [thread for thread, text in said[turn.user] if holds(text, turn.current)]
                assert told, turn
                assert turn.thread not in told
                if turn.superseded is not None:
                    old, new = (
                        [i for i, (_, text) in enumerate(said[turn.user]) if holds(text, value)]
                        for value in (turn.superseded, turn.current)
                    )
                    assert max(old) <= max(new)

    def test_no_user_says_a_value_of_the_other(self) -> None:
        for turn in self.turns:
            assert turn.foreign
            assert not [value for value in turn.foreign if holds(turn.text, value)]

    def test_the_stand_in_understands_every_statement_and_nothing_else(self) -> None:
        for turn in self.turns:
            expected = 1 if turn.kind in ("statement", "correction") else 0
            understood = statements(turn.text)
            assert len(understood) == expected, turn.text
            assert all(holds(each.content, each.value) for each in understood)

    def test_a_limit_holds_from_the_thread_after_the_one_that_stated_it(self) -> None:
        stated: dict[str, list[tuple[str, str]]] = defaultdict(list)
        limits = [limit for each in LIMITS.values() for limit in each]
        for turn in self.turns:
            earlier = {value for thread, value in stated[turn.user] if thread != turn.thread}
            assert set(turn.limits) == earlier
            stated[turn.user] += [
                (turn.thread, value)
                for limit in limits
                for value in limit.values
                if turn.text == limit.said.format(new=value)
            ]
        assert {len(values) for values in stated.values()} == {len(limits)}

    def test_it_is_the_same_for_a_seed(self) -> None:
        assert script(seed=3) == script(seed=3) != script(seed=4)

    def test_one_language_is_half_of_it(self) -> None:
        assert len(script(("en",))) == 100


class TestReading:
    def test_the_newest_statement_is_remembered(self) -> None:
        [change] = changes(statements(f"{GYM} {MOVED}"), {})
        assert change.content == "The user goes to the gym Atlas Hall."
        assert change.replaces is None

    def test_what_is_known_is_replaced_or_left_alone(self) -> None:
        known = {"7": "The user goes to the gym Ironworks.", "8": "The user studies geology."}
        assert changes(statements(GYM), known) == []
        [change] = changes(statements(MOVED), known)
        assert change.replaces == "7"

    def test_chinese(self) -> None:
        [change] = changes(statements("我在铁人馆健身房锻炼。"), {})
        assert change.content == "用户在铁人馆健身房锻炼。"

    def test_no_value_stands_in_another_one_of_its_topic(self) -> None:
        for topic in (*ENGLISH.topics, *CHINESE.topics):
            for one, other in permutations(topic.values, 2):
                assert not holds(one, other)

    def test_values_are_words_of_their_own(self) -> None:
        assert holds("There are nine people", "nine")
        assert not holds("There are nineteen people", "nine")
        assert not holds("at 17:00 sharp", "7:00")


class TestInjected:
    own = (PROMPT, "Which gym?", "Noted.")

    def put(self, *messages: BaseMessage) -> str:
        return injected(messages, self.own)

    def test_the_thread_itself_is_not_memory(self) -> None:
        said = (SystemMessage(PROMPT), AIMessage("Noted."), HumanMessage("Which gym?"))
        assert self.put(*said) == ""

    def test_a_message_of_the_thread_that_another_begins_with_is_no_memory(self) -> None:
        assert injected([HumanMessage("Which gym? Hm.")], ("Which gym? Hm.", "Which gym?")) == ""
        assert injected([HumanMessage("Which gym? Hm.")], ("Which gym?",)) == "Hm."

    def test_wherever_memory_is_put_it_counts(self) -> None:
        assert self.put(SystemMessage(f"{PROMPT}\n\nIronworks")) == "Ironworks"
        assert self.put(SystemMessage(PROMPT), HumanMessage("Ironworks")) == "Ironworks"
        assert self.put(HumanMessage("Ironworks\n\nWhich gym?")) == "Ironworks"


class TestPrefixes:
    prompt = SystemMessage("Be brief. " * 20)

    def share(self, *threads: str, system: Sequence[SystemMessage]) -> float:
        prefixes = Prefixes()
        for thread, each in zip(threads, system, strict=True):
            prefixes.add(thread, [each, HumanMessage("Which gym?")])
        return prefixes.spent.cached_share

    def test_the_same_again_is_cached_and_the_first_request_is_not(self) -> None:
        assert self.share("a", system=[self.prompt]) == 0.0
        assert self.share("a", "a", system=[self.prompt] * 2) == 0.5
        assert self.share("a", "b", system=[self.prompt] * 2) == 0.0
        assert self.share("a", "b", "a", "b", system=[self.prompt] * 4) == 0.5

    def test_what_follows_a_change_is_not_cached(self) -> None:
        longer = SystemMessage(f"{self.prompt.text} Ironworks")
        shorter = self.share("a", "a", system=[longer, self.prompt])
        assert 0.4 < shorter < 0.5
        assert self.share("a", "a", system=[self.prompt, SystemMessage("Atlas Hall")]) == 0.0


class Scaled(LetterEmbeddings):
    min_similarity = 0.25


class TestMeteredEmbeddings:
    def test_what_else_the_embedder_has_is_passed_on(self) -> None:
        metered = MeteredEmbeddings(Scaled(), Meter())
        assert copy.copy(metered).min_similarity == 0.25
        assert not hasattr(metered, "max_similarity")

    def test_recall_has_the_threshold_of_the_embedder(self) -> None:
        class Strict(LetterEmbeddings):
            min_similarity = 1.1

        loose = play(ours.OURS[0], script(("en",))[:40], LetterEmbeddings(), ())
        strict = play(ours.OURS[0], script(("en",))[:40], Strict(), ())
        assert sum(strict.injected) < sum(loose.injected)


def asked(*messages: BaseMessage, tools: Sequence[str] = (), must: bool = False) -> Request:
    shown = [{"type": "function", "function": {"name": name}} for name in tools]
    return Request(messages, shown, must)


class TestDialects:
    def test_mem0_gets_json_that_adds(self) -> None:
        known = json.dumps([{"id": "0", "text": "The user goes to the gym Ironworks."}])
        prompt = (
            f"## Last k Messages\nuser: I study geology.\n\n## Existing Memories\n{known}\n\n"
            f"## New Messages\nuser: {MOVED}\nassistant: {GYM}\n\n## Observation Date\n2026-01-01"
        )
        reply = mem0.answer(asked(SystemMessage("Extract."), HumanMessage(prompt)))
        assert reply is not None
        [memory] = json.loads(text_of(reply))["memory"]
        assert memory["text"] == "The user goes to the gym Atlas Hall."
        assert memory["linked_memory_ids"] == ["0"]

    def test_langmem_gets_calls_that_insert_and_patch(self) -> None:
        existing = (
            '<instance id=k7 schema_type="Memory">\n'
            "{'content': 'The user goes to the gym Ironworks.'}\n</instance>"
        )
        talk = (
            f"<session_1>\n==== Human Message ====\n\n{MOVED} I study geology.\n\n"
            "==== Ai Message ====\n\nI support Rovers.\n</session_1>"
        )
        messages = (SystemMessage(existing), HumanMessage(talk))
        reply = langmem.answer(asked(*messages, tools=["Memory", "PatchDoc"], must=True))
        assert reply is not None
        patch, insert = reply.tool_calls
        assert patch["args"]["json_doc_id"] == "k7"
        assert patch["args"]["patches"][0]["value"] == "The user goes to the gym Atlas Hall."
        assert insert["args"] == {"content": "The user studies geology."}

    def test_this_package_gets_a_call_that_names_sources_and_what_is_replaced(self) -> None:
        model = StandInModel(meter=Meter(), dialects=(ours.answer,))
        known = MemoryRecord(content="The user goes to the gym Ironworks.")
        said = [HumanMessage("Hm.", id="m1"), HumanMessage(MOVED, id="m2")]
        said.append(HumanMessage("I am allergic to sesame.", id="m3"))
        request = ExtractionRequest(said, datetime(2026, 3, 1, tzinfo=UTC), known=[known])
        moved, allergy = drive(ModelExtractor(model).steps(request)).proposals
        assert moved.content == "The user goes to the gym Atlas Hall."
        assert moved.replaces == (known.id,)
        assert moved.source_message_ids == ("m2",)
        assert allergy.type == "constraint"

    @pytest.mark.parametrize("dialect", [mem0.answer, langmem.answer, ours.answer])
    def test_what_another_asks_is_not_answered(self, dialect: object) -> None:
        assert callable(dialect)
        assert dialect(asked(SystemMessage(PROMPT), HumanMessage(GYM))) is None


@contextmanager
def everything(scene: Scene, *, newest_first: bool, shared: bool = False) -> Iterator[Session]:
    """An agent that is shown all that its user, or anybody, ever said."""
    said: dict[str, list[str]] = defaultdict(list)

    def found(user: str, text: str) -> list[str]:
        lines = [line for name, all_ in said.items() if shared or name == user for line in all_]
        return lines[::-1] if newest_first else lines

    class Diary:
        agent = Agent(scene.model, in_prompt(found, "Diary:\n{memories}"))

        def say(self, turn: Turn) -> list[str]:
            thread = [text_of(message) for message in self.agent.say(turn)]
            said[turn.user].append(turn.text)
            return thread

        def end_thread(self, turn: Turn) -> None:
            scene.embeddings.embed_documents([turn.text, turn.thread])

    yield Diary()


def played(player: Player) -> Outcome:
    return play(player, script(("en",)), LetterEmbeddings(), ())


class TestPlaying:
    def test_nothing_is_remembered_without_memory(self) -> None:
        outcome = played(NOTHING)
        assert outcome.turns == 100
        assert len(outcome.answered) == 30
        assert not any(outcome.answered)
        assert set(outcome.injected) == {0}
        assert outcome.meter.calls["reply"].count == 100
        assert outcome.failures == []
        assert len(outcome.limits) > 50
        assert not any(outcome.limits)

    def test_what_grows_at_its_end_is_cached(self) -> None:
        turns = script(("en",))
        short, long = (
            play(NOTHING, turns, LetterEmbeddings(), (), reply=r) for r in ("Hm.", LONG_REPLY)
        )
        diary = played(Player("diary", lambda scene: everything(scene, newest_first=True)))
        for outcome in (short, long):
            assert 0.7 < outcome.prefixes.spent.cached_share < 1
        assert long.prefixes.spent.tokens > 3 * short.prefixes.spent.tokens
        assert diary.prefixes.spent.cached_share < 0.2
        assert all(diary.limits)

    def test_the_order_decides_what_is_current(self) -> None:
        new = played(Player("diary", lambda scene: everything(scene, newest_first=True)))
        old = played(Player("diary", lambda scene: everything(scene, newest_first=False)))
        assert all(new.answered)
        assert all(old.answered)
        assert all(new.current)
        assert not any(old.current)
        assert new.leaks == old.leaks == 0
        assert new.meter.embedder_calls == 10
        assert new.meter.embedded_texts == 20

    def test_a_leak_is_seen(self) -> None:
        outcome = played(
            Player("shared", lambda scene: everything(scene, newest_first=True, shared=True))
        )
        assert outcome.leaks > 90, "one value of another is enough"

    def test_what_a_library_raises_is_counted(self) -> None:
        class Broken:
            def say(self, turn: Turn) -> list[str]:
                raise RuntimeError("no room left")

            def end_thread(self, turn: Turn) -> None:
                raise AssertionError

        @contextmanager
        def opened(scene: Scene) -> Iterator[Session]:
            yield Broken()

        outcome = played(Player("broken", opened))
        assert len(outcome.failures) == outcome.turns
        assert outcome.as_json()["first_failure"].endswith("RuntimeError: no room left")

    def test_memories_in_front_of_the_question_leave_the_prefix_as_it_is(self) -> None:
        before, system = (
            play(player, script(("en",))[:60], LetterEmbeddings(), (ours.answer,), reply=LONG_REPLY)
            for player in ours.OURS[2:]
        )
        assert before.injected == system.injected
        assert before.prefixes.spent.cached_share > 1.5 * system.prefixes.spent.cached_share

    def test_what_fails_in_the_background_is_a_failure_of_the_turn(self) -> None:
        class Full(LetterEmbeddings):
            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                raise OSError("no room left")

        outcome = play(ours.OURS[0], script(("en",))[:20], Full(), ())
        assert outcome.failures
        assert "extraction_failed" in outcome.failures[0]

    def test_a_request_that_nobody_understands_is_counted(self) -> None:
        outcome = Outcome()
        StandInModel(meter=outcome.meter).invoke("Summarize this.")
        assert outcome.meter.calls["not understood"].count == 1


def command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    return run(parser.parse_args(["longterm", *arguments]))


EMBEDDER = ("--embedder", "tests.scripted:LetterEmbeddings")


class TestCommand:
    def test_a_table_and_json(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        needed("langmem", "evals")
        file = tmp_path / "out.json"
        only = ("--only", "no memory", "every thread")
        assert command("--quick", *EMBEDDER, *only, "--json", str(file)) == 0
        shown = capsys.readouterr().out
        assert "2 users, 100 turns: cost" in shown
        assert "langmem, every thread" in shown
        results = json.loads(file.read_text())["longterm"]
        assert results["no memory"]["answered"] == 0
        remembering = results["langmem, every thread"]
        assert remembering["failures"] == 0
        assert remembering["answered"] > 0.5
        assert remembering["calls_per_100_turns"]["remember"]["count"] == 10
        assert "not understood" not in remembering["calls_per_100_turns"]

    def test_this_package_by_rules_and_by_the_model(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        file = tmp_path / "out.json"
        only = ("--only", "package, rules", "package, model, every thread")
        command("--quick", *EMBEDDER, *only, "--json", str(file))
        rules, model = json.loads(file.read_text())["longterm"].values()
        assert "remember" not in rules["calls_per_100_turns"]
        assert 0 < model["calls_per_100_turns"]["remember"]["count"] <= 20
        for outcome in (rules, model):
            assert outcome["failures"] == outcome["leaks"] == 0
            assert outcome["answered"] > 1 / 3
            assert outcome["injected_tokens_max"] <= 1_500
            assert "not understood" not in outcome["calls_per_100_turns"]
            assert outcome["limits"] == 1

    def test_what_is_not_installed_is_left_out_with_the_reason(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        absent = Player("absent", NOTHING.open, {"nowhere_at_all": "nowhere"})
        monkeypatch.setattr("langgraph_memory.evals.longterm.command.PLAYERS", (NOTHING, absent))
        command("--quick", *EMBEDDER)
        assert "absent: left out, not installed" in capsys.readouterr().out

    @pytest.mark.parametrize(
        "arguments", [("--only", "nobody at all"), ("--embedder", "nowhere_at_all:x")]
    )
    def test_what_cannot_be_run(self, arguments: tuple[str, ...]) -> None:
        with pytest.raises(InvalidInputError, match=r"nobody at all|nowhere_at_all"):
            command(*arguments)


def test_a_turn_says_when_it_was_said() -> None:
    first, *_, last = script()
    assert datetime(2026, 1, 1, tzinfo=UTC) < first.moment < last.moment
