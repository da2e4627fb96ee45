"""What is said of a match that is over."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import words
from bot.chat.presenting.captions import explained
from bot.chat.quotas import SEARCHES
from bot.chat.thinking.jobs import Job, Reply, run_job
from bot.features.analysis.judging import analysed, decided, turns_of
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.match import Match, Ply
from play.request import Request
from rules import GAMES
from rules.core import Arrow, Mark, Sign, sq
from tests.bot.analysis.test_hints import Asked
from tests.bot.world import ANN, BOB, CEM, World


async def ask(job: Job) -> Reply:
    return run_job(replace(job, seconds=0.03))


async def over(world: World, game: str, chosen: dict[str, str], seed: int, most: int = 300) -> Match:
    """A match that chance has played."""
    chance = random.Random(seed)
    match = await world.begin(game, chosen)
    notation = GAMES[game].notation
    for _ in range(most):
        position = world.table.position(match)
        if match.result:
            break
        player = match.chairs[position.to_move].player
        assert player
        move = chance.choice(list(position.legal_moves()))
        match = (
            await world.table.act(match.id, MakeMove(notation.format(move)), Request(player, world.now))
        ).match
    else:
        match = (await world.table.act(match.id, Resign(), Request(ANN, world.now))).match
    return match


@pytest.mark.parametrize(
    ("game", "chosen"),
    [
        ("lgame", {}),
        ("lgame", {"variant": "scoring"}),
        ("breakthrough", {"board": "4x5"}),
        ("klopodavka", {"board": "4x4"}),
        ("klopodavka", {"players": "3", "board": "5x5"}),
        ("klopodavka", {"teams": "2v2", "board": "6x6"}),
    ],
)
async def test_every_turn_is_judged(game: str, chosen: dict[str, str]) -> None:
    world = World()
    match = await over(world, game, chosen, 3, most=40)
    course = world.table.course(match)
    turns = await analysed(match, course, ask)
    assert [turn.played for turn in turns] == turns_of(course)
    plies = [text for turn in turns for text in turn.played.plies]
    assert plies == [entry.text for entry in match.log if isinstance(entry, Ply)]
    for turn in turns:
        assert turn.value is None or -1 <= turn.value <= 1
        if turn.sure:
            assert turn.best.plies is not None


async def test_in_the_l_game_it_is_exact_where_the_draw_was_lost() -> None:
    world = World()
    for seed in range(30):
        match = await over(world, "lgame", {}, seed, most=60)
        turns = await analysed(match, world.table.course(match), ask)
        sure = [turn for turn in turns if turn.sure]
        assert all(turn.keep for turn in sure)
        assert all(turn.best.plies is not None and turn.proved for turn in turns)
        if sure:
            return
    pytest.fail("chance never lost a draw")


async def test_it_is_told_and_stepped_through() -> None:
    asked = Asked()
    match = await over(asked.world, "lgame", {}, 5, most=30)
    (message,) = await asked.say(ANN, "/analyse")
    assert message.view.buttons
    first = message.view.buttons[-1]
    assert first.data.verb is Verb.ANALYSE
    seen = 0
    data = first.data
    while True:
        (message,) = await asked.desk.press(asked.world.visitor(ANN), data)
        seen += 1
        assert message.view.diagram is not None
        assert f"Turn {seen}" in message.view.lines[1]
        assert message.view.lines[1] in message.view.alt
        assert any("Proved" in line or "Before this turn: " in line for line in message.view.lines)
        on = [button for button in message.view.buttons if button.label.startswith("Next")]
        if not on:
            break
        data = on[0].data
    assert seen == len(match.log)
    (message,) = await asked.desk.press(asked.world.visitor(ANN), message.view.buttons[-1].data)
    assert "for ann" in message.view.lines[1]


async def test_a_match_under_way_is_not_analysed() -> None:
    asked = Asked()
    await asked.world.begin("breakthrough", {})
    (message,) = await asked.say(ANN, "/analyse")
    assert "still being played" in message.view.lines[0]
    assert asked.solver.asked == []


async def test_it_is_worked_out_once_for_all() -> None:
    asked = Asked()
    await over(asked.world, "breakthrough", {"board": "4x5"}, 2)
    await asked.say(ANN, "/analyse")
    assert asked.desk._resources.thinker is not None
    await asked.desk._resources.thinker.settled()  # puzzles are made of it
    count = len(asked.solver.asked)
    assert count
    await asked.say(ANN, "/analyse")
    assert len(asked.solver.asked) == count


async def test_the_button_counts_as_a_search_like_the_command_and_a_page_as_none() -> None:
    asked = Asked()
    world = asked.world
    matches = [await over(world, "breakthrough", {"board": "4x5"}, 2) for _ in range(SEARCHES.limit + 1)]
    for match in matches[:-2]:
        data = CallbackData(Verb.ANALYSE, match.id, match.revision)
        (message,) = await asked.desk.press(world.visitor(ANN), data)
        assert not message.refused
    (message,) = await asked.say(ANN, f"/analyse #{matches[-2].id}")
    assert not message.refused
    last = CallbackData(Verb.ANALYSE, matches[-1].id, matches[-1].revision, "1")
    for said in (
        await asked.desk.press(world.visitor(ANN), last),
        await asked.say(ANN, f"/analyse #{last.match}"),
    ):
        assert said[0].refused
        assert (
            words("en")(SEARCHES.reason or "", limit=SEARCHES.limit, wait="WAIT").split("WAIT")[0]
            in said[0].view.lines[0]
        )
    (page,) = await asked.desk.press(world.visitor(ANN), message.view.buttons[-1].data)
    assert not page.refused
    (message,) = await asked.desk.press(world.visitor(BOB), last)
    assert not message.refused


async def test_of_many_players_it_is_told_of_one_who_had_a_turn() -> None:
    asked = Asked()
    world = asked.world
    match = await world.begin("klopodavka", {"players": "3", "board": "6x6"})
    await world.say(ANN, "/resign yes")
    position = world.table.position(await world.table.get(match.id))
    moves = []
    for _ in range(position.plies_left):
        move = position.legal_moves()[0]
        moves.append(GAMES["klopodavka"].notation.format(move))
        position = position.play(move)
    await world.say(BOB, f"/move {' '.join(moves)}")
    await world.say(CEM, "/resign yes")
    (message,) = await asked.say(BOB, "/analyse")
    line = next(line for line in message.view.lines if "turn by turn" in line)
    assert "for bob" in line
    assert not line.endswith(":")


async def test_a_turn_is_shown_with_the_players_as_they_were() -> None:
    asked = Asked()
    match = await over(asked.world, "klopodavka", {"players": "3", "board": "6x6"}, 3)
    (message,) = await asked.say(ANN, f"/analyse #{match.id}")
    assert any("(out)" in line.text for line in message.view.roster)
    (message,) = await asked.say(ANN, f"/analyse #{match.id} 1")
    assert not any("(out)" in line.text for line in message.view.roster)


async def test_nothing_is_proved_of_a_turn_by_what_came_after_others_had_moved() -> None:
    world = World()
    match = await over(world, "klopodavka", {"players": "3", "board": "5x5"}, 3, most=120)
    course = world.table.course(match)
    for turn in await analysed(match, course, ask):
        after = course.positions[turn.played.end]
        if turn.proved and after.outcome is None:
            assert after.to_move == turn.played.seat


async def test_where_arrows_tell_a_turn_its_idea_is_marked_on_the_board_before_it() -> None:
    game = GAMES["breakthrough"]
    start = game.notation.parse_position("1b6/b7/8/8/4b3/3w4/8/1w6 w", game.choose({}))
    mark = Mark(Sign.PICKED, sq("e4"))
    diagram = explained(game, start, ["d3xe4"], [mark])
    assert diagram.planned
    assert diagram.pieces == game.draw(start).pieces
    assert diagram.arrows == (Arrow(sq("d3"), sq("e4")),)
    assert mark in diagram.marks
    lgame = GAMES["lgame"]
    before = lgame.start(lgame.choose({}))
    shown = explained(lgame, before, ["L c1-a1-a2 n d1-b3"])
    assert shown.planned
    assert {str(piece.cells[0]) for piece in shown.pieces if piece.owner is None} == {"a4", "b3"}


async def test_it_says_from_which_turn_on_the_win_was_certain() -> None:
    world = World()
    told = 0
    for seed in range(8):
        match = await over(world, "breakthrough", {"board": "3x5"}, seed)
        course = world.table.course(match)
        turns = await analysed(match, course, ask)
        if found := decided(course, turns):
            told += 1
            first, winner = found
            assert course.position.outcome is not None
            assert winner in course.position.outcome.winners
            for turn in turns[first.played.number - 1 :]:
                assert turn.best.plies is not None
                assert (turn.best.value > 0) is (turn.played.seat == winner)
    assert told
