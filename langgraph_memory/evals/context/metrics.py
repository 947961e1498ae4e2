"""The measures of the context evaluation, the same code for every tool.

A thread is replayed at every model call: the tool makes a view of the messages so far, the view is
judged and priced, and the recorded answer joins the thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from langgraph_memory.evals.context.contenders import Contender
from langgraph_memory.evals.context.cost import PrefixCache, Spent, cacheable
from langgraph_memory.evals.context.coverage import unseen_by
from langgraph_memory.evals.context.exact import ExactCounter, Rendered
from langgraph_memory.evals.context.rules import added_faults, faults
from langgraph_memory.evals.context.summarizers import ScriptedSummarizer
from langgraph_memory.evals.context.transcripts import Thread
from langgraph_memory.messages import validate

__all__ = ["Course", "Moment", "Tally", "replay"]


@dataclass(frozen=True)
class Moment:
    """What is true of a thread at one model call, whatever tool is used.

    Attributes:
        end: Messages of the thread so far.
        spoken: How many of them are not system messages.
        system: Text of the leading system prompt, empty if there is none.
        question: Text of the newest user message, if there is one.
        floor: Exact tokens of system prompt, newest user message and newest unit: no view that
            keeps these is smaller.
        faults: What is wrong with the messages so far by the rules of the evaluation.
        violations: The same by the package's own validation.
    """

    end: int
    spoken: int
    system: str
    question: str | None
    floor: int
    faults: Counter[tuple[str, str]]
    violations: Counter[str]


@dataclass(frozen=True)
class Course:
    """A thread with its moments and with what sending all of it at each call costs."""

    thread: Thread
    moments: tuple[Moment, ...]
    everything: Spent

    @classmethod
    def of(cls, thread: Thread, counter: ExactCounter) -> Course:
        """Work out a thread once, for all tools and budgets."""
        moments: list[Moment] = []
        everything = Spent()
        sent = 0
        for end in thread.calls:
            messages = thread.messages[:end]
            whole = counter(messages)
            everything.add(Spent(whole, cacheable(sent)))
            sent = whole
            moments.append(_moment(messages, counter))
        return cls(thread, tuple(moments), everything)


@dataclass
class Tally:
    """Sums over all calls of all threads for one tool at one budget."""

    calls: int = 0
    faults: int = 0
    faulty_views: int = 0
    violations: int = 0
    lost_questions: int = 0
    lost_systems: int = 0
    over_budget: int = 0
    avoidable: int = 0
    agent: Spent = field(default_factory=Spent)
    summarizer: Spent = field(default_factory=Spent)
    everything: Spent = field(default_factory=Spent)
    retained: float = 0.0
    dropped: int = 0
    seen: int = 0
    model_calls: int = 0

    @property
    def tokens(self) -> int:
        """Input tokens of all requests, those of the summarizer included."""
        return self.agent.tokens + self.summarizer.tokens

    @property
    def cached_share(self) -> float:
        """Share of all input tokens that came from the provider's cache."""
        return (self.agent.cached + self.summarizer.cached) / self.tokens if self.tokens else 0.0

    @property
    def relative_cost(self) -> float:
        """Cost of all requests divided by the cost of sending everything at each call."""
        whole = self.everything.cost
        return (self.agent.cost + self.summarizer.cost) / whole if whole else 0.0

    @property
    def retention(self) -> float:
        """Mean share of the thread's messages that a view has verbatim."""
        return self.retained / self.calls if self.calls else 0.0

    @property
    def coverage(self) -> float | None:
        """Share of the dropped messages that a summarizer read; None if none was asked."""
        return self.seen / self.dropped if self.dropped and self.model_calls else None

    def per_thousand(self, count: int) -> float:
        """A count per 1,000 model calls."""
        return 1_000 * count / self.calls if self.calls else 0.0

    def as_json(self) -> dict[str, float | int | None]:
        """All measures as plain values, shares between 0 and 1."""
        return {
            "calls": self.calls,
            "rule_violations_per_1000": self.per_thousand(self.faults),
            "invalid_views_per_1000": self.per_thousand(self.faulty_views),
            "validate_common_per_1000": self.per_thousand(self.violations),
            "lost_questions_per_1000": self.per_thousand(self.lost_questions),
            "lost_system_prompts_per_1000": self.per_thousand(self.lost_systems),
            "over_budget_per_1000": self.per_thousand(self.over_budget),
            "avoidable_over_budget_per_1000": self.per_thousand(self.avoidable),
            "tokens_sent": self.tokens,
            "cached_share_agent": self.agent.cached_share,
            "cached_share_all": self.cached_share,
            "cost_against_everything": self.relative_cost,
            "verbatim_retention": self.retention,
            "coverage": self.coverage,
            "model_calls_per_100": self.per_thousand(self.model_calls) / 10,
        }


def replay(
    courses: Sequence[Course],
    contender: Contender,
    budget: int,
    counter: ExactCounter,
    tick: Callable[[int], None] = lambda calls: None,
) -> Tally:
    """Run a tool over threads and add up what is measured.

    Args:
        courses: The threads.
        contender: The tool.
        budget: Token budget of a view.
        counter: The exact counter.
        tick: Told after each call that one more is done.
    """
    tally = Tally()
    for course in courses:
        _replay_thread(course, contender, budget, tally, counter=counter, tick=tick)
    return tally


def _replay_thread(
    course: Course,
    contender: Contender,
    budget: int,
    tally: Tally,
    *,
    counter: ExactCounter,
    tick: Callable[[int], None],
) -> None:
    model = ScriptedSummarizer()
    session = contender.start(budget, model)
    cache = PrefixCache(counter)
    spoken = _Spoken(course.thread, counter)
    asked = 0
    for moment in course.moments:
        view = session.view(list(course.thread.messages[: moment.end]))
        for request in model.requests[asked:]:
            tally.summarizer.add(cache.summarizer(counter.render_all(request)))
        asked = len(model.requests)
        rendered = counter.render_all(view)
        tally.agent.add(cache.agent(rendered))
        tally.calls += 1
        _judge(view, rendered, moment, budget, tally)
        tally.retained += spoken.kept(view, rendered, moment)
        tick(1)
    tally.everything.add(course.everything)
    tally.model_calls += asked
    dropped = spoken.dropped()
    tally.dropped += len(dropped)
    if asked:
        tally.seen += len(dropped) - len(unseen_by(model.requests, dropped))


def _judge(
    view: Sequence[BaseMessage],
    rendered: Sequence[Rendered],
    moment: Moment,
    budget: int,
    tally: Tally,
) -> None:
    new_faults = added_faults(view, moment.faults)
    tally.faults += new_faults
    tally.faulty_views += new_faults > 0
    tally.violations += (_violations(view) - moment.violations).total()
    if moment.question is not None:
        tally.lost_questions += not any(
            isinstance(message, HumanMessage) and moment.question in each.text
            for message, each in zip(reversed(view), reversed(rendered), strict=True)
        )
    if moment.system:
        leading = rendered[0].text if view and isinstance(view[0], SystemMessage) else ""
        tally.lost_systems += moment.system not in leading
    if sum(each.tokens for each in rendered) > budget:
        tally.over_budget += 1
        tally.avoidable += moment.floor <= budget


class _Spoken:
    """Which messages of a thread its views have verbatim; system prompts do not count."""

    def __init__(self, thread: Thread, counter: ExactCounter) -> None:
        self._messages = thread.messages
        self._rendered = counter.render_all(thread.messages)
        self._order = [
            index
            for index, message in enumerate(thread.messages)
            if not isinstance(message, SystemMessage)
        ]
        self._index = {thread.messages[index].id: index for index in self._order}
        self._dropped: set[int] = set()

    def kept(
        self, view: Sequence[BaseMessage], rendered: Sequence[Rendered], moment: Moment
    ) -> float:
        """The share that this view has, remembering what it has not."""
        so_far = self._order[: moment.spoken]
        kept: set[int] = set()
        unnamed: Counter[Rendered] = Counter()
        for message, each in zip(view, rendered, strict=True):
            index = self._index.get(message.id)
            if index is not None and self._rendered[index] is each:
                kept.add(index)
            elif index is None:
                unnamed[each] += 1
        # A tool may hand out copies without ids: those stand for the newest equal messages.
        for index in reversed(so_far) if unnamed else ():
            if index not in kept and unnamed[self._rendered[index]] > 0:
                unnamed[self._rendered[index]] -= 1
                kept.add(index)
        self._dropped.update(set(so_far) - kept)
        return len(kept) / len(so_far)

    def dropped(self) -> list[BaseMessage]:
        """The messages that some view did not have."""
        return [self._messages[index] for index in sorted(self._dropped)]


def _moment(messages: Sequence[BaseMessage], counter: ExactCounter) -> Moment:
    system = messages[0] if isinstance(messages[0], SystemMessage) else None
    question = next((m for m in reversed(messages) if isinstance(m, HumanMessage)), None)
    needed = {id(m): m for m in (system, question, *_newest_unit(messages)) if m is not None}
    return Moment(
        end=len(messages),
        spoken=sum(not isinstance(message, SystemMessage) for message in messages),
        system=str(system.text) if system is not None else "",
        question=str(question.text) if question is not None else None,
        floor=counter(list(needed.values())),
        faults=faults(messages),
        violations=_violations(messages),
    )


def _newest_unit(messages: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
    start = len(messages) - 1
    while start > 0 and isinstance(messages[start], ToolMessage):
        start -= 1
    if isinstance(messages[-1], ToolMessage) and not isinstance(messages[start], AIMessage):
        return messages[-1:]
    return messages[start:]


def _violations(messages: Sequence[BaseMessage]) -> Counter[str]:
    return Counter(violation.rule for violation in validate(list(messages), "common"))
