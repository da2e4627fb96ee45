"""Every game and preset there is, in the middle of play, as its own diagrams have it."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from render import ASCII, EMOJI, PHONE_COLUMNS, ascii_board, emoji_board, fits, seat_symbol
from rules import GAMES
from rules.core import SEATS, Diagram, Highlights
from tests.render.text.reading import read_ascii, read_emoji, truth

PRESETS = [(key, preset) for key, game in GAMES.items() for preset in game.schema.presets]


def _shown(key: str, preset: str) -> Iterator[Diagram]:
    """Boards of a random game: as it stands, with the last ply, with candidates, and with each step of a choice."""
    game, chance = GAMES[key], Random(7)
    position = game.start(game.choose({"preset": preset}))
    for ply in range(24):
        moves = position.legal_moves()
        if not moves:
            return
        move = chance.choice(moves)
        if ply % 6 == 0:
            yield game.draw(position)
            yield game.draw(position, Highlights(candidates=moves[:9]))
            steps = game.notation.steps(move)
            for end in range(len(steps)):
                fork = game.fork(position, steps[:end]) if end else game.fork(position, ())
                if all(step.token != steps[end] for step in fork.steps):
                    break
                yield game.draw(position, Highlights(picked=steps[: end + 1]))
        after = position.play(move)
        yield game.draw(after, Highlights(last=(move,), before=position))
        position = after


@pytest.mark.parametrize(("key", "preset"), PRESETS)
def test_every_board_of_a_game_can_be_read_back_and_fits_a_message(key: str, preset: str) -> None:
    for diagram in _shown(key, preset):
        told = truth(diagram)
        for flipped in (False, True):
            for columns in (PHONE_COLUMNS, 200):
                board = ascii_board(diagram, flipped=flipped, columns=columns)
                assert read_ascii(board.text, diagram) == told, board.text
                assert len(board.text) < 2000
                assert max(map(len, board.rows)) <= columns
            board = emoji_board(diagram, flipped=flipped)
            assert read_emoji(board.text, diagram) == told, board.text


@pytest.mark.parametrize(("key", "preset"), PRESETS)
def test_small_games_fit_as_emoji_and_seats_have_symbols(key: str, preset: str) -> None:
    game = GAMES[key]
    options = game.choose({"preset": preset})
    diagram = game.draw(game.start(options))
    assert fits(diagram) == (diagram.grid.files <= 12)
    for alphabet in (ASCII, EMOJI):
        symbols = [seat_symbol(diagram, seat, alphabet) for seat in SEATS[: game.seats(options)]]
        assert len(set(symbols)) == len(symbols)
        assert set(symbols) <= set(alphabet.pieces.values())
