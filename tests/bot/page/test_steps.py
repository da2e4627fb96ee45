"""What a page is offered to pick: exactly the legal moves, in every game."""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec
import pytest

from bot.chat.i18n import words as words_for
from bot.chat.presenting.naming import Presentation
from bot.chat.presenting.selection import Selection, follow
from bot.platforms.page import composing, wire
from play.people import Account
from play.replay import Course, Replay
from rules import GAMES
from rules.core import AnyGame
from tests.support.desk import ANN, Desk
from tests.support.pages import told

WORDS = words_for("en", strict=True)
SEED = 16


def _joined(at: str, path: str) -> str:
    return at + path if at == "" or at.endswith(";") else f"{at}/{path}"


def _ends(presentation: Presentation, pick: wire.PagePick) -> Iterator[str]:
    """Yield the selections that a client reaches, asking where the server did not send what comes next."""

    def through(at: str, node: wire.PageNode) -> Iterator[str]:
        assert node.prompt
        for step in node.steps:
            further = _joined(at, step.path)
            if step.after is None:
                yield further
            elif isinstance(step.after, wire.PageNode):
                yield from through(further, step.after)
            else:
                asked = composing.picked(presentation, Selection.read(further)).data
                assert asked.at == further
                yield from through(further, asked.node)

    assert pick.node is not None
    yield from through(pick.at, pick.node)


@pytest.mark.parametrize("key", GAMES)
async def test_the_steps_lead_to_every_legal_move_and_to_nothing_else(key: str) -> None:
    desk, luck = Desk(), random.Random(SEED)
    match = await desk.duel(game=key)
    game: AnyGame = GAMES[key]
    for _ in range(6):
        course: Course = Replay(GAMES).positions(match)
        presentation = Presentation(game, match, course, WORDS, desk.table.now(desk.now))
        mover = match.player(course.position.to_move)
        data = composing.view(presentation, (mover.account,), "").data
        position = course.position
        legal = {game.notation.format(move) for move in position.legal_moves()}
        found = set()
        for text in _ends(presentation, data.pick):
            partial = follow(game, position, Selection.read(text))
            (move,) = partial.moves
            assert game.notation.format(move) not in found, "a move is reached in one way"
            found.add(game.notation.format(move))
        assert found == legal
        moves = []
        while position.to_move == course.position.to_move and position.outcome is None:
            moves.append(game.notation.format(luck.choice(position.legal_moves())))
            position = position.play(game.notation.parse(moves[-1], position)[0])
            if position.plies_left == position.turn_length:
                break
        match = await desk.play(match, " ".join(moves))


@pytest.mark.parametrize("key", GAMES)
async def test_a_view_names_every_square_and_says_what_is_on_it(key: str) -> None:
    desk = Desk()
    match = await desk.duel(game=key)
    presentation = Presentation(
        GAMES[key], match, Replay(GAMES).positions(match), WORDS, desk.table.now(desk.now)
    )
    composed = composing.view(presentation, (Account("console", "stranger"),), "")
    board = composed.data.board
    diagram = GAMES[key].draw(presentation.course.position)
    said = told(msgspec.to_builtins(board))
    assert sorted(said) == sorted(map(str, diagram.grid))
    assert {look for look, _ in board.legend} <= composed.looks.keys()
    for piece in diagram.pieces:
        for square in piece.cells:
            owner = "" if piece.owner is None else match.player(piece.owner).name
            assert owner in said[str(square)]
            assert said[str(square)] != WORDS("bot.square.empty")
    assert composed.data.pick is None, "a stranger picks nothing"


async def test_a_board_of_the_largest_size_is_sent_whole() -> None:
    desk = Desk()
    match = await desk.duel(game="klopodavka", board="26x30")
    presentation = Presentation(
        GAMES["klopodavka"], match, Replay(GAMES).positions(match), WORDS, desk.table.now(desk.now)
    )
    board = composing.view(presentation, (ANN.account,), "").data.board
    assert (len(board.files), len(board.ranks), len(board.squares)) == (26, 30, 780)
    assert len(wire.write(board)) < 5_000
