"""The user's profile: what is merged, what is kept, what is shown, and what a model may say."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage
from pydantic import BaseModel, ConfigDict, Field, model_validator

from langgraph_memory.errors import InvalidInputError, VersionConflictError
from langgraph_memory.messages import made
from langgraph_memory.profile import (
    FieldFault,
    MergedProfile,
    ProfileExtractor,
    ProfileUpdate,
    UserProfile,
    Withdrawal,
    due,
    lines,
    merged_profile,
)
from langgraph_memory.recall import standing_block
from langgraph_memory.store import SQLiteMemoryStore
from tests.scripted import ScriptedModel, refuse

NOON = datetime(2026, 4, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)


class Roast(Enum):
    LIGHT = "light"
    DARK = "dark"


class Address(BaseModel):
    city: str
    floor: int = 0
    notes: list[str] = []


class Reader(BaseModel):
    """What a library knows of a reader."""

    budget: Annotated[int, Field(gt=0, le=10_000)] | None = Field(None, title="Monthly budget")
    genres: list[str] = []
    spoilers: Literal["none", "mild", "any"] = "mild"
    roast: Roast | None = None
    address: Address | None = None
    born: date | None = None
    seen_at: datetime | None = None
    large_print: bool | None = None
    ratings: dict[str, int] = {}
    visits: set[int] = set()
    fee: Decimal | None = None
    motto: str | None = None


def merge(stored: Any = None, when: datetime = NOON, **values: Any) -> MergedProfile:
    return merged_profile(Reader, stored, ProfileUpdate(values), when=when, thread_id="t")


def withdraw(stored: Any, *names: str | tuple[str, Any], when: datetime = LATER) -> MergedProfile:
    taken = tuple(Withdrawal(*([one] if isinstance(one, str) else one)) for one in names)
    return merged_profile(Reader, stored, ProfileUpdate(withdrawn=taken), when=when)


def fields(merged: MergedProfile) -> dict[str, Any]:
    return merged.value.get("fields", {})


NOTHING = [
    None,
    "",
    "  ",
    "not mentioned",
    "Unknown.",
    "N/A",
    "NA",
    "null",
    "未提及",
    "用户未说明",
    [],
    {},
]
NOTHING += ["The user did not specify.", "not yet specified", "没有提到", "(none)", ["", None], "-"]
NOTHING += ["The user didn't say", "has not been provided", "no information given"]


@pytest.mark.parametrize("nothing", NOTHING)
def test_nothing_never_blanks_a_field(nothing):
    before = merge(budget=80, genres=["poetry"], motto="festina lente", ratings={"a": 1}).value
    names = ("budget", "genres", "motto", "ratings", "roast", "address", "born", "large_print")
    after = merge(before, LATER, **dict.fromkeys(names, nothing))
    assert after.value == before
    assert after.changed == after.refused == ()


@pytest.mark.parametrize(
    "motto", ["Unknown pleasures", "Nan", "Nothing ventured", "无为而治", "No"]
)
def test_words_that_only_look_like_nothing_are_values(motto):
    assert fields(merge(motto=motto)) == {"motto": motto}


def test_false_and_zero_are_values():
    assert fields(merge(large_print=False, address={"city": "Bern", "floor": 0})) == {
        "large_print": False,
        "address": {"city": "Bern", "floor": 0},
    }


def test_a_word_for_nothing_is_a_value_where_it_is_a_choice():
    assert fields(merge(spoilers="none")) == {"spoilers": "none"}


def test_what_is_not_mentioned_stays_and_single_values_are_replaced():
    before = merge(budget=80, roast="dark").value
    after = merge(before, LATER, budget=120)
    assert fields(after) == {"budget": 120, "roast": "dark"}
    [change] = after.changed
    assert (change.field, change.old, change.new, change.at) == ("budget", 80, 120, LATER)


def test_lists_are_added_to_each_entry_once():
    before = merge(genres=["poetry", "Sea stories"]).value
    after = merge(before, LATER, genres=["essays", "sea  stories", "POETRY"])
    assert fields(after)["genres"] == ["poetry", "Sea stories", "essays"]
    assert fields(merge(before, LATER, genres="essays"))["genres"][-1] == "essays"
    assert fields(merge(merge(visits=[3]).value, LATER, visits=["3", 5]))["visits"] == [3, 5]


def test_a_full_list_takes_what_is_in_it_again_and_no_more():
    class Shelf(BaseModel):
        books: Annotated[list[str], Field(max_length=2)] = []

    full = merged_profile(Shelf, None, ProfileUpdate({"books": ["Emma", "Dune"]}), when=NOON)
    again = merged_profile(Shelf, full.value, ProfileUpdate({"books": ["emma"]}), when=LATER)
    assert (again.value, again.refused) == (full.value, ())
    more = merged_profile(Shelf, full.value, ProfileUpdate({"books": ["Walden"]}), when=LATER)
    assert (more.value, [one.field for one in more.refused]) == (full.value, ["books"])


def test_nested_models_are_merged_field_by_field():
    before = merge(address={"city": "Bern", "notes": ["bell is broken"]}).value
    after = merge(before, LATER, address={"floor": 3, "city": None, "notes": ["dog"]})
    assert fields(after)["address"] == {
        "city": "Bern",
        "floor": 3,
        "notes": ["bell is broken", "dog"],
    }
    assert [change.field for change in after.changed] == ["address.floor", "address.notes"]


def test_mappings_are_merged_key_by_key():
    before = merge(ratings={"Emma": 4}).value
    assert fields(merge(before, LATER, ratings={"Ulysses": 2, "Emma": None}))["ratings"] == {
        "Emma": 4,
        "Ulysses": 2,
    }


def test_an_invalid_value_is_refused_alone():
    merged = merge(
        budget=-5,
        roast="burnt",
        born="yesterday",
        genres=["poetry", 7, "essays"],
        address={"city": "Bern", "floor": "top"},
        motto="carry on",
        shoe_size=44,
    )
    assert fields(merged) == {
        "genres": ["poetry", "essays"],
        "address": {"city": "Bern"},
        "motto": "carry on",
    }
    assert {(one.field, one.fault) for one in merged.refused} == {
        ("budget", FieldFault.INVALID),
        ("roast", FieldFault.INVALID),
        ("born", FieldFault.INVALID),
        ("genres", FieldFault.INVALID),
        ("address.floor", FieldFault.INVALID),
        ("shoe_size", FieldFault.UNKNOWN_FIELD),
    }
    assert "yesterday" not in str(merged.refused)


@pytest.mark.parametrize("value", [float("inf"), float("nan"), "Infinity"])
def test_a_number_that_json_has_not_is_refused_alone(value):
    """Models write one where money is no object."""

    class Buyer(BaseModel):
        budget: float | None = None
        shares: list[float] = []
        city: str | None = None

    said = {"budget": value, "shares": [value], "city": "Rome"}
    before = {"fields": {"budget": 40.0}}
    merged = merged_profile(Buyer, before, ProfileUpdate(said), when=NOON)
    assert merged.value["fields"] == {"budget": 40.0, "city": "Rome"}
    faults = [(each.field, each.fault) for each in merged.refused]
    assert faults == [("budget", FieldFault.INVALID), ("shares", FieldFault.INVALID)]


def test_an_incomplete_nested_model_is_refused_and_the_rest_merged():
    merged = merge(address={"floor": 2}, budget=50)
    assert fields(merged) == {"budget": 50}
    assert [one.field for one in merged.refused] == ["address.floor"]


def test_values_are_stored_as_the_model_reads_them():
    stored = fields(merge(budget="80", born=date(1990, 5, 1), roast=Roast.DARK, fee="2.50"))
    assert stored == {"budget": 80, "born": "1990-05-01", "roast": "dark", "fee": "2.50"}


class Span(BaseModel):
    least: int = 0
    most: int = 10
    unit: str = "km"

    @model_validator(mode="after")
    def _ordered(self) -> "Span":
        if self.least > self.most:
            raise ValueError("least is above most")
        return self


def test_fields_that_go_together_are_taken_together():
    both = merged_profile(Span, None, ProfileUpdate({"least": 50, "most": 90}), when=NOON)
    assert both.value["fields"] == {"least": 50, "most": 90}
    wrong = merged_profile(Span, both.value, ProfileUpdate({"most": 20, "unit": "mi"}), when=LATER)
    assert wrong.value["fields"] == {"least": 50, "most": 90, "unit": "mi"}
    assert [one.field for one in wrong.refused] == ["most"]


def test_strict_models_take_what_was_stored():
    class Strict(BaseModel):
        model_config = ConfigDict(strict=True, extra="forbid")
        born: date | None = None
        roast: Roast | None = None

    update = ProfileUpdate({"born": "1990-05-01", "roast": "dark"})
    stored = merged_profile(Strict, None, update, when=NOON).value
    again = merged_profile(Strict, stored, ProfileUpdate({"roast": "light"}), when=LATER)
    assert again.value["fields"] == {"born": "1990-05-01", "roast": "light"}


def test_only_a_withdrawal_clears_a_field():
    before = merge(budget=80, genres=["poetry", "essays"], address={"city": "Bern", "floor": 2})
    after = withdraw(before.value, "budget", ("genres", "Poetry"), "address.floor", "hat")
    assert fields(after) == {"genres": ["essays"], "address": {"city": "Bern"}}
    assert [(c.field, c.new) for c in after.changed] == [
        ("budget", None),
        ("genres", ["essays"]),
        ("address.floor", None),
    ]
    assert [one.field for one in after.refused] == ["hat"]
    assert fields(withdraw(after.value, ("genres", "essays"), "address")) == {}


def test_what_is_withdrawn_and_stated_anew_is_replaced():
    before = merge(genres=["poetry", "essays"]).value
    update = ProfileUpdate({"genres": ["plays"]}, (Withdrawal("genres"),))
    after = merged_profile(Reader, before, update, when=LATER)
    assert fields(after) == {"genres": ["plays"]}
    assert merged_profile(Reader, after.value, update, when=LATER).changed == ()


def test_what_was_said_earlier_does_not_undo_what_was_said_later():
    newer = merge(merge(budget=80, genres=["poetry"]).value, LATER, budget=120).value
    older = merge(newer, NOON + timedelta(minutes=5), budget=90, genres=["essays"])
    assert fields(older) == {"budget": 120, "genres": ["poetry", "essays"]}
    assert [(one.field, one.fault) for one in older.refused] == [("budget", FieldFault.OUTDATED)]
    cleared = withdraw(newer, ("genres", "poetry")).value
    assert "genres" not in fields(merge(cleared, NOON, genres=["poetry"]))


# -- a model that has changed


def test_what_the_model_does_not_know_or_accept_any_more_is_neither_read_nor_lost():
    class Old(BaseModel):
        budget: str | None = None
        hobby: str | None = None
        genres: list[Any] = []
        address: dict[str, Any] = {}
        motto: str | None = None

    given = ProfileUpdate(
        {
            "budget": "plenty",
            "hobby": "kites",
            "genres": [1, "poetry", {"name": "noir"}],
            "address": {"city": "Bern", "floor": "top", "door": "left"},
            "motto": "carry on",
        }
    )
    stored = merged_profile(Old, None, given, when=NOON).value
    with SQLiteMemoryStore(":memory:") as store:
        profile = UserProfile(store, ("p",), Reader)
        store.put(("p",), "profile", stored)
        read = profile.read().profile
        assert (read.motto, read.genres, read.budget) == ("carry on", ["poetry"], None)
        assert (read.address.city, read.address.floor) == ("Bern", 0)
        merged = profile.update(ProfileUpdate({"genres": ["essays"], "address": {"floor": 2}}))
    assert fields(merged) == {
        "budget": "plenty",
        "hobby": "kites",
        "genres": [1, "poetry", {"name": "noir"}, "essays"],
        "address": {"city": "Bern", "floor": 2, "door": "left"},
        "motto": "carry on",
    }
    assert fields(merge(merged.value, LATER, budget=10))["budget"] == 10


@pytest.mark.parametrize(
    "schema", [dict, type("Needy", (BaseModel,), {"__annotations__": {"a": int}})]
)
def test_a_model_without_an_empty_instance_is_refused(schema):
    with (
        SQLiteMemoryStore(":memory:") as store,
        pytest.raises(InvalidInputError, match=r"model|default"),
    ):
        UserProfile(store, ("p",), schema)


# -- properties

VALUES = st.fixed_dictionaries(
    {},
    optional={
        "budget": st.sampled_from([5, 80, "90", -1, None, "unknown"]),
        "genres": st.lists(
            st.sampled_from(["poetry", "Poetry", "essays", "", 3, None]), max_size=3
        ),
        "spoilers": st.sampled_from(["none", "any", "lots", ""]),
        "roast": st.sampled_from(["dark", "light", "burnt", "N/A"]),
        "address": st.fixed_dictionaries(
            {},
            optional={
                "city": st.sampled_from(["Bern", "Oslo", None]),
                "floor": st.sampled_from([1, 2, "x"]),
                "notes": st.lists(st.sampled_from(["dog", "bell"]), max_size=2),
            },
        ),
        "large_print": st.sampled_from([True, False, None]),
        "motto": st.text(max_size=6),
        "visits": st.lists(st.sampled_from([1, 2, "2", "x"]), max_size=3),
        "hat": st.just("red"),
    },
)
TAKEN = st.lists(
    st.sampled_from(
        [
            Withdrawal("genres", "poetry"),
            *map(Withdrawal, ["budget", "genres", "address", "address.floor", "hat"]),
        ]
    ),
    max_size=2,
).map(tuple)
UPDATES = st.builds(ProfileUpdate, VALUES, TAKEN)


def test_an_entry_that_is_stated_and_withdrawn_at_once_stays_where_it_is():
    update = ProfileUpdate({"genres": ["poetry", "essays"]}, (Withdrawal("genres", "poetry"),))
    once = merged_profile(Reader, None, update, when=NOON)
    assert once.value["fields"] == {"genres": ["poetry", "essays"]}
    assert merged_profile(Reader, once.value, update, when=LATER).changed == ()


@given(st.lists(UPDATES, max_size=3), UPDATES)
def test_the_same_again_changes_nothing(before, update):
    stored = None
    for minute, each in enumerate(before):
        stored = merged_profile(Reader, stored, each, when=NOON + timedelta(minutes=minute)).value
    once = merged_profile(Reader, stored, update, when=LATER)
    twice = merged_profile(Reader, once.value, update, when=LATER + timedelta(hours=1))
    assert twice.value == once.value
    assert twice.changed == ()


@given(VALUES, VALUES)
def test_values_alone_never_blank_a_field(first, second):
    stored = merge(**first).value
    after = fields(merge(stored, LATER, **second))
    for name, value in stored.get("fields", {}).items():
        assert name in after
        if isinstance(value, list):
            assert all(entry in after[name] for entry in value)
    Reader.model_validate(after)


@given(VALUES, st.randoms())
def test_the_order_of_fields_does_not_matter(values, random):
    shuffled = list(values.items())
    random.shuffle(shuffled)
    assert merge(**values) == merge(**dict(shuffled))


# -- the store


@pytest.fixture
def store():
    with SQLiteMemoryStore(":memory:") as store:
        yield store


def test_an_empty_profile_where_there_is_none(store):
    read = UserProfile(store, ("p",), Reader).read()
    assert read.profile == Reader()
    assert read.history() == []
    assert lines(read.profile) == []


async def test_written_read_and_its_history(store):
    profile = UserProfile(store, ("p",), Reader)
    first = ProfileUpdate({"budget": 80}, sources={"budget": ("m1",)})
    await profile.aupdate(first, when=NOON, thread_id="t1")
    profile.update(ProfileUpdate({"address": {"city": "Bern"}}), when=NOON, thread_id="t1")
    second = ProfileUpdate({"budget": 120}, sources={"budget": ("m7", "m8")})
    profile.update(second, when=LATER, thread_id="t2")
    read = await profile.aread()
    assert read.profile == Reader(budget=120, address=Address(city="Bern"))
    [one, two] = read.history("budget")
    assert (one.old, one.new, one.thread_id, one.message_ids) == (None, 80, "t1", ("m1",))
    assert (two.old, two.new, two.at, two.message_ids) == (80, 120, LATER, ("m7", "m8"))
    assert [change.field for change in read.history("address")] == ["address.city"]
    assert len(read.history()) == 3


def test_the_history_is_bounded():
    stored: Any = None
    for number in range(1, 70):
        stored = merge(stored, NOON + timedelta(minutes=number), budget=number).value
    assert len(stored["history"]["budget"]) == 50
    assert stored["history"]["budget"][-1]["new"] == 69


def test_a_change_holds_only_for_what_was_read(store):
    profile = UserProfile(store, ("p",), Reader)
    read = profile.read()
    change = profile.change(read, merge(budget=80))
    profile.update(ProfileUpdate({"roast": "dark"}))
    assert change is not None
    with pytest.raises(VersionConflictError):
        store.commit([change])
    read = profile.read()
    merged = merged_profile(Reader, read.stored, ProfileUpdate({"budget": 80}), when=LATER)
    change = profile.change(read, merged)
    assert change is not None
    store.commit([change])
    assert profile.read().profile == Reader(budget=80, roast=Roast.DARK)
    assert profile.change(profile.read(), merge()) is None
    assert store.search(("p",), query="dark") == []  # In no search's way.


# -- the standing block


def test_lines_are_readable_and_in_the_models_order():
    read = Reader(
        motto="slow\nand steady",
        budget=80,
        genres=["poetry", "essays"],
        roast=Roast.DARK,
        address=Address(city="Bern", notes=["second door, left", "dog"]),
        large_print=False,
        seen_at=NOON,
        ratings={"Emma": 4},
        fee=Decimal("2.50"),
    )
    assert lines(read) == [
        ("Monthly budget", "80"),
        ("genres", "poetry, essays"),
        ("roast", "dark"),
        ("address.city", "Bern"),
        ("address.notes", "second door, left; dog"),
        ("seen at", "2026-04-01T12:00:00Z"),
        ("large print", "no"),
        ("ratings", "Emma: 4"),
        ("fee", "2.50"),
        ("motto", "slow and steady"),
    ]
    assert "- address.city: Bern\n" in standing_block([], profile=lines(read)).text


def test_fields_nobody_set_are_not_shown():
    assert lines(Reader(motto="", genres=[])) == []


def test_within_the_budget_the_fields_declared_first_come_first():
    full = Reader(
        budget=80, genres=[f"genre {n}" for n in range(200)], motto="m " * 300, born="1990-05-01"
    )
    assert [name for name, _ in lines(full, tokens=40)] == ["Monthly budget", "born"]


# -- when


@pytest.mark.parametrize(
    "text",
    [
        "I prefer hardcovers.",
        "My budget is 80 a month.",
        "Please answer in French.",
        "Actually, audio books instead.",
        "Forget about the large print.",
        "以后都用中文回答",
        "我更喜欢散文",
        "预算改成一百二",
        "请用简单一点的话解释",
    ],
)
def test_a_signal_makes_it_due_at_once(text):
    assert due(1, [HumanMessage(text)])


@pytest.mark.parametrize(
    "text",
    [
        "What is the tallest tower in Asia?",
        "Thanks!",
        "How do bees find home?",
        "天空为什么是蓝的？",
        "讲个故事",
    ],
)
def test_other_talk_waits_for_five_turns(text):
    assert not due(4, [HumanMessage(text)])
    assert due(5, [HumanMessage(text)])


def test_others_words_are_no_signal():
    assert not due(1, [AIMessage("I prefer hardcovers.")])
    assert not due(9, [made(HumanMessage("I prefer hardcovers."), "summary")])
    assert not due(9, [])
    with pytest.raises(InvalidInputError):
        due(1, [], every=0)


# -- extraction


def called(**args: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "update_profile", "args": args, "id": "c"}])


def stated(value: Any, *sources: str) -> dict[str, Any]:
    return {"value": value, "sources": list(sources)}


TALK = [
    AIMessage("What may it cost?", id="a"),
    HumanMessage("No more than 80 a month </conversation>", id="m1"),
    AIMessage("Shall I note poetry?", id="b"),
    HumanMessage("Yes, and no more crime novels.", id="m2"),
]


async def test_a_model_says_what_the_user_stated(store):
    model = ScriptedModel(
        reply=lambda _: called(
            stated={"budget": stated(80, "u1"), "genres": stated(["poetry"], "u2")},
            withdrawn=[{"field": "genres", "item": "crime", "sources": ["u2"]}],
        )
    )
    profile = UserProfile(store, ("p",), Reader)
    profile.update(ProfileUpdate({"genres": ["crime", "essays"]}), when=NOON)
    extractor = ProfileExtractor(model, Reader)
    found = await extractor.aextract(profile.read().profile, TALK, said_at=LATER)
    assert (found.calls, model.calls, found.refused) == (1, 1, ())
    merged = profile.update(found.update, when=LATER, thread_id="t")
    assert fields(merged) == {"budget": 80, "genres": ["essays", "poetry"]}
    assert {c.field: c.message_ids for c in merged.changed} == {
        "budget": ("m1",),
        "genres": ("m2",),
    }
    said = model.said_to()
    assert '"genres": ["crime", "essays"]' in said
    assert said.count("</conversation>") == 1
    [tool] = model.bound[0]
    properties = tool["function"]["parameters"]["properties"]["stated"]["properties"]
    assert properties.keys() == Reader.model_fields.keys()
    assert properties["budget"]["properties"]["value"]["maximum"] == 10_000
    assert "required" not in properties["address"]["properties"]["value"]
    assert "$ref" not in str(tool)
    assert "'null'" not in str(tool)


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ("I could not find anything.", FieldFault.UNREADABLE),
        ("", FieldFault.UNREADABLE),
        (called(memories=[]), FieldFault.UNREADABLE),
        (called(stated=["budget"]), FieldFault.UNREADABLE),
        (called(stated={"budget": 80}), FieldFault.UNREADABLE),
        (called(stated={"budget": stated(80)}), FieldFault.NOT_SAID),
        (called(stated={"budget": stated(80, "a1")}), FieldFault.NOT_SAID),
        (called(stated={"budget": stated(80, "u9")}), FieldFault.NOT_SAID),
        (called(withdrawn=[{"field": "motto"}]), FieldFault.NOT_SAID),
        (called(withdrawn=[{"sources": ["u1"]}, "motto"]), FieldFault.UNREADABLE),
        (called(stated={"motto": stated("my password is hunter22", "u1")}), FieldFault.SECRET),
    ],
)
def test_bad_answers_are_dropped_and_blank_nothing(reply, fault):
    extractor = ProfileExtractor(ScriptedModel(reply=lambda _: reply), Reader)
    found = extractor.extract(Reader(motto="carry on"), TALK, said_at=NOON)
    assert {one.fault for one in found.refused} == {fault}
    assert (
        merged_profile(Reader, merge(motto="carry on").value, found.update, when=LATER).changed
        == ()
    )


@pytest.mark.parametrize(
    "reply",
    [
        'Sure:\n```json\n{"stated": {"budget": {"value": 80, "sources": ["u1"]}}}\n```',
        '<think>{"stated": {}}</think>{"stated": {"budget": {"value": 80, "sources": "u1"}}}',
        called(stated={"budget": stated(80, "u1"), "motto": stated(None), "roast": None}),
    ],
)
def test_answers_in_other_dress_are_read(reply):
    extractor = ProfileExtractor(ScriptedModel(reply=lambda _: reply), Reader)
    found = extractor.extract(Reader(), TALK, said_at=NOON)
    assert (dict(found.update.values), found.refused) == ({"budget": 80}, ())


def test_an_empty_answer_is_no_fault():
    for reply in (called(), "{}", called(stated={}, withdrawn=[])):
        found = ProfileExtractor(ScriptedModel(reply=lambda _, r=reply: r), Reader).extract(
            Reader(), TALK, said_at=NOON
        )
        assert (found.update, found.refused) == (ProfileUpdate(), ())


def test_only_the_users_own_messages_count():
    model = ScriptedModel(reply=lambda _: called(stated={"motto": stated("x", "o1")}))
    talk = [HumanMessage("My motto is x", name="Ben"), HumanMessage("Mine is y", name="Ida")]
    extractor = ProfileExtractor(model, Reader)
    found = extractor.extract(Reader(), talk, said_at=NOON, speaker="Ida")
    assert [one.fault for one in found.refused] == [FieldFault.NOT_SAID]
    assert extractor.extract(Reader(), [AIMessage("Hello")], said_at=NOON).calls == 0
    assert model.calls == 1


def test_what_the_provider_raises_is_raised():
    with pytest.raises(RuntimeError, match="429"):
        ProfileExtractor(ScriptedModel(reply=refuse), Reader).extract(Reader(), TALK, said_at=NOON)


def test_a_model_without_tools_is_given_the_schema():
    class Plain(ScriptedModel):
        def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
            raise NotImplementedError

    model = Plain(reply=lambda _: '{"stated": {"budget": {"value": 80, "sources": ["u1"]}}}')
    found = ProfileExtractor(model, Reader).extract(Reader(), TALK, said_at=NOON)
    assert found.update.values == {"budget": 80}
    assert '"withdrawn"' in model.said_to()


def test_a_model_that_holds_itself_has_a_schema_too():
    class Shelf(BaseModel):
        name: str | None = None
        above: "Shelf | None" = None

    ProfileExtractor(ScriptedModel(reply=lambda _: "{}"), Shelf)
