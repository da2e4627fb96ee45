"""Dishonest lent computers are found out over the real protocol, and honest ones, slow ones too, are never suspended."""

from __future__ import annotations

import json
import logging
import random
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

import pytest

from bot.thinking import job_server, lender_trust, spot_checks
from bot.thinking.job_server import LATE
from bot.thinking.jobs import Job, JobClass, Reply, Variation, job_for, run_job
from bot.thinking.lender_trust import LONGER, REFUSED, SILENCE, SILENT
from bot.thinking.lenders import Lender, Lenders
from bot.thinking.lending import CannotLend, LendingFailure, LentWorker
from bot.thinking.spot_checks import MOST, Verdict, by_search
from rules import GAMES
from storage.redis.lenders import LenderRecord
from tests.bot.thinking.helpers import Inline
from tests.bot.thinking.job_server_bot import Bot, job, lapse
from tests.bot.world import NOON, SETTINGS
from tests.support.waiting import eventually

GAME = GAMES["breakthrough"]
OPTIONS = GAME.choose({"board": "4x5"})
RACE: Final = "4/w3/3w/b3/4 w"
"""White wins at once; after any other move Black does."""
STRAY: Final = ("d3-d4",)


def race(**changes: Any) -> Job:
    position = GAME.notation.parse_position(RACE, OPTIONS)
    return replace(
        job_for(GAME, OPTIONS, position, seconds=0.05), **{"job_class": JobClass.ANALYSIS} | changes
    )


def lender(bot: Bot, name: str = "ann") -> Lender:
    found = Lenders(bot.file).of(bot.keys[name])
    assert found is not None
    return found


async def record(bot: Bot, name: str = "ann") -> LenderRecord:
    return await bot.store.lenders().read(lender(bot, name).id)


async def answered(bot: Bot, what: Job, reply: Reply) -> int:
    """Put a job, have ann answer it, and wait for the spot check; return the status of the answer."""
    await bot.put("one", what)
    given = await bot.given("ann")
    status, _, _ = await bot.ask(f"/jobs/{given['id']}/result", reply.pack().encode())
    await eventually(lambda: bot.server._trust._checking is None)
    return status


@pytest.fixture
def all_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SHARE", "SUSPICIOUS"):
        monkeypatch.setattr(lender_trust, name, 1)


def claimed(value: float, plies: int | None = None, nodes: int = 10**6) -> Reply:
    """A result that has White stray."""
    return Reply("liar", "native", nodes, (Variation(STRAY, value, plies, STRAY, 9),))


# --- bad turns and invented proofs


@pytest.mark.usefixtures("all_checked")
async def test_a_key_that_answers_bad_but_legal_turns_is_suspended(
    bot: Bot, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(MOST):
        assert (await record(bot)).suspended is None
        assert await answered(bot, race(seed=number), claimed(0.3)) == 204
    found = await record(bot)
    assert found.suspended is not None
    assert found.verdicts == Verdict.UNLIKELY * MOST
    assert f"breakthrough board=4x5: d3-d4 in {RACE} is estimated 0.3, by own workers -1" in found.why
    assert [each for each in caplog.records if each.levelno == logging.ERROR]
    status, said, _ = await bot.acquire("ann")
    assert (status, said["error"]) == (403, "suspended")
    await bot.put("next")
    await bot.given("bob")


@pytest.mark.usefixtures("all_checked")
async def test_a_spot_check_that_has_a_bug_is_logged(
    bot: Bot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: object) -> None:
        raise KeyError

    monkeypatch.setattr(spot_checks, "by_search", broken)
    assert await answered(bot, race(), claimed(0.3)) == 204
    (logged,) = [each for each in caplog.records if each.levelno == logging.ERROR]
    assert logged.getMessage() == "a spot check of the lent computer ann failed"
    assert logged.exc_info


@pytest.mark.usefixtures("all_checked")
async def test_a_key_that_invents_a_proof_is_suspended_at_once_and_its_jobs_go_on(bot: Bot) -> None:
    await bot.put("held")
    held = await bot.given("ann")
    assert await answered(bot, race(), claimed(1.0, 3)) == 204
    found = await record(bot)
    assert (found.suspended is not None, found.verdicts) == (True, Verdict.FALSE)
    assert (await bot.ask(f"/jobs/{held['id']}/result", run_job(job()).pack().encode()))[0] == 403
    assert (await bot.given("bob"))["id"] == held["id"]


@pytest.mark.usefixtures("all_checked")
async def test_a_true_proof_of_a_bad_turn_is_not_false_but_counts(bot: Bot) -> None:
    for number in range(MOST):
        assert (await record(bot)).suspended is None
        await answered(bot, race(seed=number), claimed(-1.0, 2))
    found = await record(bot)
    assert (found.suspended is not None, found.verdicts) == (True, Verdict.UNLIKELY * MOST)


@pytest.mark.usefixtures("all_checked")
async def test_a_proof_far_from_what_own_searches_see_counts_until_it_is_too_many(bot: Bot) -> None:
    """No own search disproves it; but none sees a sign of it either."""
    game = GAMES["breakthrough"]
    options = game.choose({"board": "8x8"})
    ahead = game.notation.parse_position("bbbbbbbb/8/8/8/8/8/wwwwwwww/wwwwwwww w", options)
    what = replace(job_for(game, options, ahead, seconds=0.05), job_class=JobClass.ANALYSIS)
    true = run_job(what)
    lost = replace(true.lines[0], value=-1.0, plies=40)
    for number in range(MOST):
        await answered(bot, replace(what, seed=number), replace(true, lines=(lost,)))
    found = await record(bot)
    assert (found.suspended is not None, found.verdicts) == (True, Verdict.UNLIKELY * MOST)


async def test_a_false_proof_of_a_solved_game_is_refused_before_it_is_used(bot: Bot) -> None:
    game = GAMES["lgame"]
    options = game.choose({})
    what = replace(job_for(game, options, game.start(options)), job_class=JobClass.ADVICE)
    true = run_job(what)
    turn = true.lines[0].turn
    lie = replace(true, lines=(Variation(turn, 1.0, 5, turn, 5),))
    assert true.lines[0].value == 0
    assert await answered(bot, what, lie) == 422
    assert await bot.jobs.answer("one") is None
    assert (await record(bot)).suspended is not None
    assert (await bot.acquire("ann"))[0] == 403
    again = await bot.given("bob")
    assert (await bot.ask(f"/jobs/{again['id']}/result", true.pack().encode(), key="bob"))[0] == 204
    assert (await record(bot, "bob")).suspended is None


async def test_of_a_solved_game_the_tables_answer_whoever_asks_for_the_best_turns(bot: Bot) -> None:
    game = GAMES["lgame"]
    options = game.choose({})
    what = replace(job_for(game, options, game.start(options), most=2), job_class=JobClass.ADVICE)
    true = run_job(what)
    guess = replace(true, keep=1, lines=(replace(true.lines[1], value=0.2, plies=None),))
    assert await answered(bot, what, guess) == 204
    used = Reply.unpack(await bot.jobs.answer("one") or "")
    assert [line.plies for line in used.lines] == [0, 0]
    assert used.keep == true.keep
    assert (await record(bot)).suspended is None


async def test_only_tables_say_how_many_turns_keep_a_result(bot: Bot) -> None:
    await answered(bot, race(), replace(run_job(race()), keep=1))
    assert Reply.unpack(await bot.jobs.answer("one") or "").keep is None


@pytest.mark.usefixtures("all_checked")
async def test_where_no_own_worker_answers_nothing_is_held_against_a_key(bot: Bot) -> None:
    bot.own.fails = lambda _: True
    assert await answered(bot, race(), claimed(1.0, 3)) == 204
    found = await record(bot)
    assert (found.verdicts, found.suspended) == ("", None)


async def test_some_results_are_checked_and_more_of_a_key_that_is_new_or_doubtful(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = bot.server._trust._is_drawn
    monkeypatch.setattr(bot.server._trust, "_chance", random.Random(1))
    shares = [sum(drawn(verdicts) for _ in range(5000)) / 5000 for verdicts in ("", "gggg", "gugg")]
    assert shares == pytest.approx([1 / 5, 1 / 50, 1 / 5], rel=0.3)


# --- honest ones


@pytest.mark.usefixtures("all_checked")
async def test_a_slow_and_honest_computer_is_never_suspended(bot: Bot) -> None:
    """It needs all the time it has, asks for more each second, and sees little."""
    game = GAMES["breakthrough"]
    options = game.choose({"board": "6x6"})
    what = replace(job_for(game, options, game.start(options), seconds=0.05), job_class=JobClass.ANALYSIS)
    for number in range(5):
        await bot.put(str(number), replace(what, seed=number))
        given = await bot.given("ann")
        for _ in range(6):
            assert (await bot.ask(f"/jobs/{given['id']}/progress"))[0] == 204
        slow = run_job(replace(Job.unpack(json.dumps(given["job"])), seconds=0.0001))
        assert (await bot.ask(f"/jobs/{given['id']}/result", slow.pack().encode()))[0] == 204
        await eventually(lambda: bot.server._trust._checking is None)
    found = await record(bot)
    assert (found.suspended, found.unanswered, found.answered) == (None, 0, 5)
    assert Verdict.FALSE not in found.verdicts


@pytest.mark.usefixtures("all_checked")
async def test_who_searches_too_little_to_be_of_use_rests_and_is_not_suspended(bot: Bot) -> None:
    for number in range(MOST):
        assert await answered(bot, race(seed=number), claimed(0.3, nodes=1)) == 204
    found = await record(bot)
    assert (found.suspended, found.verdicts) == (None, Verdict.SLOW * MOST)
    status, said, headers = await bot.acquire("ann")
    assert (status, said["error"], headers["Retry-After"]) == (429, "wrong-results", f"{REFUSED:g}")
    bot.bucket.now = NOON + timedelta(seconds=REFUSED)
    assert (await bot.acquire("ann"))[0] == 204


@pytest.mark.parametrize(("level", "verdict"), [(2, Verdict.GOOD), (6, Verdict.GOOD), (8, Verdict.UNLIKELY)])
async def test_a_level_that_is_limited_may_play_badly(level: int, verdict: Verdict) -> None:
    what = race(level=level, job_class=JobClass.MOVE)
    found = await by_search(Inline(), what, claimed(0.3), random.Random(1))
    assert found.verdict is verdict
    lie = await by_search(Inline(), what, claimed(1.0, 3), random.Random(1))
    assert lie.verdict is Verdict.FALSE


@pytest.mark.parametrize(("name", "chosen"), SETTINGS)
async def test_no_proof_of_an_engine_is_contradicted(name: str, chosen: dict[str, str]) -> None:
    game, chance = GAMES[name], random.Random(5)
    options = game.choose(dict(chosen))
    position = game.start(options)
    for _ in range(12):
        if position.outcome is not None:
            break
        if position.plies_left == position.turn_length:
            what = job_for(game, options, position, seconds=0.02, most=3)
            found = await by_search(Inline(), what, run_job(what), chance)
            assert found.verdict is not Verdict.FALSE
        position = position.play(chance.choice(list(position.legal_moves())))


# --- silence


async def test_a_key_that_takes_jobs_and_is_silent_waits_longer_and_longer(
    bot: Bot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(SILENT):
        await bot.put(str(number))
        await bot.given("ann")
    assert (await bot.acquire("ann"))[0] == 204  # all of them are under way
    lapse(monkeypatch)
    now, given = NOON, dict[str, Any]()
    for number in range(3):
        wait = SILENCE * LONGER**number
        status, said, headers = await bot.acquire("ann")
        assert (status, said["error"], headers["Retry-After"]) == (429, "no-answers", f"{wait:g}")
        assert f"left {SILENT + number} jobs in a row" in caplog.text
        bot.bucket.now = now = now + timedelta(seconds=wait)
        given = await bot.given("ann")
    assert (await bot.ask(f"/jobs/{given['id']}/result", run_job(job()).pack().encode()))[0] == 204
    assert (await bot.acquire("ann"))[0] == 200
    assert (await bot.acquire("bob"))[0] == 200


async def test_a_key_that_waits_gets_one_job_and_after_an_answer_as_many_as_before(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(2 * SILENT):
        await bot.put(str(number))
    for _ in range(SILENT):
        await bot.given("ann")
    with monkeypatch.context() as lapsed:
        lapse(lapsed)
        assert (await bot.acquire("ann"))[0] == 429
        bot.bucket.now = NOON + timedelta(seconds=SILENCE + 1)
        await bot.jobs.leave(lender(bot).worker)
        assert len(await bot.jobs.take("another", SILENT)) == SILENT
    given = await bot.given("ann")
    assert (await bot.acquire("ann"))[0] == 204
    assert (await bot.ask(f"/jobs/{given['id']}/result", run_job(job()).pack().encode()))[0] == 204
    for _ in range(SILENT - 1):
        await bot.given("ann")
    assert (await record(bot)).unanswered == SILENT - 1


async def test_who_gives_jobs_back_does_not_wait(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    await bot.put("one")
    for _ in range(2 * SILENT):
        given = await bot.given("ann")
        assert (await bot.ask(f"/jobs/{given['id']}/abort"))[0] == 204
    lapse(monkeypatch)
    await bot.given("ann")
    assert (await record(bot)).unanswered == 1


@pytest.mark.parametrize(("left", "given"), [(0.2, False), (60.0, True)])
async def test_a_key_never_has_longer_than_the_bot_waits(
    left: float,
    given: bool,
    bot: Bot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(job_server, "time_for", lambda _: 3600.0)
    what = replace(job(), seconds=30.0)
    await bot.jobs.put("analysis", "late", what.pack(), what.total + left)
    status, said, _ = await bot.acquire("ann")
    assert status == (200 if given else 204)
    if given:
        assert what.total <= said["seconds"] <= what.total + left - LATE


async def test_a_suspended_key_ends_the_computers_work(bot: Bot) -> None:
    await bot.store.lenders().suspend(lender(bot).id, NOON, "a turn")
    with pytest.raises(CannotLend) as refused:
        await LentWorker(bot.url, bot.keys["ann"], Inline()).run()
    assert refused.value.reason is LendingFailure.SUSPENDED


async def test_a_new_key_of_the_same_name_is_not_suspended(bot: Bot) -> None:
    await bot.store.lenders().suspend(lender(bot).id, NOON, "a turn")
    text = bot.file.read_text()
    bot.file.write_text("".join(line for line in text.splitlines(True) if not line.startswith("ann ")))
    bot.lend("ann")
    assert (await bot.acquire("ann"))[0] == 204
