"""Chinese sentences of the user to statements about the user."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.chinese.belonging import read_around
from langgraph_memory.extraction.rules.chinese.clauses import KIN, Clause, about_user, clauses
from langgraph_memory.extraction.rules.chinese.living import is_job_han
from langgraph_memory.extraction.rules.chinese.orders import (
    read_limit,
    read_manner,
    read_order,
    read_withdrawal,
)
from langgraph_memory.extraction.rules.chinese.replacing import read_replaced, with_new_order
from langgraph_memory.extraction.rules.chinese.terms import (
    is_about_work,
    is_for_once,
    read_requirement,
    read_spared,
    tells,
)
from langgraph_memory.extraction.rules.chinese.verbs import read_verb
from langgraph_memory.memories.values import Swap
from langgraph_memory.offline.kinship import RELATIVE_HAN
from langgraph_memory.records import MemoryType

__all__ = ["asks_chinese", "is_of_another_han", "read_chinese"]

_TERMS = frozenset({MemoryType.CONSTRAINT, MemoryType.PREFERENCE, MemoryType.INSTRUCTION})
# 小李吃素，别放肉 is 小李's, and no wish of the user's own.
_OF_ANOTHER = re.compile(
    rf"^(?:对了|另外|还有|因为|记得|注意)*[，,]?(?P<all>(?:(?P<own>我们?(?:家|的)?(?:{RELATIVE_HAN}|{KIN}|朋友|同事|室友|客户|客人|同学))|[小老阿](?![是时])[\u4e00-\u9fff]{{1,2}}?|[王李张刘陈杨黄赵周吴徐孙朱胡郭何林罗郑梁谢宋唐许韩冯邓曹彭曾肖董袁潘蒋蔡余杜叶程苏魏吕丁沈姚卢姜崔钟谭陆][\u4e00-\u9fff]{{1,2}}?|[A-Z][a-z]+|{RELATIVE_HAN}|{KIN})\s?"
    r"(?:(?:对\S{1,8}?)(?:都|也|严重)*过敏|\S{1,5}?不耐受?|(?:一直|只|也)?(?:吃(?:全|纯)?素)|不(?:吃|喝|能吃|能喝|能碰)\S{1,6}?|怀孕了?|有糖尿病)"
    r"[，,。；;]?(?:所以|因此|就)?(?!我)[\u4e00-\u9fff]{0,4}?(?:请|千万|最好|就|都|也)*(?:别|不要|不能|不用|避开|少)[^，。我]{1,14}?)[吧哦啊了]?[。！!~]*$"
)
_IN_ROLE = re.compile(
    r"^(?P<who>[\u4e00-\u9fff]{2,4}|[A-Z]\w+)(?:现在)?是我们?的?新(?:来)?的?(?P<role>[\u4e00-\u9fff]{2,5})$"
)
_HYPOTHETICAL = re.compile(
    r"^\W*(?:那|但|可|不过|而且)?(?:如果|假如|假设|假使|倘若|要是|若是|万一|比如|例如|譬如|想象|假装|设想|举个例子|好比|扮演|你是一|你现在是|就算我|即使我|哪怕我)|我要是|(?:要是|的话)[^，,]{0,3}就好了"
)
_MATERIAL = re.compile(
    r"^\W*(?:请|麻烦|帮我|帮忙|你|您|能不能|可以|给我|现在|那|替我|再)*(?:把[^，。]{0,60}?(?:翻译|译成|改写|润色|改成|总结|缩写|扩写)|翻译|总结(?!请|要|都|也|尽量|得|用|里)|概括|润色|改写|校对|缩写|续写|仿写|写一?[首篇段个封份句]|编一?[个段]|创作|生成|解释|分析|讲一?个|说说|列出|介绍一下(?!我))"
)
_ASKING = re.compile(
    r"(?:吗|么|呢)$|[?？]$|(?<![没有])什么(?!都)|(?<!不)怎么(?!都|说|样也)|怎样|如何|为何|为什么|为啥|哪(?:里|儿|个|些|种|家|款|天|年|位|一)?(?!怕|都|里都|儿都)|谁(?!都|也)|是否|是不是|有没有|能不能|会不会|要不要|可不可以|该不该|多少(?!有|都)|几(?:点|号|岁|个|天)(?!以)|多久|多大|多远|(?<![没有])啥(?!都)"
)
_REPORT = re.compile(
    r"^(?:他|她|它|他们|她们|人家|小[\u4e00-\u9fff](?![\u4e00-\u9fff]*我)|老[\u4e00-\u9fff](?!家|是|板叫)|有人|别人|网上|新闻|医生(?!叫我|让我|建议我|说我|嘱咐|不让))\S*(?:说|讲|问|告诉|觉得|认为)"
)
_ADVICE = re.compile(
    r"^(?:\S{0,5}?)(?:我的?)?(?:医生|大夫|营养师|中医|医嘱|教练|理疗师|体检(?:报告|结果)?|牙医)(?:说|叫|让|建议|嘱咐|要求|不让|不许|告诉|提醒|禁止)(?P<what>.+)$"
)
_EFFECT = re.compile(
    r"^(?!这|那|它|一切|大家)(?P<what>[^我你他她]{1,10}?)(?:会|总|老|一直)?(?:让|令|使|害|搞得|弄得)我(?P<how>(?:很|特别|非常|浑身|肚子|胃|头|皮肤|想吐|拉|过敏|恶心|反胃|起|睡不着|失眠|心慌|焦虑|放松|开心|烦|难受|不舒服|作呕|犯|发|打喷嚏|流|咳|呼吸|哮喘|紧张|害怕|喘|晕|痒|肿|抓狂|头疼|平静|快乐|崩溃|上火|长痘)\S*)$"
)
_MADE_WITH = re.compile(r"用\s?[A-Z][\w+#. ]*(?:写|做|开发|搭|实现|部署|训练)的?")
_FATAL = re.compile(
    r"^(?:我)?(?:吃|喝|闻|碰|沾|用)(?:了|到)?[^我你他]{1,8}?(?:会|能|就|可能)+(?:要(?:了)?我的?命|没命|死|进医院|进急诊|休克|窒息|起\S*疹\S*|拉肚子|呕吐|吐|过敏)$"
)
_MATCHES = re.compile(
    r"^(?P<what>[^我你他，]{1,8}?)(?:比[^我你他，]{1,8}?)?(?:更|最|很|特别|比较|挺)?(?:合我的?(?:口味|胃口|心意|意)|对我的?(?:胃口|口味)|适合我|戳我|得我心)$"
)
_UNWELL = re.compile(
    r"^[^我你他她]{1,8}我?(?:只要)?(?:一)?(?:吃|喝|碰|闻)(?:多|到|完)?了?(?:就|会|都)+(?:拉|吐|起|痒|肿|胃|肚|恶心|头|胀|过敏|难受|不舒服|浑身|反酸|腹泻|心慌|睡不着)\S*$"
)
_FAVOURITE = re.compile(
    r"^(?P<what>[^我你他她，]{1,14}?)(?:才|就|一直|都|算|可以说)*是我的?(?P<how>最爱|菜|心头好|命|本命|强项|弱项|短板|雷区|噩梦|天敌|克星|死穴|软肋|家乡|老家|母语|主力\S*|生日|爱好|兴趣|快乐源泉|解压\S*|首选|专业|老本行|偶像|底线)"
)
_NOT_MY = re.compile(
    r"^(?P<what>[^我你他她，]{1,12}?)(?:真的?|实在)?(?:不是我的菜|不是我的强项|我不行|我真不行|不对我胃口|不合我\S*胃口|不适合我|对我(?:来说)?(?:太\S+|不行|没吸引力))$"
)
_JUNK = re.compile(
    r"^我(?:们)?(?:知道|不知道|明白|懂|了解|觉得|认为|相信|猜|感觉|以为|听说|看到|看见|发现|没事|没关系|可以|同意|理解|再(?:想|看)|先(?!天|生)|来(?!自)|去(?!年)|也(?:是这|想问|觉得|不知道|这么)|不太懂|不懂|不明白|不清楚|刚才|忘|错了|没(?:懂|看|听|明白)|谢|爱死|爱你|的意思|的问题|的代码|的天|说|问|有(?:个|一个|些)?(?:问题|疑问|事|想法|建议|点累|空|时间)|想(?:起|到)|收到|试|怀疑|担心|好(?!吃|喝|酒)|还好|很好|挺好|累|困|饿|无聊|服了|晕)"
)


def asks_chinese(sentence: str) -> bool:
    """Whether a sentence asks the assistant for something to be told, made or done."""
    return _MATERIAL.match(sentence) is not None or _ASKING.search(sentence) is not None


def is_of_another_han(sentence: str) -> bool:
    """Whether a sentence tells what must be heeded for somebody who is named, with its reason."""
    return _OF_ANOTHER.match(sentence) is not None


def read_chinese(
    sentence: str, *, replying: bool = False, own: bool = False, asked: bool = False
) -> tuple[list[Draft], bool]:
    """Statements about the user in one sentence, and whether it ends with one about the user.

    Args:
        sentence: A sentence of the user's own words.
        replying: Whether it was completed from a question, so that it is no question itself.
        own: Whether the sentence before it was about the user.
        asked: Whether another sentence of the message asks for something, so that 简短一点 is about
            the answer to that.
    """
    if _MATERIAL.match(sentence) and not re.search(r"以后|今后|每次|从现在|一律", sentence):
        return [], False
    another = _OF_ANOTHER.match(sentence)
    if another:
        content = about_user(another["all"])
        content = content if another["own"] else content.removeprefix("用户")
        return [Draft(MemoryType.CONSTRAINT, content, 0.8, 0.85)], False
    sentence = with_new_order(sentence)
    swapped, swap = ([], None) if replying else read_replaced(sentence)
    if swapped:
        return swapped, True
    asks = not replying and re.search(r"[?？]\s*$", sentence) is not None
    read: list[tuple[Clause, list[Draft]]] = []
    reasoned = supposed = False
    pieces = list(clauses(sentence, own=own))
    once = is_for_once(sentence)
    asked = asked or any(_ASKING.search(one.original) for one in pieces[:-1])
    for at, clause in enumerate(pieces):
        supposed = supposed or _HYPOTHETICAL.search(clause.original) is not None
        read.append((clause, []))
        if supposed or _REPORT.match(clause.original):
            continue
        withdrawn = read_withdrawal(clause.original)
        if withdrawn:
            read[-1] = (clause, withdrawn)
            continue
        asking = not replying and (
            _ASKING.search(clause.original) is not None or (asks and at == len(pieces) - 1)
        )
        if asking and not re.search(
            r"(?:能不能|可不可以|可以|能否)\S*(?:以后|每次|一律|都|别再)|(?:以后|今后|每次|一律|从现在)\S*(?:能不能|可不可以|能否)|(?:以后|每次|一律|从现在)\S*(?:可以|好|行)吗|^(?:每次|每回|每当|凡是|只要|一旦)\S*，[你您]?(?:要|就|都|先|请|得)",
            clause.original,
        ):
            continue
        drafts = _read(
            clause,
            reasoned=reasoned,
            before=pieces[at - 1] if at else None,
            once=once,
            alone=not asked and (len(pieces) == 1 or reasoned or pieces[at - 1].own),
        )
        if clause.hedged:
            drafts = [replace(one, confidence=min(one.confidence, 0.6)) for one in drafts]
        reasoned = reasoned or any(
            one.type in {MemoryType.FACT, MemoryType.CONSTRAINT, MemoryType.SKILL} for one in drafts
        )
        read[-1] = (clause, drafts)
    read = _swapped(read, swap) if swap else _without_ended(read)
    terms = once or supposed or is_about_work(sentence)
    found = [one for _, drafts in read for one in drafts] if terms else _with_terms(read)
    return found, bool(pieces) and pieces[-1].own


_DENIED = re.compile(r"用户\S{0,6}?(?:不再|再也不|不)")


def _swapped(
    read: list[tuple[Clause, list[Draft]]], swap: Swap
) -> list[tuple[Clause, list[Draft]]]:
    """What was read, with the last statement in the place of what is over by the one before."""
    told = [(clause, drafts) for clause, drafts in read if drafts]
    clause, drafts = told[-1] if told else (read[-1][0], [])
    if not drafts or _DENIED.search(drafts[-1].content):
        if not (swap.old and swap.new):
            return read
        content = f"用户这边，{swap.old}换成了{swap.new}"
        known = replace(swap, known_only=True)
        over = [(one, [each for each in drafts if not each.retracts]) for one, drafts in told]
        return [*over, (clause, [Draft(MemoryType.FACT, content, 0.6, swap=known)])]
    retracts = [one for _, over in told[:-1] for draft in over for one in draft.retracts]
    new = replace(drafts[-1], swap=swap, retracts=(*drafts[-1].retracts, *retracts))
    return [(clause, [new])]


_ENDED = {"home": r"不\S{0,2}住", "employer": r"离职|辞|离开|不在"}


def _without_ended(
    read: list[tuple[Clause, list[Draft]]],
) -> list[tuple[Clause, list[Draft]]]:
    """What was read, and where the user lives no longer only as what ends with the new place."""
    told = [drafts for _, drafts in read if drafts]
    for before, drafts in pairwise(told):
        over, new = before[-1], drafts[0]
        ended = _ENDED.get(over.subject or "")
        if ended and over.subject == new.subject and re.search(ended, over.content):
            before.pop()
            retracts = (*new.retracts, *over.retracts)
            drafts[0] = replace(new, retracts=retracts, swap=new.swap or over.swap)
    return read


def _with_terms(read: list[tuple[Clause, list[Draft]]]) -> list[Draft]:
    """What was read, with the terms that it gives a meaning.

    房间必须有浴缸 may be said of anything; beside a limit, an order or a taste of the user, it is
    one, too. 不住一楼 is, beside one or after a request.
    """
    beside = any(one.type in _TERMS for _, drafts in read for one in drafts)
    found: list[Draft] = []
    for at, (clause, drafts) in enumerate(read):
        found.extend(drafts)
        if drafts or _ASKING.search(clause.original) or _REPORT.match(clause.original):
            continue
        wanted = beside or (at > 0 and not any(tells(one.original) for one, _ in read[:at]))
        # What is not used or eaten beside something else was for the readers of verbs.
        term = (read_spared(clause.original) if wanted and not clause.own else None) or (
            read_requirement(clause.original) if beside else None
        )
        found.extend([term] if term else [])
    return found


def _read(
    clause: Clause, *, reasoned: bool, before: Clause | None, once: bool, alone: bool
) -> list[Draft]:
    text, original = clause.text, clause.original
    withdrawn = read_withdrawal(original)
    if withdrawn:
        return withdrawn
    if once:
        return _stated(clause, before)  # No limit and no order that is to last.
    limit = read_limit(
        text, before.original if before and re.search("预算|花|钱", before.original) else ""
    )
    if limit:
        return limit
    spoken = read_manner(original, before.original if before else "", alone=alone)
    if spoken:
        return spoken
    order = read_order(
        text,
        original,
        before.original if before else "",
        reasoned=reasoned,
        continues=clause.own and clause.text != original,
    )
    return order or _stated(clause, before)


def _stated(clause: Clause, before: Clause | None) -> list[Draft]:
    text, original = clause.text, clause.original
    for pattern, kind, importance in (
        (_ADVICE, MemoryType.CONSTRAINT, 0.85),
        (_EFFECT, MemoryType.PREFERENCE, 0.6),
        (_FATAL, MemoryType.CONSTRAINT, 0.95),
        (_MATCHES, MemoryType.PREFERENCE, 0.6),
        (_UNWELL, MemoryType.CONSTRAINT, 0.85),
        (_FAVOURITE, MemoryType.PREFERENCE, 0.6),
        (_NOT_MY, MemoryType.PREFERENCE, 0.6),
    ):
        match = pattern.match(original)
        if match:
            if pattern is _FAVOURITE and re.search(
                r"家乡|老家|母语|生日|专业|主力", match.group("how")
            ):
                kind = MemoryType.FACT
            if pattern is _EFFECT and re.search(
                r"肚子|胃|皮肤|过敏|恶心|起|拉|浑身|喷嚏|流|咳|呼吸|哮喘|喘|晕|痒|肿|吐|长痘",
                match.group("how"),
            ):
                kind, importance = MemoryType.CONSTRAINT, 0.85
            return [Draft(kind, _shown(about_user(original)), importance)]
    if before is not None and before.own and _MADE_WITH.search(original):
        return [
            Draft(
                MemoryType.FACT,
                f"用户这边，{_shown(about_user(original).removeprefix('用户'))}",
                0.7,
                0.75,
            )
        ]
    role = _IN_ROLE.match(original)
    if role and is_job_han(role["role"]):
        return read_verb(f"我的新{role['role']}是{role['who']}")
    around = read_around(original)
    if around:
        return [around]
    if not clause.own or _JUNK.match(text):
        return []
    return [_with_topic(one, clause.topic) for found in read_verb(text) for one in _atomic(found)]


def _atomic(draft: Draft) -> Iterator[Draft]:
    """Allergies one by one, so that each can be found, corrected and forgotten alone."""
    found = re.match(
        r"(?P<to>[^不没]*对)(?P<what>\S+?)(?P<how>(?:都|也|严重|轻度|重度)*过敏.*)$", draft.content
    )
    things = re.split(r"以及|还有|[和与跟及、]", found["what"]) if found else []
    if not found or len(things) < 2 or not all(0 < len(one) <= 6 for one in things):
        yield draft
        return
    for thing in things:
        yield replace(draft, content=f"{found['to']}{thing}{found['how'].removeprefix('都')}")


def _with_topic(draft: Draft, topic: str) -> Draft:
    """A draft that says what its clause put first：茶，用户只喝绿的."""
    if not topic or topic in draft.content:
        return replace(draft, content=_shown(draft.content))
    subject = draft.subject
    if subject and subject.startswith(("taste:", "habit:")):
        subject = f"{subject.split(':')[0]}:{topic}"
    return replace(draft, content=f"{topic}，{_shown(draft.content)}", subject=subject)


def _shown(content: str) -> str:
    content = re.sub(r"^用户(?:也|其实|还(?=对))+(?=[\u4e00-\u9fff])", "用户", content)
    return re.sub(r"(?:的话|而已|来着)$", "", content)
