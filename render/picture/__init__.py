"""Diagrams as pictures. The only package that knows Pillow."""

from render.picture.painter import Painter, Shelf, Unpaintable
from render.picture.strip import Strip, StripLine
from render.picture.themes import Theme

__all__ = ["Painter", "Shelf", "Strip", "StripLine", "Theme", "Unpaintable"]
