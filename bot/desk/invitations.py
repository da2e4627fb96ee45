"""Challenges and lobbies: /challenge, /new, /accept, /decline, /withdraw, /join, /leave, /start, /rematch."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from bot.actions import Action, Verb
from bot.desk import opponents
from bot.desk.choices import switch
from bot.desk.commands import COMMANDS as ENTRIES
from bot.desk.commands import Form
from bot.desk.errand import Errand, Handler, Pressed, no_such_word, settings_of, shown
from bot.desk.grammar import BadCommand, Command, CommandError
from bot.desk.values import CLOCK
from bot.desk.variants import PRESET, meaning, read_words
from bot.desk.which import Again, Over
from bot.i18n import LANGUAGES
from bot.i18n import words as words_for
from bot.presenter.boards import unreached
from bot.view import Message
from play import seating
from play.chance import derived
from play.durations import read as read_length
from play.errors import BadRequest, PlayError, Refused
from play.facts import Fact
from play.match import Match, Phase
from play.people import Account, Address, Player
from play.requests import CODES
from rules.core import SEATS, AnyGame

_CODE: Final = re.compile(r"[a-z0-9]{6}\Z", re.ASCII | re.IGNORECASE)

RATED: Final = frozenset(
    {"rated", "rating", "рейтинг", "рейтингова", "рейтинговий", "рейтинговая", "рейтинговый"}
)
"""Words for a rated match, bare or before a colon: `rated:yes`."""

_UNRATED: Final = frozenset({"unrated", "нерейтингова", "нерейтинговий", "нерейтинговая", "нерейтинговый"})
_RATING: Final = RATED | {"ratings", "рейтингу", "рейтинга", "рейтингом"}
_FOR: Final = frozenset({"for", "with", "на", "з", "із", "с"})
_NOT_FOR: Final = frozenset({"not", "no", "without", "без", "не"})
"""Of two words: `for ratings`, `без рейтингу`."""

_CLOCK_PARTS: Final = frozenset(
    {
        *("bank", "cap", "increment", "flag", "limit", "soft", "time", "vacation"),
        *("банк", "запас", "межа", "час", "відпустка", "предел", "время", "отпуск"),
    }
)
"""Words before a colon by which people look for a part of the clock."""

_ANYONE: Final = frozenset({"anyone", "anybody", "будь-хто", "усі", "всі", "всех", "все"})


async def challenge(errand: Errand) -> Sequence[Message]:
    """`/challenge bob lgame variant:scoring side:second`: named people, or anyone; `engine:5` or a bot, too."""
    names, game, chosen, engines = _order(errand)
    rated = is_rated(errand.command)
    replied = errand.visitor.replied
    if replied and not names and not engines and replied.account != errand.visitor.account:
        people = [replied]
    else:
        people = [await _person(errand, name, game) for name in names if name.text.casefold() not in _ANYONE]
    people = [Player(await first_account(errand, each.account), each.name) for each in people]
    await check_place(errand, game)
    clock = chosen.pop(CLOCK, None)
    side = _seat_called(game, chosen.pop("side", "first"))
    homes = await homes_of(errand, people)
    fact = await errand.table.challenge(
        errand.visitor.player,
        errand.visitor.place,
        game.key,
        chosen,
        at=errand.at,
        opponents=[*people, *engines],
        side=side,
        clock=clock,
        rated=rated,
        also=homes.found,
        operation=errand.operation,
    )
    return [*await errand.announce(fact), *_unreached(errand, fact, homes)]


async def new(errand: Errand) -> Sequence[Message]:
    """`/new klopodavka players:4 board:12x12 actions:4 engines:2`: a lobby that anybody can join."""
    names, game, chosen, engines = _order(errand)
    clock = chosen.pop(CLOCK, None)
    if names:
        raise no_such_word(names[0].text)
    await check_place(errand, game)
    fact = await errand.table.open_lobby(
        errand.visitor.player,
        errand.visitor.place,
        game.key,
        chosen,
        at=errand.at,
        engines=engines,
        clock=clock,
        rated=is_rated(errand.command),
        operation=errand.operation,
    )
    return await errand.announce(fact)


@dataclass(frozen=True, slots=True)
class _Name:
    """A word that may be a person's name; after the game's name, where options stand, it may be a misspelt one too."""

    text: str
    after_game: bool


def _order(errand: Errand) -> tuple[list[_Name], AnyGame, dict[str, str], list[Player]]:
    """Which game, what is chosen, the words that are neither, and the engines, from words in any order."""
    chosen = {key: value for key, value in errand.command.chosen().items() if key not in RATED}
    words, _ = rating_words(errand.command.words)
    bare = [word for word in words if not opponents.is_called_engine(word)]
    engines = opponents.named(errand, chosen, called=len(words) - len(bare))
    game = None
    if named := chosen.pop("game", None):
        game = find_game(errand.table.games, named)
        if game is None:
            raise which_game(errand, named)
    before, after = list(bare), []
    for at, word in enumerate(bare if game is None else ()):
        if found := find_game(errand.table.games, word):
            game, before, after = found, before[:at], before[at + 1 :]
            break
    if game is None:
        raise which_game(errand, *before)
    texts, _ = read_words(game, (*before, *after), chosen)
    _check_known(errand, game, texts)
    names = [_Name(word, after_game=False) for word in before if not meaning(game, word)]
    names += [_Name(word, after_game=True) for word in after if not meaning(game, word)]
    return names, game, texts, engines


def _check_known(errand: Errand, game: AnyGame, texts: Mapping[str, str]) -> None:
    """Check that there is no option that neither the game has nor the command."""
    others = [
        argument.name for argument in ENTRIES[errand.command.name].arguments if argument.form is Form.PAIR
    ]
    known = (*(option.key for option in game.schema.options), PRESET, *others)
    for key in texts:
        if key in _CLOCK_PARTS:
            raise CommandError(BadCommand.CLOCK_PART, option=shown(key))
        if key not in known:
            raise CommandError(BadCommand.NO_SUCH_OPTION, option=shown(key), known=", ".join(known))


def rating_words(words: Sequence[str]) -> tuple[list[str], set[bool]]:
    """The words that say nothing of ratings, and what the others say: that the match is to be rated, or that it is not."""
    left: list[str] = []
    said: set[bool] = set()
    for word in words:
        folded = word.casefold()
        before = left[-1].casefold() if left else ""
        if folded in _RATING and before in _FOR | _NOT_FOR:
            left.pop()
            said.add(before in _FOR)
        elif folded in RATED | _UNRATED:
            said.add(folded in RATED)
        else:
            left.append(word)
    return left, said


def is_rated(command: Command) -> bool:
    """Whether a command asks for a rated match.

    Raises:
        CommandError: what it says of that is neither yes nor no, or both.
    """
    try:
        said = {switch(value) for key, value in command.chosen().items() if key in RATED}
    except CommandError as error:
        if error.reason is not BadCommand.BAD_SWITCH:
            raise
        raise CommandError(BadCommand.BAD_RATED, **error.fields) from error
    said |= rating_words(command.words)[1]
    if len(said) > 1:
        raise CommandError(BadCommand.CONTRADICTION, first="rated", second="rated:no")
    return True in said


def which_game(errand: Errand, *words: str) -> CommandError | BadRequest:
    """No game is named; or, where only a game could have been meant, none of that name."""
    games, name = tuple(errand.table.games), errand.command.name
    if words and name != "challenge":
        return BadRequest(Refused.NO_SUCH_GAME, game=shown(words[0]), known=games)
    example = f"/{name} bob {games[-1]}" if name == "challenge" else f"/{name} {games[-1]}"
    return CommandError(BadCommand.WHICH_GAME, known=", ".join(games), example=example)


async def _person(errand: Errand, name: _Name, game: AnyGame) -> Player:
    """Who is called that. After the game's name only somebody who is known here, so that no typing error is invited."""
    visitor = errand.visitor
    person, word = visitor.find(name.text.removeprefix("@")), shown(name.text)
    doubtful = name.after_game and visitor.met is not None and not name.text.startswith("@")
    if person is not None and not (doubtful and not await _known(errand, person)):
        return person
    if read_length(name.text) is not None:
        raise CommandError(BadCommand.CLOCK_WORD, word=word, example=f"{CLOCK}:{word}")
    if person is None:
        raise CommandError(BadCommand.NO_SUCH_PERSON, name=word)
    raise CommandError(BadCommand.NEITHER, word=word, example=f"/{errand.command.name} {word} {game.key}")


async def _known(errand: Errand, person: Player) -> bool:
    """Whether somebody has been here, or plays anywhere."""
    met = errand.visitor.met
    return met is not None and (met(person.account) or bool(await errand.store.of(person.account)))


@dataclass(frozen=True, slots=True)
class Homes:
    """The conversations that people have with the bot.

    Attributes:
        found: Those that can be written in.
        all: Those that cannot, too.
        lost: The people who cannot be written to.
    """

    found: tuple[Address, ...] = ()
    all: tuple[Address, ...] = ()
    lost: tuple[Player, ...] = ()


async def homes_of(errand: Errand, people: Sequence[Player]) -> Homes:
    """Where people are told who do not see the place: where the visitor is alone with the bot, nobody else does.

    Those of other platforms are told by the sender, and engines nothing.
    """
    home, platform = errand.visitor.home, errand.visitor.place.platform
    found, every, lost = [], [], []
    for player in people if home else ():
        if player.account.platform != platform or home is None:
            continue
        there = await home(player.account)
        if there is not None:
            every.append(there)
        if there is None or await errand.store.outgoing().dead(there) is not None:
            lost.append(player)
        else:
            found.append(there)
            await _speak_their_language(errand, player.account, there)
    return Homes(tuple(found), tuple(every), tuple(lost))


async def _speak_their_language(errand: Errand, account: Account, there: Address) -> None:
    """In a conversation with somebody, speak as they want, unless something is chosen for it."""
    theirs, chosen = await settings_of(errand.store, account, there)
    if theirs and theirs.language and chosen and chosen.language is None:
        spoken = theirs.language
        await errand.store.change_settings(there, lambda now: replace(now, language=now.language or spoken))


def _unreached(errand: Errand, fact: Fact, homes: Homes) -> Sequence[Message]:
    """That some do not hear of an invitation."""
    if not homes.lost or fact.match.phase is not Phase.OPEN:
        return ()
    return [errand.private(unreached(errand.game(fact.match), fact.match, homes.lost, errand.words))]


async def first_account(errand: Errand, account: Account) -> Account:
    """The first account of whoever has this one."""
    return (await errand.store.settings(account)).person or account


def _seat_called(game: AnyGame, side: str) -> str:
    """A side as the table knows it: one that has a name in the game (white) by its number, in any of the languages."""
    wanted = side.casefold()
    for seat in SEATS:
        key = f"{game.key}.seat.{seat.number}"
        for words in map(words_for, LANGUAGES):
            if words.has(key) and words(key).casefold() == wanted:
                return str(seat.number)
    return wanted


def find_game(games: Mapping[str, AnyGame], word: str) -> AnyGame | None:
    """The game that a word names: by key, or by a name it has in any of the languages."""
    wanted = word.casefold()
    return games.get(wanted) or games.get(_called(tuple(games)).get(wanted, ""))


@lru_cache(maxsize=4)
def _called(keys: tuple[str, ...]) -> Mapping[str, str]:
    """The keys of games by what they are called in any of the languages."""
    called: dict[str, str] = {}
    for key in keys:
        for language in LANGUAGES:
            words = words_for(language)
            for name in (words(f"{key}.name"), *words(f"{key}.aliases").split(",")):
                called.setdefault(name.strip().casefold(), key)
    return called


async def check_place(errand: Errand, game: AnyGame) -> None:
    """Whether a match may be begun here, as its admins have chosen.

    Raises:
        CommandError: not of that game, or not one more.
    """
    place, words = errand.place, errand.words
    if place.games and game.key not in place.games:
        known = words.list([words(f"{key}.name") for key in place.games if key in errand.table.games])
        raise CommandError(BadCommand.GAME_NOT_HERE, game=words(f"{game.key}.name"), known=known)
    if place.most and len(await errand.here.live()) >= place.most:
        raise CommandError(BadCommand.TOO_MANY_HERE, most=place.most)


async def _check_rematch(errand: Errand, old: Match) -> None:
    """Likewise; of a rematch that has been asked for already, only the answer is left."""
    codes = {derived(old.id, attempt) for attempt in range(CODES)}
    if not any(match.id in codes and match.rematch_of == old.id for match in await errand.here.live()):
        await check_place(errand, errand.game(old))


async def accept(errand: Errand) -> Sequence[Message]:
    """Take the chair that is kept for the visitor, or a free one."""
    errand.no_words()
    match = await errand.invitation(errand.finder.for_me, errand.finder.joinable, again=Again(Verb.ACCEPT))
    return await errand.announce(
        await errand.table.accept(match.id, errand.visitor.player, at=errand.at, operation=errand.operation)
    )


async def decline(errand: Errand) -> Sequence[Message]:
    """Refuse a challenge."""
    errand.no_words()
    finder = errand.finder
    if errand.command.code or await finder.fitting(finder.for_me):
        match = await errand.match(finder.for_me, again=Again(Verb.DECLINE))
    else:  # it is refused anyway: best for a challenge of their own, which can be withdrawn
        match = await errand.latest(
            lambda match: finder.hosted(match) and not match.lobby, otherwise=BadCommand.NOTHING_TO_DECLINE
        )
    if finder.joinable(match) and not finder.for_me(match):
        raise CommandError(BadCommand.NOTHING_TO_DECLINE)
    return await errand.announce(
        await errand.table.decline(match.id, errand.visitor.player, at=errand.at, operation=errand.operation)
    )


async def withdraw(errand: Errand) -> Sequence[Message]:
    """Take an invitation of one's own back."""
    errand.no_words()
    finder = errand.finder
    if errand.command.code or await finder.fitting(finder.hosted):
        match = await errand.match(finder.hosted, again=Again(Verb.WITHDRAW))
    else:  # it is refused anyway: best for one of their own, which has begun meanwhile
        match = await errand.latest(finder.begun, finder.open, otherwise=BadCommand.NO_INVITATION)
    return await errand.announce(
        await errand.table.withdraw(match.id, errand.visitor.player, at=errand.at, operation=errand.operation)
    )


async def join(errand: Errand) -> Sequence[Message]:
    """`/join`, `/join team:2`, `/join #k7q2mz`, also without the `#` and from any other place."""
    typed = errand.command.chosen().get("team", "")
    words = errand.command.words if errand.command.rest else ()
    code = next((word.casefold() for word in words if _CODE.match(word)), None)
    left = [word for word in words if word.casefold() != code]
    typed = typed or " ".join(left)
    team = _team(typed)
    if errand.command.code or code:
        match = await errand.finder.named(errand.command.code or code or "")
    else:
        match = await errand.invitation(
            errand.finder.joinable, errand.finder.for_me, again=Again(Verb.JOIN, typed)
        )
    return await _joined(errand, match, team)


async def _joined(errand: Errand, match: Match, team: int | None) -> Sequence[Message]:
    """Sit down at a match; where it is not shown yet where somebody joins it, it is from now on."""
    table, visitor, done = errand.table, errand.visitor, errand.operation
    if visitor.place not in match.addresses and match.phase is Phase.OPEN:
        # What would be refused is refused before anything is shown anywhere.
        seating.join(errand.game(match), match, visitor.player, team, at=errand.at, seen=None)
        again = replace(done, id=f"{done.id}:shown") if done else None
        with suppress(PlayError):
            await table.watch(match.id, visitor.place, operation=again)
    return await errand.announce(
        await table.join(match.id, visitor.player, at=errand.at, team=team, operation=done)
    )


def _team(text: str) -> int | None:
    if not text:
        return None
    if text.isascii() and text.isdigit() and len(text) == 1:
        return int(text)
    raise CommandError(BadCommand.BAD_TEAM, value=shown(text))


async def leave(errand: Errand) -> Sequence[Message]:
    """Give a chair back, or leave a game that the others play on."""
    errand.no_words()
    finder = errand.finder
    match = await errand.in_play(finder.entered, finder.hosted, finder.mine, again=Again(Verb.LEAVE))
    return await errand.announce(
        await errand.table.leave(match.id, errand.visitor.player, at=errand.at, operation=errand.operation)
    )


async def start(errand: Errand) -> Sequence[Message]:
    """Begin a lobby's match."""
    errand.no_words()
    match = await errand.invitation(errand.finder.hosted, errand.finder.entered, again=Again(Verb.START))
    return await errand.announce(
        await errand.table.start(match.id, errand.visitor.player, at=errand.at, operation=errand.operation)
    )


async def rematch(errand: Errand) -> Sequence[Message]:
    """Once more, with the seats swapped."""
    errand.no_words()
    match = await errand.latest(Over(errand.finder.was_mine), errand.finder.mine)
    return await _rematch(errand, match)


async def _rematch(errand: Errand, old: Match) -> Sequence[Message]:
    await _check_rematch(errand, old)
    visitor = errand.visitor
    others = [
        chair.player for chair in old.chairs if chair.player and chair.player.account != visitor.account
    ]
    homes = await homes_of(errand, others)
    if not {*old.addresses} <= {visitor.place, *homes.all}:  # there is a place that they share
        homes = Homes()
    fact = await errand.table.rematch(
        old.id,
        visitor.player,
        at=errand.at,
        where=visitor.place,
        also=homes.found,
        operation=errand.operation,
    )
    return [*await errand.announce(fact), *_unreached(errand, fact, homes)]


async def _pressed(errand: Errand, button: Action) -> Sequence[Message]:
    table, player, at, done = errand.table, errand.visitor.player, errand.at, errand.operation
    fact: Fact
    match verb := button.verb:
        case Verb.ACCEPT:
            fact = await table.accept(button.match, player, at=at, operation=done)
        case Verb.DECLINE:
            fact = await table.decline(button.match, player, at=at, operation=done)
        case Verb.WITHDRAW:
            fact = await table.withdraw(button.match, player, at=at, operation=done)
        case Verb.JOIN:
            return await _joined(errand, await table.get(button.match), _team(button.argument))
        case Verb.LEAVE:
            fact = await table.leave(button.match, player, at=at, operation=done)
        case Verb.START:
            fact = await table.start(button.match, player, at=at, operation=done)
        case Verb.REMATCH:
            return await _rematch(errand, await table.get(button.match))
        case _:
            raise ValueError(verb)
    return await errand.announce(fact)


COMMANDS: Final[Mapping[str, Handler]] = {
    "challenge": challenge,
    "new": new,
    "accept": accept,
    "decline": decline,
    "withdraw": withdraw,
    "join": join,
    "leave": leave,
    "start": start,
    "rematch": rematch,
}

PRESSES: Final[Mapping[Verb, Pressed]] = dict.fromkeys(
    (Verb.ACCEPT, Verb.DECLINE, Verb.WITHDRAW, Verb.JOIN, Verb.LEAVE, Verb.START, Verb.REMATCH), _pressed
)
