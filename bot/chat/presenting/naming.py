"""How matches, seats, options, moves and times are called in a language; and a match with its reader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n.catalogue import Words
from bot.chat.presenting.moments import moment, soon
from bot.chat.view import Button, ButtonStyle, RosterLine, View
from play import people
from play.match import Closing, Match, Phase, Ply, is_engine, kind_of, number_of, open_size
from play.people import Account, Player, is_forgotten
from play.ratings.model import RatingChange
from play.replay import Course, turn_after
from play.time.clock import (
    NO_TIME,
    Now,
    Times,
    away_until,
    deadline,
    left,
    rests_until,
    saved_by_day,
    until_flag,
    waking,
)
from play.time.week import Week
from render.picture import Strip, StripLine, Theme
from rules.core import (
    AnyGame,
    Diagram,
    Grid,
    Highlights,
    Number,
    OneOf,
    Option,
    Phrase,
    Position,
    RulesError,
    Seat,
)

BETWEEN: Final = " / "  # between the turns of a line


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
    """Return the moves of a line from a position, and the position after them; RulesError if the line cannot be played."""
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
    more = " …" if most is not None and most < len(turns) else ""
    return BETWEEN.join(map(" ".join, turns[:most])) + more


CLOSED: Final = (Closing.SILENCE, Closing.ENDED, Closing.DESERTED, Closing.AGREED)
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
        players = (chair.player or chair.reserved for chair in match.chairs)
        self._names = [player_name(each, words) if each else words("bot.seat.free") for each in players]
        self._with_sides = []
        for number, name in enumerate(self._names):
            side = self.side(Seat(number))
            self._with_sides.append(words("bot.roster.line", name=name, notes=side) if side else name)
        if match.for_one:
            sides = [self.side(Seat(number)) or str(number + 1) for number in range(len(self._names))]
            said = zip(self._names, sides, strict=True)
            self._names = [words("bot.roster.line", name=name, notes=side) for name, side in said]

    @property
    def title(self) -> str:
        """The match as a headline: its game, what was chosen, its code."""
        key = "bot.match.title.rated" if self.match.rated else "bot.match.title"
        game = game_title(self.game, dict(self.match.options), self.words)
        return self.words(key, game=game, code=f"#{self.match.id}")

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
        return self._names[seat]

    def seat_and_side(self, seat: Seat) -> str:
        """Who sits there, and what the seat is called in the game, where sides have names."""
        return self._with_sides[seat]

    def seats(self, seats: Iterable[Seat]) -> str:
        """Some people, by name."""
        return self.words.list([self.seat(seat) for seat in seats])

    def says(self, key: str, who: Seat | Player, **fields: Any) -> str:
        """Words about a person, or who sits in a seat: their `name` is filled in."""
        name = self.seat(who) if isinstance(who, Seat) else player_name(who, self.words)
        return self.words(key, name=name, **fields)

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
        """Who won, and how, in a line."""
        return (" ".join(filter(None, ended)),) if (ended := self.ended) else ()

    @property
    def ended(self) -> tuple[str, str] | None:
        """Who won, or that no one did, and how; the second is empty where the first says it all. None before the end."""
        result = self.match.result
        if self.match.phase is not Phase.OVER or result is None:
            return None
        if result.winners:
            who = self.words.count("bot.result.won", len(result.winners), names=self.seats(result.winners))
        elif result.reason in CLOSED:
            return self.words(result.reason), ""
        else:
            who = self.words("bot.result.drawn")
        return who, self.words(result.reason)


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


@dataclass(frozen=True, slots=True)
class Presentation:
    """A match and its reader. To word a fact, the match is as it was right after it."""

    game: AnyGame
    match: Match
    course: Course
    words: Words
    now: Now  # the time that clocks show; for texts that are read later, that of the last change
    changes: Sequence[RatingChange | None] = ()  # what the match did to ratings, by seat
    theme: Theme = Theme.LIGHT
    flipped: bool = False
    zone: str | None = None  # of its reader, where that is one person
    weeks: Sequence[Week | None] = ()  # of an invitation: that of each chair's clock, as `seat_weeks` has it
    names: Naming = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", Naming(self.game, self.match, self.words))

    @property
    def drawn(self) -> Diagram:
        """The board with the last turn on it."""
        course = self.course
        return self.game.draw(course.position, Highlights(last=course.last_turn, before=course.before_turn))

    def note(self, *lines: str, buttons: tuple[Button, ...] = (), ping: tuple[Account, ...] = ()) -> View:
        """Words under the match's title, without a board."""
        lines = (self.names.title, *lines)
        return View(lines=lines, buttons=buttons, ping=ping, code=self.match.id, revision=self.match.revision)

    def of_turn(self, key: str, who: Seat, entries: int) -> str:
        """Words about who sits in a seat, which may name the turn after so many entries of the log: its `number` and `moves`."""
        turn = turn_after(self.course, entries)
        number, moves = (turn.number, " ".join(turn.plies)) if turn else (0, "")
        return self.names.says(key, who, number=number, moves=moves)


_NAMED: Final = (
    *(Verb.ACCEPT, Verb.DECLINE, Verb.WITHDRAW, Verb.JOIN, Verb.LEAVE, Verb.START, Verb.SEAT, Verb.REMATCH),
    *(Verb.MOVE, Verb.UNDO, Verb.TAKEBACK, Verb.DRAW, Verb.RESIGN, Verb.CLAIM, Verb.PAUSE, Verb.RESUME),
    *(Verb.END, Verb.YES, Verb.NO, Verb.SUBSTITUTE, Verb.MORE, Verb.MUTE, Verb.PAGE, Verb.BACK),
    *(Verb.TELL, Verb.REPORT, Verb.BLOCK, Verb.FROM, Verb.EXPORT, Verb.STORY),
    *(Verb.FLIP, Verb.TEXT, Verb.REPLAY, Verb.HINT, Verb.COACH, Verb.ANALYSE, Verb.WHY, Verb.PUZZLE),
)
"""Verbs whose buttons can be named after them; any other is given its label."""


STYLES: Final[Mapping[Verb, ButtonStyle]] = {
    **dict.fromkeys((Verb.ACCEPT, Verb.JOIN, Verb.START, Verb.YES), "good"),
    **dict.fromkeys((Verb.REMATCH, Verb.MOVE, Verb.RESUME, Verb.TRY, Verb.LESSON_TRY), "good"),
    **dict.fromkeys((Verb.DECLINE, Verb.NO, Verb.RESIGN), "danger"),
}
"""How the buttons look that do not look plain."""


def button(presentation: Presentation, verb: Verb, argument: str = "", *, label: str | None = None) -> Button:
    """A button about a match as it is; its label names what it does, unless another is given."""
    match = presentation.match
    label = presentation.words(f"bot.button.{verb.name.lower()}") if label is None else label
    data = CallbackData(verb, match.id, match.revision, argument)
    return Button(label, data, style=STYLES.get(verb, "plain"))


_LEFT: Final = ("left", "resting", "away", "away-saved", "time-up")  # what there is to say of a running clock


KEYS: Final[Mapping[str, Sequence[Sequence[str]]]] = {  # for the check of the catalogues
    "bot.button.{}": ([verb.name.lower() for verb in _NAMED],),
    "bot.turn.{}": (_LEFT,),
    "bot.games.{}": (_LEFT,),
}


def time_text(presentation: Presentation) -> str | None:
    """The time that the player on turn has, as a sentence; None where no clock runs."""
    times, words = presentation.match.times, presentation.words
    if times is None or times.since is None:
        return None
    key, fields = _what_is_left(presentation, times)
    return words(f"bot.games.{key}", **fields)


def _what_is_left(presentation: Presentation, times: Times) -> tuple[str, dict[str, str]]:
    words, now, zone = presentation.words, presentation.now, presentation.zone
    rest, until = left(times, times.seat, now), away_until(times, now.at)
    if until is not None and not times.up:
        if rest > NO_TIME:
            return "away", {"until": moment(until, words, zone), "left": words.time_left(rest)}
        saved = words.time_left(until_flag(times, now))
        return "away-saved", {"until": moment(until, words, zone), "left": saved}
    if times.up or rest <= NO_TIME:
        return "time-up", {}
    fields = {"left": time_until(presentation, times)}
    if (wakes := rests_until(times, now.at)) is not None:
        return "resting", {"until": soon(wakes, now.at, words, zone), **fields}
    return "left", fields


def time_until(presentation: Presentation, times: Times) -> str:
    """Return what the player on turn has left; on a clock that rests, in waking hours, and the moment when it is up."""
    words, now = presentation.words, presentation.now
    if times.week is None or (ends := deadline(times, now)) is None:
        return words.time_left(left(times, times.seat, now))
    awake = waking(times)
    said = words.time_left(left(times, times.seat, now), awake=awake)
    said = words("bot.time.awake", left=said) if awake else said
    return words("bot.time.until", left=said, until=soon(ends, now.at, words, presentation.zone))


def roster(presentation: Presentation) -> tuple[RosterLine, ...]:
    """A line for each seat: the name, the side, the team, points, whether out."""
    position, words = presentation.course.position, presentation.words
    lines = []
    for index in range(len(presentation.match.chairs)):
        seat = Seat(index)
        notes = [points] if (points := points_text(presentation, seat)) else []
        if seat in position.out:
            notes.append(words("bot.roster.out"))
        lines.append(roster_line(presentation, seat, notes))
    return tuple(lines)


def points_text(presentation: Presentation, seat: Seat) -> str:
    """A seat's points, in the game's word for them; empty where the game counts none."""
    scores, words = presentation.course.position.scores, presentation.words
    own = f"{presentation.game.key}.points"
    return words.count(own if words.has(own) else "bot.roster.points", scores[seat]) if scores else ""


def roster_line(presentation: Presentation, seat: Seat, notes: Sequence[str]) -> RosterLine:
    """A seat's name, and beside it its side, its team and some notes."""
    words, names = presentation.words, presentation.names
    beside = [side] if (side := names.side(seat)) else []
    if team := names.team(seat):
        beside.append(words("bot.roster.team", number=team))
    beside += notes
    name = names.seat(seat)
    return RosterLine(seat, words("bot.roster.line", name=name, notes=", ".join(beside)) if beside else name)


def strip(presentation: Presentation, actions: int | None = None) -> Strip:
    """A line for each seat of a match that has begun: who is on turn, what is left, who won.

    `actions` are left in the turn, where some are picked but not played yet.
    """
    match, position, words = presentation.match, presentation.course.position, presentation.words
    playing = match.phase is Phase.PLAYING
    winners = match.result.winners if match.result else ()
    actions = position.plies_left if actions is None else actions
    lines = []
    for index in range(len(match.chairs)):
        seat = Seat(index)
        turn = playing and seat == position.to_move
        note = ""
        if seat in winners:
            note = words("bot.strip.won")
        elif seat in position.out:
            note = words("bot.roster.out")
        elif turn and actions and position.counts_plies:
            note = words.count("bot.strip.actions", actions)
        clock = _clock(presentation, seat) if playing and seat not in position.out else ""
        lines.append(_strip_line(presentation, seat, turn=turn, note=note, clock=clock))
    return Strip(tuple(lines))


def names_only(presentation: Presentation) -> Strip:
    """A line for each seat with its name and team alone, which stay the same through an animation."""
    return Strip(tuple(_strip_line(presentation, Seat(i)) for i in range(len(presentation.match.chairs))))


def _strip_line(
    presentation: Presentation, seat: Seat, *, turn: bool = False, note: str = "", clock: str = ""
) -> StripLine:
    words, names = presentation.words, presentation.names
    if not note and (team := names.team(seat)):
        note = words("bot.roster.team", number=team)
    return StripLine(names.seat(seat), seat, turn, note, clock, words("core.seat", number=seat.number))


def _clock(presentation: Presentation, seat: Seat) -> str:
    times, now = presentation.match.times, presentation.now
    if times is None:
        return ""
    saved = seat == times.seat and saved_by_day(times)
    rest = until_flag(times, now) if saved else left(times, seat, now)
    awake = seat == times.seat and waking(times)
    return presentation.words.time_left(rest, short=True, awake=awake)


def turn(presentation: Presentation, *, thinks: bool = True) -> str:
    """Whose turn it is, the actions left in a turn of several, and the time left on a running clock.

    An engine is said to be thinking, unless a person picks its turn.
    """
    said, match, words = whose_turn(presentation, thinks=thinks), presentation.match, presentation.words
    if match.paused:
        return words("bot.turn.paused", turn=said)
    if match.times is None or match.times.since is None:
        return said
    key, fields = _what_is_left(presentation, match.times)
    return words(f"bot.turn.{key}", turn=said, **fields)


def whose_turn(presentation: Presentation, *, thinks: bool = True) -> str:
    """As `turn`, without the time."""
    names, words, position = presentation.names, presentation.words, presentation.course.position
    who, player = names.seat(position.to_move), names.player(position.to_move)
    if thinks and player is not None and is_engine(player.account):
        return words("bot.turn.thinking", name=who)
    if not counts_actions(presentation.course):
        return words("bot.turn", name=who)
    return words.count("bot.turn.actions", position.plies_left, name=who)


def counts_actions(course: Course) -> bool:
    """Whether a turn has several actions, so that it matters how many are left; a short first turn is told too."""
    position = course.position
    if position.turn_length > 1 or position.plies_left > 1 or course.moves:
        return position.turn_length > 1 or position.plies_left > 1
    ahead = position.legal_moves()
    return bool(ahead) and position.play(ahead[0]).turn_length > 1
