from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
import redis
from redis.asyncio import BlockingConnectionPool, Redis, UnixDomainSocketConnection
from redis.exceptions import RedisClusterException

from play.errors import Unavailable
from storage.client import connection as client_connection
from storage.client.connection import Connection


async def test_a_cancellation_that_the_client_loses_still_ends_the_task() -> None:
    asked = asyncio.Event()

    async def loses_it(_: object) -> list[int]:
        asked.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return [1]
        return [0]

    async with Redis() as client:
        task = asyncio.create_task(Connection(client).ask((), to=loses_it))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


@pytest.mark.parametrize(
    "leaked", [AttributeError, KeyError, TypeError, OSError, RuntimeError, RedisClusterException]
)
async def test_what_redis_py_lets_slip_is_a_store_out_of_reach(leaked: type[Exception]) -> None:
    class Broken(BlockingConnectionPool):
        async def get_connection(self, *_: Any, **__: Any) -> Any:
            raise leaked("'NoneType' object has no attribute 'write'")

    with pytest.raises(Unavailable):
        await Connection(Redis.from_pool(Broken()), patience=0.05).command("PING")


async def test_errors_of_this_program_are_not_hidden() -> None:
    async def wrong(_: object) -> list[Any]:
        raise AttributeError

    async with Redis() as client:
        with pytest.raises(AttributeError):
            await Connection(client, patience=0.05).ask((), to=wrong)


async def test_redis_py_has_the_private_attributes_that_the_pipeline_uses() -> None:
    connection = UnixDomainSocketConnection(path="/nowhere")
    missing = [name for name in client_connection.PRIVATE if not hasattr(connection, name)]
    assert not missing, f"redis-py {redis.__version__} renamed {missing}: adapt storage/client/connection.py"


def test_the_pipeline_uses_no_other_private_attributes_of_redis_py() -> None:
    source = Path(client_connection.__file__).read_text("utf-8")
    assert set(re.findall(r"self\._connection\.(_\w+)", source)) == set(client_connection.PRIVATE)
    assert re.findall(r"_pool\._\w+", source) == []
