"""How pictures look to people who see fewer colours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from PIL import Image, ImageChops, ImageStat

from render.picture.canvas import Colour
from render.picture.markings import Patch, palette
from render.picture.themes import BoardPattern, Theme

Matrix: TypeAlias = tuple[tuple[float, float, float], ...]

# Machado, Oliveira, Fernandes: A Physiologically-based Model for Simulation of Color Vision Deficiency, IEEE
# Transactions on Visualization and Computer Graphics 15 (6), 2009: severity 1.0, for linear RGB.
_COMPLETE: Final[Mapping[str, Matrix]] = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
    # All light and no colour: the luminance of sRGB (Rec. 709), as on a grey screen or print.
    "grey": ((0.2126, 0.7152, 0.0722),) * 3,
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
}

SIGHTS: Final = tuple(_COMPLETE)


def _linear(part: int) -> float:
    share = part / 255
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4


def _encoded(light: float) -> int:
    light = min(1.0, max(0.0, light))
    return round(255 * (12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055))


def seen(colour: Colour, sight: str) -> Colour:
    """A colour as a person sees it."""
    linear = tuple(map(_linear, colour))
    red, green, blue = (
        _encoded(sum(share * part for share, part in zip(row, linear, strict=True)))
        for row in _COMPLETE[sight]
    )
    return red, green, blue


def looks(patch: Patch, theme: Theme, pattern: BoardPattern, sight: str) -> Image.Image:
    """A piece of a picture as a person sees it."""
    image = Image.frombytes("P", (len(patch[0]), len(patch)), b"".join(patch))
    image.putpalette([part for colour in palette(theme, pattern).colours for part in seen(colour, sight)])
    return image.convert("RGB")


def distance(one: Image.Image, other: Image.Image) -> float:
    """How much two images differ: the mean over all pixels of the largest difference of a channel, 0 to 1."""
    red, green, blue = ImageChops.difference(one, other).split()
    largest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return float(ImageStat.Stat(largest).mean[0]) / 255
