"""Namespaces as text: one path per namespace, whose ranges are whole segments.

LangGraph forbids a full stop in labels, so labels joined by full stops are unambiguous, and with
one at the end as well a namespace and everything below it is one range of paths: ``("a", "b")``
is ``a.b.`` and reaches up to, not including, ``a.b/``, the next text after every ``a.b.…``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from langgraph.store.base import (
    InvalidNamespaceError,
    MatchCondition,
    Op,
    PutOp,
    validate_op_namespace,
)

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.store.escape import escape, unescape

__all__ = [
    "MAX_BYTES",
    "bounds",
    "bytes_of",
    "labels_of",
    "listed",
    "path_of",
    "range_of",
    "validate",
]

Namespace = tuple[str, ...]
MAX_BYTES = 2_000
"""Bytes of a path or a key as stored: what an index of either database can hold."""


def bytes_of(escaped: str) -> int:
    """Size of an escaped text in UTF-8."""
    return len(escaped) if escaped.isascii() else len(escaped.encode())


def path_of(namespace: Namespace) -> str:
    """The path of a namespace; empty for the root."""
    return "".join(f"{escape(label)}." for label in namespace)


def labels_of(path: str) -> Namespace:
    """The namespace of a path."""
    return tuple(unescape(label) for label in path.split(".")[:-1])


def range_of(namespace: Namespace) -> tuple[str, str | None]:
    """Paths at or below a namespace: from the first, included, to the second, excluded.

    The second is None for the root, below which everything is.
    """
    return bounds(path_of(namespace))


def bounds(path: str) -> tuple[str, str | None]:
    """The range of a path, see `range_of`."""
    return path, f"{path[:-1]}/" if path else None


def validate(op: Op) -> None:
    """Check the namespaces of an operation as `BaseStore` does before it calls `batch`.

    Raises:
        InvalidNamespaceError: If a label is no text, is empty or holds a full stop or NUL, or if
            something is to be written to the root or below ``langgraph``.
    """
    namespace = getattr(op, "namespace", ()) or getattr(op, "namespace_prefix", ())
    if isinstance(namespace, str):
        raise InvalidNamespaceError(
            f"A namespace is a tuple of labels, got the text {namespace!r}: write ({namespace!r},)."
        )
    if isinstance(op, PutOp) and op.value is not None:
        if not op.namespace:
            raise InvalidNamespaceError("Namespace cannot be empty: name at least one label.")
        if op.namespace[0] == "langgraph":
            raise InvalidNamespaceError(
                f'The root label "langgraph" is reserved, got {tuple(op.namespace)}.'
            )
    try:
        validate_op_namespace(op)
    except InvalidNamespaceError as error:
        if "periods" in str(error):
            raise InvalidNamespaceError(
                f"{error} For e-mail addresses and other free text use "
                "langgraph_memory.store.encode_label(text), which decode_label undoes."
            ) from None
        raise
    size = bytes_of(path_of(tuple(namespace)))
    if size > MAX_BYTES:
        raise InvalidInputError(
            f"A namespace may have at most {MAX_BYTES:,} bytes in all its labels as UTF-8, "
            f"got {size:,}. Use shorter labels, such as a digest."
        )


def matching_range(conditions: Sequence[MatchCondition]) -> tuple[str, str | None]:
    """The narrowest range of paths in which namespaces that meet all conditions lie."""
    best: Namespace = ()
    for condition in conditions:
        if condition.match_type == "prefix":
            literal = tuple(condition.path)
            if "*" in literal:
                literal = literal[: literal.index("*")]
            best = max(best, literal, key=len)
    return range_of(best)


def listed(
    paths: Iterable[str],
    conditions: Sequence[MatchCondition],
    max_depth: int | None,
    limit: int,
    offset: int,
) -> list[Namespace]:
    """The namespaces of `paths` that meet all conditions, cut to a depth, sorted, one page."""
    found = {
        namespace[:max_depth]
        for namespace in map(labels_of, paths)
        if all(_meets(namespace, condition) for condition in conditions)
    }
    return sorted(found)[offset : offset + limit]


def _meets(namespace: Namespace, condition: MatchCondition) -> bool:
    wanted = tuple(condition.path)
    if len(wanted) > len(namespace):
        return False
    if not wanted:
        return True
    part = (
        namespace[: len(wanted)] if condition.match_type == "prefix" else namespace[-len(wanted) :]
    )
    return all(pattern in ("*", label) for pattern, label in zip(wanted, part, strict=True))
