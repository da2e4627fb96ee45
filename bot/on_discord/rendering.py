"""Render a view as a Discord message: content, embeds, files and components. No network here.

Words stand in the content, which notifications and screen readers show. Longer words go into embeds, and still longer
ones into a file: nothing is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from bot.on_discord.components import Key, Row, arranged
from bot.on_discord.markup import cut, escaped, fenced, linked, mention, paragraphs, plain, remaining
from bot.view import View
from play.people import Account
from render import ASCII, EMOJI, ascii_board, emoji_board, fits, seat_symbols
from rules.core import Diagram

CONTENT: Final = 2000  # most characters of a message
EMBED: Final = 4096  # most characters of an embed's description
EMBEDS: Final = 6000  # most characters of all embeds of a message
ALT: Final = 1024  # most characters of the description of a file

PICTURE: Final = "board.png"
TEXT: Final = "text.txt"
"""Names of files."""

MAX_EMOJI: Final = 120  # most emoji of a board; more make clients slow, and letters are clearer then

_CIRCLED: Final = "①②③④⑤⑥⑦⑧⑨⑩"


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that comes with a message; `alt` describes it for screen readers."""

    name: str
    content: bytes
    alt: str = ""


@dataclass(frozen=True, slots=True)
class DiscordMessage:
    """A view as a Discord message.

    Attributes:
        content: Words, in Discord's markup.
        embeds: The words instead, where they are too long for the content.
        ping: People whom it mentions.
    """

    content: str = ""
    embeds: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    files: tuple[Upload, ...] = ()
    ping: tuple[Account, ...] = ()


def render(
    view: View,
    picture: bytes | None = None,
    *,
    ping: Sequence[Account] = (),
    more: Sequence[Key] = (),
    commands: Callable[[str], str] = str,
) -> DiscordMessage:
    """Return a view as a message, with `more` buttons after its own; without a picture of its board, the board is text.

    `commands` writes the commands in its words as the reader's client has them.
    """
    files = []
    if picture is not None and not view.text_board:
        files.append(Upload(PICTURE, picture, _alt(view)))
    else:
        view = view.in_words
    if view.film is not None:
        name, film = view.film
        files.append(Upload(name, film.data, _alt(view)))
    files += [Upload(name, held) for name, held in view.attachments]
    text = _text(view, painted=bool(files and files[0].name == PICTURE), ping=ping, commands=commands)
    content, embeds, left = _shared_out(text)
    if left:
        words = (*view.lines, *(line.text for line in view.roster), *view.after)
        files.append(Upload(TEXT, plain("\n".join(words)).encode()))
    return DiscordMessage(content, embeds, arranged(view, more), tuple(files), tuple(ping))


def _alt(view: View) -> str:
    return cut(plain(view.alt or " ".join((*view.lines, *view.after))), ALT)


def _text(view: View, *, painted: bool, ping: Sequence[Account], commands: Callable[[str], str]) -> str:
    parts = [commands(linked(paragraphs(view.lines), view.links, view.urls))] if view.lines else []
    if view.diagram is not None and not painted:
        parts.append(_board(view, view.diagram))
    if view.roster:
        parts.append("\n".join(f"{_sign(view, index, painted=painted)} {escaped(line.text)}"
                               for index, line in enumerate(view.roster)))  # fmt: skip
    after = commands(paragraphs(view.untimed if view.deadline is not None and view.untimed else view.after))
    if view.deadline is not None:
        # Set apart: Discord itself words the time as "in 3 days", and "Turn: Ann in 3 days" would mean another thing.
        after = " · ".join(part for part in (after, f"⏳ {remaining(view.deadline)}") if part)
    if ping:
        after = " ".join((*(mention(one.uid) for one in ping), after)).strip()
    if after:
        parts.append(after)
    return "\n".join(parts)


def _sign(view: View, index: int, *, painted: bool) -> str:
    seat = view.roster[index].seat
    if painted or view.diagram is None:
        return _CIRCLED[seat.value] if seat.value < len(_CIRCLED) else f"{seat.number}"
    alphabet = EMOJI if _as_emoji(view) else ASCII
    return escaped(seat_symbols(view.diagram, seat, alphabet))


def _as_emoji(view: View) -> bool:
    grid = view.diagram.grid if view.diagram else None
    return (
        view.diagram is not None
        and grid is not None
        and not view.text_board
        and grid.files * grid.ranks <= MAX_EMOJI
        and fits(view.diagram)
    )


def _board(view: View, diagram: Diagram) -> str:
    if _as_emoji(view):
        return emoji_board(diagram, flipped=view.flipped).text
    return fenced(ascii_board(diagram, flipped=view.flipped).text)


def _shared_out(text: str) -> tuple[str, tuple[str, ...], bool]:
    """Return a text as content or as embeds, and whether even those are too short for it."""
    if len(text) <= CONTENT:
        return text, (), False
    rest, left = _whole_lines(text, EMBEDS)
    embeds = []
    while rest:
        part, rest = _whole_lines(rest, EMBED)
        embeds.append(part)
    return "", tuple(embeds), bool(left)


def _whole_lines(text: str, most: int) -> tuple[str, str]:
    """Return the first lines that fit, and the rest; a line that is too long is cut between words."""
    if len(text) <= most:
        return text, ""
    at = text.rfind("\n", 1, most + 1)
    if at < 1:
        at = text.rfind(" ", 1, most + 1)
    if at < 1:
        at = most
    return text[:at].rstrip("\n"), text[at:].lstrip("\n")
