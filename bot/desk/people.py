"""The people whom a command names: who they are, and where they are told what concerns them."""

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
    visitor = context.visitor
    person, word = visitor.find(name.text.removeprefix("@")), shown(name.text)
    doubtful = name.after_game and visitor.met is not None and not name.text.startswith("@")
    if person is not None and not (doubtful and not await _known(context, person)):
        return person
    if read_length(name.text) is not None:
        raise CommandError(BadCommand.CLOCK_WORD, word=word, example=f"{CLOCK}:{word}")
    if person is None:
        raise CommandError(BadCommand.NO_SUCH_PERSON, name=word)
    raise CommandError(BadCommand.NEITHER, word=word, example=f"/{context.command.name} {word} {game.key}")


async def _known(context: Context, person: Player) -> bool:
    """Whether a person has been here, or plays anywhere."""
    met = context.visitor.met
    return met is not None and (met(person.account) or bool(await context.store.matches.of(person.account)))


async def first_account(context: Context, account: Account) -> Account:
    """Return the first of the linked accounts of which this is one."""
    return (await context.store.settings.get(account)).person or account


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
    """Return where invited people are told who do not see the place: none sees a conversation with the bot alone.

    Those of other platforms are told by the sender, and engines nothing.
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
            await _speak_their_language(context, player.account, there)
    return Homes(tuple(found), tuple(every), tuple(lost))


async def _speak_their_language(context: Context, account: Account, there: Address) -> None:
    """Use a person's language in their conversation with the bot, unless one is chosen for it."""
    theirs, chosen = await settings_of(context.store, account, there)
    if theirs and theirs.language and chosen and chosen.language is None:
        spoken = theirs.language
        await context.store.settings.change(there, lambda now: replace(now, language=now.language or spoken))
