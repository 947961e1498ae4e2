"""What each provider accepts, as data.

The rules and their sources are listed in the documentation of `validate`. A rule is here only if
a provider's refusal was reported; leniency that was observed is used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

from langgraph_memory.errors import UnknownProfileError


@dataclass(frozen=True)
class Profile:
    """The message rules of one provider, on top of those that all share.

    All share: a result answers a call before it, a call is answered directly after it, once.

    Attributes:
        name: The name that requests use.
        one_system: At most one system message, and it is the first message.
        user_first: The first message that is not a system message is the user's.
        ends_on_input: The last message is a user's or a tool's.
        bridge_after_tool: A user message may not follow a tool result directly.
        call_after_input: A message with calls directly follows a user message or a tool result.
        no_empty: A message or text block without text is refused.
        no_empty_result: A tool result without content is refused.
        unique_ids: A tool-call id may appear only once in the whole request.
        results_in_order: Results come in the order of their calls.
        call_id: What a tool-call id must look like.
        reasoning_pairs: A reasoning item must be followed by the item it led to.
        thinking_first: An assistant message with thinking and calls starts with the thinking.
        keeps_reasoning: Reasoning of turns with tool calls must be sent back.
    """

    name: str
    one_system: bool = False
    user_first: bool = False
    ends_on_input: bool = False
    bridge_after_tool: bool = False
    call_after_input: bool = False
    no_empty: bool = False
    no_empty_result: bool = False
    unique_ids: bool = False
    results_in_order: bool = False
    call_id: re.Pattern[str] | None = None
    reasoning_pairs: bool = False
    thinking_first: bool = False
    keeps_reasoning: bool = False

    @cached_property
    def but_for_ids(self) -> Profile:
        """The same rules without those on tool-call ids."""
        return replace(self, unique_ids=False, call_id=None)


_MISTRAL_ID = re.compile(r"[a-zA-Z0-9]{9}")

PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile("openai"),
        Profile("openai_responses", unique_ids=True, reasoning_pairs=True),
        Profile("anthropic", one_system=True, user_first=True, no_empty=True, thinking_first=True),
        Profile(
            "gemini",
            one_system=True,
            user_first=True,
            ends_on_input=True,
            call_after_input=True,
            no_empty=True,
            no_empty_result=True,
        ),
        Profile("mistral", ends_on_input=True, bridge_after_tool=True, call_id=_MISTRAL_ID),
        Profile("deepseek", keeps_reasoning=True),
        Profile("qwen", one_system=True),
        # What is safe everywhere. Ids keep their form: each provider's own is fine for it.
        Profile(
            "common",
            one_system=True,
            user_first=True,
            ends_on_input=True,
            bridge_after_tool=True,
            call_after_input=True,
            no_empty=True,
            no_empty_result=True,
            unique_ids=True,
            results_in_order=True,
            reasoning_pairs=True,
            thinking_first=True,
        ),
    )
}


def profile_named(profile: str | Profile) -> Profile:
    """Look a profile up.

    Raises:
        UnknownProfileError: There is none of that name; the message lists those there are.
    """
    if isinstance(profile, Profile):
        return profile
    try:
        return PROFILES[profile]
    except (KeyError, TypeError):
        raise UnknownProfileError(
            f"There is no provider profile {profile!r}. Use one of: {', '.join(PROFILES)}."
        ) from None
