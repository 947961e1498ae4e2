"""From a question to the memories that are worth their tokens."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from heapq import nlargest
from typing import Any

from langgraph.store.base import GetOp, Item

from langgraph_memory.calls import Call, Steps, adrive, drive
from langgraph_memory.errors import InvalidInputError
from langgraph_memory.recall.budget import within
from langgraph_memory.recall.change import own_words, replaced_by
from langgraph_memory.recall.current import newest_first
from langgraph_memory.recall.passage import Passage, passage_of, turn_key
from langgraph_memory.recall.question import Question, named
from langgraph_memory.recall.report import Recalled, RecallReport
from langgraph_memory.recall.scoring import Candidate, Parts, score
from langgraph_memory.recall.weights import RecallWeights
from langgraph_memory.records import Status, is_record
from langgraph_memory.store import MemoryHit, MemoryStore
from langgraph_memory.store.analysis import query_terms, terms
from langgraph_memory.store.filters import matches, parse
from langgraph_memory.store.operations import Mode
from langgraph_memory.tokens import DEFAULT_COUNTER, TokenCounter

__all__ = ["Recall"]

Namespace = tuple[str, ...]
Place = tuple[Namespace, str]

BEFORE = 0.5
"""What the words of earlier turns count beside those of a message that says little."""
_NOT_OVER = {"status": {"$nin": [each.value for each in Status if each is not Status.ACTIVE]}}


@dataclass(frozen=True)
class Recall:
    """Finds the best memories for a question within a budget of tokens.

    One search for each namespace (and one by keyword, where a message says so little that it is
    searched for with the turns before it), at most one read of the turns around its best hits, and
    one search by keyword for what was said later and may replace them. Nothing is written: a use is
    recorded by whoever uses the result.

    Args:
        store: Where to look.
        budget: Tokens of text at most.
        limit: Memories at most; None for as many as fit.
        min_similarity: Hits whose similarity is less, and in which no word of the question
            occurs, are not recalled. Every embedder has its own scale.
        faint: Share of the best one's score below which nothing is recalled.
        candidates: Hits taken from each search.
        around: How many of the best hits have the turns around them read. Turns must be stored
            under `turn_key` for it; those among the hits are known anyway.
        enough_terms: Terms that make a message say enough to search by it alone.
        rivals: How many of the best are compared for statements about the same thing.
        replaced: How many of the best are looked up in what was said later, as it may tell that
            they no longer hold.
        weights: The parameters of scoring.
        counter: Counts tokens.

    Raises:
        InvalidInputError: If a number is out of range.
    """

    store: MemoryStore
    budget: int = 1_000
    limit: int | None = None
    min_similarity: float = 0.0
    faint: float = 0.0
    candidates: int = 400
    around: int = 50
    enough_terms: int = 2
    rivals: int = 20
    replaced: int = 3
    weights: RecallWeights = field(default_factory=RecallWeights)
    counter: TokenCounter = DEFAULT_COUNTER

    def __post_init__(self) -> None:
        least = {
            "budget": 0,
            "candidates": 1,
            "around": 0,
            "enough_terms": 0,
            "rivals": 0,
            "replaced": 0,
        }
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
        everything = question.everything
        query = "" if everything else question.query(self.enough_terms)
        if everything:  # Found is the newest, which must not be what does not count any more.
            filter = {"$and": [filter or {}, _NOT_OVER]}
        condition = parse(filter)
        if not query.strip() and not everything:
            return RecallReport([], query)
        seen = _Seen(question.now)
        own = "" if everything else question.own(self.enough_terms)
        for namespace in namespaces:
            seen.add((yield self._find(namespace, query, filter, mode, self.candidates)))
            if own:
                hits = yield self._find(namespace, own, filter, "keyword", self.candidates)
                seen.add(hits)
                seen.named |= {(hit.namespace, hit.key): _relevance(hit) for hit in hits}
        wanted = [GetOp(*place, refresh_ttl=False) for place in self._beside(seen)]
        if wanted:
            beside = yield Call.of(self.store.batch, self.store.abatch, wanted)
            seen.add(each for each in beside if each and matches(condition, each.value))
        ranked, more = self._ranked(question, seen)
        if not more:  # How it was is not what the newest statement tells.
            ranked = yield from self._current(ranked, query, seen, filter)
        wanted_of_them = (each for each in ranked if each.candidate.place not in without)
        fitting = within(wanted_of_them, self._tokens, self.budget, self.limit)
        memories = [
            Recalled(
                seen.items[each.candidate.place],
                each.candidate.passage,
                tokens,
                each.parts,
                each.moved,
            )
            for each, tokens in fitting
        ]
        used = sum(tokens for _, tokens in fitting)
        return RecallReport(memories, query, used, seen.calls, len(seen.items))

    def _find(
        self,
        namespace: Namespace,
        query: str,
        filter: Mapping[str, Any] | None,
        mode: Mode,
        limit: int,
    ) -> Call:
        options: dict[str, Any] = {
            "mode": mode,
            "filter": filter,
            "limit": limit,
            "refresh_ttl": False,  # To be looked at is not to be used.
        }
        return Call.of(self.store.find, self.store.afind, namespace, query, **options)

    def _beside(self, seen: _Seen) -> Iterator[Place]:
        """Where the turns around the best hits are, if they were not found themselves."""
        asked: set[Place] = set()
        best = nlargest(self.around, seen.items, key=lambda place: _relevance(seen.items[place]))
        for namespace, key in best:
            passage = seen.passages[namespace, key]
            if passage.session is None or passage.position is None:
                continue
            if key != turn_key(passage.session, passage.position):
                continue
            for distance in (-2, -1, 1, 2):
                position = passage.position + distance
                place = (namespace, turn_key(passage.session, position))
                if position >= 0 and place not in seen.items and place not in asked:
                    asked.add(place)
                    yield place

    def _ranked(self, question: Question, seen: _Seen) -> tuple[list[_Ranked], bool]:
        """What answers the question, best first, and whether more is asked than what holds now."""
        everything = question.everything
        candidates = [
            Candidate(
                place,
                seen.passages[place],
                _importance(item) if everything else seen.relevance(place),
            )
            for place, item in seen.items.items()
            if seen.passages[place].counts
            and seen.passages[place].text.strip()
            and self._near(item)
        ]
        moments = [each.passage.moment for each in candidates if each.passage.moment]
        asked = question.spans(max(moments, default=None))
        speakers = named(question, {each.passage.speaker for each in candidates})
        weights = self.weights
        if everything:  # What it is worth decides, not what happens to stand beside it.
            weights = replace(weights, next_turn=0.0, turn_after=0.0, session=0.0)
        scored = score(candidates, asked=asked, speakers=speakers, weights=weights)
        found = [
            _Ranked(each, parts)
            for each, parts in zip(candidates, scored, strict=True)
            if parts.score > 0
        ]
        found.sort(key=lambda each: (-each.parts.score, each.candidate.place))
        least = self.faint * found[0].parts.score if found else 0.0
        found = [each for each in found if each.parts.score >= least]
        return found, bool(asked) or question.formerly or everything

    def _current(
        self,
        found: list[_Ranked],
        query: str,
        seen: _Seen,
        filter: Mapping[str, Any] | None,
    ) -> Steps[list[_Ranked]]:
        """What holds now before what no longer does."""
        about = query_terms(query)
        names = frozenset(term for each in found for term in terms(each.candidate.passage.speaker))
        order = newest_first(
            [(each.candidate.passage, each.parts.score) for each in found],
            about,
            names=names,
            same_thing=self.weights.same_thing,
            rival=self.weights.rival,
            depth=self.rivals,
        )
        ranked = [found[number] for number in order]
        best = [each.candidate for each in ranked[: self.replaced] if each.candidate.passage.moment]
        answers = [each.passage for each in best]
        words = own_words(answers, about, names)
        told = " ".join(sorted(frozenset[str]().union(*words)))
        places: list[Place] = []
        for namespace in dict.fromkeys(each.namespace for each in best if told):
            hits = yield self._find(namespace, told, filter, "keyword", self.rivals)
            seen.add(hits)
            places += [(hit.namespace, hit.key) for hit in hits]
        later = [place for place in places if seen.passages[place].counts]
        replaced = replaced_by(answers, words, [seen.passages[place] for place in later])
        for old, new in replaced.items():
            ranked = self._before(
                ranked,
                best[old],
                Candidate(later[new], seen.passages[later[new]], best[old].relevance),
            )
        was = {each.candidate.place: number for number, each in enumerate(found)}
        return [
            replace(each, moved=was.get(each.candidate.place, len(found)) - number)
            for number, each in enumerate(ranked)
        ]

    def _before(self, ranked: Sequence[_Ranked], old: Candidate, new: Candidate) -> list[_Ranked]:
        """The ranking with one that replaces another above it, as relevant as that is."""
        places = [each.candidate.place for each in ranked]
        at = places.index(old.place)
        if new.place in places[:at]:
            return list(ranked)
        parts = score([new], weights=self.weights)[0]
        rest = [each for each in ranked if each.candidate.place != new.place]
        return [*rest[:at], _Ranked(new, parts), *rest[at:]]

    def _tokens(self, ranked: _Ranked) -> int:
        return self.counter.count_text(ranked.candidate.passage.text)

    def _near(self, item: Item) -> bool:
        if not isinstance(item, MemoryHit) or item.keyword is not None or item.similarity is None:
            return True
        return item.similarity >= self.min_similarity


@dataclass
class _Seen:
    """What was read from the store.

    Attributes:
        now: The time of the question.
        items: By where they are.
        passages: What they say.
        named: Scores of those that have a word of a message which was searched for with the turns
            before it.
        calls: Calls to the store.
    """

    now: datetime
    items: dict[Place, Item] = field(default_factory=dict)
    passages: dict[Place, Passage] = field(default_factory=dict)
    named: dict[Place, float] = field(default_factory=dict)
    calls: int = 0

    def add(self, found: Iterable[Item]) -> None:
        self.calls += 1
        for item in found:
            place = (item.namespace, item.key)
            if place not in self.items:
                self.items[place] = item
                self.passages[place] = passage_of(item.value, self.now)

    def relevance(self, place: Place) -> float:
        """The store's score; what was said before the message only adds to what it says itself."""
        found = _relevance(self.items[place])
        if not self.named:
            return found
        return (self.named.get(place, 0.0) + BEFORE * found) / (1 + BEFORE)


@dataclass(frozen=True, slots=True)
class _Ranked:
    candidate: Candidate
    parts: Parts
    moved: int = 0


def _importance(item: Item) -> float:
    """As it was stated, whatever its age: a name is told once. Half where nothing says."""
    value = item.value.get("importance") if is_record(item.value) else None
    return value if isinstance(value, int | float) and 0 <= value <= 1 else 0.5


def _relevance(item: Item) -> float:
    return (item.score or 0.0) if isinstance(item, MemoryHit) else 0.0
