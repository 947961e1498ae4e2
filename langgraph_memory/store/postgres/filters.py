"""A filter's condition as SQL over a `jsonb` expression, with the answer of `filters.matches`.

Nothing in the SQL can fail, whatever a stored member is: no member is cast. Numbers are compared
by the order of `jsonb`, which for two numbers is that of `numeric`; text is compared under
`COLLATE "C"`, which in a UTF-8 database is code point order, also of the texts before they were
escaped (see `store.escape`). Every condition is true or false, never NULL, so it can be negated.
"""

from __future__ import annotations

from typing import Any

from langgraph_memory.store.escape import dump, escape
from langgraph_memory.store.filters import (
    All,
    AnyOf,
    Comparison,
    Condition,
    Exists,
    IsObject,
    Not,
    OneOf,
    Path,
)

__all__ = ["to_sql"]

_SIGNS = {"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}


def to_sql(condition: Condition, column: str) -> tuple[str, list[Any]]:
    """Write a condition as SQL.

    Args:
        condition: From `filters.parse`.
        column: SQL text, without placeholders, of a `jsonb` expression that holds the value as
            `escape.dump` writes it, e.g. `item.value`. Written by the back end, never by a user.

    Returns:
        A boolean expression, in parentheses where needed, with `%s` placeholders for psycopg, and
        their parameters. Names and operands are parameters; none is part of the text.
    """
    parameters: list[Any] = []
    return _sql(condition, column, parameters), parameters


def _sql(condition: Condition, column: str, parameters: list[Any]) -> str:
    match condition:
        case All(members):
            return _joined(members, " AND ", "TRUE", column, parameters)
        case AnyOf(members):
            return _joined(members, " OR ", "FALSE", column, parameters)
        case Not(negated):
            return f"(NOT {_sql(negated, column, parameters)})"
        case OneOf():
            return _one_of(condition, column, parameters)
        case Comparison():
            return _comparison(condition, column, parameters)
        case Exists(path):
            return f"({_member(path, column, parameters)} IS NOT NULL)"
        case IsObject(path):
            found = _member(path, column, parameters)
            return f"coalesce(jsonb_typeof({found}) = 'object', FALSE)"
        case _:
            raise TypeError(f"{type(condition).__qualname__} is no condition of filters.parse.")


def _joined(
    members: tuple[Condition, ...], word: str, empty: str, column: str, parameters: list[Any]
) -> str:
    if not members:
        return empty
    return "(" + word.join(_sql(member, column, parameters) for member in members) + ")"


def _member(path: Path, column: str, parameters: list[Any]) -> str:
    # Not `#>`: it reads a name such as "0" as a place in a list. `->` with text leads into
    # objects alone and gives NULL for all else.
    parameters.extend(escape(name) for name in path)
    return f"({column}{' -> %s::text' * len(path)})"


def _one_of(condition: OneOf, column: str, parameters: list[Any]) -> str:
    member = _member(condition.path, column, parameters)
    missing = "TRUE" if any(operand.is_null for operand in condition.operands) else "FALSE"
    texts = [operand.text for operand in condition.operands]
    if len(texts) == 1:
        parameters.append(texts[0])
        return f"coalesce({member} = %s::jsonb, {missing})"
    parameters.append(texts)
    return f"coalesce({member} = ANY(%s::text[]::jsonb[]), {missing})"


def _comparison(condition: Comparison, column: str, parameters: list[Any]) -> str:
    sign = _SIGNS[condition.ordering]
    # The member is written twice; each writing adds its own names to the parameters.
    typed = f"jsonb_typeof({_member(condition.path, column, parameters)})"
    member = _member(condition.path, column, parameters)
    if isinstance(condition.operand, str):
        parameters.append(escape(condition.operand))
        test = f"""{typed} = 'string' AND ({member} #>> '{{}}') COLLATE "C" {sign} %s::text"""
    else:
        parameters.append(dump(condition.operand))
        test = f"{typed} = 'number' AND {member} {sign} %s::jsonb"
    return f"coalesce({test}, FALSE)"
