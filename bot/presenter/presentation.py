"""What it takes to word and draw one match for one reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.i18n import Words
from bot.presenter.naming import Naming
from bot.view import Button, View
from play.match import Match
from play.people import Account
from play.ratings.model import Change
from play.replay import Course
from play.time.clock import Now
from render.picture import Theme
from rules.core import AnyGame


@dataclass(frozen=True, slots=True)
class Presentation:
    """A match and its reader. To word a fact, the match is as it was right after it.

    Attributes:
        now: The time at which clocks are shown: the present, or for texts that are read later, that of the last change.
        changes: What the match did to ratings, by seat.
    """

    game: AnyGame
    match: Match
    course: Course
    words: Words
    now: Now
    changes: Sequence[Change | None] = ()
    theme: Theme = Theme.LIGHT
    flipped: bool = False
    names: Naming = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", Naming(self.game, self.match, self.words))

    def note(self, *lines: str, buttons: tuple[Button, ...] = (), ping: tuple[Account, ...] = ()) -> View:
        """Words under the match's title, without a board."""
        lines = (self.names.title, *lines)
        return View(lines=lines, buttons=buttons, ping=ping, code=self.match.id, revision=self.match.revision)
