"""Whether somebody wants all to be forgotten that is known of them."""

# A pattern is easier to check in one piece.

from __future__ import annotations

import re

__all__ = ["asks_to_forget_everything"]

_ASKED = re.compile(
    r"^\W*(?:(?:please|just|now|so|ok|okay|hey|can\syou|could\syou|would\syou|will\syou|I\s(?:want|need|would\slike|['’]d\slike)\syou\sto|you\s(?:can|should|must))[\s,]+)*"
    r"(?:forget|delete|erase|wipe|clear|remove)\s(?:"
    r"(?:about\s)?(?:everything|anything|all)\s(?:that\s)?(?:(?:you\s(?:know|have|remember|(?:have\s)?(?:stored|saved|learn\w+))|(?:I|we)(?:\shave|['’]ve)?(?:\sever)?\s(?:told\syou|said))(?:\s(?:about|on|of)\sme)?|(?:about|on|of)\sme)|"
    r"(?:all\s(?:of\s)?|everything\sin\s)?(?:my|your)\s(?:whole\s|entire\s)?(?:data|memor(?:y|ies)|personal\s\w+)(?:\s(?:about|of|on)\sme)?|"
    r"all\s(?:the\s|of\sthe\s)?(?:data|memories|information|info|facts)\s(?:you\s(?:have|know|keep)\s)?(?:about|on|of)\sme|me\s(?:completely|entirely|altogether))"
    r"(?:\s(?:please|now|completely|for\sgood|right\snow|from\s(?:your\s)?memory))*\W*$",
    re.IGNORECASE,
)
_VERB = r"(?:忘掉|忘记|忘了|遗忘|删除|删掉|删了|清除|清空|清掉|抹掉|抹去)"
_ALL = (
    r"(?:(?:[你您](?:所)?(?:知道|记得|记住|保存|了解)的?)?(?:所有|全部|一切)?的?(?:关于|有关)我的?(?:一切|所有|全部|信息|数据|记忆|事情?|东西|资料|记录)+|"
    r"(?:我的?)?(?:所有|全部|一切)的?(?:个人)?(?:数据|信息|记忆|资料)|我(?:跟[你您]|和[你您])?(?:说|讲|告诉[你您])过?的?(?:一切|所有|全部)\S{0,3}?)"
)
_ASKED_HAN = re.compile(
    rf"^\W*(?:请|麻烦|[你您]|帮我|现在|能不能|可以)*(?:{_VERB}{_ALL}|(?:把|将){_ALL}(?:都|全部?|统统)*(?:给我)?{_VERB})(?:吧|了|好吗|吗)*\W*$"
)


def asks_to_forget_everything(sentence: str) -> bool:
    """Whether a sentence asks for all that is known of its speaker to be forgotten."""
    return bool(_ASKED.match(sentence) or _ASKED_HAN.match(sentence))
