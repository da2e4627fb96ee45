"""What is known of a game before it begins: what is proved of its start, how evenly it is won, which engines are weaker here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from bot.chat.i18n.catalogue import Words
from engine import balance_of, proof_of_start, weaker_levels
from engine.core import GameValue, Proof
from rules.core import AnyGame, Number

KEYS: Final[Mapping[str, Sequence[Sequence[str]]]] = {"bot.solved.{}": (("first", "second"),)}
"""For the check of the catalogues."""


def cautions(game: AnyGame, chosen: Mapping[str, str], words: Words, *, draws: bool = False) -> Iterator[str]:
    """Yield what to know before a game that is played like this: what its rules warn of, what is proved, how uneven it is.

    Where it is proved who wins, what equals score tells no more. That best play is a draw is said with `draws`.
    """
    options = game.choose(chosen)
    if phrase := game.warning(options):
        yield words(phrase.key, **phrase.fields)
    proof, balance = proof_of_start(game, options), balance_of(game, options)
    if known := _proved(proof, words, draws=draws):
        yield known
    won = proof is not None and proof.result is not GameValue.DRAW
    if won or balance is None or not balance.unfair:
        return
    percent = _percent([share for share, _, _ in balance.shares])
    if len(percent) > 2:
        yield words("bot.balance.seats", shares=words.list(percent))
        return
    key = "bot.balance.first" if percent[0] > percent[1] else "bot.balance.second"
    uneven, evened = words(key, points=max(percent)), _evened(game, chosen)
    remedy = words("bot.balance.option", option=evened) if evened else words("bot.balance.pairs")
    yield f"{uneven} {remedy}"


def _percent(shares: Sequence[float]) -> list[int]:
    """Return shares of one in whole percent that add up to 100: the largest remainders are rounded up."""
    percent = [int(100 * share) for share in shares]
    by_rest = sorted(range(len(shares)), key=lambda seat: percent[seat] - 100 * shares[seat])
    for seat in by_rest[: 100 - sum(percent)]:
        percent[seat] += 1
    return percent


def _evened(game: AnyGame, chosen: Mapping[str, str]) -> str | None:
    """Return what to type for the game to be the most even, if that makes it fair: of what it has for that, a number."""
    found = []
    for option in game.schema.options:
        for number in range(option.low, option.high + 1) if isinstance(option, Number) else ():
            if all(option.key not in usual for usual in game.usual.values()):
                continue
            balance = balance_of(game, game.choose({**chosen, option.key: str(number)}))
            if balance and balance.fair:
                found.append((abs(balance.shares[0][0] - 0.5), f"{option.key}:{number}"))
    return min(found)[1] if found else None


def foregone(game: AnyGame, chosen: Mapping[str, str], words: Words, *, draws: bool = True) -> str | None:
    """What best play from the start comes to, where that is proved; plies of both sides are counted."""
    return _proved(proof_of_start(game, game.choose(chosen)), words, draws=draws)


def _proved(proof: Proof | None, words: Words, *, draws: bool) -> str | None:
    if proof is None:
        return None
    if proof.result is GameValue.DRAW:
        return words("bot.solved.draw") if draws else None
    winner = "first" if proof.result is GameValue.WIN else "second"
    return words.count(f"bot.solved.{winner}", proof.plies)


def weaker(game: AnyGame, kinds: Iterable[str | None], words: Words) -> Iterator[str]:
    """Yield which of some kinds of engines play like a lower level here, since the game's native core was not built."""
    known = set(kinds)
    for level, alike in weaker_levels(game.key).items():
        if str(level) in known:
            yield words("bot.engine.weaker", level=level, alike=alike)
