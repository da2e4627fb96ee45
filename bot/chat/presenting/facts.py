"""The words for each fact: what happened, with the board or a note."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Any, Final

from bot.chat.callback_data import Verb
from bot.chat.presenting.boards import current_board, has_to_answer, last_turn, show, turns_before, waits_for
from bot.chat.presenting.captions import cut, played
from bot.chat.presenting.forecast import foregone, weaker
from bot.chat.presenting.invitations import invitation, start_text, unreached
from bot.chat.presenting.moments import moment, vacation_days
from bot.chat.presenting.naming import (
    Presentation,
    button,
    line_played,
    player_name,
    time_until,
    variation_text,
)
from bot.chat.view import View
from play import facts
from play.facts import Fact
from play.match import Ask, Branch, Cancel, Phase, Plan, engine, is_engine, kind_of
from play.people import Player
from play.replay import turns_of
from play.time.clock import Away, Now, deadline
from play.time.timers import REMINDERS, ending, silence_of
from rules.core import Position, Seat

_MOVES: Final = 200  # characters of the moves that are taken back

TEAM: Final = "team"  # an argument of `Verb.TELL`, in place of a seat

KEYS: Final = {  # for the check of the catalogues
    "bot.asked.{}": (Ask,),
    "bot.asked.{}.agreed": (Ask,),
    "bot.declined.{}": (Ask,),
    "bot.stranded.{}": (("claim", "flag"),),
    "bot.cancel.{}": (("lobby", *(why.name.lower() for why in Cancel if why is not Cancel.EXPIRED)),),
}


@singledispatch
def fact_view(fact: Fact, _presentation: Presentation) -> View:
    """The view of a fact, for those it concerns; each kind of fact registers its own."""
    raise TypeError(f"no words for {type(fact).__name__}")


@fact_view.register
def _invited(fact: facts.Challenged | facts.LobbyOpened, presentation: Presentation) -> View:
    view = invitation(presentation)
    wanted = [chair.reserved.account for chair in fact.match.chairs if chair.reserved and not chair.player]
    return replace(view, ping=tuple(wanted))  # else they would not notice it


@fact_view.register
def _joined(fact: facts.Joined, presentation: Presentation) -> View:
    view = invitation(presentation, presentation.names.says("bot.lobby.joined", fact.player))
    host = fact.match.host.account
    return replace(view, ping=(host,)) if fact.match.full and fact.player.account != host else view


@fact_view.register
def _left(fact: facts.LeftLobby, presentation: Presentation) -> View:
    said = [presentation.names.says("bot.lobby.left", fact.player)]
    if fact.host:
        said.append(presentation.names.says("bot.lobby.new-host", fact.host))
    return invitation(presentation, *said)


@fact_view.register
def _turned_down(fact: facts.TurnedDown, presentation: Presentation) -> View:
    said = presentation.names.says("bot.challenge.turned-down", fact.player)
    return replace(invitation(presentation, said), ping=(fact.match.host.account,))


@fact_view.register
def _absent(fact: facts.Absent, presentation: Presentation) -> View:
    words, match = presentation.words, presentation.match
    if fact.reached is None:
        view = current_board(presentation)
        lines = (words("bot.absent.you"), *view.lines)
        return replace(view, lines=lines, ping=() if match.paused else waits_for(match, presentation.course))
    key = "bot.absent.private" if fact.reached else "bot.absent.lost"
    said = presentation.names.says(key, fact.player)
    return presentation.note(said) if fact.reached else _stranded(presentation, said, fact.player)


@fact_view.register
def _unreached(fact: facts.Unreached, presentation: Presentation) -> View:
    match, names = presentation.match, presentation.names
    if match.phase is not Phase.PLAYING:
        return unreached(presentation, fact.who)
    player, code = fact.who[0], f"#{match.id}"
    if fact.called:
        if fact.to is not None:
            return presentation.note(names.says("bot.unreached.called", player))
        said = (names.says("bot.unreached.turn", player), presentation.words("bot.unreached.play", code=code))
        keys = (button(presentation, Verb.BOARD, label=code),)
        return presentation.note(*said, buttons=keys, ping=(player.account,))
    return _stranded(presentation, names.says("bot.unreached.player", player), player)


def _stranded(presentation: Presentation, said: str, player: Player) -> View:
    match, words, code = presentation.match, presentation.words, f"#{presentation.match.id}"
    lines = [said]
    if match.clock is not None:
        key = "claim" if match.clock.soft else "flag"
        lines.append(words(f"bot.stranded.{key}", code=code))
    if len(match.chairs) > 2 and not match.rated:
        lines.append(words("bot.stranded.substitute", code=code))
    if match.addresses:
        lines.append(words("bot.stranded.end", code=code))
    seated = (chair.player for chair in match.chairs if chair.player and chair.player != player)
    others = tuple(one.account for one in seated if not is_engine(one.account))
    return presentation.note(*lines, ping=others)


@fact_view.register
def _called_off(fact: facts.CalledOff, presentation: Presentation) -> View:
    if fact.by is None:
        return presentation.note(presentation.words(fact.why))
    lobby = fact.why is Cancel.WITHDRAWN and fact.match.lobby
    key = "lobby" if lobby else fact.why.name.lower()
    return presentation.note(presentation.names.says(f"bot.cancel.{key}", fact.by))


@fact_view.register
def _started(_fact: facts.Started, presentation: Presentation) -> View:
    key = "bot.match.resumed" if presentation.match.log else "bot.match.started"
    said = presentation.words(key, opponents=presentation.names.opponents)
    unseen = any(is_engine(who.account) for who in presentation.match.players())  # there was no invitation
    known = _foreseen(presentation) if unseen else ()
    return show(presentation, said, *start_text(presentation), *known, ping=True)


def _foreseen(presentation: Presentation) -> Iterator[str]:
    """Yield who wins with best play from the start, if that is proved, and which engines of the match are weaker here."""
    match, words, game = presentation.match, presentation.words, presentation.game
    proved = not match.log and match.start is None
    if proved and (known := foregone(game, dict(match.options), words, draws=False)):
        yield known
    yield from weaker(game, map(kind_of, match.people()), words)


@fact_view.register
def _moved(fact: facts.Moved, presentation: Presentation) -> View:
    names = presentation.names
    after = sum(len(answer.plies) for answer in fact.answers)
    moves = played(presentation, fact.plies, after)
    said = [names.says("bot.moved", fact.seat, moves=moves)]
    for answer in fact.answers:
        after -= len(answer.plies)
        moves = played(presentation, answer.plies, after)
        said.append(names.says("bot.answered", answer.seat, moves=moves))
    if fact.stands_in is not None:
        other = player_name(engine(fact.stands_in), presentation.words)
        said.append(names.says("bot.engine.stands-in", fact.seat, engine=other))
    said += [names.says("bot.fell", seat) for seat in fact.fell]
    return show(presentation, *said, ping=fact.handed_on)


@fact_view.register
def _undone(fact: facts.Undone, presentation: Presentation) -> View:
    names = presentation.names
    return show(presentation, names.says("bot.undone", fact.seat, moves=names.notation(fact.plies)))


@fact_view.register
def _taken_back(fact: facts.TakenBack, presentation: Presentation) -> View:
    number = len(turns_of(presentation.course)) + 1
    moves = cut(presentation.names.notation(fact.plies), _MOVES)
    return show(presentation, presentation.words("bot.taken-back", number=number, moves=moves), ping=True)


@fact_view.register
def _asked(fact: facts.Asked, presentation: Presentation) -> View:
    key, seat = f"bot.asked.{fact.ask.value}", fact.seat
    if fact.agreed is not None:
        key, seat = f"bot.asked.{fact.ask.value}.agreed", fact.agreed
    buttons = tuple(button(presentation, verb, fact.ask.value) for verb in (Verb.YES, Verb.NO))
    ping = has_to_answer(fact.match, presentation.course)
    keep = fact.match.offer.keep if fact.match.offer else 0
    return presentation.note(presentation.of_turn(key, seat, keep), buttons=buttons, ping=ping)


@fact_view.register
def _declined(fact: facts.Declined, presentation: Presentation) -> View:
    put = next((put for put in reversed(fact.match.asked) if put.ask is fact.ask), None)
    key = "bot.asked.withdrawn" if put and put.by == fact.seat else f"bot.declined.{fact.ask.value}"
    return presentation.note(presentation.of_turn(key, fact.seat, fact.keep))


@fact_view.register
def _departed(fact: facts.Departed, presentation: Presentation) -> View:
    key = "bot.resigned" if len(fact.match.chairs) == 2 else "bot.departed"
    return _left_behind(presentation, fact.seat, presentation.names.says(key, fact.player))


@fact_view.register
def _drawn_or_closed(fact: facts.Drawn | facts.Closed, presentation: Presentation) -> View:
    return show(presentation, ping=isinstance(fact, facts.Drawn))


@fact_view.register
def _shown(fact: facts.Watching | facts.Imported, presentation: Presentation) -> View:
    if isinstance(fact, facts.Watching) and not fact.on:
        return presentation.note(presentation.words("bot.watching.off"))
    key = "bot.watching.on" if isinstance(fact, facts.Watching) else "bot.imported"
    # An invitation says itself that it goes on.
    said = () if fact.match.phase is Phase.OPEN else (presentation.words(key),)
    return show(presentation, *said)


@fact_view.register
def _flagged(fact: facts.Flagged, presentation: Presentation) -> View:
    said = presentation.names.says("bot.flagged", fact.player)
    if fact.claimed_by is not None:
        other = player_name(fact.player, presentation.words)
        said = presentation.names.says("bot.flagged.claimed", fact.claimed_by, other=other)
    return _left_behind(presentation, fact.seat, said)


def _left_behind(presentation: Presentation, seat: Seat, said: str) -> View:
    match = presentation.match
    if match.phase is not Phase.PLAYING or match.rated or seat not in presentation.course.vacant:
        return show(presentation, said, ping=True)
    view = show(presentation, said, presentation.words("bot.flagged.free"), ping=True)
    return replace(view, buttons=(*view.buttons, button(presentation, Verb.SUBSTITUTE, str(seat.number))))


@fact_view.register
def _time_is_up(fact: facts.TimeIsUp, presentation: Presentation) -> View:
    said = presentation.names.says("bot.time-is-up", fact.seat)
    return presentation.note(said, buttons=(button(presentation, Verb.CLAIM),))


@fact_view.register
def _reminded(fact: facts.Reminded, presentation: Presentation) -> View:
    words = presentation.words
    # The words already say the time left, as of now.
    timeless = replace(presentation, match=replace(presentation.match, times=None))
    if fact.left is None:
        since = REMINDERS[silence_of(fact.match).seen - 1]
        who_ends = ending(fact.match, presentation.course, presentation.now)
        said = words("bot.reminded.untimed", since=since, ending=who_ends)
    else:
        left = words.time_left(fact.left)
        if (times := fact.match.times) and times.week and (ends := deadline(times, presentation.now)):
            then = Now(ends - fact.left, presentation.now.outages)
            left = time_until(replace(presentation, now=then), times)
        said = words("bot.reminded", left=left)
    return show(timeless, said, ping=True)


@fact_view.register
def _heads_up(_fact: facts.HeadsUp, presentation: Presentation) -> View:
    return presentation.note(presentation.names.says("bot.heads-up", presentation.course.position.to_move))


LETTER: Final = "✉"  # begins what one player writes to another

_LIVE: Final = re.compile(r"(?<=@)|(?<=:)(?=//)|(?<=\w\.)(?=\w)|(?<=/)(?=\w)")
_MUTE: Final = "\u200c"  # unseen, it ends what a client would take for a link, a mention or a command


def inert(text: str) -> str:
    """Text of a person as it can be shown to others: no client makes links, mentions or commands of it."""
    return _LIVE.sub(_MUTE, text.replace(_MUTE, ""))


@fact_view.register
def _told(fact: facts.Told, presentation: Presentation) -> View:
    names, code = presentation.names, f"#{fact.match.id}"
    if not fact.text:
        return presentation.note(names.says("bot.told.lost", fact.seat))
    if fact.where is not None:
        said = names.says("bot.told.report", fact.seat, code=code)
        return View(lines=(said, f"{LETTER} {inert(fact.text)}"), code=fact.match.id)
    said = names.says("bot.told.team" if fact.team else "bot.told.you", fact.seat, code=code)
    to = TEAM if fact.team else str(fact.seat.number)
    reply = button(presentation, Verb.TELL, to, label=presentation.words("bot.button.reply"))
    block = button(presentation, Verb.BLOCK, str(fact.seat.number))
    buttons = (reply, button(presentation, Verb.REPORT), block)
    return View(lines=(f"{LETTER} {said}", inert(fact.text)), buttons=buttons, code=fact.match.id)


@fact_view.register
def _waiting(fact: facts.Waiting, presentation: Presentation) -> View:
    match = fact.match
    waited_for = () if match.paused else waits_for(match, presentation.course)
    asked = has_to_answer(match, presentation.course)
    said = turns_before(presentation, len(match.log)) or last_turn(presentation)
    return replace(show(presentation, *said), ping=(*waited_for, *asked))


@fact_view.register
def _deliberated(_fact: facts.Deliberated, presentation: Presentation) -> View:
    match = presentation.match
    return show(presentation, *(turns_before(presentation, len(match.log)) or last_turn(presentation)))


@fact_view.register
def _reached(fact: facts.Reached, presentation: Presentation) -> View:
    match = fact.match
    if match.phase is Phase.OPEN:
        view = _invited(facts.Challenged(match), presentation)
    else:
        view = _waiting(facts.Waiting(match), presentation)
    more = (presentation.words.count("bot.reached.more", fact.more),) if fact.more else ()
    return replace(view, lines=(*more, *view.lines))


@fact_view.register
def _postponed(_fact: facts.Postponed, presentation: Presentation) -> View:
    return current_board(presentation)


@fact_view.register
def _vacation_used(fact: facts.VacationUsed, presentation: Presentation) -> View:
    words, name = presentation.words, presentation.names.seat(fact.seat)
    if fact.most is not None:
        return presentation.note(words("bot.vacation.days", name=name, until=moment(fact.most, words)))
    if fact.planned is not None:
        return presentation.note(_vacation_planned(fact.planned, "bot.vacation.planned", presentation))
    key = "bot.vacation.last" if fact.automatic else "bot.vacation.used"
    said = [words(key, name=name, until=moment(fact.until, words))]
    if fact.deadline is not None:
        said.append(words("bot.vacation.deadline", deadline=moment(fact.deadline, words)))
    return presentation.note(*said)


@fact_view.register
def _vacation_ended(fact: facts.VacationEnded, presentation: Presentation) -> View:
    if fact.planned is not None:
        return presentation.note(_vacation_planned(fact.planned, "bot.vacation.withdrawn", presentation))
    return presentation.note(presentation.names.says("bot.vacation.ended", fact.seat))


def _vacation_planned(away: Away, key: str, presentation: Presentation) -> str:
    days = vacation_days(away.since, away.until, away.zone or "UTC", presentation.words)
    return presentation.names.says(key, away.seat, days=days)


@fact_view.register
def _paused(fact: facts.Paused, presentation: Presentation) -> View:
    said = presentation.names.says("bot.paused", fact.seat)
    return presentation.note(said, buttons=(button(presentation, Verb.RESUME),))


@fact_view.register
def _resumed(fact: facts.Resumed, presentation: Presentation) -> View:
    return show(presentation, presentation.names.says("bot.resumed", fact.seat), ping=True)


@fact_view.register
def _time_given(fact: facts.TimeGiven, presentation: Presentation) -> View:
    names, words = presentation.names, presentation.words
    said = [names.says("bot.moretime.given", fact.seat, to=names.seat(fact.to), time=fact.length)]
    if fact.deadline is not None:
        until = moment(fact.deadline, words, presentation.zone)
        said.append(words("bot.vacation.deadline", deadline=until))
    return presentation.note(*said)


@fact_view.register
def _silence(fact: facts.SilenceNoticed, presentation: Presentation) -> View:
    said = presentation.words("bot.silence", closes=moment(fact.closes, presentation.words))
    return presentation.note(said, ping=waits_for(fact.match, presentation.course))


@fact_view.register
def _replaced(fact: facts.Replaced, presentation: Presentation) -> View:
    before = player_name(fact.before, presentation.words)
    return show(presentation, presentation.names.says("bot.replaced", fact.player, before=before), ping=True)


@fact_view.register
def _planned(fact: facts.Planned, presentation: Presentation) -> View:
    return plan_card(presentation, fact.plan)


def plan_card(presentation: Presentation, plan: Plan | None) -> View:
    """What a player has planned in a match, a line for each case that nothing follows; for their eyes alone."""
    title, words = presentation.names.title, presentation.words
    if plan is None:
        return View(lines=(title, words("bot.plan.none")))
    cases = _cases(presentation, presentation.course.positions[plan.base], plan.branches)
    return View(lines=(title, words("bot.plan.kept"), *(words("bot.plan.line", line=line) for line in cases)))


def _cases(presentation: Presentation, here: Position[Any], branches: Sequence[Branch]) -> list[str]:
    """Return a line for each case of a plan that nothing follows."""
    game, words = presentation.game, presentation.words
    found = []
    for branch in branches:
        if not branch.when:
            found.append(words("bot.plan.any", then=" ".join(branch.then)))
            continue
        when = variation_text(game, here, branch.when)
        case = words("bot.plan.case", when=when, then=" ".join(branch.then))
        _, after = line_played(game, here, (*branch.when, *branch.then))
        rest = _cases(presentation, after, branch.after)
        found += [f"{case} {line}" for line in rest] if rest else [case]
    return found
