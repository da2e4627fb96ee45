"""Who somebody is: accounts on two platforms that are one person (/link, /unlink), and nobody at all (/forgetme)."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from bot.actions import Action, Verb
from bot.desk import puzzles
from bot.desk.errand import Errand, Handler, Pressed, no_such_word
from bot.desk.grammar import BadCommand, CommandError
from bot.presenter import privacy as cards
from bot.presenter.asking import SURE
from bot.view import Message
from play.chance import ALPHABET
from play.errors import NoSuchMatch
from play.match import Match
from play.people import Account, Player
from storage.upkeep import FullStore

KEPT: Final = timedelta(minutes=10)
"""How long a code links."""

CODE: Final = 8
"""Characters of a code."""

_PIECE: Final = 64  # matches that are looked at at once


async def link(errand: Errand) -> Sequence[Message]:
    """`/link` gives a code, `/link CODE` on the other platform makes both accounts one person's."""
    typed = errand.command.rest.strip().lower()
    if not typed:
        code = "".join(secrets.choice(ALPHABET) for _ in range(CODE))
        first = errand.visitor.player
        text = json.dumps([first.account.platform, first.account.uid, first.name])
        await errand.store.set_note(_note(code), text, keep=KEPT)
        return [errand.private(cards.code(code, KEPT, errand.words))]
    noted = await errand.store.take_note(_note(typed)) if len(typed) == CODE and typed.isalnum() else None
    if noted is None:
        raise CommandError(BadCommand.BAD_LINK)
    platform, uid, name = json.loads(noted)
    first = Player(Account(platform, uid), name)
    await _link(errand, first)
    return [errand.private(cards.linked(first, errand.words))]


async def _link(errand: Errand, first: Player) -> None:
    store, second = errand.store, errand.asker
    theirs = await store.settings(second)
    if first.account in (second, theirs.person):
        raise CommandError(BadCommand.LINKED_TO_ITSELF)
    if theirs.person is not None or theirs.others or first.account.platform == second.platform:
        raise CommandError(BadCommand.LINKED_ALREADY)
    live = [match for match in await store.of(second) if match.live]
    both = [match for match in live if {first.account, second} <= set(match.people())]
    if both:
        raise CommandError(BadCommand.LINKED_BOTH_PLAY, code=both[0].id)
    await store.change_settings(
        first.account,
        lambda now: replace(now, others=tuple(dict.fromkeys((*now.others, second)))),
    )
    await store.change_settings(second, lambda now: replace(now, person=first.account))
    await store.merge_ratings(second, first.account)
    for match in live:
        await errand.table.rename(match.id, second, Player(first.account, _name_in(match, second)))


def _name_in(match: Match, account: Account) -> str:
    """The name that somebody goes by in a match."""
    people = (match.host, *(who for chair in match.chairs for who in (chair.player, chair.reserved)))
    return next(player.name for player in people if player and player.account == account)


async def unlink(errand: Errand) -> Sequence[Message]:
    """The account that speaks is a person of its own again; from the first one, all of them are."""
    errand.no_words()
    store, asker = errand.store, errand.asker
    mine = await store.settings(asker)
    if mine.person is None and not mine.others:
        raise CommandError(BadCommand.NOT_LINKED)
    gone = mine.others if mine.person is None else (asker,)
    first = mine.person or asker
    await store.change_settings(
        first, lambda now: replace(now, others=tuple(other for other in now.others if other not in gone))
    )
    for account in gone:
        await store.change_settings(account, lambda now: replace(now, person=None))
    return [errand.private(cards.unlinked(errand.words))]


async def privacy(errand: Errand) -> Sequence[Message]:
    """What is stored, and how it is taken away."""
    errand.no_words()
    return [errand.private(cards.stored(errand.words))]


async def forget_me(errand: Errand) -> Sequence[Message]:
    """Asks whether somebody is sure."""
    if errand.command.rest:
        raise no_such_word(errand.command.rest)
    return [errand.private(cards.sure(errand.words))]


async def _pressed(errand: Errand, button: Action) -> Sequence[Message]:
    if button.argument != SURE:
        return [errand.private(cards.sure(errand.words))]
    store, player = errand.store, errand.visitor.player
    others = (await store.settings(player.account)).others
    # The first account last: what the others have played counts for it until they are gone.
    for account in (*others, player.account):
        await _forget(errand, account, player.name)
    return [errand.private(cards.forgotten(errand.words))]


async def _forget(errand: Errand, account: Account, name: str) -> None:
    """Take somebody out of every match there is, and then everything else that is kept of them."""
    store, table = errand.store, errand.table
    ids = [match_id async for match_id in store.match_ids()]
    theirs: list[str] = []
    names = {name}
    for start in range(0, len(ids), _PIECE):
        piece = ids[start : start + _PIECE]
        for match in await asyncio.gather(*(_match(store, match_id) for match_id in piece)):
            if match is not None and account in match.people():
                theirs.append(match.id)
                names.add(_name_in(match, account))
    for match_id in theirs:
        await table.forget(match_id, account, at=errand.at)
    for each in sorted(names):
        await store.forget(account, each, theirs)
    await puzzles.forget(errand, account)


async def _match(store: FullStore, match_id: str) -> Match | None:
    try:
        return (await store.load(match_id)).match
    except NoSuchMatch:
        return None


def _note(code: str) -> str:
    return f"link:{code}"


COMMANDS: Final[Mapping[str, Handler]] = {
    "link": link,
    "unlink": unlink,
    "privacy": privacy,
    "forgetme": forget_me,
}

PRESSES: Final[Mapping[Verb, Pressed]] = {Verb.FORGET: _pressed}
