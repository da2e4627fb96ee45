"""What /challenge and /new order: words in any order for the game, its options, engines, and people by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

from bot.chat.arguments import argument_names, in_all_languages
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, no_such_word, shown
from bot.chat.game_words import (
    FOR,
    PRESET,
    RATED,
    chosen_by,
    find_game,
    is_rated,
    option_names,
    rating_words,
    read_words,
    which_game,
)
from bot.chat.grammar import CLOCK, switch
from bot.chat.services import settings_of
from bot.features.matches import engine_opponents
from play.people import Account, Address, Player
from play.time.clock import read as read_length
from play.time.clock_text import AWAKE
from rules.core import SEATS, AnyGame, BadOption


def joined_names(games: Mapping[str, AnyGame], words: Sequence[str]) -> list[str]:
    """Return the words with those that name a game together as one: `l game`, `війна вірусів`."""
    found, at = [], 0
    while at < len(words):
        for count in range(3, 0, -1):  # most words in the name of a game
            name = " ".join(words[at : at + count])
            if count == 1 or find_game(games, name):
                found.append(name)
                at += min(count, len(words) - at)
                break
    return found


def seat_called(game: AnyGame, side: str) -> str:
    """Return the number of a side that is named (white) in any of the languages; another word as it is."""
    wanted = side.casefold()
    for seat in SEATS:
        if wanted in map(str.casefold, in_all_languages(f"{game.key}.seat.{seat.number}")):
            return str(seat.number)
    return wanted


def _counted(games: Iterable[AnyGame], words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    # `4 players`, `3 engines`, `level 6`
    options = option_names(games).items()
    counters = [(label, key) for label, key in options if key in ("players", "actions", "points")]
    left: list[str] = []
    found: dict[str, str] = {}
    for word in words:
        before = left[-1] if left else ""
        if word.isdigit() and before.casefold() in engine_opponents.LEVEL:
            left.pop()
            found["level"] = word
            continue
        key = next((key for label, key in counters if _same_stem(word.casefold(), label)), None)
        key = "engines" if word.casefold() in engine_opponents.ENGINES else key
        if key and before.isascii() and before.isdigit():
            left.pop()
            if left and left[-1].casefold() in FOR:
                left.pop()
            found[key] = before
        else:
            left.append(word)
    return left, found


def _same_stem(word: str, label: str) -> bool:
    """Whether two words differ in their last letters only: `гравці`, `гравців`."""
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, label, strict=False)))
    shorter, longer = sorted((len(word), len(label)))
    return longer - shorter <= 2 and alike >= max(2, shorter - 1)


_CLOCK_PARTS: Final = frozenset(
    {
        *("bank", "cap", "increment", "flag", "limit", "soft", "time", "vacation"),
        *("банк", "запас", "межа", "час", "відпустка", "предел", "время", "отпуск"),
    }
)
"""Words before a colon that name a part of the clock."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a command orders."""

    names: list[Name]  # the words that are nothing else, so names of people
    game: AnyGame
    chosen: dict[str, str]  # texts of options by key, the command's own among them
    engines: list[Player]  # those that sit down at once
    clock: str | None  # as it is typed
    rated: bool


def read_order(context: Context, *, people: bool = False) -> Order:
    """Return what the context's command orders; refused if it makes no sense, names no game, or names people who are not asked for."""
    games = context.table.games
    chosen = {key: value for key, value in context.command.chosen().items() if key not in RATED}
    named = argument_names(context.commands[context.command.name])
    chosen = {named.get(key, key): value for key, value in chosen.items()}
    words, numbers = _counted(games.values(), rating_words(context.command.words)[0])
    for key, number in numbers.items():
        if chosen.setdefault(key, number) != number:
            raise CommandError(BadCommand.CONTRADICTION, first=f"{key}:{chosen[key]}", second=number)
    words = joined_names(games, _without_awake(words, chosen))
    typed_game = next((key for key in chosen if find_game(games, key)), None)
    if typed_game is not None and "game" not in chosen:  # lgame:scoring
        words += [typed_game, *chosen.pop(typed_game).replace(",", " ").split()]
    bare = [word for word in words if not engine_opponents.is_called_engine(context, word)]
    bare = _without_klop(context, bare, named="game" in chosen)
    engines = engine_opponents.named(context, chosen, called=len(words) - len(bare))
    game = None
    if called := chosen.pop("game", None):
        game = find_game(games, called)
        if game is None:
            raise which_game(context, called)
    before, after = list(bare), []
    for at, word in enumerate(bare if game is None else ()):
        if found := find_game(games, word):
            game, before, after = found, before[:at], before[at + 1 :]
            break
    if game is None:
        raise which_game(context, *before)
    texts, _ = read_words(game, (*before, *after), chosen)
    _read_first(game, texts)
    _check_known(context, game, texts)
    names = [
        Name(word, after_game=at >= len(before))
        for at, word in enumerate((*before, *after))
        if chosen_by(game, word) == (None, None)
    ]
    if names and not people:
        raise no_such_word(names[0].text)
    _choose_usual(game, texts, len(names) + len(engines))
    return Order(names, game, texts, engines, texts.pop(CLOCK, None), is_rated(context.command))


def _read_first(game: AnyGame, texts: dict[str, str]) -> None:
    """Have `first:no` leave the first move to the other, in a game that has no such option."""
    if "first" in texts and all(option.key != "first" for option in game.schema.options):
        texts.setdefault("side", "first" if switch(texts.pop("first")) else "second")


def _choose_usual(game: AnyGame, texts: dict[str, str], others: int) -> None:
    """Choose what is usual for two, where it is played like a preset."""
    options = {option.key for option in game.schema.options}
    if others < 2:
        with suppress(BadOption):  # refused later, with what else is wrong
            texts |= game.with_usual({key: text for key, text in texts.items() if key in options})


def _without_awake(words: Sequence[str], chosen: dict[str, str]) -> Sequence[str]:
    """Return the words without `awake`, which goes to the clock that it stands apart from."""
    if paused := [word for word in words if word.casefold() in AWAKE]:
        chosen[CLOCK] = " ".join((chosen.get(CLOCK, ""), *paused)).lstrip()
    return [word for word in words if word not in paused]


def _without_klop(context: Context, words: list[str], *, named: bool) -> list[str]:
    for at, word in enumerate(words):
        others = (*words[:at], *words[at + 1 :])
        if engine_opponents.is_klop(word) and (
            named or any(find_game(context.table.games, each) for each in others)
        ):
            return list(others)
    return words


def _check_known(context: Context, game: AnyGame, texts: Mapping[str, str]) -> None:
    others = [each.name for each in context.commands[context.command.name].arguments if each.named]
    known = (*(option.key for option in game.schema.options), PRESET, *others)
    for key in texts:
        if key in _CLOCK_PARTS:
            raise CommandError(BadCommand.CLOCK_PART, option=shown(key))
        if key not in known:
            raise CommandError(BadCommand.NO_SUCH_OPTION, option=shown(key), known=", ".join(known))


@dataclass(frozen=True, slots=True)
class Name:
    """A word that may be a person's name; after the game's name, where options stand, it may be a misspelt one too."""

    text: str
    after_game: bool


async def person_called(context: Context, name: Name, game: AnyGame) -> Player:
    """Return the person of a name. After the game's name only a known one, so that no misspelt option is invited."""
    visitor, met = context.visitor, context.visitor.met
    person, word = visitor.invite(name.text), shown(name.text)
    if person is not None:
        sure = not name.after_game or name.text.startswith("@")
        if sure or met is None or met(person.account) or await context.store.matches.of(person.account):
            return person
    if read_length(name.text) is not None:
        raise CommandError(BadCommand.CLOCK_WORD, word=word, example=f"{CLOCK}:{word}")
    if person is None:
        raise CommandError(BadCommand.NO_SUCH_PERSON, name=word)
    raise CommandError(BadCommand.NEITHER, word=word, example=f"/{context.command.name} {word} {game.key}")


@dataclass(frozen=True, slots=True)
class Homes:
    """The conversations that people have with the bot."""

    found: tuple[Address, ...] = ()  # those that can be written in
    all: tuple[Address, ...] = ()
    lost: tuple[Player, ...] = ()  # the people who cannot be written to


async def homes_of(context: Context, people: Sequence[Player]) -> Homes:
    """Return the conversations of people on the visitor's platform; none where the visitor is not alone with the bot.

    The sender serves people of other platforms.
    """
    home, platform = context.visitor.home, context.visitor.place.platform
    found, every, lost = [], [], []
    for player in people if home else ():
        if player.account.platform != platform or home is None:
            continue
        there = await home(player.account)
        if there is not None:
            every.append(there)
        if there is None or await context.store.outgoing().dead(there) is not None:
            lost.append(player)
        else:
            found.append(there)
            await _settle_in(context, player.account, there)
    return Homes(tuple(found), tuple(every), tuple(lost))


async def _settle_in(context: Context, account: Account, there: Address) -> None:
    theirs, chosen = await settings_of(context.store, account, there)
    if theirs is None or chosen is None:
        return
    language = chosen.language or theirs.language
    if (language, account) != (chosen.language, chosen.person):
        await context.store.settings.change(
            there, lambda now: replace(now, language=now.language or language, person=account)
        )
