"""The board of a match: whose turn it is or how it ended, who plays, and what can be pressed under it.

What can be pressed is what the match waits for; the rest is in a menu. Everybody sees the same buttons; whether a person
may press one is checked when they do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from bot.chat.callback_data import Verb
from bot.chat.presenting import captions
from bot.chat.presenting.invitations import ANSWERS, closed_invitation, invitation, usable
from bot.chat.presenting.moments import vacation_days
from bot.chat.presenting.naming import Presentation, button, player_name, roster, strip, turn, whose_turn
from bot.chat.presenting.picking import fits, grid
from bot.chat.presenting.selection import Selection, begins, follow, in_match
from bot.chat.view import Button, ButtonGrid, View
from play.actions.agreeing import asked_seats, removable
from play.actions.playing import FINISH
from play.match import VOTES, Ask, Match, Phase, Ply, is_engine, plays_alone
from play.people import Account, Player, is_forgotten
from play.ratings.model import MOST_A_DAY, Rating, uncounted
from play.replay import Course
from play.settings import Settings
from play.time.clock import away_until, deadline
from play.time.timers import BY_MOST, REMINDERS, ending, silence_of, silent_at, untimed
from rules.core import Diagram, Seat

# Arguments of buttons.
UNFLIPPED: Final = "1"  # the board as it is shown to all, the first seat's side below
FLIPPED: Final = "2"  # the board the other way round
IN_WORDS: Final = "words"  # the board in words
CONFIRMED: Final = "sure"  # pressed after a question whether one is sure


def controls(presentation: Presentation) -> tuple[Button, ...]:
    """The controls of a match: what it waits for, and the menu with the rest; none unless it is being played."""
    match = presentation.match
    if match.phase is not Phase.PLAYING:
        return ()
    left = next(iter(presentation.course.vacant), None)
    arguments = dict.fromkeys((Verb.YES, Verb.NO), match.offer.ask.value if match.offer else "")
    arguments[Verb.SUBSTITUTE] = "" if left is None else str(left.number)
    arguments[Verb.MORE] = FLIPPED if presentation.flipped else ""
    sensible = _sensible(match, presentation.course)
    return *_votes(presentation), *(button(presentation, verb, arguments.get(verb, "")) for verb in sensible)


def person_on_turn(match: Match, course: Course) -> Player | None:
    """The person whose turn it is in a match that is being played; None for an engine."""
    player = match.chairs[course.position.to_move].player if match.phase is Phase.PLAYING else None
    return None if player is None or is_engine(player.account) else player


def finishing(presentation: Presentation) -> tuple[Button, ...]:
    """The button that plays the rest of a person's turn, where they win however they finish it; else nothing."""
    match, course = presentation.match, presentation.course
    if match.paused or not person_on_turn(match, course) or not presentation.game.finish(course.position):
        return ()
    return (button(presentation, Verb.MOVE, FINISH, label=presentation.words("bot.button.finish")),)


def _votes(presentation: Presentation) -> tuple[Button, ...]:
    match, course, now = presentation.match, presentation.course, presentation.now
    if match.offer or not untimed(match) or not person_on_turn(match, course):
        return ()
    if silent_at(match, BY_MOST, now) > now.at:
        return ()
    end = button(presentation, Verb.VOTE, Ask.END.value, label=presentation.words("bot.button.end"))
    if not removable(match, course):
        return (end,)
    label = presentation.names.says("bot.button.remove", course.position.to_move)
    return (end, button(presentation, Verb.VOTE, Ask.REMOVE.value, label=label))


def asks_for_hints(match: Match, course: Course) -> Account | None:
    """The player on turn, who may ask for a hint if they and the places that show the match want hints.

    None: the match is rated, or is not being played, or waits for an engine.
    """
    player = None if match.rated else person_on_turn(match, course)
    return player.account if player else None


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
    if course.vacant and not match.rated:
        yield Verb.SUBSTITUTE
    if match.offer:
        yield Verb.YES
        yield Verb.NO
    yield Verb.MORE


def number(rating: Rating) -> str:
    """A rating as people see it; a provisional one with a question mark."""
    return f"{rating.shown}?" if rating.provisional else str(rating.shown)


def changed(presentation: Presentation) -> tuple[str, ...]:
    """What a rated match that is over did to ratings, or why it did nothing, in a line; empty for any other match."""
    names, words, changes = presentation.names, presentation.words, presentation.changes
    if not names.match.ended_rated:
        return ()
    if (why := uncounted(names.match, presentation.course)) is not None:
        return (words(why),)
    parts = []
    for seat, change in zip(map(Seat, range(len(changes))), changes, strict=True):
        if change is not None and not _forgotten(names.player(seat)):
            rating, gained = number(change.after), signed(change.gained)
            parts.append(names.says("bot.rating.change", seat, rating=rating, gained=gained))
    if parts:
        return (words("bot.rating.changed", changes=", ".join(parts)),)
    known = [player for chair in names.match.chairs if (player := chair.player) and not _forgotten(player)]
    # Counted without a change for anyone, though two players are still known.
    often = len(known) > 1 and len(changes) > 0 and not any(changes)
    return (words.count("bot.rating.often", MOST_A_DAY),) if often else ()


def _forgotten(player: Player | None) -> bool:
    return player is not None and is_forgotten(player.account)


def signed(gained: int) -> str:
    """A change of a rating with its sign."""
    return f"+{gained}" if gained > 0 else f"−{-gained}" if gained else "±0"


_FOR_WATCHERS: Final = frozenset({Verb.FLIP, Verb.TEXT, Verb.BOARD, Verb.SUBSTITUTE, Verb.MORE})
"""Controls for those who do not play."""

TURNING: Final = (Verb.FLIP, Verb.TEXT)  # all that the menu has for them


def show(presentation: Presentation, *said: str, ping: bool = False) -> View:
    """A match as everybody may see it, after some words; with `ping` it calls the player on turn."""
    match, course, names = presentation.match, presentation.course, presentation.names
    if match.phase is Phase.OPEN:
        return invitation(presentation, *said)
    if match.phase is Phase.CALLED_OFF:
        view = closed_invitation(presentation)
        return replace(view, lines=(*said, *view.lines))
    diagram, seated, falls = presentation.drawn, roster(presentation), _deadline(presentation)
    position = captions.position_text(diagram, names)
    after = (*result_or_turn(presentation), *changed(presentation))
    people = (line.text for line in seated)
    return View(
        lines=(*said, names.title),
        diagram=diagram,
        roster=seated,
        after=after,
        buttons=(*_afterwards(presentation), *finishing(presentation)),
        ping=waits_for(match, course) if ping else (),
        alt=captions.alt_text(presentation, after, people=people, diagram=diagram, position=position),
        position=captions.fitted(position, diagram, names, captions.POSITION),
        strip=strip(presentation),
        theme=presentation.theme,
        flipped=presentation.flipped,
        controls=controls(presentation),
        code=match.id,
        revision=match.revision,
        deadline=falls,
        untimed=(whose_turn(presentation), *after[1:]) if falls else after,
    )


def result_or_turn(presentation: Presentation) -> tuple[str, ...]:
    """How a match ended, or whose turn it is."""
    if presentation.names.result:
        return presentation.names.result
    limit = presentation.game.repetitions(presentation.course.options)
    nearly = limit and presentation.course.repeated == limit - 1
    repeated = (presentation.words("bot.repetition"),) if nearly else ()
    said = (*decided(presentation), *_asked(presentation), *silence(presentation))
    return (turn(presentation), *repeated, *said, *_away(presentation))


def _away(presentation: Presentation) -> Iterator[str]:
    """Yield which players have planned a vacation that begins soon, or has begun while others are on turn."""
    times, words, at = presentation.match.times, presentation.words, presentation.now.at
    for one in times.away if times else ():
        told = times and one.seat == times.seat and one.since <= at  # with the time that is left
        if one.zone and at < one.until and one.since < at + SOON and not told:
            days = vacation_days(one.since, one.until, one.zone, words)
            yield presentation.names.says("bot.vacation.ahead", one.seat, days=days)


def decided(presentation: Presentation) -> tuple[str, ...]:
    """That the player on turn wins however they finish it, where that is so."""
    if not finishing(presentation):
        return ()
    return (presentation.names.says("bot.decided", presentation.course.position.to_move),)


def silence(presentation: Presentation) -> tuple[str, ...]:
    """What the others can do, and from when, once the player on turn has done nothing for long, without a clock."""
    match, now, words, course = presentation.match, presentation.now, presentation.words, presentation.course
    mover = person_on_turn(match, course)
    if mover is None or not untimed(match) or silent_at(match, REMINDERS[0], now) > now.at:
        return ()
    since = timedelta(days=(now.at - silence_of(match).since).days)
    who_ends = ending(match, course, now)
    said = words("bot.silent.end", name=player_name(mover, words), since=since, ending=who_ends)
    if not removable(match, course):
        return (said,)
    return (said, words("bot.silent.remove", most=silent_at(match, BY_MOST, now)))


def _asked(presentation: Presentation) -> tuple[str, ...]:
    offer = presentation.match.offer
    if offer is None:
        return ()
    return (presentation.of_turn(f"bot.asked.{offer.ask.value}", offer.by, offer.keep),)


SOON: Final = timedelta(days=30)  # how long before it begins boards say that a vacation is planned

SAME_SEATS: Final = "same"
OTHER_OPPONENT: Final = "other"
"""Arguments of `Verb.REMATCH`: the players keep their seats; the same game is set up with another opponent."""


def _afterwards(presentation: Presentation) -> tuple[Button, ...]:
    match, words = presentation.match, presentation.words
    if match.phase is not Phase.OVER:
        return ()
    again = button(presentation, Verb.REMATCH, SAME_SEATS)
    swapped = button(presentation, Verb.REMATCH, label=words("bot.button.swapped"))
    other = button(presentation, Verb.REMATCH, OTHER_OPPONENT, label=words("bot.button.other-opponent"))
    told = [button(presentation, verb) for verb in (Verb.ANALYSE, Verb.STORY) if match.log]
    row = (again, replace(swapped, style="plain"), replace(other, style="plain"), *told)
    short = words("bot.button.afterwards").split()
    return tuple(replace(each, short=label) for each, label in zip(row, short, strict=False))


def keys_to_pick(presentation: Presentation, diagram: Diagram | None) -> ButtonGrid | None:
    """A board as keys, for the person on turn to begin a move; None where none is to be made, or it is too large."""
    game, match = presentation.game, presentation.match
    if (
        diagram is None
        or match.paused
        or not (person_on_turn(match, presentation.course) and fits(diagram.grid))
    ):
        return None
    target = in_match(match, flipped=presentation.flipped)
    partial = follow(game, presentation.course.position, Selection())
    return grid(game, target, partial, diagram, flipped=presentation.flipped)[0]


def _deadline(presentation: Presentation) -> datetime | None:
    match, times = presentation.match, presentation.match.times
    if match.phase is not Phase.PLAYING or times is None or times.since is None or times.up:
        return None
    # During a vacation, and on a clock that rests, there is more to say than when it is over.
    away = times.week is not None or away_until(times, presentation.now.at) is not None
    return None if away else deadline(times, presentation.now)


def from_the_top(match: Match, account: Account) -> bool:
    """Whether a player, of two, sits where a board that is not turned has its top."""
    return len(match.chairs) == 2 and list(match.seats_of(account)) == [Seat.S2]


def waits_for(match: Match, course: Course) -> tuple[Account, ...]:
    """The player on turn, if any."""
    player = match.chairs[course.position.to_move].player if match.phase is Phase.PLAYING else None
    return (player.account,) if player else ()


def has_to_answer(match: Match, course: Course) -> tuple[Account, ...]:
    """Who has not answered yet what is asked."""
    offer = match.offer
    if offer is None:
        return ()
    answered = (*offer.agreed, *offer.against)
    silent = [seat for seat in asked_seats(match, course, offer) if seat not in answered]
    return tuple(player.account for seat in silent if (player := match.chairs[seat].player))


def for_one(view: View, presentation: Presentation, *who: Account, keys: bool = True) -> View:
    """A board or an invitation that one person sees alone, by any of their accounts.

    It is without what they cannot do; if they are on turn, it has keys to pick a move on, unless without `keys`.
    """
    match = presentation.match
    if match.phase is Phase.OPEN:
        beyond = ANSWERS - usable(match, who)
        return replace(view, buttons=tuple(each for each in view.buttons if each.data.verb not in beyond))
    if match.phase is not Phase.PLAYING:
        return view
    seats = [seat for account in who for seat in match.seats_of(account)]
    if match.offer is not None and seats:
        buttons = _answers(view.buttons, presentation, seats)
        view = replace(view, buttons=buttons, controls=_answers(view.controls, presentation, seats))
    if presentation.course.position.to_move in seats:
        return replace(view, grid=keys_to_pick(presentation, view.diagram)) if keys else view
    view = replace(view, buttons=tuple(each for each in view.buttons if each.data.verb is not Verb.MOVE))
    verbs = {control.data.verb for control in view.controls} & _FOR_WATCHERS
    if not verbs.isdisjoint(TURNING):
        verbs -= {Verb.MORE}
    kept = [each for each in view.controls if (not begins(each.data) if seats else each.data.verb in verbs)]
    return replace(view, controls=tuple(kept))


def _answers(
    buttons: Iterable[Button], presentation: Presentation, seats: Sequence[Seat]
) -> tuple[Button, ...]:
    offer = presentation.match.offer
    withdraw = presentation.words("bot.button.withdraw")
    kept = []
    for each in buttons:
        if offer is not None and each.data.verb in (Verb.YES, Verb.NO):
            if offer.by in seats:
                if each.data.verb is Verb.NO:
                    kept.append(replace(each, label=withdraw, style="plain"))
                continue
            asked = set(asked_seats(presentation.match, presentation.course, offer))
            done = offer.agreed if each.data.verb is Verb.YES else offer.against
            if (asked - set(done)).isdisjoint(seats) and (each.data.verb is Verb.YES or offer.ask in VOTES):
                continue
        kept.append(each)
    return tuple(kept)


def current_board(presentation: Presentation) -> View:
    """A board that is shown already, with what has changed about it since the last turn."""
    return show(presentation, *last_turn(presentation))


def closed_board(presentation: Presentation, *said: str) -> View:
    """A board with a newer one below it: the last turn on it (or what is `said`), the position, and who plays.

    The match is as it is now, the course as far as it had come. Whose turn it was and the time left are not said: they
    would seem to hold still.
    """
    before = as_it_was(presentation, len(presentation.course.log))
    view = show(before, *(said or last_turn(presentation)))
    return replace(view, after=(), untimed=(), buttons=(), controls=())


def as_it_was(presentation: Presentation, entries: int) -> Presentation:
    """Return a match as it stood after so many entries of its log, being played, without clock and offer."""
    course = presentation.course.cut(entries)
    then = replace(presentation.match, phase=Phase.PLAYING, log=course.log, result=None, offer=None)
    then = replace(then, clock=None, times=None, paused=None)
    return replace(presentation, match=then, course=course)


def turns_before(presentation: Presentation, entries: int) -> tuple[str, ...]:
    """The turns, among so many entries of the log, since the last one of the player on turn, in the words of `last_turn`.

    Against engines it is the person's last turn, and that, too: engines answer before it is shown.
    """
    match, course, said = presentation.match, presentation.course.cut(entries), tuple[str, ...]()
    alone = plays_alone(match)
    reader = match.chairs[presentation.course.position.to_move].player
    for _ in match.chairs:
        if (last := captions.last_ply(course)) is None:
            break
        player = match.chairs[course.log[last].seat].player
        if not alone and player == reader:
            break
        said = (*last_turn(replace(presentation, course=course)), *said)
        if alone and (player is None or not is_engine(player.account)):
            break
        course = course.cut(course.turn_start(last))
    return said


def last_turn(presentation: Presentation) -> tuple[str, ...]:
    """The last turn, in the words in which it was announced."""
    words, names, course = presentation.words, presentation.names, presentation.course
    log, last = course.log, captions.last_ply(course)
    if last is None:
        return (words("bot.match.started", opponents=names.opponents),)
    first = course.turn_start(last)
    plies = [entry for entry in log[first : last + 1] if isinstance(entry, Ply)]
    moves = captions.played(presentation, plies, len(log) - 1 - last)
    said = [words("bot.moved", name=captions.player_then(presentation, last), moves=moves)]
    for at in range(first, len(log)):
        said += captions.events(presentation, at)
    return tuple(said)
