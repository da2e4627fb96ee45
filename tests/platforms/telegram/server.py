"""A Bot API server on the loopback: chats, people, updates that wait until they are confirmed, and faults on order.

It speaks the protocol and nothing else, so that a bot in another process cannot tell. Every request is checked against
what the platform publishes; one that is not valid is refused, and remembered for the test to fail with.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import BodyPartReader, ClientError, ClientSession, ClientTimeout, web

from tests.platforms.telegram.crowd import (
    BOT,
    EPOCH,
    NAME,
    TOKEN,
    Crowd,
    Human,
    Json,
    Room,
    keys,
    public,
    without_reply,
    words,
)
from tests.platforms.telegram.validity import Invalid, Markup, check, given_as


class Refusal(Exception):
    """A request that the platform answers with an error."""

    def __init__(self, status: int, description: str, **parameters: int) -> None:
        super().__init__(description)
        self.status = status
        self.body: Json = {"ok": False, "error_code": status, "description": description}
        if parameters:
            self.body["parameters"] = parameters

    @property
    def answer(self) -> web.Response:
        return web.json_response(self.body, status=self.status)


@dataclass
class Fault:
    """What goes wrong with a method, so many `times` still; `after`: it has its effect all the same."""

    method: str
    refusal: Refusal
    times: int = 1
    after: bool = False


@dataclass
class Call:
    """A request that came."""

    method: str
    given: Json
    files: dict[str, bytes]
    at: float


def too_fast(method: str, seconds: int, times: int = 1) -> Fault:
    """The platform wants silence for a while."""
    said = f"Too Many Requests: retry after {seconds}"
    return Fault(method, Refusal(429, said, retry_after=seconds), times)


def broken(method: str, status: int = 502, times: int = 1, *, after: bool = False) -> Fault:
    """The platform has trouble of its own."""
    return Fault(method, Refusal(status, "Bad Gateway"), times, after)


def refused(method: str, description: str, times: int = 1) -> Fault:
    """The platform refuses."""
    return Fault(method, Refusal(400, description), times)


_ABOUT: Final = {"MyName": "name", "MyDescription": "description", "MyShortDescription": "short_description"}
"""What the bot says of itself, by the methods that set and get it: the parameters."""


class BotApi(Crowd):
    """The server. Use as a context; `url` is where it is."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []
        self.faults: list[Fault] = []
        self.invalid: list[str] = []
        self.results: dict[str, list[Json]] = {}
        self.commands: dict[tuple[str, str], list[Json]] = {}
        self.about: dict[tuple[str, str], str] = {}  # by what it is, and the language
        self.menu_button: Json = {"type": "commands"}
        self.hook: Json | None = None
        self.deliver_to: str | None = None
        self.confirmed: list[int] = []
        self.repeats: Callable[[], Sequence[float]] = tuple
        """Seconds after which an update is brought to the webhook again, though it was taken."""
        self.clock: Callable[[], float] = time.monotonic
        self.url = ""
        self._tasks: set[asyncio.Task[None]] = set()

    # ---------------------------------------------------------------- the protocol

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[BotApi]:
        """Serve for as long as the context lasts."""
        app = web.Application(client_max_size=20_000_000)
        app.router.add_post("/bot{token}/{method}", self._answer)
        app.router.add_get("/file/bot{token}/{path:.*}", self._file)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
        self.url = f"http://127.0.0.1:{port}"
        try:
            yield self
        finally:
            self._news.set()
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await runner.cleanup()

    async def _file(self, request: web.Request) -> web.Response:
        held = self.files.get(request.match_info["path"])
        return web.Response(body=held) if held is not None else web.Response(status=404)

    async def _answer(self, request: web.Request) -> web.Response:
        if request.match_info["token"] != TOKEN:
            return Refusal(401, "Unauthorized").answer
        method = request.match_info["method"]
        given, files = await self._read(request, method)
        call = Call(method, given, files, self.clock())
        if method != "getUpdates":
            self.calls.append(call)
        try:
            check(method, given, files)
        except Invalid as wrong:
            self.invalid.append(f"{method}: {wrong}")
            return Refusal(400, f"Bad Request: {wrong}").answer
        fault = next((f for f in self.faults if f.method == method and f.times > 0), None)
        if fault is not None:
            fault.times -= 1
            if not fault.after:
                return fault.refusal.answer
        try:
            if (what := _ABOUT.get(method[3:])) is not None:
                result = self._about(method, what, given)
            else:
                result = await getattr(self, f"_{method}")(given, files)
            if fault is not None:
                raise fault.refusal
        except Refusal as refusal:
            return refusal.answer
        finally:
            self.changed()
        return web.json_response({"ok": True, "result": result})

    async def _read(self, request: web.Request, method: str) -> tuple[Json, dict[str, bytes]]:
        given: Json = {}
        files: dict[str, bytes] = {}
        for name, held, filename in [
            *((name, held.encode(), None) for name, held in request.query.items()),
            *[part async for part in _parts(request)],
        ]:
            if filename is not None:
                files[name] = held
                self.files[f"{name}/{filename}"] = held
                given.setdefault(name, f"attach://{name}")
                files.setdefault(f"name of {name}", filename.encode())
            else:
                given[name] = given_as(method, name, held.decode())
        known = {
            name: value for name, value in given.items() if not (name in files and _is_attached(name, given))
        }
        return known, files

    # ---------------------------------------------------------------- methods

    async def _getMe(self, given: Json, files: Mapping[str, bytes]) -> Json:  # noqa: N802
        return {
            "id": BOT, "is_bot": True, "first_name": "Klop", "username": NAME, "can_join_groups": True,
            "can_read_all_group_messages": False, "supports_inline_queries": True,
        }  # fmt: skip

    async def _getUpdates(self, given: Json, files: Mapping[str, bytes]) -> list[Json]:  # noqa: N802
        if self.hook is not None:
            raise Refusal(409, "Conflict: can't use getUpdates method while webhook is active")
        offset = given.get("offset")
        if offset is not None:
            gone = [each["update_id"] for each in self._updates if each["update_id"] < offset]
            self.confirmed += gone
            self._updates = [each for each in self._updates if each["update_id"] >= offset]
            self.changed()
        if not self._updates and (wait := given.get("timeout", 0)):
            self._news.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._news.wait()
        return self._updates[: given.get("limit", 100)]

    async def _setWebhook(self, given: Json, files: Mapping[str, bytes]) -> bool:  # noqa: N802
        bringing, self.hook = self.hook is not None, given
        if not bringing:
            self._start(self._bring())
        return True

    async def _deleteWebhook(self, given: Json, files: Mapping[str, bytes]) -> bool:  # noqa: N802
        self.hook = None
        self._news.set()
        return True

    async def _bring(self) -> None:
        """Bring updates to the webhook in their order, each again and again until it is taken."""
        assert self.hook is not None
        headers = {"X-Telegram-Bot-Api-Secret-Token": self.hook["secret_token"]}
        async with ClientSession(timeout=ClientTimeout(total=30)) as session:

            async def post(update: Json) -> bool:
                try:
                    async with session.post(self.deliver_to or "", json=update, headers=headers) as answer:
                        return answer.status // 100 == 2
                except (ClientError, OSError, TimeoutError):
                    return False

            async def again(update: Json, seconds: float) -> None:
                await asyncio.sleep(seconds)
                await post(update)

            while self.hook is not None:
                if not self._updates:
                    self._news.clear()
                    await self._news.wait()
                elif await post(update := self._updates[0]):
                    for seconds in self.repeats():
                        self._start(again(update, seconds))
                    self.confirmed.append(update["update_id"])
                    self._updates = [each for each in self._updates if each is not update]
                    self.changed()
                else:
                    await asyncio.sleep(0.2)

    def _start(self, running: Any) -> None:
        task = asyncio.create_task(running)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _sendMessage(self, given: Json, files: Mapping[str, bytes]) -> Json:  # noqa: N802
        markup = Markup.read(given["text"], given.get("parse_mode"))
        return self._sent(given, {"text": markup.text, "entities": self._entities(markup)})

    async def _sendPhoto(self, given: Json, files: Mapping[str, bytes]) -> Json:  # noqa: N802
        if not self._room(given["chat_id"]).photos:
            raise Refusal(400, "Bad Request: not enough rights to send photos to the chat")
        photo = [{"file_id": f"photo{len(files)}", "file_unique_id": "u", "width": 640, "height": 640}]
        return self._sent(given, {"photo": photo, **self._caption(given)}, png=files["photo"])

    def _caption(self, given: Json) -> Json:
        markup = Markup.read(given.get("caption", ""), given.get("parse_mode"))
        return {"caption": markup.text, "caption_entities": self._entities(markup)}

    async def _sendDocument(self, given: Json, files: Mapping[str, bytes]) -> Json:  # noqa: N802
        name = files["name of document"].decode()
        held = {"file_id": f"document/{name}", "file_unique_id": "u", "file_name": name}
        return self._sent(given, {"document": held}, held=files["document"])

    async def _sendAnimation(self, given: Json, files: Mapping[str, bytes]) -> Json:  # noqa: N802
        film = {"file_id": "a", "file_unique_id": "u", "width": 1, "height": 1, "duration": 1}
        return self._sent(given, {"animation": film, **self._caption(given)})

    async def _sendChatAction(self, given: Json, files: Mapping[str, bytes]) -> bool:  # noqa: N802
        return bool(self._room(given["chat_id"]))

    def _sent(self, given: Json, shown: Json, **kept: bytes) -> Json:
        room = self._room(given["chat_id"])
        topic = given.get("message_thread_id")
        if topic is not None and topic not in room.topics:
            raise Refusal(400, "Bad Request: message thread not found")
        message: Json = {
            "message_id": self._next(room.id), "date": EPOCH, "chat": room.json,
            "from": {"id": BOT, "is_bot": True, "first_name": "Klop", "username": NAME}, **shown,
        }  # fmt: skip
        if topic is not None:
            message |= {"message_thread_id": topic, "is_topic_message": True}
        if "inline_keyboard" in (markup := given.get("reply_markup") or {}):
            message["reply_markup"] = markup
        if reply := given.get("reply_parameters"):
            answered = self.messages[room.id].get(reply["message_id"])
            if answered is not None:
                message["reply_to_message"] = without_reply(answered)
        self.messages.setdefault(room.id, {})[message["message_id"]] = {
            **message, "silent": given.get("disable_notification", False), "sent": len(self.calls), **kept,
            "asks": "force_reply" in markup,
        }  # fmt: skip
        self._note(room.id, message)
        return public(message)

    async def _editMessageText(self, given: Json, files: Mapping[str, bytes]) -> Json | bool:  # noqa: N802
        markup = Markup.read(given["text"], given.get("parse_mode"))
        return self._edited(given, {"text": markup.text, "entities": self._entities(markup)}, "text")

    async def _editMessageCaption(self, given: Json, files: Mapping[str, bytes]) -> Json | bool:  # noqa: N802
        return self._edited(given, self._caption(given), "photo")

    async def _editMessageMedia(self, given: Json, files: Mapping[str, bytes]) -> Json | bool:  # noqa: N802
        media = given["media"]
        held = files[media["media"].removeprefix("attach://")]
        return self._edited(given, self._caption(media) | {"png": held}, "photo")

    async def _editMessageReplyMarkup(self, given: Json, files: Mapping[str, bytes]) -> Json | bool:  # noqa: N802
        return self._edited(given, {}, None)

    def _edited(self, given: Json, shown: Json, kind: str | None) -> Json | bool:
        if named := given.get("inline_message_id"):
            message = self.inline.get(named)
            if message is None:
                raise Refusal(400, "Bad Request: MESSAGE_ID_INVALID")
        else:
            room = self._room(given["chat_id"])
            message = self.messages.get(room.id, {}).get(given["message_id"])
            if message is None:
                raise Refusal(400, "Bad Request: message to edit not found")
        if kind is not None and kind not in message and not (kind == "photo" and "png" in shown):
            what = "text" if kind == "text" else "caption"
            raise Refusal(400, f"Bad Request: there is no {what} in the message to edit")
        after = {**message, **shown}
        after.pop("reply_markup", None)
        if markup := given.get("reply_markup"):
            after["reply_markup"] = markup
        if after == message:
            raise Refusal(400, "Bad Request: message is not modified: specified new message content")
        message.clear()
        message |= after
        if "chat" in message:
            self._note(message["chat"]["id"], message)
        return True if given.get("inline_message_id") else public(message)

    async def _deleteMessage(self, given: Json, files: Mapping[str, bytes]) -> bool:  # noqa: N802
        room = self._room(given["chat_id"])
        if self.messages.get(room.id, {}).pop(given["message_id"], None) is None:
            raise Refusal(400, "Bad Request: message to delete not found")
        return True

    async def _setMessageReaction(self, given: Json, files: Mapping[str, bytes]) -> bool:  # noqa: N802
        room = self._room(given["chat_id"])
        message = self.messages.get(room.id, {}).get(given["message_id"])
        if message is None:
            raise Refusal(400, "Bad Request: message to react not found")
        wanted = [each["emoji"] for each in given.get("reaction", [])]
        if room.reactions is not None and not room.reactions.issuperset(wanted):
            raise Refusal(400, "Bad Request: REACTION_INVALID")
        message["reactions"] = wanted
        return True

    async def _answerCallbackQuery(self, given: Json, files: Mapping[str, bytes]) -> bool:  # noqa: N802
        query = given["callback_query_id"]
        if query in self.answered:
            raise Refusal(400, "Bad Request: query is too old and response timeout expired")
        self.answered[query] = given
        return True

    async def _answerInlineQuery(self, given: Json, files: Mapping[str, bytes]) -> bool:  # noqa: N802
        self.results[given["inline_query_id"]] = given["results"]
        return True

    async def _setMyCommands(self, given: Json, files: Mapping[str, bytes]) -> bool:  # noqa: N802
        self.commands[given["scope"]["type"], given.get("language_code", "")] = given["commands"]
        return True

    async def _getMyCommands(self, given: Json, files: Mapping[str, bytes]) -> list[Json]:  # noqa: N802
        return self.commands.get((given["scope"]["type"], given.get("language_code", "")), [])

    def _about(self, method: str, what: str, given: Json) -> Json | bool:
        named = (what, given.get("language_code", ""))
        if method.startswith("get"):
            return {what: self.about.get(named, "")}
        self.about[named] = given[what]
        return True

    async def _setChatMenuButton(self, given: Json, files: Mapping[str, bytes]) -> bool:  # noqa: N802
        if not given["menu_button"].get("web_app", {"url": "https:"})["url"].startswith("https:"):
            raise Refusal(400, "Bad Request: menu button web app URL is invalid")
        self.menu_button = given["menu_button"]
        return True

    async def _getChatMenuButton(self, given: Json, files: Mapping[str, bytes]) -> Json:  # noqa: N802
        return self.menu_button

    async def _getChatMember(self, given: Json, files: Mapping[str, bytes]) -> Json:  # noqa: N802
        room, user = self._room(given["chat_id"]), self.humans[given["user_id"]].json
        if given["user_id"] in room.admins:
            return {"status": "creator", "user": user, "is_anonymous": False}
        return {"status": "member" if given["user_id"] in room.people else "left", "user": user}

    async def _getFile(self, given: Json, files: Mapping[str, bytes]) -> Json:  # noqa: N802
        named = given["file_id"]
        size = len(self.files[named])
        return {"file_id": named, "file_unique_id": "u", "file_path": named, "file_size": size}

    def _room(self, chat: int) -> Room:
        """A chat that the bot may write to."""
        if chat > 0:
            if chat not in self.humans:
                raise Refusal(400, "Bad Request: chat not found")
            if chat not in self.started:
                raise Refusal(403, "Forbidden: bot can't initiate conversation with a user")
            room = self.rooms.setdefault(chat, Room(chat, self.humans[chat].first, {chat}))
            if not room.inside:
                raise Refusal(403, "Forbidden: bot was blocked by the user")
            return room
        room = self.rooms[chat] if chat in self.rooms else Room(chat, inside=False)
        if room.moved is not None:
            upgraded = "Bad Request: group chat was upgraded to a supergroup chat"
            raise Refusal(400, upgraded, migrate_to_chat_id=room.moved)
        if not room.inside:
            raise Refusal(403, "Forbidden: bot was kicked from the group chat")
        return room


async def _parts(request: web.Request) -> AsyncIterator[tuple[str, bytes, str | None]]:
    """What is in the body: names, contents, and how files are called.

    aiohttp's own `post` holds each file in a temporary one, which stays open where the client goes away meanwhile.
    """
    if request.content_type != "multipart/form-data":
        for name, held in (await request.post()).items():
            assert isinstance(held, str)
            yield name, held.encode(), None
        return
    async for part in await request.multipart():
        assert isinstance(part, BodyPartReader)
        assert part.name is not None
        yield part.name, bytes(await part.read(decode=True)), part.filename


def _is_attached(name: str, given: Json) -> bool:
    """Whether a name is only that of a part of the request, and no parameter."""
    return name not in ("photo", "document", "animation") and f"attach://{name}" in json.dumps(given)


__all__ = [
    "BOT",
    "TOKEN",
    "BotApi",
    "Human",
    "Json",
    "Room",
    "broken",
    "keys",
    "refused",
    "too_fast",
    "words",
]
