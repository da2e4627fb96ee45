"""The desk: takes what people type and press, whatever the platform, and answers with messages."""

from bot.desk.desk import Desk
from bot.desk.visitor import Visitor

__all__ = ["Desk", "Visitor"]
