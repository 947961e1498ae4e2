"""The user's profile: an application's Pydantic model, filled in by what the user states."""

from langgraph_memory.profile.answer import ExtractedProfile
from langgraph_memory.profile.extractor import ProfileExtractor
from langgraph_memory.profile.merging import MergedProfile, merged_profile
from langgraph_memory.profile.profiles import ReadProfile, UserProfile
from langgraph_memory.profile.rendering import lines
from langgraph_memory.profile.update import (
    FieldFault,
    ProfileChange,
    ProfileUpdate,
    RefusedField,
    Withdrawal,
)
from langgraph_memory.profile.when import due

__all__ = [
    "ExtractedProfile",
    "FieldFault",
    "MergedProfile",
    "ProfileChange",
    "ProfileExtractor",
    "ProfileUpdate",
    "ReadProfile",
    "RefusedField",
    "UserProfile",
    "Withdrawal",
    "due",
    "lines",
    "merged_profile",
]
