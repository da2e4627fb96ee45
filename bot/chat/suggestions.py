"""Suggestions for an argument while it is typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, TypeAlias

from bot.chat.arguments import PAGES, Argument, ArgumentType, HelpTopic
from bot.chat.context import Context
from bot.chat.errors import CommandError
from bot.chat.game_words import find_game
from bot.chat.i18n.times import all_zones, read_zone
from bot.chat.match_lookup import sound
from bot.chat.presenting.naming import chosen_text
from bot.chat.presenting.picking import MAX_CANDIDATES
from bot.chat.presenting.selection import turn_over
from play.actions.seating import player_counts
from play.errors import PlayError
from play.match import PLAYERS
from rules.core import AnyGame, OneOf, Position, RulesError, fold

Suggestion: TypeAlias = tuple[str, str]
"""What is shown, and what stands in the field once it is chosen; each at most 100 characters."""

LONGEST: Final = 100  # characters of either: Discord's bound

_CLOCKS: Final = (
    "1d",
    "3d",
    "7d",
    "240h+36h",
    "24h+1h",
    "3d soft",
    "7d vacation",
    "3d awake",
    "3d pause:weekend",
    "none",
)
_SIGNS: Final = re.compile(r"[^a-z0-9]+")
_TAKES: Final = re.compile(r"(?<=[0-9])[x:](?=[a-z]|$)")
_SQUARES: Final = re.compile(r"(?<=[0-9])(?=[^0-9])")
_LETTERS: Final = re.compile(r"(?<=[a-z])(?=[0-9])")


async def suggest(
    context: Context, argument: str, typed: str, given: Mapping[str, str]
) -> Sequence[Suggestion]:
    """Return at most 25 suggestions for a partly typed argument of the context's command.

    `given` are the command's other arguments so far, by name.
    """
    spec = context.commands.get(context.command.name)
    found = next((each for each in spec.arguments if each.name == argument), None) if spec else None
    if found is None:
        return ()
    try:
        offered = await _offered(context, found, typed, given)
    except (PlayError, RulesError, CommandError):
        return ()
    fitting = ((label, value) for label, value in offered if label and 0 < len(value) <= LONGEST)
    short = (
        (f"{label[: LONGEST - 1]}…" if len(label) > LONGEST else label, value) for label, value in fitting
    )
    return list(islice(short, MAX_CANDIDATES))


async def _offered(
    context: Context, argument: Argument, typed: str, given: Mapping[str, str]
) -> Iterable[Suggestion]:
    wanted = typed.casefold().strip()
    words: Sequence[str] = ()
    match argument.type:
        case ArgumentType.MOVE:
            return await _moves(context, typed)
        case ArgumentType.MATCH:
            return await _codes(context, wanted)
        case ArgumentType.OPTIONS:
            return _options(context, typed, given.get("game", ""))
        case ArgumentType.GAME:
            names = {key: context.words(f"{key}.name") for key in context.table.games}
            return ((name, key) for key, name in names.items() if wanted in name.casefold() or wanted in key)
        case ArgumentType.CLOCK:
            words = _CLOCKS
        case ArgumentType.ZONE:
            words = all_zones()
        case ArgumentType.HELP_PAGE:
            words = (*HelpTopic, *PAGES, *context.commands)
    found = [word for word in words if wanted.replace(" ", "_") in word.casefold().replace(" ", "_")]
    zones = read_zone(typed) if argument.type is ArgumentType.ZONE else ()
    return ((word, word) for word in dict.fromkeys((*zones, *found)))


async def _codes(context: Context, wanted: str) -> Iterable[Suggestion]:
    finder, wanted = context.finder, wanted.removeprefix("#")
    own = await context.store.matches.of(context.visitor.account)
    there = {match.id: match for match in (*await context.here.matches(), *own)}
    offers = [match for match in there.values() if sound(context.table, match)]
    if context.command.name == "hint":
        offers = list(await finder.with_hints(offers)) if context.services.thinker else []
    offers.sort(key=lambda match: (not match.live, not finder.my_turn(match), not finder.mine(match)))
    named, labels = {f"#{match.id}": context.names(match) for match in offers}, list[Suggestion]()
    for code, names in named.items():
        label = context.words("bot.which.match", title=names.title, opponents=names.opponents)
        if wanted in label.casefold():
            labels.append((label, code))
    return labels


def _options(context: Context, typed: str, named: str) -> Iterator[Suggestion]:
    game = find_game(context.table.games, named) if named else None
    before, _, last = typed.rpartition(" ")
    games = [game] if game else list(context.table.games.values())
    for each in games:
        for word, label in _words_of(each, context):
            if word.startswith(last.casefold()) or label.casefold().startswith(last.casefold()):
                title = label if game else f"{context.words(f'{each.key}.name')}: {label}"
                yield f"{before} {title}".strip(), f"{before} {word}".strip()


def _words_of(game: AnyGame, context: Context) -> Iterator[tuple[str, str]]:
    for preset in game.schema.presets:
        yield f"preset:{preset}", context.words(f"{game.key}.preset.{preset}")
    for option in game.schema.options:
        label = context.words(f"{game.key}.option.{option.key}")
        if isinstance(option, OneOf):
            for value in option.offered:
                said = chosen_text(game, option.key, value, context.words)
                yield f"{option.key}:{value}", said if said.startswith(label) else f"{label}: {said}"
        else:
            counts = (
                player_counts(game, {}) if option.key == PLAYERS and context.command.name == "new" else ()
            )
            if len(counts) > 1:
                said = context.words("bot.order.any-number", low=min(counts), high=max(counts))
                yield f"{PLAYERS}:any", f"{label}: {said}"
            yield f"{option.key}:", f"{label}: …"


async def _moves(context: Context, typed: str) -> Iterator[Suggestion]:
    finder = context.finder
    named = context.command.code
    matches = [await finder.named(named)] if named else list(await finder.fitting(finder.my_turn))
    matches = [match for match in matches if finder.my_turn(match)]

    def offered() -> Iterator[Suggestion]:
        for match in matches:
            game, position = context.game(match), context.course(match).position
            for text in ways_on(game, position, typed):
                if len(matches) == 1:
                    yield text, text
                else:
                    title = context.names(match).title
                    yield f"{text} · {title}", f"{text} #{match.id}"

    return offered()


def ways_on(game: AnyGame, position: Position[Any], typed: str) -> Sequence[str]:
    """Return texts that continue a partly typed turn: whole plies, or where those are too many, their beginnings.

    At most 25. What is typed already may be one or more whole plies of the turn, and the beginning of another.
    """
    done, rest = "", typed
    start, words = position, typed.split()
    for count in range(len(words), 0, -1):
        head = " ".join(words[:count])
        try:
            moves = game.notation.parse(head, start)
        except RulesError:
            continue
        reached = start
        for move in moves:
            reached = reached.play(move)
        done = " ".join(map(game.notation.format, moves))
        if turn_over(start, reached):
            longer = _beginnings(game, start, typed)
            return [done, *(text for text in longer if text != done)][:MAX_CANDIDATES]
        position, rest = reached, " ".join(words[count:])
        break
    texts = _beginnings(game, position, rest)
    ahead = [f"{done} {text}".strip() for text in texts]
    return ([done, *ahead] if done and not rest else ahead)[:MAX_CANDIDATES]


def _beginnings(game: AnyGame, position: Position[Any], typed: str) -> Sequence[str]:
    """Return the plies that begin with the typed text; of more than 25, at most 25 of their beginnings."""
    wanted = _bare(typed)
    texts = [text for text in map(game.notation.format, position.legal_moves()) if _begins(text, wanted)]
    if len(texts) <= MAX_CANDIDATES:
        return texts
    best: Sequence[str] = ()
    for places in (_SQUARES, _LETTERS):
        for cut in range(1, 12):
            shorter = list(dict.fromkeys(_until(text, wanted, places, cut) for text in texts))
            if len(shorter) > MAX_CANDIDATES:
                break
            best = shorter
        if best:
            return best
    return texts[:MAX_CANDIDATES]


def _until(text: str, wanted: str, places: re.Pattern[str], cut: int) -> str:
    ends = [found.start() for found in places.finditer(text)] + [len(text)]
    further = [end for end in ends if len(_bare(text[:end])) > len(wanted)]
    return text[: further[min(cut, len(further)) - 1]].rstrip(" -") if further else text


def _begins(text: str, wanted: str) -> bool:
    bare = _bare(text)
    return bare.startswith(wanted) or bare.lstrip("l").startswith(wanted)


def _bare(text: str) -> str:
    try:
        text = fold(text)
    except RulesError:
        return ""
    return _SIGNS.sub("", _TAKES.sub("", text))
