"""What a page offers: the legal moves, and beside the match lines, notes and puzzles."""

from __future__ import annotations

import random
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from bot.chat import match_notes
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import words as words_for
from bot.chat.pictures import Pictures
from bot.chat.presenting.naming import Presentation
from bot.chat.presenting.selection import Selection, follow
from bot.chat.thinking import Thinker
from bot.chat.visitor import Visitor
from bot.platforms.page import board, composing, wire
from play.actions.agreeing import Answer
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.match import Ask, Offer, engine
from play.opening import Challenge
from play.people import Account
from play.replay import Course, Replay
from play.request import Request
from rules import GAMES
from rules.core import AnyGame
from tests.bot.chat.thinking.workers import Inline
from tests.support.browser import PageHouse, page_house, told
from tests.support.desk import ANN, BOB, ROOM, S1, Desk
from tests.support.services import services

# What a page is offered to pick: exactly the legal moves, in every game.


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
                asked = board.picked(presentation, Selection.read(further), {})
                assert asked.at == further
                assert asked.node is not None
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
        data = composing.view(presentation, (mover.account,), "", {})
        position = course.position
        legal = {game.notation.format(move) for move in position.legal_moves()}
        found = set()
        assert data.pick is not None
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
    looks: dict[str, str] = {}
    view = composing.view(presentation, (Account("console", "stranger"),), "", looks)
    board = view.board
    assert board is not None
    diagram = GAMES[key].draw(presentation.course.position)
    said = told(msgspec.to_builtins(board))
    assert sorted(said) == sorted(map(str, diagram.grid))
    assert {entry.look for entry in board.legend} <= looks.keys()
    for piece in diagram.pieces:
        for square in piece.cells:
            owner = "" if piece.owner is None else match.player(piece.owner).name
            assert owner in said[str(square)]
            assert said[str(square)] != WORDS("bot.square.empty")
    assert view.pick is None, "a stranger picks nothing"
    turn = presentation.course.position.to_move
    assert [chair.turn for chair in view.chairs] == [seat == turn for seat in range(len(match.chairs))]


@pytest.mark.parametrize(("clock", "said"), [("1h", ""), ("3d", "2 days 23 hr")])
async def test_each_chair_has_its_clock_and_that_of_the_seat_on_turn_runs(clock: str, said: str) -> None:
    desk = Desk()
    match = await desk.play(await desk.duel(clock=clock), "a2-a3", "a7-a6")
    course, shown = Replay(GAMES).positions(match), desk.table.now(desk.now)
    presentation = Presentation(GAMES[match.game], match, course, WORDS, shown)
    before = composing.view(presentation, (), "", {}).chairs
    desk.now += timedelta(minutes=2)
    after = composing.view(replace(presentation, now=desk.table.now(desk.now)), (), "", {}).chairs
    early, late = ([chair.clock for chair in chairs if chair.clock] for chairs in (before, after))
    assert [each.runs for each in (*early, *late)] == [True, False] * 2
    assert [one.left - other.left for one, other in zip(early, late, strict=True)] == [120, 0]
    assert early[1].text == said
    match = (await desk.table.act(match.id, Resign(), Request(BOB, desk.at))).match
    over = replace(presentation, match=match, course=Replay(GAMES).positions(match))
    assert not [chair for chair in composing.view(over, (), "", {}).chairs if chair.turn or chair.clock]


# What a page has beside the match: lines that are tried, notes, puzzles.


def _cell(card: dict[str, Any], square: str) -> str:
    board = card["board"]
    return told(board)[square]


async def test_the_rules_are_those_of_the_match(house: PageHouse) -> None:
    match = await house.desk.duel()
    ann, cid = await house.opened(match.id, ANN), await house.opened(match.id)
    (card,) = (await ann.ask("rules"))["cards"]
    assert "Breakthrough" in card["lines"][0]
    assert "chosen" not in " ".join(card["lines"]), "the match has begun"
    assert (await cid.ask("rules"))["cards"] == []


async def test_a_line_is_tried_from_any_position_and_the_match_stays_as_it_is(house: PageHouse) -> None:
    match = await house.desk.play(await house.desk.duel(), "a2-a3", "a7-a6")
    ann = await house.opened(match.id, ANN)
    assert ann.view["tries"]
    (card,) = (await ann.ask("try", "~1~"))["cards"]
    assert _cell(card, "a7") == "man, Bob (Black)", "after the first move"
    assert "back" not in card
    picked = await ann.ask("pick", "b7", on=card["on"])
    assert picked["pick"]["at"] == "b7"
    (card,) = (await ann.ask("play", "b7/b6", on=card["on"]))["cards"]
    assert _cell(card, "b6") == "man, Bob (Black); just came"
    assert "b7-b6" in card["lines"]
    (card,) = (await ann.ask("type", "c2-c3", on=card["on"]))["cards"]
    assert _cell(card, "c3") == "man, Ann (White); just came"
    (wrong,) = (await ann.ask("type", "c3-c8", on=card["on"]))["cards"]
    assert wrong["refused"]
    assert wrong["lines"][0].startswith("The man on c3 is")
    (back,) = (await ann.ask("try", card["back"]))["cards"]
    assert _cell(back, "b6") == "man, Bob (Black); just came"
    for bad in ("~", "~x~", "~1~h2-h9", "~1~;;a1-a8", "~99999999999999~"):
        assert len((await ann.ask("try", bad))["cards"]) <= 1
    assert (await house.desk.table.get(match.id)) == match


async def test_play_goes_back_to_an_earlier_position(house: PageHouse) -> None:
    match = await house.desk.play(await house.desk.duel(), "a2-a3", "a7-a6", "b2-b3")
    ann, cid = await house.opened(match.id, ANN), await house.opened(match.id)
    assert (await cid.ask("takeback", "1", seen=match.revision))["cards"] == []
    assert await house.desk.table.get(match.id) == match, "a spectator changes nothing"
    (refused,) = (await ann.ask("takeback", "3", seen=match.revision))["cards"]
    assert refused["refused"]
    (stale,) = (await ann.ask("takeback", "1", seen=1))["cards"]
    assert stale["refused"], "the page shows another match"
    assert (await ann.ask("takeback", "1", seen=match.revision))["cards"] == []
    match = await house.desk.table.get(match.id)
    assert match.offer == Offer(Ask.TAKEBACK, S1, (), 1)
    match = (
        await house.desk.table.act(match.id, Answer(Ask.TAKEBACK, True), Request(BOB, house.desk.at))
    ).match
    assert len(match.log) == 1


async def test_a_match_that_is_over_is_played_on_from_an_earlier_position(house: PageHouse) -> None:
    match = await house.desk.play(await house.desk.duel(), "a2-a3", "a7-a6", "b2-b3")
    match = (await house.desk.act(match, BOB, Resign())).match
    ann, cid = await house.opened(match.id, ANN), await house.opened(match.id)
    assert (
        (await cid.ask("press", "~2~~"))["cards"] == (await cid.ask("press", "~2~~side:both"))["cards"] == []
    )
    (menu,) = (await ann.ask("press", "~2~~"))["cards"]
    assert "board" not in menu
    assert menu["lines"] == ["From turn 3, Ann to move", "Against whom?"]
    assert [each["label"] for each in menu["buttons"]][-2:] == ["Anyone", "Both sides myself"]
    assert [each["data"] for each in menu["buttons"]] == [
        f"~2~~{typed}" for typed in ("engine:2", "engine:4", "engine:6", "anyone", "side:both")
    ]
    go = (await ann.ask("press", "~2~~side:both"))["go"]
    begun = await house.desk.table.get(go)
    course = house.desk.table.course(begun)
    assert course.position == house.desk.table.course(match).positions[2]
    assert tuple(begun.people()) == (ANN.account,)
    on = await house.opened(go, ANN)
    assert f"Begins from turn 3 of #{match.id}." in on.view["lines"]
    (first,) = (await on.ask("look", "0:0"))["reel"]["moments"]
    assert first["said"] == f"Ann (White) – Ann (Black). Begins from turn 3 of #{match.id}."
    invited = await house.opened((await ann.ask("press", "~2~~anyone"))["go"], ANN)
    assert f"Begins from turn 3 of #{match.id}." in invited.view["lines"]
    assert _cell({"board": invited.view["small"]}, "a3") == "man, Ann (White)"
    assert "board" not in invited.view
    live = await house.desk.duel()
    playing = await house.opened(live.id, ANN)
    for text in ("~0~~", "~0~~side:both", "~0~a2-a3~side:both"):
        (refused,) = (await playing.ask("press", text))["cards"]
        assert refused["refused"], "nobody tries with an engine what they play"
    for bad in ("~", "~x~~side:both", "~1~h2-h9~side:both", "~99999999999999~"):
        assert not (await ann.ask("press", bad)).get("go")


@pytest.mark.parametrize("key", GAMES)
async def test_a_line_that_was_tried_is_played_on(house: PageHouse, key: str) -> None:
    match = await house.desk.duel(game=key)
    position = house.desk.table.course(match).position
    ply = GAMES[key].notation.format(next(iter(position.legal_moves())))
    match = (await house.desk.act(await house.desk.play(match, ply), BOB, Resign())).match
    ann, cid = await house.opened(match.id, ANN), await house.opened(match.id)
    line = f"~0~{ply}"
    assert "buttons" not in (await cid.ask("try", line))["cards"][0]
    (card,) = (await ann.ask("try", line))["cards"]
    assert card["buttons"] == [{"label": "Play from here", "data": f"{line}~"}]
    (menu,) = (await ann.ask("press", f"{line}~"))["cards"]
    assert menu["lines"] == ["Against whom?"]
    answer = await ann.ask("press", f"{line}~side:both")
    begun = await house.desk.table.get(answer["go"])
    (move,) = GAMES[key].notation.parse(ply, position)
    format_position = GAMES[key].notation.format_position
    start = house.desk.table.course(begun).position
    assert format_position(start) == format_position(position.play(move))


async def test_a_line_ends_where_the_game_does(house: PageHouse) -> None:
    match = await house.desk.duel(board="4x5")
    moves = "b2-b3 d4-d3 b3xa4 c4-c3 a4xb5"
    async with house.page(match.id) as cid:
        (card,) = (await cid.ask("try", f"~0~{moves.replace(' ', ';')}"))["cards"]
    assert "pick" not in card
    assert "Ann won" in " ".join(card["lines"])


@pytest.mark.parametrize("rated", [True, False])
async def test_who_plays_may_try_moves_where_hints_are_allowed(house: PageHouse, rated: bool) -> None:
    challenge = Challenge(ROOM, "breakthrough", opponents=[BOB], rated=rated)
    match = await house.desk.begun((await house.desk.open(ANN, challenge)).match)
    if not rated:
        await house.desk.store.settings.change(ROOM, lambda now: replace(now, hints=False))
    async with house.page(match.id, ANN) as ann, house.page(match.id) as cid:
        await ann.answer("view")
        await cid.answer("view")
        assert not ann.view.get("tries")
        assert (await ann.ask("try", "~0~"))["cards"] == []
        assert (await ann.ask("play", "a2/a3", on="~0~"))["cards"] == []
        assert cid.view["tries"], "they have no part in it"


async def test_notes_are_private_kept_exported_and_forgotten(
    house: PageHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, text = await house.desk.duel(), "Watch b5 — тихо"
    async with house.page(match.id, ANN) as ann:
        assert (await ann.answer("hello"))["hello"]["note"] == ""
        await ann.ask("note", text)
    async with house.page(match.id, ANN) as ann:
        assert (await ann.answer("hello"))["hello"]["note"] == text
    async with house.page(match.id, BOB) as bob, house.page(match.id) as cid:
        assert (await bob.answer("hello"))["hello"]["note"] == ""
        assert "note" not in (await cid.answer("hello"))["hello"]
        assert (await cid.ask("note", "x"))["cards"] == []
    store = house.desk.store
    served = services(house.desk.table, store, lambda: house.desk.now, pictures=Pictures())
    visitor = Visitor(ANN, ROOM, find=lambda _: None)
    (said,) = await served.desk.answer(visitor, f"/note #{match.id}")
    assert said.view.lines[-1] == f"📝 {text}", "the chat has the same one"
    await served.desk.answer(visitor, f"/note #{match.id} {text}!")
    async with house.page(match.id, ANN) as ann:
        assert (await ann.answer("hello"))["hello"]["note"] == f"{text}!"
        await ann.ask("note", text)
    monkeypatch.setattr(match_notes, "MOST", 1)
    other = await house.desk.duel()
    async with house.page(other.id, ANN) as ann:
        await ann.answer("hello")
        (refused,) = (await ann.ask("note", "x"))["cards"]
        assert match.id in refused["lines"][0], "the oldest, to make room"
    exported = [trace.text for trace in await store.traces(ANN.account)]
    assert text in exported, "what is exported"
    (question,) = await served.desk.answer(visitor, "/forgetme")
    await served.desk.press(visitor, question.view.buttons[0].data)
    assert text not in [trace.text for trace in await store.traces(ANN.account)]
    async with house.page(match.id, ANN) as ann:
        assert "note" not in (await ann.answer("hello", "over")).get("hello", {})


@pytest.mark.parametrize("another", [False, True])
async def test_a_puzzle_is_solved_on_the_board(house: PageHouse, another: bool) -> None:
    async with house.page("", ANN) as ann:
        offered = (await ann.answer("lobby"))["lobby"]["cards"]
        puzzle = next(each for each in offered if each["kind"] == "puzzle")
        press = puzzle["buttons"][0]["data"] if another else puzzle["press"]
        (card,) = (await ann.ask("press", press))["cards"]
        assert card["board"]["legend"]
        assert "/puzzle" not in " ".join(card["lines"]), "a turn is typed into the field of the page"
        node, at = card["pick"]["node"], ""
        while node:
            path, after = node["steps"][0]["path"], node["steps"][0].get("after")
            at = f"{at}/{path}" if at and not at.endswith(";") else f"{at}{path}"
            if after is None:
                break
            pick = (await ann.ask("pick", at, on=card["on"]))["pick"]
            assert pick["board"]["ranks"] == card["board"]["ranks"] == ["1", "2", "3", "4"], "it stays turned"
            node = pick["node"]
        (answer,) = (await ann.ask("play", at, on=card["on"]))["cards"]
        assert answer["lines"] != card["lines"]
        (refused,) = (await ann.ask("type", "nonsense", on=card["on"]))["cards"]
        assert refused["refused"]


async def test_a_match_is_taken_along_as_a_film_and_as_text(house: PageHouse) -> None:
    match = await house.desk.play(await house.desk.duel(), "a2-a3", "a7-a6")
    match = (await house.desk.table.act(match.id, Resign(), Request(BOB, house.desk.at))).match
    outgoing = house.desk.store.outgoing()
    await outgoing.set_dead(ROOM, house.desk.at)
    ann = await house.opened(match.id, ANN)
    replay = CallbackData(Verb.REPLAY, match.id, match.revision).pack()
    (card,) = (await ann.ask("press", replay))["cards"]
    name, film = card["files"][0].values()
    assert name == f"breakthrough-{match.id}.gif"
    assert b64decode(film).startswith(b"GIF8")
    export = CallbackData(Verb.EXPORT, match.id, match.revision).pack()
    (card,) = (await ann.ask("press", export))["cards"]
    name, text = card["files"][0].values()
    assert name.endswith(".txt")
    assert "a2-a3" in b64decode(text).decode()
    assert await outgoing.dead(ROOM) is not None, (
        "a press on the page does not show that the room can be written to"
    )


async def test_the_coach_speaks_on_the_board_and_its_question_takes_back() -> None:
    async with page_house(thinker=Thinker(Inline())) as house:
        desk = house.desk
        asked = Challenge(ROOM, "lgame", {}, opponents=[engine("1")])
        match = (await desk.table.open(asked, Request(ANN, desk.at))).match
        ann = await house.opened(match.id, ANN)
        await ann.answer("view")
        assert "buttons" not in ann.view
        (menu,) = (await ann.ask("press", ann.view["menu"]))["cards"]
        coach = next(each["data"] for each in menu["buttons"] if each["label"] == "With a coach")
        await ann.ask("press", coach)
        while not any(line.startswith("Coach: ") for line in ann.view["lines"]):
            await ann.answer("view")
        await desk.table.act(match.id, MakeMove("L a1-a3-b3 n d1-b1"), Request(ANN, desk.at))
        await desk.table.act(match.id, MakeMove("L b2-d2-d1"), Request(engine("1"), desk.at))
        while not any("Take it back?" in line for line in ann.view["lines"]):
            await ann.answer("view")
        back = next(each["data"] for each in ann.view["buttons"] if each["label"] == "Take it back")
        await ann.ask("press", back)
        assert (await desk.table.get(match.id)).offer is not None
