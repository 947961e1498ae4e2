"""Memories of a user: no duplicates, corrections with their history, few enough to be kept."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from langgraph_memory import clock
from langgraph_memory.calls import drive
from langgraph_memory.errors import InvalidInputError, UnknownMemoryError, VersionConflictError
from langgraph_memory.memories import Memories, Outcome, Remember, Retire, Swap, is_contained
from langgraph_memory.records import MemoryRecord, MemoryType, Status
from langgraph_memory.store import SQLiteMemoryStore

HERE = ("agent:chat", "user:42", "memories")


def vectors(texts: list[str]) -> list[list[float]]:
    """Letters counted: texts that differ by a character or two are near."""
    return [[text.lower().count(chr(97 + at)) + 0.01 for at in range(26)] for text in texts]


@pytest.fixture
def store():
    with SQLiteMemoryStore(":memory:", index={"dims": 26, "embed": vectors}) as store:
        yield store


@pytest.fixture
def memories(store):
    return Memories(store, HERE)


def contents(memories: Memories) -> list[str]:
    return [found.record.content for found in memories.search("", limit=1_000)]


def test_a_new_memory_is_stored_and_found(memories):
    saved = memories.save(MemoryRecord(content="The user plays the cello."))
    assert saved.outcome is Outcome.ADDED
    assert memories.search("cello")[0].record == saved.record
    assert memories.get(saved.record.id) == saved.record


def test_what_is_said_already_is_not_stored_again(memories):
    first = memories.save(MemoryRecord(content="The user plays the cello and the flute.")).record
    again = memories.save(MemoryRecord(content="the user plays the cello"))
    assert (again.outcome, again.record.id) == (Outcome.DUPLICATE, first.id)
    assert again.record.heat > first.heat
    assert len(contents(memories)) == 1


def test_the_fuller_statement_takes_the_place_of_the_shorter(memories):
    short = memories.save(MemoryRecord(content="The user plays the cello")).record
    saved = memories.save(MemoryRecord(content="The user plays the cello and the flute."))
    assert (saved.outcome, saved.replaced) == (Outcome.UPDATED, (short,))
    assert contents(memories) == ["The user plays the cello and the flute."]
    old = memories.get(short.id)
    assert (old.status, old.superseded_by) == (Status.SUPERSEDED, saved.record.id)
    assert saved.record.supersedes == (short.id,)


def test_nearly_the_same_words_are_an_update_that_keeps_the_heat(memories, store):
    old = memories.save(MemoryRecord(content="The user likes strong coffee.")).record
    store.touch(HERE, [old.id])
    saved = memories.save(MemoryRecord(content="The user likes strong coffees."))
    assert saved.outcome is Outcome.UPDATED
    assert saved.record.access_count == 1
    assert saved.record.heat > 1.5


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user likes coffee.", "The user does not like coffee."),
        ("The user dislikes coffee.", "The user likes coffee."),
        ("The user loves Thai food.", "The user hates Thai food now."),
        ("The user's budget is 500 euros.", "The user's budget is 5000 euros."),
        ("The user works at the harbour.", "The user no longer works at the harbour."),
        ("用户不喜欢咖啡。", "用户喜欢咖啡。"),
        ("用户很爱吃川菜。", "用户现在讨厌吃川菜。"),
        ("The user has 2 cats.", "The user has 3 cats."),
        ("The user gets up at 6.", "The user gets up at 7."),
        ("用户每天跑5公里。", "用户每天跑10公里。"),
    ],
)
def test_the_contrary_and_other_figures_supersede(memories, old, new):
    first = memories.save(MemoryRecord(content=old)).record
    saved = memories.save(MemoryRecord(content=new))
    assert saved.outcome is Outcome.UPDATED
    assert contents(memories) == [new]
    gone = memories.get(first.id)
    assert gone.superseded_by == saved.record.id
    assert gone.updated_at > gone.created_at


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user drinks coffee in the morning.", "The user never drinks coffee at night."),
        ("The user's budget for hotels is 500.", "The user's budget for flights is 900."),
        ("The user likes cats.", "The user does not like dogs."),
        ("The ferry on 3 May is number 454.", "The ferry on 9 May is number 455."),
        ("The user has no sister.", "The user's sister lives in Ghent."),
        ("用户喜欢喝咖啡。", "用户不喜欢喝绿茶。"),
        # A figure behind a name is part of the name.
        ("The user takes omega 3.", "The user takes omega 6."),
        ("The user has an iPhone 15.", "The user has an iPhone 16."),
        ("The user takes vitamin B 12 daily.", "The user takes vitamin B 6 daily."),
        ("The user is allergic to red 3.", "The user is allergic to red 40."),
        ("用户每天吃欧米伽3。", "用户每天吃欧米伽6。"),
        ("用户不吃3号色素。", "用户不吃5号色素。"),
    ],
)
def test_what_is_about_something_else_stands_beside_it(memories, old, new):
    memories.save(MemoryRecord(content=old))
    assert memories.save(MemoryRecord(content=new)).outcome is Outcome.ADDED
    assert set(contents(memories)) == {old, new}


def test_a_limit_is_not_given_up_for_a_taste(memories):
    limit = MemoryRecord(content="The user cannot eat peanuts.", type="constraint")
    memories.save(limit)
    memories.save(MemoryRecord(content="The user likes to eat peanuts.", type="preference"))
    assert limit.content in contents(memories)
    saved = memories.save(MemoryRecord(content="The user can eat peanuts.", type="constraint"))
    assert [old.id for old in saved.replaced] == [limit.id]


def test_a_guess_supersedes_nothing_that_was_stated(memories):
    memories.save(MemoryRecord(content="The user likes coffee."))
    guess = MemoryRecord(content="The user does not like coffee.", confirmation="inferred")
    assert memories.save(guess).outcome is Outcome.ADDED


def test_two_events_with_other_figures_are_two(memories):
    memories.save(MemoryRecord(content="The user ran 5 km.", type="episode"))
    memories.save(MemoryRecord(content="The user ran 12 km.", type="episode"))
    assert len(contents(memories)) == 2


@pytest.mark.parametrize(
    ("two", "newer"),
    [
        (
            "The user never camps in winter and huts must stay below 80.",
            "The user's limit is 120 from now on.",
        ),
        ("用户从不露营，船票最多八十。", "用户的预算是一百二十。"),
    ],
)
def test_a_correction_ends_no_limit_of_which_it_says_nothing(memories, two, newer):
    old = MemoryRecord(content=two, type=MemoryType.CONSTRAINT, subject="budget")
    new = MemoryRecord(content=newer, type=MemoryType.CONSTRAINT, subject="budget")
    memories.save(old)
    assert memories.save(new).outcome is Outcome.ADDED
    newest = MemoryRecord(content="The user's limit is 150 now.", subject="budget")
    assert memories.save(newest.revised(type=MemoryType.CONSTRAINT)).replaced[0].id == new.id
    assert sorted(contents(memories)) == sorted([two, newest.content])


def test_what_is_retracted_takes_no_other_taste_with_it(memories):
    both = "The user drinks milk and prefers rooms with a view."
    memories.save(MemoryRecord(content=both, type=MemoryType.PREFERENCE))
    no_longer = MemoryRecord(content="The user no longer drinks milk.", type=MemoryType.PREFERENCE)
    edits = [Remember(no_longer, retracts=("The user drinks milk.",))]
    memories.store.commit(drive(memories.plan(edits)).changes)
    assert both in contents(memories)


def test_one_subject_has_one_value(memories):
    old = MemoryRecord(content="The user works at Orbital.", subject="employer")
    beside = MemoryRecord(content="The user works out on Mondays.", subject="sport")
    for record in (old, beside):
        memories.save(record)
    new = MemoryRecord(content="Nowadays a bakery pays the user.", subject="employer")
    assert [each.id for each in memories.save(new).replaced] == [old.id]
    assert set(contents(memories)) == {new.content, beside.content}


class TestSeveralEdits:
    """What a turn comes to is worked out as a whole, and written as a whole."""

    def edited(self, memories, *edits):
        edited = drive(memories.plan(edits))
        memories.store.commit(edited.changes)
        return edited

    def test_later_ones_see_earlier_ones(self, memories):
        edited = self.edited(
            memories,
            Remember(MemoryRecord(content="The user likes tea.")),
            Remember(MemoryRecord(content="the user likes tea")),
            Remember(MemoryRecord(content="The user does not like tea.")),
        )
        assert [saved.outcome for saved in edited.saved] == ["added", "duplicate", "updated"]
        assert contents(memories) == ["The user does not like tea."]

    def test_nothing_is_written_before_the_commit(self, memories, store):
        drive(memories.plan([Remember(MemoryRecord(content="The user likes tea."))]))
        assert contents(memories) == []

    def test_a_change_by_others_in_between_is_noticed(self, memories, store):
        record = memories.save(MemoryRecord(content="The user likes tea.")).record
        edited = drive(memories.plan([Remember(MemoryRecord(content="The user hates tea."))]))
        memories.update(record.id, "The user likes green tea.")
        with pytest.raises(VersionConflictError):
            store.commit(edited.changes)
        assert contents(memories) == ["The user likes green tea."]

    @pytest.mark.parametrize("already", [[], ["The user plays the cello."]])
    @pytest.mark.parametrize("theirs", ["The user likes tea.", "The user hates tea."])
    def test_what_others_add_in_between_is_noticed(self, memories, store, already, theirs):
        for content in already:
            memories.save(MemoryRecord(content=content))
        edited = drive(memories.plan([Remember(MemoryRecord(content="The user likes tea."))]))
        memories.save(MemoryRecord(content=theirs))
        with pytest.raises(VersionConflictError):
            store.commit(edited.changes)
        assert contents(memories) == [theirs, *already]

    def test_named_ones_give_way_and_unknown_names_do_not_matter(self, memories):
        old = memories.save(MemoryRecord(content="The user lives near the harbour.")).record
        new = MemoryRecord(content="The user has moved to the hills.")
        edited = self.edited(memories, Remember(new, replaces=(old.id, "nobody")))
        assert [each.id for each in edited.saved[0].replaced] == [old.id]
        assert contents(memories) == [new.content]

    def test_what_is_retracted_gives_way(self, memories):
        memories.save(MemoryRecord(content="The user plays the cello."))
        new = MemoryRecord(content="The user sings in a choir.")
        self.edited(memories, Remember(new, retracts=("The user plays the cello.",)))
        assert contents(memories) == [new.content]

    @pytest.mark.parametrize(
        ("there", "swap", "now"),
        [
            (
                "The user's vet is Dr. Low in Bern.",
                ("Dr. Low", "Dr. Kay"),
                "The user's vet is Dr. Kay.",
            ),
            (
                "The user uses Figma for icons.",
                ("Figma", "Penpot"),
                "The user uses Penpot for icons.",
            ),
            (
                "The user's rent is $900 a month.",
                ("$900", "$950 a month", "rent"),
                "The user's rent is $950 a month.",
            ),
            ("The user's brother lives in Bern.", ("Bern", "Basel"), None),
            ("The user likes Figma.", ("Sketch", "Penpot"), None),
            ("The user never uses Figma.", ("Figma", "Penpot"), None),
            ("The user's limit is 40.", ("40", "60", "shoes"), None),
            ("用户的医生是王大夫。", ("王大夫", "李大夫"), "用户的医生是李大夫。"),
            ("用户每天跑五公里。", ("五公里", "八公里"), "用户每天跑八公里。"),
            ("用户的哥哥住在北京。", ("北京", "天津"), None),
        ],
    )
    def test_a_value_takes_the_place_of_the_one_that_is_remembered(
        self, memories, there, swap, now
    ):
        old = memories.save(MemoryRecord(content=there, subject="one")).record
        told = MemoryRecord(content="The user has one in the place of another.")
        change = Swap(*swap, known_only=True)
        edited = self.edited(memories, Remember(told, swap=change))
        assert contents(memories) == [now or there]
        if now:
            saved = edited.saved[0].record
            assert (saved.supersedes, saved.model_extra["subject"]) == ((old.id,), "one")
        else:
            assert edited.saved[0].outcome is Outcome.UNKNOWN

    @pytest.mark.parametrize(
        ("retracted", "there", "gone"),
        [
            ("The user uses Figma.", "The user is using Figma at work.", True),
            ("The user uses Figma.", "The user's editor is Figma.", True),
            ("The user uses Figma.", "The user switched from Sketch to Figma.", True),
            ("The user uses oat milk.", "The user drinks oat milk.", True),
            ("The user uses Tampere.", "The user lives in Tampere.", True),
            ("The user drinks wine.", "The user also drinks wine on Sundays.", True),
            ("The user uses Figma.", "The user's wife uses Figma.", False),
            ("The user uses Figma.", "The user does not use Figma.", False),
            ("The user uses Go.", "The user uses Golem.", False),
            ("The user uses Figma.", "The user prefers Sketch to Figma.", False),
            ("The user drinks wine.", "The user uses wine for cooking.", False),
            ("The user uses boat.", "The user has a boat.", False),
            ("用户用Figma。", "用户平时在用Figma画图。", True),
            ("用户用燕麦奶。", "用户每天喝燕麦奶。", True),
            ("用户用Figma。", "用户从Sketch换成了Figma。", True),
            ("用户喝咖啡。", "用户喜欢喝咖啡。", True),
            ("用户用Figma。", "用户的老婆用Figma。", False),
            ("用户用Figma。", "用户不用Figma。", False),
        ],
    )
    def test_what_is_retracted_may_stand_in_other_words(self, retracted, there, gone):
        with SQLiteMemoryStore(":memory:") as store:
            memories = Memories(store, HERE)
            memories.save(MemoryRecord(content=there))
            # What is nearer by its words must not hide it.
            for word in ("one", "two", "three", "four", "five", "six", "seven"):
                memories.save(MemoryRecord(content=f"{retracted} So said number {word}."))
            new = MemoryRecord(content="Something else now.")
            self.edited(memories, Remember(new, retracts=(retracted,)))
            assert (there in contents(memories)) is not gone

    def test_a_topic_is_retired_with_all_its_words_or_not_at_all(self, memories):
        keep = memories.save(MemoryRecord(content="The user has a green boat.")).record
        gone = memories.save(MemoryRecord(content="The user's red boat leaks.")).record
        edited = self.edited(memories, Retire("the red boat"))
        assert [each.id for each in edited.retired] == [gone.id]
        assert memories.get(gone.id).status is Status.ARCHIVED
        assert contents(memories) == [keep.content]

    def test_the_bound_holds_for_all_of_them_together(self, store):
        memories = Memories(store, HERE, max_items=3)
        words = ["cello", "bicycle", "jungle", "oyster", "window", "pump"]
        for word in words[:3]:
            memories.save(MemoryRecord(content=f"Owns a {word}.", importance=0.2))
        edits = [Remember(MemoryRecord(content=f"Owns a {word}.")) for word in words[3:5]]
        edited = self.edited(memories, *edits)
        assert len(edited.archived) == 2
        assert len(contents(memories)) == 3


def test_the_same_origin_twice_changes_nothing(memories):
    record = MemoryRecord(id="from-message-7", content="The user plays the cello.")
    memories.save(record)
    memories.forget(record.id)
    again = memories.save(record)
    assert again.outcome is Outcome.DUPLICATE
    assert contents(memories) == []


def test_an_update_is_a_new_version_and_the_old_one_its_history(memories):
    old = memories.save(
        MemoryRecord(content="The user lives in Rome.", type="fact", importance=0.9)
    ).record
    new = memories.update(old.id, "The user lives in Oslo.", confidence=0.7)
    assert (new.type, new.importance, new.confidence) == (MemoryType.FACT, 0.9, 0.7)
    assert new.supersedes == (old.id,)
    assert contents(memories) == ["The user lives in Oslo."]
    assert memories.get(old.id).superseded_by == new.id
    with pytest.raises(UnknownMemoryError, match=old.id):
        memories.update(old.id, "The user lives in Bergen.")


def test_what_is_forgotten_is_archived_and_not_found(memories):
    record = memories.save(MemoryRecord(content="The user plays the cello.")).record
    assert memories.forget(record.id).status is Status.ARCHIVED
    assert memories.search("cello") == []
    assert memories.get(record.id).content == "The user plays the cello."


@pytest.mark.parametrize("wrong", ["nothing", "", "../x", "1"])
def test_unknown_ids_are_refused(memories, wrong):
    with pytest.raises(UnknownMemoryError):
        memories.forget(wrong)
    with pytest.raises(UnknownMemoryError):
        memories.update(wrong, "x")


def test_ids_of_another_user_are_unknown(memories, store):
    other = Memories(store, ("agent:chat", "user:43", "memories"))
    theirs = other.save(MemoryRecord(content="They play the harp.")).record
    with pytest.raises(UnknownMemoryError):
        memories.forget(theirs.id)
    assert contents(other) == ["They play the harp."]


def test_beyond_the_bound_the_least_valuable_are_archived(store):
    memories = Memories(store, HERE, max_items=3)
    now = datetime(2026, 5, 1, tzinfo=UTC)
    with clock.set_to(lambda: now):
        for content, kind, importance in [
            ("Peanuts make the user ill.", "constraint", 0.3),
            ("Went to a zoo.", "episode", 0.3),
            ("Named Jo.", "fact", 0.9),
        ]:
            memories.save(MemoryRecord(content=content, type=kind, importance=importance))
            now += timedelta(days=1)
        saved = memories.save(
            MemoryRecord(content="Quick lunch today", type="episode", importance=0.3)
        )
    assert [record.content for record in saved.archived] == ["Went to a zoo."]
    assert set(contents(memories)) == {
        "Peanuts make the user ill.",
        "Named Jo.",
        "Quick lunch today",
    }


def test_who_the_user_is_outlasts_small_talk(store):
    memories = Memories(store, HERE, max_items=5)
    now = datetime(2026, 5, 1, tzinfo=UTC)
    lasting = ["The user is called Ines.", "Walnuts make the user ill.", "The user was born blind."]
    with clock.set_to(lambda: now):
        for content, kind in zip(lasting, ["fact", "constraint", "fact"], strict=True):
            memories.save(MemoryRecord(content=content, type=kind, importance=0.9))
        for word in ["cello", "bicycle", "jungle", "oyster", "window", "pump"]:
            now += timedelta(days=60)
            memories.save(MemoryRecord(content=f"Owns a {word}.", importance=0.7))
    assert set(contents(memories)) == {*lasting, "Owns a pump.", "Owns a window."}


def test_what_is_important_gives_way_where_all_of_it_is(store):
    memories = Memories(store, HERE, max_items=2)
    now = datetime(2026, 5, 1, tzinfo=UTC)
    with clock.set_to(lambda: now):
        for word in ["cello", "bicycle", "jungle", "oyster"]:
            now += timedelta(days=60)
            memories.save(MemoryRecord(content=f"Owns a {word}.", importance=0.9))
    assert set(contents(memories)) == {"Owns a jungle.", "Owns a oyster."}


async def test_the_async_forms_do_the_same(memories):
    saved = await memories.asave(MemoryRecord(content="The user plays the cello."))
    new = await memories.aupdate(saved.record.id, "The user plays the harp.")
    assert (await memories.asearch("harp"))[0].record == new
    assert await memories.aget(new.id) == new
    await memories.aforget(new.id)
    assert await memories.asearch("harp") == []


def test_what_was_said_this_week_outlasts_what_was_used_for_months(store):
    memories = Memories(store, HERE, max_items=3)
    start = datetime(2026, 2, 1, tzinfo=UTC)
    with clock.set_to(start):
        old = [
            memories.save(MemoryRecord(content=content, importance=0.6)).record.id
            for content in ("The user has a van.", "The user plays chess.", "The user sings.")
        ]
    for day in range(20, 90, 10):
        with clock.set_to(start + timedelta(days=day)):
            store.touch(HERE, old)
    with clock.set_to(start + timedelta(days=90)):
        boss = memories.save(MemoryRecord(content="The new boss is Helen.", importance=0.6)).record
    with clock.set_to(start + timedelta(days=92)):
        memories.save(MemoryRecord(content="The user swims on Fridays.", importance=0.6))
    assert memories.get(boss.id).status is Status.ACTIVE


def test_what_was_often_used_outlasts_what_never_was(store):
    memories = Memories(store, HERE, max_items=2)
    start = datetime(2026, 2, 1, tzinfo=UTC)
    with clock.set_to(start):
        often = memories.save(MemoryRecord(content="The user plays chess.", importance=0.6)).record
    for day in range(20, 90, 10):
        with clock.set_to(start + timedelta(days=day)):
            store.touch(HERE, [often.id])
    with clock.set_to(start + timedelta(days=50)):
        never = memories.save(MemoryRecord(content="The user saw a film.", importance=0.6)).record
    with clock.set_to(start + timedelta(days=90)):
        memories.save(MemoryRecord(content="The user swims on Fridays.", importance=0.6))
    assert memories.get(often.id).status is Status.ACTIVE
    assert memories.get(never.id).status is Status.ARCHIVED


@pytest.mark.parametrize("given", [{"max_items": 0}, {"duplicate_similarity": 1.5}])
def test_bounds_that_make_no_sense(store, given: dict[str, Any]):
    with pytest.raises(InvalidInputError, match=next(iter(given))):
        Memories(store, HERE, **given)


@pytest.mark.parametrize(
    ("statement", "other", "contained"),
    [
        ("likes tea", "The user likes tea and cake.", True),
        ("Likes tea!", "likes  TEA", True),
        ("likes tea", "dislikes tea", False),
        ("likes tea", "no longer likes tea", False),
        ("does not like tea", "She does not like tea at all", True),
        ("喜欢茶", "用户喜欢茶和蛋糕", True),
        ("喜欢茶", "用户不喜欢茶", False),
        ("", "anything", False),
        ("tea likes", "likes tea", False),
    ],
)
def test_containment_minds_whole_words_and_negation(statement, other, contained):
    assert is_contained(statement, other) is contained


def test_the_bound_holds_where_one_plan_alone_is_too_much(store):
    memories = Memories(store, HERE, max_items=2)
    words = ["cello", "bicycle", "jungle", "oyster", "window"]
    edits = [Remember(MemoryRecord(content=f"Owns a {word}.")) for word in words]
    edited = drive(memories.plan(edits))
    store.commit(edited.changes)
    assert len(edited.archived) == 3
    assert len(contents(memories)) == 2
    assert "Owns a window." in contents(memories)


def test_what_others_have_written_wrongly_is_passed_over(caplog):
    with SQLiteMemoryStore(":memory:") as store:
        memories = Memories(store, ("agent:chat", "user:anna", "memories"))
        value = MemoryRecord(content="The user grows quinces.").to_value()
        store.put(memories.namespace, "bad", {**value, "importance": "plum wine"})
        saved = memories.save(MemoryRecord(content="The user grows quinces and figs."))
        assert saved.outcome is Outcome.ADDED
        assert [each.record.id for each in memories.search("quinces")] == [saved.record.id]
        assert memories.get("bad") is None
    assert "'bad' cannot be read" in caplog.text
    assert "plum" not in caplog.text
