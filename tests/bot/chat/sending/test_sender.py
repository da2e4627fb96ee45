"""The sender: who is told what, and what survives the death of senders."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.chat.sending.ports import Recipient
from bot.chat.sending.posted import NewestMessages
from play import facts
from play.events.event import AnyFact, subject_of
from play.match import Ask, Chair, Match, Phase, engine
from rules.core import Seat
from tests.bot.chat.sending.fakes import (
    ANN,
    BOB,
    CELLAR,
    HALL,
    YARD,
    Chats,
    Numbers,
    Stream,
    delivered,
    match,
    moved,
    sender,
)
from tests.support.waiting import play


def test_what_cannot_be_worded_blocks_no_one() -> None:
    stream, chats = Stream(), Chats()
    stream.add(moved(match("aaaaaa", revision=7)), moved(match("bbbbbb")))
    delivered(stream, chats, composer=Numbers(broken=[7]))
    assert [shelf.nonce[:9] for shelf in chats.at(HALL)] == ["bbbbbb:v1"]
    assert not stream.entries
    (aside,) = play(stream.mail.streams.aside.all())
    assert (aside.stream, aside.about, aside.reason) == ("out", "aaaaaa", "ValueError: 7")
    play(stream.mail.streams.aside.replay(aside.id))
    delivered(stream, chats)
    assert {shelf.nonce[:6] for shelf in chats.at(HALL)} == {"aaaaaa", "bbbbbb"}


def test_what_follows_from_a_fact_and_cannot_be_done_keeps_no_board_from_anyone() -> None:
    stream, chats, followed = Stream(), Chats(), list[str]()

    async def broken(fact: AnyFact) -> Sequence[AnyFact]:
        followed.append(subject_of(fact).id)
        raise KeyError(followed[-1])

    async def whole(fact: AnyFact) -> Sequence[AnyFact]:
        followed.append(f"{subject_of(fact).id} too")
        return ()

    stream.add(moved(match("aaaaaa")), moved(match("bbbbbb")))
    one = sender(stream, chats)
    one._hooks = (broken, whole)
    play(one.drain())
    assert followed == ["aaaaaa"] * 3 + ["aaaaaa too"] + ["bbbbbb"] * 3 + ["bbbbbb too"]
    assert {shelf.nonce[:6] for shelf in chats.at(HALL)} == {"aaaaaa", "bbbbbb"}
    assert not stream.entries
    first, _ = play(stream.mail.streams.aside.all())
    play(stream.mail.streams.aside.replay(first.id))
    shown = len(chats.events)
    delivered(stream, chats)
    assert len(chats.events) == shown, "a board that is shown is not shown again"


def test_private_facts_go_to_the_person_and_some_to_no_one() -> None:
    stream, chats = Stream(), Chats()
    stream.add(
        facts.Reminded(match(revision=2), BOB.account, Seat(1), timedelta(hours=2)),
        facts.Planned(match(revision=3), ANN.account, Seat(0), None),
        facts.Later(match(revision=4)),
        facts.Watching(match(revision=5, at=[HALL, YARD]), YARD, on=True),
    )
    delivered(stream, chats)
    assert {shelf.to: shelf.revisions for shelf in chats.messages.values()} == {BOB.account: [2], YARD: [5]}
    assert not stream.entries


def test_what_was_read_is_delivered_before_a_sender_ends_and_the_rest_left_to_others() -> None:
    stream, chats = Stream(), Chats()

    async def evening() -> None:
        one = sender(stream, chats)
        running = asyncio.create_task(one.run())
        stream.add(moved(match("aaaaaa", revision=1)), moved(match("bbbbbb", revision=1)))
        await one.finish()
        assert not stream.entries
        stream.add(moved(match("cccccc", revision=1)))
        await asyncio.sleep(10)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    play(evening())
    assert {shelf.nonce[:6] for shelf in chats.at(HALL)} == {"aaaaaa", "bbbbbb"}
    assert len(stream.entries) == 1


def test_where_messages_stay_as_they_were_posted_none_is_closed() -> None:
    stream, chats = Stream(), Chats()
    chats.closes = False
    for revision in (1, 2):
        stream.add(moved(match(revision=revision), handed_on=True))
        delivered(stream, chats)
    assert [shelf.retired for shelf in chats.at(HALL)] == [False, False]
    assert not stream.entries


def _story(luck: random.Random, matches: int, length: int) -> list[facts.Fact]:
    """What happens in some matches, mixed; each ends."""
    told: list[list[facts.Fact]] = []
    for index in range(matches):
        code = chr(ord("a") + index) * 6
        places = luck.sample([HALL, YARD, CELLAR], luck.randint(1, 3))
        own: list[facts.Fact] = [
            moved(match(code, revision, at=places), handed_on=luck.random() < 0.6)
            for revision in range(1, length)
        ]
        own.append(moved(match(code, length, at=places, over=True)))
        told.append(own)
    mixed = []
    while any(told):
        own = luck.choice([own for own in told if own])
        mixed.append(own.pop(0))
    return mixed


def check_story(told: Sequence[facts.Fact], chats: Chats) -> None:
    """Nothing is lost, nothing doubled, order is kept, and every result has a message of its own."""
    wanted: dict[tuple[str, Recipient], set[int]] = {}
    for fact in told:
        for place in fact.match.addresses:
            wanted.setdefault((fact.match.id, place), set()).add(fact.match.revision)
    for (code, to), revisions in wanted.items():
        shown: set[int] = set()
        newest = [int(shelf.nonce.split(":")[1][1:]) for shelf in chats.at(to, code)]
        assert newest == sorted(set(newest)), "out of order, or twice"
        for _, _, where, said in chats.events:
            if where == to:
                shown.update(said)
        assert shown >= revisions, "a revision was never shown"
        last = [shelf for shelf in chats.at(to, code) if max(revisions) in shelf.revisions]
        assert last, "the result is not to be seen"


@given(seed=st.integers(0, 2**32), trouble=st.sampled_from([0.0, 0.1, 0.4]), length=st.integers(1, 12))
@settings(max_examples=30, deadline=None)
def test_nothing_is_lost_doubled_or_out_of_order_when_everything_fails(
    seed: int, trouble: float, length: int
) -> None:
    luck = random.Random(seed)
    stream, chats = Stream(luck, trouble / 2), Chats(luck, trouble)
    told = _story(luck, 3, length)

    async def evening() -> None:
        running = asyncio.create_task(sender(stream, chats).run())
        for fact in told:
            stream.add(fact)
            await asyncio.sleep(luck.choice([0, 0.02, 1, 20]))
        while stream.entries:  # noqa: ASYNC110
            await asyncio.sleep(10)
        running.cancel()

    play(evening())
    check_story(told, chats)
    if not trouble:
        for code in ("aaaaaa", "bbbbbb", "cccccc"):
            for place in (HALL, YARD, CELLAR):
                boards = chats.at(place, code)
                assert [bool(shelf.view.buttons) for shelf in boards[:-1]] == [False] * (len(boards) - 1)


@given(seed=st.integers(0, 2**32), senders=st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_senders_that_die_at_any_step_lose_and_double_nothing(seed: int, senders: int) -> None:
    luck = random.Random(seed)
    stream, chats = Stream(luck, 0.05), Chats(luck, 0.1)
    told = _story(luck, 3, 8)

    async def life(stop: asyncio.Event) -> None:
        while not stop.is_set():
            one = sender(stream, chats)
            running = asyncio.create_task(one.run())
            with_stop = asyncio.create_task(stop.wait())
            await asyncio.wait((running, with_stop), timeout=luck.uniform(0.001, 3))
            with_stop.cancel()
            running.cancel()
            await asyncio.wait((running,))

    async def evening() -> None:
        stop = asyncio.Event()
        lives = [asyncio.create_task(life(stop)) for _ in range(senders)]
        for fact in told:
            stream.add(fact)
            await asyncio.sleep(luck.choice([0, 0.02, 1]))
        while stream.entries:  # noqa: ASYNC110
            await asyncio.sleep(5)
        stop.set()
        await asyncio.gather(*lives)

    play(evening())
    check_story(told, chats)


# The board of one person who plays against engines: one message, which shows a move and its answer at once.


def alone(revision: int) -> Match:
    return replace(match(revision=revision), chairs=(Chair(ANN), Chair(engine(4))))


def test_a_board_of_one_person_and_engines_changes_in_place_until_it_is_buried() -> None:
    stream, chats = Stream(), Chats()
    composer = Numbers(awaited=[2])

    async def evening() -> None:
        one = sender(stream, chats, composer=composer)
        for fact in (
            facts.Started(alone(1)),
            moved(alone(2)),
            moved(alone(3)),
            facts.Asked(alone(4), Ask.DRAW, Seat(0)),
            facts.Declined(alone(5), Ask.DRAW, Seat(1)),
        ):
            stream.add(fact)
            if fact.match.revision != 2:
                await one.drain()
        chats.below = set(chats.messages)
        stream.add(moved(alone(6)))
        await one.drain()
        stream.add(facts.Drawn(replace(alone(7), phase=Phase.OVER)))
        await one.drain()

    play(evening())
    seen = [(event[1], event[3]) for event in chats.events]
    assert seen[:2] == [("post", (1,)), ("edit", (2, 3))]  # the move and its answer at once
    assert seen[2:] == [("edit", (4,)), ("edit", (5,)), ("post", (6,)), ("edit", (7,))]
    assert [shelf.retired for shelf in chats.at(HALL)] == [True, False]
    assert not stream.entries


# Whether a board is still where its player looks.


def test_a_board_is_buried_by_what_comes_below_it_until_it_is_pressed() -> None:
    newest = NewestMessages()
    assert newest.buried("hall", 5)  # nothing is known of the hall
    newest.came("hall", 5)
    assert not newest.buried("hall", 5)
    newest.came("yard", 6)
    newest.came("hall", 4)
    assert not newest.buried("hall", 5)
    newest.came("hall", 8)
    assert newest.buried("hall", 5)
    newest.pressed("hall", 5)
    assert not newest.buried("hall", 5)
    assert newest.buried("hall", 7)
    newest.came("hall", 9)
    assert newest.buried("hall", 5)
