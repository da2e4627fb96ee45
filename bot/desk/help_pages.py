"""Help: the list of commands, and a page about one of them or about clocks, plans, engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from bot.callback_data import Verb
from bot.desk import arguments
from bot.desk.arguments import Argument, ArgumentType
from bot.desk.command_spec import names_of
from bot.desk.context import Context
from bot.desk.errors import BadCommand, CommandError, shown
from bot.desk.registry import Registry
from bot.i18n import Words
from bot.presenter import cards, greeting
from bot.view import Message, View

registry: Final = Registry()

TOPICS: Final[Mapping[str, frozenset[str]]] = {
    "clock": frozenset({"clock", "clocks", "time", "годинник", "час", "контроль", "часы", "время"}),
    "plan": frozenset({"plan", "plans", "if", "план", "плани", "планы", "якщо", "если"}),
    "engines": frozenset(
        {
            *("engines", "engine", "bots", "bot", "level", "levels"),
            *("рушії", "рушій", "боти", "бот", "рівні"),
        }
        | {"движки", "движок", "боты", "уровни"}
    ),
}
"""The pages that are about no single command, and what they are called."""

_FEW: Final = 5  # words of a choice that are all named


@registry.command("help", arguments.HELP_PAGE, button=Verb.HELP)
async def help_(context: Context) -> Sequence[Message]:
    """`/help`: every command in a line; `/help clock`, `/help move`: a page."""
    wanted = context.command.rest.casefold().strip().removeprefix("/")
    if wanted:
        return [context.private(_page(context, wanted))]
    view = cards.help_card(tuple(context.commands), context.words, numbered=not context.visitor.buttons)
    if context.visitor.buttons:
        view = replace(view, buttons=(greeting.play(context.words), greeting.rules(context.words)))
    return [context.private(view)]


def _page(context: Context, wanted: str) -> View:
    words = context.words
    topic = next((topic for topic, called in TOPICS.items() if wanted in called), None)
    spec = names_of(tuple(context.commands.values())).get(wanted)
    if topic is not None:
        parts = cards.paragraphs(words(f"bot.help.page.{topic}"))
        if topic == "engines" and context.resources.engines:
            names = ", ".join(f"engine:{name}" for name in sorted(context.resources.engines))
            parts.append(words("bot.help.programs", names=names))
        return View(lines=tuple(cards.apart(parts)))
    if spec is None:
        raise CommandError(BadCommand.NO_SUCH_PAGE, text=shown(wanted), pages=", ".join(TOPICS))
    lines = [words(f"bot.help.{spec.name}")]
    lines += [
        words("bot.help.argument", form=form_of(each, words), what=words(f"bot.slash.arg.{each.name}.what"))
        for each in spec.arguments
    ]
    if spec.topics:
        lines.append(words("bot.help.more", pages=" · ".join(f"/help {topic}" for topic in spec.topics)))
    return View(lines=tuple(lines))


def form_of(argument: Argument, words: Words) -> str:
    """How an argument is typed: `#k7q2mz`, `side:first|second`, `<person>`, which is a name for what stands there."""
    if argument.type is ArgumentType.MATCH:
        return "#k7q2mz"
    few = len(argument.words) <= _FEW
    value = "|".join(argument.words) if few else f"{argument.words[0]}–{argument.words[-1]}"
    value = value or "…"
    if argument.named:
        return f"{argument.name}:{value}"
    return value if argument.words else f"<{words(f'bot.slash.arg.{argument.name}.name')}>"
