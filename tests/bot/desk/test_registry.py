from __future__ import annotations

from collections.abc import Sequence

import pytest

from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.registry import Registry
from bot.chat.view import Message
from bot.features.commands import REGISTRY


async def handler(_context: Context) -> Sequence[Message]:
    return []


async def press(_context: Context, _button: CallbackData) -> Sequence[Message]:
    return []


def declared(name: str, *aliases: str, verbs: Sequence[Verb] = ()) -> Registry:
    registry = Registry()
    registry.command(name, topic=HelpTopic.BASICS, aliases=aliases)(handler)
    registry.button(*verbs)(press)
    return registry


@pytest.mark.parametrize(
    "other",
    [
        declared("move"),
        declared("go"),
        declared("play", "move"),
        declared("play", "go"),
        declared("play", verbs=[Verb.MOVE]),
    ],
)
def test_a_command_an_alias_or_a_button_is_declared_once(other: Registry) -> None:
    first = declared("move", "go", verbs=[Verb.MOVE])
    with pytest.raises(ValueError, match="declared twice"):
        Registry([first, other])


def test_an_alias_is_followed_and_not_offered() -> None:
    assert REGISTRY.find("if") is REGISTRY.find("план") is REGISTRY.specs["plan"]
    assert "if" not in REGISTRY.specs
