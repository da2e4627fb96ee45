"""What a typed command says, word by word."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bot.desk.values import apart
from rules.core import Reason

MAX_LINE: Final = 2000
"""Characters in a typed command; a message of Discord holds 2000."""

_COMMAND: Final = re.compile(r"/([^\W\d_]{1,32})(?:@\w{1,64})?(?:\s+|\Z)")
_CODE: Final = re.compile(r"(?<!\S)#([a-z0-9]{2,6})(?:\s+|\Z)", re.ASCII | re.IGNORECASE)

OFF: Final = frozenset(
    {"off", "no", "none", "stop", "ні", "вимк", "немає", "стоп", "годі", "нет", "выкл", "хватит"}
)
"""What people type to have something no more."""

HERE: Final = frozenset({"here", "room", "chat", "тут", "здесь"})
"""Words that mean the place, not the person."""

_CELL: Final = r"[a-zа-яёєіїґ][1-9][0-9]?"
_MOVE: Final = re.compile(rf"(?:[lл][ ,]*)?{_CELL}(?:[ ,;:xх×nн–—-]*{_CELL})*\Z")
_MAX_MOVE: Final = 80


class BadCommand(Reason):
    """Why a line is no command that can be followed."""

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
    NO_SUCH_PERSON = "bot.command.no-such-person"  # name
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
    BAD_TEAM = "bot.command.bad-team"  # value
    NO_FREE_SEAT = "bot.command.no-free-seat"
    BAD_REMINDERS = "bot.command.bad-reminders"  # text
    BAD_QUIET = "bot.command.bad-quiet"  # text
    BAD_ZONE = "bot.command.bad-zone"  # text
    ZONE_ALONE = "bot.command.zone-alone"
    BAD_ENGINE = "bot.command.bad-engine"  # text, low, high
    BAD_ENGINE_OR_PROGRAM = "bot.command.bad-engine-or-program"  # text, low, high, known
    NO_ENGINES = "bot.command.no-engines"
    ENGINES_BUSY = "bot.command.engines-busy"
    ASKED_ENOUGH = "bot.command.asked-enough"
    NO_ADVICE = "bot.command.no-advice"
    NOT_OVER_YET = "bot.command.not-over-yet"
    NO_PUZZLES = "bot.command.no-puzzles"
    NO_PUZZLE_BEGUN = "bot.command.no-puzzle-begun"
    NO_SUCH_PUZZLES = "bot.command.no-such-puzzles"  # text, known
    PUZZLE_ALONE = "bot.command.puzzle-alone"  # word
    PUZZLE_GONE_ON = "bot.command.puzzle-gone-on"
    BAD_PUZZLE_HOUR = "bot.command.bad-puzzle-hour"  # text
    NO_HINTS = "bot.command.no-hints"
    NO_HINTS_WANTED = "bot.command.no-hints-wanted"
    NO_HINTS_RATED = "bot.command.no-hints-rated"
    NOT_YOUR_TURN = "bot.command.not-your-turn"
    BAD_ENGINES = "bot.command.bad-engines"  # text, most
    BAD_LINK = "bot.command.bad-link"
    LINKED_TO_ITSELF = "bot.command.linked-to-itself"
    LINKED_ALREADY = "bot.command.linked-already"
    LINKED_BOTH_PLAY = "bot.command.linked-both-play"  # code
    NOT_LINKED = "bot.command.not-linked"
    NOT_ADMIN = "bot.command.not-admin"
    NOT_FOR_ALL = "bot.command.not-for-all"
    ENDS_OFF = "bot.command.ends-off"
    MADE_ELSEWHERE = "bot.command.made-elsewhere"
    BAD_MOST = "bot.command.bad-most"  # text, limit
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
    """A line that cannot be followed; the reason says why, the fields name the words."""

    def __init__(self, reason: BadCommand, /, **fields: str | int) -> None:
        super().__init__(reason, fields)
        self.reason = reason
        self.fields: Mapping[str, str | int] = fields


@dataclass(frozen=True, slots=True)
class Command:
    """A typed command, taken apart.

    Attributes:
        name: Without the slash, lower case.
        code: The match that was named with `#`, perhaps shortened.
        rest: Everything after the name but the code, as typed.
        words: The bare words of `rest`, in order; quotes keep blanks together.
        options: The `key:value` pairs of `rest`; keys in lower case.
        twice: Keys that came more than once.
    """

    name: str
    code: str | None
    rest: str
    words: tuple[str, ...]
    options: Mapping[str, str]
    twice: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        name: str,
        *words: str,
        code: str | None = None,
        options: Mapping[str, str] | None = None,
        text: str | None = None,
    ) -> Command:
        """A command whose arguments are apart already.

        Args:
            name: Without the slash.
            words: Bare words; each may have blanks in it.
            code: The match that is named, with or without its `#`.
            options: What would be typed as `key:value`.
            text: What would stand after the name, where it is read as a whole (a move, a plan, a file); a
                match can be named in it.
        """
        rest = " ".join(words) if text is None else text.strip()
        if code is None and name != "import" and (named := _CODE.search(rest)):
            code, rest = named[1], f"{rest[: named.start()]}{rest[named.end() :]}".strip()
        code = code.strip().removeprefix("#").lower() if code else None
        return cls(name, code or None, rest, words or tuple(rest.split()), dict(options or {}))

    @property
    def line(self) -> str:
        """The command as it could be typed."""
        said = (f"/{self.name}", f"#{self.code}" if self.code else "", self.rest)
        rest = [f"{key}:{value}" for key, value in self.options.items() if f"{key}:" not in self.rest.lower()]
        return " ".join(filter(None, (*said, *rest)))

    def chosen(self) -> dict[str, str]:
        """The `key:value` pairs.

        Raises:
            CommandError: a key came twice, so nobody can know which value was meant.
        """
        if self.twice:
            raise CommandError(BadCommand.TWICE, option=self.twice[0])
        return dict(self.options)


def read(line: str) -> Command | None:
    """The command in a line, or None if it is no command but talk.

    Raises:
        CommandError: a command, but longer than any that is followed.
    """
    found = _COMMAND.match(line)
    if not found:
        return None
    if len(line) > MAX_LINE and found[1].lower() != "import":
        raise CommandError(BadCommand.TOO_LONG, limit=MAX_LINE)
    name, rest = found[1].lower(), line[found.end() :]
    if name == "import":
        return Command(name, None, rest, (), {})
    code = None
    if named := _CODE.search(rest):
        code, rest = named[1].lower(), rest[: named.start()] + rest[named.end() :]
    said = apart(rest)
    return Command(name, code, rest.strip(), said.bare, said.options, said.twice)


def like_a_move(line: str) -> bool:
    """Whether a line that is no command has the looks of a move in any notation: a quick sieve, before any game reads it."""
    return len(line) <= _MAX_MOVE and _MOVE.match(line.strip().lower()) is not None
