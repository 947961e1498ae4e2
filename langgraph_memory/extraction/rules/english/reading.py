"""English sentences of the user to statements about the user."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.english.being import read_being
from langgraph_memory.extraction.rules.english.clauses import Clause, clauses, parsed
from langgraph_memory.extraction.rules.english.doing import read_doing
from langgraph_memory.extraction.rules.english.exclusions import read_spared
from langgraph_memory.extraction.rules.english.limits import amount_in, is_bare, limit_of
from langgraph_memory.extraction.rules.english.mine import read_mine, read_size
from langgraph_memory.extraction.rules.english.orders import (
    is_for_good,
    is_standing,
    read_manner,
    read_order,
    read_wanted_answers,
    read_withdrawal,
)
from langgraph_memory.extraction.rules.english.others import (
    read_of_another,
    read_other,
    with_antecedent,
)
from langgraph_memory.extraction.rules.english.plain_english import expanded, without_filler
from langgraph_memory.extraction.rules.english.replacing import read_replaced
from langgraph_memory.extraction.rules.english.terms import (
    FOR_ONCE,
    is_about_work,
    read_requirement,
    terms,
)
from langgraph_memory.extraction.rules.english.word_classes import BODY, SURROUNDINGS
from langgraph_memory.extraction.rules.english.word_order import plain_order
from langgraph_memory.offline.question import is_question
from langgraph_memory.records import MemoryType

__all__ = ["asks_english", "read_english"]

_HYPOTHETICAL = re.compile(
    r"^\W*(?:(?:and|so|but|now|ok|okay|well|then)\W+)*(?:if\s(?:only\s)?(?:I|we|my|our|you|he|she|they|someone|a|an|the|it)\b(?!\s(?:ask|write|say|send|mention|request|forget|paste|share|post|type|go\sover)\b)|suppose|supposing|imagine|pretend|assume|assuming|(?:let's|let\sus)\s(?:say|pretend|assume|play|imagine|role-?play)|what\sif|say\sI\b|"
    r"hypothetically|in\stheory|for\sexample|e\.g\.|for\sinstance|as\san\sexample|example|had\sI\b|were\sI\b|I\swish\b|act\sas|roleplay|role-play|you\sare\s(?!talking|speaking|chatting)|as\sif)",
    re.I,
)
_MATERIAL = re.compile(
    r"^\W*(?:(?:please|can\syou|could\syou|would\syou|help\sme|now|hey|hi|ok|okay|i\s(?:want|need)\syou\sto|just)\W+)*(?:translate|summari[sz]e|proofread|paraphrase|rephrase|rewrite|reword|correct|polish|explain|write|compose|draft|continue|complete|generate|create|finish|classify|analy[sz]e|parse|tell\sme\sa|act|say|pronounce)\b",
    re.I,
)
_REMEMBERING = re.compile(
    r"^\W*(?:(?:hey|hi|please|also|and|ok|okay)\W+)*(?:can|could|would|will)\syou\s(?:please\s|kindly\s|just\s)?(?:remember|note|keep\sin\smind|make\sa\snote|save|store|bear\sin\smind|write\sdown|take\snote)\s(?:of\s|the\sfact\s)?(?:that|this|:|I\b|my\b)",
    re.I,
)
_REQUEST = re.compile(
    r"^\W*(?:(?:hey|hi|please|also|and|ok|okay|so)\W+)*(?:can|could|would|will)\syou\s", re.I
)
_RATHER = re.compile(r"^\W*give\sme\s.{2,40}\sover\s.{2,40}\s(?:any|every|always)", re.I)
_APPOSITIVE = re.compile(r",\s(?=(?:a|an|the)\s|\d{1,2}\b)")
_WITH = re.compile(r"\s(?:with|and|on)\s(?=(?:a|my|an)\s(?:\w+\s)?(?:budget|allergy)\b)", re.I)
# Who greets and goes on with "it is Ann" says who is there.
_GREETED = re.compile(
    r"^(\W*(?:hi|hiya|hey|hello|yo|greetings|good\s\w+)(?:\s(?:there|again|all|everyone))?[\s,!.]+(?:it|this)\sis\s(?!\w+day\b|Christmas)(?-i:[A-Z])[\w-]+)(?:\sagain)?(?=[,.!]|$)",
    re.I,
)
_MADE_BY_US = re.compile(
    rf"^the\s((?:\w+\s)?{SURROUNDINGS})\s(?:that\s|which\s)?(?:I|we)\s(?:am|are)\s(?:building|making|writing|developing|working\son)\s(?=\w)",
    re.I,
)
_REASONS = frozenset({MemoryType.FACT, MemoryType.CONSTRAINT, MemoryType.SKILL})
_TERMS = frozenset({MemoryType.CONSTRAINT, MemoryType.PREFERENCE, MemoryType.INSTRUCTION})
# Somebody who tells of something asks for nothing.
_TELLS = re.compile(
    r"\b(?:is|are|was|were|has|had|did|does|took|takes|went|came|got|said)\b|\b(?:I|we|he|she|it|they|who|that|everyone)\s(?:\w+ly\s)?\w{3,}ed\b",
    re.I,
)
_LIST = re.compile(r"\s*(?:,\s*(?:and|or|nor)?|\s(?:and|or|nor|as\swell\sas|plus)|\s&)\s+", re.I)


def _tells(part: str, drafts: list[Draft]) -> bool:
    """Whether a part of a sentence tells how things are, and asks for nothing."""
    own = re.match(r"(?:I|we|my|our)\b(?!\s(?:\w+\s)?(?:want|need|like|look))", part, re.I)
    return _TELLS.search(part) is not None or (own is not None and not drafts)


def asks_english(sentence: str) -> bool:
    """Whether a sentence asks the assistant for something to be told, made or done."""
    plain = expanded(sentence)
    return (
        is_question(sentence)
        or plain.rstrip(" )\"'!").endswith("?")
        or _MATERIAL.match(plain) is not None
        or is_about_work(plain)
    )


def read_english(sentence: str, *, replying: bool = False, asked: bool = False) -> list[Draft]:
    """Statements about the user in one sentence, in its order.

    Args:
        sentence: A sentence of the user's own words.
        replying: Whether it was completed from a question, so that it is no question itself.
        asked: Whether another sentence of the message asks for something, so that "be brief" is
            about the answer to that.
    """
    plain = _GREETED.sub(r"\1 here", expanded(sentence))
    if (_HYPOTHETICAL.search(plain) and not _is_symptom(plain)) or (
        _MATERIAL.match(plain) and not is_standing(plain)
    ):
        return []
    if not replying and (
        (is_question(sentence) and not _RATHER.match(plain)) or plain.rstrip(" )\"'!").endswith("?")
    ):
        return _requested(plain, asked=asked)
    another = read_of_another(plain)
    if another is not None:
        return another
    swaps, rest, swap = ([], plain, None) if replying else read_replaced(plain)
    read: list[tuple[str, list[Draft]]] = [(plain, swaps)] if swaps else []
    reasoned = False
    for clause in clauses(rest):
        for part in _parts(clause):
            drafts = [
                _hedged(one, clause) for one in _read(part, plain, reasoned=reasoned, asked=asked)
            ]
            read.append((part, drafts))
        reasoned = reasoned or any(one.type in _REASONS for _, drafts in read for one in drafts)
    first = next((drafts for _, drafts in read if drafts), None)
    if first and swap:
        first[0] = replace(first[0], swap=swap)
    elif swap and swap.new:
        content = f"The user has {swap.new} in the place of {swap.old}"
        known = replace(swap, known_only=True)
        read.append((rest, [Draft(MemoryType.FACT, content, 0.6, swap=known)]))
    return _with_terms(_without_ended(read), plain)


_NOW = re.compile(r"\b(?:instead|now|nowadays|these\sdays)\b", re.I)
_ENDED = re.compile(
    r"\b(?:no\slonger|any\s?more|gave\sup|given\sup|quit|left|stopped|sold)\b", re.I
)


def _without_ended(read: list[tuple[str, list[Draft]]]) -> list[tuple[str, list[Draft]]]:
    """What was read, and what is over only as what the next statement takes the place of.

    "I no longer live in Rome, I moved to Paris" says where the user lives. What somebody does not
    eat any more may be a limit, and stays.
    """
    told = [at for at, (_, drafts) in enumerate(read) if drafts]
    for at, following in pairwise(told):
        (part, ended), (text, drafts) = read[at], read[following]
        over, new = ended[-1], drafts[0]
        if (
            over.type in {MemoryType.FACT, MemoryType.PREFERENCE}
            and (over.retracts or over.swap)
            and _ENDED.search(part)
            and not (new.retracts or new.forgets or _ENDED.search(text))
            and (_NOW.search(text) or (over.subject and over.subject == new.subject))
        ):
            ended.pop()
            drafts[0] = replace(new, retracts=over.retracts, swap=new.swap or over.swap)
    return read


def _with_terms(read: list[tuple[str, list[Draft]]], plain: str) -> list[Draft]:
    """What was read, with the terms that it gives a meaning.

    "Rooms must have a bath" may be said of anything; beside a limit, an order or a taste of the
    user, it is one, too. "Nothing spicy" is, beside one or after a request.
    """
    once = FOR_ONCE.search(plain) is not None
    beside = any(one.type in _TERMS for _, drafts in read for one in drafts)
    found: list[Draft] = []
    for at, (part, drafts) in enumerate(read):
        found.extend(drafts)
        if drafts or once or is_about_work(plain):
            continue
        wanted = beside or (at > 0 and not any(_tells(*one) for one in read[:at]))
        term = (read_requirement(part) if beside else None) or (
            read_spared(part) if wanted else None
        )
        found.extend([term] if term else [])
    return found


def _is_symptom(plain: str) -> bool:
    """Whether "if" tells what happens to the user, and not what might be."""
    return (
        plain_order(without_filler(plain)) != without_filler(plain)
        and bool(BODY.search(plain))
        and not re.search(r"\b(?:would|could|might|what|should)\b", plain, re.I)
    )


def _requested(plain: str, *, asked: bool) -> list[Draft]:
    """What a question tells all the same: "Can you remember that I …?", "Could you always …?"."""
    bare = plain.rstrip(" ?!.)\"'")
    if _REMEMBERING.match(plain):
        return [
            one
            for clause in clauses(bare)
            for part in _parts(clause)
            for one in _read(part, bare, reasoned=False)
        ]
    answers = read_wanted_answers(without_filler(bare))
    if answers and not asked:
        return [answers]
    withdrawn = read_withdrawal(without_filler(bare)) if _REQUEST.match(plain) else []
    if withdrawn:
        return withdrawn
    request = _REQUEST.match(plain)
    order = without_filler(bare)
    spoken = request and read_manner(order, order, reasoned=False, asked=asked)
    if spoken:
        return [spoken]
    if request and is_for_good(bare):
        return read_order(order, bare, reasoned=False)
    if request:
        first, *others = [part for clause in clauses(bare) for part in _parts(clause)]
        limits = [(part, limit_of(part)) for part in others]
        return _with_terms(
            [(first, []), *((part, [limit] if limit else []) for part, limit in limits)], bare
        )
    # "I'm allergic to nuts, is that okay?": the first half is stated.
    halves = re.split(
        r"(?<=\shere),\s+|[,;]\s+(?=(?:so\s|and\s|but\s)?(?:what|where|which|how|can|could|is|are|do|does|did|would|should|any(?:thing|one|where)?|who|when|will)\b)",
        bare,
        maxsplit=1,
    )
    if (
        len(halves) == 2
        and not is_question(halves[0])
        and re.match(
            r"(?:I|we|my|our|(?:it|this)\sis)\b|.*\shere$", without_filler(halves[0]), re.I
        )
    ):
        return read_english(halves[0])
    return []


def _parts(clause: Clause) -> Iterator[str]:
    """A clause with its attributes as clauses of their own."""
    text = with_antecedent(clause.text, clause.before)
    split = _WITH.split(text, maxsplit=1)
    if len(split) == 2 and re.match(r"I\sam\b", text):
        text = split[0]
        added = re.sub(r"^(?:a|an|my)\s", "", split[1]).replace("budget of", "budget is")
        yield f"I have {split[1]}" if "allergy" in split[1] else f"my {added}"
    if re.match(r"I\sam\s(?-i:[A-Z])", text):
        pieces = _APPOSITIVE.split(text)
        yield (
            pieces[0].split(" from ")[0].strip()
            if re.match(r"I am [A-Z][\w-]+ from\b", pieces[0])
            else pieces[0]
        )
        if re.match(r"I am [A-Z][\w-]+ from\b", pieces[0]):
            yield "I am from " + pieces[0].split(" from ", 1)[1]
        for piece in pieces[1:]:
            yield f"I am {piece}"
        return
    yield from terms(text)


def _read(text: str, sentence: str, *, reasoned: bool, asked: bool = False) -> list[Draft]:
    text = _MADE_BY_US.sub(r"our \1 ", text)
    limit = limit_of(text)
    if limit:
        own = re.match(r"(?:I|we|my|our)\b", text, re.I) is not None
        once = FOR_ONCE.search(text if own else sentence)
        told = not own and is_bare(text) and _TELLS.search(sentence[: max(0, sentence.find(text))])
        return [] if once or told or (not own and is_about_work(sentence)) else _limits(text, limit)
    withdrawn = read_withdrawal(text)
    if withdrawn:
        return withdrawn
    answers = read_wanted_answers(text)
    if answers:
        return [] if asked or FOR_ONCE.search(sentence) else [answers]
    said = parsed(text)
    if said is not None:
        drafts = (
            read_order(text, sentence, reasoned=reasoned)
            if re.match(
                r"I\s(?:would\s)?(?:\w+\s)?(?:like|want|need|prefer|appreciate|expect|rather)\s(?:it\sif\s|for\s)?you\b",
                text,
                re.I,
            )
            else []
        )
        drafts = drafts or (read_being(text, said) if not said.verb else read_doing(text, said))
        return [one for draft in drafts for one in _atomic(draft, text)] + _diet_of_a_noun(
            text, said.rest
        )
    if re.match(r"(?:my|our)\s", text, re.I):
        return read_mine(text) or read_other(text)
    return (
        read_size(text)
        or read_other(text)
        or read_order(text, sentence, reasoned=reasoned, asked=asked)
    )


def _limits(text: str, whole: Draft) -> list[Draft]:
    """Limits on several things one by one, so that each can be corrected alone."""
    pieces = re.split(r",?\s(?:and|but|plus)\s|,\s(?!\d)", text)
    if len(pieces) < 2 or not all(amount_in(piece) for piece in pieces):
        return [whole]
    parts = [
        limit_of(piece)
        or limit_of(f"my budget is {piece}" if re.match(r"[\d$€£¥]", piece) else f"price {piece}")
        for piece in pieces
    ]
    found = [part for part in parts if part is not None]
    # "Between 500 and 700" is one.
    alone = len({one.subject for one in found}) == len(pieces)
    return found if alone else [whole]


def _diet_of_a_noun(text: str, rest: str) -> list[Draft]:
    """The diet in "I am a vegetarian software tester"."""
    found = re.match(
        r"I am (?:a|an) (vegan|vegetarian|pescatarian) (?!person|since|for|and|who|because|now|at)\w",
        text,
    )
    return (
        [Draft(MemoryType.CONSTRAINT, f"The user is {found.group(1)}", 0.85, subject="diet")]
        if found and " not " not in text
        else []
    )


def _atomic(draft: Draft, text: str) -> Iterator[Draft]:
    """Allergies one by one, so that each can be found, corrected and forgotten alone."""
    found = re.match(r"(.*\b(?:allergic|intolerant)\sto\s)(.+)$", draft.content)
    parts = _LIST.split(found.group(2)) if found else []
    if not found or len(parts) < 2 or any(len(part.split()) > 4 for part in parts):
        yield draft
        return
    end = re.search(r"\s(?:any\s?more|any\slonger|at\sall)$", parts[-1])
    for part in [one.strip().removesuffix(end.group() if end else "") for one in parts]:
        if part:
            retracts = (f"The user is allergic to {part}",) if draft.retracts else ()
            yield replace(draft, content=f"{found.group(1)}{part}", retracts=retracts)


def _hedged(draft: Draft, clause: Clause) -> Draft:
    return replace(draft, confidence=min(draft.confidence, 0.6)) if clause.hedged else draft
