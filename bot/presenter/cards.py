"""Rules, help and lists: what can be read at any time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.i18n import LANGUAGES, Words
from bot.presenter.boards import turn
from bot.presenter.naming import Naming, setup, variants
from bot.view import View
from play.match import Match, Phase
from play.people import Account
from play.replay import Course
from rules.core import AnyGame, Number, OneOf, Option, Size


def rules(game: AnyGame, chosen: Mapping[str, str], words: Words) -> View:
    """The rules card of a game, with what the chosen options change."""
    lines = [
        words("bot.rules.title", game=setup(game, chosen, words)),
        *paragraphs(words(f"{game.key}.rules")),
    ]
    for key in variants(game, chosen):
        if words.has(key):
            lines += paragraphs(words(key))
    if not chosen:
        lines.append(
            words("bot.rules.options", options="; ".join(_offer(game, o, words) for o in game.schema.options))
        )
        if game.schema.presets:
            presets = (f"{name} ({words(f'{game.key}.preset.{name}')})" for name in game.schema.presets)
            lines.append(words("bot.rules.presets", presets="; ".join(presets)))
    return View(lines=tuple(lines))


def _offer(game: AnyGame, option: Option, words: Words) -> str:
    """An option with what can be typed after its colon."""
    if isinstance(option, OneOf):
        values = "|".join(option.offered)
    elif isinstance(option, Number):
        values = f"{option.low}–{option.high}"
    elif isinstance(option, Size):
        values = f"{option.files[0]}x{option.ranks[0]}–{option.files[1]}x{option.ranks[1]}"
    else:
        values = "a1,b2"
    return f"{option.key}:{values} — {words(f'{game.key}.option.{option.key}')}"


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a card."""
    return [part.strip() for part in text.split("\n\n") if part.strip()]


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


def help_card(names: Sequence[str], words: Words) -> View:
    """Every command, a line each."""
    lines = [words("bot.help.lead"), *(words(f"bot.help.{name}") for name in names), words("bot.help.tail")]
    return View(lines=tuple(lines))


def my_matches(entries: Sequence[tuple[AnyGame, Match, Course]], account: Account, words: Words) -> View:
    """Every match of a person: those that wait for them first, then invitations, then the others."""
    ranked = []
    for game, match, course in entries:
        seats = list(match.seats_of(account))
        names = Naming(game, match, words)
        if match.phase is Phase.OPEN:
            rank, state = 1, words("bot.games.open")
        elif course.position.to_move in seats:
            rank, state = 0, words("bot.games.your-turn")
        else:
            rank, state = 2, turn(names, course)
        ranked.append(
            (rank, words("bot.games.line", title=names.title, opponents=names.opponents, state=state))
        )
    if not ranked:
        return View(lines=(words("bot.games.none"),))
    ranked.sort(key=lambda entry: entry[0])
    waiting = sum(rank == 0 for rank, _ in ranked)
    return View(lines=(words.count("bot.games.waiting", waiting), *(line for _, line in ranked)))


def language(words: Words, *, here: bool) -> View:
    """The language was changed, said in the new one."""
    return View(lines=(words("bot.language.here" if here else "bot.language.yours"),))


def languages(words: Words) -> View:
    """Which languages there are."""
    return View(lines=(words("bot.language.which", languages=", ".join(LANGUAGES)),))
