"""/help and /rules: the commands by topic, a page about each or about clocks, plans, engines; and the rules of each game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from bot.chat import arguments
from bot.chat.arguments import (
    PAGES,
    Access,
    Argument,
    ArgumentType,
    CommandSpec,
    HelpTopic,
    in_all_languages,
    names_of,
)
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, no_such_word, shown
from bot.chat.game_words import find_game, read_words, which_game
from bot.chat.grammar import CHANNEL, Command
from bot.chat.i18n import Words
from bot.chat.presenting import cards
from bot.chat.presenting.cards import BULLET, apart, learn, paragraphs
from bot.chat.presenting.forecast import weaker
from bot.chat.presenting.naming import game_title, is_switch
from bot.chat.registry import Registry
from bot.chat.view import Button, Message, View, ViewKind
from bot.features.matches.setup_questions import LEVELS, MatchSetup
from rules.core import AnyGame, Number, OneOf, Option, Size


def rules_card(game: AnyGame, chosen: Mapping[str, str], words: Words, *, choices: bool = True) -> View:
    """The rules card of a game as it is with the chosen options; without any, what there is to choose, if that is wanted."""
    title = words("bot.rules.title", game=game_title(game, chosen, words))
    lines = apart(
        [title, *(part for key in _rules_keys(game, chosen, words) for part in paragraphs(words(key)))]
    )
    if choices and not chosen:
        lines += ["", words("bot.rules.options", example=_example(game))]
        lines += [BULLET + _offer(game, option, words) for option in game.schema.options]
        if game.schema.presets:
            lines += ["", words("bot.rules.presets")]
            lines += [BULLET + _ready_made(game, name, words) for name in game.schema.presets]
    return View(lines=tuple(lines))


def _example(game: AnyGame) -> str:
    word = next((o for o in game.schema.options if isinstance(o, OneOf)), None)
    option = f" {word.key}:{word.offered[-1]}" if word else ""
    return f"/challenge bob {game.key}{option}"


def _ready_made(game: AnyGame, name: str, words: Words) -> str:
    label = words(f"{game.key}.preset.{name}")
    return name if label.replace(" ", "-").replace("×", "x") == name else f"{name} — {label}"


def _offer(game: AnyGame, option: Option, words: Words) -> str:
    if isinstance(option, OneOf):
        values = "|".join(option.offered)
    elif isinstance(option, Number):
        values = f"{option.low}{'|' if is_switch(option) else '–'}{option.high}"
    elif isinstance(option, Size):
        values = f"{option.files[0]}x{option.ranks[0]}–{option.files[1]}x{option.ranks[1]}"
    else:
        values = "a1,b2"
    label = words(f"{game.key}.option.{option.key}")
    return f"{option.key}:{values}" + ("" if label == option.key else f" — {label}")


def games_card(offered: Sequence[AnyGame], words: Words) -> View:
    """Every game there is, a line each."""
    lines = [words("bot.rules.which")]
    for game in offered:
        name, summary = words(f"{game.key}.name"), words(f"{game.key}.summary")
        lines.append(words("bot.rules.game", key=game.key, game=name, summary=summary))
    return View(lines=tuple(lines))


def rules_of(games: Iterable[AnyGame], words: Words) -> tuple[Button, ...]:
    """A button for the rules of each game."""
    return tuple(
        Button(words(f"{game.key}.name"), CallbackData.without_match(Verb.RULES, game.key)) for game in games
    )


def variants_of(game: AnyGame, words: Words) -> tuple[Button, ...]:
    """A button for the rules of each ready-made setting that changes them, and one to play."""
    buttons = [Button(words("bot.greeting.play"), MatchSetup("c", game=game.key).data, style="good")]
    for preset in game.schema.presets:
        label = words(f"{game.key}.preset.{preset}")
        data = CallbackData.without_match(Verb.RULES, f"{game.key}/{preset}")
        if game.describe(game.choose({"preset": preset})) and data.fits:
            buttons.append(Button(label, data))
    return tuple(buttons)


def lesson_of(game: AnyGame, words: Words) -> tuple[Button, ...]:
    """Return the button that begins the lesson of a game, where it has one."""
    return (learn(words, game.key),) if game.lesson else ()


def _rules_keys(game: AnyGame, chosen: Mapping[str, str], words: Words) -> list[str]:
    """Catalogue keys of a game's rules as they are with what was chosen: each topic once, then what is added."""
    own, changes = f"{game.key}.rules", _changes(game, chosen)
    keys = [] if game.topics else [own]
    for topic in game.topics:
        known = [f"{own}.{topic}", *(f"{own}.{topic}.{change}" for change in changes)]
        keys += [key for key in known if words.has(key)][-1:]
    return [*keys, *(key for change in changes if words.has(key := f"{own}.{change}"))]


def _changes(game: AnyGame, chosen: Mapping[str, str]) -> list[str]:
    keys = []
    for option in game.schema.options:
        text = chosen.get(option.key, option.default)
        if isinstance(option, OneOf):
            keys.append(f"{option.key}.{text}")
        elif option.key in chosen:
            keys.append(option.key)
    return keys


registry: Final = Registry()


@registry.command("rules", arguments.GAME, arguments.OPTIONS, topic=HelpTopic.BASICS, finishing=False)
async def rules(context: Context) -> Sequence[Message]:
    """`/rules lgame scoring`; `/rules` alone, of the match here."""
    game: AnyGame | None = None
    chosen = context.command.chosen()
    words = [*filter(None, [chosen.pop("game", "")]), *context.command.words]
    if words:
        game = find_game(context.table.games, words[0])
        if game is None:
            raise which_game(context, words[0])
        chosen, left = read_words(game, words[1:], chosen)
        if left:
            raise no_such_word(left[0])
    if game is None and not chosen:
        return [context.private(await _rules_here(context))]
    if game is None:
        raise which_game(context)
    described = game.describe(game.choose(chosen)) if chosen else {}
    view = rules_card(game, described, context.words)
    buttons = lesson_of(game, context.words)
    if context.visitor.buttons:
        buttons += variants_of(game, context.words)
    return [context.private(replace(view, buttons=buttons))]


@registry.button(Verb.RULES, finishing=False, kind=ViewKind.CARD)
async def _rules(context: Context, button: CallbackData) -> Sequence[Message]:
    key, *chosen = button.argument.split("/")
    parts = (each.rpartition(":") for each in chosen if each)
    options = {option or "preset": value for option, _, value in parts}
    return await rules(replace(context, command=Command.of("rules", *filter(None, [key]), options=options)))


async def _rules_here(context: Context) -> View:
    finder = context.finder
    if context.command.code:
        match = await finder.named(context.command.code)
    elif found := await finder.fitting(finder.mine, finder.entered):
        match = found[0]
    else:
        games = list(context.table.games.values())
        view = games_card(games, context.words)
        return replace(view, buttons=rules_of(games, context.words)) if context.visitor.buttons else view
    game = context.game(match)
    described = dict(match.options)
    view = rules_card(game, described, context.words, choices=False)
    return replace(view, buttons=lesson_of(game, context.words))


OPPOSITES: Final = {
    "pause": "resume",
    "cup": "ladder",
    "join": "leave",
    "exclude": "admit",
    "block": "unblock",
    "link": "unlink",
    "privacy": "forgetme",
}
"""Commands that stand in one line of a topic: opposites, and two kinds of one thing."""

_SHOWN: Final = "• "  # begins the label of what is shown


@registry.command("help", arguments.HELP_PAGE, topic=HelpTopic.BASICS, finishing=False)
async def help_(context: Context) -> Sequence[Message]:
    """`/help`: the first topic; `/help match`, `/help clock`, `/help move`: another topic or page."""
    return [context.private(_found(context, context.command.rest))]


@registry.button(Verb.HELP, finishing=False, kind=ViewKind.CARD)
async def turn_page(context: Context, button: CallbackData) -> Sequence[Message]:
    """Show the topic or page that a button names; without one the first topic."""
    return [context.private(_found(context, button.argument), ViewKind.PAGE if button.argument else None)]


def _found(context: Context, asked: str) -> View:
    wanted = asked.casefold().strip().removeprefix("/")
    if not wanted:
        return _topic(context, HelpTopic.BASICS)
    for key, page in PAGES.items():
        if wanted in page.called:
            return _page(context, key)
    wanted = "vote" if wanted in CHANNEL else wanted
    if spec := names_of(tuple(context.commands.values())).get(wanted):
        return _command(context, spec)
    for topic in HelpTopic:
        if wanted in (topic, *map(str.casefold, in_all_languages(f"bot.help.topic.{topic}"))):
            return _topic(context, topic)
    raise CommandError(BadCommand.NO_SUCH_PAGE, text=shown(wanted), pages=", ".join(PAGES))


def _topic(context: Context, topic: HelpTopic) -> View:
    words, pressed = context.words, context.visitor.buttons
    lines = [words(f"bot.help.topic.{topic}")]
    lines += [words("bot.help.first")] if topic is HelpTopic.BASICS else []
    for spec in context.commands.values():
        if spec.topic is topic and spec.name not in OPPOSITES.values():
            beside = OPPOSITES.get(spec.name)
            line = [spec, *([context.commands[beside]] if beside else [])]
            lines.append(" · ".join(_line(each, words) for each in line))
    buttons = _around(words, topic)
    if topic is HelpTopic.BASICS:
        lines += [] if pressed else [words("bot.help.tail")]
        offered = cards.against_computer, cards.play, cards.learn, cards.rules_button
        buttons += tuple(each(words) for each in offered) if pressed else ()
    return View(lines=tuple(lines), buttons=buttons)


def _line(spec: CommandSpec, words: Words) -> str:
    what = words(f"bot.slash.{spec.name}.what")
    line = f"/{spec.name} — {what[0].lower()}{what[1:]}"
    return words("bot.help.for-admins", line=line) if spec.access is Access.ADMINS else line


def _page(context: Context, key: str) -> View:
    words = context.words
    parts = cards.paragraphs(words(f"bot.help.page.{key}"))
    if key == "engines" and (programs := context.services.config.engines):
        names = ", ".join(f"engine:{name}" for name in sorted(programs))
        parts.append(words("bot.help.programs", names=names))
    if key == "engines":
        for game in context.table.games.values():
            less = " ".join(weaker(game, map(str, LEVELS), words))
            parts += [words("bot.help.weaker", game=words(f"{game.key}.name"), levels=less)] if less else []
    return View(lines=tuple(cards.apart(parts)), buttons=_around(words, PAGES[key].topic, page=key))


def _command(context: Context, spec: CommandSpec) -> View:
    words = context.words
    lines = words(f"bot.help.{spec.name}").split("\n")
    lines += [
        words("bot.help.argument", form=form_of(each, words), what=words(each.what))
        for each in spec.arguments
    ]
    return View(lines=tuple(lines), buttons=_around(words, spec.topic, command=spec.name))


def _around(words: Words, topic: HelpTopic, *, page: str = "", command: str = "") -> tuple[Button, ...]:
    pages = [
        key for key, each in PAGES.items() if (command in each.about if command else each.topic is topic)
    ]
    return (
        *(_button(each, words(f"bot.help.topic.{each}"), marked=each is topic) for each in HelpTopic),
        *(_button(key, words(f"bot.help.label.{key}"), marked=key == page) for key in pages),
    )


def _button(key: str, label: str, *, marked: bool) -> Button:
    return Button(f"{_SHOWN}{label}" if marked else label, CallbackData.without_match(Verb.HELP, key))


def form_of(argument: Argument, words: Words) -> str:
    """How an argument is typed: `#k7q2mz`, `side:first|second`, `<person>`, which is a name for what stands there."""
    if argument.type is ArgumentType.MATCH:
        return "#k7q2mz"
    levels = all(word.isdigit() for word in argument.words)
    value = (
        f"{argument.words[0]}–{argument.words[-1]}" if argument.words and levels else "|".join(argument.words)
    )
    value = value or "…"
    if argument.named:
        return f"{argument.name}:{value}"
    return value if argument.words else f"<{words(f'bot.slash.arg.{argument.name}.name')}>"
