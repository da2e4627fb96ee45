"""The contract that every game keeps: see docs/adding-a-game.md."""

from rules.core.diagram import TURN, Area, Arrow, Diagram, Kind, Mark, Piece, Sign, Zone
from rules.core.errors import AmbiguousMove, BadNotation, BadOption, Field, IllegalMove, RulesError
from rules.core.evaluation import guess, squashed
from rules.core.fork import MAX_STEPS, Fork, Picks, Step, narrow, pick_one, picked_squares, take, walk
from rules.core.game import AnyGame, Game, Highlights, Sides
from rules.core.grid import Grid, sq
from rules.core.lesson import Lesson
from rules.core.notation import Notation
from rules.core.options import Number, OneOf, Option, Schema, Size, Squares
from rules.core.outcome import Ending, Outcome
from rules.core.perft import perft, split
from rules.core.phrase import Phrase
from rules.core.position import Position
from rules.core.reasons import Legality, OptionReason, Reason, Spelling
from rules.core.seat import MAX_SEATS, SEATS, Seat
from rules.core.square import Square
from rules.core.text import MAX_READINGS, MAX_TEXT, as_typed, bare_move, fold, fold_move, quoted, readings
from rules.core.threat import Threat

__all__ = [
    "MAX_READINGS",
    "MAX_SEATS",
    "MAX_STEPS",
    "MAX_TEXT",
    "SEATS",
    "TURN",
    "AmbiguousMove",
    "AnyGame",
    "Area",
    "Arrow",
    "BadNotation",
    "BadOption",
    "Diagram",
    "Ending",
    "Field",
    "Fork",
    "Game",
    "Grid",
    "Highlights",
    "IllegalMove",
    "Kind",
    "Legality",
    "Lesson",
    "Mark",
    "Notation",
    "Number",
    "OneOf",
    "Option",
    "OptionReason",
    "Outcome",
    "Phrase",
    "Picks",
    "Piece",
    "Position",
    "Reason",
    "RulesError",
    "Schema",
    "Seat",
    "Sides",
    "Sign",
    "Size",
    "Spelling",
    "Square",
    "Squares",
    "Step",
    "Threat",
    "Zone",
    "as_typed",
    "bare_move",
    "fold",
    "fold_move",
    "guess",
    "narrow",
    "perft",
    "pick_one",
    "picked_squares",
    "quoted",
    "readings",
    "split",
    "sq",
    "squashed",
    "take",
    "walk",
]
