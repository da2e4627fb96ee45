"""Puzzles from played matches: only what is certain, of matches that are over, without a word about people."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.chat.thinking.jobs import EVERY, Job, Reply, run_job
from bot.features.analysis.judging import analysed
from bot.features.puzzles.library import MOST_MADE, Library, fair, make_puzzles, puzzles_in
from engine.core import Task
from play.match import Match, Phase
from play.people import GONE, Account, Player
from rules import GAMES
from rules.core import Seat
from tests.bot.analysis.test_analysis import ask, over
from tests.bot.analysis.test_hints import Asked
from tests.bot.world import ANN, BOB, World

LUCKY = {"lgame": 6, "breakthrough": 4}
"""Seeds of matches with puzzles in them."""

CHOSEN: dict[str, dict[str, str]] = {"lgame": {}, "breakthrough": {"board": "5x6"}}


@pytest.mark.parametrize("game", list(LUCKY))
async def test_one_turn_alone_will_do_and_that_is_certain(game: str) -> None:
    world = World()
    match = await over(world, game, CHOSEN[game], LUCKY[game], most=60)
    course = world.table.course(match)
    found = await puzzles_in(course, await analysed(match, course, ask), ask)
    assert 0 < len(found) <= MOST_MADE
    for posed in found:
        assert posed.played
        options = GAMES[game].choose(dict(posed.puzzle.options))
        position = GAMES[game].notation.parse_position(posed.puzzle.position, options)
        assert position in course.positions
        job = Job(game, posed.puzzle.options, posed.puzzle.position, seconds=0.5, most=EVERY)
        first, *others = run_job(job).lines
        assert len(others) + 1 == len(position.legal_moves())
        assert first.value == (posed.puzzle.task is Task.WIN)
        assert all(other.plies is not None and other.value < first.value for other in others)


async def test_what_was_analysed_joins_the_puzzles_once() -> None:
    asked = Asked()
    match = await over(asked.world, "lgame", {}, LUCKY["lgame"], most=60)
    await asked.say(ANN, f"/analyse #{match.id}")
    thinker = asked.desk._resources.thinker
    assert thinker is not None
    await thinker.settled()
    library = Library(asked.world.store)
    played = [posed for posed in await library.of("lgame") if posed.played]
    assert played
    for posed in played:
        assert await library.find(posed.id, ["lgame"]) == posed
    for shelf in asked.world.store.timelines._timelines.values():  # nothing about the players
        assert not any(word in text for text in shelf for word in ("ann", "bob", match.id))
    searches = len(asked.solver.asked)
    await asked.say(BOB, f"/analyse #{match.id}")
    await thinker.settled()
    assert len(asked.solver.asked) == searches
    (message,) = await asked.say(ANN, f"/puzzle #{played[0].id}")
    assert message.view.lines[0].startswith("Puzzle from a played match")
    assert not await library.takes(match.id)  # nor does another bot of this store


async def test_no_puzzles_of_matches_that_are_not_fair_to_take() -> None:
    world = World()
    match = await over(world, "lgame", {}, LUCKY["lgame"], most=60)
    assert fair(match)
    gone = Player(Account(GONE, "1"), "")
    chairs = list(match.chairs)
    chairs[Seat.S2] = replace(chairs[Seat.S2], player=gone)
    others: list[Match] = [
        replace(match, imported=True),
        replace(match, phase=Phase.PLAYING, result=None),
        replace(match, chairs=tuple(chairs)),
        await over(world, "klopodavka", {"players": "3", "board": "5x5"}, 3),
    ]
    assert not any(map(fair, others))


async def test_a_match_under_way_gives_nothing_and_what_fails_is_no_ones_loss() -> None:
    asked = Asked()
    live = await asked.world.begin("lgame", {})
    thinker = asked.desk._resources.thinker
    assert thinker is not None
    library = Library(asked.world.store)
    await make_puzzles(thinker, asked.world.store, live, asked.world.table.course(live), ())
    await thinker.settled()
    assert await library.takes(live.id)  # not read yet
    match = await over(asked.world, "lgame", {}, LUCKY["lgame"], most=60)
    course = asked.world.table.course(match)
    turns = await analysed(match, course, ask)
    asked.solver.fails = lambda job: job.most == EVERY
    await make_puzzles(thinker, asked.world.store, match, course, turns)
    await thinker.settled()
    assert not [posed for posed in await library.of("lgame") if posed.played]
    assert asked.line.waiting == 0
    await thinker.close()


async def test_what_is_not_proved_of_one_turn_gives_no_puzzle() -> None:
    world = World()
    match = await over(world, "lgame", {}, LUCKY["lgame"], most=60)
    course = world.table.course(match)
    turns = await analysed(match, course, ask)

    async def found(proved: bool) -> int:
        async def asked(job: Job) -> Reply:
            reply = await ask(job)
            last = reply.lines[-1]
            return reply if proved else replace(reply, lines=(*reply.lines[:-1], replace(last, plies=None)))

        return len(await puzzles_in(course, turns, asked))

    assert await found(proved=True) > 0
    assert await found(proved=False) == 0


async def test_no_puzzles_where_the_engines_do_not_prove_all_turns() -> None:
    world = World()
    match = await over(world, "klopodavka", {"board": "5x5"}, 3)
    course = world.table.course(match)
    jobs: list[Job] = []

    async def asked(job: Job) -> Reply:
        jobs.append(job)
        return await ask(job)

    turns = await analysed(match, course, asked)
    assert any(turn.best.plies is not None and turn.best.value > 0 for turn in turns)
    jobs.clear()
    assert await puzzles_in(course, turns, asked) == []
    assert jobs == []
