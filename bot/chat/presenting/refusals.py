"""The private answer to a refused request: what is wrong, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import Words
from bot.chat.presenting.boards import turn
from bot.chat.presenting.captions import alt_text
from bot.chat.presenting.clocks import strip
from bot.chat.presenting.naming import Naming, Presentation
from bot.chat.view import Button, View, numbered
from rules.core import AmbiguousMove, AnyGame, Highlights, Position

MAX_CANDIDATES = 25  # buttons under one message: five rows of five on Discord
MAX_PREVIEWS = 6  # candidates that get a board each; more would bury the question


_EXAMPLES = 3
_LONGEST = 60  # characters of what was typed, as a refusal names it


def examples(game: AnyGame, position: Position[Any], count: int = _EXAMPLES) -> list[str]:
    """A few legal moves as people would type them, from all over the list."""
    moves = position.legal_moves()
    return [game.notation.format(moves[i * len(moves) // count]) for i in range(count) if i < len(moves)]


def in_match(words: Words, said: str, game: AnyGame, position: Position[Any]) -> View:
    """A refused move: the rule, and moves that would do."""
    shown = examples(game, position)
    lines = [said]
    if shown:
        lines.append(words("bot.refused.examples", examples=" · ".join(dict.fromkeys(shown))))
    return View(lines=tuple(lines))


def candidates(presentation: Presentation, error: AmbiguousMove) -> View:
    """Several moves fit: one tap plays. A number stands on the board and before the label of its button."""
    game, match, position = presentation.game, presentation.match, presentation.course.position
    words = presentation.words
    moves: Sequence[Any] = error.candidates
    buttons = []
    for number, move in enumerate(moves[:MAX_CANDIDATES], 1):
        text = game.notation.format(move)
        data = CallbackData(Verb.MOVE, match.id, match.revision, text)
        preview = None
        if len(moves) <= MAX_PREVIEWS:
            shown = Highlights(last=(move,), planned=True, before=position)
            preview = game.draw(position.play(move), shown)
        buttons.append(Button(numbered(number, text), data, preview))
    lines = [words("bot.candidates", title=presentation.names.title)]
    if len(moves) > MAX_CANDIDATES:
        lines.append(words.count("bot.candidates.more", len(moves) - MAX_CANDIDATES))
    diagram = game.draw(position, Highlights(candidates=moves[:MAX_CANDIDATES]))
    return View(
        lines=tuple(lines),
        diagram=diagram,
        buttons=tuple(buttons),
        alt=alt_text(presentation, (turn(presentation, thinks=False), *lines), diagram=diagram),
        strip=strip(presentation),
        theme=presentation.theme,
        flipped=presentation.flipped,
        code=match.id,
        revision=match.revision,
    )


def several(offered: Sequence[tuple[Naming, CallbackData]], words: Words, *, example: str = "") -> View:
    """Several matches could be meant: one tap says which, and so does a code; `example` shows how."""
    buttons = []
    for names, data in offered[:MAX_CANDIDATES]:
        if data.fits:
            label = words("bot.which.match", title=names.title, opponents=names.opponents)
            label = f"{data.argument} · {label}" if data.verb is Verb.MOVE and data.argument else label
            buttons.append(Button(label, data))
    lines = [words("bot.which")]
    if len(buttons) < len(offered):
        lines.append(words("bot.which.code", codes=", ".join(f"#{names.match.id}" for names, _ in offered)))
    if example:
        lines.append(words("bot.which.example", example=example))
    return View(lines=tuple(lines), buttons=tuple(buttons))
