"""What is said of what happens by the clock: flags, reminders, pauses, vacations, plans, seats taken over."""

from __future__ import annotations

from dataclasses import replace

from bot.callback_data import Verb
from bot.presenter.boards import waits_for
from bot.presenter.clocks import moment, plan_card
from bot.presenter.controls import button
from bot.presenter.naming import called
from bot.presenter.presentation import Telling, say
from bot.view import Button, View
from play import facts
from play.match import Phase
from rules.core import Seat


@say.register
def _flagged(fact: facts.Flagged, telling: Telling) -> View:
    words, name = telling.words, called(fact.player, telling.words)
    said = [words("bot.flagged", name=name)]
    if fact.claimed_by is not None:
        said = [words("bot.flagged.claimed", name=telling.names.seat(fact.claimed_by), other=name)]
    return left_behind(telling, fact.seat, *said)


def left_behind(telling: Telling, seat: Seat, *said: str) -> View:
    """The board after somebody has left it, and how their seat can be taken over, where it can."""
    match = telling.match
    if match.phase is not Phase.PLAYING or match.rated or not telling.course.restorable(seat):
        return telling.board(*said)
    view = telling.board(*said, telling.words("bot.flagged.free"))
    return replace(view, buttons=(*view.buttons, _button(telling, Verb.SUBSTITUTE)))


@say.register
def _time_is_up(fact: facts.TimeIsUp, telling: Telling) -> View:
    view = telling.brief(telling.words("bot.time-is-up", name=telling.names.seat(fact.seat)))
    return replace(view, buttons=(_button(telling, Verb.CLAIM),))


@say.register
def _reminded(fact: facts.Reminded, telling: Telling) -> View:
    words, match = telling.words, telling.match
    # The time is in the words already, and as of now.
    timeless = Telling(telling.game, replace(match, times=None), telling.course, words)
    return timeless.board(words("bot.reminded", left=words.time_left(fact.left)))


@say.register
def _heads_up(_fact: facts.HeadsUp, telling: Telling) -> View:
    seat = telling.course.position.to_move
    return telling.brief(telling.words("bot.heads-up", name=telling.names.seat(seat)))


@say.register
def _vacation_used(fact: facts.VacationUsed, telling: Telling) -> View:
    words, name = telling.words, telling.names.seat(fact.seat)
    if fact.most is not None:
        return telling.brief(words("bot.vacation.days", name=name, until=moment(fact.most, words)))
    key = "bot.vacation.last" if fact.automatic else "bot.vacation.used"
    said = [words(key, name=name, until=moment(fact.until, words))]
    if fact.deadline is not None:
        said.append(words("bot.vacation.deadline", deadline=moment(fact.deadline, words)))
    return telling.brief(*said)


@say.register
def _vacation_ended(fact: facts.VacationEnded, telling: Telling) -> View:
    return telling.brief(telling.words("bot.vacation.ended", name=telling.names.seat(fact.seat)))


@say.register
def _paused(fact: facts.Paused, telling: Telling) -> View:
    view = telling.brief(telling.words("bot.paused", name=telling.names.seat(fact.seat)))
    return replace(view, buttons=(_button(telling, Verb.RESUME),))


@say.register
def _resumed(fact: facts.Resumed, telling: Telling) -> View:
    return telling.board(telling.words("bot.resumed", name=telling.names.seat(fact.seat)))


@say.register
def _silence(fact: facts.SilenceNoticed, telling: Telling) -> View:
    said = telling.words("bot.silence", closes=moment(fact.closes, telling.words))
    return replace(telling.brief(said), ping=waits_for(fact.match, telling.course))


@say.register
def _closed(_fact: facts.Closed, telling: Telling) -> View:
    return telling.board(ping=False)


@say.register
def _replaced(fact: facts.Replaced, telling: Telling) -> View:
    names = {"name": called(fact.player, telling.words), "before": called(fact.before, telling.words)}
    return telling.board(telling.words("bot.replaced", **names))


@say.register
def _planned(fact: facts.Planned, telling: Telling) -> View:
    return plan_card(telling.names.title, fact.plan, telling.words)


def _button(telling: Telling, verb: Verb) -> Button:
    return button(telling.words, telling.match, verb)
