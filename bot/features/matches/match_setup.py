"""Setting up a match: /challenge, /new, by words or step by step with buttons and selected people."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from bot.chat import arguments, error_handling
from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.error_handling import seen
from bot.chat.errors import BadCommand, CommandError, shown
from bot.chat.game_words import RATED, find_game, game_names, is_rated, rating_words
from bot.chat.grammar import CLOCK, Command
from bot.chat.people import first_account, nearest
from bot.chat.presenting.invitations import unreached
from bot.chat.presenting.naming import player_name
from bot.chat.quotas import INVITATIONS, MATCHES, PLACE, Count
from bot.chat.registry import Registry
from bot.chat.view import Message, View, ViewKind
from bot.features.coaching import asking
from bot.features.matches import engine_opponents, setup_questions, starts
from bot.features.matches.orders import Homes, homes_of, person_called, read_order, seat_called
from bot.features.matches.setup_questions import ENGINE, NAMED, MatchSetup
from bot.features.talking.allowing import TALK, read_talk
from play.actions.seating import player_counts
from play.errors import BadRequest, Refused
from play.facts import Fact
from play.match import PLAYERS, Phase, Talk, kind_of
from play.opening import ALONE, Challenge, Lobby
from play.people import Account, Address, Player, channel
from play.ports import derived
from play.time.clock_text import clock_of
from rules.core import AnyGame

registry: Final = Registry()

_KEPT: Final = timedelta(days=1)  # how long the people of a setup are stored
_NAMES: Final = 16  # people stored for one setup, at most
_ANYONE: Final = frozenset({"anyone", "anybody", "будь-хто", "усі", "всі", "всех", "все"})
_ANY_NUMBER: Final = _ANYONE | {"any", "auto", "all"}
_RANGE: Final = re.compile(r"[0-9]{1,2} ?[-–—] ?[0-9]{1,2}\Z", re.ASCII)
"""Numbers of players that leave it open: `players:any`, `players:2-10`."""


@registry.command(
    "challenge",
    replace(arguments.PERSON, about="opponent"),
    arguments.GAME,
    arguments.OPTIONS,
    arguments.choice("side", "first", "second", "random", ALONE),
    arguments.CLOCK,
    arguments.RATED,
    arguments.ENGINE,
    arguments.switch("coached", "yes", named=True),
    arguments.CHANNEL,
    TALK,
    starts.FROM,
    starts.ODDS,
    arguments.text("against"),
    topic=HelpTopic.BASICS,
    aliases=("play", "грати", "зіграти", "играть", "сыграть"),
    finishing=False,
)
async def challenge(context: Context) -> Sequence[Message]:
    """`/challenge bob lgame variant:scoring side:second`: named people, or anyone; `engine:5`, a bot, or `#chess`, a place, too.

    Offers the games, if none is named and the client has buttons.
    """
    context, place = await context.naming_place()
    context = await starts.naming_game(context)
    typed = (f"#{context.command.code}" if context.command.code else "", *context.command.words)
    if place is None and (unknown := next((word for word in typed if word.startswith(("#", "<#"))), None)):
        raise CommandError(BadCommand.NO_SUCH_PLACE, text=shown(unknown))
    if place is not None:
        return await _challenge(context, place)
    words, options = rating_words(context.command.words)[0], context.command.chosen()
    names = [word for word in words if not engine_opponents.is_called_engine(context, word)]
    found = [context.visitor.invite(word) for word in names]
    people = [player for player in found if player is not None]
    engines = engine_opponents.named(context, options)
    if len(people) < len(found) or len(engines) > 1 or not _asks(context, names, options):
        return await _challenge(context)
    if context.speaker:
        return [await _which_game(context, alone=not (names or engines))]
    replied = context.visitor.replied
    if engines or len(names) < len(words):
        level = kind_of(engines[0].account) or "" if engines else ""
        opponent = f"{NAMED if people else ''}{ENGINE}{level}"
    else:
        opponent = NAMED if people else ""
        if replied and not people and replied.account != context.visitor.account:
            people = [replied]
    return await _begin(context, MatchSetup("c", await _noted(context, people), opponent=opponent))


@registry.command(
    "new",
    arguments.GAME,
    arguments.OPTIONS,
    arguments.CLOCK,
    arguments.RATED,
    arguments.text("engines", named=True),
    arguments.CHANNEL,
    TALK,
    topic=HelpTopic.INVITATIONS,
    finishing=False,
)
async def new(context: Context) -> Sequence[Message]:
    """`/new klopodavka players:4 engines:2`: a lobby that all can join. Offers the games as `/challenge` does."""
    words, options = rating_words(context.command.words)[0], context.command.chosen()
    if words or not _asks(context, words, options):
        return await _open_lobby(context)
    if context.speaker:
        return [await _which_game(context)]
    return await _begin(context, MatchSetup("n"))


async def _which_game(context: Context, *, alone: bool = False) -> Message:
    """Ask in the name of the place, by lines that say so; `alone` it plays the computer."""
    words, engine = context.words, " engine:4" if alone else ""
    line = f"{context.command.line}{engine}{context.for_place}"
    games = {key: words(f"{key}.name") for key in context.table.games}
    said = words("bot.order.channel" if alone else "bot.order.game")
    return context.private(await question(context, said, line, games), ViewKind.FORM)


def _asks(context: Context, names: Sequence[str], options: Mapping[str, str]) -> bool:
    # Where lines are typed, any word may be a name: a single one is, unless it is much like a game's.
    games, command = context.table.games, context.command
    named = any(find_game(games, word) for word in command.words)
    sure = not names or (len(names) == 1 and not nearest(names[0], game_names(games)))
    has_buttons = context.visitor.buttons or (context.visitor.plain and sure)
    return has_buttons and not named and options.keys() <= {CLOCK, *RATED}


async def _begin(context: Context, order: MatchSetup) -> Sequence[Message]:
    rated, clock = is_rated(context.command), context.command.chosen().get(CLOCK)
    clock_of(clock)  # refused, if it is none
    return await ask(context, replace(order, rated=rated, clock=clock or ""))


async def ask(context: Context, order: MatchSetup) -> Sequence[Message]:
    """Ask the next question of an order; set the match up where nothing is left to ask."""
    people = await _people(context, order.who)
    if order.named and not people:
        raise CommandError(BadCommand.ORDER_FORGOTTEN)
    words, games = context.words, context.table.games
    offered = {order.who: words.list([player_name(each, words) for each in people])} if people else {}
    if order.setting and not order.opponent:  # the question may be against whom
        for each in context.visitor.present[:_NAMES]:
            offered.setdefault(await _noted(context, [each]), player_name(each, words))
    if (view := setup_questions.ask(games, order, words, offered)) is not None:
        return [context.private(view)]
    chosen = order.chosen(games[order.game])
    options = {"game": order.game, **chosen, "clock": order.clock, "rated": "yes" if order.rated else "no"}
    if order.engine is not None:
        options["engine"] = order.engine
    named = people if order.named else ()
    by_number = {str(number): player for number, player in enumerate(named)}
    lobby = order.lobby and not named and order.engine is None
    names = (f"@{number}" for number in by_number)
    command = Command.of("new" if lobby else "challenge", *names, options=options)
    visitor = replace(context.visitor, find=by_number.get, met=None)
    handler = _open_lobby if lobby else _challenge
    return await handler(replace(context, command=command, visitor=visitor))


async def _noted(context: Context, people: Sequence[Player]) -> str:
    if not people:
        return ""
    text = json.dumps([(p.account.platform, p.account.uid, p.name) for p in people[:_NAMES]])
    name = hashlib.blake2b(text.encode(), digest_size=setup_questions.NOTED // 2).hexdigest()
    await context.store.notes.write(f"order:{name}", text, keep=_KEPT)
    return name


async def _people(context: Context, name: str) -> Sequence[Player]:
    if not name:
        return ()
    (text,) = await context.store.notes.read(f"order:{name[:16]}")
    found = json.loads(text) if text else ()
    return tuple(Player(Account(platform, uid), shown) for platform, uid, shown in found)


@registry.button(Verb.ORDER, finishing=False)
async def _ordered(context: Context, button: CallbackData) -> Sequence[Message]:
    order = MatchSetup.read(button.argument)
    if not context.visitor.selected:
        return await ask(context, order)
    try:
        selected = await _with_selected(context, order)
    except (CommandError, BadRequest) as refusal:
        # The question stays, so that others can be selected.
        said = context.words(refusal.reason, **seen(refusal.fields))
        (asked,) = await ask(context, replace(order, opponent=""))
        return [replace(asked, view=replace(asked.view, lines=(said, *asked.view.lines)), refused=True)]
    return await ask(context, selected)


async def _with_selected(context: Context, order: MatchSetup) -> MatchSetup:
    visitor = context.visitor
    names = [name for name in visitor.selected if not engine_opponents.is_called_engine(context, name)]
    found = [visitor.find(name) for name in names]
    people = [player for player in found if player is not None]
    if len(people) < len(names):
        raise CommandError(BadCommand.ORDER_FORGOTTEN)
    if any(player.account == visitor.account for player in people):
        raise BadRequest(Refused.YOURSELF)
    with_engine = len(names) < len(visitor.selected)
    if with_engine and order.rated:
        raise BadRequest(Refused.RATED_ENGINE)
    opponent = (NAMED if people else "") + (ENGINE if with_engine else "")
    return replace(order, who=await _noted(context, people), opponent=opponent)


async def _challenge(context: Context, place: tuple[Address, str] | None = None) -> Sequence[Message]:
    order = read_order(context, people=True)
    game, replied = order.game, context.visitor.replied
    start = await starts.start_of(context, order)
    if (
        start
        and order.chosen.get("side") != ALONE
        and not (place or order.names or order.engines or replied)
        and context.visitor.buttons
    ):
        line, against = f"{context.command.line}{context.for_place}", starts.opponents(context.words)
        asked = await question(context, context.words("bot.order.opponent"), line, against)
        return [context.private(asked, ViewKind.FORM)]
    people = [
        await person_called(context, name, game)
        for name in order.names
        if name.text.casefold() not in _ANYONE
    ]
    if place:
        await _check_asked(context, *place, game)
        people.append(Player(channel(place[0]), place[1]))
    elif replied and not order.names and not order.engines and replied.account != context.visitor.account:
        people = [replied]
    people = [Player(await first_account(context, each.account), each.name) for each in people]
    await check_place(context, game)
    side = seat_called(game, order.chosen.pop("side", "second" if start and not start.position else "first"))
    homes = await homes_of(context, people)
    if (coached := order.chosen.pop("coached", None)) is not None:
        await asking.begin(context, game.key, coached, [*people, *order.engines], rated=order.rated)
    challenge = Challenge(
        context.visitor.place,
        game.key,
        order.chosen,
        opponents=[*people, *order.engines],
        side=side,
        clock=order.clock,
        rated=order.rated,
        also=homes.found,
        talk=read_talk(order.chosen.pop(TALK.name, Talk.OPEN)),
        start=start,
    )
    fact = await context.table.open(challenge, context.request())
    return [*await context.announce(fact), *unreached_notice(context, fact, homes)]


async def _check_asked(context: Context, where: Address, name: str, game: AnyGame) -> None:
    """Check that another place may be challenged, as its admins have chosen; it is spoken to in the language of this one at first."""
    own, chat = await context.store.settings.get_many(where, where.chat)
    there = await context.store.matches.live_at(where)
    full, other = there >= (own.most or PLACE.limit), own.games and game.key not in own.games
    if full or other or replace(context, chat=chat).excluded:
        raise CommandError(BadCommand.PLACE_REFUSES, name=shown(name))
    if own.language is None and (spoken := context.place.language):
        await context.store.settings.change(where, lambda now: replace(now, language=now.language or spoken))


async def _open_lobby(context: Context) -> Sequence[Message]:
    order = read_order(context)
    game, chosen = order.game, order.chosen
    await check_place(context, game)
    typed, talk = chosen.get(PLAYERS), read_talk(chosen.pop(TALK.name, Talk.OPEN))
    counts = player_counts(game, {key: text for key, text in chosen.items() if key != PLAYERS})
    if typed is None and len(counts) > 1:
        return [await _how_many(context, counts)]
    any_number = typed is not None and (typed.casefold() in _ANY_NUMBER or _RANGE.match(typed) is not None)
    if any_number:
        del chosen[PLAYERS]
    fact = await context.table.open(
        Lobby(
            context.visitor.place,
            game.key,
            chosen,
            engines=order.engines,
            clock=order.clock,
            rated=order.rated,
            open_size=any_number and len(counts) > 1,
            talk=talk,
        ),
        context.request(),
    )
    return await context.announce(fact)


async def _how_many(context: Context, counts: Sequence[int]) -> Message:
    words, line = context.words, f"{context.command.line}{context.for_place}"
    any_number = words("bot.order.any-number", low=min(counts), high=max(counts))
    labels = {"any": any_number, **{str(count): words.count("bot.order.count", count) for count in counts}}
    answers = {f"{PLAYERS}:{text}": label for text, label in labels.items()}
    return context.private(await question(context, words("bot.order.how-many"), line, answers), ViewKind.FORM)


async def question(context: Context, said: str, line: str, answers: Mapping[str, str]) -> View:
    """Return a question whose buttons say a line with each answer after it; `answers` are their labels."""
    made = [error_handling.saying(context, f"{line} {typed}", label) for typed, label in answers.items()]
    buttons = await asyncio.gather(*made)  # at once: their lines are stored in one trip
    return View(lines=(said,), buttons=tuple(buttons), kind=ViewKind.CHOICE)


def unreached_notice(context: Context, fact: Fact, homes: Homes) -> Sequence[Message]:
    """Return a message about the people whom an invitation does not reach, if any."""
    if not homes.lost or fact.match.phase is not Phase.OPEN:
        return ()
    return [context.private(unreached(context.present(fact.match), homes.lost))]


async def check_place(context: Context, game: AnyGame) -> None:
    """Check that a match may begin here, as the place's admins have chosen."""
    place, words = context.place, context.words
    if place.games and game.key not in place.games:
        known = words.list([words(f"{key}.name") for key in place.games if key in context.table.games])
        raise CommandError(BadCommand.GAME_NOT_HERE, game=words(f"{game.key}.name"), known=known)
    there, own = await asyncio.gather(
        context.store.matches.live_at(context.visitor.place), context.here.own()
    )
    if context.operation and any(match.id == derived(context.operation.id, 0) for match in own):
        return  # the same request has opened it before
    if place.most and there >= place.most:
        raise CommandError(BadCommand.TOO_MANY_HERE, most=place.most)
    check_count(PLACE, there)
    check_count(INVITATIONS, sum(map(context.finder.hosted, own)))
    check_count(MATCHES, sum(map(context.finder.mine, own)))


def check_count(count: Count, there: int) -> None:
    """Check that there may be one more."""
    if there >= count.limit:
        raise CommandError(count.reason, limit=count.limit)
