"""/seek: find an opponent for a match of two among all places and platforms; with questions for those who press."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Final

from bot.chat import arguments
from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.errors import CommandError, no_such_word, shown
from bot.chat.game_words import RATED, find_game
from bot.chat.grammar import CLOCK, NO, OFF, number_in
from bot.chat.i18n import Words
from bot.chat.presenting.moments import clock_label, clock_text
from bot.chat.presenting.naming import Naming, game_title, player_name
from bot.chat.quotas import SEEKS
from bot.chat.registry import OFFERINGS, Offered, Offering, Registry
from bot.chat.services import Services
from bot.chat.view import Button, Message, View, ViewKind, opens
from bot.features.matches.invitations import join_match
from bot.features.matches.match_setup import check_count, check_place
from bot.features.matches.orders import joined_names, read_order
from bot.features.seeking.pairing import Pairing, Seek, Seeks, Standing, Terms, may_meet, opened, shown_rating
from play.actions.seating import Withdraw
from play.errors import PlayError, Unavailable
from play.match import Match, Phase
from play.people import Account, channel, is_channel
from play.request import blocked_pairs
from play.time.clock_text import clock_of
from rules.core import AnyGame, Reason

KEYS: Final = {
    "bot.seek.button.rated.{}": (("yes", "no"),),
    "bot.button.seek-{}": (("withdraw", "join"),),
}  # for the check of the catalogues

_LISTED: Final = 10  # seeks shown in the list
_OFFERED: Final = 3  # seeks offered beside other things
_LOOKED_AT: Final = 12  # seeks that are looked at for those
_CLOCKS: Final = ("1d", "3d", "12h", "none", "3d awake")  # the clocks that buttons offer
_NEW: Final = "new"  # the word before a game after which the other terms are asked for; buttons say it


def _described(game: AnyGame, terms: Terms, words: Words) -> str:
    parts = [game_title(game, dict(terms.options), words)]
    if (clock := clock_of(terms.clock)) is not None:
        parts.append(clock_text(clock, words))
    if terms.rated:
        parts.append(words("bot.seek.rated"))
    return ", ".join(parts)


def _own_seek(game: AnyGame, seek: Seek, words: Words) -> str:
    what = _described(game, seek.terms, words)
    return words("bot.seek.yours", what=what, rating=seek.rating) if seek.terms.rated else what


registry: Final = Registry()

_STANDING: Final = "standing"
_ALL: Final = frozenset({"all", "now", "усі", "всі", "зараз", "все", "сейчас"})
"""Words after `off` that say no more than it."""

_MOST_AT_ONCE: Final = 5
_NONE: Final = "new"  # in the place of a seek to join: there was none


class SeekRefusal(Reason):
    """Why a search for an opponent is refused."""

    TWO = "bot.command.seek-two"
    BAD_STANDING = "bot.command.seek-standing"  # text, most
    NOT_SOUGHT = "bot.command.not-sought"
    NOT_THIS_SOUGHT = "bot.command.not-this-sought"  # games
    HOW_TO_END = "bot.command.seek-off"  # text, example


@registry.command(
    "seek",
    arguments.GAME,
    arguments.OPTIONS,
    arguments.CLOCK,
    arguments.RATED,
    arguments.text(_STANDING, named=True),
    arguments.CHANNEL,
    topic=HelpTopic.TOGETHER,
    button=Verb.SEEK,
    kind=ViewKind.CARD,
    finishing=False,
)
async def seek(context: Context) -> Sequence[Message]:
    """`/seek lgame clock:1d rated:yes` joins a seek that suits, or waits for one; `/seek` lists them, `/seek off` ends one's own."""
    first, *rest = context.command.words or ("",)
    if first.casefold() in OFF:
        return await _off(context, rest)
    if rest and rest[-1].casefold() in OFF - NO:  # menus put the game first
        return await _off(context, (first, *rest[:-1]))
    if not context.command.rest or context.command.rest == _NEW:
        return [context.private(await _list(context), ViewKind.FORM)]
    if first == _NEW:
        context = replace(context, command=replace(context.command, words=tuple(rest)))
        if (asked := _asked(context)) is not None:
            return [context.private(asked, ViewKind.FORM)]
    return await _seek(context)


async def _seek(context: Context) -> Sequence[Message]:
    typed = dict(context.command.options)
    said = typed.pop(_STANDING, "")
    limit = number_in(said, 1, _MOST_AT_ONCE)
    if said and limit is None:
        raise CommandError(SeekRefusal.BAD_STANDING, text=shown(said), most=_MOST_AT_ONCE)
    context = replace(context, command=replace(context.command, options=typed))
    terms = _terms(context)
    own = Seek("", terms, context.visitor.player, 0, context.at)
    own = replace(own, rating=await shown_rating(context.store, own))
    if limit:
        return await _stand(context, own, limit)
    seeks = Seeks(context.store)
    mine = await seeks.of(context.visitor.account)
    for each in mine:
        if each.terms.fits(terms) and (match := await _open(context, each)) is not None:
            left = context.words.time_left(match.expires - context.at)
            return [_own(context, each, match, context.words("bot.seek.already", left=left))]
    await check_place(context, context.table.games[terms.game])
    if (found := await _joined(context, own)) is not None:
        return found
    check_count(SEEKS, len(mine))
    match = await opened(context.table, terms, context.visitor.place, context.request())
    await seeks.add(replace(own, match=match.id))
    return [_own(context, own, match, context.words("bot.seek.waiting"))]


def _terms(context: Context) -> Terms:
    order = read_order(context)
    if order.engines:
        raise no_such_word("engine")
    clock_of(order.clock)
    options = order.game.choose(order.chosen)
    if order.game.seats(options) != 2:
        raise CommandError(SeekRefusal.TWO)
    chosen = tuple(order.game.describe(options).items())
    return Terms(order.game.key, chosen, order.clock, order.rated)


def _asked(context: Context) -> View | None:
    terms, chosen = _terms(context), context.command.chosen()
    line, words = f"{context.command.rest}{context.for_place}", context.words
    if CLOCK not in chosen:
        buttons = tuple(
            opens(Verb.SEEK, clock_label(typed, words), f"{line} clock:{typed}") for typed in _CLOCKS
        )
        return View(lines=(words("bot.order.clock"),), buttons=buttons)
    game = context.table.games[terms.game]
    if RATED.isdisjoint(chosen) and game.ratable(game.choose(dict(terms.options))):
        answers = {answer: words(f"bot.seek.button.rated.{answer}") for answer in ("yes", "no")}
        buttons = tuple(
            opens(Verb.SEEK, label, f"{line} rated:{answer}") for answer, label in answers.items()
        )
        return View(lines=(words("bot.seek.which-rating"),), buttons=buttons)
    return None


async def _open(context: Context, seek: Seek) -> Match | None:
    match = await context.table.find(seek.match)
    return match if match and match.phase is Phase.OPEN and not match.expired(context.at) else None


def _own(context: Context, seek: Seek, match: Match, said: str) -> Message:
    words = context.words
    lines = (_own_seek(context.table.games[seek.terms.game], seek, words), said)
    data = CallbackData(Verb.WITHDRAW, match.id, match.revision)
    return context.private(View(lines=lines, buttons=(Button(words("bot.button.seek-cancel"), data),)))


async def _joined(context: Context, own: Seek) -> Sequence[Message] | None:
    at, seeks = context.at, Seeks(context.store)
    suiting = [
        each
        for each in await seeks.open()
        if own.suits(each, at) and await may_meet(context.store, own.player.account, each)
    ]
    code = suiting[0].match if suiting else _NONE
    if (operation := context.operation) is not None:  # delivered again, it means the same one
        bound = replace(operation, id=f"{operation.id}:seek")
        code = await context.store.matches.bind(bound, code)
    if code == _NONE:
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


async def _stand(context: Context, own: Seek, limit: int) -> Sequence[Message]:
    pairing = Pairing(context.table, context.store)
    account, place = context.visitor.account, context.visitor.place
    standing = await pairing.standing_of(account)
    before = next((one for one in standing if one.seek.terms.fits(own.terms)), None)
    if before is None:
        await check_place(context, context.table.games[own.terms.game])
        check_count(SEEKS, len(standing))
        name = f"{account} {own.terms} {context.operation.id if context.operation else context.at}"
        key = hashlib.blake2b(name.encode(), digest_size=6).hexdigest()
        before = Standing(replace(own, match=key), place, limit)
    elif before.limit != limit:  # said again, it is the same one with another number
        await pairing.end(before)
    await pairing.stand(replace(before, limit=limit))
    await pairing.tick()
    words, game = context.words, context.table.games[own.terms.game]
    off = opens(Verb.SEEK, words("bot.button.seek-off"), f"off {own.terms.game}{context.for_place}")
    said = words.count("bot.seek.standing", limit)
    view = View(lines=(_own_seek(game, own, words), said), buttons=(off,), kind=ViewKind.FORM)
    return [context.private(view)]


async def _off(context: Context, rest: Sequence[str]) -> Sequence[Message]:
    account, seeks, known = context.visitor.account, Seeks(context.store), context.table.games
    named = [word for word in rest if word.casefold() not in _ALL]
    games = {word: find_game(known, word) for word in joined_names(known, named)}
    for word, game in games.items():
        if game is None:
            example = f"/seek off {next(iter(known))}"
            raise CommandError(SeekRefusal.HOW_TO_END, text=shown(word), example=example)
    keys = {game.key for game in games.values() if game is not None}
    pairing = Pairing(context.table, context.store)
    own = [each for each in await seeks.of(account) if not keys or each.terms.game in keys]
    standing = [
        each for each in await pairing.standing_of(account) if not keys or each.seek.terms.game in keys
    ]
    if not own and not standing:
        if not keys:
            raise CommandError(SeekRefusal.NOT_SOUGHT)
        sought = context.words.list([context.words(f"{key}.name") for key in sorted(keys)])
        raise CommandError(SeekRefusal.NOT_THIS_SOUGHT, games=sought)
    for one in standing:
        await pairing.end(one)
    for each in own:
        with suppress(PlayError):  # taken or called off meanwhile
            request = replace(context.request(), operation=None)
            await context.table.act(each.match, Withdraw(), request)
        await seeks.remove(each)
    return [context.private(View(lines=(context.words("bot.seek.off-some" if keys else "bot.seek.off"),)))]


async def _list(context: Context) -> View:
    account, games, words = context.visitor.account, context.table.games, context.words
    found = [
        (each, match)
        for each in await Seeks(context.store).open()
        if each.terms.game in games
        and (match := await _open(context, each)) is not None
        and await may_meet(context.store, account, each)
    ]
    found.sort(key=lambda one: one[0].player.account != account)
    lines, buttons = [], []
    for number, (seek, match) in enumerate(found[:_LISTED], 1):
        name = player_name(seek.player, words)
        if is_channel(seek.player.account):
            name = words("bot.seek.channel", name=name)
        if seek.terms.rated:
            name = words("bot.seek.with-rating", name=name, rating=seek.rating)
        what = _described(games[seek.terms.game], seek.terms, words)
        lines.append(words("bot.seek.line", number=number, name=name, what=what))
        own = seek.player.account in (account, channel(context.visitor.place))
        key, verb = ("withdraw", Verb.WITHDRAW) if own else ("join", Verb.JOIN)
        label = words(f"bot.button.seek-{key}", number=number)
        buttons.append(Button(label, CallbackData(verb, match.id, match.revision)))
    here = [key for key in games if not context.place.games or key in context.place.games]
    buttons += [opens(Verb.SEEK, words(f"{key}.name"), f"{_NEW} {key}{context.for_place}") for key in here]
    head = words("bot.seek.list") if lines else words("bot.seek.none")
    return View(lines=(head, *lines, words("bot.seek.choose")), buttons=tuple(buttons))


async def _marks(services: Services, accounts: Sequence[Account]) -> Sequence[object]:
    """Return the seeks that may be offered to each person, and the revisions of their invitations, which may be taken already."""
    seeks = await Seeks(services.store).open()
    found = [_of_others(seeks, account) for account in accounts]
    codes = list({seek.match: None for each in found for seek in each})
    revisions = dict(zip(codes, await services.store.matches.revisions(codes), strict=True)) if codes else {}
    return [[(seek.match, revisions[seek.match]) for seek in each] for each in found]


def _of_others(seeks: Sequence[Seek], account: Account) -> Sequence[Seek]:
    return list(islice((each for each in seeks if each.player.account != account), _LOOKED_AT))


async def _offered(services: Services, account: Account, words: Words) -> Sequence[Offered]:
    """Offer the seeks of others, the oldest first."""
    found: list[Offered] = []
    seeks = _of_others(await Seeks(services.store).open(), account)
    people = [account, *dict.fromkeys(seek.player.account for seek in seeks)]
    pairs = await blocked_pairs(services.store.settings, people) if seeks else ()
    apart = {people[other] for one, other in pairs if one == 0}
    for seek in seeks:
        match, game = await services.table.find(seek.match), services.table.games.get(seek.terms.game)
        if match is None or game is None or match.phase is not Phase.OPEN or match.expired(services.now()):
            continue
        if seek.player.account in apart or (seek.terms.rated and is_channel(seek.player.account)):
            continue
        title, about = words(f"{game.key}.name"), _described(game, seek.terms, words)
        state = words("bot.seek.offered", name=player_name(seek.player, words))
        join = Button(
            words("bot.button.join"), CallbackData(Verb.JOIN, match.id, match.revision), style="good"
        )
        drawn = game.draw(services.table.course(match).position)
        about = "" if about == title else about
        names = Naming(game, match, words)
        found.append(Offered(match.id, "seek", title, state, about, None, (join,), drawn, names))
        if len(found) == _OFFERED:
            break
    return found


OFFERINGS.append(Offering(_offered, _marks))
