"""The forms that events have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from play.events import entries
from play.events.cup import CUP
from play.events.entries import Entry
from play.events.event import Form, Rules
from play.events.ladder_rules import LADDER
from play.events.league_rules import LEAGUE

RULES: Final[Mapping[Form, Rules]] = {Form.CUP: CUP, Form.LADDER: LADDER, Form.LEAGUE: LEAGUE}
"""By form: what it decides."""

ENTRIES: Final[tuple[type[Entry], ...]] = (
    *entries.COMMON,
    *(kind for rules in RULES.values() for kind in rules.entries),
)
"""All kinds of entries that a log can hold."""
