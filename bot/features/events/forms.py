"""Every form of events: a module of this folder for each module of rules in `play.events`, with the same name."""

from __future__ import annotations

from importlib import import_module

from bot.features.events.parts import FORMS
from play.events.forms import FORMS as RULES

FORMS.update({name: import_module(f"{__package__}.{name}").FORM for name in RULES})
