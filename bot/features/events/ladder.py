"""Cards of ladders: the order for all, and for a player whom they can challenge and why not the others."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from bot.chat.arguments import PERSON
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.errors import CommandError, shown
from bot.chat.grammar import number_in
from bot.chat.i18n import Words
from bot.chat.people import first_account
from bot.chat.view import Button, Message, View
from bot.features.events.choosing import accounts, act, answer, entered, find_event, own_card
from bot.features.events.parts import IN_PROFILE, NAMES, ROWS, EventForm, News, Shown, page_in
from play.events.entries import ExitReason
from play.events.event import Changed, Event
from play.events.forms.ladder import (
    AnswerChallenge,
    Barred,
    ChallengeAbove,
    ChallengeMade,
    Ladder,
    LadderChallenge,
    TakeBack,
    ladder_at,
    ladder_of,
)
from play.people import Account
from play.request import check_blocks
from play.settings import on_vacation
from rules.core import Reason
from storage.ports import FullStore


class LadderRefusal(Reason):
    """Why something is not done on a ladder; the comment names the fields that come with it."""

    NONE_HERE = "bot.ladder.refused.none-here"
    NO_SUCH_PLAYER = "bot.ladder.refused.no-such-player"  # name
    NO_CHALLENGE = "bot.ladder.refused.no-challenge"
    WHICH_CHALLENGE = "bot.ladder.refused.which"


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


def upcoming(shown: Shown, most: int) -> Sequence[str]:
    """Return who plays next on a ladder: its open challenges, at most so many; else the nearest who can challenge the top."""
    ladder = ladder_of(shown.event)
    if ladder.challenges:
        return [_challenge(shown, ladder, one) for one in ladder.challenges[:most]]
    for number in ladder.order[1:]:
        if ladder.barred(number, ladder.order[0], shown.now.at) is None:
            top = shown.name(ladder.order[0])
            return [shown.words("bot.ladder.can-challenge", name=shown.name(number), top=top)]
    return ()


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


async def _challenged(context: Context) -> Sequence[Message]:
    event, rest = await find_event(context)
    if not rest:
        return [own_card(context, event)]
    target = await _meant(context, event, " ".join(rest))
    player = event.state.entrants[target].player
    await check_blocks(context.store.settings, context.visitor.account, [player.account])
    away = on_vacation((await context.store.settings.get(player.account)).vacation, context.at)
    event = await act(context, event, ChallengeAbove(target, away))
    return answer(context, event, "bot.ladder.sent", name=player.name)


async def _meant(context: Context, event: Event, text: str) -> int:
    """Return the player on a ladder whom a text means: `=3` by number, `3` by place, or a name."""
    order = ladder_of(event).order
    if place := number_in(text, 1, len(order)):
        return order[place - 1]
    number = number_in(text.removeprefix("="), 0, len(event.state.entrants) - 1)
    if text.startswith("=") and number is not None:
        return number
    name = text.removeprefix("@")
    if (found := context.visitor.find(name)) is not None:
        entrant = event.state.entrant_of(found.account, await first_account(context, found.account))
        if entrant is not None:
            return entrant.number
    for number in order:
        own = event.state.entrants[number].player.name.casefold()
        if name.casefold() in (
            own,
            own.removeprefix("#").partition(" · ")[0],
        ):  # of a place, without its server
            return number
    raise CommandError(LadderRefusal.NO_SUCH_PLAYER, name=shown(found.name if found else text))


async def _answered(context: Context, *, accept: bool) -> Sequence[Message]:
    event, number = await _waiting(context)
    before = ladder_of(event).order
    event = await act(context, event, AnswerChallenge(number, accept))
    refused = "bot.ladder.refused-lost" if ladder_of(event).order != before else "bot.ladder.refused"
    return answer(context, event, "bot.ladder.accepted" if accept else refused)


async def _take_back(context: Context) -> Sequence[Message]:
    event, number = await _waiting(context)
    return answer(context, await act(context, event, TakeBack(number)), "bot.ladder.taken-back")


async def _waiting(context: Context) -> tuple[Event, int]:
    """Return the challenge that is named by its number, or the visitor's only one that is not answered."""
    event, rest = await find_event(context)
    if rest and (number := number_in(rest[0])) is not None:
        return event, number
    entrant = event.state.entrant_of(*accounts(context))
    own = [
        one.number
        for one in ladder_of(event).waiting
        if entrant is not None and entrant.number in (one.challenged, one.challenger)
    ]
    if len(own) != 1:
        raise CommandError(LadderRefusal.WHICH_CHALLENGE if own else LadderRefusal.NO_CHALLENGE)
    return event, own[0]


async def _profile(store: FullStore, account: Account, words: Words, _at: datetime) -> str | None:
    """The chats of the ladders are not named, since they may be private."""
    parts = []
    for event, entrant in await entered(store, account, "ladder"):
        order = ladder_of(event).order
        if entrant in order:
            game, place = words(f"{event.setup.game}.name"), order.index(entrant) + 1
            parts.append(words("bot.ladder.profile", game=game, place=place, of=len(order)))
    return words("bot.ladder.profiles", places="; ".join(parts[:IN_PROFILE])) if parts else None


FORM: Final = EventForm(
    LadderRefusal.NONE_HERE,
    card,
    mine,
    table,
    news,
    _profile,
    calling=(ChallengeMade,),
    deeds={
        "challenge": _challenged,
        "accept": partial(_answered, accept=True),
        "refuse": partial(_answered, accept=False),
        "back": _take_back,
    },
    arguments=((PERSON,), ()),
    calls_alone=True,
)
