"""Rules and lists: what can be read at any time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.i18n import LANGUAGES, NAMES, Words
from bot.presenter.boards import turn
from bot.presenter.clocks import time_text
from bot.presenter.naming import Naming, game_title, is_switch, rules_keys
from bot.presenter.presentation import Presentation
from bot.view import Button, View
from play.listing import Listed, Waits
from play.match import Phase
from play.people import Address, clean
from rules.core import AnyGame, Number, OneOf, Option, Size

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
