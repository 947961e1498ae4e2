"""Artifact: a text written together. Every edit is exact, and every version can be had again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from langchain_core.tools import BaseTool

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.session import edit_log
from langgraph_memory.session.artifact_block import artifact_block
from langgraph_memory.session.artifact_tools import artifact_tools
from langgraph_memory.session.hunks import edits_from, hunks_of
from langgraph_memory.session.lines import Section, sections_of
from langgraph_memory.session.names import check_name
from langgraph_memory.session.stamp import USER, Stamp
from langgraph_memory.shown import shown
from langgraph_memory.summarization.state import read
from langgraph_memory.tokens import DEFAULT_COUNTER, TokenCounter

__all__ = ["Artifact", "Where"]

Where = Literal["all", "end", "start"]
_KINDS = {"all": "write", "end": "append", "start": "prepend"}
_FIELDS = ("version", "kind", "by", "at", "note")


class Artifact:
    """A document, a poem, a program: its exact text and the log of its edits, in the graph's state.

    Give the state a channel for it, ``draft: Annotated[dict[str, Any], artifact.merge]``, or use
    `state_with`. The channel is plain JSON. Nothing in the text is ever normalized or summarized.

    Args:
        name: Part of the names of the tools and of the block in the prompt, such as `draft`.
        key: Of the channel in the graph's state; by default the name.
        max_chars: Characters (Unicode code points) that the text may have.

    Raises:
        InvalidInputError: If the name or the number cannot be used.
    """

    def __init__(
        self, name: str = "document", *, key: str | None = None, max_chars: int = 200_000
    ) -> None:
        check_name(name)
        if isinstance(max_chars, bool) or not isinstance(max_chars, int) or max_chars < 1:
            raise InvalidInputError(
                f"max_chars is {shown(max_chars)}: give how many characters the text may have."
            )
        self.name = name
        self.key = key or name
        self.max_chars = max_chars

    def merge(self, left: Mapping[str, Any] | None, right: Mapping[str, Any]) -> dict[str, Any]:
        """The reducer of the channel: makes the edits that it does not know yet, in their order.

        It takes updates and whole states alike, from parallel calls and from subgraphs; the same
        again changes nothing. An edit that met another one is made by its anchors, or noted as
        refused and shown to the model.

        Raises:
            InvalidInputError: If `right` was not made by an artifact.
        """
        return edit_log.merged(left, right, self.max_chars)

    def text(self, state: Any, version: int | None = None) -> str:
        """The text, exactly.

        Args:
            state: The state of the graph.
            version: Of which version; None for the current one. Version 0 is the empty text.

        Raises:
            InvalidEditError: If there is no such version.
        """
        held = read(state, self.key)
        return edit_log.text_of(held) if version is None else edit_log.text_at(held, version)

    def version(self, state: Any) -> int:
        """The number of the current version."""
        return edit_log.version_of(read(state, self.key))

    def versions(self, state: Any) -> list[dict[str, Any]]:
        """Who made each version and when: `version`, `kind`, `by`, `at`, `note`; oldest first."""
        return versions_of(read(state, self.key))

    def sections(self, state: Any) -> list[Section]:
        """The Markdown sections of the text, with their lines."""
        return sections_of(self.text(state))

    def refused(self, state: Any) -> list[dict[str, Any]]:
        """Edits that met others and could not be made: `version`, `by`, `fault`; newest last."""
        return list((read(state, self.key) or {}).get("refused", ()))

    def write(
        self, state: Any, text: str, where: Where = "all", *, by: str = USER, note: str = ""
    ) -> dict[str, Any]:
        """Put a text in place of all there is, or add it to its end or start.

        Args:
            state: The state of the graph.
            text: The text; line ends are the caller's.
            where: `all`, `end` or `start`.
            by: Who does it: `user`, `assistant`, or a name of your own.
            note: What for, in a few words.

        Returns:
            The update of the graph's state; empty if nothing changes.

        Raises:
            InvalidEditError: If the text cannot be kept; nothing is changed.
        """
        return self._update(self.written(read(state, self.key), text, where, Stamp(by), note))

    def edit(
        self, state: Any, edits: Sequence[Any], *, by: str = USER, note: str = ""
    ) -> dict[str, Any]:
        """Replace passages, all or none. Each must stand in the text exactly once.

        Args:
            state: The state of the graph.
            edits: Pairs of what to find and what to put in its place. All of them refer to the
                text as it is now.
            by: Who does it.
            note: What for, in a few words.

        Returns:
            The update of the graph's state; empty if nothing changes.

        Raises:
            InvalidEditError: It names the edit and where its anchor was found; nothing is changed.
        """
        return self._update(self.edited(read(state, self.key), edits, Stamp(by), note))

    def restore(
        self, state: Any, version: int, *, by: str = USER, note: str = ""
    ) -> dict[str, Any]:
        """Make the text what it was in a version. It is a new version; none is lost.

        Raises:
            InvalidEditError: If there is no such version.
        """
        return self._update(self.restored(read(state, self.key), version, Stamp(by), note))

    def render(
        self, state: Any, *, tokens: int = 8_000, counter: TokenCounter = DEFAULT_COUNTER
    ) -> str:
        """The text as a block of a prompt, word for word, between tags that it cannot close.

        The same content gives the same bytes. A text that is too long is never shortened: its
        sections are listed, and whole lines around the newest edit are shown.

        Args:
            state: The state of the graph.
            tokens: For all of it.
            counter: Counts tokens.

        Raises:
            InvalidBudgetError: If that is too little to say anything.
        """
        return artifact_block(self.name, read(state, self.key), tokens, counter)

    def tools(self, *, messages_key: str = "messages") -> list[BaseTool]:
        """`write_<name>`, `edit_<name>`, `restore_<name>`, `read_<name>` for the language model.

        Args:
            messages_key: Of the messages in the graph's state.
        """
        return artifact_tools(self, messages_key)

    def written(
        self, held: edit_log.Held, text: str, where: Where, stamp: Stamp, note: str = ""
    ) -> dict[str, Any] | None:
        """The channel's update for `write`; None if nothing changes."""
        if where not in _KINDS or not isinstance(text, str):
            raise InvalidInputError(
                f"write() takes a text and 'all', 'end' or 'start', not {shown(text)} and "
                f"{shown(where)}."
            )
        kind = _KINDS[where]
        return self._entry(
            held, kind, edit_log.hunks_at(edit_log.text_of(held), kind, text), stamp, note
        )

    def edited(
        self, held: edit_log.Held, edits: Sequence[Any], stamp: Stamp, note: str = ""
    ) -> dict[str, Any] | None:
        """The channel's update for `edit`; None if nothing changes."""
        hunks = hunks_of(edit_log.text_of(held), edits_from(edits))
        changing = [hunk for hunk in hunks if hunk["old"] != hunk["new"]]
        return self._entry(held, "edit", changing, stamp, note)

    def restored(
        self, held: edit_log.Held, version: int, stamp: Stamp, note: str = ""
    ) -> dict[str, Any] | None:
        """The channel's update for `restore`; None if nothing changes."""
        hunks = edit_log.hunks_at(
            edit_log.text_of(held), "restore", edit_log.text_at(held, version)
        )
        return self._entry(held, "restore", hunks, stamp, note or f"version {version}")

    def _entry(
        self, held: edit_log.Held, kind: str, hunks: list[Any], stamp: Stamp, note: str
    ) -> dict[str, Any] | None:
        if not hunks:
            return None
        return {"log": [edit_log.entry_of(held, kind, hunks, stamp, note, self.max_chars)]}

    def _update(self, update: dict[str, Any] | None) -> dict[str, Any]:
        return {} if update is None else {self.key: update}


def versions_of(held: edit_log.Held) -> list[dict[str, Any]]:
    """The log without the texts."""
    log = (held or {}).get("log", ())
    return [
        {name: number if name == "version" else entry[name] for name in _FIELDS}
        for number, entry in enumerate(log, 1)
    ]
