"""Cards about linked accounts, stored data and being forgotten.

Open questions about links: whether two accounts are one person's. Each waits at the account whose code was typed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import Words
from bot.chat.presenting.cards import Operator, paragraphs
from bot.chat.presenting.controls import CONFIRMED
from bot.chat.presenting.naming import clean
from bot.chat.registry import FORGOTTEN
from bot.chat.view import Button, View
from play.people import Account, Player
from storage.ports import FullStore

LAPSES: Final = timedelta(hours=1)
"""How long a question can be answered."""

MOST_A_DAY: Final = 3
"""Questions that one account may ask within a day."""

_DAY: Final = timedelta(days=1)
_KEY: Final = 6  # bytes


@dataclass(frozen=True, slots=True)
class LinkQuestion:
    """Whether an account links to another.

    Attributes:
        first: The account that would become the person's first; its code was typed.
        second: The account that would be linked to it; it typed the code.
        other: Which of them the reader does not ask with.
    """

    first: Player
    second: Player
    other: Player

    @property
    def key(self) -> str:
        """Which question it is, for its buttons."""
        text = f"{self.first.account} {self.second.account}"
        return hashlib.blake2b(text.encode(), digest_size=_KEY).hexdigest()


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """How many matches two accounts have under way: that of the reader, and the other one."""

    own: int
    other: int


async def counts(store: FullStore, question: LinkQuestion) -> MatchCounts:
    """Count the matches that two accounts would share."""
    reader = question.first if question.other is question.second else question.second
    own, other = [
        sum(match.live for match in await store.matches.of(player.account))
        for player in (reader, question.other)
    ]
    return MatchCounts(own, other)


class LinkQuestions:
    """The open questions: at most one at each account, and one from each."""

    def __init__(self, store: FullStore) -> None:
        self._store = store

    async def may_ask(self, account: Account) -> bool:
        """Count one more question of an account; return whether it may be asked today."""
        for number in range(MOST_A_DAY):
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
    for number in range(MOST_A_DAY):
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


def stored(words: Words, operator: Operator, page: str | None) -> View:
    """Return what is stored about a person, why, how to delete it, and who runs the bot; `page` is the board page's address."""
    lines = [*paragraphs(words("bot.privacy")), *operator.told(words)]
    if page is None:
        return View(lines=tuple(lines))
    url = f"{page.rstrip('/')}/privacy?lang={words.language}"
    return View(lines=(*lines, words("bot.legal.whole", url=url)), urls=(url,))


def sure(words: Words) -> View:
    """Ask for confirmation before a person is forgotten."""
    yes = CallbackData.without_match(Verb.FORGET, CONFIRMED)
    button = Button(words("bot.forget.sure"), yes, style="danger")
    return View(lines=(words("bot.forget.ask"),), buttons=(button,))


def forgotten(words: Words, rewritten: bool, backup: datetime | None) -> View:
    """Say that a person's data is deleted, and what still holds it.

    Args:
        words: The reader's.
        rewritten: Whether the bot may rewrite the server's append-only file.
        backup: When the last backup was made.
    """
    lines = [words("bot.forget.done"), words("bot.forget.files" if rewritten else "bot.forget.refused")]
    if backup is not None:
        lines.append(words("bot.forget.backup", date=words.date(backup)))
    return View(lines=tuple(lines))


def exported(data: bytes, words: Words) -> View:
    """Return a person's data as a file."""
    return View(lines=(words("bot.privacy.exported"),), files=(("klop-data.zip", data),))


def code(code: str, kept: timedelta, words: Words) -> View:
    """Return the code that links two accounts."""
    return View(lines=(words("bot.link.code", command=f"/link {code}", left=words.time_left(kept)),))


def to_second(asked: LinkQuestion, count: MatchCounts, code: str, words: Words) -> View:
    """Ask the account that typed a code whether the one that it came from is to be asked."""
    return _question(asked, count, words, (f"ask {code}", f"drop {code}"))


def to_first(asked: LinkQuestion, count: MatchCounts, words: Words) -> View:
    """Ask the account whose code was typed whether the other one is the same person's."""
    return _question(asked, count, words, (f"yes {asked.key}", f"no {asked.key}"))


def _question(asked: LinkQuestion, count: MatchCounts, words: Words, answers: tuple[str, str]) -> View:
    yes, no = answers
    buttons = (
        Button(words("bot.link.yes"), CallbackData.without_match(Verb.LINK, yes), style="good"),
        Button(words("bot.link.no"), CallbackData.without_match(Verb.LINK, no), style="danger"),
    )
    lines = (
        words("bot.link.ask", name=clean(asked.other.name), platform=platform_name(asked.other)),
        words("bot.link.shares", yours=count.own, theirs=count.other, first=clean(asked.first.name)),
        words("bot.link.sure"),
    )
    return View(lines=lines, buttons=buttons)


def asked(first: Player, kept: timedelta, words: Words) -> View:
    """Say that the other account is asked now, and what to do if the question does not come."""
    said = words(
        "bot.link.asked",
        name=clean(first.name),
        platform=platform_name(first),
        left=words.time_left(kept),
        command="/link",
    )
    return View(lines=(said,))


def refused(words: Words) -> View:
    """Say that accounts stay separate."""
    return View(lines=(words("bot.link.refused"),))


def answered(first: Player, yes: bool, words: Words) -> View:
    """Tell the account that asked what the other one has answered."""
    if yes:
        return linked(first, words)
    return View(lines=(words("bot.link.said-no", name=clean(first.name), platform=platform_name(first)),))


def platform_name(player: Player) -> str:
    """Return the name of a player's platform."""
    return player.account.platform.capitalize()


def linked(first: Player, words: Words) -> View:
    """Say that two accounts are one person's now."""
    return View(lines=(words("bot.link.done", name=clean(first.name)),))


def unlinked(words: Words) -> View:
    """Say that the accounts are separate again."""
    return View(lines=(words("bot.link.undone"),))
