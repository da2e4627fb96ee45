"""The people whom a command names, and their conversations with the bot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.desk.context import Context, settings_of
from bot.desk.errors import BadCommand, CommandError, shown
from bot.desk.grammar import CLOCK
from play.people import Account, Address, Player
from play.time.durations import read as read_length
from rules.core import AnyGame


@dataclass(frozen=True, slots=True)
class Name:
    """A word that may be a person's name; after the game's name, where options stand, it may be a misspelt one too."""

    text: str
    after_game: bool


async def person_called(context: Context, name: Name, game: AnyGame) -> Player:
    """Return the person of a name. After the game's name only a known one, so that no misspelt option is invited."""
    visitor, met = context.visitor, context.visitor.met
    person, word = visitor.invite(name.text), shown(name.text)
    if person is not None:
        sure = not name.after_game or name.text.startswith("@")
        if sure or met is None or met(person.account) or await context.store.matches.of(person.account):
            return person
    if read_length(name.text) is not None:
        raise CommandError(BadCommand.CLOCK_WORD, word=word, example=f"{CLOCK}:{word}")
    if person is None:
        raise CommandError(BadCommand.NO_SUCH_PERSON, name=word)
    raise CommandError(BadCommand.NEITHER, word=word, example=f"/{context.command.name} {word} {game.key}")


async def first_account(context: Context, account: Account) -> Account:
    """Return the first of the linked accounts of which this is one."""
    return (await context.store.settings.get(account)).person or account


def how_to_name(context: Context, key: str) -> str:
    """Return what says how a command names a person; where the others' messages stand, a reply to one does it too."""
    said, command = context.words(key), f"/{context.command.name}"
    if not context.visitor.overheard:
        return said
    return f"{said} {context.words('bot.command.or-reply', command=command)}"


@dataclass(frozen=True, slots=True)
class Homes:
    """The conversations that people have with the bot.

    Attributes:
        found: Those that can be written in.
        all: Those that cannot, too.
        lost: The people who cannot be written to.
    """

    found: tuple[Address, ...] = ()
    all: tuple[Address, ...] = ()
    lost: tuple[Player, ...] = ()


async def homes_of(context: Context, people: Sequence[Player]) -> Homes:
    """Return the conversations of people on the visitor's platform; none where the visitor is not alone with the bot.

    The sender serves people of other platforms.
    """
    home, platform = context.visitor.home, context.visitor.place.platform
    found, every, lost = [], [], []
    for player in people if home else ():
        if player.account.platform != platform or home is None:
            continue
        there = await home(player.account)
        if there is not None:
            every.append(there)
        if there is None or await context.store.outgoing().dead(there) is not None:
            lost.append(player)
        else:
            found.append(there)
            await _settle_in(context, player.account, there)
    return Homes(tuple(found), tuple(every), tuple(lost))


async def _settle_in(context: Context, account: Account, there: Address) -> None:
    """Note whose conversation it is, and use their language in it, unless one is chosen for it."""
    theirs, chosen = await settings_of(context.store, account, there)
    if theirs is None or chosen is None:
        return
    language = chosen.language or theirs.language
    if (language, account) != (chosen.language, chosen.person):
        await context.store.settings.change(
            there, lambda now: replace(now, language=now.language or language, person=account)
        )
