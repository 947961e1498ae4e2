"""A value in the place of another: 从甲改到乙, 不喝甲了，改喝乙, 甲退休了，由乙…."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re
from dataclasses import replace

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.chinese.clauses import KIN, about_user
from langgraph_memory.extraction.rules.chinese.orders import read_limit
from langgraph_memory.extraction.rules.chinese.verbs import read_verb
from langgraph_memory.extraction.rules.chinese.words import ADVERBS, POINTING
from langgraph_memory.extraction.rules.kinds import FACT
from langgraph_memory.memories.values import Swap
from langgraph_memory.offline.kinship import RELATIVE_HAN

__all__ = ["read_replaced", "with_new_order"]

_SIGN = re.compile(r"[换改变调挪移转升降涨减增加压砍缩放提推延退走离辞接搬迁不]|现在")
_UNREAL = re.compile(
    r"如果|要是|假如|假设|万一|可能|也许|或许|想(?!吃|喝)|打算|考虑|要不要|准备|是否|没有?(?!了)|未|建议|差点|希望|能不能|可不可以|[吗呢?？]|什么|怎么|问|说"
)
# A piece of a text or of a work, and not of the user's life.
_WORK = re.compile(
    r"第[一二三四五两\d]|[这那上下][一两]?[段个张句行页]|文件|变量|函数|按钮|图片|文字|标题|段落|代码|格式|颜色(?=改)"
)
_ONCE = re.compile(r"今[天晚早]|明[天晚早]|后天|这[次回周一顿]|暂时|临时|先")
_SEP = r"[，,；;。！!\s]+"
_NAME = (
    r"(?:[\u4e00-\u9fff]{1,3}?(?:医生|大夫|医师|老师|教练|师傅|律师|教授|经理|主任|阿姨|先生|女士|总|姐|哥|护士)|[小老阿][\u4e00-\u9fff]{1,2}?|"
    r"[A-Z][\w·]*|[王李张刘陈杨黄赵周吴徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔][\u4e00-\u9fff]{1,2}?)"
)
_WHAT = r"(?P<whose>(?:我们?|咱们?)(?:家|这边)?的?)?(?:把|将)?(?P<of>(?!们|的|现在|目前|以后|最近|后来|已经|如今|我|都|也|就)(?:(?![从把我])[\u4e00-\u9fffA-Za-z]){2,9}?|车)的?"
_HOW = r"(?:可以)?(?P<how>(?:换|改|变|调|挪|移|转|提前|推迟|延后|延迟|推后|提高|提升|上调|下调|增加|增|涨|升|加|降低|降|减少|减|缩短|缩减|缩|放宽|压缩|压|砍|更换|更改|调整|变更)(?:到|成|为|至|作|在))"
_NEW = r"了?(?P<new>[^，,；;。！!？?]{1,20}?)(?:的)?了?$"
_OLD = r"(?P<old>[^，,；;。]{1,15}?)"
_LEFT = r"(?:已经|刚刚?|最近|上个?[月周]|去年|前阵子)*(?:退休|离职|辞职|调走|走|出国|搬走|离开|不[做干教看来]|去世|升职|休假|转行|回老家|去了?|关门|倒闭|停业|被调)[^，,；;。]{0,6}?了?"

_FRAMES: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern)
    for pattern in (
        # 瑜伽课从周三改到周五了
        rf"^{_WHAT}{ADVERBS}从{_OLD}{_HOW}{_NEW}",
        rf"^(?P<whose>我们?)从{_OLD}把(?P<of>[\u4e00-\u9fff]{{2,8}}?){_HOW}{_NEW}",
        rf"^(?P<whose>我们?){ADVERBS}把(?P<of>[\u4e00-\u9fff]{{2,8}}?)从{_OLD}{_HOW}{_NEW}",
        # 阿姨换人了，现在是张阿姨
        rf"^{_WHAT}换(?:人|了|过)了?{_SEP}(?:现在|如今)*(?:换成|改成|由|是|叫)了?(?P<new>{_NAME})了?$",
        # 老郑调走了，我们部门主管换成了小顾
        rf"^(?P<old>{_NAME}){_LEFT}{_SEP}{_WHAT}{ADVERBS}(?:{_HOW}|(?:改)?由|是){_NEW}",
        # 猫粮不买皇家了，换成渴望了
        rf"^{_WHAT}{ADVERBS}(?:不再|再也不|不)(?P<verb>\S){_OLD}了?{_SEP}{ADVERBS}(?:(?:换|改)(?:成|为|到|用)|改(?:\S(?=\S)))了?(?P<new>[^，,；;。]{{1,15}}?)了?$",
        # 周医生退休了，现在由林医生给我看牙
        rf"^(?P<old>{_NAME}){_LEFT}{_SEP}(?P<said>{ADVERBS}(?:换成?了?|改?由|是|接替\S{{0,4}}的是)(?P<new>{_NAME})(?P<does>(?:来|给|在|负责|接|教|带|看|管|当|做)\S*?)?)了?$",
        # 王大夫调走了，李大夫接替了他
        rf"^(?P<old>{_NAME}){_LEFT}{_SEP}(?P<new>{_NAME}){ADVERBS}(?:接替|接手|顶替|代替|取代|接)了?(?:[他她]|\S{{0,4}}的?(?:班|位置|工作))?了?$",
        # 林医生接替了周医生
        rf"^(?P<new>{_NAME}){ADVERBS}(?:接替|接手|顶替|代替|取代)了?(?P<old>{_NAME})了?(?:的(?:班|位置|工作))?了?$",
        # 医生把我的降压药从两片减到一片了
        rf"^\S{{1,6}}?把(?P<whose>我们?的)(?P<of>[\u4e00-\u9fff]{{2,8}}?)从{_OLD}{_HOW}{_NEW}",
        # 我们公司从浦东搬到闵行了
        rf"^(?P<whose>我们?)的?(?P<of>公司|办公室|学校|单位|工作室|工厂|店|部门|团队){ADVERBS}从{_OLD}(?P<how>(?:搬迁?|迁)(?:到|至))了?(?P<new>[^，,；;。！!？?]{{1,20}}?)了?$",
        # 我把大众卖了，现在开比亚迪
        rf"^我们?{ADVERBS}把{_OLD}(?:卖|扔|退|停|注销|卸载|取消|送人)掉?了{_SEP}(?P<said>{ADVERBS}(?:改|换)?(?:成|用|开|骑|坐|去|喝|吃|住|玩|看|订|办|穿|听|学)了?(?P<new>[^，,；;。]{{1,15}}?))了?$",
        # 我换号码了，新手机号是乙
        rf"^我\S{{0,3}}换\S{{1,6}}了{_SEP}(?P<whose>我的|)(?:新|现在)的?(?P<of>[\u4e00-\u9fff]{{2,6}}?)(?:就?是|为|：|叫)(?P<new>[^，,；;。]{{1,30}})$",
        # 周会挪到周四下午了
        rf"^{_WHAT}{ADVERBS}{_HOW}{_NEW}",
    )
)
# 我不喝美式了，改喝拿铁
_NOT_BUT = re.compile(
    rf"^(?P<who>我们?)?{ADVERBS}(?:不再|再也不|不)(?P<verb>[\u4e00-\u9fff]){_OLD}了?{_SEP}我?(?:"
    rf"{ADVERBS}(?:而是)?(?:改|换)(?:成|为|到)?了?(?P<then>(?!了)[\u4e00-\u9fff](?=\S))?|(?:现在|如今|而是|正?在)+(?P=verb))(?P<new>[^，,；;。]{{1,15}}?)了?$"
)
# 我退出摄影社了，加入了登山社
_LEFT_FOR = re.compile(
    rf"^我们?{ADVERBS}(?:退出|离开|退)了?{_OLD}(?:的年卡|的会员|的卡)?了?{_SEP}{ADVERBS}(?:改|又|转而)*(?:加入|参加|去|进|转到|办)了?(?P<new>[^，,；;。]{{1,15}}?)了?$"
)
# 我现在每天跑八公里，不是五公里了
_NOT = re.compile(
    rf"^(?P<said>我们?\S*?(?P<new>[\d一二两三四五六七八九十百半]+(?P<unit>[\u4e00-\u9fff]{{1,2}}))\S*?){_SEP}(?:而|就)?不(?:再)?是(?P<old>[\d一二两三四五六七八九十百半]+(?P=unit)\S*?)了?$"
)
# 以后别用英文了，用中文回复我
_ORDER = re.compile(
    rf"^(?P<when>以后|今后|往后|从现在起)?(?:都|就|请|你)*(?:别|不要|不用|不必|不)(?:再)?(?P<verb>用|说|写|讲|叫)[^，,；;。]{{1,10}}?了?{_SEP}(?:以后|今后|请|都|就)*(?:改|换)?(?:成)?(?P<how>(?P=verb)?)(?P<new>[^，,；;。]{{1,16}})$"
)
# 我现在改成六点起床了
_NOW = re.compile(
    rf"^我们?{ADVERBS}(?:改|换|调|提前|推迟|减|加|增加|减少)(?:成|为|到)了?(?P<new>(?:早上|上午|下午|晚上|每)?(?:周[一二三四五六日天](?:和|到|至|、)?(?:周?[一二三四五六日天])?|[\d一二两三四五六七八九十]+(?:点半?|次|天|个?小时|分钟|公里|杯|支|块|元)))(?P<of>[\u4e00-\u9fff]{{1,6}}?)?了?$"
)
_LIMIT = re.compile(r"预算|上限|限额|额度|最[高多]|费用?$|开销|价位")
_AMOUNT = re.compile(r"\d|[一二两三四五六七八九十半]|周[日末天]")


def read_replaced(sentence: str) -> tuple[list[Draft], Swap | None]:
    """What a sentence puts in the place of something: statements, or a swap for its first one."""
    text = sentence.strip().rstrip("。！!~～ ")
    text = re.sub(r"^(?:对了|另外|还有|更新一下|说一下|那个)[，,\s]*", "", text)
    if not _SIGN.search(text) or _UNREAL.search(text) or _ONCE.search(text) or _WORK.search(text):
        return [], None
    for frame in _FRAMES:
        found = frame.match(text)
        draft = _replaced(found.groupdict(), found) if found else None
        if draft is not None:
            return [draft], None
    for frame in (_NOT_BUT, _LEFT_FOR, _NOT):
        changed = frame.match(text)
        if changed:
            return [], Swap(changed["old"], changed["new"])
    now = _NOW.match(text)
    return [], Swap("", now["new"], now["of"] or "") if now else None


def with_new_order(sentence: str) -> str:
    """以后用中文回复我 for 以后别用英文了，用中文回复我: an order that takes the place of one."""
    found = _ORDER.match(sentence.strip().rstrip("。！!~～ "))
    if found is None or not (
        found["how"] or re.search(r"(?:改|换)(?:成)?$", sentence[: found.start("new")])
    ):
        return sentence
    return f"以后{found['verb']}{found['new']}"


def _replaced(said: dict[str, str | None], found: re.Match[str]) -> Draft | None:
    old, new = (said.get("old") or "").strip(), (said.get("new") or "").strip()
    of, how = (said.get("of") or "").strip(), said.get("how") or "换成"
    own = bool(said.get("whose")) or found[0].startswith("我")
    if (
        not new
        or POINTING.match(new)
        or POINTING.match(old or "甲")
        or re.search(r"[他她它你您谁]|^我", of)
        # Who changes may be somebody else, but for who is called another name.
        or (re.search(rf"(?:{KIN}|{RELATIVE_HAN})(?:$|的)", of) and not re.fullmatch(_NAME, new))
    ):
        return None
    # 我把踏板车换成了三轮车 names the old thing, 我把闹钟改到六点 what it is of.
    moved = "把" in found[0]
    if of and not old:
        if moved and how.startswith("换"):
            return None
        likely = _AMOUNT.search(new) or re.fullmatch(_NAME, new)
        if not ((own and not moved) or likely):
            return None
    if not of:
        told = said.get("said") or ""
        own = own or "我" in told
        content = about_user(told) if own else f"用户这边，{old}换成了{new}"
        return Draft(FACT, content, 0.6, swap=Swap(old, new, known_only=not own))
    if how.startswith("放宽") and not _LIMIT.search(of):
        of = f"{of}上限"
    swap = Swap(old, new, of, known_only=not own)
    said_of = f"我{'' if of.startswith('每') else '的'}{of}{how}{new}"
    limit = read_limit(said_of, "") if _LIMIT.search(of) else []
    drafts = limit or read_verb(f"我的{of}是{new}")
    if drafts:
        return replace(drafts[0], swap=swap)
    return Draft(FACT, about_user(said_of), 0.6, 0.8, subject=f"value:{of}", swap=swap)
