"""Any text as a namespace label: e-mail addresses and names hold what LangGraph forbids there."""

from __future__ import annotations

from langgraph_memory.errors import InvalidInputError

__all__ = ["decode_label", "encode_label"]


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
