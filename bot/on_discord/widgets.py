"""Messages as the library's objects. Buttons and selects are dynamic items, of which the library remembers none."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, Final

import discord
from discord.ui import DynamicItem

from bot.on_discord.components import CHOOSE, WHO, Key, PeopleSelect, Select, Shade
from bot.on_discord.rendering import DiscordMessage

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
    """Return the words and embeds, which mention only the people of `ping`."""
    users = [discord.Object(int(one.uid)) for one in message.ping] or False
    calls = discord.AllowedMentions(everyone=False, roles=False, replied_user=False, users=users)
    embeds = [discord.Embed(description=words, colour=COLOUR) for words in message.embeds]
    return {"content": message.content, "embeds": embeds, "allowed_mentions": calls}


def _files(message: DiscordMessage) -> list[discord.File]:
    """Return the files, which can be read only once."""
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
