"""Who the user is, and in what health."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re

from langgraph_memory.extraction.dates import has_date
from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.chinese.clauses import KIN, about_user
from langgraph_memory.extraction.rules.chinese.living import is_job_han
from langgraph_memory.extraction.rules.chinese.tastes import topic_han
from langgraph_memory.extraction.rules.chinese.words import I_THEN
from langgraph_memory.extraction.rules.kinds import CONSTRAINT, EPISODE, FACT, PREFERENCE, SKILL
from langgraph_memory.offline.kinship import RELATIVE_HAN
from langgraph_memory.records import MemoryType

__all__ = ["read_health", "read_identity", "read_mine"]

_HEALTH = re.compile(
    r"糖尿病|(?:有|患|得了?)[\u4e00-\u9fff]{1,6}(?:症|炎|病)(?:$|史)|哮喘|高血压|低血压|高血脂|高血糖|低血糖|贫血|癫痫|心脏病|冠心病|关节炎|偏头痛|抑郁症?|焦虑症?|失眠|湿疹|荨麻疹|鼻炎|胃病|胃炎|胃溃疡|肠炎|痛风|甲状腺|甲亢|甲减|结石|乙肝|肝炎|肾病|癌|肿瘤|腰椎|颈椎病?|近视|远视|散光|色盲|色弱|夜盲|耳鸣|听力|残疾|轮椅|多动症|自闭症|强迫症|(?:阅读|书写|学习|语言|听力|视力|睡眠|运动)障碍|过敏性|慢性|支架|手术|骨折|怀孕|孕期|孕妇|备孕|哺乳|月经|更年期|"
    r"血[糖压脂](?:有点|偏|比较|很|太)?[高低]|尿酸(?:有点|偏|比较|很)?高|胆固醇|膝盖|腰不好|胃不好|胃不太好|眼睛不好|心脏不|肠胃|幽门|三高|蚕豆病|麸质|乳糜泻"
)
_NOT_ALLERGIC = re.compile(
    r"(?:不再?|没有?)对(?P<to>\S{1,12}?)(?:再|会)?过敏|"
    r"(?:对(?P<what>\S{1,12}?)(?:已经|早就?|现在|并|其实|根本|也|都|再也|完全|从来)*)?(?:不(?:再|会)?|没有?)过敏(?:史)?"
)
_DIET = re.compile(
    r"素食|吃素|吃全素|纯素|清真|忌口|生酮|无麸质|低碳|减脂餐|吃斋|蛋奶素|斋戒|滴酒不沾|戒糖|控糖"
)
_SLOTS: tuple[tuple[str, MemoryType, float, str], ...] = (
    ("(?:本职|正式|现在的)?(?:职业|工作|岗位|职位|职务|身份|行业|主业|头衔)", FACT, 0.9, "job"),
    ("(?:公司|工作室|店|小店|工厂|厂子|创业公司|团队|机构|单位)", FACT, 0.75, ""),
    ("(?:业余|最大的?|主要)?(?:爱好|兴趣|消遣|嗜好|喜好|偏好|心头好)", PREFERENCE, 0.65, ""),
    ("(?:特长|强项|专长|弱项|短板|长处|主力语言|母语|第一语言|第二语言|外语)", SKILL, 0.6, ""),
    ("(?:专业|研究方向|研究领域|学校|母校|学历)", FACT, 0.7, ""),
    ("(?:底线|原则|要求|忌讳|雷区|禁忌|硬性要求|规矩)", CONSTRAINT, 0.75, ""),
    ("(?:病|病史|过敏原|血型|体质|身体状况|旧伤|忌口)", FACT, 0.8, ""),
    (
        "(?:作息|上班时间|工作时间|通勤|休息日|时区|鞋码|尺码|身高|体重|性格|星座|信仰|生肖)",
        FACT,
        0.55,
        "",
    ),
)


def read_mine(text: str) -> Draft | None:
    """我的… with a copula or a verb."""
    for pattern, kind, importance, subject in _SLOTS:
        found = re.match(
            rf"^我们?的?{pattern}(?:就|主要|一般|现在|目前|一直|都|也)*(?:是|为|在|做|卖|主营|生产|开发|提供|专注|有|叫|：)(?P<what>\S.*)$",
            text,
        )
        if found and not re.match(
            r"(?:什么|怎么|哪|这样|这个|那个|不是|吗|说)", found.group("what")
        ):
            return Draft(kind, about_user(text), importance, subject=subject or None)
    return None


def read_identity(text: str) -> Draft | None:
    """Name, age and birthday."""
    found = re.match(
        r"^我(?:的)?(?:名字|姓名|全名|大名|真名|本名|名|现在|如今)?(?:是?叫做?|名叫|的名字[是叫]|名字[是叫]|姓名是|全名[是叫])(?P<name>[\u4e00-\u9fff·]{2,4}|[A-Za-z][\w .]{0,20})(?:就好|就行|即可|的)?$",
        text,
    )
    if found and not re.match(
        r"(?:什么|你|您|它|他|她|不|了|外卖|车|人|停|醒|滴)", found.group("name")
    ):
        return Draft(
            FACT,
            f"用户叫{re.sub('(?:就好|就行|即可)$', '', found.group('name'))}",
            0.95,
            subject="name",
        )
    found = re.match(r"^我(?:免贵)?姓(?P<name>[\u4e00-\u9fff]{1,2})$", text)
    if found:
        return Draft(FACT, f"用户姓{found.group('name')}", 0.9, subject="family name")
    found = re.match(
        r"^我是(?P<name>[小老阿大][\u4e00-\u9fff]{1,2}|[王李张刘陈杨黄赵周吴徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔欧][\u4e00-\u9fff]{1,2}|[A-Z][a-z]+)$",
        text,
    )
    if (
        found
        and not is_job_han(found.group("name"))
        and not re.match(
            r"(?:老[师板人乡]|小[白学孩朋区]|大[学人家夫一二三四厨]|高[中一二三]|马上|何必|石头|金融|白领|方便|江苏|江西|武汉|于是|任何|万一|龙的)",
            found.group("name"),
        )
    ):
        return Draft(FACT, f"用户叫{found.group('name')}", 0.9, subject="name")
    if (
        (
            re.match(
                rf"{I_THEN}(?:今年|现在|快|刚满?|已经|马上)*(?:\d{{1,2}}|[一二三四五六七八九十]{{1,3}})(?:周?岁|了$|出头|多岁|好几|几岁|来岁|$)(?!\d)",
                text,
            )
            and not re.match(r"^我\d+$", text)
        )
        or re.match(
            r"^我(?:是)?(?:奔[三四五六七]|[\d一二三四五六七八九]{1,2}[零0]后|年过[半三四五六七八九]\S|年近\S{1,2})",
            text,
        )
        or re.match(r"^我(?:的)?年龄", text)
    ):
        return Draft(FACT, about_user(text), 0.8, subject="age")
    if re.search(
        r"^我(?:是|出?生于|出生在|在)?(?:\d{2,4}年|\d{4})\S{0,6}(?:出生|生的?|生人)|^我\S{0,8}(?:生日|出生)",
        text,
    ):
        kin = re.match(rf"我们?的?(?P<who>{KIN}|{RELATIVE_HAN})", text)
        whose = f"{kin['who']}的生日" if kin else "birthday"
        if re.search(
            r"生日(?:那天|当天|前|后|会|聚|派对|宴|饭|晚|礼|蛋糕|想|要|去|我)|过生日", text
        ):
            return Draft(EPISODE, about_user(text), 0.5) if has_date(text) else Draft(FACT, "")
        return Draft(FACT, about_user(text), 0.85, subject=whose)
    return None


def read_health(text: str) -> Draft | None:
    """Allergies, illnesses and diets."""
    if re.match(
        r"^我\S{0,5}(?:被?(?:诊断|确诊|查出|检查出|检出)(?:为|出|有|是|患有?|得了)?)\S{2,}", text
    ):
        return Draft(FACT, about_user(text), 0.9)
    if re.match(
        rf"{I_THEN}(?:吃|喝|碰|闻)(?:了)?\S{{1,6}}?(?:会|就)(?:发[麻肿痒烫红]|起|拉|吐|痒|肿|过敏|难受|不舒服|浑身|头|胃|肚|想吐|喘|恶心)",
        text,
    ):
        return Draft(CONSTRAINT, about_user(text), 0.9)
    if re.match(
        r"^我(?:的)?(?:一只|一边)?(?:左|右|双|两只|一只)?(?:边)?(?:耳朵?|眼睛?|腿|手|脚|胳膊)\S{0,5}(?:听不[见到清]|看不[见到清]|失[明聪]|不灵便?|不方便|残疾|截肢|骨折)",
        text,
    ):
        return Draft(FACT, about_user(text), 0.85)
    if re.match(
        rf"{I_THEN}(?:坐|拄|戴|装了?|用)(?:着)?(?:轮椅|拐|助听器|假肢|起搏器|心脏支架|胰岛素泵|呼吸机)",
        text,
    ) or re.match(
        r"^我(?:的)?(?:听力|视力|眼睛|耳朵|膝盖|腰|胃|心脏|肝|肾|肺|颈椎|睡眠|腿脚?|皮肤|血压|嗓子|牙口|记性)(?:一直|向来|有点|不太|不|很|比较|特别|非常)*(?:好|差|弱|敏感|衰弱|受过伤|做过手术|有(?:问题|毛病|旧伤|结节)|脆弱)",
        text,
    ):
        return Draft(FACT, about_user(text), 0.8)
    if re.match(
        rf"{I_THEN}(?:要|得|需要|都|在|必须)*(?:吃|服用|服|打|注射|口服)(?:\S{{0,6}}?)(?:药|片|胶囊|胰岛素|疫苗|双胍|他汀|洛尔|地平|沙坦|普利|拉唑|洛芬|西林|霉素|激素|维生素)",
        text,
    ) and not re.search(r"想|问|怎么|明天|今天", text):
        return Draft(FACT, about_user(text), 0.8)
    if re.match(
        rf"{I_THEN}(?:在)?(?:控制|减少|限制|戒断|少吃|少喝|尽量(?:不|少|避免)|避免|避开|远离|忌)\S{{1,10}}$",
        text,
    ) and not re.search(r"预算|成本|风险|你|错误|时间|这", text):
        return Draft(PREFERENCE, about_user(text), 0.6)
    if re.match(rf"{I_THEN}(?:跟|和|与)\S{{1,8}}无缘", text):
        return Draft(CONSTRAINT, about_user(text), 0.6, 0.7)
    if re.search(r"过敏|不耐受?|起疹|起红疹|浑身痒|嗓子肿|喉咙肿|呼吸困难", text):
        never = _NOT_ALLERGIC.search(text)
        if never:
            things = re.split(r"[和与跟及、]|以及", never["to"] or never["what"] or "")
            return Draft(
                FACT,
                about_user(text),
                0.8,
                subject=None if things[0] else "allergy",
                retracts=tuple(f"用户对{one}过敏" for one in things if one),
            )
        return Draft(CONSTRAINT, about_user(text), 0.95)
    if re.match(r"^我们?一(?:吃|喝|碰|闻到?|沾)\S+就", text):
        return Draft(CONSTRAINT, about_user(text), 0.85)
    if _HEALTH.search(text) and not re.search(r"(?:想|问|知道|了解|治)\S{0,4}$", text[:6]):
        return Draft(FACT, about_user(text), 0.85)
    if _DIET.search(text) and not re.search(r"不再|不吃[素斋全]|不用|不必|不是|没有?忌口", text):
        return Draft(CONSTRAINT, about_user(text), 0.85, subject="diet")
    found = re.match(rf"{I_THEN}(?:怕|害怕|恐惧|恐)(?P<what>\S{{1,10}})$", text)
    if found and not re.match(
        r"(?:我|你|来不及|赶不上|麻烦|忘|打扰|不|出错|误|是|会|自己)", found.group("what")
    ):
        return Draft(
            PREFERENCE, about_user(text), 0.6, subject=f"taste:{topic_han(found.group('what'))}"
        )
    return None
