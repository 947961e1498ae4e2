"""`langgraph-memory memories …` and `langgraph-memory reindex`, as typed."""

import re
import sqlite3
from contextlib import closing

import pytest
from typer.testing import CliRunner

from langgraph_memory import __version__
from langgraph_memory.cli.app import typer_app
from langgraph_memory.errors import InvalidSettingsError, UnknownMemoryError
from langgraph_memory.identity import Identity
from langgraph_memory.memories import Memories
from langgraph_memory.records import MemoryRecord
from langgraph_memory.store import SQLiteMemoryStore

ANNA = Identity("default", "anna@example.com")


def letters(texts: list[str]) -> list[list[float]]:
    """An embedder that the command line can name."""
    return [[text.count(letter) + 0.1 for letter in "abcdefgh"] for text in texts]


@pytest.fixture
def db(tmp_path):
    file = tmp_path / "memory.db"
    with SQLiteMemoryStore(file, index={"dims": 8, "embed": letters}) as store:
        memories = Memories(store, ANNA.memories)
        memories.save(MemoryRecord(id="aaa1", content="The user plays [bold]chess[/bold]."))
        memories.save(MemoryRecord(id="aab2", content="用户喜欢安静的酒店。", type="preference"))
        Memories(store, Identity("default", "oscar").memories).save(
            MemoryRecord(id="ooo1", content="Oscar's secret.")
        )
    return str(file)


def run(*words: str, expect: int = 0, **options: str) -> str:
    given = [*words, *(part for name, value in options.items() for part in (f"--{name}", value))]
    result = CliRunner().invoke(typer_app, given, env={"COLUMNS": "200"})
    assert result.exit_code == expect, result.output
    return result.output


def test_list_shows_the_users_own(db):
    shown = run("memories", "list", db=db, user=ANNA.user)
    assert "plays [bold]chess[/bold]" in shown
    assert "用户喜欢安静的酒店。" in shown
    assert "Oscar" not in shown


def test_what_is_stored_gives_no_orders_to_a_terminal_and_begins_no_row(db):
    said = "The user is \x1b[8mhidden, \x9b2J \ud800 and\nooo2 all may."
    with SQLiteMemoryStore(db, index={"dims": 8, "embed": letters}) as store:
        Memories(store, ANNA.memories).save(MemoryRecord(id="aac3", content=said))
    for words in (("list",), ("search", "8mhidden"), ("show", "aac3")):
        shown = run("memories", *words, db=db, user=ANNA.user)
        assert r"is \x1b[8mhidden, \x9b2J \ud800 and" in shown
        assert not {"\x1b", "\x9b"} & set(shown)
        assert words[0] == "show" or "\nooo2" not in re.sub(r"\n +", "\n", shown)


@pytest.fixture
def malformed(db):
    """What a host has put beside the memories, wrongly."""
    value = MemoryRecord(content="The user plays chess with plum wine.").to_value()
    with SQLiteMemoryStore(db, index={"dims": 8, "embed": letters}) as store:
        store.put(ANNA.memories, "bad1", {**value, "importance": "plum wine"})
        store.put(ANNA.memories, "bad2", {"content": ["plum wine"]})


def test_what_cannot_be_read_is_named_and_hides_nothing(db, malformed, caplog):
    shown = run("memories", "list", db=db, user=ANNA.user)
    for part in ("chess[/bold]", "用户喜欢", "bad1  cannot be read", "bad2  cannot be read"):
        assert part in shown
    shown += run("memories", "search", "chess", db=db, user=ANNA.user)
    shown += run("memories", "show", "bad1", expect=2, db=db, user=ANNA.user)
    assert shown.count("cannot be read as a memory") == 3
    assert "chess[/bold]" in run("memories", "show", "aaa1", db=db, user=ANNA.user)
    assert "plum" not in shown + caplog.text


def test_an_id_that_several_begin_with_lists_them(db):
    shown = run("memories", "show", "aa", expect=2, db=db, user=ANNA.user)
    assert "there are 2 memories whose id begins with 'aa'" in shown
    for part in ("aaa1", "chess", "aab2", "用户喜欢"):
        assert part in shown


def test_a_search_by_words_that_finds_nothing_names_the_embedder(db, tmp_path):
    asked = ("memories", "search", "submarine")
    shown = run(*asked, db=db, user=ANNA.user)
    assert "Nothing found" in shown
    assert "letters" in shown
    assert "--embedder" in shown
    with SQLiteMemoryStore(tmp_path / "words.db") as store:
        Memories(store, ANNA.memories).save(MemoryRecord(content="The user works at Bosch."))
    shown = run("memories", "search", "my job", db=str(tmp_path / "words.db"), user=ANNA.user)
    assert "reindex" in shown
    assert "--embedder local" in shown


def test_forgetting_twice_says_so(db):
    for told in ("Forgotten: The user", "Forgotten already: The user"):
        assert told in run("memories", "forget", "aaa1", "--yes", db=db, user=ANNA.user)
    with (
        SQLiteMemoryStore(db, index={"dims": 8, "embed": letters}) as store,
        pytest.raises(UnknownMemoryError, match="forgotten already"),
    ):
        Memories(store, ANNA.memories).forget("aaa1")


def test_nobody_known_is_said(db):
    shown = run("memories", "list", db=db, user="zoe")
    assert "Nothing is remembered about 'zoe'" in shown
    assert "--agent" not in shown


@pytest.mark.parametrize("words", [("list",), ("search", "chess")])
def test_another_agent_that_knows_the_user_is_named(db, words):
    shown = run("memories", *words, db=db, user=ANNA.user, agent="garden")
    assert "Name another with --agent: 'default'." in shown
    assert "chess" not in shown
    assert "Nothing found" in run("memories", "search", "submarine", db=db, user=ANNA.user)


@pytest.fixture
def settings(tmp_path, db):
    """Settings of an agent whose memories are in another's namespace, and of one in its own."""
    file = tmp_path / "memory.yaml"
    file.write_text(
        "agents:\n  porch: {long_term_memory: {enabled: true, namespace: default}}\n  hut: {}\n",
        encoding="utf-8",
    )
    with SQLiteMemoryStore(db, index={"dims": 8, "embed": letters}) as store:
        Memories(store, Identity("hut", ANNA.user).memories).save(
            MemoryRecord(id="hhh1", content="The user repairs clocks.")
        )
    return str(file)


def test_settings_say_where_an_agents_memories_are(db, settings):
    porch = {"db": db, "user": ANNA.user, "agent": "porch"}
    hut = {"db": db, "user": ANNA.user, "agent": "hut"}
    shown = run("memories", "list", **porch)
    assert "Nothing is remembered" in shown
    assert "give --settings" in shown
    for agent, mine, others in ((porch, "chess", "clocks"), (hut, "clocks", "chess")):
        shown = run("memories", "list", settings=settings, **agent)
        assert mine in shown
        assert others not in shown
        assert mine in run("memories", "search", mine, settings=settings, **agent)
    assert "chess" in run("memories", "show", "aaa1", settings=settings, **porch)
    run("memories", "forget", "aaa1", "--yes", settings=settings, **porch)
    assert "chess" not in run("memories", "list", db=db, user=ANNA.user)
    assert "clocks" in run("memories", "list", **hut)


def test_variables_say_where_an_agents_memories_are(db, settings, monkeypatch):
    monkeypatch.setenv("LANGGRAPH_MEMORY__AGENTS__PORCH__LONG_TERM_MEMORY__NAMESPACE", "hut")
    shown = run("memories", "list", db=db, user=ANNA.user, agent="porch")
    assert "clocks" in shown
    assert "chess" in run("memories", "list", db=db, user=ANNA.user)


@pytest.mark.parametrize(("agent", "says"), [("prch", "'porch', 'hut'"), ("hut", "cannot be read")])
def test_settings_without_the_agent_or_without_a_file(db, settings, agent, says):
    given = settings if agent == "prch" else f"{settings}.none"
    options = ["--db", db, "--user", ANNA.user, "--agent", agent, "--settings", given]
    result = CliRunner().invoke(typer_app, ["memories", "list", *options])
    assert isinstance(result.exception, InvalidSettingsError)
    assert says in str(result.exception)


def test_the_chat_remembers_where_the_settings_say(db, settings, tmp_path):
    said = tmp_path / "said.txt"
    said.write_text("I am allergic to walnuts.\n", encoding="utf-8")
    talk = ["--model", "offline", "--input", str(said), "--settings", settings]
    new = {"db": str(tmp_path / "new.db"), "user": "zoe"}
    run("chat", *talk, agent="porch", **new)
    assert "walnuts" in run("memories", "list", **new)
    shown = run("chat", *talk, "--thread", "other", agent="hut", **new)
    assert "nothing of 'zoe' is remembered" in shown
    assert "Nothing is remembered" in run("memories", "list", agent="hut", **new)


def test_the_chat_does_not_talk_to_users_that_it_could_not_remember(db, tmp_path):
    said = tmp_path / "said.txt"
    said.write_text("I am allergic to walnuts.\n", encoding="utf-8")
    talk = ["--model", "offline", "--input", str(said)]
    refused = run("chat", *talk, db=db, user="zoe", expect=2)
    assert "test_memories_command.letters" in refused
    assert "walnuts" not in refused
    run("chat", *talk, db=db, user="zoe", embedder="test_memories_command:letters")
    assert "walnuts" in run("memories", "list", db=db, user="zoe")


def test_search_says_why(db):
    shown = run("memories", "search", "酒店", db=db, user=ANNA.user)
    assert "酒店" in shown
    assert re.search(r"1\.00 \(meaning -, words \d", shown)
    assert "Nothing found" in run("memories", "search", "submarine", db=db, user=ANNA.user)


def test_show_has_everything(db):
    shown = run("memories", "show", "aaa1", db=db, user=ANNA.user)
    assert "created_at" in shown
    assert "active" in shown


def test_forget_archives_and_needs_no_embedder(db):
    assert "Forgotten" in run("memories", "forget", "aaa", "--yes", db=db, user=ANNA.user)
    assert "chess" not in run("memories", "list", db=db, user=ANNA.user)
    assert "archived" in run("memories", "list", "--all", db=db, user=ANNA.user)


def test_forget_asks_first(db):
    CliRunner().invoke(
        typer_app, ["memories", "forget", "aaa", "--db", db, "--user", ANNA.user], input="n\n"
    )
    assert "chess" in run("memories", "list", db=db, user=ANNA.user)


@pytest.mark.parametrize(
    ("id", "says"), [("aa", "2 memories"), ("zzz", "no memory"), ("ooo1", "no memory")]
)
def test_an_id_that_is_not_one_of_the_users(db, id, says):
    assert says in run("memories", "forget", id, "--yes", db=db, user=ANNA.user, expect=2)


def test_a_file_that_is_not_there(tmp_path):
    shown = run("memories", "list", db=str(tmp_path / "none.db"), user="anna", expect=2)
    assert "there is no file" in shown
    assert not (tmp_path / "none.db").exists()
    run("memories", "list", db=f"sqlite:///{tmp_path}/none.db", user="anna", expect=2)
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize("words", [("memories", "list", "--user", "anna"), ("reindex",)])
def test_the_file_of_another_application_is_left_alone(tmp_path, words):
    with closing(sqlite3.connect(tmp_path / "bees.db")) as connection:
        connection.execute("CREATE TABLE hives (name TEXT)")
    before = (tmp_path / "bees.db").read_bytes()
    assert "there are no memories" in run(*words, db=str(tmp_path / "bees.db"), expect=2)
    assert (tmp_path / "bees.db").read_bytes() == before


def test_the_command_tells_its_version_and_where_evaluations_are():
    assert __version__ in run("--version")
    assert "langgraph_memory.evals" in run("--help")


def test_reindex_with_another_embedder(db):
    embedder = "test_memories_command:letters"
    assert "3 items indexed (keywords only)" in run("reindex", db=db, embedder="none")
    with SQLiteMemoryStore(db) as store:
        assert store.stats().vectors == 0
    shown = run("reindex", db=db, embedder=embedder)
    assert "3 items indexed" in shown
    assert "8 dimensions" in shown
    with SQLiteMemoryStore(db, index={"dims": 8, "embed": letters}) as store:
        assert store.stats().vectors == 3


@pytest.mark.parametrize("embedder", ["nonsense", "no_module:name"])
def test_reindex_with_what_is_no_embedder(db, embedder):
    result = CliRunner().invoke(typer_app, ["reindex", "--db", db, "--embedder", embedder])
    assert result.exit_code != 0
    assert embedder in str(result.exception)
    with SQLiteMemoryStore(db, index={"dims": 8, "embed": letters}) as store:
        assert store.stats().vectors == 3


def test_reindex_keeps_the_fields_that_the_database_was_indexed_on(tmp_path):
    file = tmp_path / "memory.db"
    with SQLiteMemoryStore(file, index={"fields": ["text"]}) as store:
        store.put(("u",), "k", {"text": "walrus", "note": "zebra"})
    run("reindex", db=str(file), embedder="test_memories_command:letters")
    with SQLiteMemoryStore(file) as store:
        assert store.stats().fields == ("text",)
        assert store.search(("u",), query="zebra") == []


def test_an_embedders_name_and_the_object_it_stands_for_are_one(tmp_path, monkeypatch):
    """An application may say 'provider:model', the command line too, or make the object itself."""
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langgraph.store.base import embed

    monkeypatch.setattr(
        embed, "_get_init_embeddings", lambda: lambda name: DeterministicFakeEmbedding(size=8)
    )
    file = tmp_path / "memory.db"
    with SQLiteMemoryStore(file, index={"dims": 8, "embed": "fake:model"}) as store:
        store.put(("u",), "k", {"text": "walrus"})
    made = DeterministicFakeEmbedding(size=8)
    with SQLiteMemoryStore(file, index={"dims": 8, "embed": made}) as store:
        assert store.search(("u",), query="walrus")[0].key == "k"
