"""The way in: updates are read from the inbox and handled by turns, each of them once."""

from bot.receiver.lanes import Handling, Lanes, Rest
from bot.receiver.receiver import Receiver

__all__ = ["Handling", "Lanes", "Receiver", "Rest"]
