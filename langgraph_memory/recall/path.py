"""From a question to the memories that are worth their tokens."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nlargest
from typing import Any

from langgraph.store.base import GetOp, Item

from langgraph_memory.calls import Call, Steps, adrive, drive
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.recall.budget import within
from langgraph_memory.recall.current import newest_first
from langgraph_memory.recall.passage import Passage, passage_of, turn_key
from langgraph_memory.recall.question import Question, named
from langgraph_memory.recall.report import Recalled, RecallReport
from langgraph_memory.recall.scoring import Candidate, Parts, score
from langgraph_memory.recall.weights import RecallWeights
from langgraph_memory.store import MemoryHit, MemoryStore
from langgraph_memory.store.analysis import query_terms, terms
from langgraph_memory.store.filters import matches, parse
from langgraph_memory.store.operations import Mode
from langgraph_memory.tokens import DEFAULT_COUNTER, TokenCounter

__all__ = ["Recall"]

Namespace = tuple[str, ...]
Place = tuple[Namespace, str]


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
        *,
        without: Collection[Place] = (),
        mode: Mode = "hybrid",
    ) -> Steps[RecallReport]:
        """The same as steps, for those who have other calls to make in between.

        Args:
            question: The newest message, the turns before it, and the time.
            namespaces: Where to look.
            filter: Conditions on the value.
            without: Items that are not to be among the result, as they are shown elsewhere.
            mode: What the store goes by; ``keyword`` needs no embedder.
        """
        query = question.query(self.enough_terms)
        condition = parse(filter)
        if not query.strip():
            return RecallReport([], query)
        items: dict[Place, Item] = {}
        calls = 0
        for namespace in namespaces:
            found = yield self._find(namespace, query, filter, mode)
            calls += 1
            for hit in found:
                items.setdefault((hit.namespace, hit.key), hit)
        passages = {place: passage_of(item.value, question.now) for place, item in items.items()}
        wanted = list(self._beside(items, passages))
        if wanted:
            ops = [GetOp(namespace, key, refresh_ttl=False) for namespace, key in wanted]
            beside = yield Call.of(self.store.batch, self.store.abatch, ops)
            calls += 1
            for item in beside:
                if item is not None and matches(condition, item.value):
                    items[item.namespace, item.key] = item
                    passages[item.namespace, item.key] = passage_of(item.value, question.now)
        ranked = self._ranked(question, query, items, passages)
        wanted_of_them = (each for each in ranked if each.candidate.place not in without)
        fitting = within(wanted_of_them, self._tokens, self.budget, self.limit)
        memories = [
            Recalled(
                items[each.candidate.place],
                each.candidate.passage,
                tokens,
                each.parts,
                each.moved,
            )
            for each, tokens in fitting
        ]
        used = sum(tokens for _, tokens in fitting)
        return RecallReport(memories, query, used, calls, len(items))

    def _find(
        self, namespace: Namespace, query: str, filter: Mapping[str, Any] | None, mode: Mode
    ) -> Call:
        options: dict[str, Any] = {
            "mode": mode,
            "filter": filter,
            "limit": self.candidates,
            "refresh_ttl": False,  # To be looked at is not to be used.
        }
        return Call.of(self.store.find, self.store.afind, namespace, query, **options)

    def _beside(
        self,
        items: Mapping[Place, Item],
        passages: Mapping[Place, Passage],
    ) -> Iterator[Place]:
        """Where the turns around the best hits are, if they were not found themselves."""
        asked: set[Place] = set()
        best = nlargest(self.around, items, key=lambda place: _relevance(items[place]))
        for namespace, key in best:
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
        items: Mapping[Place, Item],
        passages: Mapping[Place, Passage],
    ) -> list[_Ranked]:
        candidates = [
            Candidate(place, passages[place], _relevance(item))
            for place, item in items.items()
            if passages[place].counts and passages[place].text.strip() and self._near(item)
        ]
        moments = [each.passage.moment for each in candidates if each.passage.moment]
        asked = question.spans(max(moments, default=None))
        speakers = {each.passage.speaker for each in candidates}
        scored = score(
            candidates, asked=asked, speakers=named(question, speakers), weights=self.weights
        )
        found = [
            _Ranked(each, parts)
            for each, parts in zip(candidates, scored, strict=True)
            if parts.score > 0
        ]
        found.sort(key=lambda each: (-each.parts.score, each.candidate.place))
        if asked or question.formerly:
            return found  # How it was, which the newest statement does not tell.
        order = newest_first(
            [(each.candidate.passage, each.parts.score) for each in found],
            query_terms(query),
            names=frozenset(term for speaker in speakers for term in terms(speaker)),
            same_thing=self.weights.same_thing,
            rival=self.weights.rival,
            depth=self.rivals,
        )
        return [replace(found[number], moved=number - place) for place, number in enumerate(order)]

    def _tokens(self, ranked: _Ranked) -> int:
        return self.counter.count_text(ranked.candidate.passage.text)

    def _near(self, item: Item) -> bool:
        if not isinstance(item, MemoryHit) or item.keyword is not None or item.similarity is None:
            return True
        return item.similarity >= self.min_similarity


@dataclass(frozen=True, slots=True)
class _Ranked:
    candidate: Candidate
    parts: Parts
    moved: int = 0


def _relevance(item: Item) -> float:
    return (item.score or 0.0) if isinstance(item, MemoryHit) else 0.0
