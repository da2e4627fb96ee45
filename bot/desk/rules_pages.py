"""/rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.desk import arguments
from bot.desk.command_spec import HelpTopic
from bot.desk.context import Context
from bot.desk.errors import no_such_word
from bot.desk.game_words import find_game, read_words, which_game
from bot.desk.grammar import Command
from bot.desk.registry import Registry
from bot.presenter import cards, greeting, lessons
from bot.view import Message, View
from rules.core import AnyGame

registry: Final = Registry()


@registry.command("rules", arguments.GAME, arguments.OPTIONS, topic=HelpTopic.BASICS, finishing=False)
async def rules(context: Context) -> Sequence[Message]:
    """`/rules lgame scoring`; `/rules` alone, of the match here."""
    game: AnyGame | None = None
    chosen = context.command.chosen()
    words = [*filter(None, [chosen.pop("game", "")]), *context.command.words]
    if words:
        game = find_game(context.table.games, words[0])
        if game is None:
            raise which_game(context, words[0])
        chosen, left = read_words(game, words[1:], chosen)
        if left:
            raise no_such_word(left[0])
    if game is None and not chosen:
        return [context.private(await _rules_here(context))]
    if game is None:
        raise which_game(context)
    described = game.describe(game.choose(chosen)) if chosen else {}
    view = cards.rules(game, described, context.words)
    buttons = lessons.first_of(game, described, context.words)
    if context.visitor.buttons:
        buttons += greeting.variants_of(game, context.words)
    return [context.private(replace(view, buttons=buttons))]


@registry.button(Verb.RULES, finishing=False)
async def _rules(context: Context, button: CallbackData) -> Sequence[Message]:
    name, _, number = button.argument.partition(lessons.NUMBER)
    game = context.table.games.get(name)
    if game is not None and game.lessons and number.isascii() and number.isdigit() and len(number) < 3:
        return [context.private(lessons.lesson(game, int(number), context.words))]
    key, *chosen = name.split("/")
    parts = (each.rpartition(":") for each in chosen if each)
    options = {option or "preset": value for option, _, value in parts}
    return await rules(replace(context, command=Command.of("rules", *filter(None, [key]), options=options)))


async def _rules_here(context: Context) -> View:
    """Return the rules of the match that is named or under way, else the list of games."""
    finder = context.finder
    if context.command.code:
        match = await finder.named(context.command.code)
    elif found := await finder.fitting(finder.mine, finder.entered):
        match = found[0]
    else:
        games = list(context.table.games.values())
        view = cards.games(games, context.words)
        return (
            replace(view, buttons=greeting.rules_of(games, context.words))
            if context.visitor.buttons
            else view
        )
    game = context.game(match)
    described = dict(match.options)
    view = cards.rules(game, described, context.words)
    return replace(view, buttons=lessons.first_of(game, described, context.words))
