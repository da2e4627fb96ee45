"""Open questions about links: whether two accounts are one person's. Each waits at the account whose code was typed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import Words
from bot.chat.presenting.naming import clean
from bot.chat.registry import FORGOTTEN
from bot.chat.view import Button, View
from play.people import Account, Player
from storage.ports import FullStore

LAPSES: Final = timedelta(hours=1)
"""How long a question can be answered."""

_MOST_A_DAY: Final = 3  # questions that one account may ask within a day
_DAY: Final = timedelta(days=1)
_KEY: Final = 6  # bytes


@dataclass(frozen=True, slots=True)
class LinkQuestion:
    """Whether the account that typed a code, `second`, is to be linked to the one whose code it is, which would be the person's first.

    `other` is which of them the reader does not ask with.
    """

    first: Player
    second: Player
    other: Player

    @property
    def key(self) -> str:
        """Which question it is, for its buttons."""
        text = f"{self.first.account} {self.second.account}"
        return hashlib.blake2b(text.encode(), digest_size=_KEY).hexdigest()


class LinkQuestions:
    """The open questions: at most one at each account, and one from each."""

    def __init__(self, store: FullStore) -> None:
        self._store = store

    async def may_ask(self, account: Account) -> bool:
        """Count one more question of an account; return whether it may be asked today."""
        for number in range(_MOST_A_DAY):
            if await self._store.notes.write_once(f"link-count:{account}:{number}", "", keep=_DAY):
                return True
        return False

    async def ask(self, first: Player, second: Player) -> bool:
        """Store a question and have it posted; return whether neither account had an open one."""
        notes, text = self._store.notes, json.dumps([*_plain(first), *_plain(second)])
        if not await notes.write_once(_to(first.account), text, keep=LAPSES):
            return False
        if not await notes.write_once(_from(second.account), json.dumps(_plain(first)), keep=LAPSES):
            await notes.write(_to(first.account), None)
            return False
        await self._store.timelines.add(
            _timeline(first.account.platform), first.account.uid, await self._store.now()
        )
        return True

    async def open(self, account: Account) -> LinkQuestion | None:
        """Return the question that waits for an account."""
        (text,) = await self._store.notes.read(_to(account))
        if text is None:
            return None
        platform, uid, name, *other = json.loads(text)
        second = Player(Account(other[0], other[1]), other[2])
        return LinkQuestion(Player(Account(platform, uid), name), second, second)

    async def close(self, question: LinkQuestion) -> None:
        """Delete a question that is answered."""
        await self._store.notes.write(_to(question.first.account), None)
        await self._store.notes.write(_from(question.second.account), None)

    async def answered(self, question: LinkQuestion, *, yes: bool) -> None:
        """Have the account that asked told the answer."""
        asker = question.second.account
        text = json.dumps([*_plain(question.first), yes])
        await self._store.notes.write(_answer(asker), text, keep=LAPSES)
        await self._store.timelines.add(_timeline(asker.platform), asker.uid, await self._store.now())

    async def answer_for(self, account: Account) -> tuple[Player, bool] | None:
        """Return who has answered an account, and whether it was yes; once."""
        text = await self._store.notes.take(_answer(account))
        if text is None:
            return None
        platform, uid, name, yes = json.loads(text)
        return Player(Account(platform, uid), name), yes

    async def to_post(self, platform: str) -> list[Account]:
        """Return the accounts of a platform that are to be asked, or told an answer; each is returned to one caller, once."""
        found = []
        for uid in await self._store.timelines.read(_timeline(platform)):
            account = Account(platform, uid)
            await self._store.timelines.remove(_timeline(platform), uid)
            question = await self.open(account)
            posted = f"link-posted:{question.key}" if question else ""
            # An answer is taken once.
            if not posted or await self._store.notes.write_once(posted, "", keep=timedelta(minutes=1)):
                found.append(account)
        return found


@FORGOTTEN
async def forget(store: FullStore, account: Account, _names: Collection[str]) -> None:
    """Delete the questions that an account asked, or was asked."""
    await store.timelines.remove(_timeline(account.platform), account.uid)
    (to,) = await store.notes.read(_from(account))
    if to is not None:
        platform, uid, _ = json.loads(to)
        await store.notes.write(_to(Account(platform, uid)), None)
    asked = await LinkQuestions(store).open(account)
    if asked is not None:
        await store.notes.write(_from(asked.second.account), None)
    await store.notes.write(_to(account), None)
    await store.notes.write(_from(account), None)
    await store.notes.write(_answer(account), None)
    for number in range(_MOST_A_DAY):
        await store.notes.write(f"link-count:{account}:{number}", None)


def _plain(player: Player) -> tuple[str, str, str]:
    return player.account.platform, player.account.uid, player.name


def _to(account: Account) -> str:
    return f"link-asked:{account}"


def _from(account: Account) -> str:
    return f"link-asks:{account}"


def _answer(account: Account) -> str:
    return f"link-answer:{account}"


def _timeline(platform: str) -> str:
    return f"link-asked:{platform}"


async def card(store: FullStore, asked: LinkQuestion, words: Words, code: str = "") -> View:
    """Name the other account and what is shared, and ask whether both are one person's; `code` was typed by the account that reads it."""
    yes, no = (f"ask {code}", f"drop {code}") if code else (f"yes {asked.key}", f"no {asked.key}")
    reader = asked.first if asked.other is asked.second else asked.second
    yours, theirs = [
        sum(match.live for match in await store.matches.of(player.account))
        for player in (reader, asked.other)
    ]
    buttons = (
        Button(words("bot.link.yes"), CallbackData.without_match(Verb.LINK, yes), style="good"),
        Button(words("bot.link.no"), CallbackData.without_match(Verb.LINK, no), style="danger"),
    )
    lines = (
        words("bot.link.ask", name=clean(asked.other.name), platform=platform_name(asked.other)),
        words("bot.link.shares", yours=yours, theirs=theirs, first=clean(asked.first.name)),
        words("bot.link.sure"),
    )
    return View(lines=lines, buttons=buttons)


def platform_name(player: Player) -> str:
    """Return the name of a player's platform."""
    return player.account.platform.capitalize()
