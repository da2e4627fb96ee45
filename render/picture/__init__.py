"""Diagrams as pictures. The only package that knows Pillow."""

from render.picture.painter import (
    LruCache,
    Painter,
    PainterDown,
    Unpaintable,
    thumbnail,
    vector_cells,
    vector_piece,
)
from render.picture.panels import Panels, paint_panels
from render.picture.sheet import Sheet, SheetRow, Tone, paint_sheet
from render.picture.strip import Strip, StripLine
from render.picture.themes import RenderOptions, Theme
