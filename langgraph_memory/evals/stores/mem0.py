"""mem0 on pgvector, without its model: memories are added as they are."""

from __future__ import annotations

import importlib.util
import os
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import md5
from importlib import import_module
from typing import Any

from langgraph_memory.evals.stores.approximate import without_approximate_indexes
from langgraph_memory.evals.stores.contender import Document, Mode, Namespace, Place

__all__ = ["open_pgvector", "why_not"]

_COLLECTION = "memories"


def why_not() -> str | None:
    """Why mem0 cannot run, None if it can."""
    if importlib.util.find_spec("mem0") is None:
        return "not installed. Install it with: pip install mem0ai"
    return None


def _silence() -> None:
    """Keep mem0 from reporting its use, which it looks up when it is imported."""
    os.environ["MEM0_TELEMETRY"] = "False"


class _Mem0Session:
    """One `Memory`; a namespace is a user, a key is a member of the metadata."""

    modes: Sequence[Mode] = ("hybrid",)

    def __init__(self, memory: Any, dsn: str, embeddings: Any) -> None:
        self._memory = memory
        self._dsn = dsn
        self._embeddings = embeddings
        self._put: dict[tuple[Namespace, str], str] = {}

    def load(self, documents: Sequence[Document]) -> None:
        """Copy into its table what `add` inserts; that would be one transaction an item."""
        import psycopg
        from psycopg.types.json import Jsonb

        # Its first look at the table makes it.
        self._memory.vector_store.get(str(uuid.uuid4()))
        lemmatize = import_module("mem0.utils.lemmatization").lemmatize_for_bm25
        now = datetime.now(UTC).isoformat()
        with (
            psycopg.connect(self._dsn, autocommit=True) as connection,
            without_approximate_indexes(connection),
            connection.cursor() as cursor,
            cursor.copy(f"COPY {_COLLECTION} (id, vector, payload) FROM STDIN") as copy,
        ):
            for each in documents:
                [vector] = self._embeddings.embed_documents([each.text])
                payload = {
                    "user_id": _user(each.namespace),
                    "key": each.key,
                    "topic": each.topic,
                    "role": "user",
                    "data": each.text,
                    "hash": md5(each.text.encode(), usedforsecurity=False).hexdigest(),
                    "created_at": now,
                    "updated_at": now,
                    "text_lemmatized": lemmatize(each.text),
                }
                copy.write_row((_loaded_id(each.namespace, each.key), str(vector), Jsonb(payload)))

    def put(self, documents: Sequence[Document]) -> None:
        for each in documents:
            known = self._put.get((each.namespace, each.key))
            if known is not None:
                self._memory.update(known, each.text)
                continue
            added = self._memory.add(
                each.text,
                user_id=_user(each.namespace),
                metadata={"key": each.key, "topic": each.topic},
                infer=False,
            )
            self._put[each.namespace, each.key] = added["results"][0]["id"]

    def search(
        self,
        namespace: Namespace,
        query: str,
        *,
        mode: Mode,
        limit: int = 10,
        topic: str | None = None,
    ) -> list[str]:
        filters = {"user_id": _user(namespace)} | ({} if topic is None else {"topic": topic})
        found = self._memory.search(query, top_k=limit, filters=filters, threshold=0.0)
        return [str((item.get("metadata") or {}).get("key")) for item in found["results"]]

    def get(self, namespace: Namespace, key: str) -> bool:
        known = self._put.get((namespace, key)) or _loaded_id(namespace, key)
        return self._memory.get(known) is not None

    def list(self, namespace: Namespace, limit: int = 10) -> list[str]:
        found = self._memory.get_all(filters={"user_id": _user(namespace)}, top_k=limit)
        return [str((item.get("metadata") or {}).get("key")) for item in found["results"]]


@contextmanager
def open_pgvector(place: Place, index: Mapping[str, Any]) -> Iterator[_Mem0Session]:
    """mem0's `Memory` in a Postgres database."""
    _silence()
    # It makes a folder for its own settings when it is imported, else in the user's home.
    os.environ.setdefault("MEM0_DIR", str(place.folder))
    from langchain_core.language_models import FakeListChatModel

    memory = import_module("mem0").Memory.from_config(
        {
            "vector_store": {
                "provider": "pgvector",
                "config": {
                    "connection_string": place.dsn,
                    "collection_name": _COLLECTION,
                    "embedding_model_dims": index["dims"],
                },
            },
            "embedder": {"provider": "langchain", "config": {"model": index["embed"]}},
            # Never called: memories are added with infer=False.
            "llm": {
                "provider": "langchain",
                "config": {"model": FakeListChatModel(responses=["{}"])},
            },
            "history_db_path": str(place.folder / "history.db"),
        }
    )
    try:
        yield _Mem0Session(memory, str(place.dsn), index["embed"])
    finally:
        memory.vector_store.connection_pool.close()
        memory.db.close()


def _user(namespace: Namespace) -> str:
    return "/".join(namespace)


def _loaded_id(namespace: Namespace, key: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{_user(namespace)}/{key}"))
