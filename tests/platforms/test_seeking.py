"""Several seeks of one person have one card in a place, on each platform."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import pytest

from play.match import Match, Phase
from play.people import Address, Player
from storage.ports import BoardMessage
from tests.bot.world import ANN, BOB, World
from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.telegram.harness import HALL, telegram_bot
from tests.platforms.telegram.server import words
from tests.support.memory.outgoing import MemoryOutgoing

BOARDS = ("4x5", "5x5", "6x6", "7x7", "8x9")


@dataclass
class Hall:
    """A place with two people: how Ann seeks, how each types a line, what was posted, and the matches."""

    seek: Callable[[str], Awaitable[object]]
    withdraw: Callable[[str], Awaitable[object]]
    join: Callable[[str], Awaitable[object]]
    posted: Callable[[], Sequence[str]]
    matches: Callable[[], Sequence[Match]]


async def in_room(check: Callable[[Hall], Awaitable[None]]) -> None:
    world, posted = World(), list[str]()

    async def says(who: Player, line: str) -> None:
        told = await world.say(who, line)
        posted.extend("\n".join(each.view.lines) for each in told if isinstance(each.to, Address))

    await check(
        Hall(
            lambda board: says(ANN, f"/seek breakthrough {board}"),
            lambda code: says(ANN, f"/withdraw #{code}"),
            lambda code: says(BOB, f"/join #{code}"),
            lambda: posted,
            lambda: list(world.snapshot().matches.values()),
        )
    )


async def on_telegram(check: Callable[[Hall], Awaitable[None]]) -> None:
    async with telegram_bot() as f:
        ann, bob = f.api.human("Ann"), f.api.human("Bob")
        hall = f.api.group(HALL, "Hall", ann, bob)
        await check(
            Hall(
                lambda board: f.say(ann, hall, f"/seek breakthrough {board}"),
                lambda code: f.say(ann, hall, f"/withdraw #{code}"),
                lambda code: f.say(bob, hall, f"/join #{code}"),
                lambda: [words(each) for each in f.api.shown(hall)],
                lambda: f.matches,
            )
        )


async def on_discord(check: Callable[[Hall], Awaitable[None]]) -> None:
    async with DiscordHarness() as home:
        ann, bob = home.person("ann"), home.person("bob")
        await check(
            Hall(
                lambda board: ann.types("seek", game="breakthrough", options=board),
                lambda code: ann.types("withdraw", match=code),
                lambda code: bob.types("join", match=code),
                lambda: [each.words for each in home.games.messages.values() if each.only is None],
                lambda: list(home.matches.values()),
            )
        )


@pytest.mark.parametrize("platform", [in_room, on_telegram, on_discord])
async def test_five_seeks_of_one_person_have_one_card(
    platform: Callable[[Callable[[Hall], Awaitable[None]]], Awaitable[None]],
) -> None:
    await platform(_one_card)


async def _one_card(hall: Hall) -> None:
    for board in BOARDS:
        await hall.seek(board)
    first, second, third, _, last = hall.matches()
    assert len(hall.posted()) == 1
    await hall.withdraw(first.id)
    assert len(hall.posted()) == 1, "it has no card"
    await hall.join(last.id)
    assert len(hall.posted()) == 2, "the board"
    await hall.join(second.id)
    assert len(hall.posted()) == 3, "another board"
    phases = {match.id: match.phase for match in hall.matches()}
    assert (phases[second.id], phases[third.id]) == (Phase.PLAYING, Phase.OPEN)


@pytest.mark.parametrize("last", range(3))
async def test_a_delivery_that_breaks_off_takes_the_same_message_again(
    last: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored: list[str] = []
    set_shown = MemoryOutgoing.set_shown

    async def broken(self: MemoryOutgoing, code: str, where: Address, shown: BoardMessage | None) -> None:
        stored.append(code)
        if len(stored) == last + 1:
            raise RuntimeError
        await set_shown(self, code, where, shown)

    async with telegram_bot() as f:
        ann = f.api.human("Ann")
        hall = f.api.group(HALL, "Hall", ann)
        await f.say(ann, hall, "/seek breakthrough 4x5")
        with monkeypatch.context() as patched:
            patched.setattr(MemoryOutgoing, "set_shown", broken)
            await f.say(ann, hall, "/seek breakthrough 5x5")
        (card,) = f.api.shown(hall)
        first, second = f.matches
        assert f"#{second.id}\nAlso open: #{first.id}." in words(card)
        assert len(stored) > 3, "it was tried again"
