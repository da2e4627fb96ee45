"""People in chats: what they do becomes updates, and what the bot has shown them can be looked at."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.platforms.telegram.validity import Markup

TOKEN: Final = "7000000001:AAloopback-loopback-loopback-loop_01"
BOT: Final = 7000000001
NAME: Final = "klop_test_bot"
EPOCH: Final = 1_790_000_000

Json = dict[str, Any]

_RIGHTS: Final = (
    "can_be_edited is_anonymous can_manage_chat can_delete_messages can_manage_video_chats can_restrict_members"
    " can_promote_members can_change_info can_invite_users can_post_stories can_edit_stories can_delete_stories"
)


@dataclass
class Human:
    """A Telegram user."""

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
    """A chat."""

    id: int  # negative for groups
    title: str = ""
    people: set[int] = field(default_factory=set)
    admins: set[int] = field(default_factory=set)  # a bot that is one hears everything
    forum: bool = False
    inside: bool = True  # the bot is there, and may write
    photos: bool = True  # may be sent there
    reactions: set[str] | None = None  # that are allowed there; None for all
    moved: int | None = None  # the number of the supergroup that it has become
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


class Crowd:
    """Everybody with a Telegram, and all that is in their chats."""

    def __init__(self) -> None:
        self.humans: dict[int, Human] = {}
        self.rooms: dict[int, Room] = {}
        self.messages: dict[int, dict[int, Json]] = {}
        self.history: dict[
            int, list[tuple[int, str]]
        ] = {}  # by chat: the bot's messages as sent and as edited
        self.inline: dict[str, Json] = {}
        self.answered: dict[str, Json] = {}
        self.files: dict[str, bytes] = {}
        self.started: set[int] = set()
        self._updates: list[Json] = []
        self._numbers = itertools.count(9_001)
        self._message_ids: dict[int, Iterator[int]] = {}
        self._queries = itertools.count(1)
        self._news = asyncio.Event()
        self._change = asyncio.Event()

    def changed(self) -> None:
        """Something is different now."""
        self._change.set()
        self._change = asyncio.Event()

    async def until(self, true: Callable[[], bool], seconds: float = 60.0) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(seconds):
            while not true():
                await self._change.wait()

    def _next(self, chat: int) -> int:
        return next(self._message_ids.setdefault(chat, itertools.count(1)))

    def _private(self, who: Human) -> Room:
        return self.rooms.setdefault(who.id, Room(who.id, who.first, {who.id}))

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

    def human(
        self, name: str, *, language: str | None = "en", started: bool = True, user: str | None = None
    ) -> Human:
        """Add a user."""
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
        begun = {"message_id": self._next(room.id), "date": EPOCH, "chat": room.json, "from": by.json}
        return self.update(message=begun | what)

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
        """Send a message in a room, or in the conversation with the bot; None where a bot in privacy mode does not get it.

        `mentions` are the people whom words stand for that were chosen from a list.
        """
        if room is None:
            room = self._private(who)
            self.started.add(who.id)
        room.people.add(who.id)
        message: Json = {
            "message_id": self._next(room.id), "date": EPOCH, "chat": room.json, "from": who.json, "text": text,
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
            root = {"message_id": topic, "date": EPOCH, "chat": room.json, "from": who.json}
            created = {"name": "topic", "icon_color": 0}
            message["reply_to_message"] = {**root, "forum_topic_created": created, "is_topic_message": True}
        if reply_to is not None:
            message["reply_to_message"] = without_reply(reply_to)
        self.messages.setdefault(room.id, {})[message["message_id"]] = message
        ours = reply_to is not None and reply_to["from"]["id"] == BOT
        heard = text.startswith("/") or ours or room.id > 0 or BOT in room.admins
        return self.update(message=public(message)) if heard else None

    def edit(self, who: Human, room: Room | Human, message: Json, text: str) -> int:
        """Change the text of a message that was said; the number of the update."""
        held = self.messages[room.id][message["message_id"]]
        assert held["from"]["id"] == who.id
        held |= {"text": text, "edit_date": EPOCH + 1}
        return self.update(edited_message=public(held))

    def said(self, who: Human, room: Room | Human) -> Json:
        """The last message of a person in a chat."""
        held = reversed(self.messages[room.id].values())
        return next(message for message in held if message["from"]["id"] == who.id)

    def give(self, who: Human, room: Room | None, name: str, held: bytes, caption: str = "") -> int:
        """Send a file."""
        room = room or self._private(who)
        self.files[f"given/{name}"] = held
        file = {"file_id": f"given/{name}", "file_unique_id": "u", "file_name": name, "file_size": len(held)}
        return self.service(room, who, document=file, caption=caption)

    def press(self, who: Human, message: Json, data: str) -> str:
        """Press a key; return the id of the press."""
        query = f"q{next(self._queries)}"
        held: Json = {"id": query, "from": who.json, "data": data}
        if "chat" in message:
            self.rooms[message["chat"]["id"]].people.add(who.id)
        held["chat_instance"] = str(7 * message.get("chat", {"id": message.get("posted_in", 0)})["id"])
        if "inline_message_id" in message:
            held["inline_message_id"] = message["inline_message_id"]
        else:
            held["message"] = public(message)
        self.update(callback_query=held)
        return query

    def ask_inline(self, who: Human, text: str) -> str:
        """Type the bot's name and a text in any chat; return the id of the query."""
        query = f"i{next(self._queries)}"
        self.update(inline_query={"id": query, "from": who.json, "query": text, "offset": ""})
        return query

    def post_inline(
        self, who: Human, result: Json, *, feedback: bool = False, room: Room | None = None
    ) -> Json:
        """Send one of the offered cards; return the message, in a group or in a chat that the bot is not in."""
        named = f"AgAA-{next(self._queries)}_inline"
        content = result["input_message_content"]
        markup = Markup.read(content["message_text"], content.get("parse_mode"))
        message = {
            "inline_message_id": named, "text": markup.text, "entities": self._entities(markup),
            "reply_markup": result["reply_markup"], "posted_in": room.id if room else 0,
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
            rights = _RIGHTS.split() if word == "administrator" else ()
            return {"user": bot, "status": word, "until_date": 0} | dict.fromkeys(rights, False)

        change = {"chat": room.json, "from": by.json, "date": EPOCH}
        change |= {"old_chat_member": status(before), "new_chat_member": status(now)}
        return self.update(my_chat_member=change)

    def leave(self, room: Room, who: Human, *, told: bool = True) -> None:
        """A person leaves a group; the bot is told, unless the group is too large for such messages."""
        room.people.discard(who.id)
        if told and BOT in room.admins:
            member = {"user": who.json, "status": "member"}
            change = {"chat": room.json, "from": who.json, "date": EPOCH, "old_chat_member": member}
            self.update(chat_member=change | {"new_chat_member": {"user": who.json, "status": "left"}})
        if told:
            self.service(room, who, left_chat_member=who.json)

    def migrate(self, room: Room, number: int, by: Human) -> Room:
        """A group becomes a supergroup."""
        after = Room(number, room.title, room.people, room.admins)
        self.rooms[number] = after
        room.moved = number
        self.service(room, by, migrate_to_chat_id=number)
        self.service(after, by, migrate_from_chat_id=room.id)
        return after

    # ---------------------------------------------------------------- what people see

    def _note(self, chat: int, message: Json) -> None:
        self.history.setdefault(chat, []).append((message["message_id"], words(message)))

    def shown(self, room: Room | Human) -> list[Json]:
        """The bot's messages in a chat, in order."""
        held = self.messages.get(room.id, {}).values()
        return [message for message in held if message["from"]["id"] == BOT]

    def last(self, room: Room | Human) -> Json:
        """The bot's last message in a chat."""
        return self.shown(room)[-1]

    def alert(self, query: str) -> str | None:
        """Return the alert that answered a press."""
        answer = self.answered[query]
        return str(answer["text"]) if answer.get("show_alert") else None


def keys(message: Json) -> list[Json]:
    """The keys under a message, row by row."""
    markup = message.get("reply_markup") or {"inline_keyboard": []}
    return [key for row in markup["inline_keyboard"] for key in row]


def words(message: Json) -> str:
    """What a message says."""
    return str(message.get("text") or message.get("caption") or "")


def public(message: Json) -> Json:
    """A message as it goes over the wire."""
    ours = ("png", "held", "silent", "sent", "reactions", "asks")
    return {key: held for key, held in message.items() if key not in ours}


def without_reply(message: Json) -> Json:
    return {key: held for key, held in public(message).items() if key != "reply_to_message"}
