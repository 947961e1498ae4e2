"""From a question to the memories that are worth their tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from langgraph.store.base import GetOp, Item

from langgraph_memory.calls import Call, Steps, adrive, drive
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.recall.budget import within
from langgraph_memory.recall.current import newest_first
from langgraph_memory.recall.passage import Passage, passage_of, turn_key
from langgraph_memory.recall.question import Question, named
from langgraph_memory.recall.scoring import Candidate, Parts, score
from langgraph_memory.recall.weights import RecallWeights
from langgraph_memory.store import MemoryHit, MemoryStore
from langgraph_memory.store.analysis import query_terms
from langgraph_memory.tokens import DEFAULT_COUNTER, TokenCounter

__all__ = ["Recall", "RecallReport", "Recalled"]

Namespace = tuple[str, ...]


@dataclass(frozen=True)
class Recalled:
    """A memory that is recalled, with the reasons.

    Attributes:
        item: As stored; a `MemoryHit`, or an `Item` that was found only beside one.
        passage: What was read from its value.
        tokens: Length of its text.
        parts: What its score is made of.
        similarity: Cosine between the question and it, None if it was found otherwise.
        keyword: Its BM25 score, None where no word of the question occurs.
        moved: Places it went up (above 0) or down as the newer or older of several statements
            about the same thing.
    """

    item: Item
    passage: Passage
    tokens: int
    parts: Parts
    similarity: float | None
    keyword: float | None
    moved: int = 0

    @property
    def score(self) -> float:
        """Worth of the item to the question, comparable within one report."""
        return self.parts.score

    def explain(self) -> dict[str, Any]:
        """The reasons as plain values, for traces and for people who ask why."""
        return {
            "namespace": self.item.namespace,
            "key": self.item.key,
            "score": self.score,
            "similarity": self.similarity,
            "keyword": self.keyword,
            "tokens": self.tokens,
            "moved": self.moved,
            "parts": {name: getattr(self.parts, name) for name in Parts.__slots__},
        }


@dataclass(frozen=True)
class RecallReport:
    """What was recalled and what it cost.

    Attributes:
        memories: Best first, within the budget.
        query: The text that was searched by.
        tokens: Tokens of all their texts.
        considered: Candidates there were.
        calls: Calls to the store.
        rows: Items read from it.
    """

    memories: list[Recalled]
    query: str
    tokens: int
    considered: int
    calls: int
    rows: int


@dataclass(frozen=True)
class Recall:
    """Finds the best memories for a question within a budget of tokens.

    One search for each namespace, and at most one read of the turns around its best hits. Nothing
    is written: a use is recorded by whoever uses the result.

    Args:
        store: Where to look.
        budget: Tokens of text at most.
        limit: Memories at most; None for as many as fit.
        min_similarity: Hits whose similarity is less, and in which no word of the question
            occurs, are not recalled. Every embedder has its own scale.
        candidates: Hits taken from each search.
        around: How many of the best hits have the turns around them read. Turns must be stored
            under `turn_key` for it; those among the hits are known anyway.
        enough_terms: Terms that make a message say enough to search by it alone.
        rivals: How many of the best are compared for statements about the same thing.
        weights: The parameters of scoring.
        counter: Counts tokens.

    Raises:
        InvalidInputError: If a number is out of range.
    """

    store: MemoryStore
    budget: int = 1_000
    limit: int | None = None
    min_similarity: float = 0.0
    candidates: int = 400
    around: int = 50
    enough_terms: int = 2
    rivals: int = 20
    weights: RecallWeights = field(default_factory=RecallWeights)
    counter: TokenCounter = DEFAULT_COUNTER

    def __post_init__(self) -> None:
        least = {"budget": 0, "candidates": 1, "around": 0, "enough_terms": 0, "rivals": 0}
        if self.limit is not None:
            least["limit"] = 0
        for name, lowest in least.items():
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < lowest:
                raise InvalidInputError(
                    f"{name} must be a whole number of at least {lowest}, got {value!r}."
                )

    def recall(
        self,
        question: Question,
        *namespaces: Namespace,
        filter: Mapping[str, Any] | None = None,
    ) -> RecallReport:
        """Recall memories for a question.

        Args:
            question: The newest message, the turns before it, and the time.
            namespaces: Where to look, each with all below it: the user's, the agent's …
            filter: Conditions on the value, as for `MemoryStore.find`.

        Raises:
            InvalidInputError: If the store refuses a namespace or the filter.
        """
        return drive(self.steps(question, namespaces, filter))

    async def arecall(
        self,
        question: Question,
        *namespaces: Namespace,
        filter: Mapping[str, Any] | None = None,
    ) -> RecallReport:
        """`recall` without blocking the event loop."""
        return await adrive(self.steps(question, namespaces, filter))

    def steps(
        self,
        question: Question,
        namespaces: Sequence[Namespace],
        filter: Mapping[str, Any] | None = None,
    ) -> Steps[RecallReport]:
        """The same as steps, for those who have other calls to make in between."""
        query = question.query(self.enough_terms)
        if not query.strip():
            return RecallReport([], query, 0, 0, 0, 0)
        items: dict[tuple[Namespace, str], Item] = {}
        calls = 0
        for namespace in namespaces:
            found = yield self._find(namespace, query, filter)
            calls += 1
            for hit in found:
                items.setdefault((hit.namespace, hit.key), hit)
        passages = {place: passage_of(item.value, question.now) for place, item in items.items()}
        wanted = list(self._beside(items, passages))
        if wanted:
            ops = [GetOp(namespace, key, refresh_ttl=False) for namespace, key in wanted]
            beside = yield Call(partial(self.store.batch, ops), partial(self.store.abatch, ops))
            calls += 1
            for item in beside:
                if item is not None:
                    items[item.namespace, item.key] = item
                    passages[item.namespace, item.key] = passage_of(item.value, question.now)
        ranked = self._ranked(question, query, items, passages)
        fitting = within([each.tokens for each in ranked], self.budget, self.limit)
        memories = [ranked[number] for number in fitting]
        used = sum(each.tokens for each in memories)
        return RecallReport(memories, query, used, len(items), calls, len(items))

    def _find(self, namespace: Namespace, query: str, filter: Mapping[str, Any] | None) -> Call:
        options: dict[str, Any] = {
            "filter": filter,
            "limit": self.candidates,
            "refresh_ttl": False,  # To be looked at is not to be used.
        }
        return Call(
            lambda: self.store.find(namespace, query, **options),
            lambda: self.store.afind(namespace, query, **options),
        )

    def _beside(
        self,
        items: Mapping[tuple[Namespace, str], Item],
        passages: Mapping[tuple[Namespace, str], Passage],
    ) -> Iterator[tuple[Namespace, str]]:
        """Where the turns around the best hits are, if they were not found themselves."""
        asked: set[tuple[Namespace, str]] = set()
        for namespace, key in list(items)[: self.around]:
            passage = passages[namespace, key]
            if passage.session is None or passage.position is None:
                continue
            if key != turn_key(passage.session, passage.position):
                continue
            for distance in (-2, -1, 1, 2):
                position = passage.position + distance
                place = (namespace, turn_key(passage.session, position))
                if position >= 0 and place not in items and place not in asked:
                    asked.add(place)
                    yield place

    def _ranked(
        self,
        question: Question,
        query: str,
        items: Mapping[tuple[Namespace, str], Item],
        passages: Mapping[tuple[Namespace, str], Passage],
    ) -> list[Recalled]:
        candidates = [
            Candidate(*place, passages[place], self._tokens(passages[place]), _relevance(item))
            for place, item in items.items()
            if passages[place].counts and passages[place].text.strip() and self._near(item)
        ]
        moments = [each.passage.moment for each in candidates if each.passage.moment]
        scored = score(
            candidates,
            asked=question.spans(max(moments, default=None)),
            speakers=named(question, [each.passage.speaker for each in candidates]),
            weights=self.weights,
        )
        found = [
            _recalled(each, items[each.namespace, each.key], parts)
            for each, parts in zip(candidates, scored, strict=True)
            if parts.score > 0
        ]
        found.sort(key=lambda each: (-each.score, each.item.namespace, each.item.key))
        order = newest_first(
            [(each.passage, each.score) for each in found],
            query_terms(query),
            same_thing=self.weights.same_thing,
            rival=self.weights.rival,
            depth=self.rivals,
        )
        return [_moved(found[number], number - place) for place, number in enumerate(order)]

    def _tokens(self, passage: Passage) -> int:
        return self.counter.count_text(passage.text)

    def _near(self, item: Item) -> bool:
        if not isinstance(item, MemoryHit) or item.keyword is not None or item.similarity is None:
            return True
        return item.similarity >= self.min_similarity


def _relevance(item: Item) -> float:
    return (item.score or 0.0) if isinstance(item, MemoryHit) else 0.0


def _recalled(candidate: Candidate, item: Item, parts: Parts) -> Recalled:
    hit = item if isinstance(item, MemoryHit) else None
    return Recalled(
        item,
        candidate.passage,
        candidate.tokens,
        parts,
        hit.similarity if hit else None,
        hit.keyword if hit else None,
    )


def _moved(memory: Recalled, places: int) -> Recalled:
    if not places:
        return memory
    return Recalled(
        memory.item,
        memory.passage,
        memory.tokens,
        memory.parts,
        memory.similarity,
        memory.keyword,
        places,
    )
