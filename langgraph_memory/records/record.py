"""One memory, with what is known about it, as a model and as a JSON value of a store."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from langgraph_memory import clock
from langgraph_memory.drawn import table
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.records.scoring import decayed_heat, effective_importance
from langgraph_memory.records.types import (
    LIFETIMES,
    Confirmation,
    Lifetime,
    MemoryType,
    Scope,
    Source,
    Status,
)
from langgraph_memory.shown import shown

__all__ = ["MemoryRecord", "is_record"]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"must be text, not {type(value).__qualname__}")
    return value


def _stated(value: Any) -> str:
    if not _text(value).strip():
        raise ValueError("must not be empty or blank")
    return str(value)


def _moment(value: Any) -> datetime:
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    if not isinstance(value, datetime):
        raise ValueError(f"must be an aware datetime or ISO 8601 text, not {shown(value)}")
    return clock.to_utc(value)


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


# Not Pydantic's `str`: it refuses a lone surrogate, which models and files do produce, and a store
# can hold.
Text = Annotated[str, PlainValidator(_text), WithJsonSchema({"type": "string"})]
Stated = Annotated[str, PlainValidator(_stated), WithJsonSchema({"type": "string", "minLength": 1})]
Moment = Annotated[
    datetime,
    PlainValidator(_moment),
    PlainSerializer(clock.utc_text, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
Share = Annotated[float, Field(ge=0.0, le=1.0, strict=True, allow_inf_nan=False)]
Texts = tuple[Text, ...]


class MemoryRecord(BaseModel):
    """One memory.

    Immutable: `revised` makes a changed one. Fields that this version does not know are kept and
    written back, so that nothing another version recorded is lost.

    Attributes:
        content: A sentence that can be understood alone: "The user prefers Go for back ends".
        id: Unique; the item's key in a store.
        type: What the memory says.
        scope: Whom it is about.
        importance: From 0 to 1.
        confidence: How sure the extractor was, from 0 to 1.
        confirmation: How sure it is for other reasons.
        heat: How much it was used lately, 0 or more, as of `last_accessed_at`; a new one starts
            warm, with 1.
        access_count: How often it was recalled.
        created_at: When it was recorded, in UTC.
        updated_at: When it was last changed; at first, its creation.
        last_accessed_at: When it was last recalled; its creation, as long as it never was.
        valid_from: Since when what it says is true, if that is known.
        valid_to: Until when, if that is known.
        keywords: What it is about, in a few words, for lists and filters of the application. A
            search goes by the content.
        source: Which way it came in.
        source_thread_id: The conversation it comes from.
        source_message_ids: The messages it comes from.
        extractor: Model and version of the prompt that wrote it.
        status: Whether it counts.
        supersedes: Ids of the records it stands in for.
        superseded_by: Id of the record that stands in for it.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    content: Stated
    id: Stated = Field(default_factory=lambda: str(uuid.uuid4()))
    type: MemoryType = MemoryType.FACT
    scope: Scope = Scope.USER
    importance: Share = 0.5
    confidence: Share = 1.0
    confirmation: Confirmation = Confirmation.STATED
    heat: Annotated[float, Field(ge=0.0, strict=True, allow_inf_nan=False)] = 1.0
    access_count: Annotated[int, Field(ge=0, strict=True)] = 0
    created_at: Moment = Field(default_factory=clock.now)
    updated_at: Moment = Field(default_factory=clock.now)
    last_accessed_at: Moment = Field(default_factory=clock.now)
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    keywords: Texts = ()
    source: Source = Source.USER
    source_thread_id: Text | None = None
    source_message_ids: Texts = ()
    extractor: Text | None = None
    status: Status = Status.ACTIVE
    supersedes: Annotated[Texts, BeforeValidator(_listed)] = ()
    superseded_by: Text | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_its_creation(cls, data: Any) -> Any:
        """What was never changed or recalled has the time of its creation for it, not null."""
        if not isinstance(data, dict):
            return data
        try:
            created = _moment(data.get("created_at") or clock.now())
        except ValueError:
            created = clock.now()  # The field's own check says what is wrong with it.
        times = {"created_at": created, "updated_at": created, "last_accessed_at": created}
        return times | {
            name: value for name, value in data.items() if value is not None or name not in times
        }

    @model_validator(mode="after")
    def _valid_for_a_time(self) -> Self:
        if self.valid_from and self.valid_to and self.valid_from > self.valid_to:
            raise ValueError(
                f"valid_from {clock.utc_text(self.valid_from)} is after "
                f"valid_to {clock.utc_text(self.valid_to)}"
            )
        return self

    @property
    def lifetime(self) -> Lifetime:
        """What a memory of this type weighs and how long it lasts."""
        return LIFETIMES[self.type]

    def heat_at(self, now: datetime) -> float:
        """What is left of its heat at a moment, if it is not used before then."""
        return decayed_heat(self.heat, self.last_accessed_at, now, self.lifetime.half_life_days)

    def effective_importance_at(self, now: datetime) -> float:
        """What its importance has come to at a moment; see `scoring.effective_importance`."""
        return effective_importance(self.importance, self.created_at, self.last_accessed_at, now)

    def to_value(self) -> dict[str, Any]:
        """The record as a JSON value, for `store.put(namespace, record.id, record.to_value())`.

        Times are UTC with six fractional digits and `Z`, so that their text order is their order
        in time. Every field is there, unknown ones last.
        """
        known = {name: _json(getattr(self, name)) for name in type(self).model_fields}
        return known | (self.model_extra or {})

    @classmethod
    def from_value(cls, value: Mapping[str, Any]) -> Self:
        """The record in a JSON value, also one that was imported.

        Of the fields only `content` must be there. Types may be given by their synonyms
        (`identity`, `event`, `history`), times in any ISO 8601 form with a time zone.

        Raises:
            InvalidInputError: the value is no record; the message names each field at fault.
        """
        if not isinstance(value, Mapping):
            raise InvalidInputError(
                f"A record is a dict with at least 'content', not {shown(value)} "
                f"of type {type(value).__qualname__}."
            )
        try:
            return cls.model_validate(dict(value))
        except ValidationError as error:
            raise InvalidInputError(f"This is not a memory record: {_faults(error)}.") from error

    def revised(self, **changes: Any) -> Self:
        """A copy with some fields changed, checked like a new record; `updated_at` is one of them.

        Raises:
            InvalidInputError: a value is not one that the field may have.
        """
        return self.from_value(self.to_value() | changes)

    def _repr_html_(self) -> str:
        """A small table for notebooks."""
        return table(
            [
                ("type", f"{self.type} ({self.scope}, {self.status})"),
                ("content", self.content),
                ("importance", f"{self.importance:g}, {self.confirmation}"),
                ("heat", f"{self.heat:.2f}, used {self.access_count} times"),
                ("updated", self.updated_at.isoformat(sep=" ", timespec="minutes")),
            ]
        )


_REQUIRED = ("id", "scope", "status", "created_at", "last_accessed_at")
_TYPES = frozenset(member.value for member in MemoryType)


def is_record(value: object) -> bool:
    """Whether a stored value is a `MemoryRecord` as `to_value` writes it.

    A quick look at the fields a store works with, not a check of all: dicts that merely have a
    `content` are no records.
    """
    return (
        isinstance(value, dict)
        and isinstance(value.get("content"), str)
        and isinstance(value.get("type"), str)
        and value["type"] in _TYPES
        and _is_amount(value.get("heat"))
        and _is_amount(value.get("access_count"))
        and all(isinstance(value.get(name), str) for name in _REQUIRED)
    )


def _is_amount(value: object) -> bool:
    # The bound is far above any use, and below what a float cannot hold.
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e300


def _json(value: Any) -> Any:
    if isinstance(value, datetime):
        return clock.utc_text(value)
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, str) else value


def _faults(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, fault['loc'])) or 'the record'}: "
        f"{fault['msg'].removeprefix('Value error, ')} (given: {shown(fault['input'])})"
        if fault["type"] != "missing"
        else f"{'.'.join(map(str, fault['loc']))}: must be given"
        for fault in error.errors()
    )
