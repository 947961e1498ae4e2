"""Settings: one file, overridden per agent and by the environment; faults name key and line."""

import pytest

from langgraph_memory.errors import InvalidSettingsError
from langgraph_memory.settings import Settings, load_settings

FILE = """\
defaults:
  long_term_memory: {enabled: false, max_items: 50}
agents:
  chat:
    memory_tools: true
    long_term_memory:
      enabled: true
      namespace: chat
      max_items: 200
  quiet:
"""


@pytest.fixture
def write(tmp_path):
    def write(text):
        file = tmp_path / "memory.yaml"
        file.write_text(text, encoding="utf-8")
        return file

    return write


def test_without_anything_memory_is_off():
    settings = load_settings(environment={})
    assert settings == Settings()
    assert not settings.of("anyone").long_term_memory.enabled
    assert not settings.of("anyone").memory_tools
    assert settings.of("anyone").long_term_memory.max_items == 100


def test_an_agents_own_settings_go_over_the_defaults(write):
    settings = load_settings(write(FILE), environment={})
    chat = settings.of("chat")
    assert chat.memory_tools
    assert (chat.long_term_memory.enabled, chat.long_term_memory.max_items) == (True, 200)
    assert chat.long_term_memory.namespace == "chat"
    for name in ("quiet", "unknown"):
        assert settings.of(name).long_term_memory.max_items == 50
        assert not settings.of(name).long_term_memory.enabled


def test_variables_go_over_the_file(write):
    environment = {
        "LANGGRAPH_MEMORY__DEFAULTS__LONG_TERM_MEMORY__LOAD_MAX_ITEMS": "3",
        "LANGGRAPH_MEMORY__AGENTS__CHAT__MEMORY_TOOLS": "false",
        "LANGGRAPH_MEMORY__AGENTS__NEW__LONG_TERM_MEMORY__ENABLED": "true",
        "LANGGRAPH_MEMORY_DATA": "something else",
    }
    settings = load_settings(write(FILE), environment)
    assert not settings.of("chat").memory_tools
    assert settings.of("chat").long_term_memory.load_max_items == 3
    assert settings.of("new").long_term_memory.enabled
    assert settings.of("new").long_term_memory.max_items == 50


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ("defaults:\n  memory_tool: true\n", "defaults.memory_tool", 2),
        ("defaults:\n  long_term_memory:\n    max_items: 0\n", "max_items", 3),
        ("defaults:\n  long_term_memory:\n    max_items: many\n", "max_items", 3),
        ("agents:\n  chat:\n    long_term_memory: {placement: top}\n", "placement", 3),
        ("agents:\n  chat: 5\n", "agents.chat", 2),
        ("default:\n  memory_tools: true\n", "default", 1),
        ("agents: [chat]\n", "agents", 1),
        ("defaults:\n  long_term_memory: {max_items: 0}\nagents: {chat: {}}\n", "max_items", 2),
    ],
)
def test_faults_name_the_key_and_the_line(write, text, key, line):
    with pytest.raises(InvalidSettingsError, match=rf"{key}.*line {line}\b"):
        load_settings(write(text), environment={})


def test_faults_of_a_variable_name_it():
    name = "LANGGRAPH_MEMORY__DEFAULTS__LONG_TERM_MEMORY__MAX_ITEMS"
    with pytest.raises(InvalidSettingsError, match=f"max_items.*-1.*{name}"):
        load_settings(environment={name: "-1"})


def test_no_file_and_no_yaml_are_errors(write, tmp_path):
    with pytest.raises(InvalidSettingsError, match=r"none\.yaml"):
        load_settings(tmp_path / "none.yaml")
    with pytest.raises(InvalidSettingsError, match="YAML"):
        load_settings(write("defaults: ["))
    with pytest.raises(InvalidSettingsError, match="defaults"):
        load_settings(write("- a\n"))
    assert load_settings(write(""), environment={}) == Settings()
