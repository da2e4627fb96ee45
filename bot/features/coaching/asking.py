"""Who has a coach: the person's setting, and `/challenge ... coached:yes`. Matches stand on this file, the coach on matches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.chat.context import Context
from bot.chat.errors import CommandError, no_such_word
from bot.chat.grammar import NO, YES
from bot.chat.presenting.boards import want_hints
from play.match import Match, is_engine, plays_alone
from play.people import Account, Player
from play.ports import Store
from play.settings import Settings
from rules.core import Reason


class CoachRefusal(Reason):
    """Why there is no coach."""

    NOT_HERE = "bot.command.no-coach"  # example


def is_coached(match: Match, own: Settings, places: Iterable[Settings]) -> bool:
    """Whether the coach speaks to a person with these settings in their match, which these places show."""
    return match.game in own.coached and can_be_coached(match) and want_hints(places)


def can_be_coached(match: Match) -> bool:
    """Whether it is an unrated match of one person against engines."""
    return not match.rated and plays_alone(match)


def not_here(game: str) -> CommandError:
    """Return the refusal of a coach, with what is typed for a match of a game that has one."""
    return CommandError(CoachRefusal.NOT_HERE, example=f"/challenge bot {game} coached:yes")


async def turn(store: Store, account: Account, game: str, *, on: bool) -> None:
    """Turn a person's coach on or off in a game."""

    def turned(now: Settings) -> Settings:
        others = tuple(each for each in now.coached if each != game)
        return replace(now, coached=(*others, game) if on else others)

    await store.settings.change(account, turned)


async def begin(context: Context, game: str, typed: str, opponents: Sequence[Player], *, rated: bool) -> None:
    """Turn the coach on for a match that is about to begin, where `coached:` says so."""
    if typed.casefold() not in YES | NO:
        raise no_such_word(typed)
    if typed.casefold() in YES:
        if rated or not opponents or not all(is_engine(each.account) for each in opponents):
            raise not_here(game)
        await turn(context.store, context.visitor.account, game, on=True)
