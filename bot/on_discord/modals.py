"""Modals: a move typed where one is being picked, a file pasted."""

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

MOVE: Final = "type:"
"""Begins the id of the button that opens a modal for a move, and of that modal; the code of the match follows."""

FILE: Final = "file:"
"""The id of the modal for a match file."""

LONGEST_MOVE: Final = 300
"""Characters of a move that is typed; a whole turn of the largest game has fewer."""

LONGEST: Final = 4000
"""Characters that a modal holds."""

OPEN_FOR: Final = 15 * 60.0
"""Seconds that a modal is expected to be filled in. It is read by its id, so that nothing is lost after that."""

_TITLE: Final = 45
_INPUT: Final = "text"


def keys_of(view: View, words: Words) -> Sequence[Key]:
    """A button to type a move, wherever a move is being picked."""
    picking = any(button.data.verb is Verb.STEP for button in view.buttons)
    if view.code is None or not (picking or view.grid is not None):
        return ()
    return (Key(words("bot.discord.type"), f"{MOVE}{view.code}"),)


class TextModal(discord.ui.Modal):
    """A modal with one input. What is filled in is read when it comes, also by a bot that never showed it."""

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
    """The command that a filled-in modal stands for; None for a modal that is not ours."""
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
