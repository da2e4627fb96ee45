"""How the people of a place come to a turn, as values: proposals, seconds, votes, vetoes, lots."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.chat.errors import CommandError
from bot.chat.presenting.lettered import LETTERS
from bot.features.channels.council import (
    QUORUM,
    Council,
    Member,
    NotNow,
    Played,
    Runner,
    Stage,
    Turn,
    Why,
    archived,
    decided,
    drawn,
    hastened,
    led,
    propose,
    second,
    vetoed,
    vote,
    without,
)
from play.people import Account

START = datetime(2026, 11, 21, 12, tzinfo=UTC)
TALK, VOTE, END = START + timedelta(hours=1), START + timedelta(hours=13), START + timedelta(days=1)
CAPTAIN, *OTHERS = (Member(name, name) for name in "cabdefghij")
A, B, D, E, *_ = OTHERS


def ends(_number: int) -> datetime:
    return END + timedelta(hours=12)


def council(*proposals: tuple[str, Member], crowd: bool = False, quorum: int = QUORUM) -> Council:
    """A place in the talk about a turn for which something was proposed."""
    turn = Turn(5, 3, START, START + timedelta(hours=12), END, crowd=crowd, quorum=quorum)
    place = Council("k7q2mz", CAPTAIN, turn=turn)
    for text, who in proposals:
        place, _ = propose(place, who, text, TALK)
    return place


def voted(place: Council, votes: str, voters: tuple[Member, ...] = (A, B, D, E)) -> Council:
    for who, letter in zip(voters, votes, strict=False):
        place = vote(place, who, LETTERS.index(letter), VOTE)
    return place


def played(place: Council, at: datetime = END) -> tuple[str | None, Why | None]:
    turn = decided(place, at, ends).turn
    assert turn is not None
    return turn.chosen, turn.why


def reason(refused: pytest.ExceptionInfo[CommandError]) -> object:
    return refused.value.reason


THREE = (("a1", A), ("b1", B), ("c1", D))


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 2)), max_size=40))
def test_each_person_has_the_vote_they_gave_last(pressed: list[tuple[int, int]]) -> None:
    place, last = council(*THREE), dict[int, int]()
    for who, number in pressed:
        place, last[who] = vote(place, OTHERS[who], number, VOTE), number
    assert place.turn is not None
    assert place.turn.counts() == Counter(last.values())
    chosen, why = played(place)
    counts = Counter(last.values())
    if len(last) < QUORUM:
        assert (chosen, why) == ("a1", Why.FIRST)
    else:
        assert counts[[turn for turn, _ in THREE].index(chosen or "")] == max(counts.values())
        assert (why is Why.VOTES) == (list(counts.values()).count(max(counts.values())) == 1)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=30))
def test_a_letter_stays_with_its_proposal(said: list[tuple[int, int]]) -> None:
    place, lettered, refused = council(), list[str](), set[object]()
    for who, move in said:
        try:
            place, number = propose(place, OTHERS[who], str(move), TALK)
        except CommandError as error:
            refused.add(error.reason)
        else:
            lettered += [str(move)] if number == len(lettered) else []
            assert lettered[number] == str(move)
    assert place.turn is not None
    assert [each.turn for each in place.turn.proposals] == lettered
    each = Counter(proposal.by for proposal in place.turn.proposals)
    assert len(lettered) <= len(LETTERS)
    assert max(each.values(), default=0) <= 2
    assert refused <= {NotNow.FULL, NotNow.EACH}


@pytest.mark.parametrize(
    ("votes", "captain", "expected"),
    [
        ("AABB", "B", ("b1", Why.VOTES)),
        ("BBA", None, ("b1", Why.VOTES)),
        ("ABB", "A", ("a1", Why.CAPTAIN)),
        ("BCB", "C", ("c1", Why.CAPTAIN)),
        ("BBCC", "A", ("b1", Why.TIE)),
        ("CCBB", None, ("b1", Why.TIE)),
        ("C", None, ("a1", Why.FIRST)),
        ("", None, ("a1", Why.FIRST)),
    ],
)
def test_what_decides(votes: str, captain: str | None, expected: tuple[str, Why]) -> None:
    place = voted(council(*THREE), votes)
    place = voted(place, captain or "", (CAPTAIN,))
    assert played(place, END - timedelta(seconds=1)) == (None, None), (
        "while people may vote, nothing is decided"
    )
    assert played(place) == expected


def test_one_vote_decides_where_two_people_are() -> None:
    assert played(voted(council(*THREE, quorum=1), "C")) == ("c1", Why.VOTES)


def test_nothing_proposed_is_the_engines_turn_and_counted() -> None:
    place = decided(council(), END, ends)
    assert (place.turn and place.turn.chosen, place.idle) == ("", 1)
    assert decided(replace(place, turn=council().turn), END, ends).idle == 2
    assert decided(replace(place, turn=council(*THREE).turn), END, ends).idle == 0


def test_a_vote_ends_once_two_of_three_who_voted_lately_have() -> None:
    place = replace(council(*THREE), voters=(("a", "b"), ("d",)))
    assert played(voted(place, "A"), VOTE) == (None, None), "one of three, and below the quorum"
    assert played(voted(place, "AB"), VOTE) == ("a1", Why.TIE)
    outsiders = (OTHERS[6], OTHERS[7])
    assert played(voted(place, "AB", outsiders), VOTE) == (None, None), "the three may still decide it"


def test_a_vote_ends_when_the_leader_cannot_be_caught() -> None:
    regular = tuple(each.key for each in OTHERS[:7])
    place = replace(council(*THREE), voters=(regular,))
    assert played(voted(place, "BBBB"), VOTE) == ("b1", Why.VOTES)
    assert played(voted(place, "BBBA"), VOTE) == (None, None)


def test_the_captain_who_has_still_to_vote_may_turn_a_tie() -> None:
    place = replace(council(*THREE), voters=(("a", "b", "d", "e", "f", "g", CAPTAIN.key),))
    behind = voted(place, "AAAB", (A, B, D, E))  # three for a1, one for b1, three to come
    assert played(behind, VOTE) == (None, None)
    close = voted(council(*THREE), "AAB", (A, B, D))
    assert played(replace(close, voters=((CAPTAIN.key, "x"),)), VOTE) == (None, None)
    last = replace(voted(council(*THREE), "AABC"), voters=((CAPTAIN.key, "x"),))
    assert played(last, VOTE) == (None, None), "two to two would be the captain's choice"
    assert played(replace(last, voters=((A.key, B.key, "x"),)), VOTE) == ("a1", Why.VOTES), "not of another"
    assert played(replace(last, voters=(("x",),)), VOTE) == (None, None), (
        "one voter before is too few to go by"
    )


def test_in_a_crowd_a_proposal_needs_another_person() -> None:
    place = council(*THREE, crowd=True)
    with pytest.raises(CommandError) as refused:
        second(place, A, 0, TALK)
    assert reason(refused) is NotNow.OWN
    assert second(place, B, 0, TALK) == second(second(place, B, 0, TALK), B, 0, TALK), "twice is once"
    place, number = propose(place, A, "b1", TALK)
    assert number == 1, "to propose the same is to second it"
    with pytest.raises(CommandError) as refused:
        vote(place, D, 2, VOTE)
    assert reason(refused) is NotNow.NOT_SECONDED
    assert played(voted(place, "BB")) == ("b1", Why.VOTES)
    alone = council(*THREE, crowd=True)
    assert played(voted(alone, "CC")) == ("c1", Why.VOTES), "where none is seconded, all can be voted for"


def test_the_captain_vetoes_once() -> None:
    place = voted(council(*THREE), "AAB")
    with pytest.raises(CommandError) as refused:
        vetoed(place, A, 0, VOTE)
    assert reason(refused) is NotNow.CAPTAIN
    place = vetoed(place, CAPTAIN, 0, VOTE)
    assert place.turn is not None
    assert place.turn.counts() == {1: 1}
    with pytest.raises(CommandError) as refused:
        vetoed(place, CAPTAIN, 1, VOTE)
    assert reason(refused) is NotNow.VETOED
    with pytest.raises(CommandError) as refused:
        vote(place, A, 0, VOTE)
    assert reason(refused) is NotNow.NOT_SECONDED


def test_a_veto_of_all_reopens_the_talk_but_not_for_the_same() -> None:
    place = vetoed(council(("a1", A)), CAPTAIN, 0, VOTE)
    turn = place.turn
    assert turn is not None
    assert turn.stage(VOTE) is Stage.TALK
    assert turn.vote == VOTE + (END - VOTE) / 2
    for who in (A, B):
        with pytest.raises(CommandError) as refused:
            propose(place, who, "a1", VOTE)
        assert reason(refused) is NotNow.NOT_SECONDED
    place, number = propose(place, B, "b1", VOTE)
    assert number == 1
    assert played(place) == ("b1", Why.ONLY)


def test_the_captain_ends_the_talk() -> None:
    with pytest.raises(CommandError) as refused:
        hastened(council(), CAPTAIN, TALK)
    assert reason(refused) is NotNow.NOTHING
    with pytest.raises(CommandError) as refused:
        hastened(council(*THREE), A, TALK)
    assert reason(refused) is NotNow.CAPTAIN
    place = hastened(council(*THREE), CAPTAIN, TALK)
    with pytest.raises(CommandError) as refused:
        propose(place, A, "d1", TALK)
    assert reason(refused) is NotNow.VOTING
    assert vote(place, A, 0, TALK).turn != place.turn
    with pytest.raises(CommandError) as refused:
        hastened(place, CAPTAIN, TALK)
    assert reason(refused) is NotNow.FEW_VOTES
    place = hastened(vote(vote(place, A, 1, TALK), B, 1, TALK), CAPTAIN, TALK)
    assert played(place, TALK) == ("b1", Why.VOTES), "and the vote, once there are enough"


def test_no_one_votes_in_the_talk_or_after_the_decision() -> None:
    with pytest.raises(CommandError) as refused:
        vote(council(*THREE), A, 0, TALK)
    assert reason(refused) is NotNow.TALKING
    done = decided(voted(council(*THREE), "AAB"), END, ends)
    for late in (lambda: vote(done, A, 1, END), lambda: propose(done, A, "d1", END)):
        with pytest.raises(CommandError) as refused:
            late()
        assert reason(refused) is NotNow.DECIDED
    assert decided(done, END, ends) == done, "decided once"
    none = replace(done, turn=None)
    with pytest.raises(CommandError) as refused:
        vote(none, A, 0, END)
    assert reason(refused) is NotNow.NOT_MINE


def relay(*moves: int) -> Council:
    pool = tuple(Runner(f"console:{n}", str(n), each) for n, each in enumerate(moves))
    place = replace(council(), relay=True, pool=pool)
    assert place.turn is not None
    return replace(place, turn=replace(place.turn, drawn=drawn(place, place.turn), vote=END, until=END))


@given(st.lists(st.integers(0, 3), min_size=1, max_size=7))
def test_the_lot_falls_on_those_who_moved_least_and_on_no_one_twice(moves: list[int]) -> None:
    place, met = relay(*moves), list[int]()
    while place.turn and place.turn.chosen is None:
        assert place.turn.drawn is not None
        assert place.turn.drawn not in met
        others = [each for n, each in enumerate(moves) if n not in met]
        assert moves[place.turn.drawn] == min(others)
        met.append(place.turn.drawn)
        assert decided(place, place.turn.until - timedelta(seconds=1), ends) == place
        place = decided(place, max(END, place.turn.until), ends)
    assert len(met) == min(3, len(moves))
    assert place.turn
    assert place.turn.why is Why.ENGINE


def test_a_relay_counts_who_moved_and_takes_no_votes() -> None:
    place = relay(1, 1, 4)
    assert place.turn is not None
    assert place.turn.drawn is not None
    with pytest.raises(CommandError) as refused:
        propose(place, A, "a1", TALK)
    assert reason(refused) is NotNow.RELAY
    after = archived(place, ["a1"])
    assert sum(each.moves for each in after.pool) == 7
    assert after.pool[place.turn.drawn].moves == 2
    assert after.played[-1].why is Why.RELAY


def test_a_captain_who_does_not_vote_passes_on() -> None:
    busy = tuple(Played(n, "a1", B if n else A, Why.VOTES) for n in range(3))
    place = Council("k7q2mz", CAPTAIN, voters=(("a",), ("b",), ("a", "b")), played=busy)
    assert led(place).captain == B
    assert led(replace(place, voters=place.voters[:2])).captain == CAPTAIN
    assert led(replace(place, voters=((CAPTAIN.key,), *place.voters[1:]))).captain == CAPTAIN
    assert led(replace(place, played=())).captain == CAPTAIN


def test_what_was_played_is_kept_with_its_votes() -> None:
    place = decided(voted(council(*THREE), "BBA"), END, ends)
    after = archived(place, ["b1"])
    assert after.turn is None
    assert after.played[-1] == Played(3, "b1", B, Why.VOTES, 2, 3)
    assert archived(place, []).played == (), "taken back, or the match is over"
    assert after.voters == (("a", "b", "d"),)


def test_a_person_who_is_forgotten_is_not_named() -> None:
    who = Account("console", "ann")
    place = Council("k7q2mz", CAPTAIN)
    ann = Member(place.key(who), "ann")
    place = replace(council(("a1", ann), ("b1", B)), captain=ann, pool=(Runner(str(who), "ann", 2),))
    place = voted(place, "AAB", (ann, B, D))
    place = replace(place, played=(Played(1, "z1", ann, Why.VOTES),), voters=((ann.key,),))
    gone = without(place, ann.key, who)
    assert "ann" not in repr(gone)
    assert ann.key not in repr(gone)
    assert gone.turn
    assert gone.turn.counts().total() == 3, "the count stays"
    assert gone.waiting() == [], "and no one else is drawn for them"
