"""The imitated hosts speak as the official SDKs expect."""

from __future__ import annotations

from tests.bot.page.sdks import HOSTS, RECORDED


def test_the_sdks_understand_the_imitated_hosts() -> None:
    assert RECORDED["hosts"] == HOSTS, "record anew what the SDKs make of them"
    discord, telegram = HOSTS["discord"], HOSTS["telegram"]
    understood = RECORDED["understood"]
    assert understood["ready"] is True
    assert understood["authorize"] == discord["authorize"][1]["data"]
    assert understood["refused"]["error"] == discord["refused"][1]["data"]
    assert understood["theme_changed"] == telegram["theme_changed"]["eventData"]
