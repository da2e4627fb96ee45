"""Refusals: a failing store is one, and so is a quota that is used up."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from redis.asyncio import Redis

from bot.chat import error_handling, quotas
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.error_handling import seen
from bot.chat.i18n import LANGUAGES, words
from bot.chat.i18n import words as words_for
from bot.chat.match_lookup import LISTED
from bot.chat.presenting import picking
from bot.chat.quotas import Count, OverQuota, Quota
from bot.chat.view import Person
from bot.features.matches import match_setup
from bot.platforms.console.integration import place
from play.errors import Unavailable
from play.facts import Watching
from play.match import Match, Phase
from play.people import Account, Address, Player
from play.ports import Loaded, Operation
from rules import GAMES
from rules.core import AmbiguousMove, BadNotation, Legality, Seat, Sign
from storage import Damage, Damaged, RedisStore
from tests.bot.world import ANN, BOB, CEM, DAN, HALL, LETTERS, ROOM, World, person
from tests.support.memory import MemoryStore
from tests.support.memory.store import MemoryMatches
from tests.support.services import services
from tests.support.waiting import LIMIT

# When the store does not answer, or holds what cannot be read: people are told, and everything else goes on.


BREAK: list[Callable[[Match], Match]] = [
    lambda match: replace(match, options=(("board", "1x1"),)),
    lambda match: replace(match, game="chess"),
]


class Away:
    """A store, and each of its parts and methods, that does not answer."""

    def outgoing(self) -> Away:
        return self

    def bucket(self) -> Away:
        return self

    def __getattr__(self, name: str) -> Away:
        return Away()

    async def __call__(self, *_: object, **__: object) -> object:
        raise Unavailable


class Silent(MemoryStore):
    """A store that answers everything but one question."""

    def __init__(self, question: str) -> None:
        self._question = question
        super().__init__()

    def __getattribute__(self, name: str) -> object:
        if not name.startswith("_") and name == self._question:
            return Away()
        return super().__getattribute__(name)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_store_that_does_not_answer(language: str) -> None:
    world = World(language)
    world.table.store = Away()  # type: ignore[assignment]
    desk = services(world.table, Away(), lambda: world.now, language=language).desk  # type: ignore[arg-type]
    for line in ("/board", "/move a2-a3", "/games", "/new lgame", "a2-a3", "/language uk"):
        [said] = await desk.answer(world.visitor(ANN), line)
        assert said.view.lines == (words(language)("match.refused.unavailable"),), line
    [said] = await desk.press(world.visitor(ANN), CallbackData(Verb.RESIGN, "aaaaaa", 1))
    assert said.view.lines == (words(language)("match.refused.unavailable"),)
    assert len((await desk.answer(world.visitor(ANN), "/help"))[0].view.lines) > 5


@pytest.mark.parametrize(("part", "question"), [("matches", "commit"), ("settings", "get_many")])
async def test_a_request_that_is_handled_again_is_not_answered_without_the_store(
    part: str, question: str
) -> None:
    world = World()
    desk = services(world.table, world.store, lambda: world.now).desk
    visitor = replace(world.visitor(ANN), retried=True, request="r1")
    await desk.answer(visitor, "/challenge bob breakthrough")
    await desk.answer(replace(world.visitor(BOB), retried=True, request="r2"), "/accept")
    setattr(getattr(world.store, part), question, Away())
    for number, line in enumerate(("/move a2-a3", "/draw")):
        with pytest.raises(Unavailable):
            await desk.answer(replace(visitor, request=f"a{number}"), line)
    with pytest.raises(Unavailable):
        await desk.answer(
            replace(world.visitor(BOB), retried=True, request="b1"), "/plan if a2-a3 then a7-a6"
        )


async def test_what_only_reads_works_while_the_store_takes_no_writes(redis_client: Redis) -> None:
    world, store = World(), RedisStore(redis_client, patience=LIMIT)
    world.table.store = store
    desk = services(world.table, store, lambda: world.now).desk
    away = (words("en")("match.refused.unavailable"),)
    match = await world.begin("breakthrough", {})
    await redis_client.config_set("maxmemory", 1)
    try:
        for line in ("/board", "/board words", "/games", "/export", "/profile", "/top", "/settings", "/hint"):
            said = await desk.answer(replace(world.visitor(ANN), request=f"r{line}"), line)
            assert said, line
            assert said[0].view.lines != away, line
        said = await desk.press(world.visitor(ANN), CallbackData(Verb.BOARD, match.id, match.revision))
        assert said[0].view.diagram is not None
        [refused] = await desk.answer(replace(world.visitor(ANN), request="m"), "/move a2-a3")
        assert refused.view.lines == away
    finally:
        await redis_client.config_set("maxmemory", 0)
    assert await world.table.get(match.id) == match


async def test_a_move_is_played_even_if_settings_cannot_be_looked_up() -> None:
    world = World("uk")
    match = await world.begin("breakthrough", {})
    store = Silent("settings")
    store.matches.stored = world.store.matches.stored
    desk = services(world.table, store, lambda: world.now, language="uk").desk
    assert await desk.answer(world.visitor(ANN), f"/move #{match.id} a2-a3") == []
    assert (await world.table.get(match.id)).log


async def test_a_damaged_match() -> None:
    class Torn(MemoryMatches):
        async def load(self, match_id: str, operation: Operation | None = None) -> Loaded:
            raise Damaged(match_id, Damage.CHECKSUM)

    world = World()
    match = await world.begin("lgame", {})
    store = MemoryStore()
    store.matches = Torn(store.clock, store.timers, store.outbox)
    world.table.store = store
    for said in (
        await world.say(ANN, f"/board #{match.id}"),
        await world.desk.press(world.visitor(ANN), CallbackData(Verb.MOVE, match.id, 2, "a1")),
    ):
        assert len(said) == 1
        assert match.id in said[0].view.lines[0]


@pytest.mark.parametrize("spoil", BREAK)
async def test_a_match_that_cannot_be_replayed_is_in_no_ones_way(spoil: Callable[[Match], Match]) -> None:
    world = World()
    broken = await world.begin("breakthrough", {})
    sound = await world.begin("breakthrough", {"board": "5x5"})
    world.store.matches.stored[broken.id] = spoil(broken)
    assert (await world.say(ANN, "/move a2-a3"))[0].view.lines[0] == "ann: a2-a3"
    assert len((await world.say(ANN, "/games"))[0].view.lines) == 2
    assert (await world.say(ANN, "/board"))[0].view.diagram
    for command in ("board", "move", "resign", "rules"):
        [said] = await world.say(ANN, f"/{command} #{broken.id} a2-a3")
        assert isinstance(said.to, Person)
    assert (await world.table.get(sound.id)).log
    assert (await world.table.get(broken.id)).phase is Phase.PLAYING


@pytest.mark.parametrize("spoil", BREAK)
async def test_pressing_in_a_match_that_cannot_be_replayed(spoil: Callable[[Match], Match]) -> None:
    world = World()
    match = await world.begin("breakthrough", {})
    world.store.matches.stored[match.id] = spoil(match)
    before = world.snapshot()
    for verb in set(Verb) - {Verb.EXPORT, Verb.WATCH}:
        data = CallbackData(verb, match.id, match.revision, "draw")
        said = await world.desk.press(world.visitor(BOB, HALL), data)
        assert isinstance(said[0].to, Person)
        assert said[0].view.diagram is None
        assert world.snapshot() == before, verb


# What a refusal shows: what was typed, examples, candidates.


def test_what_was_typed_is_shown_without_what_a_screen_would_not_show() -> None:
    assert seen({"text": "a\tb\u202ec", "seat": Seat.S1, "long": "x" * 900}) == {
        "text": "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c",
        "seat": Seat.S1,
        "long": "x" * 200 + "…",
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_fault_of_a_position_has_its_line(language: str) -> None:
    game = GAMES["lgame"]
    with pytest.raises(BadNotation) as faulty:
        game.notation.parse_position("2222/.1../.1../...o 2 3-0", game.choose({}))
    context = cast("Context", SimpleNamespace(words=words(language, strict=True)))
    assert len(error_handling._plainly(context, faulty.value).lines) == 1 + len(faulty.value.also) == 4


async def test_a_name_nearly_that_of_a_person_here_is_asked_about() -> None:
    world, conrad, robert = World(), person("Conrad"), Player(Account("other", "robert"), "Robert")
    for other in (conrad, robert):
        await world.begin("breakthrough", {"board": "5x5"}, people=(ANN, other))
    visitor = replace(world.visitor(ANN), find=lambda _: None)
    for typed, meant in (("Conrd", ["/profile Conrad"]), ("Robrt", [])):
        [said] = await world.desk.answer(visitor, f"/profile {typed}")
        assert [button.label for button in said.view.buttons] == meant


async def test_candidates_are_shown_as_boards_while_they_are_few() -> None:
    world = World()
    match = await world.begin("lgame", {"variant": "sudden-death"})
    game, course = world.table.games["lgame"], world.table.course(match)
    moves = course.position.legal_moves()
    for count, boards, buttons in ((2, True, 2), (6, True, 6), (7, False, 7), (40, False, 25)):
        error = AmbiguousMove(Legality.SEVERAL_FIT, moves[:count])
        view = picking.candidates(world.present(match, words("en", strict=True)), error)
        assert len(view.buttons) == buttons
        assert all(bool(button.preview) == boards for button in view.buttons)
        assert len(view.lines) == 1 + (count > buttons)
        assert view.diagram
        labels = [mark.label for mark in view.diagram.marks if mark.sign is Sign.CANDIDATE]
        assert labels == [button.label.partition(".")[0] for button in view.buttons]
        for button, move in zip(view.buttons, moves, strict=False):
            assert button.label.endswith(f". {game.notation.format(move)}")
            assert tuple(game.notation.parse(button.data.argument, course.position)) == (move,)


# Quotas: each limit holds for its person and no other, and a refusal says what to do.


DOCS = Path(__file__).parents[3] / "docs" / "quotas.md"


RATES = [each for each in vars(quotas).values() if isinstance(each, Quota)]
COUNTS = [each for each in vars(quotas).values() if isinstance(each, Count)]


def beyond(rate: Quota, language: str = "en") -> re.Pattern[str]:
    """What is said beyond a quota, with any time."""
    assert rate.reason is not None
    said = words_for(language, strict=True)(rate.reason, limit=rate.limit, wait="WAIT")
    return re.compile(re.escape(said).replace("WAIT", ".+"))


@pytest.mark.parametrize(
    ("rate", "line"),
    [
        (quotas.PICTURES, "/board"),
        (quotas.ANIMATIONS, "/replay"),
        (quotas.SEARCHES, "/hint"),
        (quotas.IMPORTS, "/import nothing"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
async def test_a_person_asks_for_so_much_in_a_time(rate: Quota, line: str) -> None:
    world = World()
    await world.begin("breakthrough", {"board": "5x5"})
    for _ in range(rate.limit):
        assert not beyond(rate).search(await world.told(ANN, line))
    assert beyond(rate).search(await world.told(ANN, line))
    assert not beyond(rate).search(await world.told(BOB, line))
    world.now += rate.window
    assert not beyond(rate).search(await world.told(ANN, line))


async def test_a_request_that_comes_twice_counts_once() -> None:
    world = World()
    match = await world.begin("breakthrough", {"board": "5x5"})
    for number in range(quotas.DRAW_OFFERS.limit):
        offered = replace(world.visitor(ANN), request=f"draw{number}")
        await world.desk.answer(offered, "/draw")
        for said in await world.desk.answer(offered, "/draw"):
            assert not beyond(quotas.DRAW_OFFERS).search("\n".join(said.view.lines))
        await world.say(BOB, "/draw no")
    assert beyond(quotas.DRAW_OFFERS).search(await world.told(ANN, f"/draw #{match.id}"))
    over = words_for("en")(OverQuota.INVITATIONS, limit=quotas.INVITATIONS.limit)
    for number in range(quotas.INVITATIONS.limit):
        new = replace(world.visitor(ANN), request=f"new{number}")
        await world.desk.answer(new, "/new breakthrough")
        for said in await world.desk.answer(new, "/new breakthrough"):
            assert over not in said.view.lines
    assert over in await world.told(ANN, "/new breakthrough")


async def test_strangers_who_join_and_leave_from_many_places_shut_no_one_out() -> None:
    """A place that they joined from gives way as one that they watch from does."""
    world = World()
    await world.say(ANN, "/new breakthrough")
    (match,) = await world.store.matches.of(ANN.account)
    halls = [place(f"hall{letter}") for letter in LETTERS[:9]]
    for hall in halls:
        await world.say(CEM, f"/join #{match.id}", hall)
        await world.say(CEM, f"/leave #{match.id}", hall)
    yard, attic = place("yard"), place("attic")
    await world.say(DAN, f"/watch #{match.id}", yard)
    await world.say(BOB, f"/join #{match.id}", attic)
    assert (await world.table.get(match.id)).addresses == (ROOM, *halls[2:], yard, attic)


@pytest.mark.parametrize("name", ["MATCHES", "PLACE"])
async def test_a_person_and_a_place_have_so_many_matches(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    world, few = World(), Count(2, getattr(quotas, name).reason)
    monkeypatch.setattr(match_setup, name, few)
    over = words_for("en")(few.reason, limit=2)
    for _ in range(2):
        await world.begin("breakthrough", {"board": "5x5"})
    assert over in await world.told(ANN, "/challenge cem breakthrough")
    assert (over in await world.told(CEM, "/new breakthrough")) is (name == "PLACE")
    assert (over in await world.told(ANN, "/new breakthrough", place("hall"))) is (name == "MATCHES")


def test_the_docs_name_each_quota() -> None:
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in DOCS.read_text("utf-8").splitlines()]
    table = {row[0]: row[1:] for row in rows if len(row) > 3}
    words = words_for("en")
    for rate in RATES:
        assert table[rate.name][:2] == [str(rate.limit), words.length(rate.window)]
    for count in COUNTS:
        assert table[count.reason.rpartition(".")[2]][0] == str(count.limit)


class CountingMatches(MemoryMatches):
    """Matches that count how many are loaded from lists."""

    def __init__(self, world: World) -> None:
        super().__init__(world.store.clock, world.store.timers, world.store.outbox)
        world.store.matches = self
        self.loaded = 0

    async def at(self, address: Address, *, over: bool = True, most: int | None = None) -> Sequence[Match]:
        found = await super().at(address, over=over, most=most)
        self.loaded += len(found)
        return found

    async def of(self, account: Account) -> Sequence[Match]:
        found = await super().of(account)
        self.loaded += len(found)
        return found


@pytest.mark.parametrize(
    "line", ["/games", "/board", "/move a2-a3", "/new breakthrough", "/rules", "/resign"]
)
async def test_a_command_costs_the_same_with_few_matches_and_with_five_hundred(line: str) -> None:
    world = World()
    matches = CountingMatches(world)
    mine = await world.begin("breakthrough", {"board": "5x5"})
    for number in range(500):
        code = "z" + "".join(LETTERS[number // 31**digit % 31] for digit in range(5))
        chairs = tuple(replace(chair, player=who) for chair, who in zip(mine.chairs, (BOB, CEM), strict=True))
        other = replace(mine, id=code, chairs=chairs, host=BOB, revision=0)
        await matches.commit(Watching(other, ROOM, on=True), 0, announce=False)
    assert await matches.live_at(ROOM) == 501
    matches.loaded = 0
    await world.say(ANN, line)
    assert matches.loaded <= LISTED + 2
    if line == "/move a2-a3":  # the oldest of all is found, for it is the visitor's own
        assert len((await world.table.get(mine.id)).log) == 1
