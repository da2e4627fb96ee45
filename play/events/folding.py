"""Folds: states replayed from a log entry by entry, and from there on when the log grows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from copy import copy
from typing import Generic, Self, TypeVar

from play.events.entries import Entry

S = TypeVar("S")


class Fold(ABC, Generic[S]):
    """A state under way; mutable, so that a log is replayed in linear time.

    A fold defines `add`, a `singledispatchmethod` with a case for each kind of entry that changes something. Its attributes
    are lists, dicts and sets of values that never change, or such values.
    """

    @abstractmethod
    def add(self, entry: Entry) -> None:
        """Add an entry to the state.

        Raises:
            ValueError: it cannot stand there.
        """

    @abstractmethod
    def state(self) -> S:
        """Return the state as it is now; the fold is not changed after that, only copied (`after`)."""

    def after(self, entries: Iterable[Entry]) -> Self:
        """Return another fold that has more entries than this one.

        Raises:
            ValueError: an entry that cannot stand there.
        """
        made = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, list | dict | set):
                setattr(made, name, value.copy())
        # A singledispatchmethod is bound anew at each call, which takes longer than most cases of it.
        case = vars(type(self))["add"].dispatcher.dispatch
        for entry in entries:
            case(type(entry))(made, entry)
        return made
