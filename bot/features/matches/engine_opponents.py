"""Engines as opponents: naming them in a command, and having them sit down; and questions to the engines."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from typing import Final

from bot.chat import arguments
from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, shown
from bot.chat.grammar import number_in
from bot.chat.match_lookup import Retry
from bot.chat.registry import Registry
from bot.chat.thinking import Busy, Job, NoAnswer, Reply, Thinker
from bot.chat.view import Message
from bot.chat.visitor import NamedBot
from play.actions.seating import SeatEngine
from play.match import SEVERAL, STRONGEST, WEAKEST, Match, engine
from play.people import Player

registry: Final = Registry()

ENGINE: Final = frozenset(
    {
        *("engine", "bot", "computer", "ai", "рушій", "бот", "комп’ютер", "комп'ютер", "компʼютер"),
        *("движок", "компьютер"),
    }
)
"""The word before the colon that a level follows (`engine:5`), and the name of an engine without one."""
ENGINES: Final = frozenset({"engines", "bots", "рушії", "рушіїв", "боти", "ботів", "движки", "боты", "ботов"})
"""The word before the colon that a number of engines follows."""
LEVEL: Final = frozenset({"level", "рівень", "уровень"})

_KLOP: Final = frozenset({"klop", "клоп"})

USUAL: Final = "4"  # the level of an engine named without one


def is_called_engine(context: Context, word: str) -> bool:
    """Whether a bare word is `engine` or `bot`, or this bot's name as a person's: `@Klop`; another bot's is refused."""
    bot = context.visitor.bot(word) if context.visitor.bot else None
    if bot is NamedBot.OTHER:
        other = context.visitor.find(word.removeprefix("@"))
        raise CommandError(BadCommand.OTHER_BOT, name=shown(other.name if other else word))
    folded = word.casefold()
    return bot is NamedBot.OWN or folded in ENGINE or (folded.startswith("@") and is_klop(folded[1:]))


def is_klop(word: str) -> bool:
    """Whether a word is the name that engines go by. A game is called so too, where nothing else names one."""
    return word.casefold().strip(",") in _KLOP


def named(context: Context, chosen: MutableMapping[str, str], *, called: int = 0) -> list[Player]:
    """Return the engines that a command names, and remove their options from `chosen`.

    `engine:5`, `engine:2,6`, `engines:3`, `engines:3 level:6`, a bare `bot` (`called` is how many) with `level:6`.
    """
    level = _popped(chosen, LEVEL)
    if level is not None:
        _known(context, level)
    kinds: list[str] = []
    if (typed := _popped(chosen, ENGINE)) is not None:
        kinds = [word.strip() for word in typed.split(",") if word.strip()]
    typed = _popped(chosen, ENGINES) or "0"
    if (count := number_in(typed, 0, SEVERAL - 1)) is None:
        raise CommandError(BadCommand.BAD_ENGINES, text=shown(typed), most=SEVERAL - 1)
    many = max(count, called, int(level is not None))
    kinds += [level or USUAL] * (many - len(kinds))
    seated: list[Player] = []
    for kind in kinds:
        seated.append(engine(_known(context, kind), {player.account for player in seated}))
    return seated


def _known(context: Context, kind: str) -> str:
    programs = context.services.config.engines or {}
    if number_in(kind, WEAKEST, STRONGEST) is None and kind.casefold() not in programs:
        reason = BadCommand.BAD_ENGINE_OR_PROGRAM if programs else BadCommand.BAD_ENGINE
        known = {"known": ", ".join(f"engine:{name}" for name in sorted(programs))} if programs else {}
        raise CommandError(reason, text=shown(kind), low=WEAKEST, high=STRONGEST, **known)
    return kind.casefold()


def _popped(chosen: MutableMapping[str, str], keys: frozenset[str]) -> str | None:
    values = [chosen.pop(key) for key in [*chosen] if key in keys]
    return values[-1] if values else None


def another(match: Match, kind: str) -> Player:
    """Return an engine that can join a match."""
    return engine(kind, set(match.people()))


@registry.command(
    "seat", arguments.ENGINE, arguments.MATCH, topic=HelpTopic.INVITATIONS, button=Verb.SEAT, finishing=False
)
async def seat(context: Context) -> Sequence[Message]:
    """`/seat engine:3`, `/seat 3`: an engine takes a free chair of an invitation."""
    finder = context.finder
    kind, bare = kind_in(context) or (USUAL, next(iter(context.command.words), ""))
    kind = _known(context, bare) if bare else kind

    def mine(match: Match) -> bool:
        return finder.hosted(match) or finder.entered(match)

    def with_room(match: Match) -> bool:
        return mine(match) and any(not chair.player and not chair.reserved for chair in match.chairs)

    match = await context.invitation(with_room, mine, finder.open, retry=Retry(Verb.SEAT, kind))
    return await context.act(match, SeatEngine(another(match, kind)))


def kind_in(context: Context) -> tuple[str, str] | None:
    """Return which engine a command names, and what else is typed; None where it names none."""
    command, chosen = context.command, context.command.chosen()
    words = [word for word in command.words if not (is_called_engine(context, word) or is_klop(word))]
    if len(words) == len(command.words) and chosen.keys().isdisjoint(ENGINE | LEVEL):
        return None
    kind = _popped(chosen, ENGINE) or _popped(chosen, LEVEL) or USUAL
    return _known(context, kind), chosen.get("seat") or (words[0] if words else "")


async def best_turns(context: Context, job: Job) -> Reply:
    """Return the best turns of a position; refused as by `engines`."""
    with engines(context) as thinker:
        return await thinker.advice(job, str(context.visitor.account), str(context.visitor.place))


@contextmanager
def engines(context: Context) -> Iterator[Thinker]:
    """Hand out the engines, and refuse if there are none, or while they have no time."""
    if context.services.thinker is None:
        raise CommandError(BadCommand.NO_ENGINES)
    try:
        context.visitor.accepted()
        yield context.services.thinker
    except Busy as busy:
        raise CommandError(BadCommand.ENGINES_BUSY if busy.everybody else BadCommand.ASKED_ENOUGH) from busy
    except NoAnswer as none:
        raise CommandError(BadCommand.NO_ADVICE) from none
