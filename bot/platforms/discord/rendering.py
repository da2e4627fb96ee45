"""A view as a Discord message: content, embeds, files and components, and these as the library's objects.

Words stand in the content, which notifications and screen readers show. Longer words go into embeds, and still longer
ones into a file: nothing is left out. Typed text shows as typed, and mentions no one. Under a message are five rows, each of
at most five buttons or of one select. The library remembers none of them, nor the modals, which serve to type a move while
one is picked, and to paste a file.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

import discord

from bot.chat.callback_data import BadCallbackData, CallbackData, Verb
from bot.chat.grammar import Command
from bot.chat.i18n import Words
from bot.chat.i18n.catalogue import Dated
from bot.chat.view import Button, ButtonGrid, SquareButton, View, ViewKind
from play.people import Account, Address, Player, visible
from render import ASCII, EMOJI, ascii_board, emoji_board, fits, seat_symbols

PLATFORM: Final = "discord"
"""`platform` of Discord's addresses and accounts. A place is the id of a channel, an account that of a user."""


def player(user: discord.abc.User) -> Player:
    """Return a user as a player, under the name that is shown in the channel."""
    return Player(Account(PLATFORM, str(user.id)), user.display_name)


def place(channel_id: int) -> Address:
    """Return the address of a channel, a thread or a conversation."""
    return Address(PLATFORM, str(channel_id))


_ANYWHERE: Final = re.compile(r"([\\*_~`|<@\[\]])")
_AT_START: Final = re.compile(r"^(\s*)(#{1,3}(?=\s)|[-+>](?=\s|>)|-#(?=\s)|>>>)", re.MULTILINE)
_NUMBERED: Final = re.compile(r"^(\s*[0-9]+)([.)])(?=\s)", re.MULTILINE)
_LINK: Final = re.compile(r"(https?|steam|discord)(:)(?=//)", re.IGNORECASE)


def plain(text: str) -> str:
    """Return text without direction marks, control characters and odd line ends."""
    return visible(text, "\n")


def escaped(text: str) -> str:
    """Return text with all markup escaped: emphasis, mentions, links, headings, lists, quotations."""
    text = _ANYWHERE.sub(r"\\\1", plain(text))
    text = _AT_START.sub(lambda found: f"{found[1]}\\{found[2]}", text)
    text = _NUMBERED.sub(r"\1\\\2", text)
    return _LINK.sub(r"\1\\\2", text)


def unescaped(text: str) -> str:
    """Return text as it was before `escaped`."""
    return re.sub(r"\\(\W)", r"\1", text)


def paragraphs(lines: Iterable[str]) -> str:
    """Return lines as escaped paragraphs, whose moments Discord writes in the reader's language and time zone."""
    return "\n".join(map(_line, lines))


def _line(text: str) -> str:
    line = escaped(text)
    for written, when in text.moments if isinstance(text, Dated) else ():
        line = line.replace(escaped(written), f"<t:{int(when.timestamp())}:f>", 1)
    return line


def fenced(text: str) -> str:
    """Return text as a code block."""
    return f"```\n{plain(text).replace('`', 'ˋ')}\n```"


def linked(text: str, links: Iterable[tuple[str, str]], urls: Iterable[str] = ()) -> str:
    """Return escaped text in which the codes of matches link to their messages, and some URLs, without a preview, to themselves."""
    for code, url in links:
        text = text.replace(f"#{code}", f"[#{code}](<{url}>)", 1)
    for url in urls:
        text = text.replace(escaped(url), f"<{url}>", 1)
    return text


def cut(text: str, most: int) -> str:
    """Return text of at most so many characters, with a sign at the end if it was longer."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


ROWS: Final = 5
IN_ROW: Final = 5
LABEL: Final = 80
ENTRIES: Final = 25
ENTRY: Final = 100
PROMPT: Final = 150
"""Discord's limits: rows, buttons in one, characters of a label; entries of a select, characters of one and of its prompt."""

CHOOSE: Final = "pick:"  # begins the id of a select; the values of its entries are packed actions
WHO: Final = "who:"  # begins the id of a select of people; the packed action of the choice follows
FREE: Final = "cell:"  # begins the id of a disabled button

Shade: TypeAlias = Literal["plain", "good", "danger", "marked", "dead"]


@dataclass(frozen=True, slots=True)
class Key:
    """A button: its label, its id, its look. A dead one is disabled."""

    label: str
    id: str
    shade: Shade = "plain"


@dataclass(frozen=True, slots=True)
class Select:
    """A select: its id, its prompt, and the label and value of each entry; or how many people can be chosen."""

    id: str
    prompt: str
    entries: tuple[tuple[str, str], ...] = ()
    people: int = 0


Row: TypeAlias = tuple[Key, ...] | Select


def arranged(view: View, more: Sequence[Key] = ()) -> tuple[Row, ...]:
    """Return the rows under a view: its grid, its buttons, its controls, and more keys.

    Nothing is left out: where there are too many for buttons, they become entries of selects.
    """
    rows: list[Row] = []
    seen: set[str] = set()
    offered = list(view.buttons)
    # A board with controls has no keys: a move is picked on a message of its own.
    if view.grid is not None and not view.controls and (board := _board(view.grid)) is not None:
        rows += board
        offered = [each for each in offered if not each.on_grid]
        seen = {key.id for row in board for key in row}
    on_board = bool(rows)
    every = [*offered, *view.controls, *more]
    if on_board and _begun(view) and IN_ROW < len(every) <= ROWS * IN_ROW:
        return arranged(replace(view, grid=None), more)
    if view.people is not None and view.people.data.fits:
        prompt = cut(plain(view.people.prompt), PROMPT)
        most = min(view.people.most, ENTRIES)
        rows.append(Select(f"{WHO}{view.people.data.pack()}", prompt, people=most))
    choices = list(_once(offered, seen))
    others = [*_once(view.controls, seen), *(key for key in more if key.id not in seen)]
    prompt = cut(plain(view.after[-1]), PROMPT) if view.after else ""
    keys = [*choices, *others]
    spared = {each.data.pack() for each in offered if on_board and each.shortcut and each.data.fits}
    apart = {each.data.pack() for each in offered if each.apart and each.data.fits}
    cells = [key for key in choices if key.id not in apart]
    tail = [*(key for key in choices if key.id in apart), *others]
    # Squares come nearest first, and those that have room are buttons.
    in_rows = (20, 15, 10, 5) if view.grid is not None and not on_board else ()
    near = [max(0, count - len(tail)) for count in in_rows]
    mixed: list[tuple[Row, ...]] = [
        (*_split([*cells[:at], *tail]), *_selects(cells[at:], prompt)) for at in near
    ]
    # The first of these that fits; the last holds more than any view offers.
    fits: tuple[tuple[Row, ...], ...] = (
        (*_split(choices), *_split(others)),
        tuple(_split(keys)),
        tuple(_split([key for key in keys if key.id not in spared])),
        *mixed,
        (*_selects(cells, prompt), *_split(tail)),
        (*_selects(choices, prompt), *_split(others)),
        tuple(_selects(keys, prompt)),
    )
    rest = next((each for each in fits if len(rows) + len(each) <= ROWS), fits[-1])
    return (*rows, *rest)[:ROWS]


def _begun(view: View) -> bool:
    """Whether the buttons hold all ways on from a part of a move: then they serve better than the board, where both have no room."""
    keys = [cell for row in view.grid.rows for cell in row] if view.grid else []
    return sum(cell.state == "picked" for cell in keys) > 1 and not any(each.on_grid for each in view.buttons)


def _board(grid: ButtonGrid) -> list[tuple[Key, ...]] | None:
    if len(grid.rows) > ROWS - 1 or max(map(len, grid.rows)) > IN_ROW:
        return None
    return [
        tuple(_cell(cell, f"{FREE}{down}.{right}") for right, cell in enumerate(row))
        for down, row in enumerate(grid.rows)
    ]


def _cell(cell: SquareButton, place: str) -> Key:
    label = cut(plain(cell.label), LABEL) or "·"
    if cell.data is None or not cell.data.fits:
        return Key(label, place, "dead")
    return Key(label, cell.data.pack(), "marked" if cell.state == "picked" else "plain")


def _once(buttons: Iterable[Button], seen: set[str]) -> Iterator[Key]:
    for button in buttons:
        if not button.data.fits:
            continue
        packed = button.data.pack()
        if packed not in seen:
            seen.add(packed)
            yield Key(plain(button.label) or "…", packed, button.style)


def _split(keys: Sequence[Key]) -> Iterator[tuple[Key, ...]]:
    for at in range(0, len(keys), IN_ROW):
        yield tuple(Key(cut(key.label, LABEL), key.id, key.shade) for key in keys[at : at + IN_ROW])


def _selects(keys: Sequence[Key], prompt: str) -> Iterator[Select]:
    for number, at in enumerate(range(0, len(keys), ENTRIES)):
        entries = tuple((cut(key.label, ENTRY), key.id) for key in keys[at : at + ENTRIES])
        yield Select(f"{CHOOSE}{number}", prompt, entries)


CONTENT: Final = 2000  # most characters of a message
EMBED: Final = 4096  # most characters of an embed's description
EMBEDS: Final = 6000  # most characters of all embeds of a message
ALT: Final = 1024  # most characters of the description of a file

PICTURE: Final = "board.png"
TEXT: Final = "text.txt"  # names of files

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
    """A view as a Discord message."""

    content: str = ""  # words, in Discord's markup
    embeds: tuple[str, ...] = ()  # the words instead, where they are too long for the content
    rows: tuple[Row, ...] = ()
    files: tuple[Upload, ...] = ()
    ping: tuple[Account, ...] = ()  # people whom it mentions


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
        drawn = emoji_board if _as_emoji(view) else ascii_board
        text = drawn(view.diagram, flipped=view.flipped).text
        parts.append(text if drawn is emoji_board else fenced(text))
    if view.roster:
        parts.append("\n".join(f"{_sign(view, index, painted=painted)} {escaped(line.text)}"
                               for index, line in enumerate(view.roster)))  # fmt: skip
    after = commands(paragraphs(view.untimed if view.deadline is not None and view.untimed else view.after))
    if view.deadline is not None:
        # Set apart: Discord itself words the time as "in 3 days", and "Turn: Ann in 3 days" would mean another thing.
        after = " · ".join(part for part in (after, f"⏳ <t:{int(view.deadline.timestamp())}:R>") if part)
    if ping:
        after = " ".join((*(f"<@{int(one.uid)}>" for one in ping), after)).strip()
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


def _shared_out(text: str) -> tuple[str, tuple[str, ...], bool]:
    if len(text) <= CONTENT:
        return text, (), False
    rest, left = _whole_lines(text, EMBEDS)
    embeds = []
    while rest:
        part, rest = _whole_lines(rest, EMBED)
        embeds.append(part)
    return "", tuple(embeds), bool(left)


def _whole_lines(text: str, most: int) -> tuple[str, str]:
    if len(text) <= most:
        return text, ""
    at = text.rfind("\n", 1, most + 1)
    if at < 1:
        at = text.rfind(" ", 1, most + 1)
    if at < 1:
        at = most
    return text[:at].rstrip("\n"), text[at:].lstrip("\n")


COLOUR: Final = 0x0072B2  # the colour of embeds

_STYLES: Final[Mapping[Shade, discord.ButtonStyle]] = {
    "plain": discord.ButtonStyle.secondary,
    "good": discord.ButtonStyle.success,
    "danger": discord.ButtonStyle.danger,
    "marked": discord.ButtonStyle.primary,
    "dead": discord.ButtonStyle.secondary,
}


class BaseClient(discord.AutoShardedClient):
    """A client as the modules see it that write through it; `logged_in` says whether messages can be sent."""

    logged_in: bool = False


def fresh(message: DiscordMessage) -> dict[str, Any]:
    """Return the arguments for a new message."""
    view = rows(message)
    return _words(message) | {"files": _files(message)} | ({"view": view} if view else {})


def change(message: DiscordMessage) -> dict[str, Any]:
    """Return the arguments to replace a whole message."""
    return _words(message) | {"attachments": _files(message), "view": rows(message)}


def reworded(message: DiscordMessage) -> dict[str, Any]:
    """Return the arguments to replace a message's words and rows, and keep its files."""
    return _words(message) | {"view": rows(message)}


def _words(message: DiscordMessage) -> dict[str, Any]:
    users = [discord.Object(int(one.uid)) for one in message.ping] or False
    calls = discord.AllowedMentions(everyone=False, roles=False, replied_user=False, users=users)
    embeds = [discord.Embed(description=words, colour=COLOUR) for words in message.embeds]
    return {"content": message.content, "embeds": embeds, "allowed_mentions": calls}


def _files(message: DiscordMessage) -> list[discord.File]:
    return [
        discord.File(io.BytesIO(each.content), each.name, description=each.alt or None)
        for each in message.files
    ]


def rows(message: DiscordMessage) -> discord.ui.View | None:
    """Return the components of a message; None if it has none."""
    if not message.rows:
        return None
    view = discord.ui.View(timeout=None)
    view.stop()  # so the library does not remember it
    for number, row in enumerate(message.rows):
        if isinstance(row, tuple):
            for key in row:
                style, dead = _STYLES[key.shade], key.shade == "dead"
                view.add_item(
                    discord.ui.Button(
                        label=key.label, custom_id=key.id, style=style, disabled=dead, row=number
                    )
                )
            continue
        select: discord.ui.UserSelect[Any] | discord.ui.Select[Any]
        if row.people:
            select = discord.ui.UserSelect(custom_id=row.id, max_values=row.people, row=number)
        else:
            options = [discord.SelectOption(label=label, value=value) for label, value in row.entries]
            select = discord.ui.Select(custom_id=row.id, options=options, row=number)
        select.placeholder = row.prompt or None
        view.add_item(select)
    return view


_MODALS: Final = ("move", "file", "tell")

KEYS: Final = {"bot.discord.{}.title": (_MODALS,), "bot.discord.{}.label": (_MODALS,)}
"""The keys that this module puts together, by their template: the members of each hole."""

MOVE: Final = "type:"
"""Begins the id of the button that opens the modal for a move, and of that modal; the match's code follows."""

TELL: Final = f"1{Verb.TELL}:"  # begins the id of the button that opens the modal for a message, and of that
REPORT: Final = f"1{Verb.REPORT}:"
FILE: Final = "file:"  # the id of the modal for a match file
LONGEST_LETTER: Final = 500  # most characters of a message
LONGEST_MOVE: Final = 300  # most characters of a typed move; a whole turn of the largest game has fewer
LONGEST: Final = 4000  # most characters of a modal

_TITLE: Final = 45
_INPUT: Final = "text"


def keys_of(view: View, words: Words) -> Sequence[Key]:
    """Return a button to type a move, if one is being picked."""
    if view.code is None or not (view.kind is ViewKind.PICK or view.grid is not None):
        return ()
    return (Key(words("bot.discord.type"), f"{MOVE}{view.code}"),)


def text_modal(custom_id: str, words: Words) -> discord.ui.Modal:
    """Return a modal with one input; `filled_in` reads it, also after a restart."""
    moving, telling = custom_id.startswith(MOVE), custom_id.startswith(TELL)
    kind = "move" if moving else "tell" if telling else "file"
    modal = discord.ui.Modal(title=cut(words(f"bot.discord.{kind}.title"), _TITLE), custom_id=custom_id)
    modal.stop()  # so the library does not remember it
    entry: discord.ui.TextInput[Any] = discord.ui.TextInput(
        custom_id=_INPUT,
        style=discord.TextStyle.short if moving else discord.TextStyle.paragraph,
        max_length=LONGEST_MOVE if moving else LONGEST_LETTER if telling else LONGEST,
    )
    label = cut(words(f"bot.discord.{kind}.label"), _TITLE)
    return modal.add_item(discord.ui.Label(text=label, component=entry))


def filled_in(data: Any) -> Command | None:
    """Return the command of a filled-in modal; None for an unknown one."""
    custom_id, text = str(data.get("custom_id", "")), _typed(data)
    if custom_id.startswith(MOVE):
        return Command.of("move", code=custom_id.removeprefix(MOVE), text=" ".join(plain(text).split()))
    if custom_id == FILE:
        return Command.of("import", text=text)
    if custom_id.startswith(TELL):
        with suppress(BadCallbackData):
            pressed = CallbackData.unpack(custom_id)
            return Command.of("tell", code=pressed.code, text=f"{pressed.argument} {text}")
    return None


def _typed(data: Any) -> str:
    for part in data.get("components") or ():
        held = [part["component"]] if "component" in part else part.get("components") or ()
        for each in held:
            if each.get("custom_id") == _INPUT:
                return str(each.get("value") or "")
    return ""
