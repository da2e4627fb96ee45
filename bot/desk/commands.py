"""Every command with its arguments, once for all: platforms register it, lists and help cards are made of it.

Words for it are in the catalogues: `bot.slash.<command>.name` is what it is called where names are localised (lower case,
one word), `bot.slash.<command>.what` says what it does in at most 100 characters; the same of each argument under
`bot.slash.arg.<argument>`, and of the words of a choice under `bot.slash.word.<word>`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bot.desk.grammar import HERE, Command, read

_BLANK: Final = " "


class Kind(StrEnum):
    """What an argument is, for those who offer something to choose from."""

    PERSON = "person"
    GAME = "game"
    OPTIONS = "options"  # any number of a game's options, as they are typed
    CODE = "code"  # of a match
    MOVE = "move"
    CHOICE = "choice"
    SWITCH = "switch"  # yes or no; yes is its word
    TEXT = "text"
    FILE = "file"  # its text


class Form(StrEnum):
    """How an argument is typed."""

    WORD = "word"  # as it is
    PAIR = "pair"  # after its name and a colon
    CODE = "code"  # after a `#`
    FILE = "file"  # what it holds is all that is typed


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument.

    Attributes:
        name: Of it: lower case letters.
        kind: What it is.
        form: How it is typed.
        words: Of a choice, what can be chosen; of a switch, what yes is typed as.
        needed: Whether the command is nothing without it.
    """

    name: str
    kind: Kind
    form: Form = Form.WORD
    words: tuple[str, ...] = ()
    needed: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """A command: its name, its arguments, and whether only those who run a place may use it."""

    name: str
    arguments: tuple[Argument, ...] = ()
    admin: bool = False


_MATCH: Final = Argument("match", Kind.CODE, Form.CODE)
_GAME: Final = Argument("game", Kind.GAME)
_OPTIONS: Final = Argument("options", Kind.OPTIONS)
_CLOCK: Final = Argument("clock", Kind.TEXT, Form.PAIR)
_ANSWER: Final = Argument("answer", Kind.CHOICE, words=("yes", "no"))
_RATED: Final = Argument("rated", Kind.SWITCH, Form.PAIR, ("yes",))
_ENGINE: Final = Argument("engine", Kind.CHOICE, Form.PAIR, tuple("12345678"))
_HERE: Final = Argument("here", Kind.SWITCH, words=("here",))

FOR_ALL: Final = frozenset({"language", "settings"})
"""Commands by which those who run a place choose for everybody there, where they say that it is meant for here."""

CATALOGUE: Final[Sequence[Entry]] = (
    Entry(
        "challenge",
        (
            Argument("person", Kind.PERSON),
            _GAME,
            _OPTIONS,
            Argument("side", Kind.CHOICE, Form.PAIR, ("first", "second", "random")),
            _CLOCK,
            _RATED,
            _ENGINE,
        ),
    ),
    Entry("new", (_GAME, _OPTIONS, _CLOCK, _RATED, Argument("engines", Kind.TEXT, Form.PAIR))),
    Entry("accept", (_MATCH,)),
    Entry("decline", (_MATCH,)),
    Entry("withdraw", (_MATCH,)),
    Entry("join", (_MATCH, Argument("team", Kind.TEXT, Form.PAIR))),
    Entry("leave", (_MATCH,)),
    Entry("start", (_MATCH,)),
    Entry("seat", (_ENGINE, _MATCH)),
    Entry("move", (Argument("move", Kind.MOVE), _MATCH)),
    Entry("undo", (_MATCH,)),
    Entry("takeback", (_ANSWER, _MATCH)),
    Entry("draw", (_ANSWER, _MATCH)),
    Entry("resign", (_MATCH,)),
    Entry("claim", (_MATCH,)),
    Entry("pause", (_ANSWER, _MATCH)),
    Entry("resume", (_MATCH,)),
    Entry("plan", (Argument("plan", Kind.TEXT), _MATCH)),
    Entry("substitute", (_MATCH, Argument("seat", Kind.TEXT, Form.PAIR), _ENGINE)),
    Entry("rematch", (_MATCH,)),
    Entry("hint", (_MATCH,)),
    Entry("analyse", (_MATCH,)),
    Entry(
        "puzzle",
        (
            _GAME,
            Argument("which", Kind.CHOICE, words=("daily", "easy", "hard", "solution")),
            Argument("move", Kind.TEXT),
        ),
    ),
    Entry("board", (_MATCH, Argument("how", Kind.CHOICE, words=("words", "flip")))),
    Entry("replay", (_MATCH, _HERE)),
    Entry("games"),
    Entry("rating", (Argument("person", Kind.PERSON), _GAME)),
    Entry("watch", (_MATCH, Argument("stop", Kind.SWITCH, words=("off",)))),
    Entry("rules", (_GAME, _OPTIONS)),
    Entry("vacation", (Argument("days", Kind.TEXT),)),
    Entry(
        "settings",
        (
            Argument("reminders", Kind.TEXT, Form.PAIR),
            Argument("quiet", Kind.TEXT, Form.PAIR),
            Argument("zone", Kind.TEXT, Form.PAIR),
            Argument("headsup", Kind.CHOICE, Form.PAIR, ("on", "off")),
            Argument("theme", Kind.CHOICE, Form.PAIR, ("light", "dark", "contrast", "wood")),
            Argument("flip", Kind.CHOICE, Form.PAIR, ("on", "off")),
            Argument("hints", Kind.CHOICE, Form.PAIR, ("on", "off")),
            _HERE,
        ),
    ),
    Entry("language", (Argument("language", Kind.CHOICE, words=("uk", "ru", "en")), _HERE)),
    Entry("export", (_MATCH,)),
    Entry("import", (Argument("file", Kind.FILE, Form.FILE),)),
    Entry(
        "config",
        (
            Argument("language", Kind.CHOICE, Form.PAIR, ("uk", "ru", "en")),
            Argument("games", Kind.TEXT, Form.PAIR),
            Argument("most", Kind.TEXT, Form.PAIR),
            Argument("threads", Kind.CHOICE, Form.PAIR, ("on", "off")),
            Argument("quiet", Kind.TEXT, Form.PAIR),
            Argument("zone", Kind.TEXT, Form.PAIR),
            Argument("end", Kind.CHOICE, Form.PAIR, ("admins", "players")),
            Argument("hints", Kind.CHOICE, Form.PAIR, ("on", "off")),
            Argument("theme", Kind.CHOICE, Form.PAIR, ("light", "dark", "contrast", "wood")),
            Argument("puzzle", Kind.TEXT, Form.PAIR),
        ),
        admin=True,
    ),
    Entry("end", (_MATCH,), admin=True),
    Entry("link", (Argument("code", Kind.TEXT),)),
    Entry("unlink"),
    Entry("privacy"),
    Entry("forgetme"),
    Entry("help", (Argument("page", Kind.TEXT),)),
)
"""Every command, in the order of the help card."""


def runs(name: str, text: str) -> bool:
    """Whether it matters for a command who runs the place.

    Args:
        name: Of the command.
        text: What stands after it.
    """
    entry = COMMANDS.get(name)
    here = any(word.casefold() in HERE for word in text.split())
    return (entry is not None and entry.admin) or (name in FOR_ALL and here)


COMMANDS: Final[Mapping[str, Entry]] = {entry.name: entry for entry in CATALOGUE}
"""The same by name."""


def given(name: str, values: Mapping[str, str]) -> Command:
    """The command for arguments that were given one by one, by their names: as if it had been typed.

    Args:
        name: Of the command; one that is not known is taken as it is, and refused later.
        values: The texts given. A switch is yes unless its text is empty.

    Raises:
        CommandError: longer than any command that is followed.
    """
    entry = COMMANDS.get(name)
    code, parts = "", []
    for argument in entry.arguments if entry else ():
        value = values.get(argument.name, "").strip()
        if not value:
            continue
        if argument.form is Form.FILE:
            return Command.of(name, text=value)
        value = _BLANK.join(value.split())
        if argument.kind is Kind.SWITCH:
            value = argument.words[0]
        if argument.form is Form.CODE:
            code = value
        elif argument.form is Form.PAIR:
            parts.append(f'{argument.name}:"{value}"' if _BLANK in value else f"{argument.name}:{value}")
        else:
            parts.append(value)
    command = read(_BLANK.join((f"/{name}", *parts)))
    if command is None:
        return Command.of(name)
    if code:
        code = code.removeprefix("#").lower()
        command = Command(name, code, command.rest, command.words, command.options, command.twice)
    return command
