"""LangChain's own tests of tools, on the memory tools of one user."""

from typing import Any

import pytest
from langchain_core.tools import BaseTool
from langchain_tests.integration_tests import ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests

from langgraph_memory.identity import Identity
from langgraph_memory.store import SQLiteMemoryStore
from langgraph_memory.tools import memory_tools

EXAMPLES: dict[str, dict[str, Any]] = {
    "memory_save": {"content": "The user sails.", "type": "skill", "importance": 0.7},
    "memory_search": {"query": "sails", "limit": 3},
    "memory_update": {"id": "known", "content": "The user sails and rows."},
    "memory_forget": {"id": "known"},
}


class OfOneTool:
    name: str

    @property
    def tool_constructor(self) -> BaseTool:
        store = SQLiteMemoryStore(":memory:")
        identity = Identity("chat", "anna")
        return {tool.name: tool for tool in memory_tools(identity, store)}[self.name]

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return EXAMPLES[self.name]


def _standard(name: str, base: type) -> type:
    kind = type(f"Test_{name}", (OfOneTool, base), {"name": name, "__module__": __name__})
    return pytest.mark.filterwarnings("ignore::ResourceWarning")(kind)


for _name in EXAMPLES:
    for _base in (ToolsUnitTests, ToolsIntegrationTests):
        globals()[f"Test_{_name}_{_base.__name__}"] = _standard(_name, _base)
