"""What is said of each thing that happens at the table."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch

from bot.actions import Action, Verb
from bot.i18n import Words
from bot.presenter.boards import invitation, show, with_lines
from bot.presenter.naming import Naming, clean
from bot.view import Button, View
from play import facts
from play.facts import Fact
from play.match import Ask, Match, Phase
from play.replay import Course
from rules.core import AnyGame


class Telling:
    """Everything that is needed to word a fact: its game, how the match stands, the language."""

    def __init__(self, game: AnyGame, match: Match, course: Course, words: Words) -> None:
        self.game = game
        self.match = match
        self.course = course
        self.words = words
        self.names = Naming(game, match, words)

    def board(self, *lines: str, ping: bool = True) -> View:
        """How the match stands, after some words."""
        return with_lines(show(self.game, self.match, self.course, self.words, ping=ping), *lines)

    def played(self, count: int) -> str:
        """What the last plies did, as the game says it: with the points they scored."""
        course = self.course
        return self.names.said(
            list(zip(course.positions[-count - 1 : -1], course.moves[-count:], strict=True))
        )

    def brief(self, *lines: str) -> View:
        """Some words under the match's title."""
        return View(lines=(self.names.title, *lines))


def tell(fact: Fact, telling: Telling) -> View:
    """The public view of a fact."""
    return _tell(fact, telling)


@singledispatch
def _tell(fact: Fact, _telling: Telling) -> View:
    raise TypeError(f"nothing is said of {type(fact).__name__}")


@_tell.register(facts.Challenged)
@_tell.register(facts.LobbyOpened)
def _invited(fact: facts.Challenged | facts.LobbyOpened, telling: Telling) -> View:
    return invitation(telling.game, fact.match, telling.words)


@_tell.register
def _joined(fact: facts.Joined, telling: Telling) -> View:
    said = telling.words("bot.lobby.joined", name=clean(fact.player.name))
    return with_lines(invitation(telling.game, fact.match, telling.words), said)


@_tell.register
def _left(fact: facts.LeftLobby, telling: Telling) -> View:
    said = [telling.words("bot.lobby.left", name=clean(fact.player.name))]
    if fact.host:
        said.append(telling.words("bot.lobby.new-host", name=clean(fact.host.name)))
    return with_lines(invitation(telling.game, fact.match, telling.words), *said)


@_tell.register
def _called_off(fact: facts.CalledOff, telling: Telling) -> View:
    if fact.by is None:
        return telling.brief(telling.words(fact.why))
    return telling.brief(telling.words(f"bot.cancel.{fact.why.name.lower()}", name=clean(fact.by.name)))


@_tell.register
def _started(_fact: facts.Started, telling: Telling) -> View:
    key = "bot.match.resumed" if telling.match.log else "bot.match.started"
    return telling.board(telling.words(key, opponents=telling.names.opponents))


@_tell.register
def _moved(fact: facts.Moved, telling: Telling) -> View:
    names, words = telling.names, telling.words
    played = telling.played(len(fact.plies)) if telling.course.position.scores else names.notation(fact.plies)
    said = words("bot.moved", name=names.seat(fact.seat), moves=played)
    fallen = [words("bot.fell", name=names.seat(seat)) for seat in fact.fell]
    return telling.board(said, *fallen, ping=fact.handed_on)


@_tell.register
def _undone(fact: facts.Undone, telling: Telling) -> View:
    names = telling.names
    return telling.board(
        telling.words("bot.undone", name=names.seat(fact.seat), moves=names.notation(fact.plies)), ping=False
    )


@_tell.register
def _taken_back(fact: facts.TakenBack, telling: Telling) -> View:
    return telling.board(telling.words("bot.taken-back", moves=telling.names.notation(fact.plies)))


@_tell.register
def _asked(fact: facts.Asked, telling: Telling) -> View:
    names, words = telling.names, telling.words
    if fact.agreed is not None:
        said = words(f"bot.asked.{fact.ask.value}.agreed", name=names.seat(fact.agreed))
    else:
        said = words(f"bot.asked.{fact.ask.value}", name=names.seat(fact.seat))
    return replace(telling.brief(said), buttons=answers(fact.match, fact.ask, words))


@_tell.register
def _declined(fact: facts.Declined, telling: Telling) -> View:
    return telling.brief(telling.words(f"bot.declined.{fact.ask.value}", name=telling.names.seat(fact.seat)))


@_tell.register
def _departed(fact: facts.Departed, telling: Telling) -> View:
    key = "bot.resigned" if len(fact.match.chairs) == 2 else "bot.departed"
    return telling.board(telling.words(key, name=clean(fact.player.name)))


@_tell.register
def _drawn(_fact: facts.Drawn, telling: Telling) -> View:
    return telling.board()


@_tell.register
def _watching(fact: facts.Watching, telling: Telling) -> View:
    if not fact.on:
        return telling.brief(telling.words("bot.watching.off"))
    return telling.board(telling.words("bot.watching.on"), ping=False)


@_tell.register
def _imported(fact: facts.Imported, telling: Telling) -> View:
    if fact.match.phase is Phase.OPEN:
        return invitation(telling.game, fact.match, telling.words)
    return telling.board(telling.words("bot.imported"), ping=False)


def answers(match: Match, ask: Ask, words: Words) -> tuple[Button, ...]:
    """Yes and no, for whoever is asked."""
    return tuple(
        Button(words(f"bot.button.{verb.name.lower()}"), Action(verb, match.id, match.revision, ask.value))
        for verb in (Verb.YES, Verb.NO)
    )
