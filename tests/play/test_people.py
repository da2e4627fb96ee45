"""People: names and codes, where they watch, and what waits for them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from play.actions.agreeing import AskPause, OfferDraw
from play.actions.leaving import Resign
from play.actions.renaming import Watch, show
from play.actions.seating import Join, Withdraw
from play.errors import Refused
from play.facts import Watching
from play.listing import Listed, Waits, free_until, waiting
from play.match import MAX_ADDRESSES, Match
from play.opening import Challenge, Lobby, rematch
from play.people import MAX_NAME, Account, Address, Player, clean, entering, harmless, visible
from play.ports import ALPHABET, SystemChance, derived
from play.request import CLOCKWORK, Request
from play.time.clock import Now
from play.time.week import ALL_DAY, Week
from tests.support.desk import ANN, BOB, CEM, DAN, EVE, HALL, ROOM, S1, S2, Desk, player

# Names at the door, and codes.


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Ann", "Ann"),
        ("  Ann \t Lee\r\n", "Ann Lee"),
        ("A\x00n\x1bn", "Ann"),
        ("\u202eAnn\u2069", "Ann"),
        ("Оксана Їжак", "Оксана Їжак"),
        ("\ud800Ann", "Ann"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("x" * 500, "x" * 64),
        ("", "ann"),
        ("\u200e\u2066", "ann"),
    ],
)
def test_names(typed: str, kept: str) -> None:
    assert entering(Player(ANN.account, typed)) == Player(ANN.account, kept)


def test_a_person_without_any_name() -> None:
    assert entering(Player(Account("console", "\u202e"), "")).name == "?"


@given(st.text(max_size=300))
def test_a_clean_text_is_short_harmless_and_stays_as_it_is(text: str) -> None:
    kept = clean(text)
    assert len(kept) <= MAX_NAME
    assert all(harmless(c) or c in "\u200c\u200d" for c in kept)
    assert clean(kept) == kept
    kept.encode()


def test_codes_have_no_look_alikes() -> None:
    chance = SystemChance()
    codes = {chance.code() for _ in range(200)}
    assert len(codes) > 190
    assert all(len(code) == 6 and set(code) <= set(ALPHABET) for code in codes)
    assert not set(ALPHABET) & set("ilo01")


def test_a_shuffle_has_everything_once() -> None:
    chance = SystemChance()
    orders = {tuple(chance.shuffled(5)) for _ in range(200)}
    assert all(sorted(order) == [0, 1, 2, 3, 4] for order in orders)
    assert len(orders) > 50
    assert list(chance.shuffled(0)) == []


def test_derived_codes_are_codes_and_differ() -> None:
    codes = {derived(match, attempt) for match in ("tab001", "tab002") for attempt in range(50)}
    assert len(codes) == 100
    assert all(len(code) == 6 and set(code) <= set(ALPHABET) for code in codes)
    assert derived("tab001", 0) == derived("tab001", 0)


def test_what_could_upset_a_screen_is_left_out() -> None:
    assert visible("a\u202eb\u2066c\x00d\u200be") == "abcde"
    assert visible("a\tb\nc") == "a b c"
    assert visible("a\tb\nc", "\n") == "a b\nc"
    family = "👩\u200d👧 ❤\ufe0f"
    assert visible(family) == family


# Showing a match in more places.


def halls(whose: str, count: int) -> list[Address]:
    return [Address("console", f"{whose}{number}") for number in range(count)]


async def shown(desk: Desk, match: Match, who: Player, *places: Address) -> Match:
    """The match after a person asked for places."""
    for where in places:
        match = (await show(desk.table, match, where, Request(who, desk.at))).match
    return match


async def test_a_match_is_shown_at_one_more_place_and_no_longer(desk: Desk) -> None:
    match = await desk.duel()
    fact = await desk.act(match, CLOCKWORK, Watch(HALL))
    assert fact == Watching(fact.match, HALL, True)
    assert fact.match.addresses == (ROOM, HALL)
    assert list(await desk.store.matches.at(HALL)) == [fact.match]
    await desk.refused(match, CLOCKWORK, Watch(HALL), Refused.ALREADY_WATCHING)
    fact = await desk.act(match, CLOCKWORK, Watch(HALL, on=False))
    assert fact.match.addresses == (ROOM,)
    await desk.refused(match, CLOCKWORK, Watch(HALL, on=False), Refused.NOT_WATCHING)
    await desk.refused(match, CLOCKWORK, Watch(ROOM, on=False), Refused.NOT_WATCHING)


async def test_nothing_to_watch_any_more(desk: Desk) -> None:
    match = await desk.duel()
    await desk.act(match, CLOCKWORK, Watch(HALL))
    await desk.act(match, ANN, Resign())
    await desk.refused(match, CLOCKWORK, Watch(Address("console", "x")), Refused.OVER)
    await desk.act(match, CLOCKWORK, Watch(HALL, on=False))
    made = await desk.invited(ANN, BOB, game="lgame")
    await desk.act(made, ANN, Withdraw())
    await desk.refused(made, CLOCKWORK, Watch(HALL), Refused.CALLED_OFF)


async def test_a_stranger_s_places_give_way_to_the_places_of_others(desk: Desk) -> None:
    """The stranger with most of them loses the oldest, until each has as many."""
    match = await desk.duel()
    bobs, cems, dans, eves = (halls(name, 9) for name in ("bob", "cem", "dan", "eve"))
    match = await shown(desk, match, BOB, bobs[0])
    match = await shown(desk, match, CEM, *cems[:8])
    assert len(match.addresses) == MAX_ADDRESSES
    await desk.refuses(shown(desk, match, CEM, cems[8]), Refused.TOO_MANY_PLACES, limit=10)
    match = await shown(desk, match, DAN, *dans[:4])
    assert match.addresses == (ROOM, bobs[0], *cems[4:8], *dans[:4])
    await desk.refuses(shown(desk, match, DAN, dans[4]), Refused.TOO_MANY_PLACES, limit=10)
    match = await shown(desk, match, EVE, *eves[:2])
    assert match.addresses == (ROOM, bobs[0], *cems[5:8], *dans[1:4], *eves[:2])
    await desk.refuses(shown(desk, match, EVE, eves[2]), Refused.TOO_MANY_PLACES, limit=10)


async def test_players_find_a_place_as_long_as_strangers_have_one(desk: Desk) -> None:
    match = await desk.duel()
    strangers = [(player(f"Stranger {number}"), where) for number, where in enumerate(halls("hall", 9))]
    for who, where in strangers:
        match = await shown(desk, match, who, where)
    await desk.refuses(shown(desk, match, CEM, HALL), Refused.TOO_MANY_PLACES, limit=10)
    match = (await show(desk.table, match, HALL, Request(CEM, desk.at), joins=True)).match
    assert match.addresses == (ROOM, *[where for _, where in strangers[1:]], HALL)
    anns = halls("ann", 10)
    match = await shown(desk, match, ANN, *anns[:9])  # Cem did not join after all
    assert match.addresses == (ROOM, *anns[:9])
    await desk.refuses(shown(desk, match, BOB, HALL), Refused.TOO_MANY_PLACES, limit=10)


async def test_who_asked_for_the_places_is_known_in_a_rematch(desk: Desk) -> None:
    match = await shown(desk, await desk.duel(), CEM, *halls("cem", 9))
    await desk.act(match, ANN, Resign())
    match = (await rematch(desk.table, match.id, Request(ANN, desk.at))).match
    assert HALL in (await shown(desk, match, BOB, HALL)).addresses
    assert len(match.shown_by) == len(match.addresses) - 1 == MAX_ADDRESSES - 1


# The list of what waits for a person.


D = timedelta(days=1)


async def listed(desk: Desk, who: Player) -> tuple[Listed, ...]:
    live = [(match, desk.table.course(match)) for match in await desk.store.matches.of(who.account)]
    return waiting(who.account, live, Now(desk.now))


async def test_most_urgent_first(desk: Desk) -> None:
    calm = await desk.duel()
    slow = await desk.duel(clock="10d")
    fast = await desk.duel(clock="1d")
    theirs = await desk.play(await desk.duel(clock="2d"), "a2-a3")
    asked = await desk.play(await desk.duel(), "a2-a3")
    await desk.act(asked, BOB, OfferDraw())
    invited = (await desk.open(BOB, Challenge(HALL, "lgame", opponents=(ANN,)))).match
    mine = (await desk.open(ANN, Challenge(HALL, "lgame", opponents=(BOB,)))).match
    over = await desk.duel()
    await desk.act(over, ANN, Resign())
    entries = await listed(desk, ANN)
    assert [(entry.match.id, entry.waits) for entry in entries] == [
        (fast.id, Waits.MOVE),
        (slow.id, Waits.MOVE),
        (calm.id, Waits.MOVE),
        (asked.id, Waits.ANSWER),
        (invited.id, Waits.INVITATION),
        (mine.id, Waits.OTHERS),
        (theirs.id, Waits.OTHERS),
    ]
    by_id = {entry.match.id: entry for entry in entries}
    assert by_id[calm.id].left is None
    assert by_id[fast.id].left is not None
    assert by_id[fast.id].left < D  # type: ignore[operator]
    assert by_id[theirs.id].seat is S1
    assert by_id[invited.id].seat is None
    assert all(entry.mine == (entry.waits is not Waits.OTHERS) for entry in entries)
    lefts = [entry.left for entry in entries if entry.waits is Waits.MOVE and entry.left is not None]
    assert lefts == sorted(lefts)
    bob = {entry.match.id: entry.waits for entry in await listed(desk, BOB)}
    assert bob[theirs.id] is Waits.MOVE
    assert bob[calm.id] is Waits.OTHERS
    assert await listed(desk, EVE) == ()


@pytest.mark.parametrize(
    ("week", "clocks", "free"),
    [
        (ALL_DAY, ("3d", "10d"), 3),
        (ALL_DAY, ("10d", "1d"), None),
        (ALL_DAY, (None,), None),
        (Week(off=(5, 6)), ("2d",), None),  # it is Saturday at noon: the next day awake is Monday
        (Week(off=(5, 6)), ("3d",), 3),
        (Week(), ("23h",), None),
        (Week(), ("2d",), 2),
    ],
)
async def test_nothing_is_due_before_the_first_thing_beyond_the_next_day_awake(
    desk: Desk, week: Week, clocks: Sequence[str | None], free: int | None
) -> None:
    for clock in clocks:
        await desk.duel(clock=clock)
    await desk.play(await desk.duel(clock="1d"), "a2-a3")  # another one's turn
    until = free_until(await listed(desk, ANN), week, desk.now)
    assert (until and round((until - desk.now) / D)) == free


async def test_a_paused_match_waits_for_no_player(desk: Desk) -> None:
    match = await desk.duel(clock="1d")
    for who in (ANN, BOB):
        await desk.act(match, who, AskPause())
    (entry,) = await listed(desk, ANN)
    assert (entry.waits, entry.paused, entry.left) == (Waits.OTHERS, True, None)


async def test_a_full_lobby_waits_for_its_host(desk: Desk) -> None:
    made = (await desk.open(ANN, Lobby(ROOM, "notches", {"players": "2"}))).match
    await desk.act(made, CEM, Join())
    (entry,) = await listed(desk, ANN)
    assert entry.waits is Waits.MOVE
    (entry,) = await listed(desk, CEM)
    assert (entry.waits, entry.seat) == (Waits.OTHERS, S2)
