"""What belongs to the user, or is around the user: people, groups, rooms, projects."""

# A pattern is easier to check in one piece.
# ruff: noqa: E501

from __future__ import annotations

import re

from langgraph_memory.extraction.drafts import Draft
from langgraph_memory.extraction.rules.chinese.clauses import about_user
from langgraph_memory.extraction.rules.chinese.living import is_job_han
from langgraph_memory.extraction.rules.kinds import FACT
from langgraph_memory.offline.kinship import RELATIVE_HAN

__all__ = ["read_around", "read_belonging"]

_NUMBER = r"(?:\d+|[一二两三四五六七八九十百千几]+)"
_SIZE = re.compile(
    rf"^我们?的?(?P<group>[\u4e00-\u9fff]{{0,3}}?(?:团队|公司|部门|小组|工作室|学校|宿舍|单位|店|组|班|队|团|部|社))(?:现在|目前|一共|总共|加起来|大概|大约|差不多|也?就|只|有|是|共)*{_NUMBER}(?:来|多|几)?(?:个|位|名|口|号)?(?:人|成员|员工|同事|学生|队员)(?:左右)?了?$"
)
_NAMED = re.compile(
    rf"^我们?(?:家|公司)?的?(?P<who>{RELATIVE_HAN}|[\u4e00-\u9fff]{{2,5}}?)(?:现在)?(?:的名字)?(?:叫|姓|名叫|是|换成了?)(?P<name>[\u4e00-\u9fff]{{1,2}}(?:大夫|医生|医师|老师|先生|女士|律师|教练|师傅|教授|阿姨)|(?<=叫)[\u4e00-\u9fff]{{2,4}}|(?<=姓)[\u4e00-\u9fff]{{1,2}}|(?<=[是叫了])[小老阿](?![外人板师孩白手乡心气])[\u4e00-\u9fff]|(?<=[是了])[王李张刘陈杨赵周吴徐孙朱胡郭林罗郑梁谢宋唐许韩冯邓曹彭曾肖董袁潘蒋蔡余杜叶苏魏吕丁沈姚卢姜崔钟谭陆][\u4e00-\u9fff]{{1,2}}|[A-Z][\w .]{{1,20}})了?$"
)
_PLACE = r"(?:厨房|客厅|卧室|主卧|次卧|书房|阳台|走廊|过道|玄关|餐厅|浴室|卫生间|洗手间|院子|花园|车库|阁楼|地下室|屋顶|墙面?|地板|窗帘|沙发|房间|屋里|家里|家|房子|办公室|工位)"
_WORK = r"(?:项目|产品|后端|前端|数据库|服务器?|网站|官网|App|APP|应用|技术栈|代码库|系统|团队|公司|组里?|部门|线上|服务)"
# A change that has been made, or where something is for good.
_STATE = (
    r"(?:(?:都|已经|刚|刚刚|全|现在|上周末?|上个?月|昨天|今年|去年|最近)*(?:刷|漆|换|改|装|铺|贴|砌|种|搭|迁|挪|搬|升级|翻新|装修|改造)(?:修|建)?(?:成了?|到了?|上了?|用了?|了|好了)\S*[\u4e00-\u9fffA-Za-z]{2,}|"
    rf"在(?:第?{_NUMBER}[楼层]|[东南西北顶底]\S)\S*|(?:都|全部?|一直|目前|现在|还)*(?:用的是?|是用|跑在|部署在|托管在|是(?=[A-Za-z]))\S{{2,}}|(?:\S{{0,4}}(?:月|年|周|天|季度))\S{{0,3}}(?:上线|发布|交付|完工|验收|开业|开工))"
)
_AROUND = re.compile(
    rf"^(?:我们?的?)?(?:{_PLACE}|{_WORK}){{1,3}}(?:里|的[\u4e00-\u9fff]{{1,3}})?{_STATE}$"
)
_OURS = re.compile(
    rf"^我们?的?(?:{_PLACE}|{_WORK}|(?:女儿|儿子|孩子|老婆|老公)的?(?:学校|公司|幼儿园)|车|狗|猫|办公室|宿舍)(?:\S{{0,6}}?)(?:在|有|用|加|装|铺|朝|开门|关门|住|放|怕|烧|跑在|没有)\S+$"
)
_TROUBLE = re.compile(
    r"坏|崩|卡|慢|死机|问题|报错|错误|失败|什么|怎么|挂|停电|断|这|那|你|您|吗|呢|今天|现在在|刚才|正在|在(?:哭|叫|睡|吃|家|看|等|想|放|开|外|路上|门口|沙发|上面|下面|充电|忙)|还是(?!用|[A-Za-z])|不行|端口|有点|试"
)


def read_belonging(text: str) -> Draft | None:
    """Of the people, groups and things of a clause that begins with 我: what lasts."""
    text = re.sub(r"^(我们?)(?:现在|目前|如今)的(?=[\u4e00-\u9fff])", r"\1的", text)
    size = _SIZE.match(text)
    if size:
        return Draft(FACT, _ours(text), 0.6, subject=f"{size['group']}人数")
    named = _NAMED.match(text)
    if named and (re.fullmatch(RELATIVE_HAN, named["who"]) or is_job_han(named["who"])):
        return Draft(
            FACT, _ours(text), 0.6, 0.85, subject=f"{named['who'].removeprefix('新')}的名字"
        )
    if _OURS.match(text) and not _TROUBLE.search(text):
        return Draft(FACT, _ours(text), 0.5, 0.7)
    return None


def read_around(original: str) -> Draft | None:
    """Of rooms and projects that are nobody's by their words: most likely they are the user's."""
    if re.match(r"(?:我们?的?)?家\S*搬", original):
        return None  # The household, and so the user.
    if not _AROUND.match(original) or _TROUBLE.search(original):
        return None
    bare = re.sub(r"^我们?的?", "", original)
    return Draft(FACT, f"用户这边，{bare}", 0.5, 0.6)


def _ours(text: str) -> str:
    return re.sub(r"^用户(?=[^的家])", "用户的", about_user(text))
