"""Modals: to type a move while one is picked, and to paste a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import discord

from bot.callback_data import Verb
from bot.desk.grammar import Command
from bot.i18n import Words
from bot.on_discord.components import Key
from bot.on_discord.markup import cut, plain
from bot.view import View

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
