"""Settings: one file, overridden per agent and by the environment; faults name key and line."""

import json
import logging
import types

import pytest
import yaml

from langgraph_memory import Memory
from langgraph_memory.errors import InvalidInputError, InvalidSettingsError, StoreClosedError
from langgraph_memory.identity import Identification
from langgraph_memory.settings import (
    AgentSettings,
    LongTermMemorySettings,
    Settings,
    load_settings,
)
from langgraph_memory.store import SQLiteMemoryStore

AGENTS = "LANGGRAPH_MEMORY__AGENTS__"
DEFAULTS = "LANGGRAPH_MEMORY__DEFAULTS__"
ON = {"long_term_memory": {"enabled": True}}
FILE = """\
defaults:
  long_term_memory: {enabled: false, max_items: 50}
agents:
  chat:
    memory_tools: true
    long_term_memory:
      enabled: true
      namespace: lounge
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


@pytest.fixture
def opened(tmp_path):
    """The settings that an opened memory goes by."""

    def opened(settings=None, **options):
        with Memory.open(tmp_path / "memory.db", settings, **options) as memory:
            return memory.settings

    return opened


def one(write, text, environment=None):
    """Settings of long-term memory in the defaults, written as one line."""
    file = write(f"defaults:\n  long_term_memory: {{{text}}}\n")
    return load_settings(file, environment or {}).of("a").long_term_memory


class TestFile:
    def test_without_anything_memory_is_off(self):
        settings = load_settings(environment={})
        assert settings == Settings()
        assert not settings.of("anyone").long_term_memory.enabled
        assert not settings.of("anyone").memory_tools
        assert settings.of("anyone").long_term_memory.max_items == 100

    def test_an_agents_own_settings_go_over_the_defaults(self, write):
        settings = load_settings(write(FILE), environment={})
        chat = settings.of("chat")
        assert chat.memory_tools
        assert (chat.long_term_memory.enabled, chat.long_term_memory.max_items) == (True, 200)
        assert chat.long_term_memory.namespace == "lounge"
        assert settings.of("quiet").long_term_memory.max_items == 50
        assert not settings.of("quiet").long_term_memory.enabled

    def test_settings_made_in_code_go_over_the_defaults_too(self):
        few = LongTermMemorySettings(max_items=7)
        on = LongTermMemorySettings(enabled=True)
        settings = Settings(
            defaults=AgentSettings(long_term_memory=few, memory_tools=True),
            agents={"chat": AgentSettings(long_term_memory=on)},
        )
        assert settings.of("chat").memory_tools
        assert settings.of("chat").long_term_memory.enabled
        assert settings.of("chat").long_term_memory.max_items == 7

    def test_an_empty_section_says_nothing(self, write):
        text = "defaults:\n  long_term_memory:\nagents:\n  chat:\n    long_term_memory:\n"
        assert load_settings(write(text), {}).of("chat").long_term_memory.max_items == 100
        assert load_settings(write("defaults:\nagents:\n"), {}) == Settings()
        assert load_settings(write(""), {}) == Settings()

    def test_names_and_values_are_what_is_written(self, write):
        names = ["1", "007", "on", "null", "~", "2024-05-01", "1.0", "我的助手", "=", "a b"]
        text = "agents:\n" + "".join(f"  {name}: {{memory_tools: yes}}\n" for name in names)
        settings = load_settings(write(text), {})
        assert list(settings.agents) == names
        assert all(settings.of(name).memory_tools for name in names)
        assert one(write, "namespace: 2024-05-01").namespace == "2024-05-01"
        assert one(write, "namespace: 007").namespace == "007"
        assert one(write, "max_items: 010").max_items == 10

    def test_anchors_and_merges_are_yaml(self, write):
        text = "defaults: &all\n  memory_tools: true\nagents:\n  chat:\n    <<: *all\n"
        own = "    memory_tools: false\n"
        assert load_settings(write(text), {}).of("chat").memory_tools
        assert not load_settings(write(text + own), {}).of("chat").memory_tools

    def test_a_mapping_of_any_kind_is_like_a_file(self):
        given = types.MappingProxyType({"agents": types.MappingProxyType({"chat": ON})})
        assert load_settings(given, {}).of("chat").long_term_memory.enabled
        assert load_settings({"agents": {"chat": None}}, {}) == Settings(
            agents={"chat": AgentSettings()}
        )

    def test_what_is_given_stays_as_it_is(self):
        given = {"defaults": {}, "agents": {"chat": {"long_term_memory": {}}}}
        before = json.dumps(given)
        load_settings(given, {f"{AGENTS}CHAT__LONG_TERM_MEMORY__ENABLED": "true"})
        assert json.dumps(given) == before


class TestFaults:
    @pytest.mark.parametrize(
        ("text", "key", "line"),
        [
            ("defaults:\n  memory_tool: true\n", "defaults.memory_tool", 2),
            ("defaults:\n  long_term_memory:\n    max_items: 0\n", "max_items", 3),
            ("defaults:\n  long_term_memory:\n    max_items: many\n", "max_items", 3),
            ("agents:\n  chat:\n    long_term_memory: {placement: top}\n", "placement", 3),
            ("agents:\n  chat: 5\n", "agents.chat", 2),
            ("agents:\n  chat: false\n", "agents.chat", 2),
            ("default:\n  memory_tools: true\n", "default", 1),
            ("agents: [chat]\n", "agents", 1),
            ("defaults:\n  long_term_memory: {max_items: 0}\nagents: {chat: {}}\n", "max_items", 2),
            ("agents:\n  true: {memory_tools: maybe}\n", "agents.true.memory_tools", 2),
            ("agents:\n  1:\n    long_term_memory: 3\n", "agents.1.long_term_memory", 3),
            ("agents:\n  '': {}\n", "name", 2),
            ("agents:\n  chat: {}\n  'chat ': {}\n", "no blanks around it.*'chat '", 3),
            ("defaults:\n  memory_tools: true\n x: 1\n", "not YAML: expected", 3),
            ("defaults:\n  memory_tools: \0\n", "not YAML: .*not allowed", 2),
            ("\n- a\n", "sections 'defaults' and 'agents'", 2),
            ("agents:\n  a:\n    <<: {memory_tools: 7}\n", "agents.a.memory_tools", 3),
            ("agents:\n  ? [a, b]\n  : {}\n", "name", 2),
            (
                "agents:\n  a: &a\n    memory_tools: 7\n  b:\n    <<: *a\n",
                "agents.a.memory_tools",
                3,
            ),
        ],
    )
    def test_they_name_the_key_and_the_line(self, write, text, key, line):
        with pytest.raises(InvalidSettingsError, match=rf"{key}.*line {line}\b"):
            load_settings(write(text), environment={})

    @pytest.mark.parametrize(
        "text",
        [
            "duplicate_similarity: 0",
            "duplicate_similarity: 1.2",
            "min_similarity: 75",
            "min_similarity: nan",
            "load_timeout: .nan",
            "load_timeout: inf",
            "load_timeout: 0",
            "load_timeout: 10000",
            "load_timeout: 10s",
            "memory_tokens: -1",
            "max_items: 5.5",
            "max_items: 5000",
            "max_items: yes",
            "daily_quota: false",
            "daily_quota: -1",
            "daily_quota: {a: 1}",
            "profile_every: [1]",
            "namespace: ''",
            "namespace: '  '",
            "namespace: [a]",
            "enabled: perhaps",
            "enabled:",
            "auto_load: 2",
        ],
    )
    def test_no_value_that_cannot_be_meant(self, write, text):
        with pytest.raises(InvalidSettingsError, match=rf"{text.split(':')[0]}.*line 2\b"):
            one(write, text)

    @pytest.mark.parametrize(
        ("key", "value"), [("daily_quota", False), ("min_similarity", True), ("load_timeout", True)]
    )
    def test_in_code_a_switch_is_no_number(self, key, value):
        with pytest.raises(InvalidSettingsError, match=f"{key}.*number.*{value}"):
            load_settings({"defaults": {"long_term_memory": {key: value}}}, {})

    @pytest.mark.parametrize("name", [1, True, None, ("a",), " "])
    def test_in_code_an_agents_name_is_text(self, name):
        with pytest.raises(InvalidSettingsError, match="agent's name must be text"):
            load_settings({"agents": {name: ON}}, {})

    @pytest.mark.parametrize(
        ("text", "there"),
        [
            ("agents: {chat: {long_term_memory: {max_itms: 5}}}", "'long_term_memory.max_items'"),
            ("agents: {chat: {enabled: true}}", "'long_term_memory.enabled'"),
            ("agents: {chat: {long_term_memory: {memory_tools: true}}}", "'memory_tools'"),
        ],
    )
    def test_a_key_that_is_nearly_one_of_ours_is_told(self, write, text, there):
        with pytest.raises(InvalidSettingsError, match=f"there is {there}"):
            load_settings(write(text), {})

    @pytest.mark.parametrize(
        ("text", "key", "lines"),
        [
            ("agents:\n  a: {}\n  b: {}\n  a: {}\n", "agents.a", "2 and 4"),
            ("defaults: {}\nagents: {}\ndefaults: {}\n", "defaults", "1 and 3"),
            (
                "agents:\n  a:\n    long_term_memory: {}\n    memory_tools: on\n    "
                "long_term_memory: {}\n",
                "agents.a.long_term_memory",
                "3 and 5",
            ),
            ("agents:\n  1: {}\n  '1': {}\n", "agents.1", "2 and 3"),
        ],
    )
    def test_a_key_that_stands_twice(self, write, text, key, lines):
        with pytest.raises(InvalidSettingsError, match=f"{key} stands twice.*lines {lines}"):
            load_settings(write(text), {})

    def test_no_file_and_no_yaml(self, write, tmp_path):
        for file in (tmp_path / "none.yaml", tmp_path, "no\0file"):
            with pytest.raises(InvalidSettingsError, match="cannot be read"):
                load_settings(file)
        bad = ["defaults: [", "a: 1\n---\nb: 2\n", "a: !!python/name:os.system x", "a: [? [b]]"]
        for text in [*bad, "agents: {a: [!!timestamp 2024-99-99]}"]:
            with pytest.raises(InvalidSettingsError, match="not YAML"):
                load_settings(write(text), {})
        with pytest.raises(InvalidSettingsError, match="defaults"):
            load_settings(write("- a\n"))
        for text in ("defaults: &d {long_term_memory: *d}", "[" * 5_000):
            with pytest.raises(InvalidSettingsError, match="nested"):
                load_settings(write(text), {})


class TestVariables:
    def test_they_go_over_the_file(self, write):
        environment = {
            f"{DEFAULTS}LONG_TERM_MEMORY__LOAD_MAX_ITEMS": "3",
            f"{AGENTS}CHAT__MEMORY_TOOLS": "false",
            f"{AGENTS}QUIET__LONG_TERM_MEMORY__ENABLED": "true",
            "LANGGRAPH_MEMORY_DATA": "something else",
        }
        settings = load_settings(write(FILE), environment)
        assert not settings.of("chat").memory_tools
        assert settings.of("chat").long_term_memory.load_max_items == 3
        assert settings.of("chat").long_term_memory.max_items == 200
        assert settings.of("quiet").long_term_memory.enabled
        assert settings.of("quiet").long_term_memory.max_items == 50

    def test_alone_they_make_agents(self):
        environment = {f"{AGENTS}NEW__LONG_TERM_MEMORY__ENABLED": "true"}
        assert load_settings(environment=environment).of("new").long_term_memory.enabled

    @pytest.mark.parametrize("section", ["  chat:\n", "  chat: {}\n", "  chat: ~\n"])
    def test_they_reach_into_an_empty_section(self, write, section):
        environment = {f"{AGENTS}CHAT__LONG_TERM_MEMORY__MAX_ITEMS": "7"}
        settings = load_settings(write(f"agents:\n{section}"), environment)
        assert settings.of("chat").long_term_memory.max_items == 7

    @pytest.mark.parametrize("name", ["Chat", "my-agent", "My Agent", "a--b", "_x_", "v1.2"])
    def test_they_reach_an_agent_however_it_is_written(self, write, name):
        spelled = {"Chat": "CHAT", "a--b": "A_B", "_x_": "X", "v1.2": "V1_2"}.get(name, "MY_AGENT")
        environment = {f"{AGENTS}{spelled}__LONG_TERM_MEMORY__ENABLED": "true"}
        if name != "My Agent":
            environment[f"{AGENTS}OTHER__MEMORY_TOOLS"] = "true"
        file = write(f"agents:\n  '{name}': {{}}\n  other: {{}}\n")
        settings = load_settings(file, environment)
        assert settings.of(name).long_term_memory.enabled
        assert sorted(settings.agents) == sorted([name, "other"])

    def test_one_that_may_mean_two_agents(self, write):
        name = f"{AGENTS}MY_AGENT__MEMORY_TOOLS"
        with pytest.raises(InvalidSettingsError, match=f"{name} may mean.*'My_agent', 'my-agent'"):
            load_settings(write("agents: {my-agent: {}, My_agent: {}, other: {}}"), {name: "true"})

    def test_one_for_an_agent_that_the_file_does_not_have(self, write):
        name = f"{AGENTS}CAHT__MEMORY_TOOLS"
        with pytest.raises(InvalidSettingsError, match=rf"{name}.*'caht'.*'chat', 'quiet'"):
            load_settings(write(FILE), {name: "true"})

    def test_their_values_are_text_as_it_stands(self):
        def namespace(text):
            environment = {f"{DEFAULTS}LONG_TERM_MEMORY__NAMESPACE": text}
            return load_settings(environment=environment).of("a").long_term_memory.namespace

        for text in ("a: b: c", "{", "42", "no", "#1", "*x", "[a]", "'"):
            assert namespace(text) == text
        for text in ('"garden"', "'garden'", " garden "):
            assert namespace(text) == "garden"
        for text in ("", "null", "~"):
            assert namespace(text) == "a"

    @pytest.mark.parametrize(
        ("name", "value", "key"),
        [
            (f"{DEFAULTS}LONG_TERM_MEMORY__MAX_ITEMS", "-1", "max_items"),
            (f"{DEFAULTS}LONG_TERM_MEMORY__MAX_ITEMS", "a: b: c", "max_items"),
            (f"{DEFAULTS}LONG_TERM_MEMORY__ENABLED", "{", "enabled"),
            (f"{DEFAULTS}LONG_TERM_MEMORY__ENABLED", "", "enabled"),
            (f"{DEFAULTS}LONG_TERM_MEMORY__LOAD_TIMEOUT", "nan", "load_timeout"),
            (f"{DEFAULTS}LONG_TERM_MEMORY__MAX_ITMS", "5", "max_itms"),
            (f"{DEFAULTS}LONG_TERM_MEMORY", "{max_items: 5}", "long_term_memory"),
            (f"{AGENTS}CHAT", "on", "agents.chat"),
            (f"{AGENTS}CHAT__MEMORY_TOOLS__X", "on", "memory_tools"),
            ("LANGGRAPH_MEMORY__AGENTS", "chat", "agents"),
            ("LANGGRAPH_MEMORY__AGENTS____MEMORY_TOOLS", "true", "name"),
            ("LANGGRAPH_MEMORY__", "1", "section"),
            ("LANGGRAPH_MEMORY__AGENT__CHAT__MEMORY_TOOLS", "true", "agent"),
        ],
    )
    def test_faults_name_the_variable(self, name, value, key):
        with pytest.raises(InvalidSettingsError) as raised:
            load_settings(environment={name: value})
        assert key in str(raised.value)
        assert name in str(raised.value)

    @pytest.mark.parametrize("value", ["", "chat", "{enabled: true}"])
    def test_none_replaces_a_section_of_the_file(self, write, value):
        name = f"{AGENTS}CHAT__LONG_TERM_MEMORY"
        with pytest.raises(InvalidSettingsError, match=f"is a section.*{name}"):
            load_settings(write(FILE), {name: value})

    def test_too_few_underscores_are_told(self):
        for name in ("LANGGRAPH_MEMORY_DEFAULTS__MEMORY_TOOLS", "LANGGRAPH_MEMORY_AGENTS_CHAT_X"):
            with pytest.raises(InvalidSettingsError, match=f"{name} needs two underscores"):
                load_settings(environment={name: "true"})

    def test_so_is_a_section_that_is_left_out(self):
        for name in (
            "LANGGRAPH_MEMORY_LONG_TERM_MEMORY__ENABLED",
            "LANGGRAPH_MEMORY_MEMORY_TOOLS",
            "LANGGRAPH_MEMORY_CHAT__MEMORY_TOOLS",
        ):
            with pytest.raises(InvalidSettingsError, match=f"{name} needs.*a section"):
                load_settings(environment={name: "true"})
        load_settings(environment={"LANGGRAPH_MEMORY_DB": "m.db"})  # Somebody else's.

    def test_two_for_the_same(self):
        upper, lower = f"{AGENTS}CHAT__MEMORY_TOOLS", f"{AGENTS}chat__memory_tools"
        with pytest.raises(InvalidSettingsError, match=f"{upper} and {lower}"):
            load_settings(environment={upper: "true", lower: "false"})


class TestNamespace:
    def test_agents_that_name_none_have_their_own(self):
        settings = load_settings({"agents": {"chat": ON, "desk": ON}}, {})
        assert settings.of("chat").long_term_memory.namespace == "chat"
        assert settings.of("desk").long_term_memory.namespace == "desk"

    def test_one_that_the_defaults_name_is_shared(self):
        shared = {"long_term_memory": {"enabled": True, "namespace": "house"}}
        settings = load_settings({"defaults": shared, "agents": {"chat": None}}, {})
        for name in ("chat", "anyone"):
            assert settings.of(name).long_term_memory.namespace == "house"
        apart = {"long_term_memory": {"namespace": None}}
        settings = load_settings({"defaults": shared, "agents": {"chat": apart}}, {})
        assert settings.of("chat").long_term_memory.namespace == "chat"

    def test_a_memory_made_of_parts_has_its_identifications(self):
        on = AgentSettings(long_term_memory=LongTermMemorySettings(enabled=True))
        with SQLiteMemoryStore(":memory:") as store:
            for given, name in ((Identification("chat"), "chat"), (None, "default")):
                with Memory(store, settings=on, identification=given) as memory:
                    assert memory.settings.long_term_memory.namespace == name
                    assert memory.identification.agent == name

    def test_with_and_without_a_file_an_agent_has_the_same(self, opened):
        given = {"agents": {"my-agent": ON}}
        for settings in (None, given, load_settings(given, {}), {"defaults": ON}):
            found = opened(settings, agent="my-agent").long_term_memory
            assert (found.enabled, found.namespace) == (True, "my-agent")


class TestOpening:
    """What `Memory.open` makes of a name and settings."""

    @pytest.mark.parametrize("defaults", [{}, {"long_term_memory": {"enabled": False}}])
    def test_a_name_that_the_settings_do_not_have(self, opened, write, defaults):
        given = {"defaults": defaults, "agents": {"chat": ON, "desk": ON}}
        for settings in (given, load_settings(given, {}), write(yaml.safe_dump(given))):
            with pytest.raises(InvalidSettingsError, match=r"'chta'.*'chat', 'desk'"):
                opened(settings, agent="chta")
            with pytest.raises(InvalidSettingsError, match="'default'"):
                opened(settings)

    def test_defaults_with_memory_are_for_any_name(self, opened):
        given = {"defaults": ON, "agents": {"chat": {"memory_tools": True}}}
        assert opened(given, agent="desk").long_term_memory.enabled

    def test_off_is_off_and_said_where_nobody_said_it(self, opened, caplog):
        off = {"long_term_memory": {"enabled": False}}
        caplog.set_level(logging.WARNING, "langgraph_memory")
        for settings in ({"defaults": off}, {"agents": {"chat": off}}, None):
            opened(settings, agent="chat")
            assert not caplog.records
        few = {"long_term_memory": {"max_items": 5}}
        for settings in ({}, {"defaults": few}, {"agents": {"chat": few}}):
            caplog.clear()
            assert not opened(settings, agent="chat").long_term_memory.enabled
            assert "'chat' has no long-term memory" in caplog.text

    def test_without_settings_variables_count(self, opened, monkeypatch):
        monkeypatch.setenv(f"{AGENTS}MY_AGENT__LONG_TERM_MEMORY__MAX_ITEMS", "7")
        monkeypatch.setenv(f"{AGENTS}OTHER__LONG_TERM_MEMORY__MAX_ITEMS", "8")
        found = opened(agent="my-agent").long_term_memory
        assert (found.enabled, found.max_items) == (True, 7)
        assert opened(agent="else").long_term_memory.enabled
        for name in (f"{AGENTS}MY_AGENT__", DEFAULTS):
            with monkeypatch.context() as off:
                off.setenv(f"{name}LONG_TERM_MEMORY__ENABLED", "false")
                assert not opened(agent="my-agent").long_term_memory.enabled

    def test_variables_reach_an_agent_that_only_code_has(self, opened, write, monkeypatch):
        monkeypatch.setenv(f"{AGENTS}MY_AGENT__LONG_TERM_MEMORY__ENABLED", "true")
        assert opened(write(FILE), agent="my-agent").long_term_memory.max_items == 50

    def test_over_what_code_gives_they_do_not_go(self, opened, monkeypatch):
        monkeypatch.setenv(f"{AGENTS}CHAT__LONG_TERM_MEMORY__ENABLED", "false")
        assert opened({"agents": {"chat": ON}}, agent="chat").long_term_memory.enabled


class TestOptions:
    """What `Memory` is given besides."""

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("url", None),
            ("url", 3),
            ("settings", 3),
            ("agent", None),
            ("agent", " "),
            ("index", 3),
            ("debounce", "x"),
            ("debounce", -1),
            ("debounce", float("nan")),
            ("resolver", "anna"),
            ("trust_context", "yes"),
            ("profile", dict),
            ("on_event", 3),
        ],
    )
    def test_a_wrong_one_is_told_with_its_value(self, name, value):
        with pytest.raises(InvalidInputError, match=rf"^{name}={value!r} cannot be used: give "):
            Memory.open(**{"url": ":memory:", name: value})

    def test_so_it_is_where_a_store_is_given(self):
        with pytest.raises(InvalidInputError, match=r"^store='memory.db' .*Memory.open"):
            Memory("memory.db")
        with SQLiteMemoryStore(":memory:") as store:
            for given in ({"settings": {}}, {"checkpointer": 3}, {"debounce": None}):
                with pytest.raises(InvalidInputError, match=f"^{next(iter(given))}="):
                    Memory(store, **given)

    def test_so_it_is_for_nodes_and_middleware(self):
        with Memory.open(":memory:") as memory:
            for make in (memory.middleware, memory.recall_node):
                for given in ({"placement": "top"}, {"placement": ""}, {"on_recall": 3}):
                    with pytest.raises(InvalidInputError, match=f"^{next(iter(given))}="):
                        make(**given)

    def test_a_thread_of_a_closed_memory(self):
        with Memory.open(":memory:") as memory:
            threads = memory.checkpointer
        with pytest.raises(StoreClosedError, match="closed"):
            threads.get_tuple({"configurable": {"thread_id": "t"}})
