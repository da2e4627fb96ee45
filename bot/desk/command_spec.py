"""What a command is called, what it takes and who may use it; platforms register it and help cards list it from this.

Its words are in the catalogues: `bot.slash.<command>.name` is its name where names are localised (lower case, one word),
`bot.slash.<command>.what` says what it does in at most 100 characters, `bot.help.<command>` is its help page. Each
argument has the same two under `bot.slash.arg.<argument>`, each word of a choice its label as `bot.slash.word.<word>`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from bot.desk.arguments import Argument, ArgumentType


class Access(StrEnum):
    """Who may use a command."""

    EVERYONE = "everyone"
    ADMINS = "admins"
    ADMINS_FOR_PLACE = "admins for place"  # with the word `here`: for the place, so only admins


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """A command as it is declared.

    Attributes:
        name: Lower-case letters, without the slash.
        arguments: In the order in which menus offer them.
        access: Who may use it.
        aliases: Other names that are typed for it; menus do not offer them.
        topics: Help pages about more than one command to which its own refers.
    """

    name: str
    arguments: tuple[Argument, ...] = ()
    access: Access = Access.EVERYONE
    aliases: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()

    @property
    def keys(self) -> Iterator[str]:
        """The keys of its words in the catalogue of slash commands."""
        yield from (f"bot.slash.{self.name}.name", f"bot.slash.{self.name}.what")
        for argument in self.arguments:
            yield from (f"bot.slash.arg.{argument.name}.name", f"bot.slash.arg.{argument.name}.what")
            if argument.type is ArgumentType.CHOICE:
                yield from (f"bot.slash.word.{word}" for word in argument.words)
