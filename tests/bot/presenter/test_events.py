"""The table of a cup, as words and as a picture's cells."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from bot.chat.i18n import words
from bot.features.events.cup_cards import card, table
from bot.features.events.parts import MAX_ALT, Shown, points
from play.events.actions import Enter
from play.events.event import Event
from play.time.clock import Now
from render.picture import Tone
from rules import GAMES
from tests.play.events.cups import RandomCup, person


def shown(seed: int, people: int, seats: int, steps: int) -> Shown:
    """A cup in which everybody entered, after so many steps."""
    played = RandomCup(seed, people, seats)
    played.calm = True
    for number in range(people):
        played.act(Enter(person(number).account), person(number))
    for _ in range(steps):
        if played.event.live:
            played.step()
    event: Event = replace(played.event, setup=replace(played.event.setup, game="lgame"))
    return Shown(event, GAMES["lgame"], words("en"), Now(played.now))


ROBIN = """
1. p5 | ■ – + = = · 1 | 2
2. p3 | + ■ – · = = 1 | 2
3. p2 | – + ■ – · + 1 | 2
4. p1 | = · + ■ · · 3 | 1½
5. p4 | = = · · ■ = 2 | 1½
6. p0 | · = – · = ■ 2 | 1
"""

SWISS = """
1. ▲ p2 | +5 +6 +8 . . . 1 | 3
2. ▼ p10 | +12 +7 ·3 . . 1 2 | 2
3. ▼ p4 | =8 +4 ·2 . . 1 3 | 1½
4. ▲ p7 | =11 –3 +12 . . . 4 | 1½
5. ▲ p9 | –1 =9 =10 . . . 5 | 1
6. ▼ p0 | +9 –1 ·7 . . 1 6 | 1
7. ▼ p11 | +10 –2 ·6 . . 1 7 | 1
8. ▲ p1 | =3 ·11 –1 . . 1 8 | ½
9. ▼ p3 | –6 =5 ·11 . . 1 9 | ½
10. ▲ p5 | –7 ·12 =5 . . 1 9 | ½
11. ▼ p6 | =4 ·8 ·9 . . 2 11 | ½
12. ▼ p8 | –2 ·10 –4 . . 1 12 | 0
"""

PODS = """
1. p0 | 1 1 . . | 3½
1. p1 | 1 1 . . | 3½
1. p2 | 1 1 . . | 3½
1. p4 | 1 1 . . | 3½
5. ▼ p3 | 1 · . 1 | 1¾
5. ▼ p5 | 1 · . 1 | 1¾
5. ▼ p6 | 1 · . 1 | 1¾
5. ▼ p7 | 1 · . 1 | 1¾
"""


@pytest.mark.parametrize(
    ("cup", "golden"),
    [((3, 6, 2, 11), ROBIN), ((11, 12, 2, 16), SWISS), ((5, 8, 4, 4), PODS)],
    ids=["round robin", "swiss", "pods"],
)
def test_the_cells_of_a_table(cup: tuple[int, int, int, int], golden: str) -> None:
    sheet = table(shown(*cup)).sheet
    assert sheet is not None
    told = [
        f"{row.name} | {' '.join(text or '.' for text, _ in row.cells)} | {row.total}" for row in sheet.rows
    ]
    assert "\n".join(told) == golden.strip()
    assert {len(row.cells) for row in sheet.rows} == {len(sheet.columns)}


def test_a_colour_says_what_a_sign_says() -> None:
    sheet = table(shown(11, 12, 2, 16)).sheet
    assert sheet is not None
    tones = {"+": Tone.BEST, "=": Tone.FAIR, "–": Tone.POOR, "·": Tone.NONE, "": Tone.NONE}
    cells = [cell for row in sheet.rows for cell in row.cells[:-2]]
    assert all(tone is tones[text[:1]] for text, tone in cells)


def test_where_there_are_no_pictures_the_table_is_in_words() -> None:
    view = card(shown(11, 40, 2, 30))
    told = view.in_words.lines
    assert view.lines == told[: len(view.lines)]
    assert told[len(view.lines) + 1].startswith("1. ")
    assert told[-1] == "and 28 more"
    assert len(view.alt) <= MAX_ALT
    assert told[-1] in view.alt


def test_points_as_people_write_them() -> None:
    halves = [Fraction(0), Fraction(1, 2), Fraction(3), Fraction(7, 2), Fraction(4, 3), Fraction(31, 12)]
    assert [points(number) for number in halves] == ["0", "½", "3", "3½", "1⅓", "2.58"]


@pytest.mark.parametrize(
    ("language", "name"), [("en", "Swiss system"), ("uk", "Швейцарська"), ("ru", "Швейцарская")]
)
def test_an_open_cup_of_more_than_ten_says_how_it_pairs(language: str, name: str) -> None:
    cup = RandomCup(1, 12)
    cup.calm = True
    for number in range(11):
        cup.act(Enter(person(number).account), person(number))
    event: Event = replace(cup.event, setup=replace(cup.event.setup, game="lgame"))
    view = card(Shown(event, GAMES["lgame"], words(language), Now(cup.now)))
    assert any(name in line for line in view.lines), view.lines
