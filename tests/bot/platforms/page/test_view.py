"""What a page is told of a match besides its board: who plays, what happened, its end, its positions, what is prepared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from bot.chat.i18n import LANGUAGES
from bot.chat.i18n import words as words_for
from bot.chat.presenting.naming import Presentation
from bot.chat.presenting.selection import Selection, follow
from bot.chat.thinking.jobs import Job, Reply, Variation
from bot.features.analysis.judging import analysed, kept
from bot.features.commands import REGISTRY
from bot.platforms.page import beside, composing, wire
from bot.platforms.page.composing import without_commands
from play.actions.agreeing import Undo
from play.actions.leaving import Resign
from play.actions.playing import prepared
from play.errors import Refused
from play.match import Match, engine
from play.opening import Challenge
from play.replay import Course, Replay
from play.request import Request
from rules import GAMES
from rules.core import Seat
from tests.support.browser import PageClient, PageHouse
from tests.support.desk import ANN, BOB, CEM, ROOM, S1, S2, Desk, player

WORDS = words_for("en", strict=True)


def presented(desk: Desk, match: Match) -> Presentation:
    course: Course = Replay(GAMES).positions(match)
    return Presentation(GAMES[match.game], match, course, WORDS, desk.table.now(desk.now))


def shown(desk: Desk, match: Match, *who: Any) -> wire.PageView:
    return composing.view(presented(desk, match), [each.account for each in who], "", {})


# Who plays, what happened last, and how it ended.


async def test_a_chair_has_its_parts_by_name() -> None:
    desk = Desk()
    match = await desk.play(await desk.duel(board="4x5"), "b2-b3", "a4xb3")
    view = shown(desk, match, BOB)
    assert (view.title, view.players) == ("Breakthrough (board: 4×5)", "Ann – Bob")
    assert [(chair.name, chair.side, chair.score) for chair in view.chairs] == [
        ("Ann", "White", "7 men"),
        ("Bob", "Black", "8 men"),
    ]
    assert view.event == "capture"
    assert shown(desk, await desk.play(match, "a2xb3"), ANN).event == "capture"
    assert shown(desk, await desk.duel()).event == ""
    match = await desk.duel("lgame", variant="scoring")
    assert [chair.score for chair in shown(desk, match).chairs] == ["0 points", "0 points"]


async def test_a_computer_has_its_level_and_a_turn_of_several_its_actions() -> None:
    desk = Desk()
    match = await desk.party(ANN, engine(5), CEM, game="klopodavka")
    view = shown(desk, match)
    assert view.chairs[1].name == "Klop, level 5"
    assert [(chair.actions_left, chair.actions) for chair in view.chairs] == [(3, 3), (0, 0), (0, 0)]
    first = match.player(S1)
    text = GAMES["klopodavka"].notation.format(desk.table.position(match).legal_moves()[0])
    view = shown(desk, await desk.play(match, text), first)
    assert [(chair.actions_left, chair.actions) for chair in view.chairs] == [(2, 3), (0, 0), (0, 0)]
    assert view.event == "move"
    assert "players" not in view.title
    view = shown(desk, await desk.party(*map(player, "ABCDEFGHIJ"), game="klopodavka", board="22x22"))
    assert (view.title, view.players) == ("Klopodavka 22×22, 10 players", "")


def _piece(svg: str) -> str:
    return svg[svg.index("<g class=") : svg.index("</g>")]


async def test_what_is_put_down_looks_as_what_stands_on_the_board() -> None:
    desk = Desk()
    looks: dict[str, str] = {}
    view = composing.view(presented(desk, await desk.duel("lgame")), [ANN.account], "", looks)
    assert view.board
    assert view.pick
    fades, parts = view.pick.fades, view.pick.puts["cells"]
    assert len(fades) == 4
    assert len(parts) == 16
    for at in fades:
        beside = (at - 4, at + 1 if at % 4 < 3 else -1, at + 4, at - 1 if at % 4 else -1)
        joins = sum(1 << side for side, other in enumerate(beside) if other in fades)
        look = view.board.legend[view.board.squares[at]].look
        assert _piece(looks[look]) == _piece(looks[parts[joins]])
    match = await desk.play(await desk.duel("klopodavka", board="6x6"), "b2 c3 d4", "e5 d5 c5", "b4 c5")
    view = composing.view(presented(desk, match), [ANN.account], "", looks)
    assert view.board
    assert view.pick
    bug = next(entry.look for entry in view.board.legend if entry.text == "bug, Ann")
    wall = next(entry.look for entry in view.board.legend if entry.text.startswith("wall, Ann"))
    assert {kind: _piece(looks[look]) for kind, (look,) in view.pick.puts.items()} == {
        "cells": _piece(looks[bug]),
        "piece": _piece(looks[wall]),
    }
    men = composing.view(presented(desk, await desk.duel()), [ANN.account], "", looks).pick
    assert men
    assert men.puts == {}


async def test_names_that_are_read_from_the_right_do_not_change_places() -> None:
    desk = Desk()
    match = await desk.party(player("שירה"), player("אבג"), game="breakthrough")
    assert shown(desk, match, ANN).players == "שירה \N{LEFT-TO-RIGHT MARK}– אבג"


async def test_an_invitation_says_who_is_expected_and_nothing_twice() -> None:
    desk = Desk()
    match = await desk.invited(ANN, BOB)
    view = shown(desk, match, BOB)
    assert (view.title, view.players) == ("Breakthrough", "Ann – Bob")
    assert view.lines[1:] == ["Ann challenges Bob: Breakthrough"]
    assert [chair.note for chair in view.chairs] == ["", "invited"]
    match = (await desk.open(ANN, Challenge(ROOM, "breakthrough"))).match
    view = shown(desk, match, BOB)
    assert (view.title, view.players) == ("Breakthrough", "")
    assert view.small
    view = shown(desk, match, ANN)
    assert view.lines[1:] == ["The game opens here by itself as soon as it begins."]
    assert [chair.name for chair in view.chairs] == ["Ann", "Free seat"]


async def test_the_end_is_told_to_each_reader() -> None:
    desk = Desk()
    match = await desk.duel()
    match = (await desk.act(match, BOB, Resign())).match
    ends = [shown(desk, match, *who).end for who in ([ANN], [BOB], [CEM])]
    assert [end and end.outcome for end in ends] == ["won", "lost", ""]
    assert [end and end.result for end in ends] == ["You won", "You lost", "Ann won."]
    assert ends[0]
    assert ends[0].why == "By resignation."
    three = (await desk.act(await desk.party(ANN, BOB, CEM, game="klopodavka"), BOB, Resign())).match
    three = (await desk.act(three, CEM, Resign())).match
    end = shown(desk, three, BOB).end
    assert end
    assert (end.outcome, end.result) == ("lost", "Ann won.")
    view = shown(desk, match, ANN)
    assert view.event == "end"
    assert {button.label for button in view.buttons if button.end} >= {"Another opponent"}
    assert view.ahead is None


async def test_the_change_of_ratings_is_at_the_end(house: PageHouse) -> None:
    challenge = Challenge(ROOM, "breakthrough", opponents=[BOB], rated=True)
    match = await house.desk.begun((await house.desk.open(ANN, challenge)).match)
    match = await house.desk.play(match, "a2-a3", "a7-a6")
    ann, cid = await house.opened(match.id, ANN), await house.opened(match.id)
    assert ann.view["rated"]
    await house.desk.table.act(match.id, Resign(), Request(BOB, house.desk.at))
    for page in (ann, cid, await house.opened(match.id, BOB)):
        if page.view.get("event") != "end":
            await page.answer("view")
        assert re.search(r"Ann .*\+\d+", page.view["end"]["rating"])


# Words for a page: no commands.


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_refused_names_no_command_and_says_why_nevertheless(language: str) -> None:
    words = words_for(language)
    fields = {"n": 3, "count": 3, "limit": 3, "seats": 3, "seat": Seat.S1}
    for reason in Refused:
        said = words(reason, **fields)
        (kept,) = without_commands([said])
        assert kept[0] == said[0]
        assert kept.endswith((".", "?", "!", "»", "”")) or kept == said, kept
        named = re.findall(r"(?<![\w/:.])/([a-z]+)", kept)
        assert not [name for name in named if name in REGISTRY.handlers], kept


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It is your turn already: play with /move. A plan is made later.", "It is your turn already. A plan is made later."),
        ("All seats are taken. Watch with /board, or open another with /new.", "All seats are taken."),
        ("Turn: /me — 2 actions left", "Turn: /me — 2 actions left"),
        ("e1 e2 / i4 i5", "e1 e2 / i4 i5"),
    ],
)  # fmt: skip
def test_sentences_with_commands_are_left_out(text: str, plain: str) -> None:
    assert without_commands([text, "/games lists yours."]) == [plain]
    assert without_commands(["/games lists yours."]) == ["/games lists yours."], "there is nothing else"


# Earlier positions, several at once, and marks.


async def test_a_reel_shows_a_match_as_it_was_both_ways(house: PageHouse) -> None:
    match = await house.desk.play(await house.desk.duel(), "a2-a3", "a7-a6", "b2-b3", "b7-b6")
    cid = await house.opened(match.id)
    reel = (await cid.ask("look", "1:99"))["reel"]
    assert [moment["at"] for moment in reel["moments"]] == [1, 2, 3, 4]
    for moment in reel["moments"]:
        alone = (await cid.ask("look", f"{moment['at']}:{moment['at']}"))["reel"]
        (same,) = alone["moments"]
        assert same["said"] == moment["said"]
        assert [reel["legend"][entry] for entry in moment["squares"]] == [
            alone["legend"][entry] for entry in same["squares"]
        ]
        assert (reel["files"], reel["ranks"]) == (alone["files"], alone["ranks"])
    back = (await cid.ask("look", "3:0"))["reel"]
    assert [moment["at"] for moment in back["moments"]] == [3, 2, 1, 0]
    assert {entry["look"] for entry in reel["legend"]} <= cid.looks.keys()


@pytest.mark.parametrize(("size", "most"), [(20, beside.MOST_SQUARES // 400), (8, beside.MOST_MOMENTS)])
async def test_a_reel_is_bounded(size: int, most: int) -> None:
    desk = Desk()
    texts = [
        text for file in "abcdefg" for text in (f"{file}2-{file}3", f"{file}{size - 1}-{file}{size - 2}")
    ]
    match = await desk.play(await desk.duel(board=f"{size}x{size}"), *texts)
    assert len(beside.reel(presented(desk, match), 0, 99, {}).moments) == most


async def test_an_analysis_that_is_kept_marks_the_turning_points(house: PageHouse) -> None:
    desk = house.desk
    match = await desk.play(await desk.duel(), "a2-a3", "a7-a6", "b2-b3")
    match = (await desk.act(match, BOB, Resign())).match
    async with house.page(match.id, ANN) as ann:
        assert "marks" not in await ann.answer("view", "marks")
        assert "marks" not in await ann.ask("look", "0:0")

        async def ask(job: Job) -> Reply:
            values = iter((0.8, 0.9, -0.8, 0.8))  # the first turn gives its chances away
            lines = [
                Variation(("c2-c3",), next(values), None, ("c2-c3",), 1) for _ in range(1 + len(job.after))
            ]
            first, *rest = [Reply("test", "test", 1, (line,)) for line in lines]
            return replace(first, after=tuple(rest))

        course = Replay(GAMES).positions(match)
        await analysed(match, course, lambda job: kept(desk.store.notes, job, ask))
        frame = await ann.ask("press", f"1bd:{match.id}:{match.revision}:words")
        assert {mark["at"]: mark["kind"] for mark in frame["marks"]}[1] == "turning"
        assert frame["marks"][0]["text"] == "Turn 1: better c2-c3"
        assert "marks" not in await ann.ask("press", f"1bd:{match.id}:{match.revision}:words"), "it has them"
    async with house.page(match.id) as cid:
        assert (await cid.answer("marks"))["marks"] == frame["marks"]


# A move that is prepared while others think.


def _moves(at: str, node: wire.PageNode) -> Iterator[str]:
    for step in node.steps:
        further = f"{at}/{step.path}" if at else step.path
        if step.after is None:
            yield further
        else:
            assert isinstance(step.after, wire.PageNode)
            yield from _moves(further, step.after)


@pytest.mark.parametrize("key", ["lgame", "breakthrough"])
async def test_what_can_be_prepared_is_legal_if_it_were_the_readers_turn(key: str) -> None:
    desk, game = Desk(), GAMES[key]
    match = await desk.duel(game=key)
    assert [shown(desk, match, who).ahead for who in (ANN, CEM)] == [None, None]
    here, ahead = desk.table.position(match).ahead(S2), shown(desk, match, BOB).ahead
    assert here is not None
    assert ahead is not None
    assert ahead.pick is not None
    assert ahead.pick.node is not None
    texts = _moves("", ahead.pick.node)
    found = {follow(game, here, Selection.read(text)).selection.moves for text in texts}
    assert found == {game.notation.format(move) for move in here.legal_moves()}


async def _until(page: PageClient, turns: int) -> dict[str, Any]:
    while page.view.get("turns", 0) < turns:
        await page.answer("view")
    return page.view


async def test_a_prepared_move_is_seen_by_its_player_alone_and_played(house: PageHouse) -> None:
    match = await house.desk.play(await house.desk.duel(), "a2-a3")
    ann, bob, cid = [await house.opened(match.id, who) for who in (ANN, BOB, None)]
    assert (await ann.ask("ahead", "b2/b3"))["cards"] == []
    ahead = ann.view["ahead"]
    assert ahead["moves"] == "b2-b3"
    assert ahead["said"].startswith("Prepared: b2-b3")
    names = [file + rank for rank in ann.view["board"]["ranks"] for file in ann.view["board"]["files"]]
    assert [names[at] for at in ahead["squares"]] == ["b2", "b3"]
    assert (await ann.ask("pick", "c2", on="ahead"))["pick"]["board"]
    for page in (bob, cid):
        while page.view["r"] < ann.view["r"]:
            await page.answer("view")
        assert "b2-b3" not in str(page.view)
    await bob.ask("play", "a7/a6")
    for page in (ann, bob, cid):
        view = await _until(page, 3)
        assert [entry["text"] for entry in page.log] == ["a2-a3", "a7-a6", "b2-b3"]
        assert "moves" not in view.get("ahead", {})


async def test_one_that_became_impossible_is_dropped_with_a_word_also_after_a_restart(
    house: PageHouse,
) -> None:
    match = await house.desk.play(await house.desk.duel(board="4x5"), "b2-b3")
    ann = await house.opened(match.id, ANN)
    await ann.ask("ahead", "b3/a4")
    assert ann.view["ahead"]["moves"] == "b3xa4"
    await house.desk.play(match, "a4xb3")
    await _until(ann, 2)
    for page in (ann, await house.opened(match.id, ANN)):
        assert "pick" in page.view
        assert page.view["ahead"] == {
            "moves": "b3xa4",
            "dropped": True,
            "said": "Your prepared move b3xa4 could not be played.",
        }
    await ann.ask("play", "a2/b3")
    assert "moves" not in ann.view["ahead"]


async def test_it_is_cancelled_and_waits_again_when_a_move_is_taken_back(house: PageHouse) -> None:
    desk = house.desk
    match = await desk.play(await desk.duel(board="4x5"), "b2-b3")
    ann = await house.opened(match.id, ANN)
    await ann.ask("ahead", "b3/a4")
    await desk.play(match, "a4xb3")
    match = (await desk.act(match, BOB, Undo())).match
    while ann.view["r"] < match.revision:
        await ann.answer("view")
    assert ann.view["ahead"]["said"].startswith("Prepared")
    await ann.ask("ahead")
    assert ann.view["ahead"].keys() == {"pick"}
    assert prepared(await desk.table.get(match.id), S1) == ()
    (card,) = (await ann.ask("ahead"))["cards"]
    assert card["lines"] == ["You have no plan in this match."]
    match = await desk.play(match, "d4-d3")
    (card,) = (await ann.ask("ahead", "b3/a4"))["cards"]
    assert card["refused"]
    assert card["lines"][0].startswith("It is your turn already.")


async def test_a_turn_of_several_plies_is_prepared_whole(house: PageHouse) -> None:
    desk = house.desk
    match = await desk.duel(game="klopodavka")
    bob = await house.opened(match.id, BOB)
    at = ""
    for _ in range(3):
        node = (
            bob.view["ahead"]["pick"]["node"]
            if not at
            else (await bob.ask("pick", at, on="ahead"))["pick"]["node"]
        )
        at = (await bob.ask("pick", at + node["steps"][0]["path"], on="ahead"))["pick"]["at"]
    (card,) = (await bob.ask("ahead", at.split(";")[0] + ";"))["cards"]
    assert card["refused"], "one action is no turn"
    await bob.ask("ahead", at)
    assert len(bob.view["ahead"]["squares"]) == 3
    assert bob.view["ahead"]["moves"] == at.rstrip(";").replace(";", " ")


async def test_a_spectator_prepares_nothing(house: PageHouse) -> None:
    match = await house.desk.duel()
    cid = await house.opened(match.id)
    assert "ahead" not in cid.view
    assert (await cid.ask("ahead", "a7/a6"))["cards"] == []
    assert (await cid.ask("pick", "a7", on="ahead"))["cards"] == []
    assert (await house.desk.table.get(match.id)).plans == ()


async def test_the_piece_that_is_put_down_anew_fades() -> None:
    desk = Desk()
    match = await desk.duel("lgame")
    pick = shown(desk, match, ANN).pick
    assert pick is not None
    board = shown(desk, match, ANN).board
    assert board is not None
    names = [file + rank for rank in board.ranks for file in board.files]
    assert sorted(names[at] for at in pick.fades) == ["b1", "b2", "b3", "c1"]
    assert not shown(desk, await desk.duel(), ANN).pick.fades  # type: ignore[union-attr]
