"""Render a message as lines of text: the board as letters or emoji, buttons with numbers.

Deliver the sender's messages to the local room: each is printed once, where it belongs.

Parse a line of the local room into its speaker and its text.
"""

from __future__ import annotations

import asyncio
import re
import textwrap
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Literal

from bot.chat.i18n import Words
from bot.chat.sending.ports import NoMessage, Pace, Recipient
from bot.chat.sending.sender import IDLE, Sender
from bot.chat.view import Button, Message, Person, View, ViewKind, numbered
from bot.platforms.console.integration import PLATFORM
from play.errors import Unavailable
from play.people import Account, Address, Player
from render import ASCII, EMOJI, Alphabet, ascii_board, emoji_board, fits, seat_symbols
from render.text import Rim
from rules.core import TURN, Diagram, Kind, Sign, Zone
from storage.ports import LEASE

KEYS: Final = {"bot.legend.{}": (("neutral", *Zone, *Sign, *Rim, *(f"planned-{sign}" for sign in TURN)),)}
"""The keys that this module puts together, by their template: the members of each hole."""

Style = Literal["emoji", "ascii"]

WIDTH: Final = 98  # the columns that words are wrapped to by default; boards are never wrapped

MARGIN: Final = "  "
_LONG: Final = 32  # characters; if a label is longer, each button has a row


def body(view: View, words: Words, style: Style, width: int = WIDTH) -> Iterator[str]:
    """Return a view as lines."""
    view = view.in_words
    for line in view.lines:
        yield from wrapped(line, width)
    if view.diagram and not any(button.preview for button in view.buttons):  # else each button has a board
        yield from board(view.diagram, style, flipped=view.flipped)
        if signs := " · ".join(explained(view.diagram, words, style)):
            yield from wrapped(signs, width)
    for seated in view.roster:
        sign = (
            seat_symbols(view.diagram, seated.seat, alphabet(view.diagram, style))
            if view.diagram
            else f"{seated.seat.number}."
        )
        yield f"{sign} {seated.text}"
    for line in view.after:
        yield from wrapped(line, width)
    yield from buttons(view.buttons, style, width, flipped=view.flipped)
    if view.film:
        name, film = view.film
        size = {"width": film.width, "height": film.height}
        yield from wrapped(words("bot.console.film", name=name, seconds=round(film.seconds), **size), width)
    for name, content in view.files:
        if isinstance(content, str):  # a picture cannot be printed
            yield f"--- {name}"
            yield from content.splitlines()
            yield "---"


def wrapped(line: str, width: int) -> Iterator[str]:
    """Return a paragraph as rows; the further rows of a list entry are indented."""
    entry = line.startswith(("/", "·"))
    rows = textwrap.wrap(line, width, subsequent_indent="    " if entry else "", break_on_hyphens=False)
    yield from rows or [""]


def board(diagram: Diagram, style: Style, *, flipped: bool = False) -> Iterator[str]:
    """Return a board between blank lines."""
    yield ""
    emoji = alphabet(diagram, style) is EMOJI
    drawn = emoji_board(diagram, flipped=flipped) if emoji else ascii_board(diagram, flipped=flipped)
    yield from drawn.text.splitlines()
    yield ""


def explained(diagram: Diagram, words: Words, style: Style) -> Iterator[str]:
    """Return what the letters of a board mean; emoji need no words, and the roster shows the pieces' owners."""
    if alphabet(diagram, style) is EMOJI:
        return
    for entry in ascii_board(diagram).legend:
        if entry.owner is None:
            meaning = "neutral" if isinstance(entry.what, Kind) else entry.what.value
            if diagram.planned and entry.what in TURN:
                meaning = f"planned-{meaning}"
            yield f"{entry.symbol} {words(f'bot.legend.{meaning}')}"


def alphabet(diagram: Diagram, style: Style) -> Alphabet:
    """Return emoji if they are wanted and the board is narrow enough, else letters."""
    return EMOJI if style == "emoji" and fits(diagram) else ASCII


def buttons(
    offered: tuple[Button, ...], style: Style, width: int = WIDTH, *, flipped: bool = False
) -> Iterator[str]:
    """Return numbered buttons: in rows, or each with the board it leads to."""
    if any(button.preview for button in offered):
        for number, button in enumerate(offered, 1):
            yield _numbered(number, button)
            if button.preview:
                yield from board(button.preview, style, flipped=flipped)
        return
    parts = [_numbered(number, button) for number, button in enumerate(offered, 1)]
    if any(len(part) > _LONG for part in parts):
        yield from parts
        return
    row = ""
    for part in parts:
        if row and len(row) + 2 + len(part) > width:
            yield row
            row = ""
        row = f"{row}  {part}" if row else part
    if row:
        yield row


def _numbered(number: int, button: Button) -> str:
    # Where numbers stand on the board, labels have them already.
    return f"[{number}] {button.label.removeprefix(numbered(number, ''))}"


MAX_LINE: Final = 65536  # most bytes of a line that are read: a match file pasted as one line fits

_NAME: Final = r"[^\W_](?:[\w.'’-]{0,30}[\w.-])?"
_SAID: Final = re.compile(rf"\s*({_NAME})[ \t]*:\s*(.*)", re.DOTALL)
_OPTION: Final = re.compile(r"([^\W\d_]{1,20}):\S")
_OPTIONS: Final = frozenset(
    {
        "level", "clock", "engine", "engines", "players", "board", "variant", "side", "rated", "team", "theme",
        "рівень", "годинник", "гравців", "дошка", "варіант", "уровень", "часы", "игроков", "доска", "вариант",
    }
)  # fmt: skip
"""Words of which `level:3` is an option that was typed without its command, not a person's speech."""
_NAMED: Final = re.compile(rf"{_NAME}\Z")
_NUMBER: Final = re.compile(r"-?[0-9]{1,2}\Z", re.ASCII)
_APOSTROPHES: Final = str.maketrans("’ʼ", "''")


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """A text and its speaker."""

    player: Player
    text: str

    @property
    def number(self) -> int | None:
        """The number of a button, if the text is one; such a button need not exist."""
        return int(self.text) if _NUMBER.match(self.text) else None


def player_named(name: str) -> Player | None:
    """Return the player of that name, ignoring case and kinds of apostrophes; None if it is no name."""
    if not _NAMED.match(name):
        return None
    return Player(Account(PLATFORM, name.casefold().translate(_APOSTROPHES)), name)


def parse(line: str, speaker: Player) -> SpokenLine | None:
    """Return the speaker and text of `name: text`, or of plain text by the current speaker; None for an empty line."""
    text = line.strip("\r\n\t ")
    if not text or text.startswith("# "):
        return None
    option = _OPTION.match(text)
    plain = text.startswith("/") or (option is not None and option[1].casefold() in _OPTIONS)
    found = None if plain else _SAID.match(text)
    if found and (player := player_named(found[1])):
        return SpokenLine(player, found[2].strip())
    return SpokenLine(speaker, text)


def misnamed(line: str) -> str | None:
    """Return the text before the colon of a line like `x: /games` if it is no name; None for any other line."""
    name, _, text = line.partition(":")
    name, text = name.strip(), text.lstrip()
    ordered = text.startswith("/") and text[1:2].isalpha()
    return name if ordered and "/" not in name and player_named(name) is None else None


_PLACE: Final = "at "  # before the place in a ref; as long as the next
_PERSON: Final = "to "

_SOON: Final = 0.2  # seconds


class RoomCourier:
    """The courier of the console. An edited message is printed again; a closed one stays as it is."""

    platform = PLATFORM
    closes = False
    pace = Pace()

    def __init__(self, room: Address, show: Callable[[Sequence[Message]], Awaitable[None]]) -> None:
        self._room = room
        self._show = show
        self._last: tuple[Recipient, View] | None = None  # the board that was printed last

    async def post(
        self,
        to: Recipient,
        view: View,
        *,
        ping: Sequence[Account],  # noqa: ARG002 - all messages are read anyway
        nonce: str,  # noqa: ARG002
    ) -> str:
        """See `Courier.post`. The ref of a message says only to whom it went."""
        await self._show([self._message(to, view)])
        return _PLACE + to.place if isinstance(to, Address) else _PERSON + to.uid

    async def edit(self, ref: str, view: View) -> None:
        """See `Courier.edit`. A board is not repeated for its deadline; nor the one printed last, while nothing has moved and no line is new."""
        kind, where = ref[: len(_PLACE)], ref[len(_PLACE) :]
        if kind not in (_PLACE, _PERSON):
            raise NoMessage
        to: Recipient = Address(PLATFORM, where) if kind == _PLACE else Account(PLATFORM, where)
        if not (view.kind is ViewKind.REDRAWN or self._repeats(to, view)):
            await self._show([self._message(to, view)])

    def _repeats(self, to: Recipient, view: View) -> bool:
        if self._last is None or view.diagram is None:
            return False
        last_to, last = self._last
        same_board = (last_to, last.code, last.diagram) == (to, view.code, view.diagram)
        return same_board and set(view.lines) <= set(last.lines)

    async def reads(self, where: Address, who: Account) -> bool:  # noqa: ARG002 - one person types for all
        return True

    def buried(self, to: Recipient, ref: str) -> bool:  # noqa: ARG002 - a line that is printed does not change
        return True

    async def close(self, ref: str, view: View | None) -> None:
        """See `Courier.close`: printed lines stay, and an old button answers that it is old."""

    def _message(self, to: Recipient, view: View) -> Message:
        if view.diagram is not None:
            self._last = to, view
        return Message(to if isinstance(to, Address) else Person(to, self._room), view)


class OutboxDrain:
    """Delivers what is in the outbox, one call at a time, so that messages stay in order."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._lock = asyncio.Lock()
        self._inherits: float | None = None

    async def drain(self) -> None:
        """Return once all messages are delivered, or the store is out of reach.

        A bot that was killed leaves messages that another one gets only when the lease is over.
        """
        clock = asyncio.get_running_loop().time
        if self._inherits is None:
            self._inherits = clock() + LEASE + IDLE
        async with self._lock:
            with suppress(Unavailable):
                await asyncio.create_task(self._sender.drain(), name="delivery of what waits")
                while clock() < self._inherits and await self._sender.backlog():
                    await asyncio.sleep(_SOON)
                    await self._sender.drain()

    async def run(self) -> None:
        """Deliver what timers and engines bring, until cancelled."""
        while True:
            await self.drain()
            await self._sender.pause()
