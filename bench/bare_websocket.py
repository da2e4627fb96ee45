"""`python -m bench.bare_websocket PORT`: a server that returns what it is sent, as the floor of the page's."""

from __future__ import annotations

import sys

from aiohttp import web


async def _echo(request: web.Request) -> web.WebSocketResponse:
    socket = web.WebSocketResponse(compress=False)
    await socket.prepare(request)
    async for message in socket:
        await socket.send_str(message.data)
    return socket


if __name__ == "__main__":
    app = web.Application()
    app.router.add_get("/w", _echo)
    web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None)
