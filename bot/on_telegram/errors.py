"""What Telegram refuses, and what that means to us."""

from __future__ import annotations

import os
from typing import Final

from telegram.error import BadRequest, Forbidden, NetworkError, TelegramError
from telegram.error import RetryAfter as TooFast

from bot.sender.ports import Gone, NoMessage, RetryAfter, Transient

# The library warns of spans of time in whole seconds wherever one is read, unless it is told that they are known as such.
os.environ.setdefault("PTB_TIMEDELTA", "1")

_SAME: Final = ("message is not modified",)
_LATE: Final = ("query is too old", "query id is invalid", "response timeout expired")
_NO_MESSAGE: Final = (
    "message to edit not found",
    "message can't be edited",
    "message_id_invalid",
    "message identifier is not specified",
    "message to be edited not found",
    "there is no text in the message to edit",
    "there is no caption in the message to edit",
    "message is too old",
)
_NO_TOPIC: Final = ("message thread not found", "topic_deleted", "topic_id_invalid")
_NO_PHOTO: Final = (
    "not enough rights to send photos",
    "chat_send_photos_forbidden",
    "chat_send_media_forbidden",
    "image_process_failed",
    "photo_invalid_dimensions",
)
_GONE: Final = (
    "chat not found",
    "not enough rights",
    "have no rights to send",
    "need administrator rights",
    "chat_write_forbidden",
    "chat_restricted",
    "chat_send_plain_forbidden",
    "peer_id_invalid",
    "user is deactivated",
    "group chat was deactivated",
    "topic_closed",
    "bot was kicked",
    "bot is not a member",
    "channel_private",
)


def same(error: TelegramError) -> bool:
    """Whether the message looks like that already, which is all we want."""
    return _says(error, _SAME)


def late(error: TelegramError) -> bool:
    """Whether whoever pressed a button has stopped waiting for an answer."""
    return _says(error, _LATE)


def no_topic(error: TelegramError) -> bool:
    """Whether the topic was deleted, but its chat is there."""
    return _says(error, _NO_TOPIC)


def no_photo(error: TelegramError) -> bool:
    """Whether text would be welcome where a photo is not."""
    return _says(error, _NO_PHOTO)


def silence(error: TooFast) -> float:
    """For how many seconds Telegram wants nothing."""
    seconds = error.retry_after
    return float(seconds if isinstance(seconds, int) else seconds.total_seconds())


def meaning(error: TelegramError) -> Exception:
    """A refusal as the sender knows it; one that nobody foresaw as it is."""
    if isinstance(error, TooFast):
        return RetryAfter(silence(error))
    if isinstance(error, Forbidden) or _says(error, _GONE):
        return Gone(str(error))
    if _says(error, _NO_MESSAGE):
        return NoMessage(str(error))
    if isinstance(error, BadRequest):
        return error
    if isinstance(error, NetworkError):
        return Transient(str(error))
    return error


def _says(error: TelegramError, parts: tuple[str, ...]) -> bool:
    said = str(error).lower()
    return isinstance(error, BadRequest) and any(part in said for part in parts)
