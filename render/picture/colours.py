"""Colours as numbers: mixing them, and how well one is read on another."""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

Colour: TypeAlias = tuple[int, int, int]
"""Red, green and blue in sRGB, 0 to 255."""

LIGHTEST: Colour = (255, 255, 255)
DARKEST: Colour = (18, 20, 24)


def rgb(text: str) -> Colour:
    """A colour from its six hexadecimal digits."""
    red, green, blue = bytes.fromhex(text)
    return red, green, blue


@cache
def mix(one: Colour, other: Colour, share: float) -> Colour:
    """A colour between two: `share` of the other one, 0 to 1."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def luminance(colour: Colour) -> float:
    """Relative luminance as WCAG 2.2 defines it, 0 to 1."""
    linear = (part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour)
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: Colour, other: Colour) -> float:
    """The contrast ratio of WCAG 2.2, 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@cache
def over(colour: Colour) -> Colour:
    """What to draw in on this colour: near black or white, whichever is read better."""
    return max(DARKEST, LIGHTEST, key=lambda one: contrast(one, colour))
