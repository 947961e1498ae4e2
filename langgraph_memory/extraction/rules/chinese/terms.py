"""Terms of a request in Chinese: 人均一百以内, 不住一楼, 药片必须是小粒的."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.chinese.clauses import about_user
from langgraph_memory.extraction.rules.chinese.tastes import topic_han
from langgraph_memory.extraction.rules.kinds import CONSTRAINT

__all__ = ["is_about_work", "is_for_once", "read_requirement", "read_spared", "tells"]

_NUMBER = r"(?:\d[\d.]*|[一二两三四五六七八九十百千半]+)"
_REQUIRED = re.compile(
    r"^(?:我们?的?)?(?P<what>(?!我|你|您|他|她|它|这|那|谁|什么|如果|如何|再|也|都|就|但)[\u4e00-\u9fffA-Za-z\d]{1,12}?)"
    r"(?P<must>必须|一定要|一定得|绝对要|只能|不能|不得(?!不)|不可以|不许|不可(?!能)|应该|应当|不要超过|不超过|最多|至多|至少|要(?=在|控制|能|有|含|耐|够|带|配|朝))(?P<rest>\S+)$"
)
_SPARED = re.compile(
    r"^(?:请|最好|也|都|还|绝对|千万)*(?:不|别|不要|不想|避免|拒绝|不能)(?P<verb>坐|住|吃|喝|去|选|订|排|要|带|含|有|买|走|转|安排|约|碰|飞|看|玩|放|挨|靠|搭|乘|推荐|给我(?:选|订|安排|推荐))(?P<what>(?!太|这么|那么|再|客气|担心|着急|谢|管|怕|说|急|了|到|得|过|着|上|起|完|什么|这|那|你|您|我|他|她|它)\S{1,12}?)(?:的)?$"
)
_REFUSED = re.compile(
    r"^(?!预算|价[格位钱]?|钱|费用|成本|时间|其[他它余]|别的|剩下|这|那|你|您|我|他|她|它|不|没|太)(?P<what>[\u4e00-\u9fffA-Za-z\d]{1,8}?)"
    r"(?:的?(?:我|就|也|都|一律|一概)*(?:不考虑|免谈|免了|别推荐|pass|排除)|的(?:就|也)?算了)了?$",
    re.IGNORECASE,
)
_LASTS = re.compile(
    rf"^(?:每[天次晚周]|一[天次晚周])(?:最多|不超过|不能超过|至多){_NUMBER}个?(?:半)?(?:分钟|小时)$|^(?:每[天次晚周]|一[天次晚周]){_NUMBER}个?(?:分钟|小时)(?:以内|之内|封顶)$"
)
_ONCE = re.compile(
    r"(?:这[次回]|这一次|本次)的?(?!出[行门差]|旅[行游程]|行程|假期|度假|搬家|装修|项目|婚礼|住院)|就这?一次|仅此|仅限|只限|今晚|今天晚上|这[顿餐单]"
)
_FOR_GOOD = re.compile(r"以后|今后|往后|从现在|每次|一律|永远")
_TELLS = re.compile(r"了$|了(?!解)[\u4e00-\u9fff]|过了?$|没(?!问题)|什么都|不到$|说$|是(?!否)|用不")
_WORK = re.compile(
    r"^\W*(?:请|帮我|麻烦|你|您|给我)*(?:写(?!作业|字)|编|画|设计(?!师)|做一?个|排序|把|将|实现|生成|重构|解|算|计算|给我看|列出|数一?[数下]|猜|想一?个|打印|返回|测试|修|改)"
)


def is_for_once(sentence: str) -> bool:
    """Whether what a sentence asks for is plainly for this once."""
    return _ONCE.search(sentence) is not None and _FOR_GOOD.search(sentence) is None


def is_about_work(sentence: str) -> bool:
    """Whether a sentence asks for a piece of work, whose terms are those of that piece."""
    return _WORK.match(sentence) is not None


def tells(clause: str) -> bool:
    """Whether a clause tells how things are or were, so that it asks for nothing."""
    return _TELLS.search(clause) is not None


def read_requirement(clause: str) -> Draft | None:
    """What a thing must be, as the user's; whoever calls has seen that it is for good."""
    found = _REQUIRED.match(clause)
    if found is None:
        return None
    bare = about_user(clause).removeprefix("用户")
    return Draft(CONSTRAINT, f"用户的要求：{bare.removeprefix('的')}", 0.8, 0.75)


def read_spared(clause: str) -> Draft | None:
    """What a part of a request rules out, or how long it lets something last; or None."""
    if _LASTS.match(clause):
        return Draft(CONSTRAINT, f"用户的要求：{clause}", 0.75, 0.7)
    found = _SPARED.match(clause) or _REFUSED.match(clause)
    if found is None:
        return None
    bare = about_user(clause).removeprefix("用户")
    subject = f"taste:{topic_han(found['what'])}"
    return Draft(CONSTRAINT, f"用户的要求：{bare}", 0.8, 0.7, subject=subject)
