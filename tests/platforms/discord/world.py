"""What there is in this Discord: servers, channels, people, messages; and what everybody is told of them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

TEXT: Final = 0
DM: Final = 1
GROUP: Final = 3
THREAD: Final = 11

EVERYTHING: Final = (1 << 53) - 1
PLAIN: Final = 1 << 10 | 1 << 11 | 1 << 31 | 1 << 38  # see, write, use commands, write in threads
BOT: Final = PLAIN | 1 << 14 | 1 << 15 | 1 << 16 | 1 << 35 | 1 << 34  # links, files, history, threads

_EPOCH: Final = 1_420_070_400_000
_JOINED: Final = datetime(2020, 1, 1, tzinfo=UTC)
_ids = itertools.count(1)


def snowflake(at: datetime | None = None) -> int:
    """A new id."""
    moment = int((at or datetime.now(UTC)).timestamp() * 1000)
    return (moment - _EPOCH) << 22 | next(_ids) & 0x3FFFFF


def now() -> str:
    """The time as messages have it."""
    return datetime.now(UTC).isoformat()


@dataclass(slots=True, eq=False)
class User:
    """An account."""

    name: str
    shown: str
    bot: bool = False
    locale: str = "en-US"
    id: int = field(default_factory=lambda: snowflake(_JOINED))  # no new account
    closed: bool = False  # takes no direct messages

    def payload(self) -> dict[str, Any]:
        named = {"username": self.name, "global_name": self.shown, "discriminator": "0", "avatar": None}
        return {"id": str(self.id), **named, "bot": self.bot, "public_flags": 0}


@dataclass(slots=True, eq=False)
class Message:
    """A message as it stands, with what has been done to it."""

    channel: Channel
    author: User
    content: str = ""
    embeds: list[Any] = field(default_factory=list)
    components: list[Any] = field(default_factory=list)
    attachments: list[dict[str, Any]] = field(default_factory=list)
    flags: int = 0
    pings: tuple[int, ...] = ()
    nonce: str | None = None
    only: User | None = None  # whom an ephemeral message is for
    edits: int = 0
    files: dict[str, bytes] = field(default_factory=dict)
    id: int = field(default_factory=snowflake)
    at: str = field(default_factory=now)

    @property
    def words(self) -> str:
        """Everything that is written in it."""
        return "\n".join(
            part
            for part in (
                self.content,
                *(f"{each.get('title', '')}\n{each.get('description', '')}" for each in self.embeds),
            )
            if part.strip()
        )

    def note(self) -> None:
        """Write down how it stands now."""
        if self.only is None:
            self.channel.history.append((self.id, self.words))

    def pressed(self) -> list[dict[str, Any]]:
        """Its buttons and selects, in order."""
        return [each for row in self.components for each in row["components"]]

    def payload(self) -> dict[str, Any]:
        held: dict[str, Any] = {
            "id": str(self.id), "channel_id": str(self.channel.id), "author": self.author.payload(),
            "content": self.content, "timestamp": self.at, "edited_timestamp": now() if self.edits else None,
            "attachments": self.attachments, "embeds": self.embeds, "components": self.components,
            "tts": False, "mention_everyone": False, "mentions": [], "mention_roles": [], "pinned": False,
            "type": 0, "flags": self.flags,
        }  # fmt: skip
        return held | ({"nonce": self.nonce} if self.nonce else {})


@dataclass(slots=True, eq=False)
class Channel:
    """A channel, a thread, or a conversation."""

    kind: int = TEXT
    name: str = "games"
    guild: Guild | None = None
    parent: Channel | None = None
    people: tuple[User, ...] = ()  # of a conversation
    archived: bool = False
    locked: bool = False
    silent_for: int = 1440  # minutes without activity after which a thread is archived
    activity: int = 0  # how often that time began anew
    deleted: bool = False
    owner: int = 0
    bot_may: int = BOT
    hidden_from: set[int] = field(default_factory=set)
    messages: dict[int, Message] = field(default_factory=dict)
    history: list[tuple[int, str]] = field(default_factory=list)  # messages for all, as sent and as edited
    id: int = field(default_factory=snowflake)

    def payload(self) -> dict[str, Any]:
        held: dict[str, Any] = {"id": str(self.id), "type": self.kind}
        if self.kind in (DM, GROUP):
            held["recipients"] = [each.payload() for each in self.people]
            if self.kind == GROUP:
                held |= {"name": None, "icon": None, "owner_id": str(self.people[0].id)}
            return held | {"last_message_id": None}
        held |= {
            "name": self.name, "guild_id": str(self.guild.id) if self.guild else None,
            "parent_id": str(self.parent.id) if self.parent else None, "position": 0,
            "permission_overwrites": [
                {"id": str(each), "type": 1, "allow": "0", "deny": str(1 << 10)} for each in self.hidden_from
            ],
            "rate_limit_per_user": 0,
        }  # fmt: skip
        if self.kind == THREAD:
            times = {
                "auto_archive_duration": self.silent_for,
                "archive_timestamp": now(),
                "create_timestamp": now(),
            }
            held |= {
                "owner_id": str(self.owner), "member_count": 1, "message_count": len(self.messages),
                "thread_metadata": {"archived": self.archived, "locked": self.locked, **times},
            }  # fmt: skip
        return held


@dataclass(slots=True, eq=False)
class Guild:
    """A server."""

    name: str
    locale: str = "en-US"
    features: list[str] = field(default_factory=list)
    installed: bool = True  # or the bot is used there by people who installed it for themselves
    channels: list[Channel] = field(default_factory=list)
    joined: str = "2020-01-01T00:00:00+00:00"  # when the bot came
    admins: set[int] = field(default_factory=set)
    nicks: dict[int, str] = field(default_factory=dict)
    left: set[int] = field(default_factory=set)  # people who are no members any more
    id: int = field(default_factory=snowflake)

    def payload(self, bot: User) -> dict[str, Any]:
        role = {"id": str(self.id), "name": "@everyone", "permissions": str(BOT), "position": 0}
        threads = [each.payload() for each in self.channels if each.kind == THREAD and not each.archived]
        return {
            "id": str(self.id), "name": self.name, "owner_id": str(bot.id + 1), "preferred_locale": self.locale,
            "features": self.features,
            "roles": [role], "member_count": 5, "unavailable": False, "joined_at": self.joined,
            "system_channel_id": str(self.channels[0].id) if self.channels else None,
            "channels": [each.payload() for each in self.channels if each.kind == TEXT and not each.deleted],
            "threads": threads, "members": [self.member(bot)],
        }  # fmt: skip

    def member(self, user: User, *, permissions: int | None = None) -> dict[str, Any]:
        held: dict[str, Any] = {
            "user": user.payload(), "nick": self.nicks.get(user.id), "roles": [], "joined_at": self.joined,
            "flags": 0,
        }  # fmt: skip
        return held | ({"permissions": str(permissions)} if permissions is not None else {})

    def permissions(self, user: User) -> int:
        return EVERYTHING if user.id in self.admins else PLAIN


@dataclass(slots=True, eq=False)
class Interaction:
    """An interaction of a person with the bot, and its response."""

    kind: int
    user: User
    channel: Channel
    message: Message | None = None
    id: int = field(default_factory=snowflake)
    token: str = ""
    sent: float = 0.0
    acked: float | None = None  # seconds of the loop's clock
    ack: int | None = None  # the type of the first answer
    original: Message | None = None  # what the first answer shows, or the message that was pressed in
    waiting: bool = False  # whether "thinking" is shown
    settled: bool = False  # whether the first answer has been filled in or taken away
    modal: dict[str, Any] | None = None
    choices: list[dict[str, str]] | None = None
    follow_ups: list[Message] = field(default_factory=list)
    ephemeral: bool = False
    failed: bool = False  # over HTTP: no process took it, so the person saw “interaction failed”
    edits: int = 0  # of the pressed message, before it was pressed

    def __post_init__(self) -> None:
        self.token = self.token or f"tok-{self.id}"
        self.edits = self.message.edits if self.message else 0

    @property
    def answered(self) -> bool:
        """Whether its author sees what came of it: in the first answer, in the pressed message, or in a further one."""
        if self.message is None:
            return self.settled
        changed = self.message.edits > self.edits or self.message.id not in self.channel.messages
        return changed or bool(self.follow_ups) or self.modal is not None
