"""Answers `/healthz`, `/readyz` and `/metrics`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Final, TypeAlias

from aiohttp import web

from bot.config import ListenAddress
from bot.health.checks import Check, Checks, Pulse
from bot.health.sampling import Sampler
from bot.listening import Bounds, listen

_BOUNDS: Final = Bounds(most_open=20, headers_within=10.0)
_NO_METRICS: Final = "prometheus-client is not installed: pip install 'klop[metrics]'\n"

Written: TypeAlias = Callable[[str], tuple[bytes, str]]
"""Writes the figures; see `bot.metrics.collect`."""


class HealthServer:
    """Serves probes and Prometheus. Without `written` there are no figures."""

    def __init__(self, pulse: Pulse, checks: Checks, sampler: Sampler, written: Written | None) -> None:
        self._pulse = pulse
        self._checks = checks
        self._sampler = sampler
        self._written = written

    async def run(self, address: ListenAddress) -> None:
        """Listen until cancelled; raises `CannotListen`."""
        app = web.Application()
        app.router.add_get("/healthz", self._alive)
        app.router.add_get("/readyz", self._ready)
        app.router.add_get("/metrics", self._metrics)
        await listen(app, address, _BOUNDS)

    async def _alive(self, _request: web.Request) -> web.Response:
        return _said([self._pulse.check()])

    async def _ready(self, _request: web.Request) -> web.Response:
        return _said([self._pulse.check(), *await self._checks.ready()])

    async def _metrics(self, request: web.Request) -> web.Response:
        if self._written is None:
            return web.Response(status=HTTPStatus.NOT_IMPLEMENTED, text=_NO_METRICS)
        await self._sampler.sample()
        body, kind = self._written(request.headers.get("Accept", ""))
        return web.Response(body=body, headers={"Content-Type": kind})


def _said(checks: Sequence[Check]) -> web.Response:
    """Return a line for each check: 200 if all is well, else 503."""
    well = all(check.well for check in checks)
    lines = [f"{'ok' if check.well else '!!'} {check.line}\n" for check in checks]
    return web.Response(status=HTTPStatus.OK if well else HTTPStatus.SERVICE_UNAVAILABLE, text="".join(lines))
