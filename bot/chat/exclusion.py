"""/exclude and /admit: whom the admins keep out of a chat, and what an excluded person can still do there."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from bot.chat import arguments
from bot.chat.arguments import Access, ButtonSpec, CommandSpec, HelpTopic
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, shown
from bot.chat.people import PersonList, first_account, how_to_name, person_key
from bot.chat.registry import FORGOTTEN, Registry
from bot.chat.view import Message, PeopleChoice, View, opens
from play.errors import NoSuchMatch
from play.match import Match
from play.people import Account, Address, Player, entering
from play.settings import Settings
from rules.core import Reason
from storage.ports import FullStore

registry: Final = Registry(place=19)

MOST_EXCLUDED: Final = 200
"""People who can be excluded in one chat."""

_SHOWN: Final = 20  # people with a button; others are admitted by name


class ExclusionRefusal(Reason):
    """Why a person is not excluded, or not admitted."""

    TOO_MANY = "bot.exclusion.too-many"  # most
    NOT_EXCLUDED = "bot.exclusion.not-excluded"  # name


_EXCLUDED: Final = PersonList("excluded", "excluded", MOST_EXCLUDED, ExclusionRefusal.TOO_MANY)


@registry.command(
    "exclude",
    arguments.PERSON,
    topic=HelpTopic.OPTIONS,
    access=Access.ADMINS,
    button=Verb.EXCLUDE,
    finishing=False,
)
async def exclude(context: Context) -> Sequence[Message]:
    """`/exclude @bob`, or as a reply: keeps a person out of this chat; alone, who is excluded."""
    await context.admins_only()
    who = await _named(context)
    if who is None:
        return [_listed(context, context.chat)]
    if who.account == context.visitor.account:
        raise CommandError(BadCommand.YOURSELF)
    new = await _EXCLUDED.add(context.store, context.visitor.chat, who, context.at)
    return [_listed(context, new, context.words("bot.exclusion.done", name=who.name))]


@registry.command(
    "admit",
    arguments.PERSON,
    topic=HelpTopic.OPTIONS,
    access=Access.ADMINS,
    button=Verb.ADMIT,
    finishing=False,
)
async def admit(context: Context) -> Sequence[Message]:
    """`/admit @bob`: lets a person back in; alone, who is excluded, with a button for each."""
    await context.admins_only()
    typed, known = context.command.rest.strip(), context.chat.excluded
    named = next((each for each in known if typed in (person_key(each.account), each.name)), None)
    who = named or await _named(context)
    if who is None:
        return [_listed(context, context.chat)]
    if not any(each.account == who.account for each in known):
        raise CommandError(ExclusionRefusal.NOT_EXCLUDED, name=shown(who.name))
    new = await _EXCLUDED.remove(context.store, context.visitor.chat, who.account)
    return [_listed(context, new, context.words("bot.exclusion.undone", name=who.name))]


async def _named(context: Context) -> Player | None:
    """Return the person who is named, selected or replied to; None without any.

    Raises:
        CommandError: there is no such person.
    """
    visitor = context.visitor
    typed = next(iter(visitor.selected), context.command.rest.strip())
    if not typed:
        found = visitor.replied
    else:
        beside = (each for each in visitor.present if person_key(each.account) == typed)
        found = next(beside, None) or visitor.invite(typed)
        if found is None:
            raise CommandError(BadCommand.NO_SUCH_PERSON, name=shown(typed))
    return entering(Player(await first_account(context, found.account), found.name)) if found else None


def _listed(context: Context, chat: Settings, *said: str) -> Message:
    """Return the card of the people who are excluded: a button admits each, and others can be chosen."""
    words = context.words
    names = words.list([each.name for each in chat.excluded])
    line = words("bot.exclusion.list", names=names) if names else how_to_name(context, "bot.exclusion.none")
    out = {each.account for each in chat.excluded}
    buttons = [
        opens(Verb.ADMIT, words("bot.exclusion.admit", name=each.name), person_key(each.account))
        for each in chat.excluded[-_SHOWN:]
    ]
    buttons += [
        opens(Verb.EXCLUDE, words("bot.exclusion.exclude", name=each.name), person_key(each.account))
        for each in context.visitor.present[:_SHOWN]
        if each.account not in out
    ]
    choice = PeopleChoice(words("bot.exclusion.who"), CallbackData.without_match(Verb.EXCLUDE), 1)
    return context.private(View(lines=(*said, line), buttons=tuple(buttons), people=choice), secret=True)


async def refused(
    context: Context, asked: CommandSpec | ButtonSpec | None, code: str | None
) -> Sequence[Message] | None:
    """Return the refusal of a visitor who is excluded; None if the visitor may do what is asked.

    Args:
        context: Of the command or press.
        asked: What is asked; None for a line that no command can be read from.
        code: The match that it names, if any.
    """
    if await allowed(context, asked, code):
        return None
    return [context.private(View(lines=(context.words("bot.exclusion.notice"),)), refused=True)]


async def allowed(context: Context, asked: CommandSpec | ButtonSpec | None, code: str | None) -> bool:
    """Whether no admin keeps the visitor out, or it is needed to finish a match of theirs, or an admin's command of an admin."""
    if not context.excluded:
        return True
    if asked is None:
        return False
    if asked.access is Access.ADMINS:
        return await context.visitor.is_admin()
    if not asked.finishing:
        return False
    try:
        matches = await context.here.own() if code is None else [await context.finder.named(code)]
    except (NoSuchMatch, CommandError):
        return False
    return any(_plays(match, context.visitor.account) for match in matches)


def _plays(match: Match, account: Account) -> bool:
    return match.live and account in match.people()


@FORGOTTEN
async def forget(store: FullStore, account: Account, _names: Collection[str]) -> None:
    """Take a person who is forgotten out of the settings of the chats that keep them out."""
    await _EXCLUDED.forget(store, account, Address)
