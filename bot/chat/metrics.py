"""What a process counts and measures of itself, for Prometheus. Each figure is declared here, and recorded where it arises.

    ACKNOWLEDGE.observe(0.012, "discord")   # label values come last, in the declared order

Until `collect` is called, nothing is kept, and the library need not be installed. Label values are few: never an id, a name
or what people write.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final

PREFIX: Final = "klop_"
_SHORT: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
_STORE: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.0)
_LONG: Final = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class _Figure:
    """A figure under its name, with the names of its labels; its class is called as the library's is."""

    def __init__(self, name: str, meaning: str, *labels: str, **more: Any) -> None:
        self._declared = (PREFIX + name, meaning, labels)
        self._more = more
        self._kept: Any = None
        _declared.append(self)

    def begin(self, library: ModuleType, registry: object) -> None:
        kind = getattr(library, type(self).__name__)
        self._kept = kind(*self._declared, registry=registry, **self._more)

    def _of(self, labels: Sequence[str]) -> Any:
        return self._kept.labels(*labels) if labels else self._kept


class Counter(_Figure):
    """A number that only grows."""

    def add(self, *labels: str, by: float = 1.0) -> None:
        """Count something."""
        if self._kept is not None:
            self._of(labels).inc(by)


class Gauge(_Figure):
    """A number that is set."""

    def set(self, value: float, *labels: str) -> None:
        """Set the number."""
        if self._kept is not None:
            self._of(labels).set(value)


class Histogram(_Figure):
    """Spans of time, counted by size: `buckets` are upper bounds in seconds."""

    def observe(self, seconds: float, *labels: str) -> None:
        """Count a span of time."""
        if self._kept is not None:
            self._of(labels).observe(seconds)

    @contextmanager
    def timed(self, *labels: str) -> Iterator[None]:
        """Count the time that the context lasts, also where it fails."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.observe(time.perf_counter() - began, *labels)


_declared: Final[list[_Figure]] = []

BUILD: Final = Gauge("build_info", "Always 1, labelled by the version", "version")
REQUESTS: Final = Counter(
    "requests_total", "Commands, presses and lines that were answered", "platform", "kind", "outcome"
)
REQUEST: Final = Histogram(
    "request_seconds", "From a request's turn to its answer", "platform", "kind", buckets=_SHORT
)
ACKNOWLEDGE: Final = Histogram(
    "acknowledge_seconds",
    "From receiving an update to confirming it to its platform",
    "platform",
    buckets=_SHORT,
)
STORE_CALL: Final = Histogram(
    "store_seconds", "Calls to the store, by the script they run", "script", buckets=_STORE
)
CONFLICTS: Final = Counter("store_conflicts_total", "Commits before which another commit came")
FACTS: Final = Counter("facts_total", "What happened in matches and events and was announced", "kind", "game")
UNTOLD: Final = Gauge("outgoing_pending", "Facts that are not announced yet")
UNTOLD_OLDEST: Final = Gauge("outgoing_oldest_seconds", "Age of the oldest fact that is not announced yet")
PLATFORM_REQUESTS: Final = Counter(
    "platform_requests_total", "Requests to the platforms", "platform", "route", "status"
)
LIMITED: Final = Counter(
    "platform_limited_seconds_total", "Seconds that platforms told the bot to wait", "platform", "scope"
)
UNREADABLE: Final = Counter(
    "unreadable_total", "What a platform brought and the bot cannot read: updates, inline cards", "platform"
)
CUT: Final = Counter("connections_cut_total", "Connections that gave way to new ones, at the bound of a port")
GATEWAY: Final = Gauge(
    "gateway_age_seconds", "Time since a connection last heard from its platform", "platform", "shard"
)
TIMERS_LATE: Final = Histogram(
    "timers_late_seconds", "How late timers were fired", buckets=(0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0)
)
MATCHES: Final = Gauge(
    "matches", "Matches and invitations that are not over; of many, an estimate", "game", "state"
)
FINISHED: Final = Counter(
    "matches_finished_total", "Matches that ended, and invitations that came to nothing", "game", "state"
)
JOBS_WAITING: Final = Gauge("jobs_queued", "Searches that wait for a worker", "class")
JOBS_TAKEN: Final = Gauge("jobs_acquired", "Searches that workers do now", "class")
JOBS_OLDEST: Final = Gauge("jobs_oldest_seconds", "Age of the search that waits longest", "class")
JOB: Final = Histogram("job_seconds", "From a search's turn to its answer", "game", "class", buckets=_LONG)
PICTURES: Final = Histogram("pictures_seconds", "From asking for a picture to having it", buckets=_SHORT)
PICTURES_CACHED: Final = Counter("pictures_cache_total", "Boards asked for, by whether they were kept", "hit")
LOOP_LAG: Final = Histogram(
    "loop_lag_seconds", "How late the event loop comes to what is due", buckets=_SHORT
)
BACKUP_AGE: Final = Gauge("backup_age_seconds", "Age of the last backup")
FINDINGS: Final = Gauge("verify_findings", "Damaged matches that the last `klop verify` found")


class StoreMeter:
    """Measures calls to the store; see `storage.client.connection.CallMeter`."""

    def called(self, what: str, seconds: float) -> None:
        """See `CallMeter`."""
        STORE_CALL.observe(seconds, what)

    def overtaken(self) -> None:
        """See `CallMeter`."""
        CONFLICTS.add()


def collect(version: str) -> Callable[[str], tuple[bytes, str]] | None:
    """Keep all figures from now on.

    Return a function from an `Accept` header to the figures as Prometheus reads them and their content type; None where
    prometheus-client is not installed.
    """
    try:
        import prometheus_client as library  # noqa: PLC0415 - an extra
        from prometheus_client.exposition import choose_encoder  # noqa: PLC0415
    except ImportError:
        return None
    registry = library.CollectorRegistry()
    library.ProcessCollector(registry=registry)
    for figure in _declared:
        figure.begin(library, registry)
    BUILD.set(1, version)

    def written(accept: str) -> tuple[bytes, str]:
        encode, kind = choose_encoder(accept)
        return encode(registry), kind

    return written
