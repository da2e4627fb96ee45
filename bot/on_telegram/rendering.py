"""A view as Telegram shows it: a photo with a caption, or text; and the keys under it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from bot.on_telegram.keyboard import keyboard
from bot.on_telegram.markup import clean, cut, html, link, mention, pages
from bot.pictures import Pictures
from bot.presenter.captions import length
from bot.view import View
from render import ASCII, EMOJI, ascii_board, emoji_board, fits, seat_symbols
from rules.core import Diagram

CAPTION: Final = 1024
"""Characters of a photo's caption."""

TEXT: Final = 4096
"""Characters of a message."""

ALERT: Final = 200
"""Characters of what is said to whoever pressed a key."""

_SPARE: Final = 40  # characters: signs of everybody who is called, nine at most, blanks and line ends between
_LEAST: Final = 80  # characters: of the board in words, less than this tells nothing
CALL: Final = "👉"
"""Stands for somebody who is called, where their name does not."""

ASKED: Final = "🙋"
"""Stands for whoever alone a question in a group is for."""


@dataclass(frozen=True, slots=True)
class Call:
    """Whom a message calls.

    Attributes:
        user: Their number.
        name: What they are called, if that is known.
        sign: What stands for them where their name does not.
    """

    user: str
    name: str | None
    sign: str = CALL


@dataclass(frozen=True, slots=True)
class TelegramMessage:
    """A message, made up.

    Attributes:
        text: Its text or caption, as HTML.
        photo: A PNG file; None for a message of text.
        keys: What can be pressed.
        before: Texts that come before it, each a message of its own, where one does not hold everything.
        files: Names and contents of what is sent after it.
        film: An animation that is sent after it.
    """

    text: str
    photo: bytes | None
    keys: InlineKeyboardMarkup | None
    before: tuple[str, ...] = ()
    files: tuple[tuple[str, bytes], ...] = ()
    film: tuple[str, bytes] | None = None


class Renderer:
    """Makes views up.

    Args:
        pictures: Paints boards; those that it cannot are text.
    """

    def __init__(self, pictures: Pictures) -> None:
        self._pictures = pictures

    async def render(
        self,
        view: View,
        *,
        calls: Sequence[Call] = (),
        as_text: bool = False,
        extra: Sequence[InlineKeyboardButton] = (),
    ) -> TelegramMessage:
        """A view made up.

        Args:
            view: What is shown.
            calls: Whom it calls.
            as_text: Whether a picture cannot be shown there.
            extra: Keys of the platform's own.
        """
        photo = None
        if view.diagram and not (as_text or view.text_board):
            photo = await self._pictures.board(view)
        markup = keyboard(view, extra, as_text=photo is None and view.diagram is not None)
        files = tuple((name, held if isinstance(held, bytes) else held.encode()) for name, held in view.files)
        film = (view.film[0], view.film[1].data) if view.film else None
        if photo is not None:
            return TelegramMessage(caption(view, calls), photo, markup, (), files, film)
        *before, text = (_linked(each, view.links) for each in texts(view, calls))
        return TelegramMessage(text, None, markup, tuple(before), files, film)


def caption(view: View, calls: Sequence[Call] = (), limit: int = CAPTION) -> str:
    """The words beside a photo; the board in words, folded up, as far as there is room."""
    words = _fitted(view, limit)
    shown = _called(words, calls)
    room = limit - length("\n".join(words)) - _SPARE
    if view.position and room >= _LEAST:
        shown += f"\n<blockquote expandable>{html(cut(clean(view.position), room))}</blockquote>"
    return shown


def texts(view: View, calls: Sequence[Call] = ()) -> list[str]:
    """A message of text, with the board among the words; several where one does not hold everything."""
    board = _board(view.diagram, flipped=view.flipped) if view.diagram else None
    head, tail = [clean(line) for line in view.lines], [*_roster(view), *map(clean, view.after)]
    if board is None:
        found = pages([*head, *tail], TEXT - _SPARE)
        return [*map(html, found[:-1]), _called(found[-1].split("\n"), calls)] if found else ["…"]
    size = length(board[0]) + 2
    if size + length("\n".join(tail)) > TEXT - _SPARE:
        return ["\n".join(map(html, head)), board[1], _called(tail or ["…"], calls)]
    *before, last = pages(head, TEXT) or [""]
    if length(last) + size + length("\n".join(tail)) > TEXT - _SPARE - 2:
        before, last = [*before, last], ""
    return [*map(html, before), "\n".join(filter(None, (html(last), board[1], _called(tail, calls))))]


def plain(view: View, limit: int = ALERT) -> str:
    """The words of a view for somebody who pressed a key, without a board."""
    return cut("\n".join(filter(None, map(clean, (*view.lines, *view.after)))), limit)


def board_text(diagram: Diagram, *, flipped: bool = False) -> str:
    """A board as HTML text."""
    return _board(diagram, flipped=flipped)[1]


def _board(diagram: Diagram, *, flipped: bool) -> tuple[str, str]:
    """A board as text: its characters, and the same as HTML."""
    if fits(diagram):
        text = emoji_board(diagram, flipped=flipped).text
        return text, html(text)
    text = ascii_board(diagram, flipped=flipped).text
    return text, f"<pre>{html(text)}</pre>"


def _roster(view: View) -> Iterator[str]:
    for seated in view.roster:
        if view.diagram:
            alphabet = EMOJI if fits(view.diagram) else ASCII
            yield f"{seat_symbols(view.diagram, seated.seat, alphabet)} {clean(seated.text)}"
        else:
            yield f"{seated.seat.number}. {clean(seated.text)}"


def _fitted(view: View, limit: int) -> list[str]:
    """The words beside a photo: of what does not fit, the earliest is left out first."""
    after = [clean(line) for line in view.after]
    roster = [clean(seated.text) for seated in view.roster] if view.strip is None else []
    room = limit - _SPARE - sum(length(line) + 1 for line in after)
    head: list[str] = []
    for line in reversed([*map(clean, view.lines), *roster]):
        if room <= 1:
            break
        head.insert(0, cut(line, room - 1))
        room -= length(head[0]) + 1
    return [*head, *after] or ["…"]


def _linked(text: str, links: Sequence[tuple[str, str]]) -> str:
    """HTML in which the codes of matches lead to where these are shown."""
    for code, url in links:
        text = text.replace(f"#{code}", link(url, f"#{code}"), 1)
    return text


def _called(lines: Sequence[str], calls: Sequence[Call]) -> str:
    """Lines as HTML, whoever is called named so that they are called: where their name stands, else at the end."""
    named: dict[int, list[tuple[int, int, Call]]] = {}
    signs = []
    for call in calls:
        if (found := _named(lines, call, named)) is None:
            signs.append(mention(call.user, call.sign))
        else:
            at, start = found
            named.setdefault(at, []).append((start, start + len(call.name or ""), call))
    shown = []
    for at, line in enumerate(lines):
        done, parts = 0, []
        for start, end, call in sorted(named.get(at, ()), key=lambda each: each[0]):
            parts += [html(line[done:start]), mention(call.user, line[start:end])]
            done = end
        shown.append("".join((*parts, html(line[done:]))))
    if not signs:
        return "\n".join(shown)
    return "\n".join([*shown[:-1], " ".join((*shown[-1:], *signs)).strip()])


def _named(
    lines: Sequence[str], call: Call, named: Mapping[int, Sequence[tuple[int, int, Call]]]
) -> tuple[int, int] | None:
    """The line, the last one first, and the place in it where somebody's name stands, and nobody else's yet."""
    if not call.name:
        return None
    for at in reversed(range(len(lines))):
        start = lines[at].find(call.name)
        while start >= 0:
            end = start + len(call.name)
            if all(end <= other or start >= until for other, until, _ in named.get(at, ())):
                return at, start
            start = lines[at].find(call.name, end)
    return None
