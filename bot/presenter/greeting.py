"""What is said where the bot is new: a word of greeting, and three things to press."""

from __future__ import annotations

from collections.abc import Iterable

from bot.callback_data import CallbackData, Verb
from bot.i18n import Words
from bot.presenter.match_setup import ENGINE, MatchSetup
from bot.view import Button, View
from rules.core import AnyGame


def greeting(words: Words) -> View:
    """Hello, with what can be done first."""
    return View(lines=(words("bot.greeting"),), buttons=(play(words), rules(words), help_(words)))


def against_computer(words: Words) -> Button:
    """Begins an order against an engine."""
    return Button(words("bot.greeting.computer"), MatchSetup("c", opponent=ENGINE).data, style="good")


def talked_to(words: Words) -> View:
    """The answer to small talk: what the bot understands, and what can be done next."""
    return View(lines=(words("bot.talked-to"),), buttons=(play(words), rules(words), help_(words)))


def play(words: Words) -> Button:
    """Begins an order."""
    return Button(words("bot.greeting.play"), MatchSetup("c").data, style="good")


def rules(words: Words) -> Button:
    """Shows which games there are."""
    return Button(words("bot.greeting.rules"), CallbackData.without_match(Verb.RULES))


def help_(words: Words) -> Button:
    """Shows every command."""
    return Button(words("bot.greeting.help"), CallbackData.without_match(Verb.HELP))


def rules_of(games: Iterable[AnyGame], words: Words) -> tuple[Button, ...]:
    """A button for the rules of each game."""
    return tuple(
        Button(words(f"{game.key}.name"), CallbackData.without_match(Verb.RULES, game.key)) for game in games
    )


def variants_of(game: AnyGame, words: Words) -> tuple[Button, ...]:
    """A button for the rules of each ready-made setting that changes them, and one to play."""
    buttons = [Button(words("bot.greeting.play"), MatchSetup("c", game=game.key).data, style="good")]
    for preset in game.schema.presets:
        label = words(f"{game.key}.preset.{preset}")
        data = CallbackData.without_match(Verb.RULES, f"{game.key}/{preset}")
        if game.describe(game.choose({"preset": preset})) and data.fits:
            buttons.append(Button(label, data))
    return tuple(buttons)
