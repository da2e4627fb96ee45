"""The way in: updates are read from the inbox and handled by turns, each of them once."""

from bot.chat.receiving.lanes import Admission, Entrance, Gate, Handling, Lanes, Rest, too_many
from bot.chat.receiving.receiver import Receiver
