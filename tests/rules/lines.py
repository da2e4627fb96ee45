"""The material of the conformance suite: random games, and lines that people type."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rules.core import AnyGame
from tests.rules.cases import Case

# Random games, the material of the conformance suite.


@dataclass(frozen=True, slots=True, repr=False)
class Line:
    """A game played at random: `moves[n]`, drawn with the seed, leads from `positions[n]` to the next.

    A `thorough` one is looked at in more positions, and at all moves of each.
    """

    case: Case
    seed: int
    options: Any
    positions: Sequence[Any]
    moves: Sequence[Any]
    thorough: bool = False

    def __repr__(self) -> str:
        return f"{self.case} seed {self.seed}, {len(self.moves)} plies"

    @property
    def game(self) -> AnyGame:
        return self.case.game

    @property
    def chance(self) -> random.Random:
        return random.Random(f"{self.case}/{self.seed}")

    def looks(self) -> Sequence[int]:
        """Which positions to look at closely: the first two, the last two, some between."""
        last = len(self.positions) - 1
        middle = self.chance.choices(range(last + 1), k=6 if self.thorough else 2)
        return sorted({0, min(1, last), max(last - 1, 0), last, *middle})

    def some(self, moves: Sequence[Any], count: int) -> Sequence[Any]:
        """All of the moves, or a sample of so many where a sample must do."""
        if self.thorough or len(moves) <= count:
            return moves
        return self.chance.sample(list(moves), count)

    def going(self) -> Iterator[tuple[int, Any]]:
        """The positions to look at in which the game goes on."""
        return ((at, self.positions[at]) for at in self.looks() if self.positions[at].outcome is None)

    def turns(self) -> Iterator[tuple[Any, list[Any], Any]]:
        """Each whole turn: the position before it, its plies, the position after it."""
        begun = 0
        for at, (position, after) in enumerate(zip(self.positions, self.positions[1:], strict=False)):
            if position.plies_left == position.turn_length:
                begun = at
            if position.plies_left == 1 or after.outcome or after.to_move != position.to_move:
                yield self.positions[begun], list(self.moves[begun : at + 1]), after
                begun = at + 1


def play_out(case: Case, seed: int, *, thorough: bool = False) -> Line:
    """A random game to its end, or as far as twice the board's cells in plies.

    Twice, since in a game where each ply fills a cell or changes for ever what stands there that is an end.
    """
    options = case.options
    position = case.game.start(options)
    chance = random.Random(f"{case}/{seed}/moves")
    positions, moves = [position], []
    for _ in range(max(60, 2 * len(case.game.draw(position).grid))):
        legal = position.legal_moves()
        if not legal:
            break
        moves.append(chance.choice(legal))
        position = position.play(moves[-1])
        positions.append(position)
    return Line(case, seed, options, positions, moves, thorough)


def text(line: Line, position: Any) -> str:
    return f"{line}: {line.game.notation.format_position(position)}"


# Lines that players should not type, and some will.


_ODD = "\0\u200e\u200f\u202e\u2066\u00a0\u00ad\ufeff😀🏁٣४９ⅷ①ß" + "‐–—×ı"
_SHARED = "0123456789abcdefghnrxL -,.:;/#*()?!'\"\\\t\n"

ALPHABETS = {
    "en": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюяАБВГҐДЕЄЖЗИІЇЙКЛМНОПРСТУФХЦЧШЩЬЮЯ’",
    "ru": "абвгдеёжзийклмнопрстуфхцчшщъыьэюяАБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ",
}
_CYRILLIC = str.maketrans("aceopxbhkmtiyACEOPXBHKMTIY", "асеорхвнкмтіуАСЕОРХВНКМТІУ")


def line(language: str, chance: random.Random, near: Sequence[str]) -> str:
    """One line: noise of a language's letters, or a move of this game as a player might mistype it."""
    letters = ALPHABETS[language] + _SHARED + _ODD
    match chance.randrange(8):
        case 0:
            return "".join(chance.choices(letters, k=chance.randrange(40)))
        case 1:
            return chance.choice(letters) * chance.choice((1, 7, 400, 10_000))
        case 2:
            return f"{chance.choice('abcdz')}{chance.choice((0, 9**99, -1, '007', '٣', 10**399))}"
        case 3:
            return " ".join(chance.choices([*near, *letters], k=chance.randrange(1, 12)))
        case 4:
            return cyrillic(chance.choice(near)).swapcase()
        case _:
            return mutated(chance.choice(near), letters, chance)


def mutated(text: str, letters: str, chance: random.Random) -> str:
    """A text with a few characters dropped, doubled, swapped or replaced."""
    marks = list(text)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(marks) + 1)
        match chance.randrange(4):
            case 0:
                marks.insert(at, chance.choice(letters))
            case 1:
                marks[at : at + 1] = [chance.choice(letters)]
            case 2:
                del marks[at : at + 1]
            case _:
                marks[at:at] = marks[at : at + 3]
    return "".join(marks)


def cyrillic(text: str) -> str:
    """The text as typed on a Cyrillic keyboard, as far as letters look alike."""
    return text.translate(_CYRILLIC)
