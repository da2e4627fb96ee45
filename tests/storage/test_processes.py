"""What a process left behind when it ended is read by the next one at once; what belongs to a live one is not."""

from __future__ import annotations

import sys
from asyncio import create_subprocess_exec, subprocess
from datetime import timedelta
from pathlib import Path

from redis.asyncio import Redis, RedisCluster

from play.ports import Timer
from storage import RedisStore, keys
from storage.embedded.directory import Process, registered
from storage.ports import Update
from tests.support.matches import OPENED, ids, running
from tests.support.storing import put
from tests.support.waiting import LIMIT

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


async def _taken_over(client: Redis | RedisCluster) -> None:
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


async def test_a_restarted_bot_reads_at_once_what_the_last_one_left(redis_client: Redis) -> None:
    await _taken_over(redis_client)


async def test_the_same_on_a_cluster(cluster_client: RedisCluster) -> None:
    await _taken_over(cluster_client)
