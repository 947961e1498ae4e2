"""The chat as a person uses it: in a terminal, from a file, killed, and gone on with."""

import os
import shlex
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from needed import needed

from langgraph_memory.cli import app

ROOT = Path(__file__).parents[2]


def chat(*options, **given):
    return command("chat", *options, **given)


def command(*words, stdin="", cwd):
    """What is typed, in this process: one of its own takes seconds to start."""
    out, err = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as given, redirect_stdout(out), redirect_stderr(err):
        given.chdir(cwd)
        given.setattr(sys, "argv", ["langgraph-memory", *map(str, words)])
        given.setattr(sys, "stdin", StringIO(stdin))
        with pytest.raises(SystemExit) as end:
            app()
    code = end.value.code
    told = code if isinstance(code, str) else ""
    return subprocess.CompletedProcess(words, int(code != 0), out.getvalue(), err.getvalue() + told)


def small_talk(turns):
    return [
        f"On day {n} we walked along the river and counted {n + 3} herons." for n in range(turns)
    ]


@pytest.mark.parametrize("strategy", ["summarize", "tiers", "layered"])
def test_a_fact_from_the_start_is_answered_long_after_it_left_the_window(tmp_path, strategy):
    lines = ["The gate code of the allotment is 7731-B.", *small_talk(60)]
    lines += ["/context", "What is the code for the gate?"]
    script = tmp_path / "talk.txt"
    script.write_text("\n".join(lines), encoding="utf-8")
    run = chat(
        "--db", "t.db", "--input", script, "--budget", 1200, "--strategy", strategy, cwd=tmp_path
    )
    assert run.returncode == 0, run.stderr
    assert "7731-B" in run.stdout.rsplit("assistant>", 1)[1]
    assert "summarized" in run.stdout


def test_what_the_context_does_not_deliver_is_not_known(tmp_path):
    lines = ["The gate code of the allotment is 7731-B.", *small_talk(40), "What is the gate code?"]
    run = chat("--strategy", "window", "--budget", 500, stdin="\n".join(lines), cwd=tmp_path)
    answer = run.stdout.rsplit("assistant>", 1)[1]
    assert "7731" not in answer
    assert "know" in answer


def test_threads_go_on_and_do_not_see_each_other(tmp_path):
    chat("--thread", "a", stdin="My cat is called Wanda.\n", cwd=tmp_path)
    other = chat("--thread", "b", stdin="What is my cat called?\n/threads\n", cwd=tmp_path)
    assert "Wanda" not in other.stdout
    assert "* b" in other.stdout
    same = chat("--thread", "a", stdin="What is my cat called?\n", cwd=tmp_path)
    assert "2 messages" in same.stdout
    assert "Wanda" in same.stdout


def test_quit_ends_and_an_unknown_command_says_so(tmp_path):
    run = chat(stdin="/nope\n/quit\nnever said\n", cwd=tmp_path)
    assert "no command '/nope'" in run.stdout
    assert "/why" not in run.stdout
    run = chat(stdin="/help\n/exit\nnever said\n", cwd=tmp_path)
    assert run.stdout.count("/context: the last view") == 2
    assert "never said" not in run.stdout


def test_what_does_not_fit_is_said(tmp_path):
    lines = ["Hello.", "The shed has a red door. " * 40]
    run = chat("--budget", 120, "--strategy", "window", stdin="\n".join(lines), cwd=tmp_path)
    small, large = run.stdout.split("you> ")[1:]
    assert "over the budget" in large
    assert "over the budget" not in small


def test_without_an_input_the_chat_ends(tmp_path):
    run = subprocess.run(
        ["sh", "-c", f"exec {sys.executable} -m langgraph_memory.cli chat --model offline <&-"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "never said" not in run.stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--budget", "0"], ["max_tokens", "0"]),
        (["--strategy", "magic"], ["magic", "summarize"]),
        (["--model", "gpt"], ["gpt", "provider:name"]),
        (["--model", "nobody:none"], ["nobody"]),
        (["--input", "missing.txt"], ["missing.txt"]),
        (["--db", "notes.txt"], ["notes.txt", "not an SQLite database"]),
        (["--db", "no/such/folder/t.db"], ["no/such/folder", "cannot be opened"]),
        (["--db", "mysql://localhost/t"], ["mysql", "postgresql://"]),
        (["--agent", "hut"], ["--agent", "--user"]),
        (["--settings", "notes.txt"], ["--settings", "--user"]),
        (["--embedder", "local"], ["--embedder", "--user"]),
        (["--incognito"], ["--incognito", "--user"]),
    ],
)
def test_bad_options_name_the_value_and_the_remedy(tmp_path, options, words):
    (tmp_path / "notes.txt").write_text("these are notes and no database " * 20)
    run = chat(*options, stdin="hello\n", cwd=tmp_path)
    assert run.returncode != 0
    assert "Traceback" not in run.stderr
    for word in words:
        assert word in run.stderr
    assert (tmp_path / "notes.txt").read_text().startswith("these are notes")


def test_a_provider_without_its_key_is_told_of_in_whole_sentences(tmp_path):
    needed("langchain_openai", "openai")
    run = chat("--model", "openai:gpt-4o-mini", cwd=tmp_path)
    assert "OPENAI_API_KEY" in run.stderr
    assert ".." not in run.stderr


def test_a_server_that_is_not_there_is_told_of_once(tmp_path):
    needed("psycopg", "postgres")
    server = "postgresql://nobody:quince@127.0.0.1:1/nothing"
    for options in ([], ["--user", "anna"]):
        run = chat("--db", server, *options, cwd=tmp_path)
        assert run.returncode == 1
        assert "cannot be reached" in run.stderr
        assert "quince" not in run.stderr
    listed = command("threads", "list", "--db", server, cwd=tmp_path)
    assert listed.returncode == 1
    assert listed.stderr.startswith("langgraph-memory: ")
    assert listed.stderr.count("connection failed") == 1


def test_threads_and_users_on_a_server(tmp_path, postgres_database):
    chat("--db", postgres_database, stdin="My cat is called Wanda.\n", cwd=tmp_path)
    again = chat("--db", postgres_database, stdin="What is my cat called?\n/threads", cwd=tmp_path)
    assert "2 messages" in again.stdout
    assert "Wanda" in again.stdout
    assert "* default" in again.stdout
    given = {"cwd": tmp_path, "db": postgres_database, "user": "anna"}
    talk("I am allergic to walnuts.", thread="one", **given)
    assert "walnuts" in talk("What am I allergic to?", thread="two", **given).stdout
    assert list(tmp_path.iterdir()) == []  # The connection string is no name of a file.


def test_a_killed_chat_answers_what_it_still_owed(tmp_path):
    slow = tmp_path / "slow.py"
    slow.write_text(
        "import sys, time\n"
        "from pathlib import Path\n"
        "from rich.console import Console\n"
        "from langgraph_memory.chat import strategy_named\n"
        "from langgraph_memory.cli.chat import ChatSession\n"
        "from langgraph_memory.offline import OfflineChatModel\n"
        "class Slow(OfflineChatModel):\n"
        "    def _stream(self, *args, **kwargs):\n"
        "        for chunk in super()._stream(*args, **kwargs):\n"
        "            time.sleep(0.2)\n"
        "            yield chunk\n"
        "model = Slow()\n"
        "ChatSession(Path('t.db'), 'k', model, strategy_named('summarize', 900, model),\n"
        "            Console()).run(sys.stdin)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-u", str(slow)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=tmp_path,
    )
    child.stdin.write(b"The boat leaves from pier 14 on Sunday morning.\n")
    child.stdin.flush()
    seen = b""
    while b"assistant> Not" not in seen:
        byte = child.stdout.read(1)
        assert byte, seen
        seen += byte
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdin.close()
    child.stdout.close()
    run = chat("--db", "t.db", "--thread", "k", stdin="Which pier?\n", cwd=tmp_path)
    assert "stopped before step 'model'" in run.stdout
    assert "2 messages" not in run.stdout.splitlines()[0]
    assert run.stdout.count("you>") == 1
    assert "14" in run.stdout.rsplit("assistant>", 1)[1]
    again = chat("--db", "t.db", "--thread", "k", stdin="", cwd=tmp_path)
    assert "4 messages" in again.stdout


def test_the_demo_runs_from_start_to_end(tmp_path):
    run = subprocess.run(
        [sys.executable, str(ROOT / "demo" / "run.py")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    assert "kill -9" in run.stdout
    assert "UnhurriedModel" not in run.stdout
    assert "The last run stopped before step 'model'" in run.stdout
    assert "over budget" not in run.stdout
    first, second = run.stdout.split("Second act", 1)
    asked = first.split("Now the questions", 1)[1]
    for value in ("sesame", "2300 euros", "10:30", "102 euros", "0742-555-018", "Tilen"):
        assert value in "".join(part.split("\n", 1)[0] for part in asked.split("assistant>")[1:])
    assert "do not know" in asked.rsplit("assistant>", 1)[1]
    assert second.count("30 of 30") == 3
    asked = second.split("why does it know?", 1)[1]
    for value in ("400 euros", "red-eye", "window", "sesame"):
        assert value in "".join(part.split("\n", 1)[0] for part in asked.split("assistant>")[1:])
    assert asked.count("thread 'yesterday'") == 4
    assert asked.count("human said") == 4
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
    assert asked.count(f"known since {yesterday}") == 4


def talk(*said, cwd, **options):
    given = [part for name, value in options.items() for part in (f"--{name}", value)]
    return chat(*given, stdin="\n".join([*said, ""]), cwd=cwd)


def test_a_user_is_known_in_the_next_thread_and_nobody_else_is(tmp_path):
    talk("I am allergic to walnuts.", cwd=tmp_path, user="anna@example.com", thread="one")
    known = talk(
        "What am I allergic to?", "/why", cwd=tmp_path, user="anna@example.com", thread="two"
    )
    assert "walnuts" in known.stdout.split("assistant>")[1].split("\n")[0]
    assert "thread 'one'" in known.stdout
    assert "human said: 'I am allergic to walnuts.'" in known.stdout
    other = talk("What am I allergic to?", "/why", cwd=tmp_path, user="oscar", thread="three")
    assert "walnuts" not in other.stdout
    assert "Nothing known" in other.stdout
    agent = talk("What am I allergic to?", cwd=tmp_path, user="anna@example.com", agent="x")
    assert "walnuts" not in agent.stdout


def test_another_users_thread_is_refused(tmp_path):
    talk("I am allergic to walnuts.", cwd=tmp_path, user="anna", thread="one")
    other = talk("What did I say?", cwd=tmp_path, user="oscar", thread="one")
    assert other.returncode == 1
    assert "another user" in other.stderr
    assert other.stdout == ""
    own = talk(cwd=tmp_path, user="anna", thread="one")
    assert "2 messages" in own.stdout
    assert "What did I say?" not in own.stdout


def test_why_tells_what_is_missing(tmp_path):
    assert "--user" in chat(stdin="/why\n", cwd=tmp_path).stdout
    own = talk(
        "I am allergic to walnuts.", "/why", "/nope", cwd=tmp_path, user="anna b", agent="hut"
    )
    assert "read some seconds later" in own.stdout
    assert "/why" in own.stdout.split("no command '/nope'")[1]
    listing = own.stdout.split("known: langgraph-memory ")[1].split("\n")[0]
    assert "walnuts" in command(*shlex.split(listing), cwd=tmp_path).stdout


def test_an_incognito_thread_leaves_nothing(tmp_path):
    said = "I am allergic to walnuts.\n/why\n"
    for run in (
        chat("--user", "anna", "--incognito", stdin=said, cwd=tmp_path),
        chat("--user", "anna", stdin=said, cwd=tmp_path),
    ):
        assert "is incognito" in run.stdout
        assert "read some seconds later" not in run.stdout
    known = talk("What am I allergic to?", cwd=tmp_path, user="anna", thread="two")
    assert "walnuts" not in known.stdout


def test_what_the_demo_ends_with_explains_its_second_act(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "demo")
    monkeypatch.chdir(tmp_path)
    import run as demo
    import second_act

    db = tmp_path / "demo.db"
    second_act.day_one(db)
    program, *typed = shlex.split(demo.command(db))
    assert ".." not in program
    assert Path(program).name == "langgraph-memory"
    answered = command(*typed, stdin="What must I not eat?\n/why\n", cwd=tmp_path)
    assert answered.returncode == 0, answered.stderr
    why = answered.stdout.rpartition("assistant>")[2]
    assert "allergic to sesame" in why
    assert "yesterday" in why
