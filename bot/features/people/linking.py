"""/link and /unlink: accounts on two platforms that are one person. Both have to agree before anything passes.

The question whether they are one person's waits at the account whose code was typed: at most one at each account, and one from each.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Final

from bot.chat import arguments
from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.errors import CommandError
from bot.chat.i18n import Words, words_of
from bot.chat.presenting.naming import clean
from bot.chat.registry import FORGOTTEN, Registry
from bot.chat.sending.delivery import Delivery
from bot.chat.sending.ports import Courier, CourierError
from bot.chat.sending.queue import Urgency
from bot.chat.sending.routing import label
from bot.chat.services import Services
from bot.chat.view import Button, Message, View
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

_LAPSES: Final = timedelta(hours=1)  # how long a question can be answered
_MOST_A_DAY: Final = 3  # questions that one account may ask within a day


@dataclass(frozen=True, slots=True)
class LinkQuestion:
    """Whether the account that typed a code, `second`, is to be linked to the one whose code it is, which would be the person's first."""

    first: Player
    second: Player

    @property
    def key(self) -> str:
        """Which question it is, for its buttons."""
        text = f"{self.first.account} {self.second.account}"
        return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


async def _may_ask(store: FullStore, account: Account) -> bool:
    """Count one more question of an account; return whether it may be asked today."""
    for number in range(_MOST_A_DAY):
        if await store.notes.write_once(f"link-count:{account}:{number}", "", keep=timedelta(days=1)):
            return True
    return False


async def _store_question(store: FullStore, first: Player, second: Player) -> bool:
    """Store a question and have it posted; return whether neither account had an open one."""
    notes, text = store.notes, json.dumps([*_plain(first), *_plain(second)])
    if not await notes.write_once(_note("asked", first.account), text, keep=_LAPSES):
        return False
    if not await notes.write_once(_note("asks", second.account), json.dumps(_plain(first)), keep=_LAPSES):
        await notes.write(_note("asked", first.account), None)
        return False
    await store.timelines.add(_note("asked", first.account.platform), first.account.uid, await store.now())
    return True


async def _open_question(store: FullStore, account: Account) -> LinkQuestion | None:
    """Return the question that waits for an account."""
    (text,) = await store.notes.read(_note("asked", account))
    if text is None:
        return None
    plain = json.loads(text)
    return LinkQuestion(_player(*plain[:3]), _player(*plain[3:]))


async def _tell(store: FullStore, question: LinkQuestion, *, yes: bool) -> None:
    """Delete a question that is answered, and have the account that asked told the answer."""
    asker = question.second.account
    await store.notes.write(_note("asked", question.first.account), None)
    await store.notes.write(_note("asks", asker), None)
    text = json.dumps([*_plain(question.first), yes])
    await store.notes.write(_note("answer", asker), text, keep=_LAPSES)
    await store.timelines.add(_note("asked", asker.platform), asker.uid, await store.now())


async def _answer_for(store: FullStore, account: Account) -> tuple[Player, bool] | None:
    """Return who has answered an account, and whether it was yes; once."""
    text = await store.notes.take(_note("answer", account))
    if text is None:
        return None
    *plain, yes = json.loads(text)
    return _player(*plain), yes


async def _to_post(store: FullStore, platform: str) -> list[Account]:
    """Return the accounts of a platform that are to be asked, or told an answer; each is returned to one caller, once."""
    found = []
    for uid in await store.timelines.read(_note("asked", platform)):
        account = Account(platform, uid)
        await store.timelines.remove(_note("asked", platform), uid)
        question = await _open_question(store, account)
        posted = f"link-posted:{question.key}" if question else ""
        # An answer is taken once.
        if not posted or await store.notes.write_once(posted, "", keep=timedelta(minutes=1)):
            found.append(account)
    return found


@FORGOTTEN
async def forget(store: FullStore, account: Account, _names: Collection[str]) -> None:
    """Delete the questions that an account asked, or was asked."""
    await store.timelines.remove(_note("asked", account.platform), account.uid)
    (to,) = await store.notes.read(_note("asks", account))
    if to is not None:
        await store.notes.write(_note("asked", _player(*json.loads(to)).account), None)
    asked = await _open_question(store, account)
    if asked is not None:
        await store.notes.write(_note("asks", asked.second.account), None)
    await store.notes.write(_note("asked", account), None)
    await store.notes.write(_note("asks", account), None)
    await store.notes.write(_note("answer", account), None)
    for number in range(_MOST_A_DAY):
        await store.notes.write(f"link-count:{account}:{number}", None)


def _note(what: str, whose: Account | str) -> str:
    return f"link-{what}:{whose}"


def _plain(player: Player) -> tuple[str, str, str]:
    return player.account.platform, player.account.uid, player.name


def _player(platform: str, uid: str, name: str) -> Player:
    return Player(Account(platform, uid), name)


async def _card(store: FullStore, asked: LinkQuestion, words: Words, code: str = "") -> View:
    # A `code` is one that the account that reads the card has typed.
    yes, no = (f"ask {code}", f"drop {code}") if code else (f"yes {asked.key}", f"no {asked.key}")
    reader, other = (asked.second, asked.first) if code else (asked.first, asked.second)
    yours, theirs = [
        sum(match.live for match in await store.matches.of(player.account)) for player in (reader, other)
    ]
    buttons = (
        Button(words("bot.link.yes"), CallbackData.without_match(Verb.LINK, yes), style="good"),
        Button(words("bot.link.no"), CallbackData.without_match(Verb.LINK, no), style="danger"),
    )
    lines = (
        words("bot.link.ask", name=clean(other.name), platform=_platform_name(other)),
        words("bot.link.shares", yours=yours, theirs=theirs, first=clean(asked.first.name)),
        words("bot.link.sure"),
    )
    return View(lines=lines, buttons=buttons)


def _platform_name(player: Player) -> str:
    return player.account.platform.capitalize()


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
        return [context.private(await _card(context.store, question, words, typed))]
    first = context.visitor.player
    asked = await _open_question(context.store, first.account)
    if asked is not None:
        return [context.private(await _card(context.store, asked, words))]
    code = "".join(secrets.choice(ALPHABET) for _ in range(_CODE))
    await context.store.notes.write(f"link:{code}", json.dumps(_plain(first)), keep=_KEPT)
    return _said(context, "bot.link.code", command=f"/link {code}", left=words.time_left(_KEPT))


def _said(context: Context, key: str, **fields: str) -> Sequence[Message]:
    return [context.private(View(lines=(context.words(key, **fields),)))]


async def _by_code(context: Context, code: str) -> LinkQuestion:
    fits = len(code) == _CODE and code.isascii() and code.isalnum()
    (noted,) = await context.store.notes.read(f"link:{code}") if fits else (None,)
    if noted is None:
        raise CommandError(LinkRefusal.BAD_LINK)
    first = _player(*json.loads(noted))
    second = replace(context.visitor.player, account=context.asker)
    await _linkable(context, first.account, second.account)
    return LinkQuestion(first, second)


@registry.button(Verb.LINK, finishing=False)
async def _answered(context: Context, button: CallbackData) -> Sequence[Message]:
    answer, _, key = button.argument.partition(" ")
    match answer:
        case "ask":
            return await _ask(context, key)
        case "drop":
            if len(key) == _CODE:
                await context.store.notes.write(f"link:{key}", None)
            return _said(context, "bot.link.refused")
        case "yes" | "no":
            return await _answer(context, key, yes=answer == "yes")
    raise CommandError(LinkRefusal.LAPSED)


async def _ask(context: Context, code: str) -> Sequence[Message]:
    question = await _by_code(context, code)
    if not await _may_ask(context.store, context.asker):
        raise CommandError(LinkRefusal.ENOUGH)
    if not await _store_question(context.store, question.first, question.second):
        raise CommandError(LinkRefusal.WAITS)
    await context.store.notes.write(f"link:{code}", None)
    name, platform = clean(question.first.name), _platform_name(question.first)
    left = context.words.time_left(_LAPSES)
    return _said(context, "bot.link.asked", name=name, platform=platform, left=left, command="/link")


async def _answer(context: Context, key: str, *, yes: bool) -> Sequence[Message]:
    question = await _open_question(context.store, context.visitor.account)
    if question is None or question.key != key:
        raise CommandError(LinkRefusal.LAPSED)
    if not yes:
        await _tell(context.store, question, yes=False)
        return _said(context, "bot.link.refused")
    await _linkable(context, question.first.account, question.second.account)
    await _link(context, question.first, question.second.account)
    await _tell(context.store, question, yes=True)  # last: an answer that was cut short is carried out again
    return _said(context, "bot.link.done", name=clean(question.second.name))


async def _linkable(context: Context, first: Account, second: Account) -> None:
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


_LOOK: Final = 2.0  # seconds between looks for questions
_log: Final = logging.getLogger(__name__)


@registry.periodically("questions about links", _LOOK)
async def post_questions(services: Services, delivery: Delivery, couriers: Mapping[str, Courier]) -> None:
    """Post each question and answer once, privately. A question that does not get through is shown by `/link` all the same."""
    for platform, courier in couriers.items():
        for account in await _to_post(services.store, platform):
            try:
                await _post(services, delivery, courier, account)
            except CourierError as failed:
                _log.info("a question about a link did not reach %s: %r", label(account), failed)


async def _post(services: Services, delivery: Delivery, courier: Courier, account: Account) -> None:
    store = services.store
    question = await _open_question(store, account)
    answer = None if question else await _answer_for(store, account)
    words = words_of(await store.settings.get(account), services.config.language)
    if question:
        view, key = await _card(store, question, words), f"link:{question.key}"
    elif answer:
        first, yes = answer
        name, platform = clean(first.name), _platform_name(first)
        no = words("bot.link.said-no", name=name, platform=platform)
        view = View(lines=(words("bot.link.done", name=name) if yes else no,))
        key = f"said:{LinkQuestion(first, Player(account, '')).key}"
    else:
        return
    await delivery.turn(courier, account, Urgency.CARD)
    await courier.post(account, view, ping=(), nonce=key)
