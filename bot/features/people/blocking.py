"""/block, /unblock and /mute: whom a person does not want to meet, and which matches do not call them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from bot.chat import arguments
from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, shown
from bot.chat.match_lookup import Retry
from bot.chat.people import PersonList, first_account, how_to_name, person_key
from bot.chat.presenting.settings import opens
from bot.chat.registry import FORGOTTEN, Registry
from bot.chat.view import Message, View
from play.checks import seat_of
from play.people import Account, Player, entering
from play.settings import Settings
from rules.core import Reason
from storage.ports import FullStore

registry: Final = Registry(place=20)

_MOST_BLOCKED: Final = 100  # people whom one person can block
_MOST_MUTED: Final = 100  # matches that one person can mute; the oldest is called again
_SHOWN: Final = 20  # people with a button; others are unblocked by name


class BlockRefusal(Reason):
    """Why a person is not blocked."""

    TOO_MANY = "bot.command.block-too-many"  # most
    NOT_BLOCKED = "bot.command.not-blocked"  # name


_BLOCKED: Final = PersonList("blocked", "blocked-by", _MOST_BLOCKED, BlockRefusal.TOO_MANY)


@registry.command("block", arguments.PERSON, topic=HelpTopic.OPTIONS, finishing=False)
async def block(context: Context) -> Sequence[Message]:
    """`/block @bob`, or as a reply: no matches or questions with them; alone, who is blocked."""
    who = await _named(context)
    if who is None:
        return [_blocked(context, context.own)]
    if who.account == context.visitor.account:
        raise CommandError(BadCommand.YOURSELF)
    new = await _BLOCKED.add(context.store, context.visitor.account, who, context.at)
    return [_blocked(context, new, context.words("bot.block.done", name=who.name))]


@registry.command("unblock", arguments.PERSON, topic=HelpTopic.OPTIONS, button=Verb.UNBLOCK, finishing=False)
async def unblock(context: Context) -> Sequence[Message]:
    """`/unblock @bob`; alone, who is blocked, with a button for each."""
    typed, known = context.command.rest.strip(), context.own.blocked
    named = next((each for each in known if typed in (person_key(each.account), each.name)), None)
    who = named or await _named(context)
    if who is None:
        return [_blocked(context, context.own)]
    if not any(each.account == who.account for each in known):
        raise CommandError(BlockRefusal.NOT_BLOCKED, name=shown(who.name))
    new = await _BLOCKED.remove(context.store, context.visitor.account, who.account)
    return [_blocked(context, new, context.words("bot.block.undone", name=who.name))]


async def _named(context: Context) -> Player | None:
    typed, visitor = context.command.rest.strip(), context.visitor
    found = visitor.find(typed.removeprefix("@")) if typed else visitor.replied
    if found is None and typed:
        raise CommandError(BadCommand.NO_SUCH_PERSON, name=shown(typed))
    return entering(Player(await first_account(context, found.account), found.name)) if found else None


def _blocked(context: Context, own: Settings, *said: str) -> Message:
    words = context.words
    names = words.list([each.name for each in own.blocked])
    listed = words("bot.block.list", names=names) if names else how_to_name(context, "bot.block.none")
    buttons = tuple(
        opens(Verb.UNBLOCK, words("bot.block.lift", name=each.name), person_key(each.account))
        for each in own.blocked[-_SHOWN:]
    )
    return context.private(View(lines=said or (listed,), buttons=buttons), secret=True)


@registry.command("mute", arguments.MATCH, topic=HelpTopic.MATCH, button=Verb.MUTE, finishing=False)
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
    """Take a person who is forgotten out of the settings of those who have blocked them."""
    await _BLOCKED.forget(store, account, Account)
    await _BLOCKED.forget_own(store, account)
