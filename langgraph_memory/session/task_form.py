"""TaskForm: what a task needs, filled in over turns. Conclusions, not the talk that led to them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, Generic, TypeVar

from langchain_core.tools import BaseTool
from pydantic import BaseModel

from langgraph_memory.errors import InvalidInputError, InvalidStateError
from langgraph_memory.session.errors import InvalidSlotError
from langgraph_memory.session.form_block import form_block
from langgraph_memory.session.form_tools import form_tools
from langgraph_memory.session.names import check_name
from langgraph_memory.session.slots import Entry, SlotChange, Slots, values_of
from langgraph_memory.session.stamp import ASSISTANT, USER, Stamp
from langgraph_memory.summarization.state import read
from langgraph_memory.tokens import DEFAULT_COUNTER, TokenCounter

__all__ = ["TaskForm"]

M = TypeVar("M", bound=BaseModel)


class TaskForm(Generic[M]):
    """A form whose slots are the fields of a Pydantic model; it lives in the graph's state.

    Give the state a channel for it, ``trip: Annotated[dict[str, Any], form.merge]``, or use
    `state_with`. The channel is plain JSON, and its reducer judges every change, so it never holds
    a value that the model does not accept, whoever writes to it.

    A slot without a default is required. Rules of the model on several slots are asked once every
    slot without a default is filled; give all slots a default and name the `required` ones, and
    such rules are asked from the first value on.

    Args:
        schema: The model; descriptions of its fields are told to the language model.
        name: Part of the names of the tools and of the block in the prompt, such as `trip`.
        key: Of the channel in the graph's state; by default the name.
        required: Slots to be asked for; by default those without a default.
        confirm: Slots that the user must confirm although the user said them. What the assistant
            has assumed must always be confirmed.

    Raises:
        InvalidInputError: If the model has no fields, or a slot is named that it does not have.
    """

    def __init__(
        self,
        schema: type[M],
        *,
        name: str = "task_form",
        key: str | None = None,
        required: Collection[str] | None = None,
        confirm: Collection[str] = (),
    ) -> None:
        check_name(name)
        self.slots = Slots(schema)
        self.schema = schema
        self.name = name
        self.key = key or name
        if required is None:
            required = [slot for slot, each in schema.model_fields.items() if each.is_required()]
        for slot, fault in self.slots.unknown([*required, *confirm]).items():
            raise InvalidInputError(f"{slot!r} {fault}.")
        self.required = tuple(slot for slot in self.slots.names if slot in required)
        self.confirm_always = frozenset(confirm)

    def merge(self, left: Mapping[str, Any] | None, right: Mapping[str, Any]) -> dict[str, Any]:
        """The reducer of the channel: takes over what is newer and what the model accepts.

        It takes changes and whole states alike, from parallel calls and from subgraphs; the same
        again changes nothing. What cannot be taken over is noted and shown to the model.

        Raises:
            InvalidInputError: If `right` was not made by a form.
        """
        return self.slots.merged(left, right)

    def entries(self, state: Any) -> dict[str, Entry]:
        """What is known of each slot: its value, who said it and when, and what was before.

        A value that the model no longer accepts, as after a change of the model, is left out.

        Args:
            state: The state of the graph.
        """
        return self.slots.entries(read(state, self.key))

    def values(self, state: Any) -> dict[str, Any]:
        """The values of the filled slots as JSON, in the order of the model."""
        return values_of(self.entries(state))

    def missing(self, state: Any) -> list[str]:
        """The required slots that are empty."""
        filled = self.values(state)
        return [slot for slot in self.required if slot not in filled]

    def unconfirmed(self, state: Any) -> list[str]:
        """The filled slots that the user has still to confirm."""
        return [
            slot
            for slot, entry in self.entries(state).items()
            if "value" in entry
            and "confirmed" not in entry
            and (entry["by"] == ASSISTANT or slot in self.confirm_always)
        ]

    def refused(self, state: Any) -> list[dict[str, str]]:
        """What the reducer could not take over: `slot`, `value` and `fault`, the newest last."""
        return list((read(state, self.key) or {}).get("refused", ()))

    def conflict(self, state: Any) -> str:
        """Why the values do not go together; only after a change of the model, else empty."""
        return self.slots.judge.ask(self.values(state)).conflict

    def is_ready(self, state: Any) -> bool:
        """Whether nothing is missing and nothing has still to be confirmed."""
        return not (self.missing(state) or self.unconfirmed(state) or self.conflict(state))

    def result(self, state: Any) -> M:
        """The filled form as an instance of the model.

        Raises:
            InvalidStateError: If it is not ready; it says what is missing.
        """
        if not self.is_ready(state):
            raise InvalidStateError(
                f"The form {self.name!r} is not ready: missing {self.missing(state)}, to be "
                f"confirmed {self.unconfirmed(state)}. {self.conflict(state)}".rstrip()
            )
        written = json.dumps(self.values(state))
        return self.schema.model_validate_json(written, by_name=True, by_alias=False)

    def fill(
        self, state: Any, values: Mapping[str, Any], *, by: str = USER, message: str | None = None
    ) -> dict[str, Any]:
        """Fill slots or correct them. None says nothing and changes nothing.

        Args:
            state: The state of the graph.
            values: By slot.
            by: Who said it: `user`, `assistant` for what is assumed, or a name of your own.
            message: Id of the message that says so.

        Returns:
            The update of the graph's state.

        Raises:
            InvalidSlotError: If any value cannot be taken; then nothing is changed.
        """
        held = read(state, self.key)
        return self._update(self.slots.filled(held, values, Stamp(by, message)))

    def clear(self, state: Any, *slots: str, by: str = USER) -> dict[str, Any]:
        """Empty slots; all of them where none is named. See `fill`."""
        names = slots or self.slots.names
        return self._update(self.slots.cleared(read(state, self.key), names, Stamp(by)))

    def confirm(
        self, state: Any, *slots: str, by: str = USER, message: str | None = None
    ) -> dict[str, Any]:
        """Note slots as confirmed; all that wait for it where none is named. See `fill`."""
        names = slots or self.unconfirmed(state)
        return self._update(self.slots.confirmed(read(state, self.key), names, Stamp(by, message)))

    def ask(self, state: Any, *slots: str) -> dict[str, Any]:
        """Note that the user is being asked for slots; all missing ones by default. See `fill`."""
        names = slots or self.missing(state)
        return self._update(self.slots.asked(read(state, self.key), names, Stamp(ASSISTANT)))

    def render(
        self, state: Any, *, tokens: int = 600, counter: TokenCounter = DEFAULT_COUNTER
    ) -> str:
        """The form as a block of a prompt: what is known, what to ask for, what to have confirmed.

        The same content gives the same bytes. Values are data: they open no line and no tag.

        Args:
            state: The state of the graph.
            tokens: For all of it. Where there is more, values are shortened and then left out.
            counter: Counts tokens.

        Raises:
            InvalidBudgetError: If that is too little to say anything.
        """
        return form_block(self, state, tokens, counter)

    def tools(self, *, messages_key: str = "messages") -> list[BaseTool]:
        """`fill_<name>` and `confirm_<name>` for the language model.

        Args:
            messages_key: Of the messages in the graph's state.
        """
        return form_tools(self, messages_key)

    def _update(self, change: SlotChange) -> dict[str, Any]:
        if change.faults:
            told = "; ".join(f"{slot}: {fault}" for slot, fault in change.faults.items())
            raise InvalidSlotError(f"{told}. Nothing was changed.")
        return {self.key: {"slots": change.slots}} if change.slots else {}
