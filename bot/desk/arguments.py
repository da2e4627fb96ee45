"""Arguments of commands: what each stands for and how it is typed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final


class ArgumentType(StrEnum):
    """What an argument stands for."""

    PERSON = "person"
    GAME = "game"
    OPTIONS = "options"  # any number of a game's options, as they are typed
    MATCH = "match"  # the code of a match, typed after a `#`
    MOVE = "move"
    CHOICE = "choice"  # one of a few words
    SWITCH = "switch"  # yes or no; yes is typed as its word
    CLOCK = "clock"
    ZONE = "zone"
    HELP_PAGE = "help page"
    TEXT = "text"
    FILE = "file"  # its text


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a command.

    Attributes:
        name: Lower-case letters.
        type: What it stands for.
        named: Whether it is typed after its name and a colon.
        words: Of a choice, the words to choose from; of a switch, the word for yes.
        about: What it is explained as, where its name means something else in other commands.
    """

    name: str
    type: ArgumentType
    named: bool = False
    words: tuple[str, ...] = ()
    about: str = ""

    @property
    def what(self) -> str:
        """The catalogue key of its explanation."""
        return f"bot.slash.arg.{self.about or self.name}.what"

    @staticmethod
    def label(word: str) -> str:
        """Return the catalogue key of the label of a choice's word; a number is an engine's level."""
        return f"bot.order.level.{word}" if word.isdigit() else f"bot.slash.word.{word}"


def text(name: str, *, named: bool = False) -> Argument:
    """Return an argument of free text."""
    return Argument(name, ArgumentType.TEXT, named)


def choice(name: str, *words: str, named: bool = True) -> Argument:
    """Return an argument whose value is one of some words."""
    return Argument(name, ArgumentType.CHOICE, named, words)


def switch(name: str, word: str, *, named: bool = False) -> Argument:
    """Return an argument that is given or not; a word is typed for it."""
    return Argument(name, ArgumentType.SWITCH, named, (word,))


MATCH: Final = Argument("match", ArgumentType.MATCH)
GAME: Final = Argument("game", ArgumentType.GAME)
OPTIONS: Final = Argument("options", ArgumentType.OPTIONS)
PERSON: Final = Argument("person", ArgumentType.PERSON)
MOVE: Final = Argument("move", ArgumentType.MOVE)
FILE: Final = Argument("file", ArgumentType.FILE)
HELP_PAGE: Final = Argument("topic", ArgumentType.HELP_PAGE)
CLOCK: Final = Argument("clock", ArgumentType.CLOCK, named=True)
ZONE: Final = Argument("zone", ArgumentType.ZONE, named=True)
ANSWER: Final = choice("answer", "yes", "no", named=False)
VOTE: Final = choice("vote", "remove", "yes", "no", named=False)
RATED: Final = switch("rated", "yes", named=True)
ENGINE: Final = choice("engine", *"12345678")
HINTS: Final = choice("hints", "on", "off")
WARNINGS: Final = choice("warnings", "on", "off")
THEME: Final = choice("theme", "light", "dark", "contrast", "wood")
QUIET: Final = text("quiet", named=True)
HERE: Final = switch("here", "here")
PAGE: Final = choice("page", "on", "off")
LINK: Final = "link"
"""The word of `/board` for the board page."""


def without_page(argument: Argument) -> Argument | None:
    """Return an argument as it is offered where there is no board page; None: not at all."""
    if argument == PAGE:
        return None
    return replace(argument, words=tuple(word for word in argument.words if word != LINK))
