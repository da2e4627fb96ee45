"""What is kept and what is removed: backups, the append-only file, leftovers of processes."""

from __future__ import annotations

import sys
from asyncio import create_subprocess_exec, subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from redis.asyncio import Redis

from play.ports import Timer
from storage import keys
from storage.client.connecting import by_socket
from storage.embedded.directory import Process, registered
from storage.maintenance.retention import (
    DAYS,
    MONTHS,
    REWRITE_AFTER,
    REWRITE_EVERY,
    WEEKS,
    finish,
    found_in,
    kept,
    last_rewrite,
    new_in,
    prune,
    request_rewrite,
    rewrite_if_due,
)
from storage.ports import JournalState, Update
from storage.redis.store import RedisStore
from tests.support.matches import OPENED, ids, running
from tests.support.memory import MemoryStore
from tests.support.stores import put
from tests.support.waiting import LIMIT

# Which backups of a folder are kept.


AT = datetime(2026, 11, 21, 3, 40, tzinfo=UTC)
TIMES = some.sets(some.integers(0, 1000 * 24).map(lambda hours: AT - timedelta(hours=hours)), max_size=60)


def test_of_two_years_of_nights_few_are_kept() -> None:
    nights = [AT - timedelta(days=days) for days in range(730)]
    chosen = sorted(kept(nights), reverse=True)
    assert chosen[:DAYS] == nights[:DAYS]
    assert len(chosen) <= DAYS + WEEKS + MONTHS
    assert AT - chosen[-1] > timedelta(days=320)


@given(TIMES)
def test_the_newest_is_always_kept_and_what_is_kept_stays_kept(times: set[datetime]) -> None:
    chosen = kept(times)
    assert chosen <= times
    assert not times or max(times) in chosen
    assert kept(chosen) == chosen


def made(folder: Path, days: int, *, sound: bool = True) -> Path:
    path = new_in(folder, AT - timedelta(days=days))
    path.write_bytes(b"")
    return finish(path, sound=sound)


def test_only_backups_are_deleted(tmp_path: Path) -> None:
    for days in range(40):
        made(tmp_path, days)
    (tmp_path / "notes.txt").write_text("mine")
    prune(tmp_path)
    left = found_in(tmp_path)
    assert next(iter(left)) == AT
    assert set(left) == kept(left)
    assert len(left) < 15
    assert (tmp_path / "notes.txt").exists()


def test_damaged_backups_displace_no_sound_one(tmp_path: Path) -> None:
    sound = [made(tmp_path, days) for days in range(40, 47)]
    for days in reversed(range(40)):
        made(tmp_path, days, sound=False)
        new_in(tmp_path, AT - timedelta(days=days, hours=1)).write_bytes(b"of a process that was killed")
        prune(tmp_path)
    left = found_in(tmp_path).values()
    assert set(sound) < set(left)
    assert len(left) < len(sound) + 15
    assert not [path for path in tmp_path.iterdir() if path not in left]


# The append-only file is rewritten at most hourly, for all who were forgotten before; refusals are known.


NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Bench:
    """A store, its journal, and a clock."""

    def __init__(self) -> None:
        self.at = NOON
        self.store = MemoryStore(lambda: self.at)
        self.journal = self.store.journal

    async def tick(self, later: timedelta) -> int:
        """Let time pass, and look what is due, by a process that has just started; return the rewrites so far."""
        self.at += later
        await rewrite_if_due(self.store, self.at)
        return self.journal.rewrites


async def test_one_rewrite_an_hour_serves_all_who_asked() -> None:
    bench = Bench()
    assert await request_rewrite(bench.store)
    assert bench.journal.rewrites == 1  # the first request finds out whether the server allows it
    assert await bench.tick(REWRITE_AFTER / 2) == 1
    assert await bench.tick(REWRITE_AFTER) == 2
    assert await last_rewrite(bench.store) == bench.at
    for _ in range(3):
        assert await request_rewrite(bench.store)
        assert await bench.tick(REWRITE_AFTER * 2) == 2
    assert await bench.tick(REWRITE_EVERY) == 3
    assert await bench.tick(REWRITE_EVERY) == 3
    assert await bench.tick(REWRITE_EVERY) == 3


async def test_a_rewrite_that_failed_or_left_something_out_is_repeated() -> None:
    bench = Bench()
    await request_rewrite(bench.store)
    bench.journal.oldest = bench.at  # a fact from before waits to be sent
    assert await bench.tick(REWRITE_AFTER) == 1
    bench.journal.oldest = None
    assert await bench.tick(REWRITE_AFTER) == 2
    bench.journal.now = JournalState("run", failed=True)
    assert await bench.tick(REWRITE_EVERY) == 3
    bench.journal.now = JournalState("next run")  # the server was killed meanwhile
    assert await bench.tick(REWRITE_EVERY) == 4
    assert await bench.tick(REWRITE_EVERY) == 4


async def test_a_server_that_refuses_is_asked_again_each_hour() -> None:
    bench = Bench()
    bench.journal.allowed = False
    assert not await request_rewrite(bench.store)
    assert not await request_rewrite(bench.store)
    assert await bench.tick(REWRITE_AFTER) == 0
    bench.journal.allowed = True
    assert await bench.tick(REWRITE_EVERY) == 1
    assert await request_rewrite(bench.store)


async def test_a_user_without_the_right_is_refused(redis_client: Redis) -> None:
    path = redis_client.connection_pool.connection_kwargs["path"]
    owner = RedisStore(redis_client, patience=LIMIT)
    await owner.connection.command(
        *("ACL", "SETUSER", "guest", "on", ">pass", "~*", "+@all", "-bgrewriteaof", "-config")
    )
    client = by_socket(path)
    client.connection_pool.connection_kwargs.update(username="guest", password="pass")
    try:
        store = RedisStore(client, patience=LIMIT)
        assert not await store.journal.rewrite()
        assert await store.journal.fsync() is None
        assert await owner.journal.fsync() == "no"
    finally:
        await client.aclose()
        await owner.connection.command("ACL", "DELUSER", "guest")


# What a process left behind when it ended is read by the next one at once; what belongs to a live one is
# not.


REGISTERS = """
import pathlib, sys
from storage.embedded.directory import registered
with registered(pathlib.Path(sys.argv[1])) as process:
    print(process.name, flush=True)
    sys.stdin.read()
"""


async def other(directory: Path) -> tuple[subprocess.Process, str]:
    """Start a process that registers in a data directory; return its name too."""
    process = await create_subprocess_exec(
        *(sys.executable, "-c", REGISTERS, str(directory)), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    return process, (await process.stdout.readline()).decode().strip()


async def test_a_killed_process_has_ended_and_a_live_one_has_not(tmp_path: Path) -> None:
    killed, name = await other(tmp_path)
    live, _ = await other(tmp_path)
    with registered(tmp_path) as process:
        assert process.ended == frozenset()
    killed.kill()
    await killed.wait()
    with registered(tmp_path) as process:
        assert process.ended == {name}
        with registered(tmp_path) as next_one:
            assert next_one.ended == frozenset()
    await live.communicate(b"")
    assert not [*(tmp_path / "processes").iterdir()]


async def test_a_process_of_another_machine_is_not_known_to_have_ended(tmp_path: Path) -> None:
    (tmp_path / "processes").mkdir()
    (tmp_path / "processes" / "0000000000000000-0000000000000000").touch()
    with registered(tmp_path) as process:
        assert process.ended == frozenset()


async def test_where_nothing_can_be_written_a_bot_starts_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "processes").touch()
    with registered(tmp_path) as process:
        assert process.ended == frozenset()


@pytest.fixture(params=["redis", "cluster"])
def client(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(f"{request.param}_client")


async def test_a_restarted_bot_reads_at_once_what_the_last_one_left(client: Any) -> None:
    """What one process had read comes to the next one at the first call, by no other way than that it has ended."""
    ended, live = Process(), Process()
    left = RedisStore(client, patience=LIMIT, process=ended)
    timer = Timer("flag", OPENED)
    for number, match_id in enumerate(ids(20)):
        await put(left, running(match_id), 0, timers=[timer] if number < 3 else [])
    sender, inbox = left.outgoing(), left.inbox("telegram")
    assert len(await sender.read(100)) == 20
    await inbox.accept([Update("1", "chat", "ann", b"{}")])
    assert len(await inbox.read(100)) == 1

    later = OPENED + timedelta(minutes=1)
    leased = await left.timers.due(OPENED, later, 9)
    assert len(leased) == 3
    await left.timers.settle(leased[0])
    assert await left.notes.hold("engine:k7q2ab", keep=timedelta(seconds=60))

    for knows, sees in ((live, 0), (Process(ended=frozenset({ended.name})), 1)):
        store = RedisStore(client, patience=LIMIT, process=knows)
        assert len(await store.timers.due(OPENED, later, 9)) == 2 * sees
        assert len(await store.timers.due(OPENED, later, 9)) == 0
        held = await store.notes.hold("engine:k7q2ab", keep=timedelta(seconds=60))
        assert bool(held) is bool(sees)
        assert await store.notes.hold("engine:k7q2ab", keep=timedelta(seconds=60)) is None
        assert await store.connection.command("PTTL", keys.note_key("engine:k7q2ab")) > 0
        outgoing, received = store.outgoing(), store.inbox("telegram")
        # On a cluster one read returns a part of what each stream has.
        assert len([sent for _ in range(9) for sent in await outgoing.read(100)]) == 20 * sees
        assert len(await received.read(100)) == sees
        await outgoing.close()
        await received.close()
