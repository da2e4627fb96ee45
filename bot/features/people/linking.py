"""/link and /unlink: accounts on two platforms that are one person. Both have to agree before anything passes."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Final

from bot.chat import arguments
from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.errors import CommandError
from bot.chat.i18n import words_of
from bot.chat.presenting.naming import clean
from bot.chat.registry import Registry
from bot.chat.sending.delivery import Delivery
from bot.chat.sending.ports import Courier, CourierError
from bot.chat.sending.queue import Urgency
from bot.chat.sending.routing import label
from bot.chat.services import Services
from bot.chat.view import Message, View
from bot.features.people.links import LAPSES, LinkQuestion, LinkQuestions, card, platform_name
from play.actions.renaming import Rename
from play.errors import NoSuchMatch
from play.events import actions as events
from play.events.events import Events
from play.match import Match
from play.people import Account, Player
from play.ports import ALPHABET
from play.request import Request
from play.settings import Settings
from rules.core import Reason
from storage.ports import FullStore

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


_KEPT: Final = timedelta(minutes=10)  # how long a code links
_CODE: Final = 8  # characters of a code


@registry.command("link", arguments.text("code"), topic=HelpTopic.OPTIONS, finishing=False)
async def link(context: Context) -> Sequence[Message]:
    """`/link` gives a code, or shows the open question; `/link CODE` on the other platform asks for a link."""
    typed, words = context.command.rest.strip().lower(), context.words
    if typed:
        question = await _by_code(context, typed)
        return [context.private(await card(context.store, question, words, typed))]
    first = context.visitor.player
    asked = await LinkQuestions(context.store).open(first.account)
    if asked is not None:
        return [context.private(await card(context.store, asked, words))]
    code = "".join(secrets.choice(ALPHABET) for _ in range(_CODE))
    text = json.dumps([first.account.platform, first.account.uid, first.name])
    await context.store.notes.write(_note(code), text, keep=_KEPT)
    return _said(context, "bot.link.code", command=f"/link {code}", left=words.time_left(_KEPT))


def _said(context: Context, key: str, **fields: str) -> Sequence[Message]:
    return [context.private(View(lines=(context.words(key, **fields),)))]


async def _by_code(context: Context, code: str) -> LinkQuestion:
    fits = len(code) == _CODE and code.isascii() and code.isalnum()
    (noted,) = await context.store.notes.read(_note(code)) if fits else (None,)
    if noted is None:
        raise CommandError(LinkRefusal.BAD_LINK)
    platform, uid, name = json.loads(noted)
    first = Player(Account(platform, uid), name)
    second = replace(context.visitor.player, account=context.asker)
    await _linkable(context, first.account, second.account)
    return LinkQuestion(first, second, first)


@registry.button(Verb.LINK, finishing=False)
async def _answered(context: Context, button: CallbackData) -> Sequence[Message]:
    answer, _, key = button.argument.partition(" ")
    match answer:
        case "ask":
            return await _ask(context, key)
        case "drop":
            if len(key) == _CODE:
                await context.store.notes.write(_note(key), None)
            return _said(context, "bot.link.refused")
        case "yes" | "no":
            return await _answer(context, key, yes=answer == "yes")
    raise CommandError(LinkRefusal.LAPSED)


async def _ask(context: Context, code: str) -> Sequence[Message]:
    question, questions = await _by_code(context, code), LinkQuestions(context.store)
    if not await questions.may_ask(context.asker):
        raise CommandError(LinkRefusal.ENOUGH)
    if not await questions.ask(question.first, question.second):
        raise CommandError(LinkRefusal.WAITS)
    await context.store.notes.write(_note(code), None)
    name, platform = clean(question.first.name), platform_name(question.first)
    left = context.words.time_left(LAPSES)
    return _said(context, "bot.link.asked", name=name, platform=platform, left=left, command="/link")


async def _answer(context: Context, key: str, *, yes: bool) -> Sequence[Message]:
    """Answer the question that waits for the visitor; a press of anyone else finds none."""
    questions = LinkQuestions(context.store)
    question = await questions.open(context.visitor.account)
    if question is None or question.key != key:
        raise CommandError(LinkRefusal.LAPSED)
    if not yes:
        await questions.close(question)
        await questions.answered(question, yes=False)
        return _said(context, "bot.link.refused")
    await _linkable(context, question.first.account, question.second.account)
    await _link(context, question.first, question.second.account)
    await questions.close(question)  # last: an answer that was cut short is carried out again
    await questions.answered(question, yes=True)
    return _said(context, "bot.link.done", name=clean(question.second.name))


async def _linkable(context: Context, first: Account, second: Account) -> None:
    """Check that an account can be linked to a first one, or is already, as far as that got."""
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
        renaming = events.RenameEntrant(Player(first.account, name))
        if event.live:
            await Events(context.table, store).act(
                event.id, renaming, Request(Player(second, ""), context.at)
            )


async def _pass(context: Context, match: Match, old: Account, new: Account) -> None:
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
    return _said(context, "bot.link.undone")


def _without(gone: Account, now: Settings) -> Settings:
    return replace(now, others=tuple(other for other in now.others if other != gone))


def _note(code: str) -> str:
    return f"link:{code}"


_LOOK: Final = 2.0  # seconds between looks for questions
_log: Final = logging.getLogger(__name__)


class LinkPoster:
    """Posts each question and answer once, privately. A question that does not get through is shown by `/link` all the same."""

    def __init__(
        self, store: FullStore, delivery: Delivery, couriers: Iterable[Courier], language: str
    ) -> None:
        self._store = store
        self._delivery = delivery
        self._couriers = {courier.platform: courier for courier in couriers}
        self._language = language
        self._questions = LinkQuestions(store)

    async def tick(self) -> None:
        """Post the questions that are not posted yet."""
        for platform, courier in self._couriers.items():
            for account in await self._questions.to_post(platform):
                try:
                    await self._post(courier, account)
                except CourierError as failed:
                    _log.info("a question about a link did not reach %s: %r", label(account), failed)

    async def _post(self, courier: Courier, account: Account) -> None:
        question = await self._questions.open(account)
        answer = None if question else await self._questions.answer_for(account)
        chosen = await self._store.settings.get(account)
        words = words_of(chosen, self._language)
        if question:
            view, key = await card(self._store, question, words), f"link:{question.key}"
        elif answer:
            first, yes = answer
            name, platform = clean(first.name), platform_name(first)
            said = (
                words("bot.link.done", name=name)
                if yes
                else words("bot.link.said-no", name=name, platform=platform)
            )
            key = f"said:{LinkQuestion(first, Player(account, ''), first).key}"
            view = View(lines=(said,))
        else:
            return
        await self._delivery.turn(courier, account, Urgency.CARD)
        await courier.post(account, view, ping=(), nonce=key)


@registry.periodically("questions about links", _LOOK)
async def _post(services: Services, delivery: Delivery, couriers: Mapping[str, Courier]) -> None:
    await LinkPoster(services.store, delivery, couriers.values(), services.config.language).tick()
