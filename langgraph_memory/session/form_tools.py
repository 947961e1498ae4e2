"""`fill_<form>` and `confirm_<form>`: what a language model can do with a form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field, WithJsonSchema, create_model

from langgraph_memory.session.form_block import form_lines
from langgraph_memory.session.slots import SlotChange
from langgraph_memory.session.stamp import USER, Stamp
from langgraph_memory.session.state_tools import Action, Done, state_tools

if TYPE_CHECKING:
    from langgraph_memory.session.task_form import TaskForm

__all__ = ["form_tools"]


def form_tools(form: TaskForm[Any], messages_key: str) -> list[BaseTool]:
    """The tools of a form; see `TaskForm.tools`."""

    def fill(held: Mapping[str, Any], args: Any, stamp: Stamp) -> Done:
        said = replace(stamp, by=args.said_by)
        done = form.slots.cleared(held, args.clear, said)
        now = form.merge(held, {"slots": done.slots})
        filled = form.slots.filled(now, args.values, said)
        now = form.merge(now, {"slots": filled.slots})
        asked = form.slots.asked(now, args.asking, stamp)
        return _told(form, held, done, filled, asked)

    def confirm(held: Mapping[str, Any], args: Any, stamp: Stamp) -> Done:
        said = replace(stamp, by=USER)
        return _told(form, held, form.slots.confirmed(held, args.slots, said))

    actions = [
        Action(
            f"fill_{form.name}",
            f"Write down what is now known for the {form.name}, as soon as the user has said it or "
            "corrected it. Give only what is new; everything else stays as it is.",
            _filling(form),
            fill,
        ),
        Action(
            f"confirm_{form.name}",
            f"Write down that the user, having seen the values, has confirmed slots of the "
            f"{form.name}.",
            _confirming(form),
            confirm,
        ),
    ]
    return state_tools(form.key, form.merge, actions, messages_key)


def _filling(form: TaskForm[Any]) -> type[BaseModel]:
    names = _names(form)
    values = {
        "type": "object",
        "properties": form.slots.schemas,
        "description": "The new values by slot. Leave out what was not said.",
    }
    said_by = (
        "user: the user said so. assistant: you assume it, and the user has still to confirm it."
    )
    fields: dict[str, Any] = {
        # Judged by the form and not here, so that one wrong value does not take the others along.
        "values": (Annotated[dict[str, Any], WithJsonSchema(values)], Field(default_factory=dict)),
        "said_by": (Literal["user", "assistant"], Field(USER, description=said_by)),
        "clear": (
            Annotated[list[str], WithJsonSchema(names)],
            Field(default_factory=list, description="Slots that the user took back."),
        ),
        "asking": (
            Annotated[list[str], WithJsonSchema(names)],
            Field(default_factory=list, description="Slots that your reply will ask for."),
        ),
    }
    return create_model(f"fill_{form.name}", **fields)


def _confirming(form: TaskForm[Any]) -> type[BaseModel]:
    field = Field(min_length=1, description="The slots that the user confirmed.")
    return create_model(
        f"confirm_{form.name}", slots=(Annotated[list[str], WithJsonSchema(_names(form))], field)
    )


def _names(form: TaskForm[Any]) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string", "enum": list(form.slots.names)}}


def _told(form: TaskForm[Any], held: Mapping[str, Any], *changes: SlotChange) -> Done:
    """What was done, what was not, and how the form then stands."""
    slots = {slot: entry for change in changes for slot, entry in change.slots.items()}
    faults = [f"{slot}: {fault}" for change in changes for slot, fault in change.faults.items()]
    told = [f"Noted: {', '.join(slots)}." if slots else "Nothing was changed."]
    if faults:
        told.append(f"Not taken: {'; '.join(faults)}.")
    update = {"slots": slots} if slots else None
    now = form.merge(held, update or {})
    return Done(
        "\n".join([*told, *form_lines(form, {form.key: now})]), update, refused=bool(faults)
    )
