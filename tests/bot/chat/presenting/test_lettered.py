"""Turns to choose from by their letters: on pictures and text boards, and in words."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from bot.chat.i18n import LANGUAGES, words
from bot.chat.presenting.captions import ALT, alt_text
from bot.chat.presenting.lettered import LETTERS, lettered, lettered_words
from bot.chat.presenting.selection import turn_over
from render import ascii_board, emoji_board, fits
from render.picture.layout import windows
from rules import GAMES
from rules.core import AnyGame, Arrow, Kind, Position, RulesError, Sign, sq
from tests.bot.chat.presenting.test_captions import MORE, units
from tests.bot.chat.presenting.test_facts import played
from tests.bot.world import SETTINGS, World
from tests.rules.cases import Case, cases

CASES = [case for game in GAMES.values() for case in cases(game)]


def proposed(game: AnyGame, position: Position[Any], chance: Random) -> str:
    here, texts = position, list[str]()
    while not turn_over(position, here):
        move = chance.choice(here.legal_moves())
        texts.append(game.notation.format(move))
        here = here.play(move)
    return " ".join(texts)


def start(key: str, **chosen: str) -> tuple[AnyGame, Position[Any]]:
    game = GAMES[key]
    return game, game.start(game.choose(chosen))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_letter_is_on_the_board_of_every_game(case: Case) -> None:
    chance, game = Random(str(case)), case.game
    position = game.start(case.options)
    for _ in range(chance.randrange(12)):
        after = position.play(chance.choice(position.legal_moves()))
        if after.outcome:
            break
        position = after
    turns = [proposed(game, position, chance) for _ in LETTERS]
    diagram = lettered(game, position, turns)
    assert diagram.pieces == game.draw(position).pieces
    labels = [mark.label for mark in diagram.marks] + [arrow.label for arrow in diagram.arrows]
    assert all(mark.sign is Sign.CANDIDATE and len(mark.label) == 1 for mark in diagram.marks)
    assert set("".join(labels)) == set(LETTERS)
    assert len({(arrow.start, arrow.end) for arrow in diagram.arrows}) == len(diagram.arrows)
    boards = [ascii_board(diagram)] + [emoji_board(diagram)] * fits(diagram)
    for board in boards:
        noted = {note.label for note in board.notes} | {
            letter for arrow in diagram.arrows for letter in arrow.label
        }
        assert all(letter in board.text for letter in noted)


def test_moves_are_arrows_and_the_same_move_has_all_its_letters() -> None:
    game, position = start("breakthrough")
    diagram = lettered(game, position, ("b2-b3", "b2c3", "b2-b3"))
    assert diagram.arrows == (Arrow(sq("b2"), sq("b3"), "AC"), Arrow(sq("b2"), sq("c3"), "B"))
    assert diagram.marks == ()
    assert not diagram.planned
    for board in (ascii_board(diagram), emoji_board(diagram)):
        assert board.footer[-1] == "AC: b2-b3 B: b2-c3"


def test_all_cells_of_an_l_have_its_letter_and_its_neutral_an_arrow() -> None:
    game, position = start("lgame")
    diagram = lettered(game, position, ("L c1-a1-a2 n d1-b2", "L c1-a1-a2"))
    (own,) = (
        piece.cells
        for piece in game.draw(position.play(game.notation.parse("L c1-a1-a2", position)[0])).pieces
        if piece.kind is Kind.TILE and piece.owner == position.to_move
    )
    for letter in "AB":
        assert {mark.square for mark in diagram.marks if mark.label == letter} == set(own)
    assert diagram.arrows == (Arrow(sq("d1"), sq("b2"), "A"),)


def test_a_block_that_sends_all_back_is_drawn_as_it_was_played() -> None:
    game, position = start("lgame", variant="scoring")
    chance, blocks = Random(3), 0
    for _ in range(400):
        for move in position.legal_moves():
            if position.before_reset(move):  # type: ignore[attr-defined]
                blocks += 1
                diagram = lettered(game, position, (game.notation.format(move),))
                assert len(diagram.marks) == 4
        position = position.play(chance.choice(position.legal_moves()))
        if position.outcome or blocks:
            break
    assert blocks


def test_bugs_are_lettered_where_they_are_put_and_crushed() -> None:
    game, position = start("klopodavka", board="6x6")
    chance = Random(1)
    while not any(move.crush for move in position.legal_moves()):
        position = position.play(chance.choice(position.legal_moves()))
    while position.plies_left != position.turn_length:
        position = position.play(chance.choice(position.legal_moves()))
    turn = proposed(game, position, chance)
    moves = game.notation.parse(turn, position)
    diagram = lettered(game, position, (turn,))
    assert {mark.square for mark in diagram.marks} == {move.square for move in moves}


def test_the_part_of_a_large_board_that_is_shown_larger_has_the_arrows() -> None:
    game, position = start("breakthrough", board="26x26")
    (part,) = windows(lettered(game, position, ("y2-y3", "z2-y3")), flipped=False)
    assert part.holds(sq("y2"))
    assert part.holds(sq("z2"))


def test_what_cannot_be_played_is_refused() -> None:
    game, position = start("breakthrough")
    with pytest.raises(RulesError):
        lettered(game, position, ("b2-b3", "b2-b5"))


@pytest.mark.parametrize(("key", "chosen"), [*SETTINGS, *MORE])
async def test_letters_in_words_leave_room_for_the_rest(key: str, chosen: Mapping[str, str]) -> None:
    world, game, chance = World(), GAMES[key], Random(5)
    for plies in (0, 12):
        match = await played(world, key, chosen, plies, seed=plies)
        position = world.table.position(match)
        if position.outcome:
            continue
        turns = [proposed(game, position, chance) for _ in LETTERS]
        for language in LANGUAGES:
            presentation = world.present(match, words(language, strict=True))
            for count in (1, 8):
                said = lettered_words(presentation.names, position, turns[:count])
                assert [line[:3] for line in said] == [f"{letter}: " for letter in LETTERS[:count]]
                alt = alt_text(presentation, said, diagram=lettered(game, position, turns[:count]))
                assert units(alt) <= ALT
                assert sum(map(units, said)) <= ALT // 2
                assert all(line in alt for line in said)


async def test_a_turn_is_said_as_moves_are_said() -> None:
    world = World()
    match = await played(world, "breakthrough", {}, 0, 0)
    names, position = world.present(match, words("en")).names, world.table.position(match)
    assert lettered_words(names, position, ("b2b3",)) == ("A: a man goes from b2 to b3",)
    assert lettered_words(names, position, ("b2b3",) * 8)[7].startswith("H: a man")


async def test_turns_that_are_too_long_in_words_are_said_in_notation() -> None:
    world = World()
    match = await played(world, "klopodavka", {"variant": "hq"}, 0, 0)
    names, position = world.present(match, words("en")).names, world.table.position(match)
    turns = [proposed(names.game, position, Random(at)) for at in range(8)]
    assert turns[0] not in lettered_words(names, position, turns[:1])[0]
    brief = lettered_words(names, position, turns)
    assert brief == tuple(f"{letter}: {turn}" for letter, turn in zip(LETTERS, turns, strict=True))
