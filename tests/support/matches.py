"""Matches to store, and what must hold of every stored match."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta, timezone

from hypothesis import strategies as st

from play.actions.agreeing import asked_seats
from play.files.matchfile import write
from play.files.matchreader import read, record
from play.listing import waiting
from play.match import (
    Ask,
    Branch,
    Cancel,
    Chair,
    Closing,
    Entry,
    Exit,
    Match,
    Offer,
    Phase,
    Plan,
    Ply,
    Result,
    Return,
    Silence,
)
from play.people import Account, Address, Player
from play.replay import begun, extended
from play.time.clock import DEFAULT_CLOCK, Away, Clock, Now, Pause, Times
from play.time.timers import timers
from play.time.week import Week
from rules.core import SEATS, Seat
from tests.support.desk import GAMES, NOON, Desk

# Matches to store: by hand, and of every shape that hypothesis thinks of.


OPENED = datetime(2026, 3, 4, 5, 6, 7, 890123, tzinfo=UTC)
ANIA = Player(Account("discord", "481516234210815162"), "Аня")
BOB = Player(Account("telegram", "77123"), "Bob: {the} builder")
CAROL = Player(Account("console", "Керол"), "Керол 🐞")
HALL = Address("discord", "1181516234210815999")
CELLAR = Address("telegram", "-1001")


def lobby(match_id: str = "k7q2ab") -> Match:
    """An open invitation for three: one seated, one expected, one chair free."""
    return Match(
        id=match_id,
        game="klopodavka",
        rules_version=1,
        options=(("players", "3"), ("board", "12x12")),
        chairs=(Chair(ANIA), Chair(None, BOB), Chair()),
        host=ANIA,
        lobby=True,
        addresses=(HALL,),
        opened=OPENED,
        expires=OPENED + timedelta(days=3),
    )


def running(match_id: str = "k7q2ab", plies: int = 3) -> Match:
    """A match of two under way, shown at two places."""
    log = tuple(
        Ply(SEATS[index % 2], f"a{index}-b{index}", OPENED + timedelta(hours=index, microseconds=index))
        for index in range(1, plies + 1)
    )
    return replace(
        lobby(match_id),
        game="breakthrough",
        options=(),
        chairs=(Chair(ANIA), Chair(BOB, BOB)),
        lobby=False,
        addresses=(HALL, CELLAR),
        phase=Phase.PLAYING,
        log=log,
        offer=Offer(Ask.TAKEBACK, Seat.S2, (), 2),
    )


def over(match_id: str = "k7q2ab") -> Match:
    """A match of three that came to a result after one had left."""
    log = (
        Ply(Seat.S1, "d4", OPENED + timedelta(seconds=1)),
        Exit(Seat.S2, Closing.RESIGNED, OPENED + timedelta(days=40, microseconds=1)),
        Ply(Seat.S3, "xd4", OPENED),  # a clock was set back
    )
    return replace(
        lobby(match_id),
        chairs=(Chair(ANIA), Chair(BOB), Chair(CAROL)),
        phase=Phase.OVER,
        log=log,
        result=Result((Seat.S3,), "klopodavka.ending.last"),
        rematch_of="zzzzz9",
    )


def called_off(match_id: str = "k7q2ab") -> Match:
    """An invitation that came to nothing."""
    return replace(lobby(match_id), phase=Phase.CALLED_OFF, cancelled=Cancel.EXPIRED)


def timed(match_id: str = "k7q2ab") -> Match:
    """A match on the clock, with a plan, a seat that came back, and a player on vacation."""
    begun = running(match_id)
    at = OPENED + timedelta(days=2, microseconds=3)
    return replace(
        begun,
        log=(*begun.log, Exit(Seat.S2, Closing.TIME, at), Return(Seat.S2, at + timedelta(hours=1))),
        offer=None,
        clock=replace(DEFAULT_CLOCK, soft=True, vacation=True),
        times=Times(
            (timedelta(hours=240), timedelta(hours=7, microseconds=5)),
            Seat.S2,
            at,
            credited=3,
            share=50,
            look=at + timedelta(hours=3),
            away=(Away(Seat.S1, at, at + timedelta(days=1)),),
        ),
        plans=(
            Plan(
                Seat.S1,
                5,
                (
                    Branch(("a2-a3",), ("b7-b6",), (Branch(("c2-c3",), ("d7-d6",)),)),
                    Branch(("a2-b3",), ("b7-a6",)),
                ),
            ),
        ),
        touched=at,
        question_since=2,
    )


def ids(count: int) -> list[str]:
    """So many different ids."""
    return [f"m{number:05}" for number in range(count)]


_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_seats = st.sampled_from(SEATS)
_zones = st.sampled_from([UTC, timezone(timedelta(hours=2)), timezone(timedelta(hours=-11, seconds=7))])
_some = st.lists(_seats).map(tuple)
_times = st.datetimes(
    OPENED.replace(tzinfo=None, year=2), OPENED.replace(tzinfo=None, year=9998), timezones=_zones
)
_accounts = st.builds(Account, _texts, _texts)
_players = st.builds(Player, _accounts, _texts)
_maybe = st.none() | _players
_entries: st.SearchStrategy[Entry] = (
    st.builds(Ply, _seats, _texts, _times)
    | st.builds(Exit, _seats, st.sampled_from(Closing), _times)
    | st.builds(Return, _seats, _times)
)
_spans = st.timedeltas(timedelta(days=-99_999), timedelta(days=99_999))
_moments = st.none() | _times
_clocks = st.builds(
    Clock,
    _spans,
    st.none() | _spans,
    st.none() | _spans,
    st.booleans(),
    st.booleans(),
    st.sampled_from(Pause),
)
_hours = st.integers(0, 24 * 60 - 1).map(lambda minutes: time(*divmod(minutes, 60)))
_weeks = st.builds(Week, _hours, _hours, st.lists(st.integers(0, 6), max_size=3).map(tuple), _texts)
_away = st.builds(Away, _seats, _times, _times)
_clock_times = st.builds(
    Times,
    left=st.lists(_spans, max_size=10).map(tuple),
    seat=_seats,
    since=_moments,
    credited=st.integers(0, 2**31),
    up=st.booleans(),
    share=st.integers(0, 100),
    look=_moments,
    away=st.lists(_away, max_size=3).map(tuple),
    week=st.none() | _weeks,
    awake=st.none() | _spans,
)
_lines = st.lists(_texts, max_size=2).map(tuple)
_branches = st.recursive(
    st.builds(Branch, _lines, _lines),
    lambda after: st.builds(Branch, _lines, _lines, st.lists(after, max_size=2).map(tuple)),
    max_leaves=4,
)
_plans = st.builds(Plan, _seats, st.integers(0, 2**31), st.lists(_branches, max_size=2).map(tuple))

matches: st.SearchStrategy[Match] = st.builds(
    Match,
    id=st.from_regex(r"[a-z0-9]{6}", fullmatch=True),
    game=_texts,
    rules_version=st.integers(0, 2**31),
    options=st.lists(st.tuples(_texts, _texts), max_size=3).map(tuple),
    chairs=st.lists(st.builds(Chair, _maybe, _maybe), max_size=10).map(tuple),
    host=_players,
    lobby=st.booleans(),
    addresses=st.lists(st.builds(Address, _texts, _texts), max_size=3).map(tuple),
    opened=_times,
    expires=_times,
    phase=st.sampled_from(Phase),
    log=st.lists(_entries, max_size=12).map(tuple),
    offer=st.none() | st.builds(Offer, st.sampled_from(Ask), _seats, _some, st.integers(0, 2**31), _some),
    result=st.none() | st.builds(Result, st.lists(_seats).map(tuple), _texts),
    cancelled=st.none() | st.sampled_from(Cancel),
    revision=st.integers(1, 2**63),
    rematch_of=st.none() | _texts,
    clock=st.none() | _clocks,
    times=st.none() | _clock_times,
    paused=_moments,
    plans=st.lists(_plans, max_size=2).map(tuple),
    touched=_moments,
    noticed=_moments,
    silence=st.none() | st.builds(Silence, _times, st.integers(0, 3), _moments),
    question_since=st.integers(0, 2**31),
    imported=st.booleans(),
    rated=st.booleans(),
    shown_by=st.lists(st.tuples(st.builds(Address, _texts, _texts), st.integers(0, 65535)), max_size=3).map(
        tuple
    ),
    remarks=st.lists(st.lists(_texts, min_size=2, max_size=3).map(tuple), max_size=3).map(tuple),
)


# What must hold of every stored match.


def check_match(desk: Desk, match: Match) -> None:
    """What holds of every stored match."""
    game = GAMES[match.game]
    options = game.choose(dict(match.options))
    assert tuple(game.describe(options).items()) == match.options
    assert len(match.chairs) == game.seats(options)
    course = extended(begun(game, options), match.log)
    assert desk.table.course(match) == course
    assert (match.phase is Phase.OVER) == (match.result is not None)
    assert (match.phase is Phase.CALLED_OFF) == (match.cancelled is not None)
    if course.result:
        assert match.result == course.result
    if match.phase in (Phase.PLAYING, Phase.OVER):
        assert all(chair.player and not chair.reserved for chair in match.chairs)
    assert all(not (chair.player and chair.reserved) for chair in match.chairs)
    people = [who.account for chair in match.chairs for who in (chair.player, chair.reserved) if who]
    assert len(people) == len(set(people)), "no person has two chairs"
    if match.offer:
        assert match.phase is Phase.PLAYING
        assert match.offer.by in course.live or match.offer.ask is Ask.TAKEBACK
        assert match.offer.by not in match.offer.agreed
        assert match.offer.keep <= len(match.log)
        if course.opponents(
            match.offer.by
        ):  # pairs of notches, a game of tests alone, go on where one side is left
            asked = set(asked_seats(match, course, match.offer))
            assert asked - set(match.offer.agreed), "one player has still to agree"
        if match.offer.ask is Ask.TAKEBACK:
            before_turn = course.without_plies(match.offer.keep)
            assert before_turn.result is None
            mover = match.log[match.offer.keep].seat
            assert before_turn.position.to_move == mover or mover in course.departed
            assert before_turn.departed == course.departed
    for entry, before in zip(match.log, course.positions, strict=False):
        if isinstance(entry, Ply):
            assert before.to_move == entry.seat
    assert 1 <= len(match.addresses) <= 10
    if match.phase in (Phase.PLAYING, Phase.OVER):
        text = write(match)
        assert read(text) == record(match)
    assert match.opened >= NOON


def check_times(desk: Desk, match: Match) -> None:
    """What holds of every clock, plan and timer."""
    running = match.phase is Phase.PLAYING and match.clock is not None and not match.paused
    assert (match.times is not None and match.times.since is not None) == running
    if times := match.times:
        assert match.clock
        most = max(match.clock.initial, match.clock.cap or match.clock.initial)
        assert all(timedelta() <= one <= most for one in times.left)
        assert len(times.left) == len(match.chairs)
        if running:
            assert times.seat == desk.table.position(match).to_move
    assert match.phase is Phase.PLAYING or not (
        match.paused or match.plans or match.noticed or match.offer or match.silence
    )
    course = desk.table.course(match)
    for plan in match.plans:
        assert plan.base <= len(match.log)
        assert plan.seat in course.live
    assert len({plan.seat for plan in match.plans}) == len(match.plans)
    names = [timer.name for timer in timers(match, Now(desk.now))]
    assert len(set(names)) == len(names)
    assert bool(names) == match.live
    assert max(match.position_since, match.question_since) <= match.revision
    assert all(put.by < len(match.chairs) for put in match.asked)
    if match.phase is Phase.PLAYING:
        for chair in match.chairs:
            assert chair.player
            listed = waiting(chair.player.account, [(match, course)], desk.table.now(desk.now))
            assert len(listed) == 1
