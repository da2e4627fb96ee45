"""A match as it stands: the board, who plays, whose turn it is or how it ended; invitations with their chairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Final

from bot.callback_data import Verb
from bot.i18n import Words
from bot.presenter.captions import alt_text
from bot.presenter.claims import in_match
from bot.presenter.clocks import clock_text, with_time
from bot.presenter.controls import button, controls
from bot.presenter.keyboard import fits, grid
from bot.presenter.naming import Naming, called
from bot.presenter.position import POSITION, position_text
from bot.presenter.ratings import changed
from bot.presenter.selection import Path, follow
from bot.presenter.strips import strip
from bot.view import Button, Grid, RosterLine, View
from play.agreeing import asked
from play.clock import Now, away_until, deadline
from play.machines import is_engine
from play.match import Match, Phase, Ply
from play.people import Account, Player
from play.ratings import Change
from play.replay import Course
from rules.core import AnyGame, Diagram, Seat

UNFLIPPED: Final = "1"
"""In the argument of a button: the board as it is shown to all, the first seat's side below."""

FLIPPED: Final = "2"
"""In the argument of a button: the board the other way round."""


_ANYBODYS: Final = frozenset({Verb.FLIP, Verb.TEXT, Verb.SUBSTITUTE})
"""Controls for those who only look on."""


def show(
    game: AnyGame,
    match: Match,
    course: Course,
    words: Words,
    *,
    ping: bool = False,
    now: Now | None = None,
    changes: Sequence[Change | None] = (),
) -> View:
    """A match as anybody may see it.

    Args:
        game: Of the match.
        match: As it is.
        course: Of the match.
        words: The language.
        ping: Whether to call whoever is on turn.
        now: For the time that is left; None: as it was when something was last done.
        changes: What it did to ratings, by seat.
    """
    if match.phase is Phase.OPEN:
        return invitation(game, match, words)
    names = Naming(game, match, words)
    if match.phase is Phase.CALLED_OFF:
        said = words(match.cancelled or "match.cancel.withdrawn")
        return View(lines=(names.title, said), code=match.id, revision=match.revision)
    diagram = game.draw(course.position, last=course.last_turn, before=course.before_turn)
    seated = roster(names, course)
    falls = _deadline(match, now)
    after = names.result or (turn(names, course, now),)
    after += changed(names, course, changes)
    return View(
        lines=(names.title,),
        diagram=diagram,
        roster=seated,
        after=after,
        buttons=_afterwards(match, words),
        ping=waits_for(match, course) if ping else (),
        alt=alt_text(names, course, after, people=(line.text for line in seated), diagram=diagram),
        position=position_text(diagram, names, POSITION),
        strip=strip(names, course, now=now),
        controls=controls(match, course, words),
        grid=_keys(game, match, course, diagram),
        code=match.id,
        revision=match.revision,
        deadline=falls,
        untimed=(_whose(names, course),) if falls else after,
    )


def _afterwards(match: Match, words: Words) -> tuple[Button, ...]:
    """What can be pressed once a match is over: play again, and watch it, if anything was played."""
    if match.phase is not Phase.OVER:
        return ()
    verbs = (Verb.REMATCH, Verb.REPLAY, Verb.ANALYSE) if match.log else (Verb.REMATCH,)
    return tuple(button(words, match, verb) for verb in verbs)


def _keys(
    game: AnyGame, match: Match, course: Course, diagram: Diagram, *, flipped: bool = False
) -> Grid | None:
    """The board as keys, where a move can be begun on them."""
    if match.phase is not Phase.PLAYING or match.paused or not fits(diagram.grid):
        return None
    return grid(game, in_match(match), follow(game, course.position, Path()), diagram, flipped=flipped)[0]


def _deadline(match: Match, now: Now | None) -> datetime | None:
    """When the time of whoever is on turn is up, where it runs; during a vacation there is more to say than that."""
    times = match.times
    if match.phase is not Phase.PLAYING or times is None or times.since is None or times.up:
        return None
    now = now or Now(match.changed_at)
    if away_until(times, now.at) is not None:
        return None
    return deadline(times, now)


def turn(names: Naming, course: Course, now: Now | None = None) -> str:
    """Whose turn it is, how many actions remain where a turn has several, and the time left where that is counted."""
    return with_time(_whose(names, course), names.match, names.words, now)


def _whose(names: Naming, course: Course) -> str:
    """Whose turn it is, and how many actions remain where a turn has several; an engine is said to be thinking."""
    position = course.position
    who, player = names.seat(position.to_move), names.player(position.to_move)
    if player is not None and is_engine(player.account):
        return names.words("bot.turn.thinking", name=who)
    if not _counts_actions(course):
        return names.words("bot.turn", name=who)
    return names.words.count("bot.turn.actions", position.plies_left, name=who)


def _counts_actions(course: Course) -> bool:
    """Whether a turn has several actions, so that it matters how many are left; a short first turn is told too."""
    position = course.position
    if position.turn_length > 1 or position.plies_left > 1 or course.moves:
        return position.turn_length > 1 or position.plies_left > 1
    ahead = position.legal_moves()
    return bool(ahead) and position.play(ahead[0]).turn_length > 1


def from_the_top(match: Match, account: Account) -> bool:
    """Whether somebody, of two players, sits where a board that is not turned has its top."""
    return len(match.chairs) == 2 and list(match.seats_of(account)) == [Seat.S2]


def waits_for(match: Match, course: Course) -> tuple[Account, ...]:
    """Whose turn it is, if anybody's."""
    if match.phase is not Phase.PLAYING:
        return ()
    player = match.chairs[course.position.to_move].player
    return (player.account,) if player else ()


def has_to_answer(match: Match, course: Course) -> tuple[Account, ...]:
    """Who has not answered yet what is asked."""
    offer = match.offer
    if offer is None:
        return ()
    silent = [seat for seat in asked(course, offer.by) if seat not in offer.agreed]
    return tuple(player.account for seat in silent if (player := match.chairs[seat].player))


def roster(names: Naming, course: Course) -> tuple[RosterLine, ...]:
    """A line for each seat: the name, the side, the team, points, whether out."""
    position, words = course.position, names.words
    lines = []
    for index in range(len(names.match.chairs)):
        seat = Seat(index)
        extra = []
        if position.scores:
            own = (
                f"{names.game.key}.points"  # what points are called in the game, where they have a name there
            )
            key = own if words.has(own) else "bot.roster.points"
            extra.append(words.count(key, position.scores[seat]))
        if seat in position.out:
            extra.append(words("bot.roster.out"))
        lines.append(_line(names, seat, extra))
    return tuple(lines)


def _line(names: Naming, seat: Seat, extra: Sequence[str]) -> RosterLine:
    """A seat's name, and whatever there is to say beside it: its side, its team, and more."""
    notes = [note for note in (names.side(seat),) if note]
    if team := names.team(seat):
        notes.append(names.words("bot.roster.team", number=team))
    notes += extra
    name = names.seat(seat)
    return RosterLine(
        seat, names.words("bot.roster.line", name=name, notes=", ".join(notes)) if notes else name
    )


def invitation(game: AnyGame, match: Match, words: Words) -> View:
    """A challenge or a lobby: what is to be played, the chairs, what can be pressed."""
    names = Naming(game, match, words)
    kept = [chair.reserved for chair in match.chairs if chair.reserved and not chair.player]
    free = [Seat(i) for i, chair in enumerate(match.chairs) if not chair.player and not chair.reserved]
    lines = [_lead(names, kept)]
    if match.log:
        lines.append(words.count("bot.invitation.goes-on", _turns(match)))
    if any(names.team(Seat(index)) for index in range(len(match.chairs))):
        lines.append(words("bot.invitation.teams", teams=names.opponents))
        if kept:
            lines.append(words("bot.invitation.seating"))
    buttons = []
    if kept:
        buttons.append(button(words, match, Verb.ACCEPT))
        buttons.append(button(words, match, Verb.DECLINE))
    if free:
        teams = sorted({team for seat in free if (team := names.team(seat))})
        buttons += [
            button(words, match, Verb.JOIN, str(team), label=words("bot.button.join-team", number=team))
            for team in teams
        ] or [button(words, match, Verb.JOIN)]
    lines += _terms(names)
    if match.lobby:
        lines.append(
            words("bot.lobby.seats", taken=len(match.chairs) - len(kept) - len(free), seats=len(match.chairs))
        )
        buttons.append(button(words, match, Verb.START))
        buttons.append(button(words, match, Verb.LEAVE))
    chairs = []
    for index, chair in enumerate(match.chairs):
        expected = chair.reserved and not chair.player
        chairs.append(_line(names, Seat(index), [words("bot.roster.invited")] if expected else []))
    return View(
        lines=tuple(lines),
        roster=tuple(chairs),
        buttons=tuple(buttons),
        code=match.id,
        revision=match.revision,
    )


def _terms(names: Naming) -> Iterator[str]:
    """By what the match will be timed and whether it counts, and what to know before it begins."""
    match, words = names.match, names.words
    if match.clock:
        yield words("bot.clock", clock=clock_text(match.clock, words))
    if match.rated:
        yield words("bot.rating.card")
    if names.caution and not match.log:
        yield names.caution


def unreached(game: AnyGame, match: Match, who: Sequence[Player], words: Words) -> View:
    """That some who are invited do not hear of it, and how they can be told."""
    said = words("bot.unreached", names=words.list([called(player, words) for player in who]))
    return View(
        lines=(Naming(game, match, words).title, said, words("bot.unreached.how", code=f"#{match.id}")),
        code=match.id,
        revision=match.revision,
        passed_on=True,
    )


def _lead(names: Naming, kept: Sequence[Player]) -> str:
    """Who invites whom to what."""
    match, words, title = names.match, names.words, names.title
    host = called(match.host, words)
    if match.log:
        return words("bot.invitation.resumes", name=host, title=title)
    if match.lobby:
        return words("bot.lobby.card", name=host, title=title)
    if kept:
        others = [called(who, words) for who in kept if who.account != match.host.account]
        return words("bot.challenge.card", name=host, opponents=words.list(others), title=title)
    return words("bot.challenge.open-card", name=host, title=title)


def _turns(match: Match) -> int:
    """How many turns have been begun: what one seat did in a row is one of them."""
    return sum(1 for _ in groupby(done.seat for done in match.log if isinstance(done, Ply)))


def looked_at(view: View, match: Match, words: Words, *, flipped: bool, text: bool) -> View:
    """A board as one person wants to see it: either way round, as a picture or as text; with what turns it again."""
    if view.diagram is None:
        return view
    other = button(words, match, Verb.FLIP, UNFLIPPED if flipped else FLIPPED)
    same = button(words, match, Verb.TEXT, FLIPPED if flipped else UNFLIPPED)
    keep = [control for control in view.controls if control.data.verb not in (Verb.FLIP, Verb.TEXT)]
    ways = (other,) if text else (other, same)
    return replace(view, flipped=flipped, text_board=text, controls=(*keep, *ways))


def for_one(view: View, match: Match, *who: Account) -> View:
    """A board that one person sees alone, by any of their accounts: whoever does not play is offered only what is theirs."""
    if any(True for account in who for _ in match.seats_of(account)):
        return view
    kept = tuple(control for control in view.controls if control.data.verb in _ANYBODYS)
    return replace(view, controls=kept, grid=None)


def with_lines(view: View, *lines: str) -> View:
    """The same view, with words before its own."""
    return replace(view, lines=(*lines, *view.lines))
