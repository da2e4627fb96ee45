"""Lines from a pipe: whole ones, broken ones, endless ones."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.platforms.console.rendering import MAX_LINE
from bot.platforms.console.room import read_plain


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
