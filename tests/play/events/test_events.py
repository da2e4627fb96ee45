"""The log of an event: replayed, and kept short."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from play.events.actions import Report
from play.events.entries import (
    Archived,
    Began,
    Bound,
    Ended,
    Entered,
    EventEntry,
    ExitReason,
    GameEnd,
    Left,
    Paired,
    Queued,
    Stage,
    Substituted,
    Voided,
)
from play.events.event import Changed, Event, EventSetup, code_of, wanted
from play.events.events import shortened
from play.events.forms import ladder as ladder_rules
from play.events.forms.ladder import BETWEEN, FREE_REFUSAL, Ladder, ladder_at, ladder_of
from play.events.forms.league import SEASONS
from play.people import Account, Address, Player
from play.request import Request
from play.time.clock import Clock
from storage.records import codec
from tests.play.events.test_ladder import DAY, Place, random_ladder
from tests.play.events.test_league import random_league

# The log of an event, replayed.


AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
SETUP = EventSetup("cup", "lgame", (), Clock(timedelta(days=1)), rated=True)


def player(name: str) -> Player:
    return Player(Account("room", name), name)


def event(*log: EventEntry) -> Event:
    return Event("e234567", SETUP, player("host"), (Address("room", "hall"),), AT, log)


def entered(*names: str) -> tuple[EventEntry, ...]:
    return tuple(Entered(player(name), Account("room", name), at=AT) for name in names)


def test_an_entrant_who_leaves_before_the_start_gives_the_number_to_the_next() -> None:
    state = event(*entered("ann", "bob", "cyd"), Left(0, ExitReason.LEFT, at=AT)).state
    assert [(one.number, one.player.name) for one in state.entrants] == [(0, "bob"), (1, "cyd")]
    assert state.stage is Stage.OPEN


def test_an_entrant_who_leaves_a_running_event_keeps_the_seat_until_a_substitute_takes_it() -> None:
    log = (*entered("ann", "bob"), Began((1, 0), at=AT), Left(0, ExitReason.LEFT, at=AT))
    gone = event(*log).state
    assert gone.entrants[0].out is ExitReason.LEFT
    assert [one.player.name for one in gone.playing] == ["bob"]
    taken = event(*log, Queued(player("cyd"), Account("room", "cyd"), at=AT), Substituted(0, at=AT)).state
    assert [one.player.name for one in taken.playing] == ["cyd", "bob"]
    assert taken.waiting == ()


def test_a_person_has_at_most_three_games_at_once() -> None:
    begun = event(
        *entered("ann", "bob", "cyd", "dan", "eve"),
        Began((0, 1, 2, 3, 4), at=AT),
        Paired(1, ((0, 1), (0, 2), (3, 4)), at=AT),
        Paired(2, ((0, 3), (0, 4), (1, 2)), at=AT),
    )
    first = wanted(begun)
    assert [game.entrants for game in first] == [(0, 1), (0, 2), (3, 4), (0, 3), (1, 2)]
    bound = begun.logged(*[Bound(game.number, code_of(begun, game), at=AT) for game in first])
    assert wanted(bound) == ()
    after = bound.logged(Ended(0, (0, 1), GameEnd.PLAYED, at=AT))
    assert [game.entrants for game in wanted(after)] == [(0, 4)]
    assert wanted(bound.logged(Voided((1,), at=AT)))[0].entrants == (0, 4)


def test_an_entry_that_cannot_stand_where_it_is_is_refused() -> None:
    begun = (*entered("ann", "bob"), Began((0, 1), at=AT), Paired(1, ((0, 1),), at=AT))
    ended = Ended(0, (1, 0), GameEnd.ABSENT, (0,), at=AT)
    assert event(*begun, ended).state.entrants[0].flags == 1
    with pytest.raises(ValueError, match="ended"):
        _ = event(*begun, ended, ended).state
    with pytest.raises(ValueError, match="no game"):
        _ = event(*begun, Paired(2, ((1, 1),), at=AT)).state
    with pytest.raises(ValueError, match="seat"):
        _ = event(*begun, Substituted(0, at=AT)).state


# Logs that are kept short say the same as those that are not.


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have ladders archive all that is older than eight days."""
    monkeypatch.setattr(ladder_rules, "KEPT", timedelta(days=8))
    monkeypatch.setattr(ladder_rules, "WORTH", 5)


def as_it_counts(event: Event) -> Ladder:
    """Return a ladder without what does not count any more."""
    ladder, at = ladder_of(event), event.log[-1].at
    last = {pair: when for pair, when in ladder.last.items() if when + BETWEEN > at}
    refused = {one: when for one, when in ladder.refused.items() if when + FREE_REFUSAL > at}
    rests = {
        one: kept
        for one, spans in ladder.rests.items()
        if (kept := tuple(span for span in spans if span[1] > at))
    }
    return replace(ladder, last=last, refused=refused, rests=rests)


@pytest.mark.usefixtures("soon")
def test_a_short_ladder_goes_on_as_a_long_one() -> None:
    archived = 0
    for seed in range(8):
        long, short = random_ladder(seed, 250), random_ladder(seed, 250, short=True)
        assert short.length == long.length
        archived += any(isinstance(entry, Archived) for entry in short.log)
        assert as_it_counts(short) == as_it_counts(long)
        assert short.state.entrants == long.state.entrants
        assert short.state.open_games == long.state.open_games
        assert short.state.count == long.state.count
        week = long.log[-1].at - timedelta(days=7)
        assert ladder_at(short, week).order == ladder_at(long, week).order
        assert Changed(short, short.length - 3).entries == Changed(long, long.length - 3).entries
        assert list(short.people()) == list(long.people())
    assert archived > 4


def test_a_short_league_goes_on_as_a_long_one() -> None:
    archived = 0
    for seed in range(8):
        long, short = random_league(seed, 5), random_league(seed, 5, short=True)
        assert long.event.length == short.event.length
        assert long.event.state.entrants == short.event.state.entrants
        if long.league.season is None:
            continue
        kept = short.league.seasons
        assert kept == long.league.seasons[-len(kept) :]
        assert short.event.state.games == tuple(
            game for game in long.event.state.games if game.round >= kept[0].number
        )
        assert (short.league.jumped, short.league.entered) == (long.league.jumped, long.league.entered)
        archived += len(kept) < len(long.league.seasons)
        assert len(kept) <= SEASONS + 1
    assert archived > 4


@pytest.mark.usefixtures("soon")
def test_a_report_of_a_game_that_is_archived_changes_nothing() -> None:
    place = Place(4)
    game = place.meet(3, 2)
    bound = next(entry for entry in place.event.log if isinstance(entry, Bound))
    place.ends(game, winner=3)
    for _ in range(6):
        place.later(10 * DAY)
        place.ends(place.meet(1, 0), winner=None)
    short = shortened(place.event, place.now)
    assert short.state.game(game) is None
    again = Report(game, bound.match, (0, 1))
    assert again.decide(short, Request(Player(place.account(0), "p0"), place.now)) is short


def test_the_record_of_a_ladder_stays_small_for_years() -> None:
    """Twelve players, each of whom meets another every week for three years."""
    place, sizes = Place(12), []
    for week in range(3 * 52):
        order = ladder_of(place.event).order
        for at in range(1, 12, 2):
            place.ends(place.meet(order[at], order[at - 1]), winner=order[at - week % 2])
        place.later(7 * DAY)
        place.event = shortened(place.event, place.now)
        sizes.append(len(codec.encode(place.event)))
    assert sum(isinstance(entry, Ended) for entry in place.event.log) < 300
    assert max(sizes[52:]) <= 1.1 * max(sizes[:52])
