"""The server: REST version 10 and the gateway on one port of the loopback, with everything written down that it is asked.

Every request is held against the published limits (`limits`), in every test: `close` fails if one went beyond them. What
goes wrong on purpose is put into `faults`.
"""

from __future__ import annotations

import asyncio
import json
import re
from types import TracebackType
from typing import Any, Final, Self

from aiohttp import BodyPartReader, web

from tests.platforms.discord.gateway import Fault
from tests.platforms.discord.limits import problems
from tests.platforms.discord.rest import ACKNOWLEDGED_WITHIN, ROUTES, TOKEN, Files, Refusal, Request, Rest

_VERSION: Final = "/api/v10"


class Discord(Rest):
    """Discord, as far as a bot can tell."""

    _runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """Where the API is."""
        return f"{self.origin}{_VERSION}"

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_get("/gateway/", self.gateway.serve)
        app.router.add_get("/attachments/{name}", self._attachment)
        app.router.add_route("*", _VERSION + "/{tail:.*}", self._serve)
        self._runner = web.AppRunner(app, handle_signals=False, shutdown_timeout=1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port = self._runner.addresses[0][1]
        self.origin = f"http://127.0.0.1:{port}"
        self.gateway.url = f"ws://127.0.0.1:{port}/gateway/"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.gather(*self.bringing)
        await self.posting.close()
        await self.gateway.close()
        assert self._runner is not None
        await self._runner.cleanup()
        if kind is None:
            assert not self.faults_of_the_bot, self.faults_of_the_bot

    @property
    def faults_of_the_bot(self) -> list[str]:
        """Everything that it must not do, and did."""
        late = [
            f"interaction {each.kind} of {each.user.name} acknowledged after {each.acked - each.sent:.1f} s"
            for each in self.interactions.values()
            if each.acked is not None and each.acked - each.sent > ACKNOWLEDGED_WITHIN
        ]
        return [*self.wrong, *self.gateway.wrong, *late]

    def asked(self, method: str, path: str) -> list[Request]:
        """The requests of a kind."""
        return [each for each in self.requests if each.method == method and re.fullmatch(path, each.path)]

    # --- REST

    async def _attachment(self, request: web.Request) -> web.Response:
        return web.Response(body=self.cdn[request.match_info["name"]])

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        path = request.path.removeprefix(_VERSION)
        payload, files = await _read(request)
        fault = self._fault(request.method, path)
        wrong = problems(request.method, path, payload, files)
        self.wrong += [f"{request.method} {path}: {each}" for each in wrong]
        public = path.startswith(("/interactions/", "/webhooks/"))
        if fault is not None and not fault.after:
            return await self._fail(request, path, payload, files, fault)
        if unverified := await self._unverified(request.method, path, payload):
            wrong.append(f"{unverified}: the URL could not be verified")
        if not public and request.headers.get("Authorization") != f"Bot {TOKEN}":
            status, body = _refused(Refusal(401, 0, "401: Unauthorized"))
        elif wrong:
            status, body = _refused(Refusal(400, 50035, f"Invalid Form Body: {wrong}"))
        else:
            status, body = self._done(request.method, path, payload, files)
        if fault is not None:
            return await self._fail(request, path, payload, files, fault)
        self._note(request.method, path, payload, files, status)
        limits = {"Limit": "1000", "Remaining": "999", "Reset-After": "1", "Reset": "9999999999"}
        limits["Bucket"] = re.sub("[0-9]{5,}", "", f"{request.method}{path}")[:60]
        headers = {f"X-RateLimit-{name}": value for name, value in limits.items()}
        if status == 204:
            return web.Response(status=204, headers=headers)
        return _json(body, status, headers)

    async def _unverified(self, method: str, path: str, payload: Any) -> str | None:
        """Return the first setting of the application that names a URL which does not answer as Discord wants."""
        if (method, path) != ("PATCH", "/applications/@me"):
            return None
        for setting, ping in (("interactions_endpoint_url", 1), ("event_webhooks_url", 0)):
            if payload.get(setting) and not await self.posting.verified(ping):
                return setting
        return None

    async def _fail(
        self, request: web.Request, path: str, payload: Any, files: Files, fault: Fault
    ) -> web.StreamResponse:
        self._note(request.method, path, payload, files, fault.status or 0)
        if fault.status is None:
            assert request.transport is not None
            request.transport.close()
            return web.Response(status=500)
        body = fault.body if fault.body is not None else {"message": "it went wrong", "code": fault.code}
        return _json(body, fault.status, fault.headers)

    def _fault(self, method: str, path: str) -> Fault | None:
        for fault in self.faults:
            if fault.method in (method, "*") and re.fullmatch(fault.path, path):
                fault.times -= 1
                if fault.times <= 0:
                    self.faults.remove(fault)
                return fault
        return None

    def _note(self, method: str, path: str, payload: Any, files: Files, status: int) -> None:
        at = asyncio.get_running_loop().time()
        self.requests.append(Request(method, path, payload, tuple(files), status, at))
        self.moved()

    def _done(self, method: str, path: str, payload: Any, files: Files) -> tuple[int, Any]:
        for known, pattern, answers in ROUTES:
            if known == method and (found := pattern.fullmatch(path)):
                try:
                    body = answers(self, payload, files, *found.groups())
                except Refusal as refusal:
                    return _refused(refusal)
                return (204 if body is None else 200), body
        return _refused(Refusal(404, 0, "404: Not Found"))


def _json(body: Any, status: int, headers: dict[str, str]) -> web.Response:
    """As Discord sends it: the type says nothing of a character set."""
    text = json.dumps(body).encode()
    return web.Response(body=text, status=status, headers={**headers, "Content-Type": "application/json"})


def _refused(refusal: Refusal) -> tuple[int, Any]:
    return refusal.status, {"message": refusal.message, "code": refusal.code}


async def _read(request: web.Request) -> tuple[Any, list[tuple[str, bytes]]]:
    if not request.content_type.startswith("multipart/"):
        body = await request.text()
        return (json.loads(body) if body else None), []
    payload, files = None, dict[int, tuple[str, bytes]]()
    async for part in await request.multipart():
        assert isinstance(part, BodyPartReader)
        name, content = part.name, await part.read(decode=False)
        if name == "payload_json":
            payload = json.loads(content)
        elif found := re.fullmatch(r"files\[([0-9]+)\]", name or ""):
            files[int(found[1])] = (part.filename or "", bytes(content))
    return payload, [files[index] for index in sorted(files)]
