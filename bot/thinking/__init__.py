"""Engines in the bot: searches in worker processes, engines that sit at the table, and advice."""

from bot.thinking.jobs import Job, Line, Reply
from bot.thinking.line import Busy
from bot.thinking.thinker import NoAnswer, Thinker

__all__ = ["Busy", "Job", "Line", "NoAnswer", "Reply", "Thinker"]
