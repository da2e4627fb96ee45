"""/seek: find an opponent for a match of two among all places and platforms."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.desk import arguments
from bot.desk.command_spec import HelpTopic
from bot.desk.context import Context
from bot.desk.errors import CommandError, no_such_word, shown
from bot.desk.game_words import is_rated
from bot.desk.grammar import CLOCK, OFF
from bot.desk.invitations import join_match
from bot.desk.match_setup import check_count, check_place
from bot.desk.order_words import read_order
from bot.desk.registry import Registry
from bot.presenter.naming import game_title, player_name
from bot.quotas import SEEKS
from bot.seeking.pairing import Pairing, Standing, opened, shown_rating
from bot.seeking.seeks import Seek, Seeks, Terms
from bot.view import Button, Message, View
from play.actions.invitations import Withdraw
from play.blocking import blocked_pairs
from play.errors import PlayError, Unavailable
from play.match import Phase
from play.time.clock_text import clock_of
from rules.core import Reason

registry: Final = Registry()

LISTED: Final = 10
"""Seeks shown in the list."""

_STANDING: Final = "standing"
_MOST_AT_ONCE: Final = 5
_NEW: Final = "new"


class SeekRefusal(Reason):
    """Why a search for an opponent is refused."""

    TWO = "bot.command.seek-two"
    BAD_STANDING = "bot.command.seek-standing"  # text, most
    NOT_SOUGHT = "bot.command.not-sought"


@registry.command(
    "seek",
    arguments.GAME,
    arguments.OPTIONS,
    arguments.CLOCK,
    arguments.RATED,
    arguments.text(_STANDING, named=True),
    topic=HelpTopic.TOGETHER,
    button=Verb.SEEK,
)
async def seek(context: Context) -> Sequence[Message]:
    """`/seek lgame clock:1d rated:yes` joins a seek that suits, or waits for one; `/seek` lists them, `/seek off` ends one's own."""
    if context.command.rest.casefold() in OFF:
        return await _off(context)
    if not context.command.rest:
        return [context.private(await _list(context))]
    typed = dict(context.command.options)
    limit = _limit(typed.pop(_STANDING, ""))
    context = replace(context, command=replace(context.command, options=typed))
    terms = _terms(context)
    await check_place(context, context.table.games[terms.game])
    own = Seek("", terms, context.visitor.player, 0, context.at)
    own = replace(own, rating=await shown_rating(context.store, own))
    if limit:
        return await _stand(context, own, limit)
    found = await _joined(context, own)
    return found if found is not None else await _wait(context, own)


def _limit(text: str) -> int:
    if text and not (text.isascii() and text.isdigit() and 1 <= int(text[:3]) <= _MOST_AT_ONCE):
        raise CommandError(SeekRefusal.BAD_STANDING, text=shown(text), most=_MOST_AT_ONCE)
    return int(text or 0)


def _terms(context: Context) -> Terms:
    """Return what the command seeks.

    Raises:
        CommandError, BadRequest: it makes no sense, or is no match of two.
    """
    order = read_order(context)
    if order.names or order.engines:
        raise no_such_word(order.names[0].text if order.names else "engine")
    clock = order.chosen.pop(CLOCK, None)
    clock_of(clock)
    options = order.game.choose(order.chosen)
    if order.game.seats(options) != 2:
        raise CommandError(SeekRefusal.TWO)
    chosen = tuple(order.game.describe(options).items())
    return Terms(order.game.key, chosen, clock, is_rated(context.command))


async def _joined(context: Context, own: Seek) -> Sequence[Message] | None:
    """Join the oldest seek that suits; None where there is none, or it is taken meanwhile."""
    at, seeks = context.at, Seeks(context.store)
    suiting = [each for each in await seeks.open() if own.suits(each, at) and await _meets(context, each)]
    code = suiting[0].match if suiting else _NEW
    if (operation := context.operation) is not None:  # delivered again, it means the same one
        bound = replace(operation, id=f"{operation.id}:seek")
        code = await context.store.matches.bind(bound, code)
    if code == _NEW:
        return None
    try:
        messages = await join_match(context, await context.table.get(code))
    except Unavailable:
        raise
    except PlayError:
        return None
    for each in suiting[:1]:
        await seeks.remove(each)
    return messages


async def _meets(context: Context, other: Seek) -> bool:
    return not await blocked_pairs(context.store.settings, (context.visitor.account, other.player.account))


async def _wait(context: Context, own: Seek) -> Sequence[Message]:
    """Open an invitation and add it to the list."""
    seeks = Seeks(context.store)
    check_count(SEEKS, len(await seeks.of(context.visitor.account)))
    match = await opened(context.table, own.terms, context.visitor.place, context.request())
    await seeks.add(replace(own, match=match.id))
    cancel = CallbackData(Verb.WITHDRAW, match.id, match.revision)
    button = Button(context.words("bot.button.seek-cancel"), cancel)
    lines = (_described(context, own), context.words("bot.seek.waiting"))
    return [context.private(View(lines=lines, buttons=(button,)))]


async def _stand(context: Context, own: Seek, limit: int) -> Sequence[Message]:
    """Add a standing challenge and open its first invitation."""
    pairing = Pairing(context.table, context.store)
    account, place = context.visitor.account, context.visitor.place
    check_count(SEEKS, len(await pairing.standing_of(account)))
    name = f"{account} {own.terms} {context.operation.id if context.operation else context.at}"
    key = hashlib.blake2b(name.encode(), digest_size=6).hexdigest()
    await pairing.stand(Standing(key, own.terms, own.player, place, limit, context.at))
    await pairing.tick()
    off = Button(context.words("bot.button.seek-off"), CallbackData.without_match(Verb.SEEK, "off"))
    said = context.words.count("bot.seek.standing", limit)
    return [context.private(View(lines=(_described(context, own), said), buttons=(off,)))]


async def _off(context: Context) -> Sequence[Message]:
    """Withdraw the visitor's seeks and standing challenges."""
    account, seeks = context.visitor.account, Seeks(context.store)
    pairing = Pairing(context.table, context.store)
    own = await seeks.of(account)
    if not own and not await pairing.standing_of(account):
        raise CommandError(SeekRefusal.NOT_SOUGHT)
    await pairing.stop(account)
    for each in own:
        with suppress(PlayError):  # taken or called off meanwhile
            request = replace(context.request(), operation=None)
            await context.table.act(each.match, Withdraw(), request)
        await seeks.remove(each)
    return [context.private(View(lines=(context.words("bot.seek.off"),)))]


async def _list(context: Context) -> View:
    """Return the open seeks, the visitor's own first, with a button to join or to cancel each."""
    words, account = context.words, context.visitor.account
    shown_seeks = []
    for each in await Seeks(context.store).open():
        with suppress(PlayError):
            match = await context.table.get(each.match)
            if match.phase is Phase.OPEN and await _meets(context, each):
                shown_seeks.append((each, match))
    shown_seeks.sort(key=lambda one: one[0].player.account != account)
    lines, buttons = [], []
    for number, (each, match) in enumerate(shown_seeks[:LISTED], 1):
        name, own = player_name(each.player, words), each.player.account == account
        lines.append(words("bot.seek.line", number=number, name=name, what=_described(context, each)))
        verb = Verb.WITHDRAW if own else Verb.JOIN
        label = words("bot.button.seek-withdraw" if own else "bot.button.seek-join", number=number)
        buttons.append(Button(label, CallbackData(verb, match.id, match.revision)))
    if not lines:
        lines.append(
            words("bot.seek.none", example=f"/seek {next(iter(context.table.games))} clock:1d rated:yes")
        )
    return View(lines=(words("bot.seek.list"), *lines), buttons=tuple(buttons))


def _described(context: Context, seek: Seek) -> str:
    """Return what is sought in words: the game, the clock, whether it is rated."""
    words, terms = context.words, seek.terms
    parts = [game_title(context.table.games[terms.game], dict(terms.options), words)]
    if terms.clock is not None:
        parts.append(terms.clock)
    if terms.rated:
        parts.append(words("bot.seek.rated", rating=seek.rating))
    return ", ".join(parts)
