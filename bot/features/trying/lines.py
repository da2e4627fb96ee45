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
from bot.chat.errors import BadCommand, CommandError
from bot.chat.grammar import number_in
from bot.chat.match_lookup import AmongFinished, legal_readings
from bot.chat.presenting import picking
from bot.chat.presenting.boards import want_hints
from bot.chat.presenting.naming import Presentation, button, turns_in
from bot.chat.presenting.selection import PartialMove, PickTarget, Selection, follow
from bot.chat.presenting.trying import TriedLine, TryingRefusal, after, refusal
from bot.chat.registry import MENUS, Registry
from bot.chat.view import Button, Message, View, ViewKind
from bot.features.analysis.commands import AnalysisRefusal
from bot.features.analysis.judging import turns_of
from play.match import Match, Phase, Ply
from rules.core import AmbiguousMove, RulesError

registry: Final = Registry()

KEPT: Final = timedelta(days=1)
"""How long a line is kept after its last move."""
LONGEST: Final = 60
"""Moves of a line."""
_BACK: Final = "back"
_FIRST: Final = "first"
_FROM: Final = "@"  # before the number of a turn


@registry.command(
    "whatif", MATCH, text("turn"), text("move"), topic=HelpTopic.REVIEW, aliases=("what-if",), finishing=False
)
async def what_if(context: Context) -> Sequence[Message]:
    """`/whatif` opens the board, `/whatif 12` from turn 12, `/whatif 12 b2-b3` with a move; `/whatif b2-b3` goes on with the line."""
    finder, (number, _, moves) = context.finder, context.command.rest.strip().partition(" ")
    if number_in(number.removesuffix(".")) is None:
        number, moves = "", context.command.rest.strip()
    match = await context.match(
        *(finder.my_turn, finder.mine, lambda match: match.phase is Phase.PLAYING),
        *(AmongFinished(finder.was_mine), AmongFinished(finder.finished)),
        reads=True,
    )
    presentation = await _open(context, match)
    line = None if number else await _kept(context, presentation)
    if line is None or not (moves or match.phase is Phase.OVER or _from_now(match, line)):
        line = _begun(presentation, number.removesuffix("."))
    return await _moved(context, presentation, line, moves)


@registry.button(Verb.WHAT_IF, finishing=False, kind=ViewKind.CARD)
async def _begin_pressed(context: Context, pressed: CallbackData) -> Sequence[Message]:
    presentation = await _open(context, await context.table.get(pressed.match))
    return await _changed(context, presentation, _begun(presentation, pressed.argument), ViewKind.CARD)


@registry.button(Verb.LINE_PICK, finishing=False, kind=ViewKind.PAGE)
async def _pick_pressed(context: Context, pressed: CallbackData) -> Sequence[Message]:
    presentation = await _open(context, await context.table.get(pressed.match))
    line = await _kept(context, presentation)
    if line is None or line.stamp != pressed.seen or len(line.moves) >= LONGEST:
        return await _changed(context, presentation, line or _begun(presentation))
    then = after(presentation, line)
    found = await taps.picked(context, pressed, then.game, then.course.position)
    if found is None:
        return []
    if plies := found[0].selection.plies:
        return await _changed(context, presentation, line.on(*plies))
    return [context.private(_view(context, presentation, line, found[0]), ViewKind.PAGE)]


@registry.button(Verb.LINE, finishing=False, kind=ViewKind.PAGE)
async def _line_pressed(context: Context, pressed: CallbackData) -> Sequence[Message]:
    presentation, asked = await _open(context, await context.table.get(pressed.match)), pressed.argument
    line = await _kept(context, presentation)
    if line is None or line.stamp != pressed.seen:  # a key of a board that has changed since
        return await _changed(context, presentation, line or _begun(presentation))
    if asked.startswith(_FROM):
        line = _begun(presentation, asked.removeprefix(_FROM))
    elif asked in (_BACK, _FIRST):
        line = line.back if asked == _BACK else replace(line, moves=())
    else:
        return await _moved(context, presentation, line, asked, ViewKind.PAGE)
    return await _changed(context, presentation, line)


@MENUS
async def menu(context: Context, presentation: Presentation) -> Sequence[Button] | None:
    """Return the key that opens the board, for those who may try moves."""
    if await _refusal(context, presentation.match) is not None:
        return None
    return [button(presentation, Verb.WHAT_IF, label=context.words("bot.page.what-if"))]


async def _refusal(context: Context, match: Match) -> TryingRefusal | None:
    plays, places = context.finder.mine(match), match.addresses
    hints = not plays or match.rated or want_hints(await context.store.settings.get_many(*places))
    return refusal(match, plays=plays, hints=hints)


async def _open(context: Context, match: Match) -> Presentation:
    if match.phase not in (Phase.PLAYING, Phase.OVER):
        raise CommandError(BadCommand.NOTHING_PLAYED)
    if (why := await _refusal(context, match)) is not None:
        raise CommandError(why)
    return context.present(match)


def _begun(presentation: Presentation, number: str = "") -> TriedLine:
    """Return a line from the turn of a number; without one, from where the match stands, or from the start if it is over."""
    match, course = presentation.match, presentation.course
    turns = turns_of(course)
    starts = [*(turn.first for turn in turns), len(course.log)]
    asked = number_in(number)
    if asked is None:
        asked = 1 if match.phase is Phase.OVER else len(starts)
    if not 0 < asked <= len(starts):
        raise CommandError(AnalysisRefusal.NO_SUCH_TURN, number=asked, last=len(starts))
    return TriedLine(starts[asked - 1], (), match.revision)


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
    context: Context, presentation: Presentation, line: TriedLine, typed: str, kind: ViewKind = ViewKind.CARD
) -> Sequence[Message]:
    """Go on with a line by typed moves, if there are any."""
    then, words = after(presentation, line), context.words
    game, position = then.game, then.course.position
    if typed and then.match.phase is Phase.PLAYING and len(line.moves) < LONGEST:
        read = legal_readings(game, position, typed)
        try:
            plies = game.notation.parse(read[0] if len(read) == 1 else typed, position)
            line = line.on(*map(game.notation.format, plies))
            after(presentation, line)
        except AmbiguousMove as several:
            return [_which(context, then, line, several)]
        except RulesError as wrong:
            said = words(wrong.reason, **then.names.named(wrong.fields))
            view = picking.refused_move(words, said, game, position)
            return [context.private(view, ViewKind.NOTE, refused=True)]
    return await _changed(context, presentation, line, kind)


def _which(context: Context, then: Presentation, line: TriedLine, several: AmbiguousMove) -> Message:
    view, code = picking.candidates(then, several), then.match.id
    buttons = tuple(
        replace(each, data=CallbackData(Verb.LINE, code, line.stamp, each.data.argument))
        for each in view.buttons
    )
    return context.private(replace(view, buttons=buttons, code=None), refused=True)


async def _changed(
    context: Context, presentation: Presentation, line: TriedLine, kind: ViewKind = ViewKind.PAGE
) -> Sequence[Message]:
    await context.store.notes.write(_name(context, presentation.match), str(line), keep=KEPT)
    return [context.private(_view(context, presentation, line), kind)]


def _view(
    context: Context, presentation: Presentation, line: TriedLine, partial: PartialMove | None = None
) -> View:
    """Return the board of a line, with the keys that go on, back, and play its first turn in the match."""
    match, words, then = presentation.match, presentation.words, after(presentation, line)
    number, code = len(turns_of(presentation.course.cut(line.at))) + 1, match.id
    said = then.names.notation(entry for entry in then.course.log[line.at :] if isinstance(entry, Ply))
    from_now = match.phase is Phase.PLAYING and _from_now(match, line)
    begins = words("bot.what-if.now") if from_now else words("bot.what-if.turn", number=number)
    typed = words("bot.what-if.typed", command=f"/whatif #{code}")
    tries = (words("bot.what-if.line", moves=said),) if said else ()
    lines = (presentation.names.title, begins, *tries)
    target = PickTarget(code, line.stamp, Verb.LINE_PICK, Verb.LINE, flipped=presentation.flipped)
    ways: list[Button] = []
    if then.match.phase is not Phase.PLAYING or len(line.moves) >= LONGEST:
        over = then.names.result or (words("bot.what-if.longest", most=LONGEST),)
        view = replace(picking.asking(then, then.drawn, "", over[0]), after=over)
    else:
        partial = partial or follow(then.game, then.course.position, Selection())
        view = picking.choose(then, partial, target=target)
        view = replace(view, picking=target.picking(then.game, partial, typed))
        lines = (*lines, *view.lines[1:], typed)
    if partial is not None and partial.back is not None:
        ways.append(Button(words("bot.button.back"), target.pick(partial.back)))
    elif line.moves:
        ways.append(Button(words("bot.button.back"), CallbackData(Verb.LINE, code, line.stamp, _BACK)))
    elif number > 1:
        to = CallbackData(Verb.LINE, code, line.stamp, f"{_FROM}{number - 1}")
        ways.append(Button(words("bot.what-if.earlier", number=number - 1), to))
    if line.moves:
        first = CallbackData(Verb.LINE, code, line.stamp, _FIRST)
        ways.append(Button(words("bot.what-if.first"), first))
        ways += _plays(context, presentation, line) if from_now else ()
    return replace(view, lines=lines, buttons=(*view.buttons, *ways), code=None)


def _plays(context: Context, presentation: Presentation, line: TriedLine) -> Sequence[Button]:
    """Return the key that plays the first turn of a line, for the player on turn."""
    match = presentation.match
    if match.paused or not context.finder.my_turn(match):
        return ()
    moves = " ".join(turns_in(presentation.game, presentation.course.position, line.moves)[0])
    plays = CallbackData(Verb.MOVE, match.id, line.seen, moves)
    label = presentation.words("bot.what-if.play", moves=moves)
    return (Button(label, plays, style="good", apart=True),) if plays.fits else ()
