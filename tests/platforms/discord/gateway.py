"""How the bot hears of events: the gateway, version 10, or signed posts; and what goes wrong on purpose."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientSession,
    ClientTimeout,
    TCPConnector,
    WSMsgType,
    web,
)
from nacl.signing import SigningKey

from tests.platforms.discord.world import Guild, User, snowflake

# The gateway, version 10: hello, identify or resume, heartbeats, events; and everything that can go wrong
# with it.


GUILDS: Final = 1
"""The one intent that the bot may ask for."""

HEARTBEAT: Final = 41_250  # milliseconds


@dataclass(slots=True, eq=False)
class Session:
    """A session: it outlives its connections, and keeps what they may have missed."""

    shard: int
    shards: int
    id: str = field(default_factory=lambda: f"session-{snowflake()}")
    sent: list[dict[str, Any]] = field(default_factory=list)
    socket: web.WebSocketResponse | None = None
    valid: bool = True

    async def send(self, event: str, data: Any) -> None:
        """An event; kept, in case the connection is not there or breaks."""
        message = {"op": 0, "t": event, "s": len(self.sent) + 1, "d": data}
        self.sent.append(message)
        if self.socket is not None and not self.socket.closed:
            try:
                await self.socket.send_json(message)
            except (ConnectionError, RuntimeError):
                self.socket = None


class Gateway:
    """Serves the connections of all shards.

    Attributes:
        sessions: By shard, the one that events go to.
        opened: What each new connection began with: `identify` or `resume`, and its shard.
        wrong: What a client must not do.
    """

    def __init__(self, bot: User, token: str, guilds: list[Guild], moved: Callable[[], None]) -> None:
        self._bot = bot
        self._token = token
        self._guilds = guilds
        self._moved = moved
        self.sessions: dict[int, Session] = {}
        self._kept: dict[str, Session] = {}
        self.opened: list[tuple[str, int]] = []
        self.wrong: list[str] = []
        self.url = ""
        self._refused: int | None = None
        self._sockets: set[web.WebSocketResponse] = set()

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """One connection."""
        if request.query.get("v") != "10" or request.query.get("encoding") != "json":
            self.wrong.append(f"gateway: {dict(request.query)}")
        socket = web.WebSocketResponse(compress=False)
        await socket.prepare(request)
        self._sockets.add(socket)
        session: Session | None = None
        try:
            await socket.send_json({"op": 10, "d": {"heartbeat_interval": HEARTBEAT}})
            async for message in socket:
                if message.type is not WSMsgType.TEXT:
                    break
                said = json.loads(message.data)
                if said["op"] == 1:
                    await socket.send_json({"op": 11})
                elif said["op"] == 2:
                    session = await self._identify(socket, said["d"])
                elif said["op"] == 6:
                    session = await self._resume(socket, said["d"])
                else:
                    self.wrong.append(f"gateway: op {said['op']} is of no use to this bot")
        finally:
            self._sockets.discard(socket)
            if session is not None and session.socket is socket:
                session.socket = None
            self._moved()
        return socket

    async def _identify(self, socket: web.WebSocketResponse, said: dict[str, Any]) -> Session | None:
        if said["token"] != self._token or self._refused is not None:
            await socket.close(code=self._refused or 4004)
            return None
        if said["intents"] != GUILDS:
            self.wrong.append(f"gateway: intents {said['intents']}")
        shard, shards = said.get("shard", (0, 1))
        session = Session(shard, shards, socket=socket)
        self._kept[session.id] = session
        self.opened.append(("identify", shard))
        guilds = [each for each in self._guilds if each.installed and (each.id >> 22) % shards == shard]
        ready = {
            "v": 10, "user": self._bot.payload(), "session_id": session.id, "resume_gateway_url": self.url,
            "guilds": [{"id": str(each.id), "unavailable": True} for each in guilds],
            "shard": [shard, shards], "application": {"id": str(self._bot.id), "flags": 0},
        }  # fmt: skip
        await session.send("READY", ready)
        for each in guilds:
            await session.send("GUILD_CREATE", each.payload(self._bot))
        self.sessions[shard] = session
        self._moved()
        return session

    async def _resume(self, socket: web.WebSocketResponse, said: dict[str, Any]) -> Session | None:
        session = self._kept.get(said["session_id"])
        if said["token"] != self._token or session is None or not session.valid:
            await socket.send_json({"op": 9, "d": False})
            return None
        self.opened.append(("resume", session.shard))
        missed = session.sent[said["seq"] :]
        session.socket = socket
        for message in missed:
            await socket.send_json(message)
        await session.send("RESUMED", {})
        self.sessions[session.shard] = session
        self._moved()
        return session

    async def tell(self, event: str, data: Any, guild: Guild | None = None) -> None:
        """An event to the shard that a guild is on; without a guild, to the first."""
        shards = next(iter(self.sessions.values())).shards
        shard = (guild.id >> 22) % shards if guild else 0
        await self.sessions[shard].send(event, data)

    @property
    def connected(self) -> set[int]:
        """The shards that listen."""
        return {shard for shard, each in self.sessions.items() if each.socket and not each.socket.closed}

    # --- what goes wrong

    def refuse(self, code: int) -> None:
        """Hang up at each identify."""
        self._refused = code

    async def garble(self, shard: int = 0) -> None:
        """Send a frame that is no JSON."""
        await self._socket(shard).send_str("{")

    async def ask_to_reconnect(self, shard: int = 0) -> None:
        """Op 7."""
        await self._socket(shard).send_json({"op": 7, "d": None})

    async def invalidate(self, shard: int = 0, *, resumable: bool) -> None:
        """Op 9."""
        self.sessions[shard].valid = resumable
        await self._socket(shard).send_json({"op": 9, "d": resumable})

    async def hang_up(self, shard: int = 0, code: int = 1001) -> None:
        """Close a connection."""
        socket = self._socket(shard)
        self.sessions[shard].socket = None
        await socket.close(code=code)

    def _socket(self, shard: int) -> web.WebSocketResponse:
        socket = self.sessions[shard].socket
        assert socket is not None
        return socket

    async def close(self) -> None:
        """Close every connection."""
        for socket in list(self._sockets):
            await asyncio.wait_for(socket.close(code=1001), 5)


# How this Discord posts to a bot: signed, to an address behind which one or several of its processes stand.


KEY: Final = SigningKey(bytes(range(32)))
PUBLIC_KEY: Final = KEY.verify_key.encode().hex()

_WITHIN: Final = ClientTimeout(total=10.0)


def signed(body: bytes, at: float, key: SigningKey = KEY) -> dict[str, str]:
    """Return the headers of a body that is signed at a time, in seconds."""
    stamp = str(int(at))
    signature = key.sign(stamp.encode() + body).signature.hex()
    return {
        "X-Signature-Ed25519": signature,
        "X-Signature-Timestamp": stamp,
        "Content-Type": "application/json",
    }


class Posting:
    """Posts to the processes of a bot by turns; one that refuses the connection is passed over, as balancers do.

    Attributes:
        processes: The URLs of the processes; none if the bot uses the gateway.
        now: The clock of this Discord, in seconds.
        broken: How many requests got no response: the process ended meanwhile.
        nowhere: How many requests all processes refused.
    """

    def __init__(self) -> None:
        self.processes: Sequence[str] = ()
        self.now: Callable[[], float] = time.time
        self.broken = self.nowhere = 0
        self._turns = itertools.count()
        self._session: ClientSession | None = None

    async def post(
        self, payload: Mapping[str, Any], headers: Mapping[str, str] | None = None
    ) -> tuple[int, Any]:
        """Return the status and the JSON that come back; 502 if nothing does."""
        body = json.dumps(payload).encode()
        turn = next(self._turns)
        for number in range(len(self.processes)):
            url = self.processes[(turn + number) % len(self.processes)]
            headers = headers or signed(body, self.now())
            try:
                async with self._opened().post(url, data=body, headers=headers) as answer:
                    said = await answer.read()
                    return answer.status, json.loads(said) if said else None
            except ClientConnectorError:
                continue
            except (ClientError, OSError, TimeoutError):
                self.broken += 1
                return 502, None
        self.nowhere += 1
        return 502, None

    async def answers(self, url: str) -> bool:
        """Whether a process answers a PING."""
        body = json.dumps({"type": 1}).encode()
        try:
            async with self._opened().post(url, data=body, headers=signed(body, self.now())) as answer:
                return answer.status == 200
        except (ClientError, OSError, TimeoutError):
            return False

    def _opened(self) -> ClientSession:
        if (
            self._session is None
        ):  # a connection is not kept: a process that ends would close it as a request comes
            self._session = ClientSession(timeout=_WITHIN, connector=TCPConnector(force_close=True))
        return self._session

    async def verified(self, ping: int) -> bool:
        """Whether the bot answers a PING, and rejects one that is signed with another key; what Discord tries before it takes a URL."""
        payload = {"type": ping, "version": 1, "application_id": "1"}
        forged = signed(json.dumps(payload).encode(), self.now(), SigningKey(bytes(32)))
        expected = (200, {"type": 1}) if ping == 1 else (204, None)
        return await self.post(payload) == expected and (await self.post(payload, forged))[0] == 401

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()


# What goes wrong with Discord on purpose.


@dataclass(slots=True)
class Fault:
    """What goes wrong with requests of a kind.

    Attributes:
        method: Of the requests; `*` for any.
        path: A pattern of their path.
        status: What is answered; None to hang up without a word.
        code: Discord's own number of the error.
        times: How often.
        after: Whether the request is done first, and only the answer is lost.
        headers: Of the answer.
        body: Of the answer; made from status and code if None.
    """

    method: str
    path: str
    status: int | None
    code: int = 0
    times: int = 1
    after: bool = False
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None


def too_fast(
    path: str, seconds: float, *, everywhere: bool = False, times: int = 1, method: str = "*"
) -> Fault:
    """A 429 as Discord sends it."""
    headers = {"Retry-After": str(seconds), "Via": "1.1 google", "X-RateLimit-Reset-After": str(seconds)}
    headers["X-RateLimit-Scope"] = "global" if everywhere else "user"
    if everywhere:
        headers["X-RateLimit-Global"] = "true"
    body = {"message": "You are being rate limited.", "retry_after": seconds, "global": everywhere}
    return Fault(method, path, 429, times=times, headers=headers, body=body)
