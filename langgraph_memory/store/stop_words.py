"""Words of a query that say nothing about what is looked for."""

from __future__ import annotations

__all__ = ["CHINESE_FUNCTION_CHARACTERS", "CHINESE_QUESTION_WORDS", "ENGLISH_STOP_WORDS"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Before stemming, in lower case; words that hold a sentence together or make it a question.
ENGLISH_STOP_WORDS = _words("""
    a about after again all also although am an and another any anybody anyone anything are
    aren't around as at away be because been before being between both but by can can't cannot
    come could couldn't did didn't do does doesn't doing don't done during each either else
    etc ever every few for from further get gets getting give given go goes going got had
    hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him
    himself his how how's however i i'd i'll i'm i've if in into is isn't it it'd it'll it's
    its itself just kind let let's like likely long lot many me might mine more most much
    must mustn't my myself neither no nor not now of off often on once one only or other
    others ought our ours ourselves out over own per please quite rather really same say shall
    she she'd she'll she's should shouldn't since so some somebody someone something sort
    still such tell than that that's the their theirs them themselves then there there's these
    they they'd they'll they're they've thing things this those though through to together too
    type until up upon us use very was wasn't way we we'd we'll we're we've were weren't what
    what's when when's where where's whether which while who who'd who's whom whose why why's
    will with within without won't would wouldn't yes yet you you'd you'll you're you've your
    yours yourself yourselves
""")

# They end one run of characters and begin another: no word reaches across them.
CHINESE_QUESTION_WORDS = _words("""
    什么时候 什么时间 什么地方 什么样 什么 甚么 啥 为什么 为何 为啥 怎么样 怎么办 怎么 怎样
    如何 何时 何地 何处 何种 何人 哪里 哪儿 哪些 哪个 哪一个 哪位 哪天 哪一天 哪年 哪一年 哪月
    哪种 哪家 哪几 哪 谁的 谁 多少 多久 多长时间 多长 多大 多远 多高 多重 几个 几次 几天 几年
    几月 几点 几岁 几号 几位 几种 是否 是不是 有没有 能不能 会不会 可不可以 要不要 请问
    请告诉我 告诉我
""")

# Particles, pronouns, prepositions, conjunctions: alone they say nothing, but they are also parts
# of words, so pairs they are in still count a little.
CHINESE_FUNCTION_CHARACTERS = frozenset(
    "的地得了着过是在和与及跟或而且但也都就才还又很太更最被把将对从到向往给让使由于以为之其所"
    "我你您他她它们咱这那此该个些有没不会能可要想去来上下里中等几么吗呢吧嘛啊"
)
