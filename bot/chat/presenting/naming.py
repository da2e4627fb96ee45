"""How matches, seats, options and moves are called in a language.

Lines of play as text: turn by turn, so that it can be read who plays what.

What it takes to word and draw one match for one reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from bot.chat.i18n import Words
from bot.chat.view import Button, View
from play import people
from play.actions.seating import open_size
from play.match import Closing, Match, Phase, Ply, kind_of, number_of
from play.people import Account, Player, is_forgotten
from play.ratings.model import Change
from play.replay import Course
from play.time.clock import Now
from render.picture import Theme
from rules.core import AnyGame, Grid, Number, OneOf, Option, Phrase, Position, RulesError, Seat

BETWEEN: Final = " / "  # between the turns of a line

_MORE: Final = " …"


def turns_in(game: AnyGame, position: Position[Any], plies: Sequence[str]) -> list[tuple[str, ...]]:
    """The turns of a line that is played from a position; what cannot be played stands together at the end."""
    turns: list[tuple[str, ...]] = []
    first, here = 0, position
    for at, text in enumerate(plies):
        try:
            (move,) = game.notation.parse(text, here)
            after = here.play(move)
        except (RulesError, ValueError):
            break
        if after.outcome is not None or after.to_move != here.to_move or after.plies_left >= here.plies_left:
            turns.append(tuple(plies[first : at + 1]))
            first = at + 1
        here = after
        if here.outcome is not None:
            break
    return [*turns, tuple(plies[first:])] if first < len(plies) else turns


def line_played(
    game: AnyGame, position: Position[Any], plies: Sequence[str]
) -> tuple[Sequence[Any], Position[Any]]:
    """Return the moves of a line from a position, and the position after them.

    Raises:
        RulesError: the line cannot be played.
    """
    moves = []
    for text in plies:
        (move,) = game.notation.parse(text, position)
        position = position.play(move)
        moves.append(move)
    return moves, position


def variation_text(
    game: AnyGame, position: Position[Any], plies: Sequence[str], most: int | None = None, *, skip: int = 0
) -> str:
    """A line with its turns apart: at most so many, without those that are skipped at the beginning."""
    turns = turns_in(game, position, plies)[skip:]
    told = turns[:most]
    return BETWEEN.join(map(" ".join, told)) + (_MORE if len(told) < len(turns) else "")


_CLOSED: Final = frozenset(
    closing.value for closing in (Closing.SILENCE, Closing.ENDED, Closing.DESERTED, Closing.AGREED)
)
"""Ends that are no draw; their words say that there is no winner."""


class Naming:
    """The names of one match's parts, in one language."""

    def __init__(self, game: AnyGame, match: Match, words: Words) -> None:
        self.game = game
        self.match = match
        self.words = words
        self._sides = game.sides(game.choose(dict(match.options)))
        if open_size(game, match):
            self._sides = tuple((Seat(index),) for index in range(len(match.chairs)))

    @property
    def title(self) -> str:
        """The match as a headline: its game, what was chosen, its code."""
        return self.words(
            "bot.match.title.rated" if self.match.rated else "bot.match.title",
            game=game_title(self.game, dict(self.match.options), self.words),
            code=f"#{self.match.id}",
        )

    @property
    def caution(self) -> str | None:
        """What to know before the match begins, if anything."""
        return caution(self.game, dict(self.match.options), self.words)

    @property
    def opponents(self) -> str:
        """Everybody at the board: the sides with a dash between, team-mates with a plus."""
        return " – ".join(" + ".join(self.seat(seat) for seat in side) for side in self._sides)

    def against(self, seat: Seat | None) -> str:
        """Everybody at the board but the one in a seat, as in `opponents`."""
        sides = [[other for other in side if other != seat] for side in self._sides]
        return " – ".join(" + ".join(map(self.seat, side)) for side in sides if side) or self.opponents

    def player(self, seat: Seat) -> Player | None:
        """Who sits there, or is expected there."""
        chair = self.match.chairs[seat]
        return chair.player or chair.reserved

    def seat(self, seat: Seat) -> str:
        """Who sits there, by name."""
        player = self.player(seat)
        return player_name(player, self.words) if player else self.words("bot.seat.free")

    def seats(self, seats: Iterable[Seat]) -> str:
        """Some people, by name."""
        return self.words.list([self.seat(seat) for seat in seats])

    def side(self, seat: Seat) -> str | None:
        """What the seat is called in the game (White), where sides have names."""
        key = f"{self.game.key}.seat.{seat.number}"
        return self.words(key) if self.words.has(key) else None

    def team(self, seat: Seat) -> int | None:
        """The number of the seat's team, where there are teams."""
        return next((n for n, side in enumerate(self._sides, 1) if len(side) > 1 and seat in side), None)

    def phrase(self, phrase: Phrase) -> str:
        """A phrase of the game; a seat in it is called by its player's name."""
        return self.words(phrase.key, **self.named(phrase.fields))

    def named(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Fields for words, with the players' names in place of their seats."""
        return {key: self.seat(value) if isinstance(value, Seat) else value for key, value in fields.items()}

    def notation(self, plies: Iterable[Ply]) -> str:
        """Some plies as they stand in the log, with a / between different seats."""
        runs = groupby(plies, key=attrgetter("seat"))
        return BETWEEN.join(" ".join(ply.text for ply in run) for _, run in runs)

    @property
    def result(self) -> tuple[str, ...]:
        """Who won, and how."""
        result = self.match.result
        if self.match.phase is not Phase.OVER or result is None:
            return ()
        if result.winners:
            who = self.words.count("bot.result.won", len(result.winners), names=self.seats(result.winners))
        elif result.reason in _CLOSED:
            return (self.words(result.reason),)
        else:
            who = self.words("bot.result.drawn")
        return (f"{who} {self.words(result.reason)}",)


def player_name(player: Player, words: Words) -> str:
    """Return a player's name; an engine's is in the reader's language."""
    kind = kind_of(player.account)
    if is_forgotten(player.account):
        return words("bot.seat.forgotten")
    if kind is None:
        return clean(player.name)
    number = number_of(player.account)
    key = "bot.engine.level" if kind.isdigit() else "bot.engine.program"
    name = words(key, kind=kind)
    return name if number == 1 else words("bot.engine.another", name=name, number=number)


def side_name(game: AnyGame, seat: Seat, words: Words) -> str:
    """Return what a side is called in a game, or its number, where no one plays it."""
    key = f"{game.key}.seat.{seat.number}"
    name = words(key) if words.has(key) else words.show(seat)
    return f"{name[0].upper()}{name[1:]}"


def clean(name: str) -> str:
    """A person's name without what could turn the text around it; never empty."""
    return people.clean(name) or "?"


def game_title(game: AnyGame, chosen: Mapping[str, str], words: Words) -> str:
    """A game and what was chosen for it, as people would say it."""
    defaults = {option.key: option.default for option in game.schema.options}
    parts = [chosen_text(game, key, text, words) for key, text in chosen.items() if text != defaults.get(key)]
    name = words(f"{game.key}.name")
    return words("bot.match.setup", game=name, options=", ".join(parts)) if parts else name


def caution(game: AnyGame, chosen: Mapping[str, str], words: Words) -> str | None:
    """What to know before a game that is played like this, if anything."""
    phrase = game.warning(game.choose(chosen))
    return None if phrase is None else words(phrase.key, **phrase.fields)


def chosen_text(game: AnyGame, key: str, text: str, words: Words) -> str:
    """One choice: a word speaks for itself, a number or a board after its label."""
    option = next((option for option in game.schema.options if option.key == key), None)
    label = f"{game.key}.value.{key}.{text}"
    if isinstance(option, OneOf) and (words(label) != text or text.isalpha()):
        return words(label)
    if option and is_switch(option) and text == "1":
        return words(f"{game.key}.option.{key}")
    value = option.read(text) if option else text
    shown = value if isinstance(value, Grid) else text.replace(",", " ")
    return words("bot.match.option", option=words(f"{game.key}.option.{key}"), value=shown)


def is_switch(option: Option) -> bool:
    """Whether an option is only on or off."""
    return isinstance(option, Number) and (option.low, option.high) == (0, 1)


def rules_keys(game: AnyGame, chosen: Mapping[str, str], words: Words) -> list[str]:
    """Catalogue keys of a game's rules as they are with what was chosen: each topic once, then what is added."""
    own, changes = f"{game.key}.rules", _changes(game, chosen)
    keys = [] if game.topics else [own]
    for topic in game.topics:
        told = [f"{own}.{topic}", *(f"{own}.{topic}.{change}" for change in changes)]
        keys += [key for key in told if words.has(key)][-1:]
    return [*keys, *(key for change in changes if words.has(key := f"{own}.{change}"))]


def _changes(game: AnyGame, chosen: Mapping[str, str]) -> list[str]:
    """The ends of catalogue keys for what was chosen, in the order of the schema."""
    keys = []
    for option in game.schema.options:
        text = chosen.get(option.key, option.default)
        if isinstance(option, OneOf):
            keys.append(f"{option.key}.{text}")
        elif option.key in chosen:
            keys.append(option.key)
    return keys


@dataclass(frozen=True, slots=True)
class Presentation:
    """A match and its reader. To word a fact, the match is as it was right after it.

    Attributes:
        now: The time at which clocks are shown: the present, or for texts that are read later, that of the last change.
        changes: What the match did to ratings, by seat.
    """

    game: AnyGame
    match: Match
    course: Course
    words: Words
    now: Now
    changes: Sequence[Change | None] = ()
    theme: Theme = Theme.LIGHT
    flipped: bool = False
    names: Naming = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", Naming(self.game, self.match, self.words))

    def note(self, *lines: str, buttons: tuple[Button, ...] = (), ping: tuple[Account, ...] = ()) -> View:
        """Words under the match's title, without a board."""
        lines = (self.names.title, *lines)
        return View(lines=lines, buttons=buttons, ping=ping, code=self.match.id, revision=self.match.revision)
