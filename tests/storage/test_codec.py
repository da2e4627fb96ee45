from __future__ import annotations

import struct
import zlib
from base64 import b64decode
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from redis.asyncio import Redis

from bench.playouts import logged, playouts
from bench.storing import BOARDS, slow
from play.facts import KINDS, Fact, Moved
from play.match import Ask, Cancel, Closing, Match, Phase, Ply, Result
from play.time.clock import DEFAULT_CLOCK, Pause, Times
from rules import GAMES
from rules.core import SEATS, Seat
from storage import RedisStore
from storage.errors import Damage, Damaged
from storage.keys import match_key
from storage.records import codec, schema
from storage.records.codec import decode_fact, encode_fact
from tests.storage.golden import GOLDEN
from tests.support.matches import matches, over, running
from tests.support.next_version import READS, WRITES
from tests.support.stores import got, put
from tests.support.waiting import LIMIT

FROZEN = [
    (path.stem, *line.split())
    for path in sorted((Path(__file__).parent / "golden").glob("schema*.txt"))
    for line in path.read_text(encoding="ascii").splitlines()
]


@given(matches)
@settings(max_examples=40, deadline=None)
def test_every_field_comes_back_exactly(match: Match) -> None:
    again = codec.decode(match.id, codec.encode(match))
    assert again == match
    assert [type(entry) for entry in again.log] == [type(entry) for entry in match.log]


class Kyiv(tzinfo):
    """A zone whose clocks go back by an hour on the last Sunday of October, 2026."""

    def utcoffset(self, at: datetime | None) -> timedelta:
        assert at is not None
        summer = at.replace(tzinfo=None) < datetime(2026, 10, 25, 4) and not at.fold  # noqa: DTZ001
        return timedelta(hours=3 if summer else 2)

    def dst(self, at: datetime | None) -> timedelta:
        return self.utcoffset(at) - timedelta(hours=2)

    def tzname(self, at: datetime | None) -> str:
        return str(self.utcoffset(at))


def test_times_keep_their_microseconds_across_a_change_of_the_clocks() -> None:
    times = [
        datetime(2026, 10, 25, 2, 59, 59, 999_999, Kyiv()) + timedelta(hours=hours) for hours in range(5)
    ]
    match = replace(running(), opened=times[0], log=tuple(Ply(SEATS[0], "a", at) for at in times))
    again = codec.decode(match.id, codec.encode(match))
    assert [entry.at for entry in again.log] == [at.astimezone(UTC) for at in times]
    assert again.log[2].at - again.log[0].at == timedelta(hours=3)
    assert again.opened.tzinfo is UTC


@pytest.mark.parametrize(("schema", "name", "text"), FROZEN, ids=lambda part: part[:12])
def test_old_records_load_for_ever(schema: str, name: str, text: str) -> None:
    assert codec.decode(GOLDEN[name].id, b64decode(text)) == GOLDEN[name]
    assert b64decode(text)[0] == int(schema.removeprefix("schema"))


def test_every_version_has_frozen_records() -> None:
    assert {schema for schema, *_ in FROZEN} == {f"schema{number}" for number in range(1, codec.VERSION + 1)}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (schema.PHASES, Phase),
        (schema.CLOSINGS, Closing),
        (schema.CANCELS, Cancel),
        (schema.ASKS, Ask),
        (schema.PAUSES, Pause),
    ],
)
def test_every_word_has_a_number_of_its_own(table: dict[Enum, int], words: type[Enum]) -> None:
    assert set(table) == set(words)
    assert len(set(table.values())) == len(table)


def test_the_revision_stands_where_the_script_looks_for_it() -> None:
    record = codec.encode(replace(over(), revision=77))
    assert record[1:9] == codec.pack_revision(77)
    assert codec.pack_revision(0) == b""


@pytest.mark.parametrize("name", ["lobby", "over"])
def test_every_flipped_bit_is_found(name: str) -> None:
    record = codec.encode(GOLDEN[name])
    for place in range(len(record)):
        for bit in range(8):
            broken = bytearray(record)
            broken[place] ^= 1 << bit
            with pytest.raises(Damaged) as error:
                codec.decode(GOLDEN[name].id, bytes(broken))
            assert error.value.match_id == GOLDEN[name].id
            assert error.value.reason is Damage.CHECKSUM


@given(st.binary(max_size=200))
def test_anything_else_is_no_record(junk: bytes) -> None:
    with pytest.raises(Damaged):
        codec.decode("k7q2ab", junk)


@pytest.mark.parametrize("kept", [0, 1, 16, 17, 18, 100, -1])
def test_a_record_cut_short(kept: int) -> None:
    with pytest.raises(Damaged, match="checksum"):
        codec.decode("k7q2ab", codec.encode(over())[:kept])


def sealed(body: bytes, version: int = codec.VERSION) -> bytes:
    return codec._HEAD.pack(version, 1, codec._digest(version, 1, body)) + body


def body_of(match: Match) -> list[object]:
    fields: list[object] = msgspec.msgpack.decode(schema.write(match))
    return fields


def updated(patched: pytest.MonkeyPatch) -> None:
    """Make this bot one of version 2."""
    for name, value in {**READS, **WRITES}.items():
        patched.setattr(codec, name, value)


@pytest.mark.parametrize("name", GOLDEN)
def test_a_bot_of_the_next_version_reads_this_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    match = GOLDEN[name]
    with monkeypatch.context() as patched:
        updated(patched)
        for schema_name, other, text in FROZEN:
            if (schema_name, other) == ("schema1", name):
                assert codec.decode(match.id, b64decode(text)) == match
        record = codec.encode(match)
        assert record[0] == 2
        assert codec.decode(match.id, record) == match
    with pytest.raises(Damaged) as error:
        codec.decode(match.id, record)
    assert error.value.reason is Damage.NEWER


async def test_a_record_is_of_the_new_version_from_its_next_change(
    redis_client: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await put(RedisStore(redis_client, patience=LIMIT), running(), 0)
    updated(monkeypatch)
    store = RedisStore(redis_client, patience=LIMIT)
    assert await got(store, before.id) == before
    after = await put(store, before, 1)
    record: Any = await redis_client.get(match_key(before.id))
    assert record[0] == 2
    assert await got(store, before.id) == after


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not packed",
        b"\x78not deflated",
        schema.write(running()) + b"more",
        schema.write(running())[:-3],
        zlib.compress(b""),
        zlib.compress(b"\xc1"),
        zlib.compress(msgspec.msgpack.encode({"id": "k7q2ab"})),
        zlib.compress(schema.write(running())) + b"more",
        zlib.compress(schema.write(running()))[:-3],
        zlib.compress(bytes(codec._BODY_LIMIT + 1)),
        zlib.compress(msgspec.msgpack.encode([*body_of(running()), "one field too many"])),
    ],
    ids=len,
)
def test_a_whole_record_that_is_no_match(body: bytes) -> None:
    with pytest.raises(Damaged) as error:
        codec.decode("k7q2ab", sealed(body))
    assert error.value.reason is Damage.CONTENT


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("phase", 9),
        ("cancelled", 77),
        ("offer", [9, 0, [], 0]),
        ("offer", [0, -1, [], 0]),
        ("result", [[10], "x"]),
        ("seats", b"\x0a\x00\x00"),
        ("seats", b"\x00"),
        ("texts", ["a", "b"]),
        ("texts", ["a", "b", 99]),
        ("times", b"1234567"),
        ("times", b"\xff" * 16),
        ("times", struct.pack("<3q", *[2**62] * 3)),
        ("opened", 2**63 - 1),
        ("lobby", 1),
    ],
)
def test_a_field_that_cannot_be(field: str, value: object) -> None:
    fields = body_of(running())
    fields[schema._Body.__struct_fields__.index(field)] = value
    record = sealed(zlib.compress(msgspec.msgpack.encode(fields)))
    with pytest.raises(Damaged) as error:
        codec.decode("k7q2ab", record)
    assert error.value.reason is Damage.CONTENT


def timed(match: Match) -> Match:
    """The match as it is on the default clock."""
    at = match.log[-1].at
    left = (timedelta(microseconds=123_456_789_012), timedelta(microseconds=543_212_345_678))
    times = Times(left, SEATS[0], at, credited=79, share=50, look=at + timedelta(microseconds=77_777_777_777))
    return replace(match, clock=DEFAULT_CLOCK, times=times, touched=at)


@pytest.mark.parametrize(("key", "chosen"), BOARDS.items(), ids=GAMES)
def test_eighty_plies_fit_into_1300_bytes(key: str, chosen: dict[str, str]) -> None:
    for play in islice(playouts(GAMES[key], chosen, least=80, most=80), 3):
        match = timed(slow(logged(play, "k7q2ab")))
        record = codec.encode(match)
        assert len(record) <= 1300
        assert codec.decode(match.id, record) == match
        result = Result((SEATS[0],), f"{key}.ending.reached")
        done = replace(match, phase=Phase.OVER, result=result, clock=DEFAULT_CLOCK, times=None)
        assert len(codec.encode(done)) < len(record)


MATCH = running()

# How hypothesis makes what facts are made of.
st.register_type_strategy(str, st.text(st.characters(exclude_categories=["Cs"]), max_size=10))
st.register_type_strategy(datetime, st.datetimes(timezones=st.just(UTC)))
st.register_type_strategy(Match, st.just(MATCH))
st.register_type_strategy(int, st.integers(-(2**31), 2**31))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_fact_comes_back(kind: type[Any]) -> None:
    @settings(max_examples=20)
    @given(st.from_type(kind))
    def comes_back(fact: Fact) -> None:
        again = decode_fact(encode_fact(fact), MATCH)
        assert again == fact
        assert type(again) is kind

    comes_back()


def test_the_match_is_not_kept_with_it() -> None:
    moved = Moved(MATCH, Seat.S1, MATCH.log[:1], True, ())  # type: ignore[arg-type]
    assert MATCH.host.name.encode() not in encode_fact(moved)
    assert len(encode_fact(moved)) < 120


@pytest.mark.parametrize(
    "stored", [b"", b"\xc1", b"\x80", b"\x81\xa4fact\xa5Danse", b"\x81\xa4fact\xa5Moved"]
)
def test_what_is_no_fact(stored: bytes) -> None:
    with pytest.raises(Damaged) as error:
        decode_fact(stored, MATCH)
    assert error.value.reason is Damage.CONTENT


def test_a_fact_with_fewer_fields_is_read() -> None:
    said = (
        b"\x85\xa4fact\xa5Moved\xa4seat\x01\xa5plies\x90\xa9handed_on\xc3\xa4fell\x90"  # it knew no answers
    )
    assert decode_fact(said, MATCH) == Moved(MATCH, Seat.S2, (), True, ())
