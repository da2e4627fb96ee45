"""A bot whose roles are processes of their own, each of them killed: no move is lost, doubled or left unannounced."""

from __future__ import annotations

import os
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from play.match import Match
from storage.records import codec
from tests.reliability.chats import Telegram, discord, telegram
from tests.reliability.conftest import Figure, Scale
from tests.reliability.split import SplitScenario
from tests.reliability.tally import Tally
from tests.support import next_version
from tests.support.next_version import READS
from tests.support.servers import redis_server

ROLES: Final = {
    "discord": (discord, False, ("gateway", "sender")),
    "telegram": (telegram, False, ("gateway", "sender")),
    "webhook": (telegram, True, ("webhook", "sender")),
}


@pytest.mark.parametrize("name", ROLES)
async def test_each_process_is_killed(name: str, scale: Scale, figure: Figure, tmp_path: Path) -> None:
    connect, brought, roles = ROLES[name]
    tally, kills = Tally(), scale(50, 2)
    with redis_server(tmp_path / "server") as server:
        async with connect() as platform:
            if isinstance(platform, Telegram) and brought:
                platform.bring(in_order=True)
            scenario = SplitScenario(platform, server, tmp_path / "bot", 1, tally, roles=roles)
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
    with redis_server(tmp_path / "server") as server:
        for number in range(upgrades):
            async with connect() as platform:
                if isinstance(platform, Telegram) and brought:
                    platform.bring(in_order=True)
                where = tmp_path / f"bot{number}"
                scenario = SplitScenario(platform, server, where, number, tally, roles=roles)
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
