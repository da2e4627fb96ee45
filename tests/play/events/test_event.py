"""The log of an event, replayed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from play.events.entries import (
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
from play.events.event import Event, EventSetup, Form, code_of, wanted
from play.people import Account, Address, Player
from play.time.clock import Clock

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
SETUP = EventSetup(Form.CUP, "lgame", (), Clock(timedelta(days=1)), rated=True)


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
