"""What the processes of a bot are made of, by their roles: one process with all of them, or several on one store."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from bot.app.health import Checks, HealthServer, LoopMonitor, Notifier, Sampler
from bot.app.supervisor import Part, StopSignal, Supervisor
from bot.chat.clockwork import BEAT, Clockwork
from bot.chat.metrics import StoreMeter, collect
from bot.chat.periodic import StoreClock, periodically
from bot.chat.pictures import REMEDY as PAINTER_REMEDY
from bot.chat.pictures import Pictures
from bot.chat.sending import Sender
from bot.chat.sending.attention import CALLS_EVERY
from bot.chat.sending.delivery import Delivery
from bot.chat.sending.ports import Courier
from bot.chat.thinking import Thinker
from bot.chat.thinking.pool import REMEDY, Pool, RemoteSolver, RemoteWorker
from bot.chat.thinking.seats import EngineProgram, Seats
from bot.config import Config
from bot.features.commands import REGISTRY
from bot.platforms import CHATS, INTEGRATIONS
from bot.platforms.platform import Platform, PlatformServices, WebServer
from bot.version import version
from play.ports import SystemChance
from play.table import Table
from rules import GAMES
from storage import RedisStore, open_store
from storage.maintenance.retention import LOOK, LOOK_AGAIN, rewrite_if_due, sweep_if_due
from storage.redis.upkeep import RedisFigures

_HEALTH_REMEDY = "the bot goes on without probes and figures"
_PLATFORM_REMEDY = "if it goes on, update Klop and report the traceback; the other platforms are not affected"
_PAGE_REMEDY = "matches go on in the chats meanwhile"


LocalRoom: TypeAlias = Callable[
    [PlatformServices, Sequence[Part], WebServer | None], Coroutine[Any, Any, None]
]
"""Serves the local room, with the other parts behind it, until the person leaves."""


async def run_roles(config: Config, store: RedisStore, stop: StopSignal, local_room: LocalRoom) -> None:
    """Do what the roles of this process say on its store; with all of them and without a token, serve the local room."""
    loading = asyncio.create_task(
        asyncio.to_thread(lambda: [chat.adapter() for chat in CHATS if chat.is_served(config)])
    )
    clock, pool = StoreClock(), Pool(config.workers or None)
    thinker = searching(config, store, pool)
    pictures = Pictures(memory=config.picture_memory << 20)
    table = Table(store, GAMES, SystemChance())
    services = PlatformServices(config, table, store, clock, pictures, thinker)
    behind = await _timekeeping(services, store, clock)
    if thinker and config.does("sender"):
        programs = {name: EngineProgram(name, words) for name, words in (config.engines or {}).items()}
        seats = Seats(services.table, store, thinker, clock, programs=programs)
        services = replace(services, seats=seats)
        behind.append(Part("engines at the table", seats.run))
    behind.append(Part("the painter", services.pictures.run, PAINTER_REMEDY))
    if thinker:
        behind.append(Part("the worker pool", pool.run, REMEDY))
    room = next(filter(None, (each.room(config) for each in INTEGRATIONS)), None)
    page = next(filter(None, (each.server(services, room) for each in INTEGRATIONS)), None)
    if page:
        behind.append(Part("the page", page.run, _PAGE_REMEDY, needed=False))
    platforms = [adapter(services) for adapter in await loading]
    behind += watching(config, store, platforms, thinker)
    try:
        if platforms or config.role != ("all",):
            await _serve(services, platforms, behind, stop)
        else:
            await local_room(services, behind, page)
    finally:
        services.pictures.close()
        if services.seats:
            await services.seats.close()
        if thinker:
            await thinker.close()


async def _timekeeping(services: PlatformServices, store: RedisStore, clock: StoreClock) -> list[Part]:
    """The bot is up while requests are taken: the processes that take them fire the timers."""
    config, clockwork = services.config, Clockwork(services.table, store, clock=clock)
    if not (config.does("gateway") or config.does("webhook")):
        await clockwork.look()
        return [_periodic("the clock", clockwork.look, BEAT.total_seconds())]
    await clockwork.beat()
    return [
        Part("the clockwork", clockwork.run),
        _periodic("rewriting the append-only file", partial(rewrite_if_due, store), LOOK_AGAIN),
        *([_periodic("the archive", partial(sweep_if_due, store), LOOK)] if store.archive else []),
    ]


def _periodic(name: str, step: Callable[[], Awaitable[object]], pause: float) -> Part:
    return Part(name, partial(periodically, step, pause, asyncio.sleep, name))


async def _serve(
    services: PlatformServices, platforms: Sequence[Platform], behind: Sequence[Part], stop: StopSignal
) -> None:
    couriers = [platform.courier for platform in platforms]
    sender = make_sender(services, couriers) if services.config.does("sender") else None

    async def finish() -> None:
        await asyncio.gather(*(platform.finish() for platform in platforms))
        if sender:
            await sender.finish()

    alone = len(platforms) == 1
    await Supervisor().run(
        [
            *([Part("the sender", sender.run), *periodic_parts(services, couriers)] if sender else []),
            *behind,
            *(Part(each.name, each.run, _PLATFORM_REMEDY, needed=alone) for each in platforms),
        ],
        stop,
        finish,
    )


def make_sender(services: PlatformServices, couriers: Sequence[Courier]) -> Sender:
    """Return what delivers the messages of the outgoing stream."""
    store = services.store
    return Sender(
        store.outgoing(),
        store.bucket(),
        services.composer,
        couriers,
        now=store.now,
        also=services.hooks(),
        attention=services.attention,
    )


def periodic_parts(services: PlatformServices, couriers: Sequence[Courier]) -> list[Part]:
    """Return what is done beside the sender: by features, and calls of players whose board changed in place."""
    store = services.store
    delivery = Delivery(
        store.outgoing(), store.bucket(), services.composer, now=store.now, sleep=asyncio.sleep
    )
    served = {courier.platform: courier for courier in couriers}
    return [
        _periodic("calls of players", services.attention.call, CALLS_EVERY),
        *(
            _periodic(name, partial(step, services, delivery, served), pause)
            for name, pause, step in REGISTRY.periodic
        ),
    ]


def searching(config: Config, store: RedisStore, here: Pool) -> Thinker | None:
    """Return what runs searches: workers here, and elsewhere while there are any; None without engines."""
    if config.workers_elsewhere:
        return Thinker(RemoteSolver(store.jobs(), here, store.now, config.workers_elsewhere))
    return None if config.workers == 0 else Thinker(here)


def watching(
    config: Config, store: RedisStore, platforms: Sequence[Platform] = (), thinker: Thinker | None = None
) -> list[Part]:
    """Return what shows whether a process is well: to probes and Prometheus if it is configured, and to systemd if that started it."""
    checks = Checks(RedisFigures(store.connection), platforms, announces=config.does("sender"))
    loop = LoopMonitor()
    found: list[Part] = []
    if config.metrics_address is not None:
        written = collect(version())
        if written is not None:
            store.connection.meter = StoreMeter()
        server = HealthServer(loop, checks, Sampler(store, checks, thinker), written)
        found.append(Part("the monitor of the loop", loop.run))
        serve = partial(server.run, config.metrics_address)
        found.append(Part("health and metrics", serve, _HEALTH_REMEDY, needed=False))
    if (notifier := Notifier.from_environment()) is not None:

        async def ready() -> bool:
            return await checks.look() is not None  # not the platforms: a boot must not wait for them

        found.append(Part("notifications to systemd", partial(notifier.run, ready)))
    return found


async def run_engine(config: Config) -> None:
    """Run the searches of the bots that share the store, until cancelled."""
    async with open_store(config.store_url, config.data, waits=True) as store:
        pool = Pool(config.workers or None)
        try:
            worker = RemoteWorker(store.jobs(), pool, store.now)
            await Supervisor().run(
                [
                    Part("the worker", worker.run),
                    Part("the worker pool", pool.run, REMEDY),
                    *watching(config, store),
                ]
            )
        finally:
            await pool.close()
