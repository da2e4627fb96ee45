"""What only the local room has: names, numbers, pasting, files, echo; what it prints, and how it reads lines."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.chat.clockwork import Clockwork
from bot.chat.i18n import LANGUAGES, words
from bot.chat.view import View
from bot.platforms.console.rendering import MAX_LINE, SpokenLine, body, misnamed, parse, player_named
from bot.platforms.console.room import Room, Screen, read_plain
from play.actions.playing import MakeMove
from play.request import Request
from rules import GAMES
from rules.core import AnyGame, Highlights
from tests.bot.world import ANN, BOB, ROOM, Overhearing, World


def saved(folder: Path) -> list[str]:
    """The files in a folder, by name."""
    return [path.name for path in folder.iterdir()]


class Stage:
    """A room, and what it printed since the last look."""

    def __init__(self, language: str = "en", *, echo: bool = False) -> None:
        self.world = World(language)
        self.printed: list[str] = []
        self.room = Room(
            self.world.desk,
            self.world.store,
            name="room",
            speaker=ANN,
            language=language,
            screen=Screen(self.printed.append, "ascii", echo=echo),
        )

    async def answer(self, *lines: str) -> list[str]:
        """Everything printed after the last of some lines."""
        for line in lines:
            self.printed.clear()
            await self.room.answer(line)
        return list(self.printed)


async def test_plain_lines_come_from_the_current_speaker() -> None:
    stage = Stage()
    assert (await stage.answer("/challenge bob lgame"))[1] == "  ann challenges bob: L-game · #aaaaab"
    assert (await stage.answer("/as Bob"))[1] == "  You now speak as Bob."
    assert (await stage.answer("/accept"))[1] == "  The game begins: ann – Bob."
    assert stage.room.speaker == player_named("Bob")


@pytest.mark.parametrize("name", ["", "bob smith", "\u202e", "_"])
async def test_as_refuses_what_is_no_name(name: str) -> None:
    stage = Stage()
    printed = await stage.answer(f"/as {name}")
    assert "A name begins with" in printed[1]
    assert stage.room.speaker == ANN


async def test_talk_is_left_alone() -> None:
    stage = Stage()
    assert await stage.answer("hello", "bob: hello", "", "# hello", "bob:") == []


@pytest.mark.parametrize(
    ("language", "yes", "no"), [("en", "yes", "No"), ("uk", "так", "ні"), ("ru", "Да!", "нет")]
)
async def test_yes_and_no_press_the_keys_of_a_question(language: str, yes: str, no: str) -> None:
    stage = Stage(language)
    await stage.answer("/challenge bob breakthrough", "bob: /accept", "bob: hello")
    assert await stage.answer(yes) == []  # a board asks nothing
    await stage.answer("a2-a3", yes)
    assert [len(match.log) for match in stage.world.snapshot().matches.values()] == [1]
    await stage.answer("/draw", f"bob: {no}")
    (match,) = stage.world.snapshot().matches.values()
    assert (match.offer, match.live) == (None, True)
    await stage.answer("/resign", no)
    await stage.answer("bob: hello", yes)
    (match,) = stage.world.snapshot().matches.values()
    assert not match.live


async def test_a_command_under_no_name_does_nothing() -> None:
    stage = Stage()
    printed = await stage.answer("bob smith: /challenge cem lgame")
    assert "“bob smith” cannot be anybody’s name" in printed[1]
    assert not stage.world.snapshot().matches
    assert await stage.answer("bob smith: hello") == []


async def test_after_the_game_a_known_person_is_named() -> None:
    stage = Stage()
    await stage.answer("bob: hello")
    assert "ann challenges bob" in (await stage.answer("/challenge klopodavka bob"))[1]
    assert "nobody called that" in (await stage.answer("/challenge lgame cem"))[1]
    assert "ann challenges cem" in (await stage.answer("/challenge lgame @cem"))[1]  # a mention is a person
    assert "ann challenges cem" in (await stage.answer("/challenge lgame cem"))[1]  # who is invited is known
    assert "ann challenges anyone" in (await stage.answer("/challenge lgame anyone"))[1]


async def test_a_name_that_none_has_is_not_profiled() -> None:
    stage = Stage()
    assert "nobody called “nobodyhere”" in "".join(await stage.answer("/profile nobodyhere"))
    await stage.answer("bob: hello")
    assert "bob has not finished a match" in "".join(await stage.answer("/profile bob"))


async def test_a_file_that_is_too_long_is_refused_for_that() -> None:
    stage = Stage()
    await stage.answer("/import")
    for _ in range(40):
        assert await stage.answer("x" * 60_000) == []
    assert "too long" in (await stage.answer("."))[1]
    assert "There is no command" in (await stage.answer("/x"))[1]


async def test_files_are_saved_and_loaded_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    stage = Stage()
    assert "no match here" in (await stage.answer("/export evening.txt"))[1]
    await stage.answer("/challenge bob breakthrough 4x5", "bob: 1", "/move b2-a3", "bob: /resign yes")
    assert (
        "".join(map(str.strip, (await stage.answer("/export evening.txt"))[1:]))
        == f"Saved: {tmp_path}/evening.txt"
    )
    assert (tmp_path / "evening.txt").read_text("utf-8").startswith('[Game "breakthrough"]')
    assert "could not be written" in (await stage.answer("/export evening.txt"))[1]
    assert "could not be written" in (await stage.answer("/export no/such/folder.txt"))[1]
    assert "Saved: " in (await stage.answer("/export #aaaaab second.txt"))[1]
    assert "Saved: " in (await stage.answer("/export Third.KLOP"))[1]
    assert "what “please” means" in (await stage.answer("/export please"))[1]
    assert "what “notes.md” means" in (await stage.answer("/export notes.md"))[1]
    assert sorted(saved(tmp_path)) == ["Third.KLOP", "evening.txt", "second.txt"]
    assert (await stage.answer("/import evening.txt"))[1] == "  From a file:"
    assert "The file other.txt cannot be read" in (await stage.answer("/import other.txt"))[1]
    assert "  From a file:" in await stage.answer("/import 1. a2a3 {good} a7a6 1-0")
    assert "cannot be read" in (await stage.answer("/import a\x00b"))[1]
    (tmp_path / "large.txt").write_text("[" * 300_000)
    assert "too long" in (await stage.answer("/import large.txt"))[1]
    (tmp_path / "binary.txt").write_bytes(bytes(range(256)))
    assert "cannot be read" in (await stage.answer("/import binary.txt"))[1]


async def test_a_script_is_repeated_as_it_is_played_with_nothing_that_upsets_a_screen() -> None:
    stage = Stage(echo=True)
    assert await stage.answer("hello") == ["ann: hello"]
    assert await stage.answer("bob: \x1b[31mred\u202e") == [
        "bob: \N{REPLACEMENT CHARACTER}[31mred\N{REPLACEMENT CHARACTER}"
    ]
    assert len((await stage.answer("x" * 5000))[0]) < 300


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_line_without_end_is_refused_in_a_sentence(language: str) -> None:
    stage = Stage(language)
    printed = await stage.answer("/move " + "a" * (2 * MAX_LINE))
    assert printed[1].strip() == words(language)("bot.command.too-long", limit=2000)
    assert len(printed) == 2


async def test_an_animation_is_saved_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    stage = Stage()
    await stage.answer("/challenge bob breakthrough board:5x5", "bob: /accept", "/move a2-a3")
    assert any("To save it: /replay breakthrough-" in line for line in await stage.answer("/replay"))
    assert "Saved: " in (await stage.answer("/replay Evening.GIF"))[1]
    assert (tmp_path / "Evening.GIF").read_bytes().startswith(b"GIF89a")
    assert "could not be written" in (await stage.answer("/replay Evening.GIF"))[1]
    assert "what “evening.txt” means" in (await stage.answer("/replay evening.txt"))[1]
    assert "what “e.gif” means" in (await stage.answer("/export e.gif"))[1]
    assert saved(tmp_path) == ["Evening.GIF"]


async def test_moves_complete_a_typed_line() -> None:
    stage = Stage()
    await stage.answer("/challenge bob breakthrough 4x5", "bob: /accept")
    assert ("a2-a3", 2) in await stage.room.completions("/move a2")
    assert ("a2-a3", 0) in await stage.room.completions("/хід ")
    assert await stage.room.completions("/mov") == ()
    assert await stage.room.completions("hello") == ()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("readable", [True, False])
async def test_a_bug_is_logged_and_told_and_the_room_goes_on(
    language: str, readable: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    stage = Stage(language)

    async def broken(*_: object) -> None:
        raise KeyError

    with monkeypatch.context() as patch:
        patch.setattr(stage.world.desk, "answer", broken)
        if not readable:
            patch.setattr(stage.room, "_words", broken)
        printed = await stage.answer("bob: /games")
    shown = " ".join(line.strip() for line in printed)
    assert words(language)("bot.command.failed") in shown
    assert ("bob" in shown) is readable
    (logged,) = caplog.records
    assert (logged.getMessage(), bool(logged.exc_info)) == ("a line failed", True)
    assert stage.room.speaker == ANN
    assert await stage.answer("/games")


async def test_a_room_that_was_closed_for_hours_repeats_no_board() -> None:
    stage = Stage()
    world, store = stage.world, stage.world.store
    store.clock = lambda: world.now
    await Clockwork(world.table, store).beat()
    for name in ("bob", "cem"):
        await stage.answer(f"/challenge {name} lgame clock:1d", f"{name}: /accept")
    for _ in range(2):
        world.now += timedelta(hours=5)
        world.desk = Overhearing(world.table, store, lambda: world.now, "en", ROOM)
        clockwork = Clockwork(world.table, store)
        await clockwork.tick()
        world.now += timedelta(seconds=1)
        await clockwork.tick()
        assert await store.outgoing().backlog() >= 2, "both deadlines have moved"
        assert not await world.desk.drained()
    assert "time left: 23 hours 59 minutes" in await world.told(ANN, "/board #aaaaab")


# What the room prints, and how it reads lines.


EN = words("en")


async def test_a_board_too_wide_for_emoji_is_drawn_with_letters() -> None:
    world = World()
    match = await world.begin("klopodavka", {"board": "26x30"})
    diagram = world.table.games["klopodavka"].draw(world.table.position(match))
    assert list(body(View(diagram=diagram), EN, "emoji")) == list(body(View(diagram=diagram), EN, "ascii"))


@pytest.mark.parametrize("language", LANGUAGES)
async def test_signs_of_letters_are_explained(language: str) -> None:
    world, spoken = World(language), words(language)
    match = await world.begin("klopodavka", {"topology": "torus", "board": "8x8"})
    match = (await world.table.act(match.id, MakeMove("b2 c3"), Request(ANN, world.now))).match
    course = world.table.course(match)
    diagram = GAMES["klopodavka"].draw(
        course.position, Highlights(last=course.last_turn, before=course.before_turn)
    )
    signs = {"+": "entered", "[]": "base", "<>": "joined-files", "^v": "joined-ranks"}
    explained = " · ".join(f"{sign} {spoken(f'bot.legend.{meaning}')}" for sign, meaning in signs.items())
    assert explained in " ".join(body(View(diagram=diagram), spoken, "ascii"))
    assert spoken("bot.legend.base") not in " ".join(body(View(diagram=diagram), spoken, "emoji"))
    preview = " ".join(body(View(diagram=replace(diagram, planned=True)), spoken, "ascii"))
    assert f"+ {spoken('bot.legend.planned-entered')}" in preview
    assert spoken("bot.legend.entered") not in preview


@pytest.mark.parametrize(
    ("game", "chosen", "signs"),
    [
        ("lgame", {"variant": "scoring"}, "o neutral · :: painted cell"),
        ("breakthrough", {}, "== goal"),
        ("klopodavka", {"variant": "hq"}, "{} headquarters"),
    ],
)
async def test_every_sign_of_a_beginning_is_explained(game: str, chosen: dict[str, str], signs: str) -> None:
    world = World()
    played: AnyGame = GAMES[game]
    diagram = played.draw(world.table.position(await world.begin(game, chosen)))
    assert signs in body(View(diagram=diagram), EN, "ascii")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/board", SpokenLine(ANN, "/board")),
        ("bob: /board", SpokenLine(BOB, "/board")),
        ("  bob:/board\r\n", SpokenLine(BOB, "/board")),
        ("bob: 2", SpokenLine(BOB, "2")),
        ("bob:", SpokenLine(BOB, "")),
        ("/new lgame side:second", SpokenLine(ANN, "/new lgame side:second")),
        ("hello there", SpokenLine(ANN, "hello there")),
        ("#k7q2mz", SpokenLine(ANN, "#k7q2mz")),
        ("-bob: hello", SpokenLine(ANN, "-bob: hello")),
        ("bob : /board", SpokenLine(BOB, "/board")),
        ("bob\t: 2", SpokenLine(BOB, "2")),
    ],
)
def test_who_says_what(line: str, said: SpokenLine) -> None:
    assert parse(line, ANN) == said


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("bob smith: /games", "bob smith"),
        ("bob' : /games", "bob'"),
        ("-bob:/games", "-bob"),
        (": /games", ""),
        ("bob: /games", None),
        ("bob : /games", None),
        ("bob smith: hello", None),
        ("see: https://x", None),
        ("so they said: //", None),
        ("/challenge a: /b", None),
        ("either/or: /games", None),
        ("/board", None),
    ],
)
def test_a_command_under_no_name(line: str, name: str | None) -> None:
    assert misnamed(line) == name


@pytest.mark.parametrize("line", ["", "   ", "\n", "\t\r\n", "# a comment"])
def test_an_empty_line_says_nothing(line: str) -> None:
    assert parse(line, ANN) is None


def test_case_does_not_tell_people_apart_but_names_keep_it() -> None:
    said, other = player_named("АНЯ"), player_named("аня")
    assert said is not None
    assert other is not None
    assert said.account == other.account
    assert said.name == "АНЯ"


@pytest.mark.parametrize(
    "name", ["", "_bob", ".bob", "bob smith", "b" * 33, "bob\n", "-", "\u202ebob", "a\x00"]
)
def test_not_a_name(name: str) -> None:
    assert player_named(name) is None


@given(st.text(max_size=200))
def test_any_line_is_read(line: str) -> None:
    said = parse(line, ANN)
    assert said is None or player_named(said.player.name) == said.player


# Lines from a pipe: whole ones, broken ones, endless ones.


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    for descriptor in (reading, writing):
        try:
            os.close(descriptor)
        except OSError:
            continue


async def read(descriptor: int) -> list[str]:
    return [line async for line in read_plain(descriptor)]


async def fed(pipe: tuple[int, int], *chunks: bytes) -> list[str]:
    reading, writing = pipe
    lines = asyncio.create_task(read(reading))
    for chunk in chunks:
        await asyncio.to_thread(os.write, writing, chunk)
        for _ in range(3):
            await asyncio.sleep(0)
    os.close(writing)
    return await lines


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ([b""], []),
        ([b"a\nb\n"], ["a", "b"]),
        ([b"a\nb"], ["a", "b"]),
        ([b"a", b"b\nc", b"\n"], ["ab", "c"]),
        ([b"\n\n"], ["", ""]),
        ([b"\xd0", b"\xb0\n"], ["а"]),
        ([b"\xff\xfe a\n"], ["\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER} a"]),
        ([b"a\x00b\n"], ["a\x00b"]),
        ([b"a\r\n"], ["a\r"]),
    ],
)
async def test_lines(pipe: tuple[int, int], chunks: list[bytes], lines: list[str]) -> None:
    assert await fed(pipe, *chunks) == lines


async def test_of_an_endless_line_the_beginning(pipe: tuple[int, int]) -> None:
    lines = await fed(pipe, b"a" * 1_000_000, b"\nb\n", b"c" * (MAX_LINE + 1))
    assert lines == ["a" * MAX_LINE, "b", "c" * MAX_LINE]


async def test_a_file_on_a_disk(tmp_path: Path) -> None:
    path = tmp_path / "evening.txt"
    path.write_text("ann: /help\n" * 20_000 + "end")
    with path.open("rb") as file:
        lines = await read(file.fileno())
    assert len(lines) == 20_001
    assert lines[-1] == "end"


async def test_waiting_for_a_line_can_be_given_up(pipe: tuple[int, int]) -> None:
    waiting = asyncio.create_task(read(pipe[0]))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    os.write(pipe[1], b"a\n")
    assert await anext(read_plain(pipe[0])) == "a"
