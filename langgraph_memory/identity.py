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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

from langgraph_memory.errors import IdentityError, InvalidInputError

__all__ = [
    "OWNER_KEY",
    "Caller",
    "Identification",
    "Identity",
    "Owner",
    "decode_label",
    "encode_label",
]

OWNER_KEY = "memory_owner"
"""State key, private to the middleware and nodes, in which a thread keeps its owner."""

REFUSED = 200
"""Turns of a thread that are known not to be its owner's."""
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
class Owner:
    """What is known of a thread.

    Attributes:
        user: Whose it is; None if nobody has said so.
        environment: Where that user is.
        incognito: Whether nothing of it is to be remembered.
        refused: Marks of turns that were in the thread when somebody was refused on it, as far as
            its owner had not begun them before.
    """

    user: str | None = None
    environment: str | None = None
    incognito: bool = False
    refused: tuple[str, ...] = ()

    @classmethod
    def of(cls, value: Any) -> Self:
        """The owner in a value of the store, or in what a thread says; malformed parts are none."""
        given = value if isinstance(value, Mapping) else {}
        user, environment = given.get("user"), given.get("environment")
        return cls(
            user=user if isinstance(user, str) else None,
            environment=environment if isinstance(environment, str) else None,
            incognito=bool(given.get("incognito")),
            refused=tuple(given.get("refused") or ()),
        )

    def to_value(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "user": self.user,
            "environment": self.environment,
            "incognito": self.incognito,
            "refused": list(self.refused),
        }

    def refuse_stranger(self, user: str | None) -> None:
        """Nobody but its owner has anything to do with a thread.

        Raises:
            IdentityError: If somebody else is asking.
        """
        if None not in (self.user, user) and user != self.user:
            raise IdentityError(
                "This thread belongs to another user than the one who is asking. Give every user "
                "threads of their own. No memory was read or written. If that thread was deleted "
                "and its id is used again, tell memory: Memory.forget_thread(thread_id)."
            )

    def refusing(self, marks: Sequence[str]) -> Self:
        """The owner after somebody was refused."""
        new = [mark for mark in marks if mark not in self.refused]
        return replace(self, refused=(*self.refused, *new)[-REFUSED:])


@dataclass(frozen=True, slots=True)
class Caller:
    """Who the runtime says is asking.

    Attributes:
        agent: Name of the agent.
        user: Who is asking; None if the runtime does not say.
        environment: Where they are.
        incognito: Whether nothing is to be remembered. Anybody may ask for that.
        believed: Whether what is kept with a thread may say who is asking where the runtime does
            not. A server's clients can write any state, so there it may refuse, and not vouch.
        advice: What to do where nobody says who is asking.
    """

    agent: str
    user: str | None
    environment: str | None
    incognito: bool
    believed: bool
    advice: str

    def identify(self, owner: Owner) -> Identity:
        """Whose memories are to be used.

        Args:
            owner: What is known of the thread's owner.

        Raises:
            IdentityError: If nobody says who is asking, or it is not the thread's owner.
        """
        owner.refuse_stranger(self.user)
        known = owner if self.believed else Owner()
        user = self.user or known.user
        if user is None:
            raise IdentityError(self.advice)
        return Identity(self.agent, user, self.environment or known.environment)

    def settle(self, owner: Owner) -> Owner:
        """What is to be kept of a thread that somebody uses; it has a user or is incognito.

        Args:
            owner: What is known of the thread's owner.

        Raises:
            IdentityError: If nobody says who is asking, or it is not the thread's owner.
        """
        owner.refuse_stranger(self.user)
        if self.incognito or owner.incognito:
            return replace(owner, incognito=True)
        who = self.identify(owner)
        return replace(owner, user=who.user, environment=who.environment)


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

    def caller(self, runtime: AnyRuntime) -> Caller:
        """Who the runtime says is asking. The application's resolvers are asked here.

        Args:
            runtime: Of the node, middleware or tool.

        Raises:
            IdentityError: If a name is no text, or too long for a database.
            Exception: Whatever a resolver raises.
        """
        trusted = self.trust_context
        believed = runtime.server_info is None if trusted is None else trusted
        context = runtime.context if believed else None
        return Caller(
            agent=self.agent,
            user=self._user(runtime, context),
            environment=self._environment(runtime, context),
            incognito=bool(_of(runtime.context, self.incognito_key)),
            believed=believed,
            advice=self._advice(believed=believed),
        )

    def identify(self, runtime: AnyRuntime, owner: Mapping[str, Any] | None = None) -> Identity:
        """Who is asking in a run.

        Args:
            runtime: Of the node, middleware or tool.
            owner: What the thread has kept of `Identity.to_state`, from a state key that callers
                cannot write.

        Raises:
            IdentityError: If nobody says who is asking, or it is not the thread's owner.
        """
        return self.caller(runtime).identify(Owner.of(owner))

    def _user(self, runtime: AnyRuntime, context: Any) -> str | None:
        authenticated = getattr(runtime.server_info, "user", None)
        if authenticated is not None:
            return _text(authenticated.identity, "The authenticated user's identity")
        if self.resolver is not None:
            resolved = self.resolver(runtime)
            if resolved is not None:
                return _text(resolved, "The user that the resolver returned")
        return _named(context, self.user_key)

    def _environment(self, runtime: AnyRuntime, context: Any) -> str | None:
        if self.environment_resolver is not None:
            resolved = self.environment_resolver(runtime)
            if resolved is not None:
                return _text(resolved, "The environment that the resolver returned")
        return _named(context, self.environment_key)

    def _advice(self, *, believed: bool) -> str:
        advice = (
            f"Nobody says whose memories agent {self.agent!r} shall use. Run it behind LangGraph's "
            "authentication, or give a resolver, or pass "
            f"context={{{self.user_key!r}: …}} with the run."
        )
        if not believed:
            advice += (
                " The runtime context of this run is not believed, as the server's clients write "
                "it; trust_context=True believes it."
            )
        return advice


def _of(context: Any, key: str) -> Any:
    return context.get(key) if isinstance(context, Mapping) else getattr(context, key, None)


def _named(context: Any, key: str) -> str | None:
    value = _of(context, key)
    return None if value is None else _text(value, f"{key!r} in the runtime context")


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
