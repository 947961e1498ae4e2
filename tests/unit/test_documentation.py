"""What the documentation shows runs, and says no more than there is."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.filterwarnings(
    # create_react_agent is deprecated upstream and still used; the README shows it.
    "ignore:create_react_agent has been moved:langgraph.warnings.LangGraphDeprecatedSinceV10"
)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_of_a_page_run_in_their_order(page: Path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        exec(compile(block, str(page), "exec"), names)


def test_the_readme_is_short_and_names_its_two_commands_first():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 150
    top = "\n".join(lines[:20])
    assert "make demo" in top
    assert "make test" in top


def test_every_strategy_is_in_the_decision_table():
    from langgraph_memory import context

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = readme[readme.index("## Which strategy when") :]
    internal = {"ContextStrategy", "FunctionStep", "PureStrategy", "SummarizationStep"}
    for name in set(context.__all__) - internal:
        made = getattr(context, name)
        if isinstance(made, type) and issubclass(made, context.ContextStrategy):
            assert f"{name}(" in table, name


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} -> {target}"
