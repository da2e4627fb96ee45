"""/dice: roll a die, and show it to all at the place."""

from collections.abc import Sequence
from typing import Final

from bot.chat.arguments import HelpTopic
from bot.chat.context import Context
from bot.chat.registry import Registry
from bot.chat.view import Message, View

registry: Final = Registry()


@registry.command("dice", topic=HelpTopic.TOGETHER, finishing=False)
async def dice(context: Context) -> Sequence[Message]:
    """`/dice`: a number from 1 to 6."""
    context.no_words()
    number = context.table.chance.shuffled(6)[0] + 1
    line = context.place_words("bot.dice.rolled", name=context.visitor.player.name, number=number)
    return [Message(context.visitor.place, View(lines=(line,)))]
