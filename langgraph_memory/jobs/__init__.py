"""Durable background work: a queue in the long-term store, and a worker that needs nothing else."""

from langgraph_memory.jobs.queue import Job, JobQueue
from langgraph_memory.jobs.worker import Worker

__all__ = ["Job", "JobQueue", "Worker"]
