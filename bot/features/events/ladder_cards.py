"""Cards of ladders: the order for all, and for a player whom they can challenge and why not the others."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.presenting.naming import clock_text, game_title, moment
from bot.chat.view import Button, View
from bot.features.events import parts
from bot.features.events.parts import NAMES, ROWS, Shown, code, turning
from play.events.entries import ExitReason
from play.events.event import Form
from play.events.ladder import Barred, Ladder, LadderChallenge, ladder_at, ladder_of
from play.people import Account

_WEEK: Final = timedelta(days=7)


press: Final = partial(parts.press, Form.LADDER)
"""Returns a button that does what is typed after /ladder."""


def title(shown: Shown) -> str:
    """Return the headline of a ladder."""
    setup, words = shown.event.setup, shown.words
    name = game_title(shown.game, dict(setup.options), words)
    clock = clock_text(setup.clock, words)
    return words("bot.ladder.title", game=name, code=code(shown.event), clock=clock)


def card(shown: Shown) -> View:
    """Return the card of a ladder that all at a place see."""
    words, event = shown.words, shown.event
    ladder = ladder_of(event)
    if not event.live:
        return View(lines=(title(shown), words("bot.ladder.over"), "", *rows(shown, ladder)))
    lines = [title(shown)]
    if ladder.order:
        lines += ["", *rows(shown, ladder)]
        if more := len(ladder.order) - ROWS:
            lines += [words.count("bot.cup.more-rows", more)] if more > 0 else []
    lines += ["", *_challenges(shown, ladder)] if ladder.challenges else []
    lines += ["", words.count("bot.ladder.how", ladder.reach)]
    return View(
        lines=tuple(lines),
        buttons=(
            press(words, "bot.ladder.button.mine", f"mine {event.id}", good=True),
            press(words, "bot.ladder.button.join", f"join {event.id}"),
            press(words, "bot.ladder.button.table", f"table {event.id}"),
        ),
    )


def called(shown: Shown, challenge: LadderChallenge) -> View:
    """Return the message that tells a player of a challenge."""
    words, event = shown.words, shown.event
    ladder = ladder_of(event)
    line = words(
        "bot.ladder.challenged",
        challenger=shown.name(challenge.challenger),
        challenged=shown.name(challenge.challenged),
        when=moment(ladder.accepted_at(challenge, shown.now), words, shown.zone),
    )
    return View(lines=(title(shown), line), buttons=_answers(shown, ladder, challenge))


def mine(shown: Shown, who: Account) -> View:
    """Return a ladder as one player has it: their challenges, and those above whom they reach."""
    words, event = shown.words, shown.event
    ladder, entrant = ladder_of(event), event.state.entrant_of(who)
    if entrant is None:
        join = press(words, "bot.ladder.button.join", f"join {event.id}", good=True)
        return View(lines=(title(shown), words("bot.ladder.not-on")), buttons=(join,))
    number = entrant.number
    if number in ladder.parked:
        why = "bot.ladder.parked" if entrant.out is ExitReason.ABSENT else "bot.ladder.you-left"
        join = press(words, "bot.ladder.button.return", f"join {event.id}", good=True)
        place = ladder.return_place(number) + 1
        return View(lines=(title(shown), words(why, place=place)), buttons=(join,))
    lines = [title(shown), words("bot.ladder.your-place", place=ladder.order.index(number) + 1)]
    buttons: list[Button] = []
    if shown.now.at < ladder.probation[number]:
        until = moment(ladder.probation[number], words, shown.zone)
        lines.append(words("bot.ladder.probation", when=until))
    for challenge in ladder.challenges:
        if number in (challenge.challenger, challenge.challenged):
            lines.append(_challenge(shown, ladder, challenge))
            buttons += _answers(shown, ladder, challenge, number)
    if ladder.targets(number, shown.now.at):
        lines += ["", words.count("bot.ladder.reach", ladder.reach)]
    for target, barred in ladder.targets(number, shown.now.at):
        lines.append(_target(shown, ladder, target, barred))
        if barred is None:
            typed = f"challenge {event.id} ={target}"
            buttons.append(
                press(words, "bot.ladder.button.challenge", typed, good=True, name=shown.name(target))
            )
    leave = press(words, "bot.ladder.button.leave", f"leave {event.id}")
    return View(lines=tuple(lines), buttons=(*buttons, leave))


def table(shown: Shown, page: int = 0) -> View:
    """Return a ladder's order by pages, and who is off it."""
    words, event = shown.words, shown.event
    ladder = ladder_of(event)
    lines = [title(shown), *(rows(shown, ladder, page) or (words("bot.ladder.empty"),))]
    if ladder.parked:
        names = [
            words("bot.ladder.was", name=shown.name(one.entrant), place=one.place + 1)
            for one in list(ladder.parked.values())[:NAMES]
        ]
        lines.append(words("bot.ladder.resting", names=words.list(names)))
    buttons = turning(shown, page, -(-len(ladder.order) // ROWS))
    return View(lines=tuple(lines), buttons=buttons)


def rows(shown: Shown, ladder: Ladder, page: int = 0) -> tuple[str, ...]:
    """Return the order in words, with an arrow for who is higher or lower than a week ago."""
    before = ladder_at(shown.event, shown.now.at - _WEEK).order
    return tuple(
        " ".join(filter(None, (f"{place}.", _arrow(before, entrant, place), shown.name(entrant))))
        for place, entrant in enumerate(ladder.order, 1)
    )[page * ROWS : (page + 1) * ROWS]


def _arrow(before: tuple[int, ...], entrant: int, place: int) -> str:
    gained = before.index(entrant) + 1 - place if entrant in before else 0
    return f"▲{gained}" if gained > 0 else f"▼{-gained}" if gained < 0 else ""


def _challenges(shown: Shown, ladder: Ladder) -> tuple[str, ...]:
    return tuple(_challenge(shown, ladder, one) for one in ladder.challenges[:ROWS])


def _challenge(shown: Shown, ladder: Ladder, challenge: LadderChallenge) -> str:
    words = shown.words
    names = {"challenger": shown.name(challenge.challenger), "challenged": shown.name(challenge.challenged)}
    if challenge.game is None:
        when = moment(ladder.accepted_at(challenge, shown.now), words, shown.zone)
        return words("bot.ladder.waits", when=when, **names)
    match = _match(shown, challenge.game)
    return (
        words("bot.ladder.plays", code=f"#{match}", **names) if match else words("bot.ladder.later", **names)
    )


def _match(shown: Shown, number: int) -> str | None:
    game = shown.event.state.game(number)
    return game.match if game else None


def _answers(
    shown: Shown, ladder: Ladder, challenge: LadderChallenge, reader: int | None = None
) -> tuple[Button, ...]:
    words, at = shown.words, f"{shown.event.id} {challenge.number}"
    if challenge.game is not None:
        match = _match(shown, challenge.game)
        return (Button(f"#{match}", CallbackData(Verb.BOARD, match, 0)),) if match else ()
    if reader == challenge.challenger:
        name = shown.name(challenge.challenged)
        return (press(words, "bot.ladder.button.back", f"back {at}", name=name),)
    name = shown.name(challenge.challenger)
    costs = ladder.costs_a_place(challenge.challenged, shown.now.at)
    refuse = "bot.ladder.button.refuse-costs" if costs else "bot.ladder.button.refuse"
    return (
        press(words, "bot.ladder.button.accept", f"accept {at}", good=True, name=name),
        press(words, refuse, f"refuse {at}", name=name),
    )


def _target(shown: Shown, ladder: Ladder, target: int, barred: Barred | None) -> str:
    words, name = shown.words, f"{ladder.order.index(target) + 1}. {shown.name(target)}"
    if barred is None:
        return name
    fields: dict[str, object] = dict(barred.fields(ladder.reach, shown.now.at))
    if barred.until is not None:
        fields["left"] = words.time_left(barred.until - shown.now.at)
    why = words(barred.why, **fields)
    return words("bot.ladder.not-now", name=name, why=why[:1].lower() + why[1:].removesuffix("."))
