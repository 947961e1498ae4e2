"""Agents with different memories, or none."""
