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
from langgraph_memory.store.operations import Candidates, Ranked, Reads, Row
from langgraph_memory.store.postgres import approximate
from langgraph_memory.store.postgres.connections import Session
from langgraph_memory.store.postgres.filters import to_sql
from langgraph_memory.store.postgres.statement import Parameters, numbers
from langgraph_memory.store.postgres.tables import Tables

__all__ = ["OutdatedError", "Sizes", "TornError", "candidates", "within"]

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
        most_vectors: The largest number of vectors that one item has, or had.
        generation: The current index.
        approximate: Ids of the namespaces that have an approximate index of this generation.
    """

    namespaces: int
    items: int
    documents: int
    length: int
    vectors: int
    most_vectors: int
    generation: int
    approximate: Sequence[int]

    @classmethod
    def of(cls, numbers: Sequence[int]) -> Totals:
        """From a row of the numbers in this order, the ids last."""
        *counts, generation = numbers[:7]
        namespaces, items, documents, length, vectors, most_vectors = counts
        return cls(
            namespaces,
            items,
            documents,
            length,
            vectors,
            most_vectors,
            generation,
            numbers[7:],
        )


class Sizes:
    """What the last search below a path found there, by which the next one chooses its way.

    What is remembered may be old, and only the fastest way is chosen by it. Every way gives the
    same candidates, but for approximate indexes, which give nearly the same, and for `have_one`,
    which is checked.
    """

    LIMIT = 10_000

    def __init__(self) -> None:
        self._totals: dict[str, Totals] = {}
        self._last: Totals | None = None

    def are_small(self, path: str) -> bool:
        """Whether comparing all vectors exactly is best; a path not seen yet is like the last."""
        totals = self._totals.get(path, self._last)
        return totals is not None and totals.vectors <= COMPARED_EXACTLY

    def have_one(self, path: str) -> bool:
        """Whether no item has more than one vector."""
        totals = self._totals.get(path, self._last)
        return totals is not None and totals.most_vectors <= 1

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


class TornError(Exception):
    """An item that a search found was changed before it was read."""


def within(path: str, column: str = "path") -> tuple[str, dict[str, Any]]:
    """The condition that a path is at or below another, with its parameters."""
    low, high = bounds(path)
    if high is None:
        return "TRUE", {}
    return f"{column} >= %(low)s AND {column} < %(high)s", {"low": low, "high": high}


def candidates(
    session: Session, tables: Tables, sizes: Sizes, search: Ranked, generation: int, now: int
) -> tuple[Candidates, list[Row]]:
    """See `Transaction.candidates`; with the rows of the page, where its order is known already.

    Raises:
        OutdatedError: If `generation` is not the current one.
    """
    while True:
        one_each = sizes.have_one(search.path)
        statement, parameters = _statement(
            session, tables, sizes, search, generation, now, one_each
        )
        rows = session.rows(statement, parameters.values)
        [sums] = [row[NUMBERS] for row in rows if row[0] == 0]
        totals = Totals.of(sums)
        if totals.generation != generation:
            raise OutdatedError
        sizes.remember(search.path, totals)
        if not one_each or totals.most_vectors <= 1:
            return _candidates(search, totals, rows), _rows(rows)


def _statement(
    session: Session,
    tables: Tables,
    sizes: Sizes,
    search: Ranked,
    generation: int,
    now: int,
    one_each: bool,
) -> tuple[str, Parameters]:
    # A page of similarities alone needs no more than its own items, which the database can order.
    depth = min(search.limit + search.offset if search.mode == "vector" else search.depth, MOST)
    parameters = Parameters(now=now, generation=generation, depth=depth)
    parts = _permitted(tables, search, parameters)
    passing = _passing(search)
    if search.vector is not None:
        parameters.update({"vector": _vector(search)})
        if sizes.are_small(search.path):
            living = f"AND {passing.format('e')} "
            parts.append(_exactly(tables, "spaces", "ns", living, one_each))
        else:
            indexed = sizes.approximate(search.path, generation)
            parts += _near(session, tables, indexed, parts, passing, parameters)
            parts.append(_exactly(tables, "kept", "ns, item", "", one_each))
    if search.terms:
        parts += _worth(tables, search, passing, parameters)
    return f"WITH {', '.join(parts)} {_results(tables, search)}", parameters


def _vector(search: Ranked) -> Any:
    from pgvector import Vector

    assert search.vector is not None
    return Vector(search.vector)


def _permitted(tables: Tables, search: Ranked, parameters: Parameters) -> list[str]:
    where, values = within(search.path)
    parameters.update(values)
    parts = [
        "spaces AS MATERIALIZED (SELECT ns, path, items, documents, length, vectors, "
        f"most_vectors, approximate FROM {tables.namespaces} WHERE items > 0 AND {where})",
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
    ]


# In a subquery the vector is made half as precise once, in a kept plan otherwise for every row.
_AWAY = "s.embedding <#> (SELECT %(vector)b::halfvec)"


def _exactly(tables: Tables, of: str, by: str, condition: str, one_each: bool) -> str:
    compared = (
        "SELECT e.ns, e.item, e.updated_at, e.length, -(e.embedding <#> %(vector)b) AS similarity "
        f"FROM {of} JOIN {tables.embeddings} e USING ({by}) "
        f"WHERE e.generation = %(generation)s {condition}"
    )
    if not one_each:
        # Similarities are computed before they are grouped, or whole vectors would be sorted.
        compared = (
            "SELECT ns, item, max(updated_at) AS updated_at, max(length) AS length, "
            f"max(similarity) AS similarity FROM ({compared}OFFSET 0) e GROUP BY ns, item "
        )
    return (
        f"near AS MATERIALIZED ({compared}ORDER BY similarity DESC, updated_at DESC "
        "FETCH FIRST %(depth)s ROWS WITH TIES)"
    )


def _worth(tables: Tables, search: Ranked, passing: str, parameters: Parameters) -> list[str]:
    parameters.update(
        {
            "terms": " ".join(search.terms),
            "weights": numbers(float(weight) for weight in search.terms.values()),
        }
    )
    # Numbers that hardly ever differ stand in the text: the server computes with them once.
    k1, b, padding, rarity = (
        f"{float(number)!r}::float8"
        for number in (
            search.weights.k1,
            search.weights.b,
            search.weights.padding,
            search.weights.rarity,
        )
    )
    return [
        "found AS MATERIALIZED (SELECT q.place, p.ns, p.item, p.tf, p.length "
        "FROM spaces CROSS JOIN "
        "unnest(string_to_array(%(terms)s, ' ')) WITH ORDINALITY q (term, place) "
        f"JOIN {tables.postings} p ON p.ns = spaces.ns AND p.term = q.term "
        # Statistics are those of all living items, whether they meet the filter or not.
        f"WHERE {_LIVING.format('p')})",
        "counted AS MATERIALIZED (SELECT place, count(*) AS items FROM found GROUP BY place)",
        # See `ranking.bm25`. What does not depend on the item is computed once for each term: its
        # weight, and the two parts of tf + fixed + per_length * length.
        "rarity AS MATERIALIZED (SELECT c.place, a.per_length, "
        f"{k1} * (1 - {b}) + a.per_length * {padding} AS fixed, "
        f"({k1} + 1) * (%(weights)s::float8[])[c.place] * power(ln(1 + "
        f"(greatest(a.documents - c.items, 0) + 0.5::float8) / (c.items + 0.5::float8)), {rarity}) "
        "AS weight FROM counted c CROSS JOIN (SELECT sum(documents)::float8 AS documents, "
        f"{k1} * {b} / coalesce(nullif({padding} + "
        "coalesce(sum(length)::float8 / nullif(sum(documents), 0)::float8, 1), 0), 1) "
        "AS per_length FROM spaces) a)",
        "worth AS MATERIALIZED (SELECT f.ns, f.item, max(f.length) AS length, "
        "sum(r.weight * f.tf / (f.tf + r.fixed + r.per_length * f.length)) AS keyword "
        "FROM found f JOIN rarity r USING (place) GROUP BY f.ns, f.item)",
        "matched AS MATERIALIZED (SELECT w.ns, w.item, w.length, w.keyword FROM worth w "
        f"WHERE {passing.format('w')} ORDER BY keyword DESC LIMIT %(depth)s)",
    ]


NUMBERS = 5
"""The place of the totals' numbers in a row of the result."""


def _results(tables: Tables, search: Ranked) -> str:
    """The totals, how often each term occurs, and the candidates with their scores.

    A row has an id, `updated_at`, length, similarity, keyword score, the numbers of the totals, and
    for a page the rest of the item. The id is 0 for the totals, and for a term its place, negative.
    Of a candidate of both sides there are two rows, brought together in Python: the planner takes
    these sets for small ones, and would compare each row of one with each row of the other.
    """
    with_rows = search.mode == "vector"
    none = ", NULL::text, NULL::text, NULL::text, NULL::int8, NULL::float8" if with_rows else ""
    rows = [
        "SELECT 0::int8, 0::int8, 0, NULL::float8, NULL::float8, ARRAY[count(*), "
        "coalesce(sum(items), 0), coalesce(sum(documents), 0), coalesce(sum(length), 0), "
        "coalesce(sum(vectors), 0), coalesce(max(most_vectors), 0), "
        f"(SELECT generation FROM {tables.generations} WHERE is_current)]::int8[] || "
        "coalesce(array_agg(ns) FILTER (WHERE approximate = %(generation)s), '{}')"
        f"{none} FROM spaces"
    ]
    if with_rows:
        rows.append(
            "SELECT c.item, c.updated_at, c.length, c.similarity, NULL, NULL, n.path, i.key, "
            "i.value, i.created_at, i.ttl_minutes FROM near c JOIN spaces n ON n.ns = c.ns "
            f"JOIN {tables.items} i ON i.item = c.item"
        )
    elif search.vector is not None:
        rows.append("SELECT item, updated_at, length, similarity, NULL, NULL FROM near")
    if search.terms:
        updated = f"(SELECT i.updated_at FROM {tables.items} i WHERE i.item = w.item)"
        chosen, similarity = "matched w", "NULL"
        if search.vector is not None:
            chosen = (
                "(SELECT *, item IN (SELECT item FROM near) AS is_near FROM worth) w "
                "WHERE is_near OR item IN (SELECT item FROM matched)"
            )
            updated = f"CASE WHEN NOT is_near THEN {updated} END"
            similarity = (
                "CASE WHEN NOT is_near THEN (SELECT max(-(e.embedding <#> %(vector)b)) "
                f"FROM {tables.embeddings} e WHERE e.ns = w.ns AND e.item = w.item "
                "AND e.generation = %(generation)s) END"
            )
        rows.append(
            f"SELECT w.item, {updated}, w.length, {similarity}, w.keyword, NULL FROM {chosen}"
        )
        rows.append("SELECT -place, items, 0, NULL, NULL, NULL FROM counted")
    return " UNION ALL ".join(rows)


def _candidates(search: Ranked, totals: Totals, rows: Sequence[tuple[Any, ...]]) -> Candidates:
    terms = list(search.terms)
    frequency: dict[str, int] = {}
    updated: dict[int, int] = {}
    length: dict[int, int] = {}
    similarity: dict[int, float] = {}
    keyword: dict[int, float] = {}
    for row in rows:
        item = row[0]
        if item < 0:
            frequency[terms[-item - 1]] = row[1]
        elif item > 0:
            if row[1] is not None:
                updated[item] = row[1]
            length[item] = row[2]
            if row[3] is not None:
                similarity[item] = row[3]
            if row[4] is not None:
                keyword[item] = row[4]
    return Candidates(
        items=np.array(list(updated), np.int64),
        updated=np.array(list(updated.values()), np.int64),
        similarity=np.array([similarity.get(item, np.nan) for item in updated], np.float64),
        keyword=np.array([keyword.get(item, 0.0) for item in updated], np.float64),
        length=np.array([length[item] for item in updated], np.float64),
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


def _rows(rows: Sequence[tuple[Any, ...]]) -> list[Row]:
    if len(rows[0]) <= NUMBERS + 1:
        return []
    return [
        Row(item, path, key, value, created_at, updated_at, ttl)
        for item, updated_at, _, _, _, _, path, key, value, created_at, ttl in rows
        if item > 0
    ]
