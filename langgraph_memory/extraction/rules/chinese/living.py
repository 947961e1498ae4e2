"""Where the user lives and works, and with whom."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re
from dataclasses import replace

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.chinese.clauses import KIN, about_user
from langgraph_memory.extraction.rules.chinese.tastes import topic_han
from langgraph_memory.extraction.rules.chinese.words import ADVERBS, I_THEN
from langgraph_memory.extraction.rules.kinds import CONSTRAINT, FACT, PREFERENCE, SKILL
from langgraph_memory.offline.lexicon import concepts, is_kind_of, word_meanings

__all__ = ["is_job_han", "read_family", "read_living", "read_working", "settled"]

_JOB_HAN = re.compile(
    r"(?:员|师|生|家|者|工|医|长|手|商|民|警|兵|匠|农|总监|经理|主管|老板|司机|教练|编辑|记者|会计|出纳|律师|护士|大夫|导演|编剧|演员|主播|博主|秘书|助理|保安|保姆|店主|店长|程序猿|码农|攻城狮|产品|运营|开发|测试|设计|销售|市场|前端|后端|运维|算法|财务|人事|行政|法务|客服|采购|自由职业|全职妈妈|全职爸爸|"
    r"宝妈|宝爸|家庭主妇|公务员|教授|讲师|研究员|博士后?|硕士|研究生|本科生|大[一二三四]|研[一二三]|高[一二三]|初[一二三]|创始人|合伙人|CEO|CTO|HR|PM|实习生|HRBP|UP主|up主|个体户|打工人|上班族|社畜|飞行员|空姐|裁缝|厨子|木匠|电工)(?:的)?$"
)
_NOT_JOB_HAN = re.compile(
    r"(?:新手|高手|选手|对手|用户|我|学生时代|陌生|先生|国家|大家|专家的|后者|前者|作者的|消费者|[素]食者|单身|人家|回家|搬家|老家|顾客|客人|玩家|吃货|洋葱)$"
)
_LASTING = re.compile(
    r"左撇子|右撇子|单身|已婚|未婚|结婚了|离异|离婚|丧偶|退休|待业|失业|夜猫子|早起的?人|早睡早起|社恐|社牛|内向|外向|[IE]人|i人|e人|INT[JP]|INF[JP]|ENT[JP]|ENF[JP]|IS[TF][JP]|ES[TF][JP]|独生子女?|双胞胎|路痴|强迫症|拖延症|洁癖|完美主义|吃货|颜控|猫奴|狗奴|铲屎官|吸烟|老烟枪|(?:佛教|基督|天主|穆斯林|回民|回族|汉族|满族|藏族|壮族|维吾尔|蒙古族|苗族|朝鲜族)\S{0,3}|党员|华侨|混血|"
    r"[\u4e00-\u9fff]{1,3}(?:族|籍)$|[\u4e00-\u9fff]座$|属[鼠牛虎兔龙蛇马羊猴鸡狗猪]|[AB]?[ABO]型血|处女座|\d+后$|[零一二三四五六七八九]{2}后$|色盲|近视"
)
_NONE = Draft(FACT, "")


_MOVED = re.compile(r"搬家?(?:到|去|来|进)了?(?P<where>(?!新|那|这|楼)[\u4e00-\u9fff]{2,6}?)了?$")


def settled(content: str) -> str:
    """A move with where the user lives since: 我住在哪里 finds it by that word only."""
    moved = _MOVED.search(content)
    return f"{content}，住在{moved['where']}" if moved else content


# Who spends some nights somewhere lives elsewhere.
_STAY = re.compile(
    r"[住待呆]\S{0,8}?(?:\d+|[一二两三四五六七八九十几])个?(?:晚|夜|宿|天)|出差|旅游|旅行|度假|"
    r"(?:酒店|宾馆|民宿|旅馆|青旅|旅舍|客栈)(?:里)?$"
)


def read_living(text: str) -> Draft | None:
    """Where the user lives and comes from."""
    if _STAY.search(text) and not re.search(r"搬|家", text):
        return None
    if re.match(rf"{I_THEN}不(?:住|在)(?:在)?[\u4e00-\u9fff]{{2,8}}$", text):
        return Draft(FACT, about_user(text), 0.5, 0.8, subject="home") if "住" in text else None
    if re.match(
        r"^我\S{0,4}(?:现在|目前|如今)\S{0,2}在[\u4e00-\u9fff]{2,8}$", text
    ) and not re.search(
        r"在(?:想|看|做|用|学|写|忙|等|找|家|外面|路上|公司|开会|吃|线|这|那|考虑|纠结)|(?:课|班|工作)$",
        text,
    ):
        return Draft(FACT, about_user(text), 0.7, 0.75, subject="home")
    if re.search(
        rf"{I_THEN}(?:家)?(?:从[\u4e00-\u9fff]{{2,6}}?)?(?:住(?:在|址是)?|定居(?:在|于)?|常驻|常住|长居|搬(?:到|去|来|进|家到|回)|租(?:住|房)在|租了|安家(?:在|于)?|落户(?:在)?|旅居|生活在|在\S{{2,8}}(?:定居|生活|租房|安家|买房|常住|长住)|人在|家在|坐标)(?!酒店|这)\S{{1,20}}",
        text,
    ) or re.match(rf"^(?:我家|我们家){ADVERBS}(?:搬|住|在)(?:到|去|了|在)*\S{{2,}}", text):
        return Draft(FACT, settled(about_user(text)), 0.8, subject="home")
    if re.match(
        rf"{I_THEN}(?:的)?(?:老家|家乡|籍贯|祖籍|故乡)|{I_THEN}来自|^我是(?:土生土长的?)?[\u4e00-\u9fff]{{2,6}}人$|{I_THEN}(?:从小)?(?:在|生在|长在)\S{{2,8}}(?:长大|出生)|^我(?:是)?从\S{{2,6}}来的",
        text,
    ) and not re.match(
        r"^我是(?:好|坏|普通|正常|成年|年轻|老年|本地|负责|联系|当事|申请|残疾|早起|急性子的|什么)\S*人$",
        text,
    ):
        return Draft(FACT, about_user(text), 0.75, subject="origin")
    found = re.match(
        rf"^我们?{ADVERBS}(?:目前|现在)?(?:人)?在(?P<where>[\u4e00-\u9fff]{{2,6}})(?:上学|读书|念书|读(?:大学|研\S?|博\S?|高中|初中|本科|硕士)|留学|念\S{{1,3}}|实习)",
        text,
    )
    if found:
        return Draft(FACT, about_user(text), 0.8, subject="job")
    return None


# What people do besides their work.
_CIRCLE = re.compile(
    r"俱乐部|协会|社团|[合乐舞]\S?团|乐队|球队|读书会|跑团|志愿|业委会|家委会|兴趣班"
)


def read_working(text: str) -> Draft | None:
    """What the user does for a living, and what kind of person the user is."""
    found = _worked(text)
    if found and found.subject in {"job", "employer"} and _CIRCLE.search(text):
        return replace(found, subject=None)
    return found


def _worked(text: str) -> Draft | None:
    if re.match(rf"{I_THEN}(?:不是|没)", text) and not re.search(r"而是|是做", text[3:]):
        if re.match(rf"{I_THEN}不是(?:做|搞|干|学|在)", text):
            return _NONE
        return None
    if re.search(
        rf"{I_THEN}(?:在|于)(?P<org>\S{{2,16}}?)(?:上班|领工资|拿工资|当差|工作|任职|就职|供职|打工|任教|教书|教课|授课|代课|做(?!梦|作业|什么|饭|一个|一款)\S{{2,}}|当(?!时)\S{{2,}}|担任\S+|搞\S{{2,}}|负责\S+|管(?![你我])\S{(2,)}|照看\S+|[写敲]代码|写程序|搬砖|干活|跑业务|开(?:了)?一?[家个间]\S+|经营\S+)",
        text,
    ) and not re.search(
        r"在(?:想|考虑|纠结|找|这|用|了解|看|学|忙|努力|尽力|准备|慢慢|换|等|寻|做|家(?:做|工作|上班)$)",
        text,
    ):
        subject = "job" if re.search(r"[做当]|担任|负责|开|经营", text) else "employer"
        if re.search(r"在家", text):
            subject = "work mode"
        return Draft(FACT, about_user(text), 0.9, subject=subject)
    if re.match(
        rf"{I_THEN}(?:开始)?(?:在)?(?:给|为|帮|替)\S{{2,12}}?(?:做|当|打|干|写|搞)(?:外包|兼职|顾问|设计|开发|咨询|全职|运营|翻译|工|客服|短工|项目|实习)",
        text,
    ):
        return Draft(FACT, about_user(text), 0.85, subject="job")
    if re.match(
        rf"{I_THEN}(?:靠|以)\S{{1,10}}(?:吃饭|谋生|为生|养家|糊口|挣钱|赚钱|为业)", text
    ) or re.match(
        rf"{I_THEN}(?:干|做|搞|学|教|卖|修|开|跑|送|拉|拍|种|研究)(?!的|了|过)\S{{2,10}}的$", text
    ):
        return Draft(FACT, about_user(text), 0.9, subject="job")
    if re.search(
        rf"{I_THEN}(?:从事|就职于|任职于|供职于|任教于|受雇于|担任|负责(?!任)|主管|分管|经营|干的?是|做的?是|搞的?是|自己开|开了?(?:一?[家间个])(?:[\u4e00-\u9fff]{{0,6}})(?:店|公司|厂|馆|工作室|民宿|餐厅|诊所|铺|超市|农场|吧|坊|园))",
        text,
    ):
        return Draft(FACT, about_user(text), 0.9, subject="job")
    found = re.match(
        rf"{I_THEN}(?:在|是)?(?:教|带)(?!孩子)(?P<what>[\u4e00-\u9fff]{{2,8}})(?:的)?$", text
    )
    if found and re.search(
        r"学|语|文|英|数|物|化|历史|美术|音乐|体育|班|课|编程|瑜伽|钢琴|舞", found.group("what")
    ):
        return Draft(FACT, about_user(text), 0.85, subject="job")
    found = re.match(
        rf"^我们?{ADVERBS}(?:是|当|做|干|搞|属于|算是|就是|身为|作为)(?P<what>.+)$", text
    )
    if found:
        what = re.sub(r"^(?:一?[名个位家])", "", found.group("what"))
        if re.match(r"[做搞干学跑教开卖修](?!梦|错|完|好|了)\S{1,14}的$", what) or is_job_han(what):
            return Draft(FACT, about_user(text), 0.9, subject="job")
        if re.search(r"(?:新手|小白|初学者|门外汉|高手|老手|菜鸟|入门)", what) and not re.search(
            r"这|那", what
        ):
            return Draft(SKILL, about_user(text), 0.6)
        if re.search(r"(?:爱好者|迷|粉丝?|控|党|派|发烧友|狂热者|爱好)$", what):
            return Draft(
                PREFERENCE,
                about_user(text),
                0.6,
                subject=f"taste:{topic_han(re.sub('(?:爱好者|迷|粉丝?|控|党|派|发烧友)$', '', what))}",
            )
        if re.search(r"(?:玉皇|皇帝|国王|女王|神仙|上帝|奥特曼|秦始皇|机器人|外星人|超人)", what):
            return _NONE
        if _LASTING.search(what) or re.fullmatch(
            r"[\u4e00-\u9fff]{1,5}[^的年轻家个好坏外其他别主有]人", what
        ):
            return Draft(FACT, about_user(text), 0.7)
    if re.match(
        r"^我(?:学|读|念|主修|本科|硕士|博士|大学)(?:的)?(?:是|学的是|读的是|专业是)?[\u4e00-\u9fff]{2,10}(?:专业|系|的)?$",
        text,
    ) and re.search(r"专业|主修|学的是|读的是|毕业|念的是|本科|硕士|博士", text):
        return Draft(FACT, about_user(text), 0.75)
    if (
        _LASTING.search(text)
        and re.match(rf"{I_THEN}(?:是|属于|算|还没|还|已经|至今|没|未|有)?", text)
        and len(text) <= 14
    ):
        if re.match(rf"{I_THEN}(?:想|问|要|觉得|知道|认为)", text):
            return None
        return Draft(FACT, about_user(text), 0.7)
    return None


def read_family(text: str) -> Draft | None:
    """Family and animals."""
    if re.match(rf"{I_THEN}(?:跟|和|与)\S{{1,10}}?(?:一起|一块儿?|同|合)住", text):
        return Draft(FACT, about_user(text), 0.65)
    if re.match(
        r"^我们?家(?:有|里有|就)?[\d一二两三四五]个?(?:娃|孩子|小孩|闺女|儿子|女儿|宝宝|口人?)",
        text,
    ):
        return Draft(FACT, about_user(text), 0.7)
    if re.match(
        rf"{I_THEN}(?:是|当上?|做|成了?)\S{{0,6}}(?:父亲|母亲|爸爸?|妈妈?|爷爷|奶奶|外公|外婆|姥姥|姥爷|奶爸|单亲妈妈|单亲爸爸|家长)了?$",
        text,
    ):
        return Draft(FACT, about_user(text), 0.75)
    if re.match(
        rf"{I_THEN}(?:还)?(?:有|没有?|养了?|家里?有|收养了?|领养了?|生了?|带着|家里?养了?)\S{{0,6}}?(?:{KIN}|儿|女|鹦鹉|兔子?|仓鼠|金鱼|乌龟|宠物|蜥蜴|马$|只\S+|条\S+狗|金毛|柯基|泰迪|布偶|英短|橘猫|哈士奇|边牧)",
        text,
    ):
        return Draft(FACT, about_user(text), 0.75)
    found = re.match(rf"^我们?(?:的|家)?(?P<kin>{KIN})(?P<rest>.+)$", text)
    if found:
        rest = found.group("rest")
        if re.match(
            r"(?:也?没|说|问|让我|叫我(?!$)|今天|昨天|刚才|刚刚|正在|觉得|想|给我|生气|病了|不理|又|在家|不让|非要|来了|走了|的(?!名字|生日|工作|职业|公司)|跟我|和我|总|老是|快|要|被|把|气|骂|吵|$)",
            rest,
        ):
            return _NONE
        if re.match(
            r"(?:[今明后]年|今天|明天|下周|周)?(?:\S{0,3})(?:叫|名叫|是|在|今年|对\S+过敏|不能|不吃|不喝|喜欢|爱|有|上|读|得了|患|做|当|教|也|住|\d|[一二三四五六七八九十]+岁|也|属|姓|怀孕|刚?出生|去世|退休|毕业|\S{0,5}[吃喝碰沾闻]不(?:了|得|惯))",
            rest,
        ):
            health = re.search(r"过敏|不能吃|不吃|[吃喝碰沾闻]不[了得]|糖尿|哮喘|病", rest)
            name = re.match(r"(?:的名字)?(?:叫|名叫|是叫)", rest)
            return Draft(
                CONSTRAINT if health else FACT,
                about_user(text),
                0.8 if health else 0.7,
                0.85,
                subject=f"{found.group('kin')}的名字" if name else None,
            )
        return _NONE
    return None


def is_job_han(noun: str) -> bool:
    """Whether a Chinese noun phrase names an occupation."""
    bare = re.sub(r"^(?:一?[名个位家]|在|的)+", "", noun.strip()).rstrip("的了")
    if not bare or len(bare) > 16 or _NOT_JOB_HAN.search(bare):
        return False
    jobs = word_meanings("job")
    for size in (5, 4, 3, 2):
        said = concepts((bare[-size:],)) if len(bare) >= size else ()
        if any(is_kind_of(one, job) for one in said for job in jobs):
            return True
    return _JOB_HAN.search(bare) is not None
