"""A Bot API server on the loopback: chats, people, updates that wait until they are confirmed, and faults on order.

It speaks the protocol and nothing else, so that a bot in another process cannot tell. Every request is checked against
what the platform publishes; one that is not valid is refused, and remembered for the test to fail with.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import ClientError, ClientSession, ClientTimeout, web

from tests.platforms.telegram.validity import Invalid, Markup, check, given_as

TOKEN: Final = "7000000001:AAloopback-loopback-loopback-loop_01"
BOT: Final = 7000000001
NAME: Final = "klop_test_bot"
_EPOCH: Final = 1_790_000_000

Json = dict[str, Any]


@dataclass
class Human:
    """Somebody with a Telegram."""

    id: int
    first: str
    user: str | None = None
    language: str | None = "en"

    @property
    def json(self) -> Json:
        held: Json = {"id": self.id, "is_bot": False, "first_name": self.first}
        if self.user:
            held["username"] = self.user
        if self.language:
            held["language_code"] = self.language
        return held


@dataclass
class Room:
    """A chat.

    Attributes:
        id: Negative for groups.
        people: Who is there.
        admins: Who runs it; a bot that is one hears everything.
        forum: Whether it has topics.
        inside: Whether the bot is there, and may write.
        photos: Whether photos may be sent there.
        moved: The number of the supergroup that it has become.
    """

    id: int
    title: str = ""
    people: set[int] = field(default_factory=set)
    admins: set[int] = field(default_factory=set)
    forum: bool = False
    inside: bool = True
    photos: bool = True
    moved: int | None = None
    topics: set[int] = field(default_factory=set)

    @property
    def json(self) -> Json:
        if self.id > 0:
            return {"id": self.id, "type": "private", "first_name": self.title}
        kind = "supergroup" if self.id < -1_000_000_000_000 else "group"
        held: Json = {"id": self.id, "type": kind, "title": self.title}
        if self.forum:
            held["is_forum"] = True
        return held


@dataclass
class Fault:
    """What goes wrong, once or more often.

    Attributes:
        method: Of which requests.
        status: Of the answer.
        body: Of the answer.
        times: How often still.
        after: Whether the request has its effect all the same.
        when: Whether it is this request.
    """

    method: str
    status: int
    body: Json
    times: int = 1
    after: bool = False
    when: Callable[[Json], bool] = lambda _: True


@dataclass
class Call:
    """A request that came."""

    method: str
    given: Json
    files: dict[str, bytes]
    at: float


class Refusal(Exception):
    """A request that the platform answers with an error."""

    def __init__(self, status: int, description: str, **parameters: int) -> None:
        super().__init__(description)
        self.status = status
        self.body: Json = {"ok": False, "error_code": status, "description": description}
        if parameters:
            self.body["parameters"] = parameters


def too_fast(method: str, seconds: int, times: int = 1) -> Fault:
    """The platform wants silence for a while."""
    body = {"ok": False, "error_code": 429, "description": f"Too Many Requests: retry after {seconds}"}
    return Fault(method, 429, {**body, "parameters": {"retry_after": seconds}}, times)


def broken(method: str, status: int = 502, times: int = 1, *, after: bool = False) -> Fault:
    """The platform has trouble of its own."""
    return Fault(
        method, status, {"ok": False, "error_code": status, "description": "Bad Gateway"}, times, after
    )


def refused(method: str, description: str, times: int = 1, status: int = 400) -> Fault:
    """The platform refuses."""
    return Fault(method, status, {"ok": False, "error_code": status, "description": description}, times)


class BotApi:
    """The server. Use as a context; `url` is where it is."""

    def __init__(self) -> None:
        self.humans: dict[int, Human] = {}
        self.rooms: dict[int, Room] = {}
        self.messages: dict[int, dict[int, Json]] = {}
        self.inline: dict[str, Json] = {}
        self.calls: list[Call] = []
        self.faults: list[Fault] = []
        self.invalid: list[str] = []
        self.answered: dict[str, Json] = {}
        self.results: dict[str, list[Json]] = {}
        self.commands: dict[tuple[str, str], list[Json]] = {}
        self.files: dict[str, bytes] = {}
        self.started: set[int] = set()
        self.hook: Json | None = None
        self.deliver_to: str | None = None
        self.confirmed: list[int] = []
        self.clock: Callable[[], float] = time.monotonic
        self.url = ""
        self._updates: list[Json] = []
        self._numbers = itertools.count(9_001)
        self._message_ids: dict[int, Iterator[int]] = {}
        self._queries = itertools.count(1)
        self._news = asyncio.Event()
        self._change = asyncio.Event()
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
            body = {"ok": False, "error_code": 401, "description": "Unauthorized"}
            return web.json_response(body, status=401)
        method = request.match_info["method"]
        given, files = await self._read(request, method)
        call = Call(method, given, files, self.clock())
        if method != "getUpdates":
            self.calls.append(call)
        try:
            check(method, given, files)
        except Invalid as wrong:
            self.invalid.append(f"{method}: {wrong}")
            body = {"ok": False, "error_code": 400, "description": f"Bad Request: {wrong}"}
            return web.json_response(body, status=400)
        fault = next((f for f in self.faults if f.method == method and f.times > 0 and f.when(given)), None)
        if fault is not None:
            fault.times -= 1
            if not fault.after:
                return web.json_response(fault.body, status=fault.status)
        try:
            result = await getattr(self, f"_{method}")(given, files)
        except Refusal as refusal:
            self.changed()
            return web.json_response(refusal.body, status=refusal.status)
        self.changed()
        if fault is not None:
            return web.json_response(fault.body, status=fault.status)
        return web.json_response({"ok": True, "result": result})

    async def _read(self, request: web.Request, method: str) -> tuple[Json, dict[str, bytes]]:
        given: Json = {}
        files: dict[str, bytes] = {}
        for name, held in [*request.query.items(), *(await request.post()).items()]:
            if isinstance(held, web.FileField):
                files[name] = held.file.read()
                self.files[f"{name}/{held.filename}"] = files[name]
                given.setdefault(name, f"attach://{name}")
                files.setdefault(f"name of {name}", held.filename.encode())
            else:
                assert isinstance(held, str)
                given[name] = given_as(method, name, held)
        known = {
            name: value for name, value in given.items() if not (name in files and _is_attached(name, given))
        }
        return known, files

    def changed(self) -> None:
        """Something is different now."""
        self._change.set()
        self._change = asyncio.Event()

    async def until(self, true: Callable[[], bool], seconds: float = 30.0) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(seconds):
            while not true():
                await self._change.wait()

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
        self.hook = given
        self._start(self._bring())
        return True

    async def _deleteWebhook(self, given: Json, files: Mapping[str, bytes]) -> bool:  # noqa: N802
        self.hook = None
        return True

    async def _bring(self) -> None:
        """Bring updates to the webhook, each again and again until it is taken; several beside each other."""
        assert self.hook is not None
        headers = {"X-Telegram-Bot-Api-Secret-Token": self.hook["secret_token"]}
        under_way: set[int] = set()
        async with ClientSession(timeout=ClientTimeout(total=30)) as session:

            async def bring(update: Json) -> None:
                try:
                    async with session.post(self.deliver_to or "", json=update, headers=headers) as answer:
                        taken = answer.status // 100 == 2
                except (ClientError, OSError, TimeoutError):
                    taken = False
                under_way.discard(update["update_id"])
                if taken:
                    self.confirmed.append(update["update_id"])
                    self._updates = [each for each in self._updates if each is not update]
                    self.changed()
                else:
                    await asyncio.sleep(0.2)
                self._news.set()

            while self.hook is not None:
                for update in self._updates:
                    if update["update_id"] not in under_way:
                        under_way.add(update["update_id"])
                        self._start(bring(update))
                self._news.clear()
                await self._news.wait()

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
        markup = Markup.read(given.get("caption", ""), given.get("parse_mode"))
        photo = [{"file_id": f"photo{len(files)}", "file_unique_id": "u", "width": 640, "height": 640}]
        shown = {"photo": photo, "caption": markup.text, "caption_entities": self._entities(markup)}
        return self._sent(given, shown, png=files["photo"])

    async def _sendDocument(self, given: Json, files: Mapping[str, bytes]) -> Json:  # noqa: N802
        name = files["name of document"].decode()
        held = {"file_id": f"document/{name}", "file_unique_id": "u", "file_name": name}
        return self._sent(given, {"document": held}, held=files["document"])

    async def _sendAnimation(self, given: Json, files: Mapping[str, bytes]) -> Json:  # noqa: N802
        return self._sent(
            given,
            {"animation": {"file_id": "a", "file_unique_id": "u", "width": 1, "height": 1, "duration": 1}},
        )

    def _sent(self, given: Json, shown: Json, **kept: bytes) -> Json:
        room = self._room(given["chat_id"])
        topic = given.get("message_thread_id")
        if topic is not None and topic not in room.topics:
            raise Refusal(400, "Bad Request: message thread not found")
        message: Json = {
            "message_id": self._next(room.id), "date": _EPOCH, "chat": room.json,
            "from": {"id": BOT, "is_bot": True, "first_name": "Klop", "username": NAME}, **shown,
        }  # fmt: skip
        if topic is not None:
            message |= {"message_thread_id": topic, "is_topic_message": True}
        if markup := given.get("reply_markup"):
            message["reply_markup"] = markup
        if reply := given.get("reply_parameters"):
            answered = self.messages[room.id].get(reply["message_id"])
            if answered is not None:
                message["reply_to_message"] = _without_reply(answered)
        self.messages.setdefault(room.id, {})[message["message_id"]] = {
            **message, "silent": given.get("disable_notification", False), "sent": len(self.calls), **kept,
        }  # fmt: skip
        return _public(message)

    async def _editMessageText(self, given: Json, files: Mapping[str, bytes]) -> Json | bool:  # noqa: N802
        markup = Markup.read(given["text"], given.get("parse_mode"))
        return self._edited(given, {"text": markup.text, "entities": self._entities(markup)}, "text")

    async def _editMessageCaption(self, given: Json, files: Mapping[str, bytes]) -> Json | bool:  # noqa: N802
        markup = Markup.read(given.get("caption", ""), given.get("parse_mode"))
        shown = {"caption": markup.text, "caption_entities": self._entities(markup)}
        return self._edited(given, shown, "photo")

    async def _editMessageMedia(self, given: Json, files: Mapping[str, bytes]) -> Json | bool:  # noqa: N802
        media = given["media"]
        markup = Markup.read(media.get("caption", ""), media.get("parse_mode"))
        held = files[media["media"].removeprefix("attach://")]
        shown = {"caption": markup.text, "caption_entities": self._entities(markup), "png": held}
        return self._edited(given, shown, "photo")

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
            raise Refusal(
                400,
                "Bad Request: message is not modified: specified new message content and reply markup are exactly "
                "the same as a current content and reply markup of the message",
            )
        message.clear()
        message |= after
        return True if given.get("inline_message_id") else _public(message)

    async def _deleteMessage(self, given: Json, files: Mapping[str, bytes]) -> bool:  # noqa: N802
        room = self._room(given["chat_id"])
        if self.messages.get(room.id, {}).pop(given["message_id"], None) is None:
            raise Refusal(400, "Bad Request: message to delete not found")
        return True

    async def _answerCallbackQuery(self, given: Json, files: Mapping[str, bytes]) -> bool:  # noqa: N802
        query = given["callback_query_id"]
        if query in self.answered:
            raise Refusal(
                400, "Bad Request: query is too old and response timeout expired or query ID is invalid"
            )
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

    async def _getChatMember(self, given: Json, files: Mapping[str, bytes]) -> Json:  # noqa: N802
        room, user = self._room(given["chat_id"]), self.humans[given["user_id"]].json
        if given["user_id"] in room.admins:
            return {"status": "creator", "user": user, "is_anonymous": False}
        return {"status": "member" if given["user_id"] in room.people else "left", "user": user}

    async def _getFile(self, given: Json, files: Mapping[str, bytes]) -> Json:  # noqa: N802
        named = given["file_id"]
        return {
            "file_id": named,
            "file_unique_id": "u",
            "file_path": named,
            "file_size": len(self.files[named]),
        }

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
            raise Refusal(
                400,
                "Bad Request: group chat was upgraded to a supergroup chat",
                migrate_to_chat_id=room.moved,
            )
        if not room.inside:
            raise Refusal(403, "Forbidden: bot was kicked from the group chat")
        return room

    def _next(self, chat: int) -> int:
        return next(self._message_ids.setdefault(chat, itertools.count(1)))

    def _entities(self, markup: Markup) -> list[Json]:
        return [
            {**entity, "user": self.humans[entity["user"]].json} if "user" in entity else entity
            for entity in markup.entities
        ]

    # ---------------------------------------------------------------- what people do

    def update(self, **kind: Json) -> int:
        """One more update; its number."""
        number = next(self._numbers)
        self._updates.append({"update_id": number, **kind})
        self._news.set()
        return number

    @property
    def waiting(self) -> list[int]:
        """The numbers of the updates that have not been confirmed."""
        return [each["update_id"] for each in self._updates]

    def again(self, raw: Json) -> None:
        """Deliver an update once more, under its number."""
        self._updates.append(raw)
        self._news.set()

    def human(
        self, name: str, *, language: str | None = "en", started: bool = True, user: str | None = None
    ) -> Human:
        """Somebody new."""
        made = Human(1_000 + len(self.humans), name, user or name.lower(), language)
        self.humans[made.id] = made
        if started:
            self.started.add(made.id)
        return made

    def group(
        self, number: int, title: str, *people: Human, forum: bool = False, admin: bool = False
    ) -> Room:
        """A group that people are in; those are seen to join. The bot is there already, perhaps as an admin."""
        room = Room(number, title, {each.id for each in people}, forum=forum)
        if admin:
            room.admins.add(BOT)
        self.rooms[number] = room
        if people:
            self.service(room, people[0], new_chat_members=[each.json for each in people])
        return room

    def service(self, room: Room, by: Human, **what: Any) -> int:
        """Something that the chat says of itself."""
        message = {
            "message_id": self._next(room.id),
            "date": _EPOCH,
            "chat": room.json,
            "from": by.json,
            **what,
        }
        return self.update(message=message)

    def say(
        self,
        who: Human,
        room: Room | None,
        text: str,
        *,
        reply_to: Json | None = None,
        topic: int | None = None,
        mentions: Mapping[str, Human] | None = None,
    ) -> int | None:
        """Somebody says something; None where a bot in privacy mode would not hear of it.

        Args:
            who: They.
            room: Where; None for the conversation with the bot.
            text: What.
            reply_to: The message that they answer.
            topic: In which topic.
            mentions: Who the words stand for that were chosen from a list.
        """
        if room is None:
            room = self.rooms.setdefault(who.id, Room(who.id, who.first, {who.id}))
            self.started.add(who.id)
        message: Json = {
            "message_id": self._next(room.id), "date": _EPOCH, "chat": room.json, "from": who.json, "text": text,
        }  # fmt: skip
        entities: list[Json] = []
        if text.startswith("/"):
            entities.append({"type": "bot_command", "offset": 0, "length": len(text.split(maxsplit=1)[0])})
        for word, meant in (mentions or {}).items():
            at = len(text[: text.index(word)].encode("utf-16-le")) // 2
            length = len(word.encode("utf-16-le")) // 2
            entities.append({"type": "text_mention", "offset": at, "length": length, "user": meant.json})
        if entities:
            message["entities"] = entities
        if topic is not None:
            message |= {"message_thread_id": topic, "is_topic_message": True}
            root = {"message_id": topic, "date": _EPOCH, "chat": room.json, "from": who.json}
            created = {"name": "topic", "icon_color": 0}
            message["reply_to_message"] = {**root, "forum_topic_created": created, "is_topic_message": True}
        if reply_to is not None:
            message["reply_to_message"] = _without_reply(reply_to)
        self.messages.setdefault(room.id, {})[message["message_id"]] = message
        ours = reply_to is not None and reply_to["from"]["id"] == BOT
        heard = text.startswith("/") or ours or room.id > 0 or BOT in room.admins
        return self.update(message=_public(message)) if heard else None

    def give(self, who: Human, room: Room | None, name: str, held: bytes, caption: str = "") -> int:
        """Somebody sends a file."""
        room = room or self.rooms.setdefault(who.id, Room(who.id, who.first, {who.id}))
        self.files[f"given/{name}"] = held
        document = {
            "file_id": f"given/{name}",
            "file_unique_id": "u",
            "file_name": name,
            "file_size": len(held),
        }
        message: Json = {
            "message_id": self._next(room.id), "date": _EPOCH, "chat": room.json, "from": who.json,
            "document": document,
        }  # fmt: skip
        if caption:
            message["caption"] = caption
        return self.update(message=message)

    def press(self, who: Human, message: Json, data: str) -> str:
        """Somebody presses a key; the press's name."""
        query = f"q{next(self._queries)}"
        held: Json = {"id": query, "from": who.json, "chat_instance": "1", "data": data}
        if "inline_message_id" in message:
            held["inline_message_id"] = message["inline_message_id"]
        else:
            held["message"] = _public(message)
        self.update(callback_query=held)
        return query

    def ask_inline(self, who: Human, text: str) -> str:
        """Somebody types the bot's name, and something after it, in some chat; the query's name."""
        query = f"i{next(self._queries)}"
        self.update(inline_query={"id": query, "from": who.json, "query": text, "offset": ""})
        return query

    def post_inline(self, who: Human, result: Json, *, feedback: bool = False) -> Json:
        """Somebody sends one of the cards they were offered; the message in a chat that the bot does not see."""
        named = f"AgAA-{next(self._queries)}_inline"
        content = result["input_message_content"]
        markup = Markup.read(content["message_text"], content.get("parse_mode"))
        message = {
            "inline_message_id": named, "text": markup.text, "entities": self._entities(markup),
            "reply_markup": result["reply_markup"],
        }  # fmt: skip
        self.inline[named] = message
        if feedback:
            chosen = {"result_id": result["id"], "from": who.json, "query": "", "inline_message_id": named}
            self.update(chosen_inline_result=chosen)
        return message

    def member(self, room: Room, by: Human, before: str, now: str) -> int:
        """The bot comes, goes or is promoted."""
        bot = {"id": BOT, "is_bot": True, "first_name": "Klop", "username": NAME}
        room.inside = now in ("member", "administrator")

        def status(word: str) -> Json:
            extra: Json = {"until_date": 0} if word == "kicked" else {}
            if word == "administrator":
                rights = (
                    "can_be_edited", "is_anonymous", "can_manage_chat", "can_delete_messages",
                    "can_manage_video_chats", "can_restrict_members", "can_promote_members", "can_change_info",
                    "can_invite_users", "can_post_stories", "can_edit_stories", "can_delete_stories",
                )  # fmt: skip
                extra = dict.fromkeys(rights, False)
            return {"user": bot, "status": word, **extra}

        change = {
            "chat": room.json, "from": by.json, "date": _EPOCH, "old_chat_member": status(before),
            "new_chat_member": status(now),
        }  # fmt: skip
        return self.update(my_chat_member=change)

    def migrate(self, room: Room, number: int, by: Human) -> Room:
        """A group becomes a supergroup."""
        after = Room(number, room.title, room.people, room.admins)
        self.rooms[number] = after
        room.moved = number
        self.service(room, by, migrate_to_chat_id=number)
        self.service(after, by, migrate_from_chat_id=room.id)
        return after

    # ---------------------------------------------------------------- what people see

    def shown(self, room: Room | Human) -> list[Json]:
        """The bot's messages in a chat, in order."""
        held = self.messages.get(room.id, {}).values()
        return [message for message in held if message["from"]["id"] == BOT]

    def last(self, room: Room | Human) -> Json:
        """The bot's last message in a chat."""
        return self.shown(room)[-1]

    def alert(self, query: str) -> str | None:
        """What somebody was told who pressed a key."""
        text = self.answered[query].get("text")
        return str(text) if text is not None else None


def keys(message: Json) -> list[Json]:
    """The keys under a message, row by row."""
    markup = message.get("reply_markup") or {"inline_keyboard": []}
    return [key for row in markup["inline_keyboard"] for key in row]


def words(message: Json) -> str:
    """What a message says."""
    return str(message.get("text") or message.get("caption") or "")


def _public(message: Json) -> Json:
    """A message as it goes over the wire."""
    return {key: held for key, held in message.items() if key not in ("png", "held", "silent", "sent")}


def _without_reply(message: Json) -> Json:
    return {key: held for key, held in _public(message).items() if key != "reply_to_message"}


def _is_attached(name: str, given: Json) -> bool:
    """Whether a name is only that of a part of the request, and no parameter."""
    return name not in ("photo", "document", "animation") and f"attach://{name}" in json.dumps(given)
