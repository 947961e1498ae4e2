"""What has changed in the life of the user."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.chinese.clauses import about_user
from langgraph_memory.extraction.rules.chinese.tastes import topic_han
from langgraph_memory.records import MemoryType

__all__ = ["read_changed"]

_F, _P, _C, _G, _E, _S = (
    MemoryType.FACT,
    MemoryType.PREFERENCE,
    MemoryType.CONSTRAINT,
    MemoryType.GOAL,
    MemoryType.EPISODE,
    MemoryType.SKILL,
)
_ADV = (
    r"(?:现在|目前|后来|以后|将来|未来|有朝一日|早晚|平时|平常|一般|通常|最近|一直|都|也|还|就|只|很|特别|非常|超级?|真的?|最|更|比较|挺|太|蛮|尤其|从小|从来|向来|其实|实在|主要|基本上?|已经|刚|刚刚|曾经|以前|之前|经常|常年|偶尔|常|"
    r"每天|每周\S?|每晚|早就|又|可|是|再也|绝对|完全|更加|格外|越来越|有点儿?|稍微|天生|自己|本来|原来|个人|这人|这个人|周末|工作日|晚上|早上|中午|下午|如今|近期|近来|这几年|去年|今年|明年|上个?月|上周|下个?月|下周\S?|\d{4}年|[春夏秋冬](?:天|季)|(?:\d{1,2}|[一二三四五六七八九十]{1,2})月(?:份|初|底)?|年[初底末中]|月[初底中]|前阵子|前不久|前段时间|不久前|上(?:个)?(?:学期|季度)|(?:\d+|[一二三四五六七八九十两几半])(?:年|个月|周|天)(?:前|以前|之前)|[今去前]年|正|正在|在|当时|前年|昨天|今天|明天|后天|所以|因此|因为|另外|对了|打小|生来|多年来|这阵子|一律|一定|务必|始终|总是|老是|全家|大概|差不多|最多|至少)*"
)
_I = rf"^我们?{_ADV}"
_POINTING = re.compile(
    r"^(?:你|您|这|那|它|他|她|什么|哪|怎么|上面|下面|以上|以下|刚才|这样|那样|一下|一点)"
)


def read_changed(text: str) -> Draft | None:
    """What a clause in the past tells of how things are since then."""
    if re.search(r"色换成\S*色|(?:这|那)(?:段|个|张|句)", text):
        return None
    if re.match(rf"{_I}(?:打算|计划|准备|想|希望|考虑|争取|以后|将来|要)", text):
        return None
    found = re.match(
        rf"{_I}把(?P<what>[^，]{{1,8}}?)(?P<verb>戒|卖|辞|弃|扔|退|注销|卸载|取消|停)(?:掉|了)+",
        text,
    )
    if found:
        return Draft(
            _F,
            about_user(text),
            0.65,
            subject=f"habit:{found.group('what')}" if found.group("verb") == "戒" else None,
        )
    if re.match(rf"{_I}改(?:喝|吃|用|坐|学|做|成|骑|走|穿|住)\S{{1,}}", text) and not re.search(
        r"这|那|你|一下", text
    ):
        return Draft(_F, about_user(text), 0.65)
    found = re.match(rf"{_I}(?:戒(?:掉|了)?)(?P<what>[\u4e00-\u9fff]{{1,3}}?)了?$", text)
    if found:
        what = found.group("what")
        verb = {"烟": "抽", "酒": "喝"}.get(what, "吃")
        return Draft(
            _F, about_user(text), 0.65, subject=f"habit:{what}", retracts=(f"用户{verb}{what}",)
        )
    found = re.match(
        rf"^我们?{_ADV}(?:不再|再也不|不怎么|已经不|现在不|早就不|早不|不)(?P<verb>吃|喝|抽|用|住|在|做|喜欢|爱|玩|练|写|养|开|打|去|看|学)(?P<what>\S*?)(?P<done>了)?$",
        text,
    )
    if (
        found
        and (found.group("done") or re.search(r"不再|再也不|已经不|早就?不", text))
        and not _POINTING.match(found.group("what") or "x")
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
        kind = _C if verb in {"吃", "喝"} else _F
        return Draft(kind, about_user(text), 0.65, subject=subject, retracts=(f"用户{verb}{what}",))
    if re.match(
        rf"{_I}(?:开始|重新|又)(?:开始)?(?:吃|喝|学|练|跑|用|做|养|戒|上\S?班|健身|减肥|上班|跑步)\S*",
        text,
    ) and not re.search(r"开始(?:吧|用[你您])", text):
        return Draft(
            _P if re.search(r"吃|喝", text) else _F,
            about_user(text),
            0.6,
            subject=f"habit:{topic_han(re.split('吃|喝', text)[-1])}"
            if re.search("吃|喝", text)
            else None,
        )
    if re.match(
        rf"{_I}(?:把[^，]+?(?:换成|改成|换到|迁移?到|转到|升级成)|从\S+?(?:换成|换到|改用|转到|转用|跳槽到|跳到|迁移?到|转行)|改用|改行|转行|换成|换了(?!个?话题))",
        text,
    ) and not re.search(r"(?:这|那)(?:段|个|句|张)", text):
        return Draft(_F, about_user(text), 0.7)
    if re.match(
        rf"{_I}(?:从\S{{1,12}}?)?(?:离职|辞职|辞了|离开了?\S{{2,10}}|退休|入职|加入了?\S{{2,}}|跳槽|被裁|裁员|升职|转岗|转正|创业|毕业)",
        text,
    ):
        return Draft(
            _F,
            about_user(text),
            0.8,
            subject="employer" if re.search("职|加入|跳槽|离开", text) else None,
        )
    if re.match(
        rf"{_I}(?:刚)?(?:在\S{{1,6}}?)?(?:结婚|订婚|离婚|分手|生了|当[爸妈]|买了(?:房|车|一?[套辆台]|新)|卖了(?:房|车)|领养|收养|领证)",
        text,
    ) and not re.search(r"想|打算|准备|要", text[:6]):
        return Draft(_F, about_user(text), 0.7)
    return None
