"""How many presses a turn takes from the keys of the board on, with the press of Play, at each place where moves are picked."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from heapq import heappop, heappush
from statistics import mean
from typing import Any, Final

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import words as words_for
from bot.chat.presenting import picking
from bot.chat.presenting.naming import Presentation
from bot.chat.presenting.selection import Selection, follow, read_pick, turn_over
from bot.chat.view import View
from bot.platforms.discord.rendering import Select, arranged
from bot.platforms.page.board import pick_from
from bot.platforms.page.wire import PageStep
from bot.platforms.telegram.rendering import NOTHING, keyboard
from play.actions.playing import MakeMove
from play.match import Match
from play.request import Request
from rules.core import Position, Square, take, walk
from tests.bot.world import World

SELECTING: Final = 2
"""Presses of an entry of a list: it is opened first."""

ROUNDS: Final = 12
PLIES: Final = {"lgame": 12, "breakthrough": 40, "klopodavka": 80}
"""How many positions are looked at, and after at most how many plies."""

Shown = Callable[[View], Iterator[tuple[CallbackData, int]]]
"""What can be pressed under a view, and how many presses it takes."""


def telegram(view: View) -> Iterator[tuple[CallbackData, int]]:
    """In a private chat, and in a group once Move is pressed."""
    made = keyboard(view)
    for row in made.inline_keyboard if made else ():
        for key in row:
            if not str(key.callback_data).startswith(NOTHING):
                yield CallbackData.unpack(str(key.callback_data)), 1


def discord(view: View) -> Iterator[tuple[CallbackData, int]]:
    """In the private message that Move opens."""
    for row in arranged(view):
        if isinstance(row, Select):
            yield from ((CallbackData.unpack(packed), SELECTING) for _, packed in row.entries)
        else:
            yield from ((CallbackData.unpack(key.id), 1) for key in row if key.shade != "dead")


def room(view: View) -> Iterator[tuple[CallbackData, int]]:
    """By number; what completes the turn plays it."""
    yield from ((button.data, 1) for button in view.buttons)


PLACES: Final[Mapping[str, Shown]] = {"telegram": telegram, "discord": discord, "room": room}


class Turn:
    """A turn that a person has in mind, and what they are shown on the way to it."""

    def __init__(self, presentation: Presentation, moves: Sequence[Any], place: str) -> None:
        self.presentation, self.place = presentation, place
        self.game, self.start = presentation.game, presentation.course.position
        self.texts = tuple(map(self.game.notation.format, moves))
        self.paths: list[tuple[str, ...]] = []
        self.squares: list[list[set[Square]]] = []  # of each step of these
        position = self.start
        for move in moves:
            fork = partial(self.game.fork, position)
            path, _ = walk(fork, self.game.notation.steps(move))
            self.squares.append([set(take(fork(path[:at]), token).squares) for at, token in enumerate(path)])
            self.paths.append(path)
            position = position.play(move)

    def leads(self, picked: Selection) -> bool:
        """Whether what is picked is a part of it."""
        done, at = len(picked.plies), len(picked.tokens)
        if done == len(self.texts) or picked.plies != self.texts[:done]:
            return picked == Selection(self.texts)
        left = self.squares[done][at:] if at else self.squares[done][:1]
        held = not picked.taps or any(each.issuperset(picked.taps) for each in left)
        return held and picked.tokens == self.paths[done][:at]

    def ways(self, view: View, now: Selection) -> Iterator[tuple[Selection | None, int, str]]:
        """Every press that leads on: to what, None where it plays the turn; how many presses it is, and its data."""
        for data, cost in PLACES[self.place](view):
            if data.verb is Verb.MOVE:
                moves = self.game.notation.parse(data.argument, self.start)
                if tuple(map(self.game.notation.format, moves)) == self.texts:
                    yield None, cost, data.pack()
            elif data.verb is Verb.STEP:
                further = follow(self.game, self.start, read_pick(data.argument)[0])
                if _size(further.selection) > _size(now) and self.leads(further.selection):
                    plays = further.whole and self.place == "room"
                    yield None if plays else further.selection, cost, data.pack()

    def shown(self, picked: Selection) -> View:
        """What is shown of a half-made move."""
        made = follow(self.game, self.start, picked)
        return picking.choose(self.presentation, made, confirms=self.place != "room")

    def fewest(self) -> int:
        """The presses of a person who knows all keys."""
        waiting: list[tuple[int, str, Selection | None]] = [(0, "", Selection())]
        seen: set[str] = set()
        while True:
            presses, _, picked = heappop(waiting)
            if picked is None:
                return presses
            if str(picked) not in seen:
                seen.add(str(picked))
                for further, cost, data in self.ways(self.shown(picked), picked):
                    heappush(waiting, (presses + cost, data, further))

    def touched(self, luck: random.Random) -> int:
        """The presses of a person who touches its squares in any order, and keys with words where they play it, or no square
        helps; of several placements that hold two cells, the key of one.
        """
        picked: Selection | None = Selection()
        presses = 0
        while picked is not None:
            view = self.shown(picked)
            ways = list(self.ways(view, picked))
            squares, held = _squares(view), len(picked.taps) > 1
            plays = [way for way in ways if way[0] is None]
            picked, cost, _ = luck.choice(
                plays or [way for way in ways if (way[2] in squares) is not held] or ways
            )
            presses += cost
        return presses


def on_page(turn: Turn, luck: random.Random) -> int:
    """The presses of a person who touches the board of the page, and the keys beside it where they say all, or no square helps."""
    game, words = turn.game, turn.presentation.words
    picked, presses = Selection(), 0
    while True:
        pick = pick_from(game, words, follow(game, turn.start, picked), flipped=False)
        if pick.node is None or picked.plies == turn.texts:
            return presses + pick.gathers  # Play, where moves are confirmed
        left = "/".join(turn.paths[len(picked.plies)][len(picked.tokens) :])
        step = [each for each in pick.node.steps if f"{left}/".startswith(f"{each.path}/")][-1]
        presses += _touches(pick.node.steps, step, luck)
        tokens = (*picked.tokens, *step.path.split("/"))
        picked = follow(game, turn.start, Selection(picked.plies, tokens)).selection


def _touches(steps: Sequence[PageStep], step: PageStep, luck: random.Random) -> int:
    if len(step.squares) < 2:
        return 1
    one, other = luck.sample(step.squares, 2)
    if sum(one in each.squares for each in steps) == 1:
        return 1
    # Two squares that leave several placements show a key for each.
    return 2 + (sum({one, other} <= set(each.squares) for each in steps) > 1)


def _squares(view: View) -> set[str]:
    cells = [cell.data for row in view.grid.rows for cell in row] if view.grid else []
    return {data.pack() for data in cells if data}


def _size(picked: Selection) -> tuple[int, int, int]:
    return len(picked.plies), len(picked.tokens), len(picked.taps)


async def grown(world: World, match: Match, luck: random.Random, plies: int) -> Match:
    """A match after random moves, where a turn begins; it is still played."""
    notation = world.table.games[match.game].notation
    while plies > 0 or world.table.position(match).plies_left < world.table.position(match).turn_length:
        position = world.table.position(match)
        mover = match.chairs[position.to_move].player
        assert mover is not None
        text = notation.format(luck.choice(position.legal_moves()))
        moved = (await world.table.act(match.id, MakeMove(text), Request(mover, world.now))).match
        if not moved.live:
            break
        match, plies = moved, plies - 1
    return match


def turn_in(position: Position[Any], kind: str, luck: random.Random) -> list[Any]:
    """A turn at random; nothing where there is none of the kind."""
    legal = position.legal_moves()
    if kind in ("kept", "moved"):
        legal = [move for move in legal if bool(move.lifted) is (kind == "moved")]
        return [luck.choice(legal)] if legal else []
    made: list[Any] = []
    while not turn_over(position, here := _after(position, made)):
        moves = here.legal_moves()
        if kind == "near" and made:
            first = made[0].square
            moves = sorted(
                moves, key=lambda m: max(abs(m.square.file - first.file), abs(m.square.rank - first.rank))
            )[:3]
        made.append(luck.choice(moves))
    return made


def _after(position: Position[Any], moves: Sequence[Any]) -> Position[Any]:
    for move in moves:
        position = position.play(move)
    return position


Bounds = tuple[int, int]

FOUR: Final[Mapping[str, Bounds]] = {"telegram": (4, 4), "discord": (4, 4), "room": (3, 3), "page": (4, 4)}


@pytest.mark.parametrize(
    ("game", "options", "kind", "bounds"),
    [
        ("lgame", {}, "kept", {"telegram": (2, 4), "discord": (3, 4), "room": (2, 2), "page": (4, 4)}),
        ("lgame", {}, "moved", {"telegram": (2, 4), "discord": (3, 4), "room": (3, 3), "page": (4, 4)}),
        ("breakthrough", {}, "any", {"telegram": (2, 2), "discord": (2, 2), "room": (2, 2), "page": (2, 2)}),
        ("klopodavka", {"board": "8x8"}, "any", FOUR),
        ("klopodavka", {"board": "10x10"}, "near", FOUR),
        ("klopodavka", {"board": "20x20"}, "near", FOUR),
        ("klopodavka", {"board": "20x20"}, "any", {**FOUR, "discord": (6, 6)}),
    ],
)
async def test_a_turn_takes_few_presses(
    game: str,
    options: Mapping[str, str],
    kind: str,
    bounds: Mapping[str, Bounds],
    record_property: Callable[[str, object], None],
) -> None:
    luck = random.Random(f"{game} {options} {kind}")
    found: dict[str, list[Bounds]] = {place: [] for place in (*PLACES, "page")}
    for _ in range(ROUNDS):
        world = World()
        match = await grown(world, await world.begin(game, options), luck, luck.randrange(PLIES[game]))
        presentation = world.present(match, words_for("en"))
        if moves := turn_in(presentation.course.position, kind, luck):
            for place in PLACES:
                turn = Turn(presentation, moves, place)
                found[place].append((turn.fewest(), turn.touched(luck)))
            taps = [on_page(Turn(presentation, moves, "page"), luck) for _ in range(4)]
            found["page"].append((min(taps), max(taps)))
    for place, counted in found.items():
        few, touched = zip(*counted, strict=True)
        figures = f"{mean(few):.1f}, at most {max(few)}; touching {mean(touched):.1f}, at most {max(touched)}"
        record_property(f"{game} {options} {kind}, {place}", figures)
        assert max(few) <= bounds[place][0], (place, figures)
        assert max(touched) <= bounds[place][1], (place, figures)
