from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.chat.errors import BadCommand, CommandError
from bot.chat.grammar import MAX_LINE, Command, like_a_move, read


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("/board", Command("board", None, "", (), {})),
        ("/BOARD", Command("board", None, "", (), {})),
        ("/board@klop_bot", Command("board", None, "", (), {})),
        ("/move a2-a3", Command("move", None, "a2-a3", ("a2-a3",), {})),
        ("/move #k7q a2-a3", Command("move", "k7q", "a2-a3", ("a2-a3",), {})),
        ("/move a2-a3 #K7Q2MZ", Command("move", "k7q2mz", "a2-a3", ("a2-a3",), {})),
        ("/draw #k7q2mz yes", Command("draw", "k7q2mz", "yes", ("yes",), {})),
        (
            "/challenge bob lgame variant:scoring points=7",
            Command(
                "challenge",
                None,
                "bob lgame variant:scoring points=7",
                ("bob", "lgame"),
                {"variant": "scoring", "points": "7"},
            ),
        ),
        (
            '/challenge "Ann Lee" bases:"a1, b2"',
            Command("challenge", None, '"Ann Lee" bases:"a1, b2"', ("Ann Lee",), {"bases": "a1, b2"}),
        ),
        ("/new klop гравців:4", Command("new", None, "klop гравців:4", ("klop",), {"гравців": "4"})),
        ("/хід a2", Command("хід", None, "a2", ("a2",), {})),
        ("/import [Game #k7q2mz]\nx", Command("import", None, "[Game #k7q2mz]\nx", (), {})),
        ("/move #toolong1 a2", Command("move", None, "#toolong1 a2", ("#toolong1", "a2"), {})),
        ("/move #k7 #b3 a2", Command("move", "k7", "#b3 a2", ("#b3", "a2"), {})),
    ],
)
def test_commands(line: str, command: Command) -> None:
    assert read(line) == command


@pytest.mark.parametrize("line", ["", "hello", "a2-a3", "//", "/", "/home/user", "/1", "/a-", " /move a2"])
def test_talk(line: str) -> None:
    assert read(line) is None


def test_a_long_command_is_not_followed_but_a_long_file_is_read() -> None:
    with pytest.raises(CommandError) as caught:
        read("/move " + "a" * MAX_LINE)
    assert caught.value.reason is BadCommand.TOO_LONG
    command = read("/import " + "a" * (2 * MAX_LINE))
    assert command is not None
    assert len(command.rest) == 2 * MAX_LINE


@given(st.text(max_size=300))
def test_any_line_is_a_command_or_talk(line: str) -> None:
    command = read(line)
    if command is not None:
        assert line.lower().startswith(f"/{command.name}"[:2].lower())
        assert command.rest == command.rest.strip() or command.name == "import"


@pytest.mark.parametrize(
    "line",
    [
        "a2-a3",
        "a2xb3",
        "L c1-c3 n b2",
        "Л с1-с3",
        "d4 e5 xf6",
        "d4, e5",
        "b3",
        " b3 ",
        "l1",
        "L a1a3b3",
        "1. b2-b3",
        "[b2b3]",
        "b2b3*",
        "b2 to b3",
        "г3 на г4",
        "ｂ２－ｂ３",
    ],
)
def test_looks_like_a_move(line: str) -> None:
    assert like_a_move(line)


@pytest.mark.parametrize("line", ["", "hello", "b0", "a2 please", "1", "a", "at 3", "b3 hm", "a1 " * 40])
def test_does_not(line: str) -> None:
    assert not like_a_move(line)


def test_the_sieve_is_quick_with_anything() -> None:
    assert not like_a_move("н" * 80)
    assert not like_a_move("a1н" * 26 + "!")
