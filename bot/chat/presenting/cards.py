"""Rules, greetings, lessons, legal texts and lists: what can be read at any time.

What is said where the bot is new: a word of greeting, and three things to press.

The ideas of a game on boards, one at a time.

The privacy notice and the terms: the texts of `/privacy`, of the page's `/privacy` and `/terms`, and of `docs/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES, NAMES, Words
from bot.chat.presenting.boards import turn
from bot.chat.presenting.captions import ALT, cut, explained, length, marked, position_text
from bot.chat.presenting.clocks import time_text
from bot.chat.presenting.match_setup import ENGINE, MatchSetup
from bot.chat.presenting.naming import Naming, Presentation, game_title, is_switch, rules_keys, side_name
from bot.chat.view import Button, RosterLine, View
from play.listing import Listed, Waits
from play.match import Phase
from play.people import Address, clean
from rules.core import AnyGame, Mark, Number, OneOf, Option, Seat, Sign, Size, sq

BULLET: Final = "· "  # before each line of a list

PAGE: Final = 10  # matches on a page of a list, each with a button that opens it
MAX_LABEL: Final = 48  # characters of such a button's words: what a phone shows of it


def rules(game: AnyGame, chosen: Mapping[str, str], words: Words) -> View:
    """The rules card of a game as it is with the chosen options; without any, what there is to choose."""
    title = words("bot.rules.title", game=game_title(game, chosen, words))
    lines = apart(
        [title, *(part for key in rules_keys(game, chosen, words) for part in paragraphs(words(key)))]
    )
    if not chosen:
        lines += ["", words("bot.rules.options", example=_example(game))]
        lines += [BULLET + _offer(game, option, words) for option in game.schema.options]
        if game.schema.presets:
            lines += ["", words("bot.rules.presets")]
            lines += [BULLET + _ready_made(game, name, words) for name in game.schema.presets]
    return View(lines=tuple(lines))


def _example(game: AnyGame) -> str:
    """A challenge with an option, as people type it."""
    word = next((o for o in game.schema.options if isinstance(o, OneOf)), None)
    option = f" {word.key}:{word.offered[-1]}" if word else ""
    return f"/challenge bob {game.key}{option}"


def _ready_made(game: AnyGame, name: str, words: Words) -> str:
    """A preset, with its label where that says more than its name."""
    label = words(f"{game.key}.preset.{name}")
    return name if label.replace(" ", "-").replace("×", "x") == name else f"{name} — {label}"


def _offer(game: AnyGame, option: Option, words: Words) -> str:
    """An option with what can be typed after its colon."""
    if isinstance(option, OneOf):
        values = "|".join(option.offered)
    elif isinstance(option, Number):
        values = f"{option.low}{'|' if is_switch(option) else '–'}{option.high}"
    elif isinstance(option, Size):
        values = f"{option.files[0]}x{option.ranks[0]}–{option.files[1]}x{option.ranks[1]}"
    else:
        values = "a1,b2"
    label = words(f"{game.key}.option.{option.key}")
    return f"{option.key}:{values}" + ("" if label == option.key else f" — {label}")


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a card."""
    return [part.strip() for part in text.split("\n\n") if part.strip()]


def apart(parts: Sequence[str]) -> list[str]:
    """Paragraphs with a blank line between them."""
    lines: list[str] = []
    for part in parts:
        lines += ["", part] if lines else [part]
    return lines


def games(offered: Sequence[AnyGame], words: Words) -> View:
    """Every game there is, a line each."""
    lines = [words("bot.rules.which")]
    lines += [
        words(
            "bot.rules.game",
            key=game.key,
            game=words(f"{game.key}.name"),
            summary=words(f"{game.key}.summary"),
        )
        for game in offered
    ]
    return View(lines=tuple(lines))


@dataclass(frozen=True, slots=True)
class Page:
    """Part of a list of matches.

    Attributes:
        number: Which, from 1.
        pages: How many there are.
        waiting: How many of all matches wait for the person's move.
        wanted: The filter, as it is typed.
    """

    number: int = 1
    pages: int = 1
    waiting: int = 0
    wanted: str = ""


def my_matches(
    listed: Sequence[tuple[Presentation, Listed]],
    here: Address,
    words: Words,
    page: Page = Page(),
) -> View:
    """A page of the live matches of a person: those that wait for them first, the most urgent at the top.

    A button for each shows its board right here, wherever it is played; others lead to the pages beside this one.
    """
    if not listed and page.wanted:
        return View(lines=(words("bot.games.none-such"),))
    if not listed:
        return View(lines=(words("bot.games.none"),))
    lines, buttons = [], []
    for presentation, entry in listed:
        waits = entry.waits
        match, names = presentation.match, presentation.names
        away = here not in match.addresses
        state = _state(presentation, waits, away=away) or turn(presentation)
        label = f"{words(f'{match.game}.name')} #{match.id} · {names.against(entry.seat)}"
        buttons.append(
            Button(_cut(clean(label, len(label))), CallbackData(Verb.BOARD, match.id, match.revision))
        )
        if match.phase is Phase.PLAYING and waits is Waits.MOVE:
            left = time_text(presentation)
            state = f"{state} {left}" if left else state
        if away:
            state = words("bot.games.elsewhere", state=state)
        lines.append(words("bot.games.line", title=names.title, opponents=names.opponents, state=state))
    shown = [entry.waits for presentation, entry in listed if presentation.match.phase is Phase.PLAYING]
    waiting = page.waiting or shown.count(Waits.MOVE)
    lead = words.count("bot.games.waiting", waiting) if waiting else words("bot.games.none-waiting")
    lines = [lead, *(BULLET + line for line in lines)]
    if page.pages > 1:
        lines.append(words("bot.games.page", number=page.number, pages=page.pages))
        buttons += _beside(page, words)
    return View(lines=tuple(lines), buttons=tuple(buttons))


def _beside(page: Page, words: Words) -> Iterator[Button]:
    """Buttons to the pages before and after one."""
    for number, key in ((page.number - 1, "bot.games.before"), (page.number + 1, "bot.games.after")):
        data = CallbackData.without_match(Verb.GAMES, f"{number} {page.wanted}".strip())
        if 1 <= number <= page.pages and data.fits:
            yield Button(words(key), data)


def _cut(label: str) -> str:
    return label if len(label) <= MAX_LABEL else f"{label[: MAX_LABEL - 1].rstrip()}…"


def _state(presentation: Presentation, waits: Waits, *, away: bool) -> str | None:
    """What a match waits for, if not for others; an invitation in another chat is only answered by its code."""
    match, words = presentation.match, presentation.words
    if match.phase is Phase.OPEN:
        if waits is Waits.INVITATION and away:
            return words("bot.games.invited-elsewhere", code=f"#{match.id}")
        if match.lobby and all(each.player for each in match.chairs):
            return words("bot.games.ready", command=f"/start #{match.id}" if away else "/start")
        return words("bot.games.invited" if waits is Waits.INVITATION else "bot.games.open")
    if waits is Waits.MOVE:
        return words("bot.games.your-turn")
    return words("bot.games.asked") if waits is Waits.ANSWER else None


def file(names: Naming, text: str) -> View:
    """A match as a file."""
    match = names.match
    return View(
        lines=(names.words("bot.exported", title=names.title),),
        files=((f"{match.game}-{match.id}.txt", text),),
    )


def spoken() -> str:
    """The languages there are, each by its code and by its own name."""
    return ", ".join(f"{code} ({NAMES[code]})" for code in LANGUAGES)


def greeting(words: Words) -> View:
    """Hello, with what can be done first."""
    return View(lines=(words("bot.greeting"),), buttons=(play(words), rules_button(words), help_(words)))


def against_computer(words: Words) -> Button:
    """Begins an order against an engine."""
    return Button(words("bot.greeting.computer"), MatchSetup("c", opponent=ENGINE).data, style="good")


def talked_to(words: Words) -> View:
    """The answer to small talk: what the bot understands, and what can be done next."""
    return View(lines=(words("bot.talked-to"),), buttons=(play(words), rules_button(words), help_(words)))


def play(words: Words) -> Button:
    """Begins an order."""
    return Button(words("bot.greeting.play"), MatchSetup("c").data, style="good")


def rules_button(words: Words) -> Button:
    """Shows which games there are."""
    return Button(words("bot.greeting.rules"), CallbackData.without_match(Verb.RULES))


def help_(words: Words) -> Button:
    """Shows every command."""
    return Button(words("bot.greeting.help"), CallbackData.without_match(Verb.HELP))


def rules_of(games: Iterable[AnyGame], words: Words) -> tuple[Button, ...]:
    """A button for the rules of each game."""
    return tuple(
        Button(words(f"{game.key}.name"), CallbackData.without_match(Verb.RULES, game.key)) for game in games
    )


def variants_of(game: AnyGame, words: Words) -> tuple[Button, ...]:
    """A button for the rules of each ready-made setting that changes them, and one to play."""
    buttons = [Button(words("bot.greeting.play"), MatchSetup("c", game=game.key).data, style="good")]
    for preset in game.schema.presets:
        label = words(f"{game.key}.preset.{preset}")
        data = CallbackData.without_match(Verb.RULES, f"{game.key}/{preset}")
        if game.describe(game.choose({"preset": preset})) and data.fits:
            buttons.append(Button(label, data))
    return tuple(buttons)


NUMBER: Final = "#"
"""Before the number of an idea in the argument of a button, after the game."""


def first_of(game: AnyGame, chosen: Mapping[str, str], words: Words) -> tuple[Button, ...]:
    """Return the button to the ideas of a game, where it has any: to the first one of a variant, else to the first."""
    if not game.lessons:
        return ()
    wanted = set(_variant(game, chosen))
    shared = [len(wanted & set(lesson.options)) for lesson in game.lessons]
    return (_to(game, 1 + shared.index(max(shared)), words("bot.button.lessons")),)


def lesson(game: AnyGame, number: int, words: Words) -> View:
    """Return an idea of a game, counted from 1, and buttons to those beside it; the nearest one for a number out of range."""
    total = len(game.lessons)
    number = min(max(number, 1), total)
    shown = game.lessons[number - 1]
    options = game.choose(dict(shown.options))
    start = game.notation.parse_position(shown.position, options)
    turn = list(map(game.notation.format, game.notation.parse(shown.turn, start))) if shown.turn else []
    marks = [Mark(Sign.PICKED, sq(name)) for name in shown.squares.split()]
    diagram = explained(game, start, turn, marks)
    title = words("bot.lesson.title", game=words(f"{game.key}.name"), number=number, total=total)
    said = words(f"{game.key}.lesson.{shown.key}")
    if shown.turn:
        said += f" ({shown.turn})"
    names = _Sides(game, words)
    alt = " ".join((said, *marked(marks, words)))
    buttons = []
    if number > 1:
        buttons.append(_to(game, number - 1, words("bot.button.analyse-back")))
    if number < total:
        buttons.append(_to(game, number + 1, words("bot.button.analyse-on")))
    variant = (f"{key}:{value}" for key, value in _variant(game, dict(shown.options)))
    rules = CallbackData.without_match(Verb.RULES, "/".join((game.key, *variant)))
    return View(
        lines=(title, said),
        diagram=diagram,
        roster=tuple(RosterLine(seat, names.seat(seat)) for seat in map(Seat, range(game.seats(options)))),
        buttons=(*buttons, Button(words("bot.greeting.rules"), rules)),
        alt=cut(f"{alt} {position_text(diagram, names, ALT - length(alt) - 1)}", ALT),
    )


def _variant(game: AnyGame, chosen: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return those of some options that make a variant: of their values some are to choose from."""
    variants = {option.key for option in game.schema.options if isinstance(option, OneOf)}
    return [(key, value) for key, value in chosen.items() if key in variants]


def _to(game: AnyGame, number: int, label: str) -> Button:
    return Button(label, CallbackData.without_match(Verb.RULES, f"{game.key}{NUMBER}{number}"))


class _Sides:
    """What sides are called where no one plays."""

    def __init__(self, game: AnyGame, words: Words) -> None:
        self.words = words
        self._game = game

    def seat(self, seat: Seat, /) -> str:
        """Return the name of a side, or its number."""
        return side_name(self._game, seat, self.words)

    def side(self, _seat: Seat, /) -> None:
        """Return no name beside that."""


@dataclass(frozen=True, slots=True)
class Operator:
    """Who runs the bot, and how they are reached, as they have set it."""

    name: str | None = None
    contact: str | None = None

    def told(self, words: Words) -> Sequence[str]:
        """Return the lines that say so."""
        lines = [words("bot.legal.operator", name=self.name)] if self.name else []
        return [*lines, words("bot.legal.contact", contact=self.contact)] if self.contact else lines


@dataclass(frozen=True, slots=True)
class LegalText:
    """A title and paragraphs, as plain text."""

    title: str
    paragraphs: Sequence[str]


def privacy(words: Words, operator: Operator) -> LegalText:
    """Return the notice: what `/privacy` says in a chat, and what takes too long for one."""
    said = (*paragraphs(words("bot.privacy")), *paragraphs(words("bot.legal.privacy.more")))
    return LegalText(words("bot.legal.privacy"), (*said, *_reach(words, operator)))


def terms(words: Words, operator: Operator) -> LegalText:
    """Return the terms."""
    said = paragraphs(words("bot.legal.terms.text"))
    return LegalText(words("bot.legal.terms"), (*said, *_reach(words, operator)))


def _reach(words: Words, operator: Operator) -> Sequence[str]:
    return operator.told(words) or [words("bot.legal.unnamed")]


LEGAL: Final = {"privacy": privacy, "terms": terms}
"""The texts by the name of their page."""
