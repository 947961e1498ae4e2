"""A user says what always holds; the next day, in a new thread, it is still honoured.

Without a key the model is the offline one, and what is said is read by rules. With OPENAI_API_KEY
both are done by a real model.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from rich.console import Console

from langgraph_memory import Memory, clock
from langgraph_memory.chat import chat_model, strategy_named
from langgraph_memory.cli.chat import ChatSession
from langgraph_memory.offline import OfflineChatModel
from langgraph_memory.service import Recollection

HERE = Path(__file__).parent
BUDGET = 1_200
USER = "mira"
AGENT = "travel"
INDEX = "local"
LAST = "today"
"""The thread of the second day."""
CONSOLE = Console(highlight=False, soft_wrap=True)


def day_one(db: Path) -> None:
    """Yesterday: four lines, and the process ends."""
    with clock.set_to(lambda: datetime.now(UTC) - timedelta(days=1)):
        sitting(db, "yesterday").run(lines("day_one.txt"))


def day_two(db: Path) -> None:
    """Today: another thread, thirty turns of other talk, and questions."""
    headline("The next day, another process, a new thread: thirty turns about something else.")
    requests: list[Recollection] = []
    talk = lines("day_two.txt")
    sitting(db, LAST, requests).run(talk)
    known = {line for each in requests for line in each.lines("standing")}
    headline(f"Each of the {len(requests)} requests carried what always holds:")
    for line in sorted(known):
        carried = sum(line in each.lines("standing") for each in requests)
        CONSOLE.print(f"{carried:4} of {len(requests)}  {line}", markup=False)
    headline("Is it still honoured, and why does it know?")
    sitting(db, LAST).run(lines("day_two_questions.txt"))


def ask(db: Path) -> None:
    """Hand the prompt over."""
    sitting(db, LAST).run()


def sitting(db: Path, thread: str, requests: list[Recollection] | None = None) -> ChatSession:
    """A sitting of the same user, with memory."""
    model = chat_model(None)
    offline = isinstance(model, OfflineChatModel)
    return ChatSession(
        db,
        thread,
        model,
        strategy_named("summarize", BUDGET, model),
        CONSOLE,
        open_memory=partial(
            Memory.open,
            db,
            agent=AGENT,
            index=INDEX,
            extraction_model=None if offline else model,
        ),
        user=USER,
        on_recall=None if requests is None else requests.append,
    )


def headline(text: str) -> None:
    """Say what happens next."""
    CONSOLE.print(f"\n[bold]━━ {text}[/bold]\n")


def lines(name: str) -> list[str]:
    """The lines of a file beside this one."""
    return (HERE / name).read_text(encoding="utf-8").splitlines()
