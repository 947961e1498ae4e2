"""What a user says about something, and says again when it has changed."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CHINESE", "ENGLISH", "Language", "Topic"]


@dataclass(frozen=True)
class Topic:
    """Something that has one value at a time.

    Attributes:
        question: Asks for the value.
        said: States it, with `{new}` for the value.
        changed: Tells of the change, with `{old}` and `{new}`, and names the topic.
        implied: The same, and only the old value tells what it is about.
        otherwise: States the value with other words than `said`.
        beside: A later statement with some of the same words about something else.
        values: At least four.
    """

    question: str
    said: str
    changed: str
    implied: str
    otherwise: str
    beside: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Language:
    """The topics of a language, and talk about nothing.

    Attributes:
        name: Two letters.
        topics: What changes.
        replies: What the assistant answers.
        again: How a statement is marked as the current one, with `{text}`.
    """

    name: str
    topics: tuple[Topic, ...]
    replies: tuple[str, ...]
    again: tuple[str, ...]


def _topics(table: str) -> tuple[Topic, ...]:
    """One topic a paragraph, one attribute a line, the values with bars between them."""
    made = []
    for paragraph in table.strip().split("\n\n"):
        *sentences, values = paragraph.split("\n")
        question, said, changed, implied, otherwise, beside = sentences
        made.append(
            Topic(question, said, changed, implied, otherwise, beside, tuple(values.split("|")))
        )
    return tuple(made)


ENGLISH = Language(
    name="en",
    replies=(
        "Noted, thank you.",
        "Good to know.",
        "All right, anything else?",
        "Thanks for telling me.",
    ),
    again=("As of today: {text}", "{text} That is new.", "Update: {text}"),
    topics=_topics("""
Which gym do I go to?
I go to the gym {new}.
I have changed my gym from {old} to {new}.
I cancelled {old} and signed up with {new}.
My workouts happen at {new}.
The gym shoes I ordered are too small.
Ironworks|Pulse House|North Dock|Atlas Hall

What is the name of my manager?
My manager is {new}.
My manager {old} was promoted, my new manager is {new}.
{old} left the company, {new} has taken over as my boss.
I report to {new}.
The manager of the hotel sent us an apology.
Henrike|Dolores|Bartek|Okafor

How do I take my coffee?
I take my coffee {new}.
I have stopped taking my coffee {old}, I take it {new}.
I went off coffee {old} and have it {new}.
For me an espresso has to be {new}.
The coffee beans from the market were stale.
black|with oat milk|with two sugars|with cream

What is the budget for the kitchen?
The budget for the kitchen is {new}.
We raised or cut the kitchen budget again: not {old} but {new}.
We cannot keep to {old} for the kitchen, the limit has become {new}.
For the cupboards and the stove we may spend {new} at most.
The kitchen fitter will call on Tuesday.
9,000 euros|12,500 euros|7,200 euros|15,000 euros

Which laptop do I use?
I use a {new} laptop.
I swapped my {old} laptop for a {new}.
My {old} broke, so I bought a {new}.
I am writing this on a {new}.
The laptop bag has a torn strap.
Lumen 14|Vertex Air|Corvid X1|Slate Pro

Where does my brother live?
My brother lives in {new}.
My brother left {old} and lives in {new}.
My brother has moved from {old} to {new}.
{new} is where you would find my brother these days.
My brother called about the wedding.
Tallinn|Bergen|Ghent|Malaga

What time do I get up on weekdays?
I get up at {new} on weekdays.
On weekdays I get up at {new} and not at {old} any more.
Instead of {old} my alarm rings at {new} now.
From Monday to Friday the day begins at {new} for me.
On weekdays the car park is full.
5:30|6:15|7:00|7:45

Who looks after the dog when I travel?
{new} looks after the dog when I travel.
The dog goes to {new} when I travel and not to {old} as before.
{old} cannot take the dog any more, {new} does it.
When I am away Bruno stays with {new}.
The dog chewed up a travel brochure.
neighbour Piotr|aunt Gerda|the kennel in Halden|Noor from downstairs

What do I study?
I study {new}.
I no longer study {old}, I study {new}.
I dropped {old} and enrolled in {new}.
My degree will be in {new}.
The study on sleep was in the newspaper.
geology|nursing|architecture|linguistics

Which newspaper do I read?
I read the {new}.
I read the {new} newspaper since the {old} became too dear.
I stopped my subscription to the {old} and get the {new}.
With breakfast I have the {new}.
I found an old newspaper in the attic.
Morning Ledger|Harbour Post|Daily Observer|Evening Chronicle

What is my shoe size?
My shoe size is {new}.
My shoe size turned out to be {new} and not {old}.
I thought I had {old}, but they measured {new}.
Boots fit me in {new}.
The shoe shop closes on Saturdays at four.
41|42.5|43|44

Which instrument am I learning?
I am learning the {new}.
I have changed my instrument from {old} to {new}.
I gave up the {old} and started with the {new}.
My music teacher and I work on the {new}.
The instrument shop has moved to the ring road.
cello|accordion|clarinet|harp

How many people are in my team?
There are {new} people in my team.
There are no longer {old} but {new} people in my team.
My team has gone from {old} to {new} people.
I lead a group of {new}.
Many people were at the harbour festival.
four|six|nine|twelve

When is the handover of the flat?
The handover of the flat is on {new}.
The handover of the flat was moved from {old} to {new}.
The landlord moved the handover from {old} to {new}.
We get the keys on {new}.
The flat below us is being painted.
3 March|17 March|2 April|28 April

What is my favourite restaurant?
My favourite restaurant is {new}.
My favourite restaurant is {new} since {old} changed its cook.
{old} used to be the best, today I would pick {new}.
Nothing in town beats the food at {new}.
The restaurant car of the train was shut.
Casa Oliva|The Copper Pot|Saffron Lane|Bistro Lind

Which team do I support?
I support {new}.
The team I support is {new}, no longer {old}.
I have turned my back on {old} and cheer for {new}.
My season ticket is for {new}.
The support line kept me waiting.
Rovers|Athletic|Wanderers|United

What do I do for my back pain?
For my back pain I do {new}.
Against the back pain I do {new} instead of {old}.
{old} did not help my back, so I switched to {new}.
The doctor has prescribed {new} against the aches in my spine.
The pain in my tooth is gone.
swimming|yoga|stretching|physiotherapy

Who is my dentist?
My dentist is {new}.
My dentist {old} closed the practice, and {new} is my dentist.
{old} retired and {new} has taken over my teeth.
I have my fillings done by {new}.
The dentist in the series is a villain.
Dr Marek|Dr Sorensen|Dr Abena|Dr Villar

What colour will we paint the hall?
We will paint the hall {new}.
We will not paint the hall {old}, we will paint it {new}.
We changed our minds about {old}, the hall will be {new}.
The tins for the entrance are {new}.
The town hall was full of tourists.
sage green|pale yellow|slate blue|warm white

Which airline do I fly with?
I fly with {new}.
I fly with {new} and not with {old} any more.
After the strike I left {old} and book {new}.
My frequent flyer card is from {new}.
A fly landed in my tea.
Nordwing|Air Cascade|Meridian|SkyLark

How do I travel to work?
I travel to work {new}.
I stopped going {old}, I travel to work {new}.
I no longer go {old}, I commute {new}.
It takes me half an hour to the office {new}.
There was a talk about travel writing at work.
by tram|by bicycle|by car|on foot

What is the password hint of my router?
The hint for my router is {new}.
The hint for my router has changed from {old} to {new}.
I replaced the hint {old} for the router with {new}.
To remember the key of my home network think of {new}.
The router lights blinked all night.
first pet|old street|best teacher|summer island

How often do I call my grandmother?
I call my grandmother {new}.
I call my grandmother {new} and no longer {old}.
Calling my grandmother {old} was not enough, I do it {new}.
Granny hears from me {new}.
My grandmother knitted a scarf.
once a month|every Sunday|twice a week|every evening

What is the topic of my thesis?
The topic of my thesis is {new}.
The topic of my thesis has changed from {old} to {new}.
My supervisor talked me out of {old}, I write about {new}.
My dissertation deals with {new}.
The printing of a thesis is expensive.
urban bees|tidal power|medieval maps|sign languages
"""),
)

CHINESE = Language(
    name="zh",
    replies=("好的，记下了。", "明白了。", "谢谢你告诉我。", "好的，还有别的吗？"),
    again=("现在{text}", "{text}这是新情况。", "更新一下：{text}"),
    topics=_topics("""
我在哪家健身房锻炼？
我在{new}健身房锻炼。
我锻炼的健身房从{old}换成了{new}。
我退了{old}的卡，改去{new}了。
平时练器械都去{new}。
健身房门口在修路。
铁人馆|跃动|北岸|力健

我的直属领导是谁？
我的直属领导是{new}。
我的直属领导不再是{old}，换成{new}了。
{old}离职了，{new}接替做我的上司。
我的工作都向{new}汇报。
领导力课程下个月开班。
冯敏|邓凯|苏琳|严涛

我喝咖啡加什么？
我喝咖啡加{new}。
我喝咖啡不加{old}了，加{new}。
我不再加{old}了，改加{new}。
美式里给我放{new}就行。
咖啡豆受潮了。
燕麦奶|两块糖|炼乳|肉桂粉

装修厨房的预算是多少？
装修厨房的预算是{new}。
厨房装修的预算从{old}改成{new}。
{old}不够装厨房，上限变成{new}了。
橱柜和灶台最多花{new}。
厨房的灯泡坏了。
三万二|四万五|五万八|六万

我用哪款笔记本电脑？
我用的笔记本电脑是{new}。
我的笔记本电脑从{old}换成了{new}。
{old}摔坏了，我换了{new}。
我现在打字的机器是{new}。
电脑包的带子断了。
星云14|锐龙本|青鸟X|石板Pro

我弟弟住在哪里？
我弟弟住在{new}。
我弟弟离开{old}，住到{new}去了。
我弟弟从{old}搬到{new}去了。
要找我弟弟得去{new}。
我弟弟昨天打电话聊婚礼。
厦门|长春|昆明|兰州

我工作日几点起床？
我工作日{new}起床。
我工作日不再{old}起床，改成{new}起床。
闹钟从{old}改到{new}了。
周一到周五我的一天从{new}开始。
工作日停车场总是满的。
五点半|六点一刻|七点整|八点差十分

我出差时谁照顾狗？
我出差时{new}照顾狗。
我出差时狗不再交给{old}，由{new}照顾。
{old}没空带狗了，换{new}来。
不在家的日子旺福跟着{new}。
狗把出差的票咬破了。
邻居老周|姑姑阿兰|城南宠物店|室友小叶

我学的是什么专业？
我学的专业是{new}。
我的专业从{old}换成了{new}。
我从{old}转到{new}了。
毕业证上会写{new}。
专业相机太贵了。
地质学|护理学|建筑学|语言学

我在学什么乐器？
我在学{new}。
我学的乐器从{old}换成了{new}。
我放弃了{old}，开始练{new}。
音乐老师每周教我{new}。
乐器行搬到了环路边。
大提琴|手风琴|单簧管|竖琴

我们组有多少人？
我们组有{new}人。
我们组不再是{old}人，现在有{new}人。
我们组从{old}人变成{new}人了。
我手下带着{new}人。
广场上很多人在跳舞。
四个|六个|九个|十二个

什么时候交房？
交房的日子是{new}。
交房从{old}改到{new}。
房东把交房从{old}挪到{new}。
我们{new}能拿到钥匙。
楼下那套房在刷墙。
三月三号|三月十七号|四月二号|四月二十八号

我最喜欢哪家餐馆？
我最喜欢的餐馆是{new}。
我最喜欢的餐馆从{old}变成了{new}。
以前觉得{old}最好，如今首选{new}。
城里没有比{new}更好吃的了。
餐馆门口排长队。
橄榄小院|铜锅记|藏红里|林家菜

我支持哪支球队？
我支持{new}。
我支持的球队从{old}换成了{new}。
我不再支持{old}，改给{new}加油。
我买了{new}的套票。
球队大巴堵在桥上。
雄狮队|飞鹰队|猛虎队|海豚队

我怎么治腰疼？
我治腰疼靠{new}。
我治腰疼不做{old}了，改做{new}。
{old}对腰没用，我换成{new}了。
大夫让我靠{new}缓解腰背。
牙疼已经好了。
游泳|瑜伽|拉伸|理疗

我的牙医是谁？
我的牙医是{new}。
我的牙医从{old}换成了{new}。
{old}退休了，{new}接着给我看牙。
补牙我都找{new}。
那部剧里的牙医是反派。
马医生|宋医生|白医生|魏医生

走廊刷什么颜色？
走廊刷{new}。
走廊不刷{old}，改刷{new}。
我们不要{old}了，走廊改刷{new}。
门厅的油漆买的是{new}。
走廊里堆着纸箱。
豆绿色|浅黄色|灰蓝色|暖白色

我怎么去上班？
我{new}去上班。
我上班不再{old}，改成{new}去。
我不再{old}，改成{new}通勤。
到公司我都是{new}。
上班的人都在看雪。
坐电车|骑自行车|开车|走路
"""),
)
