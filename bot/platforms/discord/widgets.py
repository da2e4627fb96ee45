"""Messages as the library's objects. Buttons and selects are dynamic items, of which the library remembers none.

Modals: to type a move while one is picked, and to paste a file.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any, Final

import discord
from discord.ui import DynamicItem

from bot.chat.callback_data import Verb
from bot.chat.grammar import Command
from bot.chat.i18n import Words
from bot.chat.view import View
from bot.platforms.discord.places import cut, plain
from bot.platforms.discord.rendering import CHOOSE, WHO, DiscordMessage, Key, PeopleSelect, Select, Shade

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


class PressedKey(DynamicItem[discord.ui.Button[Any]], template=r"(?:1[a-z]{2}|cell|type):.{0,60}"):
    """A button of the bot."""


class ChosenEntry(DynamicItem[discord.ui.Select[Any]], template=rf"{CHOOSE}[0-9]"):
    """A select of the bot; its entries hold what they stand for."""


class ChosenPeople(DynamicItem[discord.ui.UserSelect[Any]], template=rf"{WHO}1[a-z]{{2}}:.{{0,60}}"):
    """A select of people; the people stand in the interaction (see `visitors.selected`)."""


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


def keyless(_message: DiscordMessage) -> dict[str, Any]:
    """Return the arguments to take a message's components away."""
    return {"view": None, "allowed_mentions": discord.AllowedMentions.none()}


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
    for number, row in enumerate(message.rows):
        if isinstance(row, Select):
            view.add_item(ChosenEntry(_select(row, number)))
        elif isinstance(row, PeopleSelect):
            view.add_item(ChosenPeople(_people(row, number)))
        else:
            for key in row:
                view.add_item(PressedKey(_button(key, number)))
    return view


def _button(key: Key, row: int) -> discord.ui.Button[Any]:
    return discord.ui.Button(
        label=key.label,
        custom_id=key.id,
        style=_STYLES[key.shade],
        disabled=key.shade == "dead",
        row=row,
    )


def _select(choice: Select, row: int) -> discord.ui.Select[Any]:
    options = [discord.SelectOption(label=label, value=value) for label, value in choice.entries]
    return discord.ui.Select(custom_id=choice.id, placeholder=choice.prompt or None, options=options, row=row)


def _people(choice: PeopleSelect, row: int) -> discord.ui.UserSelect[Any]:
    return discord.ui.UserSelect(
        custom_id=choice.id, placeholder=choice.prompt or None, max_values=choice.most, row=row
    )


KEYS: Final = {"bot.discord.{}.title": (("move", "file"),), "bot.discord.{}.label": (("move", "file"),)}
"""The keys that this module puts together, by their template: the members of each hole."""

MOVE: Final = "type:"
"""Begins the id of the button that opens the modal for a move, and of that modal; the match's code follows."""

FILE: Final = "file:"  # the id of the modal for a match file
LONGEST_MOVE: Final = 300  # most characters of a typed move; a whole turn of the largest game has fewer
LONGEST: Final = 4000  # most characters of a modal

OPEN_FOR: Final = 15 * 60.0
"""Seconds that the library remembers a modal. It is read by its id, so nothing is lost after that."""

_TITLE: Final = 45
_INPUT: Final = "text"


def keys_of(view: View, words: Words) -> Sequence[Key]:
    """Return a button to type a move, if one is being picked."""
    picking = any(button.data.verb is Verb.STEP for button in view.buttons)
    if view.code is None or not (picking or view.grid is not None):
        return ()
    return (Key(words("bot.discord.type"), f"{MOVE}{view.code}"),)


class TextModal(discord.ui.Modal):
    """A modal with one input; `filled_in` reads it, also after a restart."""

    def __init__(self, custom_id: str, words: Words) -> None:
        moving = custom_id.startswith(MOVE)
        kind = "move" if moving else "file"
        super().__init__(
            title=cut(words(f"bot.discord.{kind}.title"), _TITLE), custom_id=custom_id, timeout=OPEN_FOR
        )
        entry: discord.ui.TextInput[Any] = discord.ui.TextInput(
            custom_id=_INPUT,
            style=discord.TextStyle.short if moving else discord.TextStyle.paragraph,
            max_length=LONGEST_MOVE if moving else LONGEST,
        )
        label = cut(words(f"bot.discord.{kind}.label"), _TITLE)
        self.add_item(discord.ui.Label(text=label, component=entry))


def filled_in(data: Any) -> Command | None:
    """Return the command of a filled-in modal; None for an unknown one."""
    custom_id, text = str(data.get("custom_id", "")), _typed(data)
    if custom_id.startswith(MOVE):
        return Command.of("move", code=custom_id.removeprefix(MOVE), text=" ".join(plain(text).split()))
    if custom_id == FILE:
        return Command.of("import", text=text)
    return None


def _typed(data: Any) -> str:
    for part in data.get("components") or ():
        held = [part["component"]] if "component" in part else part.get("components") or ()
        for each in held:
            if each.get("custom_id") == _INPUT:
                return str(each.get("value") or "")
    return ""
