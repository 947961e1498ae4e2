"""What the user likes, dislikes and refuses."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.chinese.clauses import about_user
from langgraph_memory.extraction.rules.chinese.words import ADVERBS, I_THEN, POINTING
from langgraph_memory.extraction.rules.kinds import CONSTRAINT, FACT, PREFERENCE

__all__ = ["read_disliking", "read_liking", "read_refusing", "topic_han"]

_LIKE = r"(?:喜欢|喜爱|热爱|钟爱|偏爱|酷爱|偏好|偏(?![高低头瘦胖冷远差大小要])|爱好|爱(?!人)|迷上|痴迷|沉迷|中意|倾向于?|偏向于?|在意|看重|讲究|追求|习惯于?|享受|离不开|prefer|like|love|enjoy|青睐|好(?=[吃喝酒]))"
_HATE = r"(?:讨厌|厌恶|反感|恨|受不了|忍受不了|接受不了|无法接受|无法忍受|不能接受|不能忍受|嫌弃|排斥|抗拒|烦|嫌|看不惯|吃不惯|喝不惯|hate|抵触)"
_EAT = r"(?:吃|喝|碰|沾|食用|摄入|抽|吸|饮|沾染)"
_CAN_NOT = r"(?:不能|不可以|不敢|没法|无法|不宜|不得(?!不|已)|不方便|不可)"
_REFUSE = r"(?:不坐|不飞|不住|不考虑|不接受|不去|不加班|不接|不买|不选|不要|不想要|拒绝|不参加|不出差|不熬夜|不做|不搞|不开会?|不上|不学|不排|不种|不打|不穿|不用|不看|不玩|不开|不养|不转机|不走|不订|不碰|不养)"
_NONE = Draft(FACT, "")


def topic_han(text: str) -> str:
    """What a Chinese object is about, without what is said around it."""
    bare = re.sub(
        r"^(?:吃|喝|用|坐|看|听|玩|住|买|穿|的|任何|各种|一切|所有|太|那种|这种|那些|去|做|抽)+",
        "",
        text.strip(),
    )
    bare = re.sub(r"(?:了|的|味道|口味|这种东西|之类的?|什么的|这类|等等?|东西|的食物)+$", "", bare)
    return bare[:12]


def read_disliking(text: str) -> Draft | None:
    """What the user dislikes."""
    found = re.match(
        rf"{I_THEN}(?:不(?:太|怎么|是很|大|是特别|算|咋)?(?:{_LIKE}|感兴趣|想(?=\S*以后))|不(?:太|怎么|大)[看听玩穿](?![好懂清得出])|没(?:那么|多)?{_LIKE}|{_HATE})\s*(?P<what>\S.*)$",
        text,
    ) or re.match(
        rf"^我们?{ADVERBS}对(?P<what>\S{{1,12}}?)(?:不太?|没有?(?:什么|啥)?|毫无|提不起)(?:感兴趣|兴趣|感冒|好感|感觉)|^我们?对(?P<nothing>\S{{1,12}}?)(?:完全|真的?)?无感$",
        text,
    )
    if found:
        what = next(one for one in found.groups() if one)
        if POINTING.match(what):
            return _NONE
        return Draft(PREFERENCE, about_user(text), 0.65, subject=f"taste:{topic_han(what)}")
    found = re.match(
        rf"{I_THEN}(?P<verb>吃|喝|闻|坐|看|听|读|住|受|熬|玩|开|跑|爬|用|穿)不(?:了|惯|来|得|下|习惯)(?P<what>\S*)$",
        text,
    )
    if found and not POINTING.match(found.group("what")) and found.group("what"):
        return Draft(
            CONSTRAINT if found.group("verb") in "吃喝" else PREFERENCE,
            about_user(text),
            0.75,
            subject=f"taste:{topic_han(found.group('what'))}",
        )
    return None


def read_liking(text: str) -> Draft | None:
    """What the user likes."""
    if re.match(rf"{I_THEN}(?:希望|想|觉得|猜|知道|以为|问|听说|看到|感觉|认为|相信)", text):
        return None
    found = (
        re.match(
            r"^我们?[^，你您他她想问觉]{0,6}?(?:更|最|比较|特别|很|还是|都)*(?:喜欢|爱|偏向|偏爱|倾向|习惯)(?P<what>[\u4e00-\u9fff].+)$",
            text,
        )
        if not re.match(rf"{I_THEN}(?:不|没|{_LIKE})", text)
        else None
    )
    if (
        found
        and not POINTING.match(found.group("what"))
        and not re.search(r"(?:主意|想法|建议|回答|方案|答案)$", found.group("what"))
        and not re.search(r"不太?(?:喜欢|爱|习惯)|没有?(?:喜欢|爱)", text)
        and found.group("what")[0] not in "情人护惜上"
    ):
        return Draft(
            PREFERENCE, about_user(text), 0.6, subject=f"taste:{topic_han(found.group('what'))}"
        )
    found = (
        re.match(rf"{I_THEN}(?:宁愿|宁可|宁肯|更?愿意(?!帮|为你|给你))(?P<what>.+)$", text)
        or re.match(rf"{I_THEN}无(?P<what>\S{{1,3}})不[欢乐]$", text)
        or re.match(rf"^我们?(?:比起\S+?)?{ADVERBS}(?:{_LIKE})\s*(?P<what>\S.*)$", text)
        or re.match(
            rf"^我们?{ADVERBS}对(?P<what>\S{{1,14}}?)(?:很|非常|特别|比较|挺|超|一直|蛮|最|更|还是很|有)*(?:感兴趣|有兴趣|没(?:什么|有)?抵抗力|没(?:什么|有)?抵抗力|毫无抵抗力|着迷|上瘾|情有独钟|有好感|兴趣|偏爱|执念)",
            text,
        )
        or re.match(r"^我们?(?:的)?(?:口味|吃东西|饮食|审美|性格)(?P<what>\S{1,10})$", text)
    )
    if found:
        what = found.group("what")
        if (
            POINTING.match(what)
            or re.match(r"(?:你|您|死|莫能助|了$)", what)
            or (
                re.search(r"(?:主意|想法|建议|回答|方案|答案)$", what)
                and not re.search(r"简洁|简短|详细", what)
            )
        ):
            return _NONE
        return Draft(
            PREFERENCE,
            about_user(text),
            0.65 if re.search("prefer|偏好|更", text) else 0.6,
            subject=f"taste:{topic_han(what)}",
        )
    found = re.match(
        r"^我(?:的)?最?(?:爱|喜欢)的(?P<kind>[\u4e00-\u9fff]{1,6}?)(?:就?是|莫过于|叫|：)(?P<what>.+)$",
        text,
    )
    if found:
        return Draft(PREFERENCE, about_user(text), 0.65, subject=f"最喜欢的{found.group('kind')}")
    return None


def read_refusing(text: str) -> Draft | None:
    """What the user refuses or can not do."""
    found = re.match(
        rf"{I_THEN}(?:{_CAN_NOT}|不让|不许|忌|忌口|不太?能|不怎么能|不太?|不怎么|很少|尽量不|都不|绝不|从不|不|没法)(?P<verb>{_EAT})(?P<what>\S*)$",
        text,
    )
    if (
        found
        and not POINTING.match(found.group("what") or "x")
        and not re.match(r"(?:完|下去|饱|了苦|亏|得消|准|惊|力)", found.group("what"))
    ):
        what = found.group("what")
        return Draft(
            CONSTRAINT,
            about_user(text),
            0.8,
            subject=f"habit:{topic_han(what) or found.group('verb')}",
        )
    if re.match(
        r"^我们?(?:的|家)?\S{1,6}?(?:规定|要求|不允许|不让|不准|禁止|严禁)(?!我说|我问)\S{2,}", text
    ):
        return Draft(CONSTRAINT, about_user(text), 0.75)
    unwanted = re.match(
        rf"{I_THEN}(?:不想|不愿意?|不乐意)(?P<what>[坐住吃喝飞去转搭乘](?!这|那)\S{{2,}})$", text
    )
    if unwanted and not re.search(r"今天|今晚|这次|现在|暂时|了$|下去$", text):
        return Draft(
            CONSTRAINT,
            about_user(text),
            0.8,
            0.7,
            subject=f"taste:{topic_han(unwanted.group('what'))}",
        )
    found = re.match(
        rf"{I_THEN}(?:[\u4e00-\u9fff]{{2,4}}?(?:的时候|时)?)?(?:从不|从来不|决不|绝不|一概不|永远不)(?P<what>(?!知道|明白|认识|后悔|承认|觉得|认为|相信|怀疑|说|是|会|敢|能|懂|担心|在意)\S{{2,}})$",
        text,
    )
    if found and not POINTING.match(found["what"][1:]):
        return Draft(
            CONSTRAINT, about_user(text), 0.75, subject=f"habit:{topic_han(found['what'])}"
        )
    found = re.match(rf"{I_THEN}(?:{_REFUSE}|{_CAN_NOT})(?P<what>\S.*)$", text)
    if (
        found
        and not POINTING.match(found.group("what"))
        and not re.match(r"再|这么|那么|太", found.group("what"))
        and not re.search(
            r"不用(?:了|谢|你|您)|不要紧|不做声|不去管|不看好|不打扰|不接话|(?:理解|登录|打开|访问|运行|相信|确定|连接|决定|判断|想象)",
            text,
        )
    ):
        if re.match(rf"{I_THEN}(?:不要|不想要)", text) and not re.search(
            r"的$|太|以上|超过|航班|辣|红眼|香菜|葱|房", text
        ):
            return _NONE
        return Draft(
            CONSTRAINT,
            about_user(text),
            0.75,
            0.7 if re.match(rf"{I_THEN}(?:不要|不想要)", text) else 0.9,
            subject=f"taste:{topic_han(found.group('what'))}"
            if re.match(rf"{I_THEN}{_REFUSE}", text)
            else None,
        )
    if re.match(
        r"^我\S{0,8}?只(?:带|走|刷|骑|玩|穿|看|听|读|买|订|选|收|用|喝|吃|坐|住|接受|考虑|认|去|信)(?!了|过|到)[\u4e00-\u9fffA-Za-z]{1,}",
        text,
    ) and not re.search(r"这|那|今天|只(?:看到|听说|听到|用了|买了|吃了|读了|去了)", text):
        return Draft(PREFERENCE, about_user(text), 0.65, 0.85)
    if re.match(
        rf"{I_THEN}\S{{0,14}}?(?:必须|一定要|只能|只可以|只接受|只坐|只吃|只喝|只住|只买|只用|只考虑|只接|需要(?=无障碍|轮椅|靠|安静|每)|非\S+不|得(?=陪|接|照顾|按时|定期|每|戴|吃药|打针))\S{{1,}}",
        text,
    ):
        if re.search(
            r"必须承认|一定要(?:告诉|帮|问|说)|只能(?:说|这样|算了|问)|今天|现在就|马上|必须(?:说|赞)",
            text,
        ):
            return _NONE
        strong = re.search(r"只用|只喝|只吃", text)
        return Draft(
            PREFERENCE if strong and not re.search("必须|一定", text) else CONSTRAINT,
            about_user(text),
            0.75,
            subject=None,
        )
    return None
