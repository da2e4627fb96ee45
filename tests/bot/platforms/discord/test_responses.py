"""What people do and what everybody sees of it, also with many requests, or for excluded people."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from bot.chat.i18n import words
from bot.chat.quotas import COMMANDS
from bot.platforms.discord.adapter import MOST_OPEN
from bot.platforms.discord.rendering import place
from play.actions.seating import Join
from play.errors import Unavailable
from play.opening import Challenge
from play.people import Account, Player
from play.request import Request
from storage.ports import Update
from tests.platforms.discord.gateway import Fault, too_fast
from tests.platforms.discord.harness import DiscordHarness, begun, latest, public
from tests.platforms.discord.people import Person
from tests.platforms.discord.world import THREAD, Channel
from tests.support.waiting import eventually

# What people do, and what everybody sees of it.


async def test_a_file_can_be_attached_or_pasted(home: DiscordHarness) -> None:
    ann, _ = await begun(home)
    await ann.types("export")
    (text,) = [content for name, content in ann.private()[-1].files.items() if name.endswith(".txt")]
    matches = len(home.matches)
    await ann.at(home.hall).types("import", file=("match.txt", text))
    assert len(home.matches) == matches + 1
    opened = await ann.at(home.hall).types("import")
    assert opened.ack == 9
    await ann.at(home.hall).fills_in(opened, text.decode())
    assert len(home.matches) == matches + 2
    await ann.types("import", file=("match.txt", b"x" * 2_000_000))
    assert "bytes" in ann.private()[-1].content
    assert len(home.matches) == matches + 2


async def test_a_person_is_challenged_from_their_menu(home: DiscordHarness) -> None:
    ann, bob = home.person("ann"), home.person("bob", "uk")
    await ann.picks_person("Challenge to a game", bob.user)
    assert ann.private()[-1].content or "Bob" in latest(ann).content
    await bob.picks_person("Викликати на гру", ann.user)
    assert bob.sees()


async def test_names_cannot_call_or_format_anything(home: DiscordHarness) -> None:
    ann, bob = home.person("ann"), home.person("bob")
    bob.user.shown = f"@everyone **<@{ann.user.id}>** \u202eevil `x` https://x.example"
    await ann.types("challenge", person=bob.user, game="lgame")
    card = latest(ann)
    await bob.presses(card, "Accept")
    for shown in public(ann):
        bare = shown.content.replace(f"<@{ann.user.id}> Turn", "Turn")
        assert f"\\<\\@{ann.user.id}" in bare
        assert "\\@everyone" in bare
        assert "\u202e" not in bare
        assert "https://" not in bare
        invited = bob.user.id if shown is card else ann.user.id
        assert shown.pings in ((), (invited,))


async def test_a_bug_is_told_only_to_the_person_who_met_it(
    home: DiscordHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _ = await begun(home)

    async def broken(*_: object) -> Sequence[object]:
        raise ZeroDivisionError

    monkeypatch.setattr(home.services.desk, "run", broken)
    seen = len(public(ann))
    await ann.types("games")
    assert "/board" in ann.private()[-1].content
    assert len(public(ann)) == seen


# What is acknowledged is carried out, and only that: with many of one person, a process that ends, a store
# or a Discord that fails.


_ANSWER = "/webhooks/.*/messages/.*"
_RESPONSE = "/interactions/.*/callback"
_COMMAND = 2
_BUTTON = 3
_MOVE = {"name": "move", "type": 3, "value": "a2-a3"}


async def test_of_one_person_no_more_wait_to_be_stored(
    home: DiscordHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob = _at(home, "ann"), _at(home, "bob")
    receiver, answers = home.platform._intake.receiver, asyncio.Event()
    accept = receiver.accept
    came: list[str] = []

    async def late(updates: Sequence[Update]) -> None:
        came.extend(each.person for each in updates)
        home.discord.moved()
        await answers.wait()
        await accept(updates)

    monkeypatch.setattr(receiver, "accept", late)
    many = [await ann.sends(_COMMAND, _data("games")) for _ in range(2 * MOST_OPEN)]
    await bob.sends(_COMMAND, _data("help"))
    await home.discord.until(lambda: str(bob.user.id) in came)
    answers.set()
    await home.settle()
    assert came.count(str(ann.user.id)) == MOST_OPEN
    assert sum(each.acked is not None for each in many) > MOST_OPEN, "the next is refused in words"


@pytest.mark.parametrize("over_http", [False, True])
async def test_what_was_acknowledged_is_done_by_the_next_process(
    over_http: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with DiscordHarness(over_http=over_http) as home:
        ann, bob = await begun(home)
        monkeypatch.setattr(home.platform._intake.receiver, "_put", lambda _: None)  # the process ends
        done = await ann.sends(_COMMAND, _data("move", _MOVE))
        await home.discord.until(lambda: done.acked)
        await home.close()
        assert done.waiting
        await home.open()
        await home.settle()
        assert done.settled
        assert latest(ann).pings == (bob.user.id,)


@pytest.mark.parametrize("over_http", [False, True])
async def test_what_only_reads_is_answered_while_the_store_takes_nothing(
    over_http: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with DiscordHarness(over_http=over_http) as home:

        async def away(_: object) -> None:
            raise Unavailable

        with monkeypatch.context() as patch:
            patch.setattr(home.platform._intake.receiver, "accept", away)
            done = await home.person("ann", "uk").types("games")
        assert done.settled
        assert done.original is not None
        assert done.original.words.startswith(words("uk")("bot.games.none").split(".")[0])


@pytest.mark.parametrize(("status", "code", "moves"), [(404, 10062, 0), (None, 0, 1), (400, 40060, 1)])
async def test_what_discord_takes_for_failed_is_not_done(
    home: DiscordHarness, status: int | None, code: int, moves: int
) -> None:
    """The person does it again. What may have been acknowledged is done: they see that the bot thinks."""
    ann, _ = await begun(home)
    home.discord.faults.append(Fault("POST", ".*/callback", status, code, after=status != 404))
    await ann.sends(_COMMAND, _data("move", _MOVE))
    await home.discord.until(lambda: not home.discord.faults)
    await home.settle()
    (match,) = home.matches.values()
    assert len(match.log) == moves


@pytest.mark.parametrize(
    "fault",
    [
        too_fast(_ANSWER, 30.0, method="PATCH"),
        Fault("PATCH", _ANSWER, 429, headers={"Retry-After": "30"}),  # of the proxy before Discord
        Fault("PATCH", _ANSWER, 502, times=7),
        Fault("PATCH", _ANSWER, 503, times=7),
        Fault("PATCH", _ANSWER, None, times=2),
    ],
)
async def test_an_answer_is_shown_as_soon_as_discord_takes_it(home: DiscordHarness, fault: Fault) -> None:
    ann, _ = await begun(home)
    home.discord.faults.append(fault)
    await ann.types("board")
    assert fault not in home.discord.faults
    assert "Turn" in ann.private()[-1].content
    await ann.presses(latest(ann), "Move")
    picking = ann.private()[-1]
    await ann.presses(picking, "Step by step")
    fault.times = 1
    response = Fault("POST", _RESPONSE, fault.status, headers=fault.headers, body=fault.body)
    home.discord.faults += [response, fault]
    await ann.presses(picking, "b2")
    assert home.discord.faults == []
    assert "b2-b3" in str(picking.components)


@pytest.mark.parametrize(
    ("status", "code", "times", "after"),
    [
        (500, 0, 2, False),  # so does what defers it
        (None, 0, 1, True),  # the response is there, and only Discord's reply is lost
        (400, 40060, 1, True),
        (404, 10062, 20, False),  # it came after three seconds
    ],
)
async def test_a_move_whose_response_fails_is_played_once_and_shown(
    home: DiscordHarness, status: int | None, code: int, times: int, after: bool
) -> None:
    ann, _ = await begun(home)
    await ann.presses(latest(ann), "Move")
    picking = ann.private()[-1]
    (data,) = (key["custom_id"] for key in picking.pressed() if key["label"] == "a2-a3")
    home.discord.faults.append(Fault("POST", _RESPONSE, status, code, times=times, after=after))
    failing = home.discord.faults[0]
    await _at(home, "ann").sends(_BUTTON, {"component_type": 2, "custom_id": data}, picking)
    await home.discord.until(lambda: failing.times < times)
    await home.settle()
    (match,) = home.matches.values()
    assert len(match.log) == 1
    assert "a2-a3" in latest(ann).content
    home.discord.faults.clear()
    if code == 10062:  # Discord shows the press as failed, and the person does it again
        await ann.presses(picking, data, forged=True)
        assert len(home.matches[match.id].log) == 1
    assert "a2-a3" not in [key["label"] for key in picking.pressed()]


async def test_a_press_on_a_private_message_is_refused_in_words_while_the_store_takes_nothing(
    home: DiscordHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _ = await begun(home)
    await ann.presses(latest(ann), "Move")
    picking = ann.private()[-1]

    async def away(_: object) -> None:
        raise Unavailable

    with monkeypatch.context() as patch:
        patch.setattr(home.platform._intake.receiver, "accept", away)
        await ann.presses(picking, "Step by step")
        assert "b2" in [key["label"] for key in picking.pressed()]  # which only reads


async def test_what_waits_is_replaced_by_the_answer_to_a_later_press(home: DiscordHarness) -> None:
    ann, _ = await begun(home)
    await ann.presses(latest(ann), "Move")
    picking, go = ann.private()[-1], asyncio.Event()
    await ann.presses(picking, "Step by step")
    men = [key["custom_id"] for key in picking.pressed() if key["label"] in ("a2", "b2")]

    async def sleep(_seconds: float) -> None:
        await go.wait()

    home.platform._responder._edits._sleep = sleep
    home.discord.faults.append(too_fast(_RESPONSE, 0.2, method="POST"))
    made, wanted = len(home.discord.asked("PATCH", _ANSWER)), home.platform._responder._edits._wanted
    first_press = len(home.discord.asked("POST", _RESPONSE))
    await _at(home, "ann").presses(picking, men[0], forged=True)
    await eventually(lambda: len(home.discord.asked("POST", _RESPONSE)) == first_press + 2)
    (first,) = wanted.values()
    await _at(home, "ann").presses(picking, men[1], forged=True)
    await eventually(lambda: first not in wanted.values())
    go.set()
    await home.settle()
    assert "b2-b3" in str(picking.components)
    assert len(home.discord.asked("PATCH", _ANSWER)) == made + 1


def _at(home: DiscordHarness, name: str) -> Person:
    """A person who does not wait for an answer before going on."""
    return Person(home.discord, home.discord.named(name, name, "en-US"), home.games)


def _data(name: str, *options: dict[str, Any]) -> dict[str, Any]:
    return {"id": "1", "name": name, "type": 1, "options": list(options)}


# Many requests of one person: commands beyond the quota are answered with when to try again, moves never.


NOTICE = f"More than {COMMANDS.limit} commands a minute"


async def test_moves_after_a_flood_are_all_played(home: DiscordHarness) -> None:
    ann, bob = home.person("ann"), home.person("bob")
    people = [Player(Account("discord", str(who.user.id)), who.user.name) for who in (ann, bob)]
    matches = []
    for _ in range(10):
        opened = await home.table.open(
            Challenge(place(home.games.id), "breakthrough", {"board": "5x5"}, opponents=people[1:]),
            Request(people[0], home.now),
        )
        fact = await home.table.act(opened.match.id, Join(), Request(people[1], home.now))
        matches.append(fact.match)
    for _ in range(COMMANDS.limit + 1):
        await ann.types("language")
    assert sum(NOTICE in each.content for each in ann.private()) == 1
    refused = await ann.types("language")
    assert refused.acked is not None
    assert not refused.failed
    for match in matches:
        await ann.types("move", move="a2-a3", match=match.id)
    assert sum(NOTICE in each.content for each in ann.private()) == 2
    assert {len((await home.table.get(match.id)).log) for match in matches} == {1}
    await bob.types("language")
    assert NOTICE not in bob.private()[-1].content


# A person whom the admins keep out of a channel, and a thread there that people have opened.


KEPT_OUT = "keep you out"


async def test_a_match_in_a_thread_is_not_joined_by_its_code_from_elsewhere(home: DiscordHarness) -> None:
    ann, bob, cem, eve = (home.person(name) for name in ("ann", "bob", "cem", "eve"))
    home.guild.admins.add(eve.user.id)
    await eve.types("exclude", person=bob.user)
    thread = Channel(THREAD, "talk", home.guild, home.games, owner=ann.user.id)
    home.guild.channels.append(thread)
    home.discord.add(thread)
    await ann.at(thread).types("new", game="klopodavka", options="players:3")
    (match,) = home.matches.values()
    assert match.addresses[0].place == str(thread.id)
    for who, joins in ((bob, False), (cem, True)):
        private = home.discord.conversation(who.user.id)
        await who.at(private).types("join", match=match.id)
        assert (KEPT_OUT in who.at(private).sees()[-1].content) is not joins
        seated = Account("discord", str(who.user.id)) in home.matches[match.id].people()
        assert seated is joins
