"""Challenges and lobbies: /challenge, /new, /accept, /decline, /withdraw, /join, /leave, /start, /rematch."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.desk import arguments, engine_opponents
from bot.desk.context import Context
from bot.desk.errors import BadCommand, CommandError, no_such_word, shown
from bot.desk.game_words import (
    PRESET,
    RATED,
    find_game,
    is_rated,
    meaning,
    rating_words,
    read_words,
    seat_called,
    which_game,
)
from bot.desk.grammar import CLOCK
from bot.desk.match_lookup import AmongFinished, Retry
from bot.desk.people import Homes, Name, first_account, homes_of, person_called
from bot.desk.registry import Registry
from bot.presenter.invitations import unreached
from bot.view import Message
from play import rematching
from play.actions.action import Action
from play.actions.invitations import Decline, Withdraw
from play.actions.leaving import Leave
from play.actions.seating import Join, Start
from play.actions.watching import Watch
from play.errors import PlayError
from play.facts import Fact
from play.match import Match, Phase
from play.opening import Challenge, Lobby
from play.people import Player
from play.rematching import rematch_codes
from rules.core import AnyGame

registry: Final = Registry()

_CODE: Final = re.compile(r"[a-z0-9]{6}\Z", re.ASCII | re.IGNORECASE)

_CLOCK_PARTS: Final = frozenset(
    {
        *("bank", "cap", "increment", "flag", "limit", "soft", "time", "vacation"),
        *("банк", "запас", "межа", "час", "відпустка", "предел", "время", "отпуск"),
    }
)
"""Words before a colon by which people look for a part of the clock."""

_ANYONE: Final = frozenset({"anyone", "anybody", "будь-хто", "усі", "всі", "всех", "все"})


async def challenge(context: Context) -> Sequence[Message]:
    """`/challenge bob lgame variant:scoring side:second`: named people, or anyone; `engine:5` or a bot, too."""
    names, game, chosen, engines = _order(context)
    rated = is_rated(context.command)
    replied = context.visitor.replied
    if replied and not names and not engines and replied.account != context.visitor.account:
        people = [replied]
    else:
        people = [
            await person_called(context, name, game) for name in names if name.text.casefold() not in _ANYONE
        ]
    people = [Player(await first_account(context, each.account), each.name) for each in people]
    await check_place(context, game)
    clock = chosen.pop(CLOCK, None)
    side = seat_called(game, chosen.pop("side", "first"))
    homes = await homes_of(context, people)
    fact = await context.table.open(
        Challenge(
            context.visitor.place,
            game.key,
            chosen,
            opponents=[*people, *engines],
            side=side,
            clock=clock,
            rated=rated,
            also=homes.found,
        ),
        context.request(),
    )
    return [*await context.announce(fact), *_unreached(context, fact, homes)]


async def new(context: Context) -> Sequence[Message]:
    """`/new klopodavka players:4 board:12x12 actions:4 engines:2`: a lobby that anybody can join."""
    names, game, chosen, engines = _order(context)
    clock = chosen.pop(CLOCK, None)
    if names:
        raise no_such_word(names[0].text)
    await check_place(context, game)
    fact = await context.table.open(
        Lobby(
            context.visitor.place,
            game.key,
            chosen,
            engines=engines,
            clock=clock,
            rated=is_rated(context.command),
        ),
        context.request(),
    )
    return await context.announce(fact)


def _order(context: Context) -> tuple[list[Name], AnyGame, dict[str, str], list[Player]]:
    """Which game, what is chosen, the words that are neither, and the engines, from words in any order."""
    chosen = {key: value for key, value in context.command.chosen().items() if key not in RATED}
    words, _ = rating_words(context.command.words)
    bare = [word for word in words if not engine_opponents.is_called_engine(word)]
    bare = _without_klop(context, bare, named="game" in chosen)
    engines = engine_opponents.named(context, chosen, called=len(words) - len(bare))
    game = None
    if named := chosen.pop("game", None):
        game = find_game(context.table.games, named)
        if game is None:
            raise which_game(context, named)
    before, after = list(bare), []
    for at, word in enumerate(bare if game is None else ()):
        if found := find_game(context.table.games, word):
            game, before, after = found, before[:at], before[at + 1 :]
            break
    if game is None:
        raise which_game(context, *before)
    texts, _ = read_words(game, (*before, *after), chosen)
    _check_known(context, game, texts)
    names = [Name(word, after_game=False) for word in before if not meaning(game, word)]
    names += [Name(word, after_game=True) for word in after if not meaning(game, word)]
    return names, game, texts, engines


def _without_klop(context: Context, words: list[str], *, named: bool) -> list[str]:
    """The words without the one that is the name of the engines, as they are shown, where another one names the game."""
    for at, word in enumerate(words):
        others = (*words[:at], *words[at + 1 :])
        if engine_opponents.is_klop(word) and (
            named or any(find_game(context.table.games, each) for each in others)
        ):
            return list(others)
    return words


def _check_known(context: Context, game: AnyGame, texts: Mapping[str, str]) -> None:
    """Check that there is no option that neither the game has nor the command."""
    others = [each.name for each in context.commands[context.command.name].arguments if each.named]
    known = (*(option.key for option in game.schema.options), PRESET, *others)
    for key in texts:
        if key in _CLOCK_PARTS:
            raise CommandError(BadCommand.CLOCK_PART, option=shown(key))
        if key not in known:
            raise CommandError(BadCommand.NO_SUCH_OPTION, option=shown(key), known=", ".join(known))


def _unreached(context: Context, fact: Fact, homes: Homes) -> Sequence[Message]:
    """That some do not hear of an invitation."""
    if not homes.lost or fact.match.phase is not Phase.OPEN:
        return ()
    return [context.private(unreached(context.present(fact.match), homes.lost))]


async def check_place(context: Context, game: AnyGame) -> None:
    """Whether a match may be begun here, as its admins have chosen.

    Raises:
        CommandError: not of that game, or not one more.
    """
    place, words = context.place, context.words
    if place.games and game.key not in place.games:
        known = words.list([words(f"{key}.name") for key in place.games if key in context.table.games])
        raise CommandError(BadCommand.GAME_NOT_HERE, game=words(f"{game.key}.name"), known=known)
    if place.most and len(await context.here.live()) >= place.most:
        raise CommandError(BadCommand.TOO_MANY_HERE, most=place.most)


async def _check_rematch(context: Context, old: Match) -> None:
    """Likewise; of a rematch that has been asked for already, only the answer is left."""
    codes = rematch_codes(old)
    if not any(match.id in codes and match.rematch_of == old.id for match in await context.here.live()):
        await check_place(context, context.game(old))


@registry.command("accept", arguments.MATCH)
async def accept(context: Context) -> Sequence[Message]:
    """Take the chair that is kept for the visitor, or a free one."""
    context.no_words()
    match = await context.invitation(context.finder.for_me, context.finder.joinable, retry=Retry(Verb.ACCEPT))
    return await context.announce(await context.table.act(match.id, Join(), context.request()))


@registry.command("decline", arguments.MATCH)
async def decline(context: Context) -> Sequence[Message]:
    """Refuse a challenge."""
    context.no_words()
    finder = context.finder
    if context.command.code or await finder.fitting(finder.for_me):
        match = await context.match(finder.for_me, retry=Retry(Verb.DECLINE))
    else:  # it is refused anyway: best for a challenge of their own, which can be withdrawn
        match = await context.latest(
            lambda match: finder.hosted(match) and not match.lobby, otherwise=BadCommand.NOTHING_TO_DECLINE
        )
    if finder.joinable(match) and not finder.for_me(match):
        raise CommandError(BadCommand.NOTHING_TO_DECLINE)
    return await context.announce(await context.table.act(match.id, Decline(), context.request()))


@registry.command("withdraw", arguments.MATCH)
async def withdraw(context: Context) -> Sequence[Message]:
    """Take an invitation of one's own back."""
    context.no_words()
    finder = context.finder
    if context.command.code or await finder.fitting(finder.hosted):
        match = await context.match(finder.hosted, retry=Retry(Verb.WITHDRAW))
    else:  # it is refused anyway: best for one of their own, which has begun meanwhile
        match = await context.latest(finder.begun, finder.open, otherwise=BadCommand.NO_INVITATION)
    return await context.announce(await context.table.act(match.id, Withdraw(), context.request()))


@registry.command("join", arguments.MATCH, arguments.text("team", named=True))
async def join(context: Context) -> Sequence[Message]:
    """`/join`, `/join team:2`, `/join #k7q2mz`, also without the `#` and from any other place."""
    typed = context.command.chosen().get("team", "")
    words = context.command.words if context.command.rest else ()
    code = next((word.casefold() for word in words if _CODE.match(word)), None)
    left = [word for word in words if word.casefold() != code]
    typed = typed or " ".join(left)
    team = _team(typed)
    if context.command.code or code:
        match = await context.finder.named(context.command.code or code or "")
    else:
        match = await context.invitation(
            context.finder.joinable, context.finder.for_me, retry=Retry(Verb.JOIN, typed)
        )
    return await _joined(context, match, team)


async def _joined(context: Context, match: Match, team: int | None) -> Sequence[Message]:
    """Join a match, and show it at the place from now on, if it is not shown there yet."""
    table, visitor, request = context.table, context.visitor, context.request()
    if visitor.place not in match.addresses and match.phase is Phase.OPEN:
        # What would be refused is refused before anything is shown anywhere.
        Join(team).decide(match, table.course, request)
        done = request.operation
        again = replace(request, operation=replace(done, id=f"{done.id}:shown") if done else None)
        with suppress(PlayError):
            await table.act(match.id, Watch(visitor.place), again)
    return await context.announce(await table.act(match.id, Join(team), request))


def _team(text: str) -> int | None:
    if not text:
        return None
    if text.isascii() and text.isdigit() and len(text) == 1:
        return int(text)
    raise CommandError(BadCommand.BAD_TEAM, value=shown(text))


@registry.command("leave", arguments.MATCH)
async def leave(context: Context) -> Sequence[Message]:
    """Give a chair back, or leave a game that the others play on."""
    context.no_words()
    finder = context.finder
    match = await context.in_play(finder.entered, finder.hosted, finder.mine, retry=Retry(Verb.LEAVE))
    return await context.announce(await context.table.act(match.id, Leave(), context.request()))


@registry.command("start", arguments.MATCH)
async def start(context: Context) -> Sequence[Message]:
    """Begin a lobby's match."""
    context.no_words()
    match = await context.invitation(context.finder.hosted, context.finder.entered, retry=Retry(Verb.START))
    return await context.announce(await context.table.act(match.id, Start(), context.request()))


@registry.command("rematch", arguments.MATCH)
async def rematch(context: Context) -> Sequence[Message]:
    """Once more, with the seats swapped."""
    context.no_words()
    match = await context.latest(AmongFinished(context.finder.was_mine), context.finder.mine)
    return await _rematch(context, match)


async def _rematch(context: Context, old: Match) -> Sequence[Message]:
    await _check_rematch(context, old)
    visitor = context.visitor
    others = [
        chair.player for chair in old.chairs if chair.player and chair.player.account != visitor.account
    ]
    homes = await homes_of(context, others)
    if not {*old.addresses} <= {visitor.place, *homes.all}:  # there is a place that they share
        homes = Homes()
    fact = await rematching.rematch(
        context.table, old.id, context.request(), where=visitor.place, also=homes.found
    )
    return [*await context.announce(fact), *_unreached(context, fact, homes)]


@registry.button(Verb.ACCEPT, Verb.DECLINE, Verb.WITHDRAW, Verb.JOIN, Verb.LEAVE, Verb.START, Verb.REMATCH)
async def _pressed(context: Context, button: CallbackData) -> Sequence[Message]:
    if button.verb is Verb.JOIN:
        return await _joined(context, await context.table.get(button.match), _team(button.argument))
    if button.verb is Verb.REMATCH:
        return await _rematch(context, await context.table.get(button.match))
    action = _ACTIONS[button.verb]
    return await context.announce(await context.table.act(button.match, action, context.request()))


_ACTIONS: Final[Mapping[Verb, Action[Fact]]] = {
    Verb.ACCEPT: Join(),
    Verb.DECLINE: Decline(),
    Verb.WITHDRAW: Withdraw(),
    Verb.LEAVE: Leave(),
    Verb.START: Start(),
}
