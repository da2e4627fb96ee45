"""The questions of an order: each button leads to another one, and all of them to an order that can be made."""

from __future__ import annotations

import random

import pytest

from bot.chat.i18n import LANGUAGES, words
from bot.features.matches.setup_questions import OPTIONS, MatchSetup, ask
from rules import GAMES


@pytest.mark.parametrize("kind", ["c", "cann", "n"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_button_leads_to_another_question_or_to_a_whole_order(language: str, kind: str) -> None:
    luck, wholes = random.Random(kind), 0
    for _ in range(40):
        order = MatchSetup(kind)
        for _ in range(30):
            view = ask(GAMES, order, words(language), {"ann": "ann"} if len(kind) > 1 else {})
            if view is None:
                break
            labels = [button.label for button in view.buttons]
            assert len(set(labels)) == len(labels) > 1, (str(order), labels)
            further = [MatchSetup.read(button.data.argument) for button in view.buttons]
            assert order not in further
            assert any(each.rated != order.rated for each in further) <= (not order.clock)
            order = luck.choice(further)
        else:
            continue
        wholes += 1
        game = GAMES[order.game]
        options = game.choose(order.chosen(game))
        assert order.clock
        assert not order.clock.startswith(OPTIONS)
        assert not order.rated or (game.ratable(options) and order.engine is None)
    assert wholes > 10
