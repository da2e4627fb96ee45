"""Cards of cups: what is played, who is in, the round, the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from bot.i18n import Words
from bot.presenter import event_parts
from bot.presenter.clocks import clock_text, moment
from bot.presenter.cup_table import title, with_table
from bot.presenter.event_parts import (
    NAMES,
    ROWS,
    Shown,
    code,
    how,
    opponents,
    points,
    to_matches,
    turning,
)
from bot.view import Button, View
from play.events import cup
from play.events.cup import System
from play.events.errors import EventRefused
from play.events.event import Event, Form
from play.events.round_robin import MOST_PLAYERS
from play.events.state import Game, Stage
from play.people import Account

KEYS: Final = {"bot.cup.system.{}": (System,)}
"""The keys that this module puts together, by their template: the members of each hole."""

_MEDALS: Final = ("🥇", "🥈", "🥉")


press: Final = partial(event_parts.press, Form.CUP)
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


def began(shown: Shown, games: Sequence[Game]) -> tuple[str, ...]:
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
    """Return in one line how far a cup has come."""
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
    """Return who came in first, second and third; who shares a place stands beside the others."""
    found = [
        (medal, [shown.name(row.entrant) for row in cup.finishers(shown.event) if row.place == place])
        for place, medal in enumerate(_MEDALS, 1)
    ]
    return [f"{medal} {shown.words.list(names[:NAMES])}" for medal, names in found if names]


def _terms(shown: Shown) -> str:
    """Return how a cup will be played."""
    event, words = shown.event, shown.words
    system = cup.system(event)
    if system is System.ROUND_ROBIN and cup.settings_of(event.setup).most > MOST_PLAYERS:
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
    if cup.system(event) is System.ROUND_ROBIN:
        return words("bot.cup.round-robin")
    return words("bot.cup.round", number=event.state.round, of=cup.rounds(event))
