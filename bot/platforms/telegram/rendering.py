"""A view as Telegram shows it: a photo with a caption, or text, as HTML within its limits; and the keys under it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Final, TypeAlias

from telegram import ForceReply, WebAppInfo
from telegram import InlineKeyboardButton as Key
from telegram import InlineKeyboardMarkup as Keyboard

from bot.chat.callback_data import Verb
from bot.chat.page_links import to_watch
from bot.chat.pictures import Pictures
from bot.chat.presenting.captions import length
from bot.chat.presenting.selection import begins
from bot.chat.sending.queue import Urgency
from bot.chat.taps import PICKING
from bot.chat.view import Button, SquareButton, View, ViewKind
from play.people import visible
from render import ASCII, EMOJI, ascii_board, emoji_board, fits, seat_symbols
from rules.core import Diagram

_CUT: Final = "…"


def html(text: str) -> str:
    """Return text with its markup escaped."""
    return escape(text, quote=False)


def mention(user: str, name: str) -> str:
    """Return a name that mentions a user, also one without a user name."""
    return f'<a href="tg://user?id={int(user)}">{html(name)}</a>'


def link(url: str, name: str) -> str:
    """Return a link."""
    return f'<a href="{escape(url)}">{html(name)}</a>'


def cut(text: str, limit: int) -> str:
    """Return a text of at most so many UTF-16 units, with a sign at the end if it was longer."""
    if length(text) <= limit:
        return text
    return text.encode("utf-16-le")[: 2 * (limit - 1)].decode("utf-16-le", "ignore").rstrip() + _CUT


def pages(lines: list[str], limit: int) -> list[str]:
    """Return lines as texts of at most so many UTF-16 units; only a line that fits into none is divided."""
    texts: list[str] = []
    now = ""
    for line in lines:
        rest = line
        while length(rest) > limit:
            head = cut(rest, limit)
            texts += [now, head] if now else [head]
            now, rest = "", rest[len(head) - len(_CUT) :].lstrip()
        joined = f"{now}\n{rest}" if now else rest
        if length(joined) > limit:
            texts.append(now)
            joined = rest
        now = joined
    return [text for text in [*texts, now] if text.strip()]


Special: TypeAlias = Callable[[Button, str], Key | None]

MOST: Final = 100  # most keys under a message
NOTHING: Final = "-"  # begins the data of a key that does nothing but name its square
IN_ROW: Final = 5  # most keys in a row of a list, so that a phone shows a square and what stands there
_ROW: Final = 26  # characters of the labels in one row that a phone shows whole

_NAMED: Final = re.compile(rf"(?:\A{NOTHING}|[:;/+~? ])([a-z][1-9][0-9]?)\Z", re.ASCII)
_LONGEST: Final = 64
_COLOURS: Final = {"good": "success", "danger": "danger"}
_CELLS: Final = {"choice": "primary", "picked": "success"}
"""Colour of cells to pick and of picked ones. Old clients show none: there a sign stands on picked cells and empty targets."""


class _PressedKey(Key):
    """A key that sends its data. The library would look through the 13 fields of each of them."""

    __slots__ = ()

    def to_dict(self, recursive: bool = True) -> dict[str, Any]:  # noqa: ARG002 - as the library calls it
        said = {"text": self.text, "callback_data": self.callback_data}
        return {**said, "style": self.style} if self.style else said


def keyboard(
    view: View, extra: Sequence[Key] = (), *, as_text: bool = False, special: Special | None = None
) -> Keyboard | None:
    """Return the keyboard of a view, with `extra` keys in the last row; None if it has no keys.

    The control for a board as text is left out where the board is text already. `special` returns the key of a button that is no
    ordinary one, by the button and its label.
    """

    def key(button: Button) -> Key:
        label = cut(visible(button.short or button.label), _LONGEST) or "?"
        ordinary = _PressedKey(label, callback_data=button.data.pack(), style=_COLOURS.get(button.style))
        return (special and special(button, label)) or ordinary

    rows: list[list[Key]] = []
    buttons: Sequence[Button] = view.buttons
    if view.grid is not None:
        rows += [[_cell(cell) for cell in row] for row in view.grid.rows]
        buttons = [each for each in buttons if not each.on_grid]
    offered = {button.data for button in buttons}
    under_way = view.grid is not None or view.kind is ViewKind.PICK
    wanted = [
        each
        for each in view.controls
        if each.data not in offered
        and not (under_way and begins(each.data))
        and not (as_text and each.data.verb is Verb.TEXT)
    ]
    controls = list(_rows(map(key, wanted)))
    room = MOST - sum(map(len, rows)) - sum(map(len, controls)) - len(extra)
    fitting = [button for button in buttons if button.data.fits][: max(0, room)]
    rows += _rows(map(key, _with_pieces(fitting, view.diagram)))
    rows += controls
    if extra:
        rows.append(list(extra))
    return Keyboard(rows) if rows else None


def _with_pieces(buttons: Iterable[Button], diagram: Diagram | None) -> Iterator[Button]:
    """Yield buttons, those that pick a square with what stands there: `a2 ♟`."""
    pieces = {str(square): piece for piece in diagram.pieces for square in piece.cells} if diagram else {}
    for button in buttons:
        piece = pieces.get(button.label) if button.data.verb in PICKING else None
        symbol = "" if piece is None else f" {EMOJI.symbol(piece.kind, piece.owner)}"
        yield replace(button, label=f"{button.label}{symbol}")


def named_square(data: str) -> str | None:
    """Return the square that the data of a full-board key names; None if it names none."""
    found = _NAMED.search(data)
    return found[1] if found else None


def _cell(cell: SquareButton) -> Key:
    data = cell.data.pack() if cell.data else f"{NOTHING}{cell.name}"
    return _PressedKey(cell.symbol, callback_data=data, style=_CELLS.get(cell.state))


def _rows(keys: Iterable[Key]) -> list[list[Key]]:
    rows: list[list[Key]] = []
    taken = 0
    for key in keys:
        size, least = length(key.text), _ROW // IN_ROW
        wide = least if size <= least else size + 2
        if rows and len(rows[-1]) < IN_ROW and taken + wide <= _ROW:
            rows[-1].append(key)
            taken += wide
        else:
            rows.append([key])
            taken = wide
    return rows


@dataclass(slots=True)
class PageKeys:
    """Makes the key of a button that leads to the page.

    In a private chat it opens a Mini App. In a group Telegram refuses such keys; there it is a link to the bot's Mini App, if
    that has a name, and all in the group may watch by it. Everywhere else the button stays what it is, and the answer to it
    holds a link.
    """

    url: str  # where the page is
    app: str | None  # the name of the Mini App at BotFather; None: it has none
    # Signs the keys of spectators; empty until it is loaded, and links open the page for players only.
    secret: bytes = b""

    def key(self, button: Button, label: str, bot: str, *, private: bool) -> Key | None:
        """Return the key; None for a button that is pressed as any other."""
        code = button.data.code
        if button.data.verb is not Verb.PAGE or code is None:
            return None
        if private and self.url.startswith("https://"):
            return Key(label, web_app=WebAppInfo(f"{self.url.rstrip('/')}/m/{code}"))
        if not private and self.app and bot:
            carried = to_watch(self.secret, code) if self.secret else code
            return Key(label, url=app_link(bot, self.app, carried))
        return None


def app_link(bot: str, app: str, carried: str) -> str:
    """Return the address that opens a Mini App; what it carries comes with the proof of who opened it."""
    return f"https://t.me/{bot}/{app}?startapp={carried}"


CAPTION: Final = 1024  # characters of a photo's caption
TEXT: Final = 4096  # characters of a message
ALERT: Final = 200  # characters of the alert that answers a press

_SPARE: Final = 96  # characters: nine calls at most, with what stands between
_LEAST: Final = 80  # characters: less of the board in words tells nothing
CALL: Final = "👉"  # before the names of those who are called, and for one whose name is not known

ASKED: Final = "🙋"  # stands for the one person whom a question in a group is for


@dataclass(frozen=True, slots=True)
class Call:
    """A person whom a message calls: by their name; by a sign where that is not known."""

    user: str
    name: str | None
    sign: str = CALL


@dataclass(frozen=True, slots=True)
class Extras:
    """What a message has besides its view; the platform's own keys come last."""

    calls: Sequence[Call] = ()
    keys: Sequence[Key] = ()
    silent: bool = False
    reply_to: int | None = None
    urgency: Urgency = Urgency.ANSWER
    special: Special | None = None  # see `keyboard`


PLAIN: Final = Extras()  # a message with nothing but its view


@dataclass(frozen=True, slots=True)
class TelegramMessage:
    """A view as a message: texts `before` it, its text or caption as HTML, its photo (a PNG file) or film; files after it."""

    text: str
    photo: bytes | None
    keys: Keyboard | ForceReply | None
    before: tuple[str, ...] = ()
    files: tuple[tuple[str, bytes], ...] = ()
    film: tuple[str, bytes] | None = None


class Renderer:
    """Makes messages of views; a board that cannot be painted becomes text."""

    def __init__(self, pictures: Pictures, page: PageKeys | None = None) -> None:
        self._pictures = pictures
        self.page = page

    async def render(self, view: View, extras: Extras, *, as_text: bool) -> TelegramMessage:
        """Return a view as a message; `as_text` where a picture cannot be shown."""
        photo = None
        if (view.diagram or view.sheet or view.panels) and not (as_text or view.text_board):
            photo = await self._pictures.board(view)
        if photo is None:
            view = view.in_words
        text_board = photo is None and view.diagram is not None
        markup = keyboard(view, extras.keys, as_text=text_board, special=extras.special)
        film = (view.film[0], view.film[1].data) if view.film else None
        if photo is not None or film is not None:
            return TelegramMessage(caption(view, extras.calls), photo, markup, (), view.attachments, film)
        *before, text = (_linked(each, view.links) for each in texts(view, extras.calls))
        return TelegramMessage(text, None, markup, tuple(before), view.attachments)


def caption(view: View, calls: Sequence[Call] = (), limit: int = CAPTION) -> str:
    """Return the words beside a photo, with the position in words, folded up, as far as there is room."""
    words = _fitted(view, limit)
    shown = _called(words, calls)
    room = limit - length("\n".join(words)) - _SPARE
    if view.position and room >= _LEAST:
        shown += f"\n<blockquote expandable>{html(cut(visible(view.position), room))}</blockquote>"
    return shown


def texts(view: View, calls: Sequence[Call] = ()) -> list[str]:
    """Return the texts of a view with the board among them; several where one is too short for all."""
    board = _board(view.diagram, flipped=view.flipped) if view.diagram else None
    head, tail = [visible(line) for line in view.lines], [*_roster(view), *map(visible, view.after)]
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
    """Return the words of a view without its board, for an alert."""
    first, *more = filter(None, map(visible, (*view.lines, *view.after)))
    text = cut(first, limit)
    for line in more:
        if length(text) + 1 + length(line) > limit:
            break  # no half lines
        text += f"\n{line}"
    return text


def _board(diagram: Diagram, *, flipped: bool) -> tuple[str, str]:
    if fits(diagram):
        text = emoji_board(diagram, flipped=flipped).text
        return text, html(text)
    text = ascii_board(diagram, flipped=flipped).text
    return text, f"<pre>{html(text)}</pre>"


def _roster(view: View) -> Iterator[str]:
    for seated in view.roster:
        if view.diagram:
            alphabet = EMOJI if fits(view.diagram) else ASCII
            yield f"{seat_symbols(view.diagram, seated.seat, alphabet)} {visible(seated.text)}"
        else:
            yield f"{seated.seat.number}. {visible(seated.text)}"


def _fitted(view: View, limit: int) -> list[str]:
    after = [visible(line) for line in view.after]
    roster = [visible(seated.text) for seated in view.roster] if view.strip is None else []
    room = limit - _SPARE - sum(length(line) + 1 for line in after)
    head: list[str] = []
    for line in reversed([*map(visible, view.lines), *roster]):
        if room <= 1:
            break
        head.insert(0, cut(line, room - 1))
        room -= length(head[0]) + 1
    return [*head, *after] or ["…"]


def _linked(text: str, links: Sequence[tuple[str, str]]) -> str:
    for code, url in links:
        text = text.replace(f"#{code}", link(url, f"#{code}"), 1)
    return text


def _called(lines: Sequence[str], calls: Sequence[Call]) -> str:
    text, beside = "\n".join(lines), []
    named: list[tuple[int, int, Call]] = []
    for call in calls:
        if (found := _named(lines, call, named)) is None:
            beside.append(call)
        else:
            named.append((*found, call))
    shown, done = "", 0
    for start, end, call in sorted(named, key=lambda each: each[0]):
        shown += html(text[done:start]) + mention(call.user, text[start:end])
        done = end
    shown += html(text[done:])
    if not beside:
        return shown
    before, newline, last = shown.rpartition("\n")
    return before + newline + " ".join((last, *_beside(beside))).strip()


def _beside(calls: Sequence[Call]) -> Iterator[str]:
    yield from (mention(call.user, call.sign) for call in calls if not call.name)
    if known := [(call.user, visible(call.name)) for call in calls if call.name]:
        room = _SPARE // len(calls) - len(f"{CALL}, ")
        yield f"{CALL} " + ", ".join(mention(user, cut(name, room)) for user, name in known)


def _named(
    lines: Sequence[str], call: Call, taken: Sequence[tuple[int, int, Call]]
) -> tuple[int, int] | None:
    """Return where the joined lines name a person, in the last line that does; None if they do not."""
    end = sum(len(line) + 1 for line in lines)
    for line in reversed(lines) if call.name else ():
        end -= len(line) + 1
        for found in re.finditer(re.escape(call.name or ""), line):
            start, until = end + found.start(), end + found.end()
            if all(until <= other or start >= past for other, past, _ in taken):
                return start, until
    return None
