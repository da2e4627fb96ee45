"""Engines in the bot: searches in worker processes, engines at the table, and advice."""

from bot.thinking.job_queue import Busy
from bot.thinking.jobs import Job, Reply, Variation
from bot.thinking.thinker import NoAnswer, Progress, Thinker

__all__ = ["Busy", "Job", "NoAnswer", "Progress", "Reply", "Thinker", "Variation"]
