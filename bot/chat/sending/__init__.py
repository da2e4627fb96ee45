"""The way out: facts are read from the outgoing stream and become messages, in order, each of them once."""

from bot.chat.sending.sender import Sender
