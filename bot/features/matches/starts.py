"""Where a match begins, if not where its game does: from a turn of another match, from a position, with odds. And Play from here.

`from:#k7q2mz:23` is the position before turn 23 of a match, `from:#k7q2mz` its last one; any other text is a position of the game.
`odds:3` has who asks play at a disadvantage; what it stands for is the game's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bot.chat import arguments
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, shown
from bot.chat.game_words import find_game
from bot.chat.grammar import number_in
from bot.chat.i18n import Words
from bot.chat.presenting.boards import as_it_was
from bot.chat.presenting.captions import alt_text
from bot.chat.presenting.naming import Presentation, button
from bot.chat.registry import Registry
from bot.chat.view import Message, View, ViewKind
from bot.features.matches.orders import Order
from play.match import ODDS as GIVEN
from play.match import Match, Phase, Start
from play.opening import ALONE
from play.replay import PlayedTurn, turn_numbered, turns_of
from play.request import check_not_called_off
from rules.core import Reason, grid_of

registry: Final = Registry()

FROM: Final = arguments.text("from", named=True)
ODDS: Final = arguments.text(GIVEN, named=True)

_OWN: Final = frozenset({"side", "coached", "talk", "clock"})  # of a challenge, beside the options of a game
_MATCH: Final = re.compile(r"#?([a-z0-9]{2,6})(?::([1-9][0-9]{0,3}))?\Z", re.ASCII | re.IGNORECASE)
_LEVELS: Final = ("2", "4", "6")  # of the computer, to choose from; any other can be typed
ANYONE, BOTH = "anyone", f"side:{ALONE}"  # what is typed
_STEPS: Final = (-5, -1, 1, 5)


class StartRefusal(Reason):
    """Why a match cannot be played on from."""

    UNDER_WAY = "bot.from.under-way"  # code


async def naming_game(context: Context) -> Context:
    """Return the context of a command that names its game, where it begins from a match and names none."""
    found = await _named(context)
    if found is None or any(find_game(context.table.games, word) for word in context.command.words):
        return context
    options = {"game": found[0].game, **context.command.options}
    return replace(context, command=replace(context.command, options=options))


async def start_of(context: Context, order: Order) -> Start | None:
    """Return where an order's match begins; None: where its game does, with the odds that were typed.

    Takes from the order's options what says so, and adds those of the match that it is taken from.

    Raises:
        CommandError: a match under way, one that has no such turn, or one of another game or with other options.
    """
    chosen, found = order.chosen, await _named(context)
    typed, odds = chosen.pop(FROM.name, None), chosen.pop(ODDS.name, None)
    if typed is not None and odds is not None:
        raise CommandError(
            BadCommand.CONTRADICTION, first=f"from:{shown(typed)}", second=f"odds:{shown(odds)}"
        )
    if odds is not None:
        return Start("", f"{GIVEN}:{odds}")
    if typed is None:
        return None
    if found is None:
        layout = grid_of(typed.partition(" ")[0])
        if layout is not None and any(option.key == "board" for option in order.game.schema.options):
            chosen.setdefault("board", str(layout))
        return Start(typed)
    match, number = found
    played = dict(match.options)
    for key, text in (("game", order.game.key), *chosen.items()):
        known = match.game if key == "game" else played.get(key, text if key in _OWN else None)
        if text != known:
            raise CommandError(
                BadCommand.CONTRADICTION, first=f"from:{shown(typed)}", second=f"{key}:{shown(text)}"
            )
    chosen.update(played)
    return _start(context, match, number)


def _start(context: Context, match: Match, number: int | None) -> Start:
    course = context.course(match)
    first = turn_numbered(turns_of(course), number).first if number else len(course.log)
    position = course.positions[first]
    source = f"#{match.id}:{number}" if number else f"#{match.id}"
    return Start(course.game.notation.format_position(position), source)


async def _named(context: Context) -> tuple[Match, int | None] | None:
    """Return the match that a command's `from:` names, with the turn; None where it names none."""
    names = FROM.names
    typed = next((text for key, text in context.command.options.items() if key in names), "")
    if (found := _MATCH.match(typed)) is None or not (found[0][0] == "#" or len(found[1]) == 6):
        return None
    match = await context.finder.named(found[1].lower())
    _check_open_to_all(match)
    return match, int(found[2]) if found[2] else None


def _check_open_to_all(match: Match) -> None:
    """Refuse a match under way: else the computer would play it for them."""
    if match.phase is Phase.PLAYING:
        raise CommandError(StartRefusal.UNDER_WAY, code=f"#{match.id}")
    check_not_called_off(match)


def opponents(words: Words) -> dict[str, str]:
    """Return against whom a match can begin from elsewhere, as it is typed, with labels."""
    levels = {
        f"engine:{level}": words("bot.from.computer", level=words(f"bot.order.level.{level}"))
        for level in _LEVELS
    }
    return {**levels, ANYONE: words("bot.order.anyone"), BOTH: words("bot.from.both")}


@registry.button(Verb.FROM, finishing=False, kind=ViewKind.CARD)
async def _from_pressed(context: Context, button: CallbackData) -> Sequence[Message]:
    """Show a turn of a match to play from, and against whom; with an opponent, begin."""
    match = await context.table.get(button.match)
    _check_open_to_all(match)
    presentation, turns = context.present(match), turns_of(context.course(match))
    if not turns:
        raise CommandError(BadCommand.NOTHING_PLAYED)
    typed, _, opponent = button.argument.partition(" ")
    number = min(max(number_in(typed) or len(turns), 1), len(turns))
    if opponent:
        line = f"/challenge from:#{match.id}:{number} {opponent}"
        return await context.answer(context.visitor, line)
    return [context.private(_chooser(presentation, turns, number))]


def _chooser(presentation: Presentation, turns: Sequence[PlayedTurn], number: int) -> View:
    words, match, turn = presentation.words, presentation.match, turns[number - 1]
    then = as_it_was(presentation, turn.first)
    diagram = then.drawn
    name = presentation.names.seat(turn.seat)
    said = (words("bot.from.turn", number=number, name=name), words("bot.order.opponent"))
    steps = [
        button(presentation, Verb.FROM, str(number + step), label=f"{step:+}")
        for step in _STEPS
        if 0 < number + step <= len(turns)
    ]
    against = [
        button(presentation, Verb.FROM, f"{number} {typed}", label=label)
        for typed, label in opponents(words).items()
    ]
    return View(
        lines=(presentation.names.title, *said),
        diagram=diagram,
        buttons=(*steps, *against),
        alt=alt_text(then, said, diagram=diagram),
        theme=presentation.theme,
        flipped=presentation.flipped,
        code=match.id,
        revision=match.revision,
    )
