"""README, pages for players and documents: what they name exists, and what they say is true."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.chat.i18n import LANGUAGES
from bot.chat.i18n.catalogue import ROOT
from play.time.week import Week, resting_until
from rules import GAMES
from rules.core import AmbiguousMove, OneOf
from tests.bot.process import run
from tests.docs.legal import pages

# The README and docs/evening.md: the evening plays as written, and every file and command that they name
# exists.


README = (ROOT / "README.md").read_text("utf-8")
EVENING = (ROOT / "docs" / "evening.md").read_text("utf-8")
CODE = re.compile(r"#[a-z0-9]{6}\b")
WELCOME = 2
"""Lines that the room prints before the first answer."""


def transcript(page: str = EVENING) -> str:
    """The played example of a page."""
    [block] = re.findall(r"^```text\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    return str(block)


def test_the_evening_goes_as_it_is_told(tmp_path: Path) -> None:
    told = transcript()
    said = [line for line in told.splitlines() if re.match(r"\w+: ", line)]
    assert len(said) >= 4
    done = run(tmp_path / "data", "\n".join(said) + "\n")
    # Without a compiler the log warns of the engines.
    assert [line for line in done.stderr.splitlines() if "is not compiled" not in line] == []
    assert done.returncode == 0
    seen = "".join(line + "\n" for line in done.stdout.splitlines()[WELCOME:])
    assert CODE.sub("#xxxxxx", seen) == CODE.sub("#xxxxxx", told)


def test_the_readme_shows_a_part_of_the_evening() -> None:
    assert len(transcript(README).splitlines()) <= 10
    assert transcript(README) in transcript()


def test_it_names_only_commands_that_there_are() -> None:
    named = set(re.findall(r"\bscripts/(\w+)", README))
    assert named
    assert {"run", "test"} <= named
    for name in named:
        assert (ROOT / "scripts" / name).stat().st_mode & 0o111, name


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "CONTRIBUTING.md",
        "bench/README.md",
        *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md"))),
        *(f"docs/decisions/{page.name}" for page in sorted((ROOT / "docs" / "decisions").glob("*.md"))),
    ],
)
def test_links_lead_somewhere(page: str) -> None:
    path = ROOT / page
    for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text("utf-8")):
        if "://" not in link:
            assert (path.parent / link).exists(), link


# docs/clocks.md: the week that it draws is as clocks count it.


def test_the_drawn_week_is_true() -> None:
    [block] = re.findall(
        r"^```text\n(.*?)^```$", (ROOT / "docs/clocks.md").read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    rows = [line[7:].split("    ")[:2] for line in block.splitlines()[2:]]
    olena, bob = ("".join(row[who][:24] for row in rows) for who in range(2))
    own = {"Europe/Kyiv": (8, 23, (), olena), "America/New_York": (9, 21, (5, 6), bob)}
    monday = datetime(2026, 11, 23, tzinfo=ZoneInfo("Europe/Kyiv")).astimezone(UTC)
    for zone, (start, end, off, drawn) in own.items():
        week, hours = Week(time(start), time(end), off, zone), range(7 * 24)
        rest = [resting_until(week, monday + timedelta(hours=hour)) is not None for hour in hours]
        assert [mark == "·" for mark in drawn] == rest
    assert not any(mine == other == "#" for mine, other in zip(olena, bob, strict=True)), "one clock runs"
    turns = [len(run) for run in re.findall(r"#+", re.sub(r"[·]", "", olena))]
    assert turns == [2, 27, 19]
    assert [len(run) for run in re.findall(r"#+", re.sub(r"[·]", "", bob))] == [9, 16]


# The documents on security and reliability name tests that exist.


@pytest.mark.parametrize("document", ["security", "reliability"])
def test_every_test_that_is_named_exists(document: str) -> None:
    text = (ROOT / "docs" / f"{document}.md").read_text()
    named = re.findall(r"`((?:tests/[\w./]+)?(?:::\w+)?)`", text)
    path, missing = "", []
    for each in filter(None, named):
        given, _, test = each.partition("::")
        path = given or path  # a test alone is in the file named before it
        found = ROOT / path
        if not found.exists() or (test and f"def {test}(" not in found.read_text()):
            missing.append(each)
    proofs = {path.stem: path.read_text() for path in (ROOT / "tests" / "reliability").glob("test_*.py")}
    missing += [
        each
        for each in re.findall(r"`(test_\w+)`", text)
        if each not in proofs and not any(f"def {each}(" in source for source in proofs.values())
    ]
    assert named
    assert not missing


# The pages for players: the same in every language, and true of the games.


PAGES = ROOT / "docs" / "rules"
GAME_PAGES = [PAGES / language / f"{key}.md" for language in LANGUAGES for key in GAMES]

_FENCE = re.compile(r"^ *```\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
_SPAN = re.compile(r"`([^`\n]+)`")
_OPTION = re.compile(r"\b([a-z]+):([a-z0-9][a-z0-9,-]*)")
_COMMAND = re.compile(r"^/(?:challenge|new) (?:\w+ )??(\w+)((?: [a-z]+:\S+)*)$", re.MULTILINE)


def name(page: Path) -> str:
    return f"{page.parent.name}-{page.stem}"


def blocks(page: Path) -> list[str]:
    return _FENCE.findall(page.read_text("utf-8"))


def rows(block: str) -> list[str]:
    """A board's ranks, from the top."""
    return ["".join(line.split()[1:]) for line in block.splitlines() if line.strip()[0].isdigit()]


def test_every_language_has_every_page() -> None:
    for language in LANGUAGES:
        there = {page.stem for page in (PAGES / language).glob("*.md")}
        assert there == {"README", *GAMES}, language


@pytest.mark.parametrize("page", sorted(PAGES.rglob("*.md")), ids=name)
def test_links_of_pages_for_players_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", page.read_text("utf-8")):
        assert (page.parent / link).is_file(), link


@pytest.mark.parametrize("page", GAME_PAGES, ids=name)
def test_every_language_shows_the_same_boards_and_commands(page: Path) -> None:
    model = PAGES / "en" / page.name
    assert blocks(page) == blocks(model)
    spans, same = (
        {span for span in _SPAN.findall(_FENCE.sub("", text.read_text("utf-8"))) if span.isascii()}
        for text in (page, model)
    )
    assert spans == same


@pytest.mark.parametrize("page", GAME_PAGES, ids=name)
def test_options_named_on_a_page_exist(page: Path) -> None:
    game = GAMES[page.stem]
    named = {pair for span in _SPAN.findall(page.read_text("utf-8")) for pair in _OPTION.findall(span)}
    assert named
    for key, value in named:
        game.schema.read({key: value})
    words = {value for key, value in named if key == "variant"}
    variant = next(option for option in game.schema.options if option.key == "variant")
    assert isinstance(variant, OneOf)
    assert words == {*variant.offered} - {variant.default}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_commands_of_the_index_can_be_typed(language: str) -> None:
    text = (PAGES / language / "README.md").read_text("utf-8")
    found = _COMMAND.findall(text)
    assert len(found) == 3
    for game, options in found:
        GAMES[game].choose(dict(pair.split(":") for pair in options.split()))


def test_l_game() -> None:
    game = GAMES["lgame"]
    options = game.choose({})
    start = game.start(options)
    boards = [rows(block) for block in blocks(PAGES / "en" / "lgame.md")]
    assert game.notation.format_position(start) == "/".join(boards[0]) + " 1"
    for typed in ("L c1-a1-a2 n d1-b3", "L c1-a1-a2", "L a1-c1", "L a1 b1 c1 a2"):
        assert len(game.notation.parse(typed, start)) == 1
    with pytest.raises(AmbiguousMove):
        game.notation.parse("L c1-a1-a2 n b3", start)
    # The example of a win: two boards side by side, before and after.
    both = next(board for board in boards if any("→" in row for row in board))
    before = "/".join(row[:4] for row in both)
    after = "/".join(row.replace("→", "")[5:] for row in both)
    position = game.notation.parse_position(f"{before} 2", options)
    for move in game.notation.parse("L b2-d2-d3 n d1-a3", position):
        position = position.play(move)
    assert game.notation.format_position(position).startswith(after)
    assert position.outcome
    assert [seat.number for seat in position.outcome.winners] == [2]
    sudden = GAMES["lgame"].start(game.choose({"variant": "sudden-death"}))
    assert len(game.notation.parse("L c1-a1-a2 n a4-d1 n d1-b3", sudden)) == 1


def test_breakthrough() -> None:
    game = GAMES["breakthrough"]
    start = game.start(game.choose({}))
    diagram = game.draw(start)
    shown = rows(blocks(PAGES / "en" / "breakthrough.md")[0])
    for square in diagram.grid:
        piece = diagram.at(square)
        man = "." if piece is None or piece.owner is None else "WB"[piece.owner]
        assert shown[-1 - square.rank][square.file] == man
    assert game.notation.parse("a2-a3", start)


def test_klopodavka() -> None:
    game = GAMES["klopodavka"]
    start = game.start(game.choose({}))
    diagram = game.draw(start)
    corners = {str(piece.cells[0]) for piece in diagram.pieces}
    assert corners == {"a1", "j10"}
    assert str(diagram.grid) == "10x10"
    assert len(game.notation.parse("b2 c3 d4", start)) == 3
    for preset, board, actions in [
        ("classic", "10x10", 3),
        ("quick", "8x8", 3),
        ("duel", "12x12", 4),
        ("tournament", "20x30", 4),
    ]:
        options = game.choose({"preset": preset})
        assert (str(options.board), options.actions) == (board, actions)


# The pages on privacy and terms say what the bot says.


def test_the_pages_say_what_the_bot_says() -> None:
    for path, text in pages():
        assert path.read_text("utf-8") == text, f"{path.name}: python -m tests.docs.legal"
