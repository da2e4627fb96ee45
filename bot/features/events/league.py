"""Cards of leagues: who is in, the season with its divisions, what it changed, and one player's part in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final

from bot.chat.context import Context
from bot.chat.i18n import Words
from bot.chat.view import Button, Message, View
from bot.features.events.choosing import accounts, act, answer, entered, only_event, shown_event
from bot.features.events.parts import (
    IN_PROFILE,
    EventForm,
    News,
    Shown,
    called_to,
    met,
    new_games,
    page_in,
    points,
    to_matches,
)
from play.events.entries import Entrant, EventGame, ExitReason, GameEnd, RoundDue
from play.events.event import Changed
from play.events.forms.league import (
    LEAST,
    League,
    NextSeason,
    Season,
    SeasonBegan,
    absent_in_half,
    league_of,
    next_start,
    undecided,
    zones,
)
from play.events.forms.league import table as table_of
from play.events.standings import StandingsRow
from play.people import Account
from render.picture import Sheet, SheetRow
from rules.core import Reason
from storage.ports import FullStore

KEYS: Final = {  # for the check of the catalogues
    "bot.league.moved.{}": (("up", "down", "out"),),
    "bot.league.{}": (("you-were-absent", "you-go", "you-stay"),),
}


class LeagueRefusal(Reason):
    """Why something is not done in a league."""

    NONE_HERE = "bot.league.refused.none-here"


DIVISIONS: Final = 2  # divisions in one picture: about twelve lines

FEW: Final = 8
"""Names, and games, in one list beside a picture, which has room for 1024 characters on Telegram."""


def card(shown: Shown) -> View:
    """Return the card of a league that all at a place see."""
    event, words, league = shown.event, shown.words, league_of(shown.event)
    season = league.season
    if season is None:
        return _gathering(shown, league)
    if not event.live:
        return _with_table(shown, season, shown.view(words("bot.league.over")))
    lines = [_status(shown, league, season)]
    if season.number in event.state.due and not undecided(event):
        lines += _results(shown, season)
    buttons = (
        shown.button("bot.cup.button.mine", "mine", good=True),
        shown.button("bot.cup.button.table", "table"),
        shown.button("bot.cup.button.join", "join"),
        _skip(shown),
    )
    return _with_table(shown, season, shown.view(*lines, *_notes(shown, league), buttons=buttons))


def news(shown: Shown, facts: Sequence[Changed]) -> News:
    """Return what a season that begins follows from: how the last one ended, who goes up, down and out."""
    event, seasons = shown.event, league_of(shown.event).seasons
    called = called_to(event, new_games(facts))
    begins = any(isinstance(entry, SeasonBegan) for fact in facts for entry in fact.entries)
    if not begins or not event.live or len(seasons) < 2:
        return News((), called)
    last, season = seasons[-2:]
    moved: dict[str, list[str]] = {"up": [], "down": [], "out": []}
    for division, players in enumerate(last.divisions):
        for player in players:
            now = season.division_of(player)
            if now != division:
                way = "out" if now is None else "up" if now < division else "down"
                moved[way].append(shown.name(player))
    lines = _results(shown, last)
    for way, names in moved.items():
        if names:
            lines.append(shown.words(f"bot.league.moved.{way}", names=shown.names(names, FEW)))
    return News(lines, called)


def mine(shown: Shown, who: Account) -> View:
    """Return a league as one player has it: their place, their games, and whether they play in the next season."""
    event, words = shown.event, shown.words
    league, entrant = league_of(event), event.state.entrant_of(who)
    if entrant is None or entrant.out is not None:
        return _outside(shown, league, entrant)
    season, number, lines = league.season, entrant.number, list[str]()
    games = [game for game in event.state.games_of(number) if season and game.round == season.number]
    at = season.division_of(number) if season else None
    if season is None or at is None:
        lines += [words("bot.league.you-are-in"), _next(shown, league)]
    else:
        row = next(row for row in table_of(event, season, at) if row.player == number)
        if len(season.divisions) > 1:
            lines.append(words("bot.league.division", number=at + 1))
        place = {"season": season.number, "place": row.place, "points": points(row.total)}
        lines.append(words("bot.league.your-place", **place))
        lines += [f"{shown.opponents(game)} {shown.how(game, number)}" for game in games]
        if at > 0 and league.stays_down(number):
            lines.append(words("bot.league.stays-down"))
        if event.live:
            stays = league.stays.get(number)
            absent = stays is None and absent_in_half(event, league, number)
            key = "you-were-absent" if absent else "you-go" if stays is False else "you-stay"
            lines.append(words(f"bot.league.{key}"))
    choices = _choices(shown, league, number) if event.live else ()
    return shown.view(*lines, buttons=(*to_matches(games), *choices))


def table(shown: Shown, page: int | None, who: Account) -> View:
    """Return the tables of some divisions, by pages, at first those with the person's; before the first season the card."""
    season, entrant = league_of(shown.event).season, shown.event.state.entrant_of(who)
    if season is None:
        return card(shown)
    if page is None and entrant is not None:
        page = (season.division_of(entrant.number) or 0) // DIVISIONS + 1
    pages = -(-len(season.divisions) // DIVISIONS)
    at = page_in(page, pages)
    return _with_table(shown, season, shown.view(buttons=shown.turning(at, pages)), at)


def staying(shown: Shown, *, stays: bool) -> View:
    """Return the answer to who has said whether they play in the next season, with the button that takes it back."""
    said = shown.words("bot.league.you-stay" if stays else "bot.league.you-go")
    return View(lines=(said,), buttons=(_skip(shown) if stays else _stay(shown),))


def _gathering(shown: Shown, league: League) -> View:
    event, words = shown.event, shown.words
    if not event.live:
        return shown.view(words("bot.league.over"))
    playing = [shown.name(one.number) for one in event.state.playing]
    lines = [words("bot.league.entered", count=len(playing)), _next(shown, league)]
    lines += [shown.names(playing, FEW)] if playing else []
    join = shown.button("bot.cup.button.join", "join", good=True)
    leave = shown.button("bot.cup.button.leave", "leave")
    return shown.view(*lines, words("bot.league.how"), buttons=(join, leave))


def _outside(shown: Shown, league: League, entrant: Entrant | None) -> View:
    words = shown.words
    if not shown.event.live:
        return shown.view(words("bot.league.over"))
    if entrant is not None and entrant.out not in (ExitReason.LEFT, ExitReason.ABSENT):
        return shown.view(words("event.refused.out"))
    why = "bot.league.you-were-out" if entrant and entrant.out is ExitReason.ABSENT else "bot.league.not-in"
    join = shown.button("bot.cup.button.join", "join", good=True)
    return shown.view(words(why), _next(shown, league), buttons=(join,))


def _status(shown: Shown, league: League, season: Season) -> str:
    event, words = shown.event, shown.words
    if season.number not in event.state.due:
        left, when = len(event.state.open_games), shown.moment(season.ends)
        return words.count("bot.league.season", left, number=season.number, when=when)
    if left := len(undecided(event)):
        return words.count("bot.league.deciding", left, number=season.number)
    return words("bot.league.season-over", number=season.number, next=_next(shown, league))


def _results(shown: Shown, season: Season) -> list[str]:
    # Who has won a season that is over, and what was decided for its players.
    words = shown.words
    best = [shown.name(row.player) for row in table_of(shown.event, season, 0) if row.place == 1]
    lines = [words("bot.league.won", number=season.number, names=shown.names(best, FEW))]
    decided = [game for game in _games(shown, season) if game.end is GameEnd.ADJUDICATED]
    decided.sort(key=lambda game: len(set(game.places)) == 1)  # wins before draws
    if decided:
        lines += [words("bot.league.decided"), *(_verdict(shown, game) for game in decided[:FEW])]
    if (more := len(decided) - FEW) > 0:
        lines.append(words.count("bot.cup.more-games", more))
    return lines


def _next(shown: Shown, league: League) -> str:
    start = next_start(shown.event, league)
    if start is None:
        return shown.words("bot.league.needs", least=LEAST)
    return shown.words("bot.league.next", when=shown.moment(start))


def _notes(shown: Shown, league: League) -> Iterator[str]:
    # Who joins with the next season, and who is out at the end of this one unless they say that they stay.
    event = shown.event
    silent = [
        shown.name(one.number)
        for one in event.state.playing
        if league.stays.get(one.number) is None and absent_in_half(event, league, one.number)
    ]
    if newcomers := [shown.name(one) for one in league.newcomers]:
        yield shown.words("bot.league.newcomers", names=shown.names(newcomers, FEW))
    if silent:
        yield shown.words("bot.league.silent", names=shown.names(silent, FEW))


def _choices(shown: Shown, league: League, number: int) -> tuple[Button, ...]:
    leave = shown.button("bot.cup.button.leave", "leave")
    if league.season is None or league.season.division_of(number) is None:
        return (leave,)
    stays = league.stays.get(number)
    if stays is None and absent_in_half(shown.event, league, number):
        return _stay(shown), _skip(shown), leave
    return (_stay(shown) if stays is False else _skip(shown)), leave


def _skip(shown: Shown) -> Button:
    return shown.button("bot.league.button.skip", "skip")


def _stay(shown: Shown) -> Button:
    return shown.button("bot.league.button.stay", "stay", good=True)


def _with_table(shown: Shown, season: Season, view: View, page: int = 0) -> View:
    words, rows, said = shown.words, list[SheetRow](), list[str]()
    several, games = len(season.divisions) > 1, _games(shown, season)
    here = range(len(season.divisions))[page * DIVISIONS : (page + 1) * DIVISIONS]
    widest = max((len(season.divisions[division]) for division in here), default=0)
    for division in here:
        if several:
            head = words("bot.league.division", number=division + 1)
            said.append(head)
            rows.append(SheetRow(head, (), ""))
        players = table_of(shown.event, season, division)
        for row, zone in zip(players, _zones(shown, season, division, players), strict=True):
            own = [game for game in games if row.player in game.entrants]
            line, drawn = shown.line(row, zone, [met(own, row.player, other.player) for other in players])
            said.append(line)
            rows.append(replace(drawn, total=f"{float(row.total):.4g}"))
    if several:
        said.append(words("bot.league.zones"))
    if rest := len(season.divisions) - here.stop:
        said.append(words.count("bot.league.more-divisions", rest))
    columns = tuple(str(number) for number in range(1, widest + 1))
    return shown.with_table(view, Sheet(shown.title, columns, tuple(rows), tuple(said)))


def _zones(shown: Shown, season: Season, division: int, rows: Sequence[StandingsRow[int]]) -> list[int]:
    """Return for each line of a division 1 where it goes up, -1 where it goes down; before any result none does."""
    if not any(row.points for row in rows):
        return [0] * len(rows)
    return zones(league_of(shown.event), season, division, [row.player for row in rows])


def _games(shown: Shown, season: Season) -> list[EventGame]:
    return [game for game in shown.event.state.games if game.round == season.number]


def _verdict(shown: Shown, game: EventGame) -> str:
    best = [one for one, place in zip(game.entrants, game.places, strict=True) if not place]
    if len(best) > 1:
        return shown.words("bot.league.halved", game=shown.opponents(game))
    return shown.words("bot.league.proved", game=shown.opponents(game), name=shown.name(best[0]))


async def _next_season(context: Context, *, stays: bool) -> Sequence[Message]:
    """Note whether the visitor plays in the next season; who has played in none yet leaves instead."""
    event = await act(context, await only_event(context), NextSeason(stays))
    entrant = event.state.entrant_of(*accounts(context))
    if entrant is None or entrant.out is not None:
        return answer(context, event, "bot.league.left")
    return [context.private(staying(shown_event(context, event), stays=stays))]


async def _profile(store: FullStore, account: Account, words: Words, _at: datetime) -> str | None:
    parts = []
    for event, entrant in await entered(store, account, "league"):
        season = league_of(event).season
        division = season.division_of(entrant) if season else None
        if season is None or division is None:
            continue
        rows = table_of(event, season, division)
        said = {"game": words(f"{event.setup.game}.name"), "division": division + 1}
        if any(row.points for row in rows):  # before that no one has a place
            place = next(row.place for row in rows if row.player == entrant)
            parts.append(words("bot.league.profile", **said, place=place, of=len(rows)))
        else:
            parts.append(words("bot.league.profile.begun", **said))
    return words("bot.league.profiles", places="; ".join(parts[:IN_PROFILE])) if parts else None


FORM: Final = EventForm(
    LeagueRefusal.NONE_HERE,
    card,
    mine,
    table,
    news,
    _profile,
    calling=(RoundDue, SeasonBegan),
    deeds={"skip": partial(_next_season, stays=False), "stay": partial(_next_season, stays=True)},
)
