"""What the folder of a platform gives to the process. Its methods load what they need when they are called."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from hashlib import sha256
from http import HTTPStatus
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Final

from bot.config import Config, RequestSource

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from aiohttp import ClientResponse, ClientSession

    from bot.chat.services import Services
    from bot.platforms.platform import Platform, PlatformServices, WebServer
    from play.people import Address, Player
    from play.ports import NoteStore
    from storage import RedisStore


class Severity(StrEnum):
    """How severe a finding is."""

    GOOD = "ok"
    NOTE = "--"
    BAD = "!!"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of `klop doctor`: its severity, and the key and fields of its words."""

    severity: Severity
    key: str
    fields: dict[str, object]


def found(severity: Severity, key: str, /, **fields: object) -> Finding:
    """Return a finding."""
    return Finding(severity, key, fields)


def either(fine: bool, good: str, bad: str, /, **fields: object) -> Finding:
    """Return the finding of a check that has two ends."""
    return found(Severity.GOOD, good, **fields) if fine else found(Severity.BAD, bad, **fields)


@dataclass(frozen=True, slots=True)
class BotProfile:
    """What a platform says of the bot of a token: its name, and where to invite it."""

    name: str
    invitation: str


class RejectedToken(Exception):
    """The platform does not take the token."""


async def answer_to(request: AbstractAsyncContextManager[ClientResponse]) -> Any:
    """Return the JSON that answers a request with a token; raises `RejectedToken`, or what aiohttp raises."""
    async with request as answer:
        if answer.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
            raise RejectedToken
        answer.raise_for_status()
        return await answer.json()


class Operations(ABC):
    """What an operator does with a platform."""

    how: ClassVar[str]  # the key of where tokens come from
    by_hand: ClassVar[str]  # the key of what the platform lets people alone set

    @abstractmethod
    async def profile(self, session: ClientSession, config: Config, token: str) -> BotProfile:
        """Return the bot of a token; raises `RejectedToken`, or what aiohttp raises."""

    @abstractmethod
    async def publish(self, config: Config) -> Sequence[str]:
        """Set what the platform shows of the bot, where it differs; return what was set, such as `description (uk)`.

        Raises:
            CannotConnect: the platform rejects the token.
            CannotPublish: it does not answer, or refuses a text.
        """

    async def connection_findings(self, session: ClientSession, config: Config) -> Sequence[Finding]:  # noqa: ARG002
        """Return findings about how requests of the platform come, where there is a token."""
        return ()

    async def store_findings(self, store: RedisStore) -> Sequence[Finding]:  # noqa: ARG002
        """Return findings about what the bot has stored of the platform, where there is a token."""
        return ()


class Integration:
    """A platform; `settings` are its own, which the configuration joins."""

    settings: ClassVar[type[Config]]

    def room(self, config: Config) -> Address | None:  # noqa: ARG002 - one of them has a room
        """Return the local room's address, of its own platform."""
        return None

    def server(self, services: PlatformServices, room: Address | None) -> WebServer | None:  # noqa: ARG002
        """Return what serves browsers, if this process is to, who may play in the local room."""
        return None


class ChatIntegration(Integration):
    """A platform that people write to each other on, and that knows the bot by a token.

    Its folder has an `adapter` with a class `<name>Adapter`, a `publishing` with `<name>Operations`, and `proofs` with `identity`.
    """

    key: ClassVar[str]  # `platform` of its addresses and accounts; the name of its folder
    name: ClassVar[str]
    shape: ClassVar[str]  # a regular expression of tokens, which are not logged
    frames: ClassVar[tuple[str, ...]]  # who may show the board page in a frame
    sockets: ClassVar[tuple[str, ...]] = ()  # what a page in such a frame may connect to besides

    def source(self, config: Config) -> RequestSource:
        """Return where the platform's requests come from."""
        return next(each for each in config.sources if each.platform == self.key)

    def token(self, config: Config) -> str | None:
        """Return the token, if there is one."""
        token = self.source(config).token
        return token.get_secret_value() if token else None

    def is_served(self, config: Config) -> bool:
        """Whether this process takes requests from the platform or sends to it."""
        source = self.source(config)
        return source.token is not None and (config.does("sender") or config.takes(source.url))

    def adapter(self) -> Callable[[PlatformServices], Platform]:
        """Return the class of the adapter; this loads the platform's library."""
        found: Callable[[PlatformServices], Platform] = self._part("adapter", f"{self.name}Adapter")
        return found

    def operations(self) -> Operations:
        """Return what an operator does with the platform; this loads its library."""
        found: type[Operations] = self._part("publishing", f"{self.name}Operations")
        return found()

    async def identity(self, services: Services, proof: str, headers: Mapping[str, str]) -> Identity:
        """Return who opens the board page, by a proof in a request with these headers; the proof is used up.

        Raises:
            NotProved: it proves nothing.
            Unavailable: the platform does not answer.
        """
        found: Identity = await self._part("proofs", "identity")(services, proof, headers)
        return found

    async def invitation(self, notes: NoteStore, code: str, key: str) -> str | None:
        """Return the address by which a person comes to a free seat of a match, with its spectators' key.

        None where no bot of the platform has said that it is there.
        """
        found: str | None = await self._part("proofs", "invitation")(notes, code, key)
        return found

    def _part(self, module: str, name: str) -> Any:
        return getattr(import_module(f"{__package__}.{self.key}.{module}"), name)


FRESH: Final = timedelta(hours=1)  # how old a proof may be when a session begins

AHEAD: Final = timedelta(minutes=1)  # by which the clock of a platform may be ahead of ours
LONGEST: Final = 4096  # characters of a proof

_USED: Final = "page:proof:"


class NotProved(Exception):
    """A proof of identity that is forged, stale, used before, or meant for another bot."""


class CodeNeeded(NotProved):
    """A request that the platform has not signed: the page is to bring an authorization code."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A person as a platform vouches for them."""

    player: Player
    proof: str  # names this proof, so that it is used once
    locale: str = ""
    # What the link that they opened carries: the code of a match, with its spectators' key or without.
    start: str = ""
    code: str = ""  # the match that they asked the bot for


async def used_once(notes: NoteStore, identity: Identity) -> None:
    """Note that a proof is used; raises `NotProved` if it was used before."""
    name = _USED + sha256(identity.proof.encode()).hexdigest()
    if not await notes.write_once(name, "", keep=FRESH + AHEAD):
        raise NotProved
