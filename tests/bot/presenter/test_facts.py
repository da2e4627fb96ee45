"""Each thing that can happen has words in every language, and shows what it should."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import get_args

import pytest

from bot.callback_data import Verb
from bot.i18n import LANGUAGES, Words, words
from bot.presenter.facts import tell
from bot.view import View
from play import facts
from play.errors import Stale
from play.facts import Fact
from play.match import Ask, Match, Phase
from play.reminding import heads_up
from tests.bot.world import ANN, BOB, CEM, DAN, EVE, HALL, ROOM, World

KINDS = set(get_args(Fact)) - {facts.Later, facts.Renamed}
"""Every kind of fact that anybody hears of."""

OFFERED: Mapping[type[Fact], Verb] = {
    facts.TimeIsUp: Verb.CLAIM,
    facts.Paused: Verb.RESUME,
    facts.Flagged: Verb.SUBSTITUTE,
    facts.Departed: Verb.SUBSTITUTE,
}
"""What can be done about some of them while the match goes on."""

DAY = timedelta(days=1)


async def happen(world: World) -> list[Fact]:
    """One of each fact at least, in the order in which an evening brings them."""
    table, at = world.table, world.now
    seen: list[Fact] = []

    def saw(fact: Fact) -> Match:
        seen.append(fact)
        return fact.match

    async def challenged(game: str, chosen: Mapping[str, str]) -> Match:
        return saw(await table.challenge(ANN, ROOM, game, chosen, at=at, opponents=[BOB]))

    declined = await challenged("breakthrough", {"board": "5x5"})
    saw(await table.decline(declined.id, BOB, at=at))
    withdrawn = await challenged("lgame", {"variant": "scoring", "points": "5"})
    saw(await table.withdraw(withdrawn.id, ANN, at=at))
    late = saw(await table.challenge(ANN, ROOM, "lgame", {}, at=at))
    saw(await table.expire(late.id, at=at + timedelta(hours=24)))
    empty = saw(await table.open_lobby(ANN, ROOM, "klopodavka", {"players": "3"}, at=at))
    saw(await table.leave(empty.id, ANN, at=at))

    lobby = saw(await table.open_lobby(ANN, ROOM, "klopodavka", {"teams": "2v2", "board": "6x6"}, at=at))
    for who in (BOB, CEM, DAN):
        saw(await table.join(lobby.id, who, at=at))
    saw(await table.leave(lobby.id, ANN, at=at))
    saw(await table.join(lobby.id, ANN, at=at))
    saw(await table.start(lobby.id, BOB, at=at))
    saw(await table.move(lobby.id, ANN, "b2", at=at))
    saw(await table.move(lobby.id, ANN, "b3 c4", at=at))
    saw(await table.watch(lobby.id, HALL))
    saw(await table.watch(lobby.id, HALL, on=False))
    saw(await table.resign(lobby.id, DAN, at=at))

    duel = await challenged("breakthrough", {"board": "4x5"})
    saw(await table.accept(duel.id, BOB, at=at))
    saw(await table.move(duel.id, ANN, "a2-a3", at=at))
    saw(await table.undo(duel.id, ANN, at=at))
    saw(await table.move(duel.id, ANN, "a2-a3", at=at))
    saw(await table.offer_draw(duel.id, BOB, at=at))
    saw(await table.answer(duel.id, ANN, Ask.DRAW, False, at=at))
    saw(await table.move(duel.id, BOB, "b4-b3", at=at))
    for yes in (False, True):
        saw(await table.ask_takeback(duel.id, ANN, at=at))
        saw(await table.answer(duel.id, BOB, Ask.TAKEBACK, yes, at=at))
    unfinished = await table.export(duel.id)
    saw(await table.offer_draw(duel.id, ANN, at=at))
    saw(await table.offer_draw(duel.id, BOB, at=at))
    saw(await table.rematch(duel.id, BOB, at=at))
    saw(await table.import_file(unfinished, CEM, ROOM, at=at))
    saw(await table.import_file(await table.export(duel.id), CEM, ROOM, at=at))

    three = await world.begin("klopodavka", {"players": "3", "bases": "a1,j10,a10"})
    saw(await table.offer_draw(three.id, ANN, at=at))
    saw(await table.answer(three.id, BOB, Ask.DRAW, True, at=at))
    saw(await table.answer(three.id, CEM, Ask.DRAW, False, at=at))
    await table.move(three.id, ANN, "b2 c3 d4", at=at)
    await table.move(three.id, BOB, await spare(world, three.id), at=at)
    saw(await table.ask_takeback(three.id, ANN, at=at))
    saw(await table.answer(three.id, CEM, Ask.TAKEBACK, True, at=at))
    saw(await table.answer(three.id, BOB, Ask.TAKEBACK, False, at=at))

    scored = await world.begin("lgame", {"variant": "scoring", "points": "5"})
    saw(await table.move(scored.id, ANN, "L a3-a1-b1 n d1-c1", at=at))
    saw(await table.move(scored.id, BOB, "L d3-b3-b4 n a4-b2", at=at))
    saw(await table.resign((await world.begin("lgame", {})).id, BOB, at=at))
    return seen


async def spare(world: World, code: str) -> str:
    """Any move."""
    match = await world.table.get(code)
    game = world.table.games[match.game]
    return game.notation.format(world.table.position(match).legal_moves()[0])


async def told(world: World, fact: Fact, language: str) -> View:
    match = fact.match
    return tell(fact, world.present(match, words(language, strict=True)))


async def by_the_clock(world: World) -> list[Fact]:
    """One of each fact that has to do with time."""
    table, at = world.table, world.now
    seen: list[Fact] = []

    def saw(fact: Fact | None) -> Match:
        assert fact is not None
        seen.append(fact)
        return fact.match

    async def timed(clock: str | None, game: str = "breakthrough", **chosen: str) -> str:
        seats = int(chosen.get("players", "2"))
        others = [BOB, CEM, DAN][: seats - 1]
        made = await table.challenge(ANN, ROOM, game, chosen, at=at, opponents=others, clock=clock)
        for other in others:
            await table.accept(made.match.id, other, at=at)
        return made.match.id

    hard = await timed("2d")
    saw(await table.fire(hard, "remind", at=at + DAY))
    saw(await table.fire(hard, "flag", at=at + 2 * DAY))
    soft = await timed("2d soft")
    saw(await table.fire(soft, "flag", at=at + 2 * DAY))
    saw(await table.claim(soft, BOB, at=at + 2 * DAY))

    rests = await timed("2d vacation")
    saw(await table.ask_pause(rests, ANN, at=at))
    saw(await table.answer(rests, BOB, Ask.PAUSE, True, at=at))
    saw(await table.resume(rests, BOB, at=at))
    saw(await table.ask_pause(rests, BOB, at=at))
    saw(await table.answer(rests, ANN, Ask.PAUSE, False, at=at))
    for fact in (await table.take_vacation(ANN.account, "1d", at=at))[1]:
        saw(fact)
    for back in (await table.end_vacation(ANN.account, at=at + DAY / 2))[1]:
        saw(back)
    saw(await table.fire(rests, "flag", at=at + 3 * DAY))

    silent = await timed(None)
    saw(await table.fire(silent, "silence", at=at + 60 * DAY))
    saw(await table.fire(silent, "close", at=at + 70 * DAY))
    planned = await timed(None)
    saw(await table.plan(planned, BOB, "if a2-a3 then a7-a6; if b2-b3 then a7-a6", at=at))
    saw(await table.move(planned, ANN, "a2-a3", at=at))
    saw(await table.plan(planned, BOB, "if c2-c3 then b7-b6", at=at))
    saw(await table.plan(planned, BOB, "", at=at))

    three = await timed("2d", "klopodavka", players="3")
    match = await table.get(three)
    next_one = heads_up(match, table.course(match))
    saw(next_one)
    alone = await table.challenge(ANN, ROOM, "lgame", {}, at=at, opponents=[BOB])
    saw(facts.Unreached(alone.match, ANN.account, (BOB,)))
    saw(await table.fire(three, "flag", at=at + 2 * DAY))
    saw(await table.substitute(three, EVE, at=at + 2 * DAY))
    return seen


async def test_every_kind_of_fact_happens_here() -> None:
    seen = [*await happen(World()), *await by_the_clock(World())]
    assert {type(fact) for fact in seen} == KINDS


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_fact_can_be_told(language: str) -> None:
    world = World(language)
    for fact in [*await happen(world), *await by_the_clock(world)]:
        view = await told(world, fact, language)
        spoken = [*view.lines, *view.after, *(seated.text for seated in view.roster)]
        assert view.lines
        assert all(line.isprintable() for line in spoken)
        assert any(f"#{fact.match.id}" in line for line in view.lines), view.lines
        assert len(view.roster) in (0, len(fact.match.chairs))
        assert (view.diagram is None) == (not view.after)
        for button in view.buttons:
            assert button.label
            assert button.data.fits
            assert button.data.match == fact.match.id
            assert button.data.seen == fact.match.revision


@pytest.mark.parametrize("language", LANGUAGES)
async def test_languages_say_it_in_other_words(language: str) -> None:
    world = World()
    for fact in [*await happen(world), *await by_the_clock(world)]:
        if language != "en":
            other, english = await told(world, fact, language), await told(world, fact, "en")
            assert other.lines != english.lines
            assert len(other.lines) == len(english.lines)
            assert other.diagram == english.diagram
            assert [button.data for button in other.buttons] == [b.data for b in english.buttons]


async def test_attention_is_asked_of_who_is_on_turn_when_the_turn_was_handed_on() -> None:
    world = World()
    for fact in [*await happen(world), *await by_the_clock(world)]:
        view = await told(world, fact, "en")
        if isinstance(fact, facts.Moved):
            assert bool(view.ping) == fact.handed_on
        if isinstance(fact, facts.Started):
            assert view.ping
        if isinstance(fact, facts.Watching | facts.Undone):
            assert not view.ping
        if isinstance(fact, facts.Asked):
            assert view.ping
            assert fact.match.chairs[fact.seat].player.account not in view.ping  # type: ignore[union-attr]
        elif view.ping and fact.match.phase is Phase.PLAYING:
            chair = fact.match.chairs[world.table.position(fact.match).to_move]
            assert chair.player is not None
            assert view.ping == (chair.player.account,)


async def test_what_is_asked_can_be_answered_and_what_is_over_played_again() -> None:
    world = World()
    for fact in [*await happen(world), *await by_the_clock(world)]:
        view = await told(world, fact, "en")
        verbs = [button.data.verb for button in view.buttons]
        if isinstance(fact, facts.Asked):
            assert verbs == [Verb.YES, Verb.NO]
            assert {button.data.argument for button in view.buttons} == {fact.ask.value}
        elif isinstance(fact, facts.Challenged):
            assert verbs in ([Verb.ACCEPT, Verb.DECLINE], [Verb.JOIN])
        elif fact.match.phase is Phase.OVER:
            assert verbs == [Verb.REMATCH, Verb.REPLAY, Verb.ANALYSE][: 3 if fact.match.log else 1]
        elif fact.match.phase in (Phase.PLAYING, Phase.CALLED_OFF):
            assert verbs == [OFFERED[type(fact)]] if type(fact) in OFFERED else verbs == []


async def test_points_are_told_as_they_are_scored() -> None:
    world = World()
    moved = [fact for fact in await happen(world) if isinstance(fact, facts.Moved)]
    assert [(await told(world, fact, "en")).lines[0] for fact in moved[-2:]] == [
        "ann: L a3-a1-b1 n d1-c1: +1 point",
        "bob: L d3-b3-b4 n a4-b2: +7 points",
    ]


async def test_nothing_is_said_of_what_is_no_fact() -> None:
    world = World()
    match = await world.begin("lgame", {})
    presentation = world.present(match, words("en"))
    with pytest.raises(TypeError):
        tell(Stale(match), presentation)  # type: ignore[arg-type]


async def test_names_cannot_turn_the_text_around_them() -> None:
    world = World()
    match = await world.begin("breakthrough", {})
    chairs = tuple(
        replace(chair, player=replace(chair.player, name="\u202eevil\n**x**\x00")) if chair.player else chair
        for chair in match.chairs
    )
    spoken: Words = words("en", strict=True)
    view = tell(
        facts.Started(replace(match, chairs=chairs)),
        world.present(replace(match, chairs=chairs), spoken),
    )
    assert view.lines[0] == "The game begins: evil **x** – evil **x**."
