"""Settings of people and places: panels, languages, blocks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES
from bot.chat.view import Message, View
from play.actions.agreeing import OfferDraw
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.errors import NotAllowed, Refused
from play.match import Phase
from play.opening import Challenge, Lobby, rematch
from play.people import Account, Player
from play.request import Request
from play.settings import Settings
from tests.bot.world import ANN, BOB, CEM, ROOM, World

# Settings by buttons: each value that is offered can be chosen, a press checks rights, and a card shows what
# is chosen.


CARDS = ("/settings", "/settings here", "/language", "/language here", "/vacation", "/config")


async def press(world: World, who: Player, data: CallbackData, *, admin: bool = True) -> list[Message]:
    return list(await world.desk.press(replace(world.visitor(who), admin=admin), data))


async def card(world: World, line: str, *, admin: bool = True) -> View:
    return (await world.desk.answer(replace(world.visitor(ANN), admin=admin), line))[-1].view


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("line", CARDS)
async def test_every_button_leads_on(line: str, language: str) -> None:
    world = World(language)
    waiting, pressed = list((await card(world, line)).buttons), set()
    while waiting:
        button = waiting.pop()
        data = CallbackData.unpack(button.data.pack())
        if data in pressed or data.verb is Verb.VACATION:
            continue
        pressed.add(data)
        said = await press(world, ANN, data)
        assert not any(message.refused for message in said), data
        shown = said[-1].view
        assert shown.lines
        assert shown.buttons
        waiting += shown.buttons
    assert len(pressed) > 3


async def test_games_are_allowed_one_by_one_but_never_none() -> None:
    world = World()
    (question,) = await press(world, ANN, CallbackData.without_match(Verb.CONFIG, "games"))
    assert [each.label[0] for each in question.view.buttons[:-1]] == ["✓"] * 3
    for left in (2, 1):
        (question,) = await press(world, ANN, question.view.buttons[0].data)
        assert len((await world.store.settings.get(ROOM)).games) == left
        question = replace(question, view=replace(question.view, buttons=question.view.buttons[::-1][1:]))
    assert len(question.view.buttons) == 2


@pytest.mark.parametrize(
    "data",
    [
        *(CallbackData.without_match(Verb.CONFIG, typed) for typed in ("", "most", "most:1", "language:uk")),
        CallbackData.without_match(Verb.SETTINGS, "here theme:dark"),
        CallbackData.without_match(Verb.LANGUAGE, "uk here"),
    ],
)
async def test_a_press_for_the_place_is_for_its_admins(data: CallbackData) -> None:
    world = World()
    (said,) = await press(world, BOB, data, admin=False)
    assert said.refused
    assert "admins" in said.view.lines[0]
    assert replace(await world.store.settings.get(ROOM), language=None) == Settings()
    for line in ("/settings here", "/language here"):
        offered = (await card(world, line, admin=False)).buttons
        assert not any(each.data.argument.partition(" ")[2] for each in offered), line


@pytest.mark.parametrize("typed", ["theme:pink", "nonsense", "here flip:on", "quiet:25-99", "zone:Atlantis"])
async def test_a_forged_press_is_refused(typed: str) -> None:
    world = World()
    (said,) = await press(world, ANN, CallbackData.without_match(Verb.SETTINGS, typed))
    assert said.refused
    assert replace(await world.store.settings.get(ANN.account), active=None, name=None) == Settings()


# Blocks are kept to in every way in which people meet, in both directions.


BOBBY = Player(Account("telegram", "7"), "Bobby")


async def blocks(world: World, who: Player, whom: Player) -> None:
    await world.store.settings.change(who.account, lambda now: replace(now, blocked=(whom,)))


@pytest.mark.parametrize(("who", "whom"), [(ANN, BOB), (BOB, ANN)])
async def test_neither_meets_or_asks_the_other(who: Player, whom: Player) -> None:
    world = World()
    match = await world.begin("breakthrough", {"board": "4x5"})
    over = await world.begin("lgame", {})
    await world.table.act(over.id, Resign(), Request(BOB, world.now))
    lobby = (
        await world.table.open(Lobby(ROOM, "klopodavka", {"players": "3"}), Request(CEM, world.now))
    ).match
    await world.table.act(lobby.id, Join(), Request(BOB, world.now))
    await blocks(world, who, whom)
    refusal = Refused.YOU_BLOCKED if who is ANN else Refused.BLOCKED
    request = Request(ANN, world.now)
    for asked in (
        world.table.open(Challenge(ROOM, "lgame", opponents=[BOB]), request),
        world.table.act(match.id, OfferDraw(), request),
        world.table.act(lobby.id, Join(), request),
        rematch(world.table, over.id, request),
    ):
        with pytest.raises(NotAllowed) as refused:
            await asked
        assert refused.value.reason is refusal
    await world.table.act(match.id, MakeMove("a2-a3"), request)
    await world.table.act(match.id, Resign(), Request(BOB, world.now))
    assert (await world.table.get(match.id)).phase is Phase.OVER


async def test_an_account_that_is_linked_later_stays_blocked() -> None:
    world = World()
    await blocks(world, ANN, BOBBY)
    await world.store.settings.change(BOB.account, lambda now: replace(now, others=(BOBBY.account,)))
    for asker, other in ((ANN, BOB), (BOB, ANN)):
        with pytest.raises(NotAllowed):
            await world.table.open(Challenge(ROOM, "lgame", opponents=[other]), Request(asker, world.now))


@pytest.mark.parametrize("who", [ANN, BOB])
async def test_who_is_excluded_while_they_play_may_still_ask_the_other(who: Player) -> None:
    world = World()
    match = await world.begin("lgame", {})
    await world.store.settings.change(ROOM, lambda now: replace(now, excluded=(who,)))
    await world.table.act(match.id, OfferDraw(), Request(who, world.now))
    assert (await world.table.get(match.id)).offer is not None
