"""An archive in one file: one JSON object a line, appended and never changed."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any
from uuid import uuid4

from langgraph_memory.history.archive import Archive, ArchiveEntry
from langgraph_memory.history.errors import ArchiveError

try:
    import fcntl
except ImportError:  # Windows: one process at a time
    fcntl = None  # type: ignore[assignment]

__all__ = ["JsonlArchive"]

logger = logging.getLogger(__name__)


class JsonlArchive(Archive):
    """A JSONL file, readable by its owner alone; it is made when something is archived.

    Args:
        path: The file. Several threads and processes may use it at once.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = RLock()

    def __repr__(self) -> str:
        return f"JsonlArchive({str(self.path)!r})"

    def add(self, entry: ArchiveEntry) -> None:
        """Append an entry and have it on the disk before returning.

        A second line of the same entry is read as the first.
        """
        with self._locked():
            self._append(entry.to_json())

    def entries(self, thread: str) -> list[ArchiveEntry]:
        """A thread's entries that were not undone, oldest first."""
        found: dict[str, dict[str, Any]] = {}
        for value in self._lines():
            if value.get("thread") != thread:
                continue
            found.pop(value.get("undone") or value.get("id", ""), None)
            if "undone" not in value:
                found[value.get("id", "")] = value
        return [ArchiveEntry.from_json(value) for value in found.values()]

    def mark_undone(self, entry: ArchiveEntry) -> None:
        """Append a line that says so."""
        with self._locked():
            self._append({"thread": entry.thread, "undone": entry.id})

    def erase(self, thread: str) -> int:
        """Write the file anew without the thread's lines."""
        if not self.path.exists():
            return 0
        with self._locked():
            lines = list(self._lines())
            rest = [value for value in lines if value.get("thread") != thread]
            spare = self.path.with_name(f"{self.path.name}.{uuid4().hex}")
            try:
                with open(spare, "xb", opener=_private) as file:
                    file.write(b"".join(map(_line, rest)))
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(spare, self.path)
            except OSError as error:
                spare.unlink(missing_ok=True)
                raise ArchiveError(
                    f"The archive {str(self.path)!r} cannot be written anew: {error}. It is as it "
                    "was."
                ) from error
            _sync_folder(self.path.parent)
        return len({v.get("id") for v in lines if v.get("thread") == thread and "id" in v})

    def _append(self, value: dict[str, Any]) -> None:
        try:
            with open(self.path, "ab", opener=_private) as file:
                # A line that a crash cut off must not swallow this one.
                is_new = file.tell() == 0
                broken = not is_new and not _ends_a_line(self.path)
                file.write((b"\n" if broken else b"") + _line(value))
                file.flush()
                os.fsync(file.fileno())
            if is_new:
                _sync_folder(self.path.parent)
        except OSError as error:
            raise ArchiveError(
                f"The archive {str(self.path)!r} cannot be written: {error}. Nothing was removed. "
                "Is its folder there and writable, and is there room?"
            ) from error

    def _lines(self) -> Iterator[dict[str, Any]]:
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise ArchiveError(
                f"The archive {str(self.path)!r} cannot be read: {error}."
            ) from error
        for number, line in enumerate(content.splitlines(), 1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except ValueError:
                # What it was to keep was never removed: that is done after it is written.
                logger.warning("Line %d of %s was cut off and is passed over.", number, self.path)
                continue
            if isinstance(value, dict):
                yield value

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self._lock, ExitStack() as stack:
            while fcntl is not None:
                try:
                    file = stack.enter_context(open(self.path, "ab", opener=_private))
                except OSError as error:
                    raise ArchiveError(
                        f"The archive {str(self.path)!r} cannot be opened: {error}. Nothing was "
                        "removed. Is its folder there and writable?"
                    ) from error
                fcntl.flock(file, fcntl.LOCK_EX)
                # Another process may have put a new file there meanwhile.
                with suppress(FileNotFoundError):
                    if os.path.samestat(os.fstat(file.fileno()), os.stat(self.path)):
                        break
            yield


def _line(value: dict[str, Any]) -> bytes:
    # ASCII: text may hold half surrogate pairs, which UTF-8 cannot.
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _sync_folder(folder: Path) -> None:
    """Have a new file's name on the disk, too; some systems know no such thing."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
