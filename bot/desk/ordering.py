"""Ordering a match by pressing buttons instead of typing what it needs; and the buttons of rules and help."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from bot.actions import Action, Verb
from bot.desk import helping, invitations, reading
from bot.desk.errand import Errand, Handler, Pressed
from bot.desk.grammar import BadCommand, Command, CommandError
from bot.desk.naming import RATED, find_game, is_rated, rating_words
from bot.desk.values import CLOCK
from bot.presenter import orders
from bot.presenter.naming import called
from bot.presenter.orders import ENGINE, NAMED, Order
from bot.view import Message
from play.clocktext import clock_of
from play.people import Account, Player

KEPT: Final = timedelta(days=1)
"""How long it is known for whom an order is."""

_NAMES: Final = 16
"""People at most who are noted for one order."""


async def challenge(errand: Errand) -> Sequence[Message]:
    """A challenge; where it is not said to what, and whoever asks can be asked, that is asked."""
    found = [errand.visitor.find(word.removeprefix("@")) for word in _words(errand)]
    people = [player for player in found if player is not None]
    if len(people) < len(found) or not _asks(errand):
        return await invitations.challenge(errand)
    replied = errand.visitor.replied
    if not people and replied and replied.account != errand.visitor.account:
        people = [replied]
    return await _begin(errand, Order("c", await _noted(errand, people)))


async def new(errand: Errand) -> Sequence[Message]:
    """A lobby; likewise."""
    if _words(errand) or not _asks(errand):
        return await invitations.new(errand)
    return await _begin(errand, Order("n"))


def _words(errand: Errand) -> list[str]:
    """The bare words that do not only say that it is to be rated."""
    return rating_words(errand.command.words)[0]


def _asks(errand: Errand) -> bool:
    """Whether the game is left open by somebody who can be asked for it, and nothing is said that hangs on it."""
    games, command = errand.table.games, errand.command
    named = any(find_game(games, word) for word in command.words)
    return errand.visitor.dialogues and not named and command.options.keys() <= {CLOCK, *RATED}


async def _begin(errand: Errand, order: Order) -> Sequence[Message]:
    """The first question of an order; a clock that was named already is not asked for."""
    order = replace(order, rated=is_rated(errand.command))
    typed = errand.command.chosen().get(CLOCK)
    if typed is not None:
        clock_of(typed)
        order = replace(order, clock=typed)
    return await _ask(errand, order)


async def _ask(errand: Errand, order: Order) -> Sequence[Message]:
    """The next question, or the match where there is none left."""
    people = await _people(errand, order.who)
    named = [called(player, errand.words) for player in people]
    view = orders.ask(errand.table.games, order, errand.words, named=named)
    if view is not None:
        return [errand.private(view)]
    chosen = order.chosen(errand.table.games[order.game])
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
    visitor = replace(errand.visitor, find=by_number.get, met=None)
    handler = invitations.new if order.lobby else invitations.challenge
    return await handler(replace(errand, command=command, visitor=visitor))


async def _noted(errand: Errand, people: Sequence[Player]) -> str:
    """Where these people are noted; empty for nobody."""
    if not people:
        return ""
    text = json.dumps([(p.account.platform, p.account.uid, p.name) for p in people[:_NAMES]])
    name = hashlib.blake2b(text.encode(), digest_size=4).hexdigest()
    await errand.store.set_note(_note(name), text, keep=KEPT)
    return name


async def _people(errand: Errand, name: str) -> Sequence[Player]:
    if not name:
        return ()
    (text,) = await errand.store.notes(_note(name))
    found = json.loads(text) if text else ()
    return tuple(Player(Account(platform, uid), shown) for platform, uid, shown in found)


def _note(name: str) -> str:
    return f"order:{name[:16]}"


async def _ordered(errand: Errand, button: Action) -> Sequence[Message]:
    return await _ask(errand, Order.read(button.argument))


async def _read(errand: Errand, button: Action) -> Sequence[Message]:
    """Rules or help, as if they had been asked for in words."""
    if button.verb is Verb.HELP:
        return await helping.help_(replace(errand, command=Command.of("help")))
    words = tuple(filter(None, button.argument.split("/")))[:2]
    options = {"preset": words[1]} if len(words) > 1 else {}
    return await reading.rules(replace(errand, command=Command.of("rules", *words[:1], options=options)))


COMMANDS: Final[Mapping[str, Handler]] = {"challenge": challenge, "new": new}

PRESSES: Final[Mapping[Verb, Pressed]] = {
    Verb.ORDER: _ordered,
    Verb.RULES: _read,
    Verb.HELP: _read,
}
