"""What must hold of every stored match."""

from __future__ import annotations

from datetime import timedelta

from play.actions.agreeing import asked_seats
from play.files.matchfile import write
from play.files.matchreader import read, record
from play.listing import waiting
from play.match import Ask, Match, Phase, Ply
from play.replay import begun, extended
from play.time.clock import Now
from play.time.timers import timers
from tests.support.desk import GAMES, NOON, Desk


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
            assert before_turn.position.to_move == match.offer.by
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
