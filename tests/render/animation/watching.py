"""Films watched as a program that knows GIF files shows them, and matches to film."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final, NamedTuple

from PIL import Image

from render.animation import SHORTEST, Animation, AnimationFrame
from render.picture import Strip, StripLine
from rules import GAMES
from rules.core import Highlights, Seat

STANDARD: Final[Mapping[str, str]] = {}


class Seen(NamedTuple):
    """What stands still on the screen, and for how many seconds."""

    image: Image.Image
    seconds: float


def watched(film: Animation) -> list[Seen]:
    """What is seen one after another; images too short to be seen are part of what follows them."""
    seen = []
    waited = 0.0
    with Image.open(io.BytesIO(film.data)) as image:
        for at in range(getattr(image, "n_frames", 1)):
            image.seek(at)
            seconds = image.info["duration"] / 1000
            waited += seconds
            if round(100 * seconds) > SHORTEST:
                seen.append(Seen(image.convert("RGB"), waited))
                waited = 0.0
    return seen


def filmed(
    key: str, plies: int, chosen: Mapping[str, str] = STANDARD, *, seed: int = 0, strip: Strip | None = None
) -> list[AnimationFrame]:
    """A match played at random, or several one after another until there are enough plies."""
    return [
        AnimationFrame(diagram, f"{at}. {text}", 0.5, strip)
        for at, (diagram, text) in zip(range(plies), _boards(key, seed, chosen), strict=False)
    ]


def _boards(key: str, seed: int, chosen: Mapping[str, str]) -> Iterator[tuple[Any, str]]:
    game, chance = GAMES[key], Random(seed)
    while True:
        position = game.start(game.choose(chosen))
        yield game.draw(position), "·"
        while position.outcome is None:
            move = chance.choice(position.legal_moves())
            before, position = position, position.play(move)
            yield game.draw(position, Highlights(last=(move,), before=before)), game.notation.format(move)


def strip(*names: str) -> Strip:
    """A line for each name."""
    return Strip(tuple(StripLine(name, Seat(at)) for at, name in enumerate(names)))
