"""Small versions of pictures, for boards that are no longer played on."""

from __future__ import annotations

from io import BytesIO
from typing import Final

from PIL import Image

SMALL: Final = 200
"""Pixels of the longer side."""


def thumbnail(picture: bytes) -> bytes:
    """Return a small version of a PNG file."""
    with Image.open(BytesIO(picture)) as image:
        small = image.convert("RGB")
    small.thumbnail((SMALL, SMALL), Image.Resampling.LANCZOS)
    held = BytesIO()
    small.save(held, "PNG", optimize=True)
    return held.getvalue()
