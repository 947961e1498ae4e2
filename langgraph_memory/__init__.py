"""Memory for LangGraph agents."""
