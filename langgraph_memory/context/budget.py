"""Budgets: tokens, or a share of the model's own window."""

from __future__ import annotations

from langgraph_memory.errors import InvalidBudgetError

Budget = int | float


def check_budget(name: str, budget: Budget) -> None:
    """Refuse a budget that no view could meet.

    Args:
        name: The parameter, for the message.
        budget: A whole number of tokens, or a fraction of the model's window in (0, 1].

    Raises:
        InvalidBudgetError: It is zero or less, or not a number of either kind.
    """
    if isinstance(budget, bool) or not isinstance(budget, int | float):
        raise InvalidBudgetError(f"{name} must be a number of tokens, not {budget!r}.")
    if not budget > 0:
        raise InvalidBudgetError(
            f"{name} must be more than 0 tokens, not {budget!r}. Even an empty request costs some; "
            "give a whole number of tokens or a fraction of the model's window, as 0.8."
        )
    if isinstance(budget, float) and budget > 1 and not budget.is_integer():
        raise InvalidBudgetError(
            f"{name}={budget!r} is neither a whole number of tokens nor a fraction of the model's "
            "window (more than 0, at most 1)."
        )


def check_count(name: str, value: int, least: int = 0) -> None:
    """Refuse a count below its least value.

    Raises:
        InvalidBudgetError: It is smaller, or not a whole number.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidBudgetError(
            f"{name} must be a whole number of at least {least}, not {value!r}."
        )


def resolve_budget(name: str, budget: Budget, window: int | None, reserve: int) -> int:
    """A budget in tokens.

    Args:
        name: The parameter, for the message.
        budget: Tokens, or a fraction of `window`.
        window: Tokens that the model can take in, where it is known.
        reserve: Tokens of the window that are kept free for the answer.

    Raises:
        InvalidBudgetError: It is a fraction and the window is not known, or nothing is left.
    """
    if isinstance(budget, float) and budget <= 1:
        if window is None:
            raise InvalidBudgetError(
                f"{name}={budget!r} is a fraction of the model's window, and the window is not "
                "known: the model has no profile['max_input_tokens']. Give a number of tokens, or "
                "the window with ContextRequest(window=…)."
            )
        tokens = int(budget * window)
    else:
        tokens = int(budget)
    if window is not None:
        tokens = min(tokens, window - reserve)
    if tokens <= 0:
        raise InvalidBudgetError(
            f"{name}={budget!r} leaves no token for messages in a window of {window} tokens with "
            f"{reserve} reserved for the answer. Reserve less, or use a model with a larger window."
        )
    return tokens
