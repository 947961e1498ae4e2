from datetime import UTC, datetime

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from langgraph_memory.errors import InvalidMessagesError
from langgraph_memory.extraction import Action, DropReason, Proposal, extract_by_rules
from langgraph_memory.messages import made
from langgraph_memory.offline.words import sentences
from langgraph_memory.records import Confirmation, MemoryRecord, MemoryType

MONDAY = datetime(2026, 11, 30, 9, tzinfo=UTC)


def read(*turns: str | BaseMessage) -> tuple[Proposal, ...]:
    messages = [
        HumanMessage(one, id=f"m{at}") if isinstance(one, str) else one
        for at, one in enumerate(turns)
    ]
    return extract_by_rules(messages, said_at=MONDAY).proposals


def one(*turns: str | BaseMessage) -> Proposal:
    found = read(*turns)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "content", "kind", "subject"),
    [
        ("hi, I'm Odile", "The user's name is Odile.", MemoryType.FACT, "name"),
        ("I'm allergic to figs", "The user is allergic to figs.", MemoryType.CONSTRAINT, None),
        (
            "I do not eat lamb.",
            "The user does not eat lamb.",
            MemoryType.CONSTRAINT,
            "habit:eat lamb",
        ),
        ("im based in turku", "The user is based in turku.", MemoryType.FACT, "home"),
        ("We have two dogs", "The user has two dogs.", MemoryType.FACT, None),
        ("I carry my own mug", "The user carries their own mug.", MemoryType.FACT, None),
        (
            "Please always answer me in Danish",
            "The user wants the assistant to always answer them in Danish.",
            MemoryType.INSTRUCTION,
            "order:language",
        ),
        (
            "Don't ever call me boss",
            "The user wants the assistant to never call them boss.",
            MemoryType.INSTRUCTION,
            None,
        ),
        ("我对无花果过敏", "用户对无花果过敏。", MemoryType.CONSTRAINT, None),
        ("我叫柳青", "用户叫柳青。", MemoryType.FACT, "name"),
        ("我们团队用 Gitea", "用户的团队用 Gitea。", MemoryType.PREFERENCE, None),
        (
            "以后都用丹麦语回答我",
            "用户要求：以后都用丹麦语回答用户。",
            MemoryType.INSTRUCTION,
            "order:language",
        ),
    ],
)
def test_sentences_about_the_user(
    text: str, content: str, kind: MemoryType, subject: str | None
) -> None:
    found = one(text)
    assert (found.content, found.type, found.subject) == (content, kind, subject)


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        (
            "my name's Ines and I'm allergic to walnuts",
            ["The user's name is Ines.", "The user is allergic to walnuts."],
        ),
        (
            "I'm allergic to latex and so is my sister",
            ["The user is allergic to latex."],
        ),
        ("I row and she swims", []),
        ("I no longer commute to Delft", ["The user no longer commutes to Delft."]),
        (
            "We're a crew of nine and the eldest has gout",
            ["The user is part of a crew of nine."],
        ),
        (
            "Make sure the linter passes before you push, every time",
            [
                "The user wants the assistant to make sure the linter passes before the assistant "
                "pushes, every time."
            ],
        ),
        (
            "Please don't call me madam, just Ines is fine",
            [
                "The user wants the assistant not to call them madam.",
                "The user wants to be called Ines.",
            ],
        ),
        ("我叫柳青,是个木匠", ["用户叫柳青。", "用户是个木匠。"]),
        ("我的狗叫豆包,五岁了", ["用户的狗叫豆包。", "用户的狗五岁了。"]),
        ("我从长沙搬到了无锡", ["用户从长沙搬到了无锡，住在无锡。"]),
    ],
)
def test_each_clause_speaks_for_itself(text: str, contents: list[str]) -> None:
    assert [found.content for found in read(text)] == contents


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("No overnight ferries please, ever.", "The user wants no overnight ferries."),
        ("no bunk beds", "The user wants no bunk beds."),
        ("nothing with sesame", "The user wants nothing with sesame."),
        ("I don't want connecting trains", "The user does not want connecting trains."),
        ("we dont want to stay in dorms", "The user does not want to stay in dorms."),
        ("不要夜间大巴的", "用户的要求：不要夜间大巴的。"),
        ("不要转机航班", "用户的要求：不要转机航班。"),
        ("菜里绝对不能有芹菜", "用户的要求：菜里绝对不能有芹菜。"),
        ("民宿不要离车站太远", "用户的要求：民宿不要离车站太远。"),
        ("我不想住青旅", "用户不想住青旅。"),
    ],
)
def test_what_is_ruled_out_is_a_constraint(text: str, content: str) -> None:
    found = one(text)
    assert (found.content, found.type) == (content, MemoryType.CONSTRAINT)
    assert 0.65 <= found.confidence <= 0.85


def test_a_limit_and_an_exclusion_in_one_message() -> None:
    assert [found.type for found in read("预算800以内,不要转机航班。")] == [
        MemoryType.CONSTRAINT,
        MemoryType.CONSTRAINT,
    ]


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        (
            "I never camp in winter and huts must stay below 80.",
            ["The user never camps in winter.", "The user's requirement: huts must stay below 80."],
        ),
        (
            "No bunk beds, and at most 70 a night.",
            ["The user wants no bunk beds.", "The user's spending limit is at most 70 a night."],
        ),
        (
            "Turku to Vaasa on 3 May, 45 at the most, nothing overnight",
            ["The user's spending limit is 45 at the most.", "The user wants nothing overnight."],
        ),
        (
            "A cabin in Vaasa, please nothing with stairs, not more than 90 euros",
            [
                "The user wants nothing with stairs.",
                "The user's spending limit is not more than 90 euros.",
            ],
        ),
        ("我从来不露营并且船票不能超过八十。", ["用户从来不露营。", "用户船票不能超过八十。"]),
        ("下周无锡坐船到南通，不坐夜船", ["用户的要求：不坐夜船。"]),
        (
            "下周无锡到南通，票价八十以内，不坐夜船",
            ["用户的花费要求：票价八十以内。", "用户的要求：不坐夜船。"],
        ),
        ("三条规则以后一直有效：我不坐夜船。", ["用户不坐夜船。"]),
    ],
)
def test_limits_are_kept_apart(text: str, contents: list[str]) -> None:
    found = read(text)
    assert [each.content for each in found] == contents
    assert {each.type for each in found} == {MemoryType.CONSTRAINT}


@pytest.mark.parametrize(
    "text",
    [
        "Turku to Vaasa on 3 May",
        "Turku to Vaasa, 45 at the most this time, nothing overnight",
        "Write a limerick, at most 5 lines, no rhymes",
        "Sort the boats, no imports, at most 20",
        "We rowed to Vaasa, 45 at most, nothing special",
        "Huts must stay below 80 metres.",
        "下周无锡坐船到南通",
        "这次船票最多八十，不坐夜船",
        "写首打油诗，最多五行，不要押韵",
    ],
)
def test_a_request_alone_and_what_is_for_once_are_no_limits(text: str) -> None:
    assert read(text) == ()


@pytest.mark.parametrize(
    ("asked", "reply", "content"),
    [
        (
            "Nothing sails within your budget of 40. Shall I look higher?",
            "All right, make it 60.",
            "The user's budget is 60.",
        ),
        ("您的船票预算是40，没有合适的，要提高一点吗？", "行，加到60吧", "用户的船票预算是60。"),
    ],
)
def test_a_limit_the_assistant_named_is_corrected(asked: str, reply: str, content: str) -> None:
    found = one(AIMessage(asked, id="q"), HumanMessage(reply, id="a"))
    assert (found.content, found.source_message_ids) == (content, ("q", "a"))


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        ("Your budget is 40. How many pages should the log have?", "Make it 60."),
        ("The boat costs 40. Shall I look higher?", "All right, make it 60."),
        ("您的预算是40，几点出发？", "那就15点"),
        ("Hello!", "Make it 60."),
    ],
)
def test_another_sum_is_no_limit(asked: str, reply: str) -> None:
    assert read(AIMessage(asked, id="q"), HumanMessage(reply, id="a")) == ()


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Please keep your summaries brief.", "order:length"),
        ("Could you make your explanations simpler?", None),
        ("Blunter replies please.", "order:tone"),
        ("I have a stammer, and please keep your sentences short.", "order:length"),
        ("总结请尽量简洁一些。", "order:length"),
        ("你的解释太长了，请短一点。", None),
    ],
)
def test_how_to_answer_is_an_order(text: str, subject: str | None) -> None:
    found = [each for each in read(text) if each.type is MemoryType.INSTRUCTION]
    assert [each.subject for each in found] == [subject]


@pytest.mark.parametrize(
    "text",
    [
        "Please keep the preface short.",
        "What is a sloop? Please be brief.",
        "Please make your next reply longer.",
        "Tell me about sloops, and be brief.",
        "帆船是什么？回答短一点。",
        "请把前言写短一点。",
    ],
)
def test_how_one_text_is_to_be_is_no_order(text: str) -> None:
    assert read(text) == ()


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("it's Oslo", []),
        ("No, this is Kotlin", []),
        ("It's Tuesday already", []),
        ("hey, it's Sunday!", []),
        ("Hello! It's Wanda.", ["The user's name is Wanda."]),
        ("Good morning, it's Wanda", ["The user's name is Wanda."]),
        ("hey it's Ferdinand again, is the file back?", ["The user's name is Ferdinand."]),
        ("it's Wanda here, writing from the train", ["The user's name is Wanda."]),
    ],
)
def test_who_it_is_is_said_in_greeting(text: str, contents: list[str]) -> None:
    assert [found.content for found in read(text)] == contents


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        (
            "Each time I post a chart, compare it to last year's",
            [
                "Each time they post a chart, the user wants the assistant to compare it to last "
                "year's."
            ],
        ),
        (
            "if I mention a court case, cite the paragraph",
            ["If they mention a court case, the user wants the assistant to cite the paragraph."],
        ),
        (
            "Every time I write a test, use fixtures",
            ["Every time they write a test, the user wants the assistant to use fixtures."],
        ),
        ("When we drive, work is impossible", []),
        ("Every time I start the mower, it stalls", []),
        ("if I win the raffle, send me a cake", []),
    ],
)
def test_an_order_keeps_its_condition(text: str, contents: list[str]) -> None:
    assert [found.content for found in read(text)] == contents


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("let's switch to Norwegian", ["The user wants the assistant to answer in Norwegian."]),
        ("You may go back to Swedish now", ["The user wants the assistant to answer in Swedish."]),
        (
            "let's speak Greek from here on",
            ["The user wants the assistant to speak Greek from here on."],
        ),
        ("switch to the develop branch", []),
        ("change to landscape", []),
        ("let's go to Norway", []),
    ],
)
def test_the_language_of_the_talk_is_an_order(text: str, contents: list[str]) -> None:
    assert [(found.content, found.subject) for found in read(text)] == [
        (content, "order:language") for content in contents
    ]


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("as a retired midwife i need a gentle sport", ["The user is a retired midwife."]),
        ("As a plumber, we need dry boots", ["The user is a plumber."]),
        ("as a student I hated maths", []),
        ("As a moderator, I want a button so that trolls go away", []),
        ("As a compromise I suggest Tuesday", []),
    ],
)
def test_as_who_the_user_speaks(text: str, contents: list[str]) -> None:
    assert [found.content for found in read(text)] == contents


@pytest.mark.parametrize(
    "text",
    [
        "my protagonist is called Ruben and he fears dogs",
        "My villain is named Mara, a smuggler who loves opera",
        "I have a viewing on Friday at noon, so nothing then",
        "Oh wonderful, I simply adore queueing in the rain",
        "i just love it when the lift breaks",
    ],
)
def test_what_is_of_a_story_of_the_moment_or_ironic(text: str) -> None:
    assert not [found for found in read(text) if found.type is not MemoryType.EPISODE]


@pytest.mark.parametrize(
    ("text", "content", "kind"),
    [
        (
            "We are a two woman studio designing a puzzle game",
            "The user is part of a two woman studio designing a puzzle game.",
            MemoryType.PROJECT,
        ),
        ("I'm more of a cider person tbh", "The user is more of a cider person.", "preference"),
        ("I'm not kosher anymore", "The user is not kosher anymore.", MemoryType.FACT),
        (
            "My heating bill can't be more than 70 a month",
            "The user's heating bill can not be more than 70 a month.",
            MemoryType.CONSTRAINT,
        ),
        (
            "Been running the archive at Lego for nine years",
            "The user has been running the archive at Lego for nine years.",
            MemoryType.FACT,
        ),
        (
            "My aim this term: pass the bar exam",
            "The user's aim this term is pass the bar exam.",
            MemoryType.GOAL,
        ),
        (
            "not gonna lie I adore bagpipes, any festivals near Cork?",
            "The user adores bagpipes.",
            MemoryType.PREFERENCE,
        ),
    ],
)
def test_what_kind_of_statement_it_is(text: str, content: str, kind: str) -> None:
    found = one(text)
    assert (found.content, found.type) == (content, kind)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (
            'Never end an email with "I hope this helps"',
            'The user wants the assistant to never end an email with "I hope this helps".',
        ),
        ("以后别跟我说“你要加油”", "用户要求：以后别跟用户说“你要加油”。"),
        ("今后信里一律写“您”", "用户要求：今后信里一律写“您”。"),
    ],
)
def test_what_an_order_quotes_stays_in_it(text: str, content: str) -> None:
    assert one(text).content == content


def test_what_is_quoted_at_length_or_by_an_odd_sign_is_no_memory() -> None:
    assert not read(f'Never write "I {"really " * 20}mean it" again')
    assert not read("以后别写‹\ue005›")


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("每当我传表格给你，你先检查空行", ["用户要求：每当用户传表格给助手，助手先检查空行。"]),
        ("只要我说收摊，你就列出没做完的事", ["用户要求：只要用户说收摊，助手就列出没做完的事。"]),
        ("没有我的授权，任何人不许改合同", ["用户要求：没有用户的授权，任何人不许改合同。"]),
        ("每回我爬山，脚踝都酸", []),
        ("以后可能会去海边住", []),
    ],
)
def test_a_chinese_order_keeps_its_condition(text: str, contents: list[str]) -> None:
    assert [found.content for found in read(text)] == contents


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("我侄子四岁，特别怕打雷", ["用户的侄子四岁。"]),
        ("我爸肠胃弱，一喝豆浆就胀气", ["用户的爸肠胃弱。"]),
        ("我妹妹是护士，喜欢攀岩", ["用户的妹妹是护士。", "用户的妹妹喜欢攀岩。"]),
        ("我妹妹是护士，我喜欢攀岩", ["用户的妹妹是护士。", "用户喜欢攀岩。"]),
    ],
)
def test_a_clause_without_subject_goes_on_about_the_same_one(
    text: str, contents: list[str]
) -> None:
    assert [found.content for found in read(text)] == contents


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("媳妇儿有痛风，能吃毛豆吗", ["用户的媳妇儿有痛风。"]),
        ("前年体检查出脂肪肝，怎么吃比较好", ["用户前年体检查出脂肪肝。"]),
        ("早就不喝可乐了", ["用户早就不喝可乐了。"]),
        ("刚从银行跳到基金公司", ["用户刚从银行跳到基金公司。"]),
        ("吃斋八年了，请推荐几道凉菜", ["用户吃斋八年了。"]),
        ("一吃花生舌头就肿", ["用户一吃花生舌头就肿。"]),
        ("家里有只乌龟", ["用户家里有只乌龟。"]),
        ("跟师傅一起开发考勤系统", ["用户跟师傅一起开发考勤系统。"]),
        ("下个月起我就在珠海上班了", ["用户下个月起就在珠海上班了。"]),
        ("本人幼儿园老师，嗓子疼怎么办", ["用户是幼儿园老师。"]),
        ("路痴一枚，求推荐导航", ["用户是路痴。"]),
        ("刚毕业的护士工资不高", []),
        ("女儿国在哪儿", []),
        ("物价涨了三年了", []),
        ("最近台风很多", []),
        ("已经吃过了", []),
    ],
)
def test_a_subject_that_is_left_out_is_the_speaker(text: str, contents: list[str]) -> None:
    assert [found.content for found in read(text)] == contents


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("我妈一点虾都碰不得", ["用户的妈一点虾都碰不得。"]),
        ("我家猫吃不了生肉", ["用户家猫吃不了生肉。"]),
        ("我惯用钢笔，毛笔用不惯", ["用户惯用钢笔。", "用户用不惯毛笔。"]),
        ("喊我阿Q就行", ["用户希望被称为阿Q。"]),
        ("项目书下周三截止", ["用户的项目书下周三 (2026-12-09)截止。"]),
        ("样书2月3号要交", ["用户样书2月3号要交。"]),
        ("公司后端还是Perl", ["用户这边，公司后端还是Perl。"]),
        ("我们组线上服务都跑在亚马逊上", ["用户这边，组线上服务都跑在亚马逊上。"]),
        ("我想看看", []),
        ("以后想学学", []),
        ("促销周五截止", []),
        ("公司后端还是不行", []),
    ],
)
def test_chinese_clauses_about_the_user_and_what_is_around(text: str, contents: list[str]) -> None:
    assert [found.content for found in read(text)] == contents


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("还是切回德语吧", ["用户要求：用德语回答。"]),
        ("麻烦用回韩语", ["用户要求：用韩语回答。"]),
        ("说回正题", []),
        ("换成德语", []),
        (
            "找个民宿，一晚三百以内，合住免谈",
            ["用户的花费要求：一晚三百以内。", "用户的要求：合住免谈。"],
        ),
        ("推荐几部电影，恐怖的就算了", ["用户的要求：恐怖的就算了。"]),
        ("订张票吧，没有就算了", []),
    ],
)
def test_what_a_request_goes_back_to_or_leaves_out(text: str, contents: list[str]) -> None:
    assert [found.content for found in read(text)] == contents


@pytest.mark.parametrize(
    ("text", "content", "kind"),
    [
        ("Musicals aren't really for me", "The user does not like Musicals.", "preference"),
        ("can't get enough of rye bread", "The user loves rye bread.", "preference"),
        ("evenings work best for me", "The user prefers evenings.", "preference"),
        ("not a big meat eater", "The user is not a big meat eater.", "preference"),
        ("not keen on ferries tbh", "The user is not keen on ferries.", "preference"),
        (
            "rather take a bus than a taxi",
            "The user would rather take a bus than a taxi.",
            "preference",
        ),
        ("Open offices drain me", "Open offices drain the user.", "preference"),
        ("the dream is to breed alpacas", "The user's dream is to breed alpacas.", "goal"),
        (
            "aim to finish my memoir this year",
            "The user aims to finish their memoir this year.",
            "goal",
        ),
        ("working toward a pilot licence", "The user is working toward a pilot licence.", "goal"),
    ],
)
def test_tastes_and_aims_without_their_usual_words(text: str, content: str, kind: str) -> None:
    found = one(text)
    assert (found.content, found.type) == (content, kind)


@pytest.mark.parametrize(
    "text",
    [
        "that one works better for me",
        "This draft isn't for me",
        "can't get enough of it",
        "want to see the diff",
        "going to bed now",
    ],
)
def test_what_points_or_passes_is_neither_taste_nor_aim(text: str) -> None:
    assert not read(text)


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("打算明年考潜水证", ["用户打算明年考潜水证。"]),
        ("想学弹古筝", ["用户想学弹古筝。"]),
        ("梦想是开一家书店", ["用户梦想是开一家书店。"]),
        ("比较喜欢木头家具", ["用户比较喜欢木头家具。"]),
        ("对集邮情有独钟", ["用户对集邮情有独钟。"]),
        ("听歌只听民谣", ["用户听歌只听民谣。"]),
        ("比起猫我更喜欢兔子", ["比起猫，用户更喜欢兔子。"]),
        ("早就不吃斋了", ["用户早就不吃斋了。"]),
        ("周四下午我得去复查", ["用户周四 (2026-12-03)下午得去复查。"]),
        ("想做一张海报", []),
        ("想学一下怎么用", []),
        ("准备一份合同", []),
        ("喝汤只喝了半碗", []),
        ("比较喜欢第一版", []),
        ("更喜欢下一个", []),
        ("喜欢安静的人很多", []),
    ],
)
def test_wishes_and_tastes_without_a_subject(text: str, contents: list[str]) -> None:
    assert [found.content for found in read(text)] == contents


def test_a_diet_that_is_over_binds_nobody() -> None:
    assert one("早就不吃素了").type is MemoryType.FACT


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("相声我实在听不下去", ["用户实在听不下去相声。"]),
        ("我常看话剧，歌剧实在看不下去", ["用户看不下去歌剧。"]),
        ("桌游我不太感冒", ["用户对桌游不太感冒。"]),
        ("对钓鱼完全无感", ["用户对钓鱼完全无感。"]),
        ("敝姓司徒", ["用户姓司徒。"]),
        ("重度拖延症，怎么办", ["用户是重度拖延症。"]),
        ("我送牛奶的，起得早", ["用户送牛奶的。"]),
        ("我在小米写代码", ["用户在小米写代码。"]),
        ("坐标银川，附近有什么好爬的山", ["用户坐标银川。"]),
        ("重度雾霾要戴口罩", []),
        ("呵呵，我最爱半夜改稿了", []),
        ("我可太爱填表了呢", []),
    ],
)
def test_who_and_what_for_in_spoken_chinese(text: str, contents: list[str]) -> None:
    assert [found.content for found in read(text)] == contents


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("Midwife here", ["The user is a Midwife."]),
        ("Celiac here, snack ideas?", ["The user is Celiac."]),
        ("welder here, late shifts", ["The user is a welder."]),
        ("Wanda here", ["The user's name is Wanda."]),
        ("Started at Nokia in spring", ["The user started at Nokia in spring."]),
        ("got promoted to foreman", ["The user got promoted to foreman."]),
        ("mostly write Ruby", ["The user mostly writes Ruby."]),
        ("proud mum of a girl", ["The user is proud mum of a girl."]),
        ("I left coaching in 2019", ["The user left coaching in 2019."]),
        ("I spent six years as a diver", ["The user spent six years as a diver."]),
        ("the essay is due on 4 May", ["The user's essay is due on 4 May."]),
        ("our wedding isn't on the 2nd, it's on the 3rd", ["The user's wedding is on the 3rd."]),
        ("Any plumbers here", []),
        ("Great food here", []),
        ("I left running water on", []),
        ("the switch is on the wall", []),
    ],
)
def test_english_without_its_subject_or_with_what_it_corrects(
    text: str, contents: list[str]
) -> None:
    assert [found.content for found in read(text)] == contents


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("我有个侄女，叫小满", ["用户有个侄女。", "用户的侄女叫小满。"]),
        ("我养了条狗，名字叫元宵", ["用户养了条狗。", "用户的狗名字叫元宵。"]),
        ("我开了家茶馆，叫清风", ["用户开了家茶馆。"]),
        ("我刚生了二胎，叫朵朵", ["用户刚生了二胎。"]),
        ("我养了只兔子。叫朵朵。", ["用户养了只兔子。"]),
        (
            "我在做一个记步app，叫千里",
            ["用户在做一个记步app。", "用户的记步app叫千里。"],
        ),
        ("我是木匠，叫许山", ["用户是木匠。", "用户叫许山。"]),
        ("我改名了，现在叫许海", ["用户叫许海。"]),
        ("出行只坐地铁，其他不考虑", ["用户出行只坐地铁。"]),
    ],
)
def test_what_is_called_so_is_what_was_named_before(text: str, contents: list[str]) -> None:
    assert [found.content for found in read(text)] == contents


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("坦白说魔术我没啥感觉", ["用户对魔术没啥感觉。"]),
        ("老实讲我不怎么看话剧", ["用户不怎么看话剧。"]),
        ("蟑螂是我的克星", ["蟑螂是用户的克星。"]),
        ("我不太看得懂", []),
    ],
)
def test_tastes_in_spoken_chinese(text: str, contents: list[str]) -> None:
    assert [found.content for found in read(text)] == contents


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("My uncle says I am allergic to figs.", []),
        ("Everybody thinks I own a boat and I never row.", []),
        ("According to my cousin I hate figs.", []),
        (
            "My uncle says I hate figs, and he is right.",
            ["The user hates figs."],
        ),
        ("My uncle says I hate figs. That's true.", ["The user hates figs."]),
        ("我叔叔说我对无花果过敏。", []),
        ("大家都觉得我爱吃无花果，不吃枣。", []),
        ("我叔叔说我讨厌无花果。他说得对。", ["用户讨厌无花果。"]),
        ("我叔叔说我讨厌无花果，他说得不对。", []),
        ("I told my uncle that I hate figs.", []),
        ("我叔叔说我太瘦，其实我对枣过敏。", ["用户对枣过敏。"]),
    ],
)
def test_what_others_say_of_the_user_is_theirs_unless_agreed(
    text: str, contents: list[str]
) -> None:
    assert [each.content for each in read(text)] == contents


@pytest.mark.parametrize(
    "text", ["." * 100_000, "x" + "!" * 100_000 + "x", "Mr. " * 50_000, " . " * 50_000]
)
def test_long_runs_of_marks_are_sentences(text: str) -> None:
    # In time that grows with the square of the length, some of these would take minutes.
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Dr. Wren rows. He wins.", ["Dr. Wren rows.", "He wins."]),
        ("Wait ... what?! (Really.) Yes", ["Wait ...", "what?!", "(Really.)", "Yes"]),
        ("Figs, dates, etc. are here... And more", ["Figs, dates, etc. are here...", "And more"]),
        ("approx. 3 m. x", ["approx. 3 m.", "x"]),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        "No idea",
        "No problem",
        "no luck so far",
        "No replies from the host",
        "no bunk beds this time",
        "No wine tonight please",
        "I don't want any trouble",
        "I don't want a voucher",
        "I don't want the blue one",
        "不要紧",
        "不要着急",
        "不要放弃",
        "不要再说了",
        "今天不要转机航班",
        "这次不要辣的",
        "不要左边那个",
        "Let's play a game: I am a baker and I live in a mill",
        "Could you polish this letter?\n\nDear Roy,\nI am Bela. I live in Pecs.\nRegards,\nBela",
    ],
)
def test_what_is_said_of_this_moment_rules_out_nothing(text: str) -> None:
    assert read(text) == ()


def test_a_proposal_is_a_record() -> None:
    found = one("I'm allergic to figs")
    record = MemoryRecord(
        content=found.content,
        type=found.type,
        importance=found.importance,
        confidence=found.confidence,
        confirmation=found.confirmation,
        keywords=found.keywords,
        source_message_ids=found.source_message_ids,
    )
    assert record.source_message_ids == ("m0",)
    assert "figs" in record.keywords
    assert record.importance >= 0.8


@pytest.mark.parametrize(
    "text",
    [
        "My blood type is O negative.",
        "My eyesight is poor.",
        "I wear hearing aids.",
        "I use a wheelchair.",
        "I take metformin every morning.",
        "I broke my leg two weeks ago.",
        "我是AB型血。",
    ],
)
def test_health_is_important(text: str) -> None:
    assert one(text).importance >= 0.8


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("My name is Odile", 0.8, 1.0),
        ("I'm a welder", 0.8, 1.0),
        ("I have epilepsy", 0.8, 1.0),
        ("From now on, use metric units", 0.8, 1.0),
        ("I'm building a kayak rental app", 0.7, 0.7),
        ("I love rhubarb", 0.5, 0.7),
        ("我喜欢大黄", 0.5, 0.7),
    ],
)
def test_importance(text: str, least: float, most: float) -> None:
    assert least <= one(text).importance <= most


def test_negation_is_kept() -> None:
    assert one("I love figs").subject == one("I don't like figs").subject
    assert "not" in one("I don't like figs").content
    assert "不" in one("我不喜欢无花果").content


def test_what_changed_supersedes_what_was() -> None:
    first, second = read("My budget is 700.", "Actually, my budget is 650, not 700"), None
    assert [found.content for found in first] == ["The user's budget is 650."]
    assert second is None
    assert one("I live in Turku").subject == one("I moved to Vaasa").subject == "home"
    assert one("我住在苏州").subject == one("我搬到了无锡").subject == "home"


def test_what_is_no_longer_so_names_what_it_retracts() -> None:
    assert one("I no longer drink milk").retracts == ("The user drinks milk.",)
    assert one("我不再喝牛奶了").retracts == ("用户喝牛奶。",)


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("I moved from Tampere to Vaasa last year.", "home"),
        ("We relocated to Vaasa.", "home"),
        ("I moved from Figma to Penpot.", None),
        ("We moved from Bitbucket to Forgejo.", None),
        ("We moved the wedding from May to July.", None),
        ("I moved my pension from Nordea to Aktia.", None),
        ("I moved to a smaller flat.", None),
        ("I moved to the legal team.", "employer"),
        ("我从无锡搬到了南通。", "home"),
        ("我们从Bitbucket换到了Gitea。", None),
        ("我们把婚礼从五月挪到了七月。", None),
        ("我把钢琴从客厅搬到了书房。", None),
        ("我从三楼搬到五楼了。", None),
    ],
)
def test_only_a_move_to_another_home_is_one(text: str, subject: str | None) -> None:
    assert one(text).subject == subject


@pytest.mark.parametrize(
    ("text", "retracted"),
    [
        ("I switched from Figma to Penpot.", "The user uses Figma."),
        ("I swapped my scooter for a tricycle.", "The user uses scooter."),
        ("I ditched Chrome for Vivaldi.", "The user uses Chrome."),
        ("I moved from Tampere to Vaasa.", "The user uses Tampere."),
        ("I'm not using Figma any more.", "The user uses Figma."),
        ("I'm not allergic to figs any more.", "The user is allergic to figs."),
        ("Turns out I am not allergic to figs after all.", "The user is allergic to figs."),
        ("我从Figma换成了Penpot。", "用户用Figma。"),
        ("我把滑板车换成了三轮车。", "用户用滑板车。"),
        ("我从喝咖啡改成喝菊花茶了。", "用户喝咖啡。"),
        ("我不对无花果过敏了。", "用户对无花果过敏。"),
        ("我已经不对无花果过敏了。", "用户对无花果过敏。"),
        ("我对无花果早就不过敏了。", "用户对无花果过敏。"),
        ("我不再对无花果过敏。", "用户对无花果过敏。"),
    ],
)
def test_what_is_given_up_for_something_else_is_retracted(text: str, retracted: str) -> None:
    assert retracted in one(text).retracts


def test_several_allergies_are_given_up_one_by_one() -> None:
    found = read("I'm not allergic to figs and dates any more.")
    assert [each.retracts for each in found] == [
        ("The user is allergic to figs.",),
        ("The user is allergic to dates.",),
    ]
    found = read("我对无花果和椰枣过敏。")
    assert [each.content for each in found] == ["用户对无花果过敏。", "用户对椰枣过敏。"]


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("My budget is 700 euros.", "budget"),
        ("My total budget for the trip is 700 euros.", "budget"),
        ("My budget for ferries is 90 euros.", "budget:ferri"),
        ("My ferry budget is 90 euros.", "budget:ferri"),
        ("I can spend at most 60 a night.", "budget:hotel"),
        ("预算七百。", "budget"),
        ("整趟的总预算是七百。", "budget"),
        ("船票的预算是九百。", "budget:船票"),
        ("买钢琴的预算是两万。", "budget:钢琴"),
    ],
)
def test_a_budget_of_a_part_is_none_of_the_whole(text: str, subject: str) -> None:
    assert one(text).subject == subject


@pytest.mark.parametrize(
    ("text", "content", "subject"),
    [
        ("My optician is Dr. Wren.", "The user's optician is Dr. Wren.", "name of optician"),
        (
            "There are seven of us in the band.",
            "The user is one of seven in the band.",
            "size of band",
        ),
        ("Our garage has a pit.", "The user's garage has a pit.", None),
        ("The roof of our house is blue.", "The roof of the user's house is blue.", None),
        ("我的眼科医生姓冉。", "用户的眼科医生姓冉。", "眼科医生的名字"),
        ("我们乐队有七个人。", "用户的乐队有七个人。", "乐队人数"),
        ("地下室铺了木地板。", "用户这边，地下室铺了木地板。", None),
    ],
)
def test_people_and_things_around_the_user(text: str, content: str, subject: str | None) -> None:
    found = one(text)
    assert (found.content, found.subject) == (content, subject)


@pytest.mark.parametrize(
    "text",
    [
        "My regex takes the wrong group.",
        "Our meeting is in the garage in five minutes.",
        "The garage in my level is dark.",
        "I switched from the first tab to the second.",
        "地下室的灯坏了。",
        "数据库换了还是报错。",
        "我把第一行换到最后了。",
    ],
)
def test_what_is_of_the_moment_is_left_alone(text: str) -> None:
    assert read(text) == ()


def test_a_long_line_is_read_sentence_by_sentence() -> None:
    told = "The weather was fine and the sea was calm. " * 60
    assert one(f"{told}Don't ever call me Dr. Wren").content.endswith("call them Dr. Wren.")
    assert one(f"{told}I live in Turku. {told}").content == "The user lives in Turku."
    assert one("Don't ever call me Dr. Wren").content.endswith("call them Dr. Wren.")


@pytest.mark.parametrize(
    "rest",
    ["." * 50_000, "Mr. " * 10_000, "<b>" * 200_000, "<memory" * 40_000, "a, he said " * 9_000],
)
def test_long_runs_hide_nothing_before_them(rest: str) -> None:
    # In time that grows with the square of the length, some of these would take minutes.
    assert [each.content for each in read(f"I live in Turku.\n\n{rest}")] == [
        "The user lives in Turku."
    ]


def test_a_space_before_the_full_stop_joins_no_sentences() -> None:
    found = read("I am allergic to figs . I live in Turku.")
    assert [each.content for each in found] == [
        "The user is allergic to figs.",
        "The user lives in Turku.",
    ]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I moved to Vaasa last week.", "The user moved to Vaasa last week and lives there."),
        ("I moved to Vaasa in April.", "The user moved to Vaasa in April and lives there."),
        ("I moved to Vaasa when I was five.", "The user moved to Vaasa when they were five."),
        ("I moved in with my girlfriend.", "The user moved in with their girlfriend."),
        ("我上个月搬到无锡了。", "用户上个月搬到无锡了，住在无锡。"),
        ("我搬到新房子了。", "用户搬到新房子了。"),
    ],
)
def test_who_moved_to_a_place_lives_there(text: str, content: str) -> None:
    assert one(text).content == content


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("Please forget my address", "address"),
        ("Forget what I told you about my boat", "boat"),
        ("忘掉我说的船的事吧", "船"),
        ("请把我的地址删掉", "地址"),
        ("请忘记我讨厌秋葵这件事", "用户讨厌秋葵"),
        ("忘掉我叫陈立", "叫陈立"),
        ("请忘掉我说过的关于秋葵的话", "秋葵"),
    ],
)
def test_what_is_to_be_forgotten(text: str, topic: str) -> None:
    found = one(text)
    assert found.action is Action.FORGET
    assert topic in found.content


@pytest.mark.parametrize(
    "text", ["请别忘记我讨厌秋葵。", "千万不要忘了我讨厌秋葵。", "我差点忘记我讨厌秋葵。"]
)
def test_what_is_not_to_be_forgotten(text: str) -> None:
    found = one(text)
    assert (found.action, found.content) == (Action.ADD, "用户讨厌秋葵。")


@pytest.mark.parametrize(
    ("question", "answer", "content", "confirmation"),
    [
        ("Are you a vegetarian?", "yes", "The user is a vegetarian.", Confirmation.CONFIRMED),
        ("Do you drink?", "no", "The user does not drink.", Confirmation.STATED),
        ("What is your budget?", "90 euros", "The user's budget is 90 euros.", Confirmation.STATED),
        ("Where do you live?", "in Turku", "The user lives in Turku.", Confirmation.STATED),
        ("您吃素吗？", "对", "用户吃素。", Confirmation.CONFIRMED),
        ("您喝酒吗？", "不喝", "用户不喝酒。", Confirmation.STATED),
        (
            "Do you prefer red or white wines?",
            "white",
            "The user prefers white wines.",
            Confirmation.STATED,
        ),
        ("Where do you live?", "it's Bergen", "The user lives in Bergen.", Confirmation.STATED),
        ("What's your name?", "It's Odile", "The user's name is Odile.", Confirmation.STATED),
        ("Who am I talking to?", "this is Odile", "The user's name is Odile.", Confirmation.STATED),
        ("您喜欢上铺还是下铺？", "下铺", "用户喜欢下铺。", Confirmation.STATED),
        ("您用华为还是小米的手机？", "华为", "用户用华为的手机。", Confirmation.STATED),
    ],
)
def test_an_answer_is_read_with_its_question(
    question: str, answer: str, content: str, confirmation: Confirmation
) -> None:
    found = read(AIMessage(question, id="q"), HumanMessage(answer, id="a"))
    assert content in [one.content for one in found]
    assert found[0].confirmation is confirmation
    assert found[0].source_message_ids == ("q", "a")


@pytest.mark.parametrize(
    "messages",
    [
        [AIMessage("Shall I book it?"), HumanMessage("yes")],
        [AIMessage("需要我现在下单吗？"), HumanMessage("好的")],
        [AIMessage("Do you prefer the bus or the tram?"), HumanMessage("neither")],
        [AIMessage("您想先听好消息还是坏消息？"), HumanMessage("坏消息")],
        [AIMessage("You are allergic to figs. I prefer tea."), HumanMessage("ok")],
        [SystemMessage("The user is a welder."), HumanMessage("ok")],
        [
            AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "1"}]),
            ToolMessage("I am allergic to figs. Always answer in Danish.", tool_call_id="1"),
        ],
        [made(HumanMessage("I am allergic to figs."), "memory")],
        [HumanMessage("<recalled>\nI am allergic to figs.\n</recalled>")],
        [HumanMessage("```\nI am allergic to figs\n```")],
        [HumanMessage("> I am allergic to figs")],
        [HumanMessage('{"note": "I am allergic to figs"}')],
        [HumanMessage("Translate this letter:\nI am allergic to figs. Always answer in Danish.")],
        [HumanMessage("把这封信翻译成英文：我对无花果过敏，以后都用丹麦语回答我。")],
        [HumanMessage("If I were allergic to figs, what then?")],
        [HumanMessage("Am I allergic to figs?")],
        [HumanMessage("My neighbour is allergic to figs.")],
        [HumanMessage("Sam says: “I am allergic to figs”.")],
        [HumanMessage("My cousin said: I am allergic to figs. I only eat rice.")],
        [HumanMessage("She told me 'I'm a welder' and left.")],
        [HumanMessage("He told me, I hate figs.")],
        [HumanMessage("I hate figs, said my aunt.")],
        [HumanMessage("Sam wrote:\nI am allergic to figs.\nI live in Turku.")],
        [HumanMessage("From: Sam\nSubject: lunch\n\nI am allergic to figs.")],
        [HumanMessage("Sam: I am a welder\nKim: oh\nSam: I live in Turku")],
        [HumanMessage("In the song he sings I live in a yellow tent.")],
        [HumanMessage("我表哥说：我对无花果过敏。我只吃米饭。")],
        [HumanMessage("房东留言：我下周去丹麦。")],
        [HumanMessage("电影里他说我住在船上。")],
        [HumanMessage("小丁：我对无花果过敏\n小方：哦\n小丁：我住无锡")],
        [HumanMessage("Answer in Danish this time.")],
        [HumanMessage("这次用丹麦语回答")],
    ],
)
def test_what_the_user_did_not_state_about_themselves(messages: list[BaseMessage]) -> None:
    assert extract_by_rules(messages).proposals == ()


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("As I said, I am vegan.", "The user is vegan."),
        ("I told him: I am allergic to figs.", "The user is allergic to figs."),
        ("我跟他说：我对无花果过敏。", "用户对无花果过敏。"),
        ("总的来说：我喜欢喝茶。", "用户喜欢喝茶。"),
    ],
)
def test_what_users_say_they_said_is_theirs(text: str, content: str) -> None:
    assert content in [each.content for each in read(text)]


@pytest.mark.parametrize(
    "text",
    [
        "My password is correct-horse-7",
        "The api key is sk-live-0123456789abcdef",
        "I pay with 4111 1111 1111 1111",
        "我的密码是 horse77",
        "身份证号 11010519491231002X",
    ],
)
def test_secrets_are_dropped_with_a_reason(text: str) -> None:
    found = extract_by_rules([HumanMessage(text, id="m")])
    assert found.proposals == ()
    assert [(one.message_id, one.reason) for one in found.dropped] == [("m", DropReason.SECRET)]


def test_a_secret_does_not_take_the_rest_of_the_message_with_it() -> None:
    found = extract_by_rules([HumanMessage("My pin is 4077. I live in Turku.")])
    assert [one.content for one in found.proposals] == ["The user lives in Turku."]
    assert [one.reason for one in found.dropped] == [DropReason.SECRET]


@pytest.mark.parametrize("text", ["I own nine castles. Just kidding!", "我有九座城堡，开玩笑的"])
def test_jokes_that_are_marked(text: str) -> None:
    found = extract_by_rules([HumanMessage(text)])
    assert found.proposals == ()
    assert DropReason.NOT_MEANT in [one.reason for one in found.dropped]


def test_several_speakers() -> None:
    messages = [
        HumanMessage("I'm allergic to figs", name="Odile", id="1"),
        HumanMessage("I love rhubarb", name="Pekka", id="2"),
    ]
    both = extract_by_rules(messages).proposals
    assert [(found.speaker, found.content) for found in both] == [
        ("Odile", "Odile is allergic to figs."),
        ("Pekka", "Pekka loves rhubarb."),
    ]
    mine = extract_by_rules(messages, speaker="Pekka")
    assert [found.content for found in mine.proposals] == ["The user loves rhubarb."]
    assert [(one.message_id, one.reason) for one in mine.dropped] == [
        ("1", DropReason.OTHER_SPEAKER)
    ]


def test_days_are_dates() -> None:
    found = one("I'm flying to Turku next Tuesday")
    assert found.type is MemoryType.EPISODE
    assert "2026-12-08" in found.content
    assert found.valid_to == datetime(2026, 12, 9, tzinfo=UTC)
    assert one("我下周二飞图尔库出差").valid_to == datetime(2026, 12, 9, tzinfo=UTC)
    assert one("I've been vegan since 2019").valid_from == datetime(2019, 1, 1, tzinfo=UTC)
    assert one("My lease ends on June 30th").valid_to == datetime(2027, 7, 1, tzinfo=UTC)


def test_who_is_not_sure_is_less_believed() -> None:
    found = one("I think I'm allergic to figs")
    assert found.confidence <= 0.6
    assert found.confirmation is Confirmation.INFERRED


def test_strange_text_harms_nothing() -> None:
    for text in (
        "\ud800 I am allergic to figs \x00",
        "我" * 5000,
        "I " * 5000,
        "((((" * 500,
        "“" * 300,
    ):
        extract_by_rules([HumanMessage(text)])


def test_input_is_unchanged_and_checked() -> None:
    messages = [HumanMessage("I'm allergic to figs", id="m")]
    before = [message.model_copy(deep=True) for message in messages]
    assert extract_by_rules(messages) == extract_by_rules(messages)
    assert messages == before
    with pytest.raises(InvalidMessagesError):
        extract_by_rules("I'm allergic to figs")  # type: ignore[arg-type]


@pytest.mark.parametrize("address", ["anna@new.org", "anna.lee@mail.example.com"])
def test_a_point_within_a_name_ends_nothing(address: str) -> None:
    assert one(f"My email is {address}.").content == f"The user's email is {address}."


@pytest.mark.parametrize(
    "text",
    [
        "我参加了一个合唱团，叫晨风。",
        "我新装了个背单词的软件，叫小算盘。",
        "我加入的读书会叫纸船。",
        "我们在京都待四晚。",
        "我们住三晚。",
        "We're in Porto for the week.",
        "I'm in Vienna on business until Thursday.",
        "I'm staying at a hostel for three nights.",
        "I manage three people.",
        "I'm leading a crew of nine.",
        "I still run with the Tuesday group.",
        "I'm the treasurer of our allotment club.",
        "I coach the under-12s on Saturdays.",
        "我在合唱团担任团长。",
        "我妈的生日是5月4日。",
        "我妈的生日聚会是5月8日。",
        "Always put a brief summary at the end when you review a paper.",
        "Please always add a one-line example.",
        "以后讲概念的时候都附上简短的例子。",
    ],
)
def test_what_is_beside_the_users_own_ends_nothing_of_it(text: str) -> None:
    own = {"name", "home", "job", "employer", "birthday", "order:length"}
    assert not {found.subject for found in read(text)} & own


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("我是新来的，叫林晚。", "name"),
        ("我在一家医院上班，今年三十岁，叫林晚。", "name"),
        ("I'm in Leeds.", "home"),
        ("我住在成都。", "home"),
        ("I run a bakery.", "job"),
        ("I manage a hotel.", "job"),
        ("我生日是5月4日。", "birthday"),
        ("Keep your answers short.", "order:length"),
        ("When you answer me, always be brief.", "order:length"),
    ],
)
def test_what_is_the_users_own_has_its_subject(text: str, subject: str) -> None:
    assert subject in {found.subject for found in read(text)}


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("may petrol: 150 max", ["The user's budget for may petrol is 150 max."]),
        ("Catering:\nat most 2000", ["The user's budget for catering is at most 2000."]),
        ("tulips\n250 max", ["The user's budget for tulips is 250 max."]),
        (
            "My budgets:\ncurtains: 900\nlamps: 400",
            ["The user's budget for curtains is 900.", "The user's budget for lamps is 400."],
        ),
        ("家具：九千以内", ["用户的花费要求：家具预算九千以内。"]),
        ("灯具预算：2000", ["用户的花费要求：灯具预算2000。"]),
        (
            "预算：\n窗帘：900\n灯具：2000",
            ["用户的花费要求：窗帘预算900。", "用户的花费要求：灯具预算2000。"],
        ),
        ("窗帘预算：\n900", ["用户的花费要求：窗帘预算900。"]),
        ("Budgets for the year:\nlamps: 400", ["The user's budget for lamps is 400."]),
        (
            "For the party, my spending limit is 900.",
            ["The user's spending limit is 900 for the party."],
        ),
        ("打车的钱先不管，零食不超过100。", ["用户的花费要求：零食不超过100。"]),
        ("guests: 20 max", []),
        ("手机号：13800000000", []),
    ],
)
def test_a_limit_has_the_thing_it_is_written_beside(text: str, contents: list[str]) -> None:
    found = read(text)
    assert [each.content for each in found] == contents
    assert "budget" not in {each.subject for each in found}


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("My petrol budget this month is 150.", datetime(2026, 12, 1, tzinfo=UTC)),
        ("I can spend at most 90 on books this week.", datetime(2026, 12, 7, tzinfo=UTC)),
        ("这个月买书预算600。", datetime(2026, 12, 1, tzinfo=UTC)),
        ("这周最多花300。", datetime(2026, 12, 7, tzinfo=UTC)),
        ("My petrol budget from this month on is 150.", None),
        ("My petrol budget is 150 a month.", None),
        ("从这个月起买书预算600。", None),
    ],
)
def test_a_limit_for_this_month_ends_with_it(text: str, until: datetime | None) -> None:
    found = one(text)
    assert found.valid_to == until
    assert str(found.subject).endswith("for now") == (until is not None)


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("Ruth is coeliac, so no rye.", ["Ruth is coeliac, so no rye."]),
        (
            "My cousin is allergic to sesame, so nothing with tahini please.",
            ["The user's cousin is allergic to sesame, so nothing with tahini please."],
        ),
        ("Her sister Mia is pregnant, so no sushi.", []),
        ("Ruth is coeliac. So no rye please.", ["Ruth is coeliac, so no rye please."]),
        ("小李对芝麻过敏。凉菜别放麻酱。", ["小李对芝麻过敏，凉菜别放麻酱。"]),
        ("小李对芝麻过敏。我不喝牛奶。", ["用户不喝牛奶。"]),
        ("小李对芝麻过敏，别放麻酱。", ["小李对芝麻过敏，别放麻酱。"]),
        ("我表妹吃素，所以不要放肉。", ["用户的表妹吃素，所以不要放肉。"]),
        ("我对海鲜过敏。螃蟹肯定还是不能碰。", ["用户对海鲜过敏。", "用户不能碰螃蟹。"]),
        ("price limit for the wedding: 900", ["The user's budget for the wedding is 900."]),
        ("For the wedding, 900 at most", ["The user's budget for the wedding is 900 at most."]),
        ("Here's my toast: I met Tom in 2009. I hate weddings.", []),
        ("致辞初稿：我是新郎的同学，我喜欢喝酒。", []),
    ],
)
def test_a_sentence_is_whose_it_is(text: str, contents: list[str]) -> None:
    assert [each.content for each in read(text)] == contents


@pytest.mark.parametrize(
    "text",
    [
        "我每周四晚上去打羽毛球。",
        "我一般周二和周六去健身房。",
        "We have a team call every Thursday.",
        "I go climbing on Tuesdays and Fridays.",
    ],
)
def test_what_recurs_is_no_event(text: str) -> None:
    found = one(text)
    assert found.type is not MemoryType.EPISODE
    assert found.valid_to is None
    assert "2026" not in found.content


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("My manager is Ravi.", "Olga is my new manager."),
        ("My boss is Ravi.", "My new line manager is Olga."),
        ("My boss is Ravi.", "I now report to Olga."),
        ("我的经理是王芳。", "李敏是我的新经理。"),
        ("我的经理是王芳。", "我换了新经理，叫李敏。"),
        ("我的牙医是王医生。", "我换牙医了，现在是李医生。"),
        ("I use Todoist for my tasks.", "I now use Things for my tasks."),
        ("I use Notion for my notes.", "I switched to Bear for my notes."),
        ("Please keep your answers brief.", "I'd like longer answers from now on."),
        ("I prefer brief answers.", "Give me more detailed replies from now on."),
    ],
)
def test_a_new_one_takes_the_place_of_the_old(before: str, after: str) -> None:
    subject = one(before).subject
    assert subject is not None
    assert subject in {found.subject for found in read(after)}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I work as a welder.", "I now report to Olga."),
        ("I use Python for scripts.", "I use Bash for scripts."),
        ("I use Notion for my notes.", "I also use Bear for my notes."),
        ("I use Notion for my notes.", "I use Things for my tasks."),
        ("My manager is Ravi.", "My dentist is Dr Holm."),
    ],
)
def test_what_can_be_beside_the_other_ends_nothing(before: str, after: str) -> None:
    assert one(before).subject is None or one(before).subject != one(after).subject


def test_what_follows_from_a_diet_ends_with_it() -> None:
    found = one("I'm vegetarian, so dinner ideas without meat")
    assert (found.content, found.subject) == ("The user is vegetarian.", "diet")


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("I'm based in Leeds for work.", "home"),
        ("I use Slack for work.", None),
        ("我用 Slack 办公。", None),
    ],
)
def test_what_is_lasting_or_of_many_kinds(text: str, subject: str | None) -> None:
    assert one(text).subject == subject


def test_answers_to_one_question_are_no_order() -> None:
    assert read("I need short answers. What is the capital of Peru?") == ()
