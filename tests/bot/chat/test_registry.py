"""The registry of commands, and what calls them: parsed arguments and the data of buttons."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import MAX_BYTES, BadCallbackData, CallbackData, Verb
from bot.chat.context import Context
from bot.chat.grammar import MAX_LINE, Command, read
from bot.chat.registry import Registry
from bot.chat.view import Message
from bot.features.commands import REGISTRY
from tests.bot.world import ANN, World


async def handler(_context: Context) -> Sequence[Message]:
    return []


async def press(_context: Context, _button: CallbackData) -> Sequence[Message]:
    return []


def declared(name: str, *aliases: str, verbs: Sequence[Verb] = ()) -> Registry:
    registry = Registry()
    registry.command(name, topic=HelpTopic.BASICS, aliases=aliases)(handler)
    registry.button(*verbs)(press)
    return registry


@pytest.mark.parametrize(
    "other",
    [
        declared("move"),
        declared("go"),
        declared("play", "move"),
        declared("play", "go"),
        declared("play", verbs=[Verb.MOVE]),
    ],
)
def test_a_command_an_alias_or_a_button_is_declared_once(other: Registry) -> None:
    first = declared("move", "go", verbs=[Verb.MOVE])
    with pytest.raises(ValueError, match="declared twice"):
        Registry([first, other])


def test_an_alias_is_followed_and_not_offered() -> None:
    assert REGISTRY.find("if") is REGISTRY.find("план") is REGISTRY.specs["plan"]
    assert "if" not in REGISTRY.specs


# Commands whose arguments are apart already do what the same command does when it is typed.


TYPED = {
    "/challenge bob lgame variant:scoring side:second": Command.of(
        "challenge", "bob", options={"game": "lgame", "variant": "scoring", "side": "second"}
    ),
    "/new klopodavka players:3 board:6x6": Command.of("new", "klopodavka", options={"players": "3", "board": "6x6"}),
    "/accept": Command.of("accept"),
    "/join team:2": Command.of("join", options={"team": "2"}),
    "/move a2-a3": Command.of("move", text=" a2-a3"),
    "/move": Command.of("move"),
    "/draw yes": Command.of("draw", "yes"),
    "/plan if a7-a6 then b2-b3": Command.of("plan", text="if a7-a6 then b2-b3"),
    "/settings reminders:50 headsup:on": Command.of("settings", options={"reminders": "50", "headsup": "on"}),
    "/rules lgame scoring": Command.of("rules", "lgame", "scoring"),
    "/board #zzzzzz": Command.of("board", code="#ZZZZZZ"),
    "/language uk here": Command.of("language", "uk", "here"),
    "/nonsense": Command.of("nonsense"),
}  # fmt: skip


@pytest.mark.parametrize("line", TYPED)
async def test_the_same_follows(line: str) -> None:
    worlds = World(), World()
    for world in worlds:
        await world.begin("breakthrough", {})
    typed, apart = worlds
    await apart.desk.drained()
    said = await typed.desk.answer(typed.visitor(ANN), line)
    run = await apart.desk.run(apart.visitor(ANN), TYPED[line])
    assert [*run, *await apart.desk.drained()] == said
    assert typed.snapshot() == apart.snapshot()


@pytest.mark.parametrize("line", TYPED)
def test_a_command_can_be_written_as_a_line(line: str) -> None:
    command = TYPED[line]
    again = read(command.line)
    assert again is not None
    assert (again.name, again.code, dict(again.options)) == (
        command.name,
        command.code,
        dict(command.options),
    )


async def test_a_move_without_end_is_refused() -> None:
    world = World()
    [refused] = await world.desk.run(world.visitor(ANN), Command.of("move", text="a" * (MAX_LINE + 1)))
    assert str(MAX_LINE) in refused.view.lines[0]


CODES = st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789", min_size=6, max_size=6)
PRINTABLE = st.text(alphabet=[chr(code) for code in range(0x20, 0x7F)], max_size=46)
ACTIONS = st.builds(CallbackData, st.sampled_from(Verb), CODES, st.integers(0, 36**6 - 1), PRINTABLE)


@given(ACTIONS)
def test_a_button_says_what_was_packed_in_64_ascii_bytes(data: CallbackData) -> None:
    packed = data.pack()
    assert len(packed.encode("ascii")) <= MAX_BYTES
    assert CallbackData.unpack(packed) == data


@given(CODES, st.text(min_size=1, max_size=80))
def test_what_no_platform_carries_is_no_button(code: str, argument: str) -> None:
    data = CallbackData(Verb.MOVE, code, 1, argument)
    if data.fits:
        assert CallbackData.unpack(data.pack()) == data
    else:
        with pytest.raises(ValueError, match="no button"):
            data.pack()


@pytest.mark.parametrize(
    "data",
    [
        CallbackData(Verb.MOVE, "k7q2mz", 1, "x" * 60),
        CallbackData(Verb.MOVE, "k7q2mz", 1, "с3"),
        CallbackData(Verb.MOVE, "k7q2mz", 1, "a\n"),
        CallbackData(Verb.MOVE, "k7q2mz", 36**6),
        CallbackData(Verb.MOVE, "K7Q2MZ", 1),
        CallbackData(Verb.MOVE, "k7", 1),
    ],
)
def test_too_long_or_not_ascii_or_not_of_a_match_does_not_fit(data: CallbackData) -> None:
    assert not data.fits


@given(st.text(max_size=80))
def test_any_other_text_is_no_button_or_one_that_packs_the_same(text: str) -> None:
    try:
        data = CallbackData.unpack(text)
    except BadCallbackData:
        return
    assert data.pack() == text


@pytest.mark.parametrize(
    "text",
    [
        *("", "1mo:k7q2mz:1", "2mo:k7q2mz:1:", "1zz:k7q2mz:1:", "1mo:k7q2mz:01:", "1mo:k7q2mz::"),
        *(
            "1mo:k7q2mz:1:\n",
            "1mo:k7q2mz:1:a\n",
            "1mo:k7q2mz:-1:",
            "1mo:к7q2mz:1:",
            "1mo:k7q2mz:1:" + "a" * 60,
        ),
    ],
)
def test_not_ours(text: str) -> None:
    with pytest.raises(BadCallbackData):
        CallbackData.unpack(text)
