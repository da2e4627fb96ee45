"""Cards of cups: what is played, who is in, the round, the table; and the table of a Swiss or a round robin.

The table of a cup: in words, and as a picture's cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from bot.chat.i18n import Words
from bot.chat.presenting.naming import clock_text, game_title, moment
from bot.chat.view import Button, View
from bot.features.events import parts
from bot.features.events.parts import (
    MAX_ALT,
    NAMES,
    ROWS,
    TONES,
    Shown,
    arrow,
    code,
    how,
    marked,
    met,
    opponents,
    points,
    sign_of,
    to_matches,
    turning,
)
from play.events import cup
from play.events.cup import CupRow
from play.events.entries import EventGame, GameEnd, Stage
from play.events.event import Event, EventRefused, Form
from play.events.standings import MOST_PLAYERS, PairingSystem
from play.people import Account
from render.picture import Sheet, SheetRow, Tone


def title(shown: Shown) -> str:
    """Return the headline of a cup."""
    setup, words = shown.event.setup, shown.words
    key = "bot.cup.title.rated" if setup.rated else "bot.cup.title"
    return words(key, game=game_title(shown.game, dict(setup.options), words), code=code(shown.event))


def with_table(shown: Shown, view: View, page: int = 0) -> View:
    """Return a view with the table: a picture that `alt` tells in words; the words alone where there are no pictures."""
    rows = cup.table(shown.event)
    moved = _moved(shown.event, rows)
    told = _lines(shown, rows[page * ROWS : (page + 1) * ROWS], moved)
    rest = len(shown.event.state.entrants) - (page + 1) * ROWS
    if rest > 0:
        told = (*told, shown.words.count("bot.cup.more-rows", rest))
    alt = "\n".join((title(shown), *told))
    return replace(view, sheet=_sheet(shown, rows, moved, page, told), alt=alt[:MAX_ALT])


def _lines(shown: Shown, rows: Sequence[CupRow], moved: Mapping[int, int]) -> tuple[str, ...]:
    event, words = shown.event, shown.words
    return tuple(
        words(
            "bot.cup.row.left" if row.left and event.live else "bot.cup.row",
            place=row.place,
            change=arrow(moved.get(row.entrant, 0)),
            name=marked(shown, row.entrant),
            points=points(row.points),
            left=row.left,
            count=row.left,
        ).replace("  ", " ")
        for row in rows
    )


def _sheet(
    shown: Shown, rows: Sequence[CupRow], moved: Mapping[int, int], page: int, told: tuple[str, ...]
) -> Sheet:
    """Return a page of the table as a picture: the results against each in a round robin, else those of each round.

    Opponents are named by the lines of the table, which are numbered; a place may be shared.
    """
    event = shown.event
    robin = cup.system(event) is PairingSystem.ROUND_ROBIN
    order = [row.entrant for row in rows]
    heads = [str(number) for number in range(1, (len(rows) if robin else cup.rounds(event)) + 1)]
    left = event.live and any(row.left for row in rows)  # of a stopped cup none is played for the table
    by_line = cup.system(event) is not PairingSystem.PODS  # whether cells name opponents
    shared = by_line and rows[0].points > 0 and any(row.place != line for line, row in enumerate(rows, 1))
    heads += [shown.words("bot.cup.column.left")] if left else []
    heads += [shown.words("bot.cup.column.place")] if shared else []
    lines = []
    for line, row in list(enumerate(rows, 1))[page * ROWS : (page + 1) * ROWS]:
        games = event.state.games_of(row.entrant)
        if robin:
            cells = [met(games, row.entrant, other) for other in order]
        else:
            cells = [_played(event, row.entrant, number, order) for number in range(1, cup.rounds(event) + 1)]
        if left:
            cells.append((str(row.left or ""), Tone.PLAIN))
        if shared:
            cells.append((str(row.place), Tone.PLAIN))
        number = line if by_line else row.place
        name = " ".join(
            filter(None, (f"{number}.", arrow(moved.get(row.entrant, 0)), marked(shown, row.entrant)))
        )
        best = row.place == 1 and row.points > 0
        lines.append(SheetRow(name, tuple(cells), points(row.points), crowned=best))
    return Sheet(title(shown), tuple(heads), tuple(lines), told, shown.words("bot.sheet.points"))


def _played(event: Event, entrant: int, number: int, order: Sequence[int]) -> tuple[str, Tone]:
    if (number, entrant) in event.state.byes:
        return "+", Tone.GOOD
    game = next((one for one in event.state.games_of(entrant) if one.round == number), None)
    if game is None or game.end is GameEnd.VOID:
        return "", Tone.NONE
    if len(game.entrants) > 2:
        if not game.counts:
            return "·", Tone.NONE
        place = game.place(entrant)
        return str(place + 1), TONES[2 if place == 0 else 1 if place == 1 else 0]
    other = next(one for one in game.entrants if one != entrant)
    sign = sign_of(game, entrant)
    tone = TONES[{"+": 2, "=": 1, "–": 0}[sign]] if game.counts else Tone.NONE
    return f"{sign}{order.index(other) + 1}", tone


def _moved(event: Event, rows: Sequence[CupRow]) -> Mapping[int, int]:
    if not any(game.counts for game in event.state.games):
        return {}
    before = {row.entrant: row.place for row in cup.table(cup.before(event))}
    return {row.entrant: before.get(row.entrant, row.place) - row.place for row in rows}


KEYS: Final = {"bot.cup.system.{}": (PairingSystem,)}
"""The keys that this module puts together, by their template: the members of each hole."""

_MEDALS: Final = ("🥇", "🥈", "🥉")


press: Final = partial(parts.press, Form.CUP)
"""Returns a button that does what is typed after /cup."""


def join(event: Event, words: Words) -> Button:
    """Return the button that enters its presser in a cup."""
    return press(words, "bot.cup.button.join", f"join {event.id}", good=True)


def card(shown: Shown) -> View:
    """Return the card of a cup that all at a place see."""
    stage = shown.event.state.stage
    if stage is Stage.OPEN:
        return _open(shown)
    if stage is Stage.RUNNING:
        return _running(shown)
    return _over(shown)


def began(shown: Shown, games: Sequence[EventGame]) -> tuple[str, ...]:
    """Return the games of a round, with the codes of those that have begun."""
    lines = [f"{opponents(shown, game)}{f' #{game.match}' if game.match else ''}" for game in games[:NAMES]]
    if len(games) > NAMES:
        lines.append(shown.words.count("bot.cup.more-games", len(games) - NAMES))
    return tuple(lines)


def table(shown: Shown, page: int = 0) -> View:
    """Return a cup's table, by pages, for one reader."""
    pages = -(-len(shown.event.state.entrants) // ROWS)
    return with_table(shown, View(lines=(title(shown),), buttons=turning(shown, page, pages)), page)


def mine(shown: Shown, who: Account) -> View:
    """Return a person's games of a cup."""
    event, words = shown.event, shown.words
    entrant = event.state.entrant_of(who)
    if entrant is None:
        view = View(lines=(title(shown), words(EventRefused.NOT_IN)))
        return replace(view, buttons=(join(event, words),)) if event.state.stage is Stage.OPEN else view
    games = event.state.games_of(entrant.number)
    lines = [title(shown)]
    row = next(row for row in cup.table(event) if row.entrant == entrant.number)
    if event.state.stage is Stage.OPEN:
        lines.append(words("bot.cup.you-are-in"))
    elif any(game.counts for game in event.state.games):
        lines.append(words("bot.cup.your-place", place=row.place, points=points(row.points)))
    lines += [
        " ".join(filter(None, (opponents(shown, game), how(shown, game, entrant.number))))
        for game in games[-NAMES:]
    ]
    return View(lines=tuple(lines), buttons=to_matches(games))


def listed(shown: Sequence[Shown], words: Words) -> View:
    """Return the cups of a place, newest first, with a button for a new one."""
    new = press(words, "bot.cup.button.new", "new", good=True)
    if not shown:
        return View(lines=(words("bot.cup.none"),), buttons=(new,))
    lines: list[str] = []
    buttons: list[Button] = []
    for one in shown[:5]:
        lines += [title(one), _status(one), ""]
        if one.event.state.stage is Stage.OPEN:
            typed = f"join {one.event.id}"
            buttons.append(press(words, "bot.cup.button.join-code", typed, good=True, code=code(one.event)))
        elif one.event.state.games:
            typed = f"table {one.event.id}"
            buttons.append(press(words, "bot.cup.button.table-code", typed, code=code(one.event)))
    return View(lines=tuple(lines[:-1]), buttons=(*buttons, new))


def _status(shown: Shown) -> str:
    event, words = shown.event, shown.words
    state = event.state
    if state.stage is Stage.OPEN:
        settings = cup.settings_of(event.setup)
        return words(
            "bot.cup.entered",
            count=len(state.entrants),
            most=settings.most,
            closes=moment(settings.closes, words, shown.zone),
        )
    if state.stage is Stage.OVER:
        if state.stopped:
            return words("bot.cup.stopped" if state.round else "bot.cup.too-few")
        return words(
            "bot.cup.won",
            names=words.list([shown.name(row.entrant) for row in cup.finishers(event) if row.place == 1]),
        )
    left = len(state.open_games)
    return words.count("bot.cup.games-left", left, round=_round(shown))


def _open(shown: Shown) -> View:
    event, words = shown.event, shown.words
    lines = [title(shown), _terms(shown), _status(shown)]
    if event.state.entrants:
        lines.append(_names(shown))
    return View(
        lines=(*lines, words("bot.cup.how")),
        buttons=(
            join(event, words),
            press(words, "bot.cup.button.leave", f"leave {event.id}"),
        ),
    )


def _running(shown: Shown) -> View:
    event, words = shown.event, shown.words
    date = cup.ends(event, shown.now)
    lines = [title(shown), _status(shown)]
    if date is not None and event.state.open_games:
        late = event.state.round in event.state.due
        key = "bot.cup.round-over-due" if late else "bot.cup.round-until"
        lines.append(words(key, when=moment(date, words, shown.zone)))
    if event.state.waiting:
        lines.append(words.count("bot.cup.waiting", len(event.state.waiting)))
    view = View(
        lines=tuple(lines),
        buttons=(
            press(words, "bot.cup.button.mine", f"mine {event.id}"),
            press(words, "bot.cup.button.table", f"table {event.id}"),
            press(words, "bot.cup.button.wait", f"join {event.id}"),
        ),
    )
    return with_table(shown, view)


def _over(shown: Shown) -> View:
    event, words = shown.event, shown.words
    lines = [title(shown), *([_status(shown)] if event.state.stopped else _podium(shown))]
    if not event.state.games:
        return View(lines=tuple(lines))
    button = press(words, "bot.cup.button.table", f"table {event.id}")
    return with_table(shown, View(lines=tuple(lines), buttons=(button,)))


def _podium(shown: Shown) -> list[str]:
    found = [
        (medal, [shown.name(row.entrant) for row in cup.finishers(shown.event) if row.place == place])
        for place, medal in enumerate(_MEDALS, 1)
    ]
    return [f"{medal} {shown.words.list(names[:NAMES])}" for medal, names in found if names]


def _terms(shown: Shown) -> str:
    event, words = shown.event, shown.words
    system = cup.system(event)
    if system is PairingSystem.ROUND_ROBIN and cup.settings_of(event.setup).most > MOST_PLAYERS:
        form = words("bot.cup.system.two")  # it depends on how many enter
    else:
        form = words(f"bot.cup.system.{system}")
    return words("bot.cup.terms", clock=clock_text(event.setup.clock, words), form=form)


def _names(shown: Shown) -> str:
    entrants = shown.event.state.entrants
    names = [shown.name(one.number) for one in entrants[:NAMES]]
    if len(entrants) > NAMES:
        names.append(shown.words.count("bot.cup.more-people", len(entrants) - NAMES))
    return shown.words.list(names)


def _round(shown: Shown) -> str:
    event, words = shown.event, shown.words
    if cup.system(event) is PairingSystem.ROUND_ROBIN:
        return words("bot.cup.round-robin")
    return words("bot.cup.round", number=event.state.round, of=cup.rounds(event))
