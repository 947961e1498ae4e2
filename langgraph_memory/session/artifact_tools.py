"""What a language model can do with an artifact: write, edit, restore and read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from langgraph_memory.session.artifact_block import fenced_exactly
from langgraph_memory.session.edit_log import Held, text_at, text_of, version_of
from langgraph_memory.session.errors import InvalidEditError
from langgraph_memory.session.form_block import quoted
from langgraph_memory.session.hunks import line_of
from langgraph_memory.session.lines import line_ends, lines_of, sections_of
from langgraph_memory.session.stamp import Stamp
from langgraph_memory.session.state_tools import Action, Done, state_tools

if TYPE_CHECKING:
    from langgraph_memory.session.artifact import Artifact

__all__ = ["artifact_tools"]

_MOST_READ = 20_000
"""Characters of one answer, except that one line is always shown whole."""
_AROUND = 2
_MOST_SHOWN = 1_500
_VERSIONS = 20


class Replacement(BaseModel):
    """One replacement."""

    find: str = Field(
        description="The exact words that stand there now, line ends and blanks included, long "
        "enough to stand in the text only once."
    )
    replace: str = Field(description="The exact words to stand there instead; empty to delete.")


class Edited(BaseModel):
    """Arguments of edit."""

    edits: list[Replacement] = Field(
        min_length=1, description="All are made, or none. Each refers to the text as it is now."
    )
    note: str = Field("", max_length=200, description="What the edit is for, in a few words.")


class Written(BaseModel):
    """Arguments of write."""

    text: str = Field(description="The exact text.")
    where: Literal["all", "end", "start"] = Field(
        "all", description="all: in place of everything there is; end, start: added there."
    )
    note: str = Field("", max_length=200, description="What it is for, in a few words.")


class Restored(BaseModel):
    """Arguments of restore."""

    version: int = Field(ge=0, description="The version whose text is to be the text again.")


class Read(BaseModel):
    """Arguments of read."""

    first_line: int = Field(1, ge=1, description="The first line to read.")
    last_line: int = Field(0, ge=0, description="The last line to read; 0 for the end.")
    section: str = Field("", description="Title of a section to read, in place of lines.")
    version: int = Field(0, ge=0, description="An old version to read; 0 for the newest.")
    history: bool = Field(False, description="List the versions, newest first, and no text.")


def artifact_tools(artifact: Artifact, messages_key: str) -> list[BaseTool]:
    """The tools of an artifact; see `Artifact.tools`."""
    name = artifact.name

    def edit(held: Held, args: Edited, stamp: Stamp) -> Done:
        edits = [(each.find, each.replace) for each in args.edits]
        return made(held, lambda: artifact.edited(held, edits, stamp, args.note))

    def write(held: Held, args: Written, stamp: Stamp) -> Done:
        return made(held, lambda: artifact.written(held, args.text, args.where, stamp, args.note))

    def restore(held: Held, args: Restored, stamp: Stamp) -> Done:
        return made(held, lambda: artifact.restored(held, args.version, stamp))

    def made(held: Held, change: Any) -> Done:
        try:
            update = change()
        except InvalidEditError as error:
            return Done(f"{error} The {name} is unchanged.", refused=True)
        if update is None:
            return Done(f"The {name} is already so (version {version_of(held)}).")
        return Done(_changed(name, artifact.merge(held, update)), update)

    def read(held: Held, args: Read, stamp: Stamp) -> Done:
        try:
            return Done(_history(held) if args.history else _reading(name, held, args))
        except InvalidEditError as error:
            return Done(str(error), refused=True)

    actions = [
        Action(
            f"edit_{name}",
            f"Change passages of the {name} and leave every other character as it is.",
            Edited,
            edit,
        ),
        Action(
            f"write_{name}",
            f"Write the {name} for the first time, add to its end or start, or write it all anew. "
            f"To change passages of it use edit_{name}.",
            Written,
            write,
        ),
        Action(
            f"restore_{name}",
            f"Go back to an earlier version of the {name}, exactly. No version is lost by it.",
            Restored,
            restore,
        ),
        Action(
            f"read_{name}",
            f"Read the exact text of the {name}, or of a part or an old version of it, or list "
            "its versions.",
            Read,
            read,
        ),
    ]
    return state_tools(artifact.key, artifact.merge, actions, messages_key)


def _changed(name: str, held: Held) -> str:
    """What is new, with a few lines around it."""
    text, hunks = text_of(held), (held or {})["log"][-1]["hunks"]
    told = [f"Done: the {name} is now at version {version_of(held)}, {line_ends(text)}."]
    lines, shift, shown = lines_of(text), 0, 0
    for hunk in hunks:
        start = hunk["start"] + shift
        shift += len(hunk["new"]) - len(hunk["old"])
        first = max(line_of(text, start) - _AROUND, 1)
        last = min(line_of(text, start + len(hunk["new"])) + _AROUND, len(lines))
        part = "".join(lines[first - 1 : last])
        shown += len(part)
        if shown > _MOST_SHOWN:
            break
        told.append(f"Lines {first} to {last} now:\n{fenced_exactly(name, part)}")
    return "\n".join(told)


def _history(held: Held) -> str:
    log = list(enumerate((held or {}).get("log", ()), 1))
    told = [f"There are the versions 0 (empty) to {len(log)}."]
    for number, entry in reversed(log[-_VERSIONS:]):
        size = sum(len(hunk["new"]) - len(hunk["old"]) for hunk in entry["hunks"])
        note = f", {quoted(entry['note'])}" if entry["note"] else ""
        by = quoted(entry["by"])
        told.append(f"- {number}: {entry['kind']} by {by}, {size:+} characters{note}")
    return "\n".join(told)


def _reading(name: str, held: Held, args: Read) -> str:
    version = args.version or version_of(held)
    text = text_at(held, version)
    lines = lines_of(text)
    if not lines:
        return f"Version {version} of the {name} is empty."
    first, last = args.first_line, args.last_line or len(lines)
    if args.section:
        first, last = _section(text, args.section)
    last = min(last, len(lines))
    if first > last:
        raise InvalidEditError(
            f"There are no lines {args.first_line} to {last}; there are lines 1 to {len(lines)}."
        )
    end, size = first, len(lines[first - 1])
    while end < last and size + len(lines[end]) <= _MOST_READ:
        size += len(lines[end])
        end += 1
    rest = "" if end == last else f" Go on from line {end + 1}."
    part = fenced_exactly(name, "".join(lines[first - 1 : end]))
    return (
        f"Version {version} of the {name}, lines {first} to {end} of {len(lines)}, "
        f"{line_ends(text)}.{rest} Exactly:\n{part}"
    )


def _section(text: str, title: str) -> tuple[int, int]:
    sections = sections_of(text)
    found = [each for each in sections if each.title == title.strip().lstrip("#").strip()]
    if len(found) == 1:
        return found[0].first, found[0].last
    titles = ", ".join(quoted(each.title) for each in sections) or "none"
    places = f" (in lines {', '.join(str(each.first) for each in found)})" if found else ""
    raise InvalidEditError(
        f"{len(found)} sections{places} are titled {quoted(title)}. The titles are: {titles}. "
        "Give one of them, or lines."
    )
