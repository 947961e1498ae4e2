"""What a person is asked about actions, and what a valid answer to it is.

The forms are LangGraph's current ones, so that Studio and other clients show them: a request is
``{"action_requests": […], "review_configs": […]}`` and its answer ``{"decisions": […]}``, one
decision an action, in the order in which they were asked about.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import PlainValidator, WithJsonSchema

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.shown import shown

__all__ = [
    "DECISIONS",
    "Allowed",
    "DecisionError",
    "NotPendingError",
    "allowed_for",
    "answer_type",
    "checked_answer",
    "is_refusal",
    "request_about",
]

DECISIONS = ("approve", "edit", "reject", "respond")
"""Run it, run it with other arguments, do not run it, answer in its place."""

_TAKES = {
    "approve": (),
    "edit": ("edited_action",),
    "reject": ("message",),
    "respond": ("message",),
}

Allowed = bool | Sequence[str]
"""The decisions that a person may make; True for all of them, False where nobody is asked."""
Describe = Callable[[Mapping[str, Any]], str]


class DecisionError(InvalidInputError):
    """A reviewer's answer is not one to what was asked; nothing was run and it can be corrected."""


class NotPendingError(InvalidInputError):
    """What is answered does not wait for an answer any more; nothing was run."""


def allowed_for(name: str, allowed: Allowed) -> tuple[str, ...]:
    """The decisions that are allowed for an action; none where nobody is to be asked.

    Raises:
        InvalidInputError: It is not True, False or some of `DECISIONS`.
    """
    if isinstance(allowed, bool):
        return DECISIONS if allowed else ()
    # Text is a sequence too, and an empty list would let the action pass unasked.
    listed = isinstance(allowed, Sequence) and not isinstance(allowed, str) and len(allowed) > 0
    if not listed or not all(each in DECISIONS for each in allowed):
        raise InvalidInputError(
            f"The decisions about {name!r} must be True, False or a list of some of "
            f"{', '.join(DECISIONS)}; got {shown(allowed)}."
        )
    return tuple(dict.fromkeys(allowed))


def request_about(
    actions: Sequence[Mapping[str, Any]],
    decisions: Sequence[Sequence[str]],
    describe: Describe | None = None,
) -> dict[str, Any]:
    """What a person is asked.

    Args:
        actions: Each with `name` and `args`, as tool calls have them.
        decisions: Those that are allowed, for each action.
        describe: Puts an action in words for the person; by default its name and arguments.
    """
    said = describe or _described
    return {
        "action_requests": [
            {"name": each["name"], "args": dict(each["args"]), "description": said(each)}
            for each in actions
        ],
        "review_configs": [
            {"action_name": each["name"], "allowed_decisions": list(allowed)}
            for each, allowed in zip(actions, decisions, strict=True)
        ],
    }


def checked_answer(request: Mapping[str, Any], answer: Any) -> list[dict[str, Any]]:
    """The decisions in an answer, if it is one to the request.

    Args:
        request: What was asked, see `request_about`.
        answer: What came back.

    Returns:
        One decision an action.

    Raises:
        DecisionError: It is not one; the message says what is wrong with it.
    """
    given = answer.get("decisions") if isinstance(answer, Mapping) else None
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise DecisionError(
            f'The answer must be {{"decisions": […]}}, one decision an action; got {shown(answer)}.'
        )
    actions, configs = request["action_requests"], request["review_configs"]
    if len(given) != len(actions):
        names = ", ".join(repr(each["name"]) for each in actions)
        raise DecisionError(
            f"{len(actions)} actions wait for a decision ({names}), in this order, and the answer "
            f"has {len(given)}. Decide on each of them."
        )
    return [
        _checked(decision, action, config["allowed_decisions"], f"Decision {number}")
        for number, (decision, action, config) in enumerate(
            zip(given, actions, configs, strict=True), 1
        )
    ]


def _checked(
    decision: Any, action: Mapping[str, Any], allowed: Sequence[str], which: str
) -> dict[str, Any]:
    about = f"{which}, about {action['name']!r},"
    if not isinstance(decision, Mapping) or decision.get("type") not in allowed:
        raise DecisionError(
            f'{about} must have one of these as its "type": {", ".join(allowed)}; '
            f"got {shown(decision)}."
        )
    kind = decision["type"]
    for key in ("message", "edited_action"):
        # Left out without a word, a person's condition would not hold.
        if decision.get(key) and key not in _TAKES[kind]:
            raise DecisionError(
                f"{about} is {kind!r}, which takes no {key!r}. To change the arguments use 'edit', "
                "to say something to the model 'reject' or 'respond'."
            )
    if kind == "edit":
        return {"type": kind, "edited_action": _edited(decision, action, about)}
    message = decision.get("message")
    if kind == "respond" and not (isinstance(message, str) and message.strip()):
        raise DecisionError(
            f"{about} is 'respond' and needs a \"message\", which the model gets as the result; "
            f"got {shown(message)}."
        )
    if message is not None and not isinstance(message, str):
        raise DecisionError(f'{about} has a "message" that is not text: {shown(message)}.')
    return {"type": kind, **({"message": message} if message else {})}


def _edited(decision: Mapping[str, Any], action: Mapping[str, Any], about: str) -> dict[str, Any]:
    edited = decision.get("edited_action")
    if not isinstance(edited, Mapping) or not isinstance(edited.get("args"), Mapping):
        raise DecisionError(
            f'{about} is \'edit\' and needs "edited_action": {{"name": …, "args": {{…}}}} with all '
            f"of the arguments; got {shown(edited)}."
        )
    if edited.get("name") != action["name"]:
        raise DecisionError(
            f"{about} would run {shown(edited.get('name'))} instead. An edit changes "
            "arguments; for another action, reject this one and say what is wanted."
        )
    return {"name": edited["name"], "args": dict(edited["args"])}


def answer_type(request: Mapping[str, Any]) -> Any:
    """An answer to a request as a type: LangGraph checks what comes, clients show a form."""

    def answer_to_what_was_asked(given: Any) -> list[dict[str, Any]]:
        return checked_answer(request, given)

    return Annotated[
        Any, PlainValidator(answer_to_what_was_asked), WithJsonSchema(_schema(request))
    ]


# What pydantic calls the type above, and those of the middleware's questions "per_call".
_REFUSAL = re.compile(
    r"\d+ validation errors? for (function-plain\[answer_to_what_was_asked\b"
    r"|function-wrap\[_as_sent\b|(tagged-union\[.*)?(Approve|Edit|Reject|Respond)Decision\b)"
)


def is_refusal(error: object) -> bool:
    """Whether an error of a task says that an answer was none; LangGraph then kept nothing of it.

    Args:
        error: As a checkpointer gives it, as text.
    """
    return _REFUSAL.match(str(error)) is not None


def _schema(request: Mapping[str, Any]) -> dict[str, Any]:
    forms = [
        {"oneOf": [_form(kind, action) for kind in config["allowed_decisions"]]}
        for action, config in zip(
            request["action_requests"], request["review_configs"], strict=True
        )
    ]
    decisions = {"type": "array", "prefixItems": forms, "items": False, "minItems": len(forms)}
    return {"type": "object", "properties": {"decisions": decisions}, "required": ["decisions"]}


def _form(kind: str, action: Mapping[str, Any]) -> dict[str, Any]:
    properties: dict[str, Any] = {"type": {"const": kind}}
    required = ["type"]
    if kind == "edit":
        name = {"name": {"const": action["name"]}, "args": {"type": "object"}}
        edited = {"type": "object", "properties": name, "required": ["name", "args"]}
        properties["edited_action"] = edited
        required.append("edited_action")
    elif kind != "approve":
        properties["message"] = {"type": "string"}
        required += ["message"] if kind == "respond" else []
    return {"type": "object", "properties": properties, "required": required}


def _described(action: Mapping[str, Any]) -> str:
    arguments = json.dumps(action["args"], ensure_ascii=False, default=str)
    return f"{action['name']} is to be run with {arguments}"
