"""What the cards of all forms of events share, and what a form has: an event for a reader, how games and points are written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from typing import Final, TypeAlias

from bot.chat.arguments import Argument
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.i18n import Words
from bot.chat.presenting.moments import clock_text, moment
from bot.chat.presenting.naming import game_title, player_name
from bot.chat.registry import CommandHandler
from bot.chat.view import Button, View
from play.events.entries import EventEntry, EventGame, GameEnd, Paired
from play.events.event import Changed, Event
from play.events.forms import FORMS as RULES
from play.events.standings import StandingsRow
from play.people import Account
from play.time.clock import Clock, Now
from render.picture import Sheet, SheetRow, Tone
from rules.core import AnyGame, Reason
from storage.ports import FullStore

KEYS: Final = {  # for the check of the catalogues
    "bot.{}.title": (RULES,),
    "bot.{}.title.rated": (("cup", "league"),),
    "bot.cup.game.{}": (("won", "drawn", "lost", "halved", "proved-won", "proved-lost"),),
}

ROWS: Final = 12  # lines of a table in one message
NAMES: Final = 20  # names and games in one list
IN_PROFILE: Final = 3  # events of a form that a profile names: those where something happened last
MAX_ALT: Final = 1024

TONES: Final = {"–": Tone.POOR, "=": Tone.FAIR, "+": Tone.BEST}  # of the signs of a loss, a draw and a win


def press(form: str, words: Words, key: str, typed: str, *, good: bool = False, **fields: object) -> Button:
    """Return a button that does what is typed after the command of a form of events."""
    data = CallbackData.without_match(Verb.EVENT, f"{form} {typed}")
    return Button(words(key, **fields), data, style="good" if good else "plain")


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
        rated = ".rated" if setup.rated and words.has(f"bot.{setup.form}.title.rated") else ""
        game = game_title(self.game, dict(setup.options), words)
        return words(f"bot.{setup.form}.title{rated}", game=game, code=code(self.event), clock=self.clock)

    @property
    def clock(self) -> str:
        """The clock of its games, and whether opponents may give each other time."""
        said = clock_text(self.event.setup.clock, self.words)
        return self.words("bot.event.gives-time", clock=said) if self.event.setup.gives_time else said

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


Asking: TypeAlias = Callable[[Context, str, Mapping[str, str]], Awaitable[View | None]]
"""Asks for what else an event of a form is opened with: the line so far, and what it names."""

Settling: TypeAlias = Callable[[Context, Clock, Mapping[str, str], AnyGame, int], tuple[tuple[str, str], ...]]
"""Returns the settings of a form, by its clock, what was typed for them, its game, and how many play that."""


@dataclass(frozen=True)
class EventForm:
    """What people do with a form of events, and what they see of it: `FORM` of the module that is named as the form is.

    Attributes:
        none_here: The refusal of what is to be done where there is no such event.
        card: Returns the card that all at a place see.
        mine: Returns an event as one person has it.
        table: Returns the table by pages, from 1, for one person; None: the page that they look for.
        news: Returns what a message adds to the card that announces facts.
        calling: The entries that make a new message, as the end of an event does.
        deeds: By the first word of the command: what is done, besides what all forms have.
        arguments: Of its command, besides a game, its options and a clock: those before, and those after.
        follows: Does what follows from a fact about such an event, besides its games; None: nothing.
        listed: Returns several of one place as one answer; None: it has one for each game, and they are cards.
        asks, settles: What else it is opened with; None: nothing.
        profile: Returns what a person's profile says of theirs, or None.
        calls_alone: Whether a person's own copy of the card is new only where it calls them.
    """

    none_here: Reason
    card: Callable[[Shown], View]
    mine: Callable[[Shown, Account], View]
    table: Callable[[Shown, int | None, Account], View]
    news: Callable[[Shown, Sequence[Changed]], News]
    profile: Callable[[FullStore, Account, Words, datetime], Awaitable[str | None]]
    calling: tuple[type[EventEntry], ...]
    deeds: Mapping[str, CommandHandler] = field(default_factory=dict)
    arguments: tuple[tuple[Argument, ...], tuple[Argument, ...]] = ((), ())
    follows: Callable[[FullStore, Changed], Awaitable[None]] | None = None
    listed: Callable[[Sequence[Shown]], View] | None = None
    asks: Asking | None = None
    settles: Settling | None = None
    calls_alone: bool = False


FORMS: Final[dict[str, EventForm]] = {}
"""Every form, by name; see `bot.features.events.forms`."""
