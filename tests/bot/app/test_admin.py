"""The commands for operators, on a real store: what they write, and their exit status."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.app import doctor
from bot.app.command_line import administer
from bot.app.doctor import replaying
from bot.app.settings import read_config
from bot.chat.i18n import LANGUAGES, words
from bot.config import Config
from bot.platforms.discord.registration import COMMANDS
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.errors import PlayError
from play.facts import Started
from play.match import Closing, Match, Phase, Ply, Result
from play.opening import Challenge
from play.people import Account, Address, Player
from play.ports import Store
from play.request import Request
from play.table import Table
from rules import GAMES
from rules.core import Seat
from storage import RedisStore, keys, open_store
from storage.archive import FILE, Archive
from storage.embedded.directory import SOCKET
from storage.maintenance.backup import last_backup
from storage.maintenance.retention import AFTER as MONTH
from storage.maintenance.retention import REWRITE_AFTER, REWRITE_EVERY, request_rewrite, rewrite_if_due, sweep
from storage.ports import Update
from storage.records import codec
from tests.bot.world import Counted
from tests.support.memory import MemoryStore
from tests.support.next_version import READS, WRITES

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
ANN, BOB = (Player(Account("console", name), name) for name in ("ann", "bob"))
ROOM = Address("console", "room")


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    for name in ("REDIS_URL", "DISCORD_TOKEN", "TELEGRAM_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return read_config(data=tmp_path / "data")


@pytest.fixture
async def store(settings: Config) -> AsyncIterator[RedisStore]:
    """The embedded store, with a bot on it."""
    async with open_store(None, settings.data) as store:
        yield store


async def played(store: Store) -> Match:
    """A match under way: Bob is to move."""
    table = Table(store, GAMES, Counted())
    made = await table.open(Challenge(ROOM, "breakthrough", {"board": "4x5"}), Request(ANN, AT))
    await table.act(made.match.id, Join(), Request(BOB, AT))
    return (await table.act(made.match.id, MakeMove("a2-a3"), Request(ANN, AT))).match


async def run(command: str, settings: Config, file: Path | None = None) -> tuple[int, list[str]]:
    written: list[str] = []
    status = await administer(command, settings, written.append, str(file) if file else None)
    return status, written


async def test_all_is_well_while_a_bot_runs(settings: Config, store: RedisStore) -> None:
    await played(store)
    assert await run("verify", settings) == (0, ["1 match looked over.", "No damage found."])
    status, (line,) = await run("reindex", settings)
    assert (status, line.startswith("The lists are right")) == (0, True)


@pytest.mark.parametrize("command", ["verify", "reindex", "backup"])
async def test_where_nothing_was_ever_stored_nothing_is_made(
    command: str, settings: Config, tmp_path: Path
) -> None:
    status, (line,) = await run(command, settings, tmp_path / "backup")
    assert (status, str(settings.data) in line) == (2, True)
    assert not settings.data.exists()
    assert not (tmp_path / "backup").exists()


@pytest.mark.parametrize("language", LANGUAGES)
async def test_earlier_formats_are_refused_in_one_sentence(
    language: str, settings: Config, tmp_path: Path
) -> None:
    settings = settings.model_copy(update={"language": language})
    said = words(language)
    (tmp_path / "backup").write_bytes(b"klop-backup 1\nanything")
    restored = await run("restore", settings, tmp_path / "backup")
    assert restored == (2, [said("storage.dump.earlier")])
    async with open_store(None, settings.data) as store:
        assert [found async for found in store.connection.scan("klop:*")] == []
        await store.connection.command("ZADD", "klop:beat", 1, "bot")
        sentence = said("storage.trouble.format")
        for command in ("verify", "reindex"):
            assert await run(command, settings) == (2, [sentence])
        assert (await run("doctor", settings))[1][-1] == f"!! {sentence}"


async def test_a_match_that_the_rules_do_not_allow_is_reported(settings: Config, store: RedisStore) -> None:
    match = await played(store)
    forged = replace(match, log=(*match.log, Ply(Seat.S2, "a1-a5", AT)))
    await store.matches.commit(Started(forged), match.revision)
    status, lines = await run("verify", settings)
    assert status == 1
    assert match.id in lines[0]
    assert lines[1] == "1 match looked over."
    assert "scripts/run restore" in lines[2]


async def test_of_what_a_newer_version_stored_nothing_is_to_be_restored(
    settings: Config, store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as newer:
        for name, value in {**READS, **WRITES}.items():
            newer.setattr(codec, name, value)
        match = await played(store)
    status, lines = await run("verify", settings)
    said = words("en")("storage.damage.newer", code=match.id, version=codec.VERSION + 1, known=codec.VERSION)
    assert status == 1
    assert set(lines[:-1]) == {f"#{match.id}: {said}"}
    assert lines[-1].endswith("looked over.")


async def test_bytes_that_were_changed_are_reported(settings: Config, store: RedisStore) -> None:
    match = await played(store)
    key = keys.match_key(match.id)
    (record,) = await store.connection.batch([("GET", key)])
    assert isinstance(record, bytes)
    await store.connection.batch([("SET", key, record[:-1] + bytes([record[-1] ^ 1]))])
    status, lines = await run("verify", settings)
    assert status == 1
    assert match.id in lines[0]
    status, lines = await run("reindex", settings)
    assert status == 1
    assert "scripts/run verify" in lines[-1]


async def test_a_backup_goes_into_an_empty_store(settings: Config, tmp_path: Path) -> None:
    file = tmp_path / "backup"
    async with open_store(None, settings.data) as store:
        match = await played(store)
        assert (await run("backup", settings, file))[0] == 0
        assert (await run("backup", settings, file))[0] == 2
        status, (line,) = await run("restore", settings, file)
        assert (status, "empty" in line) == (2, True)
    other = settings.model_copy(update={"data": tmp_path / "other"})
    assert await run("restore", other, file) == (0, [f"Restored: 1 match, from {file}"])
    async with open_store(None, other.data) as store:
        assert (await store.matches.load(match.id)).match == match
    status, (line,) = await run("restore", other, tmp_path / "nowhere")
    assert (status, "nowhere" in line) == (2, True)


async def test_a_folder_holds_several_and_the_newest_is_restored(settings: Config, tmp_path: Path) -> None:
    folder, other = tmp_path / "backups", settings.model_copy(update={"data": tmp_path / "other"})
    folder.mkdir()
    status, (line,) = await run("restore", other, folder)
    assert (status, f"no finished backup in the folder {folder}" in line) == (2, True)
    old = folder / "klop-2001-01-01T000000.backup"
    old.write_bytes(b"of another year")
    async with open_store(None, settings.data) as store:
        match = await played(store)
        status, (line,) = await run("backup", settings, folder)
    assert (status, f"in {folder}/klop-" in line) == (0, True)
    assert old.exists()
    status, (line,) = await run("restore", other, folder)
    assert (status, "1 match" in line) == (0, True)
    async with open_store(None, other.data) as store:
        assert (await store.matches.load(match.id)).match == match


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_damaged_match_is_kept_apart_and_the_others_are_restored(
    language: str, settings: Config, tmp_path: Path
) -> None:
    settings = settings.model_copy(update={"language": language})
    said, folder = words(language), tmp_path / "backups"
    folder.mkdir()
    other = settings.model_copy(update={"data": tmp_path / "other"})
    async with open_store(None, settings.data) as store:
        match, half = await played(store), replace(await played(store), id="zzzzz9")
        await store.connection.command("SET", keys.match_key(half.id), codec.encode(half)[:99])
        status, (named, line, advice) = await run("backup", settings, folder)
        assert (status, await last_backup(store)) == (1, None)
        assert f"-- {said('bot.doctor.no-backup')}" in (await run("doctor", settings))[1]
    damaged = said("bot.admin.damaged", code=half.id, said=said("storage.damage.checksum", code=half.id))
    (file,) = folder.iterdir()
    assert (named, advice) == (damaged, said("bot.admin.set-aside", count=1))
    assert line == said.count("bot.admin.backed-up", 2, file=str(file))
    restored = said.count("bot.admin.restored", 2, file=str(file))
    left_out = said("bot.admin.left-out", count=1)
    assert await run("restore", other, folder) == (1, [damaged, restored, left_out])
    assert (await run("verify", other))[0] == 0
    async with open_store(None, other.data) as store:
        assert (await store.matches.load(match.id)).match == match
    file.write_bytes(file.read_bytes()[:-9])
    third = settings.model_copy(update={"data": tmp_path / "third"})
    assert await run("restore", third, file) == (1, [damaged, restored, left_out, said("bot.admin.torn")])


async def test_a_folder_is_made_if_it_is_named_as_one(settings: Config, tmp_path: Path) -> None:
    async with open_store(None, settings.data) as store:
        await played(store)
        assert await administer("backup", settings, lambda _: None, f"{tmp_path}/made/") == 0
    (made,) = (tmp_path / "made").iterdir()
    assert made.name.startswith("klop-")


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_doctor_finds_nothing_amiss_on_a_new_machine(settings: Config, language: str) -> None:
    status, lines = await run("doctor", settings.model_copy(update={"language": language}))
    assert status == 0
    assert {line[:2] for line in lines} == {"ok", "--"}
    assert not any("{" in line or "bot." in line for line in lines)


async def test_the_doctor_says_how_to_mend_things(settings: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.data.mkdir(mode=0o755)
    settings.data.chmod(0o755)
    monkeypatch.setattr(doctor, "ROOM", 1 << 62)
    monkeypatch.setattr(doctor, "OLDEST_PYTHON", (9, 9))
    monkeypatch.setattr(doctor, "NEEDED", ("no_such_library",))
    monkeypatch.setattr(doctor, "SKEW", timedelta(seconds=-1))
    status, lines = await run("doctor", settings)
    bad = [line for line in lines if line.startswith("!!")]
    assert status == 1
    assert all(word in "".join(bad) for word in ("9.9", "no_such_library", "chmod 700", "MiB", "NTP")), bad


async def test_the_doctor_names_levels_that_are_weaker_without_a_compiler(
    settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "weaker_here", lambda: {"breakthrough": {8: 7}})
    status, lines = await run("doctor", settings)
    assert status == 0
    said = words("en")("bot.doctor.uncompiled", game="breakthrough", level=8, alike=7)
    assert f"-- {said}" in lines


async def test_the_doctor_says_what_keeps_the_store_closed(settings: Config) -> None:
    away = settings.model_copy(update={"redis_url": SecretStr("redis://127.0.0.1:1/0")})
    status, lines = await run("doctor", away)
    assert status == 1
    assert "does not answer" in lines[-1]


async def test_the_doctor_sees_a_bot_that_runs(settings: Config, store: RedisStore) -> None:
    await store.uptime.beat(await store.now())
    _, lines = await run("doctor", settings)
    assert "ok A bot is running." in lines
    await store.uptime.beat(await store.now() + timedelta(hours=1))
    assert (await run("doctor", settings))[0] == 0


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_is_set_aside_is_shown_and_put_back_or_dropped(
    settings: Config, store: RedisStore, language: str
) -> None:
    settings, said = settings.model_copy(update={"language": language}), words(language)
    inbox = store.inbox("telegram")
    await inbox.accept([Update(str(number), "-100", "7", b"{}") for number in range(3)])
    for received in await inbox.read(3):
        await inbox.set_aside(received, "KeyError: 'chat'")
    first, second, _ = await store.aside.all()
    status, lines = await run("doctor", settings)
    assert status == 1
    assert f"!! {said('bot.doctor.aside', count=3)}" in lines
    (line,) = [line for line in lines if first.id in line]
    assert all(part in line for part in ("-- ", "in:telegram", "-100", "KeyError: 'chat'"))
    assert await run("replay", settings, Path("nothing")) == (2, [said("bot.admin.no-aside", name="nothing")])
    assert await run("replay", settings, Path(first.id)) == (0, [said("bot.admin.replayed", count=1)])
    assert [each.update.id for each in await inbox.read(9)] == ["0"]
    assert await run("drop", settings, Path(second.id)) == (0, [said("bot.admin.dropped", count=1)])
    assert await run("replay", settings, Path("all")) == (0, [said("bot.admin.replayed", count=1)])
    assert [each.update.id for each in await inbox.read(9)] == ["2"]
    assert await run("drop", settings, Path("all")) == (0, [said("bot.admin.dropped", count=0)])
    assert (await run("doctor", settings))[0] == 0


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_doctor_says_where_finished_matches_are(
    settings: Config, store: RedisStore, tmp_path: Path, language: str
) -> None:
    settings = settings.model_copy(update={"language": language})
    said = words(language)
    folder = str(settings.archive_folder)
    assert (
        f"ok {said('bot.doctor.archive', matches=0, size=0, folder=folder)}"
        in (await run("doctor", settings))[1]
    )
    elsewhere = settings.model_copy(update={"redis_url": SecretStr(f"unix://{settings.data / SOCKET}")})
    assert elsewhere.archive_folder is None
    assert f"-- {said('bot.doctor.no-archive')}" in (await run("doctor", elsewhere))[1]
    match = await played(store)
    table = Table(store, GAMES, Counted())
    await table.act(match.id, Resign(), Request(BOB, AT))
    with closing(Archive(settings.data / "archive")) as archive:
        store = RedisStore(store.connection.client, archive=archive)
        assert await sweep(store, AT + MONTH, no_pause) == 1
    assert (
        f"ok {said('bot.doctor.archive', matches=1, size=0, folder=folder)}"
        in (await run("doctor", settings))[1]
    )
    for lost in (elsewhere, settings.model_copy(update={"archive": tmp_path / "other"})):
        status, lines = await run("doctor", lost)
        assert f"!! {said('bot.doctor.lost-archive')}" in lines
        assert status == 1
        assert (await run("verify", lost))[0] == 1
    assert (await run("verify", settings))[0] == 0
    for note in ("backup", "rewrite:begun", "archive:moved"):
        await store.connection.command("SET", keys.note_key(note), b"12345678\xff")
    file = settings.data / "archive" / FILE
    file.write_bytes(b"not SQLite" * 100)
    status, lines = await run("doctor", settings)
    trouble = said("bot.doctor.bad-archive", file=str(file), text="file is not a database")
    assert status == 1
    assert f"!! {trouble}" in lines
    assert (await run("verify", settings))[0] == 1


async def no_pause(_seconds: float) -> None:
    """Make no pause."""


async def test_the_doctor_says_what_a_crash_and_a_lost_disk_would_cost(
    settings: Config, store: RedisStore, tmp_path: Path
) -> None:
    said = words(settings.language)
    lines = (await run("doctor", settings))[1]
    assert f"ok {said('bot.doctor.fsync', policy='always')}" in lines
    assert f"-- {said('bot.doctor.no-backup')}" in lines
    assert f"-- {said('bot.doctor.not-rewritten')}" in lines
    assert (await run("backup", settings, tmp_path / "backup"))[0] == 0
    assert await request_rewrite(store)
    while (await store.journal.state()).rewriting:  # the first request of all begins one
        await store.connection.command("PING")
    await rewrite_if_due(store, await store.now() + REWRITE_AFTER + REWRITE_EVERY)
    await store.connection.command("CONFIG", "SET", "appendfsync", "everysec")
    lines = (await run("doctor", settings))[1]
    assert f"-- {said('bot.doctor.weak-fsync', policy='everysec')}" in lines
    for key in ("bot.doctor.backup", "bot.doctor.rewritten"):
        sentence = said(key, age="...").partition("...")[0]
        assert [line for line in lines if line.startswith(f"ok {sentence}")], lines[-3:]


SPOILT: list[Callable[[Match], Match]] = [
    lambda match: replace(match, phase=Phase.OVER),
    lambda match: replace(match, phase=Phase.OVER, result=Result((Seat.S1,), "breakthrough.ending.goal")),
    lambda match: replace(match, result=Result((Seat.S1,), Closing.RESIGNED.value)),
    lambda match: replace(match, game="chess"),
    lambda match: replace(match, log=match.log * 2),
]


@pytest.mark.parametrize("spoil", SPOILT)
async def test_a_match_that_does_not_agree_with_itself(spoil: Callable[[Match], Match]) -> None:
    store, check = MemoryStore(), replaying(GAMES)
    match = await played(store)
    check(match)
    check((await Table(store, GAMES, Counted()).act(match.id, Resign(), Request(BOB, AT))).match)
    with pytest.raises(PlayError):
        check(spoil(match))


async def test_the_doctor_says_whether_discord_has_the_commands(settings: Config, store: RedisStore) -> None:
    settings = settings.model_copy(update={"discord_token": SecretStr("x")})
    said = words(settings.language)
    assert f"-- {said('bot.doctor.no-commands')}" in (await run("doctor", settings))[1]
    await store.notes.write(COMMANDS, 'a-fingerprint {"new": "1", "move": "2"}')
    assert f"ok {said('bot.doctor.commands', registered=2)}" in (await run("doctor", settings))[1]
