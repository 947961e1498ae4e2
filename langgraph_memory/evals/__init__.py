"""Evaluations that put this package and other tools into one table.

Run ``python -m langgraph_memory.evals context --data DIR``. Nothing here is imported by the
package itself; the tools compared need the ``evals`` extra.
"""
