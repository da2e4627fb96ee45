"""Lines that people might type, and lines that no one would: from a seed, in the alphabets of each language."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.features.commands import REGISTRY
from play.people import Player
from rules import GAMES

ALPHABETS: Final = {
    "en": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюяАБВГҐДЕЄЖЗИІЇЙКЛМНОПРСТУФХЦЧШЩЬЮЯ’",
    "ru": "абвгдеёжзийклмнопрстуфхцчшщъыьэюяАБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ",
}
WORDS: Final = {
    language: tuple(words.split())
    for language, words in {
        "en": "yes no off here anyone bob ann white draw please L n x team second random move bugs",
        "uk": "так ні тут усі боб білі нічия будь-ласка Л н х команда клоподавка прорив ходи українська",
        "ru": "да нет здесь все боб белые ничья пожалуйста Л н х команда клоподавка прорыв ходы русский",
    }.items()
}
COMMANDS: Final = tuple(REGISTRY.specs)
OPTIONS: Final = (
    *(option.key for game in GAMES.values() for option in game.schema.options),
    *("preset", "side", "game", "team", "colour", "сторона"),
)
VALUES: Final = (
    *(preset for game in GAMES.values() for preset in game.schema.presets),
    *("8x8", "12x12", "4x4", "30x40", "0x0", "8х8", "1", "2", "3", "4", "10", "11", "9" * 20, "-1", "1e9"),
    *("off", "win", "2v2", "a1,b2", "a1,zz99", "random", "second", "x", "٣", "४", "Ⅷ", "²", '""', '"a b"'),
)
ODD: Final = (
    "\x00", "\x1b[31m", "\u202e", "\u200f", "\u2066", "\u200b", "\ufeff", "\ud800", "\U0001f1fa", "🐞", "\u0301" * 8,
    "٣", "४", "１", "²", "Ⅷ", "\t", "\r", "\n", "\x85", "\u2028", "{", "}", "{name}", "%s", "\\", "'", '"', "`", "*",
    "<b>", "@everyone", "$(id)", "; DROP", "../..", "#", "##", "#k7q2mz", "#zzzzzz", "#k7", "[1]", "9" * 400,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Move:
    """A legal move, whose it is, and in which match."""

    mover: Player
    code: str
    text: str


class Noise:
    """Lines from a seed."""

    def __init__(self, language: str, seed: int) -> None:
        """Lines with the alphabet and the words of a language; the same seed makes the same ones."""
        self._random = random.Random(f"{language}{seed}")
        self._letters = ALPHABETS[language]
        self._words = WORDS[language]

    def said(self, people: Sequence[Player], moves: Sequence[Move]) -> tuple[Player, str]:
        """Who says what next.

        Args:
            people: Who is there.
            moves: What could be played in the matches under way.
        """
        pick = self._random.random()
        who = self._random.choice(people)
        if pick < 0.25:
            return who, self._command()
        if pick < 0.75 and moves:
            move = self._random.choice(moves)
            return (move.mover if self._random.random() < 0.9 else who), self._move(move)
        if pick < 0.85:
            return who, self._spoilt(self._command())
        if pick < 0.99:
            return who, self._talk()
        return who, self._long()

    def _command(self) -> str:
        name = self._random.choice(COMMANDS)
        if self._random.random() < 0.1:
            name = self._spoilt(name)
        words = [self._word() for _ in range(self._random.choice((0, 0, 0, 1, 1, 2, 3, 5)))]
        return " ".join((f"/{name}", *words))

    def _word(self) -> str:
        match self._random.randrange(7):
            case 0:
                return f"{self._random.choice(OPTIONS)}:{self._random.choice(VALUES)}"
            case 1:
                return self._random.choice(VALUES)
            case 2:
                return self._random.choice(ODD)
            case 3:
                return self._random.choice(("lgame", "breakthrough", "klopodavka", "klop", "клопи", "chess"))
            case 4:
                return "".join(self._random.choices(self._letters, k=self._random.randint(1, 12)))
            case _:
                return self._random.choice(self._words)

    def _move(self, move: Move) -> str:
        text = move.text
        if self._random.random() < 0.2:
            text = "".join(self._random.choices("abcdefgh12345678 -xnL,авсе", k=self._random.randint(1, 14)))
        elif self._random.random() < 0.85:
            text = self._spoilt(text)
        match self._random.randrange(10):
            case 0:
                return text
            case 1 | 2:
                return f"/move {text}"
            case _:
                return f"/move #{move.code} {text}"

    def _spoilt(self, text: str) -> str:
        """A text with a few characters gone, doubled, swapped or replaced."""
        letters = list(text)
        for _ in range(self._random.randint(1, 3)):
            if not letters:
                break
            at = self._random.randrange(len(letters))
            match self._random.randrange(5):
                case 0:
                    del letters[at]
                case 1:
                    letters.insert(at, letters[at])
                case 2:
                    letters[at] = self._random.choice("abcdefghijxnL0123456789- ,")
                case 3:
                    letters[at] = self._random.choice(self._letters)
                case _:
                    letters.insert(at, self._random.choice(ODD))
        return "".join(letters)

    def _talk(self) -> str:
        words = [self._word() for _ in range(self._random.randint(0, 6))]
        return " ".join(words)

    def _long(self) -> str:
        filling = self._random.choice((*self._letters[:3], "9", "a1 ", "\u202e", "\x00", "-", "L ", "#", ":"))
        start = self._random.choice(("", "/move ", "/import ", "/challenge ", "/", "/new lgame points:"))
        return f"{start}{filling * (10_000 // len(filling))}"
