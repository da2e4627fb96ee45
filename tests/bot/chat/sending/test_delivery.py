"""Delivery of boards: messages that are new, edited, skipped, folded or unowned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.fair_queue import OVERTAKING
from bot.chat.sending.delivery import MessageState, Outdated, unowned
from bot.chat.sending.ports import Recipient
from bot.chat.sending.queue import Bundle, DeliveryQueue
from bot.chat.view import View
from play import facts
from play.match import Ask, Match, Offer, Phase, Ply
from play.people import Account, Address, Player
from rules.core import Seat
from tests.bot.chat.sending.fakes import (
    ANN,
    BOB,
    HALL,
    Chats,
    Numbers,
    Stream,
    delivered,
    match,
    moved,
    one_by_one,
    sender,
)
from tests.bot.world import ANN as PLAYER
from tests.bot.world import World
from tests.support.waiting import START, play

# Boards and cards in a chat: what is new, edited, skipped or folded, and in which order.


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

        async def close(self, ref: str, view: View | None) -> None:
            done.append("retire")
            await super().close(ref, view)

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
    assert taken == [*boards[:OVERTAKING], card, *boards[OVERTAKING:]]


def test_new_lobbies_of_one_host_are_shown_by_the_newest_card() -> None:
    queue = DeliveryQueue(HALL)
    lobbies = [_lobby(f"lobby{n}") for n in range(4)]
    other = _lobby("others", BOB)
    for bundle in (lobbies[0], other, *lobbies[1:]):
        queue.put(bundle)
    opened = lobbies[1].facts[-1]
    assert isinstance(opened, facts.LobbyOpened)
    joined = Bundle("lobby1", [facts.Joined(opened.match, BOB, Seat(1))], ["again"])
    queue.put(joined)  # so it gets a card of its own
    newest, *others = [queue.take() for _ in range(4)]
    assert others == [other, joined, None]
    assert newest
    assert (newest.match_id, newest.facts) == ("lobby3", lobbies[3].facts)
    assert newest.also == ["lobby0", "lobby2"]
    assert newest.entries == ["lobby0", "lobby1", "lobby2", "lobby3"]


def _lobby(code: str, host: Player = ANN) -> Bundle:
    opened = replace(match(code), phase=Phase.OPEN, lobby=True, host=host)
    return Bundle(code, [facts.LobbyOpened(opened)], [code])


def test_a_result_is_never_skipped() -> None:
    stream, chats = Stream(), Chats()
    stream.add(
        moved(match(revision=1)),
        moved(match(revision=2, over=True)),
        facts.Imported(match(revision=3, over=True)),
    )
    delivered(stream, chats)
    assert [shelf.revisions for shelf in chats.at(HALL)] == [[1, 2], [3]]


# Which messages are orphans: outdated, and not remembered.


CHAT_HALL = Address("chat", "hall")
CHAT_ANN = Account("chat", "ann")


@pytest.mark.parametrize(
    ("message", "verb", "seen", "orphan"),
    [
        ("left", Verb.MOVE, 3, True),
        ("left", Verb.MOVE, 4, False),  # it shows what is remembered
        ("board", Verb.MOVE, 3, False),  # the board itself, below which notes came
        ("left", Verb.JOIN, 3, False),  # it may stand in a list of several matches
    ],
)
async def test_an_outdated_message_that_is_not_remembered_is_an_orphan(
    message: str, verb: Verb, seen: int, orphan: bool
) -> None:
    world = World()
    outgoing, match = world.store.outgoing(), await world.begin("breakthrough", {})
    await outgoing.set_shown(match.id, CHAT_HALL, MessageState(4, "board").pack())
    pressed = CallbackData(verb, match.id, seen)
    assert await unowned(outgoing, (CHAT_HALL, CHAT_ANN), pressed, message.__eq__) is orphan
    assert not await unowned(outgoing, (CHAT_ANN,), pressed, message.__eq__)


async def test_what_can_only_be_refused_is_an_orphan_where_no_message_is_remembered() -> None:
    world = World()
    outgoing, match = world.store.outgoing(), await world.begin("breakthrough", {})
    hint, accept = (CallbackData(verb, match.id, match.revision) for verb in (Verb.HINT, Verb.ACCEPT))
    assert not await unowned(outgoing, (CHAT_ANN,), hint, "left".__eq__, world.table)
    assert await unowned(outgoing, (CHAT_ANN,), accept, "left".__eq__, world.table)  # the match has begun
    await world.say(PLAYER, "/resign yes")
    assert await unowned(outgoing, (CHAT_ANN,), hint, "left".__eq__, world.table)
    assert not await unowned(
        outgoing, (CHAT_ANN,), hint, "left".__eq__
    )  # others see it: the press may be forged
    await outgoing.set_shown(match.id, CHAT_HALL, MessageState(match.revision, "board").pack())
    # Else the sender changes it.
    assert not await unowned(outgoing, (CHAT_HALL, CHAT_ANN), hint, "board".__eq__, world.table)
