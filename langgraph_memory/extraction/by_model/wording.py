"""Whether a statement has anything to do with the words it is said to come from."""

from __future__ import annotations

from langgraph_memory.extraction.by_model.numerals import numerals
from langgraph_memory.offline.lexicon import concepts, han_words, word_meanings
from langgraph_memory.offline.words import has_han, tokens
from langgraph_memory.store.analysis import query_terms, terms

__all__ = ["shares_words"]

_FRAME = "The user user's wants prefers likes has is uses 用户 喜欢 希望 要求"
"""Words that a statement has because it is one about the user."""


def shares_words(content: str, said: str) -> bool:
    """Whether a statement shares a telling word, a figure or a meaning with a text.

    True where it cannot be told: the two are in different scripts, or the statement has no telling
    word. Sharing one is enough: a good paraphrase often has no more, so this finds only statements
    that come from nowhere.
    """
    if has_han(content) != has_han(said):
        return True
    telling = {term for term in query_terms(content) if len(term) > 1 or not has_han(term)}
    telling -= terms(_FRAME).keys()
    if not telling or telling & terms(said).keys():
        return True
    amounts = {value for one in numerals(said) for value in one.values}
    if any(one.certain and one.values & amounts for one in numerals(content)):
        return True
    return bool((_meanings(content) - _meanings(_FRAME)) & _meanings(said))


def _meanings(text: str) -> frozenset[int]:
    """Meanings of a text's words, as far as the thesaurus knows them."""
    found: set[int] = set()
    for token in tokens(text):
        if has_han(token):
            found.update(one for word in han_words(token) for one in concepts((word,)))
        else:
            found |= word_meanings(token)
    return frozenset(found)
