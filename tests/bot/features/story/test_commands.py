"""/story: to whom it is told, what it costs, when it is refused; and by itself at places that want it, once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import words
from bot.chat.quotas import SEARCHES, take
from bot.chat.sending.delivery import Delivery
from bot.chat.sending.ports import Gone, Recipient, Transient
from bot.chat.thinking import Thinker
from bot.chat.view import Person, View
from bot.features.analysis.background import GIVEN_UP
from bot.features.story import drawing
from bot.features.story.posting import BY_ITSELF, note, tell
from bot.platforms.console.rendering import body
from play.actions.leaving import Resign
from play.facts import Drawn, Imported, Watching
from play.match import Match
from play.request import Request
from play.settings import Settings
from play.table import Table
from rules import GAMES
from tests.bot.chat.sending.fakes import Post
from tests.bot.chat.thinking.workers import Inline
from tests.bot.features.puzzles.solving import Asked, over
from tests.bot.world import ANN, BOB, EVE, ROOM, Counted, World
from tests.platforms.discord.harness import DiscordHarness, begun, latest
from tests.platforms.telegram.harness import telegram_bot
from tests.platforms.telegram.server import words as text_of
from tests.support.memory import MemoryStore
from tests.support.services import services
from tests.support.stores import set_settings


@pytest.fixture
async def asked() -> Asked:
    return Asked()


def keys(view: View) -> list[tuple[Verb, str]]:
    return [(each.data.verb, each.data.argument) for each in view.buttons]


# Told to who asks.


async def test_the_last_match_is_told_to_the_player_and_any_to_others_by_its_code(asked: Asked) -> None:
    match = await over(asked.world, "breakthrough", {}, seed=3)
    (mine,) = await asked.say(ANN, "/story")
    (theirs,) = await asked.say(EVE, f"/story #{match.id}")
    assert isinstance(mine.to, Person)
    assert mine.view.lines == theirs.view.lines
    assert f"#{match.id}" in mine.view.lines[0]
    assert 3 <= len(mine.view.lines) - 1 <= 5
    assert keys(mine.view) == [(Verb.STORY, drawing.FILM), (Verb.ANALYSE, "")]
    searched = len(asked.solver.asked)
    (board,) = await asked.say(ANN, "/story here")
    assert (board.to, board.view.lines) == (ROOM, mine.view.lines)
    assert len(asked.solver.asked) == searched, "it is shared, as an analysis"


async def test_a_story_has_a_key_under_the_board_and_in_the_analysis(asked: Asked) -> None:
    match = await over(asked.world, "breakthrough", {}, seed=3)
    (board,) = await asked.say(ANN, f"/board #{match.id}")
    (overview,) = await asked.say(ANN, f"/analyse #{match.id}")
    for view in (board.view, overview.view):
        assert (Verb.STORY, "") in keys(view)
    (told,) = await asked.desk.press(asked.world.visitor(BOB), CallbackData(Verb.STORY, match.id, 0))
    assert told.view.panels is not None
    printed = " ".join(body(told.view, words("en"), "ascii"))
    assert all(line in printed for line in told.view.lines)


async def test_its_film_is_the_replay_with_its_captions(asked: Asked) -> None:
    match = await over(asked.world, "breakthrough", {}, seed=3)
    (told,) = await asked.say(ANN, "/story")
    pressed = told.view.buttons[0].data
    (film,) = await asked.desk.press(asked.world.visitor(ANN), pressed)
    (plain,) = await asked.say(ANN, f"/replay #{match.id}")
    assert film.view.film is not None
    assert plain.view.film is not None
    assert film.view.film[1].seconds > plain.view.film[1].seconds + 3 * 3
    assert film.view.alt.splitlines() == list(told.view.lines)


async def test_nothing_is_told_of_what_goes_on_of_what_was_not_played_and_without_engines(
    asked: Asked,
) -> None:
    world = asked.world
    match = await world.begin("breakthrough", {})
    (goes_on,) = await asked.say(ANN, "/story")
    assert "still being played" in goes_on.view.lines[0]
    await world.table.act(match.id, Resign(), Request(ANN, world.now))
    (empty,) = await asked.say(ANN, "/story")
    assert empty.view.lines == ("No moves were played in this match.",)
    await over(world, "breakthrough", {}, seed=3)
    (none,) = await world.say(ANN, "/story")
    assert none.view.lines == ("There are no engines here.",)
    (wrong,) = await asked.say(ANN, "/story loud")
    assert wrong.refused
    assert asked.solver.asked == []


async def test_a_story_counts_as_an_analysis(asked: Asked) -> None:
    world = asked.world
    known = await over(world, "breakthrough", {}, seed=3)
    other = await over(world, "breakthrough", {}, seed=5)
    (told,) = await asked.say(ANN, f"/story #{known.id}")
    while not await take(world.store.bucket(), SEARCHES, f"{EVE.account}:", world.now):
        pass
    (refused,) = await asked.say(EVE, f"/story #{other.id}")
    assert f"{SEARCHES.limit} " in refused.view.lines[0]
    (again,) = await asked.say(EVE, f"/story #{known.id}")
    assert again.view.lines == told.view.lines, "what is known already costs nothing"


# By itself.


class Hall:
    """A place with stories, and bots that tell them."""

    def __init__(self) -> None:
        self.world = World()
        self.world.store = MemoryStore(lambda: self.world.now)  # leases end by the same clock
        self.world.table = Table(self.world.store, GAMES, Counted())
        self.asked = Asked(world=self.world)
        self.post = Post(ROOM.platform)

    async def wants(self, *, on: bool = True) -> None:
        await set_settings(self.world.store, ROOM, Settings(story=on))

    async def ended(self, seed: int = 3) -> Match:
        match = await over(self.world, "breakthrough", {}, seed=seed)
        await note(self.world.table, self.world.store, Drawn(match))
        return match

    async def look(self) -> None:
        world = self.world
        served = services(world.table, world.store, lambda: world.now, thinker=self.asked.thinker)
        delivery = Delivery(
            world.store.outgoing(),
            world.store.bucket(),
            served.composer,
            now=world.store.now,
            sleep=asyncio.sleep,
        )
        await tell(served, delivery, {ROOM.platform: self.post})

    async def told(self, bots: int = 1) -> Sequence[Recipient]:
        before = len(self.post.posted)
        await asyncio.gather(*(self.look() for _ in range(bots)))
        return [to for to, *_ in self.post.posted[before:]]


@pytest.fixture
async def hall() -> Hall:
    made = Hall()
    await made.wants()
    return made


async def test_it_is_told_once_however_many_bots_there_are_and_however_often_the_fact_comes(
    hall: Hall,
) -> None:
    match = await hall.ended()
    assert await hall.told(bots=3) == [ROOM]
    ((_, view, nonce),) = hall.post.posted
    assert view.panels is not None
    assert f"#{match.id}" in view.lines[0]
    assert view.ping == ()
    assert len(nonce) <= 25
    await note(hall.world.table, hall.world.store, Drawn(match))  # the sender had not acknowledged it
    assert await hall.told() == []


async def test_it_is_told_only_where_that_is_chosen_and_of_matches_that_end_here(hall: Hall) -> None:
    match = await over(hall.world, "breakthrough", {}, seed=3)
    for fact in (Imported(match), Watching(match, where=ROOM, on=True)):
        await note(hall.world.table, hall.world.store, fact)
    assert await hall.told() == []
    await hall.wants(on=False)
    await note(hall.world.table, hall.world.store, Drawn(match))
    assert await hall.told() == []
    await hall.wants()
    await note(hall.world.table, hall.world.store, Drawn(match))
    await hall.wants(on=False)  # meanwhile they have thought better of it
    assert await hall.told() == []


async def test_it_waits_for_engines_and_is_given_up_after_an_hour(hall: Hall) -> None:
    await hall.ended()
    hall.asked.solver.fails = lambda _: True
    assert await hall.told() == []
    hall.asked.solver.fails = lambda _: False
    hall.world.now += GIVEN_UP - timedelta(minutes=1)
    assert await hall.told() == [ROOM]
    await hall.ended(seed=5)
    hall.world.now += GIVEN_UP + timedelta(minutes=1)
    assert await hall.told() == []


async def test_a_match_that_took_days_is_told(hall: Hall) -> None:
    match = await over(hall.world, "breakthrough", {}, seed=3)
    hall.world.now += timedelta(days=2)
    await note(hall.world.table, hall.world.store, Drawn(match))
    assert await hall.told() == [ROOM]


async def test_while_anybody_waits_for_engines_none_is_told(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    await hall.ended()
    backlog = replace(next(iter(hall.asked.thinker.queued().values())), queued=1)
    with monkeypatch.context() as patched:
        patched.setattr(hall.asked.thinker, "queued", lambda: {"move": backlog})
        assert await hall.told() == []
    assert hall.asked.solver.asked == []
    assert await hall.told() == [ROOM]


@pytest.mark.parametrize("failed", [Transient("later"), asyncio.CancelledError()])
async def test_what_could_not_be_posted_is_posted_by_the_next_bot(hall: Hall, failed: BaseException) -> None:
    await hall.ended()
    hall.post.failing = [failed]
    try:
        assert await hall.told() == []
    except asyncio.CancelledError:
        hall.world.now += timedelta(minutes=4)  # the lease of the bot that ended
    assert await hall.told() == [ROOM]


async def test_a_place_that_is_gone_is_not_written_to_again(hall: Hall) -> None:
    await hall.ended()
    hall.post.failing = [Gone("removed")]
    assert await hall.told() == []
    await hall.ended(seed=5)
    assert await hall.told() == []


async def test_a_place_gets_so_many_in_an_hour(hall: Hall) -> None:
    match = await over(hall.world, "breakthrough", {}, seed=3)
    for number in range(BY_ITSELF.limit + 3):
        await note(hall.world.table, hall.world.store, Drawn(replace(match, id=f"m{number}")))
    waiting = await hall.world.store.timelines.read(f"stories:{ROOM.platform}")
    assert len(waiting) == BY_ITSELF.limit


# On the platforms.


async def test_on_discord_a_picture_comes_with_it() -> None:
    async with DiscordHarness(thinker=Thinker(Inline())) as home:
        ann, bob = await begun(home, options="board:4x5")
        await ann.types("move", move="a2-a3")
        await bob.types("move", move="b4xa3")
        await bob.types("resign")
        await bob.presses(bob.private()[-1], "Yes, resign")
        await ann.presses(latest(ann), "Story")
        told = ann.private()[-1]
        assert told.content.splitlines()[1].startswith("1\\. ")
        assert told.attachments[0]["filename"] == "board.png"
        await ann.types("story", here="here")
        assert latest(ann).attachments
        await ann.presses(told, "Animation")
        assert ann.private()[-1].attachments[0]["filename"].endswith(".gif")


async def test_on_telegram_a_photo_has_it_as_its_caption() -> None:
    async with telegram_bot(thinker=Thinker(Inline())) as f:
        ann, bob, room = await f.begun("breakthrough 4x5")
        await f.say(ann, room, "/move a2-a3")
        await f.say(bob, room, "/move b4xa3")
        await f.say(bob, room, "/resign")
        await f.press(bob, f.api.last(room), lambda label: True)
        await f.say(ann, room, "/story here")
        told = f.api.last(room)
        assert told["photo"]
        assert "1. " in text_of(told)
