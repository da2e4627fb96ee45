"""An operator's work on a whole store: looking it over, putting lists right, backups. On one server and on a cluster."""

from __future__ import annotations

import stat
import zlib
from dataclasses import replace
from datetime import timedelta
from errno import ENOSPC
from hashlib import blake2b
from pathlib import Path
from typing import Final

import pytest
from msgspec import msgpack

from play.events.event import Changed
from play.facts import Asked, Started
from play.match import Ask
from play.ports import Operation, Timer
from play.ratings.model import NEWCOMER, Rating, RatingChange
from play.settings import Settings
from play.time.clock import Outage
from rules.core import Seat
from storage import BoardMessage, RedisStore, keys
from storage.errors import BadDump, Damage, Damaged, Dump
from storage.maintenance import frames
from storage.maintenance.backup import BackedUp, Restored, backup, last_backup, restore
from storage.maintenance.verify import Checked, known, reindex, verify
from storage.records import codec
from storage.records.codec import encode_settings
from storage.records.schema import to_micros
from storage.redis.lists import OVER_KEPT
from tests.storage.test_contract import event
from tests.support.matches import (
    ANIA,
    BOB,
    CELLAR,
    HALL,
    OPENED,
    called_off,
    ids,
    lobby,
    over,
    running,
    timed,
)
from tests.support.stores import flush, got, put, set_settings
from tests.support.waiting import LIMIT


@pytest.fixture(params=["redis", "cluster"])
def store(request: pytest.FixtureRequest) -> RedisStore:
    return RedisStore(request.getfixturevalue(f"{request.param}_client"), patience=LIMIT)


async def faults(store: RedisStore, check: object = None) -> dict[str, Checked]:
    return {looked.match_id: looked async for looked in verify(store, check) if looked.fault}  # type: ignore[arg-type]


async def test_a_changed_byte_of_a_record_is_found(store: RedisStore) -> None:
    await put(store, running(), 0)
    key = keys.match_key("k7q2ab")
    record = await store.connection.command("GET", key)
    for place in range(0, len(record), 9):  # the codec is tried with each bit
        broken = bytearray(record)
        broken[place] ^= 0x20
        await store.connection.command("SET", key, bytes(broken))
        found = await faults(store)
        assert isinstance(found["k7q2ab"].fault, Damaged)
        assert found["k7q2ab"].match is None


async def test_records_in_strange_places(store: RedisStore) -> None:
    await put(store, running(), 0)
    record = await store.connection.command("GET", keys.match_key("k7q2ab"))
    await store.connection.command("SET", keys.match_key("zzzzz9"), record)
    await store.connection.command("SET", "klop:{99}:match:k7q2ab", record)
    found = await faults(store)
    assert set(found) == {"zzzzz9", "klop:{99}:match:k7q2ab"}
    fault = found["zzzzz9"].fault
    assert isinstance(fault, Damaged)
    assert fault.reason is Damage.MISPLACED


async def test_lists_are_rebuilt(store: RedisStore) -> None:
    await put(store, running("aaaaaa"), 0)
    await put(store, lobby("bbbbbb"), 0)
    for match_id in ids(OVER_KEPT + 5):
        await put(store, called_off(match_id), 0)
    await put(store, over("cccccc"), 0)
    for whose in (HALL, CELLAR, ANIA.account):
        for key in keys.list_keys(whose):
            await store.connection.command("DEL", key)
    await store.connection.command("ZADD", keys.list_keys(CELLAR)[0], 1, "bbbbbb")
    assert not await store.matches.of(ANIA.account)
    done = await reindex(store)
    assert (done.matches, done.unreadable) == (OVER_KEPT + 8, 0)
    assert done.added == 5  # two at the hall and of Ania, one at the cellar; Bob's list was there
    for listed in (await store.matches.at(HALL), await store.matches.of(ANIA.account)):
        assert {match.id for match in listed if match.live} == {"aaaaaa", "bbbbbb"}
        assert len(listed) == OVER_KEPT + 2
    assert [match.id for match in await store.matches.at(CELLAR)] == ["aaaaaa"]
    assert await store.connection.command("ZCARD", keys.list_keys(CELLAR)[0]) == 1
    assert await store.connection.command("ZCARD", keys.list_keys(HALL)[1]) == OVER_KEPT
    assert (await reindex(store)).added == 0


OPERATION = Operation("update:1", "draw")
CHANGE = RatingChange(NEWCOMER, Rating(27.5, 8.25, 1))


async def filled(store: RedisStore) -> None:
    for match_id in ids(20):
        await put(store, running(match_id), 0)
    await put(store, timed(), 0, timers=[Timer("flag", OPENED), Timer("remind", OPENED + timedelta(hours=1))])
    await store.matches.commit(
        Asked(timed(), Ask.DRAW, Seat.S1), 1, operation=OPERATION, timers=[Timer("flag", OPENED)]
    )
    await set_settings(store, HALL, Settings(language="uk"))
    await store.uptime.beat(OPENED)
    await store.uptime.add_outage(Outage(OPENED, OPENED + timedelta(hours=1)))
    await store.uptime.add_outage(Outage(OPENED, OPENED))
    await store.matches.bind(OPERATION, "k7q2ab")
    await store.notes.write("a name", "of a person")
    await store.timelines.add("cups", "blue", OPENED)
    await store.timelines.add("cups", "red", OPENED + timedelta(hours=1))
    await store.ratings.count("lgame", "k7q2ab", [ANIA.account], lambda _: [CHANGE])
    outgoing = store.outgoing()
    found = await outgoing.read(5)
    await outgoing.done(found[:2])
    await outgoing.set_shown("k7q2ab", HALL, BoardMessage("17", 2))
    await outgoing.set_dead(CELLAR, OPENED)
    await outgoing.close()


async def test_a_backup_brings_everything_back(store: RedisStore, tmp_path: Path) -> None:
    await filled(store)
    before = {match_id: await got(store, match_id) for match_id in (*ids(20), "k7q2ab")}
    untold = await store.outgoing().backlog()
    assert (await backup(store, tmp_path / "dump")).matches == 21
    assert stat.S_IMODE((tmp_path / "dump").stat().st_mode) == 0o600
    await flush(store)
    assert await restore(store, tmp_path / "dump") == Restored(21)
    assert {match_id: await got(store, match_id) for match_id in before} == before
    assert {match.id for match in await store.matches.at(HALL)} == set(before)
    done = (await store.matches.load("k7q2ab", OPERATION)).done
    assert done == Asked(before["k7q2ab"], Ask.DRAW, Seat.S1)
    (due,) = await store.timers.due(OPENED + timedelta(days=1), OPENED + timedelta(days=2), 10)
    assert (due.match_id, due.timer) == ("k7q2ab", Timer("flag", OPENED))
    assert await store.settings.get(HALL) == Settings(language="uk")
    assert list(await store.timelines.read("cups")) == ["blue", "red"]
    assert list(await store.timelines.read("cups", until=OPENED)) == ["blue"]
    assert await store.uptime.last_beat() == OPENED
    assert list(await store.uptime.outages(OPENED)) == [Outage(OPENED, OPENED + timedelta(hours=1))]
    assert await store.matches.bind(OPERATION, "zzzzz9") == "k7q2ab"
    assert list(await store.notes.read("a name")) == ["of a person"]
    assert list(await store.ratings.get("lgame", ANIA.account)) == [CHANGE.after]
    assert list(await store.ratings.counted("lgame", "k7q2ab") or ()) == [CHANGE]
    outgoing = store.outgoing()
    assert await outgoing.backlog() == untold
    assert len(await outgoing.read(100)) == untold
    assert await outgoing.shown("k7q2ab", HALL) == BoardMessage("17", 2)
    assert await outgoing.dead(CELLAR) == OPENED
    lasts = await store.connection.command("TTL", keys.operation_key("k7q2ab", OPERATION.id))
    assert 0 < int(lasts) <= 7 * 24 * 3600
    assert (await store.matches.commit(Started(before["k7q2ab"]), 2)).match.revision == 3


async def test_events_are_backed_up_verified_and_listed_again(store: RedisStore, tmp_path: Path) -> None:
    fact = await store.events.commit(
        Changed(event(), 0), 0, operation=OPERATION, timers=[Timer("event", OPENED)]
    )
    assert (await backup(store, tmp_path / "dump")).matches == 1
    await flush(store)
    assert (await restore(store, tmp_path / "dump")).matches == 1
    assert (await store.events.load(fact.event.id, OPERATION)).event == fact.event
    assert list(await store.events.at(HALL)) == list(await store.events.of(ANIA.account)) == [fact.event]
    assert list(await store.matches.at(HALL)) == []
    (due,) = await store.timers.due(OPENED, OPENED + timedelta(minutes=1), 5)
    assert due.match_id == fact.event.id
    assert [(found.match_id, found.fault) async for found in verify(store)] == [(fact.event.id, None)]
    record = codec.encode(fact.event)
    await store.connection.command("SET", keys.match_key("ezzzzz9"), record)
    assert {found.match_id for found in [each async for each in verify(store)] if found.fault} == {"ezzzzz9"}


SAID: Final = Settings(language="uk")


async def left(store: RedisStore) -> tuple[set[str], bool]:
    """The matches that are there, whole, and whether the settings of the hall are; nothing else may be."""
    seen = [looked async for looked in verify(store)]
    assert not [looked.fault for looked in seen if looked.fault]
    for looked in seen:
        assert looked.match == await got(store, looked.match_id)
        assert replace(looked.match, id="k7q2ab") == replace(running(), revision=1)
    settings = await store.settings.get(HALL)
    assert settings in (SAID, Settings())
    return {looked.match_id for looked in seen}, settings == SAID


def version_1(*values: list[object]) -> bytes:
    """A file as the first version wrote it."""
    frames = b""
    for value in [*values, []]:
        said = msgpack.encode(value or [2, len(values), blake2b(frames, digest_size=16).digest()])
        frames += len(said).to_bytes(4, "big") + said
    return b"klop-dump 1\n" + zlib.compress(frames)


async def test_of_a_damaged_file_everything_sound_is_restored(store: RedisStore, tmp_path: Path) -> None:
    path, names = tmp_path / "dump", ids(60)
    for match_id in names:
        await put(store, running(match_id), 0, operation=OPERATION, timers=[FLAG])
    await set_settings(store, HALL, SAID)
    assert await backup(store, path) == BackedUp(60, [])
    whole, most, before = path.read_bytes(), 0, 0
    head, size = whole.index(b"\n") + 1, len(whole)
    for at in range(head, size, size // 6):
        for content, torn in (
            (whole[:at], "before"),
            (whole[:at] + bytes(64) + whole[at + 64 :], "around"),
            (whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :], "around"),
            (whole[:at] + whole[at + 9 :], "around"),
        ):
            path.write_bytes(content)
            await flush(store)
            if at == head and torn == "before":
                with pytest.raises(BadDump) as refusal:
                    await restore(store, path)
                assert refusal.value.reason is Dump.BROKEN
                continue
            done = await restore(store, path)
            there, _ = await left(store)
            assert (done.matches, done.torn, done.damaged) == (len(there), True, [])
            if torn == "around":  # a block is lost at most, of frames that are 200 bytes and more
                assert len(there) >= 60 - 30
                most = max(most, len(there))
            else:
                assert before <= len(there) <= 60
                before = len(there)
    assert most == before == 60  # where matches are before the damage
    path.write_bytes(whole + b"x")
    await flush(store)
    assert await restore(store, path) == Restored(60, [], torn=True)
    path.write_bytes(whole)
    await flush(store)
    assert await restore(store, path) == Restored(60)
    assert await left(store) == (set(names), True)


async def test_files_of_the_first_version_are_restored_as_far_as_they_go(
    store: RedisStore, tmp_path: Path
) -> None:
    path, names = tmp_path / "dump", ids(9)
    records = {name: codec.encode(replace(running(name), revision=1)) for name in names}
    half = records[names[4]][: len(records[names[4]]) // 2]
    matches = [[0, name, record, b""] for name, record in records.items()]
    settings = [1, keys.settings_key(HALL), "string", encode_settings(SAID), 0]
    whole = version_1(*matches, settings)
    path.write_bytes(whole)
    assert await restore(store, path) == Restored(9)
    assert await left(store) == (set(names), True)
    path.write_bytes(version_1(*matches[:4], [0, names[4], half, b""], *matches[5:], settings))
    await flush(store)
    done = await restore(store, path)
    assert [damaged.match_id for damaged in done.damaged] == [names[4]]
    assert await left(store) == ({*names} - {names[4]}, True)
    there: set[str] = set()
    for cut in range(len(whole) // 2, len(whole), 31):
        path.write_bytes(whole[:cut])
        await flush(store)
        assert (await restore(store, path)).torn
        there, _ = await left(store)
        assert there == set(names[: len(there)])
    assert len(there) > 4


@pytest.mark.parametrize(
    ("content", "dump"),
    [(b"", Dump.NO_DUMP), (b"PK\x03", Dump.NO_DUMP), (b"klop-dump 3\n", Dump.NEWER), (b"klop-dump 2\n", Dump.BROKEN),
     (b"klop-dump 1\n" + bytes(99), Dump.BROKEN), (b"klop-backup 1\nx", Dump.EARLIER)],
)  # fmt: skip
async def test_what_is_no_backup_changes_nothing(
    store: RedisStore, tmp_path: Path, content: bytes, dump: Dump
) -> None:
    (tmp_path / "dump").write_bytes(content)
    with pytest.raises(BadDump) as refusal:
        await restore(store, tmp_path / "dump")
    assert refusal.value.reason is dump
    assert [keys async for keys in store.connection.scan("klop:*")] == []


async def test_what_is_damaged_is_set_aside_and_all_else_is_restored(
    store: RedisStore, tmp_path: Path
) -> None:
    await filled(store)
    await backup(store, tmp_path / "sound")
    good = await last_backup(store)
    await put(store, running("dddddd"), 0, operation=OPERATION)
    await store.events.commit(Changed(event(), 0), 0, operation=OPERATION)
    await set_settings(store, CELLAR, SAID)
    await store.notes.write("another", "of a person")
    await store.ratings.count("lgame", "dddddd", [BOB.account], lambda _: [CHANGE])
    (shown,) = [keys.shown_key("k7q2ab")]
    said = await store.connection.command("HGET", shown, keys.whose_words(HALL))
    stray, bob = "klop:{99}:match:k7q2ab", keys.person_field(BOB.account)
    member = f"k7q2ab:flag:{to_micros(OPENED)}"
    for name in ("dddddd", event().id):
        record = await store.connection.command("GET", keys.match_key(name))
        await store.connection.command("SET", keys.match_key(name), record[: len(record) // 2])
    for words in (
        ("SET", stray, "half"),
        ("SET", OP, "half"),
        ("SET", keys.settings_key(CELLAR), b"\x01\x99"),
        ("SET", keys.note_key("another"), b"12345678\xff"),
        ("HSET", keys.ratings_key("lgame"), bob, b"\x01\x93"),
        ("HSET", shown, "at:discord:118", said),
        ("HSET", keys.timers_of_key(TAG), "k7q2ab", f"{member} k7q2ab:flag:never"),
        ("ZADD", keys.BEAT, 1, "another format"),
        ("ZADD", keys.OUTAGES, 1, "never"),
        ("ZADD", keys.timeline_key("cups"), 1, b"\xff"),
        ("HSET", keys.DEAD, "at:x:y", "never"),
        ("SET", keys.bound_key("update:3"), b"\x93"),
        ("SET", keys.counted_key("lgame", "dddddd"), b"\x01\x93"),
        ("XADD", keys.OUT.stream(TAG), "*", "m", "k7q2ab", "f", "?", "r", "?"),
    ):
        await store.connection.command(*words)
    found = [looked.match_id async for looked in verify(store) if looked.fault]
    await reindex(store)
    done = await backup(store, tmp_path / "dump")
    assert {damaged.match_id for damaged in done.damaged} == set(found)
    assert len(done.damaged) == 16
    assert done.matches == 21
    assert await last_backup(store) == good
    newest = await last_backup(store, sound=False)
    assert newest is not None
    assert good is not None
    assert newest > good
    await flush(store)
    again = await restore(store, tmp_path / "dump")
    assert (again.matches, again.torn) == (21, False)
    assert sorted(map(str, again.damaged)) == sorted(map(str, done.damaged))
    assert not await faults(store)
    assert await store.settings.get(HALL) == SAID
    assert await store.notes.read("a name", "another") == ["of a person", None]
    assert await store.ratings.get("lgame", ANIA.account, BOB.account) == [CHANGE.after, None]
    assert list(await store.timelines.read("cups")) == ["blue", "red"]
    assert await store.outgoing().shown("k7q2ab", HALL) == BoardMessage("17", 2)
    (due,) = await store.timers.due(OPENED, OPENED + timedelta(minutes=1), 5)
    assert due.timer == FLAG


async def test_a_failed_backup_leaves_no_file(
    store: RedisStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(frames, "read", fails)
    await store.notes.write("a name", "of a person")
    with pytest.raises(OSError, match="No space"):
        await backup(store, tmp_path / "dump")
    assert not (tmp_path / "dump").exists()


async def spoiled(store: RedisStore, *words: str | bytes | int) -> dict[str, object]:
    """What is found once something was changed behind the store's back."""
    await store.connection.command(*words)
    found = await faults(store)
    return {code: looked.fault.reason for code, looked in found.items() if isinstance(looked.fault, Damaged)}


OPERATION = Operation("update:7", "/move a2-a3")
FLAG = Timer("flag", OPENED)
TAG = keys.tag_of("k7q2ab")
OP = keys.operation_key("k7q2ab", OPERATION.id)


async def full(store: RedisStore) -> None:
    """A match with everything that belongs to one."""
    await put(store, running(), 0)
    await put(store, running(), 1, operation=OPERATION, timers=[FLAG])
    await store.outgoing().set_shown("k7q2ab", HALL, BoardMessage("17", 2))
    assert not await faults(store)


async def test_a_changed_byte_of_a_result_is_found(store: RedisStore) -> None:
    await full(store)
    result = await store.connection.command("GET", OP)
    for place in range(0, len(result), 3):
        broken = bytearray(result)
        broken[place] ^= 0x01
        assert await spoiled(store, "SET", OP, bytes(broken)) == {"k7q2ab": Damage.RESULT}
    await store.connection.command("DEL", OP)
    assert await spoiled(store, "SET", f"{OP}8", result) == {"k7q2ab": Damage.RESULT}


async def test_a_record_that_fell_back_is_found(store: RedisStore) -> None:
    await put(store, running(), 0)
    old = await store.connection.command("GET", keys.match_key("k7q2ab"))
    await put(store, running(), 1, operation=OPERATION)
    assert await spoiled(store, "SET", keys.match_key("k7q2ab"), old) == {"k7q2ab": Damage.BEHIND}
    assert await spoiled(store, "DEL", keys.match_key("k7q2ab")) == {"k7q2ab": Damage.BEHIND}


async def test_timers_that_do_not_agree_are_found(store: RedisStore) -> None:
    await full(store)
    timers, at = keys.timers_key(TAG), to_micros(OPENED)
    expected = {"k7q2ab": Damage.TIMERS}
    assert await spoiled(store, "ZADD", timers, at - 1, f"k7q2ab:flag:{at}") == expected
    assert await spoiled(store, "ZADD", timers, at * 10, f"k7q2ab:flag:{at}") == expected
    assert not await spoiled(store, "ZADD", timers, at, f"k7q2ab:flag:{at}")
    assert await spoiled(store, "ZADD", timers, at + 1, f"k7q2ab:flag:{at + 1}") == expected
    await store.connection.command("ZREM", timers, f"k7q2ab:flag:{at + 1}")
    assert await spoiled(store, "ZREM", timers, f"k7q2ab:flag:{at}") == expected


async def test_a_timer_that_is_lent_is_in_its_place(store: RedisStore) -> None:
    await full(store)
    now = await store.now()
    assert await store.timers.due(now, now + timedelta(minutes=1), 10)
    assert not await faults(store)


async def test_facts_to_be_told_and_messages_are_looked_at(store: RedisStore) -> None:
    await full(store)
    shown = keys.shown_key("k7q2ab")
    said = await store.connection.command("HGET", shown, keys.whose_words(HALL))
    await store.connection.command("HDEL", shown, keys.whose_words(HALL))
    assert await spoiled(store, "HSET", shown, "at:discord:118", said) == {"k7q2ab": Damage.SHOWN}
    await store.connection.command("DEL", shown)
    words = ("XADD", keys.OUT.stream(TAG), "*", "m", "k7q2ab", "f", b"\x81\xa4fact\xa5Later", "r", b"?")
    assert await spoiled(store, *words) == {"k7q2ab": Damage.FACT}


@pytest.mark.parametrize(
    "key",
    [f"klop:{{{TAG}}}:mat\xe9h:k7q2ab", f"klop:{{{TAG}}}:match:k7q2aB", f"kloq:{{{TAG}}}:timers",
     "klop:{17]:out", "klop:setting\x00:of:toy:ann", "klop:beau"],
)  # fmt: skip
async def test_keys_that_are_nearly_ours_are_found(store: RedisStore, key: str) -> None:
    await full(store)
    assert await spoiled(store, "SET", key, "1") == {key: Damage.STRAY}


@pytest.mark.parametrize(
    "key", ["klop", "klop:", "cache:17", "klopik:match:k7q2ab", "other:{17}:match:k7q2ab"]
)
async def test_keys_of_other_programs_are_passed_over(store: RedisStore, key: str) -> None:
    await full(store)
    assert not await spoiled(store, "SET", key, "1")


def test_all_keys_are_known_by_their_names() -> None:
    named = [
        *(keys.match_key("k7q2ab"), keys.shown_key("k7q2ab"), OP, keys.operation_key("k7q2ab", " ab12")),
        *(keys.timers_key(3), keys.timers_of_key(3), keys.timers_leased_key(3), keys.DEAD, keys.BEAT),
        *(*keys.list_keys(HALL), keys.settings_key(HALL), keys.bound_key(OPERATION.id)),
        *(keys.note_key("x"), keys.bucket_key("toy"), keys.OUTAGES, keys.ASIDE),
    ]
    for each in (keys.OUT, keys.inbox("telegram")):
        named += [each.stream(3), each.reader(3), each.readers]
    assert all(map(known, [*named, keys.inbox("telegram").ids(3)]))
