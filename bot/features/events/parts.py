"""What the cards of cups, ladders and leagues share: an event for a reader, and how games and points are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import Words
from bot.chat.presenting.naming import player_name
from bot.chat.view import Button
from play.events.entries import EventGame, GameEnd
from play.events.event import Event, Form
from play.time.clock import Now
from render.picture import Tone
from rules.core import AnyGame

KEYS: Final = {"bot.cup.game.{}": (("won", "drawn", "lost", "halved", "proved-won", "proved-lost"),)}
"""The keys that this module puts together, by their template: the members of each hole."""

ROWS: Final = 12
"""Lines of a table in one message."""

NAMES: Final = 20
"""Names and games in one list."""

MAX_ALT: Final = 1024

_VERBS: Final = {Form.CUP: Verb.CUP, Form.LADDER: Verb.LADDER, Form.LEAGUE: Verb.LEAGUE}

TONES: Final = (Tone.POOR, Tone.FAIR, Tone.BEST)
"""Of a loss, a draw and a win."""


@dataclass(frozen=True, slots=True)
class Shown:
    """An event for one reader.

    Attributes:
        event: As it is.
        game: Its game.
        words: In the reader's language.
        now: When.
        zone: The reader's time zone; None: UTC is said.
    """

    event: Event
    game: AnyGame
    words: Words
    now: Now
    zone: str | None = None

    def name(self, entrant: int) -> str:
        """Return an entrant's name."""
        return player_name(self.event.state.entrants[entrant].player, self.words)


def press(form: Form, words: Words, key: str, typed: str, *, good: bool = False, **fields: object) -> Button:
    """Return a button that does what is typed after the command of a form of events."""
    data = CallbackData.without_match(_VERBS[form], typed)
    return Button(words(key, **fields), data, style="good" if good else "plain")


def turning(shown: Shown, page: int, pages: int) -> tuple[Button, ...]:
    """Return the buttons to the pages of a table before and after one."""
    around = (("bot.cup.button.before", page - 1), ("bot.cup.button.after", page + 1))
    return tuple(
        press(shown.event.setup.form, shown.words, key, f"table {shown.event.id} {to + 1}")
        for key, to in around
        if 0 <= to < pages
    )


def to_matches(games: Iterable[EventGame]) -> tuple[Button, ...]:
    """Return a button to the board of each game that is open and has a match."""
    return tuple(
        Button(f"#{game.match}", CallbackData(Verb.BOARD, game.match, 0))
        for game in games
        if game.open and game.match
    )


def marked(shown: Shown, entrant: int) -> str:
    """Return an entrant's name, which says so if they are out."""
    name = shown.name(entrant)
    out = shown.event.state.entrants[entrant].out is not None
    return shown.words("bot.cup.out", name=name) if out else name


def code(event: Event) -> str:
    """Return an event's code as it is shown."""
    return f"#{event.id}"


def points(number: Fraction) -> str:
    """Return points as people write them: 3, 2½, 1⅓."""
    whole, rest = divmod(number, 1)
    sign = {
        Fraction(1, 2): "½",
        Fraction(1, 3): "⅓",
        Fraction(2, 3): "⅔",
        Fraction(1, 4): "¼",
        Fraction(3, 4): "¾",
    }
    if not rest:
        return str(whole)
    return f"{whole or ''}{sign[rest]}" if rest in sign else f"{float(number):.2f}"


def met(games: Sequence[EventGame], entrant: int, other: int) -> tuple[str, Tone]:
    """Return the cell of a cross table: the signs of the games of two entrants."""
    if other == entrant:
        return "■", Tone.NONE
    signs = [
        sign_of(game, entrant) for game in games if other in game.entrants and game.end is not GameEnd.VOID
    ]
    best = {"+": 2, "=": 1, "–": 0}
    scores = [best[sign] for sign in signs if sign in best]
    tone = TONES[round(sum(scores) / len(scores))] if scores else Tone.NONE
    return "".join(signs), tone


def sign_of(game: EventGame, entrant: int) -> str:
    """Return the sign of a game for two, for one of them: won, drawn, lost or open."""
    if not game.counts:
        return "·"
    mine = game.place(entrant)
    theirs = next(game.place(one) for one in game.entrants if one != entrant)
    return "=" if mine == theirs else "+" if mine < theirs else "–"


def opponents(shown: Shown, game: EventGame) -> str:
    """Return who plays a game, in the order of play."""
    return " – ".join(map(shown.name, game.entrants))


def how(shown: Shown, game: EventGame, entrant: int) -> str:
    """Return how a game of an entrant stands, for them."""
    words = shown.words
    if game.open:
        return f"#{game.match}" if game.match else words("bot.cup.game.later")
    if not game.counts:
        return words("bot.cup.game.void")
    if len(game.entrants) > 2:
        return words("bot.cup.game.place", place=game.place(entrant) + 1)
    mine, theirs = game.place(entrant), next(game.place(one) for one in game.entrants if one != entrant)
    result = "drawn" if mine == theirs else "won" if mine < theirs else "lost"
    if game.end is GameEnd.ADJUDICATED:
        result = "halved" if mine == theirs else f"proved-{result}"
    return words(f"bot.cup.game.{result}")


def arrow(gained: int) -> str:
    """Return the sign of who goes up or down; nothing for who stays."""
    return "▲" if gained > 0 else "▼" if gained < 0 else ""
