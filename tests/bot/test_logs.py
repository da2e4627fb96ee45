"""No secret in a log, at any level and by any road."""

from __future__ import annotations

import logging
import string
from collections.abc import Iterator

import pytest
import structlog
from hypothesis import example, given
from hypothesis import strategies as st

from bot.app import logs
from bot.app.logs import AGAIN, Seldom, configure, hide, redact

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


@given(st.text(max_size=60))
@example("redis://[")
def test_any_secret_can_be_hidden(secret: str) -> None:
    hide([secret])


@given(st.text(max_size=300))
def test_any_text_can_be_redacted(text: str) -> None:
    assert isinstance(redact(text), str)


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
