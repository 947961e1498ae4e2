"""What models said and could not be written: it is not asked, and paid, for again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

__all__ = ["Unwritten"]

KEPT = 64

Question = TypeVar("Question", bound=Hashable)
Answer = TypeVar("Answer")


class Unwritten(Generic[Question, Answer]):
    """Answers by what was asked, the newest `KEPT`, until what came of them is stored."""

    def __init__(self) -> None:
        self._answers: OrderedDict[Question, Answer] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, question: Question) -> Answer | None:
        """The answer to a question, if it is kept."""
        with self._lock:
            return self._answers.get(question)

    def keep(self, question: Question, answer: Answer) -> None:
        """Keep an answer."""
        with self._lock:
            self._answers[question] = answer
            while len(self._answers) > KEPT:
                self._answers.popitem(last=False)

    def written(self, question: Question) -> None:
        """What came of an answer is stored."""
        with self._lock:
            self._answers.pop(question, None)
