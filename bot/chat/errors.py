"""Refusals of commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

from play.errors import PlayError, Unavailable
from play.match import Match
from rules.core import Reason, RulesError, quoted

T = TypeVar("T")


class BadCommand(Reason):
    """Why a command is refused; the comment names the fields that come with it. Features have enums of their own."""

    TOO_LONG = "bot.command.too-long"  # limit
    UNKNOWN = "bot.command.unknown"  # command
    UNKNOWN_WORD = "bot.command.unknown-word"  # word, page: of the help that tells more
    NO_SUCH_PAGE = "bot.command.no-such-page"  # text, pages
    TWICE = "bot.command.twice"  # option
    CONTRADICTION = "bot.command.contradiction"  # first, second
    NEITHER = "bot.command.neither"  # word, example
    NO_SUCH_OPTION = "core.option.unknown"  # option, known
    CLOCK_PART = "bot.command.clock-part"  # option
    CLOCK_WORD = "bot.command.clock-word"  # word, example
    OTHER_BOT = "bot.command.other-bot"  # name
    YOURSELF = "bot.command.yourself"
    NO_SUCH_PERSON = "bot.command.no-such-person"  # name
    NO_SUCH_PLACE = "bot.channel.no-place"  # text
    PLACE_REFUSES = "bot.channel.refuses"  # name
    WHICH_GAME = "bot.command.which-game"  # known, example
    NOT_HERE = "bot.command.not-here"  # code
    NOTHING_FITS = "bot.command.nothing-fits"
    NO_TURN_HERE = "bot.command.no-turn-here"
    PLAYED_ELSEWHERE = "bot.command.played-elsewhere"  # codes, example
    NO_GAME_AT_ALL = "bot.command.no-game-at-all"
    NO_INVITATION = "bot.command.no-invitation"
    NOTHING_TO_DECLINE = "bot.command.nothing-to-decline"
    WHICH_CODE = "bot.command.which-code"
    BAD_LANGUAGE = "bot.command.bad-language"  # text, languages
    NO_FILE = "bot.command.no-file"
    NO_SUCH_BUTTON = "bot.command.no-such-button"  # number
    NO_BUTTONS = "bot.command.no-buttons"
    NO_PAGE = "bot.command.no-page"
    NO_THREADS = "bot.command.no-threads"
    PAGE_OFF = "bot.command.page-off"
    BAD_TEAM = "bot.command.bad-team"  # value
    NO_FREE_SEAT = "bot.command.no-free-seat"
    BAD_REMINDERS = "bot.command.bad-reminders"  # text
    SEVERAL_READINGS = "bot.command.several-readings"  # text
    BAD_QUIET = "bot.command.bad-quiet"  # text
    BAD_ZONE = "bot.command.bad-zone"  # text
    ZONE_ALONE = "bot.command.zone-alone"
    BAD_ENGINE = "bot.command.bad-engine"  # text, low, high
    BAD_ENGINE_OR_PROGRAM = "bot.command.bad-engine-or-program"  # text, low, high, known
    NO_ENGINES = "bot.command.no-engines"
    ENGINES_BUSY = "bot.command.engines-busy"
    ASKED_ENOUGH = "bot.command.asked-enough"
    NO_ADVICE = "bot.command.no-advice"
    BAD_PUZZLE_HOUR = "bot.command.bad-puzzle-hour"  # text
    BAD_ENGINES = "bot.command.bad-engines"  # text, most
    NOT_ADMIN = "bot.command.not-admin"
    NOT_FOR_ALL = "bot.command.not-for-all"
    ENDS_OFF = "bot.command.ends-off"
    MADE_ELSEWHERE = "bot.command.made-elsewhere"
    BAD_MOST = "bot.command.bad-most"  # text, limit
    BAD_OLD_BOARDS = "bot.command.bad-old-boards"  # text, known
    BAD_BOARDS = "bot.command.bad-boards"  # text
    BAD_END = "bot.command.bad-end"  # text
    NO_SUCH_GAME_HERE = "bot.command.no-such-game"  # text, known
    GAME_NOT_HERE = "bot.command.game-not-here"  # game, known
    TOO_MANY_HERE = "bot.command.too-many-here"  # most
    ORDER_FORGOTTEN = "bot.command.order-forgotten"
    BAD_SWITCH = "bot.command.bad-switch"  # text
    BAD_RATED = "bot.command.bad-rated"  # text
    BAD_THEME = "bot.command.bad-theme"  # text, themes
    NOT_FOR_A_PLACE = "bot.command.not-for-a-place"
    NOTHING_PLAYED = "bot.command.nothing-played"


class CommandError(Exception):
    """A command that is refused, with the reason and the fields of its words."""

    def __init__(self, reason: Reason, /, **fields: str | int) -> None:
        super().__init__(reason, fields)
        self.reason = reason
        self.fields: Mapping[str, str | int] = fields


class SeveralReadings(CommandError):
    """Typed text that says more than one thing; `readings` are the texts that say one each."""

    def __init__(self, typed: str, readings: Iterable[str]) -> None:
        super().__init__(BadCommand.SEVERAL_READINGS, text=shown(typed))
        self.typed = typed
        self.readings = tuple(readings)


class InMatch(Exception):
    """A refusal in a match, which gives it names, examples and candidates."""

    def __init__(self, match: Match, refusal: RulesError | PlayError) -> None:
        super().__init__(match.id, refusal)
        self.match = match
        self.refusal = refusal


@contextmanager
def in_match(match: Match) -> Iterator[None]:
    """Raise refusals as refusals in a match; that the store does not answer is none."""
    try:
        yield
    except Unavailable:
        raise
    except (RulesError, PlayError) as refusal:
        raise InMatch(match, refusal) from refusal


def no_such_word(word: str) -> CommandError:
    """Return the refusal of a word that the command does not know."""
    return CommandError(BadCommand.UNKNOWN_WORD, word=shown(word), page="")


def only_reading(readings: Mapping[str, T], typed: str, reason: Reason) -> T:
    """Return what typed text says, of its readings by what says them."""
    if len(readings) > 1:
        raise SeveralReadings(typed, readings)
    for reading in readings.values():
        return reading
    raise CommandError(reason, text=shown(typed))


def shown(typed: str) -> str:
    """Return typed text as a refusal quotes it: shortened, without invisible characters."""
    return quoted(typed, 32)
