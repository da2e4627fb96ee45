"""A view as Telegram shows it: a photo with a caption, or text; and the keys under it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from bot.on_telegram.keyboard import Special, keyboard
from bot.on_telegram.markup import clean, cut, html, link, mention, pages
from bot.on_telegram.page_keys import PageKeys
from bot.pictures import Pictures
from bot.presenter.captions import length
from bot.view import Button, View
from render import ASCII, EMOJI, ascii_board, emoji_board, fits, seat_symbols
from rules.core import Diagram

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
    keys: Sequence[InlineKeyboardButton] = ()
    silent: bool = False
    reply_to: int | None = None


PLAIN: Final = Extras()  # a message with nothing but its view


@dataclass(frozen=True, slots=True)
class TelegramMessage:
    """A view as a message: texts `before` it, its text or caption as HTML, its photo (a PNG file) or film; files after it."""

    text: str
    photo: bytes | None
    keys: InlineKeyboardMarkup | None
    before: tuple[str, ...] = ()
    files: tuple[tuple[str, bytes], ...] = ()
    film: tuple[str, bytes] | None = None


def _ordinary(_button: Button, _label: str) -> None:
    """Return no key: every button is pressed."""


class Renderer:
    """Makes messages of views; a board that cannot be painted becomes text."""

    def __init__(self, pictures: Pictures, page: PageKeys | None = None) -> None:
        self._pictures = pictures
        self.page = page

    async def render(
        self, view: View, extras: Extras = PLAIN, *, as_text: bool = False, special: Special = _ordinary
    ) -> TelegramMessage:
        """Return a view as a message; `as_text` where a picture cannot be shown, `special` as for `keyboard`."""
        photo = None
        if (view.diagram or view.sheet) and not (as_text or view.text_board):
            photo = await self._pictures.board(view)
        if photo is None:
            view = view.in_words
        text_board = photo is None and view.diagram is not None
        markup = keyboard(view, extras.keys, as_text=text_board, special=special)
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
        shown += f"\n<blockquote expandable>{html(cut(clean(view.position), room))}</blockquote>"
    return shown


def texts(view: View, calls: Sequence[Call] = ()) -> list[str]:
    """Return the texts of a view with the board among them; several where one is too short for all."""
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
    """Return the words of a view without its board, for an alert."""
    first, *more = filter(None, map(clean, (*view.lines, *view.after)))
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
            yield f"{seat_symbols(view.diagram, seated.seat, alphabet)} {clean(seated.text)}"
        else:
            yield f"{seated.seat.number}. {clean(seated.text)}"


def _fitted(view: View, limit: int) -> list[str]:
    """Return the words beside a photo; of too many, the first lines are left out first."""
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
    for code, url in links:
        text = text.replace(f"#{code}", link(url, f"#{code}"), 1)
    return text


def _called(lines: Sequence[str], calls: Sequence[Call]) -> str:
    """Return lines as HTML that mention the called people: where their names stand, else at the end."""
    named: dict[int, list[tuple[int, int, Call]]] = {}
    beside = []
    for call in calls:
        if (found := _named(lines, call, named)) is None:
            beside.append(call)
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
    if not beside:
        return "\n".join(shown)
    return "\n".join([*shown[:-1], " ".join((*shown[-1:], *_beside(beside))).strip()])


def _beside(calls: Sequence[Call]) -> Iterator[str]:
    """Yield mentions of people who are not named in the text, as HTML: signs, then a sign with the names that are known."""
    yield from (mention(call.user, call.sign) for call in calls if not call.name)
    if known := [(call.user, clean(call.name)) for call in calls if call.name]:
        room = _SPARE // len(calls) - len(f"{CALL}, ")
        yield f"{CALL} " + ", ".join(mention(user, cut(name, room)) for user, name in known)


def _named(
    lines: Sequence[str], call: Call, named: Mapping[int, Sequence[tuple[int, int, Call]]]
) -> tuple[int, int] | None:
    """Return the line, the last one first, and the place in it with the name of a call that no other call has taken."""
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
