"""Edits and restores are exact, wrong ones change nothing, forms never hold an invalid value."""

import json
from typing import Any, Literal

from hypothesis import given
from hypothesis import strategies as st
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from pydantic import BaseModel, Field, ValidationError, model_validator

from langgraph_memory.session import Artifact, InvalidEditError, InvalidSlotError, TaskForm
from langgraph_memory.session.artifact_block import fenced_exactly
from langgraph_memory.session.lines import lines_of

SERDE = JsonPlusSerializer(allowed_msgpack_modules=None)
NOTE = Artifact("note", max_chars=400)

# Every character there is but halves of one; and few, so that anchors repeat and overlap.
WIDE = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
PIECES = [
    "a",
    "b",
    "\r\n",
    "\n",
    "\r",
    "\u00e9",
    "e\u0301",
    "\U0001f469\u200d\U0001f680",
    "</note>",
]
NARROW = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
TEXTS = st.one_of(WIDE, NARROW)


def kept(held: Any) -> Any:
    """What comes back from a checkpoint."""
    return SERDE.loads_typed(SERDE.dumps_typed(held))


def after(artifact: Artifact, state: dict[str, Any], update: dict[str, Any]) -> dict[str, Any]:
    if not update:
        return state
    return {artifact.key: kept(artifact.merge(state.get(artifact.key), update[artifact.key]))}


def count(text: str, anchor: str) -> int:
    """At how many places an anchor stands, counted the plain way."""
    return sum(text[place : place + len(anchor)] == anchor for place in range(len(text) + 1))


@st.composite
def anchored(draw: st.DrawFn, text: str) -> list[tuple[str, str]]:
    """Edits of a text: passages of it, and now and then something else."""
    edits = []
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 12)))
        anchor = draw(st.one_of(st.just(text[start:end]), TEXTS))
        edits.append((anchor, draw(TEXTS)))
    return edits


@given(st.data())
def test_any_history_of_edits_is_exact_and_can_be_gone_back_in(data):
    state: dict[str, Any] = {}
    texts = [""]
    for _ in range(data.draw(st.integers(1, 8))):
        text, before = texts[-1], json.dumps(state)
        kind = data.draw(st.sampled_from(["edit", "all", "end", "start", "restore"]))
        try:
            if kind == "edit":
                edits = data.draw(anchored(text))
                update = NOTE.edit(state, edits)
                assert all(count(text, old) == 1 for old, _ in edits)
                new = text
                for place, old, put in sorted(
                    ((text.index(old), old, put) for old, put in edits), reverse=True
                ):
                    assert new[place : place + len(old)] == old
                    new = new[:place] + put + new[place + len(old) :]
            elif kind == "restore":
                version = data.draw(st.integers(0, len(texts)))
                update = NOTE.restore(state, version)
                new = texts[version]
            else:
                added = data.draw(TEXTS)
                update = NOTE.write(state, added, kind)
                new = {"all": added, "end": text + added, "start": added + text}[kind]
        except InvalidEditError:
            assert json.dumps(state) == before
            continue
        state = after(NOTE, state, update)
        if new != text:
            texts.append(new)
        assert NOTE.text(state).encode() == new.encode()
        assert NOTE.version(state) == len(texts) - 1
    assert [NOTE.text(state, version) for version in range(len(texts))] == texts


@given(st.data())
def test_edits_that_meet_are_made_by_their_anchors_or_not_at_all(data):
    state = after(NOTE, {}, NOTE.write({}, data.draw(TEXTS)))
    text = NOTE.text(state)
    updates = []
    for _ in range(3):
        try:
            updates.append((edits := data.draw(anchored(text)), NOTE.edit(state, edits)))
        except InvalidEditError:
            continue
    for edits, update in updates:
        if not update:
            continue
        before, version = NOTE.text(state), NOTE.version(state)
        state = after(NOTE, state, update)
        made = NOTE.version(state) > version
        anchors = [old for old, new in edits if old != new]
        if made:
            assert all(count(before, old) == 1 for old in anchors)
        else:
            assert NOTE.text(state) == before
            assert NOTE.refused(state)
        assert NOTE.text(state, version) == before
        again = NOTE.merge(state["note"], update["note"])
        assert again == state["note"]


@given(TEXTS)
def test_a_fenced_text_is_whole_and_closed_once(text):
    block = fenced_exactly("note", text)
    tag = block.partition(">")[0].removeprefix("<")
    assert block == f"<{tag}>\n{text}\n</{tag}>"
    assert block.count(f"</{tag}>") == 1


@given(TEXTS)
def test_lines_are_the_text(text):
    assert "".join(lines_of(text)) == text
    assert all(line.count("\n") <= 1 and line for line in lines_of(text))


class Parcel(BaseModel):
    size: Literal["s", "m", "l"]
    grams: int = Field(gt=0, le=30_000)
    label: str | None = Field(None, min_length=1, max_length=20)
    parts: list[int] = []

    @model_validator(mode="after")
    def light(self) -> "Parcel":
        if self.size == "s" and self.grams > 1_000:
            raise ValueError("too heavy for its size")
        return self


FORM = TaskForm(Parcel, name="parcel")
ANY = st.one_of(
    st.sampled_from(["s", "m", "l", 1, 900, 20_000, "5", [1, 2]]),
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
        lambda inner: st.lists(inner, max_size=3),
        max_leaves=4,
    ),
)
SLOTS = st.sampled_from(["size", "grams", "label", "parts", "other"])
CHANGES = st.tuples(
    st.sampled_from(["fill", "assume", "clear", "confirm", "ask", "forge", "old"]),
    st.dictionaries(SLOTS, ANY, max_size=3),
)


def is_valid(values: dict[str, Any]) -> bool:
    """Whether some full parcel has these values."""
    fillings = [{"size": size, "grams": 1, **values} for size in ("s", "m", "l")]
    for each in fillings:
        try:
            Parcel.model_validate_json(json.dumps(each))
        except ValidationError:
            continue
        return True
    return False


def changed(kind: str, state: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    if kind in ("fill", "assume"):
        return FORM.fill(state, values, by="user" if kind == "fill" else "assistant")
    if kind == "forge":
        finite = json.loads(
            json.dumps(values, default=str).replace("NaN", "0").replace("Infinity", "0")
        )
        slots = {slot: {"rev": 99, "value": each, "by": "x"} for slot, each in finite.items()}
        return {"parcel": {"slots": slots}}
    return getattr(FORM, kind)(state, *values)


@given(st.lists(CHANGES, max_size=8))
def test_a_form_never_holds_an_invalid_value_and_a_refused_change_changes_nothing(changes):
    state: dict[str, Any] = {}
    pending: list[dict[str, Any]] = []
    for kind, values in changes:
        before = json.dumps(state)
        try:
            # An update computed a while ago, as by a call made at the same time.
            update = (
                pending.pop(0)
                if kind == "old" and pending
                else changed("fill" if kind == "old" else kind, state, values)
            )
        except InvalidSlotError:
            assert json.dumps(state) == before
            continue
        except ValueError:  # A whole number too large for the forged JSON.
            continue
        if update:
            try:
                state = {"parcel": kept(FORM.merge(state.get("parcel"), update["parcel"]))}
            except ValueError:
                assert kind == "forge"
                continue
        pending.append(update)
        assert is_valid(FORM.values(state)), FORM.values(state)
        assert FORM.render(state)
        if not FORM.missing(state) and FORM.is_ready(state):
            assert FORM.result(state)
        if update:
            assert FORM.merge(state["parcel"], update["parcel"]) == state["parcel"]
