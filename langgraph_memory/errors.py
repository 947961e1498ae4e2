"""Everything this package raises, in one tree.

LangGraphMemoryError
├── InvalidInputError (ValueError)
│   ├── InvalidMessagesError
│   ├── UnknownProfileError
│   ├── InvalidBudgetError
│   ├── InvalidFilterError
│   └── InvalidSettingsError
├── InvalidStateError (ValueError)
├── MissingExtraError (ImportError)
├── SummarizationError
├── IdentityError
├── EmbeddingError (ValueError)
├── EmbedderMismatchError
├── VersionConflictError
├── UnknownMemoryError
├── StoreClosedError
├── StoreUnavailableError
└── HistoryError (langgraph_memory.history)
    ├── UnknownThreadError
    ├── PendingThreadError
    ├── ThreadChangedError
    └── ArchiveError

Under InvalidInputError, `langgraph_memory.session` has InvalidSlotError and InvalidEditError, and
`langgraph_memory.integrations.approval` has DecisionError and NotPendingError.

Every message says what was wrong, with which value, and what to do about it.
"""

from __future__ import annotations

__all__ = [
    "EmbedderMismatchError",
    "EmbeddingError",
    "IdentityError",
    "InvalidBudgetError",
    "InvalidFilterError",
    "InvalidInputError",
    "InvalidMessagesError",
    "InvalidSettingsError",
    "InvalidStateError",
    "LangGraphMemoryError",
    "MissingExtraError",
    "StoreClosedError",
    "StoreUnavailableError",
    "SummarizationError",
    "UnknownMemoryError",
    "UnknownProfileError",
    "VersionConflictError",
]

DISTRIBUTION = "langgraph-layered-memory"


class LangGraphMemoryError(Exception):
    """Base of every error of this package."""


class InvalidInputError(LangGraphMemoryError, ValueError):
    """A parameter or argument cannot be used as given."""


class InvalidMessagesError(InvalidInputError):
    """What should be a list of LangChain messages is not one."""


class UnknownProfileError(InvalidInputError):
    """The provider profile named does not exist."""


class InvalidBudgetError(InvalidInputError):
    """A token or message budget that no view could ever meet."""


class InvalidFilterError(InvalidInputError):
    """A filter of a store search uses an operator or operand that does not exist."""


class InvalidSettingsError(InvalidInputError):
    """A settings file or variable has a key or value that is not one of ours."""


class InvalidStateError(LangGraphMemoryError, ValueError):
    """State handed back to a strategy was not written by it."""


class MissingExtraError(LangGraphMemoryError, ImportError):
    """An optional dependency is needed and not installed.

    Args:
        module: The module that could not be imported.
        extra: The extra of this distribution that brings it.
        purpose: What needs it, as the user would name it.
    """

    def __init__(self, module: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {module!r}, which is not installed. "
            f"Install it with: pip install '{DISTRIBUTION}[{extra}]'"
        )
        self.module = module
        self.extra = extra


class SummarizationError(LangGraphMemoryError):
    """A summarizer gave nothing that can stand for its source."""


class IdentityError(LangGraphMemoryError):
    """Nobody trustworthy says who is asking, or it is not the owner of the thread."""


class EmbeddingError(LangGraphMemoryError, ValueError):
    """An embedder gave no usable vectors; nothing was written."""


class EmbedderMismatchError(LangGraphMemoryError):
    """A database was indexed by another embedder, in other dimensions or on other fields."""


class VersionConflictError(LangGraphMemoryError):
    """An item was changed by somebody else since it was read; nothing was written."""


class UnknownMemoryError(LangGraphMemoryError):
    """No memory of the user has the id that was given."""


class StoreClosedError(LangGraphMemoryError):
    """A store is used after it was closed."""


class StoreUnavailableError(LangGraphMemoryError):
    """A store's file or server cannot be reached or is not what it should be."""
