"""Puzzles: the question on a board, and what is said of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from bot.actions import Action, Verb
from bot.i18n import Words
from bot.presenter.captions import ALT, cut, length, sentence
from bot.presenter.hints import judged
from bot.presenter.naming import setup
from bot.presenter.orders import NO_MATCH
from bot.presenter.position import position_text
from bot.thinking.jobs import Line
from bot.view import Button, View
from engine.core import Puzzle, Task
from rules.core import AnyGame, Diagram, Position, Seat

NEXT: Final = "next"
AGAIN: Final = "again"
SOLUTION: Final = "show"


@dataclass(frozen=True, slots=True)
class Card:
    """What is said of one puzzle, in one language.

    Attributes:
        game: Of it.
        options: Of the game.
        found: The puzzle.
        number: Among the puzzles of its game.
        words: The language.
    """

    game: AnyGame
    options: Any
    found: Puzzle
    number: int
    words: Words

    @property
    def title(self) -> str:
        """The puzzle as a headline."""
        name = setup(self.game, dict(self.found.options), self.words)
        return self.words("bot.puzzle.title", game=name, number=self.number + 1)

    def side(self, _seat: Seat) -> None:
        """Sides have no other names here than those that stand for players; see `seat`."""

    def seat(self, seat: Seat) -> str:
        """A side by what it is called, or by its number."""
        key = f"{self.game.key}.seat.{seat.number}"
        return self.words(key) if self.words.has(key) else self.words("bot.puzzle.seat", number=seat.number)

    def view(self, diagram: Diagram, *lines: str, buttons: Sequence[Button] = ()) -> View:
        """A board with words, and what can be pressed."""
        said = " ".join(sentence(line, self.words) for line in lines)
        alt = cut(f"{said} {position_text(diagram, self, ALT - length(said) - 1)}", ALT)
        return View(lines=(self.title, *lines), diagram=diagram, buttons=tuple(buttons), alt=alt)

    def button(self, what: str) -> Button:
        """Something to press about this puzzle."""
        action = Action(Verb.PUZZLE, NO_MATCH, 0, f"{what} {self.game.key} {self.number}")
        return Button(self.words(f"bot.button.puzzle-{what}"), action)

    def task(self, seat: Seat) -> str:
        """What is to be found."""
        who = self.seat(seat)
        if self.found.task is Task.WIN:
            return self.words.count("bot.puzzle.win", self.found.plies, name=who)
        return self.words("bot.puzzle.save", name=who)

    def solved(self, position: Position[Any], moves: Sequence[Any], after: Position[Any]) -> View:
        """It is solved."""
        diagram = self.game.draw(after, last=moves, before=position)
        key = "bot.puzzle.solved" if self.found.task is Task.WIN else "bot.puzzle.saved"
        return self.view(diagram, self.words(key), buttons=(self.button(NEXT),))

    def failed(
        self, position: Position[Any], moves: Sequence[Any], after: Position[Any], reply: Line | None
    ) -> View:
        """It was not that; and why."""
        lines = [self.words("bot.puzzle.failed", moves=" ".join(map(self.game.notation.format, moves)))]
        if reply is not None:
            lines.append(self.words("bot.puzzle.refuted", moves=" ".join(reply.line)))
            if reply.plies is None:
                lines.append(self.words("bot.puzzle.not-forced"))
        diagram = self.game.draw(after, last=moves, before=position)
        return self.view(
            diagram, *lines, buttons=(self.button(AGAIN), self.button(SOLUTION), self.button(NEXT))
        )

    def goes_on(self, position: Position[Any], moves: Sequence[Any], after: Position[Any]) -> View:
        """The turn is not finished."""
        diagram = self.game.draw(after, last=moves, before=position)
        return self.view(diagram, self.words.count("bot.puzzle.goes-on", after.plies_left))

    def answered(self, before: Position[Any], reply: Line, here: Position[Any]) -> View:
        """Right so far: the other side's best answer, and on."""
        moves, at = [], before
        for ply in reply.turn:
            (move,) = self.game.notation.parse(ply, at)
            at = at.play(move)
            moves.append(move)
        diagram = self.game.draw(here, last=moves, before=before)
        said = self.words("bot.puzzle.right", moves=" ".join(reply.turn))
        return self.view(diagram, said, buttons=(self.button(AGAIN), self.button(SOLUTION)))

    def solution(self, position: Position[Any], best: Line) -> View:
        """How it goes."""
        said = self.words("bot.puzzle.solution", moves=" ".join(best.line))
        buttons = (self.button(AGAIN), self.button(NEXT))
        return self.view(self.game.draw(position), said, judged(best, self.words), buttons=buttons)


def asked(
    game: AnyGame,
    options: Any,
    position: Position[Any],
    found: Puzzle,
    words: Words,
    *,
    number: int,
    daily: bool = False,
) -> View:
    """The question."""
    card = Card(game, options, found, number, words)
    lead = (words("bot.puzzle.daily"),) if daily else ()
    example = game.notation.format(position.legal_moves()[0])
    buttons = () if daily else (card.button(SOLUTION), card.button(NEXT))
    return card.view(
        game.draw(position),
        *lead,
        card.task(position.to_move),
        words("bot.puzzle.how", example=f"/puzzle {example}"),
        buttons=buttons,
    )
