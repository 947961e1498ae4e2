"""A text written together: exact edits, every version, and errors that name the place."""

import json
from typing import Any

import pytest

from langgraph_memory.errors import InvalidBudgetError, InvalidInputError, InvalidStateError
from langgraph_memory.session import Artifact, InvalidEditError
from langgraph_memory.tokens import DEFAULT_COUNTER

POEM = Artifact("poem")
TEXT = "# Dawn\r\nThe ferry sleeps.\r\nThe gulls sleep.\r\n\r\n# Noon\r\nÉté, 夏 and 🌞"


def after(state: dict[str, Any], *updates: dict[str, Any], of: Artifact = POEM) -> dict[str, Any]:
    """The state after updates of it, as a graph makes them and a serializer keeps them."""
    for update in updates:
        if update:
            held = of.merge(state.get(of.key), update[of.key])
            state = {**state, of.key: json.loads(json.dumps(held))}
    return state


@pytest.fixture
def state() -> dict[str, Any]:
    return after({}, POEM.write({}, TEXT))


def test_edits_are_exact_and_every_version_can_be_had_again(state):
    edits = [("ferry sleeps", "ferry wakes"), {"find": "夏", "replace": "été\n"}]
    state = after(state, POEM.edit(state, edits, by="assistant", note="morning"))
    state = after(state, POEM.write(state, "\r\nEnd", "end"), POEM.write({}, "no", "end"))
    new = TEXT.replace("ferry sleeps", "ferry wakes").replace("夏", "été\n")
    assert POEM.text(state, 2) == new
    assert POEM.text(state, 3) == new + "\r\nEnd"
    assert [POEM.text(state, each) for each in (0, 1)] == ["", TEXT]
    state = after(state, POEM.restore(state, 1, by="user"))
    assert (POEM.text(state), POEM.version(state)) == (TEXT, 5)
    assert [each["kind"] for each in POEM.versions(state)] == [
        "write",
        "edit",
        "append",
        "append",
        "restore",
    ]
    assert POEM.versions(state)[1]["note"] == "morning"


@pytest.mark.parametrize(
    ("edits", "told"),
    [
        ([("sleep", "x")], r'"sleep" was found 2 times, in lines 2, 3\. Take in more'),
        ([("The gulls snore.", "x")], r"0 times\. Its first 11 characters stand in line 3.*leep"),
        ([("sleeps.\nThe", "x")], r"0 times, but it is there with \\r\\n as line ends"),
        ([("Ete\u0301", "x")], "0 times"),
        ([("", "x")], "the text to find is empty"),
        ([("Dawn", "Dusk"), ("moon", "x")], r'Edit 2: "moon" was found 0 times'),
        ([("The ferry", "A"), ("ferry sleeps", "B")], "Edits 1 and 2 overlap in line 2"),
        ([("Dawn", "\udcff")], r"U\+DCFF"),
        ([("Dawn", "x" * 200_000)], "200,000 are allowed"),
    ],
)
def test_an_edit_that_cannot_be_made_names_the_place_and_changes_nothing(state, edits, told):
    before = json.dumps(state)
    with pytest.raises(InvalidEditError, match=rf"(?s){told}"):
        POEM.edit(state, edits)
    assert json.dumps(state) == before


def test_an_anchor_that_overlaps_with_itself_is_not_one_place():
    state = after({}, POEM.write({}, "aaa"))
    with pytest.raises(InvalidEditError, match="2 times"):
        POEM.edit(state, [("aa", "b")])


def test_what_changes_nothing_makes_no_version(state):
    assert POEM.write(state, TEXT) == {}
    assert POEM.edit(state, [("Dawn", "Dawn")]) == {}
    assert POEM.restore(state, 1) == {}
    assert POEM.write(state, "", "end") == {}


@pytest.mark.parametrize("version", [2, -1, True, "1"])
def test_an_unknown_version_is_told_with_those_there_are(state, version):
    with pytest.raises(InvalidEditError, match=r"versions 0 \(empty\) to 1"):
        POEM.restore(state, version)


def test_edits_made_at_the_same_time_are_both_made_where_their_anchors_allow(state):
    one = POEM.edit(state, [("ferry", "little ferry")])
    two = POEM.edit(state, [("gulls", "many gulls")])
    add = POEM.write(state, "!", "end")
    both = after(state, one, two, add, two)
    expected = TEXT.replace("ferry", "little ferry").replace("gulls", "many gulls") + "!"
    assert POEM.text(both) == expected
    assert [POEM.text(both, 1), POEM.text(both, 0)] == [TEXT, ""]
    clash = after(state, one, POEM.edit(state, [("The ferry", "A boat")]))
    assert POEM.text(clash) == TEXT.replace("ferry", "little ferry")
    assert '"The ferry" was found 0 times' in POEM.refused(clash)[0]["fault"]
    assert "Not done" in POEM.render(clash)
    anew = after(state, one, POEM.write(state, "all new"))
    assert POEM.text(anew) == TEXT.replace("ferry", "little ferry")
    assert "while this write was being made" in POEM.refused(anew)[0]["fault"]


def test_a_whole_state_is_merged_like_an_update_and_an_old_one_changes_nothing(state):
    newer = after(state, POEM.edit(state, [("Dawn", "Dusk")]))
    assert POEM.merge(newer["poem"], state["poem"]) == newer["poem"]
    assert POEM.merge(state["poem"], newer["poem"]) == newer["poem"]
    assert POEM.merge(None, newer["poem"]) == newer["poem"]


@pytest.mark.parametrize("wrong", [{"text": 1, "x": 2}, [], {"log": [{}]}, {"log": ["x"]}, "text"])
def test_what_no_artifact_has_written_is_an_error(wrong):
    with pytest.raises(InvalidInputError, match=r"artifact\.write"):
        POEM.merge({}, wrong)


def test_a_text_changed_behind_the_log_is_noticed(state):
    state = after(state, POEM.edit(state, [("Dawn", "Dusk")]))
    state["poem"]["text"] = "other"
    with pytest.raises(InvalidStateError, match="does not lead to the text"):
        POEM.text(state, 1)


def test_the_log_of_a_rewrite_holds_the_difference_only():
    long = "line\n" * 5_000
    state = after({}, POEM.write({}, long))
    state = after(state, POEM.write(state, long.replace("line", "Line", 1)))
    assert len(json.dumps(state["poem"]["log"][1])) < 300


def test_the_block_has_the_text_word_for_word_between_tags_it_cannot_close():
    text = "a </poem> b\n< / POEM-2 >\n  tail  "
    state = after({}, POEM.write({}, text))
    block = POEM.render(state)
    assert block.endswith(f"<poem-3>\n{text}\n</poem-3>")
    assert block == POEM.render(json.loads(json.dumps(state)))
    assert "version 1" in block
    assert "still empty" in POEM.render({})


def test_a_long_text_is_shown_in_whole_lines_around_the_newest_edit():
    chapters = "".join(f"## Part {n}\n" + f"word {n} goes on and on.\n" * 20 for n in range(1, 31))
    state = after({}, POEM.write({}, chapters))
    state = after(state, POEM.edit(state, [("## Part 17\n", "## Part seventeen\n")]))
    for tokens in (500, 900, 2_000):
        block = POEM.render(state, tokens=tokens)
        assert DEFAULT_COUNTER.count_text(block) <= tokens
        shown = block.partition("<poem>\n")[2].removesuffix("\n</poem>")
        assert "## Part seventeen\n" in shown
        assert shown in POEM.text(state)
        assert "read_poem" in block
        assert 'lines 22 to 42: "Part 2"' in block
    with pytest.raises(InvalidBudgetError, match="tokens=20"):
        POEM.render(state, tokens=20)


def test_sections_are_found_by_their_headings_and_not_in_code():
    text = "intro\n# A\nx\n```\n# no\n```\n## B\r\ny\n# C #\nz"
    state = after({}, POEM.write({}, text))
    found = [(each.title, each.level, each.first, each.last) for each in POEM.sections(state)]
    assert found == [("A", 1, 2, 8), ("B", 2, 7, 8), ("C", 1, 9, 10)]
    assert POEM.sections({}) == []


def test_arguments_that_make_no_sense_are_refused():
    with pytest.raises(InvalidInputError, match="name"):
        Artifact("two words")
    with pytest.raises(InvalidInputError, match="max_chars"):
        Artifact(max_chars=0)
    with pytest.raises(InvalidInputError, match="An edit is two texts"):
        POEM.edit({}, [("a",)])
    with pytest.raises(InvalidInputError, match="'all', 'end' or 'start'"):
        POEM.write({}, "x", "middle")  # type: ignore[arg-type]


def test_sections_and_fences_of_long_runs_are_found_in_no_time():
    """A hundred times these lengths would take hours if a run were tried again from each place."""
    play = Artifact("play", max_chars=10**6)
    text = "# a" + " " * 200_000 + "x #\n## C#\n### Act ##\n" + "<" + " " * 200_000 + "play\n"
    state = after({}, play.write({}, text), of=play)
    assert [section.title for section in play.sections(state)][1:] == ["C#", "Act"]
    assert "<play-2>" in play.render(state, tokens=10**7)
