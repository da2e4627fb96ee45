"""/config, for the admins of a place, and /end, for them and for players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from bot.chat import arguments
from bot.chat.arguments import Access, HelpTopic
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, no_such_word, only_reading, shown
from bot.chat.game_words import find_game
from bot.chat.grammar import NO, OFF, YES, switch
from bot.chat.i18n import LANGUAGES, read_hour, read_language, read_zone
from bot.chat.i18n import words as words_for
from bot.chat.match_lookup import Retry
from bot.chat.quotas import FREE
from bot.chat.registry import DAILY_PUZZLE_CHOSEN, Registry
from bot.chat.view import Message, theme_of
from bot.features.matches.playing import answer
from bot.features.people import panels
from bot.features.people.panels import ADMINS, PLAYERS, Panel, asked, card, choices, place_lines
from bot.features.people.settings import chosen, read_quiet
from play.actions.agreeing import Propose
from play.actions.leaving import End
from play.match import Ask, Match
from play.settings import MOST_MATCHES, DailyPuzzle, OldBoards, Settings
from play.time.timers import untimed
from rules.core import AnyGame

registry: Final = Registry()

_ALL: Final = frozenset({"all", "any", "усі", "всі", "все"})
_NO_LIMIT: Final = OFF | {"0"}
_ENDS: Final = {
    **dict.fromkeys((ADMINS, "admin", "адміни", "админы"), True),
    **dict.fromkeys((PLAYERS, "player", "гравці", "игроки"), False),
}
_REMOVE: Final = frozenset({"remove", "вилучити", "исключить"})
_CHOSEN: Final = ("quiet", "zone", "theme", "hints")  # settings that places and persons have


@registry.command(
    "config",
    arguments.choice("language", *LANGUAGES),
    arguments.text("games", named=True),
    arguments.text("most", named=True),
    arguments.choice("threads", "on", "off"),
    arguments.choice("old-boards", *OldBoards),
    arguments.PAGE,
    arguments.QUIET,
    arguments.ZONE,
    arguments.choice("end", "admins", "players"),
    arguments.HINTS,
    arguments.THEME,
    arguments.text("puzzle", named=True),
    topic=HelpTopic.OPTIONS,
    access=Access.ADMINS,
    button=Verb.CONFIG,
    finishing=False,
)
async def config(context: Context) -> Sequence[Message]:
    """`/config games:lgame,breakthrough most:5 threads:on quiet:23-8 end:admins hints:off puzzle:9`; alone, what is chosen."""
    await context.admins_only()
    spec, typed = context.commands["config"], context.command.chosen()
    question, games = asked(context, spec), context.table.games
    if context.services.config.page_url is None and (question == "page" or "page" in typed):
        raise CommandError(BadCommand.NO_PAGE)
    if not context.visitor.threads and "threads" in typed and switch(typed["threads"]):
        raise CommandError(BadCommand.NO_THREADS)

    def change(now: Settings, typed: Mapping[str, str]) -> Settings:
        return _governed(games, now, typed)

    place = context.visitor.place
    new = await context.store.settings.change(place, lambda now: change(now, typed))
    if "puzzle" in typed or "zone" in typed:
        await DAILY_PUZZLE_CHOSEN.all(context.store, place, new, context.at)
    if "language" in typed and new.language:
        context = replace(context, words=words_for(new.language))
    lines = dict(place_lines(new, games, theme_of(new), context.words))
    if context.services.config.page_url is None:
        del lines["page"]
    panel = Panel(Verb.CONFIG, "", lines, choices(context, spec, new, change))
    return [context.private(card(context, spec, panel, question))]


def _governed(games: Mapping[str, AnyGame], now: Settings, typed: Mapping[str, str]) -> Settings:
    for key, value in typed.items():
        match key:
            case "language":
                language = read_language(value)
                if language is None:
                    raise CommandError(BadCommand.BAD_LANGUAGE, text=shown(value), languages=panels.spoken())
                now = replace(now, language=language)
            case "games":
                now = replace(now, games=_games(games, value))
            case "most":
                now = replace(now, most=_most(value))
            case "threads" | "page":
                switched: dict[str, Any] = {key: switch(value)}
                now = replace(now, **switched)
            case "oldboards":  # a typed key comes without its hyphen
                now = replace(now, old_boards=_old_boards(value))
            case "end":
                now = replace(now, ends=_ends(value))
            case _ if key not in (*_CHOSEN, "puzzle"):
                raise no_such_word(key)
    return _by_the_hour(now, typed)


def _by_the_hour(now: Settings, typed: Mapping[str, str]) -> Settings:
    """Return settings with the daily puzzle, quiet hours and the other choices changed; they share one time zone."""
    own = {key: value for key, value in typed.items() if key in _CHOSEN}
    if "puzzle" in typed:
        text, puzzle = typed["puzzle"], None
        if text.casefold() not in OFF:
            at = only_reading(read_hour(text), text, BadCommand.BAD_PUZZLE_HOUR)
            puzzle = DailyPuzzle(at, now.place_zone)
        now = replace(now, puzzle=puzzle)
    if "zone" not in own and (hours := read_quiet(own.get("quiet", "off"))) and hours[2]:
        own["zone"] = hours[2]
    if now.puzzle is not None and "zone" in own:
        zone = only_reading(read_zone(own["zone"]), own["zone"], BadCommand.BAD_ZONE)
        now = replace(now, puzzle=replace(now.puzzle, zone=zone))
        if now.quiet is None and "quiet" not in own:
            del own["zone"]
    elif now.puzzle is not None and "quiet" in own and now.quiet is None:
        own["zone"] = now.puzzle.zone
    return chosen(now, own, person=False)


def _games(games: Mapping[str, AnyGame], text: str) -> tuple[str, ...]:
    if text.casefold() in _ALL:
        return ()
    keys = []
    for name in filter(None, (part.strip() for part in text.split(","))):
        game = find_game(games, name)
        if game is None:
            known = ", ".join(games)
            raise CommandError(BadCommand.NO_SUCH_GAME_HERE, text=shown(name), known=known)
        keys.append(game.key)
    return tuple(key for key in games if key in keys)


def _most(text: str) -> int:
    if text.casefold() in _NO_LIMIT:
        return 0
    if text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= MOST_MATCHES:
        return int(text[:6])
    raise CommandError(BadCommand.BAD_MOST, text=shown(text), limit=MOST_MATCHES)


def _old_boards(text: str) -> OldBoards:
    try:
        return OldBoards(text.casefold())
    except ValueError:
        raise CommandError(BadCommand.BAD_OLD_BOARDS, text=shown(text), known=", ".join(OldBoards)) from None


def _ends(text: str) -> bool:
    ends = _ENDS.get(text.casefold())
    if ends is None:
        raise CommandError(BadCommand.BAD_END, text=shown(text))
    return ends


@registry.command(
    "end",
    arguments.VOTE,
    arguments.MATCH,
    topic=HelpTopic.OPTIONS,
    button=Verb.END,
    cost=FREE,
    finishing=True,
)
async def end(context: Context) -> Sequence[Message]:
    """`/end #k7q2mz`: by an admin, a match of this place; by its players, one without a clock. There is no winner.

    `/end remove` is to remove the player on turn; with yes or no it answers either question.
    """
    word, code, finder = context.command.rest.casefold(), context.command.code, context.finder
    if word in YES | NO:
        asks = [finder.asked(Ask.REMOVE), *([finder.asked(Ask.REMOVE, own=True)] if word in NO else [])]
        near = [match for match in await finder.within_reach() if match.id.startswith(code or "")]
        removing = any(asked(match) for match in near for asked in asks)
        return await answer(context, Ask.REMOVE if removing else Ask.END, yes=word in YES)
    if word not in _REMOVE:
        context.no_words()

    def votes(match: Match) -> bool:
        return finder.mine(match) and untimed(match)

    ask = Ask.REMOVE if word else Ask.END
    named = await finder.named(code) if code else None
    admin = not word and context.place.ends and await context.visitor.is_admin()
    if not admin and (votes(named) if named else await finder.fitting(votes)):
        return await context.act(await context.match(votes, retry=Retry(Verb.VOTE, ask.value)), Propose(ask))
    await context.admins_only()
    if not context.place.ends:
        raise CommandError(BadCommand.ENDS_OFF)
    match = named
    if match is None:
        match = await context.match(lambda match: _made_here(context, match), retry=Retry(Verb.END))
    if not _made_here(context, match):
        raise CommandError(BadCommand.MADE_ELSEWHERE)
    return await context.act(match, End())


def _made_here(context: Context, match: Match) -> bool:
    return match.addresses[:1] == (context.visitor.place,)
