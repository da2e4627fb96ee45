"""Lent computers: the protocol as docs/lending.md has it, over a loopback connection, with keys, leases and checks."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from aiohttp import web

from bot.analysis.judging import KEPT
from bot.thinking import job_server, lender_trust, lenders, spot_checks
from bot.thinking.job_server import MAX_BODY
from bot.thinking.jobs import Job, JobClass, run_job
from bot.thinking.lender_trust import FAILURES, LONGER, REFUSED, SILENCE, SILENT, SLOWER, WITHIN
from bot.thinking.lenders import Lenders, new_key
from bot.thinking.lending import FACTOR, FIRST, LONGEST
from bot.thinking.thinker import REMEMBERED
from play.errors import Unavailable
from storage import keys
from storage.redis import jobs as redis_jobs
from storage.redis.lenders import LAST
from tests.bot.thinking.job_server_bot import Bot, job, lapse, wrong
from tests.bot.world import NOON
from tests.support.waiting import LIMIT, eventually

PAGE: Final = Path(__file__).parents[3] / "docs" / "lending.md"

# --- the page and the server say the same

Answer = tuple[int, Any, Mapping[str, str]]


async def _bad_request(bot: Bot) -> Answer:
    return await bot.ask("/jobs/acquire", b"{")


async def _no_key(bot: Bot) -> Answer:
    return await bot.ask("/jobs/status", key=None, method="GET")


async def _not_yours(bot: Bot) -> Answer:
    return await bot.ask("/jobs/analysis-1-1/progress")


async def _no_path(bot: Bot) -> Answer:
    return await bot.ask("/jobs")


async def _wrong_method(bot: Bot) -> Answer:
    return await bot.ask("/jobs/acquire", method="GET")


async def _other_protocol(bot: Bot) -> Answer:
    return await bot.ask("/jobs/acquire", {"protocol": 2})


async def _too_slow(bot: Bot) -> Answer:
    async def endless() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.Event().wait()

    job_server.BODY_WITHIN = 0.01  # type: ignore[misc]
    return await bot.ask("/jobs/acquire", endless())


async def _too_large(bot: Bot) -> Answer:
    return await bot.ask("/jobs/acquire", b" " * (MAX_BODY + 1))


async def _wrong_result(bot: Bot) -> Answer:
    await bot.put("one")
    given = await bot.given()
    return await bot.ask(f"/jobs/{given['id']}/result", b"{}")


async def _suspended(bot: Bot) -> Answer:
    lender = Lenders(bot.file).of(bot.keys["ann"])
    assert lender is not None
    await bot.store.lenders().suspend(lender.id, NOON, "a turn")
    return await bot.ask("/jobs/status", method="GET")


async def _without_answers(bot: Bot) -> Answer:
    for number in range(SILENT):
        await bot.put(str(number))
        await bot.given()
    redis_jobs.LEASE = 0.0  # type: ignore[misc]
    return await bot.acquire()


async def _after_a_wrong_result(bot: Bot) -> Answer:
    await _wrong_result(bot)
    return await bot.acquire()


async def _too_many(bot: Bot) -> Answer:
    for _ in range(10 + 8 * 4):
        assert (await bot.ask("/jobs/status", method="GET"))[0] == 200
    return await bot.ask("/jobs/status", method="GET")


async def _too_many_at_once(bot: Bot) -> Answer:
    job_server.WAIT = LIMIT  # type: ignore[misc]
    asking = [asyncio.create_task(bot.acquire()) for _ in range(4)]
    await eventually(lambda: bot.server._waiting["ann"] == 4)
    refused = await bot.acquire()
    for number in range(4):
        await bot.put(str(number))
    assert [status for status, *_ in await asyncio.gather(*asking)] == [200] * 4
    return refused


async def _bug(bot: Bot) -> Answer:
    bot.bucket.raises = RuntimeError()
    status, _, headers = await bot.ask("/jobs/status", method="GET")
    return status, {}, headers


async def _no_store(bot: Bot) -> Answer:
    bot.bucket.raises = Unavailable()
    return await bot.ask("/jobs/status", method="GET")


REFUSALS: Final[Mapping[tuple[int, str], Callable[[Bot], Awaitable[Answer]]]] = {
    (400, "bad-request"): _bad_request,
    (401, "no-such-key"): _no_key,
    (403, "suspended"): _suspended,
    (404, "not-yours"): _not_yours,
    (404, "no-such-path"): _no_path,
    (405, "wrong-method"): _wrong_method,
    (406, "other-protocol"): _other_protocol,
    (408, "too-slow"): _too_slow,
    (413, "too-large"): _too_large,
    (422, "wrong-result"): _wrong_result,
    (429, "wrong-results"): _after_a_wrong_result,
    (429, "no-answers"): _without_answers,
    (429, "too-many-requests"): _too_many,
    (429, "too-many-at-once"): _too_many_at_once,
    (500, ""): _bug,
    (503, "no-store"): _no_store,
}


@pytest.mark.parametrize(("status", "error"), REFUSALS)
async def test_each_refusal_of_the_page_is_the_servers(
    status: int, error: str, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_server, "BODY_WITHIN", job_server.BODY_WITHIN)  # a scenario may change it
    found, said, headers = await REFUSALS[status, error](bot)
    assert (found, said.get("error", "")) == (status, error)
    assert ("Retry-After" in headers) == (status in (429, 503))


def test_the_page_lists_all_that_the_server_answers() -> None:
    rows = re.findall(r"^\| (\d{3}) \| (?:`([a-z-]+)`)? *\|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert {(int(status), error) for status, error in rows} == set(REFUSALS)
    said = set(re.findall(r'Refused\(HTTPStatus\.\w+, "([a-z-]+)"', Path(job_server.__file__).read_text()))
    said |= set(job_server._ERRORS.values()) | {"too-slow", "no-store", ""}
    assert said == {error for _, error in REFUSALS}


async def test_another_http_error_keeps_its_status(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    async def admitted(_request: web.Request) -> None:
        raise web.HTTPExpectationFailed

    monkeypatch.setattr(bot.server, "_admitted", admitted)
    assert (await bot.ask("/jobs/status", method="GET"))[0] == 417


def test_the_page_says_the_bounds() -> None:
    text = " ".join(PAGE.read_text("utf-8").split())
    for said in (
        f"at most {MAX_BODY} bytes, and arrive within {job_server.BODY_WITHIN:g} s",
        f"at once or within {job_server.WAIT:g} s",
        f"the job is yours for {redis_jobs.LEASE:g} s more",
        f"no jobs for {SLOWER:g} s after a wrong result, for {REFUSED / 60:g} minutes after the fifth within {WITHIN / 60:g} minutes",
        f"no jobs for {SILENCE:g} s after {SILENT} jobs in a row without an answer, and for each further one {LONGER:g} times as long, up to {REFUSED / 60:g} minutes",
        f"about 1 in {spot_checks.SHARE} results",
        f"1 in {spot_checks.SUSPICIOUS} of its first",
        f"at least {spot_checks.WORSE:g} worse than the best one, or its value at least {spot_checks.OFF:g} from",
        f"For {spot_checks.MOST} of its last {LAST} checks a key is suspended",
        f"waits up to {lender_trust.EXACT:g} s for that check",
        f"for up to {KEPT / timedelta(hours=1):g} hours",
        f"or {REMEMBERED} newer ones",
        f"at most {FIRST:g} s at first, then four times as long, up to {LONGEST:g} s",
    ):
        assert said in text, said
    assert (FAILURES, FACTOR) == (5, 4)
    assert re.findall(r"\| `(\w+)` \| [^|]+ \| [^|]+ \| (yes|no) \|", text) == [
        (each.value, "yes" if each in lenders.CLASSES else "no") for each in JobClass
    ]


def test_the_classes_are_those_of_the_store() -> None:
    assert tuple(JobClass) == keys.JOB_CLASSES


# --- what is given out


async def test_a_job_is_done_over_http_and_says_nothing_of_people(bot: Bot) -> None:
    await bot.put("one")
    given = await bot.given()
    assert set(given) == {"id", "seconds", "job"}
    assert set(given["job"]) <= {
        "game",
        "options",
        "position",
        "level",
        "seconds",
        "most",
        "seed",
        "job_class",
        "after",
    }
    reply = run_job(Job.unpack(json.dumps(given["job"])))
    assert (await bot.ask(f"/jobs/{given['id']}/progress"))[0] == 204
    assert (await bot.ask(f"/jobs/{given['id']}/result", reply.pack().encode()))[0] == 204
    assert await bot.jobs.answer("one") == reply.pack()
    assert (await bot.ask(f"/jobs/{given['id']}/result", reply.pack().encode()))[0] == 404
    assert (await bot.acquire())[0] == 204


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b"[]", b"null", b'{"protocol": "1"}', b"\xff", b"[" * 100_000, b'{"a":' + b"[" * 100_000],
)
async def test_what_asks_for_no_job_is_a_bad_request(body: bytes, bot: Bot) -> None:
    assert (await bot.ask("/jobs/acquire", body))[0] == 400


async def test_status_counts_by_class(bot: Bot) -> None:
    for number in range(3):
        await bot.put(str(number))
    await bot.put("hint", job(job_class=JobClass.ADVICE))
    await bot.given()
    status, said, _ = await bot.ask("/jobs/status", method="GET")
    assert status == 200
    assert said["key"] == {"name": "ann", "classes": ["advice", "analysis"], "at_once": 4}
    counts = {name: (each["queued"], each["acquired"]) for name, each in said["classes"].items()}
    assert counts == {"move": (0, 0), "advice": (0, 1), "analysis": (3, 0), "system": (0, 0)}
    assert said["classes"]["analysis"]["oldest"] >= 0


async def test_the_most_urgent_class_comes_first_and_none_that_the_key_does_not_allow(bot: Bot) -> None:
    bot.lend("all", "system,analysis,move,advice", 8)
    for job_class in reversed(JobClass):
        await bot.put(job_class, job(job_class=job_class))
    found = [(await bot.given("all"))["job"].get("job_class", "move") for _ in JobClass]
    assert found == list(JobClass)
    await bot.put("move", job(job_class=JobClass.MOVE))
    await bot.put("system", job(job_class=JobClass.SYSTEM))
    assert (await bot.acquire("ann"))[0] == 204


async def test_a_key_has_as_many_jobs_at_once_as_it_allows(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    bot.lend("cem", at_once=2)
    for number in range(3):
        await bot.put(str(number))
    await bot.given("cem")
    second = await bot.given("cem")
    assert (await bot.acquire("cem"))[0] == 204
    await bot.ask(f"/jobs/{second['id']}/abort", key="cem")
    await bot.given("cem")


async def test_a_job_that_the_bot_has_given_up_is_not_given_out(bot: Bot) -> None:
    await bot.jobs.put("analysis", "old", job().pack(), 0.0)
    await bot.jobs.put("analysis", "odd", "no job", 600.0)
    assert (await bot.acquire())[0] == 204
    assert await bot.jobs.answer("old") == await bot.jobs.answer("odd") == ""


# --- leases


async def test_a_job_whose_worker_was_killed_goes_to_another(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bot.put("one")
    killed = await bot.given("ann")
    assert (await bot.acquire("bob"))[0] == 204
    lapse(monkeypatch)
    taken = await bot.given("bob")
    assert taken["id"] == killed["id"]
    result = run_job(job()).pack().encode()
    for verb in ("progress", "result", "abort"):
        assert (await bot.ask(f"/jobs/{killed['id']}/{verb}", result, key="ann"))[0] == 404
    assert (await bot.ask(f"/jobs/{taken['id']}/result", result, key="bob"))[0] == 204


async def test_progress_renews_the_lease(bot: Bot) -> None:
    await bot.put("one")
    given = await bot.given()
    stream = keys.jobs_key("analysis")
    long = 3_000_000  # milliseconds
    claim = (
        "XCLAIM",
        stream,
        "workers",
        "lent:ann",
        0,
        given["id"].removeprefix("analysis-"),
        "IDLE",
        long,
        "JUSTID",
    )
    await bot.store.connection.command(*claim)

    async def idle() -> int:
        pending = await bot.store.connection.command("XPENDING", stream, "workers", "-", "+", 1)
        return int(pending[0][2])

    before = await idle()
    assert (await bot.ask(f"/jobs/{given['id']}/progress"))[0] == 204
    assert before >= long > await idle()


async def test_an_aborted_job_goes_to_another_at_once(bot: Bot) -> None:
    await bot.put("one")
    given = await bot.given("ann")
    assert (await bot.ask(f"/jobs/{given['id']}/abort"))[0] == 204
    assert (await bot.given("bob"))["id"] == given["id"]


# --- keys


async def test_a_revoked_key_is_refused_at_once_and_its_jobs_go_on(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bot.put("one")
    given = await bot.given("ann")
    text = bot.file.read_text()
    bot.file.write_text("".join(line for line in text.splitlines(True) if not line.startswith("ann ")))
    assert (await bot.ask(f"/jobs/{given['id']}/progress"))[0] == 401
    assert (await bot.acquire("ann"))[0] == 401
    lapse(monkeypatch)
    assert (await bot.given("bob"))["id"] == given["id"]


async def test_what_is_no_key_is_refused(bot: Bot) -> None:
    for key in ("", "x", bot.keys["ann"][:-1], f"{bot.keys['ann']}x", "ann", "й" * 30):
        headers = {"Authorization": f"Bearer {key}".encode().decode("latin-1")}
        async with bot.session.get(f"{bot.url}/jobs/status", headers=headers) as answer:
            assert answer.status == 401
    async with bot.session.get(
        f"{bot.url}/jobs/status", headers={"Authorization": bot.keys["ann"]}
    ) as answer:
        assert answer.status == 401


async def test_a_line_that_is_not_understood_allows_nothing(bot: Bot) -> None:
    good = next(line for line in bot.file.read_text().splitlines() if line.startswith("ann "))
    name, digest, classes, _ = good.split()
    for line in (
        f"{name} {digest} {classes}",
        f"{name} {digest} moves 4",
        f"{name} {digest} {classes} 0",
        f"{name} {digest} {classes} 65",
        f"{name} {digest} {classes} many",
        f"{name} {digest[:-1]} {classes} 4",
        f"An:n {digest} {classes} 4",
    ):
        bot.file.write_text(f"{line}\n")
        assert (await bot.ask("/jobs/status", method="GET"))[0] == 401, line
    bot.file.write_text(f"# a comment\n\n{good}\n")
    assert (await bot.ask("/jobs/status", method="GET"))[0] == 200
    bot.file.unlink()
    assert (await bot.ask("/jobs/status", method="GET"))[0] == 401


def test_a_key_is_made_once_and_stored_as_a_hash_for_the_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "data" / "lenders"
    made = {name: new_key(file, name) for name in ("ann", "bob")}
    assert not any(key in file.read_text() for key in made.values())
    assert file.stat().st_mode & 0o777 == 0o600
    found = Lenders(file)
    for name, key in made.items():
        lender = found.of(key)
        assert lender is not None
        assert (lender.name, lender.classes) == (name, lenders.CLASSES)
    with pytest.raises(FileExistsError):
        new_key(file, "ann")
    for name in ("Ann", "a b", "a" * 33, "1a", "a\n"):
        with pytest.raises(ValueError, match=re.escape(name)):
            new_key(file, name)


# --- results are checked before they are used


async def test_a_wrong_result_is_refused_and_another_worker_does_the_job(bot: Bot) -> None:
    await bot.put("one")
    given = await bot.given("ann")
    good = run_job(job()).pack()
    status, said, _ = await bot.ask(f"/jobs/{given['id']}/result", wrong(good))
    assert (status, said["error"]) == (422, "wrong-result")
    assert await bot.jobs.answer("one") is None
    assert (await bot.acquire("ann"))[0] == 429
    again = await bot.given("bob")
    assert again["id"] == given["id"]
    assert (await bot.ask(f"/jobs/{again['id']}/result", good.encode(), key="bob"))[0] == 204
    assert await bot.jobs.answer("one") == good


async def test_of_a_wrong_result_the_log_has_a_bounded_text_in_one_line(
    bot: Bot, caplog: pytest.LogCaptureFixture
) -> None:
    await bot.put("one")
    given = await bot.given("ann")
    result = json.loads(run_job(job()).pack())
    result["lines"][0]["turn"] = result["lines"][0]["line"] = ["a1\n" + "x" * 100_000]
    assert (await bot.ask(f"/jobs/{given['id']}/result", json.dumps(result).encode()))[0] == 422
    (said,) = [each.getMessage() for each in caplog.records if "a wrong result" in each.getMessage()]
    assert len(said) < 300
    assert "\n" not in said


async def test_after_some_wrong_results_a_key_gets_no_jobs_for_a_while(bot: Bot) -> None:
    await bot.put("one")
    waits, now = [], NOON
    for _ in range(FAILURES):
        given = await bot.given("ann")
        assert (await bot.ask(f"/jobs/{given['id']}/result", b"\xff"))[0] == 422
        status, _, headers = await bot.acquire("ann")
        assert status == 429
        waits.append(int(headers["Retry-After"]))
        bot.bucket.now = now = now + timedelta(seconds=SLOWER)
    assert waits == [SLOWER] * (FAILURES - 1) + [REFUSED]
    assert (await bot.acquire("ann"))[0] == 429
    bot.bucket.now = now + timedelta(seconds=REFUSED)
    await bot.given("ann")
