"""Phrases that promise something about the user, and small talk that promises nothing."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re

from langgraph_memory.extraction.rules.english.word_classes import SURROUNDINGS

__all__ = ["has_signal", "is_courtesy", "tells_of_oneself"]

_SIGNAL = re.compile(
    r"\b(?:i\s?['’]?a?m\sa(?:n|llergic)?\b|i['’]?\s?am\b(?!\s(?:sure|sorry|fine|ok|okay|good|happy|glad|curious|wondering|trying\sto\s(?:understand|find)))|"
    r"my\s(?:\w+\s)?(?:name|job|project|team|budget|birthday|favou?rite|wife|husband|son|daughter|kids?|goal|diet|allerg\w+)\b|"
    r"i\s(?:(?:really|also|always|usually|mostly|only|still|do|no\slonger)\s)?(?:prefer|use|love|like|hate|dislike|enjoy|avoid|live|work|speak|own|drive|moved|quit|joined|switched)\b|"
    r"i\s(?:can['’]?\s?not|can['’]?t|cannot|don['’]?t|do\snot|won['’]?t|will\snot|never)\s(?:eat|drink|fly|have|use|like|want|stand|take|spend|work)\b|"
    r"call\sme|our\s(?:team|company|stack|project|budget|product|family)|allerg\w+|intoleran\w+|budget|never|always|from\snow\son|going\sforward|in\sfuture|no\slonger|vegan|vegetarian)\b|"
    r"我是|我叫|我姓|叫我|我的名字|我(?:更|最|很|不|不太|比较)?喜欢|我(?:更|最)?爱|我讨厌|我(?:们)?(?:在|都|主要)?用|我的?项目|我们(?:团队|公司|组)|我住|我家|我在\S{1,8}(?:工作|上班|做)|我不(?:吃|喝|坐|能|要|用)|我(?:老婆|老公|女儿|儿子|孩子|爱人)|"
    r"预算|过敏|忌口|不要|以后|今后|从现在|每次|一律|永远|总是|从不|别再|我的(?:目标|生日|爱好|工作|职业)",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"^[\W_]*(?:(?:\b(?:hi|hiya|hello|hey|yo|howdy|greetings|welcome|good\s(?:morning|afternoon|evening|night|day)|bye|goodbye|see\s(?:you|ya)(?:\s\w+)?|cheers|thx|ty|tysm|"
    r"thanks?(?:\s(?:you|a\s(?:lot|bunch|million|ton)|so\smuch|very\smuch|again))*(?:\sfor\s(?:your|the|all|that)\s?[\w\s]{0,30})?|much\sappreciated|appreciate\sit|ok|okay|k|sure|yes|yep|yeah|no|nope|great|nice|cool|awesome|perfect|excellent|wonderful|lovely|amazing|"
    r"got\sit|understood|makes\ssense|sounds\sgood|(?:that|this)(?:'s|\sis)?\s(?:was\s)?(?:great|helpful|perfect|good|all|it|fine|awesome)|that\shelps|you\stoo|no\s(?:problem|worries)|how\sare\syou(?:\s(?:doing|today))*|what'?s\sup|lol|(?:ha)+|please|there|everyone|all|friend|buddy|so|very|really|much|again|the|help|you|for|your|and)\b|"
    r"你好呀?|您好|嗨|哈喽|早上好|早安|早|下午好|晚上好|晚安|再见|拜拜|回头见|谢谢(?:你|您|啦|了)?(?:的?(?:帮助|帮忙|解答|回复))?|多谢|感谢(?:你|您)?(?:的?(?:帮助|帮忙|解答))?|辛苦了?|好的?|好吧|好嘞|嗯|哦|行|可以|没问题|收到|明白了?|懂了|知道了|了解了?|太好了|太棒了|不错|真棒|厉害|牛|哈|嘿|在吗|在不在|没事|不客气|你呢|帮大忙了|啊|呀|啦|哈|了)[\W_]*)+$",
    re.IGNORECASE,
)

_MINE = re.compile(r"\b(?:i|my|mine|we|our|ours)\b|我|咱|俺", re.IGNORECASE)
# What is said of rooms, groups and works that are nobody's by their words: they are the speaker's.
_AROUND = re.compile(
    rf"^\W*(?:(?:and|so|also|btw|fyi|now|finally),?\s)*(?:the|all\sthe|both)\s(?:\w+\s)?(?:{SURROUNDINGS}|server|release|launch|deadline|budget|wedding|lease|contract|baby|kids?|dog|cat)\s(?:is|are|was|were|has|have|got|gets|will|now|no\slonger|runs?|uses?|moved|starts?|ends?|opens?|closes?)\b|"
    r"^\W*(?:(?:对了|另外|还有|话说)[，,]?)*(?:新|老)?(?:厨房|客厅|卧室|主卧|次卧|书房|阳台|走廊|过道|玄关|餐厅|浴室|卫生间|洗手间|院子|花园|车库|阁楼|地下室|屋顶|墙|地板|窗帘|沙发|房间|屋里|家里?|房子|房租|办公室|工位|项目|产品|后端|前端|数据库|服务器?|网站|官网|应用|技术栈|代码库|系统|团队|公司|部门|婚礼|孩子|娃|狗|猫)\S*[了成是在有用要会跑换改\d]\S*",
    re.IGNORECASE,
)
# Asking, wanting something of the assistant, and commenting on the conversation are none.
_OF_NOW = re.compile(
    r"[?？]|^\W*(?:who|what|when|where|why|how|which|whose|can|could|would|will|do|does|did|is|are|am|"
    r"should|shall|may|please|let['’]?s|show|tell|give|help|find|write|make|explain|fix|check)\b|"
    r"\b(?:can|could|would|will)\syou\b|\bhelp\sme\b|"
    r"\bi\s?(?:['’]ll|['’]d|['’]m|am|will|would)?\s?(?:just\s|really\s|still\s)?(?:think|see|guess|mean|"
    r"know|understand|wonder(?:ing)?|hope|suppose|believe|agree|try|check|look|need\syou|want\syou|"
    r"was\s(?:just\s)?(?:wondering|asking)|get\sit|appreciate|have\sa\squestion|not\ssure|sure|sorry)\b|"
    r"\bdon['’]?t\s(?:know|understand|get|think|see)\b|"
    r"[吗呢]\W*$|怎么|什么|哪[里儿个些]?|谁|几[点个时]|多少|为什么|如何|是不是|能不能|可不可以|"
    r"^\W*(?:请|麻烦|帮|给我|告诉我|教我)|帮我|我(?:还|也|都|大概|有点|不|没|不太){0,2}(?:想问|问一下|觉得|认为|知道|明白|懂|了解|看看|试试|猜|同意|说的|再|先)|谢谢",
    re.IGNORECASE,
)
_LEAST_WORDS = 4
_LEAST_HAN = 5


def tells_of_oneself(text: str) -> bool:
    """Whether a text plainly says something of oneself or one's surroundings, however short."""
    if not (_MINE.search(text) or _AROUND.match(text)) or _OF_NOW.search(text):
        return False
    han = sum("\u4e00" <= character <= "\u9fff" for character in text)
    return han >= _LEAST_HAN or len(text.split()) >= _LEAST_WORDS


def has_signal(text: str) -> bool:
    """Whether a text holds a phrase with which people tell about themselves, or give an order."""
    return _SIGNAL.search(text) is not None


def is_courtesy(text: str) -> bool:
    """Whether a text only greets, thanks or acknowledges."""
    return len(text) < 200 and _COURTESY.match(text) is not None
