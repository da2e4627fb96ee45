"""The way of a move through the processes, as OpenTelemetry spans: request, commit, sending, and an engine's turn.

    with tracing.span("send discord", "CONSUMER", attributes, of=bundle.traces):   # a child of what another process did
        put(..., tracing.carried())   # what the next process is to name in `of`

Until `start` is called, nothing is kept, and the library need not be installed. The SDK is configured by its own variables of
the environment. Attributes name matches and platforms, never people or chats, nor what they write; so no exception's text.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

FLUSH: Final = 1.5
"""Seconds at most in which the last spans are sent when a process ends; the SDK would wait 30."""

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")

_log: Final = logging.getLogger(__name__)

Kind: TypeAlias = Literal["INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"]
"""What a span is in its trace: a member of OpenTelemetry's `SpanKind`."""

Attributes: TypeAlias = Mapping[str, str | int]
"""What is said of a span, named by OpenTelemetry's conventions, or after `klop.`."""


class _Tracing:
    """The library, once it is used."""

    def __init__(self, provider: TracerProvider) -> None:
        from opentelemetry import context, trace  # noqa: PLC0415 - an extra
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415

        self.provider = provider
        self._context = context
        self._trace = trace
        self._tracer = provider.get_tracer("klop")
        self._propagator = TraceContextTextMapPropagator()

    @contextmanager
    def span(
        self, name: str, kind: Kind, attributes: Attributes | None, of: Sequence[str] | None
    ) -> Iterator[None]:
        trace, links = self._trace, []
        parent: Context | None = None
        if of is not None:
            *earlier, parent = [self._read(each) for each in dict.fromkeys(of) if each] or [self._read("")]
            links = [trace.Link(trace.get_current_span(each).get_span_context()) for each in earlier]
        with self._tracer.start_as_current_span(
            name,
            parent,
            trace.SpanKind[kind],
            attributes,
            links,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield
            except BaseException as failed:
                span.set_status(trace.StatusCode.ERROR)
                span.set_attribute("error.type", type(failed).__qualname__)
                raise

    @contextmanager
    def within(self, carried: str) -> Iterator[None]:
        token = self._context.attach(self._read(carried))
        try:
            yield
        finally:
            self._context.detach(token)

    def carried(self) -> str:
        carrier: dict[str, str] = {}
        self._propagator.inject(carrier)
        return carrier.get("traceparent", "")

    def note(self, name: str, value: str | int) -> None:
        self._trace.get_current_span().set_attribute(name, value)

    def _read(self, carried: str) -> Context:
        return self._propagator.extract({"traceparent": carried}, self._context.Context())


_tracing: _Tracing | None = None


def span(
    name: str, kind: Kind, attributes: Attributes | None = None, *, of: Sequence[str] | None = None
) -> AbstractContextManager[None]:
    """Return a context whose time is a span.

    Args:
        name: Of the operation; few different ones.
        kind: What it is in its trace.
        attributes: What is said of it.
        of: What entries of a stream carried that led to it, the newest last, which is its parent; the others are links. With
            none, it begins a trace. None: its parent is the span in which it is opened.
    """
    return nullcontext() if _tracing is None else _tracing.span(name, kind, attributes, of)


def within(carried: str) -> AbstractContextManager[None]:
    """Return a context whose spans belong to what an entry of a stream carried; without that, they begin traces."""
    return nullcontext() if _tracing is None else _tracing.within(carried)


def carried() -> str:
    """Return what an entry of a stream carries to the process that reads it: a W3C `traceparent`; empty where nothing is traced."""
    return "" if _tracing is None else _tracing.carried()


def note(name: str, value: str | int) -> None:
    """Add an attribute to the span that is open."""
    if _tracing is not None:
        _tracing.note(name, value)


def messaging(
    operation: Literal["send", "process"], stream: str, subject_id: str = "", revision: int = 0
) -> dict[str, str | int]:
    """Return the attributes of a span that adds to a stream of the store, or handles what it holds.

    Args:
        operation: Which of both.
        stream: `out` or `jobs`.
        subject_id: The match or event that it is about, if it is about one.
        revision: That one's right after it.
    """
    said: dict[str, str | int] = {
        "messaging.system": "redis",
        "messaging.operation.type": operation,
        "messaging.operation.name": operation,
        "messaging.destination.name": f"klop:{stream}",
    }
    if subject_id:
        said |= {"messaging.message.conversation_id": subject_id, "klop.match.revision": revision}
    return said


def start(version: str, roles: Sequence[str]) -> bool:
    """Send spans from now on, if the environment names a collector; return whether they are sent."""
    if not _wanted(os.environ):
        return False
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError:
        _log.warning("traces are not sent: pip install 'klop[otel]'")
        return False
    try:
        processor = BatchSpanProcessor(OTLPSpanExporter())
    except ValueError as bad:
        _log.error("traces are not sent, a variable OTEL_… has a bad value: %s", bad)
        return False
    begin(processor, {"service.name": "klop", "service.version": version, "klop.role": ",".join(roles)})
    return True


def begin(processor: SpanProcessor, about: Attributes) -> None:
    """Give spans to a processor from now on, with what is said of this process; the environment wins."""
    global _tracing  # noqa: PLW0603 - one for the process, as the figures of `bot.metrics` are
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415

    resource = Resource.create({**about, **OTELResourceDetector().detect().attributes})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(processor)
    _tracing = _Tracing(provider)


async def stop() -> None:
    """Keep no more spans, and send the last ones, for `FLUSH` seconds at most."""
    global _tracing  # noqa: PLW0603
    if _tracing is None:
        return
    # A thread that the interpreter's end does not wait for: a collector may not answer.
    ending = threading.Thread(target=_tracing.provider.shutdown, name="last spans", daemon=True)
    _tracing = None
    ending.start()
    await asyncio.to_thread(ending.join, FLUSH)


def _wanted(environment: Mapping[str, str]) -> bool:
    exporters = environment.get("OTEL_TRACES_EXPORTER") or "otlp"
    disabled = environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    return any(map(environment.get, _ENDPOINTS)) and "otlp" in exporters.split(",") and not disabled
