"""The ideas of a game on boards, one at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.i18n import Words
from bot.presenter.captions import ALT, cut, length
from bot.presenter.explained import explained, marked
from bot.presenter.naming import side_name
from bot.presenter.position import position_text
from bot.view import Button, RosterLine, View
from rules.core import AnyGame, Mark, OneOf, Seat, Sign, sq

NUMBER: Final = "#"
"""Before the number of an idea in the argument of a button, after the game."""


def first_of(game: AnyGame, chosen: Mapping[str, str], words: Words) -> tuple[Button, ...]:
    """Return the button to the ideas of a game, where it has any: to the first one of a variant, else to the first."""
    if not game.lessons:
        return ()
    wanted = set(_variant(game, chosen))
    shared = [len(wanted & set(lesson.options)) for lesson in game.lessons]
    return (_to(game, 1 + shared.index(max(shared)), words("bot.button.lessons")),)


def lesson(game: AnyGame, number: int, words: Words) -> View:
    """Return an idea of a game, counted from 1, and buttons to those beside it; the nearest one for a number out of range."""
    total = len(game.lessons)
    number = min(max(number, 1), total)
    shown = game.lessons[number - 1]
    options = game.choose(dict(shown.options))
    start = game.notation.parse_position(shown.position, options)
    turn = list(map(game.notation.format, game.notation.parse(shown.turn, start))) if shown.turn else []
    marks = [Mark(Sign.PICKED, sq(name)) for name in shown.squares.split()]
    diagram = explained(game, start, turn, marks)
    title = words("bot.lesson.title", game=words(f"{game.key}.name"), number=number, total=total)
    said = words(f"{game.key}.lesson.{shown.key}")
    if shown.turn:
        said += f" ({shown.turn})"
    names = _Sides(game, words)
    alt = " ".join((said, *marked(marks, words)))
    buttons = []
    if number > 1:
        buttons.append(_to(game, number - 1, words("bot.button.analyse-back")))
    if number < total:
        buttons.append(_to(game, number + 1, words("bot.button.analyse-on")))
    variant = (f"{key}:{value}" for key, value in _variant(game, dict(shown.options)))
    rules = CallbackData.without_match(Verb.RULES, "/".join((game.key, *variant)))
    return View(
        lines=(title, said),
        diagram=diagram,
        roster=tuple(RosterLine(seat, names.seat(seat)) for seat in map(Seat, range(game.seats(options)))),
        buttons=(*buttons, Button(words("bot.greeting.rules"), rules)),
        alt=cut(f"{alt} {position_text(diagram, names, ALT - length(alt) - 1)}", ALT),
    )


def _variant(game: AnyGame, chosen: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return those of some options that make a variant: of their values some are to choose from."""
    variants = {option.key for option in game.schema.options if isinstance(option, OneOf)}
    return [(key, value) for key, value in chosen.items() if key in variants]


def _to(game: AnyGame, number: int, label: str) -> Button:
    return Button(label, CallbackData.without_match(Verb.RULES, f"{game.key}{NUMBER}{number}"))


class _Sides:
    """What sides are called where no one plays."""

    def __init__(self, game: AnyGame, words: Words) -> None:
        self.words = words
        self._game = game

    def seat(self, seat: Seat, /) -> str:
        """Return the name of a side, or its number."""
        return side_name(self._game, seat, self.words)

    def side(self, _seat: Seat, /) -> None:
        """Return no name beside that."""
