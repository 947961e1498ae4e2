"""`python -m langgraph_memory.cli`."""

from langgraph_memory.cli import app

app()
