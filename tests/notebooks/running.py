"""Runs notebooks from top to bottom; ``python tests/notebooks/running.py`` writes their outputs.

Without network: a first cell, which is not kept, refuses connections to other machines.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
PATIENCE = 120
"""Seconds for a cell, on a busy machine."""

OFFLINE = """
import os, socket

for name in [each for each in os.environ if each.endswith(("_API_KEY", "_TRACING", "_TRACING_V2"))]:
    del os.environ[name]


def refuse(self, address, connect=socket.socket.connect):
    if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1"):
        raise OSError(f"A notebook runs offline, and asked for {address[0]}.")
    return connect(self, address)


socket.socket.connect = refuse
"""


def read(path: Path) -> Any:
    """A notebook as it is committed."""
    return nbformat.read(path, as_version=4)


def executed(path: Path) -> Any:
    """A notebook with the outputs of a run in an empty folder.

    Raises:
        CellExecutionError: A cell raised an error.
    """
    notebook = read(path)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(OFFLINE))
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=PATIENCE,
            resources={"metadata": {"path": folder}},
            record_timing=False,
            coalesce_streams=True,
        )
        client.execute()
    del notebook.cells[0]
    for number, cell in enumerate((each for each in notebook.cells if each.cell_type == "code"), 1):
        cell.execution_count = number
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = number
    # The version of whoever ran it last is no part of it.
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


if __name__ == "__main__":
    for each in [Path(name) for name in sys.argv[1:]] or NOTEBOOKS:
        nbformat.write(executed(each), each)
        print(f"{each.name}: {each.stat().st_size:,} bytes")
