"""The table of a cup: in words, and as a picture's cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.presenter.event_parts import MAX_ALT, ROWS, TONES, Shown, arrow, code, marked, met, points, sign_of
from bot.presenter.naming import game_title
from bot.view import View
from play.events import cup
from play.events.cup import Row, System
from play.events.entries import End
from play.events.event import Event
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


def _lines(shown: Shown, rows: Sequence[Row], moved: Mapping[int, int]) -> tuple[str, ...]:
    """Return lines of the table in words."""
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
    shown: Shown, rows: Sequence[Row], moved: Mapping[int, int], page: int, told: tuple[str, ...]
) -> Sheet:
    """Return a page of the table as a picture: the results against each in a round robin, else those of each round.

    Opponents are named by the lines of the table, which are numbered; a place may be shared.
    """
    event = shown.event
    robin = cup.system(event) is System.ROUND_ROBIN
    order = [row.entrant for row in rows]
    heads = [str(number) for number in range(1, (len(rows) if robin else cup.rounds(event)) + 1)]
    left = event.live and any(row.left for row in rows)  # of a stopped cup none is played for the table
    by_line = cup.system(event) is not System.PODS  # whether cells name opponents
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
    """Return the cell of a round: how it ended and against whom, by their line, or the place in a pod."""
    if (number, entrant) in event.state.byes:
        return "+", Tone.GOOD
    game = next((one for one in event.state.games_of(entrant) if one.round == number), None)
    if game is None or game.end is End.VOID:
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


def _moved(event: Event, rows: Sequence[Row]) -> Mapping[int, int]:
    """Return how many places each has gained since the last round; nothing before there are results."""
    if not any(game.counts for game in event.state.games):
        return {}
    before = {row.entrant: row.place for row in cup.table(cup.before(event))}
    return {row.entrant: before.get(row.entrant, row.place) - row.place for row in rows}
