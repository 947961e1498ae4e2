from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from embedders import DIMS, WordEmbeddings

from langgraph_memory.calls import drive
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.recall import (
    Question,
    Recall,
    RecallReport,
    RecallWeights,
    passage_of,
    turn_key,
)
from langgraph_memory.records import MemoryRecord
from langgraph_memory.store import MemoryStore, SQLiteMemoryStore

NOW = datetime(2024, 6, 12, 15, 30, tzinfo=UTC)
USER = ("users", "ada")


@pytest.fixture
def store(tmp_path) -> Iterator[SQLiteMemoryStore]:
    with SQLiteMemoryStore(tmp_path / "memory.db", index={"fields": ["text"]}) as opened:
        yield opened


def say(store: MemoryStore, *texts: str, session: str = "s", **more: Any) -> None:
    """One turn each, in order."""
    for position, text in enumerate(texts):
        value = {"text": text, "session": session, "position": position} | more
        store.put(USER, turn_key(session, position), value)


def state(store: MemoryStore, key: str, text: str, day: int, **more: Any) -> None:
    """Something said so many days before the question."""
    when = (NOW - timedelta(days=day)).isoformat()
    store.put(USER, key, {"text": text, "speaker": "user", "timestamp": when} | more)


def keys(report: RecallReport) -> list[str]:
    return [memory.item.key for memory in report.memories]


def ask(store: MemoryStore, text: str, **options: Any) -> list[str]:
    return keys(Recall(store, **options).recall(Question(text, NOW), USER))


class TestBudget:
    def test_nothing_is_recalled_beyond_it(self, store):
        for number in range(30):
            store.put(USER, f"{number}", {"text": f"The harbour has ferry number {number}."})
        report = Recall(store, budget=60).recall(Question("Which ferry?", NOW), USER)
        assert 40 < report.tokens == sum(memory.tokens for memory in report.memories) <= 60

    def test_what_does_not_fit_keeps_nothing_out(self, store):
        store.put(USER, "page", {"text": "The ferry leaves at noon. " * 100})
        store.put(USER, "line", {"text": "A ferry of the harbour line was late."})
        assert ask(store, "When does the ferry leave?", budget=100) == ["line"]

    def test_a_limit_counts_memories(self, store):
        for number in range(5):
            store.put(USER, f"{number}", {"text": f"Ferry number {number}."})
        assert len(ask(store, "ferry", limit=2)) == 2

    def test_of_two_that_answer_alike_the_short_one_comes_first(self, store):
        long = "The ferry leaves at noon. " + "Passengers queue with bicycles and dogs. " * 30
        store.put(USER, "long", {"text": long})
        store.put(USER, "short", {"text": "The ferry leaves at noon, passengers queue early."})
        assert ask(store, "When does the ferry leave for passengers?", budget=2_000)[0] == "short"


class TestEverything:
    @pytest.fixture(params=["words", "meaning"])
    def store(self, request, tmp_path) -> Iterator[SQLiteMemoryStore]:
        index = {"dims": DIMS, "embed": WordEmbeddings()} if request.param == "meaning" else None
        with SQLiteMemoryStore(tmp_path / "memory.db", index=index) as opened:
            for number, (content, importance) in enumerate(
                [("The user has a cat.", 0.5), ("The user works in Oslo.", 0.9), ("", 0.1)]
            ):
                record = MemoryRecord(content=content or "The user saw a film.", type="fact")
                value = record.model_copy(update={"importance": importance}).to_value()
                opened.put(USER, str(number), value)
            yield opened

    @pytest.mark.parametrize(
        "question",
        [
            "What do you know about me?",
            "Hello! Please tell me everything you remember about me.",
            "Do you still know who I am?",
            "你知道我的哪些事？",
            "你好。关于我你都记得什么？",
            "我是谁？",
        ],
    )
    def test_is_told_the_most_valuable_first(self, store, question):
        assert ask(store, question) == ["1", "0", "2"]
        assert ask(store, question, limit=1) == ["1"]

    def test_what_was_said_in_one_breath_or_lately_is_worth_no_more(self, store):
        def told(key: str, content: str, importance: float, days: int, message: str) -> None:
            record = MemoryRecord(
                content=content,
                importance=importance,
                created_at=NOW - timedelta(days=days),
                source_thread_id=message,
                source_message_ids=(message,),
            )
            store.put(USER, key, record.to_value())

        told("name", "The user's name is Ada.", 0.9, 150, "m1")
        told("film", "The user saw a film.", 0.5, 1, "m2")
        told("tea", "The user drank tea there.", 0.5, 1, "m2")
        found = ask(store, "What do you know about me?")
        assert found[:2] == ["1", "name"]
        assert {"film", "tea"} <= set(found[2:])

    def test_what_is_forgotten_takes_no_place_from_it(self, store):
        gone = MemoryRecord(content="The user saw a play.", type="fact", status="archived")
        for number in range(3):
            store.put(USER, f"gone {number}", gone.to_value(), index=False)
        assert ask(store, "What do you know about me?", candidates=3) == ["1", "0", "2"]

    @pytest.mark.parametrize(
        "question",
        [
            "What do you know about my cat?",
            "Do you remember me telling you of a cat?",
            "Find food for my cat, with what you know about me.",
            "Who am I meeting about the cat?",
        ],
    )
    def test_but_not_where_something_is_asked_for(self, store, question):
        assert ask(store, question)[:1] == ["0"]


class TestSurroundings:
    def test_the_answer_beside_a_question_is_recalled_without_a_word_of_it(self, store):
        say(
            store,
            "Hello!",
            "Where did you buy the accordion?",
            "In a small shop in Turku.",
            "Nice.",
        )
        say(store, "It rains.", "Then take the tram.", "Good idea.", session="other")
        found = ask(store, "accordion purchase", budget=40)
        assert "s#2" in found
        assert "other#1" not in found

    def test_turns_of_another_session_are_no_neighbours(self, store):
        say(store, "Where did you buy the accordion?")
        say(store, "x", "In a small shop in Turku.", session="t")
        assert ask(store, "accordion") == ["s#0"]

    def test_a_page_of_text_lends_less_than_a_line(self, store):
        page = "About the accordion. " + "Reeds, bellows and buttons need care. " * 60
        say(store, "About the accordion.", "Fine with me.", session="short")
        say(store, page, "Fine with me.", session="long")
        recall = Recall(store, budget=5_000).recall(Question("accordion", NOW), USER)
        lent = {memory.item.key: memory.parts.around for memory in recall.memories}
        assert lent["short#1"] > 3 * lent["long#1"] > 0

    def test_records_of_one_message_belong_together(self, store):
        for key, content, message in [
            ("a", "Plays the accordion", "m1"),
            ("b", "Has a sister in Turku", "m1"),
            ("c", "Has a brother in Oulu", "m2"),
        ]:
            record = MemoryRecord(
                content=content,
                source_thread_id="t",
                source_message_ids=(message,),
                created_at=NOW - timedelta(days=9),
            )
            store.put(USER, key, record.to_value())
        report = Recall(store).recall(Question("accordion in Turku or Oulu", NOW), USER)
        around = {memory.item.key: memory.parts.around for memory in report.memories}
        assert around["a"] > around["c"] == 0.0


class TestSpeaker:
    @pytest.mark.parametrize(
        ("question", "first"),
        [
            ("What does Ines think of the new tram?", "ines"),
            ("What does Olaf think of the new tram?", "olaf"),
        ],
    )
    def test_who_is_named_comes_first(self, store, question, first):
        for speaker in ("Ines", "Olaf"):
            store.put(USER, speaker.lower(), {"text": "The new tram, hm.", "speaker": speaker})
        assert ask(store, question)[0] == first

    @pytest.mark.parametrize("question", ["What is my plan for the attic?", "我的阁楼 attic plan"])
    def test_who_asks_about_himself_means_his_own_words(self, store, question):
        store.put(USER, "theirs", {"text": "Attic plan: insulate it.", "speaker": "assistant"})
        store.put(USER, "own", {"text": "Attic plan: paint it red.", "speaker": "user"})
        store.put(USER, "later", {"text": "Attic plan: insulate it.", "speaker": "assistant"})
        assert ask(store, question)[0] == "own"


class TestTime:
    @pytest.mark.parametrize(
        ("question", "first"),
        [
            ("What soup did I cook last week?", "june"),
            ("What soup did I cook in March?", "march"),
            ("What soup did I cook last year?", "before"),
            ("三月我做的什么 soup", "march"),
            ("上周我做的什么 soup", "june"),
        ],
    )
    def test_what_lies_in_the_time_asked_about_comes_first(self, store, question, first):
        for key, when in [
            ("before", "2023-08-01"),
            ("march", "2024-03-15"),
            ("june", "2024-06-05"),
        ]:
            store.put(USER, key, {"text": f"Cooked a soup, {key}.", "timestamp": when})
        assert ask(store, question)[0] == first

    def test_a_wrong_or_missing_time_is_no_error(self, store):
        store.put(USER, "a", {"text": "Cooked a soup.", "timestamp": "soon"})
        store.put(USER, "b", {"text": "Cooked a soup.", "timestamp": 7})
        assert sorted(ask(store, "soup last week")) == ["a", "b"]


REPLACED = [
    (
        "My cello lesson is on Tuesday.",
        "My cello lesson is Friday now.",
        "When is my cello lesson?",
    ),
    ("I pay 700 for the flat.", "I pay 760 for the flat since May.", "What do I pay for the flat?"),
    ("Our cat is called Miso.", "Our new cat is called Tofu.", "What is our cat called?"),
    ("I keep bees, three hives.", "I keep bees, five hives by now.", "How many hives do I keep?"),
    ("我的钢琴课在周二。", "我的钢琴课改到周四了。", "我的钢琴课在哪天？"),
    ("我每天走五千步。", "我每天走八千步了。", "我每天走多少步？"),
    ("我的房租是两千元。", "我的房租涨到两千五百元了。", "我的房租是多少？"),
]


class TestTheCurrentStatement:
    @pytest.mark.parametrize(("before", "after", "question"), REPLACED)
    def test_it_ranks_above_the_one_it_replaced(self, store, before, after, question):
        state(store, "before", before, day=90)
        state(store, "after", after, day=30)
        state(store, "talk", "The weather was fine on the island. 岛上天气很好。", day=1)
        found = ask(store, question)
        assert found.index("after") < found.index("before")

    @pytest.mark.parametrize(("before", "after", "question"), REPLACED)
    def test_whichever_was_stored_first(self, store, before, after, question):
        state(store, "after", after, day=30)
        state(store, "before", before, day=90)
        assert ask(store, question)[0] == "after"

    @pytest.mark.parametrize(("before", "after", "question"), REPLACED)
    def test_what_is_newer_and_about_something_else_gains_nothing(
        self, store, before, after, question
    ):
        state(store, "it", before, day=90)
        others = ["The lesson of the film: pay the cat.", "每天的课文都很长。", "Bees, bees!"]
        for number, text in enumerate(others):
            state(store, f"other{number}", text, day=number)
        plain = ask(store, question, weights=RecallWeights(same_thing=2))
        assert ask(store, question) == plain
        assert plain[0] == "it"

    def test_age_alone_changes_no_score(self, store):
        state(store, "a", "The oven is electric.", day=900)
        state(store, "b", "The kettle is electric, too.", day=1)
        report = Recall(store).recall(Question("Is the oven electric?", NOW), USER)
        assert keys(report)[0] == "a"
        assert {memory.moved for memory in report.memories} == {0}

    def test_who_asks_how_it_was_gets_the_better_match(self, store):
        state(store, "before", "My cello lesson is on Tuesday.", day=90)
        state(store, "after", "My cello lesson moved, it is on Thursday with Mr Brandt.", day=30)
        assert ask(store, "When was my cello lesson before?")[0] == "before"

    def test_two_speakers_do_not_replace_each_other(self, store):
        state(store, "ines", "My cello lesson is on Tuesday.", day=90, speaker="Ines")
        state(store, "olaf", "My cello lesson is on Thursday, I think.", day=30, speaker="Olaf")
        assert ask(store, "When is the cello lesson?")[0] == "ines"

    def test_a_move_is_told(self, store):
        before, after, question = REPLACED[-1]
        state(store, "before", before, day=90)
        state(store, "after", after, day=30)
        report = Recall(store).recall(Question(question, NOW), USER)
        assert [memory.moved for memory in report.memories] == [1, -1]


CHANGED = [
    ("I bank with Corvin.", "Left Corvin for Saltmarsh at last.", "Who do I bank with?"),
    ("My piano teacher is Ms Aldous.", "Ms Aldous retired, Benno does it.", "Who teaches piano?"),
    ("Halvor insures my car.", "Halvor cancelled, it is Trident instead.", "Who insures my car?"),
    ("我在青禾银行存钱。", "青禾的户头注销，换成岳麓。", "我在哪家银行存钱？"),
    ("我的钢琴老师是陶老师。", "陶老师退休，由贺老师教。", "我的钢琴老师是谁？"),
]


OF_OTHERS = [
    ("The user banks with Corvin.", "The user's brother left Corvin.", "Where do I bank?"),
    ("I work at Halvor.", "My neighbour quit Halvor in anger.", "Where do I work?"),
    ("用户在青禾银行存钱。", "用户的同事在青禾的户头注销了。", "我在哪家银行存钱？"),
]


class TestAChangeThatNamesOnlyWhatItEnds:
    @pytest.mark.parametrize(("mine", "theirs", "question"), OF_OTHERS)
    def test_what_others_change_ends_nothing_of_the_users(self, store, mine, theirs, question):
        state(store, "mine", mine, day=90)
        state(store, "theirs", theirs, day=30)
        assert ask(store, question)[:1] == ["mine"]

    def test_it_is_there_once(self, store):
        state(store, "before", "My piano teacher is Ms Aldous.", day=90)
        state(store, "after", "Ms Aldous retired to the coast, so Benno has the piano.", day=30)
        assert ask(store, "Who is my piano teacher?") == ["after", "before"]

    def test_but_what_was_said_of_them(self, store):
        state(store, "before", "My brother banks with Corvin.", day=90)
        state(store, "after", "My brother left Corvin for Saltmarsh.", day=30)
        assert ask(store, "Who does my brother bank with?")[:2] == ["after", "before"]

    @pytest.mark.parametrize(("before", "after", "question"), CHANGED)
    def test_it_ranks_above_that(self, store, before, after, question):
        state(store, "before", before, day=90)
        state(store, "after", after, day=30)
        state(store, "talk", "The weather was fine on the island. 岛上天气很好。", day=1)
        assert ask(store, question)[:2] == ["after", "before"]

    @pytest.mark.parametrize(("before", "after", "question"), CHANGED)
    def test_of_several_the_newest_does(self, store, before, after, question):
        state(store, "before", before, day=90)
        state(store, "newest", after, day=30)
        state(store, "after", after, day=60)
        assert ask(store, question)[0] == "newest"

    @pytest.mark.parametrize(("before", "after", "question"), CHANGED)
    def test_it_does_not_if_it_was_said_earlier_or_by_another(self, store, before, after, question):
        state(store, "before", before, day=90)
        state(store, "earlier", after, day=120)
        state(store, "other", after, day=30, speaker="Olaf")
        assert ask(store, question)[0] == "before"

    def test_what_tells_of_no_change_does_not(self, store):
        state(store, "it", "Halvor insures my car.", day=90)
        state(store, "later", "Halvor is a nice name for a goat.", day=30)
        assert ask(store, "Who insures my car?") == ["it"]

    def test_a_word_that_many_changes_share_ties_nothing(self, store):
        state(store, "it", "My car stands in Norham.", day=90)
        for day in range(1, 8):
            state(store, f"{day}", f"Norham lost match {day}.", day=day)
        assert ask(store, "Where is my car?")[0] == "it"

    def test_that_it_is_about_the_user_ties_nothing(self, store):
        for key, content, day in [
            ("it", "The user's dentist is Ms Halvor.", 90),
            ("zh", "用户的牙医是陶医生。", 80),
            ("later", "The user sold a boat.", 3),
            ("后", "用户把船卖了。", 2),
        ]:
            record = MemoryRecord(content=content, created_at=NOW - timedelta(days=day))
            store.put(USER, key, record.to_value())
        assert ask(store, "Who is my dentist?") == ["it"]
        assert ask(store, "我的牙医是谁？") == ["zh"]

    def test_that_both_deny_something_ties_nothing(self, store):
        for key, content, day in [("肉", "用户不吃肉。", 90), ("药", "用户不吃维生素D了。", 3)]:
            record = MemoryRecord(content=content, created_at=NOW - timedelta(days=day))
            store.put(USER, key, record.to_value())
        assert ask(store, "我吃肉吗？")[0] == "肉"

    def test_what_no_longer_counts_does_not(self, store):
        state(store, "it", "Halvor insures my car.", day=90)
        record = MemoryRecord(content="Halvor was cancelled for Trident.", status="superseded")
        store.put(USER, "gone", record.to_value(), index=["content"])
        assert ask(store, "Who insures my car?") == ["it"]

    def test_it_costs_one_more_call(self, store):
        before, after, question = CHANGED[0]
        state(store, "before", before, day=90)
        state(store, "after", after, day=30)
        assert Recall(store).recall(Question(question, NOW), USER).calls == 2

    def test_it_can_be_switched_off(self, store):
        before, after, question = CHANGED[0]
        state(store, "before", before, day=90)
        state(store, "after", after, day=30)
        assert ask(store, question, replaced=0) == ["before"]


class TestRecords:
    def put(self, store: MemoryStore, key: str, content: str, **fields: Any) -> None:
        created = NOW - timedelta(days=fields.pop("days", 10))
        store.put(USER, key, MemoryRecord(content=content, created_at=created, **fields).to_value())

    @pytest.mark.parametrize(
        ("better", "worse"),
        [
            ({"type": "fact"}, {"type": "episode"}),
            ({"importance": 0.9}, {"importance": 0.2}),
            ({"heat": 3.0}, {"heat": 0.1}),
        ],
    )
    def test_type_importance_and_heat_count(self, store, better, worse):
        self.put(store, "worse", "Sails a wooden dinghy", **worse)
        self.put(store, "better", "Sails a wooden dinghy", **better)
        self.put(store, "again", "Sails a wooden dinghy", **worse)
        assert ask(store, "dinghy")[0] == "better"

    def test_an_old_and_cold_one_is_found_before_what_hardly_matches(self, store):
        self.put(store, "old", "Must not eat walnuts, they are dangerous", days=700, heat=0.0)
        self.put(store, "new", "Ate a cake at noon", days=0, heat=5.0, importance=1.0)
        assert ask(store, "Can I eat walnuts or are they dangerous?")[0] == "old"

    @pytest.mark.parametrize("status", ["archived", "superseded", "pending_review"])
    def test_what_does_not_count_is_not_recalled(self, store, status):
        self.put(store, "active", "Sails a dinghy")
        self.put(store, status, "Sails a dinghy of wood", status=status)
        assert ask(store, "dinghy") == ["active"]

    def test_the_time_asked_about_is_that_of_episodes_and_not_of_standing_facts(self, store):
        self.put(store, "fact", "Cooks without onions", days=400)
        self.put(store, "talk", "Cooks onions with a neighbour", days=400, type="episode")
        self.put(store, "new", "Cooks onions with a neighbour", days=2, type="episode")
        question = Question("Who cooks with onions this week?", NOW)
        report = Recall(store).recall(question, USER)
        time = {memory.item.key: memory.parts.time for memory in report.memories}
        assert time["fact"] == time["new"] == 1.0
        assert time["talk"] < 0.5

    def test_the_newer_record_is_the_one_that_is_valid_from_later(self, store):
        self.put(
            store, "first", "Lives in a flat in Turku", days=1, valid_from=NOW - timedelta(400)
        )
        self.put(store, "second", "Lives in a flat in Oulu", days=9, valid_from=NOW - timedelta(30))
        assert ask(store, "In which town is the flat the user lives in?")[0] == "second"


class TestTheQuestion:
    def test_a_short_one_is_read_with_the_turns_before_it(self, store):
        store.put(USER, "tram", {"text": "The tram to the harbour runs every ten minutes."})
        question = Question("And at night?", NOW, before=["How often does the tram run?", "Often."])
        assert keys(Recall(store).recall(question, USER)) == ["tram"]

    def test_what_it_says_itself_comes_before_what_was_said_before_it(self, store):
        store.put(USER, "ankle", {"text": "Hurt an ankle on a run in spring."})
        store.put(USER, "boss", {"text": "The new boss is Helen Marsh."})
        before = ["What did I say about my ankle, the run, the spring?", "You hurt your ankle."]
        report = Recall(store).recall(Question("Who's my boss?", NOW, before=before), USER)
        assert keys(report) == ["boss", "ankle"]

    def test_of_two_that_have_its_word_the_turns_before_it_tell(self, store):
        store.put(USER, "piano", {"text": "The piano cost 900 euros."})
        store.put(USER, "tram", {"text": "The tram to the harbour has a cost of 3 euros."})
        question = Question("What does it cost?", NOW, before=["To the harbour by tram."])
        assert keys(Recall(store).recall(question, USER)) == ["tram", "piano"]

    def test_one_that_says_enough_is_not(self, store):
        report = Recall(store).recall(
            Question("How often does the harbour tram run?", NOW, before=["About my cello"]), USER
        )
        assert report.query == "How often does the harbour tram run?"

    def test_of_a_long_one_the_ends_are_read(self, store):
        store.put(USER, "tram", {"text": "The tram runs every ten minutes."})
        question = "Please look at this. " + "pasted words " * 9_000 + "How often runs the tram?"
        report = Recall(store).recall(Question(question, NOW), USER)
        assert keys(report) == ["tram"]
        assert len(report.query) < 2_100

    def test_by_its_words_alone_it_is_put_to_no_embedder(self):
        embedder = WordEmbeddings()
        with SQLiteMemoryStore(":memory:", index={"dims": DIMS, "embed": embedder}) as store:
            store.put(USER, "tram", {"text": "The tram runs every ten minutes."})
            store.put(USER, "dog", {"text": "A dog sleeps."})
            question = Question("How often runs the tram?", NOW)
            report = drive(Recall(store).steps(question, [USER], mode="keyword"))
        assert keys(report) == ["tram"]
        assert embedder.queries == []

    @pytest.mark.parametrize("text", ["", "  \n", "?!"])
    def test_one_without_words_finds_nothing(self, store, text):
        store.put(USER, "a", {"text": "Something."})
        assert ask(store, text) == []

    def test_a_time_without_zone_is_refused(self):
        with pytest.raises(InvalidInputError, match="no time zone"):
            Question("When?", datetime(2024, 1, 1))

    @pytest.mark.parametrize("text", ["\ud800 tram \0", "tram (a|b)* [", "tram " * 3_000])
    def test_any_text_may_be_asked(self, store, text):
        store.put(USER, "tram", {"text": "The tram.", "speaker": "(a|b)* ["})
        assert ask(store, text) == ["tram"]


class TestThePath:
    def test_other_namespaces_stay_unseen(self, store):
        store.put(("users", "adam"), "his", {"text": "The tram is late."})
        store.put(USER, "hers", {"text": "The tram is early."})
        assert ask(store, "tram") == ["hers"]

    def test_several_namespaces_are_recalled_together(self, store):
        store.put(("agents", "guide"), "shared", {"text": "The tram has line 4."})
        store.put(USER, "own", {"text": "Takes the tram to work."})
        report = Recall(store).recall(Question("tram", NOW), USER, ("agents", "guide"))
        assert sorted(keys(report)) == ["own", "shared"]
        assert report.calls == 2

    def test_a_filter_holds(self, store):
        store.put(USER, "a", {"text": "The tram.", "kind": "x"})
        store.put(USER, "b", {"text": "The tram.", "kind": "y"})
        report = Recall(store).recall(Question("tram", NOW), USER, filter={"kind": "y"})
        assert keys(report) == ["b"]

    def test_a_filter_holds_for_the_turns_around_a_hit_too(self, store):
        say(store, "Where did you buy the accordion?", "In Turku.", kind="x")
        store.put(USER, turn_key("s", 1), {"text": "In Oulu.", "session": "s", "position": 1})
        report = Recall(store).recall(Question("accordion", NOW), USER, filter={"kind": "x"})
        assert keys(report) == [turn_key("s", 0)]

    async def test_async_gives_the_same(self, store):
        say(store, "Hello!", "Where did you buy the accordion?", "In a shop in Turku.")
        question = Question("accordion", NOW)
        assert await Recall(store).arecall(question, USER) == Recall(store).recall(question, USER)

    def test_it_costs_two_calls_however_much_is_stored(self, store):
        say(store, *(f"Turn {number} about the tram" for number in range(90)))
        report = Recall(store, candidates=20).recall(Question("tram", NOW), USER)
        assert report.calls == 2
        assert report.rows <= 20 * 5

    def test_every_score_is_the_product_of_its_parts(self, store):
        say(store, "The tram is late.", "Again?", speaker="user", timestamp="2024-06-01")
        report = Recall(store).recall(Question("my tram in June", NOW), USER)
        assert len(report.memories) == 2
        for memory in report.memories:
            parts = memory.explain()["parts"]
            product = parts["relevance"] * parts["time"] + parts["around"]
            for name in ("session", "speaker", "worth", "room"):
                product *= parts[name]
            assert memory.explain()["score"] == memory.score == pytest.approx(product)

    @pytest.mark.parametrize(
        "options", [{"budget": -1}, {"candidates": 0}, {"around": 1.5}, {"limit": -1}]
    )
    def test_a_wrong_number_is_named(self, store, options):
        with pytest.raises(InvalidInputError, match=next(iter(options))):
            Recall(store, **options)

    @pytest.mark.parametrize("options", [{"room": 0.0}, {"session": -1.0}, {"time": float("nan")}])
    def test_a_wrong_weight_is_named(self, options):
        with pytest.raises(InvalidInputError, match=next(iter(options))):
            RecallWeights(**options)


class TestValues:
    def test_a_value_of_any_form_has_a_text(self):
        passage = passage_of({"likes": ["tea", 3], "home": {"town": "Turku"}}, NOW)
        assert passage.text == "tea\n3\nTurku"
        assert passage.session is passage.position is passage.moment is None

    def test_wrong_members_are_ignored(self):
        value = {"text": "x", "speaker": 3, "session": None, "position": True, "timestamp": []}
        assert passage_of(value, NOW) == passage_of({"text": "x"}, NOW)
