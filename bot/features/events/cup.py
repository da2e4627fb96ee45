"""Cards of cups: what is played, who is in, the round, the table; and the table of a Swiss or a round robin."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from bot.chat.arguments import text
from bot.chat.context import Context
from bot.chat.errors import CommandError, shown
from bot.chat.grammar import number_in
from bot.chat.i18n import Words
from bot.chat.view import Button, View
from bot.features.events.parts import (
    NAMES,
    ROWS,
    TONES,
    EventForm,
    News,
    Shown,
    called_to,
    code,
    met,
    new_games,
    page_in,
    points,
    sign_of,
    to_matches,
)
from bot.features.matches.match_setup import question
from play.actions.seating import counts_players
from play.events.entries import EventClosed, GameEnd, Paired, Stage
from play.events.event import Changed, Event, EventRefused
from play.events.forms import cup
from play.events.standings import MOST_PLAYERS, PairingSystem, StandingsRow
from play.people import Account, is_forgotten
from play.time.clock import Clock
from play.time.clock import read as read_length
from render.picture import Sheet, Tone
from rules.core import AnyGame, Reason
from storage.ports import FullStore

KEYS: Final = {"bot.cup.system.{}": (PairingSystem,)}  # for the check of the catalogues

_SIZES: Final = (4, 6, 8, 16, 32)  # the numbers of people that buttons offer
_DEFAULT_MOST: Final = 64
_SOONEST: Final = timedelta(minutes=5)
_LATEST: Final = timedelta(days=30)
_POD: Final = 4  # seats of a table in a cup of pods; fewer where people are short
_MOST: Final = 500  # cups of a person that are remembered; of more the oldest are forgotten


class CupRefusal(Reason):
    """Why something is not done with a cup; the comment names the fields that come with it."""

    NONE_HERE = "bot.cup.refused.none-here"
    BAD_MOST = "bot.cup.refused.bad-most"  # text, low, high
    BAD_CLOSES = "bot.cup.refused.bad-closes"  # text
    BAD_TABLE = "bot.cup.refused.bad-table"  # count


_MEDALS: Final = ("🥇", "🥈", "🥉")


def _with_table(shown: Shown, view: View, page: int = 0) -> View:
    """Return a view with the results against each in a round robin, else those of each round.

    Opponents are named by the lines of the table, which are numbered; a place may be shared.
    """
    event, words, rows = shown.event, shown.words, cup.table(shown.event)
    moved, order, how = _moved(event, rows), [row.player for row in rows], cup.system(event)
    count = len(rows) if how is PairingSystem.ROUND_ROBIN else cup.rounds(event)
    heads = [str(number) for number in range(1, count + 1)]
    left = event.live and any(row.left for row in rows)  # of a stopped cup none is played for the table
    by_line = how is not PairingSystem.PODS  # whether cells name opponents
    shared = by_line and rows[0].points > 0 and any(row.place != line for line, row in enumerate(rows, 1))
    heads += [words("bot.cup.column.left")] if left else []
    heads += [words("bot.cup.column.place")] if shared else []
    lines = []
    for line, row in list(enumerate(rows, 1))[page * ROWS : (page + 1) * ROWS]:
        if how is PairingSystem.ROUND_ROBIN:
            cells = [met(event.state.games_of(row.player), row.player, other) for other in order]
        else:
            cells = [_played(event, row.player, number, order) for number in range(1, count + 1)]
        cells += [(str(row.left or ""), Tone.PLAIN)] if left else []
        cells += [(str(row.place), Tone.PLAIN)] if shared else []
        lines.append(shown.line(row, moved.get(row.player, 0), cells, line if by_line else None))
    said, drawn = [said for said, _ in lines], tuple(drawn for _, drawn in lines)
    if (rest := len(rows) - (page + 1) * ROWS) > 0:
        said.append(words.count("bot.cup.more-rows", rest))
    sheet = Sheet(shown.title, tuple(heads), drawn, tuple(said), words("bot.sheet.points"))
    return shown.with_table(view, sheet)


def _played(event: Event, entrant: int, number: int, order: Sequence[int]) -> tuple[str, Tone]:
    # How a round ended and against whom, by their line, or the place in a pod.
    if (number, entrant) in event.state.byes:
        return "+", Tone.GOOD
    game = next((one for one in event.state.games_of(entrant) if one.round == number), None)
    if game is None or game.end is GameEnd.VOID:
        return "", Tone.NONE
    if len(game.entrants) > 2:
        if not game.counts:
            return "·", Tone.NONE
        place = game.place(entrant)
        return str(place + 1), TONES["+=–"[min(place, 2)]]
    other = next(one for one in game.entrants if one != entrant)
    sign = sign_of(game, entrant)
    return f"{sign}{order.index(other) + 1}", TONES.get(sign, Tone.NONE)


def _moved(event: Event, rows: Sequence[StandingsRow[int]]) -> Mapping[int, int]:
    # How many places each has gained since the last round; nothing before there are results.
    if not any(game.counts for game in event.state.games):
        return {}
    before = {row.player: row.place for row in cup.table(cup.before(event))}
    return {row.player: before.get(row.player, row.place) - row.place for row in rows}


def card(shown: Shown) -> View:
    """Return the card of a cup that all at a place see."""
    stage = shown.event.state.stage
    return (_open if stage is Stage.OPEN else _running if stage is Stage.RUNNING else _over)(shown)


def news(shown: Shown, facts: Sequence[Changed]) -> News:
    """Return the games of a round that begins."""
    event, new = shown.event, new_games(facts)
    called = called_to(event, new)
    if not new or not event.live:
        return News((), called)
    games = [game for game in event.state.games if game.number in new and game.match]
    lines = [f"{shown.opponents(game)} #{game.match}" for game in games[:NAMES]]
    if (more := len(games) - NAMES) > 0:
        lines.append(shown.words.count("bot.cup.more-games", more))
    return News((shown.words("bot.cup.plays"), *lines), called)


def table(shown: Shown, page: int | None, _who: Account) -> View:
    """Return a cup's table by pages; before its start, and of one that never began, its card."""
    if not shown.event.state.games:
        return card(shown)
    pages = -(-len(shown.event.state.entrants) // ROWS)
    at = page_in(page, pages)
    return _with_table(shown, shown.view(buttons=shown.turning(at, pages)), at)


def mine(shown: Shown, who: Account) -> View:
    """Return a person's games of a cup."""
    event, words = shown.event, shown.words
    opened, entrant = event.state.stage is Stage.OPEN, event.state.entrant_of(who)
    if entrant is None:
        return shown.view(words(EventRefused.NOT_IN), buttons=(_join(shown),) if opened else ())
    games = event.state.games_of(entrant.number)
    lines = []
    if opened:
        lines.append(words("bot.cup.you-are-in"))
    elif any(game.counts for game in event.state.games):
        row = next(row for row in cup.table(event) if row.player == entrant.number)
        lines.append(words("bot.cup.your-place", place=row.place, points=points(row.total)))
    lines += [f"{shown.opponents(game)} {shown.how(game, entrant.number)}" for game in games[-NAMES:]]
    return shown.view(*lines, buttons=to_matches(games))


def listed(shown: Sequence[Shown]) -> View:
    """Return the cups of a place, newest first."""
    lines: list[str] = []
    buttons: list[Button] = []
    for one in shown:
        lines += [one.title, _status(one), ""]
        if one.event.state.stage is Stage.OPEN:
            buttons.append(one.button("bot.cup.button.join-code", "join", good=True, code=code(one.event)))
        elif one.event.state.games:
            buttons.append(one.button("bot.cup.button.table-code", "table", code=code(one.event)))
    return View(lines=tuple(lines[:-1]), buttons=tuple(buttons))


def _join(shown: Shown) -> Button:
    return shown.button("bot.cup.button.join", "join", good=True)


def _status(shown: Shown) -> str:
    event, words = shown.event, shown.words
    state = event.state
    if state.stage is Stage.OPEN:
        settings = cup.settings_of(event.setup)
        count, closes = len(state.entrants), shown.moment(settings.closes)
        return words("bot.cup.entered", count=count, most=settings.most, closes=closes)
    if state.stage is Stage.OVER:
        if state.stopped:
            return words("bot.cup.was-stopped" if state.round else "bot.cup.too-few")
        return words("bot.cup.won", names=words.list(_finishers(shown, 1)))
    number, of = state.round, cup.rounds(event)
    robin = cup.system(event) is PairingSystem.ROUND_ROBIN
    played = words("bot.cup.round-robin") if robin else words("bot.cup.round", number=number, of=of)
    return words.count("bot.cup.games-left", len(state.open_games), round=played)


def _finishers(shown: Shown, place: int) -> list[str]:
    return [shown.name(row.player) for row in cup.finishers(shown.event) if row.place == place]


def _open(shown: Shown) -> View:
    event, words = shown.event, shown.words
    lines = [_terms(shown), _status(shown)]
    if entrants := event.state.entrants:
        lines.append(shown.names([shown.name(one.number) for one in entrants], NAMES))
    leave = shown.button("bot.cup.button.leave", "leave")
    return shown.view(*lines, words("bot.cup.how"), buttons=(_join(shown), leave))


def _running(shown: Shown) -> View:
    event, words = shown.event, shown.words
    date, lines = cup.ends(event, shown.now), [_status(shown)]
    if date is not None and event.state.open_games:
        late = event.state.round in event.state.due
        key = "bot.cup.round-over-due" if late else "bot.cup.round-until"
        lines.append(words(key, when=shown.moment(date)))
    if event.state.waiting:
        lines.append(words.count("bot.cup.waiting", len(event.state.waiting)))
    own, every = shown.button("bot.cup.button.mine", "mine"), shown.button("bot.cup.button.table", "table")
    return _with_table(
        shown, shown.view(*lines, buttons=(own, every, shown.button("bot.cup.button.wait", "join")))
    )


def _over(shown: Shown) -> View:
    if shown.event.state.stopped:
        lines = [_status(shown)]
    else:
        names = [(medal, _finishers(shown, place)) for place, medal in enumerate(_MEDALS, 1)]
        lines = [f"{medal} {shown.words.list(found[:NAMES])}" for medal, found in names if found]
    if not shown.event.state.games:
        return shown.view(*lines)
    return _with_table(shown, shown.view(*lines, buttons=(shown.button("bot.cup.button.table", "table"),)))


def _terms(shown: Shown) -> str:
    event, words = shown.event, shown.words
    system = cup.system(event)
    if system is PairingSystem.ROUND_ROBIN and cup.settings_of(event.setup).most > MOST_PLAYERS:
        form = words("bot.cup.system.two")  # it depends on how many enter
    else:
        form = words(f"bot.cup.system.{system}")
    return words("bot.cup.terms", clock=shown.clock, form=form)


async def _which_size(context: Context, line: str, chosen: Mapping[str, str]) -> View | None:
    words, closes = context.words, _closes(context, chosen.get("closes"))
    if "most" in chosen:
        return None
    sizes = {f"most:{size}": words.count("bot.cup.size", size) for size in _SIZES}
    sizes[f"most:{_DEFAULT_MOST}"] = words("bot.cup.any-size")
    return await question(context, words("bot.cup.which-size", length=words.length(closes)), line, sizes)


def _settings(
    context: Context, clock: Clock, typed: Mapping[str, str], game: AnyGame, seats: int
) -> tuple[tuple[str, str], ...]:
    most = number_in(typed.get("most", str(_DEFAULT_MOST)), cup.LEAST, cup.MOST)
    if most is None:
        raise CommandError(CupRefusal.BAD_MOST, text=shown(typed["most"]), low=cup.LEAST, high=cup.MOST)
    closes = context.at + _closes(context, typed.get("closes"))
    if seats not in (2, _POD) and counts_players(game):
        raise CommandError(CupRefusal.BAD_TABLE, count=seats)
    return cup.CupSettings(closes, most, cup.round_length(clock), seats).texts()


def _closes(context: Context, typed: str | None) -> timedelta:
    length = cup.OPEN_FOR if typed is None else read_length(typed)
    if length is None and typed is not None:
        _, end = context.span(typed, CupRefusal.BAD_CLOSES)
        length = end - context.at
    if length is None or not _SOONEST <= length <= _LATEST:
        raise CommandError(CupRefusal.BAD_CLOSES, text=shown(typed or ""))
    return length


async def _store_places(store: FullStore, fact: Changed) -> None:
    """Store the places of a cup that is over, for /profile."""
    event = fact.event
    ends = [entry.at for entry in fact.entries if isinstance(entry, EventClosed) and not entry.stopped]
    if not ends:
        return
    for row in cup.finishers(event):
        person = event.state.entrants[row.player].person
        if not is_forgotten(person):
            text = json.dumps([event.id, row.place])
            await store.timelines.add(_timeline(person), text, ends[0], most=_MOST)


async def _profile(store: FullStore, account: Account, words: Words, _at: datetime) -> str | None:
    places: dict[str, int] = {}
    for each in (account, *(await store.settings.get(account)).others):
        for stored in await store.timelines.read(_timeline(each)):
            event, place = json.loads(stored)
            places[event] = place
    counts = Counter(places.values())
    medals = " ".join(f"{medal} {counts[place]}" for place, medal in enumerate(_MEDALS, 1) if counts[place])
    if not places:
        return None
    said = words.count("bot.cup.profile", len(places))
    return f"{said}: {medals}" if medals else said


def _timeline(person: Account) -> str:
    return f"cups:{person}"


FORM: Final = EventForm(
    CupRefusal.NONE_HERE,
    card,
    mine,
    table,
    news,
    _profile,
    calling=(Paired,),
    arguments=((), (replace(text("most", named=True), about="entrants"), text("closes", named=True))),
    follows=_store_places,
    listed=listed,
    asks=_which_size,
    settles=_settings,
)
