"""The way in: updates are read from the inbox and handled by turns, each of them once."""

from bot.receiver.gate import Entrance, Entry, Gate, too_many
from bot.receiver.lanes import Handling, Lanes, Rest
from bot.receiver.receiver import Receiver

__all__ = ["Entrance", "Entry", "Gate", "Handling", "Lanes", "Receiver", "Rest", "too_many"]
