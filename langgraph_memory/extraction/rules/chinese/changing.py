"""What has changed in the life of the user."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.chinese.clauses import about_user
from langgraph_memory.extraction.rules.chinese.living import settled
from langgraph_memory.extraction.rules.chinese.tastes import topic_han
from langgraph_memory.extraction.rules.chinese.words import ADVERBS, I_THEN, POINTING
from langgraph_memory.extraction.rules.kinds import CONSTRAINT, FACT, PREFERENCE
from langgraph_memory.memories.values import Swap

__all__ = ["read_changed"]

_REPLACED = re.compile(
    rf"{I_THEN}(?:从(?P<from>.+?)|把(?P<old>.+?)(?:从(?P<before>.+?))?)(?P<how>(?:都|全)?(?:换|改|转|挪|调|切换|迁移?|搬家?|跳槽?|升级|转行|刷|漆|改造|装修)(?:成|到|用|去|为|喝|吃|学|做|坐|穿|骑))(?P<new>.+)$"
)


# What people join in their free time, and no employer.
_CIRCLE = re.compile(
    r"(?:俱乐部|协会|社团?|队|乐团|合唱团|读书会|学会|班|群|小组|课程)了?$|加入的\S+叫"
)
# 喝牛奶 names what is done, 牛奶 a thing.
_DONE_WITH = re.compile(r"[喝吃用开骑玩学练住做坐穿]\S")


def read_changed(text: str) -> Draft | None:
    """What a clause in the past tells of how things are since then."""
    if re.search(
        r"色换成\S*色|(?:这|那)(?:段|个|张|句)|第[一二三四五两\d]|文件|变量|函数|按钮|图片|文字|标题|试试|一下$",
        text,
    ):
        return None
    if re.match(rf"{I_THEN}(?:打算|计划|准备|想|希望|考虑|争取|以后|将来|要)", text):
        return None
    found = re.match(
        rf"{I_THEN}把(?P<what>[^，]{{1,8}}?)(?P<verb>戒|卖|辞|弃|扔|退|注销|卸载|取消|停)(?:掉|了)+",
        text,
    )
    if found:
        return Draft(
            FACT,
            about_user(text),
            0.65,
            subject=f"habit:{found.group('what')}" if found.group("verb") == "戒" else None,
        )
    if re.match(
        rf"{I_THEN}改(?:喝|吃|用|坐|学|做|成|骑|走|穿|住|开|玩|听|买|订|养|练|打)\S{{1,}}",
        text,
    ) and not re.search(r"这|那|你|一下", text):
        return Draft(FACT, about_user(text), 0.65)
    found = re.match(rf"{I_THEN}(?:戒(?:掉|了)?)(?P<what>[\u4e00-\u9fff]{{1,3}}?)了?$", text)
    if found:
        what = found.group("what")
        verb = {"烟": "抽", "酒": "喝"}.get(what, "吃")
        return Draft(
            FACT, about_user(text), 0.65, subject=f"habit:{what}", retracts=(f"用户{verb}{what}",)
        )
    found = re.match(
        rf"^我们?{ADVERBS}(?:不再|再也不|不怎么|已经不|现在不|早就不|早不|不)(?P<verb>吃|喝|抽|用|住|在|做|喜欢|爱|玩|练|写|养|开|打|去|看|学)(?P<what>\S*?)(?P<done>了)?$",
        text,
    )
    if (
        found
        and (found.group("done") or re.search(r"不再|再也不|已经不|早就?不", text))
        and not POINTING.match(found.group("what") or "x")
    ):
        verb, what = found.group("verb"), found.group("what")
        subject = (
            "home"
            if verb == "住"
            else "employer"
            if verb == "在"
            else f"taste:{topic_han(what)}"
            if verb in {"喜欢", "爱"}
            else f"habit:{topic_han(what) or verb}"
        )
        kind = CONSTRAINT if verb in {"吃", "喝"} and what not in {"素", "斋"} else FACT
        return Draft(kind, about_user(text), 0.65, subject=subject, retracts=(f"用户{verb}{what}",))
    if re.match(
        rf"{I_THEN}(?:开始|重新|又)(?:开始)?(?:吃|喝|学|练|跑|用|做|养|戒|上\S?班|健身|减肥|上班|跑步)\S*",
        text,
    ) and not re.search(r"开始(?:吧|用[你您])", text):
        return Draft(
            PREFERENCE if re.search(r"吃|喝", text) else FACT,
            about_user(text),
            0.6,
            subject=f"habit:{topic_han(re.split('吃|喝', text)[-1])}"
            if re.search("吃|喝", text)
            else None,
        )
    found = _REPLACED.match(text)
    if found:
        old = (found["before"] or found["from"] or found["old"]).strip()
        # 把书桌搬到车库 moves a thing, and 从书房搬到客厅 moves nobody to another home.
        within = re.search(r"[楼层室]|工位|教室|座位|办公|公司|组$|部门", found["new"])
        home = "搬" in found["how"] and not found["old"] and not within
        return Draft(
            FACT,
            settled(about_user(text)) if home else about_user(text),
            0.8 if home else 0.7,
            subject="home" if home else "employer" if "跳" in found["how"] else None,
            retracts=_given_up(old),
            swap=None if home or _DONE_WITH.match(old) else Swap(old, found["new"]),
        )
    if re.match(rf"{I_THEN}(?:改用|改行|转行|换成|换了(?!个?话题))", text):
        return Draft(FACT, about_user(text), 0.7)
    found = re.match(
        rf"{I_THEN}(?:从(?P<from>(?!我)\S{{1,12}}?))?(?:离职|辞职|辞了|离开了?(?P<left>\S{{2,10}})|退休|入职|加入了?\S{{2,}}|跳槽|被裁|裁员|升职|转岗|转正|创业|毕业)",
        text,
    )
    if found:
        old = found["from"] or (found["left"] or "").removesuffix("了")
        return Draft(
            FACT,
            about_user(text),
            0.8,
            subject="employer"
            if re.search("职|加入|跳槽|离开", text) and not _CIRCLE.search(text)
            else None,
            swap=Swap(old, "") if old else None,
        )
    if re.match(
        rf"{I_THEN}(?:刚)?(?:在\S{{1,6}}?)?(?:结婚|订婚|离婚|分手|生了|当[爸妈]|买了(?:房|车|一?[套辆台]|新)|卖了(?:房|车)|领养|收养|领证)",
        text,
    ) and not re.search(r"想|打算|准备|要", text[:6]):
        return Draft(FACT, about_user(text), 0.7)
    return None


def _given_up(old: str) -> tuple[str, ...]:
    """What is no longer true of the old thing, as it may be remembered: 喝牛奶, or what is used."""
    if not old or POINTING.match(old) or len(old) > 12:
        return ()
    if _DONE_WITH.match(old):
        return (f"用户{old}",)
    return (f"用户用{old}", f"用户有{old}")
