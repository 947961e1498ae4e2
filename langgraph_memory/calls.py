"""Decisions as generators: they yield the calls they need, two drivers make them.

The same steps then serve sync and async code, and no logic exists twice.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call:
    """One piece of outside work that a decision waits for.

    Attributes:
        run: Does the work, blocking.
        arun: Does the same without blocking the event loop; by default `run` in a thread.
    """

    run: Callable[[], Any]
    arun: Callable[[], Awaitable[Any]] | None = None

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        afunction: Callable[..., Awaitable[Any]],
        *args: Any,
        **options: Any,
    ) -> Call:
        """The call of a function that has an awaitable twin, with the same arguments for both."""
        return cls(partial(function, *args, **options), partial(afunction, *args, **options))


Steps = Generator[Call, Any, T]


def call_of(function: Callable[..., Any], *args: Any) -> Call:
    """The call of a function of the application, which may be async.

    Run without an event loop, an async one raises TypeError.
    """

    def run() -> Any:
        returned = function(*args)
        if not inspect.isawaitable(returned):
            return returned
        if inspect.iscoroutine(returned):
            returned.close()
        raise TypeError("an async function needs ainvoke() or aapply()")

    async def arun() -> Any:
        if inspect.iscoroutinefunction(function):
            return await function(*args)
        returned = await asyncio.to_thread(function, *args)
        return await returned if inspect.isawaitable(returned) else returned

    return Call(run, arun)


def drive(steps: Steps[T]) -> T:
    """Run steps to their result, making their calls one by one."""
    try:
        call = next(steps)
        while True:
            try:
                answer = call.run()
            except Exception as error:
                call = steps.throw(error)
            else:
                call = steps.send(answer)
    except StopIteration as stop:
        result: T = stop.value
        return result


async def adrive(steps: Steps[T]) -> T:
    """Run steps to their result, awaiting their calls."""
    try:
        call = next(steps)
        while True:
            try:
                answer = await (call.arun() if call.arun else asyncio.to_thread(call.run))
            except Exception as error:
                call = steps.throw(error)
            else:
                call = steps.send(answer)
    except StopIteration as stop:
        result: T = stop.value
        return result
