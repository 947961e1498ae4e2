"""SlidingWindow: the newest messages, by tokens."""

from __future__ import annotations

from dataclasses import dataclass, field

from langgraph_memory.context.budget import Budget, check_budget
from langgraph_memory.context.strategy import (
    ContextRequest,
    PureStrategy,
    Selection,
    tokens_of,
    with_openers,
)
from langgraph_memory.errors import InvalidBudgetError
from langgraph_memory.messages import Thread, summary_of
from langgraph_memory.summarization.block import carriers, with_summary, without_summary
from langgraph_memory.summarization.place import find, place_of, read_place
from langgraph_memory.tokens import TokenCounter

REMEMBERED = 8


@dataclass(frozen=True)
class SlidingWindow(PureStrategy):
    """Keep as many of the newest messages as fit into a token budget.

    Tokens are added up from the newest unit backwards until the budget is spent. System prompt,
    tool schemas, pinned messages and the newest user message count first.

    With `low_water` below 1 the window moves in steps: nothing is left out until the request is
    larger than `max_tokens`, then as much as brings it down to `low_water * max_tokens`. Between
    two steps the beginning of the request stays byte for byte the same, so that the provider's
    prompt cache serves it. The place of the cut is carried in `state`; without it, it is worked out
    from the thread's start, in a way that later messages do not change.

    Args:
        max_tokens: The budget: tokens, or a fraction of the model's window.
        low_water: Share of the budget that is kept when something must go.
        counter: Counts the tokens; by default an approximation that needs no tokenizer.
    """

    max_tokens: Budget
    low_water: float = 1.0
    counter: TokenCounter | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_budget("max_tokens", self.max_tokens)
        if not 0 < self.low_water <= 1:
            raise InvalidBudgetError(
                f"low_water must be more than 0 and at most 1 (a share of max_tokens), not "
                f"{self.low_water!r}."
            )

    def select(self, thread: Thread, request: ContextRequest) -> Selection:
        """Go on from the last cut, and cut again where the budget is exceeded."""
        budget = request.tokens("max_tokens", self.max_tokens)
        window = _Window(thread, request, self.counter_for(request))
        state = request.state_of(self)
        carried = find(thread, read_place(state.get("start")))
        if self.low_water == 1:
            first = window.newest_fitting(budget)
        elif carried is None:
            first = window.first_by_steps(budget, int(budget * self.low_water), self)
        else:
            first = 0
        if carried is not None:
            first = max(first, thread.unit_at(carried))
        selection = window.selection(first, budget)
        target = int(budget * self.low_water)
        while first < len(thread.units) - 1:
            tokens = tokens_of(thread, selection, request, window.counter)
            if tokens <= budget:
                break
            first = max(first + 1, window.newest_fitting(target))
            selection = window.selection(first, budget)
            # What no estimate knows beforehand (repairs) makes the next target smaller.
            target -= max(1, tokens_of(thread, selection, request, window.counter) - budget)
        return window.with_shorter_summary(selection, budget)


class _Window:
    """What each possible start of the window would cost."""

    def __init__(self, thread: Thread, request: ContextRequest, counter: TokenCounter) -> None:
        self.thread = thread
        self.request = request
        self.counter = counter
        system = [thread.messages[index] for index in thread.systems]
        self.fixed = counter.count_request(system, system=request.system, tools=request.tools)
        self.apart = {*thread.systems, *thread.pinned}

    def cost(self, number: int) -> int:
        """Tokens that a unit adds to the window; what is always there adds nothing."""
        unit = self.thread.units[number]
        if unit.indices[0] in self.apart:
            return 0
        return sum(map(self.counter.count_message, unit))

    def kept_apart(self) -> int:
        """Tokens of what is in every view besides the system messages."""
        thread = self.thread
        pinned = set(thread.pinned).difference(thread.systems)
        return sum(self.counter.count_message(thread.messages[i]) for i in pinned)

    def opener_cost(self, number: int) -> int:
        """Tokens of the question that must come along when the window starts in mid-turn."""
        if self.thread.units[number].kind == "user":
            return 0
        start = self.thread.starts[number]
        opener = self.thread.opener(start)
        if opener is None or opener >= start or opener in self.apart:
            return 0
        if not (self.request.rules.user_first or opener == self.thread.current):
            return 0
        return self.counter.count_message(self.thread.messages[opener])

    def newest_fitting(self, target: int) -> int:
        """Number of the unit at which the largest window of at most `target` tokens starts."""
        last = len(self.thread.units) - 1
        first = max(last, 0)
        room = target - self.fixed - self.kept_apart()
        for number in range(last, -1, -1):
            room -= self.cost(number)
            if room < 0:
                break
            if room >= self.opener_cost(number):
                first = number
        return first

    def first_by_steps(self, budget: int, target: int, key: object) -> int:
        """Where the cut is if the window has moved in steps since the thread's start.

        The steps up to the last unit are remembered with the thread: later messages cannot change
        them.
        """
        base = self.fixed + self.kept_apart()
        name = (key, self.request.rules.name, base)
        done, first, size = self.thread.folds.get(name, (0, 0, 0))
        last = len(self.thread.units) - 1
        for number in range(done, last + 1):
            if number == last:
                if len(self.thread.folds) >= REMEMBERED:
                    self.thread.folds.clear()
                self.thread.folds[name] = (number, first, size)
            size += self.cost(number)
            if base + size + self.opener_cost(first) > budget:
                while first < number and base + size + self.opener_cost(first) > target:
                    size -= self.cost(first)
                    first += 1
        return int(first)

    def selection(self, first: int, budget: int) -> Selection:
        """The view of a window that starts at a unit."""
        thread = self.thread
        keep = thread.essentials()
        keep.update(i for unit in thread.units[first:] for i in unit.indices)
        ordered = with_openers(thread, keep, self.request)
        return Selection(
            ordered,
            why=lambda _: f"older than the window of {budget:,} tokens",
            state={"start": list(place_of(thread, thread.starts[first]))} if thread.units else {},
            budget=budget,
        )

    def with_shorter_summary(self, selection: Selection, budget: int) -> Selection:
        """Where all that may go is gone, the end of a running summary gives way too."""
        thread, request = self.thread, self.request
        over = tokens_of(thread, selection, request, self.counter) - budget
        places = carriers(thread)
        if over <= 0 or not places:
            return selection
        message = thread.messages[places[0]]
        summary = summary_of(message) or ""
        room = self.counter.count_text(summary) - over
        while over > 0 and summary:
            summary = _shortened(summary, max(room, 0), self.counter)
            shown = with_summary(message, summary) if summary else without_summary(message)
            selection = selection.but(
                keep=[i for i in selection.keep if i != places[0] or shown.content],
                replaced={places[0]: (shown, "running summary shortened to fit")},
            )
            over = tokens_of(thread, selection, request, self.counter) - budget
            room = self.counter.count_text(summary) - max(over, 1)
        return selection


def _shortened(text: str, tokens: int, counter: TokenCounter) -> str:
    """The first lines of a text that have at most so many tokens; key facts come first in it."""
    kept: list[str] = []
    for line in text.splitlines():
        tokens -= counter.count_text(line) + 1
        if tokens < 0:
            break
        kept.append(line)
    return "\n".join(kept)
