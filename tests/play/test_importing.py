"""Bringing matches in from files."""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from play.actions.agreeing import Undo
from play.actions.leaving import Leave, Resign
from play.actions.playing import MakeMove
from play.actions.renaming import Forget
from play.actions.seating import Join, Start, Withdraw
from play.errors import BadMoveList, BadRequest, PlayError, Refused
from play.facts import Imported, Joined, Started
from play.files.matchfile import Import, export, write
from play.files.matchreader import read
from play.match import Chair, Closing, Match, Phase, Result
from play.opening import rematch
from play.people import Player, filed
from play.request import Request
from rules import GAMES
from rules.core import BadOption, OptionReason, RulesError, Seat
from tests.support.desk import ANN, BOB, CEM, DAN, EVE, HALL, HOUR, NOON, ROOM, S1, S2, Dealt, Desk
from tests.toy.notches.position import Setup


async def moved(desk: Desk, match: Match, who: Player) -> Match:
    """A match taken out by its file and brought in elsewhere."""
    text = await desk.export(match.id)
    fact = await desk.open(who, Import(text, HALL))
    assert isinstance(fact, Imported)
    return fact.match


async def test_a_match_that_is_over_comes_back_to_look_at(desk: Desk) -> None:
    old = await desk.play(await desk.duel(board="6x6"), "a2-a3", "a5-a4")
    old = (await desk.act(old, ANN, Resign())).match
    match = await moved(desk, old, EVE)
    assert match.id != old.id
    assert match.imported
    same = {
        name: getattr(old, name)
        for name in ("id", "addresses", "expires", "revision", "imported", "position_since")
    }
    assert replace(match, **same) == old
    assert match.addresses == (HALL,)
    text = await desk.export(match.id)
    assert text.replace(match.id, old.id) == await desk.export(old.id)


async def test_a_match_that_is_not_over_goes_on_once_all_agree(desk: Desk) -> None:
    old = await desk.play(await desk.duel(), "a2-a3", "a7-a6")
    match = await moved(desk, old, BOB)
    assert match.phase is Phase.OPEN
    assert match.chairs == (Chair(reserved=ANN), Chair(player=BOB))
    assert (match.host, match.log, match.opened) == (BOB, old.log, old.opened)
    assert match.expires == desk.now + 24 * HOUR
    await desk.refused(match, BOB, MakeMove("b2-b3"), Refused.NOT_STARTED)
    await desk.refused(match, EVE, Join(), Refused.NOT_INVITED)
    await desk.refused(match, BOB, Start(), Refused.TOO_FEW, seated=1, needed=2)
    started = await desk.gives(Started, match, ANN, Join())
    assert started.match.log == old.log
    match = await desk.play(started.match, "b2-b3")
    assert len(match.log) == 3


async def test_the_chair_of_an_alias_is_open_or_kept_for_whom_it_is_known_to_stand_for(desk: Desk) -> None:
    old = await desk.play(await desk.duel(), "a2-a3")
    text = export(old, [BOB.account])
    for known, chair in (({}, Chair()), ({filed(old.id, 1): ANN.account}, Chair(reserved=ANN))):
        match = (await desk.open(BOB, Import(text, HALL, known))).match
        assert match.chairs == (chair, Chair(player=BOB))
        assert (await desk.gives(Started, match, ANN, Join())).match.log == old.log
    over = (await desk.act(old, ANN, Resign())).match
    fact = await desk.open(EVE, Import(export(over, [EVE.account]), HALL))
    assert [str(player.account) for player in fact.match.players()] == [
        f"file:{old.id}-1",
        f"file:{old.id}-2",
    ]


async def test_what_came_from_a_file_is_marked_for_ever(desk: Desk) -> None:
    old = await desk.play(await desk.duel(), "a2-a3")
    assert not old.imported
    match = await moved(desk, old, ANN)
    assert match.imported
    match = (await desk.act(match, BOB, Join())).match
    match = await desk.play(match, "a7-a6")
    match = (await desk.act(match, BOB, Resign())).match
    assert match.imported
    assert (await moved(desk, match, EVE)).imported
    again = await rematch(desk.table, match.id, Request(ANN, desk.at))
    assert not again.match.imported


async def test_a_stranger_can_bring_it_but_not_sit(desk: Desk) -> None:
    old = await desk.play(await desk.duel(), "a2-a3")
    match = await moved(desk, old, EVE)
    assert match.chairs == (Chair(reserved=ANN), Chair(reserved=BOB))
    await desk.refused(match, EVE, Join(), Refused.NOT_INVITED)
    await desk.gives(Joined, match, BOB, Join())
    left = await desk.act(match, BOB, Leave())
    assert left.match.chairs == match.chairs, "no one else may continue it"
    await desk.act(match, EVE, Withdraw())


async def test_names_in_what_is_over_stay(desk: Desk) -> None:
    old = (await desk.act(await desk.duel(), ANN, Resign())).match
    match = await moved(desk, old, replace(BOB, name="Bobby"))
    assert match.chairs == old.chairs


async def test_those_who_play_no_more_need_not_agree(desk: Desk) -> None:
    old = await desk.party(ANN, BOB, CEM, DAN, board="9x9")
    old = await desk.play(old, "a1 a2")
    old = (await desk.act(old, CEM, Resign())).match
    match = await moved(desk, old, ANN)
    assert match.chairs == (Chair(player=ANN), Chair(reserved=BOB), Chair(player=CEM), Chair(reserved=DAN))
    await desk.act(match, BOB, Join())
    started = await desk.gives(Started, match, DAN, Join())
    assert desk.table.position(started.match) == desk.table.position(old)


async def test_what_cannot_be_exported(desk: Desk) -> None:
    match = await desk.invited(ANN, game="lgame")
    await desk.refuses(desk.export(match.id), Refused.NOT_STARTED)
    await desk.act(match, ANN, Withdraw())
    await desk.refuses(desk.export(match.id), Refused.CALLED_OFF)
    await desk.refuses(desk.export("nosuch"), Refused.NO_SUCH_MATCH)


async def file_of(desk: Desk) -> str:
    match = await desk.party(ANN, BOB, CEM, board="9x5")
    await desk.play(match, "a1 a2", "e1 e2", "i1")
    return await desk.export(match.id)


async def test_moves_that_the_rules_refuse(desk: Desk) -> None:
    text = await file_of(desk)
    first = next(n for n, line in enumerate(text.split("\n"), 1) if line.startswith("1."))
    for wrong, instead, line, shown in (
        ("(2) e1", "(2) a3", first + 1, "a3"),
        ("(3) i1", "(3) a1", first + 2, "a1"),
        ("(3) i1", "(3) nonsense", first + 2, "nonsense"),
        ("(3) i1", "(3) i1 i2", first + 2, "i1 i2"),
        ("(3) i1", "(1) i1", first + 2, "i1"),
    ):
        changed = text.replace(wrong, instead)
        assert changed != text
        refused = await desk.refuses(
            desk.open(ANN, Import(changed, ROOM)), Refused.BAD_LIST, line=line, text=shown
        )
        assert isinstance(refused, BadMoveList)
        assert text.split("\n")[line - 1][7:9] == wrong[4:]
        assert refused.fields["column"] == 8
        assert bool(refused.because) == (not instead.startswith("(1)") and instead != "(3) i1 i2")
    twice = text + "4. (2) * resigned {2026-11-21T12:00:00Z}\n5. (2) * resigned {2026-11-21T12:00:00Z}\n"
    await desk.refuses(desk.open(ANN, Import(twice, ROOM)), Refused.BAD_LIST, line=first + 4)


async def test_files_that_do_not_fit_the_game(desk: Desk) -> None:
    text = await file_of(desk)

    def bring(text: str) -> Coroutine[Any, Any, Imported]:
        return desk.open(ANN, Import(text, ROOM))

    await desk.refuses(bring(text.replace('"notches"', '"chess"')), Refused.NO_SUCH_GAME, game="chess")
    await desk.refuses(bring(text.replace('[Rules "1"]', '[Rules "2"]')), Refused.BAD_FILE, line=3)
    option = '[Option "board" "9x5"]'
    await desk.refuses(bring(text.replace(option, option + '\n[Option "players" "2"]')), Refused.BAD_FILE)
    bad = await desk.refuses(bring(text.replace(option, '[Option "size" "1"]')), OptionReason.UNKNOWN_OPTION)
    assert isinstance(bad, BadOption)
    await desk.refuses(bring(text.replace("9x5", "3x5")), Refused.BAD_LIST)
    await desk.refuses(
        bring(text.replace(option, '[Option "board" "3x1"]\n[Option "holes" "a1"]')), Setup.TOO_SMALL
    )
    await desk.refuses(bring("hello"), Refused.BAD_FILE, line=1, text="hello")
    await desk.refuses(bring("x" * 10**6), Refused.FILE_TOO_LONG)


def closed(text: str, result: str, reason: str) -> str:
    return text.replace('[Result "unfinished"]', f'[Result "{result}"]\n[Reason "{reason}"]')


async def test_results_that_the_rules_leave_to_people(desk: Desk) -> None:
    text = await desk.export((await desk.play(await desk.duel(), "a2-a3")).id)

    def bring(text: str) -> Coroutine[Any, Any, Imported]:
        return desk.open(ANN, Import(text, ROOM))

    for reason in (Closing.DRAW_AGREED.value, Closing.HALVED.value):
        drawn = await bring(closed(text, "draw", reason))
        assert drawn.match.result == Result((), reason)
    for reason in (Closing.RESIGNED.value, Closing.PROVED.value):
        won = await bring(closed(text, "2", reason))
        assert won.match.result == Result((S2,), reason)
    for result, reason in (
        ("1", Closing.DRAW_AGREED.value),
        ("draw", Closing.RESIGNED.value),
        ("draw", Closing.PROVED.value),
        ("2", Closing.HALVED.value),
        ("1+2", Closing.RESIGNED.value),
        ("draw", Closing.REPETITION.value),
        ("1", "breakthrough.ending.reached"),
        ("1", "because"),
    ):
        await desk.refuses(bring(closed(text, result, reason)), Refused.BAD_FILE, text=reason)


async def test_results_that_the_rules_decide(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM)
    await desk.act(match, CEM, Resign())
    await desk.act(match, BOB, Resign())
    text = await desk.export(match.id)
    back = await desk.open(ANN, Import(text, ROOM))
    assert back.match.result == Result((S1,), "notches.ending.last-left")
    for wrong in (
        text.replace('[Result "1"]', '[Result "3"]'),
        text.replace("notches.ending.last-left", "notches.ending.first-blocked"),
        text.replace("notches.ending.last-left", Closing.DRAW_AGREED.value).replace(
            '"1"]\n[R', '"draw"]\n[R'
        ),
        text.replace('[Result "1"]\n[Reason "notches.ending.last-left"]', '[Result "unfinished"]'),
    ):
        assert wrong != text
        await desk.refuses(desk.open(ANN, Import(wrong, ROOM)), Refused.BAD_FILE)


async def test_what_people_write_by_hand_is_spelled_as_the_game_does(desk: Desk) -> None:
    text = await desk.export((await desk.play(await desk.duel(), "a2-a3")).id)
    by_hand = text.replace("a2-a3", "A2 A3")
    fact = await desk.open(ANN, Import(by_hand, ROOM))
    assert [entry.text for entry in fact.match.log] == ["a2-a3"]  # type: ignore[union-attr]


async def test_names_from_a_file_are_cleaned(desk: Desk) -> None:
    text = await desk.export((await desk.duel()).id)
    text = text.replace('"Bob"', r'"\u202eB\u0000ob\ud800"')
    fact = await desk.open(ANN, Import(text, ROOM))
    assert fact.match.chairs[1] == Chair(reserved=BOB)


async def test_a_rematchs_file_says_what_it_followed(desk: Desk) -> None:
    old = (await desk.act(await desk.duel(), ANN, Resign())).match
    await rematch(desk.table, old.id, Request(BOB, desk.at))
    new = (await rematch(desk.table, old.id, Request(ANN, desk.at))).match
    text = await desk.export(new.id)
    assert read(text).follows == old.id
    assert write(read(text)) == text
    assert (await moved(desk, new, ANN)).rematch_of == old.id


@pytest.mark.parametrize("noise", ["1. (1) a1 {2026-11-21T12:00:04Z} " * 3000, '[Option "a" "b"]\n' * 5000])
async def test_large_noise_is_refused_at_once(desk: Desk, noise: str) -> None:
    text = await file_of(desk)
    with pytest.raises(PlayError):
        await desk.open(ANN, Import(text + noise, ROOM))


async def test_a_file_from_the_future_is_refused(desk: Desk) -> None:
    text = await file_of(desk)
    [opened] = [n for n, line in enumerate(text.splitlines(), 1) if line.startswith("[Opened")]
    [match] = desk.stored().values()
    early = match.opened
    await desk.refuses(desk.open(ANN, Import(text, HALL), at=early - HOUR), Refused.FILE_AHEAD, line=opened)
    await desk.refuses(desk.open(ANN, Import(text, HALL), at=match.log[0].at), Refused.FILE_AHEAD)


_LISTS = [
    ("1. b2-b3 b7b6 2. c2c3 g7-g6*", "breakthrough", 4, None),
    ("b2b3 b7b6 c2c3", "breakthrough", 3, None),
    ('[Event "A cup"]\n[Site "?"]\n[White "Ann"]\n\n1. b2b3 {a\nplan} 1... b7b6 0:1', "breakthrough", 2, S2),
    ('[Game "Breakthrough"]\n[Result "1-0"]\n1.b2-b3 b7-b6', "breakthrough", 2, S1),
    ("1. a2-a3 b7-b6 2. a3-a4 b6-b5 3. a4xb5 h7-h6 1-0", "breakthrough", 6, S1),
    ("1. L a1-a3-b3 n a4-b2\n2. L d2-d4-c4", "lgame", 2, None),
    ("b2 c3 d4\ni9, h8, g7", "klopodavka", 6, None),
    ("1. b2 c3 d4 2. i9-h8-g7", "klopodavka", 6, None),
    ("1. L a1-a3-b3\nn a4-b2 2. L d2-d4-c4", "lgame", 2, None),
    ("1. b2b3! (1. a2a3 (1. c2c3) 1... a7a6) b7b6?! $14 ; good\n2. c2c3", "breakthrough", 3, None),
    ('[Board "6x6"]\n[Variant "misere"]\n1. a2a3 a5a4', "breakthrough", 2, None),
    ('[Match "Ann and Bob"]\n[Board "7"]\n1. a2a3 a7a6', "breakthrough", 2, None),
    ('[SetUp "1"]\n[FEN "bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwwww/wwwwwwww w"]\nb2b3', "breakthrough", 1, None),
]


@pytest.mark.parametrize(("text", "game", "count", "winner"), _LISTS)
async def test_a_list_of_moves_is_read_as_other_programs_write_it(
    text: str, game: str, count: int, winner: Seat | None
) -> None:
    match = Import(text, HALL).decide(GAMES, Dealt(), Request(EVE, NOON)).match
    assert (match.game, len(match.log)) == (game, count)
    assert (match.result and match.result.winners) == (winner if winner is None else (winner,))
    assert match.imported
    if winner is None:
        assert match.chairs == (Chair(), Chair())


@pytest.mark.parametrize(
    ("text", "line", "column", "word"),
    [
        ("1. b2b3 b7b6\n2. c2c9", 2, 4, "c2c9"),
        ('[Game "breakthrough"]\n\nb2b3 b2b3', 3, 6, "b2b3"),
        ("{b2b3} b2b3 hello", 1, 13, "hello"),
        ("b2b3\nb7b6 {a plan", 2, 6, "{a"),
        ("b2b3\n(a2a3 (a7a6)", 2, 1, "("),
        ("b2b3 {so\nso} b7b6)", 2, 9, ")"),
        ("L b1-d1-d2 n a4-b2", 1, 1, "L"),
    ],
)
async def test_what_a_game_cannot_read_of_a_list_is_refused_with_its_place_and_the_rule(
    text: str, line: int, column: int, word: str
) -> None:
    with pytest.raises(BadMoveList) as caught:
        Import(text, HALL).decide(GAMES, Dealt(), Request(EVE, NOON))
    assert caught.value.fields == {"line": line, "column": column, "text": word}
    assert isinstance(caught.value.because, RulesError)


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ('[Result "won"]\nb2b3 b7b6', Refused.BAD_FILE, 1),
        ('[Result "draw?"]\nb2b3', Refused.BAD_FILE, 1),
        ('[Event "x"]\n[FEN "8/bb6/8/8/8/8/8/8 w"]\na2a3 b7b6', Refused.OTHER_START, 2),
    ],
)
def test_a_result_that_is_none_and_another_start_are_refused(text: str, reason: Refused, line: int) -> None:
    with pytest.raises(BadRequest) as caught:
        Import(text, HALL).decide(GAMES, Dealt(), Request(EVE, NOON))
    assert (caught.value.reason, caught.value.fields["line"]) == (reason, line)


_ANNOTATED = """[Event "A \\"cup\\""]
[White "Ann"]
[Black "Bob"]
[Clock "5+3"]
[Result "1-0"]

{Opening} 1. b2b3 b7b6 ( 1... a7a6
2. c2c3 ) {good
plan} 1-0"""


async def test_what_a_list_says_otherwise_is_kept(desk: Desk) -> None:
    match = (await desk.open(EVE, Import(_ANNOTATED, HALL))).match
    assert match.remarks == (
        ("Event", 'A "cup"'),
        ("SourceClock", "5+3"),
        ("SourceResult", "1-0"),
        ("Comment", "0", "Opening"),
        ("Comment", "2", "( 1... a7a6 2. c2c3 )"),
        ("Comment", "2", "good plan"),
    )
    assert [player.name for player in match.players()] == ["Ann", "Bob"]
    assert (await moved(desk, match, ANN)).remarks == match.remarks
    assert (await desk.act(match, EVE, Forget())).match.remarks == ()


async def test_comments_on_plies_that_are_taken_back_go_with_them(desk: Desk) -> None:
    old = await desk.play(await desk.duel(), "a2-a3", "a7-a6")
    text = (await desk.export(old.id)).replace(
        "\n\n1.", '\n[Site "here"]\n[Comment "1" "a"]\n[Comment "2" "b"]\n\n1.'
    )
    match = (await desk.open(ANN, Import(text, HALL))).match
    match = (await desk.act(match, BOB, Join())).match
    match = (await desk.act(match, BOB, Undo())).match
    assert len(match.log) == 1
    assert match.remarks == (("Site", "here"), ("Comment", "1", "a"))


_DECORATIONS = st.sampled_from(
    ["{a (b) 1-0}", "$7", "(1. a1 {x)} b2)", "; c\n", "\n", "\n% d\n", "\n\n", "\t"]
)


@given(st.data(), st.sampled_from(list(GAMES)))
def test_decorations_do_not_change_the_game_and_files_give_all_back(data: st.DataObject, key: str) -> None:
    game = GAMES[key]
    position, lines = game.start(game.choose({})), []
    for number in range(1, data.draw(st.integers(1, 4)) + 1):
        seat, turn = position.to_move, []
        while position.to_move is seat and position.outcome is None:
            turn.append(data.draw(st.sampled_from(list(position.legal_moves()))))
            position = position.play(turn[-1])
        lines.append([f"{number}.", *(game.notation.format(move) for move in turn)])

    def brought(text: str) -> Match:
        return replace(Import(text, HALL).decide(GAMES, Dealt(), Request(EVE, NOON)).match, id="abc123")

    end = "" if position.outcome else " 1/2-1/2"
    plain = brought(" ".join(word for line in lines for word in line) + end)
    words = [word for line in lines for word in (*line, data.draw(_DECORATIONS))]
    match = brought(f'[Site "x"]\n{" ".join(words)}{end}')
    assert match.log == plain.log
    assert match.result == plain.result
    assert match.remarks[0] == ("Site", "x")
    assert export(brought(export(match))) == export(match)
