"""How this Discord posts to a bot: signed, to an address behind which one or several of its processes stand."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from aiohttp import ClientConnectorError, ClientError, ClientSession, ClientTimeout, TCPConnector
from nacl.signing import SigningKey

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
