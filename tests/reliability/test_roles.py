"""A bot whose roles are processes of their own, each of them killed: no move is lost, doubled or left unannounced."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from play.match import Match
from storage.records import codec
from tests.reliability.chats import Connect, discord, telegram
from tests.reliability.conftest import Figure, Scale
from tests.reliability.played import Tally
from tests.reliability.scenario import Scenario
from tests.support import next_version
from tests.support.next_version import READS
from tests.support.servers import redis_server

ROLES: Final[Mapping[str, tuple[Connect, bool, Sequence[str]]]] = {
    "discord": (discord, False, ("gateway", "sender")),
    "telegram": (telegram, False, ("gateway", "sender")),
    "webhook": (telegram, True, ("webhook", "sender")),
    "discord over http": (discord, True, ("webhook", "sender")),
}


@pytest.mark.parametrize("name", ROLES)
async def test_each_process_is_killed(name: str, scale: Scale, figure: Figure, tmp_path: Path) -> None:
    connect, brought, roles = ROLES[name]
    tally, kills = Tally(), scale(50, 2)
    with redis_server(tmp_path / "server") as server:
        async with connect() as platform:
            if brought:
                platform.bring()
            scenario = Scenario(platform, server, tmp_path / "bot", 1, tally, roles=roles)
            for number in range(kills):
                await scenario.kill(roles[(number + 1) % len(roles)])
            await scenario.finish()
    figure(
        f"roles, {name}: {dict(tally.kills)} killed, {tally}; ended {len(tally.ends)} times, {max(tally.ends):.1f} s after"
        f" SIGTERM at most (load {os.getloadavg()[0]:.0f})"
    )
    tally.check()
    assert tally.sent_too_often == 0
    assert tally.sent_again + tally.orphans <= kills


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "ended"])
async def test_one_of_two_behind_an_address_goes_and_comes(
    how: signal.Signals, scale: Scale, figure: Figure, tmp_path: Path
) -> None:
    """Discord posts to an address; while one process restarts, the other takes what people say."""
    tally, ends = Tally(), scale(50, 2)
    with redis_server(tmp_path / "server") as server:
        async with discord() as platform:
            platform.bring(2)
            roles = ("sender", "webhook-1", "webhook-2")
            scenario = Scenario(platform, server, tmp_path / "bot", 3, tally, roles=roles)
            for number in range(ends):
                await scenario.kill(roles[1 + number % 2], how)
            await scenario.finish()
            posting = platform.posting
            figure(
                f"two behind an address, {how.name}: {dict(tally.kills)}, {tally}; {tally.requests} requests, {posting.broken}"
                f" without a response, {posting.nowhere} that no process took (load {os.getloadavg()[0]:.0f})"
            )
            assert posting.nowhere == 0
            assert posting.broken <= (ends if how is signal.SIGKILL else 0)
    tally.check()
    assert tally.sent_too_often == 0
    assert tally.sent_again + tally.orphans <= (ends if how is signal.SIGKILL else 0)


@pytest.mark.parametrize("name", ["discord", "webhook"])
async def test_two_versions_side_by_side(
    name: str, scale: Scale, figure: Figure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect, brought, roles = ROLES[name]
    tally, upgrades, begun = Tally(), scale(10, 1), 0
    judged: Counter[int] = Counter()

    def counted(version: int, body: bytes, revision: int) -> Match:
        judged[version] += 1
        return READS["READERS"][version](body, revision)  # type: ignore[no-any-return]

    readers = {version: partial(counted, version) for version in READS["READERS"]}
    for field, value in {**READS, "READERS": readers}.items():
        monkeypatch.setattr(codec, field, value)
    for number in range(upgrades):
        # A store of its own: what the next version wrote is beyond the old one, and another Telegram counts its updates anew.
        with redis_server(tmp_path / f"server{number}") as server:
            async with connect() as platform:
                if brought:
                    platform.bring()
                where = tmp_path / f"bot{number}"
                scenario = Scenario(platform, server, where, number, tally, roles=roles)
                begun += await scenario.upgrade((next_version.__file__,), scale(4, 1), beside=brought)
                await scenario.finish()
    figure(
        f"upgrades, {name}: {upgrades}, {tally}; ended {len(tally.ends)} times, {max(tally.ends):.1f} s after SIGTERM at"
        f" most (load {os.getloadavg()[0]:.0f})"
    )
    tally.check()
    tally.check_once()
    assert begun, "matches of one version went on"
    assert judged[2], "with the next"
