"""The SQL that finds a search's candidates and scores all of them exactly.

One statement does it, so that a search costs few round trips. Its parts, as named in it:

- `spaces`: the namespaces at or below the path. All tables begin with a namespace's id, so nothing
  of any other namespace is read.
- `hidden` or `allowed`: without a filter, the few expired items are left out; with one, the items
  that meet it and have not expired are let in.
- `near`: the best by similarity. A small set of vectors is compared exactly; a larger one is
  scanned in half precision, and exactly only the best of that.
- `found`, `worth`, `matched`: the postings of the query's terms, the BM25 score of every item that
  has any, the best of these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from langgraph_memory.store.filters import MATCH_ALL
from langgraph_memory.store.namespaces import bounds
from langgraph_memory.store.operations import Candidates, Ranked, Reads
from langgraph_memory.store.postgres import approximate
from langgraph_memory.store.postgres.connections import Session
from langgraph_memory.store.postgres.filters import to_sql
from langgraph_memory.store.postgres.parameters import Parameters
from langgraph_memory.store.postgres.tables import Tables

__all__ = ["candidates", "within"]

COMPARED_EXACTLY = 400
"""Vectors up to which no scan in half precision comes first."""

MARGIN = 50
"""Candidates taken from half precision beyond those wanted, so that rounding loses none."""


@dataclass(frozen=True, slots=True)
class Matched:
    """The namespaces of a search, summed up."""

    namespaces: int
    items: int
    documents: int
    length: int
    vectors: int
    most_vectors: int
    approximate: Sequence[int]


def within(path: str, column: str = "path") -> tuple[str, dict[str, Any]]:
    """The condition that a path is at or below another, with its parameters."""
    low, high = bounds(path)
    if high is None:
        return "TRUE", {}
    return f"{column} >= %(low)s AND {column} < %(high)s", {"low": low, "high": high}


def candidates(
    session: Session, tables: Tables, search: Ranked, generation: int, now: int
) -> Candidates:
    """See `Transaction.candidates`."""
    matched = _matched(session, tables, search, generation)
    parameters = Parameters(now=now, generation=generation, depth=search.depth)
    parts = _permitted(tables, search, parameters)
    passing = _passing(search)
    searched = search.vector is not None and matched.vectors > 0
    if searched:
        parameters.update({"vector": _vector(search)})
        parts += _near(session, tables, search, matched, parts, passing, parameters)
    if search.terms:
        parts += _worth(tables, search, matched, passing, parameters)
    statement = f"WITH {', '.join(parts)} {_union(tables, search, searched)}"
    rows = session.rows(statement, parameters.values)
    return _candidates(search, matched, rows)


def _matched(session: Session, tables: Tables, search: Ranked, generation: int) -> Matched:
    where, values = within(search.path)
    [row] = session.rows(
        "SELECT count(*), coalesce(sum(items), 0)::int8, coalesce(sum(documents), 0)::int8, "
        "coalesce(sum(length), 0)::int8, coalesce(sum(vectors), 0)::int8, "
        "coalesce(max(most_vectors), 0), "
        "coalesce(array_agg(ns) FILTER (WHERE approximate = %(generation)s), '{}') "
        f"FROM {tables.namespaces} WHERE items > 0 AND {where}",
        {**values, "generation": generation},
    )
    return Matched(*row)


def _vector(search: Ranked) -> Any:
    from pgvector import Vector

    assert search.vector is not None
    return Vector(search.vector)


def _permitted(tables: Tables, search: Ranked, parameters: Parameters) -> list[str]:
    where, values = within(search.path)
    parameters.update(values)
    parts = [
        f"spaces AS MATERIALIZED (SELECT ns FROM {tables.namespaces} WHERE {where})",
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


_LIVING = "{}.item NOT IN (SELECT item FROM hidden)"


def _near(
    session: Session,
    tables: Tables,
    search: Ranked,
    matched: Matched,
    permitted: Sequence[str],
    passing: str,
    parameters: Parameters,
) -> list[str]:
    if matched.vectors <= COMPARED_EXACTLY:
        return [_exactly(tables, matched, "spaces", "ns", f"AND {passing.format('e')} ")]
    kept = search.depth + MARGIN
    # The items of the n best are among the n * m best vectors if none has more than m of them.
    parameters.update({"kept": kept, "scanned": kept * matched.most_vectors})
    searched, nearest = approximate.nearest(
        session,
        tables,
        matched.approximate,
        f"WITH {', '.join(permitted)}",
        passing.format("s"),
        parameters,
    )
    but = ""
    if searched:
        parameters.update({"searched": searched, "nearest": nearest})
        but = "AND s.ns <> ALL (%(searched)s::int8[]) "
    scan = (
        f"scanned AS MATERIALIZED ((SELECT s.ns, s.item, {_AWAY} AS away "
        f"FROM spaces JOIN {tables.sketches} s USING (ns) "
        f"WHERE s.generation = %(generation)s {but}AND {passing.format('s')} "
        "ORDER BY away LIMIT %(scanned)s)"
    )
    if searched:
        scan += (
            f" UNION ALL SELECT s.ns, s.item, {_AWAY} FROM {tables.sketches} s "
            "WHERE s.ns = ANY (%(searched)s::int8[]) AND s.item = ANY (%(nearest)s::int8[]) "
            "AND s.generation = %(generation)s"
        )
    best = (
        "kept AS MATERIALIZED (SELECT ns, item FROM scanned GROUP BY ns, item "
        "ORDER BY min(away) LIMIT %(kept)s)"
    )
    return [f"{scan})", best, _exactly(tables, matched, "kept", "ns, item", "")]


def _exactly(tables: Tables, matched: Matched, of: str, by: str, condition: str) -> str:
    similarity = "-(e.embedding <#> %(vector)b) AS similarity"
    compared = (
        f"SELECT e.ns, e.item, {similarity} FROM {of} JOIN {tables.embeddings} e USING ({by}) "
        f"WHERE e.generation = %(generation)s {condition}"
    )
    if matched.most_vectors > 1:
        # Computed before they are grouped, or whole vectors would be sorted.
        compared = (
            f"SELECT ns, item, max(similarity) AS similarity FROM ({compared} OFFSET 0) e "
            "GROUP BY ns, item "
        )
    return f"near AS MATERIALIZED ({compared}ORDER BY similarity DESC LIMIT %(depth)s)"


_AWAY = "s.embedding <#> %(vector)b::halfvec"


def _worth(
    tables: Tables, search: Ranked, matched: Matched, passing: str, parameters: Parameters
) -> list[str]:
    weights = search.weights
    mean = matched.length / matched.documents if matched.documents else 1.0
    # BM25's denominator is tf + k1 (1 - b + b (length + padding) / (mean + padding)), see
    # `ranking.bm25`: of a form `tf + fixed + per_length * length`.
    per_length = weights.k1 * weights.b / (mean + weights.padding)
    parameters.update(
        {
            "terms": list(search.terms),
            "weights": [float(weight) for weight in search.terms.values()],
            "documents": float(matched.documents),
            "gain": weights.k1 + 1.0,
            "fixed": weights.k1 * (1.0 - weights.b) + per_length * weights.padding,
            "per_length": per_length,
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
        "rarity AS MATERIALIZED (SELECT place, %(gain)s::float8 * (%(weights)s::float8[])[place] * "
        "ln(1.0::float8 + (%(documents)s::float8 - items + 0.5::float8) / (items + 0.5::float8)) "
        "AS weight FROM counted)",
        "worth AS MATERIALIZED (SELECT f.ns, f.item, sum(r.weight * f.tf / "
        "(f.tf + %(fixed)s::float8 + %(per_length)s::float8 * f.length)) AS keyword "
        "FROM found f JOIN rarity r USING (place) GROUP BY f.ns, f.item)",
        "matched AS MATERIALIZED (SELECT w.ns, w.item, w.keyword FROM worth w "
        f"WHERE {passing.format('w')} ORDER BY keyword DESC LIMIT %(depth)s)",
    ]


def _union(tables: Tables, search: Ranked, searched: bool) -> str:
    """Both sides' candidates with both scores, and how often each term occurs.

    Whatever one side proposed and the other scored too is brought together by grouping: the planner
    takes these sets for small ones, and would compare each row of one with each row of the other.
    """
    sides, frequency, similarity = [], "", "u.similarity"
    if searched:
        sides.append("SELECT ns, item, similarity, NULL::float8 AS keyword FROM near")
        similarity = (
            "coalesce(u.similarity, (SELECT max(-(e.embedding <#> %(vector)b)) "
            f"FROM {tables.embeddings} e WHERE e.ns = u.ns AND e.item = u.item "
            "AND e.generation = %(generation)s))"
        )
    if search.terms:
        sides.append("SELECT ns, item, NULL::float8 AS similarity, keyword FROM matched")
        frequency = " UNION ALL SELECT -place, items, 0, NULL, NULL FROM counted"
    if searched and search.terms:
        sides.append(
            "SELECT ns, item, NULL, keyword FROM worth WHERE item IN (SELECT item FROM near)"
        )
    if not sides:
        return "SELECT 0::int8, 0::int8, 0, NULL::float8, NULL::float8 WHERE FALSE"
    return (
        f"SELECT u.item, i.updated_at, i.length, {similarity}, u.keyword FROM (SELECT ns, item, "
        "max(similarity) AS similarity, max(keyword) AS keyword "
        f"FROM ({' UNION ALL '.join(sides)}) s GROUP BY ns, item) u "
        f"JOIN {tables.items} i USING (ns, item){frequency}"
    )


def _candidates(
    search: Ranked, matched: Matched, rows: Sequence[tuple[Any, ...]]
) -> Candidates:
    terms = list(search.terms)
    # Of a term's count the id is its place in the query, below zero.
    frequency = {terms[-row[0] - 1]: int(row[1]) for row in rows if row[0] < 0}
    found = [row for row in rows if row[0] > 0]
    vectors = 0 if search.vector is None else matched.vectors
    return Candidates(
        items=np.array([row[0] for row in found], np.int64),
        updated=np.array([row[1] for row in found], np.int64),
        similarity=_floats([row[3] for row in found], np.nan),
        keyword=_floats([row[4] for row in found], 0.0),
        length=np.array([row[2] for row in found], np.float64),
        documents=matched.documents,
        total_length=matched.length,
        frequency=frequency,
        reads=Reads(matched.namespaces, matched.items, sum(frequency.values()), vectors),
    )


def _floats(
    values: Sequence[float | None], missing: float
) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([missing if value is None else value for value in values], np.float64)
