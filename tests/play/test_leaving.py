"""Giving up, substitutes, pauses by consent, abandoned matches."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time, timedelta
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from play.actions.agreeing import Answer, AskPause, OfferDraw, Propose, Resume, carried
from play.actions.leaving import Claim, Resign, Substitute
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.errors import Refused
from play.facts import (
    Asked,
    Closed,
    Declined,
    Departed,
    Flagged,
    Paused,
    Reminded,
    Replaced,
    Resumed,
    SilenceNoticed,
)
from play.files.matchfile import Import, write
from play.files.matchreader import read, record
from play.match import Ask, Closing, Exit, Match, Phase, Result, Return, engine
from play.opening import Challenge
from play.people import Player
from play.request import Request
from play.settings import QuietHours, Vacation
from play.time.clock import Now, left
from play.time.firing import fire
from play.time.timers import timers
from play.time.vacation import take_vacation
from rules.core import Phrase, Seat
from tests.support.desk import ANN, BOB, CEM, DAN, EVE, HALL, HOUR, ROOM, S1, S2, S3, S4, Desk, times

# Giving up, of two and of more.


async def test_of_more_the_rest_play_on(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, DAN, board="9x9")
    match = await desk.play(match, "a1 a2", "e1")
    at = desk.at
    fact = await desk.act(match, BOB, Resign(), at=at)
    assert fact.match.phase is Phase.PLAYING
    assert fact.match.log[-1] == Exit(S2, Closing.RESIGNED, at)
    position = desk.table.position(fact.match)
    assert position.to_move is S3
    assert position.out == {S2}
    await desk.refused(match, BOB, Resign(), Refused.YOU_ARE_OUT)
    await desk.refused(match, BOB, MakeMove("e2"), Refused.YOU_ARE_OUT)
    await desk.play(match, "i1 i2", "a9 b9", "a3 a4", "i3")


async def with_engines(desk: Desk, *others: Player) -> Match:
    """A match of Ann with two engines, and perhaps more people; it begins once those have accepted."""
    one = engine(4)
    opponents = (*others, one, engine(4, {one.account}))
    chosen = {"players": str(1 + len(opponents))}
    made = await desk.open(ANN, Challenge(ROOM, "notches", chosen, opponents=opponents, clock="3d"))
    return made.match


async def test_a_match_that_is_over_changed_at_its_last_ply_not_when_it_was_opened(desk: Desk) -> None:
    match = await desk.duel()
    desk.now += timedelta(days=70)
    match = await desk.play(match, "a2-a3")
    fact = await desk.act(match, BOB, Resign())
    assert fact.match.changed_at == match.log[-1].at == desk.now - timedelta(seconds=1)


async def test_engines_do_not_go_on_alone(desk: Desk) -> None:
    match = await with_engines(desk, BOB)
    match = (await desk.act(match, BOB, Join())).match
    fact = await desk.act(match, ANN, Resign())
    assert fact.match.phase is Phase.PLAYING, "the others play on"
    left = await desk.gives(Departed, match, BOB, Resign())
    assert left.match.phase is Phase.OVER
    assert left.match.result == Result((), Closing.DESERTED.value)
    again = await desk.open(ANN, Import(await desk.export(match.id), ROOM))
    assert again.match.result == left.match.result


# Taking over the seat of a player who left or lost on time.


D = timedelta(days=1)


async def without_bob(desk: Desk) -> Match:
    match = await desk.party(ANN, BOB, CEM, board="9x5", clock="1d+1h/2d")
    match = await desk.play(match, "a1 a2")
    return (await desk.act(match, BOB, Resign())).match


async def test_another_person_plays_on(desk: Desk) -> None:
    match = await without_bob(desk)
    fact = await desk.gives(Replaced, match, EVE, Substitute(), seen=match.revision)
    assert (fact.seat, fact.player, fact.before) == (S2, EVE, BOB)
    assert fact.match.chairs[S2].player == EVE
    assert fact.match.log[-1] == Return(S2, desk.now)
    assert times(fact.match).left[S2] == D
    assert desk.table.course(fact.match).live == (S1, S2, S3)
    match = await desk.play(fact.match, "i1 i2", "c1 c2", "e1 e2")
    assert [entry.seat for entry in match.log][-2:] == [S2, S2]
    text = write(match)
    assert "* returned" in text
    assert read(text) == record(match)
    opened = (await desk.open(EVE, Import(text, HALL))).match
    assert opened.log == match.log
    await desk.refused(match, BOB, MakeMove("i4"), Refused.NOT_SEATED)


async def test_who_cannot_take_what(desk: Desk) -> None:
    match = await without_bob(desk)
    await desk.refused(match, CEM, Substitute(), Refused.SEAT_YOURS)
    await desk.refused(match, BOB, Substitute(), Refused.SEAT_OWN)
    await desk.refused(match, EVE, Substitute(S1), Refused.SEAT_TAKEN, seat=S1)
    await desk.refused(match, EVE, Substitute(S4), Refused.NO_SUCH_SEAT, number=4, seats=3)
    await desk.act(match, EVE, Substitute())
    await desk.refused(match, DAN, Substitute(), Refused.NO_SEAT_LEFT)
    two = await desk.duel()
    await desk.refused(two, EVE, Substitute(), Refused.NO_SEAT_LEFT)
    match = (await desk.act(two, ANN, Resign())).match
    await desk.refused(match, EVE, Substitute(), Refused.OVER)


async def test_a_seat_that_is_blocked_stays_out(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="7x4", holes="")
    blocked = None
    for _ in range(40):
        match = await desk.table.get(match.id)
        if match.phase is not Phase.PLAYING:
            break
        position = desk.table.position(match)
        if position.out:
            blocked = min(position.out)
            break
        course = desk.table.course(match)
        match = await desk.play(match, course.game.notation.format(position.legal_moves()[0]))
    assert blocked is not None
    await desk.refused(match, EVE, Substitute(blocked), Refused.SEAT_BLOCKED)


async def test_a_vacation_does_not_pass_on(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5", clock="1d vacation")
    await take_vacation(desk.table, Request(BOB, desk.at), "5d")
    await desk.act(match, BOB, Resign())
    match = (await desk.act(match, EVE, Substitute())).match
    assert times(match).away == ()


# A pause by consent, and matches that are abandoned.


S = timedelta(seconds=1)


async def test_a_pause_by_consent(desk: Desk) -> None:
    match = await desk.duel(clock="3d")
    desk.now += D - 2 * S
    await desk.gives(Asked, match, BOB, AskPause())
    fact = await desk.gives(Paused, match, ANN, Answer(Ask.PAUSE, True))
    assert (fact.seat, fact.match.paused, fact.match.offer) == (S2, desk.now, None)
    assert times(fact.match).left == (2 * D, 3 * D)
    assert await desk.wait(30 * D) == []
    await desk.refused(match, ANN, MakeMove("a2-a3"), Refused.PAUSED)
    await desk.refused(match, ANN, AskPause(), Refused.PAUSED)
    await desk.refused(match, ANN, Answer(Ask.RESUME, False), Refused.PAUSED)
    await desk.refused(match, EVE, Resume(), Refused.NOT_SEATED)
    on = await desk.gives(Resumed, match, BOB, Resume())
    assert on.match.paused is None
    assert left(times(on.match), S1, Now(desk.now)) == 2 * D
    facts = [fact for fact in await desk.wait(2 * D) if not isinstance(fact, Reminded)]
    assert [type(fact) for fact in facts] == [Flagged]


async def test_a_yes_to_going_on_is_enough(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5", clock="3d")
    await desk.act(match, ANN, AskPause())
    again = await desk.gives(Asked, match, BOB, AskPause())
    assert again.agreed is S2
    await desk.gives(Paused, match, CEM, AskPause())
    await desk.gives(Resumed, match, ANN, Answer(Ask.RESUME, True))
    await desk.refused(match, ANN, Answer(Ask.RESUME, True), Refused.NOT_PAUSED)
    await desk.refused(match, ANN, Answer(Ask.RESUME, False), Refused.NOT_PAUSED)


async def test_no_pause_without_a_clock(desk: Desk) -> None:
    match = await desk.duel()
    await desk.refused(match, ANN, AskPause(), Refused.NO_CLOCK)


async def test_a_long_silence(desk: Desk) -> None:
    match = await desk.duel()
    start = desk.now
    facts = await desk.wait(60 * D - S)
    assert [type(fact) for fact in facts] == [Reminded] * 3
    (noticed,) = await desk.wait(S)
    assert isinstance(noticed, SilenceNoticed)
    assert noticed.closes == start + 67 * D
    assert await desk.wait(7 * D - S) == []
    (closed,) = await desk.wait(S)
    assert isinstance(closed, Closed)
    assert closed.match.result == Result((), Closing.SILENCE.value)
    assert closed.match.log == match.log


async def test_any_sign_of_life_breaks_the_silence(desk: Desk) -> None:
    match = await desk.duel()
    await desk.wait(65 * D)
    await desk.act(match, ANN, OfferDraw())
    assert [type(fact) for fact in await desk.wait(59 * D)] == [Reminded] * 3
    assert [type(fact) for fact in await desk.wait(D)] == [SilenceNoticed]


async def test_a_paused_match_falls_silent_too(desk: Desk) -> None:
    match = await desk.duel(clock="3d")
    for who in (ANN, BOB):
        match = (await desk.act(match, who, AskPause())).match
    assert [timer.name for timer in timers(match, Now(desk.now))] == ["silence"]
    assert [type(fact) for fact in await desk.wait(67 * D)] == [SilenceNoticed, Closed]


async def _silent(desk: Desk, *people: Player) -> tuple[Match, datetime]:
    match = await (desk.party(*people, board="9x5") if len(people) > 2 else desk.duel())
    return match, match.touched or match.opened


async def test_the_one_to_move_is_reminded_after_3_7_and_13_days_without_a_clock(desk: Desk) -> None:
    match, start = await _silent(desk, ANN, BOB)
    seen = []
    for _ in range(59 * 24):
        seen += [(fact.to, desk.now - start) for fact in await desk.wait(HOUR) if isinstance(fact, Reminded)]
    assert [who for who, _ in seen] == [ANN.account] * 3
    assert [after // D for _, after in seen] == [3, 7, 13]
    match = await desk.play(match, "a2-a3")
    assert [fact.to for fact in await desk.wait(4 * D) if isinstance(fact, Reminded)] == [BOB.account]


async def test_reminders_wait_for_vacations_and_quiet_hours_and_come_once(desk: Desk) -> None:
    _, start = await _silent(desk, ANN, BOB)
    vacation = Vacation(start.year, 10 * D, start + D, start + 8 * D)
    quiet = QuietHours(time(0), time(23), "UTC")
    await desk.store.settings.change(ANN.account, lambda now: replace(now, vacation=vacation, quiet=quiet))
    assert await desk.wait(8 * D) == []
    assert [type(fact) for fact in await desk.wait(D)] == [Reminded]
    assert desk.now < start + 13 * D
    await desk.store.settings.change(ANN.account, lambda now: replace(now, reminders=()))
    assert await desk.wait(40 * D) == []


async def test_the_other_one_ends_an_abandoned_match_from_day_7(desk: Desk) -> None:
    match, start = await _silent(desk, ANN, BOB)
    await desk.gives(Asked, match, BOB, Propose(Ask.END))
    when = {"most": start + 7 * D}
    ending, told = (Phrase(f"match.ending.{who}", when) for who in ("you", "other"))
    await desk.refused(match, BOB, Propose(Ask.END), Refused.NOT_YET_ENDED, ending=ending)
    await desk.refused(match, ANN, Claim(), Refused.UNTIMED, ending=told)
    await desk.wait(start + 7 * D - desk.now - 2 * S)
    await desk.refused(match, BOB, Propose(Ask.END), Refused.NOT_YET_ENDED, at=desk.now, ending=ending)
    await desk.wait(2 * S)
    closed = await desk.gives(Closed, match, BOB, Propose(Ask.END))
    assert closed.match.result == Result((), Closing.AGREED.value)


async def test_all_end_a_match_without_a_clock_at_once(desk: Desk) -> None:
    match, _ = await _silent(desk, ANN, BOB, CEM)
    await desk.gives(Asked, match, ANN, Propose(Ask.END))
    await desk.gives(Asked, match, BOB, Answer(Ask.END, True))
    await desk.gives(Declined, match, CEM, Answer(Ask.END, False))
    await desk.refused(match, ANN, Propose(Ask.END), Refused.NOT_YET_ENDED)
    for who in (BOB, CEM):
        await desk.gives(Asked, match, who, Propose(Ask.END))
    await desk.gives(Closed, match, ANN, Answer(Ask.END, True))
    timed = await desk.duel(clock="3d")
    await desk.refused(timed, ANN, Propose(Ask.END), Refused.HAS_CLOCK)


async def test_one_of_the_others_ends_it_from_day_14_and_a_word_of_the_one_to_move_begins_anew(
    desk: Desk,
) -> None:
    match, start = await _silent(desk, ANN, BOB, CEM)
    await desk.wait(8 * D)
    await desk.gives(Asked, match, BOB, Propose(Ask.END))
    await desk.gives(Declined, match, ANN, Answer(Ask.END, False))
    await desk.wait(8 * D)
    await desk.gives(Asked, match, BOB, Propose(Ask.END))
    await desk.gives(Declined, match, CEM, Answer(Ask.END, False))
    await desk.wait(6 * D)
    await desk.gives(Closed, match, CEM, Propose(Ask.END))
    assert desk.now > start + 22 * D


async def test_the_others_remove_a_silent_player_and_play_on(desk: Desk) -> None:
    match, start = await _silent(desk, ANN, BOB, CEM)
    remove = Propose(Ask.REMOVE)
    await desk.refused(match, BOB, remove, Refused.NOT_YET_REMOVED, most=start + 7 * D)
    await desk.refused(match, ANN, remove, Refused.NO_VOTE)
    await desk.wait(7 * D)
    await desk.gives(Asked, match, BOB, remove)
    await desk.refused(match, ANN, Answer(Ask.REMOVE, False), Refused.NO_VOTE)
    gone = await desk.gives(Departed, match, CEM, Answer(Ask.REMOVE, True))
    assert (gone.seat, gone.match.phase, gone.match.offer) == (S1, Phase.PLAYING, None)
    assert desk.table.position(gone.match).to_move == S2
    await desk.wait(8 * D)
    await desk.refused(match, CEM, remove, Refused.NOT_REMOVABLE)
    await desk.gives(Closed, match, CEM, Propose(Ask.END))


async def test_a_move_ends_a_vote(desk: Desk) -> None:
    match, _ = await _silent(desk, ANN, BOB, CEM)
    await desk.wait(7 * D)
    await desk.act(match, BOB, Propose(Ask.REMOVE))
    move = desk.table.position(match).legal_moves()[0]
    fact = await desk.act(match, ANN, MakeMove(desk.games[match.game].notation.format(move)))
    assert fact.match.offer is None
    await desk.refused(match, CEM, Answer(Ask.REMOVE, True), Refused.NOTHING_ASKED)


@given(people=st.sets(st.sampled_from(list(Seat)), min_size=2, max_size=8), chance=st.randoms())
def test_the_arithmetic_of_votes(people: set[Seat], chance: Random) -> None:
    mover = chance.choice(sorted(people))
    others = people - {mover}
    yes = {seat for seat in people if chance.random() < 0.6}
    no = others - yes
    early, most, one = (False, False), (True, False), (True, True)
    assert carried(Ask.END, yes, others, people, early) is (yes == people)
    assert carried(Ask.END, yes, others, people, most) is (yes == people or len(yes & others) > len(no))
    assert carried(Ask.END, yes, others, people, one) is (yes == people or bool(yes & others))
    assert carried(Ask.REMOVE, yes, others, people, one) is (len(yes & others) > len(no))
    assert not carried(Ask.REMOVE, people, others, people, early)
    for ask in (Ask.END, Ask.REMOVE):  # another yes, or more time, never undoes a decision
        for silent, later in ((early, most), (most, one)):
            for more in (yes, yes | {chance.choice(sorted(people))}):
                assert carried(ask, yes, others, people, silent) <= carried(ask, more, others, people, later)


async def test_an_invitation_expires_by_its_timer(desk: Desk) -> None:
    made = await desk.open(ANN, Challenge(HALL, "lgame"))
    assert await desk.wait(24 * HOUR - S) == []
    (fact,) = await desk.wait(S)
    assert fact.match.phase is Phase.CALLED_OFF
    assert await fire(desk.table, made.match.id, "expire", desk.table.now(desk.now)) is None
    assert await fire(desk.table, "nosuch", "expire", desk.table.now(desk.now)) is None


async def test_an_open_pause_stands_in_the_way_of_other_questions_by_its_name(desk: Desk) -> None:
    match = await desk.duel(clock="3d")
    await desk.act(match, ANN, AskPause())
    await desk.refused(match, ANN, AskPause(), Refused.ASKED_PAUSE)
    await desk.refused(match, BOB, OfferDraw(), Refused.ASKED_PAUSE)
    withdrawn = await desk.gives(Declined, match, ANN, Answer(Ask.PAUSE, False))
    assert withdrawn.match.offer is None
