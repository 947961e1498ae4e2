"""The SQL that finds a search's candidates and scores all of them exactly.

One statement does it, in one round trip and on one state of the database. Its parts:

- `spaces`: the namespaces at or below the path. All tables begin with a namespace's id, so nothing
  of any other namespace is read. Their statistics come back with the candidates.
- `hidden` and `allowed`: the few expired items are left out; with a filter, only the items that
  meet it are let in.
- `near`: the best by similarity. A small set of vectors is compared exactly; a larger one is
  scanned in half precision, and exactly only the best of that.
- `found`, `worth`, `matched`: the postings of the query's terms, the BM25 score of every item that
  has any, the best of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from langgraph_memory.store.filters import MATCH_ALL
from langgraph_memory.store.namespaces import bounds
from langgraph_memory.store.operations import Candidates, Ranked, Reads
from langgraph_memory.store.postgres import approximate
from langgraph_memory.store.postgres.connections import Session
from langgraph_memory.store.postgres.filters import to_sql
from langgraph_memory.store.postgres.statement import Parameters
from langgraph_memory.store.postgres.tables import Tables

__all__ = ["OutdatedError", "Sizes", "candidates", "within"]

COMPARED_EXACTLY = 400
"""Vectors up to which no scan in half precision comes first."""

MOST = 10**9
"""Candidates that a side proposes at most, whatever was asked for."""

MARGIN = 50
"""Candidates taken from half precision beyond those wanted, so that rounding loses none."""


@dataclass(frozen=True, slots=True)
class Totals:
    """The namespaces of a search, summed up.

    Attributes:
        namespaces: How many hold an item.
        items: Items in them.
        documents: Items in the keyword index.
        length: Their length in terms.
        vectors: Vectors.
        generation: The current index.
        approximate: Ids of the namespaces that have an approximate index of this generation.
    """

    namespaces: int
    items: int
    documents: int
    length: int
    vectors: int
    generation: int
    approximate: Sequence[int]

    @classmethod
    def of(cls, numbers: Sequence[int]) -> Totals:
        """From a row of the numbers in this order, the ids last."""
        namespaces, items, documents, length, vectors, generation, *approximate = numbers
        return cls(namespaces, items, documents, length, vectors, generation, approximate)


class Sizes:
    """What the last search below a path found there, by which the next one chooses its way.

    Every way gives the same candidates (but for approximate indexes, which give nearly the same);
    only the fastest differs. So what is remembered may be old.
    """

    LIMIT = 10_000

    def __init__(self) -> None:
        self._totals: dict[str, Totals] = {}
        self._last: Totals | None = None

    def are_small(self, path: str) -> bool:
        """Whether comparing all vectors exactly is best; a path not seen yet is like the last."""
        totals = self._totals.get(path, self._last)
        return totals is not None and totals.vectors <= COMPARED_EXACTLY

    def approximate(self, path: str, generation: int) -> Sequence[int]:
        """Ids of the namespaces that have an approximate index."""
        totals = self._totals.get(path)
        return totals.approximate if totals and totals.generation == generation else ()

    def remember(self, path: str, totals: Totals) -> None:
        """Keep the totals just seen."""
        if len(self._totals) >= self.LIMIT and path not in self._totals:
            self._totals = {}
        self._totals[path] = self._last = totals


class OutdatedError(Exception):
    """The index that a search was made for is not the current one any more."""


def within(path: str, column: str = "path") -> tuple[str, dict[str, Any]]:
    """The condition that a path is at or below another, with its parameters."""
    low, high = bounds(path)
    if high is None:
        return "TRUE", {}
    return f"{column} >= %(low)s AND {column} < %(high)s", {"low": low, "high": high}


def candidates(
    session: Session, tables: Tables, sizes: Sizes, search: Ranked, generation: int, now: int
) -> Candidates:
    """See `Transaction.candidates`.

    Raises:
        OutdatedError: If `generation` is not the current one.
    """
    depth = min(search.depth, MOST)
    parameters = Parameters(now=now, generation=generation, depth=depth)
    parts = _permitted(tables, search, parameters)
    passing = _passing(search)
    if search.vector is not None:
        parameters.update({"vector": _vector(search)})
        if sizes.are_small(search.path):
            parts.append(_exactly(tables, "spaces", "ns", f"AND {passing.format('e')} "))
        else:
            indexed = sizes.approximate(search.path, generation)
            parts += _near(session, tables, indexed, parts, passing, parameters)
    if search.terms:
        parts += _worth(tables, search, passing, parameters)
    rows = session.rows(f"WITH {', '.join(parts)} {_union(tables, search)}", parameters.values)
    [sums] = [row[5] for row in rows if row[0] == 0]
    totals = Totals.of(sums)
    if totals.generation != generation:
        raise OutdatedError
    sizes.remember(search.path, totals)
    return _candidates(search, totals, rows)


def _vector(search: Ranked) -> Any:
    from pgvector import Vector

    assert search.vector is not None
    return Vector(search.vector)


def _permitted(tables: Tables, search: Ranked, parameters: Parameters) -> list[str]:
    where, values = within(search.path)
    parameters.update(values)
    parts = [
        "spaces AS MATERIALIZED (SELECT ns, items, documents, length, vectors, most_vectors, "
        f"approximate FROM {tables.namespaces} WHERE items > 0 AND {where})",
        "hidden AS MATERIALIZED (SELECT i.item FROM spaces "
        f"JOIN {tables.items} i USING (ns) WHERE i.expires_at <= %(now)s)",
    ]
    if search.condition != MATCH_ALL:
        condition, operands = to_sql(search.condition, "d.value")
        # The subquery with OFFSET keeps the text from being parsed once for every member named.
        parts.append(
            "allowed AS MATERIALIZED (SELECT i.item FROM spaces "
            f"JOIN {tables.items} i USING (ns) "
            "CROSS JOIN LATERAL (SELECT i.value::jsonb AS value OFFSET 0) d "
            "WHERE (i.expires_at IS NULL OR i.expires_at > %(now)s) "
            f"AND {parameters.positional(condition, operands)})"
        )
    return parts


def _passing(search: Ranked) -> str:
    """That an item is permitted; a hashed subplan, built once."""
    if search.condition == MATCH_ALL:
        return _LIVING
    return "{}.item IN (SELECT item FROM allowed)"


# Nearly always nothing is hidden, which is then found out once and not for every row.
_LIVING = "((SELECT count(*) = 0 FROM hidden) OR {}.item NOT IN (SELECT item FROM hidden))"


def _near(
    session: Session,
    tables: Tables,
    indexed: Sequence[int],
    permitted: Sequence[str],
    passing: str,
    parameters: Parameters,
) -> list[str]:
    kept = parameters.values["depth"] + MARGIN
    others, indexes = "spaces", ""
    searched, nearest = (
        approximate.nearest(
            session,
            tables,
            indexed,
            f"WITH {', '.join(permitted)}",
            passing.format("s"),
            parameters,
            kept,
        )
        if indexed
        else ([], [])
    )
    if searched:
        parameters.update({"searched": searched, "nearest": nearest})
        # Left out before anything of theirs is read.
        others = "(SELECT ns FROM spaces WHERE ns <> ALL (%(searched)s::int8[])) others"
        indexes = (
            f" UNION ALL SELECT s.ns, s.item, {_AWAY} FROM {tables.sketches} s "
            "WHERE s.ns = ANY (%(searched)s::int8[]) AND s.item = ANY (%(nearest)s::int8[]) "
            "AND s.generation = %(generation)s"
        )
    parameters.update({"kept": kept})
    return [
        # The items of the n best are among the n * m best vectors if none has more than m of them.
        f"scanned AS MATERIALIZED ((SELECT s.ns, s.item, {_AWAY} AS away "
        f"FROM {others} JOIN {tables.sketches} s USING (ns) "
        f"WHERE s.generation = %(generation)s AND {passing.format('s')} ORDER BY away "
        f"LIMIT %(kept)s * (SELECT max(most_vectors) FROM spaces)){indexes})",
        "kept AS MATERIALIZED (SELECT ns, item FROM scanned GROUP BY ns, item "
        "ORDER BY min(away) LIMIT %(kept)s)",
        _exactly(tables, "kept", "ns, item", ""),
    ]


# In a subquery the vector is made half as precise once, in a kept plan otherwise for every row.
_AWAY = "s.embedding <#> (SELECT %(vector)b::halfvec)"


def _exactly(tables: Tables, of: str, by: str, condition: str) -> str:
    # Similarities are computed before they are grouped, or whole vectors would be sorted.
    return (
        "near AS MATERIALIZED (SELECT ns, item, max(updated_at) AS updated_at, "
        "max(length) AS length, max(similarity) AS similarity FROM "
        "(SELECT e.ns, e.item, e.updated_at, e.length, "
        "-(e.embedding <#> %(vector)b) AS similarity "
        f"FROM {of} JOIN {tables.embeddings} e USING ({by}) "
        f"WHERE e.generation = %(generation)s {condition}OFFSET 0) e "
        "GROUP BY ns, item ORDER BY similarity DESC LIMIT %(depth)s)"
    )


def _worth(tables: Tables, search: Ranked, passing: str, parameters: Parameters) -> list[str]:
    weights = search.weights
    parameters.update(
        {
            "terms": list(search.terms),
            "weights": [float(weight) for weight in search.terms.values()],
            "k1": float(weights.k1),
            "b": float(weights.b),
            "padding": float(weights.padding),
            "rarity": float(weights.rarity),
        }
    )
    return [
        "found AS MATERIALIZED (SELECT q.place, p.ns, p.item, p.tf::float8 AS tf, "
        "p.length::float8 AS length FROM spaces CROSS JOIN "
        "unnest(%(terms)s::text[]) WITH ORDINALITY q (term, place) "
        f"JOIN {tables.postings} p ON p.ns = spaces.ns AND p.term = q.term "
        # Statistics are those of all living items, whether they meet the filter or not.
        f"WHERE {_LIVING.format('p')})",
        "counted AS MATERIALIZED (SELECT place, count(*) AS items FROM found GROUP BY place)",
        # See `ranking.bm25`. What does not depend on the item is computed once for each term: its
        # weight, and the two parts of tf + fixed + per_length * length.
        "averages AS MATERIALIZED (SELECT sum(documents)::float8 AS documents, "
        "%(k1)s::float8 * %(b)s::float8 / coalesce(nullif(%(padding)s::float8 + "
        "coalesce(sum(length)::float8 / nullif(sum(documents), 0)::float8, 1), 0), 1) "
        "AS per_length "
        "FROM spaces)",
        "rarity AS MATERIALIZED (SELECT c.place, a.per_length, "
        "%(k1)s::float8 * (1 - %(b)s::float8) + a.per_length * %(padding)s::float8 AS fixed, "
        "(%(k1)s::float8 + 1) * (%(weights)s::float8[])[c.place] * power(ln(1.0::float8 + "
        "(greatest(a.documents - c.items, 0) + 0.5::float8) / (c.items + 0.5::float8)), "
        "%(rarity)s::float8) AS weight "
        "FROM counted c CROSS JOIN averages a)",
        "worth AS MATERIALIZED (SELECT f.ns, f.item, max(f.length)::int4 AS length, "
        "sum(r.weight * f.tf / (f.tf + r.fixed + r.per_length * f.length)) AS keyword "
        "FROM found f JOIN rarity r USING (place) GROUP BY f.ns, f.item)",
        "matched AS MATERIALIZED (SELECT w.ns, w.item, w.length, w.keyword FROM worth w "
        f"WHERE {passing.format('w')} ORDER BY keyword DESC LIMIT %(depth)s)",
    ]


def _union(tables: Tables, search: Ranked) -> str:
    """Both sides' candidates with both scores, how often each term occurs, and the totals.

    Whatever one side proposed and the other scored too is brought together by grouping: the planner
    takes these sets for small ones, and would compare each row of one with each row of the other.
    """
    sides, similarity = [], "NULL::float8"
    rows = [
        "SELECT 0::int8, 0::int8, 0, NULL::float8, NULL::float8, ARRAY[count(*), "
        "coalesce(sum(items), 0), coalesce(sum(documents), 0), coalesce(sum(length), 0), "
        "coalesce(sum(vectors), 0), "
        f"(SELECT generation FROM {tables.generations} WHERE is_current)]::int8[] || "
        "coalesce(array_agg(ns) FILTER (WHERE approximate = %(generation)s), '{}') FROM spaces"
    ]
    if search.vector is not None:
        sides.append(
            "SELECT ns, item, updated_at, length, similarity, NULL::float8 AS keyword FROM near"
        )
        similarity = (
            "coalesce(u.similarity, (SELECT max(-(e.embedding <#> %(vector)b)) "
            f"FROM {tables.embeddings} e WHERE e.ns = u.ns AND e.item = u.item "
            "AND e.generation = %(generation)s))"
        )
    if search.terms:
        sides.append(
            "SELECT ns, item, NULL::int8 AS updated_at, length, NULL::float8 AS similarity, "
            "keyword FROM matched"
        )
        rows.append("SELECT -place, items, 0, NULL, NULL, NULL FROM counted")
    if search.vector is not None and search.terms:
        sides.append(
            "SELECT ns, item, NULL, length, NULL, keyword FROM worth "
            "WHERE item IN (SELECT item FROM near)"
        )
    if sides:
        united = sides[0]
        if len(sides) > 1:
            united = (
                "SELECT ns, item, max(updated_at) AS updated_at, max(length) AS length, "
                "max(similarity) AS similarity, max(keyword) AS keyword "
                f"FROM ({' UNION ALL '.join(sides)}) s GROUP BY ns, item"
            )
        rows.append(
            "SELECT u.item, coalesce(u.updated_at, (SELECT i.updated_at "
            f"FROM {tables.items} i WHERE i.item = u.item)), u.length, {similarity}, u.keyword, "
            f"NULL FROM ({united}) u"
        )
    return " UNION ALL ".join(rows)


def _candidates(search: Ranked, totals: Totals, rows: Sequence[tuple[Any, ...]]) -> Candidates:
    terms = list(search.terms)
    # Of a term's count the id is its place in the query, below zero.
    frequency = {terms[-row[0] - 1]: int(row[1]) for row in rows if row[0] < 0}
    found = [row for row in rows if row[0] > 0]
    return Candidates(
        items=np.array([row[0] for row in found], np.int64),
        updated=np.array([row[1] for row in found], np.int64),
        similarity=_floats([row[3] for row in found], np.nan),
        keyword=_floats([row[4] for row in found], 0.0),
        length=np.array([row[2] for row in found], np.float64),
        documents=totals.documents,
        total_length=totals.length,
        frequency=frequency,
        reads=Reads(
            totals.namespaces,
            totals.items,
            sum(frequency.values()),
            0 if search.vector is None else totals.vectors,
        ),
    )


def _floats(
    values: Sequence[float | None], missing: float
) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([missing if value is None else value for value in values], np.float64)
