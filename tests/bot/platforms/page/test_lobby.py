"""The lobby: cards of what a person can do, which follow what happens; and new games from the page."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any, Final

import msgspec
import pytest
import pytest_asyncio

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES
from bot.chat.i18n import words as words_for
from bot.chat.pictures import Pictures
from bot.chat.presenting import forecast
from bot.chat.quotas import INVITATIONS
from bot.chat.visitor import Visitor
from bot.features.seeking.pairing import Seeks
from bot.platforms.page import hub, lobby, new_game, wire
from bot.platforms.page.composing import without_commands
from play.actions.agreeing import OfferDraw
from play.actions.leaving import Resign
from play.actions.seating import Decline, Withdraw
from play.errors import Refused
from play.match import Phase, engine
from play.opening import Challenge
from play.opening import Lobby as OpenTable
from play.people import Account, Player, private_place
from play.settings import Settings
from play.time.clock_text import clock_of
from play.time.week import Week
from rules import GAMES
from tests.support.browser import PageClient, PageHouse, page_house
from tests.support.desk import ANN, BOB, CEM, DAN, ROOM
from tests.support.services import services
from tests.support.stores import set_settings

COMMAND: Final = re.compile(r"(?<![\w/:])/[a-z]+")  # of a chat, in what a page says


class Cards:
    """The cards of an open lobby, put together from its frames as a client does."""

    def __init__(self, page: PageClient) -> None:
        self.page = page
        self.order: list[str] = []
        self.held: dict[str, dict[str, Any]] = {}
        self.new: dict[str, Any] = {}
        self.sent: list[str] = []  # the ids in the last frame

    def take(self, frame: dict[str, Any]) -> dict[str, Any]:
        """Take in a frame."""
        self.new = frame.get("new", self.new)
        if "lobby" in frame:
            self.order, self.sent = frame["lobby"]["order"], [card["id"] for card in frame["lobby"]["cards"]]
            self.held |= {card["id"]: card for card in frame["lobby"]["cards"]}
            self.held = {name: self.held[name] for name in self.order}
        return frame

    async def next(self) -> None:
        """Wait for the next change."""
        self.take(await self.page.answer("lobby"))

    async def ask(self, do: str, text: str = "", **more: Any) -> dict[str, Any]:
        """Ask for something in the lobby."""
        return self.take(await self.page.ask(do, text, **more))

    def of(self, *kinds: str) -> list[dict[str, Any]]:
        """Return the cards of some kinds, in their order."""
        return [card for name in self.order if (card := self.held[name])["kind"] in kinds]


async def opened(house: PageHouse, player: Player) -> Cards:
    """Open the lobby of a person, until the house ends."""
    cards = Cards(await house.open.enter_async_context(house.page("", player)))
    await cards.next()
    return cards


async def speaks(house: PageHouse, language: str, *people: Player) -> None:
    """Have people choose a language."""
    for each in people:
        await house.desk.store.settings.change(each.account, lambda now: replace(now, language=language))


async def types(house: PageHouse, player: Player, line: str) -> None:
    """Have a person type a line into the room."""
    desk = house.desk
    held = services(desk.table, desk.store, lambda: desk.now, pictures=Pictures())
    answers = await held.desk.answer(Visitor(player, ROOM, find=lambda _: None), line)
    assert not any(answer.refused for answer in answers), answers


def texts(held: object) -> list[str]:
    """Return all texts in some frames but the looks of squares."""
    if isinstance(held, dict):
        return [text for name, each in held.items() if name not in ("looks", "board") for text in texts(each)]
    if isinstance(held, list):
        return [text for each in held for text in texts(each)]
    return [held] if isinstance(held, str) else []


def alone(house: PageHouse, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Awaitable[None]]:
    """Return the look at all lobbies, which the page takes no more by itself."""
    hub = house.server.hub
    look = hub.look_at_lobbies

    async def nothing(*, whole: bool) -> None:
        pass

    monkeypatch.setattr(hub, "look_at_lobbies", nothing)
    return look


async def test_a_card_says_when_its_clock_rests(house: PageHouse) -> None:
    desk = house.desk
    mine = Settings(zone="Europe/Kyiv", week=Week(zone="Europe/Kyiv"), language="en")
    await set_settings(desk.store, ANN.account, mine)
    match = await desk.duel(clock="1d awake")
    shown = (await opened(house, ANN)).held[match.id]["clock"]
    assert shown["text"].startswith(("24 h", "23 h"))
    # At noon in UTC it is two in the afternoon in Kyiv: nine hours are left of the day.
    rest = shown["rests"][0]
    assert (round(rest["start"] / 3600), round(rest["end"] / 3600)) == (9, 18)
    assert rest["text"] == "rests until 08:00"


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_waits_for_the_reader_comes_first_in_words_of_a_page(
    house: PageHouse, language: str
) -> None:
    desk, said = house.desk, words_for(language, strict=True)
    await speaks(house, language, ANN)
    later, sooner = [await desk.duel(clock=clock) for clock in ("3d", "1d")]
    waiting = await desk.play(await desk.duel(), "a2-a3")
    asked = await desk.play(await desk.duel(), "a2-a3")
    await desk.act(asked, BOB, OfferDraw())
    thinking = await desk.begun(await desk.invited(engine("3"), ANN))
    over = await desk.duel()
    await desk.act(over, BOB, Resign())
    for_ann = await desk.invited(CEM, ANN, board="6x6", clock="1d", rated=True)
    hers = (await desk.open(ANN, Challenge(ROOM, "lgame"))).match
    to_dan = await desk.invited(ANN, DAN)
    gathering = (await desk.open(ANN, OpenTable(ROOM, "klopodavka", {"players": "3"}))).match
    cards = await opened(house, ANN)
    names = [sooner.id, later.id, asked.id, for_ann.id, waiting.id, thinking.id]
    assert cards.order[:6] == names
    assert set(cards.order[6:9]) == {hers.id, to_dan.id, gathering.id}
    assert cards.order[9:] == ["puzzle", "lesson", over.id]
    held = cards.held
    assert [held[name]["kind"] for name in cards.order] == [
        *["turn"] * 3, "invitation", *["waiting"] * 2, *["open"] * 3, "puzzle", "lesson", "finished",
    ]  # fmt: skip
    breakthrough = said("breakthrough.name")
    assert held[sooner.id]["title"] == f"{breakthrough}, Ann – Bob"
    assert held[sooner.id]["state"] == said("bot.page.card.your-turn")
    assert held[waiting.id]["state"] == said("bot.page.card.turn", name="Bob")
    assert held[asked.id]["state"] == said("bot.asked.draw", name="Bob")
    assert [button["label"] for button in held[asked.id]["buttons"]] == [
        said("bot.button.yes"),
        said("bot.button.no"),
    ]
    assert held[for_ann.id]["state"] == said("bot.page.card.invited", name="Cem")
    assert "6×6" in held[for_ann.id]["about"]
    assert f", {said('bot.seek.rated')}. " in held[for_ann.id]["about"]  # before what the clock means
    assert [button["label"] for button in held[for_ann.id]["buttons"]] == [
        said("bot.button.accept"), said("bot.button.decline"),
    ]  # fmt: skip
    assert held[hers.id]["title"] == said("lgame.name"), "there is no opponent to name yet"
    assert held[hers.id]["state"] == said("bot.page.card.free")
    assert held[to_dan.id]["state"] == said("bot.page.card.asked", names="Dan")
    assert held[gathering.id]["state"] == said.count("bot.page.card.seated", 1)
    assert "Bob" in held[over.id]["state"] or "Ann" in held[over.id]["state"]
    assert held[sooner.id]["clock"]["runs"]
    assert 86_000 < held[sooner.id]["clock"]["left"] < held[later.id]["clock"]["left"]
    assert held[later.id]["clock"]["text"]
    assert "clock" not in held[waiting.id]
    assert all(held[match.id]["go"] == match.id for match in (sooner, for_ann, hers, over))
    assert not [text for text in texts([held, cards.new]) if COMMAND.search(text)]
    assert not [text for text in texts([held, cards.new["words"]]) if "bot." in text]


async def test_boards_are_seen_from_the_readers_side_and_are_bounded(house: PageHouse) -> None:
    desk = house.desk
    match = await desk.play(await desk.duel(), "a2-a3")
    ann, bob = await opened(house, ANN), await opened(house, BOB)
    hers, his = (cards.held[match.id]["board"] for cards in (ann, bob))
    assert hers["ranks"] == his["ranks"][::-1]
    assert {entry["look"] for entry in hers["legend"]} <= ann.page.looks.keys()
    light = hers["legend"]
    await ann.ask("theme", "dark")
    assert set(ann.sent) == set(ann.order), "all are sent anew"
    dark = ann.held[match.id]["board"]["legend"]
    assert dark != light
    assert {entry["look"] for entry in dark} <= ann.page.looks.keys()
    for _ in range(lobby.MOST_BOARDS):
        await desk.duel()
    for _ in range(lobby.FINISHED + 2):
        await desk.act(await desk.duel(), BOB, Resign())
    many = await opened(house, ANN)
    assert len(many.of("finished")) == lobby.FINISHED
    assert sum("board" in card for card in many.held.values()) == lobby.MOST_BOARDS
    assert all("board" in card for card in many.of("turn")[:20])


async def test_what_happens_elsewhere_comes_to_an_open_lobby_and_nothing_else(house: PageHouse) -> None:
    desk = house.desk
    match, other = await desk.duel(), await desk.duel()
    cards = await opened(house, BOB)
    assert [card["kind"] for card in cards.held.values()][:2] == ["waiting"] * 2
    await desk.play(match, "a2-a3")
    await cards.next()
    assert cards.sent == [match.id]
    assert cards.held[match.id]["kind"] == "turn"
    assert cards.held[other.id]["kind"] == "waiting"
    invitation = await desk.invited(CEM, BOB)
    await cards.next()
    assert cards.sent == [invitation.id]
    assert cards.order[:2] == [match.id, invitation.id]
    await desk.act(invitation, BOB, Decline())
    await cards.next()
    assert cards.sent == []
    assert invitation.id not in cards.held
    await desk.act(match, ANN, Resign())
    await cards.next()
    assert cards.sent == [match.id]
    assert cards.held[match.id]["kind"] == "finished"
    assert cards.order[-1] == match.id


async def test_a_look_at_many_lobbies_is_one_question_and_loads_only_what_has_changed(
    house: PageHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, look = house.desk, alone(house, monkeypatch)
    match = await desk.duel()
    people = [Player(Account("console", f"p{number}"), f"P{number}") for number in range(20)]
    for each in (ANN, BOB, *people):
        await opened(house, each)
    await look(whole=True)  # what may have changed while they were opened
    asked, store = Counter[str](), desk.store

    def took() -> Counter[str]:
        """Return what was asked of the store since it was last looked at."""
        found = +asked
        asked.clear()
        return found

    def counted(part: object, *names: str) -> None:
        for name in names:
            called = getattr(part, name)

            def count(*args: Any, called: Any = called, name: str = name, **more: Any) -> Any:
                asked[f"{type(part).__name__}.{name}"] += args != ((),)  # no boards are open
                return called(*args, **more)

            monkeypatch.setattr(part, name, count)

    counted(store.matches, "of", "load", "marks", "revisions", "at")
    counted(store.notes, "read")
    counted(store.timelines, "read")
    counted(store.settings, "get_many")
    counted(store.events, "of", "load", "marks")
    await look()
    assert took() == {"MemoryMatches.marks": 1}
    await look(whole=True)
    beside = {
        "MemoryTimelines.read": 1,
        "MemoryEvents.marks": 1,
        "MemorySettings.get_many": 1,
        "MemoryNotes.read": 2,
    }
    assert took() == {"MemoryMatches.marks": 1, **beside}, "six trips for all"
    await types(house, BOB, "/seek lgame clock:1d")
    await look()
    took()
    await look(whole=True)
    seen = took()
    assert seen["MemoryMatches.of"] == 21, "all but the one who seeks"
    assert seen["MemoryMatches.revisions"] == 1
    await look(whole=True)
    assert took() == {"MemoryMatches.marks": 1, "MemoryMatches.revisions": 1, **beside}, "nothing has changed"
    await desk.play(match, "a2-a3")
    took()
    await look()
    await look()
    assert took() == {"MemoryMatches.marks": 2, "MemoryMatches.of": 2}, "one for each of the two players"


async def test_what_is_beside_the_matches_follows_what_happens_elsewhere(
    house: PageHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, look = house.desk, alone(house, monkeypatch)
    cards, bobs = await opened(house, ANN), await opened(house, BOB)
    await look(whole=True)  # what may have changed while they were opened

    async def changed(kind: str) -> list[dict[str, Any]]:
        await look(whole=True)
        await cards.next()
        return cards.of(kind)

    await types(house, BOB, "/seek lgame clock:1d")
    (seek,) = await changed("seek")
    assert seek["state"] == "Bob is looking for an opponent"
    assert cards.sent == [seek["id"]]
    await desk.act(await desk.table.get(seek["id"]), BOB, Withdraw())
    assert await changed("seek") == []
    await types(house, BOB, "/cup new lgame clock:1d most:8 closes:24h")
    await types(house, ANN, "/cup join")
    (cup,) = await changed("event")
    await types(house, BOB, "/cup stop")
    assert await changed("event") == []
    (lesson,) = cards.of("lesson")
    await types(house, ANN, "/learn breakthrough")
    (other,) = await changed("lesson")
    assert other["press"] != lesson["press"]
    await desk.wait(timedelta(days=1))
    (puzzle,) = cards.of("puzzle")
    await changed("puzzle")
    assert cards.of("puzzle") != [puzzle]
    assert cup["id"] not in bobs.held


async def test_a_lobby_looks_beside_the_matches_by_itself(
    house: PageHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "_BESIDE", 0.0)
    cards = await opened(house, ANN)
    await types(house, BOB, "/seek lgame clock:1d")
    while not cards.of("seek"):
        await cards.next()


async def test_boards_do_not_wait_for_lobbies(house: PageHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = asyncio.Event()

    async def endless(*, whole: bool) -> None:
        looked.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(house.server.hub, "look_at_lobbies", endless)
    match = await house.desk.duel()
    page = await house.opened(match.id)
    await looked.wait()
    await house.desk.play(match, "a2-a3")
    await page.answer("view")


async def test_the_form_of_a_new_game_is_made_anew_for_what_it_shows(
    house: PageHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, form = list[wire.PageNew](), new_game.form

    def counted(*args: Any) -> wire.PageNew:
        made.append(form(*args))
        return made[-1]

    monkeypatch.setattr(new_game, "form", counted)
    match = await house.desk.play(await house.desk.duel(), "a2-a3")
    cards = await opened(house, ANN)
    await house.desk.play(match, "a7-a6")
    await cards.next()
    assert len(made) == 1
    await house.desk.begun(await house.desk.invited(ANN, CEM))
    while not any(each["label"] == "Cem" for each in cards.new["people"]):
        await cards.next()


async def test_a_lobby_that_is_left_is_not_looked_at(house: PageHouse) -> None:
    seen = list[Sequence[Account]]()
    marks = house.desk.store.matches.marks

    async def watched(accounts: Sequence[Account]) -> Sequence[int]:
        seen.append(accounts)
        return await marks(accounts)

    house.desk.store.matches.marks = watched  # type: ignore[method-assign]
    async with house.page("", ANN) as page:
        await page.answer("lobby")
        await opened(house, BOB)
        await house.server.hub.look_at_lobbies()
        assert set(seen[-1]) == {ANN.account, BOB.account}
    while ANN.account in seen[-1]:
        await house.server.hub.look_at_lobbies()
    assert set(seen[-1]) == {BOB.account}


async def test_invitations_are_answered_in_the_lobby(house: PageHouse) -> None:
    desk = house.desk
    wanted, unwanted = await desk.invited(ANN, BOB), await desk.invited(ANN, BOB)
    cards = await opened(house, BOB)
    accept, decline = (
        cards.held[match.id]["buttons"][number]["data"] for match, number in ((wanted, 0), (unwanted, 1))
    )
    answer = await cards.ask("press", decline)
    assert "go" not in answer
    assert answer["cards"] == []
    assert [card["code"] for card in cards.of("invitation")] == [wanted.id]
    answer = await cards.ask("press", accept)
    assert answer["go"] == wanted.id
    assert (await desk.table.get(wanted.id)).phase is Phase.PLAYING
    assert [card["code"] for card in cards.of("waiting")] == [wanted.id]


SETUP: Final[dict[str, Any]] = {"game": "breakthrough", "preset": "6x6", "level": 3}


async def test_a_game_against_the_computer_takes_two_taps_and_is_begun_once(house: PageHouse) -> None:
    cards = await opened(house, ANN)
    assert {each["setup"].get("opponent", "computer") for each in cards.new["quick"]} == {"computer"}
    answer = await cards.ask("new", setup=SETUP, op="new-game-1")
    match = await house.desk.table.get(answer["go"])
    assert match.phase is Phase.PLAYING
    assert dict(match.options)["board"] == "6x6"
    assert [each.uid for each in match.people()] == ["ann", "3"]
    again = await cards.ask("new", setup=SETUP, op="new-game-1")
    assert again["go"] == match.id
    assert len(await house.desk.store.matches.of(ANN.account)) == 1
    await house.desk.play(match, "a2-a3")
    await cards.next()
    quick = cards.new["quick"][0]
    assert quick["setup"] == SETUP
    assert quick["label"] == "Breakthrough – computer, level 3"
    answer = await cards.ask("new", setup=quick["setup"])
    assert (await house.desk.table.get(answer["go"])).options == match.options


async def test_a_game_that_begins_evenly_is_offered_again(house: PageHouse) -> None:
    cards = await opened(house, ANN)
    setup = {"game": "klopodavka", "preset": "classic", "level": 3}
    answer = await cards.ask("new", setup=setup)
    match = await house.desk.table.get(answer["go"])
    assert dict(match.options) == {"first": "2"}
    await house.desk.play(match, "a2")
    await cards.next()
    assert cards.new["quick"][0]["setup"] == setup


async def test_the_form_says_who_wins_and_how_even_a_setting_is(house: PageHouse) -> None:
    cards = await opened(house, ANN)
    notes = {
        (game["value"], preset["value"]): preset.get("note", "")
        for game in cards.new["games"]
        for preset in game["presets"]
    }
    assert notes["breakthrough", "mini"].startswith("With best play the second player wins in 26 moves")
    assert notes["lgame", "classic"] == "With best play it is a draw."
    assert "the second player scores 76 of 100 points" in notes["klopodavka", "hq"]
    assert not notes["klopodavka", "classic"]
    assert not notes["breakthrough", "classic"]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_form_says_which_level_is_weaker_without_a_compiler(
    house: PageHouse, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forecast, "weaker_levels", lambda game: {8: 7} if game == "breakthrough" else {})
    await speaks(house, language, ANN)
    cards = await opened(house, ANN)
    said = words_for(language)("bot.engine.weaker", level=8, alike=7)
    weaker = {game["value"]: game["weaker"] for game in cards.new["games"] if "weaker" in game}
    assert weaker == {"breakthrough": {"8": said}}


@pytest.mark.parametrize("seats", [2, 4])
async def test_a_friend_gets_a_link(house: PageHouse, seats: int) -> None:
    cards = await opened(house, ANN)
    game = "breakthrough" if seats == 2 else "klopodavka"
    setup = {"game": game, "opponent": "friend", "players": seats, "clock": "3d"}
    answer = await cards.ask("new", setup=setup)
    match = await house.desk.table.get(answer["go"])
    assert match.phase is Phase.OPEN
    assert len(match.chairs) == seats
    assert match.lobby is (seats > 2)
    assert match.clock == clock_of("3d")
    assert answer["link"].startswith(f"{house.url}/m/{match.id}?k={await house.key(match.id)}")
    assert cards.held[match.id]["kind"] == "open"


async def test_two_who_look_for_an_opponent_meet(house: PageHouse) -> None:
    ann, bob = await opened(house, ANN), await opened(house, BOB)
    setup = {"game": "lgame", "opponent": "open", "clock": "1d"}
    answer = await ann.ask("new", setup=setup)
    assert "go" not in answer
    (waits,) = ann.of("open")
    (seek,) = await Seeks(house.desk.store).of(ANN.account)
    assert waits["code"] == seek.match
    late = await opened(house, CEM)
    (offered,) = late.of("seek")
    assert offered["state"] == "Ann is looking for an opponent"
    answer = await bob.ask("new", setup=setup)
    assert answer["go"] == seek.match
    await ann.next()
    assert ann.of("open") == []
    answer = await late.ask("press", offered["buttons"][0]["data"])
    assert "go" not in answer
    (said,) = answer["cards"]
    assert said["refused"]
    assert not COMMAND.search(said["lines"][0])


async def test_an_open_seat_is_taken_from_a_card(house: PageHouse) -> None:
    await (await opened(house, ANN)).ask("new", setup={"game": "lgame", "opponent": "open"})
    cards = await opened(house, BOB)
    (offered,) = cards.of("seek")
    answer = await cards.ask("press", offered["buttons"][0]["data"])
    assert answer["go"] == offered["id"]
    assert {each.uid for each in (await house.desk.table.get(answer["go"])).people()} == {"ann", "bob"}


async def test_a_person_whom_one_has_played_is_invited_where_that_was(house: PageHouse) -> None:
    desk = house.desk
    await desk.act(await desk.play(await desk.duel(), "a2-a3"), BOB, Resign())
    ann, bob = await opened(house, ANN), await opened(house, BOB)
    ((key, name),) = [(each["value"], each["label"]) for each in ann.new["people"]]
    assert name == "Bob"
    assert "bob" not in key, "it does not show the account"
    assert ann.new["quick"][0]["setup"]["person"] == key
    answer = await ann.ask("new", setup=ann.new["quick"][0]["setup"])
    assert answer["cards"] == []
    await bob.next()
    (invitation,) = bob.of("invitation")
    match = await desk.table.get(invitation["code"])
    assert match.addresses == (ROOM,)
    assert match.chairs[1].reserved == BOB


async def test_a_person_is_reached_in_their_own_conversation_with_the_bot(house: PageHouse) -> None:
    desk, (ann, bob) = (
        house.desk,
        [Player(Account("telegram", uid), name) for uid, name in (("7", "Ann"), ("8", "Bob"))],
    )
    places = [private_place(each.account) for each in (ann, bob)]
    opening = Challenge(places[0], "breakthrough", opponents=[bob], also=places[1:])
    match = await desk.begun((await desk.open(ann, opening)).match)
    await desk.act(await desk.play(match, "a2-a3"), bob, Resign())
    cards = await opened(house, bob)
    await cards.ask("new", setup=cards.new["quick"][0]["setup"])
    (made,) = cards.of("open")
    assert set((await desk.table.get(made["code"])).addresses) == set(places)


async def test_the_people_of_the_form_are_the_last_ones(house: PageHouse) -> None:
    desk = house.desk
    people = [Player(Account("console", f"p{number}"), f"P{number}") for number in range(new_game.PEOPLE + 2)]
    for each in people:
        await desk.begun(await desk.invited(ANN, each))
    await desk.begun(await desk.invited(engine("3"), ANN))
    await desk.invited(CEM, ANN)
    cards = await opened(house, ANN)
    assert [each["label"] for each in cards.new["people"]] == [each.name for each in people[:1:-1]]


async def test_more_players_against_the_computer(house: PageHouse) -> None:
    cards = await opened(house, ANN)
    (game,) = [each for each in cards.new["games"] if each["value"] == "klopodavka"]
    assert game["presets"][0]["players"] == list(range(2, 11))
    answer = await cards.ask("new", setup={"game": "klopodavka", "players": 4, "level": 1})
    match = await house.desk.table.get(answer["go"])
    assert [chair.player is not None for chair in match.chairs] == [True] * 4


@pytest_asyncio.fixture
async def patient() -> AsyncIterator[PageHouse]:
    """A table with a page that is never asked too fast."""
    ticks = count()
    async with page_house(lambda: float(next(ticks))) as house:
        yield house


@pytest.mark.parametrize("key", GAMES)
async def test_every_setting_of_the_form_can_be_begun(patient: PageHouse, key: str) -> None:
    house = patient
    cards = await opened(house, ANN)
    (game,) = [each for each in cards.new["games"] if each["value"] == key]
    for preset in game["presets"]:
        for players in {preset["players"][0], preset["players"][-1]}:
            setup = {"game": key, "preset": preset["value"], "players": players, "opponent": "friend"}
            answer = await cards.ask("new", setup={**setup, "rated": preset.get("rates", False)})
            if (preset["value"], players) == ("quick", 10):  # its board is too small for so many
                assert answer["cards"][0]["refused"]
                continue
            assert len((await house.desk.table.get(answer["go"])).chairs) == players
            withdraw = CallbackData(Verb.WITHDRAW, answer["go"], 1).pack()
            await cards.ask("press", withdraw)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_refusals_name_no_command(patient: PageHouse, language: str) -> None:
    house = patient
    desk, said = house.desk, words_for(language, strict=True)
    await speaks(house, language, ANN)
    gone = await desk.invited(BOB, ANN)
    cards = await opened(house, ANN)
    accept = cards.held[gone.id]["buttons"][0]["data"]
    await desk.wait(timedelta(days=2))
    refused = [await cards.ask("press", accept)]
    assert refused[-1]["cards"][0]["lines"] == without_commands([said(Refused.EXPIRED)])
    setup = {**SETUP, "opponent": "friend"}
    refused += [await cards.ask("new", setup=setup) for _ in range(INVITATIONS.limit + 1)]
    assert [bool(each["cards"]) for each in refused[1:]] == [False] * INVITATIONS.limit + [True]
    whole = said.count(INVITATIONS.reason or "", INVITATIONS.limit, limit=INVITATIONS.limit)
    assert refused[-1]["cards"][0]["lines"] == without_commands([whole])
    refused.append(await cards.ask("new", setup={**SETUP, "game": "chess"}))
    refused.append(await cards.ask("new", setup={**SETUP, "opponent": "person", "person": "nobody"}))
    refused.append(await cards.ask("new"))
    assert all(each["cards"][0]["refused"] for each in refused[-3:])
    assert not [text for text in texts(refused) if COMMAND.search(text)]


@pytest.mark.parametrize(
    "wrong",
    [{"level": 9}, {"level": "3"}, {"opponent": "me"}, {"players": 11}, {"game": "x" * 65}, {"place": "yard"}, {"rated": 1}],
)  # fmt: skip
def test_setups_of_no_page_are_refused(wrong: dict[str, Any]) -> None:
    frame = {"op": "new-game-1", "do": "new", "setup": SETUP}
    assert wire.read_request(json.dumps(frame)).setup == wire.PageSetup("breakthrough", "6x6", level=3)
    with pytest.raises(msgspec.ValidationError):
        wire.read_request(json.dumps({**frame, "setup": {**SETUP, **wrong}}))


async def test_a_spectator_begins_nothing(house: PageHouse) -> None:
    match = await house.desk.duel()
    async with house.page(match.id) as cid:
        assert (await cid.ask("new", setup=SETUP))["cards"] == []
    assert len(house.desk.stored()) == 1
    assert (await house.begun(code="", key=await house.key(match.id)))["frames"][-1]["over"] == "session"


async def test_a_cup_has_a_card_that_opens_what_one_has_there(house: PageHouse) -> None:
    await types(house, BOB, "/cup new lgame clock:1d most:8 closes:24h")
    assert (await opened(house, ANN)).of("event") == []
    await types(house, ANN, "/cup join")
    cards = await opened(house, ANN)
    (card,) = cards.of("event")
    assert card["title"] == "Cup: L-game"
    (answer,) = (await cards.ask("press", card["press"]))["cards"]
    assert card["state"] in answer["lines"]


async def test_the_puzzle_and_the_lesson_are_opened_by_their_cards(house: PageHouse) -> None:
    cards = await opened(house, ANN)
    for kind in ("puzzle", "lesson"):
        (card,) = cards.of(kind)
        assert card["board"]["squares"]
        (answer,) = (await cards.ask("press", card["press"]))["cards"]
        assert answer["pick"]["node"]
        assert answer["board"]["squares"] == card["board"]["squares"]
    (puzzle,) = cards.of("puzzle")
    (further,) = (await cards.ask("press", puzzle["buttons"][0]["data"]))["cards"]
    assert further["pick"]["node"]
