"""The board of one person who plays against engines: one message, which shows a move and its answer at once."""

from __future__ import annotations

from dataclasses import replace

from bot.chat.sending.queue import MOMENT
from play import facts
from play.match import Ask, Chair, Match, Phase, engine
from rules.core import Seat
from tests.bot.sender.delivering import delivered, sender
from tests.bot.sender.fakes import ANN, HALL, Chats, Numbers, Stream, match, moved
from tests.bot.virtual import play


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
