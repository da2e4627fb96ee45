"""What the processes of a bot are made of, and the two that serve no platform: searches alone, and the board page alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from bot.clockwork import StoreClock, TimeKeeper
from bot.commands import REGISTRY
from bot.config import Config
from bot.desk.context import Resources
from bot.desk.desk import Desk
from bot.health import Checks, HealthServer, Notifier, Pulse, Sampler
from bot.metrics import StoreMeter, collect
from bot.on_console.line_parser import place
from bot.page.server import PageServer
from bot.pictures import REMEDY as PAINTER_REMEDY
from bot.pictures import Pictures
from bot.platform import Platform, Services
from bot.sender.composer import Composer
from bot.supervisor import Part, Supervisor
from bot.thinking import Thinker
from bot.thinking.pool import REMEDY, Pool
from bot.thinking.remote import RemoteSolver, RemoteWorker
from bot.version import version
from play.randomness import SystemChance
from play.table import Table
from rules import GAMES
from storage import RedisStore, open_store
from storage.redis.figures import RedisFigures

_HEALTH_REMEDY = "check KLOP_METRICS_LISTEN; the bot goes on without probes and figures"
_PAGE_REMEDY = "check KLOP_PAGE_LISTEN; matches go on in the chats meanwhile"


def assemble(config: Config, store: RedisStore, clock: StoreClock, thinker: Thinker | None) -> Services:
    """Return the services of a process; in none of them engines have seats."""
    table, pictures = Table(store, GAMES, SystemChance()), Pictures(memory=config.picture_memory << 20)
    resources = Resources(
        table,
        store,
        config.language,
        pictures=pictures,
        thinker=thinker,
        engines=frozenset(config.engines or {}),
        page=config.page_url,
    )
    return Services(
        config=config,
        table=table,
        store=store,
        desk=Desk(REGISTRY, resources, clock),
        composer=Composer(table, config.language, clock),
        now=clock,
        language=config.language,
        pictures=pictures,
        thinker=thinker,
    )


def searching(config: Config, store: RedisStore, here: Pool) -> Thinker | None:
    """Return what runs searches: workers here, and elsewhere while there are any; None without engines."""
    if config.workers == 0 and not config.workers_elsewhere:
        return None
    if not config.workers_elsewhere:
        return Thinker(here)
    return Thinker(RemoteSolver(store.jobs(), here, store.now, config.workers_elsewhere))


def watching(
    config: Config,
    store: RedisStore,
    platforms: Sequence[Platform] = (),
    thinker: Thinker | None = None,
    *,
    announces: bool = False,
) -> list[Part]:
    """Return what shows whether a process is well: to probes and Prometheus if it is configured, and to systemd if that started it."""
    checks, pulse = Checks(RedisFigures(store.connection), platforms, announces=announces), Pulse()
    found: list[Part] = []
    if config.metrics_address is not None:
        written = collect(version())
        if written is not None:
            store.connection.meter = StoreMeter()
        server = HealthServer(pulse, checks, Sampler(store, checks, thinker), written)
        found.append(Part("the pulse", pulse.run))
        found.append(Part("health and metrics", partial(server.run, *config.metrics_address), _HEALTH_REMEDY))
    if (notifier := Notifier.from_environment()) is not None:

        async def ready() -> bool:
            return await checks.look() is not None  # not the platforms: a boot must not wait for them

        found.append(Part("notifications to systemd", partial(notifier.run, ready)))
    return found


def page_server(services: Services) -> PageServer | None:
    """Return what serves the board page, if this process is to."""
    config = services.config
    if config.page_url is None or config.page_address is None:
        return None
    return PageServer(services, url=config.page_url, room=place(config.room), proxies=config.page_proxies)


def parts(services: Services, pool: Pool, page: PageServer | None) -> list[Part]:
    """Return the parts that all processes have which answer people."""
    found = [Part("the painter", services.pictures.run, PAINTER_REMEDY)]
    if services.thinker is not None:
        found.append(Part("the worker pool", pool.run, REMEDY))
    address = services.config.page_address
    if page is not None and address is not None:
        found.append(Part("the page", partial(page.run, *address), _PAGE_REMEDY))
    return found


async def close(services: Services) -> None:
    """Free what the services of a process hold."""
    services.pictures.close()
    if services.seats:
        await services.seats.close()
    if services.thinker:
        await services.thinker.close()


async def run_page(config: Config) -> None:
    """Serve the board page of the bots that share the store, until cancelled."""
    async with open_store(config.store_url, config.data) as store:
        pool, clock = Pool(config.workers or None, config.worker_memory), StoreClock()
        services = assemble(config, store, clock, searching(config, store, pool))
        keeper = TimeKeeper(services.table, store, clock)
        await keeper.look()
        page = page_server(services)
        try:
            await Supervisor().run(
                [
                    Part("the clock", keeper.run),
                    *parts(services, pool, page),
                    *watching(config, store, thinker=services.thinker),
                ]
            )
        finally:
            await close(services)


async def run_engine(config: Config) -> None:
    """Run the searches of the bots that share the store, until cancelled."""
    async with open_store(config.store_url, config.data) as store:
        pool = Pool(config.workers or None, config.worker_memory)
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
