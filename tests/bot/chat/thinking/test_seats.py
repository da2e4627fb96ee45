"""Engines at the table: the match goes on when their workers fail, and no stale move is played."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace

import pytest

from bot.chat.i18n import LANGUAGES
from bot.chat.thinking import Job, Reply, Thinker, Variation
from bot.chat.thinking.seats import EngineProgram, Seats
from bot.chat.thinking.thinker import SearchFailed
from play.actions.agreeing import AskTakeback, OfferDraw, Undo
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.facts import Started
from play.match import Ask, Closing, Match, Phase, engine, kind_of
from play.opening import Challenge
from play.people import Account, Player
from play.request import Request
from rules import GAMES
from tests.bot.chat.thinking.workers import Inline
from tests.bot.world import ANN, BOB, ROOM, World


class Evening:
    """A world whose engines play."""

    def __init__(self) -> None:
        self.world = World()
        self.solver = Inline()
        self.seats = self.another()

    def another(self) -> Seats:
        return Seats(
            self.world.table,
            self.world.store,
            Thinker(self.solver),
            lambda: self.world.now,
            sleep=self._sleep,
        )

    async def _sleep(self, _seconds: float) -> None:
        await asyncio.sleep(0.005)

    async def begin(self, game: str, *levels: int, side: str = "first", **chosen: str) -> Match:
        seated: list[Player] = []
        for level in levels:
            seated.append(engine(level, {player.account for player in seated}))
        fact = await self.world.table.open(
            Challenge(ROOM, game, chosen, opponents=seated, side=side), Request(ANN, self.world.now)
        )
        assert isinstance(fact, Started)
        return fact.match

    async def now(self, match: Match) -> Match:
        return await self.world.table.get(match.id)

    async def settle(self, match: Match) -> Match:
        """Have the engines do what the match waits for."""
        self.seats.look(await self.now(match))
        while await self.seats.settled(20):
            pass
        return await self.now(match)

    async def searching(self, match: Match) -> None:
        """Return once an engine is at work, which then waits until the solver's `hold` is set."""
        self.solver.hold = asyncio.Event()
        self.seats.look(match)
        await self.solver.begun.wait()

    def waits_for(self, match: Match) -> Account:
        player = match.chairs[self.world.table.position(match).to_move].player
        assert player
        return player.account

    async def play(self, match: Match, chance: random.Random) -> Match:
        """A legal turn of the seat to move."""
        notation, who = GAMES[match.game].notation, self.waits_for(match)
        while match.phase is Phase.PLAYING and self.waits_for(match) == who:
            move = chance.choice(list(self.world.table.position(match).legal_moves()))
            fact = await self.world.table.act(
                match.id, MakeMove(notation.format(move)), Request(Player(who, ""), self.world.now)
            )
            match = fact.match
        return match


@pytest.fixture
async def evening() -> Evening:
    return Evening()


@pytest.mark.parametrize("game", sorted(GAMES))
async def test_a_match_with_engines_is_played_to_an_end(evening: Evening, game: str) -> None:
    options = {"lgame": {"variant": "scoring"}, "klopodavka": {"board": "5x5", "players": "3"}}.get(
        game, {"board": "5x4"}
    )
    seats = GAMES[game].seats(GAMES[game].choose(options))
    match = await evening.begin(game, *[2] * (seats - 1), **options)
    chance = random.Random(3)
    for _ in range(300):
        match = await evening.settle(match)
        if match.phase is Phase.OVER:
            break
        assert evening.waits_for(match) == ANN.account
        match = await evening.play(match, chance)
    assert match.phase is Phase.OVER
    assert match.result
    assert match.result.reason != Closing.RESIGNED  # no engine ever resigns


async def test_the_level_below_answers_when_a_search_fails_twice(evening: Evening) -> None:
    evening.solver.fails = lambda job: job.level == 5
    match = await evening.settle(await evening.begin("lgame", 5, side="second"))
    assert len(match.log) == 1
    assert [job.level for job in evening.solver.asked] == [5, 5, 4]


async def test_without_any_worker_it_still_goes_on(evening: Evening) -> None:
    evening.solver.fails = lambda _: True
    for game in sorted(GAMES):
        match = await evening.settle(await evening.begin(game, 3, side="second"))
        assert evening.waits_for(match) == ANN.account


@pytest.mark.parametrize("action", [Undo(), Resign()], ids=["taken back", "over"])
async def test_an_answer_that_comes_too_late_is_void(evening: Evening, action: Undo | Resign) -> None:
    match = await evening.begin("breakthrough", 4)
    match = await evening.play(match, random.Random(1))
    await evening.searching(match)
    after = await evening.world.table.act(match.id, action, Request(ANN, evening.world.now))
    assert evening.solver.hold
    evening.solver.hold.set()
    await evening.seats.settled(20)
    match = await evening.now(match)
    assert match == after.match
    assert match.phase is Phase.OVER or evening.waits_for(match) == ANN.account


async def test_what_waits_is_found_again_after_a_restart(evening: Evening) -> None:
    match = await evening.begin("breakthrough", 4, side="second")
    await evening.searching(match)
    await evening.seats.close()
    evening.solver.hold = None
    evening.seats = evening.another()
    assert await evening.seats.sweep() == 1
    await evening.seats.settled(20)
    assert len((await evening.now(match)).log) == 1


async def test_two_processes_play_a_turn_once(evening: Evening) -> None:
    match = await evening.begin("breakthrough", 4, side="second")
    other = evening.another()
    evening.seats.look(match)
    other.look(match)
    await evening.seats.settled(20)
    await other.settled(20)
    assert len((await evening.now(match)).log) == 1
    assert len(evening.solver.asked) == 1


async def test_takebacks_are_granted_and_draws_when_there_is_little_to_hope_for(evening: Evening) -> None:
    table, now = evening.world.table, evening.world.now
    match = await evening.begin("lgame", 4)
    match = await evening.settle(await evening.play(match, random.Random(2)))  # no turn that loses at once
    assert len(match.log) == 2
    await table.act(match.id, AskTakeback(), Request(ANN, now))
    match = await evening.settle(match)
    assert match.log == ()
    await table.act(match.id, OfferDraw(), Request(ANN, now))
    match = await evening.settle(match)
    assert match.offer is None
    assert match.phase is Phase.PLAYING  # it has hardly begun
    chance = random.Random(2)
    while len(match.log) < 26 and match.phase is Phase.PLAYING:
        match = await evening.play(match, chance)  # both by chance
    if match.phase is Phase.PLAYING:
        await table.act(match.id, OfferDraw(), Request(ANN, now))
        match = await evening.settle(match)
        assert match.offer is None or match.offer.ask is not Ask.DRAW


async def test_an_engine_goes_back_to_any_turn_also_after_its_answer(evening: Evening) -> None:
    match, chance = await evening.begin("breakthrough", 4), random.Random(2)
    for _ in range(3):
        match = await evening.settle(await evening.play(match, chance))
    assert len(match.log) == 6
    for number, stays in (
        (4, 4),
        (1, 0),
    ):  # its own turn, which it plays anew at once; and the person's first one
        asked = Request(ANN, evening.world.now)
        await evening.world.table.act(match.id, AskTakeback(number), asked)
        match, log = await evening.settle(match), match.log
        assert match.log[: number - 1] == log[: number - 1]
        assert (len(match.log), match.offer) == (stays, None)


async def test_an_engine_takes_over_a_seat_that_was_left(evening: Evening) -> None:
    table, now = evening.world.table, evening.world.now
    made = await table.open(
        Challenge(ROOM, "klopodavka", {"players": "3"}, opponents=[BOB, engine(2)]), Request(ANN, now)
    )
    match = (await table.act(made.match.id, Join(), Request(BOB, now))).match
    await table.act(match.id, Resign(), Request(BOB, now))
    said = await evening.world.say(ANN, "/substitute engine:3")
    assert said == [] or not said[0].view.lines[0].startswith("/")
    match = await evening.now(match)
    assert kind_of(match.chairs[1].player.account) == "3"  # type: ignore[union-attr]


class Fox(EngineProgram):
    """An external engine."""

    def __init__(self) -> None:
        self.broken = False

    async def turn(self, job: Job) -> Reply:
        if self.broken:
            raise SearchFailed("as asked")
        game = GAMES[job.game]
        position = game.notation.parse_position(job.position, game.choose(dict(job.options)))
        turn = (game.notation.format(max(position.legal_moves(), key=game.notation.format)),)
        return Reply("fox", "outside", 0, (Variation(turn, 0.0, None, turn, 0),))

    async def close(self) -> None:
        """Nothing to end."""


@pytest.mark.parametrize("programs", ["fox", "none"])
async def test_the_players_are_told_once_an_outage_which_engine_plays_for_a_guest(
    evening: Evening, programs: str
) -> None:
    world, fox = evening.world, Fox()

    def seats() -> Seats:
        thinker = Thinker(evening.solver)
        known = {"fox": fox} if programs == "fox" else {}
        return Seats(
            world.table, world.store, thinker, lambda: world.now, programs=known, sleep=evening._sleep
        )

    fact = await world.table.open(
        Challenge(ROOM, "breakthrough", opponents=[engine("fox")], side="second"), Request(ANN, world.now)
    )
    match, notice = (
        fact.match,
        "fox (guest engine) is not working just now. Its moves are made by Klop, level 8.",
    )
    for broken, told in ((False, 0), (True, 1), (True, 0), (False, 0), (True, 1)):
        fox.broken = broken
        evening.seats = seats()  # what was told outlives a process
        before, _ = len(match.log), await world.desk.drained()
        match = await evening.settle(match)
        assert len(match.log) == before + 1
        lines = [line for said in await world.desk.drained() for line in said.view.lines]
        assert len([line for line in lines if line.startswith(notice)]) == (
            told if programs == "fox" else not before
        )
        match = await evening.play(match, random.Random(3))


# Engines by the names that people know them under.


@pytest.mark.parametrize("language", LANGUAGES)
async def test_programs_are_named_where_an_engine_is_not_known(language: str) -> None:
    world = World(language)
    services, programs = world.desk._services, {"fox": ("fox",), "owl": ("owl",)}
    world.desk._services = replace(services, config=services.config.model_copy(update={"engines": programs}))
    for line in ("/challenge engine:zorro lgame", "/help engines"):
        [message] = await world.say(ANN, line)
        assert any("engine:fox, engine:owl" in said for said in message.view.lines)
    world.desk._services = services
    [message] = await world.say(ANN, "/challenge engine:zorro lgame")
    assert "engine:5" in message.view.lines[0]
