"""The ideas of the games on boards: what they say is true, and the pages for players show the same ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import pytest

from bot.chat.callback_data import CallbackData
from bot.chat.i18n import LANGUAGES
from bot.chat.i18n import words as words_for
from bot.chat.i18n.catalogue import ROOT
from bot.chat.presenting.cards import NUMBER
from bot.features.rules_cards import first_of
from engine import engine_for, specialist_of
from engine.core import Budget, GameValue, SearchResult
from engine.lgame.puzzles import KILLERS
from engine.lgame.table_engine import names, solution
from rules import GAMES
from rules.breakthrough import BreakthroughPosition
from rules.core import Kind, Lesson, OneOf, Position, Seat, Square, sq
from rules.klopodavka import KlopodavkaPosition
from rules.klopodavka.options import Finish
from rules.klopodavka.position import bases_held
from rules.klopodavka.reach import could_ever, reach
from rules.lgame.board import AXES, FULL, bits, fitting, half_turn, images, mask_of, squares
from tests.bot.world import ANN, World
from tests.engine.lgame.solving import arrangements

PAGES = ROOT / "docs" / "rules"
EVERY = [(key, lesson) for key in GAMES for lesson in GAMES[key].lessons]
SIGNS = {Kind.MAN: "WB", Kind.BUG: "ABCD", Kind.WALL: "#%&$", Kind.TILE: "12"}
ARROW = "  →  "


def named(each: object) -> str | None:
    return each.key if isinstance(each, Lesson) else None


def start_of(game: str, lesson: Lesson) -> Position[Any]:
    options = GAMES[game].choose(dict(lesson.options))
    position: Position[Any] = GAMES[game].notation.parse_position(lesson.position, options)
    return position


def after(game: str, lesson: Lesson) -> Position[Any]:
    position = start_of(game, lesson)
    for move in GAMES[game].notation.parse(lesson.turn, position) if lesson.turn else ():
        position = position.play(move)
    return position


def lesson_of(game: str, key: str) -> Lesson:
    return next(each for each in GAMES[game].lessons if each.key == key)


def ranks(game: str, position: Position[Any], marked: Sequence[Square]) -> list[str]:
    """A board as the pages print it, the top rank first; marked cells with nothing on them are an x."""
    diagram = GAMES[game].draw(position)

    def sign(square: Square) -> str:
        piece = diagram.at(square)
        if piece is None:
            return "x" if square in marked else "."
        return "o" if piece.owner is None else SIGNS[piece.kind][piece.owner]

    files = range(diagram.grid.files)
    rows = [
        f"{rank + 1}  " + " ".join(sign(Square(file, rank)) for file in files)
        for rank in reversed(range(diagram.grid.ranks))
    ]
    return [*rows, "   " + " ".join(chr(ord("a") + file) for file in files)]


def block(game: str, lesson: Lesson) -> str:
    """The block of a lesson on a page: the board, or before and after its turn."""
    marked = [sq(name) for name in lesson.squares.split()]
    last = ranks(game, after(game, lesson), marked)
    if not lesson.turn:
        return "".join(f"{row}\n" for row in last)
    first = ranks(game, start_of(game, lesson), ())
    middle = len(last) // 2 - 1
    return "".join(
        f"{one}{ARROW if row == middle else ' ' * len(ARROW)}{two}\n"
        for row, (one, two) in enumerate(zip(first, last, strict=True))
    )


def shown(game: str, lesson: Lesson, language: str) -> str:
    """A lesson as a page has it."""
    said = words_for(language)(f"{game}.lesson.{lesson.key}")
    turn = f" (`{lesson.turn}`)" if lesson.turn else ""
    return f"{said}{turn}\n\n```\n{block(game, lesson)}```\n"


@pytest.mark.parametrize(("game", "lesson"), EVERY, ids=named)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pages_have_every_lesson(game: str, lesson: Lesson, language: str) -> None:
    page = (PAGES / language / f"{game}.md").read_text("utf-8")
    assert shown(game, lesson, language) in page


Proof: TypeAlias = Callable[[Lesson, Any, Any, set[Square]], None]
"""Of a lesson, its positions before and after its turn, and its marked squares."""
PROOFS: dict[tuple[str, str], Proof] = {}
CORNERS = mask_of(map(sq, ("a1", "d1", "a4", "d4")))


def proves(game: str, key: str) -> Callable[[Proof], Proof]:
    """Register what shows that the words of a lesson are true."""

    def register(proof: Proof) -> Proof:
        PROOFS[game, key] = proof
        return proof

    return register


def test_every_lesson_has_a_proof() -> None:
    assert PROOFS.keys() == {(game, lesson.key) for game, lesson in EVERY}


@pytest.mark.parametrize(("game", "lesson"), EVERY, ids=named)
def test_what_a_lesson_says_is_true(game: str, lesson: Lesson) -> None:
    marks = set(map(sq, lesson.squares.split()))
    PROOFS[game, lesson.key](lesson, start_of(game, lesson), after(game, lesson), marks)


VARIANTS = [
    (key, option.key, word)
    for key, game in GAMES.items()
    for option in game.schema.options
    if isinstance(option, OneOf)
    for word in option.offered
    if word != option.default
]
NO_IDEA = {"corner", "fence", "first"}
"""Options that change where or when something counts, and bring no idea."""


@pytest.mark.parametrize(("game", "option", "word"), VARIANTS)
def test_every_variant_has_a_board(game: str, option: str, word: str) -> None:
    if option in NO_IDEA:
        return
    chosen = [GAMES[game].describe(GAMES[game].choose(dict(each.options))) for each in GAMES[game].lessons]
    words = {each.get(option) for each in chosen}
    # Two against two shows what holds for teams of any size.
    assert ("2v2" if option == "teams" else word) in words


NAMED = {
    ("breakthrough", "gap"): "gap",
    ("breakthrough", "trade"): "trade",
    ("breakthrough", "harmless"): "misere-stuck",
    ("breakthrough", "fewer"): "misere-stuck",
    ("klopodavka", "blocked"): "win",
    ("klopodavka", "cut"): "cut",
    ("klopodavka", "space"): "fence",
    ("klopodavka", "bases"): "most-bases",
    ("klopodavka", "branch"): "branch",
    ("klopodavka", "fence"): "shut-off",
    ("klopodavka", "surround"): "shut-off",
    ("klopodavka", "anchor"): "win",
    ("lgame", "killer"): "killer",
    ("lgame", "square"): "square-last",
    ("lgame", "half"): "half-last",
    ("lgame", "both-neutrals"): "square-last",
    ("lgame", "points"): "points",
    ("lgame", "mirror"): "mirror",
    ("lgame", "half-turn"): "mirror",
}


@pytest.mark.parametrize(("game", "key"), NAMED)
def test_an_analysis_names_the_idea_of_a_lesson(game: str, key: str) -> None:
    lesson, specialist = lesson_of(game, key), specialist_of(game)
    assert specialist is not None
    here = start_of(game, lesson)
    turn = tuple(GAMES[game].notation.parse(lesson.turn, here))
    found = specialist.idea(here, SearchResult(turn, 0.0, None, turn, 1, 1, 0, "test"))
    assert found is not None
    assert found.phrase.key == f"{game}.idea.{NAMED[game, key]}"
    assert found.reply is not None


@pytest.mark.parametrize(
    ("game", "chosen", "key"),
    [
        ("lgame", {}, "corner"),
        ("lgame", {"variant": "symmetry", "symmetry": "any"}, "any-image"),
        ("breakthrough", {"variant": "misere"}, "harmless"),
        ("klopodavka", {"variant": "hq"}, "branch"),
        ("klopodavka", {"board": "6x6", "topology": "torus"}, "torus"),
        ("klopodavka", {"board": "6x6"}, "link"),
    ],
)
def test_the_rules_of_a_variant_lead_to_its_board(game: str, chosen: dict[str, str], key: str) -> None:
    (button,) = first_of(GAMES[game], chosen, words_for("en"))
    number = int(button.data.argument.partition(NUMBER)[2])
    assert GAMES[game].lessons[number - 1].key == key


@pytest.mark.parametrize(("game", "lesson"), EVERY, ids=named)
async def test_from_a_board_of_a_variant_one_comes_back_to_its_rules(game: str, lesson: Lesson) -> None:
    world, number = World(), GAMES[game].lessons.index(lesson) + 1
    button = first_of(GAMES[game], {}, words_for("en"))[0].data
    opened = replace(button, argument=f"{game}{NUMBER}{number}")
    (board,) = await world.desk.press(world.visitor(ANN), opened)
    data = board.view.buttons[-1].data
    assert data.fits
    (back,) = await world.desk.press(world.visitor(ANN), CallbackData.unpack(data.pack()))
    options = [f"{key}:{value}" for key, value in lesson.options if key != "board"]
    (typed,) = await world.say(ANN, " ".join(("/rules", game, *options)))
    assert back == typed


@proves("lgame", "corner")
def _corner(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    lost = [each for each in arrangements(GAMES["lgame"].choose({})) if each.outcome]
    assert lost
    assert all(each.cells(each.to_move) & CORNERS for each in lost)
    assert before.outcome is not None


@proves("lgame", "killer")
def _killer(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    assert mask_of(marks) == KILLERS
    own, foe = moved.first, moved.second
    assert len(fitting(own | before.neutrals)) - 1 == 10
    assert len([cells for cells in fitting(own | moved.neutrals) if cells != foe]) == 6


@proves("lgame", "square")
def _square(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    assert moved.outcome is not None
    closed = mask_of(marks)
    outside = moved.neutrals & ~closed
    left = {cells for cells in fitting(moved.first | moved.neutrals & closed) if cells != moved.second}
    assert outside == mask_of([sq("a2")])
    assert len(left) == 1
    assert left <= images(AXES)[moved.second]


@proves("lgame", "half")
def _half(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    assert moved.outcome is not None
    half = mask_of(marks)
    assert not moved.first & ~half
    assert not moved.neutrals & half
    assert not any(not cells & ~half & FULL for cells in fitting(moved.first))
    for neutral in bits(moved.neutrals):
        assert len(fitting(moved.first | moved.neutrals ^ neutral)) > 1


@proves("lgame", "soon")
def _soon(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    turns = list(before.legal_moves())
    assert len(turns) == 13
    for turn in turns:
        answered = before.play(turn)
        assert any(answered.play(reply).outcome for reply in answered.legal_moves())
    solved = solution(before.options)
    lost = [
        each
        for each in arrangements(before.options)
        if (left := solved.distance(*names(each))) is not None and left % 2 == 0 and not each.outcome
    ]
    assert len(lost) == 14 * 8  # turned and mirrored ones counted once
    assert all(each.first & CORNERS for each in lost)


@proves("lgame", "both-neutrals")
def _both_neutrals(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    won = [move for move in before.legal_moves() if before.play(move).outcome]
    assert all(move.lifted.bit_count() == 2 for move in won)
    assert moved.outcome is not None
    assert moved.neutrals == mask_of(marks)


@proves("lgame", "points")
def _points(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    assert mask_of(marks) == before.options.painted
    assert moved.scores[Seat.S2] - before.scores[Seat.S2] == 3
    assert max((cells & before.options.painted).bit_count() for cells in fitting(0)) == 3


@proves("lgame", "points-block")
def _points_block(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    here, square = before, lesson_of("lgame", "square")
    assert lesson.position.startswith(square.position)
    (move,) = GAMES["lgame"].notation.parse(square.turn, here)
    assert move.cells | move.put == mask_of(marks)
    moved = here.play(move)
    assert move.cells & here.options.painted == mask_of([sq("b3")])
    start = GAMES["lgame"].start(here.options)
    assert moved.scores[Seat.S1] - here.scores[Seat.S1] == 5 + 1
    assert (moved.first, moved.second, moved.neutrals) == (start.first, start.second, start.neutrals)
    assert moved.to_move == Seat.S2


@proves("lgame", "mirror")
def _mirror(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    assert moved.mirrored
    assert {(cell.file, cell.rank) for cell in squares(moved.first)} == {
        (3 - cell.file, cell.rank) for cell in squares(moved.second)
    }


@proves("lgame", "half-turn")
def _half_turn(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    assert moved.mirrored
    assert moved.second in images((half_turn,))[moved.first]
    assert not any(before.options.images[cells] & images(AXES)[cells] for cells in fitting(0))


@proves("lgame", "any-image")
def _any_image(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    assert before == GAMES["lgame"].start(before.options)
    solved = solution(before.options)
    assert solved.distance(*names(before)) == 5
    good = [
        move for move in before.legal_moves() if (solved.distance(*names(before.play(move))) or 1) % 2 == 0
    ]
    assert list(map(GAMES["lgame"].notation.format, good)) == [lesson.turn]


def men(position: Position[Any], seat: Seat) -> set[Square]:
    return {man.cells[0] for man in GAMES["breakthrough"].draw(position).pieces if man.owner == seat}


def captures(position: Position[Any], seat: Seat = Seat.S1) -> list[Square]:
    """The cells that each man of a side guards: where an enemy could be captured."""
    ahead = -1 if seat else 1
    return [
        Square(man.file + aside, man.rank + ahead)
        for man in men(position, seat)
        for aside in (-1, 1)
        if 0 <= man.file + aside < 8
    ]


def won(position: Position[Any]) -> bool:
    """Whether a proof says that the side to move wins; it must say something."""
    game = GAMES["breakthrough"]
    assert isinstance(position, BreakthroughPosition)
    if position.outcome:
        return position.to_move in position.outcome.winners
    found = engine_for(game, position.options, position).think(position, Budget(depth=9))
    assert found.proof is not None
    return found.proof.result is GameValue.WIN


@proves("breakthrough", "step")
def _step(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    assert {move.end for move in before.legal_moves()} == marks


@proves("breakthrough", "pair")
@proves("breakthrough", "home")
def _guards(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    assert set(captures(before)) == marks


@proves("breakthrough", "gap")
def _gap(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    assert not set(captures(before, Seat.S2)) & marks
    assert not any(move.captures for move in moved.legal_moves())
    assert not won(moved)


@proves("breakthrough", "trade")
def _trade(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    here = before
    (cell,) = marks
    assert captures(here).count(cell) == 2
    assert captures(here, Seat.S2).count(cell) == 1
    for text in (lesson.turn, "e6xd5", "e4xd5"):
        (move,) = GAMES["breakthrough"].notation.parse(text, here)
        here = here.play(move)
    assert here.outcome is None
    assert len(men(here, Seat.S1)) == len(men(here, Seat.S2)) + 1
    for side in "wb":  # it is not decided either, as far as a search sees
        text = f"{GAMES['breakthrough'].notation.format_position(here)[:-1]}{side}"
        there = GAMES["breakthrough"].notation.parse_position(text, GAMES["breakthrough"].choose({}))
        found = engine_for(GAMES["breakthrough"], GAMES["breakthrough"].choose({}), there).think(
            there, Budget(depth=9)
        )
        assert found.proof is None


@proves("breakthrough", "lure")
def _lure(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    for cell in marks:
        assert captures(before, Seat.S2).count(cell) == 1
        assert abs(cell.file - sq("c8").file) == 1
    taken = [move for move in moved.legal_moves() if move.captures]
    assert list(map(GAMES["breakthrough"].notation.format, taken)) == ["c8xb7"]
    (on,) = GAMES["breakthrough"].notation.parse("d6-d7", moved.play(taken[0]))
    assert not won(moved.play(taken[0]).play(on))
    assert not won(moved)


@proves("breakthrough", "race")
def _race(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    position = lesson.position
    options = GAMES["breakthrough"].choose({})
    for side in "wb":
        here = GAMES["breakthrough"].notation.parse_position(f"{position[:-1]}{side}", options)
        found = engine_for(GAMES["breakthrough"], options, here).think(here, Budget(depth=7))
        assert found.proof is not None
        assert (found.proof.result, found.proof.plies) == (GameValue.WIN, 5)


@proves("breakthrough", "harmless")
def _harmless(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    for move in before.legal_moves():
        answered = before.play(move)
        ends = [answered.play(reply).outcome for reply in answered.legal_moves()]
        assert all(end is not None and end.winners == (Seat.S1,) for end in ends)


@proves("breakthrough", "fewer")
def _fewer(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    assert not won(moved)
    assert all(moved.play(reply).outcome for reply in moved.legal_moves())
    assert [not won(before.play(move)) for move in before.legal_moves()].count(True) == 1


def reached(position: KlopodavkaPosition, seat: Seat) -> set[Square]:
    ruleset = position.ruleset
    return set(ruleset.board.listed(reach(ruleset, position.occupancy, seat)))


def ever(position: KlopodavkaPosition, seat: Seat) -> set[Square]:
    ruleset = position.ruleset
    return set(ruleset.board.listed(could_ever(ruleset, position.occupancy, seat)))


@proves("klopodavka", "link")
def _link(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    assert marks <= reached(before, Seat.S1)
    bugs = before.ruleset.board.spread(before.occupancy.bugs[Seat.S1])
    assert not marks & set(before.ruleset.board.listed(bugs))


@proves("klopodavka", "cut")
def _cut(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    assert moved.to_move == Seat.S1
    assert not reached(moved, Seat.S1) & {sq("e3"), sq("e4"), sq("e5"), sq("d5")}


@proves("klopodavka", "near")
def _near(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    assert before.to_move == Seat.S2
    assert len(GAMES["klopodavka"].notation.parse(lesson.turn, before)) == before.plies_left == 3


@proves("klopodavka", "blocked")
def _blocked(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    assert moved.outcome.winners == (Seat.S2,)
    assert not reached(moved, Seat.S1)


@proves("klopodavka", "space")
def _space(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    assert len(marks) == 8
    assert marks < ever(before, Seat.S2)
    assert not marks & ever(moved, Seat.S2)
    assert marks < ever(moved, Seat.S1)


@proves("klopodavka", "bases")
def _bases(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    assert not reached(moved, Seat.S2)
    assert bases_held(moved.ruleset, moved.occupancy, 0) == (2, 1)
    assert (moved.outcome.winners, moved.outcome.reason) == ((Seat.S1,), Finish.MOST_BASES)
    assert not marks & ever(moved, Seat.S2)
    assert sq("e5") not in ever(moved, Seat.S1)


@proves("klopodavka", "branch")
def _branch(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    (bug,) = marks
    board = moved.ruleset.board
    assert moved.occupancy.bugs[Seat.S1] & board.bits[bug]
    beside = set(board.listed(board.near[bug])) & reached(before, Seat.S1)
    assert beside - reached(moved, Seat.S1) == {sq("c5"), sq("e5"), sq("e6")}


@proves("klopodavka", "fence")
@proves("klopodavka", "surround")
def _fence(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    assert before.outcome is None
    assert (moved.outcome.winners, moved.outcome.reason) == ((Seat.S1,), Finish.FENCE)
    walls = set(moved.ruleset.board.listed(moved.occupancy.walls[Seat.S1]))
    assert marks <= walls
    if lesson.key == "fence":
        assert {wall.file for wall in marks} == set(range(5))
    else:
        home = moved.ruleset.homes[Seat.S2]
        assert set(moved.ruleset.board.listed(moved.ruleset.board.spread(home) & ~home)) <= walls


@proves("klopodavka", "teams")
def _teams(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    board = before.ruleset.board
    own = set(board.listed(board.spread(before.occupancy.bugs[Seat.S1])))
    assert reached(before, Seat.S1) - own == marks
    mate = sq("c5")
    assert before.occupancy.bugs[Seat.S3] & board.bits[mate]
    assert mate not in reached(before, Seat.S1)
    # What only that bug touches is out of player 1's reach.
    assert sq("d6") in reached(before, Seat.S3)
    assert sq("d6") not in reached(before, Seat.S1)


@proves("klopodavka", "cylinder")
@proves("klopodavka", "torus")
def _edges(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    plain = GAMES["klopodavka"].notation.parse_position(
        lesson.position, GAMES["klopodavka"].choose({"board": "5x5"})
    )
    assert reached(before, Seat.S1) - reached(plain, Seat.S1) == marks
    if lesson.key == "torus":
        assert {len(before.ruleset.board.listed(near)) for near in before.ruleset.board.near.values()} == {8}


@proves("klopodavka", "immune")
def _immune(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    board = before.ruleset.board
    assert {move.square for move in before.legal_moves() if move.crush} == {sq("a2")}
    (base,) = marks
    assert board.near[base] & before.occupancy.bugs[Seat.S2]
    assert before.occupancy.bugs[Seat.S1] & board.bits[base]


@proves("klopodavka", "anchor")
def _anchor(lesson: Lesson, before: Any, moved: Any, marks: set[Square]) -> None:
    assert (moved.outcome.winners, moved.outcome.reason) == ((Seat.S2,), Finish.LAST_LEFT)
    assert moved.occupancy.bugs[Seat.S1].bit_count() == 3
    assert not reached(moved, Seat.S1)
