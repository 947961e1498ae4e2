"""The chat for LangGraph Studio: its threads and their checkpointer are the server's.

Without a key it runs on the offline extractive model; set OPENAI_API_KEY, or LANGGRAPH_MEMORY_MODEL
to provider:name, for a real one. LANGGRAPH_MEMORY_BUDGET is the token budget of a request.
"""

import os

from langgraph_memory.chat import chat_graph, chat_model, strategy_named

model = chat_model(os.environ.get("LANGGRAPH_MEMORY_MODEL"))
budget = int(os.environ.get("LANGGRAPH_MEMORY_BUDGET", "4000"))

graph = chat_graph(model, strategy_named("summarize", budget, model)).compile(name="chat")
