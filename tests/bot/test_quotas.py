"""Quotas: each limit holds for its person and no other, and a refusal says what to do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bot.chat import quotas
from bot.chat.i18n import LANGUAGES
from bot.chat.i18n import words as words_for
from bot.chat.match_lookup import LISTED
from bot.chat.quotas import Count, OverQuota, Rate
from bot.features.matches import match_setup
from bot.platforms.console.rendering import place
from play.facts import Watching
from play.match import Match
from play.people import Account, Address
from tests.bot.world import ANN, BOB, CEM, DAN, LETTERS, ROOM, World
from tests.support.memory.matches import MemoryMatches

DOCS = Path(__file__).parents[2] / "docs" / "quotas.md"


def beyond(rate: Rate, language: str = "en") -> re.Pattern[str]:
    """What is said beyond a quota, with any time."""
    assert rate.reason is not None
    said = words_for(language, strict=True)(rate.reason, limit=rate.limit, wait="WAIT")
    return re.compile(re.escape(said).replace("WAIT", ".+"))


@pytest.mark.parametrize(
    ("rate", "line"),
    [
        (quotas.PICTURES, "/board"),
        (quotas.ANIMATIONS, "/replay"),
        (quotas.SEARCHES, "/hint"),
        (quotas.IMPORTS, "/import nothing"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
async def test_a_person_asks_for_so_much_in_a_time(rate: Rate, line: str) -> None:
    world = World()
    await world.begin("breakthrough", {"board": "5x5"})
    for _ in range(rate.limit):
        assert not beyond(rate).search(await world.told(ANN, line))
    assert beyond(rate).search(await world.told(ANN, line))
    assert not beyond(rate).search(await world.told(BOB, line))
    world.now += rate.window
    assert not beyond(rate).search(await world.told(ANN, line))


async def test_draws_are_offered_a_few_times_and_accepted_always() -> None:
    world = World()
    await world.begin("breakthrough", {"board": "5x5"})
    for _ in range(quotas.DRAW_OFFERS.limit):
        assert not beyond(quotas.DRAW_OFFERS).search(await world.told(ANN, "/draw"))
        await world.say(BOB, "/draw no")
    assert beyond(quotas.DRAW_OFFERS).search(await world.told(ANN, "/draw"))
    await world.say(BOB, "/draw")
    assert not beyond(quotas.DRAW_OFFERS).search(await world.told(ANN, "/draw"))
    assert not world.playing()


async def test_a_request_that_comes_twice_counts_once() -> None:
    world = World()
    match = await world.begin("breakthrough", {"board": "5x5"})
    for number in range(quotas.DRAW_OFFERS.limit):
        offered = replace(world.visitor(ANN), request=f"draw{number}")
        await world.desk.hear(offered, "/draw")
        for said in await world.desk.hear(offered, "/draw"):
            assert not beyond(quotas.DRAW_OFFERS).search("\n".join(said.view.lines))
        await world.say(BOB, "/draw no")
    assert beyond(quotas.DRAW_OFFERS).search(await world.told(ANN, f"/draw #{match.id}"))
    over = words_for("en")(OverQuota.INVITATIONS, limit=quotas.INVITATIONS.limit)
    for number in range(quotas.INVITATIONS.limit):
        new = replace(world.visitor(ANN), request=f"new{number}")
        await world.desk.hear(new, "/new breakthrough")
        for said in await world.desk.hear(new, "/new breakthrough"):
            assert over not in said.view.lines
    assert over in await world.told(ANN, "/new breakthrough")


async def test_one_person_does_not_take_all_places_of_a_match() -> None:
    world = World()
    match = await world.begin("breakthrough", {"board": "5x5"})
    halls = [place(f"hall{letter}") for letter in LETTERS[:8]]
    for hall in halls:
        await world.say(CEM, f"/watch #{match.id}", hall)
    assert len((await world.table.get(match.id)).addresses) == 1 + quotas.WATCHES.limit
    assert beyond(quotas.WATCHES).search(await world.told(CEM, f"/watch #{match.id}", halls[-1]))
    await world.say(BOB, f"/watch #{match.id}", halls[-1])
    assert halls[-1] in (await world.table.get(match.id)).addresses


async def test_strangers_who_join_and_leave_from_many_places_shut_no_one_out() -> None:
    """A place that they joined from gives way as one that they watch from does."""
    world = World()
    await world.say(ANN, "/new breakthrough")
    (match,) = await world.store.matches.of(ANN.account)
    halls = [place(f"hall{letter}") for letter in LETTERS[:9]]
    for hall in halls:
        await world.say(CEM, f"/join #{match.id}", hall)
        await world.say(CEM, f"/leave #{match.id}", hall)
    yard, attic = place("yard"), place("attic")
    await world.say(DAN, f"/watch #{match.id}", yard)
    await world.say(BOB, f"/join #{match.id}", attic)
    assert (await world.table.get(match.id)).addresses == (ROOM, *halls[2:], yard, attic)


async def test_a_person_has_so_many_open_invitations() -> None:
    world = World()
    over = words_for("en")(OverQuota.INVITATIONS, limit=quotas.INVITATIONS.limit)
    for _ in range(quotas.INVITATIONS.limit):
        assert over not in await world.told(ANN, "/new breakthrough")
    assert over in await world.told(ANN, "/new breakthrough", place("hall"))
    assert over not in await world.told(BOB, "/new breakthrough")
    mine = next(each for each in await world.store.matches.of(ANN.account))
    await world.say(ANN, f"/withdraw #{mine.id}")
    assert over not in await world.told(ANN, "/new breakthrough")


@pytest.mark.parametrize("name", ["MATCHES", "PLACE"])
async def test_a_person_and_a_place_have_so_many_matches(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    world, few = World(), Count(2, getattr(quotas, name).reason)
    monkeypatch.setattr(match_setup, name, few)
    over = words_for("en")(few.reason, limit=2)
    for _ in range(2):
        await world.begin("breakthrough", {"board": "5x5"})
    assert over in await world.told(ANN, "/challenge cem breakthrough")
    assert (over in await world.told(CEM, "/new breakthrough")) is (name == "PLACE")
    assert (over in await world.told(ANN, "/new breakthrough", place("hall"))) is (name == "MATCHES")


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_quota_has_its_sentence(language: str) -> None:
    words = words_for(language, strict=True)
    for quota in (*quotas.RATES, *quotas.COUNTS):
        if quota.reason is not None:
            said = words(quota.reason, limit=quota.limit, wait=words.time_left(timedelta(seconds=20)))
            assert str(quota.limit) in said
            assert isinstance(quota, Count) or "20" in said


def test_the_docs_name_each_quota() -> None:
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in DOCS.read_text("utf-8").splitlines()]
    table = {row[0]: row[1:] for row in rows if len(row) > 3}
    words = words_for("en")
    for rate in quotas.RATES:
        assert table[rate.name][:2] == [str(rate.limit), words.length(rate.window)]
    for count in quotas.COUNTS:
        assert table[count.reason.rpartition(".")[2]][0] == str(count.limit)


class Loaded(MemoryMatches):
    """Matches that count how many are loaded from lists."""

    def __init__(self, world: World) -> None:
        super().__init__(world.store.clock, world.store.timers, world.store.outbox)
        world.store.matches = self
        self.loaded = 0

    async def at(self, address: Address, *, over: bool = True, most: int | None = None) -> Sequence[Match]:
        found = await super().at(address, over=over, most=most)
        self.loaded += len(found)
        return found

    async def of(self, account: Account) -> Sequence[Match]:
        found = await super().of(account)
        self.loaded += len(found)
        return found


@pytest.mark.parametrize(
    "line", ["/games", "/board", "/move a2-a3", "/new breakthrough", "/rules", "/resign"]
)
async def test_a_command_costs_the_same_with_few_matches_and_with_five_hundred(line: str) -> None:
    world = World()
    matches = Loaded(world)
    mine = await world.begin("breakthrough", {"board": "5x5"})
    for number in range(500):
        code = "z" + "".join(LETTERS[number // 31**digit % 31] for digit in range(5))
        chairs = tuple(replace(chair, player=who) for chair, who in zip(mine.chairs, (BOB, CEM), strict=True))
        other = replace(mine, id=code, chairs=chairs, host=BOB, revision=0)
        await matches.commit(Watching(other, ROOM, on=True), 0, announce=False)
    assert await matches.live_at(ROOM) == 501
    matches.loaded = 0
    await world.say(ANN, line)
    assert matches.loaded <= LISTED + 2
    if line == "/move a2-a3":  # the oldest of all is found, for it is the visitor's own
        assert len((await world.table.get(mine.id)).log) == 1
