"""Views of puzzles: the question on a board that can be pressed; and verdicts on turns, with the engine's reply to each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any, Final, TypeAlias, TypeVar

from bot.chat import error_handling, taps
from bot.chat.callback_data import CallbackData, PuzzleStep, Verb
from bot.chat.context import Context
from bot.chat.i18n import Words
from bot.chat.match_lookup import legal_readings
from bot.chat.presenting import picking
from bot.chat.presenting.captions import ALT, POSITION, cut, length, marked, position_text, sentence
from bot.chat.presenting.naming import game_title, line_played, side_name, variation_text
from bot.chat.presenting.picking import grid
from bot.chat.presenting.selection import PartialMove, PickTarget, Selection, follow
from bot.chat.thinking.jobs import Variation, job_for
from bot.chat.view import Button, ButtonStyle, Message, Picking, RosterLine, View
from bot.features.analysis.alternatives import explained_reply
from bot.features.analysis.values import UNITS, unit, value_text
from bot.features.matches.engine_opponents import best_turns
from bot.features.puzzles.library import Posed, number_of
from engine.core import Task
from render.picture import Strip, StripLine
from rules.core import AnyGame, Diagram, Highlights, IllegalMove, Legality, Mark, Phrase, Position, Seat

_SECONDS: Final = 1.5  # seconds of search for the answer to a turn


class Verdict(Enum):
    """What a turn comes to."""

    PART = auto()  # the turn goes on
    WRONG = auto()
    RIGHT = auto()
    SOLVED = auto()


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """A turn, or a part of one, that was tried, and the position after it.

    `reply` is the other side's best one, if it was searched; `answer` its moves after a right turn, `further` the position then.
    """

    verdict: Verdict
    moves: tuple[Any, ...]
    after: Position[Any]
    reply: Variation | None = None
    answer: tuple[Any, ...] = ()
    further: Position[Any] | None = None

    @property
    def here(self) -> Position[Any]:
        """The position after the reply to a right turn; else the one after the turn."""
        return self.further or self.after


async def judged(
    context: Context, game: AnyGame, posed: Posed, position: Position[Any], text: str
) -> JudgedTurn:
    """Return the verdict on a typed turn."""
    moves, after = _tried_moves(game, position, text)
    if after.outcome is not None:
        won = position.to_move in after.outcome.winners
        return JudgedTurn(Verdict.SOLVED if won else Verdict.WRONG, moves, after)
    if after.to_move == position.to_move:
        return JudgedTurn(Verdict.PART, moves, after)
    reply = await best_of(context, game, posed, after)
    if posed.puzzle.task is Task.HOLD:
        best = await best_of(context, game, posed, position)
        longest = reply.plies is None or best.plies is None or reply.plies + len(moves) >= best.plies
        return JudgedTurn(Verdict.SOLVED if longest else Verdict.WRONG, moves, after, reply)
    if not _holds(posed.puzzle.task, reply) and not await _is_best(context, game, posed, position, moves):
        return JudgedTurn(Verdict.WRONG, moves, after, reply)
    if posed.puzzle.task is Task.WIN:
        answer, here = line_played(game, after, reply.turn)
        if here.outcome is None and here.to_move == position.to_move:
            return JudgedTurn(Verdict.RIGHT, moves, after, reply, tuple(answer), here)
    return JudgedTurn(Verdict.SOLVED, moves, after, reply)


async def best_of(context: Context, game: AnyGame, posed: Posed, position: Position[Any]) -> Variation:
    """Return the best turn of a position of a puzzle."""
    options = game.choose(dict(posed.puzzle.options))
    return (await best_turns(context, job_for(game, options, position, seconds=_SECONDS))).lines[0]


def _holds(task: Task, reply: Variation) -> bool:
    if task is Task.WIN:
        return reply.plies is not None and reply.value < 0
    return not (reply.plies is not None and reply.value > 0)


async def _is_best(
    context: Context, game: AnyGame, posed: Posed, position: Position[Any], moves: Sequence[Any]
) -> bool:
    """A win may be proved from one end only; and the one move that the others were compared with may lose after all, later."""
    best = await best_of(context, game, posed, position)
    if sorted(best.turn) != sorted(map(game.notation.format, moves)):
        return False
    return posed.puzzle.task is Task.SAVE or (best.plies is not None and best.value > 0)


def _tried_moves(game: AnyGame, position: Position[Any], text: str) -> tuple[tuple[Any, ...], Position[Any]]:
    moves = game.notation.parse(text, position)
    here = position
    for move in moves:
        if here.outcome is not None:
            raise IllegalMove(Legality.GAME_OVER)
        if here.to_move != position.to_move:
            raise IllegalMove(Legality.NO_SUCH_STEP, step=game.notation.format(move))
        here = here.play(move)
    return moves, here


KEYS: Final = {"bot.button.puzzle-{}": (PuzzleStep,), "bot.puzzle.{}.{}": (Task, UNITS)}
"""The keys that this module puts together, by their template: the members of each hole."""

_MORE: Final = 2  # turns shown after the answer to a wrong turn
_NUMBERS: Final = 36**4

_SOLVED: Final = {
    Task.WIN: "bot.puzzle.solved",
    Task.SAVE: "bot.puzzle.saved",
    Task.HOLD: "bot.puzzle.held",
}


def mark_of(position: str) -> int:
    """Return the number of a position in its buttons, by which outdated ones are recognised."""
    return number_of(position) % _NUMBERS


@dataclass(frozen=True, slots=True)
class PuzzleCard:
    """Views of one puzzle for one reader; with `confirms` a picked turn is played by a press of its own, and can be gone back in."""

    game: AnyGame
    posed: Posed
    words: Words
    confirms: bool = False
    flipped: bool = False

    @property
    def options(self) -> Any:
        """The options of the game."""
        return self.game.choose(dict(self.posed.puzzle.options))

    @property
    def start(self) -> Position[Any]:
        """The position of the puzzle."""
        start: Position[Any] = self.game.notation.parse_position(self.posed.puzzle.position, self.options)
        return start

    @property
    def title(self) -> str:
        """The headline."""
        name = game_title(self.game, dict(self.posed.puzzle.options), self.words)
        return self.words("bot.puzzle.played" if self.posed.played else "bot.puzzle.title", game=name)

    @property
    def ways_on(self) -> Sequence[PuzzleStep]:
        """What can be asked for in the middle of the puzzle."""
        return PuzzleStep.AGAIN, PuzzleStep.SOLUTION

    def instructions(self) -> Sequence[str]:
        """Return the lines under what is said of a board to pick on."""
        return (self.typed,)

    @property
    def typed(self) -> str:
        """The line that says how a turn is typed."""
        return self.words("bot.puzzle.how", command="/puzzle")

    def seat_and_side(self, seat: Seat) -> str:
        """Return the name of a side alone; see `seat`."""
        return self.seat(seat)

    def seat(self, seat: Seat) -> str:
        """Return a side's name, or its number."""
        return side_name(self.game, seat, self.words)

    def button(self, what: PuzzleStep) -> Button:
        """Return a button of this puzzle."""
        data = CallbackData(Verb.PUZZLE, self.posed.id, 0, what)
        style: ButtonStyle = "good" if what == PuzzleStep.SOLVE else "plain"
        return Button(self.words(f"bot.button.puzzle-{what}"), data, style=style)

    def task(self, position: Position[Any]) -> str:
        """Return the sentences that say who is to move and what to find."""
        puzzle, number = self.posed.puzzle, position.to_move.number
        named = f"{self.game.key}.to-move.{number}"
        turn = self.words(named) if self.words.has(named) else self.words("core.to-move", number=number)
        return self.words.count(f"bot.puzzle.{puzzle.task.value}.{unit(position)}", puzzle.plies, turn=turn)

    def asked(self, position: Position[Any], *said: str) -> View:
        """Return the question to one person, with what is said besides."""
        buttons = (PuzzleStep.SOLUTION, PuzzleStep.NEXT)
        return self._picks(position, self.task(position), *said, buttons=buttons)

    def retried(self, position: Position[Any]) -> View:
        """Return the position in which a turn has failed, to try another."""
        said = self.task(position) if position == self.start else self.words("bot.puzzle.retry")
        return self._picks(position, said, buttons=self.ways_on)

    def partial(self, position: Position[Any], picked: str = "") -> PartialMove:
        """Return a half-made turn from a position; nothing of it is picked without a text."""
        return follow(self.game, position, Selection.read(picked) if picked else Selection())

    def picked(self, partial: PartialMove, mark: int, *said: str) -> View:
        """Return the board with the half-made turn, after some words or what is picked so far."""
        lines = said or (picking.so_far(self.words, partial) or self.task(partial.start),)
        return self._half(partial, mark, picking.board(self.game, partial), *lines)

    def solved(self, position: Position[Any], turn: JudgedTurn, *said: str) -> View:
        """Return the answer to a solution, with what is said besides."""
        diagram = self.game.draw(turn.after, Highlights(last=turn.moves, before=position))
        key = _SOLVED[self.posed.puzzle.task]
        return self._view(diagram, self.words(key), *said, buttons=(self.button(PuzzleStep.NEXT),))

    def failed(self, position: Position[Any], turn: JudgedTurn) -> View:
        """Return the answer to a wrong turn: what refutes it, on a board, and why."""
        moves = " ".join(map(self.game.notation.format, turn.moves))
        diagram = self.game.draw(turn.after, Highlights(last=turn.moves, before=position))
        lines = [self.words("bot.puzzle.failed", moves=moves)]
        marks: tuple[Mark, ...] = ()
        if (reply := turn.reply) is not None:
            coach = explained_reply(self.game, turn.after, reply, self.words, self.phrase)
            diagram, lines, marks = coach.diagram, [*lines, *coach.lines], coach.marks
            if further := variation_text(self.game, turn.after, reply.line, _MORE, skip=1):
                lines.append(self.words("bot.puzzle.further", moves=further))
            if reply.plies is None:
                lines.append(self.words("bot.puzzle.not-forced"))
        steps = (PuzzleStep.RETRY, PuzzleStep.SOLUTION, PuzzleStep.NEXT)
        view = self._view(diagram, *lines, buttons=map(self.button, steps))
        return replace(view, alt=cut(" ".join((*marked(marks, self.words), view.alt)), ALT))

    def phrase(self, phrase: Phrase) -> str:
        """Return a phrase of the game, with the names of sides in place of seats."""
        fields = {
            key: self.seat(value) if isinstance(value, Seat) else value
            for key, value in phrase.fields.items()
        }
        return self.words(phrase.key, **fields)

    def goes_on(self, position: Position[Any], turn: JudgedTurn) -> View:
        """Return the board in the middle of a turn."""
        diagram = self.game.draw(turn.after, Highlights(last=turn.moves, before=position))
        said = self.words.count("bot.puzzle.goes-on", turn.after.plies_left)
        return self._picks(turn.after, said, diagram=diagram)

    def answered(self, turn: JudgedTurn) -> View:
        """Return the answer to a right turn: the other side's best reply."""
        diagram = self.game.draw(turn.here, Highlights(last=turn.answer, before=turn.after))
        reply = " ".join(map(self.game.notation.format, turn.answer))
        said = self.words("bot.puzzle.right", moves=reply)
        return self._picks(turn.here, said, diagram=diagram, buttons=self.ways_on)

    def solution(self, position: Position[Any], best: Variation, moves: str) -> View:
        """Return the solution from a position; `moves` is its text."""
        said = self.words("bot.puzzle.solution", moves=moves)
        buttons = map(self.button, (PuzzleStep.AGAIN, PuzzleStep.NEXT))
        diagram, mover = self.game.draw(position), position.to_move
        return self._view(diagram, said, value_text(best, position, self.words), mover=mover, buttons=buttons)

    def _picks(
        self,
        position: Position[Any],
        *said: str,
        diagram: Diagram | None = None,
        buttons: Sequence[PuzzleStep] = (),
    ) -> View:
        mark = mark_of(self.game.notation.format_position(position))
        shown = diagram or self.game.draw(position)
        return self._half(self.partial(position), mark, shown, *said, *self.instructions(), buttons=buttons)

    def _half(
        self,
        partial: PartialMove,
        mark: int,
        diagram: Diagram,
        *lines: str,
        buttons: Sequence[PuzzleStep] = (),
    ) -> View:
        target = PickTarget(self.posed.id, mark, picks=Verb.PICK, plays=Verb.TRY)
        keys, on_grid = grid(self.game, target, partial, diagram, flipped=self.flipped)
        ways = picking.ways(self.words, target, partial, on_grid, confirms=self.confirms)
        prompt = picking.prompted(self.words, target, partial)
        mover = partial.start.to_move
        view = self._view(
            diagram, *lines, mover=mover, after=(prompt,), buttons=(*ways, *map(self.button, buttons))
        )
        picked = str(partial.selection)
        begun = Picking(self.game, partial.start, picked, target.pick(Selection()), target.plays, self.typed)
        return replace(view, grid=keys, picking=begun)

    @property
    def _seats(self) -> Sequence[Seat]:
        return [Seat(number) for number in range(self.game.seats(self.options))]

    def _view(
        self,
        diagram: Diagram,
        *lines: str,
        mover: Seat | None = None,
        after: tuple[str, ...] = (),
        buttons: Iterable[Button] = (),
    ) -> View:
        said = " ".join(sentence(line, self.words) for line in (*lines, *after))
        alt = cut(f"{said} {position_text(diagram, self, ALT - length(said) - 1)}", ALT)
        return View(
            lines=(self.title, *lines),
            diagram=diagram,
            after=after,
            buttons=tuple(buttons),
            alt=alt,
            roster=tuple(RosterLine(seat, self.seat(seat)) for seat in self._seats),
            strip=Strip(tuple(StripLine(self.seat(seat), seat, seat == mover) for seat in self._seats)),
            position=position_text(diagram, self, POSITION),
            flipped=self.flipped,
        )


_C = TypeVar("_C", bound=PuzzleCard)

Tries: TypeAlias = Callable[[str], Awaitable[Sequence[Message]]]  # tries a turn, and returns the answers

_READINGS: Final = 5  # of a typed turn that are offered


def at_position(context: Context, card: _C, text: str) -> tuple[_C, Position[Any]]:
    """Return a card, seen from the side that is to move in a position if the visitor wants that; and the position."""
    position = card.game.notation.parse_position(text, card.options)
    return replace(card, flipped=context.flip and position.to_move is Seat.S2), position


async def typed(
    context: Context, card: PuzzleCard, position: Position[Any], tries: Tries
) -> Sequence[Message]:
    """Try a typed turn; ask first where its Cyrillic letters may stand for several."""
    text = context.command.rest.strip()
    readings = legal_readings(card.game, position, text) or [text]
    if len(readings) > 1:
        lines = [f"/{context.command.name} {move}" for move in readings[:_READINGS]]
        return [await error_handling.question(context, lines)]
    return await tries(readings[0])


async def picked(
    context: Context, card: PuzzleCard, position: Position[Any], button: CallbackData, tries: Tries
) -> Sequence[Message]:
    """Show a half-made turn; try a whole one, or show it first where it is to be confirmed."""
    if button.verb is Verb.TRY:
        return await tries(button.argument)
    found = await taps.picked(context, button, card.game, position)
    if found is None:
        return []
    turn, _ = found
    if turn.moves and not card.confirms:
        return await tries(turn.selection.moves)
    return [context.private(card.picked(turn, button.seen))]
