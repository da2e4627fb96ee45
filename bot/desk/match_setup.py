"""Setting up a match: /challenge, /new, by words or step by step with buttons; the buttons of rules and help."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.desk import arguments, help_pages, invitations, reading
from bot.desk.context import Context
from bot.desk.errors import BadCommand, CommandError
from bot.desk.game_words import RATED, find_game, is_rated, rating_words
from bot.desk.grammar import CLOCK, Command
from bot.desk.registry import Registry
from bot.presenter import match_setup
from bot.presenter.match_setup import ENGINE, NAMED, MatchSetup
from bot.presenter.naming import player_name
from bot.view import Message
from play.people import Account, Player
from play.time.clock_text import clock_of

registry: Final = Registry()

KEPT: Final = timedelta(days=1)
"""How long it is known for whom an order is."""

_NAMES: Final = 16
"""People at most who are noted for one order."""


@registry.command(
    "challenge",
    arguments.PERSON,
    arguments.GAME,
    arguments.OPTIONS,
    arguments.choice("side", "first", "second", "random"),
    arguments.CLOCK,
    arguments.RATED,
    arguments.ENGINE,
    topics=("clock", "engines"),
)
async def challenge(context: Context) -> Sequence[Message]:
    """Challenge people; ask for the game by buttons, if it is not named and the platform has dialogues."""
    found = [context.visitor.find(word.removeprefix("@")) for word in _words(context)]
    people = [player for player in found if player is not None]
    if len(people) < len(found) or not _asks(context):
        return await invitations.challenge(context)
    replied = context.visitor.replied
    if not people and replied and replied.account != context.visitor.account:
        people = [replied]
    return await _begin(context, MatchSetup("c", await _noted(context, people)))


@registry.command(
    "new",
    arguments.GAME,
    arguments.OPTIONS,
    arguments.CLOCK,
    arguments.RATED,
    arguments.text("engines", named=True),
    topics=("clock", "engines"),
)
async def new(context: Context) -> Sequence[Message]:
    """A lobby; likewise."""
    if _words(context) or not _asks(context):
        return await invitations.new(context)
    return await _begin(context, MatchSetup("n"))


def _words(context: Context) -> list[str]:
    """The bare words that do not only say that it is to be rated."""
    return rating_words(context.command.words)[0]


def _asks(context: Context) -> bool:
    """Whether to ask for the game: it is not named, nothing that depends on it is, and the platform has dialogues."""
    games, command = context.table.games, context.command
    named = any(find_game(games, word) for word in command.words)
    return context.visitor.dialogues and not named and command.options.keys() <= {CLOCK, *RATED}


async def _begin(context: Context, order: MatchSetup) -> Sequence[Message]:
    """Ask the first question of a setup; a clock that was named already is not asked for."""
    order = replace(order, rated=is_rated(context.command))
    typed = context.command.chosen().get(CLOCK)
    if typed is not None:
        clock_of(typed)
        order = replace(order, clock=typed)
    return await _ask(context, order)


async def _ask(context: Context, order: MatchSetup) -> Sequence[Message]:
    """Ask the next question, or create the match where there is none left."""
    people = await _people(context, order.who)
    named = [player_name(player, context.words) for player in people]
    view = match_setup.ask(context.table.games, order, context.words, named=named)
    if view is not None:
        return [context.private(view)]
    chosen = order.chosen(context.table.games[order.game])
    options = {"game": order.game, **chosen, "clock": order.clock, "rated": "yes" if order.rated else "no"}
    words: tuple[str, ...] = ()
    if order.opponent.startswith(ENGINE):
        options["engine"] = order.opponent[1:]
    elif order.opponent == NAMED:
        if not people:
            raise CommandError(BadCommand.ORDER_FORGOTTEN)
        words = tuple(f"@{number}" for number in range(len(people)))
    by_number = {str(number): player for number, player in enumerate(people)}
    command = Command.of("new" if order.lobby else "challenge", *words, options=options)
    visitor = replace(context.visitor, find=by_number.get, met=None)
    handler = invitations.new if order.lobby else invitations.challenge
    return await handler(replace(context, command=command, visitor=visitor))


async def _noted(context: Context, people: Sequence[Player]) -> str:
    """Store these people for the following buttons and return the key of the note; empty for none."""
    if not people:
        return ""
    text = json.dumps([(p.account.platform, p.account.uid, p.name) for p in people[:_NAMES]])
    name = hashlib.blake2b(text.encode(), digest_size=4).hexdigest()
    await context.store.notes.write(_note(name), text, keep=KEPT)
    return name


async def _people(context: Context, name: str) -> Sequence[Player]:
    if not name:
        return ()
    (text,) = await context.store.notes.read(_note(name))
    found = json.loads(text) if text else ()
    return tuple(Player(Account(platform, uid), shown) for platform, uid, shown in found)


def _note(name: str) -> str:
    return f"order:{name[:16]}"


@registry.button(Verb.ORDER)
async def _ordered(context: Context, button: CallbackData) -> Sequence[Message]:
    return await _ask(context, MatchSetup.read(button.argument))


@registry.button(Verb.RULES, Verb.HELP)
async def _read(context: Context, button: CallbackData) -> Sequence[Message]:
    """Rules or help, as if they had been asked for in words."""
    if button.verb is Verb.HELP:
        return await help_pages.help_(replace(context, command=Command.of("help")))
    words = tuple(filter(None, button.argument.split("/")))[:2]
    options = {"preset": words[1]} if len(words) > 1 else {}
    return await reading.rules(replace(context, command=Command.of("rules", *words[:1], options=options)))
