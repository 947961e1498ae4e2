"""What is said about a user's profile, what it changes, and what of it is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

__all__ = ["FieldFault", "ProfileChange", "ProfileUpdate", "RefusedField", "Withdrawal"]


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """What the user took back.

    Attributes:
        field: Name of the field; of a nested one with the names around it, as in ``hotel.stars``.
        item: The entry of a list that no longer holds; None for all of the field.
    """

    field: str
    item: Any = None


@dataclass(frozen=True, slots=True)
class ProfileUpdate:
    """What a user said that belongs in the profile.

    Attributes:
        values: Values by field; those of nested models as mappings. What is not in it, or says
            nothing (null, an empty text or list, "not mentioned"), stays as it is.
        withdrawn: What the user took back; it goes before `values` are merged.
        sources: Ids of the messages that say it, by field as in `values`.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    withdrawn: tuple[Withdrawal, ...] = ()
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ProfileChange:
    """One change of one field.

    Attributes:
        field: Its name; of a nested one with the names around it, as in ``hotel.stars``.
        old: Its value before, as JSON; None if it had none.
        new: Its value since; None if it was cleared.
        at: When the user said so, in UTC.
        thread_id: In which conversation.
        message_ids: In which messages.
    """

    field: str
    old: Any
    new: Any
    at: datetime
    thread_id: str | None = None
    message_ids: tuple[str, ...] = ()


class FieldFault(StrEnum):
    """Why something is not merged."""

    UNKNOWN_FIELD = "unknown_field"
    """The profile has no such field."""
    INVALID = "invalid"
    """The profile's model does not accept the value."""
    OUTDATED = "outdated"
    """The field was changed by something said later."""
    UNREADABLE = "unreadable"
    """The model's answer, or an entry of it, has not the form that was asked for."""
    NOT_SAID = "not_said"
    """No message of the user is named that says it."""
    SECRET = "secret"
    """It holds a password, a key, or the number of a card or document."""


@dataclass(frozen=True, slots=True)
class RefusedField:
    """A value that was not merged.

    The value is not quoted: it may hold a secret.

    Attributes:
        field: As for `ProfileChange`; empty if that is not known.
        fault: Why.
        told: What exactly is wrong, where the profile's model says so.
    """

    field: str
    fault: FieldFault
    told: str = ""
