"""Standing orders, limits and withdrawals in Chinese."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.chinese.clauses import about_user
from langgraph_memory.extraction.rules.chinese.exclusions import read_exclusion
from langgraph_memory.extraction.rules.chinese.tastes import topic_han
from langgraph_memory.records import MemoryType

__all__ = ["read_limit", "read_manner", "read_order", "read_withdrawal"]

_NUMBER = r"(?:\d[\d,.]*\s?(?:万|千|百|k|K|w|W)?|[零一二两三四五六七八九十百千万几]{1,8})"
_MONEY = rf"{_NUMBER}\s?(?:多)?(?:块钱?|元|万|千|百|美元|美金|欧元?|英镑|日元|港币|人民币|刀|镑|RMB|rmb|k|K)?"
_TALKS = re.compile(
    r"预算|花费?|开销|账单|学费|餐费|票价|房费|[机车船门]票|价格|价位|价钱|单价|总价|费用|贵|便宜|房租|租金|首付|人均|每晚|一晚|消费|支出|[块元]|钱|美元|欧元|人民币|出得起|承受|最高价|上限|心理价位|出到|手头|可以用|封顶"
)
_BOUND = re.compile(
    r"以内|之内|以下|不超过|不能超过?|别超过?|不要超过?|控制在|最多|顶多|至多|上限|封顶|内$|不高于|低于|别高于|高于|压在|控制|封顶|可以用|只能花|准备花|打算花|想花|总共|一共|放宽到?|提高到?|加到|降到|改成|左右|上下|只有|只能|只够|只打算|不到|大概|大约|差不多|超过|以上|预算|价位"
)
_NOT_MONEY = re.compile(
    rf"{_NUMBER}(?:句|字|个字|行|页|分钟|小时|天|周|个?月|年|岁|人|公里|斤|公斤|点|次|条|段|遍|度|层|楼|米|厘米|卡|克|位|种|号|步)"
)
_STANDING = re.compile(
    r"以后|今后|往后|日后|从此|从(?:现在|这会儿|此刻|这一刻|今儿|即日|下次|明天)(?:起|开始)|即日起|从今(?:天|往后|以后)?(?:起|开始)?|从今以后|从今往后|今后|将来|接下来(?:都|每)|每次|每回|每当|每一次|凡是|只要(?:是|我|涉及)|一旦我|一律|统一(?=用|按|写|以|使用|采用)|永远|始终|总是|一直|默认|都要|统统|任何时候|任何情况|无论|不管|没(?:有|经过?)?我的?\S{0,4}(?:允许|同意|确认|许可|批准|授权|点头)|未经我|(?:先|要)(?:问过?我|跟我(?:确认|商量|说)|征求我|得到我)|经过?我(?:的)?同意|绝不|绝对不(?:要|能|可以)|时(?:都|要|请|务必|尽量|一定|别|不要|多|少)|的时候(?:多|少|用|尽量|不要|得|务必|一定|可以)|都(?:用|先|给|按|要|得|别|请|用|以|发|写|加)|"
    r"每(?:天|周|个?月|晚|早|周[一二三四五六日])\S{0,6}(?:提醒|发|给我|推送|汇报|叫我)|所有的?\S{0,8}都|涉及\S+都|的时候(?:都|要|请|别|先|就)|再也别|再也不要|别再|不要再|不用再|不许再|不准再|别老|别总|不要老|不要总|别动不动|别一直|长期"
)
_ONCE = re.compile(
    r"这次|这回|这一次|今天(?!起|开始)|现在就|马上|立刻|这[个段篇封张份条句](?!项目)|刚才|上面|下面的|本次|暂时|先这样|待会"
)
# 下面几点一直有效 announces orders, and is none.
_ANNOUNCES = re.compile(
    r"^\S{0,6}(?:[件条点项]|规则|要求|以下|如下)\S{0,8}(?:有效|生效|适用|算数|成立|不变)$"
)
_AFTERWARDS = re.compile(
    r"(?:[那之来年月天周完了此]|毕业|结婚|退休)以后|一直以来|以后再说|^(?:以后|今后|将来)(?:还|也|再|可能)*(?:想|会|打算|准备)(?!让|请|要[你您])|随时(?:都)?可以|^(?:他|她|它|这|那|生活|人生|人们|孩子|大家|世界|时间)"
)
_FROM_NOW_ON = re.compile(
    r"从(?:这会儿|此刻|这一刻|今儿|即日|下次|明天)(?:起|开始)|即日起|以后|今后|往后|日后|从现在|从今|将来|每次|每回|每当|凡是|只要我|一旦我|一律|统一(?=用|按|写|以|使用|采用)|统统|任何时候|任何情况|再也别|再也不要|别再|不要再|不用再|不许再|不准再|别老|别总|不要老|不要总|别动不动|别一直|涉及|没有?我|未经|经过?我"
)
_ORDERS = re.compile(
    r"统一|请|麻烦|别|不要|不许|不准|务必|记得|必须|[你您](?:要|得|应该|必须|可以|就)|用\S{1,12}(?:回|答|说|写|跟|和)|先\S*我|给我|叫我|称呼|问我|提醒|告诉我|都(?:用|先|给|按|要|得|以)|泄露|透露"
)
_WISHED = re.compile(
    r"请|麻烦|别|不要|不许|不准|务必|记得|[你您]|给我|叫我|提醒我|先\S*我|泄露|透露|允许|同意|一律|统一|统统"
)
_TO_YOU = re.compile(
    r"(?:请|麻烦|希望|拜托|劳烦|希望[你您]|[你您](?:要|得|必须|应该|需要|能不能|可不可以|能否|可以|最好)?|要求|务必|记得|别|不要|不用|不许|不准|禁止|少|避免|千万|用|以|回复|回答|说话|写|给我|跟我|叫我|称呼|发|提醒|先|按|加|控制|保持|直接|告诉我|显示|输出|推荐|安排|订|报|列|标|统一|采用|附|换算|转换|翻成|改成|多|少|尽量|语气|保证|确保|遵守|使用|列出|给出|解释|说明|泄露|透露|分享|转发|下单|预订|付款)"
)
_STYLE = re.compile(
    r"回复|回答|说话|语气|口吻|称呼|表情|emoji|客套|客气|废话|术语|专业词|简单的?(?:词|话|语言|表达)|大白话|通俗|中文|英文|英语|格式|纯文本|列表|要点|表格|颜色|红绿|字数|简短|简洁|详细|啰嗦|道歉|敬语|图表|代码|注释|单位|公制|摄氏|货币|Markdown|markdown|黑话|成语|网络用语|感叹号|加粗|标题|例子|比喻|幽默|玩笑|正式|口语|配色|字体|字号"
)
# Of what a budget is: before the word, behind "for", or by itself.
_THING = re.compile(
    r"^(?:我们?的?)?(?!现在|目前|我)([\u4e00-\u9fff]{1,6}?)(?:上|方面|这块)?的?(?:最高|总)?预算|(?:给|为|花在|用在|预算|用于)([\u4e00-\u9fff]{1,4}?)(?:上|方面|的钱|的预算)|"
    r"(酒店|机票|房租|装修|手机|电脑|礼物|旅行|旅游|婚礼|车|相机|住宿|吃饭|餐饮|每晚|一晚|人均)"
)
_LIMITED = re.compile(
    r"^(?:我们?)?(?:这?个?本?月|[这本]周|每个?[月周天]|一个?[月周天])?的?(?!我|每|一|总|价|花|钱|这|那|最|不|费|成本|单|人均|预|只|能|要|想)([\u4e00-\u9fff]{2,4}?)(?:上|方面)?(?:花费|开销|消费|支出)?(?:最多|至多|顶多|不能超过|不要超过|别超过|不超过|控制在)"
)
_CALL_ME = re.compile(
    r"^(?:[你您]?(?:以后|今后|往后|可以|就|请|直接|都|也|统一|还是|平时)*)(?:叫我|称呼我(?:为)?|喊我|管我叫)(?:做|为)?(?P<name>[\u4e00-\u9fff]{1,3}[A-Za-z]\w{0,9}?|[\u4e00-\u9fff]{1,5}?|[A-Za-z][\w .]{0,15}?)(?:就(?:好|行|可以|成|OK)(?:了)?|吧|即可)?$"
)
# What one goes back to is the language of all that follows.
_TONGUE_AGAIN = re.compile(
    r"^(?:(?:还是|那|就|可以|请|麻烦|咱们?|我们|你|您|直接|现在)*)(?:换|切换?|改|转|用|说|变)(?:回|到)(?P<tongue>[\u4e00-\u9fff]{1,2}[语文]|普通话|粤语|方言)(?:吧|了|来|回答|回复|聊|交流|说)*$"
)
_PEOPLE_CALL = re.compile(
    r"^(?:我(?:的)?)?(?!你|您|请|以后|可以)[^我，]{1,8}?(?:都|一般|平时|习惯|通常|爱)*(?:叫我(?!去|来|别|不|帮|做|起|回|吃|先|多|少|在)|喊我(?!去|来|起|吃)|称呼我(?:为)?|称我(?:为)?|管我叫|给我[起取](?:的|了)?(?:个)?(?:小|外|网)?[名号](?:字)?(?:叫|是)?)(?P<name>[\u4e00-\u9fff]{1,5}|[A-Za-z][\w ]{0,15})$"
)
_FORGET = re.compile(
    r"^(?:请|麻烦|[你您]|可以|能不能|帮我|现在|就)*(?:把)?(?:(?P<verb>忘掉|忘记|忘了|删掉|删除|删了|清除|抹掉|去掉|移除|不用(?:再)?记(?:住|着)?|别(?:再)?记(?:住|着)?|不要(?:再)?记(?:住|着)?|别再提)(?P<what>.+)|(?P<what2>\S+?)(?:给|都|从记忆里?|从你的记忆里?)*(?P<verb2>忘掉|忘了|忘记|删掉|删除|删了|清除|抹掉|去掉|移除)(?:吧|了)?)$"
)
_MEMORY = re.compile(
    r"我(?:的|说|提|讲|告诉|之前|刚才|是|对|在|不|喜欢|住)|记忆|记录|之前|刚才|那[件条]事|的事"
)
_FILES = re.compile(
    r"文件|这行|那行|函数|代码|这段|那段|空格|分支|表格|注释|最后|标点|这个字|这句|重复|数据库|索引|图片|照片"
)


def read_limit(text: str, original: str) -> list[Draft]:
    """A limit on spending."""
    bare_limit = _is_bare_limit(text)
    if not re.search(_MONEY, text) or (
        _NOT_MONEY.search(text) and not (bare_limit or re.search(r"预算|块|元|钱|万", text))
    ):
        return []
    number = re.search(
        r"\d|[零一二两三四五六七八九十百千万]{2,}|[一二两三四五六七八九][百千万]|几[百千万]", text
    )
    if not number or not _TALKS.search(text + original):
        strict = re.search(
            r"(?:超过)?"
            + _NUMBER
            + r"(?:以上|以内|以下|之内)(?:的)?(?:就行|就可以|都可以|不要|不考虑|不行|别)|超过"
            + _NUMBER
            + r"\S{0,3}?(?:的)?(?:就|都|我|一概|一律)*(?:不考虑|不要|不行|免谈|接受不了|太贵|算了)|(?:不能|别|不要|不可以|不许|不)超过"
            + _NUMBER
            + r"$",
            text,
        )
        if not (number and (bare_limit or (strict and not _NOT_MONEY.search(text)))):
            return []
    budget = re.search(r"预算", text)
    if not budget and not _BOUND.search(text):
        return []
    if re.search(r"心理价位|价位", text) and text.startswith("我") and re.search(_NUMBER, text):
        return [Draft(MemoryType.CONSTRAINT, about_user(text), 0.9, 0.9, subject="budget")]
    if re.search(
        r"预算(?:怎么|多少|够|是不是|表|编制)|月薪|年薪|工资|收入|赚|挣|(?:花|付|交)了|欠|涨|打[折]|已经花",
        text,
    ):
        return []
    text = re.sub(r"(?<=\d)[^\d]{0,3}(?:不是|而不是)\D?\d+\S*$", "", text)
    bare = re.sub(r"^我们?(?:的|这次的?)?", "", text)
    content = (
        about_user(text)
        if text.startswith("我")
        else (
            f"用户的{bare}"
            if bare.startswith("预算")
            else f"用户的花费要求：{about_user(bare).removeprefix('用户')}"
        )
    )
    content = re.sub(r"^用户(?=预算)", "用户的", content)
    scope = _budget_of(text)
    return [
        Draft(
            MemoryType.CONSTRAINT,
            content,
            0.9,
            0.95 if budget else 0.8,
            subject=f"budget:{scope}" if scope else "budget",
        )
    ]


def _budget_of(text: str) -> str:
    """What a limit is for: 酒店 in 酒店预算三千 and in 买酒店的预算; nothing for all together."""
    if re.search(r"总共|一共|总预算|总的|总价|整[趟个次场]|全程|全部|合计|加起来", text):
        return ""
    found = _THING.search(text) or _LIMITED.search(text)
    if found is None:
        return ""
    thing = re.sub(
        r"^.*[买订租]|^(?:去|这?个?本?月|[这本]周|[\d一二三四五六七八九十]{1,2}月份?|给|用于|用在|的|这次|这趟|每|新)+",
        "",
        next(one for one in found.groups() if one),
    )
    thing = {"晚": "酒店", "一晚": "酒店", "住宿": "酒店", "房": "酒店"}.get(thing, thing)
    return (
        ""
        if re.fullmatch(r"旅[行游]|出行|行程|消费|花费|开销|总|最高|现在|目前|心理", thing)
        else thing
    )


# A bound of money that stands by itself: 三百以内, 一小时最多八十. What has another unit is none.
_BARE = re.compile(
    rf"^(?:价格|总共|一共|加起来)*(?:每|一)?(?:小时|晚|天|人|个人|张|次|餐|月|位|间|份)?(?:人均)?(?:最多|不超过|不能超过|别超过|不要超过|顶多|至多|控制在)(?P<n>{_NUMBER})(?:块钱?|元|以内|之内)?$|"
    rf"^(?:价格|总共|一共|加起来)*(?:每|一)?(?:小时|晚|天|人|个人|张|次|餐|月|位|间|份)?(?:人均)?(?P<m>{_NUMBER})(?:块钱?|元)?(?:以内|之内|以下|封顶)$"
)


def _is_bare_limit(text: str) -> bool:
    found = _BARE.match(re.sub(r"^我", "", text))
    amount = found and (found["n"] or found["m"])
    return bool(amount) and (len(str(amount)) > 1 or not str(amount).isdigit())


def read_withdrawal(text: str) -> list[Draft]:
    """What the user wants forgotten."""
    found = _FORGET.match(text)
    if not found:
        return []
    what = found.group("what") or found.group("what2") or ""
    verb = found.group("verb") or found.group("verb2") or ""
    # Whoever says 忘 or 记 speaks of memory; 删 and 去 are said of other things, too.
    stored = _MEMORY.search(what) or (re.search(r"[忘记]", verb) and re.search(r"我\S", what))
    if _FILES.search(what) or not stored or re.match(r"(?:带|拿|关(?!于)|告诉|说$|问)", what):
        return []
    if verb in {"去掉", "移除", "忘了", "忘记"} and not re.search(r"我|之前|记", what):
        return []
    topic = re.sub(
        r"^(?:我)?(?:之前|刚才|以前|上次)?(?:跟[你您])?(?:我)?(?:说|提|讲|告诉[你您])(?:过|的|到)*(?:的)?(?:关于)?",
        "",
        what,
    )
    topic = re.sub(r"^(?:所有|全部|一切)?(?:(?:关于|有关)我的?|我的)(?=\S{2})", "", topic)
    topic = re.sub(r"的?(?:一切|所有|全部)(?:信息|内容|记录)?(?=的?(?:吧|了)?$)", "", topic)
    topic = re.sub(
        r"(?:的?(?:这|那)?(?:件|条|个)?(?:事情?|记录|信息|记忆)|的话)?(?:吧|了)?$", "", topic
    )
    return [
        Draft(
            MemoryType.FACT,
            topic.replace("我", "用户") or "用户刚才说的",
            0.9,
            0.85,
            subject=next((one for one, said in _NAMES if re.fullmatch(said, topic)), None),
            forgets=True,
        )
    ]


# What is asked to be forgotten by the name of what it is.
_NAMES = (
    ("home", r"我?家?(?:住|在)(?:在)?(?:哪里?|哪儿|什么地方)|我?家?的?(?:住址|住处|地址|城市)"),
    ("name", r"我?的?(?:姓名|名字)|我叫什么(?:名字)?"),
    ("job", r"我?的?(?:工作|职业)|我(?:是)?(?:做什么|干什么)的?(?:工作)?"),
    ("employer", r"我?的?(?:公司|单位)|我在(?:哪里?|哪儿|哪家公司)(?:上班|工作)"),
    ("age", r"我?的?(?:年龄|年纪)|我(?:多大|几岁)了?"),
    ("birthday", r"我?的?生日|我哪天(?:生日|出生)"),
    ("budget", r"我?的?预算"),
)


def read_order(
    text: str, original: str, before: str, *, reasoned: bool, continues: bool = False
) -> list[Draft]:
    """A standing order to the assistant."""
    for pattern in (_CALL_ME, _PEOPLE_CALL):
        named = pattern.match(original)
        if named and not re.match(
            r"(?:什么|一声|一下|起床|的|了|过|不|怎么|时|回|来|去)", named.group("name")
        ):
            name = re.sub(r"(?:就(?:好|行|可以|成)(?:了)?|吧)$", "", named.group("name"))
            if pattern is _CALL_ME:
                return [Draft(MemoryType.FACT, f"用户希望被称为{name}", 0.95, subject="nickname")]
            return [Draft(MemoryType.FACT, f"大家叫用户{name}", 0.9, subject="nickname")]
    tongue = _TONGUE_AGAIN.match(original)
    if tongue:
        content = f"用户要求：用{tongue['tongue']}回答"
        return [Draft(MemoryType.INSTRUCTION, content, 0.85, 0.85, subject="order:language")]
    if _ONCE.search(original) or _ANNOUNCES.match(original):
        return []
    if re.match(r"(?:每次|每回|每当|凡是|只要|一旦)我[^，都就请先别不得要你您统务必]*$", original):
        return []  # When, and not what.
    if re.match(r"(?:别|不要|不用)再?[\u4e00-\u9fff]{1,2}了$", original):
        return []  # Of what goes on just now.
    excluded = read_exclusion(original)
    if excluded:
        return [excluded]
    manner = re.match(
        r"^(?![我他她它])\S{1,12}?(?:的时候|时)\S{0,6}?(?:用|写|加|要|别|不要|请|先|给)\S+$|^(?![我他她它])\S{1,12}?(?:的时候|时)\S+(?:一点儿?|一些)$",
        original,
    )
    if manner and _STYLE.search(original):
        return [_ordered(original, 0.75)]
    if re.match(
        r"(?:以后|今后|往后|每次|一直|都)+(?:都|就)?(?:不用|不要|这样|如此|照(?:这样|此)|按这个(?:来|办)|这么(?:来|办|写|做))(?:吧|来|办)?$",
        original,
    ):
        return [_ordered(before, 0.85)] if before else []
    standing = _STANDING.search(original)
    if standing and _AFTERWARDS.search(original):
        standing = None
    if (
        standing
        and not _FROM_NOW_ON.search(original)
        and not (_WISHED if continues else _ORDERS).search(original)
    ):
        standing = None  # "Always" alone may tell how things are.
    if (
        standing
        and not re.search(
            r"我(?:会|想|要|打算|准备|希望(?![你您所全每])|就|得|可能|应该|也)", original
        )
        and (_TO_YOU.search(original) or _STYLE.search(original))
    ):
        if re.match(r"我(?!希望[你您])", original) and re.search(
            r"(?:别|不要|请|不用|不许)(?:再)?(?:给我|跟我|叫我|打扰|提醒|联系|发)", original
        ):
            return [_ordered(original, 0.8)]
        if re.match(
            r"我(?!希望(?:[你您]|所有|全部|每)|要求[你您]?|想让[你您]|需要[你您])", original
        ) and not re.match(r"我(?:的|写|发|问|要)\S+(?:都|一律|请|[你您])", original):
            return []
        if re.search(r"(?:吗|呢)$|什么|怎么|为什么", original) and not re.search(
            r"能不能|可不可以|可以吗|好吗|行吗|不管|无论", original
        ):
            return []
        if re.match(
            r"(?:没|不)(?:问题|客气)|(?:一直|总是|永远)(?:在|是|有|没|这样|报错|失败)", original
        ):
            return []
        return [_ordered(original, 0.9)]
    prohibition = re.match(
        r"^(?:[^我你您，]{1,8}(?:之?前|以前|之后|以后|后|时候?))?(?:请|麻烦|[你您]|千万|拜托|绝对)*(?:别|不要|不用|不许|不准|禁止|避免|少)(?:跟我|给我|对我|用|说|写|发|加|太|那么|这么|这样|老|总|叫我|订|安排|推荐|选|放)?(?P<what>\S+)",
        original,
    )
    manner = re.match(
        r"^(?:请|麻烦|[你您]|希望[你您])*(?:跟我|对我|和我|给我|回答我|回复我)(?:说话|讲话|聊天|的(?:回答|回复|代码|建议|邮件|文档|方案|推荐))?\S*(?:用|要|别|不用|不要|直接|简|正式|随意|客气|一点|一些|都|一律)\S*",
        original,
    )
    if prohibition and _is_lasting(prohibition.group("what"), original):
        strict = re.search(r"订|安排|选|坐|买", original)
        kind = MemoryType.CONSTRAINT if strict else MemoryType.INSTRUCTION
        subject = _subject(original) or f"taste:{topic_han(prohibition.group('what'))}"
        return [Draft(kind, _content(original), 0.85, 0.8, subject=subject)]
    if manner and re.search(r"说话|讲话|回答|回复|代码|客气|直接|正式|随意|简", original):
        return [_ordered(original, 0.8)]
    if (
        reasoned
        and re.match(
            r"(?:请|别|不要|不用|用|尽量|最好|麻烦|图表|回答|回复|说话|[你您]|多|少|避免|字|颜色|配色)",
            original,
        )
        and _STYLE.search(original)
        and _TO_YOU.search(original)
        and not re.search(r"吗$|我(?!的)", original)
    ):
        return [_ordered(original, 0.75)]
    refused = re.match(
        r"^(?P<what>[^我你您]{1,10}?)(?:的)?(?:不要|不考虑|不行|免谈|就算了|别选|别推荐|别订|一概不要|都不要|pass|PASS)(?:给我)?(?:了)?$",
        original,
    )
    if (
        refused
        and re.search(r"的$|太|航班|酒店|房|超过|转机|以上|辣|的", original)
        and not re.match(r"(?:这|那|太麻烦|谢谢|别的|其[他它余])", original)
    ):
        return [
            Draft(
                MemoryType.CONSTRAINT,
                f"用户的要求：{original}",
                0.75,
                0.8,
                subject=f"taste:{topic_han(refused.group('what'))}",
            )
        ]
    return []


_SPEECH = r"(?:回答|回复|答复|答案|解释|说明|总结|段落|句子|语气|措辞|表达|说话|讲话|用词|例子)"
_HOW = r"(?:简短|简洁|简单|精简|精炼|短|长|详细|具体|通俗|口语化?|直白|直接|正式|随意|客气|委婉|温和|严肃|幽默|友好|清楚|清晰|明了|易懂|准确|专业|生动)"
_SOMEWHAT = r"(?:一点儿?|一些|些|点儿?|即可|就好|就行|为主)*"
# How the assistant is to talk, whatever about; of one text (把引言写短一点) it says nothing.
_TALKS_SO = re.compile(
    rf"^(?:请|麻烦|希望|[你您]|能不能|能否|可否|可以|把|将|的|所有|尽量|都|也|要|保持|给我){{0,6}}"
    rf"(?:{_SPEECH}(?:请|都|也|要|得|可以|能|能不能|尽量|写|讲|说|弄|给|用|保持|务必){{0,4}}(?:再|更)?(?:{_HOW}{_SOMEWHAT}|(?:控制|限制|保持)?在?(?:\d+|[一二两三四五六七八九十百]+)(?:个?字|行|句话?|段话?)(?:以内|之内|内|以下))"
    rf"|(?:跟|和|对)我(?:说话|讲话)\S{{0,4}}?{_HOW}{_SOMEWHAT}|(?:用)?{_HOW}(?:地|的(?:话|语言))?{_SPEECH})(?:吗)?$"
)
_SHORTLY = re.compile(
    rf"^(?:请|麻烦|希望|[你您]|尽量|要|能不能|可以)*(?:再|更|尽量)?{_HOW}(?:一点儿?|一些|些|点儿?)(?:吗)?$"
)
_ONE_TEXT = re.compile(r"[这那本]|下[一个次条]|上[一个次条]|第[一二三\d]|刚才|一[篇个封段]")


def read_manner(original: str, before: str, *, alone: bool) -> list[Draft]:
    """An order on how to answer.

    Args:
        original: The clause.
        before: The clause before it, which may speak of the answers.
        alone: Whether nothing is asked for that it may be about.
    """
    if _ONE_TEXT.search(original):
        return []
    of_answers = re.search(rf"[你您]的?{_SPEECH}", before) is not None
    if (alone or of_answers) and _TALKS_SO.match(original):
        return [_ordered(original, 0.75)]
    if of_answers and _SHORTLY.match(original):
        return [_ordered(f"回答{re.sub('^(?:请|麻烦|希望|[你您])+', '', original)}", 0.75)]
    return []


_CALMING = re.compile(
    r"(?:担心|客气(?:了)?$|谢|急|着急|紧张|在意|误会|介意|忘|怕|管|说了|了$|问了|开玩笑|闹|走|动)"
)
_SERVICE = re.compile(
    r"(?:订|安排|推荐|选|坐|买|发|打电话|联系)(?!这|那)(?!\S*了$)\S+|(?:打扰|联系)我"
)


def _is_lasting(what: str, original: str) -> bool:
    """Whether a prohibition is about how to serve or to talk to the user, for good."""
    if _CALMING.match(what):
        return False
    return bool(
        _SERVICE.search(original)
        or _STYLE.search(original)
        or re.search(r"叫我|跟我|对我|那么(?:客气|啰嗦|正式)", original)
    )


def _content(original: str) -> str:
    bare = re.sub(r"^(?:请|麻烦|拜托|希望[你您]?|劳烦|[你您](?!的)|记得|要)+", "", original)
    bare = re.sub(r"^我(?:希望|要求|想让|需要)[你您]?", "", bare)
    bare = re.sub(r"(?:能不能|可不可以|能否|可以吗$|好吗$|行吗$)", "", bare)
    bare = re.sub(r"[你您]", "助手", bare)
    return f"用户要求：{re.sub(r'我们?', '用户', bare)}"


def _ordered(original: str, confidence: float) -> Draft:
    return Draft(
        MemoryType.INSTRUCTION, _content(original), 0.85, confidence, subject=_subject(original)
    )


_SUBJECTS = (
    (
        "language",
        r"[\u4e00-\u9fff]{1,2}语(?!气|言|调)|中文|英文|英语|日语|法语|德语|粤语|韩语|西班牙语|普通话|繁体|简体",
    ),
    ("length", r"简短|简洁|[句字]话?(?:以内|之内)|精简|详细|啰嗦|篇幅|字数|\d+字|废话"),
    ("emoji", r"表情|emoji|颜文字"),
    ("currency", r"人民币|美元|欧元|货币|日元|英镑"),
    ("units", r"公制|英制|摄氏|华氏|公里"),
    ("tone", r"语气|口吻|直接一?点|客气|正式|委婉|幽默|温柔|严肃|随意"),
)


_OF_A_PART = re.compile(
    r"(?:简短|简洁|精简|详细)的?(?:小|一个)?(?:例子|示例|总结|摘要|注释|标题|说明|例)"
)
_IN_A_CASE = re.compile(
    r"(?<!回答)(?<!回复)(?<!说话)(?<!聊天)(?:的时候|时(?=[候请要都别用先，,也尽]))"
)


def _subject(order: str) -> str | None:
    if _IN_A_CASE.search(order):
        return None
    order = _OF_A_PART.sub("", order)
    for name, pattern in _SUBJECTS:
        if re.search(pattern, order):
            return f"order:{name}"
    return None
