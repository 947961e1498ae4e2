"""What an application sets once, in a YAML file or the environment, for all agents and for each.

```yaml
defaults:
  long_term_memory: {enabled: false, max_items: 100}
  memory_tools: false
agents:
  chat:
    memory_tools: true
    long_term_memory: {enabled: true, max_items: 200}
```

A variable overrides the file: ``LANGGRAPH_MEMORY__AGENTS__CHAT__MEMORY_TOOLS=true``, with two
underscores between keys. Long-term memory is off until an agent switches it on, and whatever
cannot be meant is an error with its line or variable.
"""

from langgraph_memory.settings.loading import load_settings
from langgraph_memory.settings.model import AgentSettings, LongTermMemorySettings, Settings

__all__ = ["AgentSettings", "LongTermMemorySettings", "Settings", "load_settings"]
