r"""What a filter of a search means: read once into a tree of conditions, the same on any database.

A filter names members of a value and what they must be; all of it must hold. `parse` turns it
into a `Condition`, `matches` says whether a value meets it, and every back end that answers a
filter in SQL must give the answer of `matches`.

| filter | holds if the member `a` |
|---|---|
| `{"a": 1}`, `{"a": {"$eq": 1}}` | equals 1 |
| `{"a": {"$ne": 1}}` | does not equal 1; also if there is no `a` |
| `{"a": {"$gt": 1}}`, `$gte`, `$lt`, `$lte` | is a number greater than 1 … |
| `{"a": {"$gt": "m"}}` | is text after "m" … |
| `{"a": {"$in": [1, 2]}}`, `$nin` | equals one of these, does not equal any |
| `{"a": {"$exists": True}}` | is there, even as null |
| `{"a": None}`, `{"a": {"$eq": None}}`, `None` in `$in` | is null or is not there |
| `{"a": [1, 2]}` | is this list, in this order |
| `{"a": {"b": 1, "c": 2}}` | is an object with these members, and perhaps others |
| `{"a": {}}` | is an object |
| `{"a": {"$eq": {"b": 1}}}` | is exactly this object |
| `{"a.b": 1}` | has a member `b` equal to 1 |
| `{"a": {"$gt": 1, "$lt": 5}}` | meets both |
| `{"$or": [{"a": 1}, {"b": 2}]}`, `$and` | any, all of the filters |
| `{"a": {"$or": [{"$lt": 1}, {"$gt": 5}]}}` | meets any of these |
| `{}`, `None` | every value |

- **Paths.** A dot leads into an object (never into a list). `{"a.b": None}` also holds where `a`
  is no object, `{"a": {"b": None}}` only where it is one. A literal dot is written `\.`, a
  literal backslash `\\`, a `$` at the beginning of a key `\$`; `field_path` writes them.
- **Numbers** compare as the decimal numbers that JSON shows, of any size: 9 < 10, 1 equals 1.0,
  also inside lists and objects. Booleans are not numbers: `True` does not equal 1.
- **Text** compares by code point, whatever the locale. Numbers and text are never compared with
  each other: such a comparison does not hold, whichever way round.
- **Times.** An aware datetime as operand becomes the text that records hold
  (`2026-03-01T09:30:00.000000Z`, UTC), so comparing texts compares moments. A datetime without
  time zone is an error.
- **Lists** are equal as a whole; in `{"a": {"$in": [[1], [2]]}}` each element is such a list.
  Objects in a list or under `$eq` and `$in` are equal as a whole, too, and null is just null there.
- Anything else, such as an operator that is not in the table, is an `InvalidFilterError`.
"""

from __future__ import annotations

import json
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal, final

from langgraph_memory.clock import utc_text
from langgraph_memory.errors import InvalidFilterError, InvalidInputError
from langgraph_memory.shown import shown
from langgraph_memory.store.escape import MAX_DEPTH, dump

__all__ = [
    "MATCH_ALL",
    "All",
    "AnyOf",
    "Comparison",
    "Condition",
    "Exists",
    "IsObject",
    "Not",
    "OneOf",
    "Operand",
    "Path",
    "field_path",
    "matches",
    "parse",
]

MAX_NESTING = 32
"""How deep filters may stand in filters."""

MAX_PATH = 64
"""How many names a path may have."""

MAX_CONDITIONS = 1_000
"""How many conditions a filter may have; the elements of `$in` do not count."""

Path = tuple[str, ...]
Ordering = Literal["$gt", "$gte", "$lt", "$lte"]

_ORDERINGS: dict[Ordering, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
_OPERATORS = ("$eq", "$ne", *_ORDERINGS, "$in", "$nin", "$exists", "$and", "$or")


class Condition(ABC):
    """What a value must be like. Immutable and hashable; equal conditions have equal keys."""

    @abstractmethod
    def matches(self, value: Any) -> bool:
        """Whether a JSON value meets the condition."""

    @abstractmethod
    def outline(self) -> list[Any]:
        """The condition as JSON, from which `key` is written."""

    def key(self) -> str:
        """Canonical JSON text of the condition: plain ASCII, the same in every process."""
        return json.dumps(self.outline(), separators=(",", ":"))


@final
@dataclass(frozen=True)
class All(Condition):
    """Every member holds; without members, always."""

    members: tuple[Condition, ...] = ()

    def matches(self, value: Any) -> bool:
        """Whether all members hold."""
        return all(member.matches(value) for member in self.members)

    def outline(self) -> list[Any]:
        """`["all", member, …]`."""
        return ["all", *(member.outline() for member in self.members)]


@final
@dataclass(frozen=True)
class AnyOf(Condition):
    """At least one member holds; without members, never."""

    members: tuple[Condition, ...]

    def matches(self, value: Any) -> bool:
        """Whether any member holds."""
        return any(member.matches(value) for member in self.members)

    def outline(self) -> list[Any]:
        """`["any", member, …]`."""
        return ["any", *(member.outline() for member in self.members)]


@final
@dataclass(frozen=True)
class Not(Condition):
    """The member does not hold."""

    member: Condition

    def matches(self, value: Any) -> bool:
        """Whether the member does not hold."""
        return not self.member.matches(value)

    def outline(self) -> list[Any]:
        """`["not", member]`."""
        return ["not", self.member.outline()]


@final
@dataclass(frozen=True)
class Operand:
    """A JSON value to be equal to.

    Attributes:
        text: Its JSON as `escape.dump` writes it, with the keys of objects in order.
    """

    text: str
    form: Any = field(compare=False, repr=False)

    @property
    def is_null(self) -> bool:
        """Whether it is null, which a missing member also equals."""
        return self.form is None


@final
@dataclass(frozen=True)
class OneOf(Condition):
    """The member at the path equals one of the operands; a missing member equals null."""

    path: Path
    operands: tuple[Operand, ...]

    @cached_property
    def _forms(self) -> frozenset[Any]:
        return frozenset(operand.form for operand in self.operands)

    def matches(self, value: Any) -> bool:
        """Whether the member equals an operand."""
        found = _member(value, self.path)
        return _form(None if found is _MISSING else found) in self._forms

    def outline(self) -> list[Any]:
        """`["in", path, [operand, …]]`."""
        return ["in", self.path, [operand.text for operand in self.operands]]


@final
@dataclass(frozen=True)
class Comparison(Condition):
    """The member at the path is a number (or text) on this side of a number (or text)."""

    path: Path
    ordering: Ordering
    operand: int | float | str

    def matches(self, value: Any) -> bool:
        """Whether the member is of the operand's kind and compares so."""
        found = _member(value, self.path)
        if isinstance(self.operand, str):
            alike = isinstance(found, str)
        else:
            alike = isinstance(found, int | float) and not isinstance(found, bool)
        return alike and _ORDERINGS[self.ordering](_form(found), _form(self.operand))

    def outline(self) -> list[Any]:
        """`[ordering, path, operand]`."""
        return [self.ordering, self.path, self.operand]


@final
@dataclass(frozen=True)
class Exists(Condition):
    """There is a member at the path, even if it is null."""

    path: Path

    def matches(self, value: Any) -> bool:
        """Whether the member is there."""
        return _member(value, self.path) is not _MISSING

    def outline(self) -> list[Any]:
        """`["exists", path]`."""
        return ["exists", self.path]


@final
@dataclass(frozen=True)
class IsObject(Condition):
    """The member at the path is a JSON object."""

    path: Path

    def matches(self, value: Any) -> bool:
        """Whether the member is an object."""
        return isinstance(_member(value, self.path), dict)

    def outline(self) -> list[Any]:
        """`["object", path]`."""
        return ["object", self.path]


MATCH_ALL = All()
"""What an empty filter means."""


def matches(condition: Condition, value: Any) -> bool:
    """Whether a JSON value, as it was put, meets a condition. The table above says what it means.

    Raises:
        Nothing for any JSON value, whatever types its members have.
    """
    return condition.matches(value)


def parse(filter: Mapping[str, Any] | None) -> Condition:
    """Read a filter.

    Args:
        filter: As in the table above; None and an empty one match every value.

    Returns:
        The condition it states. Filters that differ only in the order of their parts give equal
        conditions.

    Raises:
        InvalidFilterError: the filter says something that is not in the table, or is deeper than
            `MAX_NESTING`, has a path longer than `MAX_PATH` or more than `MAX_CONDITIONS` parts.
    """
    if filter is None:
        return MATCH_ALL
    if not isinstance(filter, Mapping):
        raise InvalidFilterError(
            f"A filter is a dict such as {{'type': 'fact'}}, not {shown(filter)} "
            f"of type {type(filter).__qualname__}."
        )
    return _Reader().conditions(filter, (), 0)


def field_path(*names: str) -> str:
    r"""The key of a filter that leads to a member, whatever characters its names have.

    `field_path("model", "gpt-4.1")` is `model.gpt-4\.1`.
    """
    return ".".join(_escaped_name(name) for name in names)


def _escaped_name(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace(".", "\\.")
    return "\\" + escaped if escaped.startswith("$") else escaped


class _Reader:
    """Reads one filter and counts what it holds."""

    def __init__(self) -> None:
        self._conditions = 0

    def conditions(self, filter: Mapping[Any, Any], path: Path, depth: int) -> Condition:
        """The condition that a dict states about the member at `path`, the root being ()."""
        if depth > MAX_NESTING:
            raise InvalidFilterError(
                f"The filter is nested deeper than {MAX_NESTING} levels{_at(path)}. "
                "Write inner members as dotted paths, and flatten $and and $or."
            )
        found: list[Condition] = []
        for key, operand in filter.items():
            self._conditions += 1
            if self._conditions > MAX_CONDITIONS:
                raise InvalidFilterError(
                    f"The filter has more than {MAX_CONDITIONS} conditions. "
                    "Use $in for many values of one member."
                )
            if not isinstance(key, str):
                raise InvalidFilterError(
                    f"A filter's key is text, not {shown(key)} of type "
                    f"{type(key).__qualname__}{_at(path)}."
                )
            if key.startswith("$"):
                found.append(self._operation(key, operand, path, depth))
            else:
                found.append(self._member(_names(key), operand, path, depth))
        return _all(found)

    def _member(self, names: Path, spec: Any, path: Path, depth: int) -> Condition:
        inner = path + names
        if len(inner) > MAX_PATH:
            raise InvalidFilterError(
                f"A path of the filter has {len(inner)} names, more than {MAX_PATH}{_at(inner)}."
            )
        if not isinstance(spec, Mapping):
            return OneOf(inner, (_operand(spec, "$eq", inner),))
        condition = self.conditions(spec, inner, depth + 1)
        # Naming members, or none, says that there is an object to have them.
        names_members = not spec or any(not str(key).startswith("$") for key in spec)
        return _all([IsObject(inner), condition]) if names_members else condition

    def _operation(self, name: str, operand: Any, path: Path, depth: int) -> Condition:
        if name in {"$and", "$or"}:
            members = self._alternatives(name, operand, path, depth)
            return _all(members) if name == "$and" else _any(members)
        if name not in _OPERATORS:
            raise InvalidFilterError(
                f"The filter has the unknown operator {shown(name)}{_at(path)}. "
                f"Known are {', '.join(_OPERATORS)}. A member whose name begins with '$' is "
                r"written with a backslash: '\$name'."
            )
        if not path:
            raise InvalidFilterError(
                f"{name} stands at the top of the filter, where no member is named. "
                f"Write {{'member': {{{name!r}: …}}}}."
            )
        if name in _ORDERINGS:
            return _comparison(name, operand, path)
        if name == "$exists":
            if not isinstance(operand, bool):
                raise InvalidFilterError(
                    f"$exists takes True or False, not {shown(operand)}{_at(path)}."
                )
            return Exists(path) if operand else Not(Exists(path))
        if name in {"$in", "$nin"}:
            equal = _one_of(name, operand, path)
            return equal if name == "$in" else Not(equal)
        equal = OneOf(path, (_operand(operand, name, path),))
        return equal if name == "$eq" else Not(equal)

    def _alternatives(self, name: str, operand: Any, path: Path, depth: int) -> list[Condition]:
        if not isinstance(operand, list | tuple) or not operand:
            raise InvalidFilterError(
                f"{name} takes a list of at least one filter, not {shown(operand)}{_at(path)}."
            )
        members: list[Condition] = []
        for member in operand:
            if not isinstance(member, Mapping):
                raise InvalidFilterError(
                    f"{name} takes a list of filters (dicts), but one is {shown(member)}"
                    f"{_at(path)}. For a choice of values use $in."
                )
            members.append(self.conditions(member, path, depth + 1))
        return members


def _names(key: str) -> Path:
    if "\\" not in key:
        return tuple(key.split("."))
    names = [""]
    characters = iter(key)
    for character in characters:
        if character == ".":
            names.append("")
        elif character == "\\":
            escaped = next(characters, "")
            if escaped not in {".", "\\", "$"}:
                raise InvalidFilterError(
                    f"The path {shown(key)} has a backslash before "
                    f"{repr(escaped) if escaped else 'nothing'}. A backslash makes a dot, a '$' or "
                    "a backslash literal; write a literal backslash twice."
                )
            names[-1] += escaped
        else:
            names[-1] += character
    return tuple(names)


def _comparison(name: Ordering, operand: Any, path: Path) -> Comparison:
    if isinstance(operand, datetime):
        operand = _moment(operand, name, path)
    if isinstance(operand, bool) or not isinstance(operand, int | float | str):
        raise InvalidFilterError(
            f"{name} compares with a number, text or an aware datetime, not {shown(operand)} "
            f"of type {type(operand).__qualname__}{_at(path)}."
        )
    _operand(operand, name, path)
    # Of the plain type, so that a key says the value of, say, a member of a StrEnum.
    if isinstance(operand, str):
        return Comparison(path, name, str.__str__(operand))
    return Comparison(path, name, int(operand) if isinstance(operand, int) else float(operand))


def _one_of(name: str, operand: Any, path: Path) -> OneOf:
    if not isinstance(operand, list | tuple | set | frozenset):
        raise InvalidFilterError(f"{name} takes a list of values, not {shown(operand)}{_at(path)}.")
    found = {_operand(item, name, path) for item in operand}
    return OneOf(path, tuple(sorted(found, key=lambda item: item.text)))


def _operand(value: Any, name: str, path: Path) -> Operand:
    plain = _plain(value, name, path, MAX_DEPTH)
    try:
        return Operand(dump(plain), _form(plain))
    except InvalidInputError as error:
        raise InvalidFilterError(f"The operand of {name}{_at(path)} is not JSON: {error}") from None


def _plain(value: Any, name: str, path: Path, levels: int) -> Any:
    """The operand with its times as text and its keys in order; the rest is for `dump` to judge."""
    if isinstance(value, datetime):
        return _moment(value, name, path)
    if levels == 0:
        return value
    if isinstance(value, Mapping):
        names = sorted(value) if all(isinstance(key, str) for key in value) else value
        return {key: _plain(value[key], name, path, levels - 1) for key in names}
    if isinstance(value, list | tuple):
        return [_plain(item, name, path, levels - 1) for item in value]
    return value


def _moment(value: datetime, name: str, path: Path) -> str:
    try:
        return utc_text(value)
    except InvalidInputError as error:
        raise InvalidFilterError(f"The operand of {name}{_at(path)}: {error}") from None


def _all(members: list[Condition]) -> Condition:
    flat = [
        part for member in members for part in (member.members if type(member) is All else [member])
    ]
    ordered = _ordered(flat)
    return ordered[0] if len(ordered) == 1 else All(ordered)


def _any(members: list[Condition]) -> Condition:
    ordered = _ordered(members)
    return ordered[0] if len(ordered) == 1 else AnyOf(ordered)


def _ordered(members: list[Condition]) -> tuple[Condition, ...]:
    by_key = {member.key(): member for member in members}
    return tuple(by_key[key] for key in sorted(by_key))


def _at(path: Path) -> str:
    return f" at {field_path(*path)!r:.200}" if path else ""


_MISSING = object()
_NOT_JSON = object()


def _member(value: Any, path: Path) -> Any:
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return _MISSING
        value = value[name]
    return value


def _form(value: Any) -> Any:
    """A hashable form of a JSON value: two values are equal if and only if their forms are."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return (bool, value)
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, list | tuple):
        return (list, *(_form(item) for item in value))
    if isinstance(value, dict):
        return (dict, frozenset((key, _form(member)) for key, member in value.items()))
    return _NOT_JSON


def _number(value: float) -> int | float:
    """The number that JSON shows for a float, so that 1e300 is 1 and 300 zeros, as in SQL."""
    if not value.is_integer():
        return value
    return int(value) if abs(value) < 2**53 else int(Decimal(repr(value)))
