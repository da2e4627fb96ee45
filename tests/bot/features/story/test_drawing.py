"""How beats are shown: a board each within bounds, the same words beside it and in place of it, a film that lingers."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Final

import pytest
from PIL import Image

from bot.chat.i18n import LANGUAGES, words
from bot.chat.presenting.captions import ALT, length
from bot.chat.presenting.naming import Presentation
from bot.features.matches.cards import TOLD, frames
from bot.features.story import drawing
from bot.features.story.beats import Beat, Kind
from play.replay import turns_of
from render.picture import Theme, paint_panels
from tests.bot.features.puzzles.solving import over
from tests.bot.world import World

GAMES: Final[tuple[tuple[str, dict[str, str]], ...]] = (
    ("lgame", {}),
    ("breakthrough", {}),
    ("klopodavka", {"board": "10x10"}),
    ("klopodavka", {"board": "20x20"}),
)


async def told(game: str, chosen: dict[str, str], count: int) -> tuple[Presentation, Sequence[Beat]]:
    """A match, and so many of its turns, from the first to the last, as beats."""
    world = World()
    shown = world.present(await over(world, game, dict(chosen), seed=4), words("en"))
    turns = turns_of(shown.course)
    kinds = [Kind.PLAYED] * (count - 1) + [Kind.FINISH]
    at = [round(each * (len(turns) - 1) / max(1, count - 1)) for each in range(count - 1)] + [len(turns) - 1]
    return shown, [Beat(kind, turns[each]) for kind, each in zip(kinds, at, strict=True)]


@pytest.mark.parametrize(("game", "chosen"), GAMES)
@pytest.mark.parametrize("count", [1, 3, 5])
async def test_each_beat_has_a_board_and_a_line_and_the_alt_text_tells_the_same(
    game: str, chosen: dict[str, str], count: int
) -> None:
    shown, beats = await told(game, chosen, count)
    view = drawing.story(shown, beats)
    assert view.panels is not None
    assert len(view.panels.boards) == count
    assert not any(board.first for board in view.panels.boards)
    assert [line[:2] for line in view.lines[1:]] == [f"{number}." for number in range(1, count + 1)]
    assert view.alt.splitlines() == list(view.lines)
    for theme in (Theme.LIGHT, Theme.DARK):
        data = paint_panels(view.panels, theme)
        assert len(data) <= 60_000
        with Image.open(BytesIO(data)) as image:
            assert image.width <= 1080  # as a phone has pixels
            assert image.height <= 1.8 * 1080


async def test_the_alt_text_is_no_longer_than_platforms_take() -> None:
    shown, beats = await told("klopodavka", {"board": "20x20"}, 3)
    for language in LANGUAGES:
        assert length(drawing.story(shown, [*beats] * 20).alt) <= ALT, language


@pytest.mark.parametrize(("game", "chosen"), GAMES)
async def test_a_film_lingers_at_the_beats_and_says_them(game: str, chosen: dict[str, str]) -> None:
    shown, beats = await told(game, chosen, 4)
    captions = drawing.captions(shown, beats)
    film = frames(shown, most=60, told=captions)
    slow = [frame for frame in film if frame.seconds == TOLD]
    assert [frame.caption for frame in slow] == list(drawing.story(shown, beats).lines[1:])
    board = drawing.story(shown, beats).panels
    assert board is not None
    assert [frame.diagram.pieces for frame in slow] == [each.pieces for each in board.boards]
    assert max(frame.seconds for frame in film if frame not in slow) < TOLD
