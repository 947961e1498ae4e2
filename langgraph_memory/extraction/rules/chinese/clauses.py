"""Chinese sentences cut into clauses, with the "I" that Chinese leaves out put in."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from langgraph_memory.extraction.dates import has_date
from langgraph_memory.offline.kinship import RELATIVE_HAN

__all__ = ["KIN", "Clause", "about_user", "clauses"]

KIN = (
    "(?:岳父|岳母|公公|婆婆|丈母娘|儿媳妇?|女婿|侄子|侄女|外甥女?|女儿|闺女|儿子|孩子们?|宝宝|娃|老婆|老公|妻子|丈夫|太太|爱人|媳妇|先生|另一半|对象|"
    "男朋友|女朋友|男友|女友|爷爷|奶奶|外公|外婆|姥姥|姥爷|叔叔|舅舅|姨妈|姑姑|表[哥弟姐妹]|堂[哥弟姐妹]|哥哥|弟弟|姐姐|妹妹|父亲|母亲|爸爸|妈妈|爸妈|父母|"
    "双胞胎|大宝|二宝|老大|老二|老妈|老爸|哥|姐|弟|妹|爸|妈|家人|家里人|全家|狗狗?|猫咪?)"
)
_CUT = re.compile(
    r"(?<=[\u4e00-\u9fff]{2})(?:并且|而且|此外|另外(?![一两几的有那]))(?=[\u4e00-\u9fff])|"
    # Two things to eat are one limit, two limits are two.
    r"、(?=(?:我|别|也不|不(?:吃|喝|坐|住|要|能|去|订|选|用|接)|预算|最多|[\u4e00-\u9fff]{1,6}(?:不能|不得|不要|必须|不超过|最多|一定要))[^、]*$)|"
    r"[，,；;。！!？?…~～\n]+|——+|\s*[（()）]\s*|(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])|：|:\s"
)
_FILLER = re.compile(
    r"^(?:[\s、·•*-]*(?:其实|对了|话说|另外|还有|不过|但是?|而且|并且|此外|所以|因为|由于|毕竟|嗯+|哈喽|哈啰|嗨|你好呀?|您好|大家好|那个|哦+|啊+|额|呃|唉|哎呀?|嘿|喂|好的|好吧|是的|"
    r"说起来|顺便(?:说|提)?(?:一下|一句)?|(?:麻烦|请)?(?:[你您]|帮我)?(?:先|要|得|可以|能)?(?:记(?:一下|住|得|着|好)|备注一下|留意|注意)(?:了|哦|啊|一下)?|(?:跟|和|给)[你您](?:说|讲)(?:一下|一声)?|(?:提醒|告诉)[你您]?(?:一下|一声)?|更正一下|纠正一下|更新一下|说错了|搞错了|记错了|不对|"
    r"(?:说实话|老实[说讲]|说真的|讲真|坦白[说讲])|补充(?:一下|一点)?|是这样的?|(?:先)?自我介绍一下|介绍一下|跟[你您]说|首先|其次|然后|最后|总之|反正|当然|哈哈+|嘻嘻|呵呵|谢谢|抱歉|不好意思|对不起|那|就是说?|也就是说|"
    r"忘了说|忘记说|我?差点(?:就)?忘(?:了|记)|(?:请|千万|您|你)*(?:别|不要)忘(?:了|记|掉)(?=我)|补一句|顺带一提|需要说明的是|要说明的是|你(?:要)?知道(?:吗)?|[你您]可能不知道|我想说的?是?|我(?:要|得)(?:说|提)(?:一下|的是)|应该说|准确(?:地)?(?:来)?说|确切(?:地)?说|如前所述|之前(?:说|提)过|(?:问题|情况|事情|事实|关键|重点|原因|实际上|麻烦的)(?:就)?是(?=我)|至于|长话短说|原来(?=我)|结果(?:发现)?(?=我)|(?:后来|检查)?发现(?=我)|先说好|先说一下|不管怎样|还有(?:一件事|一点)|另外(?:请注意)?|正如我说的)(?=[\u4e00-\u9fffA-Za-z\d])[、：: ]*)",
)
_TAIL = re.compile(
    r"(?:[啊呢吧哦噢哈呀啦嘛哟喔哇咯嘞]|谢谢[你您]?|哈哈+|嘿嘿|嘻嘻|[\s!！。.~～、😀-🙏🌀-🗿🤀-🧿☀-➿])+$"
)
_SELF = re.compile(r"^(?:我们家|我们|咱们家?|咱家|咱|我家|我|俺们?|本人|在下|笔者|鄙人|个人)")
# What follows "I" and is no noun for who one is.
_NO_NOUN = r"[不没有是在对从做搞开叫姓住用想要会能喜爱讨一每也都就今已刚最很还又们家的]"
_TIMES = r"(?:目前|现在|最近|平时|平常|一般|通常|以前|之前|过去|曾经|从小|去年|今年|明年|上个?月|上周|下个?月|下周|这个?月|这周|周末|周[一二三四五六日天]|工作日|每[天周月年晚早]|每个?(?:周[一二三四五六日]?|月|周末|早上|晚上)|早上|晚上|中午|下午|其实|毕竟|如今|近期|近来|这几年|这几天|这阵子|\d{4}年|[这那]段时间|从\S{2,6}起|自从\S{2,8})"
_DENIED_OBJECT = re.compile(
    r"^(?P<what>[\u4e00-\u9fffA-Za-z]{1,10}?)(?:我)?(?:是|也|都|完全|绝对|实在|真的?|一点都?|从来|一口)*(?P<verb>不能(?:吃|碰|喝|沾)|不(?:吃|碰|喝|沾)|[吃喝]不了|[碰吃]不得|[吃喝坐看听读住用穿玩]不(?:惯|下去))(?:的|了)?$"
)
_ANOTHER = re.compile(
    rf"^(?:[他她它你您这那谁哪]|大家|人们|别人|有人|对方|人家|{KIN}|老板|同事|朋友|医生|大夫|老师|公司|客户|领导|邻居|如果|要是|假如|比如|什么|怎么|为什么|结果|听说|据说|觉得|感觉|挺|真|好[的吧像多]|谢|哈|嗯|没[事关问]|应该|可能会|是不是|有没有|能不能|可不可以|帮|请|[男女]|主角|店里?|味道|路(?!上)|天气|外面|里面|电影|剧情|书里)"
)
_ORDER = re.compile(
    r"^(?:请|别|不要(?!命)|不用|不许|不必|不准|麻烦|记得|千万|务必|帮|给我|跟我|告诉|叫我|称呼)"
)
_TOPIC = re.compile(
    r"^(?P<what>[\u4e00-\u9fffA-Za-z\d ]{1,10}?)(?P<who>我们?)"
    r"(?P<rest>(?:一直|都|更|比较|挺|从来|一般|平时|通常|真的?|实在|完全|绝对|也|可|现在|已经|还|就)*(?:是|只|不|没|最|很|特别|超|从不|一般|想|要|有|喜欢|愿意|偏|爱|讨厌|受|吃|喝|用|能|会|在|得|必须|飞|去|坐|得|需要|打算|准备|开始|到|参加|结婚|搬|回)\S+)$"
)
_HEDGE = re.compile(
    r"^(?:我(?:想|猜|感觉|觉得|估计|怀疑|记得)?)?(?:可能|好像|大概|也许|或许|似乎|应该(?:是)?|估计)(?=[我是对在会不有住吃喜]|\S{2})"
)
# A clause that begins so, after one about "I", is about "I" too.
_GOES_ON = re.compile(
    r"^(?:给一?家|改|从小|从\S{1,8}(?:开始|起)|\S{2,6}(?:之前|前|底|内)(?:一定|得|必须)?要|我?[左右双]\S(?:听|看)|付款|坐飞机|出差|[春夏秋冬](?:天|季)|(?:\d{1,2}|[一二三四五六七八九十]{1,2})月(?:份|初|底)?|年[初底末中]|月[初底中]|前阵子|前不久|前段时间|不久前|上(?:个)?(?:学期|季度)|(?:\d+|[一二三四五六七八九十两几半])(?:年|个月|周|天)(?:前|以前|之前)|[今去前]年|也|还|都|就|又|只|从来|从|一直|平时|平常|一般|通常|目前|现在|最近|以前|之前|经常|常年|偶尔|每|已经|刚|正在?|主要|特别|非常|比较|尤其|更|最|超|很|可以|必须|一定|只能|绝对|绝不|基本|几乎|"
    r"不(?!好意思|过|对|客气|用谢|然|管|论|是[吗吧])|没(?!关系|事|问题)|别|在|住|是|有|会|能|爱|喜欢|讨厌|用|做|当|教|学|开|养|吃|喝|想|打算|准备|预算|来自|毕业|负责|从事|习惯|偏|怕|对|叫|姓|今年|单身|已婚|未婚|离异|"
    r"搬|换|戒|辞|入职|离职|退休|跳槽|创业|懂|擅长|精通|需要|得|要|口味|血[糖压脂]|尿酸|乳糖|\d+岁|[一二三四五六七八九十]+岁|年龄|身高|体重|受不了|接受不了|吃不了|喝不了|海鲜|辣|转行|定居|常驻|老家|家[在住里]|人在|坐标|(?:论文|合同|签证|护照|租约|毕设|婚礼|考试|手术|预产期|答辩)|属|在读)"
)

_INTRODUCED = re.compile(
    r"^我们?\S*?(?:有|养|开|做|写|生|买|收|领|搞|发|建|弄|组|办|设计)(?:养|办|发|了)*(?:[一两三几二\d]?(?:个|只|条|款|本|家|部|辆|位|门|首|支|头|匹|间|所|套|篇)(?P<what>\S{1,12})|二胎|\S{1,6}娃|孩子|宝宝)$"
)
# What somebody has joined, bought or found has the name that comes after it, not its speaker.
_GOT = re.compile(
    r"^我们?(?!\S*是)\S*?(?:[一两三几二\d]?(?:个|只|条|款|本|家|部|台|张|辆|种|位|门|首|支|头|匹|间|所|套|篇))"
    r"(?P<what>[^，的]{2,8}?)(?:上班|工作|上学|读书|学习|锻炼|健身|实习|兼职|打工|吃饭|住)?了?$"
)
_INTRODUCES = re.compile(r"^我们?(?:是|姓|来自|今年|刚来|新来|住|在|也|\S{0,3}改\S?名|\S{0,4}岁)")
# 我换牙医了，现在是… tells of the dentist, and not of the user.
_CHANGED = re.compile(
    r"^我们?\S{0,3}(?:换|有)了?(?:一?[个位名])?(?:(?<=换)|(?<=了)|新的?|(?<=[个位名])新的?)(?P<what>[\u4e00-\u9fff]{2,5}?)了?$"
)
_IS_NOW = re.compile(r"^(?:现在|目前|新的)?(?P<is>[是叫]\S{2,6})$")
_SURELY = re.compile(
    r"(?<=[\u4e00-\u9fff])(?:当然|肯定|自然|照样|依旧|依然|仍然)(?:还是|也|都|还|是)*"
    r"(?=不能|不可以|不吃|不喝|不碰|不要|必须)"
)
_IS_CALLED = re.compile(r"^(?:名字|大名|小名|取名|起名|名|就|现在)*叫\S")
# What nobody says of anyone else without naming them: news of the family, what has been going on
# since when, what is done together with somebody.
_OWN_NEWS = re.compile(
    rf"^(?:(?:老婆|老公|媳妇儿?|爱人|太太|闺女|女儿|儿子|婆婆|岳父|岳母|丈母娘)(?!们|国|节|红|的|和|与|是)"
    rf"|(?:{_TIMES}|[今去前]年(?:体检)?|早就?|已经|刚刚?|一直|正)+(?:就|才|都|又|在|已经|刚)*(?:不再?[吃喝抽用住]|戒[\u4e00-\u9fff]|[吃喝](?!什|啥|完|饱|过|苦|亏|惊|瓜)|服用|从\S+?(?:跳|搬|转|换|调|离|辞|回)|跳槽|离职|辞|入职|退休|毕业|查出|确诊|自?学(?!校|生|习|会|院)|备考|养了|怀孕|结婚|离婚|手术)(?!的)"
    r"|(?![我你您他她它这那有都])[\u4e00-\u9fffA-Za-z]{2,10}?(?:快|有|都)?(?:\d+|[一二两三四五六七八九十半]+)(?:多|来)?(?:年|个月)了$"
    r"|(?:打算|立志|力争|争取|决心|梦想[是着]|(?:今年|近期|长期|我的)?(?:的)?(?:小|大)?目标(?:是|：)|(?:想|准备|计划)(?=[今明后]年|年[底前内]|在?\S{0,6}(?:年|月|岁|毕业)(?:之?[前内]|底)|学(?!一下)|考(?!虑)|戒|减(?!少|去)|瘦|存(?!储)|攒|买[房车]|成为|当(?!前)|转行|创业|辞职|留学|移民|出国|跑|养|要个?孩|开一?[家间])|希望能?在|在备考)(?!\S*的[人话])"
    r"|(?:比较|更|挺|特别|超级?|很|非常|真的?|一直|向来|不太|不怎么|最)+(?:能接受|喜欢|爱(?![人情心国你您])|偏爱|讨厌|习惯|享受|怕)(?!\S*的(?:人|朋友|孩子))"
    r"|对\S{1,10}?(?:情有独钟|(?:没有?|毫无)(?:什么)?(?:兴趣|抵抗力)|不?感兴趣|无感)$"
    r"|(?:出差|旅[游行]|出[门行]|上班|在家|睡前)\S{0,3}只[吃喝看听玩用坐穿住走打](?!了|过|到)\S|[\u4e00-\u9fff]{2,4}用的是?(?=[A-Z])|(?P<verb>[吃喝看听玩用坐穿住])\S{0,4}?只(?P=verb)(?!了|过|到)\S"
    r"|(?:跟|和|与)\S{1,6}?(?:一起|一块儿?|合伙|合作)|家里?(?:有(?!没)|养)|生日(?:是|在|\d)|[一只]?(?:吃|喝|碰|闻|沾)\S{1,6}就)"
    r"|(?!活动|促销|优惠|报名)[\u4e00-\u9fff]{2,6}?(?:\d|[本这下]?周[一二三四五六日天]|[明后]天|月底|年底)\S{0,8}(?:截止|到期|[要得]交|提交|交付)$"
)

# Whom the clause before was about is whom such a clause goes on about: 我儿子三岁，也爱画画.
_SUBJECT = re.compile(
    rf"^我们?(?:的|家)?(?:{KIN}|{RELATIVE_HAN}|团队|公司|部门|项目|产品|后端|前端)(?!和我|跟我)"
)
# … unless it wishes, asks or says whom: 我儿子三岁，想给他报个班.
_OTHER_SUBJECT = re.compile(
    rf"{_ANOTHER.pattern}|{_ORDER.pattern}|^(?:想|打算|准备|要|得|需要|预算|希望|最好|求|所以|有没有|推荐|买|找|选|订|送|给|陪|带|结婚|婚)"
)


# When an order holds, and the order: 每当我传图，你先描述 is one clause.
_CONDITION = re.compile(
    r"^\W*(?:以后|今后)?(?:每次|每回|每当|凡是|只要|一旦|没(?:有|经过?)?我的?(?=\S{0,4}(?:允许|同意|确认|许可|批准|授权|点头))|(?:未|不)经我)\S+$"
)
_ITS_ORDER = re.compile(
    r"^\W*(?:[你您](?!好)|请|就|都|先|一律|统一|一定|务必|必须|记得|直接|别|不要|不许|不准|不得|任何人|谁[也都]|帮我|给我|提醒)"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause.

    Attributes:
        text: Its characters; it begins with 我 where it is about the user.
        own: Whether it is about the user.
        hedged: Whether the speaker was not sure.
        original: As it was written, without fillers.
        topic: What it puts before its subject, to say what it is about.
    """

    text: str
    own: bool
    hedged: bool
    original: str
    topic: str = ""


def clauses(sentence: str, *, own: bool = False) -> Iterator[Clause]:
    """The clauses of a sentence.

    Args:
        sentence: One or more sentences.
        own: Whether what was said just before was about the user.
    """
    within, carried, before = False, "", ""
    for piece in _pieces(sentence):
        text = _trimmed(piece)
        if not text:
            continue
        text = _SURELY.sub("", text)
        original = text
        hedge = _HEDGE.match(text)
        if hedge:
            text = text[hedge.end() :]
            text = text if _SELF.match(text) else f"我{text}"
        text = _time_after_subject(re.sub(r"^(我们?)\s+", r"\1", text))
        text = re.sub(
            rf"^(?:(?:我|本人|在下|鄙人)(?!{_NO_NOUN})(\S{{2,8}})一[枚个名只]|(\S{{2,8}}?)(?:一枚|星人(?:求\S+)?)|((?:重度|轻度|资深)\S{{2,5}})|(?:本人|在下|鄙人)(?!{_NO_NOUN})([\u4e00-\u9fff]{{2,8}}))$",
            lambda one: f"我是{next(noun for noun in one.groups() if noun)}",
            text,
        )
        text = re.sub(
            r"^(?:俺们?|咱们?(?!家)|(?:免贵|敝)(?=姓)|本人|在下|笔者|鄙人)(?:家)?",
            lambda one: "我们" if "们" in one.group() or "咱" in one.group() else "我",
            text,
        )
        text = re.sub(r"^(?:个人|我这(?:个)?人|我自己|我本人|我呢|我嘛)", "我", text)
        text = _topic_after_subject(text)
        topic = ""
        fronted = _TOPIC.match(text) if not _CONDITION.match(text) else None
        if fronted:
            if has_date(fronted.group("what")):
                text = f"{fronted.group('who')}{fronted.group('what')}{fronted.group('rest')}"
            elif not re.search(
                r"[你您他她它]|[劝让叫给对跟问教帮要催逼请陪送骂说想是把被在和与从向等找当]$|[给让接带帮找是和与跟想说看自]|了$|告诉|建议|希望|觉得|认为|同事|朋友|老板|老师|公司|客户|有人|大家|别人|网上|领导|时候|超过|如果|要是|[叫喊]$|给$|为了|因为|所以|对于?$|医生|大夫",
                fronted.group("what"),
            ):
                topic, text = (
                    fronted.group("what"),
                    f"{fronted.group('who')}{fronted.group('rest')}",
                )
        denied = _DENIED_OBJECT.match(text) if own else None
        if denied:
            text = f"我{denied.group('verb')}{denied.group('what')}"
        is_own = _SELF.match(text) is not None
        goes_on = own and (_GOES_ON.match(text) if not within else not _ANOTHER.match(text))
        opens = (own or not within) and (_OWN_NEWS.match(text) or _opens_alone(text))
        if carried and within and not is_own and not _OTHER_SUBJECT.match(text):
            text, is_own = f"{carried}{text}", True
        if not is_own and (goes_on or opens) and not _ORDER.match(text):
            text, is_own = f"我{text}", True
        changed = _CHANGED.match(before) if within else None
        person = changed and _IS_NOW.match(original)
        if changed and person:
            text, is_own = f"我的{changed['what']}{person['is']}", True
        elif _IS_CALLED.match(original):
            # 我有个女儿，叫小雨 names the daughter; after a full stop it may be anybody.
            named = _INTRODUCED.match(before) or _GOT.match(before)
            alone = not before.startswith("我") or _INTRODUCES.match(before) is not None
            is_own = is_own and (within or not own) and named is None and alone
            if named and named["what"]:
                text, is_own = f"我的{named['what']}{original}", True
        before = text
        other = _SUBJECT.match(text)
        carried = other.group() if other else ""
        own = is_own and re.search(r"[他她它]|有人|一个人|别人", text) is None
        within = True
        yield Clause(text, is_own, hedge is not None, original, topic)


def _pieces(sentence: str) -> Iterator[str]:
    condition = ""
    for piece in _CUT.split(sentence):
        joined = condition and _ITS_ORDER.match(piece)
        if condition and not joined:
            yield condition
        condition = f"{condition}，{piece}" if joined else piece
        if not _CONDITION.match(condition) or joined:
            yield condition
            condition = ""
    if condition:
        yield condition


def _opens_alone(text: str) -> bool:
    """Whether a clause without a subject can only be about the speaker."""
    return bool(
        re.match(
            r"(?!\S*的(?:人|朋友|同学)\S)(?:预算|对\S{1,8}过敏|不想?(?:吃|喝|坐|碰|住|飞|抽|看(?![好懂清了到出着]))(?!了$)\S|从不|从来不|老家|家住|住在(?!\S*的(?:人|地方|时候|家庭|居民))|今年\S{1,3}岁|单身|已婚|怀孕|乳糖不耐|喜欢|讨厌|最(?:爱|讨厌|喜欢)|(?:目前|现在)(?:人)?在|人在|坐标|(?:论文|合同|签证|护照|租约|毕设|项目|婚礼|考试|手术|预产期|面试|答辩)\S{0,6}(?:截止|到期|定在|是|在)|在\S{2,8}(?:上班|工作|读书|上学)|正在(?:学|做|写|准备|开发)|戒\S{1,2}|叫\S{2,4}$|姓\S{1,2}$|来自|毕业于|从事|平时(?:喜欢|爱|用|都)|受不了|主要(?:用|写|做)|(?:下|这|本)?(?:个?月|周|星期)\S{0,4}(?:要|打算|准备|得)(?:去|飞|回|参加|到)|(?:明天|后天|\d+月\d+[号日])(?:要|打算|准备|得)(?:去|飞|回|参加|到))",
            text,
        )
    )


def _trimmed(piece: str) -> str:
    text = piece.strip(" \t、")
    before = None
    while text != before:
        before = text
        text = _FILLER.sub("", text, count=1) or text
        text = _TAIL.sub("", text)
        text = text.strip(" \t、")
    return text


def _time_after_subject(text: str) -> str:
    """Time words before the subject put behind it: 现在我住… → 我现在住…."""
    found = re.match(
        rf"^((?:{_TIMES}(?:开始|起|的时候|以后|以来)?)+)(我们|咱们?|我|俺)(?!的)(.+)$", text
    )
    return f"{found.group(2)}{found.group(1)}{found.group(3)}" if found else text


def _topic_after_subject(text: str) -> str:
    """A topic before the subject put behind its verb: 茶我不喝 → 我不喝茶."""
    found = re.match(
        r"^(?P<what>[^我你您他她它]{1,12}?)(?:这(?:种|类)(?:东西|菜)?)?(?:的话)?我(?:们)?(?P<how>(?:是|都|一点儿?|一口|完全|一?向|从来|真的?|实在|完全|基本|一律|绝对|可|也|最|很|特别)*)(?P<verb>不怎么吃|不太?(?:吃|喝|喜欢|爱|碰|沾|用|坐|考虑|接受|能吃|能喝|敢吃|会)|吃不了|喝不了|吃不惯|[吃喝坐看听读闻住用穿爬走熬]不(?:了|惯|来|得|下去?)|不能(?:吃|喝|碰)|受不了|接受不了|碰不得|(?:没有?(?:什么|啥)?|毫无)(?:兴趣|感觉)|不(?:太|怎么)[看听玩]|不感兴趣|不(?:太|怎么)?感冒|无感|喜欢|讨厌|爱吃|爱喝|爱|不行|过敏|都可以)(?:的|了)?$",
        text,
    )
    if not found or re.match(
        r"(?:如果|因为|所以|但是|当|以前|每次|比起)|[给让把对叫带帮和与跟自]", found.group("what")
    ):
        return text
    what, verb = found.group("what"), found.group("verb")
    what = what[:-1] + "的东西" if what.endswith("的") and len(what) <= 3 else what
    if verb == "过敏":
        return f"我对{what}过敏"
    if verb.endswith(("兴趣", "感冒", "感觉", "无感")):
        return f"我对{what}{verb}"
    if verb in {"不行", "都可以"}:
        return text
    return f"我{found.group('how').replace('是', '').replace('一点儿', '').replace('一点', '').replace('一口', '').replace('都', '').replace('可', '')}{verb}{what}"


def about_user(text: str) -> str:
    """A clause in the first person as one about the user, who is 用户."""
    text = re.sub(r"[您你]们?", "助手", text)
    text = re.sub(
        r"我们?(?=(?:团队|公司|项目|部门|小组|组|学校|店|班|单位|实验室|家(?!里|庭)|厂|院|所|系|宿舍|老家|技术栈|产品|后端|前端|服务))",
        "用户的",
        text,
    )
    text = re.sub(rf"我(?={KIN}|{RELATIVE_HAN})(?!家人?的?$)", "用户的", text)
    text = re.sub(r"(?:我们|咱们|我)家", "用户家", text).replace("用户的家", "用户家")
    text = re.sub(r"我们|咱们|(?<![自忘唯])我|俺", "用户", text)
    return text if "用户" in text else f"用户{text}"
