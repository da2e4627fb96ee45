"""Cards of ladders: the order for all, and for a player whom they can challenge and why not the others."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.view import Button, View
from bot.features.events.parts import NAMES, ROWS, News, Shown, page_in
from play.events.entries import ExitReason
from play.events.event import Changed
from play.events.ladder import Barred, ChallengeMade, Ladder, LadderChallenge, ladder_at, ladder_of
from play.people import Account

CALLING: Final = (ChallengeMade,)
_WEEK: Final = timedelta(days=7)


def card(shown: Shown) -> View:
    """Return the card of a ladder that all at a place see."""
    words, ladder = shown.words, ladder_of(shown.event)
    if not shown.event.live:
        return shown.view(words("bot.ladder.over"), "", *_rows(shown, ladder))
    lines = ["", *_rows(shown, ladder)] if ladder.order else []
    if (more := len(ladder.order) - ROWS) > 0:
        lines.append(words.count("bot.cup.more-rows", more))
    if ladder.challenges:
        lines += ["", *(_challenge(shown, ladder, one) for one in ladder.challenges[:ROWS])]
    return shown.view(
        *lines,
        "",
        words.count("bot.ladder.how", ladder.reach),
        buttons=(
            shown.button("bot.ladder.button.mine", "mine", good=True),
            shown.button("bot.ladder.button.join", "join"),
            shown.button("bot.ladder.button.table", "table"),
        ),
    )


def news(shown: Shown, facts: Sequence[Changed]) -> News:
    """Return the new challenges that wait for an answer; the challenged are called."""
    event, ladder = shown.event, ladder_of(shown.event)
    made = sum(isinstance(entry, ChallengeMade) for fact in facts for entry in fact.entries)
    new = [one for one in ladder.waiting if one.number >= ladder.count - made]
    called = [event.state.entrants[one.challenged].player.account for one in new]
    if not event.live:
        return News((), called)
    lines = [_waits(shown, ladder, one, "bot.ladder.challenged") for one in new]
    return News(lines, called, _answers(shown, ladder, new[0]) if len(new) == 1 else ())


def mine(shown: Shown, who: Account) -> View:
    """Return a ladder as one player has it: their challenges, and those above whom they reach."""
    words, event = shown.words, shown.event
    ladder, entrant = ladder_of(event), event.state.entrant_of(who)
    if entrant is None:
        join = shown.button("bot.ladder.button.join", "join", good=True)
        return shown.view(words("bot.ladder.not-on"), buttons=(join,))
    number = entrant.number
    if number in ladder.parked:
        why = "bot.ladder.parked" if entrant.out is ExitReason.ABSENT else "bot.ladder.you-left"
        join = shown.button("bot.ladder.button.return", "join", good=True)
        return shown.view(words(why, place=ladder.return_place(number) + 1), buttons=(join,))
    lines = [words("bot.ladder.your-place", place=ladder.order.index(number) + 1)]
    buttons: list[Button] = []
    if shown.now.at < ladder.probation[number]:
        lines.append(words("bot.ladder.probation", when=shown.moment(ladder.probation[number])))
    for challenge in ladder.challenges:
        if number in (challenge.challenger, challenge.challenged):
            lines.append(_challenge(shown, ladder, challenge))
            buttons += _answers(shown, ladder, challenge, number)
    targets = ladder.targets(number, shown.now.at)
    if targets:
        lines += ["", words.count("bot.ladder.reach", ladder.reach)]
    for target, barred in targets:
        lines.append(_target(shown, ladder, target, barred))
        if barred is None:
            key, name = "bot.ladder.button.challenge", shown.name(target)
            buttons.append(shown.button(key, "challenge", f"={target}", good=True, name=name))
    return shown.view(*lines, buttons=(*buttons, shown.button("bot.ladder.button.leave", "leave")))


def table(shown: Shown, page: int | None, _who: Account) -> View:
    """Return a ladder's order by pages, and who is off it."""
    words, ladder = shown.words, ladder_of(shown.event)
    pages = -(-len(ladder.order) // ROWS)
    at = page_in(page, pages)
    lines = list(_rows(shown, ladder, at)) or [words("bot.ladder.empty")]
    if ladder.parked:
        names = [
            words("bot.ladder.was", name=shown.name(one.entrant), place=one.place + 1)
            for one in list(ladder.parked.values())[:NAMES]
        ]
        lines.append(words("bot.ladder.resting", names=words.list(names)))
    return shown.view(*lines, buttons=shown.turning(at, pages))


def _rows(shown: Shown, ladder: Ladder, page: int = 0) -> tuple[str, ...]:
    before = ladder_at(shown.event, shown.now.at - _WEEK).order
    return tuple(
        " ".join(filter(None, (f"{place}.", _arrow(before, entrant, place), shown.name(entrant))))
        for place, entrant in enumerate(ladder.order, 1)
    )[page * ROWS : (page + 1) * ROWS]


def _arrow(before: Sequence[int], entrant: int, place: int) -> str:
    gained = before.index(entrant) + 1 - place if entrant in before else 0
    return f"▲{gained}" if gained > 0 else f"▼{-gained}" if gained < 0 else ""


def _challenge(shown: Shown, ladder: Ladder, challenge: LadderChallenge) -> str:
    if challenge.game is None:
        return _waits(shown, ladder, challenge, "bot.ladder.waits")
    if match := _match(shown, challenge.game):
        return _named(shown, challenge, "bot.ladder.plays", code=f"#{match}")
    return _named(shown, challenge, "bot.ladder.later")


def _waits(shown: Shown, ladder: Ladder, challenge: LadderChallenge, key: str) -> str:
    return _named(shown, challenge, key, when=shown.moment(ladder.accepted_at(challenge, shown.now)))


def _named(shown: Shown, challenge: LadderChallenge, key: str, **fields: str) -> str:
    challenger, challenged = shown.name(challenge.challenger), shown.name(challenge.challenged)
    return shown.words(key, challenger=challenger, challenged=challenged, **fields)


def _match(shown: Shown, number: int) -> str | None:
    game = shown.event.state.game(number)
    return game.match if game else None


def _answers(
    shown: Shown, ladder: Ladder, challenge: LadderChallenge, reader: int | None = None
) -> tuple[Button, ...]:
    # Of a challenge that is not answered; for one reader, those that are theirs.
    if challenge.game is not None:
        match = _match(shown, challenge.game)
        return (Button(f"#{match}", CallbackData(Verb.BOARD, match, 0)),) if match else ()
    number, name = challenge.number, shown.name(challenge.challenger)
    if reader == challenge.challenger:
        name = shown.name(challenge.challenged)
        return (shown.button("bot.ladder.button.back", "back", number, name=name),)
    costs = ladder.costs_a_place(challenge.challenged, shown.now.at)
    refuse = "bot.ladder.button.refuse-costs" if costs else "bot.ladder.button.refuse"
    return (
        shown.button("bot.ladder.button.accept", "accept", number, good=True, name=name),
        shown.button(refuse, "refuse", number, name=name),
    )


def _target(shown: Shown, ladder: Ladder, target: int, barred: Barred | None) -> str:
    words, name = shown.words, f"{ladder.order.index(target) + 1}. {shown.name(target)}"
    if barred is None:
        return name
    left = words.time_left(barred.until - shown.now.at) if barred.until else None
    why = words(barred.why, count=barred.count, left=left)
    return words("bot.ladder.not-now", name=name, why=why[:1].lower() + why[1:].removesuffix("."))
