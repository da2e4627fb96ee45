"""The rules of a game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import Words
from bot.chat.presenting.cards import BULLET, apart, learn, paragraphs
from bot.chat.presenting.naming import game_title, is_switch
from bot.chat.view import Button, View
from bot.features.matches.setup_questions import MatchSetup
from rules.core import AnyGame, Number, OneOf, Option, Size


def rules(game: AnyGame, chosen: Mapping[str, str], words: Words, *, choices: bool = True) -> View:
    """The rules card of a game as it is with the chosen options; without any, what there is to choose, if that is wanted."""
    title = words("bot.rules.title", game=game_title(game, chosen, words))
    lines = apart(
        [title, *(part for key in _rules_keys(game, chosen, words) for part in paragraphs(words(key)))]
    )
    if choices and not chosen:
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


def lesson_of(game: AnyGame, words: Words) -> tuple[Button, ...]:
    """Return the button that begins the lesson of a game, where it has one."""
    return (learn(words, game.key),) if game.lesson else ()


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
