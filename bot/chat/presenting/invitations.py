"""Invitations: what is to be played, who takes part, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import groupby
from typing import Final

from bot.chat.callback_data import Verb
from bot.chat.presenting.captions import alt_text
from bot.chat.presenting.forecast import cautions, weaker
from bot.chat.presenting.moments import clock_text
from bot.chat.presenting.naming import Presentation, button, player_name, roster_line
from bot.chat.view import Button, RosterLine, View, ViewKind
from play.actions.seating import player_counts
from play.match import ODDS, Cancel, Match, Phase, Ply, is_engine, kind_of, open_size
from play.people import Account, Player
from play.time.calendar import slowest
from play.time.clock import Pause
from play.time.week import A_DAY, DAYS
from rules.core import Seat

MOVES: Final = 30  # of each, in the match whose length an invitation tells

ANSWERS: Final = frozenset({Verb.ACCEPT, Verb.DECLINE, Verb.JOIN, Verb.START, Verb.LEAVE, Verb.WITHDRAW})
"""What can be pressed on an invitation."""


def invitation(presentation: Presentation, *said: str) -> View:
    """A challenge or a lobby: what is to be played, the chairs, what can be pressed; after some words."""
    match = presentation.match
    kept = [chair.reserved for chair in match.chairs if chair.reserved and not chair.player]
    free = [Seat(i) for i, chair in enumerate(match.chairs) if not chair.player and not chair.reserved]
    lines = [*said, _lead(presentation, kept), *_terms(presentation, bool(kept))]
    if match.lobby:
        taken = len(match.chairs) - len(kept) - len(free)
        lines += _seats(presentation, taken)
    diagram = presentation.drawn if match.start or match.log else None
    return View(
        lines=tuple(lines),
        diagram=diagram,
        alt=alt_text(presentation, lines, diagram=diagram) if diagram else "",
        theme=presentation.theme,
        roster=tuple(_chair(presentation, Seat(index)) for index in range(len(match.chairs))),
        buttons=tuple(_buttons(presentation, bool(kept), free)),
        joinable=bool(kept or free),
        code=match.id,
        revision=match.revision,
    )


def _seats(presentation: Presentation, taken: int) -> Iterator[str]:
    match, words, game = presentation.match, presentation.words, presentation.game
    if not open_size(game, match):
        yield words("bot.lobby.seats", taken=taken, seats=len(match.chairs))
        return
    chosen = dict(match.options)
    counts = player_counts(game, chosen)
    yield words("bot.lobby.open", taken=taken, low=min(counts), high=max(counts))
    if "board" not in chosen:
        yield words("bot.lobby.board-fits")


def _buttons(presentation: Presentation, kept: bool, free: Sequence[Seat]) -> Iterator[Button]:
    words, names = presentation.words, presentation.names
    if kept:
        yield button(presentation, Verb.ACCEPT)
        yield button(presentation, Verb.DECLINE)
    teams = sorted({team for seat in free if (team := names.team(seat))})
    for team in teams:
        yield button(presentation, Verb.JOIN, str(team), label=words("bot.button.join-team", number=team))
    if free and not teams:
        yield button(presentation, Verb.JOIN)
    match = presentation.match
    seated = sum(chair.player is not None for chair in match.chairs)
    if match.lobby or (free and not kept and not match.log and seated > 1):
        yield button(presentation, Verb.START)
    if match.lobby and not _host_alone(match):
        yield button(presentation, Verb.LEAVE)
    # Only its host may withdraw it, but a card is the same for all.
    yield button(presentation, Verb.WITHDRAW, label=words("bot.button.cancel") if match.lobby else None)


def _host_alone(match: Match) -> bool:
    people = {chair.player.account for chair in match.chairs if chair.player}
    return not any(who != match.host.account and not is_engine(who) for who in people)


def usable(match: Match, who: Sequence[Account]) -> frozenset[Verb]:
    """The verbs of an invitation that one person, by any of their accounts, can use."""
    hosted = match.host.account in who
    entered = any(True for account in who for _ in match.seats_of(account))
    reserved = [chair.reserved.account for chair in match.chairs if chair.reserved and not chair.player]
    verbs = {Verb.LEAVE} if entered else {Verb.JOIN}
    if hosted or (entered and match.full):
        verbs.add(Verb.START)
    if hosted:
        verbs.add(Verb.WITHDRAW)
    if not entered and any(account in who for account in reserved):
        verbs |= {Verb.ACCEPT, Verb.DECLINE}
    return frozenset(verbs)


def _chair(presentation: Presentation, seat: Seat) -> RosterLine:
    chair = presentation.match.chairs[seat]
    expected = chair.reserved and not chair.player
    return roster_line(presentation, seat, [presentation.words("bot.roster.invited")] if expected else [])


def _terms(presentation: Presentation, kept: bool) -> Iterator[str]:
    match, words, names = presentation.match, presentation.words, presentation.names
    if match.log:
        yield words.count("bot.invitation.goes-on", _turns(match))
    yield from start_text(presentation)
    if any(names.team(Seat(index)) for index in range(len(match.chairs))):
        yield words("bot.invitation.teams", teams=names.opponents)
        if kept:
            yield words("bot.invitation.seating")
    if match.clock:
        yield words("bot.clock", clock=clock_text(match.clock, words))
        if said := pace(presentation):
            yield said
    if match.rated:
        yield words("bot.rating.card")
    if not match.log and match.start is None and not open_size(names.game, match):
        yield from cautions(names.game, dict(match.options), words)
    yield from weaker(names.game, map(kind_of, match.people()), words)


def start_text(presentation: Presentation) -> Iterator[str]:
    """Yield where a match begins, if not where its game does."""
    match, words, start = presentation.match, presentation.words, presentation.match.start
    if start is None:
        return
    kind, *given = start.source.split(":")
    if kind == ODDS:
        number, key, value = given
        odds = words(f"{match.game}.odds.{key}", value=value)
        yield words("bot.start.odds", name=presentation.names.seat(Seat(int(number) - 1)), odds=odds)
    elif given:
        yield words("bot.start.turn", code=kind, number=given[0])
    else:
        yield words("bot.start.match", code=kind) if kind else words("bot.start.position")


def pace(presentation: Presentation) -> str:
    """Return what the clock means in days: the awake hours of each, and how slow the match can be; empty if it is not known."""
    match, words, clock = presentation.match, presentation.words, presentation.match.clock
    weeks = [week for week in presentation.weeks if week]  # an engine takes no time
    known = len(presentation.weeks) == len(match.chairs)
    if clock is None or not weeks or not known or match.log or open_size(presentation.game, match):
        return ""
    parts = [_awake_hours(presentation)] if clock.pause not in (Pause.NONE, Pause.WEEKEND) else []
    whole = slowest(clock, weeks, MOVES, match.changed_at)
    if not clock.soft:
        fields = {"moves": MOVES, "whole": words.roughly(whole)}
        if clock.increment is not None:
            parts.append(words("bot.pace.bank", **fields))
        elif (often := round(A_DAY * MOVES / whole)) > 1:
            parts.append(words.count("bot.pace.often", often, **fields))
        else:
            parts.append(words("bot.pace.move", move=words.roughly(whole / (MOVES * len(weeks))), **fields))
    return " ".join(parts)


def _awake_hours(presentation: Presentation) -> str:
    """Return how many hours a day each is awake; in a rated match the longer day is cut."""
    match, words = presentation.match, presentation.words
    hours = {
        player_name(who, words): round(week.awake / DAYS / timedelta(hours=1))
        for chair, week in zip(match.chairs, presentation.weeks, strict=True)
        if week and (who := chair.player or chair.reserved)
    }
    free = any(not (chair.player or chair.reserved) for chair in match.chairs)
    if match.rated and free:
        return words("bot.pace.evened")
    if match.rated:
        return words("bot.pace.rated", hours=min(hours.values()))
    if len(set(hours.values())) == 1 and not free:
        return words("bot.pace.each", hours=min(hours.values()))
    return words("bot.pace.awake", hours=", ".join(f"{name} {count}" for name, count in hours.items()))


def unreached(presentation: Presentation, who: Sequence[Player]) -> View:
    """That the bot cannot write to some who are invited, and how they can be told."""
    words = presentation.words
    said = words("bot.unreached", names=words.list([player_name(player, words) for player in who]))
    view = presentation.note(said, words("bot.unreached.how", code=f"#{presentation.match.id}"))
    return replace(view, kind=ViewKind.INVITE)


def _lead(presentation: Presentation, kept: Sequence[Player]) -> str:
    match, words, title = presentation.match, presentation.words, presentation.names.title
    host = player_name(match.host, words)
    if match.log:
        return words("bot.invitation.resumes", name=host, title=title)
    gathered = not kept and any(chair.player and chair.player != match.host for chair in match.chairs)
    if match.lobby or gathered:
        return words("bot.lobby.card", name=host, title=title)
    if kept:
        others = [player_name(who, words) for who in kept if who.account != match.host.account]
        return words("bot.challenge.card", name=host, opponents=words.list(others), title=title)
    return words("bot.challenge.open-card", name=host, title=title)


def _turns(match: Match) -> int:
    """The number of turns begun: consecutive plies of one seat are one turn."""
    return sum(1 for _ in groupby(done.seat for done in match.log if isinstance(done, Ply)))


def closed_invitation(presentation: Presentation) -> View:
    """An invitation that can no longer be answered: its title and what became of it."""
    match, words, names = presentation.match, presentation.words, presentation.names
    if match.phase is Phase.CALLED_OFF:
        why = match.cancelled or Cancel.WITHDRAWN
        lobby = why is Cancel.WITHDRAWN and match.lobby
        return presentation.note(words("bot.cancelled.lobby" if lobby else why))
    if match.phase is Phase.OPEN:  # the same invitation stands in a later message
        return presentation.note(words("bot.invitation.below"))
    key = "bot.match.resumed" if match.imported else "bot.match.started"
    return presentation.note(words(key, opponents=names.opponents))
