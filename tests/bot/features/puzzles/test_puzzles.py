"""Puzzles: asked, solved by pressing and by typing, explained when failed, and made from played matches."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.thinking.jobs import EVERY, Job, Reply, run_job
from bot.features.analysis.judging import analysed
from bot.features.puzzles import selection
from bot.features.puzzles.attempts import Attempt
from bot.features.puzzles.cards import mark_of
from bot.features.puzzles.library import (
    MOST,
    MOST_MADE,
    Library,
    Posed,
    fair,
    make_puzzles,
    puzzles_in,
    shipped,
)
from engine import puzzles_of, solved_puzzles_of
from engine.core import GameValue, Proof, Puzzle, Task, read_puzzles, task_of, write_puzzles
from play.match import Match, Phase
from play.people import GONE, Account, Player
from rules import GAMES
from rules.core import Seat
from storage.keys import is_match_id
from tests.bot.features.puzzles.solving import (
    Asked,
    Solving,
    ask,
    at_start,
    best,
    over,
    played,
    posed_of,
    step,
    steps_to,
    that,
    wrong,
)
from tests.bot.world import ANN, BOB, LETTERS, NOON, World

# Puzzles: asked, solved by pressing and by typing, explained when failed.


WON, DRAWN, LOST = Proof(GameValue.WIN, 5), Proof(GameValue.DRAW), Proof(GameValue.LOSS, 4)


def test_puzzles_as_text_come_back() -> None:
    puzzles = [
        Puzzle(Task.WIN, 5, (("board", "5x5"), ("variant", "x")), "a|b c"),
        Puzzle(Task.SAVE, 2, (), "p"),
    ]
    assert list(read_puzzles(write_puzzles(puzzles))) == puzzles
    for puzzle in puzzles:
        posed = Posed("x", puzzle, played=True)
        assert Posed.unpack(posed.pack()) == posed


@pytest.mark.parametrize("key", [key for key in sorted(GAMES) if puzzles_of(key)])
def test_every_puzzle_is_a_position_of_its_game(key: str) -> None:
    for posed in shipped(key).values():
        assert at_start(posed).outcome is None
        assert posed.puzzle.plies > 0
        assert is_match_id(posed.id)  # a button can carry it
        assert not set(posed.id) <= set(LETTERS)  # and it is no match's
    assert len(shipped(key)) == len(puzzles_of(key)) + len(solved_puzzles_of(key))


def test_what_is_a_puzzle_is_told_by_what_is_certain_of_every_turn() -> None:
    assert task_of([WON, LOST, LOST, DRAWN]) == (Task.WIN, 5)
    assert task_of([WON, LOST, LOST, None]) is None  # that one may win too
    assert task_of([WON, WON, LOST, LOST]) is None
    assert task_of([Proof(GameValue.WIN, 1), LOST, LOST, LOST]) is None  # too short
    assert task_of([Proof(GameValue.WIN, 17), LOST, LOST, LOST]) is None  # too long
    assert task_of([WON, LOST, LOST]) is None  # nothing to choose from
    assert task_of([DRAWN, LOST, LOST, Proof(GameValue.LOSS, 8)]) == (Task.SAVE, 8)
    assert task_of([DRAWN, DRAWN, LOST, LOST]) is None
    assert task_of([None, LOST, LOST, LOST]) is None  # perhaps it is lost as well
    assert task_of([LOST, LOST, LOST, LOST]) is None


async def test_the_board_is_made_of_keys_and_nothing_is_played_before_it_is_confirmed() -> None:
    solving, posed = Solving(), posed_of("lgame", Task.SAVE)
    view = await solving.begin(ANN, posed)
    assert view.grid is not None
    assert [len(row) for row in view.grid.rows] == [4] * 4
    assert view.diagram is not None
    assert "Board: 4×4." in view.alt  # enough to solve it without the picture
    assert view.after[-1]
    text = wrong(posed)
    for token in steps_to(posed, at_start(posed), text):
        if token != "keep":  # that is what Play does
            view = await solving.press(ANN, step(view, token))
    assert view.lines[1] == f"Picked: {text}"
    back = next(each for each in view.buttons if each.label == "Back")
    again = await solving.press(ANN, back.data)
    assert again.lines != view.lines
    view = await solving.press(ANN, next(each.data for each in view.buttons if each.label == "Play"))
    assert view.lines[1] == f"{text} does not solve it."
    assert [each.label for each in view.buttons] == [
        "Try again",
        "Solution",
        "Another puzzle",
        "Play from here",
    ]
    solution = await solving.press(ANN, that(view, Verb.PUZZLE, "show"))
    assert best(posed, at_start(posed)).turn[0] in solution.lines[1]
    start = await solving.press(ANN, that(view, Verb.PUZZLE, "retry"))
    assert start.lines[1].startswith(
        ("White to move.", "Player 1 to move.", "Player 2 to move.", "Black to move.")
    )


@pytest.mark.parametrize("key", [key for key in sorted(GAMES) if puzzles_of(key)])
async def test_a_puzzle_is_played_on_from_where_it_stands(key: str) -> None:
    solving, posed = Solving(), next(iter(shipped(key).values()))
    await solving.begin(ANN, posed)
    (message,) = await solving.say(ANN, "/puzzle solution")
    view = await solving.press(ANN, that(message.view, Verb.SAY))
    both = next(each.data for each in view.buttons if each.label == "Both sides myself")
    assert not any(each.refused for each in await solving.desk.press(solving.world.visitor(ANN), both))
    (match,) = await solving.world.store.matches.of(ANN.account)
    assert dict(match.options).items() >= dict(posed.puzzle.options).items()
    position, start = solving.world.table.course(match).position, at_start(posed)
    format_position = GAMES[key].notation.format_position
    assert format_position(position).split()[:3] == format_position(start).split()[:3]


async def test_a_lost_position_is_held_out_as_long_as_can_be() -> None:
    solving, posed = Solving(), posed_of("lgame", Task.HOLD, 4)
    view = await solving.begin(ANN, posed)
    assert "Hold out as long as you can: 4 moves" in view.lines[1]
    assert view.lines[2].endswith(": 0 of 249 solved.")
    (message,) = await solving.say(ANN, f"/puzzle {wrong(posed)}")
    assert message.view.lines[2].endswith(": lost.")
    (message,) = await solving.say(ANN, f"/puzzle {best(posed, at_start(posed)).turn[0]}")
    assert message.view.lines[1] == "Solved: nothing holds out longer."
    assert message.view.lines[2].endswith(": 1 of 249 solved.")
    again = await solving.begin(ANN, posed)
    (message,) = await solving.say(ANN, f"/puzzle {best(posed, at_start(posed)).turn[0]}")
    assert again.lines[2] == message.view.lines[2]  # it counts once
    other = await solving.begin(ANN, posed_of("breakthrough", Task.WIN))
    assert not any("solved" in line for line in other.lines)


async def test_a_solution_that_wins_is_told_to_the_end_turn_by_turn() -> None:
    posed = posed_of("breakthrough", Task.WIN, 5)
    solving = Solving()
    of_day = next(iter(shipped("lgame").values()))
    await solving.world.store.notes.write(f"puzzle-of-day:{NOON.date()}", of_day.pack())
    await solving.begin(ANN, posed)
    (message,) = await solving.say(ANN, "/puzzle solution")
    turns = message.view.lines[1].rpartition(": ")[2].split(" / ")
    assert len(turns) == 5
    assert played(posed, at_start(posed), turns).outcome is not None


async def test_where_nothing_is_confirmed_the_last_step_plays() -> None:
    solving, posed = Solving(), posed_of("lgame", Task.SAVE)
    view, text = await solving.begin(ANN, posed), best(posed, at_start(posed)).turn[0]
    for token in steps_to(posed, at_start(posed), text):
        view = await solving.press(ANN, step(view, token), confirms=False)
    assert view.lines[1].startswith("Solved")


async def test_forged_and_stale_buttons_change_nothing() -> None:
    solving, posed = Solving(), posed_of("lgame", Task.WIN, 5)
    view = await solving.begin(ANN, posed)
    turn = best(posed, at_start(posed)).turn
    first = that(view, Verb.PICK)
    further = await solving.turn(ANN, view, posed, at_start(posed), turn)
    assert further.lines[1].startswith("Right!")
    ours = that(further, Verb.PICK)
    before = await solving.world.store.notes.read(f"puzzle:{ANN.account}")
    forged = (
        CallbackData(Verb.PICK, ours.match, ours.seen + 1, ours.argument),
        CallbackData(Verb.TRY, ours.match, ours.seen + 1, turn[0]),
        CallbackData(Verb.TRY, ours.match, ours.seen, "zz"),
        CallbackData(Verb.PICK, ours.match, ours.seen, "zz/9;"),
        CallbackData(Verb.PICK, "1zzzzz", 0, ""),
        CallbackData(Verb.TRY, "abcdef", 0, turn[0]),
        CallbackData(Verb.PUZZLE, "1zzzzz", 0, "show"),
        CallbackData(Verb.PUZZLE, posed.id, 0, "nonsense"),
        CallbackData(Verb.PUZZLE, "000000", 0, "again lgame 1"),
    )
    for data in forged:
        refused = await solving.press(ANN, data)
        assert refused.diagram is None, data
        assert refused.lines, data
    assert (await solving.press(BOB, ours)).diagram is None  # he is not there yet
    assert await solving.world.store.notes.read(f"puzzle:{ANN.account}") == before
    assert (await solving.press(ANN, ours)).diagram is not None
    # The first board can be pressed again, from the start; what was reached stays until a turn is tried.
    assert (await solving.press(ANN, first)).diagram is not None
    assert await solving.world.store.notes.read(f"puzzle:{ANN.account}") == before
    await solving.press(ANN, CallbackData(Verb.FORGET, "000000", 0, "sure"))
    names = (f"puzzle:{ANN.account}", f"puzzles:{ANN.account}")
    assert list(await solving.world.store.notes.read(*names)) == [None, None]


async def test_the_easier_ones_come_first_and_none_twice() -> None:
    solving = Solving()
    store, library = solving.world.store, Library(solving.world.store)
    every = await library.of("lgame")
    lengths = [posed.puzzle.plies for posed in every]
    assert lengths == sorted(lengths)
    of_day = every[2]  # which practice never poses
    await store.notes.write(f"puzzle-of-day:{NOON.date()}", of_day.pack())
    given = []
    for _ in every[1:]:
        posed = await selection.chosen(store, ANN.account, ["lgame"], None, NOON)
        assert posed is not None
        given.append(posed)
        await selection.solved(store, ANN.account, posed)
    assert {posed.id for posed in given} == {posed.id for posed in every} - {of_day.id}
    first = [posed.puzzle.plies for posed in given[: selection.STEP]]
    assert first == [lengths[0]] * selection.STEP
    assert given[selection.STEP * 3].puzzle.plies > lengths[0]
    assert max(posed.puzzle.plies for posed in given[:20]) == lengths[-1]
    assert (await selection.chosen(store, ANN.account, ["lgame"], None, NOON)) in every  # once more
    other = [await selection.chosen(store, BOB.account, ["lgame"], None, NOON) for _ in range(5)]
    assert other != given[:5]  # in an order of their own
    hard = await selection.chosen(store, BOB.account, ["lgame"], selection.Wish.HARD, NOON)
    easy = await selection.chosen(store, BOB.account, ["lgame"], selection.Wish.EASY, NOON)
    assert hard is not None
    assert easy is not None
    assert hard.puzzle.plies > easy.puzzle.plies
    by_turns = [await selection.chosen(store, BOB.account, ["none", *GAMES], None, NOON) for _ in range(8)]
    assert {posed.game for posed in by_turns if posed} == set(GAMES)
    assert await selection.chosen(store, BOB.account, ["none"], None, NOON) is None


async def test_who_was_told_the_solution_is_not_taken_for_stronger() -> None:
    store = Solving().world.store
    every = await Library(store).of("lgame")
    for posed in every[:6]:
        await selection.solution_shown(store, ANN.account, posed)
        await selection.solved(store, ANN.account, posed)
    given = await selection.chosen(store, ANN.account, ["lgame"], None, NOON)
    assert given is not None
    assert given.puzzle.plies == every[0].puzzle.plies


async def test_the_newest_of_played_matches_are_kept() -> None:
    library = Library(Solving().world.store)
    for number in range(MOST + 20):
        posed = Posed("lgame", Puzzle(Task.WIN, 3, (), f"p{number}"), played=True)
        await library.add(posed, NOON.replace(microsecond=number))
    theirs = [posed.puzzle.position for posed in await library.of("lgame") if posed.played]
    assert sorted(theirs) == sorted(f"p{number}" for number in range(20, MOST + 20))


async def test_words_that_mean_nothing_or_cannot_be_chosen_are_named() -> None:
    solving = Solving()
    await solving.begin(ANN, posed_of("lgame", Task.WIN, 3))
    for text in ("brakthrough", "чепуха", "hard chess", "lgame b2-b3", "hard 8", "lgame breakthrough"):
        (message,) = await solving.say(ANN, f"/puzzle {text}")
        (line,) = message.view.lines
        assert "is neither a game nor a move" in line
        assert f"Games: {', '.join(GAMES)}." in line
    for text in ("solution lgame", "hard решение"):
        (message,) = await solving.say(ANN, f"/puzzle {text}")
        assert message.view.lines[0].startswith("Type just “/puzzle ")


@pytest.mark.slow
@pytest.mark.parametrize("key", [key for key in sorted(GAMES) if puzzles_of(key)])
async def test_every_puzzle_is_solved_by_the_turns_of_an_engine(key: str) -> None:
    for posed in shipped(key).values():
        solving, here = Solving(), at_start(posed)
        solving.solver.seconds = 0.4
        of_day = next(each for game in GAMES if game != key for each in shipped(game).values())
        await solving.world.store.notes.write(f"puzzle-of-day:{NOON.date()}", of_day.pack())
        await solving.begin(ANN, posed)
        said = "Right!"
        for _ in range(posed.puzzle.plies):
            turn = best(posed, here).turn
            mark = mark_of(GAMES[key].notation.format_position(here))
            view = await solving.press(ANN, CallbackData(Verb.TRY, posed.id, mark, " ".join(turn)))
            said = view.lines[1]
            if not said.startswith("Right!"):
                break
            attempt = Attempt.unpack((await solving.world.store.notes.read(f"puzzle:{ANN.account}"))[0])
            assert attempt is not None
            options = GAMES[key].choose(dict(posed.puzzle.options))
            here = GAMES[key].notation.parse_position(attempt.position, options)
        assert said.startswith("Solved"), (posed.puzzle, said)


async def test_a_turn_in_letters_that_may_mean_several_is_asked_back() -> None:
    """The letter stands for g by its sound and for h by its look."""
    solving = Solving()
    posed, tail = next(
        (posed, str(move)[1:])
        for posed in shipped("breakthrough").values()
        for legal in [{str(move) for move in at_start(posed).legal_moves()}]
        for move in sorted(legal)
        if move[0] == "g" and f"h{move[1:]}" in legal
    )
    await solving.begin(ANN, posed)
    (message,) = await solving.say(ANN, f"/puzzle г{tail}")
    assert message.view.lines == ("Did you mean this?",)
    assert [button.label for button in message.view.buttons] == [f"/puzzle g{tail}", f"/puzzle h{tail}"]
    view = await solving.press(ANN, message.view.buttons[0].data)
    assert view.lines != message.view.lines


# Puzzles from played matches: only what is certain, of matches that are over, without a word about people.


LUCKY = {"lgame": 6, "breakthrough": 4}
"""Seeds of matches with puzzles in them."""

CHOSEN: dict[str, dict[str, str]] = {"lgame": {}, "breakthrough": {"board": "5x6"}}


@pytest.mark.parametrize("game", list(LUCKY))
async def test_one_turn_alone_will_do_and_that_is_certain(game: str) -> None:
    world = World()
    match = await over(world, game, CHOSEN[game], LUCKY[game], most=60)
    course = world.table.course(match)
    found = await puzzles_in(course, await analysed(match, course, ask), ask)
    assert 0 < len(found) <= MOST_MADE
    for posed in found:
        assert posed.played
        options = GAMES[game].choose(dict(posed.puzzle.options))
        position = GAMES[game].notation.parse_position(posed.puzzle.position, options)
        assert position in course.positions
        job = Job(game, posed.puzzle.options, posed.puzzle.position, seconds=0.5, most=EVERY)
        first, *others = run_job(job).lines
        assert len(others) + 1 == len(position.legal_moves())
        assert first.value == (posed.puzzle.task is Task.WIN)
        assert all(other.plies is not None and other.value < first.value for other in others)


async def test_what_was_analysed_joins_the_puzzles_once() -> None:
    asked = Asked()
    match = await over(asked.world, "lgame", {}, LUCKY["lgame"], most=60)
    await asked.say(ANN, f"/analyse #{match.id}")
    thinker = asked.thinker
    await thinker.settled()
    library = Library(asked.world.store)
    played = [posed for posed in await library.of("lgame") if posed.played]
    assert played
    for posed in played:
        assert await library.find(posed.id, ["lgame"]) == posed
    for shelf in asked.world.store.timelines._timelines.values():  # nothing about the players
        assert not any(word in text for text in shelf for word in ("ann", "bob", match.id))
    searches = len(asked.solver.asked)
    await asked.say(BOB, f"/analyse #{match.id}")
    await thinker.settled()
    assert len(asked.solver.asked) == searches
    (message,) = await asked.say(ANN, f"/puzzle #{played[0].id}")
    assert message.view.lines[0].startswith("Puzzle from a played match")
    assert not await library.takes(match.id)  # nor does another bot of this store


async def test_no_puzzles_of_matches_that_are_not_fair_to_take() -> None:
    world = World()
    match = await over(world, "lgame", {}, LUCKY["lgame"], most=60)
    assert fair(match)
    gone = Player(Account(GONE, "1"), "")
    chairs = list(match.chairs)
    chairs[Seat.S2] = replace(chairs[Seat.S2], player=gone)
    others: list[Match] = [
        replace(match, imported=True),
        replace(match, phase=Phase.PLAYING, result=None),
        replace(match, chairs=tuple(chairs)),
        await over(world, "klopodavka", {"players": "3", "board": "5x5"}, 3),
    ]
    assert not any(map(fair, others))


async def test_a_match_under_way_gives_nothing_and_what_fails_is_no_ones_loss() -> None:
    asked = Asked()
    live = await asked.world.begin("lgame", {})
    thinker = asked.thinker
    library = Library(asked.world.store)
    await make_puzzles(thinker, asked.world.store, live, asked.world.table.course(live), ())
    await thinker.settled()
    assert await library.takes(live.id)  # not read yet
    match = await over(asked.world, "lgame", {}, LUCKY["lgame"], most=60)
    course = asked.world.table.course(match)
    turns = await analysed(match, course, ask)
    asked.solver.fails = lambda job: job.most == EVERY
    await make_puzzles(thinker, asked.world.store, match, course, turns)
    await thinker.settled()
    assert not [posed for posed in await library.of("lgame") if posed.played]
    assert asked.line.waiting == 0
    await thinker.close()


async def test_what_is_not_proved_of_one_turn_gives_no_puzzle() -> None:
    world = World()
    match = await over(world, "lgame", {}, LUCKY["lgame"], most=60)
    course = world.table.course(match)
    turns = await analysed(match, course, ask)

    async def found(proved: bool) -> int:
        async def asked(job: Job) -> Reply:
            reply = await ask(job)
            last = reply.lines[-1]
            return reply if proved else replace(reply, lines=(*reply.lines[:-1], replace(last, plies=None)))

        return len(await puzzles_in(course, turns, asked))

    assert await found(proved=True) > 0
    assert await found(proved=False) == 0
