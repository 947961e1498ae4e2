"""What a statement offers: its words, their meanings, its values, and whom it is about."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from langgraph_memory.offline.kinship import RELATIVE, RELATIVE_HAN
from langgraph_memory.offline.lexicon import (
    concepts,
    han_words,
    is_kind_of,
    phrase_lengths,
    word_meanings,
)
from langgraph_memory.offline.values import kinds, proper_names
from langgraph_memory.offline.words import has_han, stem, stems, tokens

__all__ = ["Statement", "corrects", "read_statement"]

_CORRECTION = re.compile(
    r"\b(?:actually|correction|instead|changed?|moved\sto|rather\sthan|no\slonger|any\s?more|scratch\sthat|"
    r"make\s(?:it|that)|update|sorry|i\smeant|wait|turns\sout|rescheduled|postponed|pushed|switched|"
    r"change\sof\splans?|after\sall|second\sthoughts?|slip(?:s|ped)|bumped|brought\sforward|in\sfact|ended\sup|nevermind|never\smind|not\s\S+\s(?:but|any)|,\snot\s|from\snow\son|now)\b|改|更正|不对|其实|换成|换到|换|不是.*是|更新|说错|记错|"
    r"推迟|提前|变成|调整|延期|延[到至]|挪到|放宽|搞错|弄错|纠正|重新|现在|不再",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"\b(?:not|never|no|none|nothing|without|cannot|can't|don't|doesn't|didn't|won't|avoid\w*|"
    r"hate\w*|dislike\w*|refuse\w*|allerg\w+|intoleran\w+|isn't|aren't|wouldn't|free|coeliac|celiac)\b|不|没|别|讨厌|"
    r"过敏|忌口|禁止|禁忌|严禁|戒|反感|受不了|起疹",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\bused\sto\b|\bformer(?:ly)?\b|\bpreviously\b|\bback\sthen\b|\bno\slonger\b|\bas\sa\s(?:kid|child)\b|以前|曾经|过去|原来",
    re.IGNORECASE,
)
_DEPENDENT = re.compile(
    r"^\W*(?:(?:and|but|so|also|actually|then|yes|no|sorry)[,\s]+)*(?:it|it's|its|he|he's|she|she's|they|they're|this|that|"
    r"that's|those|these|his|her|their|both|there|one|same|make|else|otherwise)\b|^[他她它这那]|^\W*(?:[Cc]orrection|"
    r"[Uu]pdate)\b|^(?:改|更正|不对|其实)",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"\b(?:i|i'm|i've|i'll|i'd|we|we're|we've|me|my|our|us|mine)\b|我|咱", re.IGNORECASE
)
_THE_USER = re.compile(r"\b(?:the\suser|user's|you|your|you're)\b|用户|你|您", re.IGNORECASE)
_OTHER = re.compile(
    rf"\b(?:my|our|the\suser's|user's|your|his|her)\s(?:\w+\s){{0,2}}?{RELATIVE}\b(?!\s(?:and|&)\s(?:i|me)\b)|"
    r"^\W*(?:he|she|they|his|her|their)\b|^\W*(?:mum|mom|dad|grandma|grandpa|gran)\b",
    re.IGNORECASE,
)
_AND_I = re.compile(
    r"(?:,|;|\b(?:and|but|while|whereas|so)\b)\s+(?:i|i'm|i've|we)\b|[,，;；](?:而|但)?我",
    re.IGNORECASE,
)
_HAN_OTHER = re.compile(f"(?:我|咱|用户)?(?:们)?(?:的|家)?{RELATIVE_HAN}")
_YES = re.compile(
    r"^\W*(?:yes|yeah|no|nope|right|correct|是的?|对|不是?)\b[,，.\s]*", re.IGNORECASE
)
_CASED = {"Go": "golang", "R": "r language"}


class Statement:
    """A sentence taken apart. What costs time is worked out when first asked for.

    Attributes:
        sentence: The sentence as written.
        stems: Its English words, as stems, and its numbers.
        text: The sentence in lower case, for Chinese words.
        meanings: Meanings of its words in the thesaurus.
        length: Number of its words.
    """

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence
        self.text = sentence.lower()
        words = tokens(sentence)
        roots = stems(words)
        self.stems = frozenset(roots)
        meanings = _phrase_meanings(roots)
        # Names that are ordinary words unless written with a capital.
        meanings.update(one for word in words for one in word_meanings(_CASED.get(word, "")))
        self.length = 0
        for word in words:
            pieces = han_words(word) if has_han(word) else [word]
            self.length += len(pieces)
            if has_han(word):
                meanings.update(_han_meanings(word, pieces))
        self.meanings = frozenset(meanings)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """Kinds of value it holds."""
        place = word_meanings("place")
        if any(is_kind_of(said, one) for said in self.meanings for one in place):
            return kinds(self.sentence) | {"#place"}
        return kinds(self.sentence)

    @cached_property
    def valued(self) -> frozenset[int]:
        """Meanings that its values have in the thesaurus (an amount means a price)."""
        return frozenset(one for kind in self.kinds for one in concepts((kind,)))

    @cached_property
    def names(self) -> frozenset[str]:
        """Names in it, in lower case."""
        return proper_names(self.sentence)

    @cached_property
    def mixed(self) -> bool:
        """Whether it speaks of a third person and of the user."""
        return _AND_I.search(self.sentence) is not None

    @cached_property
    def about_other(self) -> bool:
        """Whether its subject is a relative, a friend or another third person."""
        return _is_about_other(self.sentence)

    @cached_property
    def about_kin(self) -> bool:
        """Whether that third person is close enough to have the same kind of facts."""
        pattern = _HAN_OTHER if has_han(self.sentence) else _OTHER
        return self.about_other and pattern.search(self.sentence) is not None

    @cached_property
    def negative(self) -> bool:
        """Whether it denies or forbids something."""
        return _NEGATIVE.search(self.sentence) is not None

    @cached_property
    def past(self) -> bool:
        """Whether it tells of a former state."""
        return _PAST.search(self.sentence) is not None

    @cached_property
    def dependent(self) -> bool:
        """Whether it leans on the sentence before it ("It is called …")."""
        return _DEPENDENT.search(self.sentence) is not None

    @cached_property
    def fragment(self) -> bool:
        """Whether it is a short reply that needs its question ("The aisle, please.")."""
        bare = _FIRST.search(_YES.sub("", self.sentence)) is None
        return self.length <= 8 and (bare or _YES.search(self.sentence) is not None)


@lru_cache(maxsize=65_536)
def read_statement(sentence: str) -> Statement:
    """Takes a sentence apart; remembered, because prompts repeat their sentences."""
    return Statement(sentence)


def _phrase_meanings(roots: list[str]) -> set[int]:
    meanings: set[int] = set()
    for at in range(len(roots)):
        for length in phrase_lengths():
            if at + length <= len(roots):
                meanings.update(concepts(tuple(roots[at : at + length])))
    return meanings


def _han_meanings(word: str, pieces: list[str]) -> set[int]:
    meanings = {one for piece in pieces for one in concepts((piece,))}
    # Words of two and more characters also count where the cutting went another way.
    for at in range(len(word)):
        for size in (2, 3, 4):
            meanings.update(concepts((word[at : at + size],)))
    return meanings


def _is_about_other(sentence: str) -> bool:
    """Whether a third person comes before any "I" of the sentence."""
    pattern = _HAN_OTHER if has_han(sentence) else _OTHER
    other = pattern.search(sentence)
    if other is None and _is_person_phrase(sentence):
        return True
    if other is None:
        names = proper_names(sentence)
        opening = tokens(sentence)[:1]
        return bool(opening and opening[0].lower().removesuffix("'s") in names) and not (
            _FIRST.search(sentence) or _THE_USER.search(sentence)
        )
    first = _FIRST.search(sentence)
    return first is None or first.start() >= other.start()


def _is_person_phrase(sentence: str) -> bool:
    """Whether a sentence opens with someone known by a trade ("The plumber …", "My boss …")."""
    opening = tokens(sentence)[:2]
    if (
        len(opening) < 2
        or _FIRST.search(sentence[len(opening[0]) + 1 :])
        or opening[0].lower() not in {"the", "our", "my", "a", "your", "their"}
    ):
        return False
    said = concepts((stem(opening[1]),))
    others = word_meanings("boss") | word_meanings("landlord") | word_meanings("mentor")
    if others.intersection(said):
        return True
    return any(is_kind_of(one, job) for one in said for job in word_meanings("job"))


@lru_cache(maxsize=65_536)
def corrects(sentence: str) -> bool:
    """Whether a sentence sounds like the correction of an earlier one."""
    return _CORRECTION.search(sentence) is not None
