"""The sender: order, skipping, retries, give-ups, and what survives the death of senders."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.sender import Sender
from bot.sender.backoff import delay
from bot.sender.delivery import Delivery
from bot.sender.engine_answers import MOMENT
from bot.sender.message_state import MessageState, Outdated
from bot.sender.ports import Blocked, Courier, Pace, Rate, Recipient, RetryAfter
from bot.sender.queue import MOST_PASSING, Bundle, DeliveryQueue
from bot.sender.sender import BATCH
from bot.view import View
from play import facts
from play.engine_players import engine
from play.errors import Unavailable
from play.match import Ask, Chair, Match, Offer, Phase, Ply
from play.people import Account, Address
from rules.core import Seat
from storage.memory.outgoing import MemoryBucket
from storage.outgoing import Sent
from tests.bot.sender.fakes import (
    ANN,
    BOB,
    CELLAR,
    HALL,
    PLATFORM,
    YARD,
    Chats,
    Numbers,
    Reader,
    Stream,
    match,
    moved,
)
from tests.bot.virtual import START, moment, play


def sender(stream: Stream, *couriers: Courier, composer: Numbers | None = None) -> Sender:
    return Sender(stream.reader(), MemoryBucket({}), composer or Numbers(), couriers, now=moment)


def delivered(stream: Stream, *couriers: Courier, composer: Numbers | None = None) -> None:
    play(sender(stream, *couriers, composer=composer).drain())


def one_by_one(
    stream: Stream, chats: Chats, *told: facts.Fact, composer: Numbers | None = None
) -> list[list[tuple[int | bool, ...]]]:
    """Deliver each fact before the next; what stood in the hall after each: the revisions, and whether it has buttons."""
    states: list[list[tuple[int | bool, ...]]] = []

    async def evening() -> None:
        one = sender(stream, chats, composer=composer)
        for fact in told:
            stream.add(fact)
            await one.drain()
            states.append([(*shelf.revisions, bool(shelf.view.buttons)) for shelf in chats.at(HALL)])

    play(evening())
    assert not stream.entries
    return states


def test_a_turn_is_a_fresh_board_that_calls_one_and_folds_the_old_one() -> None:
    stream, chats = Stream(), Chats()
    one_by_one(stream, chats, *(moved(match(revision=revision)) for revision in (1, 2, 3)))
    assert [shelf.revisions for shelf in chats.at(HALL)] == [[1], [2], [3]]
    assert [shelf.pings for shelf in chats.at(HALL)] == [[BOB.account]] * 3
    assert [bool(shelf.view.buttons) for shelf in chats.at(HALL)] == [False, False, True]


def test_a_folded_board_says_what_was_played_when_it_was_shown_last() -> None:
    stream, chats = Stream(), Chats()
    composer = Numbers(old={2: View(lines=("12",))})
    plies = tuple(Ply(Seat(0), str(n), START) for n in range(4))
    boards = (replace(match(revision=revision), log=plies[:revision]) for revision in (1, 2, 3, 4))
    told = (moved(board, handed_on=board.revision != 2) for board in boards)
    one_by_one(stream, chats, *told, composer=composer)
    assert [shelf.revisions for shelf in chats.at(HALL)] == [[12], [3], [4]]
    assert [shelf.retired for shelf in chats.at(HALL)] == [True, True, False]


def test_what_is_remembered_of_messages_is_read_as_it_was_written() -> None:
    known = MessageState(7, "m1", None, (Outdated("m0"), Outdated("m00")))
    for kept in (known, known.with_board("m2", 3).with_board("m3", 4).with_aside("m4")):
        assert MessageState.unpack(kept.pack()) == kept


def test_plies_of_one_turn_change_its_board_in_place() -> None:
    stream, chats = Stream(), Chats()
    one_by_one(
        stream,
        chats,
        moved(match(revision=1)),
        moved(match(revision=2), handed_on=False),
        facts.Undone(match(revision=3), Seat(0), ()),
        moved(match(revision=4), handed_on=False),
    )
    (only,) = chats.at(HALL)
    assert (only.revisions, only.edits, only.pings) == ([4], 3, [BOB.account])
    assert only.view.buttons


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


def test_a_move_that_an_engine_does_not_answer_at_once_is_shown_after_a_moment() -> None:
    stream, chats = Stream(), Chats()
    stream.add(moved(alone(1)), moved(match("bbbbbb", revision=2)))
    delivered(stream, chats, composer=Numbers(awaited=[1]))
    at_once, later = chats.events
    assert (at_once[3], later[3]) == ((2,), (1,))
    assert at_once[0] < MOMENT <= later[0]


def test_a_board_that_was_deleted_is_shown_anew() -> None:
    stream, chats = Stream(), Chats()

    async def evening() -> None:
        one = sender(stream, chats)
        stream.add(moved(match(revision=1)))
        await one.drain()
        chats.messages.clear()
        stream.add(moved(match(revision=2), handed_on=False))
        await one.drain()
        stream.add(moved(match(revision=3)))
        chats.messages.clear()
        await one.drain()

    play(evening())
    assert [event[1:] for event in chats.events] == [("post", HALL, (n,)) for n in (1, 2, 3)]
    assert not stream.entries


def offered(revision: int) -> Match:
    return replace(match(revision=revision), offer=Offer(Ask.DRAW, Seat(0)))


def test_a_question_stands_beside_the_board_until_it_is_settled() -> None:
    stream, chats = Stream(), Chats()
    told = (
        moved(match(revision=1)),
        facts.Asked(offered(2), Ask.DRAW, Seat(0)),
        moved(offered(3), handed_on=False),
        facts.Declined(match(revision=4), Ask.DRAW, Seat(1)),
        facts.Asked(offered(5), Ask.DRAW, Seat(0)),
        moved(match(revision=6)),
    )
    assert one_by_one(stream, chats, *told) == [
        [(1, True)],
        [(1, True), (2, True)],
        [(3, True), (2, True)],
        [(3, True), (4, True)],
        [(3, True), (4, False), (5, True)],
        [(3, False), (4, False), (5, False), (6, True)],
    ]


def test_boards_that_a_newer_one_replaces_are_skipped_and_their_words_kept() -> None:
    stream, chats = Stream(), Chats()
    stream.add(*(moved(match(revision=revision)) for revision in range(1, 6)))
    delivered(stream, chats)
    (only,) = chats.at(HALL)
    assert only.revisions == [1, 2, 3, 4, 5]
    assert only.nonce.startswith("aaaaaa:v5:turn:")


def test_boards_go_before_cards_and_before_old_boards_are_folded() -> None:
    done: list[str] = []

    class Noted(Chats):
        async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
            done.append(nonce[:6])
            return await super().post(to, view, ping=ping, nonce=nonce)

        async def retire(self, ref: str, view: View | None) -> None:
            done.append("retire")
            await super().retire(ref, view)

    async def evening() -> None:
        stream = Stream()
        one = sender(stream, Noted())
        stream.add(moved(match("aaaaaa")), moved(match("bbbbbb")))
        await one.drain()
        done.clear()
        card = replace(match("cccccc"), phase=Phase.OPEN)
        stream.add(facts.Challenged(card), *(moved(match(code, 2)) for code in ("aaaaaa", "bbbbbb")))
        await one.drain()

    play(evening())
    assert done == ["aaaaaa", "bbbbbb", "cccccc", "retire", "retire"]


def test_a_card_waits_for_no_more_than_some_boards() -> None:
    queue = DeliveryQueue(HALL)
    card = Bundle("card00", [facts.Challenged(replace(match("card00"), phase=Phase.OPEN))], ["0"])
    boards = [Bundle(f"board{n}", [moved(match(f"board{n}"))], ["0"]) for n in range(9)]
    for bundle in (card, *boards):
        queue.put(bundle)
    taken = [queue.take() for _ in range(10)]
    assert taken == [*boards[:MOST_PASSING], card, *boards[MOST_PASSING:]]


def test_a_result_is_never_skipped() -> None:
    stream, chats = Stream(), Chats()
    stream.add(
        moved(match(revision=1)),
        moved(match(revision=2, over=True)),
        facts.Imported(match(revision=3, over=True)),
    )
    delivered(stream, chats)
    assert [shelf.revisions for shelf in chats.at(HALL)] == [[1, 2], [3]]


def test_what_waits_while_a_try_fails_goes_out_in_its_place() -> None:
    stream = Stream()
    attempts = []

    class Moody(Chats):
        async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
            attempts.append(nonce[:9])
            if len(attempts) == 1:
                stream.add(moved(match(revision=2)))
                raise RetryAfter(5)
            return await super().post(to, view, ping=ping, nonce=nonce)

    chats = Moody()

    async def evening() -> None:
        running = asyncio.create_task(sender(stream, chats).run())
        stream.add(moved(match(revision=1)))
        await asyncio.sleep(60)
        running.cancel()

    play(evening())
    assert attempts == ["aaaaaa:v1", "aaaaaa:v2"]
    assert [shelf.revisions for shelf in chats.at(HALL)] == [[1, 2]]
    assert chats.events[0][0] >= 5


def test_a_slow_chat_holds_up_no_other() -> None:
    stream, chats = Stream(), Chats(slow={HALL: 1000.0})
    stream.add(*(moved(match(code, at=[HALL, YARD])) for code in ("aaaaaa", "bbbbbb", "cccccc")))
    delivered(stream, chats)
    assert max(at for at, _, to, _ in chats.events if to == YARD) < 1
    assert min(at for at, _, to, _ in chats.events if to == HALL) >= 1000
    assert not stream.entries


def test_a_chat_that_is_gone_is_marked_and_written_to_no_more() -> None:
    stream, chats = Stream(), Chats(banned=[HALL])
    one_by_one(stream, chats, *(moved(match(revision=n, at=[HALL, YARD])) for n in (1, 2, 3)))
    assert set(stream.mail.dead) == {HALL}
    assert chats.calls[HALL] == 1
    assert [shelf.revisions for shelf in chats.at(YARD)] == [[1], [2], [3]]


def test_silence_asked_of_a_whole_platform_is_kept_in_every_chat() -> None:
    stream = Stream()

    class Strict(Chats):
        async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
            now = asyncio.get_running_loop().time()
            if now < 1:
                self.silent_until[None] = now + 20
                raise RetryAfter(20, everywhere=True)
            return await super().post(to, view, ping=ping, nonce=nonce)

    chats = Strict()

    async def evening() -> None:
        one = sender(stream, chats)
        stream.add(moved(match(at=[HALL])))
        draining = asyncio.create_task(one.drain())
        await asyncio.sleep(2)
        stream.add(moved(match("bbbbbb", at=[YARD])))
        await draining
        await one.drain()

    play(evening())
    assert len(chats.messages) == 2
    assert min(event[0] for event in chats.events) >= 20


class Watched(MemoryBucket):
    """A bucket that remembers its keys."""

    def __init__(self) -> None:
        super().__init__({})
        self.keys: set[str] = set()
        self.held: set[str] = set()

    async def take(self, key: str, rate: float, burst: int, at: datetime) -> float:
        self.keys.add(key)
        return await super().take(key, rate, burst, at)

    async def hold(self, key: str, rate: float, burst: int, at: datetime, until: datetime) -> None:
        self.held.add(key)
        await super().hold(key, rate, burst, at, until)


def test_turns_to_send_come_from_the_shared_bucket() -> None:
    stream, bucket = Stream(), Watched()
    chats = Chats(pace=Pace(overall=Rate(2, 1), chat=Rate(1, 1)))
    stream.add(*(moved(match(code, at=[HALL])) for code in ("aaaaaa", "bbbbbb", "cccccc")))
    stream.add(moved(match("dddddd", at=[YARD])))
    play(Sender(stream.reader(), bucket, Numbers(), [chats], now=moment).drain())
    times = [event[0] for event in chats.events if event[2] == HALL]
    assert times[-1] - times[0] > 1.4
    assert max(event[0] for event in chats.events) > 1.4
    assert bucket.keys == {PLATFORM, f"{PLATFORM}:hall", f"{PLATFORM}:yard"}


def test_what_cannot_be_worded_blocks_nobody() -> None:
    stream, chats = Stream(), Chats()
    stream.add(moved(match("aaaaaa", revision=7)), moved(match("bbbbbb")))
    delivered(stream, chats, composer=Numbers(broken=[7]))
    assert [shelf.nonce[:9] for shelf in chats.at(HALL)] == ["bbbbbb:v1"]
    assert not stream.entries


def test_private_facts_go_to_the_person_and_some_to_nobody() -> None:
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


def test_places_of_other_platforms_are_left_to_their_senders() -> None:
    stream, chats = Stream(), Chats()

    other = Chats()
    other.platform = "other"
    there = Address("other", "place")
    stream.add(moved(match(at=[HALL, there])))
    delivered(stream, chats, other)
    assert [shelf.to for shelf in (*chats.messages.values(), *other.messages.values())] == [HALL, there]


def test_what_waits_is_told_together_however_much_it_is() -> None:
    """Else the successor of a killed sender would post an older board after the newer one."""
    stream, chats = Stream(), Chats()
    count = 2 * BATCH + 3
    for revision in range(1, count + 1):
        stream.add(moved(match(revision=revision)))
    delivered(stream, chats)
    assert [shelf.revisions for shelf in chats.at(HALL)] == [list(range(1, count + 1))]


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


def test_who_cannot_be_written_to_is_named_to_the_host_and_the_entry_is_done() -> None:
    stream = Stream()
    kept = (Chair(ANN), Chair(reserved=BOB))

    class Shy(Chats):
        async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
            if to == HALL:
                raise Blocked(BOB.account.uid)
            return await super().post(to, view, ping=ping, nonce=nonce)

    chats = Shy()
    one_by_one(stream, chats, facts.Challenged(replace(match(), phase=Phase.OPEN, chairs=kept)))
    assert [shelf.to for shelf in chats.messages.values()] == [ANN.account]
    assert set(stream.mail.dead) == {HALL}
    stream, chats = Stream(), Shy()
    one_by_one(stream, chats, moved(replace(match(), chairs=kept)))
    assert not chats.messages, "that is told of invitations only"


@pytest.mark.parametrize(("everywhere", "key"), [(True, PLATFORM), (False, f"{PLATFORM}:hall")])
def test_silence_that_is_asked_for_holds_the_bucket_of_all_senders(everywhere: bool, key: str) -> None:
    stream, bucket = Stream(), Watched()

    class Strict(Chats):
        async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
            if not bucket.held:
                raise RetryAfter(20, everywhere=everywhere)
            return await super().post(to, view, ping=ping, nonce=nonce)

    chats = Strict(pace=Pace(overall=Rate(2, 1), chat=Rate(1, 1)))
    stream.add(moved(match()))
    play(Sender(stream.reader(), bucket, Numbers(), [chats], now=moment).drain())
    assert bucket.held == {key}
    assert chats.events[0][0] >= 20


def test_tries_are_further_apart_each_time_up_to_a_minute() -> None:
    assert [delay(tries) for tries in (1, 2, 3, 7, 8, 99)] == [0.5, 1, 2, 32, 60, 60]


async def test_what_has_to_be_written_down_is_tried_until_it_is() -> None:
    stream, waits, tries = Stream(), list[float](), 0

    class Away(Reader):
        async def set_dead(self, address: Address, at: datetime | None) -> None:
            nonlocal tries
            tries += 1
            if tries < 5:
                raise Unavailable
            await super().set_dead(address, at)

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def now() -> datetime:
        return START

    delivery = Delivery(Away(stream), MemoryBucket({}), Numbers(), now=now, sleep=sleep)
    await delivery.give_up(HALL)
    assert waits == [0.5, 1, 2, 4]
    assert await delivery.is_dead(HALL)
    assert not await delivery.is_dead(YARD)


def test_a_store_that_is_away_is_asked_again_within_a_second() -> None:
    stream, chats, waits = Stream(), Chats(), list[float]()

    class Away(Reader):
        async def read(self, limit: int) -> Sequence[Sent]:
            if len(waits) < 3:
                raise Unavailable
            return await super().read(limit)

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        await asyncio.sleep(seconds)

    async def evening() -> None:
        bucket = MemoryBucket({})
        one = Sender(Away(stream), bucket, Numbers(), [chats], now=moment, sleep=sleep)
        running = asyncio.create_task(one.run())
        stream.add(moved(match()))
        await asyncio.sleep(60)
        running.cancel()

    play(evening())
    assert waits == [0.5, 1, 1]
    assert not stream.entries
