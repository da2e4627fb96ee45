"""What the cards of all forms of events share, and what a form has: an event for a reader, how games and points are written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from typing import Final, Protocol

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import Words
from bot.chat.presenting.naming import clock_text, game_title, moment, player_name
from bot.chat.view import Button, View
from play.events.entries import EventEntry, EventGame, GameEnd, Paired
from play.events.event import Changed, Event, Form
from play.events.standings import StandingsRow
from play.people import Account
from play.time.clock import Now
from render.picture import Sheet, SheetRow, Tone
from rules.core import AnyGame

KEYS: Final = {  # for the check of the catalogues
    "bot.{}.title": (Form,),
    "bot.{}.title.rated": ((Form.CUP, Form.LEAGUE),),
    "bot.cup.game.{}": (("won", "drawn", "lost", "halved", "proved-won", "proved-lost"),),
}

ROWS: Final = 12  # lines of a table in one message
NAMES: Final = 20  # names and games in one list
MAX_ALT: Final = 1024

TONES: Final = {"–": Tone.POOR, "=": Tone.FAIR, "+": Tone.BEST}  # of the signs of a loss, a draw and a win


def press(form: Form, words: Words, key: str, typed: str, *, good: bool = False, **fields: object) -> Button:
    """Return a button that does what is typed after the command of a form of events."""
    data = CallbackData.without_match(Verb[form.name], typed)
    return Button(words(key, **fields), data, style="good" if good else "plain")


class Cards(Protocol):
    """What a form of events shows: a module with these functions."""

    @property
    def CALLING(self) -> tuple[type[EventEntry], ...]:  # noqa: N802 - a constant of the module
        """The entries that make a new message, as the end of an event does."""

    def card(self, shown: Shown, /) -> View:
        """Return the card that all at a place see."""

    def mine(self, shown: Shown, who: Account, /) -> View:
        """Return an event as one person has it."""

    def table(self, shown: Shown, page: int | None, who: Account, /) -> View:
        """Return the table by pages, from 1, for one person; None: the page that they look for."""

    def news(self, shown: Shown, facts: Sequence[Changed], /) -> News:
        """Return what a message adds to the card that announces facts."""


@dataclass(frozen=True, slots=True)
class News:
    """What is new in an event, below its card; the buttons before those of the card; and who is called."""

    lines: Sequence[str]
    called: Sequence[Account]
    buttons: tuple[Button, ...] = ()


def code(event: Event) -> str:
    """Return an event's code as it is shown."""
    return f"#{event.id}"


@dataclass(frozen=True, slots=True)
class Shown:
    """An event for one reader, in their time zone (None: UTC, which is said)."""

    event: Event
    game: AnyGame
    words: Words
    now: Now
    zone: str | None = None

    @property
    def title(self) -> str:
        """The event as a headline."""
        setup, words = self.event.setup, self.words
        rated = ".rated" if setup.rated and setup.form is not Form.LADDER else ""
        game, clock = game_title(self.game, dict(setup.options), words), clock_text(setup.clock, words)
        return words(f"bot.{setup.form}.title{rated}", game=game, code=code(self.event), clock=clock)

    def view(self, *lines: str, buttons: Iterable[Button] = ()) -> View:
        """Lines under the headline."""
        return View(lines=(self.title, *lines), buttons=tuple(buttons))

    def with_table(self, view: View, sheet: Sheet) -> View:
        """A view with a table: a picture; its words alone where there are no pictures."""
        return replace(view, sheet=sheet, alt="\n".join((self.title, *sheet.told))[:MAX_ALT])

    def button(self, key: str, deed: str, *rest: object, good: bool = False, **fields: object) -> Button:
        """A button that does something with the event, as it is typed: the deed, the code, and the rest."""
        typed = " ".join(map(str, (deed, self.event.id, *rest)))
        return press(self.event.setup.form, self.words, key, typed, good=good, **fields)

    def turning(self, page: int, pages: int) -> tuple[Button, ...]:
        """The buttons to the pages of a table before and after one, from 0."""
        around = (("bot.cup.button.before", page - 1), ("bot.cup.button.after", page + 1))
        return tuple(self.button(key, "table", to + 1) for key, to in around if 0 <= to < pages)

    def moment(self, when: datetime) -> str:
        """A moment for the reader."""
        return moment(when, self.words, self.zone)

    def name(self, entrant: int) -> str:
        """An entrant's name."""
        return player_name(self.event.state.entrants[entrant].player, self.words)

    def marked(self, entrant: int) -> str:
        """An entrant's name, which says so if they are out."""
        name, out = self.name(entrant), self.event.state.entrants[entrant].out is not None
        return self.words("bot.cup.out", name=name) if out else name

    def names(self, names: Sequence[str], most: int) -> str:
        """Names as a list; of more than so many the first, and how many more."""
        more = len(names) - most
        rest = [self.words.count("bot.cup.more-people", more)] if more > 0 else []
        return self.words.list([*names[:most], *rest])

    def opponents(self, game: EventGame) -> str:
        """Who plays a game, in the order of play."""
        return " – ".join(map(self.name, game.entrants))

    def line(
        self,
        row: StandingsRow[int],
        change: int,
        cells: Iterable[tuple[str, Tone]],
        number: int | None = None,
    ) -> tuple[str, SheetRow]:
        """A line of a table in words and as it is drawn, there with a number instead of the place if one is given."""
        arrow = "▲" if change > 0 else "▼" if change < 0 else ""
        name, total = self.marked(row.player), points(row.total)
        said = self.words(
            "bot.cup.row.left" if row.left and self.event.live else "bot.cup.row",
            place=row.place,
            change=arrow,
            name=name,
            points=total,
            left=row.left,
            count=row.left,
        )
        head = " ".join(filter(None, (f"{number or row.place}.", arrow, name)))
        crowned = row.place == 1 and row.points > 0
        return said.replace("  ", " "), SheetRow(head, tuple(cells), total, crowned=crowned)

    def how(self, game: EventGame, entrant: int) -> str:
        """How a game of an entrant stands, for them."""
        words = self.words
        if game.open:
            return f"#{game.match}" if game.match else words("bot.cup.game.later")
        if not game.counts:
            return words("bot.cup.game.void")
        if len(game.entrants) > 2:
            return words("bot.cup.game.place", place=game.place(entrant) + 1)
        result = {"=": "drawn", "+": "won", "–": "lost"}[sign_of(game, entrant)]
        if game.end is GameEnd.ADJUDICATED:
            result = "halved" if result == "drawn" else f"proved-{result}"
        return words(f"bot.cup.game.{result}")


def new_games(facts: Iterable[Changed]) -> frozenset[int]:
    """Return the numbers of the games that facts have paired."""
    new: set[int] = set()
    for fact in facts:
        count = fact.event.state.count
        made = sum(len(entry.games) for entry in fact.entries if isinstance(entry, Paired))
        new.update(range(count - made, count))
    return frozenset(new)


def called_to(event: Event, games: Collection[int]) -> Sequence[Account]:
    """Return who plays in some new games of an event; once it is over, all who played in it."""
    state = event.state
    playing = {one for game in state.games if game.number in games for one in game.entrants}
    if not event.live and state.games:
        playing = {one.number for one in state.playing}
    return [one.player.account for one in state.playing if one.number in playing]


def to_matches(games: Iterable[EventGame]) -> tuple[Button, ...]:
    """Return a button to the board of each game that is open and has a match."""
    return tuple(
        Button(f"#{game.match}", CallbackData(Verb.BOARD, game.match, 0))
        for game in games
        if game.open and game.match
    )


def page_in(asked: int | None, pages: int) -> int:
    """Return the index of a page that is asked for; the nearest that there is."""
    return max(0, min(asked or 1, pages) - 1)


def points(number: Fraction) -> str:
    """Return points as people write them: 3, 2½, 1⅓."""
    whole, rest = divmod(number, 1)
    signs = {(1, 2): "½", (1, 3): "⅓", (2, 3): "⅔", (1, 4): "¼", (3, 4): "¾"}
    sign = signs.get((rest.numerator, rest.denominator))
    if not rest:
        return str(whole)
    return f"{whole or ''}{sign}" if sign else f"{float(number):.2f}"


def met(games: Sequence[EventGame], entrant: int, other: int) -> tuple[str, Tone]:
    """Return the cell of a cross table: the signs of the games of two entrants."""
    if other == entrant:
        return "■", Tone.NONE
    signs = [
        sign_of(game, entrant) for game in games if other in game.entrants and game.end is not GameEnd.VOID
    ]
    scores = ["–=+".index(sign) for sign in signs if sign in TONES]
    tone = TONES["–=+"[round(sum(scores) / len(scores))]] if scores else Tone.NONE
    return "".join(signs), tone


def sign_of(game: EventGame, entrant: int) -> str:
    """Return the sign of a game for two, for one of them: won, drawn, lost or open."""
    if not game.counts:
        return "·"
    mine, theirs = game.place(entrant), next(game.place(one) for one in game.entrants if one != entrant)
    return "=" if mine == theirs else "+" if mine < theirs else "–"
