"""Run one Postgres server for as long as the process that asked for it lives.

Started as a script of its own (`python -I -S supervise.py …`), so it imports nothing but the
standard library. Its standard input is a pipe from the parent that nobody writes to: the pipe
ends when the parent closes it, exits or is killed, and that is the sign to stop the server. A
parent killed with SIGKILL can run no clean-up of its own, so a child has to.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

REMOVAL_ATTEMPTS = 20


def main() -> int:
    """Start the server named by the arguments, wait for its end, clear up."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--uid", type=int)
    parser.add_argument("--gid", type=int)
    parser.add_argument("--throwaway", type=Path, help="folder to remove when the server is down")
    parser.add_argument("server", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    server = _start(options.server, options.log, options.uid, options.gid)
    # What is thrown away need not be written out first.
    how = signal.SIGINT if options.throwaway is None else getattr(signal, "SIGQUIT", signal.SIGINT)

    asked = threading.Event()

    def stop(_number: int = 0, _frame: FrameType | None = None) -> None:
        asked.set()
        if sys.platform == "win32":
            server.terminate()
        elif server.poll() is None:
            server.send_signal(how)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_stop_at_end_of_input, args=(stop,), daemon=True).start()
    code = server.wait()
    # A server that ended by itself leaves its log for the parent to read.
    if asked.is_set() and options.throwaway is not None:
        _remove(options.throwaway)
    return code


def _start(
    command: list[str], log: Path, uid: int | None, gid: int | None
) -> subprocess.Popen[Any]:
    with log.open("ab") as out:
        return subprocess.Popen(
            [part for part in command if part != "--"],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            cwd=log.parent,
            user=uid,
            group=gid,
            extra_groups=None if uid is None else [],
        )


def _stop_at_end_of_input(stop: Callable[[], None]) -> None:
    sys.stdin.buffer.read()
    stop()


def _remove(folder: Path) -> None:
    """Remove the data; the last children of a server may still be on their way out."""
    for _ in range(REMOVAL_ATTEMPTS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(main())
