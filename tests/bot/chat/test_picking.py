"""Picking a move by keys and buttons, and playing it with a press of its own."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.chat import taps
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES
from bot.chat.view import Button, Message, Person, SquareButton, View
from play.actions.playing import MakeMove
from play.match import Match
from play.people import Player
from play.request import Request
from play.settings import Settings
from rules.core import MAX_STEPS
from tests.bot.world import ANN, BOB, SETTINGS, World
from tests.support.stores import set_settings


class Hand:
    """A visitor whose moves are to be confirmed, with one message under which they are picked."""

    def __init__(self, world: World, who: Player = ANN, keys: str = "message") -> None:
        self.world = world
        self.visitor = replace(world.visitor(who), buttons=True, keys=keys)

    async def press(self, data: CallbackData) -> View:
        """What they alone see."""
        [said] = await self.world.desk.press(self.visitor, CallbackData.unpack(data.pack()))
        assert isinstance(said.to, Person)
        return said.view

    async def touch(self, drawn: View, name: str) -> View | None:
        """Press the key of a square as it was drawn, also one that only names it; None where that shows nothing."""
        data = keys(drawn)[name].data if name in keys(drawn) else None  # beside the part of a large board
        if data is None:
            data = await taps.touching(self.world.store.notes, self.visitor, name)
        said = await self.world.desk.press(self.visitor, data) if data else ()
        return said[0].view if said else None

    async def play(self, data: CallbackData) -> Sequence[Message]:
        return await self.world.desk.press(self.visitor, CallbackData.unpack(data.pack()))


def begin(match: Match) -> CallbackData:
    return CallbackData(Verb.STEP, match.id, match.revision)


def keys(view: View) -> dict[str, SquareButton]:
    assert view.grid is not None
    return {cell.name: cell for row in view.grid.rows for cell in row}


def tap(view: View, name: str) -> CallbackData:
    data = keys(view)[name].data
    assert data is not None, name
    return data


def button(view: View, label: str) -> Button:
    return next(each for each in view.buttons if each.label == label)


def choices(view: View) -> set[str]:
    return {name for name, cell in keys(view).items() if cell.state == "choice"}


async def crowded(world: World, board: str) -> tuple[Match, Hand]:
    """A match whose next action has more choices than one fork offers."""
    match, luck = await world.begin("klopodavka", {"board": board}), random.Random(board)
    notation = world.table.games["klopodavka"].notation
    while True:
        position = world.table.position(match)
        mover = (ANN, BOB)[position.to_move]
        moves = position.legal_moves()
        if len(moves) > MAX_STEPS and position.plies_left == 3:
            return match, Hand(world, mover)
        text = notation.format(luck.choice(moves))
        match = (await world.table.act(match.id, MakeMove(text), Request(mover, world.now))).match
        assert match.live


async def test_the_keys_of_a_large_board_are_the_part_where_the_turn_goes_on() -> None:
    world = World()
    match, hand = await crowded(world, "20x20")
    view = await hand.press(begin(match))
    assert len(view.grid.rows) == len(view.grid.rows[0]) == 8 if view.grid else False
    inside, beside = ([each for each in view.buttons if each.on_grid is there] for there in (True, False))
    assert {each.label for each in inside} == choices(view)
    # Its squares are named on their keys, those beside it on buttons.
    assert all(cell.symbol == cell.name for cell in keys(view).values() if cell.label == cell.name)
    touched = next(each for each in beside if "-" not in each.label)
    assert touched.label not in keys(view)
    picked = await hand.press(touched.data)
    # The next action begins where the last one was.
    assert "2 actions left" in picked.lines[1]
    assert touched.label in keys(picked)
    assert picked.buttons[-1].label == "Back"
    assert (await hand.press(picked.buttons[-1].data)).buttons == view.buttons


async def test_a_step_that_completes_the_turn_can_be_played_at_once() -> None:
    world = World()
    match = await world.begin("breakthrough", {})
    hand = Hand(world)
    view = await hand.press(tap(await hand.press(begin(match)), "a2"))
    assert [each.label for each in view.buttons] == ["Play a2-a3", "Play a2-b3", "Back"]
    assert (await hand.press(tap(view, "a3"))).lines[1] == "Picked: a2-a3"  # a square only picks
    assert (await hand.play(button(view, "Play a2-b3").data))[-1].view.lines[0] == "ann: a2-b3"


async def test_an_l_is_fixed_by_two_cells_and_a_neutral_is_picked_by_where_it_goes() -> None:
    world = World()
    match = await world.begin("lgame", {})
    hand = Hand(world)
    first = await hand.press(begin(match))
    two = await hand.press(tap(await hand.press(tap(first, "a1")), "b3"))
    assert [each.label for each in two.buttons] == ["a1-a3-b3", "b3-b1-a1", "Back"]  # both hold them
    hand = Hand(world, keys="another")
    view = await hand.press(tap(await hand.press(tap(first, "a2")), "b3"))
    assert view.lines[1] == "Picked: L a1-a3-b3"
    assert view.after[-1] == "Does a neutral move, too? Which one?"
    # A neutral with each target is a key that plays.
    free = sorted(choices(view) - {"a4", "d1"})
    assert len(free) == 6
    assert [each.label for each in view.buttons] == [
        *(f"▶{disc}-{at}" for disc in ("a4", "d1") for at in free),
        "Play",
        "Back",
    ]
    assert button(view, "▶d1-d3").data.argument == "L a1-a3-b3 n d1-d3"
    target = await hand.press(tap(view, "d2"))
    assert [each.label for each in target.buttons] == ["Play n d1-d2", "Play n a4-d2", "Back"]
    # Another target takes its place, the same one is let go, and a neutral goes there.
    other = await hand.press(tap(target, "d3"))
    assert button(other, "Play n a4-d3").data.argument == "L a1-a3-b3 n a4-d3"
    assert await hand.press(tap(other, "d3")) == view
    assert (await hand.press(tap(other, "a4"))).lines[1] == "Picked: L a1-a3-b3 n a4-d3"
    assert (await hand.play(button(view, "Play").data))[-1].view.lines[0] == "ann: L a1-a3-b3"


@pytest.mark.parametrize("argument", [";", ";;", "a2-a3;", "a2-a3;a7-a6;", "+", "+z9", "c1-a1-a2/+z9", "c1-a1-a2/+b2+d2", "c1-a1-a2/+a4", "b2/+b3", "+a2+a2", "a2/+b3", "a2/b3/c4", "d4;d4;d4;d4;", "x;", "a2;b2"])  # fmt: skip
@pytest.mark.parametrize("game", ["breakthrough", "lgame", "klopodavka"])
async def test_forged_paths_change_nothing(game: str, argument: str) -> None:
    world = World()
    match = await world.begin(game, {})
    before = world.snapshot()
    view = await Hand(world).press(CallbackData(Verb.STEP, match.id, match.revision, argument))
    assert view.lines
    assert world.snapshot() == before


@pytest.mark.parametrize("index", range(len(SETTINGS)))
async def test_games_are_played_by_keys_and_buttons_alone(index: int) -> None:
    """After every press, each next step can be carried by a button, and a Play comes in the end."""
    world = World(LANGUAGES[index % len(LANGUAGES)])
    game, chosen = SETTINGS[index]
    match, luck = await world.begin(game, chosen), random.Random(index)
    people = {chair.player.account: chair.player for chair in match.chairs if chair.player}
    for account in people:
        await set_settings(world.store, account, Settings(warnings=False))
    played = 0
    while played < 8 and match.live:
        seat = world.table.position(match).to_move
        mover = match.chairs[seat].player
        assert mover is not None
        hand = Hand(world, people[mover.account])
        view, play = await hand.press(begin(match)), list[Button]()
        for _ in range(40):
            play = [each for each in view.buttons if each.data.verb is Verb.MOVE]
            steps = [each for each in view.buttons if each.data.verb is Verb.STEP and not each.apart]
            cells = [cell.data for row in view.grid.rows for cell in row if cell.state == "choice" and cell.data] if view.grid else []  # fmt: skip
            ahead = cells + [each.data for each in steps]
            if not ahead:
                break
            view = await hand.press(luck.choice(ahead))
            assert view.alt
        assert play, view
        assert (await hand.play(play[0].data))[-1].view.diagram
        match = await world.table.get(match.id)
        played += 1
    assert match.log


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("index", range(len(SETTINGS)))
async def test_what_is_tapped_in_order_is_picked_in_order_on_the_keys_of_any_earlier_drawing(
    index: int, seed: int
) -> None:
    world, luck = World(), random.Random(100 * index + seed)
    match = await world.begin(*SETTINGS[index])
    notation = world.table.games[match.game].notation
    for _ in range(luck.randrange(12)):
        position = world.table.position(match)
        mover = match.chairs[position.to_move].player
        assert mover is not None
        text = notation.format(luck.choice(position.legal_moves()))
        match = (await world.table.act(match.id, MakeMove(text), Request(mover, world.now))).match
        if not match.live:
            return
    mover = match.chairs[world.table.position(match).to_move].player
    assert mover is not None
    slow, quick = Hand(world, mover, "slow"), Hand(world, mover, "quick")
    drawn, tapped = [await slow.press(begin(match))], list[str]()
    while drawn[-1].grid is not None and (free := sorted(choices(drawn[-1]))):
        tapped.append(luck.choice(free))
        drawn.append(await slow.press(tap(drawn[-1], tapped[-1])))
    assert drawn[0].grid is None or tapped
    shown: View | None = await quick.press(begin(match))
    for number, name in enumerate(tapped):
        shown = await quick.touch(drawn[luck.choice((0, luck.randint(0, number)))], name)
    assert shown == drawn[-1]
    # A square beside the move shows nothing, or what is picked; the way back is that of the last drawing.
    beside = (
        await quick.touch(drawn[0], "a1")
        if tapped and "a1" in keys(drawn[0]) and keys(drawn[0])["a1"].data is None
        else None
    )
    assert beside in (None, drawn[-1])
    if tapped:
        back, same = button(drawn[-1], "Back").data, await slow.press(button(drawn[-1], "Back").data)
        assert await quick.press(back) == same


async def test_a_press_picks_what_it_says_after_a_way_back_and_a_fresh_drawing() -> None:
    world = World()
    match = await world.begin("klopodavka", {"board": "6x6"})
    hand = Hand(world)
    first = await hand.press(begin(match))
    one = await hand.press(tap(first, "b2"))
    two = await hand.press(tap(one, "c3"))
    assert (await hand.press(tap(first, "a2"))).lines[1] == "Picked: b2 c3 a2"
    # What cannot be picked any more leaves what is; so does the same key again.
    assert (await hand.press(tap(first, "b1"))).lines[1] == "Picked: b2 c3 a2"
    assert (await hand.press(tap(first, "b2"))).lines[1] == "Picked: b2 c3 a2"
    assert (await hand.press(button(one, "Back").data)) == first
    # A step from what was let go picks what its button says, and another message knows nothing of it.
    assert (await hand.press(tap(two, "d4"))).lines[1] == "Picked: b2 c3 d4"
    assert (await Hand(world, keys="another").press(tap(first, "a2"))).lines[1].startswith("Picked: a2 —")
    # Anything else that is pressed may draw the board anew, with nothing picked.
    await hand.play(CallbackData(Verb.FLIP, match.id, match.revision))
    assert (await hand.press(tap(first, "a2"))).lines[1].startswith("Picked: a2 —")
    # Play plays what it showed, and keys of the position before are out of date.
    play = button(one, "Play").data
    assert (await hand.play(play))[-1].view.lines[0] == "ann: b2"
    assert "moved on" in (await hand.press(tap(first, "a2"))).lines[0]
    assert await hand.touch(first, "f6") is None
