"""Ladders: each rule in a story of few entries, and what holds on random ones."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from play.errors import NotAllowed, PlayError, WrongPhase
from play.events.actions import Advance, Enter, EventAction, LeaveEvent, Report
from play.events.entries import Ended, EventEntry, ExitReason, Left, Paired, Returned
from play.events.event import EntrantInfo, Event, EventSetup, settle
from play.events.events import shortened
from play.events.forms.ladder import (
    ABSENCES,
    ANSWER,
    BETWEEN,
    FREE_REFUSAL,
    MOST_IN,
    MOST_OUT,
    RULES,
    AnswerChallenge,
    ChallengeAbove,
    ChallengeRefused,
    Obstacle,
    TakeBack,
    ladder_at,
    ladder_of,
)
from play.people import Account, Address, Player
from play.request import Request
from play.time.clock import Clock, Now, Outage
from storage.records import codec

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
SETUP = EventSetup("ladder", "lgame", (), Clock(timedelta(days=1)), rated=True)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class Place:
    """A ladder on virtual time: what people do there, and the timer."""

    def __init__(self, players: int, settled: bool = True) -> None:
        self.now = AT
        host = Player(Account("room", "host"), "host")
        self.event = Event("e234567", SETUP, host, (Address("room", "hall"),), AT)
        self.known = EntrantInfo()
        self.outages: Sequence[Outage] = ()
        for number in range(players):
            self.does(number, Enter())
        if settled:
            self.later(2 * DAY)

    @staticmethod
    def account(number: int) -> Account:
        return Account("room", f"p{number}")

    def does(self, number: int, action: EventAction) -> None:
        who = Player(self.account(number), f"p{number}")
        event = action.decide(self.event, Request(who, self.now))
        self.event = settle(RULES, event, Now(self.now, self.outages), self.known)

    def later(self, time: timedelta) -> None:
        """Let time pass, and each timer come when it is due."""
        end = self.now + time
        while (due := RULES.due(self.event, Now(self.now, self.outages))) and due <= end:
            self.now = max(due, self.now)
            self.does(0, Advance())
        self.now = end

    def meet(self, challenger: int, challenged: int) -> int:
        """Have a challenge accepted, and return the number of its game."""
        self.does(challenger, ChallengeAbove(challenged))
        self.does(challenged, AnswerChallenge(ladder_of(self.event).count - 1, accept=True))
        return self.event.state.count - 1

    def ends(self, game: int, winner: int | None, absent: int | None = None) -> None:
        found = self.event.state.game(game)
        assert found is not None
        assert found.match is not None
        places = tuple(int(winner not in (None, entrant)) for entrant in found.entrants)
        seats = tuple(seat for seat, entrant in enumerate(found.entrants) if entrant == absent)
        self.does(0, Report(game, found.match, places, seats))

    def order(self) -> str:
        return " ".join(map(str, ladder_of(self.event).order))


def refused(place: Place, challenger: int, challenged: int) -> Obstacle:
    """Why a challenge is refused, as it is said before it is tried and when it is."""
    barred = ladder_of(place.event).barred(challenger, challenged, place.now)
    with pytest.raises(NotAllowed) as error:
        place.does(challenger, ChallengeAbove(challenged))
    assert barred is not None
    assert barred.why is error.value.reason
    return barred.why


def test_a_challenger_who_wins_takes_the_place_and_the_others_shift() -> None:
    place = Place(6)
    assert place.order() == "0 1 2 3 4 5"
    place.ends(place.meet(4, 1), winner=4)
    assert place.order() == "0 4 1 2 3 5"
    place.ends(place.meet(5, 2), winner=2)
    place.ends(place.meet(3, 4), winner=None)
    assert place.order() == "0 4 1 2 3 5"
    place.later(BETWEEN)
    one, other = place.meet(1, 0), place.meet(2, 4)
    place.ends(one, winner=1)
    place.ends(other, winner=2)
    assert place.order() == "1 0 2 4 3 5"


def test_three_places_up_or_a_tenth_of_the_ladder() -> None:
    place = Place(45)
    assert [target for target, _ in ladder_of(place.event).targets(44, place.now)] == [43, 42, 41, 40]
    assert refused(place, 44, 39) is Obstacle.TOO_FAR
    assert refused(place, 3, 4) is Obstacle.BELOW
    assert refused(place, 3, 3) is Obstacle.YOURSELF
    assert refused(Place(6), 5, 1) is Obstacle.TOO_FAR


def test_at_most_two_out_and_two_in_and_one_between_the_same() -> None:
    place = Place(6)
    place.does(3, ChallengeAbove(2))
    assert refused(place, 3, 2) is Obstacle.OPEN
    place.does(3, ChallengeAbove(1))
    assert refused(place, 3, 0) is Obstacle.YOUR_LIMIT
    place.does(4, ChallengeAbove(2))
    assert refused(place, 5, 2) is Obstacle.THEIR_LIMIT
    place.does(3, TakeBack(0))
    place.does(5, ChallengeAbove(2))
    ladder = ladder_of(place.event)
    assert max(sum(c.challenger == p for c in ladder.challenges) for p in range(6)) <= MOST_OUT
    assert max(sum(c.challenged == p for c in ladder.challenges) for p in range(6)) <= MOST_IN


def test_seven_days_between_two_of_the_same_pair_from_the_end_of_the_first() -> None:
    place = Place(3)
    place.ends(place.meet(1, 0), winner=1)
    assert refused(place, 0, 1) is Obstacle.AGAIN
    shown = dict(ladder_of(place.event).targets(0, place.now))[1]
    assert shown is not None
    assert shown.until == place.now + BETWEEN
    place.later(BETWEEN)
    place.does(0, ChallengeAbove(1))
    place.does(1, AnswerChallenge(1, accept=False))
    assert refused(place, 0, 1) is Obstacle.AGAIN


def test_a_challenge_without_an_answer_is_accepted_after_three_days_while_the_bot_is_up() -> None:
    place = Place(2)
    place.does(1, ChallengeAbove(0))
    place.outages = [Outage(place.now + HOUR, place.now + 11 * HOUR)]
    place.later(ANSWER + 9 * HOUR)
    assert not place.event.state.games
    place.later(HOUR)
    assert [game.entrants for game in place.event.state.games] == [(0, 1)]
    with pytest.raises(WrongPhase):
        place.does(0, AnswerChallenge(0, accept=False))


def test_a_vacation_keeps_the_place_and_stops_the_time_for_an_answer() -> None:
    place = Place(3)
    place.does(2, ChallengeAbove(0))
    start = place.now
    place.known = EntrantInfo(away={0: (start + DAY, start + 15 * DAY)})
    place.later(10 * DAY)
    assert not place.event.state.games
    assert refused(place, 1, 0) is Obstacle.AWAY
    assert place.order() == "0 1 2"
    place.later(6 * DAY)
    assert not place.event.state.games
    place.later(DAY)  # one day before the vacation, and two after it
    assert len(place.event.state.games) == 1
    away = (place.now, place.now + DAY)
    with pytest.raises(NotAllowed) as error:
        place.does(2, ChallengeAbove(1, away=away))
    assert error.value.reason is Obstacle.AWAY


def test_a_vacation_that_began_and_ended_meanwhile_does_not_count_either() -> None:
    place = Place(3)
    place.does(2, ChallengeAbove(0))
    start = place.now
    place.known = EntrantInfo(away={0: (start + DAY, start + 2 * DAY)})
    place.later(ANSWER + DAY - HOUR)
    assert not place.event.state.games
    place.later(HOUR)
    assert len(place.event.state.games) == 1


def test_a_second_refusal_in_thirty_days_costs_a_place() -> None:
    place = Place(5)
    for number, (challenger, order) in enumerate([(1, "0 1 2 3 4"), (2, "1 0 2 3 4"), (3, "1 2 0 3 4")]):
        place.does(challenger, ChallengeAbove(0))
        assert ladder_of(place.event).costs_a_place(0, place.now) is (number > 0)
        place.does(0, AnswerChallenge(number, accept=False))
        assert place.order() == order
    place.later(FREE_REFUSAL)
    place.does(4, ChallengeAbove(0))
    place.does(0, AnswerChallenge(3, accept=False))
    assert place.order() == "1 2 0 3 4"


def test_a_win_over_the_absent_gives_one_place_and_two_absences_park() -> None:
    place = Place(6)
    place.ends(place.meet(3, 0), winner=3, absent=0)
    assert place.order() == "0 1 3 2 4 5"
    game = place.meet(2, 0)
    place.ends(place.meet(1, 0), winner=0)  # a game between them
    place.ends(game, winner=2, absent=0)
    assert place.order() == "0 1 2 3 4 5"
    place.later(BETWEEN)
    place.ends(place.meet(3, 0), winner=3, absent=0)
    assert place.order() == "1 3 2 4 5"
    parked = ladder_of(place.event).parked[0]
    assert (parked.place, parked.why) == (0, ExitReason.ABSENT)
    assert refused(place, 1, 0) is Obstacle.THEY_LEFT
    place.does(0, Enter())
    assert place.order() == "1 0 3 2 4 5"


def test_who_returns_comes_back_a_fifth_lower_and_open_challenges_to_them_are_gone() -> None:
    place = Place(11)
    place.does(4, ChallengeAbove(2))
    place.does(2, LeaveEvent())
    assert ladder_of(place.event).challenges == ()
    assert ladder_of(place.event).return_place(2) == 4
    place.does(2, Enter())
    assert place.order() == "0 1 3 4 2 5 6 7 8 9 10"
    with pytest.raises(NotAllowed):
        place.does(2, Enter())
    assert refused(place, 5, 9) is Obstacle.BELOW


def test_a_win_over_who_has_left_gives_no_more_than_the_room_that_they_made() -> None:
    place = Place(6)
    game = place.meet(4, 1)
    place.does(1, LeaveEvent())
    place.ends(game, winner=4)
    assert place.order() == "0 2 3 4 5"


def test_the_newcomers_wins_give_no_places_for_a_day_nor_while_their_account_is_young() -> None:
    place = Place(3, settled=False)
    place.ends(place.meet(2, 0), winner=2)
    assert place.order() == "0 1 2"
    place.does(3, Enter(young_until=place.now + 3 * DAY))
    place.later(2 * DAY)
    place.ends(place.meet(3, 2), winner=3)
    place.ends(place.meet(2, 1), winner=2)
    assert place.order() == "0 2 1 3"
    place.later(2 * DAY)
    place.ends(place.meet(3, 0), winner=3)
    assert place.order() == "3 0 2 1"


def test_first_moves_alternate() -> None:
    place = Place(3)
    games = [place.meet(1, 0), place.meet(2, 0)]
    assert [place.event.state.games[game].entrants for game in games] == [(0, 1), (2, 0)]


def test_what_is_not_ones_own_is_not_answered() -> None:
    place = Place(3)
    place.does(1, ChallengeAbove(0))
    for action in (AnswerChallenge(0, accept=True), TakeBack(0)):
        with pytest.raises(NotAllowed):
            place.does(2, action)
    with pytest.raises(NotAllowed):
        place.does(9, ChallengeAbove(0))


def random_step(place: Place, random: Random) -> None:
    """Do something at random; what is refused changes nothing."""
    ladder, players = ladder_of(place.event), len(place.event.state.entrants)
    who = random.randrange(players + 1)
    match random.choices(range(6), [2, 5, 3, 6, 1, 2])[0]:
        case 0:
            young = place.now + 7 * DAY if random.random() < 0.2 else None
            place.does(who, Enter(young_until=young))
        case 1:
            free = [target for target, barred in ladder.targets(who, place.now) if barred is None]
            place.does(who, ChallengeAbove(random.choice(free or [0])))
        case 2:
            number = random.randrange(ladder.count + 1)
            waiting = {one.number: one.challenged for one in ladder.waiting}
            place.does(waiting.get(number, who), AnswerChallenge(number, accept=random.random() < 0.6))
        case 3:
            running = [game for game in place.event.state.open_games if game.match]
            if running:
                game = random.choice(running)
                winner = random.choice([*game.entrants, None])
                absent = random.choice([None, None, *(one for one in game.entrants if one != winner)])
                place.ends(game.number, winner, absent)
        case 4:
            place.does(who, LeaveEvent())
        case _:
            place.later(random.choice([HOUR, DAY, 4 * DAY]))


def check(before: Event, event: Event) -> None:
    """What holds at any time."""
    state, ladder = event.state, ladder_of(event)
    assert sorted([*ladder.order, *ladder.parked]) == list(range(len(state.entrants)))
    assert {one.number for one in state.playing} == set(ladder.order)
    assert all(count < ABSENCES for who, count in ladder.absences.items() if who in ladder.order)
    for who in ladder.order:
        assert sum(one.challenger == who for one in ladder.challenges) <= MOST_OUT
        assert sum(one.challenged == who for one in ladder.challenges) <= MOST_IN
    assert {one.game for one in ladder.challenges} - {None} == {game.number for game in state.open_games}
    assert event.log[: len(before.log)] == before.log
    new = event.log[len(before.log) :]
    if not any(isinstance(entry, Left | Returned) for entry in new):
        # One result or refusal moves one player; the others stay in their order.
        moves = sum(isinstance(entry, Ended | ChallengeRefused) for entry in new)
        old = [who for who in ladder_of(before).order if who in ladder.order]
        now = [who for who in ladder.order if who in old]
        assert (
            moves > 1
            or now == old
            or any([one for one in old if one != who] == [one for one in now if one != who] for who in old)
        )


@pytest.mark.parametrize("made", [ChallengeRefused(0, at=AT), Paired(1, ((1, 0),), at=AT)])
def test_an_entry_about_a_challenge_that_is_not_open_does_not_replay(made: EventEntry) -> None:
    with pytest.raises(ValueError, match="challenge 0 is not open"):
        ladder_of(Place(2).event.logged(made))


def random_ladder(seed: int, steps: int = 60, *, short: bool = False) -> Event:
    """Play at random; now and then a process is killed after it has decided and before that is stored, and begins again.

    With `short`, the log is kept short.
    """
    random = Random(seed)
    place = Place(random.randrange(2, 14), settled=False)
    for _ in range(steps):
        before, now = place.event, place.now
        try:
            random_step(place, random)
        except PlayError:
            assert place.event is before
        check(before, place.event)
        read = codec.decode_event(place.event.id, codec.encode(place.event))
        assert read == place.event
        if random.random() < 0.2:  # a process that begins has the record alone
            assert ladder_of(read) == ladder_of(place.event)
            place.event = read
        if random.random() < 0.1:
            place.event, place.now = before, now
        if short:
            place.event = shortened(place.event, place.now)
    assert ladder_at(place.event, place.now) == ladder_of(place.event)
    return place.event
