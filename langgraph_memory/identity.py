"""Who is asking: the agent and the user, from the trusted runtime only.

In this order, and from nowhere else:

1. the user whom LangGraph's server has authenticated;
2. the application's own resolver;
3. the runtime context (`context=` of a run), where the host that fills it in is trusted. Clients of
   LangGraph's server fill it in themselves, so there it counts only if the application says so.

Messages, tool arguments, state that a caller passes and stored text are never looked at. A runtime
context is not saved with a thread: a run that resumes without one belongs to the owner that the
thread has kept from a run that had one, and a different caller is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from langgraph_memory.errors import IdentityError, InvalidInputError

__all__ = ["OWNER_KEY", "Identification", "Identity", "decode_label", "encode_label"]

OWNER_KEY = "memory_owner"
"""State key, private to the middleware and nodes, in which a thread keeps its owner."""

LONGEST = 1_000
"""Bytes of a name as a namespace label, well below what databases index."""

Namespace = tuple[str, ...]


class AnyRuntime(Protocol):
    """What LangGraph's `Runtime` and `ToolRuntime` have in common."""

    @property
    def context(self) -> Any:
        """The run's context."""

    @property
    def server_info(self) -> Any:
        """What the server says of the run; None where there is no server."""


@dataclass(frozen=True, slots=True)
class Identity:
    """An agent, a user of it, and perhaps a place that several users share.

    Attributes:
        agent: Name of the agent.
        user: Any text that tells users apart, such as an e-mail address.
        environment: A home, a team, a machine.
    """

    agent: str
    user: str
    environment: str | None = None

    @property
    def memories(self) -> Namespace:
        """Where the user's memories are: ``("agent:chat", "user:42", "memories")``."""
        return (self._agent, f"user:{encode_label(self.user)}", "memories")

    @property
    def profile(self) -> Namespace:
        """Where the user's profile is."""
        return (*self.memories[:-1], "profile")

    @property
    def tasks(self) -> Namespace:
        """Where the user's tasks are."""
        return (*self.memories[:-1], "tasks")

    @property
    def ledger(self) -> Namespace:
        """Where it is kept how far the user's conversations were read."""
        return (*self.memories[:-1], "extraction")

    @property
    def knowledge(self) -> Namespace:
        """Where what all users of the agent share is: ``("agent:chat", "knowledge")``."""
        return (self._agent, "knowledge")

    @property
    def surroundings(self) -> Namespace | None:
        """Where the environment's memories are: ``("agent:chat", "env:home-12", "memories")``."""
        if self.environment is None:
            return None
        return (self._agent, f"env:{encode_label(self.environment)}", "memories")

    @property
    def places(self) -> tuple[Namespace, ...]:
        """All namespaces whose memories are recalled for the user."""
        every = (self.memories, self.knowledge, self.surroundings)
        return tuple(place for place in every if place is not None)

    @property
    def _agent(self) -> str:
        return f"agent:{encode_label(self.agent)}"

    def to_state(self) -> dict[str, str | None]:
        """As JSON, to be kept with the thread as its owner."""
        return {"agent": self.agent, "user": self.user, "environment": self.environment}


@dataclass(frozen=True, slots=True)
class Identification:
    """How an application tells who is asking.

    Args:
        agent: Name of the agent.
        resolver: Given the runtime, returns the user, or None if it does not know. For hosts with
            an authentication of their own.
        environment_resolver: The same for the environment.
        trust_context: Whether ``user_id`` of the runtime context is believed. None believes it
            unless the run comes from LangGraph's server, whose clients write the context.
        user_key: Name of the user in the runtime context.
        environment_key: Name of the environment there.
        incognito_key: Name of what there says that nothing is to be remembered.
    """

    agent: str
    resolver: Callable[[AnyRuntime], str | None] | None = None
    environment_resolver: Callable[[AnyRuntime], str | None] | None = None
    trust_context: bool | None = None
    user_key: str = "user_id"
    environment_key: str = "environment_id"
    incognito_key: str = "incognito"

    def __post_init__(self) -> None:
        _text(self.agent, "agent")

    def identify(self, runtime: AnyRuntime, owner: Mapping[str, Any] | None = None) -> Identity:
        """Who is asking in a run.

        Args:
            runtime: Of the node, middleware or tool.
            owner: What the thread has kept of `Identity.to_state`, from a state key that callers
                cannot write.

        Raises:
            IdentityError: If nobody says who is asking, or it is not the thread's owner.
        """
        user = self._user(runtime)
        kept = None
        if isinstance(owner, Mapping) and isinstance(owner.get("user"), str):
            kept = Identity(self.agent, owner["user"], owner.get("environment"))
        if kept is not None and user is not None and user != kept.user:
            raise IdentityError(
                "This thread belongs to another user than the one who is asking. Give every user "
                "threads of their own. Nothing was read or written."
            )
        if not self._believes_context(runtime):
            kept = None  # A server's clients can write any state: it may refuse, and not vouch.
        if user is None and kept is None:
            raise IdentityError(self._advice(runtime))
        environment = self._environment(runtime)
        if kept is None:
            return Identity(self.agent, str(user), environment)
        return Identity(self.agent, kept.user, environment or kept.environment)

    def is_incognito(self, runtime: AnyRuntime, owner: Mapping[str, Any] | None = None) -> bool:
        """Whether a run is to read and write no memory, as its context or its thread says.

        Anybody may ask for that, and it holds for the rest of the thread.
        """
        kept = owner.get("incognito") if isinstance(owner, Mapping) else None
        return bool(_of(runtime.context, self.incognito_key) or kept)

    def is_stranger(self, runtime: AnyRuntime, owner: Mapping[str, Any] | None) -> bool:
        """Whether somebody else is asking than the owner that a thread has kept."""
        kept = owner.get("user") if isinstance(owner, Mapping) else None
        user = self._user(runtime)
        return isinstance(kept, str) and user is not None and user != kept

    def _user(self, runtime: AnyRuntime) -> str | None:
        authenticated = getattr(runtime.server_info, "user", None)
        if authenticated is not None:
            return _text(authenticated.identity, "The authenticated user's identity")
        if self.resolver is not None:
            resolved = self.resolver(runtime)
            if resolved is not None:
                return _text(resolved, "The user that the resolver returned")
        return self._of_context(runtime, self.user_key)

    def _environment(self, runtime: AnyRuntime) -> str | None:
        if self.environment_resolver is not None:
            resolved = self.environment_resolver(runtime)
            if resolved is not None:
                return _text(resolved, "The environment that the resolver returned")
        return self._of_context(runtime, self.environment_key)

    def _of_context(self, runtime: AnyRuntime, key: str) -> str | None:
        if not self._believes_context(runtime):
            return None
        value = _of(runtime.context, key)
        return None if value is None else _text(value, f"{key!r} in the runtime context")

    def _believes_context(self, runtime: AnyRuntime) -> bool:
        if self.trust_context is None:
            return runtime.server_info is None
        return self.trust_context

    def _advice(self, runtime: AnyRuntime) -> str:
        advice = (
            f"Nobody says whose memories agent {self.agent!r} shall use. Run it behind LangGraph's "
            "authentication, or give a resolver, or pass "
            f"context={{{self.user_key!r}: …}} with the run."
        )
        if not self._believes_context(runtime):
            advice += (
                " The runtime context of this run is not believed, as the server's clients write "
                "it; trust_context=True believes it."
            )
        return advice


def _of(context: Any, key: str) -> Any:
    return context.get(key) if isinstance(context, Mapping) else getattr(context, key, None)


def _text(value: Any, name: str) -> str:
    """A name as text; numbers are taken as they are written."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise IdentityError(f"{name} must be a text that is not blank, got {value!r}.")
    if len(encode_label(value).encode()) > LONGEST:
        raise IdentityError(
            f"{name} is longer than {LONGEST:,} bytes: {value[:40]!r}… Give a short id instead."
        )
    return value


def encode_label(text: str) -> str:
    """Any text as a legal namespace label, injectively: two texts never share a label.

    Full stops, NUL, percent signs and lone surrogates are percent-encoded, other characters stay
    as they are: ``anna@example.com`` becomes ``anna@example%2Ecom``.

    Raises:
        InvalidInputError: If the text is empty.
    """
    if not text:
        raise InvalidInputError("An empty text cannot be a namespace label: name the user.")
    return "".join(
        f"%{ord(character):02X}"
        if character in ".%\0"
        else f"%u{ord(character):04X}"
        if "\ud800" <= character <= "\udfff"
        else character
        for character in text
    )


def decode_label(label: str) -> str:
    """The text that `encode_label` was given.

    Raises:
        InvalidInputError: If the label was not made by `encode_label`.
    """
    text, at = [], 0
    try:
        while at < len(label):
            if label[at] != "%":
                text.append(label[at])
                at += 1
            elif label[at + 1] == "u":
                text.append(chr(int(label[at + 2 : at + 6], 16)))
                at += 6
            else:
                text.append(chr(int(label[at + 1 : at + 3], 16)))
                at += 3
    except (IndexError, ValueError):
        pass
    decoded = "".join(text)
    if at != len(label) or not decoded or encode_label(decoded) != label:
        raise InvalidInputError(f"{label!r} is not a label made by encode_label.")
    return decoded
