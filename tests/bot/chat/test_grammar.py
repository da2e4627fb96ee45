"""Typed commands: names, options and their values."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.chat.errors import BadCommand, CommandError
from bot.chat.grammar import MAX_LINE, Command, like_a_move, read, split
from bot.chat.i18n import LANGUAGES, words
from bot.chat.presenting.moments import moment
from play.time.clock_text import read as read_clock
from tests.bot.world import ANN, BOB, World


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("/board", Command("board", None, "", (), {})),
        ("/BOARD", Command("board", None, "", (), {})),
        ("/board@klop_bot", Command("board", None, "", (), {})),
        ("/move a2-a3", Command("move", None, "a2-a3", ("a2-a3",), {})),
        ("/move #k7q a2-a3", Command("move", "k7q", "a2-a3", ("a2-a3",), {})),
        ("/move a2-a3 #K7Q2MZ", Command("move", "k7q2mz", "a2-a3", ("a2-a3",), {})),
        ("/draw #k7q2mz yes", Command("draw", "k7q2mz", "yes", ("yes",), {})),
        ("/new lgame variant:scoring points=7", Command("new", None, "lgame variant:scoring points=7", ("lgame",), {"variant": "scoring", "points": "7"})),
        ('/new "Ann Lee" bases:"a1, b2"', Command("new", None, '"Ann Lee" bases:"a1, b2"', ("Ann Lee",), {"bases": "a1, b2"})),
        ("/new klop гравців:4", Command("new", None, "klop гравців:4", ("klop",), {"гравців": "4"})),
        ("/хід a2", Command("хід", None, "a2", ("a2",), {})),
        ("/import [Game #k7q2mz]\nx", Command("import", None, "[Game #k7q2mz]\nx", (), {})),
        ("/move #toolong1 a2", Command("move", None, "#toolong1 a2", ("#toolong1", "a2"), {})),
        ("/move #k7 #b3 a2", Command("move", "k7", "#b3 a2", ("#b3", "a2"), {})),
    ],
)  # fmt: skip
def test_commands(line: str, command: Command) -> None:
    assert read(line) == command


@pytest.mark.parametrize("line", ["", "hello", "a2-a3", "//", "/", "/home/user", "/1", "/a-", " /move a2"])
def test_talk(line: str) -> None:
    assert read(line) is None


def test_a_text_of_separate_arguments_may_name_a_match() -> None:
    command = Command.of("plan", text=" a2-a3 #K7q2mz b2-b3 ")
    assert (command.code, command.rest, command.words) == ("k7q2mz", "a2-a3 b2-b3", ("a2-a3", "b2-b3"))
    assert Command.of("plan", code="abcdef", text="#k7q2mz").rest == "#k7q2mz"


def test_a_long_command_is_not_followed_but_a_long_file_is_read() -> None:
    with pytest.raises(CommandError) as caught:
        read("/move " + "a" * MAX_LINE)
    assert caught.value.reason is BadCommand.TOO_LONG
    command = read("/import " + "a" * (2 * MAX_LINE))
    assert command is not None
    assert len(command.rest) == 2 * MAX_LINE


@given(st.text(max_size=300))
def test_any_line_is_a_command_or_talk(line: str) -> None:
    command = read(line)
    if command is not None:
        assert line.lower().startswith(f"/{command.name}"[:2].lower())
        assert command.rest == command.rest.strip() or command.name == "import"


@pytest.mark.parametrize(
    "line",
    [
        *("a2-a3", "a2xb3", "L c1-c3 n b2", "Л с1-с3", "d4 e5 xf6", "d4, e5", "b3", " b3 ", "l1", "L a1a3b3"),
        *("1. b2-b3", "[b2b3]", "b2b3*", "b2 to b3", "г3 на г4", "ｂ２－ｂ３"),
    ],
)
def test_looks_like_a_move(line: str) -> None:
    assert like_a_move(line)


@pytest.mark.parametrize(
    "line",
    ["", "hello", "b0", "a2 please", "1", "a", "at 3", "b3 hm", "a1 " * 40, "н" * 80, "a1н" * 26 + "!"],
)
def test_does_not(line: str) -> None:
    assert not like_a_move(line)


# Values of options that go on after a blank, and every kind of quotes.


CLOCKS = [
    ("3d 12h", "3d12h"),
    ("3д 12г", "3d12h"),
    ("3д 12ч", "3d12h"),
    ("2h 30m", "2h30m"),
    ("3 days 12 hours", "3d12h"),
    ("3 дні", "3d"),
    ("3d 12h soft", "3d12h soft"),
    ("3d, soft", "3d soft"),
    ("3d soft vacation", "3d soft vacation"),
    ("3д м’який відпустка", "3d soft vacation"),
    ("3д мягкие отпуск", "3d soft vacation"),
    ("240h + 36h", "10d+1d12h"),
    ("240h +36h vacation", "10d+1d12h vacation"),
    ("240h+ 36h / 480h soft", "10d+1d12h/20d soft"),
    ("10 днів + 36 годин", "10d+1d12h"),
    ("3d+soft", "3d soft"),
    ("bank vacation", "10d+1d12h vacation"),
    ("3d awake", "3d awake"),
    ("3д вдень", "3d awake"),
    ("3d soft pause:weekend", "3d soft pause:weekend"),
    ("3d пауза:ніч, вихідні", "3d pause:night,weekend"),
]


@pytest.mark.parametrize(("typed", "clock"), CLOCKS)
def test_a_clock_goes_on_over_blanks(typed: str, clock: str) -> None:
    for line in (
        "bob lgame clock:{}",
        "clock:{} bob",
        "bob clock: {} lgame variant:scoring",
        "x годинник:{}",
    ):
        bare, options, _ = split(line.format(typed))
        assert str(read_clock(options["clock"])) == clock
        assert list(bare) == [word for word in line.split() if word in {"bob", "lgame", "x"}]


@pytest.mark.parametrize("quotes", ['"{}"', "“{}”", "„{}“", "«{}»", "”{}”"])
def test_every_kind_of_quotes(quotes: str) -> None:
    bare, options, _ = split(
        f"{quotes.format('Ann Lee')} lgame clock:{quotes.format('3d 12h soft')} vacation"
    )
    assert bare == ("Ann Lee", "lgame")
    assert options == {"clock": "3d 12h soft vacation"}


@pytest.mark.parametrize("name", ["bob", "12x12", "007", "d12", "days", "4x5", "2pac", "flag", "-"])
def test_what_is_no_part_of_a_clock_is_left(name: str) -> None:
    bare, options, _ = split(f"clock:3d {name} lgame")
    assert options == {"clock": "3d"}
    assert bare == (name, "lgame")


@pytest.mark.parametrize(
    ("line", "options", "bare"),
    [
        ("reminders:50, 10", {"reminders": "50, 10"}, ()),
        ("reminders:50 10 here", {"reminders": "50 10"}, ("here",)),
        ("reminders: 50% , 10% quiet: 23 - 8", {"reminders": "50% , 10%", "quiet": "23 - 8"}, ()),
        ("quiet:23:00 – 8:00 zone:Europe/Kyiv", {"quiet": "23:00 – 8:00", "zone": "Europe/Kyiv"}, ()),
        ("games:lgame, breakthrough most:5", {"games": "lgame, breakthrough", "most": "5"}, ()),
        ("players:4, engines:3", {"players": "4", "engines": "3"}, ()),
        ("side: second bob", {"side": "second"}, ("bob",)),
        ("lgame clock:", {}, ("lgame", "clock:")),
        ("clock: rated:yes", {"rated": "yes"}, ("clock:",)),
        ('variant:"', {"variant": '"'}, ()),
    ],
)
def test_other_values(line: str, options: dict[str, str], bare: tuple[str, ...]) -> None:
    said, named, _ = split(line)
    assert (named, said) == (options, bare)


PIECES = st.sampled_from(
    "clock: clock:3d 12h + / 36h soft , 3 days “ » lgame reminders:50 x: -".split()  # noqa: SIM905
)


@given(st.lists(PIECES, max_size=12).map(" ".join) | st.text(max_size=80))
def test_no_word_is_lost(line: str) -> None:
    bare, options, twice = split(line)
    kept = " ".join([*bare, *options, *options.values()])
    if not twice:
        assert all(letter in kept for letter in line if letter.isalnum() and letter == letter.lower())
    assert read(f"/new {line}") is not None


@pytest.mark.parametrize(
    ("typed", "option", "bare"),
    [
        ("zone:New York theme:dark", ("zone", "New York"), ()),
        ("zone: Нью Йорк here", ("zone", "Нью Йорк"), ("here",)),
        ("quiet:з 11 вечора до 8 ранку zone", ("quiet", "з 11 вечора до 8 ранку"), ("zone",)),
        ("quiet: 11 pm - 8 am lgame", ("quiet", "11 pm - 8 am"), ("lgame",)),
        ("puzzle:9:30 p.m. games", ("puzzle", "9:30 p.m."), ("games",)),
        ("closes:2 січня 2027, 18:00 lgame most:8", ("closes", "2 січня 2027, 18:00"), ("lgame",)),
    ],
)
def test_a_time_goes_on_over_blanks(typed: str, option: tuple[str, str], bare: tuple[str, ...]) -> None:
    found, options, _ = split(typed)
    assert (found, options[option[0]]) == (bare, option[1])


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (
            "/settings zone:CST theme:dark",
            [
                f"/settings zone:{each} theme:dark"
                for each in ("America/Chicago", "America/Havana", "Asia/Shanghai")
            ],
        ),
        ("/settings quiet:9 -  11 pm", [f"/settings quiet:{hours}-23:00" for hours in ("09:00", "21:00")]),
        ("/vacation 01/02", ["/vacation 1 ", "/vacation 2 "]),
        ("/cup new lgame clock:1d closes:1/2", [f"/cup new lgame clock:1d closes:{day} " for day in (1, 2)]),
    ],
)
async def test_what_can_be_read_in_several_ways_is_asked_back(typed: str, offered: list[str]) -> None:
    world = World()
    before = await world.store.settings.get(ANN.account)
    [message] = await world.say(ANN, typed)
    assert len(message.view.lines) == 2
    labels = [button.label for button in message.view.buttons]
    assert all(label.startswith(line) for label, line in zip(labels, offered, strict=True)), labels
    now = await world.store.settings.get(ANN.account)
    assert (now.zone, now.quiet, now.vacation) == (before.zone, before.quiet, before.vacation)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_vacation_lasts_until_a_day_or_an_hour(language: str) -> None:
    world = World(language)
    await world.say(ANN, "/settings zone:Київ")
    await world.say(ANN, "/challenge bob lgame clock:3d vacation")
    await world.say(BOB, "/accept")
    for typed, until in (
        ("до 15 грудня", datetime(2026, 12, 15, 22, tzinfo=UTC)),
        ("20 Nov - 2 Dec", datetime(2026, 12, 2, 22, tzinfo=UTC)),
        ("по 2 декабря, 9 вечера", datetime(2026, 12, 2, 19, tzinfo=UTC)),
        ("until 9:30 p.m. GMT-05:30", datetime(2026, 11, 22, 3, tzinfo=UTC)),
        ("2d", datetime(2026, 11, 23, 12, tzinfo=UTC)),
    ):
        said = await world.told(ANN, f"/vacation {typed}")
        vacation = (await world.store.settings.get(ANN.account)).vacation
        assert vacation is not None
        assert vacation.until == until, said
        assert moment(until, words(language), "Europe/Kyiv") in said
    await world.say(ANN, "/vacation off")
    before = await world.store.settings.get(ANN.account)
    for typed, reason in (
        ("31 Feb", "no-day"),
        ("30.2. - 5.3.", "no-day"),
        ("28 Dec - 24 Dec", "backwards"),
        ("2 Jan 2027 - 24 Dec 2026", "backwards"),
        ("24 Dec - 30 Jan", "spent"),
        ("2 Jan 2028", "spent"),
        ("2 Jan 2028 - 3 Jan 2028", "far"),
        ("14:30", "bad"),
        ("soon", "bad"),
    ):
        [message] = await world.say(ANN, f"/vacation {typed}")
        key = "match.refused.bad-vacation" if reason == "bad" else f"match.refused.vacation-{reason}"
        fields = {"text": typed, "left": timedelta(days=30), "year": "2026"}
        assert message.refused, typed
        assert message.view.lines[0] == words(language)(key, **fields), typed
    assert await world.store.settings.get(ANN.account) == before


@pytest.mark.parametrize(
    ("language", "typed", "said"),
    [
        ("en", "24 dec - 2 jan", "24 December – 2 January"),
        ("en", "24.12.-2.1.", "24 December – 2 January"),
        ("en", "24-28 dec", "24–28 December"),
        ("en", "12/28 - 12/31", "28–31 December"),
        ("en", "from monday 2 weeks", "23 November – 6 December"),
        ("uk", "24 грудня - 2 січня", "24 грудня – 2 січня"),
        ("uk", "п'ятниця 3 дні", "27–29 листопада"),
        ("uk", "з понеділка на 2 тижні", "23 листопада – 6 грудня"),
        ("ru", "с 24 декабря по 2 января", "24 декабря – 2 января"),
        ("ru", "с понедельника на 2 недели", "23 ноября – 6 декабря"),
    ],
)
async def test_a_planned_vacation_is_said_by_its_days(language: str, typed: str, said: str) -> None:
    world = World(language)
    await world.say(ANN, "/settings zone:Kyiv")
    await world.say(ANN, "/challenge bob lgame clock:3d vacation")
    await world.say(BOB, "/accept")
    spoken = words(language)
    assert spoken("bot.vacation.yours", days=said) in await world.told(ANN, f"/vacation {typed}")
    ahead = spoken("bot.vacation.ahead", name="ann", days=said)
    assert (ahead in await world.told(BOB, "/board")) == (said[:2] not in ("24", "28")), (
        "from 30 days before it on"
    )
    assert spoken("bot.vacation.called-off") in await world.told(ANN, "/vacation off")
    assert ahead not in await world.told(BOB, "/board")
