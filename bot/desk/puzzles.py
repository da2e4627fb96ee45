"""/puzzle: positions to solve by moving."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any, Final

from bot.actions import Action, Verb
from bot.desk.advice import asked
from bot.desk.errand import Errand, Handler, Pressed, shown
from bot.desk.grammar import BadCommand, CommandError
from bot.desk.invitations import find_game
from bot.presenter import puzzles as cards
from bot.presenter.puzzles import AGAIN, NEXT, SOLUTION
from bot.thinking.jobs import Job, Line, job_for
from bot.view import Message
from engine import puzzles_of
from engine.core import Puzzle, Task
from play.people import Account, Address
from rules.core import AnyGame, IllegalMove, Legality, Position

SECONDS: Final = 1.5
"""How long the answer to a turn is thought about."""

KEPT: Final = timedelta(days=14)
"""How long it is remembered which puzzle somebody is at."""

_TODAY: Final = frozenset({"daily", "today", "day", "сьогодні", "день", "дня", "сегодня"})
_SOLUTION: Final = frozenset({"solution", "розв’язок", "розв'язок", "решение", "show", "відповідь", "ответ"})


@dataclass(frozen=True, slots=True)
class Trial:
    """Somebody at a puzzle.

    Attributes:
        game: Its key.
        number: Of the puzzle, among those of the game.
        position: Where they are now.
    """

    game: str
    number: int
    position: str


async def puzzle(errand: Errand) -> Sequence[Message]:
    """`/puzzle`, `/puzzle lgame`, `/puzzle daily`, `/puzzle solution`; `/puzzle b2-b3` plays a turn of it."""
    text = errand.command.rest.strip()
    word = text.casefold()
    if word in _TODAY:
        return await _daily(errand)
    if word in _SOLUTION:
        return await _solution(errand, await _at(errand))
    if not text:
        return await _next(errand, None)
    if game := find_game(errand.table.games, text):
        return await _next(errand, game)
    return await _tried(errand, await _at(errand), text)


async def _next(errand: Errand, game: AnyGame | None) -> Sequence[Message]:
    """A puzzle that is new to the visitor, as far as that is remembered."""
    games = [game] if game else [each for each in errand.table.games.values() if puzzles_of(each.key)]
    if not games or not puzzles_of(games[0].key):
        raise CommandError(BadCommand.NO_PUZZLES)
    name = f"puzzles:{errand.visitor.account}"
    (noted,) = await errand.store.notes(name)
    count = int(noted) if noted and noted.isdigit() else 0
    await errand.store.set_note(name, str(count + 1))
    chosen = games[count % len(games)]
    length = len(puzzles_of(chosen.key))
    # From the short ones to the long ones, each person in an order of their own.
    start = _luck(str(errand.visitor.account), chosen.key) % length
    step = (count // len(games)) % length
    number = (step * 3 + start % 3) % length if game is None else (start + step) % length
    return await _begun(errand, Trial(chosen.key, number, puzzles_of(chosen.key)[number].position))


async def _daily(errand: Errand) -> Sequence[Message]:
    """The puzzle of the day, for everybody here: the same one all day; whoever answers solves it for themselves."""
    games = [each for each in errand.table.games.values() if puzzles_of(each.key)]
    if not games:
        raise CommandError(BadCommand.NO_PUZZLES)
    luck = _luck(f"{errand.at.date()}", str(errand.visitor.place))
    game = games[luck % len(games)]
    number = luck // 7 % len(puzzles_of(game.key))
    found = puzzles_of(game.key)[number]
    trial = Trial(game.key, number, found.position)
    await errand.store.set_note(_note(errand.visitor.place), _packed(trial), keep=timedelta(days=2))
    await errand.store.set_note(_note(errand.visitor.account), _packed(trial), keep=KEPT)
    position, options = _position(game, found, trial.position)
    view = cards.asked(game, options, position, found, errand.words, number=number, daily=True)
    return [Message(errand.visitor.place, view)]


async def _begun(errand: Errand, trial: Trial) -> Sequence[Message]:
    await errand.store.set_note(_note(errand.visitor.account), _packed(trial), keep=KEPT)
    game = errand.table.games[trial.game]
    found = puzzles_of(trial.game)[trial.number]
    position, options = _position(game, found, trial.position)
    view = cards.asked(game, options, position, found, errand.words, number=trial.number)
    return [errand.private(view)]


async def _at(errand: Errand) -> Trial:
    """The puzzle that the visitor is at; else the one of the day here.

    Raises:
        CommandError: they are at none.
    """
    for noted in await errand.store.notes(_note(errand.visitor.account), _note(errand.visitor.place)):
        trial = _unpacked(noted)
        if trial is not None and trial.number < len(puzzles_of(trial.game)):
            return trial
    raise CommandError(BadCommand.NO_PUZZLE_BEGUN)


async def _tried(errand: Errand, trial: Trial, text: str) -> Sequence[Message]:
    """A turn of somebody at a puzzle: right or wrong, and why."""
    game = errand.table.games[trial.game]
    found = puzzles_of(trial.game)[trial.number]
    position, options = _position(game, found, trial.position)
    moves, after = _played(game, position, text)
    card = cards.Card(game, options, found, trial.number, errand.words)
    if after.outcome is not None:
        won = position.to_move in after.outcome.winners
        return [
            errand.private(
                card.solved(position, moves, after) if won else card.failed(position, moves, after, None)
            )
        ]
    if after.to_move == position.to_move:  # the turn goes on
        await _noted(errand, trial, game.notation.format_position(after))
        return [errand.private(card.goes_on(position, moves, after))]
    reply = (await asked(errand, _job(game, options, after))).lines[0]
    if not _holds(found.task, reply):
        return [errand.private(card.failed(position, moves, after, reply))]
    if found.task is Task.SAVE:
        return [errand.private(card.solved(position, moves, after))]
    here = after
    for ply in reply.turn:
        (move,) = game.notation.parse(ply, here)
        here = here.play(move)
    if here.outcome is not None or here.to_move != position.to_move:
        return [errand.private(card.solved(position, moves, after))]
    await _noted(errand, trial, game.notation.format_position(here))
    return [errand.private(card.answered(after, reply, here))]


async def _solution(errand: Errand, trial: Trial) -> Sequence[Message]:
    """How a puzzle goes, from where the visitor is."""
    game = errand.table.games[trial.game]
    found = puzzles_of(trial.game)[trial.number]
    position, options = _position(game, found, trial.position)
    best = (await asked(errand, _job(game, options, position))).lines[0]
    card = cards.Card(game, options, found, trial.number, errand.words)
    return [errand.private(card.solution(position, best))]


def _holds(task: Task, reply: Line) -> bool:
    """Whether what was played keeps what was to be kept, as the other side's best answer shows."""
    if task is Task.WIN:
        return reply.plies is not None and reply.value < 0
    return not (reply.plies is not None and reply.value > 0)


def _job(game: AnyGame, options: Any, position: Position[Any]) -> Job:
    return job_for(game, options, position, seconds=SECONDS)


def _position(game: AnyGame, found: Puzzle, text: str) -> tuple[Position[Any], Any]:
    options = game.choose(dict(found.options))
    return game.notation.parse_position(text, options), options


def _played(game: AnyGame, position: Position[Any], text: str) -> tuple[tuple[Any, ...], Position[Any]]:
    moves = game.notation.parse(text, position)
    here = position
    for move in moves:
        if here.outcome is not None:
            raise IllegalMove(Legality.GAME_OVER)
        here = here.play(move)
    return moves, here


async def _noted(errand: Errand, trial: Trial, position: str) -> None:
    moved = Trial(trial.game, trial.number, position)
    await errand.store.set_note(_note(errand.visitor.account), _packed(moved), keep=KEPT)


def _note(whose: Account | Address) -> str:
    return f"puzzle:{whose}"


def _packed(trial: Trial) -> str:
    return json.dumps(asdict(trial))


def _unpacked(noted: str | None) -> Trial | None:
    try:
        return Trial(**json.loads(noted)) if noted else None
    except (TypeError, ValueError):
        return None


def _luck(*words: str) -> int:
    return int.from_bytes(hashlib.blake2b(" ".join(words).encode(), digest_size=6).digest())


async def _pressed(errand: Errand, button: Action) -> Sequence[Message]:
    what, _, rest = button.argument.partition(" ")
    key, _, number = rest.partition(" ")
    game = errand.table.games.get(key)
    known = game is not None and number.isdigit() and int(number) < len(puzzles_of(key))
    if what == NEXT:
        return await _next(errand, game)
    if not known:
        raise CommandError(BadCommand.NO_PUZZLE_BEGUN)
    start = Trial(key, int(number), puzzles_of(key)[int(number)].position)
    if what == AGAIN:
        return await _begun(errand, start)
    if what == SOLUTION:
        return await _solution(errand, start)
    raise CommandError(BadCommand.UNKNOWN_WORD, word=shown(what))


COMMANDS: Final[Mapping[str, Handler]] = {"puzzle": puzzle}

PRESSES: Final[Mapping[Verb, Pressed]] = {Verb.PUZZLE: _pressed}
