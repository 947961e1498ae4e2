"""The slots of a form as they are kept, and every change of them: pure functions on plain JSON.

A slot's entry has a revision number, what it was filled with by whom and when, and the few values
before that. A change is the new entries of the slots concerned; of two entries the one with the
higher revision holds. So a change and a whole state are merged alike, also one that comes from a
subgraph or from a call made at the same time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from langgraph_memory.errors import InvalidInputError
from langgraph_memory.session.judge import Judge
from langgraph_memory.session.plain_json import plain
from langgraph_memory.session.slot_schemas import allowed, slot_schemas
from langgraph_memory.session.stamp import ASSISTANT, Stamp
from langgraph_memory.shown import shown

__all__ = ["Entry", "Held", "SlotChange", "Slots", "values_of"]

Entry = dict[str, Any]
Held = Mapping[str, Any] | None
"""What the channel of a form holds; nothing at first."""

_KEPT_BEFORE = 3
_KEPT_REFUSALS = 5


@dataclass(frozen=True, slots=True)
class SlotChange:
    """What comes of a change.

    Attributes:
        slots: The entries that are new.
        faults: What was refused and why, by slot.
    """

    slots: dict[str, Entry] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)


class Slots:
    """The fields of a model as slots.

    Args:
        schema: The model.

    Raises:
        InvalidInputError: If it is no Pydantic model with fields.
    """

    def __init__(self, schema: type[BaseModel]) -> None:
        self.judge = Judge(schema)
        self.names = tuple(schema.model_fields)
        self.schemas = slot_schemas(schema)

    def entries(self, held: Held) -> dict[str, Entry]:
        """The entries that are kept, in the order of the model, values no longer accepted apart."""
        stored = (held or {}).get("slots") or {}
        entries = {slot: dict(stored[slot]) for slot in self.names if slot in stored}
        while faults := self.judge.ask(values_of(entries)).faults:
            for slot in faults:
                del entries[slot]["value"]
                entries[slot].pop("confirmed", None)
        return entries

    def filled(self, held: Held, values: Mapping[str, Any], stamp: Stamp) -> SlotChange:
        """Values in their slots; null says nothing.

        Each is taken or refused by itself, but those that do not go together are all refused.
        """
        entries = self.entries(held)
        known = values_of(entries)
        given = {slot: value for slot, value in values.items() if value is not None}
        faults = self.unknown(given)
        given = {slot: value for slot, value in given.items() if slot not in faults}
        judged = self.judge.ask({**known, **given})
        slots: dict[str, Entry] = {}
        for slot, value in given.items():
            entry = entries.get(slot, {"rev": 0})
            if slot in judged.faults:
                rule = allowed(self.schemas.get(slot, {}))
                told = f"{shown(value)} cannot be used: {judged.faults[slot]}"
                faults[slot] = f"{told}. Allowed: {rule}" if rule else told
            elif "value" not in entry:
                slots[slot] = _changed(entry, stamp, judged.values[slot])
            elif not _same(entry["value"], judged.values[slot]):
                if stamp.by == ASSISTANT and entry["by"] != ASSISTANT:
                    faults[slot] = (
                        f"the {entry['by']} said {shown(entry['value'])}, and an assumption does "
                        "not replace that. Ask; or say so if the user said it"
                    )
                else:
                    slots[slot] = _changed(entry, stamp, judged.values[slot])
            elif entry["by"] == ASSISTANT != stamp.by:
                # What was assumed has now been said: the same value from a better source.
                slots[slot] = _changed(entry, stamp, judged.values[slot], again=True)
        after = self.judge.ask({**known, **values_of(slots)})
        if after.faults or after.conflict:
            why = after.conflict or "; ".join(f"{slot}: {it}" for slot, it in after.faults.items())
            for slot in slots:
                faults[slot] = f"{shown(given[slot])} does not go with the rest of the form: {why}"
            slots = {}
        return SlotChange(slots, faults)

    def cleared(self, held: Held, names: Iterable[str], stamp: Stamp) -> SlotChange:
        """Slots without their values; an empty one stays as it is."""
        entries, names = self.entries(held), list(names)
        full = {slot: entries[slot] for slot in names if "value" in entries.get(slot, {})}
        slots = {slot: _changed(entry, stamp) for slot, entry in full.items()}
        return SlotChange(slots, self.unknown(names))

    def confirmed(self, held: Held, names: Iterable[str], stamp: Stamp) -> SlotChange:
        """Slots confirmed; but nobody confirms in the message that the value itself comes from."""
        entries, names = self.entries(held), list(names)
        slots, faults = {}, self.unknown(names)
        for slot in names:
            entry = entries.get(slot, {})
            if slot in faults or "confirmed" in entry:
                continue
            if "value" not in entry:
                faults[slot] = "is empty; fill it first"
            elif stamp.message is not None and entry.get("message") == stamp.message:
                faults[slot] = (
                    f"{shown(entry['value'])} was only set in this turn; tell the user, and "
                    "confirm it after the user's answer"
                )
            else:
                by = {"by": stamp.by, "at": stamp.at, "message": stamp.message}
                slots[slot] = {**entry, "rev": entry["rev"] + 1, "confirmed": by}
        return SlotChange(slots, faults)

    def asked(self, held: Held, names: Iterable[str], stamp: Stamp) -> SlotChange:
        """Slots asked for; a filled slot is not asked for again."""
        entries, names = self.entries(held), list(names)
        slots, faults = {}, self.unknown(names)
        for slot in names:
            entry = entries.get(slot, {"rev": 0})
            if "value" in entry:
                faults[slot] = f"is filled with {shown(entry['value'])}; do not ask for it again"
            elif slot not in faults:
                times = entry.get("asked", 0) + 1
                slots[slot] = {**entry, "rev": entry["rev"] + 1, "asked": times, "at": stamp.at}
        return SlotChange(slots, faults)

    def merged(self, left: Held, right: Any) -> dict[str, Any]:
        """What is kept after `right`, a change or a whole state, has met `left`.

        Raises:
            InvalidInputError: If `right` has not the form of either.
        """
        entries, coming = self.entries(left), _coming(right)
        faults = self.unknown(coming)
        newer = {
            slot: entry
            for slot, entry in coming.items()
            if slot not in faults and _is_newer(entry, entries.get(slot))
        }
        judged = self.judge.ask(values_of({**entries, **newer}))
        faults |= {slot: judged.faults[slot] for slot in newer if slot in judged.faults}
        newer = {slot: entry for slot, entry in newer.items() if slot not in faults}
        after = self.judge.ask(values_of({**entries, **newer}))
        # What no longer goes together since the model was changed must not keep corrections out.
        if after.faults or (after.conflict and not self.judge.ask(values_of(entries)).conflict):
            why = after.conflict or "; ".join(f"{slot}: {it}" for slot, it in after.faults.items())
            faults |= dict.fromkeys(newer, f"does not go with the rest of the form: {why}")
            newer = {}
        kept = {**entries, **newer}
        told = [each for each in _refusals(left) if each["slot"] not in newer]
        met = [
            {"slot": slot, "value": shown(coming[slot].get("value")), "fault": fault}
            for slot, fault in faults.items()
        ]
        told += [each for each in (*_refusals(right), *met) if each not in told]
        return {
            "slots": {slot: kept[slot] for slot in self.names if slot in kept},
            "refused": told[-_KEPT_REFUSALS:],
        }

    def unknown(self, names: Iterable[str]) -> dict[str, str]:
        """What to say of names that are no slots."""
        told = f"is no slot of this form; its slots are {', '.join(self.names)}"
        return {name: told for name in names if name not in self.names}


def values_of(entries: Mapping[str, Entry]) -> dict[str, Any]:
    """The values of the filled slots."""
    return {slot: entry["value"] for slot, entry in entries.items() if "value" in entry}


def _changed(entry: Entry, stamp: Stamp, *value: Any, again: bool = False) -> Entry:
    """An entry with a new value, or with none; what it was before stays with it."""
    before = list(entry.get("before", ()))
    if "value" in entry and not again:
        before.append({key: entry.get(key) for key in ("value", "by", "at", "message")})
    new: Entry = {"rev": entry["rev"] + 1, "by": stamp.by, "at": stamp.at, "message": stamp.message}
    if value:
        [new["value"]] = value
    if before:
        new["before"] = before[-_KEPT_BEFORE:]
    if again and "confirmed" in entry:
        new["confirmed"] = entry["confirmed"]
    return new


def _same(one: Any, other: Any) -> bool:
    # As JSON, where true is not 1.
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _is_newer(entry: Entry, kept: Entry | None) -> bool:
    """Whether an entry replaces another; of two made at the same time, the later to arrive does."""
    return kept is None or (entry["rev"] >= kept["rev"] and entry != kept)


def _refusals(held: Held) -> list[dict[str, Any]]:
    return list((held or {}).get("refused") or ())


def _coming(right: Any) -> dict[str, Entry]:
    try:
        found = plain(right)
        slots = found.get("slots", {})
        ours = set(found) <= {"slots", "refused"} and all(map(_is_entry, slots.values()))
        ours = ours and all(set(each) == {"slot", "value", "fault"} for each in _refusals(found))
    except (ValueError, TypeError, AttributeError):
        ours = False
    if not ours:
        raise InvalidInputError(
            f"The state of a form takes no {shown(right)}. Make the update with the form, as in "
            "form.fill(state, {'slot': value})."
        )
    return dict(slots)


def _is_entry(entry: Any) -> bool:
    whole = type(entry.get("rev")) is int and entry["rev"] > 0
    return whole and ("value" not in entry or isinstance(entry.get("by"), str))
