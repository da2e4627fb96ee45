"""What every test has: no network beyond this machine, and the stores for those that ask."""

from __future__ import annotations

import signal
import sys

import pytest
from pytest_socket import socket_allow_hosts

from tests.support.stores import (
    cluster_client,
    embedded_client,
    proxy,
    redis_client,
    redis_cluster,
    redis_server,
    store,
)

__all__ = [
    "cluster_client",
    "embedded_client",
    "proxy",
    "redis_client",
    "redis_cluster",
    "redis_server",
    "store",
]

# The checks of games are modules of their own: pytest is told to explain their asserts too, before any test imports them.
pytest.register_assert_rewrite(*(f"tests.rules.{name}" for name in ("catalogues", "conformance", "lines")))

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Shells have what they start in the background ignore interrupts, and all its children too: bots among them.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seeds", type=int, help="how many seeds each proof of reliability tries")


def pytest_runtest_setup() -> None:
    """Unix sockets and the loopback are all that a test may connect to."""
    socket_allow_hosts(["127.0.0.1", "::1"], allow_unix_socket=True)


@pytest.fixture(autouse=True)
def _no_progress_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loaded machine would show bars where an idle one shows none: there are some in tests of bars only."""
    if (progress := sys.modules.get("bot.features.analysis.commands")) is not None:
        monkeypatch.setattr(progress, "EVERY", 3600.0)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the figures of the proofs, whether they held or not."""
    figures = [
        str(line)
        for kind in ("passed", "failed")
        for report in terminalreporter.getreports(kind)
        for name, line in report.user_properties
        if name == "figure"
    ]
    if figures:
        terminalreporter.section("figures")
    for line in figures:
        terminalreporter.write_line(line)
