"""/exclude and /admit, /block and /unblock: whom the admins of a chat, or a person, keep out; /mute: which matches do not call."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from bot.chat.arguments import MATCH, PERSON, Access, HelpTopic
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, in_match, shown
from bot.chat.match_lookup import Retry
from bot.chat.people import PersonList, first_account, how_to_name, person_key
from bot.chat.registry import FORGOTTEN, Registry
from bot.chat.view import Message, PeopleChoice, View, ViewKind, opens
from play.match import is_engine
from play.people import Account, Address, Player, entering
from play.request import seat_of
from play.settings import Settings
from rules.core import Reason
from storage.ports import FullStore

registry: Final = Registry()

_MOST_MUTED: Final = 100  # matches that one person can mute; the oldest is called again
_SHOWN: Final = 20  # people with a button; others are admitted or unblocked by name


class ExclusionRefusal(Reason):
    """Why a person is not excluded, or not admitted."""

    TOO_MANY = "bot.exclusion.too-many"  # most
    NOT_EXCLUDED = "bot.exclusion.not-excluded"  # name


class BlockRefusal(Reason):
    """Why a person is not blocked."""

    TOO_MANY = "bot.command.block-too-many"  # most
    NOT_BLOCKED = "bot.command.not-blocked"  # name


_EXCLUDED: Final = PersonList("excluded", "excluded", 200, ExclusionRefusal.TOO_MANY)
_BLOCKED: Final = PersonList("blocked", "blocked-by", 100, BlockRefusal.TOO_MANY)


@registry.command(
    "exclude", PERSON, topic=HelpTopic.OPTIONS, access=Access.ADMINS, button=Verb.EXCLUDE, finishing=False
)
async def exclude(context: Context) -> Sequence[Message]:
    """`/exclude @bob`, or as a reply: keeps a person out of this chat; alone, who is excluded."""
    await context.admins_only()
    who = await _other(context, unmet=True)
    if who is None:
        return [_excluded(context, context.chat)]
    new = await _EXCLUDED.add(context.store, context.visitor.chat, who, context.at)
    return [_excluded(context, new, context.words("bot.exclusion.done", name=who.name))]


@registry.command(
    "admit", PERSON, topic=HelpTopic.OPTIONS, access=Access.ADMINS, button=Verb.ADMIT, finishing=False
)
async def admit(context: Context) -> Sequence[Message]:
    """`/admit @bob`: lets a person back in; alone, who is excluded, with a button for each."""
    await context.admins_only()
    who = await _listed(context, context.chat.excluded, ExclusionRefusal.NOT_EXCLUDED, unmet=True)
    if who is None:
        return [_excluded(context, context.chat)]
    new = await _EXCLUDED.remove(context.store, context.visitor.chat, who.account)
    return [_excluded(context, new, context.words("bot.exclusion.undone", name=who.name))]


def _excluded(context: Context, chat: Settings, *said: str) -> Message:
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
    view = View(lines=(*said, line), buttons=tuple(buttons), people=choice)
    return context.private(view, ViewKind.FORM if buttons else None, secret=True)


@registry.command("block", PERSON, MATCH, topic=HelpTopic.OPTIONS, button=Verb.BLOCK, finishing=False)
async def block(context: Context) -> Sequence[Message]:
    """`/block @bob`, `/block #k7q2mz 2`, or as a reply: no matches, messages or questions with them; alone, who is blocked."""
    who = await _other(context)
    if who is None:
        return [_blocked(context, context.own)]
    new = await _BLOCKED.add(context.store, context.visitor.account, who, context.at)
    return [_blocked(context, new, context.words("bot.block.done", name=who.name))]


@registry.command("unblock", PERSON, topic=HelpTopic.OPTIONS, button=Verb.UNBLOCK, finishing=False)
async def unblock(context: Context) -> Sequence[Message]:
    """`/unblock @bob`; alone, who is blocked, with a button for each."""
    who = await _listed(context, context.own.blocked, BlockRefusal.NOT_BLOCKED)
    if who is None:
        return [_blocked(context, context.own)]
    new = await _BLOCKED.remove(context.store, context.visitor.account, who.account)
    return [_blocked(context, new, context.words("bot.block.undone", name=who.name))]


async def _other(context: Context, *, unmet: bool = False) -> Player | None:
    who = await _named(context, unmet=unmet)
    if who and who.account == context.visitor.account:
        raise CommandError(BadCommand.YOURSELF)
    return who


async def _listed(
    context: Context, known: Sequence[Player], missing: Reason, *, unmet: bool = False
) -> Player | None:
    typed = context.command.rest.strip()
    named = next((each for each in known if typed in (person_key(each.account), each.name)), None)
    who = named or await _named(context, unmet=unmet)
    if who and not any(each.account == who.account for each in known):
        raise CommandError(missing, name=shown(who.name))
    return who


async def _named(context: Context, *, unmet: bool = False) -> Player | None:
    visitor = context.visitor
    typed = next(iter(visitor.selected), context.command.rest.strip())
    beside = (each for each in visitor.present if person_key(each.account) == typed)
    find = visitor.invite if unmet else visitor.find
    if code := context.command.code:
        other = await _player(context, code, typed)
    else:
        other = find(typed.removeprefix("@")) if typed else visitor.replied
    found = next(beside, None) or other
    if found is None and typed:
        raise CommandError(BadCommand.NO_SUCH_PERSON, name=shown(typed))
    return entering(Player(await first_account(context, found.account), found.name)) if found else None


async def _player(context: Context, code: str, typed: str) -> Player | None:
    """Return a player of one of the visitor's matches, who may be met on another platform alone: by their number, or by name."""
    match = await context.finder.named(code)
    with in_match(match):
        seat_of(match, context.visitor.account)
    people = ((number, who) for number, who in enumerate(match.players(), 1) if not is_engine(who.account))
    named = typed.removeprefix("@").casefold()
    return next((who for number, who in people if named in (str(number), who.name.casefold())), None)


def _blocked(context: Context, own: Settings, *said: str) -> Message:
    words = context.words
    names = words.list([each.name for each in own.blocked])
    listed = words("bot.block.list", names=names) if names else how_to_name(context, "bot.block.none")
    buttons = tuple(
        opens(Verb.UNBLOCK, words("bot.block.lift", name=each.name), person_key(each.account))
        for each in own.blocked[-_SHOWN:]
    )
    return context.private(View(lines=said or (listed,), buttons=buttons), secret=True)


@registry.command("mute", MATCH, topic=HelpTopic.MATCH, button=Verb.MUTE, finishing=False)
async def mute(context: Context) -> Sequence[Message]:
    """`/mute #k7q2mz`: the match calls and reminds the visitor no more, or does so again."""
    context.no_words()
    match = await context.match(context.finder.mine, retry=Retry(Verb.MUTE))
    seat_of(match, context.visitor.account)

    def turned(now: Settings) -> Settings:
        others = tuple(code for code in now.muted if code != match.id)
        return replace(now, muted=others if match.id in now.muted else (*others, match.id)[-_MOST_MUTED:])

    new = await context.store.settings.change(context.visitor.account, turned)
    key = "bot.mute.done" if match.id in new.muted else "bot.mute.undone"
    return [context.private(context.present(match).note(context.words(key, code=f"#{match.id}")))]


@FORGOTTEN
async def forget(store: FullStore, account: Account, _names: Collection[str]) -> None:
    """Take a person who is forgotten out of the settings of those who have blocked or excluded them."""
    await _EXCLUDED.forget(store, account, Address)
    await _BLOCKED.forget(store, account, Account)
    await _BLOCKED.forget_own(store, account)
