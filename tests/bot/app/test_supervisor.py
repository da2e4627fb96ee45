"""The supervisor, and the log: parts that fail are started again, and no secret is logged."""

from __future__ import annotations

import asyncio
import logging
import string
from collections.abc import Iterator
from itertools import pairwise

import pytest
import structlog
from hypothesis import example, given
from hypothesis import strategies as st

from bot.app import logs
from bot.app.logs import AGAIN, Seldom, configure, hide, redact
from bot.app.roles import periodic_parts
from bot.app.supervisor import FINISH, STEADY, Part, StopSignal, Supervisor
from bot.chat.receiving import Receiver
from bot.chat.sending.attention import CALLS_AFTER, CALLS_EVERY, Attention
from bot.platforms.platform import CannotConnect
from play.ports import SystemChance
from play.table import Table
from rules import GAMES
from storage.ports import Update
from tests.support.memory import MemoryStore
from tests.support.services import services
from tests.support.waiting import now, play

# The supervisor: a part that fails is started again, alone, with growing pauses.


class Failing:
    """A part that fails after so many seconds of each run; by the loop's clock, when it was started."""

    def __init__(self, lasts: float = 0.0, failure: Exception | None = None) -> None:
        self.lasts = lasts
        self.failure = failure or KeyError("d")
        self.starts: list[float] = []

    async def run(self) -> None:
        self.starts.append(asyncio.get_running_loop().time())
        await asyncio.sleep(self.lasts)
        raise self.failure


def served(seconds: float, *parts: Part) -> None:
    async def main() -> None:
        try:
            async with asyncio.timeout(seconds):
                await Supervisor().run(parts)
        except TimeoutError:
            pass

    play(main())


def test_calls_that_are_due_are_looked_for_every_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[float] = []

    async def call(_attention: Attention) -> None:
        looks.append(asyncio.get_running_loop().time())

    monkeypatch.setattr(Attention, "call", call)
    store = MemoryStore()
    parts = periodic_parts(services(Table(store, GAMES, SystemChance()), store, store.clock), [])
    served(CALLS_AFTER.total_seconds(), *(part for part in parts if part.name == "calls of players"))
    assert {later - earlier for earlier, later in pairwise(looks)} == {CALLS_EVERY}


def test_a_part_is_started_again_with_growing_pauses(caplog: pytest.LogCaptureFixture) -> None:
    failing = Failing()
    served(20, Part("the sender", failing.run, "look at the log"))
    assert [b - a for a, b in pairwise(failing.starts)] == [0.5, 1, 2, 4, 8]
    assert "the sender is started again in 0.5 s; look at the log" in caplog.text


def test_a_part_that_ran_for_long_is_started_again_soon() -> None:
    failing = Failing(lasts=STEADY)
    served(4 * STEADY, Part("the sender", failing.run))
    assert [b - a for a, b in pairwise(failing.starts)] == [STEADY + 0.5] * 3


def test_the_other_parts_go_on() -> None:
    failing, steady = Failing(), Failing(lasts=1000)
    served(100, Part("discord", failing.run), Part("telegram", steady.run))
    assert len(steady.starts) == 1


def test_a_token_rejected_at_the_start_or_of_the_only_platform_ends_the_bot() -> None:
    rejected = CannotConnect("Discord", "DISCORD_TOKEN")
    steady = Failing(lasts=10_000)
    for lasts, needed in ((1, False), (2 * STEADY, True)):
        with pytest.raises(CannotConnect):
            served(1000, Part("discord", Failing(lasts, rejected).run, needed=needed), Part("x", steady.run))


def test_a_token_rejected_later_stops_no_other_platform(caplog: pytest.LogCaptureFixture) -> None:
    failing = Failing(2 * STEADY, CannotConnect("Discord", "DISCORD_TOKEN"))
    served(1000, Part("discord", failing.run, needed=False), Part("telegram", Failing(10_000).run))
    assert len(failing.starts) > 3
    assert "discord cannot run with DISCORD_TOKEN as it is set" in caplog.text


def test_a_receiver_that_runs_again_handles_what_it_had_begun() -> None:
    handled: list[str] = []

    async def main() -> None:
        store = MemoryStore(now)

        async def handle(update: Update, last: bool) -> None:
            handled.append(update.id)
            if len(handled) == 1:
                await asyncio.Event().wait()

        receiver = Receiver(store.inbox("telegram"), handle)
        await receiver.accept([Update("1", "chat", "ann", b"{}"), Update("2", "chat", "ann", b"{}")])
        for _ in range(2):
            running = asyncio.create_task(receiver.run())
            await asyncio.sleep(1)
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        assert not await store.inbox("telegram").backlog()

    play(main())
    assert handled == ["1", "1", "2"]


def stopped(lasts: float, *signals: float) -> tuple[float, list[str]]:
    """Return when a process ends that gets signals at some seconds and needs so long to finish, and what happened to it."""
    seen: list[str] = []

    async def finish() -> None:
        seen.append("finishes")
        await asyncio.sleep(lasts)
        seen.append("finished")

    async def serve() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            seen.append("closed")

    async def main() -> float:
        loop = asyncio.get_running_loop()

        async def process() -> None:
            stop = StopSignal()
            for at in signals:
                loop.call_later(at, stop)
            await Supervisor().run([Part("the sender", serve)], stop, finish)

        began = loop.time()
        await asyncio.gather(asyncio.create_task(process()), return_exceptions=True)
        return loop.time() - began

    return play(main()), seen


def test_what_was_taken_is_finished_before_all_is_closed() -> None:
    assert stopped(2, 10) == (12, ["finishes", "finished", "closed"])


def test_what_is_not_finished_in_time_is_left_to_others() -> None:
    assert stopped(60, 10) == (10 + FINISH, ["finishes", "closed"])


def test_a_second_signal_ends_it_at_once() -> None:
    assert stopped(60, 10, 11) == (11, ["finishes", "closed"])


def test_a_process_that_serves_nothing_yet_ends_at_the_first_signal() -> None:
    async def main() -> bool:
        async def opening() -> None:
            StopSignal()()
            await asyncio.sleep(60)

        task = asyncio.create_task(opening())
        await asyncio.wait([task])
        return task.cancelled()

    assert play(main())


# No secret in a log, at any level and by any road.


IN_URLS = st.text(
    alphabet=string.ascii_letters + string.digits + "-._~!$&()*+,;=:@%", min_size=4, max_size=30
)
WORDS = st.text(alphabet=string.ascii_letters + string.digits + "_-", min_size=40, max_size=60)


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    logs._known.clear()
    structlog.reset_defaults()


@given(IN_URLS, st.sampled_from(["redis", "rediss", "https"]))
@example("p@ss:w@rd", "redis")
def test_a_password_in_a_url(password: str, scheme: str) -> None:
    shown = redact(f"connecting to {scheme}://user:{password}@example.org:6379/0 now")
    assert shown == f"connecting to {scheme}://***@example.org:6379/0 now"


@given(IN_URLS.filter(lambda text: "&" not in text))
def test_a_password_in_the_query(password: str) -> None:
    shown = redact(f"unix:///run/redis.sock?db=0&password={password}&x=1")
    assert shown.startswith(("unix:///", "unix://***"))
    assert f"password={password}" not in shown


@given(st.integers(100_000, 10**12), WORDS)
def test_a_telegram_token(number: int, rest: str) -> None:
    assert rest not in redact(f"https://api.telegram.org/bot{number}:{rest}/getMe")
    assert rest not in redact(f"token {number}:{rest}")


@given(st.text(alphabet=string.ascii_letters + string.digits, min_size=24, max_size=28), WORDS)
def test_a_discord_token(first: str, rest: str) -> None:
    assert rest not in redact(f"Authorization: Bot {first}.GaBcDe.{rest}")


@given(st.text(min_size=4, max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_secrets_of_the_configuration_are_hidden_in_any_form(secret: str, before: str, after: str) -> None:
    logs._known.clear()
    hide([secret])
    shown = redact(f"{before}{secret}{after}")
    assert secret not in shown.replace("***", "\x00") or secret in "***"


def test_the_password_of_a_url_is_hidden_on_its_own_and_unquoted() -> None:
    hide(["redis://ann:p%40ss%20word@localhost:6379/0", "unix:///x?password=another%21"])
    assert redact("AUTH p@ss word failed, p%40ss%20word") == "AUTH *** failed, ***"
    assert redact("another! another%21") == "*** ***"


def test_ordinary_text_stays() -> None:
    for text in ("ann: /move a2-a3", "12:30", "http://example.org/a", "k7q2mz", "mail ann@example.org"):
        assert redact(text) == text


@pytest.mark.parametrize("level", ["debug", "info", "warning", "error"])
def test_nothing_gets_past_the_formatter(level: str, capsys: pytest.CaptureFixture[str]) -> None:
    secret = "hunter2-hunter2"
    configure(level, [f"redis://ann:{secret}@localhost/0"])
    own, library = structlog.get_logger("bot.test"), logging.getLogger("some.library")
    own.error("connecting", url=f"redis://ann:{secret}@localhost/0", password=secret, count=3)
    library.error("AUTH %s", secret)
    library.debug("AUTH %s", secret)
    try:
        int(f"bad password {secret}")
    except ValueError:
        library.exception("failed")
        own.exception("failed too")
    shown = capsys.readouterr().err
    assert secret not in shown
    assert "connecting" in shown
    assert "count=3" in shown
    assert "ValueError" in shown
    assert shown.count("AUTH") == (2 if level == "debug" else 1)


def test_libraries_that_write_whole_urls_are_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    configure("debug")
    logging.getLogger("httpx").info("GET https://api.telegram.org/bot1:x/getMe")
    assert capsys.readouterr().err == ""


def test_the_store_says_the_same_once_a_minute() -> None:
    times = iter((0.0, 1.0, AGAIN - 1, AGAIN, AGAIN + 1))
    seldom = Seldom(lambda: next(times))

    def logged(logger: str, line: str) -> bool:
        return seldom.filter(logging.LogRecord(logger, logging.WARNING, "", 0, line, None, None))

    said = ["OOM", "OOM", "MISCONF", "OOM", "OOM"]
    assert [logged("storage.client", line) for line in said] == [True, False, True, True, False]
    assert logged("bot", "OOM")
    assert logged("bot", "OOM")
