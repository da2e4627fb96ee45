"""What can be pressed under a board that is being played: what the match waits for; the rest is in a menu.

Everybody sees the same buttons; whether a person may press one is checked when they do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.presenter.presentation import Presentation
from bot.view import Button, ButtonStyle, View
from play.actions.agreeing import removable
from play.actions.playing import FINISH
from play.actions.substituting import vacant
from play.engine_players import is_engine
from play.match import Ask, Match, Phase
from play.people import Account
from play.replay import Course
from play.settings import Settings
from play.time.inactivity import BY_MOST, silent_at, untimed

_NAMED: Final = (
    *(Verb.ACCEPT, Verb.DECLINE, Verb.WITHDRAW, Verb.JOIN, Verb.LEAVE, Verb.START, Verb.SEAT, Verb.REMATCH),
    *(
        Verb.MOVE,
        Verb.UNDO,
        Verb.TAKEBACK,
        Verb.DRAW,
        Verb.RESIGN,
        Verb.CLAIM,
        Verb.PAUSE,
        Verb.RESUME,
        Verb.END,
    ),
    *(Verb.YES, Verb.NO, Verb.SUBSTITUTE, Verb.MORE, Verb.MUTE, Verb.HINT, Verb.PAGE, Verb.BACK),
    *(Verb.FLIP, Verb.TEXT, Verb.REPLAY, Verb.ANALYSE, Verb.WHY, Verb.PUZZLE),
)
"""Verbs whose buttons can be named after them; any other is given its label."""

KEYS: Final = {"bot.button.{}": ([verb.name.lower() for verb in _NAMED],)}
"""The keys that this module puts together, by their template: the members of each hole."""

STYLES: Final[Mapping[Verb, ButtonStyle]] = {
    **dict.fromkeys(
        (Verb.ACCEPT, Verb.JOIN, Verb.START, Verb.YES, Verb.REMATCH, Verb.MOVE, Verb.RESUME, Verb.TRY),
        "good",
    ),
    **dict.fromkeys((Verb.DECLINE, Verb.NO, Verb.RESIGN), "danger"),
}
"""How the buttons look that do not look plain."""

UNFLIPPED: Final = "1"
"""In the argument of a button: the board as it is shown to all, the first seat's side below."""

FLIPPED: Final = "2"  # in the argument of a button: the board the other way round
IN_WORDS: Final = "words"  # in the argument of a button: the board in words
CONFIRMED: Final = "sure"  # the argument of a button that is pressed after a question whether one is sure


def button(presentation: Presentation, verb: Verb, argument: str = "", *, label: str | None = None) -> Button:
    """A button about a match as it is; its label names what it does, unless another is given."""
    match = presentation.match
    label = presentation.words(f"bot.button.{verb.name.lower()}") if label is None else label
    data = CallbackData(verb, match.id, match.revision, argument)
    return Button(label, data, style=STYLES.get(verb, "plain"))


def controls(presentation: Presentation) -> tuple[Button, ...]:
    """The controls of a match: what it waits for, and the menu with the rest; none unless it is being played."""
    match = presentation.match
    if match.phase is not Phase.PLAYING:
        return ()
    asked = match.offer.ask.value if match.offer else ""
    left = next(iter(vacant(presentation.course)), None)
    arguments = {
        Verb.YES: asked,
        Verb.NO: asked,
        Verb.SUBSTITUTE: "" if left is None else str(left.number),
        Verb.MORE: FLIPPED if presentation.flipped else "",
    }
    return (
        *votes(presentation),
        *(
            button(presentation, verb, arguments.get(verb, ""))
            for verb in _sensible(match, presentation.course)
        ),
    )


def finishing(presentation: Presentation) -> tuple[Button, ...]:
    """The button that plays the rest of a person's turn, where they win however they finish it; else nothing."""
    match, position = presentation.match, presentation.course.position
    player = match.chairs[position.to_move].player
    if match.phase is not Phase.PLAYING or match.paused or player is None or is_engine(player.account):
        return ()
    if not presentation.game.finish(position):
        return ()
    return (button(presentation, Verb.MOVE, FINISH, label=presentation.words("bot.button.finish")),)


def votes(presentation: Presentation) -> tuple[Button, ...]:
    """What the others can propose once the player on turn has done nothing for so long that a majority decides."""
    match, course, now = presentation.match, presentation.course, presentation.now
    mover = match.chairs[course.position.to_move].player
    if match.offer or not untimed(match) or mover is None or is_engine(mover.account):
        return ()
    if silent_at(match, BY_MOST, now) > now.at:
        return ()
    end = button(presentation, Verb.VOTE, Ask.END.value, label=presentation.words("bot.button.end"))
    if not removable(match, course):
        return (end,)
    label = presentation.words("bot.button.remove", name=presentation.names.seat(course.position.to_move))
    return (end, button(presentation, Verb.VOTE, Ask.REMOVE.value, label=label))


def confirm_resignation(presentation: Presentation, *, replaceable: bool) -> View:
    """Whether a player really wants to give up, or to leave a seat that another person may take over."""
    words = presentation.words
    label = words("bot.leave.sure" if replaceable else "bot.resign.sure")
    asked = words("bot.leave.ask" if replaceable else "bot.resign.ask")
    return presentation.note(asked, buttons=(button(presentation, Verb.RESIGN, CONFIRMED, label=label),))


def asks_for_hints(match: Match, course: Course) -> Account | None:
    """The player on turn, who may ask for a hint if they and the places that show the match want hints.

    None: the match is rated, or is not being played, or waits for an engine.
    """
    if match.rated or match.phase is not Phase.PLAYING:
        return None
    player = match.chairs[course.position.to_move].player
    return None if player is None or is_engine(player.account) else player.account


def want_hints(chosen: Iterable[Settings]) -> bool:
    """Whether hints are wanted by all that have a say: the player who asks, and the places that show the match."""
    return all(settings.hints for settings in chosen)


def _sensible(match: Match, course: Course) -> Iterator[Verb]:
    if match.paused:
        yield Verb.RESUME
    else:
        yield Verb.MOVE
        if match.times is not None and match.times.up:
            yield Verb.CLAIM
    if vacant(course) and not match.rated:
        yield Verb.SUBSTITUTE
    if match.offer:
        yield Verb.YES
        yield Verb.NO
    yield Verb.MORE
