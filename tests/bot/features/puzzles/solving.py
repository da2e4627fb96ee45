"""A desk with engines, matches that chance has played, and a person who solves puzzles by pressing what is shown."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from itertools import islice
from typing import Any

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES, words
from bot.chat.presenting.selection import Selection, follow
from bot.chat.thinking import Thinker
from bot.chat.thinking.jobs import Job, JobQueue, Reply, Variation, job_for, run_job
from bot.chat.view import Message, View
from bot.features.puzzles.cards import PlaceDay, PuzzleCard, place_card
from bot.features.puzzles.library import Posed, shipped
from engine.core import Task
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.match import Match
from play.people import Player
from play.request import Request
from rules import GAMES
from rules.core import Position, walk
from tests.bot.chat.thinking.workers import Inline
from tests.bot.world import ANN, World
from tests.support.services import services


class Asked:
    """A desk with engines behind it."""

    def __init__(self, solver: Inline | None = None, world: World | None = None) -> None:
        self.world = world = world or World()
        self.solver = solver or Inline()
        self.line = JobQueue(1)
        self.thinker = Thinker(self.solver, self.line)
        self.desk = services(world.table, world.store, lambda: world.now, thinker=self.thinker).desk

    async def say(self, who: object, line: str) -> Sequence[Message]:
        return await self.desk.answer(self.world.visitor(who), line)  # type: ignore[arg-type]


async def ask(job: Job) -> Reply:
    return run_job(replace(job, seconds=0.03))


async def over(world: World, game: str, chosen: dict[str, str], seed: int, most: int = 300) -> Match:
    """A match that chance has played."""
    chance = random.Random(seed)
    match = await world.begin(game, chosen)
    notation = GAMES[game].notation
    for _ in range(most):
        position = world.table.position(match)
        if match.result:
            break
        player = match.chairs[position.to_move].player
        assert player
        move = chance.choice(list(position.legal_moves()))
        match = (
            await world.table.act(match.id, MakeMove(notation.format(move)), Request(player, world.now))
        ).match
    else:
        match = (await world.table.act(match.id, Resign(), Request(ANN, world.now))).match
    return match


def posed_of(game: str, task: Task, plies: int | None = None) -> Posed:
    """Some puzzle of that kind."""
    return next(
        each
        for each in shipped(game).values()
        if each.puzzle.task is task and plies in (None, each.puzzle.plies)
    )


def at_start(posed: Posed) -> Position[Any]:
    game = GAMES[posed.game]
    options = game.choose(dict(posed.puzzle.options))
    position: Position[Any] = game.notation.parse_position(posed.puzzle.position, options)
    return position


def best(posed: Posed, position: Position[Any]) -> Variation:
    """What solves it, as far as an engine finds it soon."""
    game = GAMES[posed.game]
    return run_job(job_for(game, game.choose(dict(posed.puzzle.options)), position, seconds=0.3)).lines[0]


def wrong(posed: Posed) -> str:
    """A ply that does not solve it, of a game whose turns have one."""
    here, right = at_start(posed), best(posed, at_start(posed)).turn[0]
    plies = map(GAMES[posed.game].notation.format, here.legal_moves())
    return next(ply for ply in plies if ply != right)


def played(posed: Posed, position: Position[Any], turn: Sequence[str]) -> Position[Any]:
    for text in turn:
        (move,) = GAMES[posed.game].notation.parse(text, position)
        position = position.play(move)
    return position


def that(view: View, verb: Verb, argument: str | None = None) -> CallbackData:
    """What of that kind can be pressed."""
    return next(
        each.data
        for each in view.buttons
        if each.data.verb is verb and argument in (None, each.data.argument)
    )


def steps_to(posed: Posed, position: Position[Any], text: str) -> tuple[str, ...]:
    """What is picked, one after the other, for a ply."""
    game = GAMES[posed.game]
    (move,) = game.notation.parse(text, position)
    return walk(lambda chosen: game.fork(position, chosen), game.notation.steps(move))[0]


def step(view: View, token: str) -> CallbackData:
    """The key of a step: a button, or a square."""
    cells = [cell.data for row in view.grid.rows for cell in row if cell.data] if view.grid else []
    return next(
        data
        for data in (*(each.data for each in view.buttons), *cells)
        if data.verb is Verb.PICK and data.argument.rpartition(";")[2].rpartition("/")[2] == token
    )


class Solving(Asked):
    """A desk at which puzzles are solved by pressing."""

    async def press(self, who: Player, data: CallbackData, *, confirms: bool = True) -> View:
        visitor = replace(self.world.visitor(who), buttons=confirms)
        (message,) = await self.desk.press(visitor, CallbackData.unpack(data.pack()))
        return message.view

    async def begin(self, who: Player, posed: Posed) -> View:
        """What is shown first."""
        return await self.press(who, CallbackData(Verb.PUZZLE, posed.id, 0, "solve"))

    async def turn(
        self, who: Player, view: View, posed: Posed, position: Position[Any], turn: Sequence[str]
    ) -> View:
        """Press a turn step by step, and what plays it."""
        here = position
        for text in turn:
            for token in steps_to(posed, here, text):
                if token != "keep":  # that is what Play does
                    view = await self.press(who, step(view, token))
            here = played(posed, here, [text])
        return await self.press(who, that(view, Verb.TRY))


def puzzle_views(language: str, chance: random.Random) -> Iterator[View]:
    """Puzzles as they are asked, of all and of one, and a turn at random in each; each puzzle in one language."""
    for key in GAMES:
        for posed in islice(shipped(key).values(), LANGUAGES.index(language), None, len(LANGUAGES)):
            game, start = GAMES[key], at_start(posed)
            card = PuzzleCard(game, replace(posed, played=True), words(language), confirms=True)
            yield place_card(card, PlaceDay(date(2026, 11, 21)))
            yield card.asked(start)
            selection = Selection()
            while chance.random() < 0.9:
                partial = follow(game, start, selection)
                yield card.picked(partial)
                if not partial.steps:
                    break
                selection = partial.selection.step(chance.choice(partial.steps).token)
