"""Filling a store with a data set and asking it every question."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from langgraph_memory.evals.retrieval.conversations import Conversation, DataSet, Question
from langgraph_memory.evals.retrieval.recalling import RecallSession
from langgraph_memory.evals.retrieval.scoring import LONGEST, Tally, current_first, score
from langgraph_memory.evals.retrieval.vectors import KeptVectors
from langgraph_memory.evals.stores import (
    Databases,
    Document,
    Mode,
    Place,
    Session,
    StoreContender,
)
from langgraph_memory.tokens import DEFAULT_COUNTER

__all__ = ["measure"]

Namespace = tuple[str, ...]


def measure(
    contender: StoreContender,
    data: DataSet,
    vectors: KeptVectors,
    databases: Databases | None,
    advance: Callable[[int], None] = lambda amount: None,
) -> dict[Mode, Tally]:
    """Measure a store in each kind of search it has.

    Args:
        contender: The store.
        data: What to fill it with; each conversation is a namespace, each turn an item.
        vectors: The embedder it is given. If its vectors mean nothing, only searches by keyword
            are measured.
        databases: Where a store on Postgres gets its database.
        advance: Told how many more questions are done.
    """
    tallies: dict[Mode, Tally] = {}
    index = {"dims": vectors.dims, "embed": vectors, "fields": ["text"]}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="retrieval-")))
        dsn = None
        if contender.backend == "postgres" and databases is not None:
            dsn = databases.create()
            stack.callback(databases.drop, dsn)
        session = stack.enter_context(contender.open(Place(folder, dsn), index))
        modes = [mode for mode in session.modes if vectors.by_meaning or mode == "keyword"]
        for number, conversation in enumerate(data.conversations if modes else ()):
            # Numbered, as a conversation's id may be no legal label.
            namespace = ("conversations", f"{number}")
            _load(session, namespace, conversation)
            tokens = {
                key: DEFAULT_COUNTER.count_text(turn.text)
                for key, turn in conversation.turns.items()
            }
            for question in conversation.questions:
                for mode in modes:
                    found = _found(session, namespace, conversation, question, mode)
                    tallies.setdefault(mode, Tally()).add(
                        question.category,
                        score(found, question.evidence, tokens),
                        current_first(found, question.evidence, question.superseded),
                    )
                advance(1)
    return tallies


def _load(session: Session, namespace: Namespace, conversation: Conversation) -> None:
    if isinstance(session, RecallSession):
        session.load_turns(namespace, conversation.turns)
    else:
        session.load(
            [Document(namespace, key, turn.text) for key, turn in conversation.turns.items()]
        )


def _found(
    session: Session,
    namespace: Namespace,
    conversation: Conversation,
    question: Question,
    mode: Mode,
) -> list[str]:
    """Ids of turns, best first."""
    if isinstance(session, RecallSession):
        return session.recall(namespace, conversation, question)
    return session.search(namespace, question.text, mode=mode, limit=LONGEST)
