"""How near two words are in meaning, looked up in thesaurus.txt.

The closeness of a question's word to a statement's word is a number from 0 to 1:
the same meaning, a kind of what was asked, something that has to do with it, or nothing.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from importlib.resources import files

from langgraph_memory.offline.words import has_han, stems, tokens

__all__ = [
    "closeness",
    "concepts",
    "excludes",
    "han_words",
    "is_kind_of",
    "phrase_lengths",
    "word_meanings",
]

SAME, KIND, LINKED, TOPIC, BROADER = 0.9, 0.85, 0.55, 0.12, 0.3
_LONGEST_HAN = 6
_LONGEST_PHRASE = 4

Phrase = tuple[str, ...]


class _Thesaurus:
    """The parsed thesaurus: words to meanings, and meanings to their neighbours."""

    def __init__(self, text: str) -> None:
        self.phrases: dict[Phrase, tuple[int, ...]] = {}
        self.han: dict[str, tuple[int, ...]] = {}
        self.topic: list[str] = []
        self.parents: list[frozenset[int]] = []
        self.links: dict[int, set[int]] = defaultdict(set)
        self._topic = ""
        for line in text.strip().splitlines():
            if line.strip() and line.rstrip() != "#" and not line.startswith("# "):
                self._read(line.strip())

    def _read(self, line: str) -> None:
        if line.startswith("["):
            self._topic = line.strip("[]")
        elif " ~ " in line:
            left, right = line.split(" ~ ")
            for source in self.meanings(left):
                for word in right.split(","):
                    for target in self.meanings(word):
                        self.links[source].add(target)
                        self.links[target].add(source)
        elif " >> " in line:
            parent, kinds = line.split(" >> ")
            for kind in kinds.split(";"):
                self._add(kind.replace("=", ",").split(","), parent)
        elif " > " in line:
            parent, words = line.split(" > ")
            self._add(words.split(","), parent)
        else:
            self._add(line.split(","), None)

    def _add(self, words: list[str], parent: str | None) -> None:
        number = len(self.topic)
        self.topic.append(self._topic)
        above = frozenset(self.meanings(parent)) if parent else frozenset()
        self.parents.append(above.union(*(self.parents[one] for one in above)))
        for word in words:
            word = word.strip()
            if has_han(word):
                self.han[word] = (*self.han.get(word, ()), number)
            elif word:
                key = _key(word)
                self.phrases[key] = (*self.phrases.get(key, ()), number)

    def meanings(self, word: str) -> tuple[int, ...]:
        word = word.strip()
        return self.han.get(word, ()) if has_han(word) else self.phrases.get(_key(word), ())

    def closeness(self, asked: int, said: int) -> float:
        if asked == said:
            return SAME
        if asked in self.parents[said]:
            return KIND
        if said in self.parents[asked]:
            return BROADER
        if self.parents[asked] & self.parents[said]:
            return 0.0
        if said in self.links[asked]:
            return LINKED
        # A kind has to do with what its parent has to do with, only less so.
        if self.parents[said] & self.links[asked]:
            return LINKED * 0.75
        if self.parents[asked] & self.links[said]:
            return LINKED * 0.4
        return TOPIC if self.topic[asked] == self.topic[said] else 0.0


def _key(word: str) -> Phrase:
    if word.startswith("#"):
        return (word,)
    return tuple(stems(tokens(word)))


@lru_cache(maxsize=1)
def _thesaurus() -> _Thesaurus:
    source = files(__package__).joinpath("thesaurus.txt")
    return _Thesaurus(source.read_text(encoding="utf-8"))


@lru_cache(maxsize=262_144)
def closeness(asked: int, said: int) -> float:
    """How well a statement's meaning serves a question's meaning, 0 to 1."""
    return _thesaurus().closeness(asked, said)


@lru_cache(maxsize=262_144)
def excludes(asked: int, said: int) -> bool:
    """Whether two meanings are different kinds of the same thing, such as cat and dog."""
    parents = _thesaurus().parents
    related = asked == said or asked in parents[said] or said in parents[asked]
    return not related and bool(parents[asked] & parents[said])


def is_kind_of(meaning: int, broader: int) -> bool:
    """Whether a meaning is a kind of another one."""
    return broader in _thesaurus().parents[meaning]


def concepts(phrase: Phrase) -> tuple[int, ...]:
    """Meanings of an English phrase of stems, or of one Chinese word."""
    thesaurus = _thesaurus()
    if len(phrase) == 1 and has_han(phrase[0]):
        return thesaurus.han.get(phrase[0], ())
    return thesaurus.phrases.get(phrase, ())


@lru_cache(maxsize=4096)
def word_meanings(word: str) -> frozenset[int]:
    """Meanings of an English word or phrase as written."""
    return frozenset(concepts(_key(word)))


def phrase_lengths() -> range:
    """Lengths of phrases to look up, in words, the longest first."""
    return range(_LONGEST_PHRASE, 0, -1)


def han_words(run: str) -> list[str]:
    """A run of Chinese characters cut into known words and what lies between them.

    Longest match first; the pieces joined give the run again.
    """
    known = _thesaurus().han
    pieces: list[str] = []
    unknown = ""
    at = 0
    while at < len(run):
        for length in range(min(_LONGEST_HAN, len(run) - at), 0, -1):
            if run[at : at + length] in known:
                if unknown:
                    pieces.append(unknown)
                    unknown = ""
                pieces.append(run[at : at + length])
                at += length
                break
        else:
            unknown += run[at]
            at += 1
    if unknown:
        pieces.append(unknown)
    return pieces
