"""Finished matches move into the archive after a month, and are read, changed, forgotten and backed up as before."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from play.errors import Stale, Unavailable
from play.facts import Reached, Started
from play.people import forgotten
from play.ports import Operation
from storage import RedisStore, keys
from storage.archive import Archive
from storage.errors import BadDump, Damage, Damaged, Dump
from storage.maintenance import retention
from storage.maintenance.backup import backup, restore
from storage.maintenance.retention import AFTER, PIECE, last_moved, sweep_if_due
from storage.maintenance.verify import reindex, verify
from storage.ports import BoardMessage
from storage.records import codec
from storage.redis.lists import last_activity
from tests.support.faults import ARCHIVING, FILE, KILLED
from tests.support.matches import ANIA, BOB, CAROL, HALL, called_off, ids, over, running
from tests.support.stores import flush, got, put
from tests.support.waiting import LIMIT

DUE = last_activity(over()) + AFTER


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    archive = Archive(tmp_path / "archive")
    yield archive
    archive.close()


@pytest.fixture(params=["redis", "cluster"])
def store(request: pytest.FixtureRequest, archive: Archive) -> RedisStore:
    client = request.getfixturevalue(f"{request.param}_client")
    return RedisStore(client, patience=LIMIT, archive=archive)


async def sweep(store: RedisStore, at: datetime = DUE, pauses: list[float] | None = None) -> int:
    async def pause(seconds: float) -> None:
        if pauses is not None:
            pauses.append(seconds)

    return await retention.sweep(store, at, pause)


async def stored(store: RedisStore, match_id: str) -> bytes:
    return bytes(await store.connection.command("GET", keys.match_key(match_id)))


def elsewhere(store: RedisStore, archive: Archive | None = None) -> RedisStore:
    """The same store, seen by a process with another archive, or none."""
    return RedisStore(store.connection.client, patience=LIMIT, archive=archive)


def named(archive: Archive, *marks: str) -> set[str]:
    """Those of some words that a file of the archive holds."""
    held = b"".join(file.read_bytes() for file in archive.file.parent.iterdir()).decode(errors="replace")
    return {mark for mark in marks if mark in held}


async def test_only_what_has_been_over_for_a_month_moves(store: RedisStore, archive: Archive) -> None:
    one, two, three, four = ids(4)
    await put(store, over(one), 0)
    await put(store, called_off(two), 0)
    await put(store, running(three), 0)
    await put(store, replace(over(four), opened=DUE), 0)
    assert await sweep(store, last_activity(called_off()) + AFTER - timedelta(seconds=1)) == 0
    assert not archive.file.exists()
    assert await last_moved(store) is None
    assert await sweep(store) == 2
    assert await last_moved(store) == DUE
    assert await archive.count() == 2
    assert [len(await stored(store, name)) < 10 for name in (one, two, three, four)] == [
        True,
        True,
        False,
        False,
    ]
    assert await sweep(store) == 0
    assert archive.file.stat().st_mode & 0o077 == archive.file.parent.stat().st_mode & 0o077 == 0


async def test_it_is_read_as_before(store: RedisStore) -> None:
    asked = Operation("once", "finish")
    match = await put(store, over(), 0, operation=asked)
    live = await put(store, running("m2m2m2"), 0)
    await store.outgoing().set_shown(match.id, HALL, BoardMessage("77", 1))

    async def seen() -> list[object]:
        return [
            await store.matches.load(match.id),
            await store.matches.load(match.id, asked),
            list(await store.matches.revisions([match.id, "zzzzzz"])),
            list(await store.matches.of(CAROL.account)),
            list(await store.matches.at(HALL)),
            list(await store.matches.at(HALL, over=False)),
            await store.matches.live_at(HALL),
            {name async for name in store.matches.ids()},
            {found.id async for found in store.matches.with_people([CAROL.account])},
        ]

    before = await seen()
    await sweep(store)
    assert await seen() == before
    assert list(await store.matches.at(HALL)) == [live, match]
    assert await store.outgoing().shown(match.id, HALL) is None
    assert [looked.fault async for looked in verify(store)] == [None, None]
    assert (await reindex(store)).unreadable == 0
    assert await seen() == before


async def test_its_code_is_not_given_again(store: RedisStore) -> None:
    match = await put(store, over(), 0)
    await sweep(store)
    with pytest.raises(Stale) as error:
        await put(store, running(), 0)
    assert error.value.match == match


async def test_a_change_brings_it_back_until_the_next_sweep(store: RedisStore, archive: Archive) -> None:
    match = await put(store, over(), 0)
    await sweep(store)
    changed = await put(store, replace(match, addresses=()), match.revision)
    assert changed.revision == match.revision + 1
    assert codec.decode(match.id, await stored(store, match.id)) == changed
    assert await sweep(store) == 1
    assert await got(store, match.id) == changed
    assert await archive.count() == 1


async def test_what_is_told_of_it_carries_the_whole_match(store: RedisStore) -> None:
    match = await put(store, over(), 0, announce=False)
    await sweep(store)
    with pytest.raises(Stale):
        await store.matches.announce(Started(replace(match, revision=7)))
    fact = Reached(match, HALL, None, 0)
    await store.matches.announce(fact)
    outgoing = store.outgoing()
    assert [sent.fact for sent in await outgoing.read(10)] == [fact]
    await outgoing.close()


async def test_no_file_names_a_forgotten_person(store: RedisStore, archive: Archive) -> None:
    for name in ids(2):
        await put(store, over(name), 0)
    await sweep(store)
    marks = [BOB.account.uid, ANIA.account.uid]
    assert named(archive, *marks) == {*marks}
    for match in [match async for match in store.matches.with_people([BOB.account])]:
        gone = replace(
            match, chairs=(match.chairs[0], replace(match.chairs[1], player=forgotten(1)), match.chairs[2])
        )
        await put(store, gone, match.revision)
    assert [match async for match in store.matches.with_people([BOB.account])] == []
    assert named(archive, *marks) == {*marks}
    await store.forget(BOB.account)
    assert named(archive, *marks) == {ANIA.account.uid}
    assert await archive.of([BOB.account]) == []
    for name in ids(2):
        assert codec.is_head(await stored(store, name))
        assert BOB not in list((await got(store, name)).players())


async def test_a_process_without_the_archive_says_so(store: RedisStore, tmp_path: Path) -> None:
    match = await put(store, over(), 0)
    await sweep(store)
    for other in (elsewhere(store), elsewhere(store, Archive(tmp_path / "empty"))):
        with pytest.raises(Damaged) as error:
            await got(other, match.id)
        assert error.value.reason is Damage.ARCHIVED
        assert list(await other.matches.of(BOB.account)) == []
        (missing,) = (await backup(other, tmp_path / f"{id(other)}")).damaged
        assert missing.reason is Damage.ARCHIVED
        assert [looked.fault.reason async for looked in verify(other) if looked.fault] == [Damage.ARCHIVED]
    with pytest.raises(Damaged):  # a person who asks to be forgotten must not be told that they are
        [found async for found in elsewhere(store).matches.with_people([BOB.account])]
    assert list(await store.matches.of(BOB.account)) == [match]  # the hints are still there


async def test_an_archive_that_cannot_be_read(store: RedisStore, archive: Archive) -> None:
    match = await put(store, over(), 0)
    await sweep(store)
    archive.close()
    archive.file.write_bytes(b"not SQLite" * 100)
    with pytest.raises(Unavailable):
        await got(store, match.id)
    assert list(await store.matches.of(BOB.account)) == []
    late = await put(store, over("m2m2m2"), 0)
    with pytest.raises(Unavailable):
        await sweep(store)
    assert await got(store, late.id) == late


async def test_redis_that_has_fallen_back_goes_on(store: RedisStore, archive: Archive) -> None:
    match = await put(store, over(), 0)
    await sweep(store)
    early = archive.file.read_bytes()
    head = await stored(store, match.id)
    changed = await put(store, replace(match, addresses=()), match.revision)
    await sweep(store)
    later = await stored(store, match.id)
    await store.connection.command("SET", keys.match_key(match.id), head)
    assert await got(store, match.id) == replace(changed, revision=match.revision)
    assert (await put(store, changed, match.revision)).revision == changed.revision
    await store.connection.command("SET", keys.match_key(match.id), later)
    archive.close()
    archive.file.write_bytes(early)  # an old copy: it may name people who were forgotten since
    with pytest.raises(Damaged):
        await got(store, match.id)


async def test_a_backup_has_the_archive_and_fills_it_again(
    store: RedisStore, archive: Archive, tmp_path: Path
) -> None:
    old, live = await put(store, over(), 0), await put(store, running("m2m2m2"), 0)
    await sweep(store)
    file = tmp_path / "backup"
    assert (await backup(store, file)).matches == 2
    await flush(store)
    with pytest.raises(BadDump) as error:
        await restore(store, file)
    assert error.value.reason is Dump.NOT_EMPTY
    with closing(Archive(tmp_path / "new")) as another:
        new = elsewhere(store, another)
        assert (await restore(new, file)).matches == 2
        assert codec.is_head(await stored(new, old.id))
        assert list(await new.matches.of(BOB.account)) == [live, old]
    await flush(store)
    whole = elsewhere(store)
    await restore(whole, file)
    assert codec.decode(old.id, await stored(whole, old.id)) == old


async def test_damage_in_the_archive_costs_what_it_hit(
    store: RedisStore, archive: Archive, tmp_path: Path
) -> None:
    names, live = ids(40), await put(store, running("m2m2m2"), 0)
    for name in names:
        await put(store, over(name), 0)
    await sweep(store)
    archive.close()
    page, content = 4096, bytearray(archive.file.read_bytes())
    with closing(sqlite3.connect(archive.file)) as database:
        records = dict(database.execute("SELECT id, record FROM matches"))
    at = content.index(records[names[0]])
    content[at + 5] ^= 0x40  # the revision: a later one than its head's
    archive.file.write_bytes(content)
    expected = await backup(store, tmp_path / "record")
    assert (expected.matches, [damaged.match_id for damaged in expected.damaged]) == (40, [names[0]])
    at = content.index(records[names[-1]]) // page * page
    content[at : at + page] = bytes(page)
    archive.close()
    archive.file.write_bytes(content)
    lost = {looked.match_id async for looked in verify(store) if looked.fault}
    assert {names[0]} < lost < set(names)
    assert (await reindex(store)).unreadable == len(lost)
    done = await backup(store, tmp_path / "page")
    assert {damaged.match_id for damaged in done.damaged} == lost
    archive.close()
    archive.file.write_bytes(b"not SQLite" * 100)
    done = await backup(store, tmp_path / "file")
    assert {damaged.match_id for damaged in done.damaged} == set(names)
    await flush(store)
    whole = elsewhere(store)
    assert (await restore(whole, tmp_path / "file")).matches == 1
    assert await got(whole, live.id) == live
    await flush(store)
    assert (await restore(whole, tmp_path / "page")).matches == 41 - len(lost)


async def test_a_damaged_record_does_not_stop_a_sweep(store: RedisStore, archive: Archive) -> None:
    match = await put(store, over(), 0)
    await sweep(store)
    changed = await put(store, replace(match, addresses=()), match.revision)
    archive.close()
    with closing(sqlite3.connect(archive.file, isolation_level=None)) as database:
        database.execute("UPDATE matches SET record = ?", (b"half",))
    await sweep(store)
    assert codec.is_head(await stored(store, match.id))
    assert await got(store, match.id) == changed


async def test_a_sweep_makes_way_for_others(store: RedisStore) -> None:
    for name in ids(2 * PIECE + 1):
        await put(store, over(name), 0)
    pauses: list[float] = []
    assert await sweep(store, DUE, pauses) == 2 * PIECE + 1
    assert len(pauses) >= 3


async def test_of_several_processes_one_sweeps(store: RedisStore, archive: Archive) -> None:
    for name in ids(2):  # what becomes due after the first sweep waits for the next
        await put(store, over(name), 0)
        await sweep_if_due(store)
        assert await archive.count() == 1


@pytest.mark.parametrize("point", ARCHIVING)
async def test_killed_at_any_point_it_loses_nothing(
    redis_client: object, redis_server: Path, archive: Archive, point: str
) -> None:
    store = RedisStore(redis_client, patience=LIMIT, archive=archive)  # type: ignore[arg-type]
    made = [await put(store, over(name), 0) for name in ids(3)]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        FILE,
        str(Path(__file__).with_name("archiving_worker.py")),
        str(redis_server),
        str(archive.file.parent),
        env={**os.environ, KILLED: point},
    )
    assert await process.wait() == -signal.SIGKILL
    assert [await got(store, match.id) for match in made] == made
    assert {found.id async for found in store.matches.with_people([BOB.account])} == set(ids(3))
    await sweep(store)
    assert [await got(store, match.id) for match in made] == made
    assert await archive.count() == 3
    assert {found.id async for found in store.matches.with_people([BOB.account])} == set(ids(3))
    assert [looked.fault async for looked in verify(store)] == [None] * 3
