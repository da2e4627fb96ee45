"""Match files: exact both ways, strict, and harmless with any content."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from datetime import UTC, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from play.actions.leaving import Resign
from play.errors import BadRequest, PlayError, Refused
from play.files.matchfile import export, write
from play.files.matchreader import MAX_ENTRIES, MAX_FILE, MAX_REMARKS, TAGS, Record, read
from play.match import COMMENT, Closing, Exit, Ply, Result
from play.people import Account, Player, clean, harmless
from rules.core import MAX_SEATS, Seat
from tests.support.desk import ANN, BOB, CEM, EVE, NOON, S2, S3, Desk

EXAMPLE = """\
[Game "notches"]
[Match "tab001"]
[Rules "1"]
[Option "board" "9x5"]
[Option "cuts" "3"]
[Seat "1" "Ann" "console" "ann"]
[Seat "2" "Bob" "console" "bob"]
[Seat "3" "Cem" "console" "cem"]
[Host "Ann" "console" "ann"]
[Opened "2026-11-21T12:00:01Z"]
[Result "unfinished"]

1. (1) a1 {2026-11-21T12:00:04Z} a2 {2026-11-21T12:00:04Z} a3 {2026-11-21T12:00:04Z}
2. (2) e1 {2026-11-21T12:00:05Z} e2 {2026-11-21T12:00:05Z}
3. (3) * resigned {2026-11-21T12:00:06Z}
4. (2) e3 {2026-11-21T12:00:07.000001Z}
"""


async def example(desk: Desk) -> str:
    match = await desk.party(ANN, BOB, CEM, board="9x5", cuts="3", players="3")
    match = await desk.play(match, "a1 a2 a3", "e1 e2")
    await desk.act(match, CEM, Resign())
    desk.now += timedelta(microseconds=1)
    await desk.play(match, "e3")
    return await desk.export(match.id)


async def test_what_a_file_looks_like(desk: Desk) -> None:
    assert await example(desk) == EXAMPLE


async def test_in_a_file_for_one_person_the_others_have_aliases(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5", cuts="3", players="3")
    held = read(export(match, [BOB.account]))
    assert [str(player.account) for player in held.players] == [
        "file:tab001-1",
        "console:bob",
        "file:tab001-3",
    ]
    assert [player.name for player in held.players] == ["Ann", "Bob", "Cem"]
    assert str(held.host.account) == "file:tab001-1"
    aside = replace(match, host=EVE)
    assert str(read(export(aside, [])).host.account) == "file:tab001-0"
    assert read(export(aside, [EVE.account])).host == EVE


async def test_tags_of_other_programs_and_comments_are_remarks() -> None:
    remarks = (("Site", "here"), ("WhiteElo", "1500"), ("Тур", "3"), ("Comment", "2", "(x)"))
    named = [f"[{name} {' '.join(map(json.dumps, values))}]" for name, *values in remarks]
    text = named[0] + "\n" + EXAMPLE.replace("[Host", "\n".join([*named[1:], "[Host"]))
    held = read(text)
    assert held == replace(read(EXAMPLE), remarks=remarks)
    assert not held.aside
    assert read(write(held)) == held


def test_remarks_are_kept_up_to_a_size() -> None:
    tags = [f'[Note "{number:04}{"x" * 90}"]\n' for number in range(200)]
    held = read("".join(tags) + EXAMPLE)
    assert held.aside
    assert 0 < MAX_REMARKS - sum(len(f"Note{value}") + 8 for _, value in held.remarks) < 106
    assert [value[:4] for _, value in held.remarks] == [f"{number:04}" for number in range(len(held.remarks))]
    assert not read(write(held)).aside


async def test_reading_the_example() -> None:
    held = read(EXAMPLE)
    assert held.players == (ANN, BOB, CEM)
    assert held.log[5] == Exit(S3, Closing.RESIGNED, NOON + timedelta(seconds=6))
    assert held.log[6] == Ply(S2, "e3", NOON + timedelta(seconds=7, microseconds=1))
    assert [line for line, _ in held.places] == [13, 13, 13, 14, 14, 15, 16]
    assert [column for _, column in held.places] == [8, 34, 60, 8, 34, 8, 8]
    assert held.tag_lines["Result"] == 11
    assert write(held) == EXAMPLE


async def test_long_turns_are_wrapped(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, board="9x9", cuts="4")
    await desk.play(match, "a1 a2 a3 a4", "i1 i2 i3 i4")
    text = await desk.export(match.id)
    assert max(map(len, text.splitlines())) <= 100
    assert "\n    a4 {2026" in text
    assert write(read(text)) == text


@pytest.mark.parametrize(
    ("what", "changed"),
    [
        ("windows line ends", EXAMPLE.replace("\n", "\r\n")),
        ("blank lines", "\n\n" + EXAMPLE.replace("\n", "\n\n") + "\n\n"),
        ("trailing blanks", EXAMPLE.replace("\n", " \t \n")),
        ("a byte order mark", "\ufeff" + EXAMPLE),
        ("no last line end", EXAMPLE.rstrip("\n")),
        ("other line breaks", EXAMPLE.replace("} a2", "}\n    a2").replace("} e2", "}\n    e2")),
    ],
    ids=lambda value: value if len(value) < 40 else "",
)
def test_what_does_not_matter(what: str, changed: str) -> None:
    assert changed != EXAMPLE
    assert read(changed) == read(EXAMPLE)


def test_tags_in_another_order() -> None:
    lines = EXAMPLE.split("\n")
    tags = sorted(lines[:11], key=lambda line: not line.startswith("[Seat"))
    held = read("\n".join([*tags, *lines[11:]]))
    assert write(held) == EXAMPLE


def line_of(start: str) -> int:
    return next(n for n, line in enumerate(EXAMPLE.split("\n"), 1) if line.startswith(start))


BAD: list[tuple[str, str, int]] = [
    ("[Game", "[Game]", 1),
    ("[Game", '[Game "notches" "x"]', 1),
    ("[Game", '[Game "no/tches"]', 1),
    ("[Game", '[Gme "notches"]', 1),
    ("[Game", "notches", 1),
    ("[Match", '[Match "../etc"]', 2),
    ("[Rules", '[Rules "0"]', 3),
    ("[Rules", '[Rules "١"]', 3),
    ("[Rules", '[Game "notches"]', 3),
    ("[Option", '[Option "board"]', 4),
    ("[Option", '[Option "cuts" "1"]', 5),
    ("[Option", '[Option "Board!" "1"]', 4),
    ('[Seat "1"', '[Seat "2" "Ann" "console" "ann"]', 6),
    ('[Seat "2"', '[Seat "2" "Bob" "console" "ann"]', 7),
    ('[Seat "2"', '[Seat "2" "Bob" "" "bob"]', 7),
    ('[Seat "2"', f'[Seat "2" "Bob" "console" "{"b" * 65}"]', 7),
    ('[Seat "2"', r'[Seat "2" "Bob" "console" "b\u0000b"]', 7),
    ('[Seat "2"', f'[Seat "2" "{"b" * 201}" "console" "bob"]', 7),
    ('[Seat "2"', r'[Seat "2" "B\ob" "console" "bob"]', 7),
    ('[Seat "2"', r'[Seat "2" "B\u12" "console" "bob"]', 7),
    ('[Seat "2"', r'[Seat "2" "B\U00110000" "console" "bob"]', 7),
    ('[Seat "2"', '[Seat "2" "B\u202eob" "console" "bob"]', 7),
    ('[Seat "2"', '[Seat "2" "B\x00ob" "console" "bob"]', 7),
    ("[Host", '[Host "Ann" "console"]', 9),
    ("[Opened", '[Opened "yesterday"]', 10),
    ("[Opened", '[Opened "2026-02-30T12:00:01Z"]', 10),
    ("[Opened", '[Opened "2026-11-21T12:00:01"]', 10),
    ("[Opened", '[Opened "2026-11-21T12:00:01.5Z"]', 10),
    ("[Opened", '[Opened "２026-11-21T12:00:01Z"]', 10),
    ("[Result", '[Comment "x" "y"]', 11),
    ("[Result", '[Comment "1"]', 11),
    ("[Result", '[Result "4"]', 11),
    ("[Result", '[Result "draw"]', 11),
    ("[Result", '[Result "unfinished"]\n[Reason "x"]', 11),
    ("[Result", '[Result ""]\n[Reason "x"]', 11),
    ("[Result", '[Result "2+1"]\n[Reason "x"]', 11),
    ("[Result", '[Result "1+1"]\n[Reason "x"]', 11),
    ("[Result", '[Result "draw"]\n[Reason "Because!"]', 12),
    ("1.", "2. (1) a1 {2026-11-21T12:00:04Z}", 13),
    ("1.", "    a1 {2026-11-21T12:00:04Z}", 13),
    ("1.", "1. (11) a1 {2026-11-21T12:00:04Z}", 13),
    ("1.", "1. (4) a1 {2026-11-21T12:00:04Z}", 13),
    ("1.", "1. a1 {2026-11-21T12:00:04Z}", 13),
    ("1.", "1. (1) ", 13),
    ("1.", "1. (1) a1", 13),
    ("1.", "1. (1) a1 {}", 13),
    ("1.", "1. (1) a1 {2026-11-21T25:00:04Z}", 13),
    ("1.", "1. (1) a1 {2026-11-21T12:00:04Z}a2 {2026-11-21T12:00:04Z}", 13),
    ("1.", "1. (1) a1 {2026-11-21T12:00:04Z} a2", 13),
    ("1.", "1. (1) а1 {2026-11-21T12:00:04Z}", 13),
    ("3.", "3. (3) * exploded {2026-11-21T12:00:06Z}", 15),
    ("4.", '[Game "notches"]', 16),
]


@pytest.mark.parametrize(("start", "instead", "line"), BAD)
def test_what_is_refused(start: str, instead: str, line: int) -> None:
    lines = EXAMPLE.split("\n")
    lines[line_of(start) - 1] = instead
    with pytest.raises(BadRequest) as caught:
        read("\n".join(lines))
    assert caught.value.reason is Refused.BAD_FILE
    assert caught.value.fields["line"] == line
    shown = caught.value.fields["text"]
    assert isinstance(shown, str)
    assert 0 < len(shown) <= 40
    assert shown.isprintable()


@pytest.mark.parametrize("text", ["", "\n", "\ufeff", "hello", "[", "[]", "\x00", "{}", '{"game": 1}'])
def test_what_is_no_match_file(text: str) -> None:
    with pytest.raises(BadRequest) as caught:
        read(text)
    assert caught.value.reason is Refused.BAD_FILE
    assert caught.value.fields["line"] in (1, 2)


def test_a_file_too_long_is_not_looked_at() -> None:
    with pytest.raises(BadRequest) as caught:
        read("x" * (MAX_FILE + 1))
    assert (caught.value.reason, caught.value.fields) == (Refused.FILE_TOO_LONG, {"limit": MAX_FILE})


def test_too_many_entries() -> None:
    line = "1. (1) " + " ".join(["a {2026-11-21T12:00:00Z}"] * (MAX_ENTRIES + 1))
    with pytest.raises(BadRequest) as caught:
        read(EXAMPLE[: EXAMPLE.index("1.")] + line)
    assert (caught.value.reason, caught.value.fields) == (Refused.FILE_TOO_LONG, {"limit": MAX_ENTRIES})


names = st.text(max_size=40)
players = st.builds(
    Player,
    st.builds(Account, st.sampled_from(["console", "discord"]), st.text("abc019_ї", min_size=1, max_size=9)),
    names,
)
times = st.datetimes(timezones=st.just(UTC))
plies = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9:-]{0,9}( [A-Za-z0-9x-]{1,9}){0,3}", fullmatch=True)
closings = st.sampled_from(list(Closing))


texts = st.text(max_size=12).map(clean)
tags = st.from_regex(r"[A-Z][A-Za-z0-9_]{0,9}", fullmatch=True).filter(lambda name: name not in TAGS)
comments = st.tuples(st.just(COMMENT), st.integers(0, 99).map(str), texts)
remarks = st.lists(st.tuples(tags, texts) | st.tuples(tags, texts, texts) | comments, max_size=4).map(tuple)


@st.composite
def records(draw: st.DrawFn) -> Record:
    people = draw(st.lists(players, min_size=1, max_size=MAX_SEATS, unique_by=lambda who: who.account))
    seats = st.sampled_from(list(Seat)[: len(people)])
    entry = st.one_of(st.builds(Ply, seats, plies, times), st.builds(Exit, seats, closings, times))
    keys = st.from_regex(r"[a-z][a-z0-9-]{0,9}", fullmatch=True)
    won = st.lists(seats, unique=True).map(lambda seats: tuple(sorted(seats)))
    return Record(
        game=draw(keys),
        match=draw(st.from_regex(r"[a-z0-9]{6}", fullmatch=True)),
        rules_version=draw(st.integers(1, 999)),
        options=tuple(draw(st.dictionaries(keys, st.text(max_size=12), max_size=4)).items()),
        players=tuple(people),
        host=draw(players),
        opened=draw(times),
        result=draw(st.none() | st.builds(Result, won, keys)),
        log=tuple(draw(st.lists(entry, max_size=12))),
        follows=draw(st.none() | st.from_regex(r"[a-z0-9]{6}", fullmatch=True)),
        remarks=draw(remarks),
    )


@given(records())
def test_reading_gives_back_what_was_written(held: Record) -> None:
    text = write(held)
    assert read(text) == held
    assert write(read(text)) == text
    assert all(harmless(c) or c == "\n" for c in text)
    text.encode()


def test_a_time_in_another_zone_is_the_same_moment() -> None:
    held = read(EXAMPLE)
    kyiv = timezone(timedelta(hours=2))
    moved = tuple(replace(entry, at=entry.at.astimezone(kyiv)) for entry in held.log)
    assert all(entry.at.utcoffset() == timedelta(hours=2) for entry in moved)
    assert write(replace(held, log=moved)) == EXAMPLE


EDITS = st.lists(
    st.tuples(
        st.integers(0, len(EXAMPLE)),
        st.integers(0, 12),
        st.text(max_size=4) | st.sampled_from(['"', "\\", "\n", "[", "]", "{", "}", "(", "* ", "    ", "\r"]),
    ),
    min_size=1,
    max_size=5,
)


@given(EDITS)
def test_edited_files_are_read_or_refused(edits: list[tuple[int, int, str]]) -> None:
    text = EXAMPLE
    for at, length, instead in edits:
        text = text[:at] + instead + text[at + length :]
    with contextlib.suppress(BadFile):
        held = careful(text)
        assert read(write(held)) == held


class BadFile(Exception):
    """A refusal as it should be."""


def careful(text: str) -> Record:
    """The record of a text, or BadFile once the refusal is seen to name a line that exists."""
    try:
        return read(text)
    except PlayError as refusal:
        line = refusal.fields["line"]
        proper = refusal.reason is Refused.BAD_FILE and isinstance(line, int)
        if proper and 1 <= int(str(line)) <= text.count("\n") + 1:
            raise BadFile from None
        raise


@given(st.text(max_size=200) | st.text('[]"\\{}() .*\n\r1aGZ', max_size=200))
def test_any_text_is_refused(text: str) -> None:
    with pytest.raises(PlayError) as caught:
        read(text)
    assert caught.value.reason is Refused.BAD_FILE
