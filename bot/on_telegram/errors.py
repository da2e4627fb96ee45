"""Errors of Telegram, and what they mean to the sender."""

from __future__ import annotations

import os
from typing import Final

from telegram.error import BadRequest, Forbidden, NetworkError, TelegramError
from telegram.error import RetryAfter as TooFast

from bot.sender.ports import Gone, NoMessage, RetryAfter, Transient

# The library warns whenever a span of seconds is read as a number, unless this is set.
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
    """Whether the message shows the same already, which counts as success."""
    return _says(error, _SAME)


def late(error: TelegramError) -> bool:
    """Whether the time to answer a press is over."""
    return _says(error, _LATE)


def no_topic(error: TelegramError) -> bool:
    """Whether the topic was deleted, and its chat was not."""
    return _says(error, _NO_TOPIC)


def no_photo(error: TelegramError) -> bool:
    """Whether photos are not allowed, and text is."""
    return _says(error, _NO_PHOTO)


def silence(error: TooFast) -> float:
    """Return the seconds that Telegram demands to wait."""
    seconds = error.retry_after
    return float(seconds if isinstance(seconds, int) else seconds.total_seconds())


def meaning(error: TelegramError) -> Exception:
    """Return an error as the sender knows it; an unforeseen one as it is."""
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
