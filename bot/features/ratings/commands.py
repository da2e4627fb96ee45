"""/profile and /top: how a person plays, and who plays best here or everywhere.

Records are a timeline a person, and one a game of the people who have played rated matches, the latest last. They are written from
facts: the sender passes each at least once, so no end of a match is missed.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from bot.chat import arguments
from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, no_such_word, shown
from bot.chat.game_words import find_game
from bot.chat.grammar import CHANNEL
from bot.chat.people import first_account
from bot.chat.quotas import PICTURES
from bot.chat.registry import FINISHED, PROFILED, Registry
from bot.chat.view import Message, ViewKind
from bot.features.ratings import cards
from bot.features.ratings.cards import GameRecord, Held, Profile, TopRequest
from play.errors import PlayError, Unavailable
from play.events.event import AnyFact, Changed
from play.match import Match, is_engine
from play.people import Account, Player, channel, is_channel, is_forgotten
from play.ratings.model import Rating, RatingChange
from play.ratings.records import (
    MOST,
    PlayedMatch,
    Tally,
    by_day,
    counted,
    played_in,
    rating_at,
    seated,
    sign_of,
    usual_pace,
)
from play.table import Table
from play.time.week import zone_of
from rules.core import AnyGame, Reason
from storage.ports import FullStore

RANKED: Final = 1000
"""People of a game among whom the best are looked for everywhere: those who have played rated matches last."""


class Records:
    """The records of people."""

    def __init__(self, store: FullStore) -> None:
        self._store = store

    async def add(self, table: Table, match: Match, changes: Sequence[RatingChange | None]) -> None:
        """Store what a match that is over came to for its people; once, however often it is asked."""
        if match.result is None:
            return
        people = await seated(table, match)
        for played in played_in(match, table.course(match), people, changes):
            account = played.player.account
            await self._store.timelines.add(_record(account), played.pack(), played.ended, most=MOST)
            if played.rating is not None:
                text = json.dumps([account.platform, account.uid])
                name = _ranked(match.game, places=is_channel(account))
                await self._store.timelines.add(name, text, played.ended, most=RANKED)

    async def of(self, account: Account, at: datetime) -> Sequence[PlayedMatch]:
        """Return a person's record, of linked accounts too, earliest first; times are in the zone of `at`."""
        others = (await self._store.settings.get(account)).others
        found: dict[str, PlayedMatch] = {}
        for each in (account, *others):
            for text in await self._store.timelines.read(_record(each)):
                if (played := PlayedMatch.unpack(text, at)) is not None:
                    found.setdefault(played.match, played)
        return sorted(found.values(), key=lambda played: played.ended)

    async def ranked(
        self, game: str, *, since: datetime | None = None, places: bool = False
    ) -> Sequence[Account]:
        """Return the people, or places, who have played rated matches of a game, by their first account; with `since`, after that."""
        name = _ranked(game, places=places)
        texts = await self._store.timelines.read(name)
        if since is not None:
            texts = texts[len(await self._store.timelines.read(name, until=since)) :]
        accounts = [Account(*json.loads(text)) for text in texts]
        settings = await self._store.settings.get_many(*accounts)
        first = (chosen.person or account for account, chosen in zip(accounts, settings, strict=True))
        return list(dict.fromkeys(first))


def _record(account: Account) -> str:
    return f"record:{account}"


def _ranked(game: str, *, places: bool) -> str:
    """Return the name of the list of the people, or of the places, who have played rated matches of a game."""
    return f"ranked:{game}:channels" if places else f"ranked:{game}"


registry: Final = Registry()
registry.hooks.append(lambda services: partial(count_match, services.table, services.store))

_MOST_LISTED: Final = 10  # people in a list of the best, for each game
_MOST_ACTIVE: Final = 200  # people whose change in the week is looked up, for each game
_WEEK: Final = frozenset({"week", "тиждень", "тижня", "неделя", "недели"})
_PLACES: Final = CHANNEL | {"channels", "groups", "канали", "групи", "каналы", "группы"}
_EVERYWHERE: Final = frozenset({"everywhere", "all", "скрізь", "усюди", "везде", "всюду"})


class ProfileRefusal(Reason):
    """Why a profile is not shown."""

    HIDDEN = "bot.command.profile-hidden"  # name


@registry.command(
    "profile",
    arguments.PERSON,
    arguments.GAME,
    arguments.choice("whose", "channel", named=False),
    topic=HelpTopic.TOGETHER,
    aliases=("rating",),
    cost=PICTURES,
    finishing=False,
)
async def profile(context: Context) -> Sequence[Message]:
    """`/profile`, `/profile bob`, `/profile bob lgame`, `/profile channel`: ratings, records, the usual pace, and one's own score with them."""
    games = context.table.games
    named, words = context.command.chosen(), list(context.command.words)
    words += [value for key in ("game", "person") if (value := named.pop(key, ""))]
    for key in named:
        raise no_such_word(key)
    asked = {game.key: game for word in words if (game := find_game(games, word))}
    people = [word for word in words if find_game(games, word) is None]
    if len(people) > 1:
        raise no_such_word(people[1])
    of = await _person(context, *people)
    own = of.account == context.visitor.account
    theirs = await context.store.settings.get(of.account)
    if not own and not theirs.profile:
        raise CommandError(ProfileRefusal.HIDDEN, name=shown(of.name))
    record = await Records(context.store).of(of.account, context.at)
    if people and not own and not record and not await _is_known(context, of.account):
        raise CommandError(BadCommand.NO_SUCH_PERSON, name=shown(people[0]))
    found = Profile(
        of,
        await _games(context, of.account, asked or games, record),
        usual_pace(record),
        [] if asked else await PROFILED.all(context.store, of.account, context.words, context.at),
        own=own,
        named=bool(asked),
        hidden=not theirs.profile,
    )
    return [context.private(cards.profile(found, games, context.words))]


async def _games(
    context: Context, of: Account, wanted: Mapping[str, AnyGame], record: Sequence[PlayedMatch]
) -> Mapping[str, GameRecord]:
    mine: Sequence[PlayedMatch] = ()
    if of != context.visitor.account:
        signs = {sign_of(each) for each in (of, *(await context.store.settings.get(of)).others)}
        own = await Records(context.store).of(context.visitor.account, context.at)
        mine = [each for each in own if len(each.opponents) == 1 and not signs.isdisjoint(each.opponents)]
    found = {}
    for key in wanted:
        (rating,) = await context.store.ratings.get(key, of)
        played = [each for each in record if each.game == key]
        against = Tally.of([each for each in mine if each.game == key])
        found[key] = GameRecord(rating, by_day(played, cards.DAYS), Tally.of(played), against)
    return found


async def _person(context: Context, name: str = "") -> Player:
    visitor = context.visitor
    if name.casefold() in CHANNEL:
        unnamed = context.place_words("bot.channel.unnamed")
        return Player(channel(visitor.place), visitor.place_name or unnamed)
    found = visitor.find(name.removeprefix("@")) if name else visitor.replied or visitor.player
    if found is None:
        raise CommandError(BadCommand.NO_SUCH_PERSON, name=shown(name))
    return Player(await first_account(context, found.account), found.name)


async def _is_known(context: Context, account: Account) -> bool:
    """On some platforms any word may be a name."""
    met = None if is_channel(account) else context.visitor.met
    return met is None or met(account) or bool(await context.store.matches.of(account))


@registry.command(
    "top",
    arguments.GAME,
    arguments.choice("period", "week", named=False),
    arguments.choice("where", "everywhere", "channels", named=False),
    topic=HelpTopic.TOGETHER,
    button=Verb.TOP,
    kind=ViewKind.PAGE,
    cost=PICTURES,
    finishing=False,
)
async def top(context: Context) -> Sequence[Message]:
    """`/top`, `/top lgame week`, `/top everywhere`: the best players, or who has gained most since Monday; `/top channels`: places."""
    games = context.table.games
    named, week, everywhere, places = [], False, False, False
    for word in (*context.command.words, *context.command.chosen().values()):
        folded, game = word.casefold(), find_game(games, word)
        if folded in _WEEK:
            week = True
        elif folded in _EVERYWHERE:
            everywhere = True
        elif folded in _PLACES:
            places = True
        elif game is not None:
            named.append(game.key)
        else:
            raise no_such_word(word)
    asked = TopRequest(tuple(dict.fromkeys(named)), week, everywhere, places)
    monday = _monday(context)
    seated = {} if everywhere or places else await _seated(context)
    ranked = {}
    for key in asked.games or games:
        people = (
            await Records(context.store).ranked(key, since=monday if week else None, places=places)
            if everywhere or places
            else tuple(seated)
        )
        best = await _best(context, key, people, monday if week else None)
        ranked[key] = [await _named(context, seated, one) for one in best[:_MOST_LISTED]]
    return [context.private(cards.top(asked, ranked, context.words))]


def _monday(context: Context) -> datetime:
    local = context.at.astimezone(zone_of(context.place.place_zone))
    start = local.replace(hour=0, minute=0, second=0, microsecond=0)
    return start - timedelta(days=local.weekday())


async def _best(
    context: Context, game: str, people: Sequence[Account], monday: datetime | None
) -> Sequence[tuple[Account, Rating, int]]:
    settings = await context.store.settings.get_many(*people)
    open_to_all = [who for who, chosen in zip(people, settings, strict=True) if chosen.profile]
    ratings = await context.store.ratings.get(game, *open_to_all)
    rated = [(who, one) for who, one in zip(open_to_all, ratings, strict=True) if one is not None]
    if monday is None:
        ranked = sorted(rated, key=lambda one: (one[1].provisional, -one[1].skill))
        return [(who, rating, 0) for who, rating in ranked]
    gained = []
    for who, rating in rated[:_MOST_ACTIVE]:
        record = [each for each in await Records(context.store).of(who, context.at) if each.game == game]
        if any(each.rating is not None and each.ended >= monday for each in record):
            gained.append((who, rating, rating.shown - rating_at(record, monday)))
    return sorted(gained, key=lambda one: (-one[2], -one[1].skill))


async def _named(
    context: Context, seated: Mapping[Account, Player], one: tuple[Account, Rating, int]
) -> Held:
    account, rating, gained = one
    if account in seated:
        return Held(seated[account], rating, gained)
    record = await Records(context.store).of(account, context.at)
    return Held(record[-1].player if record else Player(account, ""), rating, gained)


async def _seated(context: Context) -> Mapping[Account, Player]:
    seated: dict[Account, Player] = {}
    for match in await context.here.matches():
        for chair in match.chairs:
            account = chair.player.account if chair.player else None
            person = account and not (is_forgotten(account) or is_engine(account) or is_channel(account))
            if chair.player and account and person:
                seated.setdefault(account, chair.player)
    settings = await context.store.settings.get_many(*seated)
    people: dict[Account, Player] = {}
    for (account, player), chosen in zip(seated.items(), settings, strict=True):
        people.setdefault(chosen.person or account, player)
    return people


_log: Final = logging.getLogger(__name__)


async def count_match(table: Table, store: FullStore, fact: AnyFact) -> Iterable[AnyFact]:
    """Count a rated match that is over, and store what follows from its end, also where that is shown nowhere.

    Raises:
        Unavailable: the store does not say whether a match has been counted; the fact comes again.
    """
    if isinstance(fact, Changed) or fact.match.live:
        return ()
    try:
        await Records(store).add(table, fact.match, await counted(table, fact.match))
        if fact.match.result is not None:
            await FINISHED.all(store, fact.match, table.course(fact.match))
    except Unavailable:
        raise
    except PlayError as broken:  # it cannot be replayed, or is gone
        _log.error("match %s cannot be counted: %s", fact.match.id, broken)
    return ()
