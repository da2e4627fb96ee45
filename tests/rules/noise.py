"""Lines that players should not type, and some will."""

from __future__ import annotations

import random
from collections.abc import Sequence

_ODD = "\0\u200e\u200f\u202e\u2066\u00a0\u00ad\ufeff😀🏁٣४９ⅷ①ß" + "‐–—×ı"
_SHARED = "0123456789abcdefghnrxL -,.:;/#*()?!'\"\\\t\n"

ALPHABETS = {
    "en": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюяАБВГҐДЕЄЖЗИІЇЙКЛМНОПРСТУФХЦЧШЩЬЮЯ’",
    "ru": "абвгдеёжзийклмнопрстуфхцчшщъыьэюяАБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ",
}
_CYRILLIC = str.maketrans("aceopxbhkmtiyACEOPXBHKMTIY", "асеорхвнкмтіуАСЕОРХВНКМТІУ")


def line(language: str, chance: random.Random, near: Sequence[str]) -> str:
    """One line: noise of a language's letters, or a move of this game as a player might mistype it."""
    letters = ALPHABETS[language] + _SHARED + _ODD
    match chance.randrange(8):
        case 0:
            return "".join(chance.choices(letters, k=chance.randrange(40)))
        case 1:
            return chance.choice(letters) * chance.choice((1, 7, 400, 10_000))
        case 2:
            return f"{chance.choice('abcdz')}{chance.choice((0, 9**99, -1, '007', '٣', 10**399))}"
        case 3:
            return " ".join(chance.choices([*near, *letters], k=chance.randrange(1, 12)))
        case 4:
            return cyrillic(chance.choice(near)).swapcase()
        case _:
            return mutated(chance.choice(near), letters, chance)


def mutated(text: str, letters: str, chance: random.Random) -> str:
    """A text with a few characters dropped, doubled, swapped or replaced."""
    marks = list(text)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(marks) + 1)
        match chance.randrange(4):
            case 0:
                marks.insert(at, chance.choice(letters))
            case 1:
                marks[at : at + 1] = [chance.choice(letters)]
            case 2:
                del marks[at : at + 1]
            case _:
                marks[at:at] = marks[at : at + 3]
    return "".join(marks)


def cyrillic(text: str) -> str:
    """The text as typed on a Cyrillic keyboard, as far as letters look alike."""
    return text.translate(_CYRILLIC)
