"""Delivery of boards: messages that are new, edited, skipped, folded or unowned."""

from __future__ import annotations

from dataclasses import replace

from bot.chat.sending.queue import Bundle, DeliveryQueue
from play import facts
from play.match import Phase
from play.people import Player
from rules.core import Seat
from tests.bot.chat.sending.fakes import (
    ANN,
    BOB,
    HALL,
    Chats,
    Stream,
    delivered,
    match,
    moved,
    sender,
)
from tests.support.waiting import play

# Boards and cards in a chat: what is new, edited, skipped or folded, and in which order.


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


def test_boards_that_a_newer_one_replaces_are_skipped_and_their_words_kept() -> None:
    stream, chats = Stream(), Chats()
    stream.add(*(moved(match(revision=revision)) for revision in range(1, 6)))
    delivered(stream, chats)
    (only,) = chats.at(HALL)
    assert only.revisions == [1, 2, 3, 4, 5]
    assert only.nonce.startswith("aaaaaa:v5:turn:")


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


def test_a_match_of_many_moves_keeps_its_turn_among_others() -> None:
    queue = DeliveryQueue(HALL)
    for number, code in enumerate(["aaaaaa", "bbbbbb", "aaaaaa"]):
        queue.put(Bundle(code, [moved(match(code, revision=number))], [str(number)]))
    shown = [queue.take() for _ in range(3)]
    assert [bundle and bundle.entries for bundle in shown] == [["0", "2"], ["1"], None]


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
