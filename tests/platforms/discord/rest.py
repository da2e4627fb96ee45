"""What is behind the routes: messages are written and changed, threads opened, interactions answered."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

from tests.platforms.discord.gateway import PUBLIC_KEY, Fault, Gateway, Posting
from tests.platforms.discord.limits import EPHEMERAL, problems
from tests.platforms.discord.world import DM, GROUP, THREAD, Channel, Guild, Interaction, Message, User

Files: TypeAlias = Sequence[tuple[str, bytes]]

TOKEN: Final = "loopback.token-of.the-bot"

ACKNOWLEDGED_WITHIN: Final = 3.0
"""Seconds in which an interaction must have its first answer."""

BROUGHT: Final = "interaction over HTTP"
"""Begins the name of a task that posts one."""

PATIENCE: Final = 60.0
"""Seconds that anything may take on a busy machine."""

ROUTES: Final[list[tuple[str, re.Pattern[str], Callable[..., Any]]]] = []
"""Method, pattern of the path, and what answers."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request, as it came."""

    method: str
    path: str
    payload: Any
    files: tuple[tuple[str, bytes], ...]
    status: int
    at: float


class Refusal(Exception):
    """What Discord says no with."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


UNKNOWN_CHANNEL: Final = (404, 10003, "Unknown Channel")
UNKNOWN_MESSAGE: Final = (404, 10008, "Unknown Message")
UNKNOWN_WEBHOOK: Final = (404, 10015, "Unknown Webhook")
UNKNOWN_INTERACTION: Final = (404, 10062, "Unknown interaction")
MISSING_ACCESS: Final = (403, 50001, "Missing Access")
MISSING_PERMISSIONS: Final = (403, 50013, "Missing Permissions")
CANNOT_DM: Final = (403, 50007, "Cannot send messages to this user")
ARCHIVED: Final = (400, 50083, "Thread is archived")
LOCKED: Final = (400, 160005, "This thread is locked")


F = TypeVar("F", bound=Callable[..., Any])


def on(method: str, path: str) -> Callable[[F], F]:
    """Marks what answers requests of a kind; each `{}` of the path is handed to it."""

    def mark(answers: F) -> F:
        pattern = path.replace("{}", "([^/]+)")
        ROUTES.append((method, re.compile(pattern), answers))
        return answers

    return mark


class Rest:
    """Everything there is, and what requests do to it."""

    origin = ""

    def __init__(self, *guilds: Guild, shards: int = 1) -> None:
        self.bot = User("klop", "Klop", bot=True)
        self.guilds = list(guilds)
        self.shards = shards
        self.channels: dict[int, Channel] = {}
        self.users: dict[int, User] = {self.bot.id: self.bot}
        self.interactions: dict[str, Interaction] = {}
        self.commands: list[dict[str, Any]] = []
        self.verify_key = PUBLIC_KEY
        self.posting = Posting()
        self.bringing: set[asyncio.Task[None]] = set()
        self.about: dict[str, Any] = {}  # what was set of the application
        self.synced = 0
        self.requests: list[Request] = []
        self.faults: list[Fault] = []
        self.wrong: list[str] = []
        self.cdn: dict[str, bytes] = {}
        self._nonces: dict[tuple[int, str], Message] = {}
        self._waiting: list[tuple[Callable[[], Any], asyncio.Future[None]]] = []
        self.gateway = Gateway(self.bot, TOKEN, self.guilds, self.moved)
        for guild in guilds:
            for channel in guild.channels:
                channel.guild = guild
                self.channels[channel.id] = channel

    def moved(self) -> None:
        """Wake those that wait for a change."""
        for true, coming in self._waiting:
            if not coming.done() and true():
                coming.set_result(None)

    async def until(self, true: Callable[[], Any], what: str = "", patience: float = PATIENCE) -> Any:
        """Wait until something is so, and return what it is."""
        if not (found := true()):
            waiting = (true, asyncio.get_running_loop().create_future())
            self._waiting.append(waiting)
            try:
                await asyncio.wait_for(waiting[1], patience)
            except TimeoutError:
                seen = [f"{each.method} {each.path} {each.status}" for each in self.requests[-8:]]
                raise AssertionError(f"it never came: {what or true} {self.wrong} {seen}") from None
            finally:
                self._waiting.remove(waiting)
            found = true()
        return found

    def add(self, channel: Channel) -> Channel:
        """One more channel."""
        self.channels[channel.id] = channel
        return channel

    def named(self, name: str, shown: str, locale: str) -> User:
        """The person of that name, or a new one."""
        for user in self.users.values():
            if user.name == name:
                return user
        made = User(name, shown, locale=locale)
        self.users[made.id] = made
        return made

    def all_messages(self) -> Iterator[Message]:
        """Every message there is, in the order of their making."""
        for channel in self.channels.values():
            yield from channel.messages.values()

    # --- the routes

    @on("GET", "/gateway/bot")
    def _gateway(self, _payload: Any, _files: Files) -> Any:
        limit = {"total": 1000, "remaining": 999, "reset_after": 1, "max_concurrency": 16}
        return {"url": self.gateway.url, "shards": self.shards, "session_start_limit": limit}

    @on("GET", "/users/@me")
    def _me(self, _payload: Any, _files: Files) -> Any:
        return self.bot.payload()

    @on("GET", "/users/{}")
    def _user(self, _payload: Any, _files: Files, user: str) -> Any:
        found = self.users.get(int(user))
        if found is None:
            raise Refusal(404, 10013, "Unknown User")
        return found.payload()

    @on("GET", "/oauth2/applications/@me")
    def _app(self, _payload: Any, _files: Files) -> Any:
        return {
            "id": str(self.bot.id), "name": "Klop", "description": "", "icon": None, "bot_public": True,
            "bot_require_code_grant": False, "owner": self.bot.payload(), "team": None, "flags": 0,
            "verify_key": self.verify_key, **self.about,
        }  # fmt: skip

    @on("PATCH", "/applications/@me")
    def _edit_app(self, payload: Any, _files: Files) -> Any:
        self.about |= payload
        return self._app(None, ())

    @on("GET", "/applications/{}/commands")
    def _commands(self, _payload: Any, _files: Files, _app: str) -> Any:
        return self.commands

    @on("PUT", "/applications/{}/commands")
    def _sync(self, payload: Any, _files: Files, _app: str) -> Any:
        if any(each["type"] == 4 for each in self.commands) and all(each["type"] != 4 for each in payload):
            raise Refusal(
                400, 50240, "You cannot remove this app's Entry Point command in a bulk update operation."
            )
        self.commands = [{"id": f"{number}"} | each for number, each in enumerate(payload, 1000)]
        self.synced += 1
        return self.commands

    @on("POST", "/users/@me/channels")
    def _dm(self, payload: Any, _files: Files) -> Any:
        return self.conversation(int(payload["recipient_id"])).payload()

    @on("GET", "/guilds/{}")
    def _get_guild(self, _payload: Any, _files: Files, guild: str) -> Any:
        held = self._guild(guild).payload(self.bot)
        return {key: value for key, value in held.items() if key not in ("channels", "threads", "members")}

    @on("GET", "/guilds/{}/channels")
    def _get_channels(self, _payload: Any, _files: Files, guild: str) -> Any:
        return self._guild(guild).payload(self.bot)["channels"]

    @on("GET", "/guilds/{}/members/{}")
    def _get_member(self, _payload: Any, _files: Files, guild: str, user: str) -> Any:
        if int(user) in self._guild(guild).left:
            raise Refusal(404, 10007, "Unknown Member")
        return self._guild(guild).member(self.users[int(user)])

    def _guild(self, guild: str) -> Guild:
        for each in self.guilds:
            if each.id == int(guild) and each.installed:
                return each
        raise Refusal(*MISSING_ACCESS)

    @on("GET", "/channels/{}")
    def _get_channel(self, _payload: Any, _files: Files, channel: str) -> Any:
        return self._channel(channel).payload()

    @on("PATCH", "/channels/{}")
    def _edit_thread(self, payload: Any, _files: Files, channel: str) -> Any:
        found = self._channel(channel)
        if found.locked:
            raise Refusal(*MISSING_PERMISSIONS)
        archived = payload.get("archived", found.archived)
        silent_for = payload.get("auto_archive_duration", found.silent_for)
        if (found.archived and not archived) or silent_for != found.silent_for:
            found.activity += 1
        found.archived, found.silent_for = archived, silent_for
        found.name = payload.get("name", found.name)
        self.moved()
        return found.payload()

    @on("POST", "/channels/{}/messages")
    def _send(self, payload: Any, files: Files, channel: str) -> Any:
        return self._post(self._writable(channel, payload, files), payload, files).payload()

    @on("PATCH", "/channels/{}/messages/{}")
    def _change(self, payload: Any, files: Files, channel: str, message: str) -> Any:
        place = self._writable(channel, None, ())
        found = place.messages.get(int(message))
        if found is None or found.only is not None:
            raise Refusal(*UNKNOWN_MESSAGE)
        return self._edit(found, payload, files).payload()

    @on("DELETE", "/channels/{}/messages/{}")
    def _delete(self, _payload: Any, _files: Files, channel: str, message: str) -> Any:
        if self._channel(channel).messages.pop(int(message), None) is None:
            raise Refusal(*UNKNOWN_MESSAGE)
        return None

    @on("POST", "/channels/{}/threads")
    def _thread(self, payload: Any, _files: Files, channel: str) -> Any:
        parent = self._channel(channel)
        if not parent.bot_may & 1 << 35:
            raise Refusal(*MISSING_PERMISSIONS)
        thread = Channel(THREAD, payload["name"], parent.guild, parent, owner=self.bot.id)
        thread.silent_for = payload["auto_archive_duration"]
        if parent.guild:
            parent.guild.channels.append(thread)
        return self.add(thread).payload()

    @on("PATCH", "/webhooks/{}/{}/messages/{}")
    def _patch_webhook(self, payload: Any, files: Files, _app: str, token: str, message: str) -> Any:
        interaction, found = self._of_token(token, message)
        if message == "@original":
            interaction.waiting, interaction.settled = False, True
        return self._edit(found, payload, files).payload()

    @on("DELETE", "/webhooks/{}/{}/messages/{}")
    def _delete_webhook(self, _payload: Any, _files: Files, _app: str, token: str, message: str) -> Any:
        interaction, found = self._of_token(token, message)
        if message == "@original":
            interaction.waiting, interaction.settled = False, True
        found.channel.messages.pop(found.id, None)
        return None

    def conversation(self, user_id: int) -> Channel:
        user = self.users.get(user_id)
        if user is None:
            raise Refusal(400, 50033, "Invalid Recipient(s)")
        for channel in self.channels.values():
            if channel.kind == DM and user in channel.people:
                return channel
        return self.add(Channel(DM, people=(user,)))

    def _channel(self, channel: str) -> Channel:
        found = self.channels.get(int(channel))
        if found is None or found.deleted:
            raise Refusal(*UNKNOWN_CHANNEL)
        if found.kind == GROUP or (found.guild is not None and not found.guild.installed):
            raise Refusal(*MISSING_ACCESS)
        return found

    def _writable(self, channel: str, payload: Any, files: Any) -> Channel:
        found = self._channel(channel)
        if found.kind == DM and found.people[0].closed:
            raise Refusal(*CANNOT_DM)
        if found.kind != DM:
            may = found.parent.bot_may if found.parent else found.bot_may
            writing = 1 << 38 if found.kind == THREAD else 1 << 11
            if not may & 1 << 10:
                raise Refusal(*MISSING_ACCESS)
            needed = writing | bool(files) << 15 | bool(payload and payload.get("embeds")) << 14
            if payload is not None and may & needed != needed:
                raise Refusal(*MISSING_PERMISSIONS)
        if found.archived:
            raise Refusal(*ARCHIVED)
        if found.locked:
            raise Refusal(*LOCKED)
        return found

    def _post(self, channel: Channel, payload: Any, files: Files, only: User | None = None) -> Message:
        nonce = payload.get("nonce")
        if nonce and payload.get("enforce_nonce") and (channel.id, nonce) in self._nonces:
            return self._nonces[channel.id, nonce]
        message = Message(channel, self.bot, nonce=nonce, only=only)
        self._fill(message, payload, files)
        allowed = payload.get("allowed_mentions") or {}
        message.pings = tuple(
            int(each)
            for each in allowed.get("users") or ()
            if re.search(rf"(?<!\\)<@!?{each}>", message.content)
        )
        channel.messages[message.id] = message
        channel.activity += 1
        message.note()
        if nonce:
            self._nonces[channel.id, nonce] = message
        self.moved()
        return message

    def _edit(self, message: Message, payload: Any, files: Files) -> Message:
        self._fill(message, payload, files)
        message.edits += 1
        message.note()
        if message.only is not None:
            message.channel.messages.setdefault(message.id, message)
        self.moved()
        return message

    def _fill(self, message: Message, payload: Any, files: Files) -> None:
        for key in ("content", "embeds", "components", "flags"):
            if key in payload:
                setattr(message, key, payload[key] or type(getattr(message, key))())
        if "attachments" in payload or files:
            kept = {str(each["id"]): each for each in message.attachments}
            held = []
            for each in payload.get("attachments") or ():
                if str(each["id"]) in kept:
                    held.append(kept[str(each["id"])])
                    continue
                name, content = files[int(each["id"])]
                message.files[name] = content
                url = f"{self.origin}/attachments/{message.id}-{name}"
                self.cdn[f"{message.id}-{name}"] = content
                about = {"filename": name, "description": each.get("description"), "size": len(content)}
                held.append({"id": str(message.id + len(held)), **about, "url": url, "proxy_url": url})
            message.attachments = held

    # --- interactions

    def _unanswered(self, token: str) -> Interaction:
        """An interaction that has no answer yet, and can still have one."""
        interaction = self.interactions.get(token)
        if interaction is None:
            raise Refusal(*UNKNOWN_INTERACTION)
        if interaction.acked is not None:
            raise Refusal(400, 40060, "Interaction has already been acknowledged.")
        if asyncio.get_running_loop().time() - interaction.sent > ACKNOWLEDGED_WITHIN:
            self.wrong.append(f"{interaction.user.name} saw “interaction failed”")
            raise Refusal(*UNKNOWN_INTERACTION)
        return interaction

    def bring(self, interaction: Interaction, payload: dict[str, Any]) -> None:
        """Post an interaction to the bot, without waiting for the response."""
        task = asyncio.create_task(self._bring(interaction, payload), name=f"{BROUGHT} {interaction.id}")
        self.bringing.add(task)
        task.add_done_callback(self.bringing.discard)

    async def _bring(self, interaction: Interaction, payload: dict[str, Any]) -> None:
        """Take the response for the first answer."""
        status, body = await self.posting.post(payload)
        if status == 200:
            wrong = problems("POST", f"/interactions/{interaction.id}/{interaction.token}/callback", body)
            self.wrong += [f"the response to an interaction: {each}" for each in wrong]
            with suppress(Refusal):
                self._callback(body, (), str(interaction.id), interaction.token)
        interaction.failed = interaction.acked is None
        self.moved()

    @on("POST", "/interactions/{}/{}/callback")
    def _callback(self, payload: Any, files: Files, _id: str, token: str) -> Any:
        interaction = self._unanswered(token)
        now = asyncio.get_running_loop().time()
        interaction.acked, interaction.ack = now, payload["type"]
        data = payload.get("data") or {}
        interaction.ephemeral = bool((data.get("flags") or 0) & EPHEMERAL)
        only = interaction.user if interaction.ephemeral else None
        match payload["type"]:
            case 4:
                interaction.original = self._post(interaction.channel, data, files, only)
                interaction.settled = True
            case 5:
                interaction.original = Message(
                    interaction.channel, self.bot, only=only, flags=data.get("flags") or 0
                )
                interaction.channel.messages[interaction.original.id] = interaction.original
                interaction.waiting = True
            case 6:
                interaction.original = interaction.message
                interaction.settled = True
            case 7:
                assert interaction.message is not None
                interaction.original = self._edit(interaction.message, data, files)
                interaction.settled = True
            case 8:
                interaction.choices = data["choices"]
            case 9 | 12:
                interaction.modal = data or None
                interaction.settled = True
        self.moved()
        held = {"id": str(interaction.id), "type": interaction.kind, "activity_instance_id": None}
        held |= {"response_message_loading": interaction.waiting}
        if interaction.original is not None:
            held["response_message_id"] = str(interaction.original.id)
        return {"interaction": held}

    @on("POST", "/webhooks/{}/{}")
    def _follow_up(self, payload: Any, files: Files, _app: str, token: str) -> Any:
        interaction = self.interactions.get(token)
        if interaction is None or interaction.acked is None:
            raise Refusal(*UNKNOWN_WEBHOOK)
        if interaction.waiting:
            assert interaction.original is not None
            interaction.waiting, interaction.settled = False, True
            return self._edit(interaction.original, payload, files).payload()
        only = interaction.user if (payload.get("flags") or 0) & EPHEMERAL else None
        message = self._post(interaction.channel, payload, files, only)
        interaction.follow_ups.append(message)
        return message.payload()

    def _of_token(self, token: str, message: str) -> tuple[Interaction, Message]:
        interaction = self.interactions.get(token)
        if interaction is None:
            raise Refusal(*UNKNOWN_WEBHOOK)
        if message == "@original":
            if interaction.original is None:
                raise Refusal(*UNKNOWN_MESSAGE)
            return interaction, interaction.original
        for each in interaction.follow_ups:
            if each.id == int(message):
                return interaction, each
        raise Refusal(*UNKNOWN_MESSAGE)
