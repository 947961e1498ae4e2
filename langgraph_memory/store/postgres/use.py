"""Counting a use of records in one statement: no two uses at the same time are counted as one."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph_memory.records import LIFETIMES
from langgraph_memory.store.postgres.connections import Session
from langgraph_memory.store.postgres.tables import Tables

__all__ = ["count_use"]

_TEXTS = ("content", "type", "id", "scope", "status", "created_at", "last_accessed_at")
_NUMBERS = ("heat", "access_count")


def count_use(session: Session, tables: Tables, path: str, keys: Sequence[str], now: int) -> int:
    """See `Transaction.touch`; what a record becomes is what `records.used` makes of it.

    A record is what `records.is_record` says. Its JSON text is put together again member by member,
    so that order and form of everything else stay.
    """
    # Locked in the order that writers lock items in, and read once the lock is held.
    return session.run(
        f"""
        UPDATE {tables.items} i SET value = t.value FROM (
            SELECT i.item, (
                SELECT json_object_agg(m.key, CASE m.key
                    WHEN 'heat' THEN to_json(u.heat)
                    WHEN 'access_count' THEN to_json(trunc((d.value ->> m.key)::numeric) + 1)
                    WHEN 'last_accessed_at' THEN to_json(to_char(
                        greatest(u.last, u.now) AT TIME ZONE 'UTC',
                        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'
                    ))
                    ELSE m.value
                END ORDER BY m.place)::text
                FROM json_each(i.value::json) WITH ORDINALITY AS m (key, value, place)
            ) AS value
            FROM {tables.items} i
            JOIN {tables.namespaces} n ON n.ns = i.ns
            CROSS JOIN LATERAL (SELECT i.value::jsonb AS value OFFSET 0) d
            JOIN unnest(%(types)s::text[], %(half_lives)s::float8[]) AS l (type, days)
                ON l.type = d.value ->> 'type'
            CROSS JOIN LATERAL (SELECT
                {tables.moment}(d.value ->> 'last_accessed_at') AS last,
                'epoch'::timestamptz + %(now)s * interval '1 microsecond' AS now
            ) w
            CROSS JOIN LATERAL (SELECT w.last, w.now,
                greatest(0.0, (d.value ->> 'heat')::float8) * exp(-ln(2.0::float8) / l.days
                    * greatest(0.0, extract(epoch FROM w.now - w.last) / 86400)::float8) + 1 AS heat
            ) u
            WHERE n.path = %(path)s AND i.key = ANY (%(keys)s)
            AND (i.expires_at IS NULL OR i.expires_at > %(now)s)
            AND {_all_of("string", _TEXTS)} AND {_all_of("number", _NUMBERS)}
            AND w.last IS NOT NULL
            ORDER BY i.item FOR UPDATE OF i
        ) t WHERE i.item = t.item
        """,
        {
            "path": path,
            "keys": list(keys),
            "now": now,
            "types": [str(type_) for type_ in LIFETIMES],
            "half_lives": [lifetime.half_life_days for lifetime in LIFETIMES.values()],
        },
    )


def _all_of(kind: str, members: Sequence[str]) -> str:
    return " AND ".join(f"jsonb_typeof(d.value -> '{name}') = '{kind}'" for name in members)
