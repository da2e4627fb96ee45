"""The cards of /profile and /top: how a person plays, and who plays best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import Words
from bot.chat.presenting.boards import number, signed
from bot.chat.presenting.naming import player_name
from bot.chat.view import Button, View
from play.people import Player
from play.ratings.model import SETTLED, Rating
from play.ratings.records import Tally
from rules.core import AnyGame

KEYS: Final = {  # for the check of the catalogues
    "bot.top.{}.{}": (("here", "everywhere", "channels"), ("week", "all")),
    "bot.button.top-{}": (("all", "week", "here", "everywhere"),),
}

BARS: Final = "▁▂▃▄▅▆▇█"
DAYS: Final = 12
"""Days of play in a line of ratings."""

_BULLET = "· "
_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class GameRecord:
    """How a person plays one game: the rating, now and at the end of the latest days of rated play; and finished matches with people.

    `against` are those with the reader, from the reader's side.
    """

    rating: Rating | None = None
    days: Sequence[int] = ()
    tally: Tally = field(default_factory=Tally)
    against: Tally = field(default_factory=Tally)


@dataclass(frozen=True, slots=True)
class Profile:
    """A person as others see them, in each game that was asked for."""

    player: Player
    games: Mapping[str, GameRecord]
    pace: timedelta | None = None  # within which time they usually answer, where it is known
    also: Sequence[str] = ()  # lines of other features
    own: bool = False  # whether the reader is that person
    named: bool = False  # whether games were named in the command
    hidden: bool = False  # whether only they see it


def profile(of: Profile, games: Mapping[str, AnyGame], words: Words) -> View:
    """Return a person's profile."""
    name = player_name(of.player, words)
    played = {key: held for key, held in of.games.items() if held.rating or held.tally.all}
    lines = [name] if played or of.pace or of.also else []
    lines += [_BULLET + _game(key, held, words) for key, held in played.items()]
    if not played:
        lines.append(_none(of, name, games, words))
    if of.pace is not None:
        lines.append(words("bot.profile.pace", time=_roughly(of.pace, words)))
    lines += of.also
    if not of.own and (together := [held.against for held in of.games.values() if held.against.all]):
        whole = Tally(
            *(sum(part) for part in zip(*((t.won, t.drawn, t.lost) for t in together), strict=True))
        )
        lines.append(words("bot.profile.against", name=name, tally=tally(whole)))
    if any(held.rating is not None and held.rating.provisional for held in played.values()):
        lines += ["", words("bot.rating.provisional", count=SETTLED)]
    if of.own and of.hidden:
        lines += ["", words("bot.profile.hidden", command="/settings profile:on")]
    return View(lines=tuple(lines))


def _game(key: str, held: GameRecord, words: Words) -> str:
    facts = []
    if held.rating is not None:
        facts.append(f"{number(held.rating)} {_sparkline(held.days)}".strip())
    if held.tally.all:
        facts.append(words.count("bot.profile.matches", held.tally.all, tally=tally(held.tally)))
    return words("bot.profile.line", game=words(f"{key}.name"), facts=", ".join(facts))


def _none(of: Profile, name: str, games: Mapping[str, AnyGame], words: Words) -> str:
    if not of.named:
        example = _example(games)
        return (
            words("bot.profile.none", example=example) if of.own else words("bot.profile.none-of", name=name)
        )
    asked = words.list([words(f"{key}.name") for key in of.games])
    if of.own:
        return words("bot.profile.none-in", games=asked, example=_example(of.games))
    return words("bot.profile.none-of-in", name=name, games=asked)


def _example(games: Mapping[str, object], *, places: bool = False) -> str:
    return f"/{'seek channel' if places else 'challenge bob'} {next(iter(games))} rated:yes"


def tally(of: Tally) -> str:
    """Return won, drawn and lost matches as players write them: "+7 =1 −4"."""
    return f"+{of.won} ={of.drawn} −{of.lost}"


def _sparkline(values: Sequence[int]) -> str:
    if len(values) < 2:
        return ""
    low, high = min(values), max(values)
    top = len(BARS) - 1
    return "".join(
        BARS[round(top * (value - low) / (high - low)) if high > low else top // 2] for value in values
    )


def _roughly(time: timedelta, words: Words) -> str:
    """Return a time rounded up to minutes, from an hour on to hours, from two days on to days."""
    unit = timedelta(minutes=1) if time < _HOUR else _HOUR if time < 2 * _DAY else _DAY
    return words.time_left(max(1, -(-time // unit)) * unit)


@dataclass(frozen=True, slots=True)
class Held:
    """A person's rating, and what it has gained in the week."""

    player: Player
    rating: Rating
    gained: int = 0


@dataclass(frozen=True, slots=True)
class TopRequest:
    """What a list of the best is asked for: of some games, by key, or of all; since Monday; of all places; of places that play."""

    games: tuple[str, ...] = ()
    week: bool = False
    everywhere: bool = False
    places: bool = False

    @property
    def typed(self) -> str:
        """What is typed after the command for it."""
        where = "channels" if self.places else "everywhere" if self.everywhere else ""
        words = (*self.games, "week" if self.week else "", where)
        return " ".join(filter(None, words))


def top(asked: TopRequest, ranked: Mapping[str, Sequence[Held]], words: Words) -> View:
    """Return the best players by game, best first, with a button for each other list."""
    where = "channels" if asked.places else "everywhere" if asked.everywhere else "here"
    when = "week" if asked.week else "all"
    lines = [words(f"bot.top.{where}.{when}")]
    shown = {key: best for key, best in ranked.items() if best}
    for key, best in shown.items():
        lines += ["", words("bot.top.game", game=words(f"{key}.name"))]
        lines += [_place(place, one, asked, words) for place, one in enumerate(best, 1)]
    if not shown:
        lines.append(words("bot.top.none", example=_example(ranked, places=asked.places)))
    if any(one.rating.provisional for best in shown.values() for one in best):
        lines += ["", words("bot.rating.provisional", count=SETTLED)]
    buttons = (
        _button("all" if asked.week else "week", replace(asked, week=not asked.week), words),
        _button(
            "here" if asked.everywhere else "everywhere",
            replace(asked, everywhere=not asked.everywhere, places=False),
            words,
        ),
    )
    return View(lines=tuple(lines), buttons=buttons)


def _place(place: int, one: Held, asked: TopRequest, words: Words) -> str:
    name, rating = player_name(one.player, words), number(one.rating)
    if asked.week:
        return words("bot.top.gained", place=place, name=name, gained=signed(one.gained), rating=rating)
    return words("bot.rating.place", place=place, name=name, rating=rating)


def _button(what: str, asked: TopRequest, words: Words) -> Button:
    return Button(words(f"bot.button.top-{what}"), CallbackData.without_match(Verb.TOP, asked.typed))
