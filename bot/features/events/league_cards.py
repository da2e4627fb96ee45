"""Cards of leagues: who is in, the season with its divisions, what it changed, and one player's part in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Final

from bot.chat.i18n import Words
from bot.chat.presenting.naming import clock_text, game_title, moment
from bot.chat.view import Button, View
from bot.features.events import parts
from bot.features.events.parts import (
    MAX_ALT,
    Shown,
    arrow,
    code,
    how,
    marked,
    met,
    opponents,
    points,
    to_matches,
    turning,
)
from play.events.entries import Entrant, EventGame, ExitReason, GameEnd
from play.events.event import Form
from play.events.league import (
    LEAST,
    League,
    Season,
    absent_in_half,
    league_of,
    table,
    undecided,
    zones,
)
from play.events.league_actions import next_start
from play.events.standings import StandingsRow
from play.people import Account
from render.picture import Sheet, SheetRow

KEYS: Final = {"bot.league.moved.{}": (("up", "down", "out"),)}
"""The keys that this module puts together, by their template: the members of each hole."""

DIVISIONS: Final = 2
"""Divisions in one picture: about twelve lines."""

FEW: Final = 8
"""Names, and games, in one list beside a picture, which has room for 1024 characters on Telegram."""


press: Final = partial(parts.press, Form.LEAGUE)
"""Returns a button that does what is typed after /league."""


def title(shown: Shown) -> str:
    """Return the headline of a league."""
    setup, words = shown.event.setup, shown.words
    key = "bot.league.title.rated" if setup.rated else "bot.league.title"
    name = game_title(shown.game, dict(setup.options), words)
    return words(key, game=name, code=code(shown.event), clock=clock_text(setup.clock, words))


def card(shown: Shown) -> View:
    """Return the card of a league that all at a place see."""
    event, words = shown.event, shown.words
    league = league_of(event)
    if league.season is None:
        return _gathering(shown, league)
    if not event.live:
        return _with_table(shown, league.season, View(lines=(title(shown), words("bot.league.over"))))
    lines = [title(shown), _status(shown, league, league.season)]
    if league.season.number in event.state.due and not undecided(event):
        lines += _results(shown, league.season)
    lines += _notes(shown, league)
    return _with_table(shown, league.season, View(lines=tuple(lines), buttons=_buttons(shown)))


def began(shown: Shown) -> tuple[str, ...]:
    """Return what the season that has just begun follows from: how the last one ended, who goes up, down and out."""
    words, seasons = shown.words, league_of(shown.event).seasons
    if len(seasons) < 2:
        return ()
    last, season = seasons[-2:]
    lines = _results(shown, last)
    moved: dict[str, list[str]] = {"up": [], "down": [], "out": []}
    for division, players in enumerate(last.divisions):
        for player in players:
            now = season.division_of(player)
            if now is None:
                moved["out"].append(shown.name(player))
            elif now != division:
                moved["up" if now < division else "down"].append(shown.name(player))
    lines += [
        words(f"bot.league.moved.{way}", names=_some(shown, names)) for way, names in moved.items() if names
    ]
    return tuple(lines)


def mine(shown: Shown, who: Account) -> View:
    """Return a league as one player has it: their place, their games, and whether they play in the next season."""
    event, words = shown.event, shown.words
    league, entrant = league_of(event), event.state.entrant_of(who)
    if entrant is None or entrant.out is not None:
        return _outside(shown, league, entrant)
    season, number = league.season, entrant.number
    lines = [title(shown)]
    games = [game for game in event.state.games_of(number) if season and game.round == season.number]
    at = season.division_of(number) if season else None
    if season is None or at is None:
        lines += [words("bot.league.you-are-in"), _next(shown, league)]
    else:
        row = next(row for row in table(event, season, at) if row.player == number)
        total = points(Fraction(row.points, 2))
        if len(season.divisions) > 1:
            lines.append(words("bot.league.division", number=at + 1))
        lines.append(words("bot.league.your-place", season=season.number, place=row.place, points=total))
        lines += [f"{opponents(shown, game)} {how(shown, game, number)}" for game in games]
        if at > 0 and league.stays_down(number):
            lines.append(words("bot.league.stays-down"))
    stays = league.stays.get(number)
    if event.live and season is not None and at is not None:
        if stays is None and absent_in_half(event, league, number):
            lines.append(words("bot.league.you-were-absent"))
        else:
            lines.append(words("bot.league.you-go" if stays is False else "bot.league.you-stay"))
    return View(
        lines=tuple(lines),
        buttons=(*to_matches(games), *(_choices(shown, league, number) if event.live else ())),
    )


def table_page(shown: Shown, page: int = 0) -> View:
    """Return the table of some divisions, by pages, for one reader; before the first season the card."""
    season = league_of(shown.event).season
    if season is None:
        return card(shown)
    buttons = turning(shown, page, pages(season))
    return _with_table(shown, season, View(lines=(title(shown),), buttons=buttons), page)


def pages(season: Season | None) -> int:
    """Return how many pictures the tables of a season take."""
    return -(-len(season.divisions) // DIVISIONS) if season else 1


def page_of(shown: Shown, who: Account) -> int:
    """Return the page with the division of a person; the first for who is in none."""
    season, entrant = league_of(shown.event).season, shown.event.state.entrant_of(who)
    at = season.division_of(entrant.number) if season and entrant else None
    return (at or 0) // DIVISIONS


def staying(shown: Shown, *, stays: bool) -> View:
    """Return the answer to who has said whether they play in the next season, with the button that takes it back."""
    words, event = shown.words, shown.event
    return View(
        lines=(words("bot.league.you-stay" if stays else "bot.league.you-go"),),
        buttons=(_skip(words, event.id) if stays else _stay(words, event.id),),
    )


def _gathering(shown: Shown, league: League) -> View:
    event, words = shown.event, shown.words
    if not event.live:
        return View(lines=(title(shown), words("bot.league.over")))
    playing = [one.number for one in event.state.playing]
    lines = [title(shown), words("bot.league.entered", count=len(playing)), _next(shown, league)]
    if playing:
        lines.append(_some(shown, [shown.name(one) for one in playing]))
    join = press(words, "bot.cup.button.join", f"join {event.id}", good=True)
    leave = press(words, "bot.cup.button.leave", f"leave {event.id}")
    return View(lines=(*lines, words("bot.league.how")), buttons=(join, leave))


def _outside(shown: Shown, league: League, entrant: Entrant | None) -> View:
    event, words = shown.event, shown.words
    if not event.live:
        return View(lines=(title(shown), words("bot.league.over")))
    if entrant is not None and entrant.out not in (ExitReason.LEFT, ExitReason.ABSENT):
        return View(lines=(title(shown), words("event.refused.out")))
    why = "bot.league.you-were-out" if entrant and entrant.out is ExitReason.ABSENT else "bot.league.not-in"
    join = press(words, "bot.cup.button.join", f"join {event.id}", good=True)
    return View(lines=(title(shown), words(why), _next(shown, league)), buttons=(join,))


def _status(shown: Shown, league: League, season: Season) -> str:
    event, words = shown.event, shown.words
    when = moment(season.ends, words, shown.zone)
    if season.number not in event.state.due:
        left = len(event.state.open_games)
        return words.count("bot.league.season", left, number=season.number, when=when)
    if left := len(undecided(event)):
        return words.count("bot.league.deciding", left, number=season.number)
    return words("bot.league.season-over", number=season.number, next=_next(shown, league))


def _results(shown: Shown, season: Season) -> list[str]:
    words = shown.words
    best = [shown.name(row.player) for row in table(shown.event, season, 0) if row.place == 1]
    lines = [words("bot.league.won", number=season.number, names=_some(shown, best))]
    decided = [game for game in _games(shown, season) if game.end is GameEnd.ADJUDICATED]
    decided.sort(key=lambda game: len(set(game.places)) == 1)  # wins before draws
    if decided:
        lines += [words("bot.league.decided"), *(_verdict(shown, game) for game in decided[:FEW])]
    if (more := len(decided) - FEW) > 0:
        lines.append(words.count("bot.cup.more-games", more))
    return lines


def _next(shown: Shown, league: League) -> str:
    words = shown.words
    start = next_start(shown.event, league)
    if start is None:
        return words("bot.league.needs", least=LEAST)
    return words("bot.league.next", when=moment(start, words, shown.zone))


def _notes(shown: Shown, league: League) -> Iterator[str]:
    words, event = shown.words, shown.event
    if league.newcomers:
        yield words("bot.league.newcomers", names=_some(shown, [shown.name(one) for one in league.newcomers]))
    silent = [
        shown.name(one.number)
        for one in event.state.playing
        if league.stays.get(one.number) is None and absent_in_half(event, league, one.number)
    ]
    if silent:
        yield words("bot.league.silent", names=_some(shown, silent))


def _buttons(shown: Shown) -> tuple[Button, ...]:
    words, event = shown.words, shown.event
    return (
        press(words, "bot.cup.button.mine", f"mine {event.id}", good=True),
        press(words, "bot.cup.button.table", f"table {event.id}"),
        press(words, "bot.cup.button.join", f"join {event.id}"),
        _skip(words, event.id),
    )


def _choices(shown: Shown, league: League, number: int) -> tuple[Button, ...]:
    words, event = shown.words, shown.event
    leave = press(words, "bot.cup.button.leave", f"leave {event.id}")
    if league.season is None or league.season.division_of(number) is None:
        return (leave,)
    stays = league.stays.get(number)
    if stays is None and absent_in_half(event, league, number):
        return _stay(words, event.id), _skip(words, event.id), leave
    return (_stay(words, event.id) if stays is False else _skip(words, event.id)), leave


def _skip(words: Words, event_id: str) -> Button:
    return press(words, "bot.league.button.skip", f"skip {event_id}")


def _stay(words: Words, event_id: str) -> Button:
    return press(words, "bot.league.button.stay", f"stay {event_id}", good=True)


def _with_table(shown: Shown, season: Season, view: View, page: int = 0) -> View:
    words, rows = shown.words, list[SheetRow]()
    told: list[str] = []
    several, games = len(season.divisions) > 1, _games(shown, season)
    here = range(len(season.divisions))[page * DIVISIONS : (page + 1) * DIVISIONS]
    widest = max((len(season.divisions[division]) for division in here), default=0)
    for division in here:
        if several:
            head = words("bot.league.division", number=division + 1)
            told.append(head)
            rows.append(SheetRow(head, (), ""))
        players = table(shown.event, season, division)
        order, moves = [row.player for row in players], _zones(shown, season, division, players)
        for row, zone in zip(players, moves, strict=True):
            told.append(_line(shown, row, zone))
            rows.append(_sheet_row(shown, games, order, row, zone))
    if several:
        told.append(words("bot.league.zones"))
    if rest := len(season.divisions) - here.stop:
        told.append(words.count("bot.league.more-divisions", rest))
    columns = tuple(str(number) for number in range(1, widest + 1))
    alt = "\n".join((title(shown), *told))
    return replace(view, sheet=Sheet(title(shown), columns, tuple(rows), tuple(told)), alt=alt[:MAX_ALT])


def _zones(shown: Shown, season: Season, division: int, rows: Sequence[StandingsRow[int]]) -> list[int]:
    """Return for each line of a division 1 where it goes up, -1 where it goes down; before any result none does."""
    if not any(row.won or row.drawn or row.lost for row in rows):
        return [0] * len(rows)
    return zones(league_of(shown.event), season, division, [row.player for row in rows])


def _line(shown: Shown, row: StandingsRow[int], zone: int) -> str:
    key = "bot.cup.row.left" if row.left and shown.event.live else "bot.cup.row"
    total = points(Fraction(row.points, 2))
    name = marked(shown, row.player)
    line = shown.words(
        key, place=row.place, change=arrow(zone), name=name, points=total, left=row.left, count=row.left
    )
    return line.replace("  ", " ")


def _sheet_row(
    shown: Shown, games: Sequence[EventGame], order: Sequence[int], row: StandingsRow[int], zone: int
) -> SheetRow:
    own = [game for game in games if row.player in game.entrants]
    cells = tuple(met(own, row.player, other) for other in order)
    name = " ".join(filter(None, (f"{row.place}.", arrow(zone), marked(shown, row.player))))
    total = Fraction(row.points, 2)
    return SheetRow(name, cells, f"{float(total):.4g}", crowned=row.place == 1 and row.points > 0)


def _games(shown: Shown, season: Season) -> list[EventGame]:
    return [game for game in shown.event.state.games if game.round == season.number]


def _verdict(shown: Shown, game: EventGame) -> str:
    words = shown.words
    best = [one for one, place in zip(game.entrants, game.places, strict=True) if not place]
    if len(best) > 1:
        return words("bot.league.halved", game=opponents(shown, game))
    return words("bot.league.proved", game=opponents(shown, game), name=shown.name(best[0]))


def _some(shown: Shown, names: Sequence[str]) -> str:
    more = len(names) - FEW
    told = [*names[:FEW], shown.words.count("bot.cup.more-people", more)] if more > 0 else list(names)
    return shown.words.list(told)
