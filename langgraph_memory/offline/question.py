"""What a question asks for: its content words, the kind of value expected, and about whom."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from langgraph_memory.offline.lexicon import concepts, han_words, phrase_lengths, word_meanings
from langgraph_memory.offline.values import proper_names
from langgraph_memory.offline.words import HAN, has_han, listed, sentences, stem, stems, tokens

__all__ = ["LIGHT", "Question", "Slot", "is_question", "understand"]

_OPENERS = frozenset(
    listed("""
    what what's whats when when's where where's who who's whom whose which why how how's is
    are am was were do does did can could will would should shall have has had may might
    """)
)
_AUXILIARIES = _OPENERS - frozenset(
    listed("""
    what what's whats when when's where where's who who's whom whose which why how how's
    """)
)
_PRONOUNS = frozenset(
    listed("""
    i you we he she it they my your our his her its their there this that the
    """)
)
_ASKING = re.compile(
    r"^\W*(?:(?:and|so|but|ok|okay|hey|hi|please|now|well|also|then|thanks|great)[,\s]+)*"
    r"(?:please\s+)?(?:tell\sme\b(?!\snot)|remind\sme\s(?:what|when|where|who|which|how|of\b|about\b|why)|"
    r"list\b|name\s(?:all|my|the|every)\b|repeat\b|recall\b|give\sme\b|show\sme\b|say\sagain|"
    r"do\syou\s(?:remember|know|recall)|any\s\w+.*\?)",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^\W*(?:(?:and|so|but|ok|okay|hey|hi|hello|please|now|well|also|then|thanks|great|"
    r"sorry|by the way|"
    r"btw|one more thing|quick question)[,:\s]+)+",
    re.IGNORECASE,
)
_HAN_ASKING = re.compile(
    r"什么|哪|谁|几[点号个岁年月日天位次口楼级时]|多少|多大|多久|多高|多重|多长|怎么|怎样|为何|为啥|为什么|啥|吗[。？?！!]?$|"
    r"呢[。？?！!]?$|是否|是不是|有没有|能不能|会不会|要不要|可不可以|贵姓|何时|何地|告诉我|提醒我一下我|说说|列出|列举"
)
_HAN_STATING = re.compile(r"(?:不管|无论|没什么|不知道|什么都|哪儿都|谁都|多少有|没有什么)")

# Words that carry no content of a question: grammar, politeness, and talk about the talk itself.
_STOP = frozenset(
    stem(word)
    for word in listed("""
    a an the i me my mine myself you your yours we us our ours he him his she her hers it
    its they them their theirs this that these those there here what what's whats when
    when's where where's who who's whom whose which why how how's be is are am was were been
    being do does did done doing can could will would should shall may might must have has
    had having of in on at to for from with by about as into onto than then and or but if so
    not no nor don't doesn't didn't isn't can't cannot won't shouldn't couldn't wouldn't
    aren't wasn't haven't hasn't please tell remind remember recall know say said tell told
    mention mentioned again ever just really exactly actually currently now already still
    also too very any some something anything someone anyone thing things stuff kind kinds
    type types sort sorts one ones let us ok okay hey hi hello thanks thank you i'm i've i'd
    i'll it's that's you're we're many much more most some get got list give show up out
    over sure right all every each both yes according earlier conversation chat is's 's
    other else main actual exact current was there's able through during supposed happen
    along upon per whether anyway suffer certain
    """)
)
_HAN_STOP = frozenset(
    listed("""
    的 了 吗 呢 吧 啊 是 我 你 他 她 它 您 我们 你们 他们 咱们 在 和 跟 与 有 会 能 可以
    应该 要 得 着 过 把 被 给 对 从 到 为 什么 什么样 哪
    哪里 哪儿 哪个 哪些 哪位 哪天 哪年 谁 几 几个 多少 怎么 怎样 如何 为什么 为何 啥 个 位
    种 只 这 那 这个 那个 这次 那次 一下 请 请问 告诉 告诉我
    记得 还记得 知道 说 说过 之前 刚才 我说 提到 提过 现在 目前 最近 都 也 还 就 很 最 比较
    做 是什么 呀 嘛 之 里 上 下 中 些 样 件 时候 什么时候
    事 事情 东西 是否 有没有 是不是 能不能 不 没 没有 哪家 哪种 一个 的话 去 来 出 贵 家里
    自己 曾 帮 帮我 想 次 让 需要 打算 平时 一般 通常 每 所
    于 到底 大概 用 被 其 新 该 属于 有哪 一共 总共 具体 究竟 号 向 跟着 要求你 年 月 天 点
    名 条 门 一 以后 将来 趟 主 主要 容易 比较 好 本 座 下次 这趟 最终 最后 正在 准备
    才 再 又 只 必须 对 按 靠 那边 里面 之后 后 先 好像 大家 还有 有关 关于 该怎么 时 内
    并 让我 请你 您 每天 第几
    """)
)
# Words that may be asked for but say little about which statement is meant.
LIGHT = frozenset(
    stem(word)
    for word in listed("""
    have get go take make use do be want need plan come put like work run give call keep set
    new old first last next day time way lot good best name number many long place people
    person go to should book current own usually prefer look find try used hot habit group
    see follow special spend happen held part month year date week
    """)
) | frozenset(
    f"{stem('take')} {stem('place')}|go on|".split("|")
    + listed("""
    叫 姓 名字 喜欢 想要 要 用 时间 地方 号码 人 开 坐 吃 走 看 买 干 花 位置 名称 年 叫什么
    几点 几号 哪天 星期几 日期 日子 星期 月份 年份 几月
    哪年 习惯 参加 举行 举办 进行
    """)
)

_TYPES: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), frozenset(wanted.split()))
    for pattern, wanted in (
        (r"\bwhat\s(?:time|hour)\b|\bat\swhat\stime\b|几点|什么时间|什么时刻", "#time"),
        (r"\bwhen\b|\b(?:what|which)\s(?:date|day|month|year)\b|what(?:'s|\sis)\s(?:the|my)\s(?:date|deadline)|"
         r"什么时候|何时|哪[天年月]|几号(?![房楼线门桌])|几月|什么日期|哪一[天年]|星期几|"
         r"周几", "#date #time #condition"),
        (r"\bhow\sold\b|几岁|多大(?:了|年纪|岁数|年龄)?$|多大年[纪龄]|什么年纪|多大了", "#age"),
        (r"\bhow\s(?:much|expensive)\b.*\b(?:pay|paid|spend|spent|cost|costs|price|budget|money|rent|earn|owe)\b|"
         r"\bhow\sexpensive\b|\bwhat\s(?:price|budget)\b|多少钱|多少(?:预算|费用|租金)|"
         r"(?:预算|价格|租金|月薪|工资|费用).*多少", "#money"),
        (r"\bhow\smuch\b|多少钱|多少(?:预算|费用|租金)", "#money #number"),
        (r"\bhow\s(?:many|tall|far|big|heavy|high|large)\b|多少[个人位名]|几[个位名口只]|"
         r"有多少(?!天)|多[高重]", "#number"),
        (r"\bhow\soften\b|多久一次|频率", "#frequency #number"),
        (r"\bhow\slong\b|多久(?!一次)|多长时间|[几多][少]?(?:天|周|小时|分钟|"
         r"年)(?!级)", "#duration #date"),
        (r"\bwhere(?:'s|abouts)?\b|哪里|哪儿|什么地方|何处|在哪|去哪", "#place #email #url"),
        (r"\bwho(?:m|se|'s)?\b|谁|哪位", "#person"),
        (r"\bwhy\b|\bhow\scome\b|为什么|为何|为啥|什么原因|怎么会", "#reason"),
        (r"\b(?:e-?mail)\b.*\?|邮箱|邮件地址", "#email"),
        (r"\b(?:phone|telephone|mobile|cell)\snumber\b|电话|手机号", "#phone"),
        (r"\b(?:name|names)\b|\b(?:called|named)\b|叫什么|什么名|名字|贵姓|姓什么|叫啥|"
         r"怎么称呼", "#name #name? #person"),
        (r"\b(?:password|passcode|pin|combination|code|id|number)\b|密码|编号|号码|几号楼|卡号|口令|取件码",
         "#code #number #person #name?"),
    )
)  # fmt: skip
_SEVERAL = re.compile(
    r"\b(?:list|all|everything|anything\syou\sknow|what\sdo\syou\sknow|know\sabout|names\sof|summar\w+|"
    r"(?:which|what)\s(?:\w+\s)?(?:foods|things|languages|hobbies|constraints|preferences|allergies|rules|"
    r"requirements|people|sports|tools|facts|plans|pets|dates|ingredients|conditions|restrictions)|"
    r"both|each)\b|哪些|所有|全部|都有|列出|列举|知道我|了解我|"
    r"(?:记得|记住|认识)了?我(?:的?(?:些?什么|多少|哪些|事|一切)|[吗么]|$)|(?:关于|对)我.{0,4}(?:记得|记住)",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"\b(?:avoid|not|never|can't|cannot|don't|doesn't|dislike|hate|allerg\w*|refuse|stay\saway|forbid\w*|"
    r"except|exclude|intoleran\w*|off\slimits|without|won't|worst|least|stand)\b|不|别|讨厌|忌|过敏|避免|禁|反感",
    re.IGNORECASE,
)
_FIRST = re.compile(r"\b(?:i|my|me|mine|we|our|us|i'm|i've|i'd|am)\b|我|咱", re.IGNORECASE)
_PAST = re.compile(
    r"\b(?:used\sto|before|previously|previous|former(?:ly)?|originally|old|first|earlier)\b|以前|过去|原来|曾经|之前|最初",
    re.IGNORECASE,
)
_FOLLOW_UP = re.compile(r"^\W*(?:and|what\sabout|how\sabout|and\sfor)\b|^\W*那.*呢", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Slot:
    """One content word or phrase of a question.

    Attributes:
        words: The word's stems, or one Chinese word.
        meanings: Its meanings in the thesaurus.
        weight: How much it says about which statement is meant.
        focus: Whether it belongs to the thing asked about ("which hotel", "my hotel").
        strict: Whether a statement that lacks it can hardly be the answer (a name, a relative).
    """

    words: tuple[str, ...]
    meanings: tuple[int, ...]
    weight: float
    strict: bool = False
    focus: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart.

    Attributes:
        text: The question as asked.
        slots: Its content words.
        wanted: Kinds of value of which the answer should hold one; empty when any will do.
        first_person: Whether it asks about the user.
        negative: Whether it asks for what is not, or is to be avoided.
        several: Whether more than one statement may be wanted.
        past: Whether it asks for a former state.
        polar: Whether it is answered by yes or no.
        follow_up: Whether it continues the question before it.
    """

    text: str
    slots: tuple[Slot, ...]
    wanted: frozenset[str]
    first_person: bool
    negative: bool
    several: bool
    past: bool
    polar: bool
    follow_up: bool


@lru_cache(maxsize=65_536)
def is_question(sentence: str) -> bool:
    """Whether a sentence asks something rather than states it."""
    bare = sentence.strip()
    if bare.rstrip("”\"')） ").endswith(("?", "？")) or _ASKING.search(bare):
        return True
    if has_han(bare):
        return bool(_HAN_ASKING.search(bare)) and not _HAN_STATING.search(bare)
    words = [word.lower() for word in tokens(_LEADING.sub("", bare))[:2]]
    if len(words) < 2 or words[0] not in _OPENERS:
        return False
    if words[0] in _AUXILIARIES:
        return words[1] in _PRONOUNS
    # "When I was young …", "What I need is …" state something.
    return words[1] not in {"i", "we", "my", "the", "you", "he", "she", "they", "it"} or words[
        0
    ] in {"what's", "who's", "where's", "when's", "how's"}


@lru_cache(maxsize=1024)
def understand(text: str) -> Question | None:
    """Takes a user message apart; None when nothing in it asks anything."""
    asked = [sentence for sentence in sentences(text) if is_question(sentence)]
    if not asked:
        return None
    question = asked[-1] if len(asked) == 1 else " ".join(asked)
    first_words = [word.lower() for word in tokens(_LEADING.sub("", question))[:1]]
    polar = bool(first_words) and first_words[0] in _AUXILIARIES
    polar = polar or bool(re.search(r"吗[？?。]?$|是否|是不是|有没有|能不能|会不会", question))
    wanted: frozenset[str] = frozenset()
    for pattern, kinds in _TYPES:
        if pattern.search(question):
            wanted = kinds
            break
    slots = (*_slots(question), *_trade(question)) or _who_am_i(question)
    first_person = bool(_FIRST.search(question))
    name = word_meanings("name")
    if first_person and slots and all(name & set(slot.meanings) for slot in slots):
        wanted = frozenset({"#self"})
    if polar and not re.search(r"remember|recall|know|tell", question, re.IGNORECASE):
        wanted = frozenset()
    return Question(
        text=question,
        slots=slots,
        wanted=wanted,
        first_person=first_person,
        negative=bool(_NEGATIVE.search(question)),
        several=bool(_SEVERAL.search(question)),
        past=bool(_PAST.search(question)),
        polar=polar,
        follow_up=bool(_FOLLOW_UP.search(question)),
    )


def _trade(question: str) -> tuple[Slot, ...]:
    """Slot for "What does she do?" asks for a job without a word for it."""
    asked = re.search(
        r"\bwhat\s(?:do|does|did)\s(?:\S+\s){1,3}do\s*(?:now|today|for\s(?:work|a\sliving|money))?\s*\?|[做干]什么的|[做干]啥的|"
        r"靠什么(?:吃饭|谋生|生活|为生|过日子|赚钱)|[做干]哪[一]?行",
        question,
        re.IGNORECASE,
    )
    return (_slot((stem("occupation"),), 1.0, False),) if asked else ()


def _who_am_i(question: str) -> tuple[Slot, ...]:
    """The one question about the user's name that has no content word."""
    asked = re.search(r"\bwho\s(?:am\si|i\sam)\b|我是谁", question, re.IGNORECASE)
    return (_slot((stem("name"),), 0.45, False),) if asked else ()


def _slots(question: str) -> list[Slot]:
    names = proper_names(_LEADING.sub("", question))
    slots: list[Slot] = []
    run: list[str] = []
    for token in [*tokens(question), ""]:
        if token and not has_han(token):
            run.append(token)
            continue
        slots.extend(_english_slots(run, names))
        run = []
        if token:
            slots.extend(_han_slots(token))
    unique: dict[tuple[str, ...], Slot] = {}
    for slot in slots:
        unique.setdefault(slot.words, slot)
    return list(unique.values())


def _english_slots(words: list[str], names: frozenset[str]) -> list[Slot]:
    roots = stems(words)
    slots: list[Slot] = []
    at = 0
    focus = False
    while at < len(words):
        taken = 1
        for length in phrase_lengths():
            phrase = tuple(roots[at : at + length])
            if length > 1 and len(phrase) == length and concepts(phrase):
                taken = length
                break
        phrase = tuple(roots[at : at + taken])
        named = words[at].lower().removesuffix("'s") in names
        if taken > 1 or named or phrase[0] not in _STOP:
            exact = named or any(character.isdigit() for character in phrase[0])
            light = " ".join(phrase) in LIGHT and not named
            weight = 0.45 if light else 1.3 if exact else 1.0
            slots.append(_slot(phrase, weight, exact, focus))
        else:
            focus = False
        focus = focus or words[at].lower() in _DETERMINERS or words[at].endswith("'s")
        at += taken
    return slots


_HAN_WHICH = re.compile(f"(?:什么样的|什么|哪[个种家座所款只位])([{HAN}]{{1,4}})")


def _han_slots(run: str) -> list[Slot]:
    slots: list[Slot] = []
    asked = {han_words(noun)[0] for noun in _HAN_WHICH.findall(run)}
    for piece in _han_content(run):
        if piece not in _HAN_STOP:
            weight = 0.45 if piece in LIGHT else 1.0 if len(piece) > 1 else 0.7
            slots.append(_slot((piece,), weight, False, piece in asked))
    return slots


def _han_content(run: str) -> list[str]:
    """Known words of a run, with question words and particles cut out of the rest."""
    pieces: list[str] = []
    for part in _HAN_GRAMMAR.split(run):
        for piece in han_words(part):
            bare = piece if concepts((piece,)) else piece.strip(_HAN_PARTICLES)
            if bare:
                pieces.append(bare)
    return pieces


_HAN_PARTICLES = (
    "的了吗呢吧啊是我你他她它在和跟与有能要得着过把被给对从到为做"
    "哪谁几这那请都也还就很最呀嘛之去来该儿"
)


_HAN_GRAMMAR = re.compile(
    "干什么|做什么|干嘛|告诉我|请问|还记得|记得|是什么样|什么样|是什么|叫什么(?=名)|为什么|什么时候|什么时间|什么|在哪里|在哪儿|哪里|哪儿|哪个|哪些|哪位|哪家|哪种|哪座|哪所|哪天|"
    "哪一个|哪一|在哪|哪|是谁|谁|有几个|几个|几位|多少|怎么样|怎么|怎样|如何|为何|啥|干什么|做什么|干嘛|我们的|我们|你们|他们|咱们|我的|你的|他的|她的|"
    "我|你|您|他|她|它|的|了|吗|呢|吧|啊|呀|嘛|是不是|有没有|能不能|是否|应该|可以|之前|刚才|说过|提到过|提过|提到|目前|现在|一下|"
    "这次|这个|那个|这趟|那趟|比较好|比较|容易|主要|一共|总共|到底|究竟|正在|应当|必须|下次|有关|关于|最(?![多少大小高低后新近爱喜早晚])"
)


_DETERMINERS = frozenset(["my", "our", "your", "which", "what", "his", "her", "their", "whose"])


def _slot(words: tuple[str, ...], weight: float, strict: bool, focus: bool = False) -> Slot:
    meanings = concepts(words)
    relative = any(meaning in _relatives() for meaning in meanings)
    return Slot(
        words, meanings, max(weight, 1.2) if relative else weight, strict or relative, focus
    )


@lru_cache(maxsize=1)
def _relatives() -> frozenset[int]:
    """Meanings that name a certain person or animal, who must not be taken for another."""
    words = """mother father brother sister son daughter wife husband girlfriend boyfriend
    grandmother grandfather aunt uncle cousin nephew niece grandson granddaughter fiance twin
    dog cat bird boss landlord roommate neighbour client"""
    return frozenset(meaning for word in words.split() for meaning in word_meanings(word))
