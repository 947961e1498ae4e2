"""What is Postgres' own: pools, schemas, poolers, migrations, large namespaces, many dimensions."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import psycopg
import pytest
from langgraph.store.base import GetOp, PutOp
from numpy.typing import NDArray
from psycopg import sql
from psycopg_pool import ConnectionPool

from langgraph_memory.errors import InvalidInputError, StoreClosedError, StoreUnavailableError
from langgraph_memory.store import migrations
from langgraph_memory.store.migrations import Migration
from langgraph_memory.store.postgres import PostgresMemoryStore
from langgraph_memory.store.postgres.connections import Connections
from langgraph_memory.store.postgres.schema import migrate
from langgraph_memory.store.postgres.tables import Tables

DIMS = 64
Array = NDArray[np.float64]


class Planted:
    """Embeds `v<number>` as one of a set of random vectors, and `near v<number>` close to it."""

    def __init__(self, dims: int = DIMS, count: int = 2_000) -> None:
        random = np.random.default_rng(7)
        vectors = random.standard_normal((count, dims))
        self.vectors: Array = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        self.noise: Array = random.standard_normal((count, dims)) / np.sqrt(dims)
        self.index = {"dims": dims, "embed": self, "fields": ["text"], "name": f"planted {dims}"}

    def __call__(self, texts: list[str]) -> list[list[float]]:
        return [self.vector(text).tolist() for text in texts]

    def vector(self, text: str) -> Array:
        number = int(text.rpartition("v")[2])
        vector: Array = self.vectors[number]
        return vector + 0.3 * self.noise[number] if text.startswith("near") else vector

    def nearest(self, text: str, limit: int, among: range) -> list[str]:
        scores = self.vectors[among.start : among.stop] @ self.vector(text)
        return [f"k{among.start + place}" for place in np.argsort(-scores)[:limit]]


def fill(store: PostgresMemoryStore, namespace: tuple[str, ...], numbers: range) -> None:
    store.batch([PutOp(namespace, f"k{n}", {"text": f"v{n}", "n": n}) for n in numbers])


@pytest.fixture
def planted() -> Planted:
    return Planted()


class TestConnecting:
    def test_by_a_pool_that_stays_open(self, postgres_database: str) -> None:
        with ConnectionPool(postgres_database, min_size=1, max_size=2, open=True) as pool:
            with PostgresMemoryStore(pool) as store:
                store.put(("a",), "k", {"n": 1})
                assert store.get(("a",), "k") is not None
                with pytest.raises(InvalidInputError):
                    store.search(("a",), limit=-1)
            with pool.connection() as connection:
                assert not connection.autocommit
                row = connection.execute("SELECT 1").fetchone()
            assert row == (1,)

    def test_a_failure_leaves_a_lent_connection_usable(self, postgres_database: str) -> None:
        with ConnectionPool(postgres_database, min_size=1, max_size=1, open=True) as pool:
            store = PostgresMemoryStore(pool)
            item = store.put_if_version(("a",), "k", {"n": 1}, version=None)
            with pytest.raises(Exception, match="expected no item"):
                store.put_if_version(("a",), "k", {"n": 2}, version=None)
            assert store.put_if_version(("a",), "k", {"n": 3}, version=item) > item
            store.close()

    @pytest.mark.parametrize("source", [None, 5, object()])
    def test_by_nothing_else(self, source: Any) -> None:
        with pytest.raises(InvalidInputError, match="connection string"):
            PostgresMemoryStore(source)

    def test_no_connections(self) -> None:
        with pytest.raises(InvalidInputError, match="max_connections"):
            PostgresMemoryStore("postgresql://nowhere", max_connections=0)

    def test_more_dimensions_than_the_database_holds(self) -> None:
        index = {"dims": 16_001, "embed": lambda texts: []}
        with pytest.raises(InvalidInputError, match="16,000"):
            PostgresMemoryStore("postgresql://nowhere", index=index)

    def test_a_server_that_is_not_there(self) -> None:
        store = PostgresMemoryStore("postgresql://nobody@127.0.0.1:1/nothing")
        with pytest.raises(StoreUnavailableError, match=r"127\.0\.0\.1"):
            store.get(("a",), "k")
        store.close()

    def test_closed(self, postgres_database: str) -> None:
        store = PostgresMemoryStore(postgres_database)
        store.put(("a",), "k", {})
        store.close()
        with pytest.raises(StoreClosedError):
            store.get(("a",), "k")

    @pytest.mark.parametrize("writing", [True, False])
    def test_a_server_that_closed_idle_connections(
        self, postgres_database: str, writing: bool
    ) -> None:
        with PostgresMemoryStore(postgres_database, max_connections=2) as store:
            store.put(("a",), "k", {"n": 0 if writing else 1})
            with psycopg.connect(postgres_database, autocommit=True) as other:
                other.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            if writing:
                store.put(("a",), "k", {"n": 1})
            item = store.get(("a",), "k")
            assert item is not None
            assert item.value == {"n": 1}

    def test_more_threads_than_connections(self, postgres_database: str) -> None:
        with (
            PostgresMemoryStore(postgres_database, max_connections=2) as store,
            ThreadPoolExecutor(12) as threads,
        ):
            list(threads.map(lambda n: store.put(("a",), f"k{n}", {"n": n}), range(120)))
            assert len(list(store.scan(("a",)))) == 120


class TestPooler:
    """What PgBouncer in transaction mode allows: no prepared statements, no session state."""

    def test_nothing_is_prepared(self, postgres_database: str, planted: Planted) -> None:
        with ConnectionPool(
            postgres_database,
            min_size=1,
            max_size=1,
            open=True,
            kwargs={"prepare_threshold": None, "autocommit": True},
        ) as pool:
            store = PostgresMemoryStore(pool, index=planted.index)
            for _ in range(8):
                fill(store, ("a",), range(5))
                store.search(("a",), query="near v1")
                store.get(("a",), "k1")
            with pool.connection() as connection:
                prepared = connection.execute("SELECT count(*) FROM pg_prepared_statements")
                assert prepared.fetchone() == (0,)
            store.close()

    def test_its_own_pool_prepares_nothing_when_asked(self, postgres_database: str) -> None:
        with PostgresMemoryStore(postgres_database, prepare_threshold=None) as store:
            for n in range(8):
                store.put(("a",), "k", {"n": n})
            item = store.get(("a",), "k")
            assert item is not None
            assert item.value == {"n": 7}

    def test_each_transaction_on_another_session(
        self, postgres_database: str, planted: Planted
    ) -> None:
        """Every connection is thrown away after one use, as if the next had none of its state."""

        class Forgetful(ConnectionPool[Any]):
            def putconn(self, conn: Any) -> None:
                conn.close()
                super().putconn(conn)

        with Forgetful(postgres_database, min_size=1, max_size=2, open=True) as pool:
            store = PostgresMemoryStore(pool, index=planted.index)
            fill(store, ("a",), range(30))
            [hit, *_] = store.search(("a",), query="near v7")
            assert hit.key == "k7"
            store.close()

    def test_no_setting_or_lock_is_left(self, postgres_database: str, planted: Planted) -> None:
        with ConnectionPool(postgres_database, min_size=1, max_size=1, open=True) as pool:
            store = PostgresMemoryStore(pool, index=planted.index)
            fill(store, ("a",), range(200))
            store.optimize(above=100)
            store.search(("a",), query="near v1")
            store.search(("a",), query="near v1")
            with pool.connection() as connection:
                left = connection.execute(
                    "SELECT current_setting('enable_seqscan'), "
                    "coalesce(current_setting('hnsw.iterative_scan', true), 'off'), "
                    "(SELECT count(*) FROM pg_locks WHERE locktype = 'advisory')"
                ).fetchone()
            assert left == ("on", "off", 0)
            store.close()


class TestSchema:
    @pytest.mark.parametrize(
        "schema", ["memories", 'od"d; DROP TABLE x; --', "100%s", "Größe {0}", "日本", "a.b"]
    )
    def test_any_name(self, postgres_empty: str, planted: Planted, schema: str) -> None:
        with PostgresMemoryStore(postgres_empty, schema=schema, index=planted.index) as store:
            fill(store, ("a",), range(10))
            store.delete(("a",), "k9")
            [hit, *_] = store.search(("a",), query="near v3", filter={"n": {"$lt": 9}})
            assert hit.key == "k3"
            assert store.optimize(above=5) == 1
            assert store.search(("a",), query="near v3")[0].key == "k3"
            assert store.touch(("a",), ["k1"]) == 0
            assert store.stats().items == 9
        with psycopg.connect(postgres_empty) as connection:
            found = connection.execute(
                "SELECT DISTINCT schemaname FROM pg_tables WHERE tablename LIKE 'memory%'"
            ).fetchall()
        assert found == [(schema,)]

    @pytest.mark.parametrize("schema", ["", "x" * 64, "日" * 22, "a\0b", "\ud800"])
    def test_no_name(self, schema: str) -> None:
        with pytest.raises(InvalidInputError, match="schema"):
            PostgresMemoryStore("postgresql://nowhere", schema=schema)

    def test_two_in_one_database_know_nothing_of_each_other(self, postgres_empty: str) -> None:
        with (
            PostgresMemoryStore(postgres_empty, schema="one") as one,
            PostgresMemoryStore(postgres_empty, schema="two") as two,
        ):
            one.put(("a",), "k", {"of": "one"})
            two.put(("a",), "k", {"of": "two"})
            one.delete(("a",), "k")
            assert one.stats().items == 0
            assert [item.value for item in two.scan(())] == [{"of": "two"}]

    def test_a_user_who_may_not_set_up_is_told_what_to_do(self, postgres_empty: str) -> None:
        role = "ordinary_" + postgres_empty.rpartition("test_")[2][:16]
        with psycopg.connect(postgres_empty, autocommit=True) as admin:
            name = sql.Identifier(role)
            admin.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'secret'").format(name))
            try:
                dsn = psycopg.conninfo.make_conninfo(postgres_empty, user=role, password="secret")
                store = PostgresMemoryStore(dsn)
                with pytest.raises(Exception, match="CREATE EXTENSION IF NOT EXISTS vector"):
                    store.setup()
                store.close()
                admin.execute("CREATE EXTENSION vector")
                admin.execute(sql.SQL("CREATE SCHEMA mine AUTHORIZATION {}").format(name))
                with PostgresMemoryStore(dsn, schema="mine") as allowed:
                    allowed.put(("a",), "k", {"n": 1})
                    assert allowed.get(("a",), "k") is not None
            finally:
                admin.execute(sql.SQL("DROP OWNED BY {} CASCADE").format(name))
                admin.execute(sql.SQL("DROP ROLE {}").format(name))


def set_up(dsn: str, barrier: Any, number: int) -> None:
    """What one of several processes does at once; at the module's top for them to find it."""
    with PostgresMemoryStore(dsn) as store:
        barrier.wait(60)
        store.setup()
        store.put(("process",), f"{number}", {"number": number})


def outline(dsn: str, schema: str) -> list[tuple[Any, ...]]:
    """Columns, indexes, constraints, options and functions of a schema, without its name."""
    with psycopg.connect(dsn) as connection:
        rows = connection.execute(
            """
            SELECT 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
                concat_ws(' ', a.attnotnull, a.attstorage, a.attidentity, a.attcollation,
                    pg_get_expr(d.adbin, d.adrelid), c.reloptions)
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'r'
            LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
            WHERE c.relnamespace = to_regnamespace(%(schema)s) AND a.attnum > 0
                AND NOT a.attisdropped
            UNION ALL SELECT 'index', tablename, indexname, indexdef, '' FROM pg_indexes
            WHERE schemaname = %(schema)s
            UNION ALL SELECT 'constraint', conrelid::regclass::text, conname,
                pg_get_constraintdef(oid), '' FROM pg_constraint
            WHERE connamespace = to_regnamespace(%(schema)s)
            UNION ALL SELECT 'function', proname, '', pg_get_functiondef(oid), '' FROM pg_proc
            WHERE pronamespace = to_regnamespace(%(schema)s) ORDER BY 1, 2, 3, 4
            """,
            {"schema": schema},
        ).fetchall()
    return [tuple(part.replace(schema, "schema") for part in row) for row in rows]


class TestMigrations:
    def test_six_processes_at_once(self, postgres_empty: str) -> None:
        context = multiprocessing.get_context("spawn")
        barrier = context.Barrier(6)
        processes = [
            context.Process(target=set_up, args=(postgres_empty, barrier, number))
            for number in range(6)
        ]
        for process in processes:
            process.start()
        for process in processes:
            process.join(120)
        assert [process.exitcode for process in processes] == [0] * 6
        with PostgresMemoryStore(postgres_empty) as store:
            assert len(list(store.scan(()))) == 6
        with psycopg.connect(postgres_empty) as connection:
            applied = connection.execute(
                "SELECT number, count(*) FROM langgraph_memory.memory_migrations GROUP BY number"
            ).fetchall()
            current = connection.execute(
                "SELECT count(*) FROM langgraph_memory.memory_generations"
            ).fetchone()
        assert applied == [(1, 1)]
        assert current == (1,)

    def test_two_schemas_at_once_share_the_extension(self, postgres_empty: str) -> None:
        stores = [PostgresMemoryStore(postgres_empty, schema=f"s{n}") for n in range(4)]
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda store: store.setup(), stores))
        for store in stores:
            store.put(("a",), "k", {})
            store.close()

    def test_from_every_older_version_to_the_same_tables(self, postgres_empty: str) -> None:
        files = migrations.of("langgraph_memory.store.postgres")
        assert [migration.number for migration in files] == list(range(1, len(files) + 1))
        connections = Connections(postgres_empty, size=1, prepare_threshold=None)
        found = []
        for known in range(1, len(files) + 1):
            tables = Tables(f"from_{known}")
            migrate(connections, tables, files[:known])
            migrate(connections, tables, files)
            migrate(connections, tables, files)
            found.append(outline(postgres_empty, tables.schema))
        with PostgresMemoryStore(postgres_empty, schema="fresh") as store:
            store.setup()
        found.append(outline(postgres_empty, "fresh"))
        connections.close()
        assert len(found[0]) > 40
        assert all(each == found[0] for each in found)

    def test_one_that_fails_leaves_nothing_behind(self, postgres_empty: str) -> None:
        files = migrations.of("langgraph_memory.store.postgres")
        broken = Migration(len(files) + 1, "broken", "CREATE TABLE t (); SELECT 1 / 0")
        connections = Connections(postgres_empty, size=1, prepare_threshold=None)
        tables = Tables("fresh")
        with pytest.raises(psycopg.errors.DivisionByZero):
            migrate(connections, tables, [*files, broken])
        assert outline(postgres_empty, "fresh") == []
        migrate(connections, tables, files)
        connections.close()
        assert outline(postgres_empty, "fresh")

    def test_a_database_of_a_newer_version_is_refused(self, postgres_database: str) -> None:
        with psycopg.connect(postgres_database, autocommit=True) as connection:
            connection.execute(
                "INSERT INTO langgraph_memory.memory_migrations (number, name) VALUES (999, 'new')"
            )
        with (
            PostgresMemoryStore(postgres_database) as store,
            pytest.raises(Exception, match="Upgrade"),
        ):
            store.setup()


class TestVectors:
    @pytest.mark.parametrize("dims", [3, 1_999, 2_000, 2_001, 3_072, 4_096])
    def test_of_many_dimensions(self, postgres_database: str, dims: int) -> None:
        planted = Planted(dims, 60)
        with PostgresMemoryStore(postgres_database, index=planted.index) as store:
            fill(store, ("a",), range(40))
            fill(store, ("b",), range(40, 60))
            for number in (0, 17, 39):
                hits = store.find(("a",), f"near v{number}", mode="vector", limit=5)
                assert [hit.key for hit in hits] == planted.nearest(f"near v{number}", 5, range(40))
            similar = hits[0].similarity
            assert similar is not None
            query = planted.vector("near v39")
            cosine = float(planted.vectors[39] @ query / np.linalg.norm(query))
            assert similar == pytest.approx(cosine, abs=1e-6)

    def test_of_a_namespace_that_is_scanned_in_half_precision(
        self, postgres_database: str, planted: Planted
    ) -> None:
        """Copies of one vector that differ by less than half precision can tell apart."""
        fine = np.tile(planted.vectors[0], (1_000, 1))
        fine[:, 0] += np.arange(1_000) * 2e-6
        planted.vectors = np.concatenate([planted.vectors[:1_000], fine])
        with PostgresMemoryStore(postgres_database, index=planted.index) as store:
            fill(store, ("a",), range(1_500))
            unit = planted.vectors / np.linalg.norm(planted.vectors, axis=1, keepdims=True)
            for number in (3, 250, 990):
                hits = store.find(("a",), f"near v{number}", mode="vector", limit=10)
                planted_scores = unit[:1_500] @ planted.vector(f"near v{number}")
                best = [f"k{n}" for n in np.argsort(-planted_scores)[:10]]
                assert [hit.key for hit in hits] == best

    def test_the_best_of_several_per_item(self, postgres_database: str, planted: Planted) -> None:
        index = planted.index | {"fields": ["texts[*]"]}
        with PostgresMemoryStore(postgres_database, index=index) as store:
            store.batch(
                [
                    PutOp(("a",), f"k{n}", {"texts": [f"v{n + 300 * part}" for part in range(5)]})
                    for n in range(300)
                ]
            )
            for number in (0, 299, 700, 1_499):
                hits = store.find(("a",), f"near v{number}", mode="vector", limit=20)
                scores = planted.vectors[:1_500] @ planted.vector(f"near v{number}")
                best = scores.reshape(5, 300).max(axis=0)
                assert [hit.key for hit in hits] == [f"k{n}" for n in np.argsort(-best)[:20]]


@pytest.fixture
def large(postgres_database: str, planted: Planted) -> Iterator[PostgresMemoryStore]:
    """A namespace of 1,500 that has an approximate index, among small ones that have none."""
    with PostgresMemoryStore(postgres_database, index=planted.index) as store:
        fill(store, ("large",), range(1_500))
        fill(store, ("small",), range(1_500, 1_600))
        assert store.optimize(above=1_000) == 1
        store.search(("large",), query="v0")  # The next search knows of the index.
        yield store


class TestLargeNamespaces:
    def test_give_as_many_as_are_asked_for(
        self, large: PostgresMemoryStore, planted: Planted
    ) -> None:
        for limit in (1, 10, 100, 1_000, 1_500, 5_000):
            hits = large.find(("large",), "near v5", mode="vector", limit=limit)
            assert len({hit.key for hit in hits}) == min(limit, 1_500)
            assert hits[0].key == "k5"

    def test_give_as_many_as_pass_a_filter(
        self, large: PostgresMemoryStore, planted: Planted
    ) -> None:
        for above, expected in ((1_400, 50), (1_490, 9), (1_499, 0)):
            hits = large.find(
                ("large",), "near v5", mode="vector", limit=50, filter={"n": {"$gt": above}}
            )
            best = planted.nearest("near v5", expected, range(above + 1, 1_500))
            assert [hit.key for hit in hits] == best

    def test_are_asked_by_their_index(
        self, large: PostgresMemoryStore, postgres_database: str
    ) -> None:
        def used() -> int:
            with psycopg.connect(postgres_database) as connection:
                row = connection.execute(
                    "SELECT coalesce(sum(idx_scan), 0)::int FROM pg_stat_user_indexes "
                    "WHERE indexrelname LIKE 'memory_sketches_near%'"
                ).fetchone()
            assert row is not None
            return int(row[0])

        large.close()  # Statistics are told when a connection ends, and a moment later are there.
        time.sleep(1)
        before = used()
        with PostgresMemoryStore(postgres_database, index=Planted().index) as again:
            for _ in range(3):
                again.find(("large",), "near v5", mode="vector")
        for _ in range(100):
            if used() > before:
                break
            time.sleep(0.1)
        assert used() > before

    def test_see_what_was_written_after(self, large: PostgresMemoryStore, planted: Planted) -> None:
        large.put(("large",), "k5", {"text": "v1900"})
        large.delete(("large",), "k6")
        assert large.find(("large",), "near v1900", mode="vector")[0].key == "k5"
        keys = [hit.key for hit in large.find(("large",), "near v6", mode="vector", limit=20)]
        assert "k6" not in keys

    def test_together_with_small_ones(self, large: PostgresMemoryStore) -> None:
        large.search((), query="v0")
        assert large.find((), "near v1550", mode="vector")[0].key == "k1550"
        assert large.find((), "near v5", mode="vector")[0].key == "k5"

    def test_hybrid(self, large: PostgresMemoryStore) -> None:
        [hit, *others] = large.search(("large",), query="near v77", limit=30)
        assert hit.key == "k77"
        assert len(others) == 29

    def test_with_another_embedder_after_reindex(
        self, large: PostgresMemoryStore, postgres_database: str
    ) -> None:
        other = Planted(32)
        with PostgresMemoryStore(postgres_database, index=other.index) as store:
            store.reindex(batch_size=400)
            assert store.find(("large",), "near v5", mode="vector")[0].key == "k5"
            assert store.optimize(above=1_000) == 1
            store.search(("large",), query="v0")
            assert store.find(("large",), "near v5", mode="vector")[0].key == "k5"
        with psycopg.connect(postgres_database) as connection:
            indexes = connection.execute(
                "SELECT count(*) FROM pg_indexes WHERE indexname LIKE 'memory_sketches_near%'"
            ).fetchone()
        assert indexes == (1,)

    def test_no_number(self, large: PostgresMemoryStore) -> None:
        with pytest.raises(InvalidInputError, match="above"):
            large.optimize(above=-1)


class TestReindexing:
    def test_a_search_that_began_before_goes_by_the_new_index(self, postgres_database: str) -> None:
        first, second = Planted(16), Planted(24)
        with PostgresMemoryStore(postgres_database, index=first.index) as before:
            fill(before, ("a",), range(20))
            assert before.find(("a",), "near v3", mode="vector")[0].key == "k3"
            with PostgresMemoryStore(postgres_database, index=second.index) as after:
                assert after.reindex() == 20
                assert after.find(("a",), "near v3", mode="vector")[0].key == "k3"
            with pytest.raises(Exception, match="planted 24"):
                before.find(("a",), "near v3", mode="vector")

    def test_while_others_write(self, postgres_database: str) -> None:
        planted = Planted()
        stopped = threading.Event()
        with (
            PostgresMemoryStore(postgres_database, index=planted.index) as writer,
            PostgresMemoryStore(postgres_database, index=planted.index) as other,
        ):
            fill(writer, ("a",), range(200))
            written: list[int] = []

            def write() -> None:
                for number in range(200, 1_000):
                    if stopped.is_set():
                        return
                    writer.put(("a",), f"k{number}", {"text": f"v{number}", "n": number})
                    written.append(number)

            thread = threading.Thread(target=write)
            thread.start()
            try:
                other.reindex(batch_size=20)
            finally:
                stopped.set()
                thread.join()
            count = 200 + len(written)
            stats = writer.stats()
            assert (stats.items, stats.vectors) == (count, count)
            for number in (0, 199, written[0], written[-1]):
                assert writer.find(("a",), f"near v{number}", mode="vector")[0].key == f"k{number}"
        with psycopg.connect(postgres_database) as connection:
            rows = connection.execute(
                "SELECT (SELECT count(*) FROM langgraph_memory.memory_embeddings), "
                "(SELECT count(*) FROM langgraph_memory.memory_sketches)"
            ).fetchone()
        assert rows == (count, count)


class TestWriters:
    def test_batches_in_opposite_orders(self, postgres_database: str) -> None:
        """Postgres ends one of two transactions that wait for each other; it is done again."""
        with PostgresMemoryStore(postgres_database, max_connections=8) as store:
            spaces = [(f"s{n}",) for n in range(3)]

            def write(reverse: bool) -> None:
                order = spaces[::-1] if reverse else spaces
                for number in range(15):
                    ops: list[Any] = []
                    for space in order:
                        # A read between keeps the writes apart.
                        ops += [PutOp(space, f"{reverse}{number}", {}), GetOp(space, "none")]
                    store.batch(ops)

            with ThreadPoolExecutor(4) as threads:
                list(threads.map(write, [False, True, False, True]))
            assert [len(store.search(space, limit=100)) for space in spaces] == [30, 30, 30]

    def test_statistics_agree_with_the_rows(self, postgres_database: str) -> None:
        planted = Planted()
        with PostgresMemoryStore(postgres_database, index=planted.index) as store:
            numbers = np.random.default_rng(3).integers(0, 40, (8, 25))

            def write(mine: Any) -> None:
                for at, number in enumerate(map(int, mine)):
                    space = (f"s{number % 3}",)
                    if at % 4 == 3:
                        store.delete(space, f"k{number}")
                    else:
                        index: Any = False if at % 5 == 4 else None
                        store.put(space, f"k{number}", {"text": f"v{number}"}, index=index)

            with ThreadPoolExecutor(8) as threads:
                list(threads.map(write, numbers))
        with psycopg.connect(postgres_database) as connection:
            wrong = connection.execute(
                "SELECT n.path FROM langgraph_memory.memory_namespaces n LEFT JOIN LATERAL ("
                "SELECT count(*) AS items, count(*) FILTER (WHERE length > 0) AS documents, "
                "sum(length) AS length, sum(vectors) AS vectors "
                "FROM langgraph_memory.memory_items i "
                "WHERE i.ns = n.ns) c ON true WHERE (n.items, n.documents, n.length, n.vectors) "
                "IS DISTINCT FROM (c.items, c.documents, c.length::int8, c.vectors::int8)"
            ).fetchall()
            loose = connection.execute(
                "SELECT (SELECT count(*) FROM langgraph_memory.memory_postings p "
                "WHERE NOT EXISTS (SELECT 1 FROM langgraph_memory.memory_items i "
                "WHERE i.item = p.item AND i.ns = p.ns)), "
                "(SELECT count(*) FROM langgraph_memory.memory_embeddings e "
                "WHERE NOT EXISTS (SELECT 1 FROM langgraph_memory.memory_items i "
                "WHERE i.item = e.item AND i.ns = e.ns AND i.updated_at = e.updated_at))"
            ).fetchone()
        assert wrong == []
        assert loose == (0, 0)

    def test_a_namespace_leaves_no_trace(self, postgres_database: str, planted: Planted) -> None:
        with PostgresMemoryStore(postgres_database, index=planted.index) as store:
            fill(store, ("user:anna",), range(10))
            store.batch([PutOp(("user:anna",), f"k{n}", None) for n in range(10)])
        with psycopg.connect(postgres_database) as connection:
            for table in ("namespaces", "items", "postings", "embeddings", "sketches"):
                count = sql.SQL("SELECT count(*) FROM langgraph_memory.{}")
                row = connection.execute(count.format(sql.Identifier(f"memory_{table}"))).fetchone()
                assert row == (0,)
