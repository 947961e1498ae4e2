"""What the user uses, can do, makes, wants and has ahead."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re

from langgraph_memory.extraction.dates import has_date
from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.chinese.clauses import about_user
from langgraph_memory.extraction.rules.chinese.words import ADVERBS, I_THEN, POINTING
from langgraph_memory.extraction.rules.kinds import EPISODE, FACT, GOAL, PREFERENCE, SKILL
from langgraph_memory.records import MemoryType

__all__ = [
    "read_habit",
    "read_happening",
    "read_making",
    "read_skilled",
    "read_using",
    "read_wanting",
]

_SKILL_VERB = r"(?:弹|说|讲|写|做|拉|吹|唱|跳|画|打|游|滑|骑|开|用|编|剪|拍|修|织|缝|手语|拼音|编程|游泳|开车|唱歌|跳舞|一点|点儿?|[\u4e00-\u9fff]{1,3}[语话文]|[A-Za-z])"
_MAKES = r"(?:做|开发|写|搞|弄|筹备|研究|设计|搭建?|建|翻修|修(?!改)|翻新|装修|盖|录|画|排|孵化|组装|编|创办|改编|翻译|重构|撰写|编写|策划|拍摄?|制作|运营|改造|装修|创作|准备做|实现|训练|维护|打造|研发|推进|攻关|录制|整理)"
_SMALL = re.compile(
    r"(?:作业|邮件|报告|周报|这个|那个|这道|那道|(?<![课专主])题|代码$|bug|函数|脚本$|检讨|请假条|简历|测试$|饭|菜|早餐|晚饭|午饭|什么|一下|表格|PPT|ppt|梦|事$|事情|调查问卷)"
)
_VERBS_OF_TRAVEL = r"(?:人?在[\u4e00-\u9fff]{2,5}$|有(?:一?个|一?场)?(?:面试|会议|考试|约会|手术|体检|聚会|比赛|演出|讲座|答辩|聚餐|婚礼)|去|飞|到|回|出发|出差|搬|参加|考|开会|面试|上线|交|看|做手术|结婚|办婚礼|办|毕业|入职|开学|体检|出国|旅游|旅行|过生日|答辩|发布|见|约|报到|生|预产期|退房|入住|开庭|复查|打疫苗|拔牙|跑|演出|比赛|领证|订婚|截止|到期)"
_ASK_WISH = re.compile(
    r"^(?:(\S)一?\1$|加一|删|跑一下|测试|建(?:一?个)?(?:表|索引|库|分支)|起|象|念|到|着|想|法|必|过|太多|通|问|知道|了解|请教|咨询|看看?|查|请[你您]|让[你您]|要一|找|买(?!房|车|套)|订|说(?!一口|流利|好)|听|确认|试试?|把|给|跟|和[你您]|吃|喝|睡|哭|死|聊|点|改|换(?!工作|行)|弄|搞(?:懂|清|明白)|用|投诉|退|取消|预[订约]|比较|对比|表达|写(?:一?封|个)|要(?!成|考|个孩子)|生成|翻译|总结|静静|多?了解|看一下|问一下|问下|帮|预定|下单|申请退|修改|多问)"
)
_NONE = Draft(FACT, "")
# One product for one purpose: Notion 记笔记; languages there may be several of.
_FOR_PURPOSE = re.compile(
    r"\s?(?!(?:Python|Bash|Java|Kotlin|Swift|Rust|Go|Ruby|R)\b)[A-Z][\w.]*(?:\s[A-Z][\w.]*)?\s?来?(?P<purpose>(?!写|开发|做|编|办公|工作|学习|上班|上课)[\u4e00-\u9fff]{2,5}?)了?$"
)


def read_using(text: str) -> Draft | None:
    """Tools and things the user uses."""
    found = re.match(
        rf"^我们?(?:团队|公司|组|部门|项目|后端|前端|服务|家)?(?:的)?(?:\S{{0,4}})?{ADVERBS}(?:都|主要|一般|平时|目前|现在|日常|习惯)*(?:用的?(?:都)?是|用的(?=[A-Za-z])|在用|用着|使用的?是?|用|use)(?P<what>[^的]\S*(?:\s\S+){{0,3}})",
        text,
    )
    if (
        found
        and not re.match(
            r"(?:了|过|这|那|你|您|不|完|得|什么|哪|上面|力|心|错|一下)", found.group("what")
        )
        and not re.match(rf"{I_THEN}(?:想|要|可以|能|该|应该|会|怎么|如何|刚|不)", text)
    ):
        product = _FOR_PURPOSE.match(found["what"])
        several = product is None or re.search(r"也|还|有时|同时|主要|一般", text)
        subject = None if several or product is None else f"tool:{product['purpose']}"
        return Draft(PREFERENCE, about_user(text), 0.75, subject=subject)
    if re.match(
        r"^我(?:们)?(?:大部分|大多数|主要|所有|绝大多数|日常)?的?\S{0,6}(?:都|主要|基本)?(?:在|靠|用)\s?[A-Za-z][\w .+#]*\s?(?:里|上|中)?(?:完成|做|写|管理|搞定|进行|处理|记|开发|跑|画|办公)",
        text,
    ):
        return Draft(PREFERENCE, about_user(text), 0.7)
    if re.match(
        rf"{I_THEN}(?:主要|一般|平时|日常|都|大多|基本)?(?:写|敲|撸)(?:的是)?\s?(?:代码用)?[A-Za-z][\w+# ./]*",
        text,
    ):
        return Draft(PREFERENCE, about_user(text), 0.75)
    if re.match(
        r"^我们?(?:团队|公司|组|部门|的|家|项目)*(?:的)?\S{0,4}(?:技术栈|后端|前端|数据库|编辑器|电脑|手机|笔记本|系统|车|相机|键盘|耳机|服务器|框架|主力机|主力语言|开发环境|操作系统|显卡|平板)\S{0,4}?(?:是|用|为|都|跑|叫|开的是|装的是|型号)",
        text,
    ) and not re.search(r"坏|崩|卡|慢|死机|出问题|什么|报错|没电|丢", text):
        found = re.match(
            r"^我们?(?:团队|公司|的)*(?:的)?(?P<what>[\u4e00-\u9fff]{1,4}?)(?:是|用|为|都)", text
        )
        return Draft(FACT, about_user(text), 0.75, subject=found.group("what") if found else None)
    if re.match(rf"{I_THEN}开的?是?(?:一?辆)\S+|{I_THEN}开(?:一?辆|的是)\S+", text):
        return Draft(FACT, about_user(text), 0.6)
    return None


def read_skilled(text: str) -> Draft | None:
    """What the user can do or learns."""
    if re.match(
        r"^我\S{0,6}?(?:说|讲)(?:的是|着|一口)?(?:\S{0,4}的)?(?:粤语|普通话|英语|[\u4e00-\u9fff]{1,3}[语话](?!题|说|错))",
        text,
    ):
        return Draft(SKILL, about_user(text), 0.6)
    if re.match(
        r"^我(?:对|的|写)?\s?(?:[A-Za-z][\w+#. ]*|[\u4e00-\u9fff]{1,3}(?:语|文|话)|编程|数学|做饭|摄影|设计|剪辑|理财|乐理)\S{0,3}?(?:很|比较|挺|非常|还算|都|特别|不太?|完全|也|才|刚|说得|讲得)*(?:熟练?|溜|精通|流利|了解|入门|不熟|零基础|不懂|一窍不通|好|差|行|一般)(?:的)?$",
        text,
    ):
        return Draft(SKILL, about_user(text), 0.6)
    if re.match(
        r"^我\S{0,8}?(?:吹|拉|弹|敲|打|演奏|练)\S{0,6}(?:琴|笛|箫|号|鼓|管|吉他|琵琶|二胡|古筝|贝斯|尤克里里|唢呐)",
        text,
    ):
        return Draft(SKILL, about_user(text), 0.6)
    if re.match(
        rf"{I_THEN}(?:在)?(?:读|念|攻读)(?:的)?(?:\S{{0,8}})?(?:博士?|硕士?|研究生?|研[一二三]|本科|大[一二三四]|高[一二三]|初[一二三]|MBA|mba)",
        text,
    ):
        return Draft(FACT, about_user(text), 0.8, subject="job")
    if re.match(
        rf"{I_THEN}(?:不)?(?:太|怎么|很|也|都)?(?:会|懂|擅长|精通|熟悉|熟练|掌握)(?:一?点儿?|些)?(?:{_SKILL_VERB})\S*",
        text,
    ) and not re.search(
        r"会(?:做|打|用|写|开|跳)?(?:好|起来|的$|吧|不会|考虑|努力|尽|再|去|在|有|来|是|给|被|打扰)|懂[你您了]|说的|(?:这|那)个",
        text,
    ):
        if re.match(rf"{I_THEN}不(?:太|怎么)?(?:会|懂)", text):
            return Draft(SKILL, about_user(text), 0.55)
        return Draft(SKILL, about_user(text), 0.6)
    if re.match(rf"{I_THEN}(?:擅长|精通|熟悉|熟练|掌握|专攻|专长|拿手)\S{{2,}}", text):
        return Draft(SKILL, about_user(text), 0.6) if not re.search(r"这|那|你", text) else _NONE
    if re.match(
        rf"^我们?{ADVERBS}(?:在学|在自学|自学|学过|在练|在上\S+课|在准备|在备考|备考|学了|练了|练过)\S{{1,12}}",
        text,
    ) or re.match(r"^我们?\S{0,6}(?:正在|在)(?:学|自学|练|备考)\S{1,12}", text):
        return Draft(
            SKILL if "备考" not in text and "准备" not in text else GOAL, about_user(text), 0.6
        )
    if re.match(
        r"^我(?:的)?(?:英语|英文|日语|法语|德语|中文|普通话|粤语|韩语|西班牙语|数学|编程|代码|Python|Java|厨艺|酒量|记性|方向感|文笔|听力|口语|母语|基础)\S{0,10}(?:不好|不太好|很?差|一般|还行|流利|水平|级|是|零基础|不行|生疏|蹩脚|很好|好|N\d|薄弱|弱)",
        text,
    ):
        return Draft(SKILL, about_user(text), 0.6)
    if re.match(
        rf"{I_THEN}(?:做|干|写|学|教|练|从事|有)(?:了|过)?(?:\d+|[一二两三四五六七八九十几多]+)多?个?年(?:的|多)?\S{{1,12}}",
        text,
    ):
        return Draft(SKILL, about_user(text), 0.65)
    return None


def read_making(text: str) -> Draft | None:
    """What the user is making."""
    if re.search(r"[你您]|让自己", text):
        return None
    if re.match(
        r"^我们?的?\S{0,10}(?:部署|托管|跑|放|存|搭|架|运行)在\s?\S{2,}(?:\s?[上里中])?$", text
    ) and not re.search(r"这|那|报错|失败|哪", text):
        return Draft(FACT, about_user(text), 0.7)
    found = re.match(
        rf"^我们?(?:团队|公司|组|部门|几个朋友|和\S{{1,5}})?\S{{0,10}}?(?<!现)(?:正在|在|正|忙着|忙于|着手|一起|一块儿?|合伙)(?P<verb>{_MAKES})(?P<what>(?:一?[个款本篇部套家份条台门]|关于|毕业|自己|我|[\u4e00-\u9fffA-Za-z])\S+)$",
        text,
    )
    if (
        found
        and not _SMALL.search(found.group("what"))
        and not re.match(r"(?:了|到|好|完)", found.group("what"))
    ):
        return Draft(MemoryType.PROJECT, about_user(text), 0.7)
    if re.match(
        r"^我们?(?:的[^的]{0,4}?|在做的|手上的|手头的|最近的|团队的|公司的)*(?:项目|产品|毕业论文|论文|毕设|小说|App|app|APP|公众号|网店|频道|播客|专栏|游戏|网站|课题|创业项目|副业)(?:名字)?(?:的名字)?(?:是|叫|名叫|代号|名为|主要|关于|做的是|研究的是|基于|用)",
        text,
    ):
        return Draft(MemoryType.PROJECT, about_user(text), 0.7, subject="project")
    if re.match(
        r"^我们?(?:的|这个)?(?:项目|产品|公司|团队|论文)\S{0,3}(?:\S*月\S*|下周\S*|年底|明年\S*)(?:上线|发布|交付|截止|答辩|结题|验收|开业)",
        text,
    ):
        return Draft(EPISODE, about_user(text), 0.6)
    return None


def read_wanting(text: str) -> Draft | None:
    """What the user wants to reach."""
    found = re.match(
        r"^我(?:的)?(?:\S{0,4})(?:目标之一|目标|梦想|理想|愿望|心愿|计划|愿景|flag|小目标|规划)(?:就?是|：|为)(?P<what>.+)$",
        text,
    )
    if found:
        return Draft(GOAL, about_user(text), 0.65)
    found = re.match(
        rf"^我们?(?:\S{{1,6}}?(?:之?前|以前|之?内|底))?{ADVERBS}(?:想要|想|打算|计划|准备|希望(?:能)?|争取|力争|立志|决定|决心|渴望|梦想着?|努力|考虑|要)(?:能|在\S{{1,8}}?(?:之?前|内|里|底)|\S{{0,4}}(?:年|月|底|前|内|天|周|初|暑假|寒假|国庆|春节|以后|将来)|早日|尽快|自己)*(?P<what>\S.*)$",
        text,
    )
    if not found:
        return None
    what = found.group("what")
    dated = has_date(text)
    if re.match(rf"{I_THEN}要", text) and not dated:
        return None
    if _ASK_WISH.match(what) or POINTING.match(what) or (len(what) < 2 and not dated):
        return (
            _NONE
            if not (dated and re.match(_VERBS_OF_TRAVEL, what))
            else Draft(GOAL, about_user(text), 0.6, 0.8)
        )
    if re.search(r"今天|今晚|现在|马上|一下$|你|您", text):
        return _NONE
    if re.match(rf"{I_THEN}(?:考虑|希望)", text) and not (
        dated
        or re.search(r"成为|学会|能够?\S{2,}|瘦|存|攒|买房|换工作|转行|考|创业|留学|移民", text)
    ):
        return _NONE
    return Draft(EPISODE if re.match(rf"{I_THEN}要", text) else GOAL, about_user(text), 0.6, 0.85)


def read_happening(text: str) -> Draft | None:
    """What will happen to the user on a day."""
    if (
        has_date(text)
        and re.search(_VERBS_OF_TRAVEL, text)
        and not re.search(
            r"今天|今晚|昨天|昨晚|前天|刚才|上周|上个月|去过|(?<!要)(?<!要[\u4e00-\u9fff])(?<!要[\u4e00-\u9fff]{2})(?<!要[\u4e00-\u9fff]{3})了$|(?<![复检])查|机票|天气",
            text,
        )
    ):
        return Draft(EPISODE, about_user(text), 0.5)
    if re.match(
        r"^我们?(?:的)?(?:\S{0,6})(?:合同|房租|租约|签证|护照|会员|保险|考试|答辩|婚礼|手术|航班|假期|年假|面试|截止|预产期|实习|驾照|比赛|演出|复查|纪念日)\S{0,6}(?:到|在|是|于|截止|过期)\S{1,}",
        text,
    ) and has_date(text):
        return Draft(EPISODE, about_user(text), 0.55)
    return None


def read_habit(text: str) -> Draft | None:
    """What the user does as a rule."""
    if re.match(
        r"^我\S{1,6}(?:一律|从来都|一向|向来|始终|都)(?:是)?(?:走|用|选|坐|刷|付|住|订|穿|吃|喝)\S{2,}",
        text,
    ) and not re.search(r"[你您]", text):
        return Draft(PREFERENCE, about_user(text), 0.65)
    if re.match(r"^我(?:自己)?(?:一般|平时)?穿\S{0,3}(?:码|号|[SMLX]+)", text):
        return Draft(FACT, about_user(text), 0.5, subject="size")
    if not re.sub(
        r"^我们?|每(?:周|天|月|晚|早)?|周?[一二三四五六日末]|早上|晚上|上午|下午|中午|[\d一二三四五六七八九十两]+(?:点半?|号|次)|平时|一般|通常",
        "",
        text,
    )[1:]:
        return _NONE
    if re.match(
        r"^我们?(?:一般|通常|平时|平常|习惯|每天|每周\S?|每晚|每个?月|经常|常年|总是|从不|周末|工作日|晚上|早上|中午)\S{2,}",
        text,
    ) and not re.search(r"觉得|想问|怎么|为什么|今天|报错|出现|问题|失败|你|您|要$", text):
        return Draft(FACT, about_user(text), 0.5, 0.75)
    if re.match(rf"{I_THEN}(?:不爱|爱|怕|容易|睡眠|作息|饭量|酒量)\S{{1,}}", text):
        return Draft(PREFERENCE, about_user(text), 0.5)
    figure = re.match(
        r"^我(?P<what>身高|体重|鞋码|鞋子|血型|星座|民族|信仰|信|学历|专业|家境|月薪|年薪|工资|月收入|邮箱|电话|手机号|微信号?|地址|时区)\S{0,3}?(?:是|为|在|[\d一二三四五六七八九十A-Z]|毕业)\S*",
        text,
    )
    if figure:
        return Draft(FACT, about_user(text), 0.65, subject=figure.group("what"))
    return None
