"""Splitting English and Chinese text into sentences and words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

__all__ = ["HAN", "clean", "has_han", "listed", "sentences", "stem", "stems", "tokens"]

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_HAN_CHARACTER = re.compile(f"[{HAN}]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_TOKEN = re.compile(
    f"[{HAN}]+|[A-Za-zÀ-ɏ]+(?:-in-laws?)?(?:['’][A-Za-z]+)?(?:[+#]+)?|\\d+(?:[.,:/-]\\d+)*"
)
# A full stop ends a sentence only before a space and something that can open the next one. A run
# of marks is tried from its beginning only: a text takes time in proportion to its length.
_END = re.compile(
    rf"[。！？][。！？!?]*[”’」』\"')）]*\s*|(?<![!?])[!?]+[”’\"')）]*(?=\s|$|[{HAN}“])\s*|"
    r"(?<!\.)\.+[”\"')]*(?=\s)\s+|\n+|…\s+"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|No|vs|etc|e\.g|i\.e|approx|Jr|Sr|Inc|Ltd|Nr|Tel)$"
)
_LONGEST_ABBREVIATION = len(" approx")
_VOWEL = re.compile("[aeiouy]")


def listed(words: str) -> list[str]:
    """Words of a text, which keeps long word lists readable."""
    return words.split()


_IRREGULAR = dict(
    pair.split("=")
    for pair in listed("""
    am=be is=be are=be was=be were=be been=be has=have had=have does=do did=do done=do
    went=go gone=go goes=go got=get gotten=get gets=get bought=buy sold=sell told=tell
    said=say took=take taken=take gave=give given=give came=come saw=see seen=see ate=eat
    eaten=eat drank=drink drunk=drink drove=drive driven=drive flew=fly flown=fly
    wrote=write written=write read=read spoke=speak spoken=speak taught=teach thought=think
    brought=bring caught=catch kept=keep slept=sleep left=leave met=meet paid=pay made=make
    ran=run sat=sit stood=stand swam=swim wore=wear worn=wear won=win lost=lose found=find
    felt=feel held=hold knew=know known=know grew=grow grown=grow began=begin begun=begin
    chose=choose chosen=choose broke=break broken=break spent=spend sent=send built=build
    lent=lend sang=sing rode=ride ridden=ride fell=fall hid=hide hidden=hide woke=wake
    woken=wake tore=tear torn=tear children=child men=man women=woman people=person
    wives=wife knives=knife leaves=leave teeth=tooth feet=foot mice=mouse lives=live
    dying=die lying=lie used=use living=live
    """)
)


def clean(text: str) -> str:
    """Text without lone surrogates, which no encoder accepts."""
    return _SURROGATE.sub("\ufffd", text)


def has_han(text: str) -> bool:
    """Whether the text holds a Chinese character."""
    return _HAN_CHARACTER.search(text) is not None


def sentences(text: str) -> list[str]:
    """Sentences of a text, each an exact piece of it without the space around it."""
    found: list[str] = []
    start = 0
    for end in _END.finditer(text):
        before = max(start, end.start() - _LONGEST_ABBREVIATION)
        if end.group().rstrip() == "." and _ABBREVIATION.search(text[before : end.start()]):
            continue
        piece = text[start : end.end()].strip()
        if piece:
            found.append(piece)
        start = end.end()
    if text[start:].strip():
        found.append(text[start:].strip())
    return found


def tokens(text: str) -> list[str]:
    """Words, numbers and unbroken runs of Chinese characters, as written."""
    return [token.replace("’", "'") for token in _TOKEN.findall(text)]


def stems(words: Sequence[str]) -> list[str]:
    """Stems of the words of a text; "a living" has nothing to do with where one lives."""
    found = [stem(word) for word in words]
    for at in range(1, len(found)):
        if words[at].lower() == "living" and words[at - 1].lower() in {"a", "my", "her", "his"}:
            found[at] = "livelihood"
    return found


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The form that the inflections of an English word share; other words unchanged."""
    word = word.lower().removesuffix("'s").removesuffix("'")
    word = _IRREGULAR.get(word, word)
    if len(word) <= 3 or not word.isascii() or not word[0].isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-2]
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) >= 3 and _VOWEL.search(base):
            if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz":
                return base[:-1]
            return base.removesuffix("e")
    if word.endswith("ly") and len(word) > 5:
        return word[:-2].removesuffix("e")
    if len(word) > 3 and word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "i"
    return word.removesuffix("e") if len(word) > 3 else word
