"""/whatif: a private board beside a match, on which its reader moves both sides from any turn, and may play the first turn."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Final

from bot.chat import taps
from bot.chat.arguments import MATCH, HelpTopic, text
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.error_handling import seen
from bot.chat.errors import BadCommand, CommandError
from bot.chat.grammar import number_in
from bot.chat.match_lookup import AmongFinished, legal_readings
from bot.chat.presenting import picking
from bot.chat.presenting.naming import Presentation, turns_in
from bot.chat.presenting.selection import PartialMove, PickTarget, Selection, follow
from bot.chat.presenting.trying import TriedLine, after
from bot.chat.registry import Registry
from bot.chat.view import Button, Message, View, ViewKind
from bot.features.matches.viewing import why_not
from play.match import Match, Phase, Ply
from play.replay import turn_numbered, turns_of
from rules.core import AmbiguousMove, RulesError

registry: Final = Registry()

KEPT: Final = timedelta(days=1)  # how long a line is kept after its last move
LONGEST: Final = 60  # moves of a line
_BACK: Final = "back"
_FIRST: Final = "first"
KEYS: Final = {"bot.what-if.{}": (("now", "turn"),)}  # for the check of the catalogues


@registry.command(
    "whatif", MATCH, text("turn"), text("move"), topic=HelpTopic.REVIEW, aliases=("what-if",), finishing=False
)
async def what_if(context: Context) -> Sequence[Message]:
    """`/whatif` opens the board, `/whatif 12` from turn 12, `/whatif 12 b2-b3` with a move; `/whatif b2-b3` goes on with the line."""
    finder, rest = context.finder, context.command.rest
    first, _, moves = rest.partition(" ")
    number = number_in(first.removesuffix("."))
    moves = rest if number is None else moves
    match = await context.match(
        *(finder.my_turn, finder.mine, lambda match: match.phase is Phase.PLAYING),
        *(AmongFinished(finder.was_mine), AmongFinished(finder.finished)),
        reads=True,
    )
    presentation = await _open(context, match)
    line = None if number is not None else await _kept(context, presentation)
    if line is None or not (moves or match.phase is Phase.OVER or _from_now(match, line)):
        line = _begun(presentation, number)
    return await _moved(context, presentation, line, moves, ViewKind.CARD)


@registry.button(Verb.WHAT_IF, Verb.LINE_PICK, finishing=False, kind=ViewKind.PAGE)
async def _pressed(context: Context, pressed: CallbackData) -> Sequence[Message]:
    presentation, asked = await _open(context, await context.table.get(pressed.match)), pressed.argument
    line = await _kept(context, presentation)
    shown = line is not None and line.stamp == pressed.seen  # on the board with the pressed key
    number = number_in(asked)
    if pressed.verb is Verb.WHAT_IF and (number is not None or not asked):
        kind = ViewKind.PAGE if shown else ViewKind.CARD
        return await _moved(context, presentation, _begun(presentation, number), kind=kind)
    full = line is not None and pressed.verb is Verb.LINE_PICK and len(line.moves) >= LONGEST
    if line is None or not shown or full:
        return await _moved(context, presentation, line or _begun(presentation))
    if pressed.verb is Verb.WHAT_IF:
        back = {_BACK: line.moves[:-1], _FIRST: ()}.get(asked)
        typed = asked if back is None else ""
        line = line if back is None else replace(line, moves=back)
        return await _moved(context, presentation, line, typed)
    then = after(presentation, line)
    found = await taps.picked(context, pressed, then.game, then.course.position)
    if found is None:
        return []
    if plies := found[0].selection.plies:
        return await _moved(context, presentation, replace(line, moves=(*line.moves, *plies)))
    return [context.private(_view(context, presentation, line, found[0]), ViewKind.PAGE)]


async def _open(context: Context, match: Match) -> Presentation:
    if match.phase not in (Phase.PLAYING, Phase.OVER):
        raise CommandError(BadCommand.NOTHING_PLAYED)
    if (why := await why_not(context, match)) is not None:
        raise CommandError(why)
    return context.present(match)


def _begun(presentation: Presentation, number: int | None = None) -> TriedLine:
    """Return a line from a turn; without one, from where the match stands, or from the start if it is over."""
    match, course = presentation.match, presentation.course
    turns = turns_of(course)
    if number is None and match.phase is Phase.OVER:
        return TriedLine(0, (), match.revision)
    now = number is None or number == len(turns) + 1
    return TriedLine(len(course.log) if now else turn_numbered(turns, number or 0).first, (), match.revision)


def _from_now(match: Match, line: TriedLine) -> bool:
    return line.at == len(match.log) and match.position_since <= line.seen


def _name(context: Context, match: Match) -> str:
    return f"what-if:{context.visitor.account}:{match.id}"


async def _kept(context: Context, presentation: Presentation) -> TriedLine | None:
    """Return the line that the visitor tried last; None where a turn that was taken back has cut it off."""
    (held,) = await context.store.notes.read(_name(context, presentation.match))
    with suppress(ValueError, RulesError):
        line = TriedLine.read(held or "")
        if line.at <= len(presentation.course.log):
            after(presentation, line)
            return line
    return None


async def _moved(
    context: Context,
    presentation: Presentation,
    line: TriedLine,
    typed: str = "",
    kind: ViewKind = ViewKind.PAGE,
) -> Sequence[Message]:
    """Show a line and keep it, once typed moves, if any, are played in it."""
    then, words, match = after(presentation, line), context.words, presentation.match
    game, position = then.game, then.course.position
    if typed and then.match.phase is Phase.PLAYING and len(line.moves) < LONGEST:
        read = legal_readings(game, position, typed)
        try:
            plies = game.notation.parse(read[0] if len(read) == 1 else typed, position)
            line = replace(line, moves=(*line.moves, *map(game.notation.format, plies)))
            after(presentation, line)
        except AmbiguousMove as several:
            await context.store.notes.write(_name(context, match), str(line), keep=KEPT)
            view = picking.candidates(then, several)
            keys = (
                (each, CallbackData(Verb.WHAT_IF, match.id, line.stamp, each.data.argument))
                for each in view.buttons
            )
            buttons = tuple(replace(each, data=data) for each, data in keys)
            return [context.private(replace(view, buttons=buttons, code=None), refused=True)]
        except RulesError as wrong:
            said = words(wrong.reason, **seen(then.names.named(wrong.fields)))
            refused = picking.refused_move(words, said, game, position)
            return [context.private(refused, refused=True)]
    await context.store.notes.write(_name(context, match), str(line), keep=KEPT)
    return [context.private(_view(context, presentation, line), kind)]


def _view(
    context: Context, presentation: Presentation, line: TriedLine, partial: PartialMove | None = None
) -> View:
    """Return the board of a line, with the keys that go on, back, and play its first turn in the match."""
    match, words, then = presentation.match, presentation.words, after(presentation, line)
    number, from_now = len(turns_of(presentation.course.cut(line.at))) + 1, _from_now(match, line)
    begins = "now" if from_now and match.phase is Phase.PLAYING else "turn"
    said = then.names.notation(entry for entry in then.course.log[line.at :] if isinstance(entry, Ply))
    lines = [presentation.names.title, words(f"bot.what-if.{begins}", number=number)]
    lines += [words("bot.what-if.line", moves=said)] if said else []
    target = PickTarget(match.id, line.stamp, Verb.LINE_PICK, Verb.WHAT_IF, flipped=presentation.flipped)
    if then.match.phase is Phase.PLAYING and len(line.moves) < LONGEST:
        partial = partial or follow(then.game, then.course.position, Selection())
        view = picking.choose(then, partial, target=target)
        typed = words("bot.what-if.typed", command=f"/whatif #{match.id}")
        view = replace(view, picking=target.picking(then.game, partial, typed))
        lines += [*view.lines[1:], typed]
    else:
        over = then.names.result or (words("bot.what-if.longest", most=LONGEST),)
        view = replace(picking.asking(then, then.drawn, "", " ".join(over)), after=over)
    ways = []

    def way(label: str, argument: str) -> None:
        ways.append(Button(label, CallbackData(Verb.WHAT_IF, match.id, line.stamp, argument)))

    if partial is not None and partial.back is not None:
        ways.append(Button(words("bot.button.back"), target.pick(partial.back)))
    elif line.moves:
        way(words("bot.button.back"), _BACK)
    elif number > 1:
        way(words("bot.what-if.earlier", number=number - 1), str(number - 1))
    if line.moves:
        way(words("bot.what-if.first"), _FIRST)
        if from_now and not match.paused and context.finder.my_turn(match):
            moves = " ".join(turns_in(then.game, presentation.course.position, line.moves)[0])
            plays = CallbackData(Verb.MOVE, match.id, line.seen, moves)
            label = words("bot.what-if.play", moves=moves)
            ways += [Button(label, plays, style="good", apart=True)] if plays.fits else []
    return replace(view, lines=tuple(lines), buttons=(*view.buttons, *ways), code=None)
