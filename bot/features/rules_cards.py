"""The rules of a game, and its ideas on boards, one at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import Words
from bot.chat.presenting.captions import ALT, cut, explained, length, marked, position_text
from bot.chat.presenting.cards import BULLET, NUMBER, apart, paragraphs
from bot.chat.presenting.naming import game_title, is_switch, side_name
from bot.chat.view import Button, RosterLine, View
from bot.features.matches.setup_questions import MatchSetup
from rules.core import AnyGame, Mark, Number, OneOf, Option, Seat, Sign, Size, sq


def rules(game: AnyGame, chosen: Mapping[str, str], words: Words) -> View:
    """The rules card of a game as it is with the chosen options; without any, what there is to choose."""
    title = words("bot.rules.title", game=game_title(game, chosen, words))
    lines = apart(
        [title, *(part for key in _rules_keys(game, chosen, words) for part in paragraphs(words(key)))]
    )
    if not chosen:
        lines += ["", words("bot.rules.options", example=_example(game))]
        lines += [BULLET + _offer(game, option, words) for option in game.schema.options]
        if game.schema.presets:
            lines += ["", words("bot.rules.presets")]
            lines += [BULLET + _ready_made(game, name, words) for name in game.schema.presets]
    return View(lines=tuple(lines))


def _example(game: AnyGame) -> str:
    word = next((o for o in game.schema.options if isinstance(o, OneOf)), None)
    option = f" {word.key}:{word.offered[-1]}" if word else ""
    return f"/challenge bob {game.key}{option}"


def _ready_made(game: AnyGame, name: str, words: Words) -> str:
    label = words(f"{game.key}.preset.{name}")
    return name if label.replace(" ", "-").replace("×", "x") == name else f"{name} — {label}"


def _offer(game: AnyGame, option: Option, words: Words) -> str:
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


def games(offered: Sequence[AnyGame], words: Words) -> View:
    """Every game there is, a line each."""
    lines = [words("bot.rules.which")]
    for game in offered:
        name, summary = words(f"{game.key}.name"), words(f"{game.key}.summary")
        lines.append(words("bot.rules.game", key=game.key, game=name, summary=summary))
    return View(lines=tuple(lines))


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
    variants = {option.key for option in game.schema.options if isinstance(option, OneOf)}
    return [(key, value) for key, value in chosen.items() if key in variants]


def _to(game: AnyGame, number: int, label: str) -> Button:
    return Button(label, CallbackData.without_match(Verb.RULES, f"{game.key}{NUMBER}{number}"))


class _Sides:
    def __init__(self, game: AnyGame, words: Words) -> None:
        self.words = words
        self._game = game

    def seat(self, seat: Seat, /) -> str:
        return side_name(self._game, seat, self.words)

    seat_and_side = seat


def _rules_keys(game: AnyGame, chosen: Mapping[str, str], words: Words) -> list[str]:
    """Catalogue keys of a game's rules as they are with what was chosen: each topic once, then what is added."""
    own, changes = f"{game.key}.rules", _changes(game, chosen)
    keys = [] if game.topics else [own]
    for topic in game.topics:
        known = [f"{own}.{topic}", *(f"{own}.{topic}.{change}" for change in changes)]
        keys += [key for key in known if words.has(key)][-1:]
    return [*keys, *(key for change in changes if words.has(key := f"{own}.{change}"))]


def _changes(game: AnyGame, chosen: Mapping[str, str]) -> list[str]:
    keys = []
    for option in game.schema.options:
        text = chosen.get(option.key, option.default)
        if isinstance(option, OneOf):
            keys.append(f"{option.key}.{text}")
        elif option.key in chosen:
            keys.append(option.key)
    return keys
