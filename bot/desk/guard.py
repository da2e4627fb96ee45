"""Refusals on their way home: whatever the rules, the table or the desk refuse becomes one private message."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from bot.actions import Verb
from bot.desk.errand import Errand
from bot.desk.grammar import CommandError
from bot.desk.which import SeveralFit
from bot.presenter import refusals
from bot.presenter.naming import Naming
from bot.view import Message, View
from play.errors import PlayError, Stale
from play.match import Match
from rules.core import AmbiguousMove, RulesError

ASKED_AGAIN: Final[Mapping[str, Verb]] = {
    verb.name.lower(): verb for verb in Verb if verb not in (Verb.STEP, Verb.YES, Verb.NO)
}
"""By command: what a button does that says which of several matches was meant."""


class InMatch(Exception):
    """A refusal that came up in a match: its examples and candidates come from there."""

    def __init__(self, match: Match, refusal: RulesError | PlayError) -> None:
        super().__init__(match.id, refusal)
        self.match = match
        self.refusal = refusal


async def guarded(errand: Errand, run: Callable[[], Awaitable[Sequence[Message]]]) -> Sequence[Message]:
    """The messages of a request, or of its refusal."""
    try:
        return await run()
    except InMatch as raised:
        return [errand.private(_in_match(errand, raised.match, raised.refusal))]
    except Stale as stale:
        view = refusals.stale(
            errand.game(stale.match),
            stale.match,
            errand.course(stale.match),
            errand.words(stale.reason),
            errand.words,
        )
        return [errand.private(view)]
    except SeveralFit as several:
        games = [(errand.game(match), match) for match in several.matches]
        return [
            errand.private(
                refusals.several(
                    games, ASKED_AGAIN.get(errand.command.name), errand.command.rest, errand.words
                )
            )
        ]
    except (RulesError, PlayError, CommandError) as refusal:
        return [errand.private(View(lines=(errand.words(refusal.reason, **refusal.fields),)))]


def _in_match(errand: Errand, match: Match, refusal: RulesError | PlayError) -> View:
    game, course = errand.game(match), errand.course(match)
    if isinstance(refusal, AmbiguousMove):
        return refusals.candidates(game, match, course, refusal, errand.words)
    names = Naming(game, match, errand.words)
    said = errand.words(refusal.reason, **names.named(refusal.fields))
    if isinstance(refusal, RulesError):
        return refusals.in_match(errand.words, said, game, course.position)
    return View(lines=(said,))
