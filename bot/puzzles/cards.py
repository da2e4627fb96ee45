"""Puzzles: the question on a board that can be pressed, and what is said of an answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from bot.callback_data import CallbackData, PuzzleStep, Verb
from bot.i18n import Words
from bot.presenter import picking
from bot.presenter.button_grid import grid
from bot.presenter.captions import ALT, cut, length, sentence
from bot.presenter.naming import game_title
from bot.presenter.position import POSITION, position_text
from bot.presenter.selection import PartialMove, PickTarget, Selection, follow
from bot.presenter.variations import value_text, variation_text
from bot.puzzles.library import Posed, number_of
from bot.thinking.jobs import Variation
from bot.view import Button, RosterLine, View
from engine.core import Task
from render.picture import Strip, StripLine
from rules.core import AnyGame, Diagram, Highlights, Position, Seat

MORE: Final = 2
"""Turns that are told after the answer to what was wrong."""
ENOUGH: Final = 4
"""Turns that are told of a solution that is no win."""

_MARKS: Final = 36**4


def mark_of(position: str) -> int:
    """What the buttons of a position say of it, so that old ones are known."""
    return number_of(position) % _MARKS


@dataclass(frozen=True, slots=True)
class Card:
    """What is said of one puzzle, to one person.

    Attributes:
        game: Of it.
        options: Of the game.
        posed: The puzzle.
        words: The language.
        confirms: Whether a turn that is picked is played by a press of its own, and can be gone back in.
        flipped: Whether boards are shown as the side at the top sees them.
    """

    game: AnyGame
    options: Any
    posed: Posed
    words: Words
    confirms: bool = False
    flipped: bool = False

    @property
    def title(self) -> str:
        """The puzzle as a headline."""
        name = game_title(self.game, dict(self.posed.puzzle.options), self.words)
        return self.words("bot.puzzle.played" if self.posed.played else "bot.puzzle.title", game=name)

    def side(self, _seat: Seat) -> None:
        """Sides have no other names here than those that stand for players; see `seat`."""

    def seat(self, seat: Seat) -> str:
        """A side by what it is called, or by its number."""
        key = f"{self.game.key}.seat.{seat.number}"
        return self.words(key) if self.words.has(key) else self.words.show(seat)

    def button(self, what: PuzzleStep) -> Button:
        """Something to press about this puzzle."""
        data = CallbackData(Verb.PUZZLE, self.posed.id, 0, what)
        return Button(
            self.words(f"bot.button.puzzle-{what}"),
            data,
            style="good" if what == PuzzleStep.SOLVE else "plain",
        )

    def task(self, seat: Seat) -> str:
        """What is to be found."""
        who, puzzle = self.seat(seat), self.posed.puzzle
        key = "bot.puzzle.win" if puzzle.task is Task.WIN else "bot.puzzle.save"
        return self.words.count(key, puzzle.plies, name=who)

    def invitation(self, position: Position[Any], *before: str) -> View:
        """Return the question as a place sees it; each person solves it on a board of their own."""
        lines = (self.words("bot.puzzle.daily"), *before, self.task(position.to_move))
        mover = position.to_move
        return self._view(
            self.game.draw(position), *lines, mover=mover, buttons=(self.button(PuzzleStep.SOLVE),)
        )

    def asked(self, position: Position[Any]) -> View:
        """The question, to one person."""
        return self._picks(
            position, self.task(position.to_move), buttons=(PuzzleStep.SOLUTION, PuzzleStep.NEXT)
        )

    def picked(self, partial: PartialMove, mark: int) -> View:
        """The board with what is picked so far."""
        said = picking.so_far(self.words, partial) or self.task(partial.start.to_move)
        return self._half(partial, mark, picking.board(self.game, partial), said)

    def solved(
        self, position: Position[Any], moves: Sequence[Any], after: Position[Any], solvers: int = 0
    ) -> View:
        """It is solved; of the day's, also how many in the chat have solved it, where that is known."""
        diagram = self.game.draw(after, Highlights(last=moves, before=position))
        key = "bot.puzzle.solved" if self.posed.puzzle.task is Task.WIN else "bot.puzzle.saved"
        lines = [self.words(key)]
        if solvers:
            lines.append(self.words.count("bot.puzzle.solvers", solvers))
        return self._view(diagram, *lines, buttons=(self.button(PuzzleStep.NEXT),))

    def failed(
        self, position: Position[Any], moves: Sequence[Any], after: Position[Any], reply: Variation | None
    ) -> View:
        """It was not that; and why."""
        lines = [self.words("bot.puzzle.failed", moves=" ".join(map(self.game.notation.format, moves)))]
        if reply is not None:
            lines.append(self.words("bot.puzzle.refuted", moves=" ".join(reply.turn)))
            if further := variation_text(self.game, after, reply.line, MORE, skip=1):
                lines.append(self.words("bot.puzzle.further", moves=further))
            if reply.plies is None:
                lines.append(self.words("bot.puzzle.not-forced"))
        diagram = self.game.draw(after, Highlights(last=moves, before=position))
        return self._view(
            diagram,
            *lines,
            buttons=map(self.button, (PuzzleStep.AGAIN, PuzzleStep.SOLUTION, PuzzleStep.NEXT)),
        )

    def goes_on(self, position: Position[Any], moves: Sequence[Any], after: Position[Any]) -> View:
        """The turn is not finished."""
        diagram = self.game.draw(after, Highlights(last=moves, before=position))
        return self._picks(after, self.words.count("bot.puzzle.goes-on", after.plies_left), diagram=diagram)

    def answered(self, before: Position[Any], reply: Variation, here: Position[Any]) -> View:
        """Right so far: the other side's best answer, and on."""
        moves, at = [], before
        for ply in reply.turn:
            (move,) = self.game.notation.parse(ply, at)
            at = at.play(move)
            moves.append(move)
        diagram = self.game.draw(here, Highlights(last=moves, before=before))
        said = self.words("bot.puzzle.right", moves=" ".join(reply.turn))
        return self._picks(here, said, diagram=diagram, buttons=(PuzzleStep.AGAIN, PuzzleStep.SOLUTION))

    def solution(self, position: Position[Any], best: Variation, plies: Sequence[str]) -> View:
        """How it goes; what is no win is told only as far as it matters."""
        most = None if best.plies is not None and best.value > 0 else ENOUGH
        moves = variation_text(self.game, position, plies, most)
        said = self.words("bot.puzzle.solution", moves=moves)
        buttons = map(self.button, (PuzzleStep.AGAIN, PuzzleStep.NEXT))
        diagram, mover = self.game.draw(position), position.to_move
        return self._view(diagram, said, value_text(best, self.words), mover=mover, buttons=buttons)

    def _picks(
        self,
        position: Position[Any],
        said: str,
        *,
        diagram: Diagram | None = None,
        buttons: Sequence[PuzzleStep] = (),
    ) -> View:
        """A position from which a turn is picked."""
        partial = follow(self.game, position, Selection())
        mark = mark_of(self.game.notation.format_position(position))
        how = self.words("bot.puzzle.how", command="/puzzle")
        return self._half(partial, mark, diagram or self.game.draw(position), said, how, buttons=buttons)

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
        return replace(view, grid=keys)

    @property
    def _seats(self) -> Sequence[Seat]:
        return [Seat(number) for number in range(self.game.seats(self.options))]

    def _line(self, seat: Seat, mover: Seat | None) -> StripLine:
        return StripLine(self.seat(seat), seat, seat == mover)

    def _view(
        self,
        diagram: Diagram,
        *lines: str,
        mover: Seat | None = None,
        after: tuple[str, ...] = (),
        buttons: Iterable[Button] = (),
    ) -> View:
        """A board with words, who has which pieces and who is on turn, and what can be pressed."""
        said = " ".join(sentence(line, self.words) for line in (*lines, *after))
        alt = cut(f"{said} {position_text(diagram, self, ALT - length(said) - 1)}", ALT)
        return View(
            lines=(self.title, *lines),
            diagram=diagram,
            after=after,
            buttons=tuple(buttons),
            alt=alt,
            roster=tuple(RosterLine(seat, self.seat(seat)) for seat in self._seats),
            strip=Strip(tuple(self._line(seat, mover) for seat in self._seats)),
            position=position_text(diagram, self, POSITION),
            flipped=self.flipped,
        )
