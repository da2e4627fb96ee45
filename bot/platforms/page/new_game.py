"""A new game from the page: what its form offers, and the command of the chat that it stands for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Final

from bot.chat.grammar import Command
from bot.chat.i18n import Words
from bot.chat.presenting.forecast import cautions, weaker
from bot.chat.presenting.moments import OFFERED_CLOCKS, clock_label
from bot.chat.presenting.naming import player_name
from bot.chat.services import Services
from bot.chat.visitor import Visitor
from bot.platforms.page import wire
from play.match import PLAYERS, STRONGEST, WEAKEST, Match, Phase, is_engine, kind_of
from play.people import Account, Address, Player, is_forgotten, private_place
from play.ports import SettingsStore
from rules.core import AnyGame, BadOption, Number

PEOPLE: Final = 8  # people whom the reader has played last
FIRST_LEVEL: Final = 2  # of the computer, for a person who has not played it

LEVELS: Final = range(WEAKEST, STRONGEST + 1)

_WORDS: Final = (
    *("new", "quick", "game", "setting", "players", "opponent", "computer", "friend", "open", "person"),
    *("level", "clock", "rated", "begin"),
)
_HEADS: Final = ("turn", "invitation", "waiting", "open", "today", "finished", "none")

KEYS: Final = {
    "bot.page.new.{}": (_WORDS,),
    "bot.page.lobby.{}": (_HEADS,),
}  # for the check of the catalogues


def form(
    games: Mapping[str, AnyGame], words: Words, matches: Sequence[Match], who: Sequence[Account]
) -> wire.PageNew:
    """Return what the form offers a person with these matches, the latest change first."""
    said = {name: words(f"bot.page.new.{name}") for name in _WORDS}
    said |= {f"lobby.{name}": words(f"bot.page.lobby.{name}") for name in _HEADS}
    people = {key: each.player for key, each in _met(matches, who).items()}
    return wire.PageNew(
        said,
        list(_quick(games, words, matches, who)),
        [
            wire.PageGame(
                game.key, words(f"{game.key}.name"), list(_presets(game, words)), _weaker(game, words)
            )
            for game in games.values()
        ],
        [wire.PageChoice(str(level), words(f"bot.order.level.{level}")) for level in LEVELS],
        [wire.PageChoice(typed, clock_label(typed, words)) for typed in OFFERED_CLOCKS],
        [wire.PageChoice(key, player_name(player, words)) for key, player in people.items()],
    )


def _weaker(game: AnyGame, words: Words) -> dict[str, str]:
    return {str(level): said for level in LEVELS for said in weaker(game, [str(level)], words)}


def _presets(game: AnyGame, words: Words) -> Iterator[wire.PagePreset]:
    for preset in game.schema.presets:
        label, rates = words(f"{game.key}.preset.{preset}"), game.ratable(game.choose({"preset": preset}))
        note = " ".join(cautions(game, game.with_usual({"preset": preset}), words, draws=True))
        yield wire.PagePreset(preset, label, _counts(game, preset), rates, note)


def _counts(game: AnyGame, preset: str) -> list[int]:
    """Return how many may play, the usual number first; whether so many fit on the board is found out when they begin.

    To find places for many takes a game up to a second.
    """
    seats = game.seats(game.choose({"preset": preset}))
    for option in game.schema.options:
        if option.key == PLAYERS and isinstance(option, Number):
            with suppress(BadOption):
                game.choose({"preset": preset, PLAYERS: str(option.low)})
                return list(range(option.low, option.high + 1))
    return [seats]


def _quick(
    games: Mapping[str, AnyGame], words: Words, matches: Sequence[Match], who: Sequence[Account]
) -> Iterator[wire.PageQuick]:
    """Yield the same as last time, then a game against the computer; before the first match one of each game."""
    played = [match for match in matches if match.log and match.game in games]
    levels = [
        kind for match in played for each in match.people() if (kind := kind_of(each)) and kind.isdigit()
    ]
    level = int(levels[0]) if levels else FIRST_LEVEL
    offered: list[wire.PageSetup] = []
    if played and (again := _same(games[played[0].game], played[0], who)) is not None:
        offered.append(again)
    first = list(dict.fromkeys(match.game for match in played))[:1] or list(games)
    offered += [wire.PageSetup(key, _usual(games[key]), level=level) for key in first]
    people = _met(matches, who)
    for number, setup in enumerate(offered):
        if setup in offered[:number]:
            continue
        met = people.get(setup.person)
        computer = words("bot.page.quick-computer", level=setup.level)
        opponent = player_name(met.player, words) if met else computer
        label = words("bot.page.quick", game=words(f"{setup.game}.name"), opponent=opponent)
        yield wire.PageQuick(label, setup)


def _usual(game: AnyGame) -> str:
    return next(iter(game.schema.presets))


def _same(game: AnyGame, match: Match, who: Sequence[Account]) -> wire.PageSetup | None:
    """Return a match for two as the form would set it up; None where it cannot."""
    others = [each for each in match.people() if each not in who]
    options = game.choose(dict(match.options))
    preset = next(
        (key for key in game.schema.presets if game.choose(game.with_usual({"preset": key})) == options), None
    )
    if preset is None or len(match.chairs) != 2 or len(others) != 1 or is_forgotten(others[0]):
        return None
    if not is_engine(others[0]):
        return wire.PageSetup(game.key, preset, "person", person=_key(others[0]), rated=match.rated)
    kind = kind_of(others[0]) or ""
    return wire.PageSetup(game.key, preset, level=int(kind)) if kind.isdigit() else None


def _key(account: Account) -> str:
    """Return a name for a person that shows nothing of their account."""
    return blake2b(str(account).encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class _Met:
    player: Player
    match: Match  # the last one with them


def _met(matches: Sequence[Match], who: Sequence[Account]) -> Mapping[str, _Met]:
    found: dict[str, _Met] = {}
    for match in matches:
        for chair in match.chairs if match.phase in (Phase.PLAYING, Phase.OVER) else ():
            player = chair.player
            if player is None or player.account in who or is_engine(player.account):
                continue
            if not is_forgotten(player.account) and len(found) < PEOPLE:
                found.setdefault(_key(player.account), _Met(player, match))
    return found


@dataclass(frozen=True, slots=True)
class NewGame:
    """A command of the chat, and who asks for it, where."""

    command: Command
    visitor: Visitor


async def ordered(
    services: Services,
    setup: wire.PageSetup,
    visitor: Visitor,
    matches: Sequence[Match],
    who: Sequence[Account],
) -> NewGame | None:
    """Return what a filled-in form asks for; None where the person is none of those whom the form offers, or there is no such game.

    A setting, a number of players or a clock that there is not counts as the first one.
    """
    game = services.table.games.get(setup.game)
    if game is None:
        return None
    preset = setup.preset if setup.preset in game.schema.presets else _usual(game)
    counts = _counts(game, preset)
    count = setup.players if setup.players in counts else counts[0]
    options = {"game": game.key, "preset": preset}
    options |= {PLAYERS: str(count)} if len(counts) > 1 else {}
    options |= {"clock": setup.clock if setup.clock in OFFERED_CLOCKS else OFFERED_CLOCKS[0]}
    options |= {"rated": "yes" if setup.rated and setup.opponent != "computer" else "no"}
    match setup.opponent:
        case "computer":
            engines = ",".join([str(setup.level)] * (count - 1))
            return NewGame(Command.of("challenge", options={**options, "engine": engines}), visitor)
        case "open":
            game_named = options.pop("game")  # as a word: alone, the command lists who seeks
            return NewGame(Command.of("seek", game_named, options=options), visitor)
        case "friend":
            name = "challenge" if count == 2 else "new"
            return NewGame(Command.of(name, options=options), visitor)
        case "person":
            met = _met(matches, who).get(setup.person)
            if met is None:
                return None
            visitor = await _where_they_met(services.store.settings, visitor, met, who)
            return NewGame(Command.of("challenge", "@0", options=options), visitor)


async def _where_they_met(
    settings: SettingsStore, visitor: Visitor, met: _Met, who: Sequence[Account]
) -> Visitor:
    """Return the visitor where the person is reached: the chat of their last match, else the conversations of both with the bot."""
    visitor = replace(visitor, find={"0": met.player}.get)
    places = [place for place in met.match.addresses if place.platform == visitor.account.platform]
    people = (*who, met.player.account)
    owners = [
        chosen.person or next((each for each in people if private_place(each) == place), None)
        for place, chosen in zip(places, await settings.get_many(*places), strict=True)
    ]
    chats = [place for place, owner in zip(places, owners, strict=True) if owner is None]
    if chats:
        return replace(visitor, place=chats[0])
    own = [place for place, owner in zip(places, owners, strict=True) if owner in who]
    theirs = [place for place, owner in zip(places, owners, strict=True) if owner not in who]
    return replace(visitor, place=(own or [visitor.place])[0], home=_home(theirs))


def _home(places: Sequence[Address]) -> Callable[[Account], Awaitable[Address | None]]:
    async def home(_account: Account) -> Address | None:
        return next(iter(places), None)

    return home
