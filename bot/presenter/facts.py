"""What is said of each thing that people do at the table."""

from __future__ import annotations

from dataclasses import replace

from bot.callback_data import Verb
from bot.i18n import Words
from bot.presenter.boards import has_to_answer, invitation, unreached, with_lines
from bot.presenter.controls import button
from bot.presenter.hours import left_behind  # which registers what is said by the clock
from bot.presenter.naming import called
from bot.presenter.presentation import Telling, say
from bot.view import Button, View
from play import facts
from play.facts import Fact
from play.match import Ask, Match, Phase


def tell(fact: Fact, telling: Telling) -> View:
    """The view of a fact, for those whom it concerns."""
    return say(fact, telling)


@say.register(facts.Challenged)
@say.register(facts.LobbyOpened)
def _invited(fact: facts.Challenged | facts.LobbyOpened, telling: Telling) -> View:
    view = invitation(telling.game, fact.match, telling.words)
    wanted = [chair.reserved.account for chair in fact.match.chairs if chair.reserved and not chair.player]
    return replace(view, ping=tuple(wanted))  # else they would not hear of it


@say.register
def _joined(fact: facts.Joined, telling: Telling) -> View:
    said = telling.words("bot.lobby.joined", name=called(fact.player, telling.words))
    return with_lines(invitation(telling.game, fact.match, telling.words), said)


@say.register
def _left(fact: facts.LeftLobby, telling: Telling) -> View:
    said = [telling.words("bot.lobby.left", name=called(fact.player, telling.words))]
    if fact.host:
        said.append(telling.words("bot.lobby.new-host", name=called(fact.host, telling.words)))
    return with_lines(invitation(telling.game, fact.match, telling.words), *said)


@say.register
def _unreached(fact: facts.Unreached, telling: Telling) -> View:
    return unreached(telling.game, fact.match, fact.who, telling.words)


@say.register
def _called_off(fact: facts.CalledOff, telling: Telling) -> View:
    if fact.by is None:
        return telling.brief(telling.words(fact.why))
    return telling.brief(
        telling.words(f"bot.cancel.{fact.why.name.lower()}", name=called(fact.by, telling.words))
    )


@say.register
def _started(_fact: facts.Started, telling: Telling) -> View:
    key = "bot.match.resumed" if telling.match.log else "bot.match.started"
    return telling.board(telling.words(key, opponents=telling.names.opponents))


@say.register
def _moved(fact: facts.Moved, telling: Telling) -> View:
    names, words = telling.names, telling.words
    after = sum(len(answer.plies) for answer in fact.answers)
    said = [words("bot.moved", name=names.seat(fact.seat), moves=telling.played(fact.plies, after))]
    for answer in fact.answers:
        after -= len(answer.plies)
        played = telling.played(answer.plies, after)
        said.append(words("bot.answered", name=names.seat(answer.seat), moves=played))
    said += [words("bot.fell", name=names.seat(seat)) for seat in fact.fell]
    return telling.board(*said, ping=fact.handed_on)


@say.register
def _undone(fact: facts.Undone, telling: Telling) -> View:
    names = telling.names
    return telling.board(
        telling.words("bot.undone", name=names.seat(fact.seat), moves=names.notation(fact.plies)), ping=False
    )


@say.register
def _taken_back(fact: facts.TakenBack, telling: Telling) -> View:
    return telling.board(telling.words("bot.taken-back", moves=telling.names.notation(fact.plies)))


@say.register
def _asked(fact: facts.Asked, telling: Telling) -> View:
    names, words = telling.names, telling.words
    if fact.agreed is not None:
        said = words(f"bot.asked.{fact.ask.value}.agreed", name=names.seat(fact.agreed))
    else:
        said = words(f"bot.asked.{fact.ask.value}", name=names.seat(fact.seat))
    ping = has_to_answer(fact.match, telling.course)
    return replace(telling.brief(said), buttons=answers(fact.match, fact.ask, words), ping=ping)


@say.register
def _declined(fact: facts.Declined, telling: Telling) -> View:
    return telling.brief(telling.words(f"bot.declined.{fact.ask.value}", name=telling.names.seat(fact.seat)))


@say.register
def _departed(fact: facts.Departed, telling: Telling) -> View:
    key = "bot.resigned" if len(fact.match.chairs) == 2 else "bot.departed"
    return left_behind(telling, fact.seat, telling.words(key, name=called(fact.player, telling.words)))


@say.register
def _drawn(_fact: facts.Drawn, telling: Telling) -> View:
    return telling.board()


@say.register
def _watching(fact: facts.Watching, telling: Telling) -> View:
    if not fact.on:
        return telling.brief(telling.words("bot.watching.off"))
    return telling.board(telling.words("bot.watching.on"), ping=False)


@say.register
def _imported(fact: facts.Imported, telling: Telling) -> View:
    if fact.match.phase is Phase.OPEN:
        return invitation(telling.game, fact.match, telling.words)
    return telling.board(telling.words("bot.imported"), ping=False)


def answers(match: Match, ask: Ask, words: Words) -> tuple[Button, ...]:
    """Yes and no, for whoever is asked."""
    return tuple(button(words, match, verb, ask.value) for verb in (Verb.YES, Verb.NO))
