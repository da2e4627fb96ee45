"""Engines in the bot: searches in worker processes, engines at the table, and advice."""

from bot.chat.thinking.jobs import Busy, Job, Reply, Variation
from bot.chat.thinking.thinker import NoAnswer, SharedProgress, Thinker
