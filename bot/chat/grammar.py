"""Parsing of typed commands: `/name #code word key:value`.

Quotes may be straight, curly or angle ones. The value of an option may go on after a blank as long as what follows can
only belong to it: `clock:3d 12h soft`, `reminders:50, 10`, `quiet: 23 - 8`, `zone:New York`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final, NamedTuple

from bot.chat.errors import BadCommand, CommandError, shown
from bot.chat.i18n.times import is_time
from play.time.clock_text import goes_on
from rules.core import bare_move

MAX_LINE: Final = 2000  # characters in a typed command; a message of Discord holds 2000
COMMAND_NAME: Final = r"[^\W\d_](?:[^\W\d_]|-(?=[^\W\d_])){0,31}"
"""A regular expression of the name of a command, known or not."""

_COMMAND: Final = re.compile(rf"/({COMMAND_NAME})(?:@\w{{1,64}})?(?:\s+|\Z)")
_CODE: Final = re.compile(r"(?<!\S)#([a-z0-9]{2,7})(?:\s+|\Z)", re.ASCII | re.IGNORECASE)

ON: Final = frozenset({"on", "yes", "так", "увімк", "да", "вкл"})
OFF: Final = frozenset(
    {"off", "no", "none", "stop", "ні", "вимк", "немає", "стоп", "годі", "нет", "выкл", "хватит"}
)
"""What people type to have something no more."""

YES: Final = frozenset({"yes", "y", "ok", "так", "т", "да", "д", "+"})  # agreement, as it is typed
NO: Final = frozenset({"no", "n", "ні", "нет", "н", "-"})  # refusal, as it is typed
_TELL: Final = frozenset({"tell", "написати", "написать"})
"""What is typed for `/tell`, whose text is a person's: a code stands before it."""

HERE: Final = frozenset({"here", "room", "chat", "тут", "здесь"})  # words that mean the place, not the person
CHANNEL: Final = frozenset({"channel", "group", "канал", "група", "группа"})
"""Words by which people ask in the name of the place."""

FINISHING: Final = frozenset({"finish", "завершити", "закінчити", "завершить", "закончить"})
"""Words that stand for the rest of a turn that is decided."""

_CELL: Final = r"[a-zа-яёєіїґ][1-9][0-9]?"
_MOVE: Final = re.compile(rf"(?:[lл][ ,]*)?{_CELL}(?:[ ,;:xх×nн–—→>=-]*{_CELL})*\Z")
_MAX_MOVE: Final = 80

CLOCK: Final = "clock"  # the word before the colon that a clock follows: `clock:3d`
_SHARES: Final = frozenset({"reminders", "remind", "нагадування", "напоминания"})
"""The words before the colon that percentages follow: `reminders:50,10`."""

_TIMES: Final = frozenset(
    {"quiet", "тиша", "тишина", "zone", "пояс", "puzzle", "задача", "closes", "запис", "запись"}
    | {"awake", "день"}
)
"""The words before the colon that times of any kind follow: `zone:New York`, `closes:2 Jan 18:00`."""

_STARTS: Final = frozenset({"from", "звідки", "откуда"})
"""The words before the colon that a position follows, of several words: `from:o22./.12./.12./.11o 1`."""

_OF_POSITION: Final = re.compile(r"(?:[wb-]|mirrored|[0-9]+(?:[,-][0-9]+)*)\Z", re.ASCII)

_TIME_WORDS: Final = 12  # of one value, at most

_CLOCKS: Final = frozenset({"clock", "годинник", "контроль", "часы"})

_PAUSES: Final = frozenset({"pause", "пауза"})
"""The words before the colon that belong to the clock, wherever they stand: `clock:3d lgame pause:weekend`."""

_OPEN: Final = '"“”„‟«»'
_CLOSE: Final = '"“”‟«»'
_QUOTED: Final = f"[{_OPEN}]([^{_OPEN}]*)[{_CLOSE}]"
_NAME: Final = r"[^\W\d_](?:-?[^\W\d_]){0,19}"
_TOKEN: Final = re.compile(rf"({_NAME})[:=](?:{_QUOTED}|(\S+))|{_QUOTED}|(\S+)")
_KEY: Final = re.compile(rf"({_NAME}):\Z")

_SIZE: Final = re.compile(r"(?<![\w-])([0-9]{1,2}) ?[xх×*] ?([0-9]{1,2})(?![\w-])", re.IGNORECASE)
"""The size of a board, as it is printed or with blanks: `12 x 12`."""

_SHARE: Final = re.compile(r"[0-9,%]+\Z", re.ASCII)
_DASHED: Final = re.compile(r"[-–—][0-9:.]*\Z", re.ASCII)
_DASHES: Final = ("-", "–", "—")
_LISTS: Final = frozenset(
    {"bases", "games", "engine", "bot", "рушій", "бот", "движок", *_PAUSES, "weekend", "вихідні", "выходные"}
)


@dataclass(frozen=True, slots=True)
class Command:
    """A parsed command."""

    name: str  # without the slash, lower case
    code: str | None  # the match that was named with `#`, perhaps shortened
    rest: str  # everything after the name but the code, as typed
    words: tuple[str, ...]  # the bare words of `rest`, in order; quotes keep blanks together
    options: Mapping[str, str]  # the `key:value` pairs of `rest`; keys in lower case, without hyphens
    twice: tuple[str, ...] = ()  # keys that came more than once
    alias: str = ""  # another name that was typed for it; empty if none was

    @classmethod
    def of(
        cls,
        name: str,
        *words: str,
        code: str | None = None,
        options: Mapping[str, str] | None = None,
        text: str | None = None,
    ) -> Command:
        """Return the command that separate arguments make.

        Words may have blanks in them, and the code its `#`. A `text` (a move, a plan, a file) is what would be typed
        after the name; it may name a match.
        """
        rest = " ".join(words) if text is None else text.strip()
        if code is None and name != "import" and (named := _CODE.search(rest)):
            code, rest = named[1], f"{rest[: named.start()]}{rest[named.end() :]}".strip()
        code = code.strip().removeprefix("#").lower() if code else None
        return cls(name, code or None, rest, words or tuple(rest.split()), dict(options or {}))

    @property
    def line(self) -> str:
        """The command as one line that could be typed."""
        said = (f"/{self.alias or self.name}", f"#{self.code}" if self.code else "", self.rest)
        rest = [f"{key}:{value}" for key, value in self.options.items() if f"{key}:" not in self.rest.lower()]
        return " ".join(filter(None, (*said, *rest)))

    def without(self, words: Collection[str], *keys: str) -> Command:
        """Return the command without some words, in lower case, and options."""
        left = tuple(word for word in self.words if word.casefold() not in words)
        options = {key: value for key, value in self.options.items() if key not in keys}
        typed = (*left, *(f'{key}:"{value}"' for key, value in options.items()))
        return replace(self, rest=" ".join(typed), words=left, options=options)

    def chosen(self) -> dict[str, str]:
        """Return the `key:value` pairs."""
        if self.twice:
            raise CommandError(BadCommand.TWICE, option=self.twice[0])
        return dict(self.options)


def names_channel(command: Command) -> bool:
    """Whether a command is said to be in the name of the place."""
    return any(word.casefold() in CHANNEL for word in (*command.words, *command.options))


def number_in(text: str, low: int = 0, high: int = 999_999) -> int | None:
    """Return the number that a text is, if it is one from `low` to `high`."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 7 else -1
    return number if low <= number <= high else None


def name_in(line: str) -> str | None:
    """Return the name of a line's command, in lower case; None for a line without one."""
    found = _COMMAND.match(line.strip())
    return found[1].lower() if found else None


def read(line: str) -> Command | None:
    """Return the command in a line, or None if it holds none.

    Raises:
        CommandError: the command is too long.
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
    if named := _CODE.match(rest) if name in _TELL else _CODE.search(rest):
        code, rest = named[1].lower(), rest[: named.start()] + rest[named.end() :]
    return Command(name, code, rest.strip(), *split(rest))


def like_a_move(line: str) -> bool:
    """Whether a line without a command looks like a move in some notation: a quick test, before a game parses it."""
    return len(line) <= _MAX_MOVE and _MOVE.match(bare_move(line).lower()) is not None


class _TypedWord(NamedTuple):
    key: str  # empty for a bare word
    text: str
    quoted: bool


def split(typed: str) -> tuple[tuple[str, ...], Mapping[str, str], tuple[str, ...]]:
    """Return the bare words of an argument text, its options by lower-case key, and the keys that came more than once."""
    tokens = []
    for found in _TOKEN.finditer(_SIZE.sub(r"\1x\2", typed)):
        key, *texts = found.groups()
        text = next(text for text in texts if text is not None)
        tokens.append(_TypedWord(key or "", text, found[2] is not None or found[4] is not None))
    bare: list[str] = []
    options: dict[str, str] = {}
    twice: list[str] = []
    at = 0
    while at < len(tokens):
        token, at = tokens[at], at + 1
        key, text, quoted = token
        if not key and not quoted and (named := _KEY.match(text)) and at < len(tokens) and not tokens[at].key:
            key, (_, text, quoted), at = named[1], tokens[at], at + 1
        if not key:
            bare += [text] if text else []
            continue
        key = key.lower().replace("-", "")
        key = CLOCK if key in _CLOCKS else "pause" if key in _PAUSES else key
        bare_ones = takewhile(
            lambda each: not (each.key or each.quoted or _KEY.match(each.text)), tokens[at:]
        )
        more = 0 if key in options else _following(key, text, [each.text for each in bare_ones])
        text = " ".join([text, *(each.text for each in tokens[at : at + more])])
        at += more
        if key in options:
            twice.append(key)
        options[key] = text if quoted else text.rstrip(",") or text
    if paused := options.pop("pause", ""):
        options[CLOCK] = f"{options.get(CLOCK, '')} pause:{paused.replace(' ', '')}".lstrip()
    return tuple(bare), options, tuple(twice)


def _following(key: str, text: str, words: Sequence[str]) -> int:
    if key == CLOCK:
        return goes_on(text, words)
    if key in _TIMES:
        for count in range(min(len(words), _TIME_WORDS), 0, -1):
            if is_time(" ".join((text, *words[:count]))):
                return count
    for count, word in enumerate(words):
        before = words[count - 1] if count else text
        if not (
            (key in _SHARES and _SHARE.match(word))
            or (key in _TIMES and (before[-1:] in _DASHES or _DASHED.match(word)))
            or (key in _LISTS and (before[-1:] == "," or word[0] == ","))
            or (key in _STARTS and "/" in text and _OF_POSITION.match(word))
        ):
            return count
    return len(words)


def switch(text: str) -> bool:
    """Return a typed on or off."""
    if text.casefold() in ON:
        return True
    if text.casefold() in OFF:
        return False
    raise CommandError(BadCommand.BAD_SWITCH, text=shown(text))
