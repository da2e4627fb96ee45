"""/link and /unlink: accounts on two platforms that are one person. Both have to agree before anything passes."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.desk import arguments
from bot.desk.command_spec import HelpTopic
from bot.desk.context import Context
from bot.desk.errors import CommandError
from bot.desk.registry import Registry
from bot.identity import cards
from bot.identity.questions import LAPSES, LinkQuestion, LinkQuestions, counts
from bot.view import Message
from play.actions.renaming import Rename
from play.errors import NoSuchMatch
from play.events import actions as events
from play.events.events import Events
from play.match import Match
from play.people import Account, Player
from play.randomness import ALPHABET
from play.request import Request
from play.settings import Settings
from rules.core import Reason

registry: Final = Registry()


class LinkRefusal(Reason):
    """Why accounts are not linked, or not unlinked."""

    BAD_LINK = "bot.command.bad-link"
    LINKED_TO_ITSELF = "bot.command.linked-to-itself"
    LINKED_ALREADY = "bot.command.linked-already"
    LINKED_BOTH_PLAY = "bot.command.linked-both-play"  # code
    NOT_LINKED = "bot.command.not-linked"
    LAPSED = "bot.command.link-lapsed"
    WAITS = "bot.command.link-waits"
    ENOUGH = "bot.command.link-enough"


KEPT: Final = timedelta(minutes=10)
"""How long a code links."""

CODE: Final = 8
"""Characters of a code."""


@registry.command("link", arguments.text("code"), topic=HelpTopic.OPTIONS, finishing=False)
async def link(context: Context) -> Sequence[Message]:
    """`/link` gives a code, or shows the open question; `/link CODE` on the other platform asks for a link."""
    typed, words = context.command.rest.strip().lower(), context.words
    if typed:
        question = await _by_code(context, typed)
        return [
            context.private(cards.to_second(question, await counts(context.store, question), typed, words))
        ]
    first = context.visitor.player
    asked = await LinkQuestions(context.store).open(first.account)
    if asked is not None:
        return [context.private(cards.to_first(asked, await counts(context.store, asked), words))]
    code = "".join(secrets.choice(ALPHABET) for _ in range(CODE))
    text = json.dumps([first.account.platform, first.account.uid, first.name])
    await context.store.notes.write(_note(code), text, keep=KEPT)
    return [context.private(cards.code(code, KEPT, words))]


async def _by_code(context: Context, code: str) -> LinkQuestion:
    """Return the question that a code leads to, as the account that typed it is asked.

    Raises:
        CommandError: there is no such code, or the accounts cannot be linked.
    """
    fits = len(code) == CODE and code.isascii() and code.isalnum()
    (noted,) = await context.store.notes.read(_note(code)) if fits else (None,)
    if noted is None:
        raise CommandError(LinkRefusal.BAD_LINK)
    platform, uid, name = json.loads(noted)
    first, second = (
        Player(Account(platform, uid), name),
        replace(context.visitor.player, account=context.asker),
    )
    await _linkable(context, first.account, second.account)
    return LinkQuestion(first, second, first)


@registry.button(Verb.LINK, finishing=False)
async def _answered(context: Context, button: CallbackData) -> Sequence[Message]:
    answer, _, key = button.argument.partition(" ")
    match answer:
        case "ask":
            return await _ask(context, key)
        case "drop":
            if len(key) == CODE:
                await context.store.notes.write(_note(key), None)
            return [context.private(cards.refused(context.words))]
        case "yes" | "no":
            return await _answer(context, key, yes=answer == "yes")
    raise CommandError(LinkRefusal.LAPSED)


async def _ask(context: Context, code: str) -> Sequence[Message]:
    """Ask the account whose code was typed."""
    question, questions = await _by_code(context, code), LinkQuestions(context.store)
    if not await questions.may_ask(context.asker):
        raise CommandError(LinkRefusal.ENOUGH)
    if not await questions.ask(question.first, question.second):
        raise CommandError(LinkRefusal.WAITS)
    await context.store.notes.write(_note(code), None)
    return [context.private(cards.asked(question.first, LAPSES, context.words))]


async def _answer(context: Context, key: str, *, yes: bool) -> Sequence[Message]:
    """Answer the question that waits for the visitor; a press of anyone else finds none."""
    questions = LinkQuestions(context.store)
    question = await questions.open(context.visitor.account)
    if question is None or question.key != key:
        raise CommandError(LinkRefusal.LAPSED)
    if not yes:
        await questions.close(question)
        await questions.answered(question, yes=False)
        return [context.private(cards.refused(context.words))]
    await _linkable(context, question.first.account, question.second.account)
    await _link(context, question.first, question.second.account)
    await questions.close(question)  # last: an answer that was cut short is carried out again
    await questions.answered(question, yes=True)
    return [context.private(cards.linked(question.second, context.words))]


async def _linkable(context: Context, first: Account, second: Account) -> None:
    """Check that an account can be linked to a first one, or is already, as far as that got.

    Raises:
        CommandError: it cannot.
    """
    mine, theirs = await context.store.settings.get_many(first, second)
    if first == second or (theirs.person == first and context.asker == second):
        raise CommandError(LinkRefusal.LINKED_TO_ITSELF)
    linked = theirs.person not in (None, first) or mine.person is not None
    if linked or theirs.others or first.platform == second.platform:
        raise CommandError(LinkRefusal.LINKED_ALREADY)
    for match in await context.store.matches.of(second):
        if match.live and {first, second} <= set(match.people()):
            raise CommandError(LinkRefusal.LINKED_BOTH_PLAY, code=match.id)


async def _link(context: Context, first: Player, second: Account) -> None:
    """Make the second account one person's with the first; its matches under way pass over."""
    store = context.store
    live = [match for match in await store.matches.of(second) if match.live]
    codes = [match.id for match in live]
    theirs = await store.settings.get(second)
    await store.settings.change(
        first.account,
        lambda now: replace(
            now,
            others=tuple(dict.fromkeys((*now.others, second))),
            blocked=tuple(dict.fromkeys((*now.blocked, *theirs.blocked))),
            muted=tuple(dict.fromkeys((*now.muted, *theirs.muted))),
        ),
    )
    await store.settings.change(
        second,
        lambda now: replace(now, person=first.account, passed=tuple(dict.fromkeys((*now.passed, *codes)))),
    )
    await store.ratings.merge(second, first.account)
    for match in live:
        await _pass(context, match, second, first.account)
    for event in await store.events.of(second):
        name = next((player.name for player in event.players() if player.account == second), first.name)
        renaming = events.Rename(Player(first.account, name))
        if event.live:
            await Events(context.table, store).act(
                event.id, renaming, Request(Player(second, ""), context.at)
            )


async def _pass(context: Context, match: Match, old: Account, new: Account) -> None:
    """Put one account in the place of another in a match, under the same name."""
    name = next((player.name for player in match.players() if player.account == old), None)
    if name is not None:
        request = Request(Player(old, ""), context.at)
        await context.table.act(match.id, Rename(Player(new, name)), request)


@registry.command("unlink", topic=HelpTopic.OPTIONS, finishing=False)
async def unlink(context: Context) -> Sequence[Message]:
    """Unlink the account; the first account unlinks all of them. Each has back what it had before."""
    context.no_words()
    store, asker = context.store, context.asker
    mine = await store.settings.get(asker)
    if mine.person is None and not mine.others:
        raise CommandError(LinkRefusal.NOT_LINKED)
    first = mine.person or asker
    for account in mine.others if mine.person is None else (asker,):
        for code in (await store.settings.get(account)).passed:
            with suppress(NoSuchMatch):
                await _pass(context, await context.table.get(code), first, account)
        await store.ratings.part(account, first)
        await store.settings.change(account, lambda now: replace(now, person=None, passed=()))
        await store.settings.change(first, partial(_without, account))
    return [context.private(cards.unlinked(context.words))]


def _without(gone: Account, now: Settings) -> Settings:
    """Return the settings of a first account without one of the others."""
    return replace(now, others=tuple(other for other in now.others if other != gone))


def _note(code: str) -> str:
    return f"link:{code}"
