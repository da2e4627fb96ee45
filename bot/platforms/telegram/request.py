"""HTTP requests to the Bot API through aiohttp, in place of the library's own httpx, which takes several times the work.

What Telegram's errors mean to the sender.
"""

from __future__ import annotations

import json
import os
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from aiohttp import BytesPayload, ClientError, ClientSession, ClientTimeout, FormData, Payload, TCPConnector
from telegram.error import BadRequest, Forbidden, NetworkError, TelegramError, TimedOut
from telegram.error import RetryAfter as TooFast
from telegram.request import BaseRequest, RequestData

from bot.chat.metrics import LIMITED, PLATFORM_REQUESTS
from bot.chat.sending.ports import Gone, NoMessage, RetryAfter, Transient
from bot.platforms.telegram.places import PLATFORM

_CONNECT: Final = 5.0  # seconds, as the library allows
_TOO_FAST: Final = 429
_EDITS: Final = "editMessage"  # begins the methods that change a message
_EDITED: Final = b'{"ok": true, "result": true}'
"""What Telegram answers to the change of an inline message. It takes the place of the changed message, which is not read."""
_WRITE: Final = 20.0  # seconds in which a film is written


class AiohttpRequest(BaseRequest):
    """Requests over at most so many `connections`; one that is not answered in `read_timeout` seconds is taken for lost.

    A request is never repeated: Telegram may have carried it out.
    """

    def __init__(self, connections: int, read_timeout: float = _CONNECT) -> None:
        self._connections = connections
        self._read_timeout = read_timeout
        self._session: ClientSession | None = None

    @property
    def read_timeout(self) -> float:
        """See `BaseRequest.read_timeout`."""
        return self._read_timeout

    async def initialize(self) -> None:
        """See `BaseRequest.initialize`. It may be done again after `shutdown`."""
        if self._session is None:
            self._session = ClientSession(
                connector=TCPConnector(limit=self._connections),
                headers={"User-Agent": self.USER_AGENT},
            )

    async def shutdown(self) -> None:
        """See `BaseRequest.shutdown`."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def do_request(  # noqa: PLR0917 - as the library calls it; a timeout that was not given is a value of its own
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: object = BaseRequest.DEFAULT_NONE,
        write_timeout: object = BaseRequest.DEFAULT_NONE,  # noqa: ARG002
        connect_timeout: object = BaseRequest.DEFAULT_NONE,  # noqa: ARG002
        pool_timeout: object = BaseRequest.DEFAULT_NONE,  # noqa: ARG002
    ) -> tuple[int, bytes]:
        """See `BaseRequest.do_request`.

        Raises:
            TimedOut: no answer in time.
            NetworkError: no connection, or one that broke. Its words never hold the URL, in which the token stands.
        """
        if self._session is None:
            raise NetworkError("not initialized")
        patience = read_timeout if isinstance(read_timeout, int | float) else self._read_timeout
        limits = ClientTimeout(
            total=self._read_timeout + _WRITE + patience,  # a connection has to become free too
            sock_connect=_CONNECT,
            sock_read=patience,
        )
        status = 0  # no answer
        try:
            async with self._session.request(
                method, url, data=await _body(request_data), proxy=_proxy(*urlsplit(url)[:2]), timeout=limits
            ) as answer:
                status, content = answer.status, await answer.read()
                if status == _TOO_FAST:
                    LIMITED.add(PLATFORM, "chat", by=_seconds(content))
                if answer.ok and _route(url).startswith(_EDITS):
                    content = _EDITED
                return status, content
        except TimeoutError:
            raise TimedOut from None
        except (ClientError, OSError) as error:
            raise NetworkError(type(error).__name__) from None
        finally:
            PLATFORM_REQUESTS.add(PLATFORM, _route(url), str(status))

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """See `BaseRequest.parse_json_payload`. Of a message that was sent only what names it is kept.

        The library makes an object of all the rest, its keys and photos too, which takes longer than the request.
        """
        answer: dict[str, Any] = BaseRequest.parse_json_payload(payload)
        match answer.get("result"):
            case {"message_id": number, "date": date, "chat": chat}:
                return answer | {"result": {"message_id": number, "date": date, "chat": chat}}
        return answer


def _route(url: str) -> str:
    """Return the method that is called; the rest of the path holds the token."""
    path = urlsplit(url).path
    return "file" if path.startswith("/file/") else path.rpartition("/")[2]


def _seconds(content: bytes) -> float:
    try:
        return float(json.loads(content)["parameters"]["retry_after"])
    except (ValueError, LookupError, TypeError):
        return 0.0


@lru_cache(maxsize=8)
def _proxy(scheme: str, server: str) -> str | None:
    """Without the cache aiohttp would look for a proxy in a thread of its own, for each request."""
    return None if proxy_bypass(server) else getproxies().get(scheme)


async def _body(request_data: RequestData | None) -> Payload | None:
    if request_data is None:
        return None
    form = FormData(request_data.json_parameters)
    for name, (filename, content, kind) in request_data.multipart_data.items():
        form.add_field(name, content, filename=filename, content_type=kind)
    parts: Payload = form()
    # Whole, since each part would be a packet of its own.
    return (
        BytesPayload(await parts.as_bytes(), content_type=parts.content_type)
        if request_data.contains_files
        else parts
    )


# The library warns whenever a span of seconds is read as a number, unless this is set.
os.environ.setdefault("PTB_TIMEDELTA", "1")

SAME: Final = ("message is not modified",)  # it shows that already, which counts as success
LATE: Final = ("query is too old", "query id is invalid", "response timeout expired")
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
NO_TOPIC: Final = ("message thread not found", "topic_deleted", "topic_id_invalid")
NO_PHOTO: Final = (
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


def silence(error: TooFast) -> float:
    """Return the seconds that Telegram demands to wait."""
    seconds = error.retry_after
    return float(seconds if isinstance(seconds, int) else seconds.total_seconds())


def meaning(error: TelegramError) -> Exception:
    """Return an error as the sender knows it; an unforeseen one as it is."""
    if isinstance(error, TooFast):
        return RetryAfter(silence(error))
    if isinstance(error, Forbidden) or has_words(error, _GONE):
        return Gone(str(error))
    if has_words(error, _NO_MESSAGE):
        return NoMessage(str(error))
    if isinstance(error, BadRequest):
        return error
    if isinstance(error, NetworkError):
        return Transient(str(error))
    return error


def has_words(error: TelegramError, parts: tuple[str, ...]) -> bool:
    """Whether an error is one of those with such words."""
    said = str(error).lower()
    return isinstance(error, BadRequest) and any(part in said for part in parts)
