"""/rating: one's own, another person's, and those of this chat; and what becomes of ratings when accounts are linked or forgotten."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bot.callback_data import CallbackData, Verb
from bot.i18n import LANGUAGES, words
from bot.view import Person
from play.actions.leaving import End, Resign
from play.actions.seating import Join
from play.files.importing import Import
from play.files.matchfile import export
from play.match import Match
from play.opening import Challenge
from play.people import Account, Player
from play.ratings.model import MOST_A_DAY, NEWCOMER, Change, Rating, Uncounted
from play.request import Request
from tests.bot.identity.test_identity import ANYA, far, link
from tests.bot.world import ANN, BOB, CEM, HALL, ROOM, World, person


async def duel(world: World, game: str = "breakthrough") -> Match:
    """A rated match without a move."""
    made = await world.table.open(Challenge(ROOM, game, opponents=[BOB], rated=True), Request(ANN, world.now))
    return (await world.table.act(made.match.id, Join(), Request(BOB, world.now))).match


async def rated(world: World) -> Match:
    """A rated match in which both have moved."""
    return await world.all_move(await duel(world, "lgame"))


async def give(world: World, who: Player, skill: float, played: int, game: str = "lgame") -> None:
    """A rating out of nothing."""
    new = Rating(skill, 3.0, played)
    await world.store.ratings.count(
        game, f"{who.name}{game}", [who.account], lambda _: [Change(NEWCOMER, new)]
    )


async def asked(world: World, who: Player, line: str) -> Sequence[str]:
    [said] = await world.say(who, line)
    assert said.to == Person(who.account, ROOM)
    return said.view.lines


async def test_the_end_of_a_rated_match_says_what_it_changed_and_so_does_the_board() -> None:
    world = World()
    match = await rated(world)
    said = await world.say(BOB, f"/resign yes #{match.id}", HALL)
    assert {message.to for message in said} == {ROOM, Person(BOB.account, HALL)}  # and from elsewhere
    told = said[-1].view.after
    assert said[0].view.after[-1] == told[-1] == "Ratings: ann 1579? (+79), bob 1421? (−79)"
    [board] = await world.say(CEM, f"/board #{match.id}")
    assert board.view.after == told
    assert told[-1] in board.view.alt
    assert await asked(world, ANN, "/rating") == (
        "Your ratings:",
        "· L-game: 1579? (1 match)",
        "",
        "Players in this chat — L-game:",
        "1. ann 1579?",
        "2. bob 1421?",
        "",
        "? — provisional, from fewer than 10 matches.",
    )


@pytest.mark.parametrize("language", LANGUAGES)
async def test_who_has_none_is_told_how_to_get_one(language: str) -> None:
    world = World(language)
    await give(world, CEM, 30, 20, "breakthrough")
    for line in ("/rating lgame", "/rating klopodavka"):  # in one game, not of another
        [said] = await asked(world, CEM, line)
        name = line.split()[1]
        assert words(language)(f"{name}.name") in said
        assert f"bob {name} rated:yes" in said
    [said] = await asked(world, ANN, "/rating cem lgame")
    assert said == words(language)("bot.rating.none-of-in", name="cem", games=words(language)("lgame.name"))
    [line] = await asked(world, ANN, "/rating")
    assert "rated:yes" in line
    [line] = await asked(world, ANN, "/rating bob")
    assert line == words(language)("bot.rating.none-of", name="bob")


async def test_the_best_ten_who_play_here_those_who_are_known_well_first() -> None:
    world = World()
    people = [person(f"p{number:02d}") for number in range(13)]
    for number, who in enumerate(people):
        await world.table.open(Challenge(ROOM, "lgame"), Request(who, world.now))
        await give(world, who, 20 + number, 3 if number > 9 else 30)
    await give(world, CEM, 50, 30)  # does not play here
    lines = list(await asked(world, ANN, "/rating lgame"))
    at = lines.index("Players in this chat — L-game:")
    ranked = [line.split()[1] for line in lines[at + 1 : at + 11]]
    assert ranked == [f"p{number:02d}" for number in (9, 8, 7, 6, 5, 4, 3, 2, 1, 0)]
    assert "1. p09 1620" in lines
    assert len(lines) == at + 11
    [elsewhere] = await world.say(ANN, "/rating", HALL)
    assert len(elsewhere.view.lines) == 1


async def test_one_game_alone() -> None:
    world = World()
    for game in ("lgame", "breakthrough"):
        await give(world, ANN, 30, 20, game)
    assert await asked(world, ANN, "/rating") == (
        "Your ratings:",
        "· Breakthrough: 1650 (20 matches)",
        "· L-game: 1650 (20 matches)",
    )
    assert await asked(world, ANN, "/rating прорив") == ("Your ratings:", "· Breakthrough: 1650 (20 matches)")
    assert await asked(world, BOB, "/rating ann game:lgame") == (
        "Ratings of ann:",
        "· L-game: 1650 (20 matches)",
    )


async def test_what_cannot_be_meant() -> None:
    world = World()
    for line in ("/rating ann bob", "/rating ann colour:red"):
        [told] = await asked(world, ANN, line)
        assert "/help" in told
    [said] = await world.desk.hear(far(world), "/rating stranger")
    assert "stranger" in said.view.lines[0]


async def test_a_person_has_one_rating_by_whichever_account() -> None:
    world = World()
    await give(world, ANYA, 30, 20)
    await give(world, ANN, 20, 2)
    await link(world)
    assert (await asked(world, ANN, "/rating"))[1] == "· L-game: 1650 (20 matches)"
    [said] = await world.desk.hear(far(world), "/rating")
    assert said.view.lines[1] == "· L-game: 1650 (20 matches)"
    [said] = await world.desk.hear(far(world, BOB), "/rating anya")
    assert said.view.lines[1] == "· L-game: 1650 (20 matches)"


async def test_who_is_forgotten_has_no_rating_by_any_account() -> None:
    world = World()
    await give(world, ANYA, 30, 20)
    await link(world)
    match = await rated(world)
    await world.table.act(match.id, Resign(), Request(BOB, world.now))  # not told yet, so not counted
    await world.desk.press(world.visitor(ANN), CallbackData.without_match(Verb.FORGET, "sure"))
    accounts: list[Account] = [ANN.account, ANYA.account]
    assert await world.store.ratings.get("lgame", *accounts) == [None, None]
    [bob] = await world.store.ratings.get("lgame", BOB.account)
    assert bob is not None
    assert bob.played == 1
    await world.desk.drained()
    assert await world.store.ratings.get("lgame", *accounts) == [None, None]
    assert (await asked(world, CEM, "/rating bob"))[1].startswith("· L-game: 14")


async def test_who_gives_up_by_being_forgotten_is_told_of_without_a_name_or_a_rating() -> None:
    world = World()
    await give(world, BOB, 40, 20)
    match = await rated(world)
    told = await world.desk.press(world.visitor(BOB), CallbackData.without_match(Verb.FORGET, "sure"))
    [board] = [message.view for message in told if message.view.diagram]
    for message in told:
        assert "bob" not in " ".join((*message.view.lines, *message.view.after, message.view.alt))
    over = await world.table.get(match.id)
    assert over.result is not None
    [ann] = await world.store.ratings.get("lgame", ANN.account)
    assert ann is not None
    assert ann.shown > 1600  # for whom she has won against
    assert board.after[-1] == f"Ratings: ann {ann.shown}? (+{ann.shown - 1500})"
    assert await world.store.ratings.get("lgame", BOB.account) == [None]


async def test_hints_and_seats() -> None:
    world = World()
    match = await rated(world)
    [said] = await asked(world, ANN, f"/hint #{match.id}")
    assert said == words("en")("bot.command.no-hints-rated")
    [board] = await world.say(ANN, f"/board #{match.id}")
    assert Verb.SUBSTITUTE not in {button.data.verb for button in board.view.controls}
    [menu] = await world.desk.press(world.visitor(ANN), CallbackData(Verb.MORE, match.id, match.revision))
    assert Verb.UNDO not in {button.data.verb for button in menu.view.buttons}


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_end_says_why_a_match_is_not_rated(language: str) -> None:
    world, said = World(language), words(language)

    async def last(match: Match) -> str:
        (board,) = await world.say(ANN, f"/board #{match.id}")
        assert board.view.after[-1] in board.view.alt
        return board.view.after[-1]

    early = await duel(world)
    assert await last(early) not in {said(why) for why in Uncounted}
    await world.table.act(early.id, Resign(), Request(BOB, world.now))
    assert await last(early) == said(Uncounted.UNPLAYED)
    closed = await world.all_move(await duel(world))
    await world.table.act(closed.id, End(), Request(ANN, world.now))
    assert await last(closed) == said(Uncounted.CLOSED)
    few = [await world.all_move(await duel(world)) for _ in range(MOST_A_DAY)]
    for match in few:
        await world.table.act(match.id, Resign(), Request(BOB, world.now))
        assert "ann" in await last(match)
    often = await world.all_move(await duel(world))
    await world.table.act(often.id, Resign(), Request(BOB, world.now))
    assert await last(often) == said.count("bot.rating.often", MOST_A_DAY)
    assert "ann" in await last(few[0])
    text = export(await world.table.get(often.id))
    brought = await world.table.open(Import(text, ROOM), Request(ANN, world.now))
    assert "5" not in await last(brought.match)
