"""Looking: /board, /games, /watch, /rules, /help, /language, /export, /import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bot.actions import Action, Verb
from bot.desk.errand import Errand, Handler, Pressed, no_such_word
from bot.desk.grammar import BadCommand, CommandError
from bot.desk.invitations import choice, find_game
from bot.desk.which import SeveralFit
from bot.i18n import LANGUAGES, read_language
from bot.i18n import words as words_for
from bot.presenter import boards, cards
from bot.view import Message, View
from play.match import Match, Phase
from rules.core import AnyGame

_HERE: Final = frozenset({"here", "room", "chat", "тут", "здесь"})

HELP: Final = (
    "challenge", "new", "accept", "decline", "withdraw", "join", "leave", "start", "move", "undo", "takeback", "draw",
    "resign", "rematch", "board", "games", "watch", "rules", "language", "export", "import", "help",
)  # fmt: skip
"""Every command, in the order of the help card."""


async def board(errand: Errand) -> Sequence[Message]:
    """A match as it stands, for the visitor alone: nobody else asked."""
    return await _board(errand, await _seen(errand))


async def _seen(errand: Errand) -> Match:
    """The match that somebody wants to see: their own, else any that is played here, else the last one."""
    finder = errand.finder
    shown = await errand.match(
        finder.mine, lambda match: match.live, lambda match: match.phase is Phase.OVER, latest=True
    )
    waiting = [match for match in await errand.store.at(errand.visitor.place) if finder.my_turn(match)]
    if errand.command.code or len(waiting) < 2:
        return waiting[0] if waiting and not errand.command.code else shown
    raise SeveralFit(waiting)


async def _board(errand: Errand, match: Match) -> Sequence[Message]:
    return [errand.private(boards.show(errand.game(match), match, errand.course(match), errand.words))]


async def games(errand: Errand) -> Sequence[Message]:
    """Every match of the visitor, in all chats."""
    mine = [match for match in await errand.store.of(errand.visitor.account) if match.live]
    entries = [(errand.game(match), match, errand.course(match)) for match in mine]
    return [errand.private(cards.my_matches(entries, errand.visitor.account, errand.words))]


async def watch(errand: Errand) -> Sequence[Message]:
    """`/watch #k7q2mz` shows a match here too; `/watch off` ends that."""
    off = errand.command.rest.casefold() in ("off", "no", "стоп", "ні", "нет")
    here = errand.visitor.place
    if off and not errand.command.code:
        match = await errand.match(lambda match: here in match.addresses[1:])
    elif not errand.command.code:
        raise CommandError(BadCommand.NOTHING_FITS)
    else:
        match = await errand.match()
    return await errand.announce(await errand.table.watch(match.id, here, on=not off))


async def rules(errand: Errand) -> Sequence[Message]:
    """`/rules`, `/rules lgame scoring`; without a game, of the match that is played here."""
    game: AnyGame | None = None
    chosen = dict(errand.command.options)
    for word in errand.command.words:
        if game is None and (found := find_game(errand.table.games, word)):
            game = found
        elif game is not None and (key := choice(game, word)):
            chosen.setdefault(key, word)
        else:
            raise no_such_word(word)
    if game is None:
        if chosen:
            raise CommandError(BadCommand.WHICH_GAME, known=", ".join(errand.table.games))
        finder = errand.finder
        match = (
            None if errand.command.code else await finder.fitting(finder.mine, finder.entered, latest=True)
        )
        match = await errand.match() if errand.command.code else match
        if match is None:
            return [errand.private(cards.games(list(errand.table.games.values()), errand.words))]
        return [errand.private(cards.rules(errand.game(match), dict(match.options), errand.words))]
    described = game.describe(game.choose(chosen)) if chosen else {}
    return [errand.private(cards.rules(game, described, errand.words))]


async def help_(errand: Errand) -> Sequence[Message]:
    """Every command in a line."""
    return [errand.private(cards.help_card(HELP, errand.words))]


async def language(errand: Errand) -> Sequence[Message]:
    """`/language uk` for oneself, `/language uk here` for the place."""
    words = list(errand.command.words)
    here = any(word.casefold() in _HERE for word in words)
    named = [word for word in words if word.casefold() not in _HERE]
    if not named:
        return [errand.private(cards.languages(errand.words))]
    chosen = read_language(named[0])
    if chosen is None:
        raise CommandError(BadCommand.BAD_LANGUAGE, text=named[0][:32], languages=", ".join(LANGUAGES))
    if here:
        await errand.store.set_language(errand.visitor.place, chosen)
        return [Message(errand.visitor.place, cards.language(words_for(chosen), here=True))]
    await errand.store.set_language(errand.visitor.account, chosen)
    return [errand.private(cards.language(words_for(chosen), here=False))]


async def export(errand: Errand) -> Sequence[Message]:
    """A match as a file."""
    finder = errand.finder
    match = await errand.match(
        finder.mine, finder.was_mine, lambda match: match.phase is Phase.OVER, latest=True
    )
    return await _export(errand, match)


async def _export(errand: Errand, match: Match) -> Sequence[Message]:
    text = await errand.table.export(match.id)
    view = View(
        lines=(errand.words("bot.exported", code=f"#{match.id}"),),
        attachment=(f"{match.game}-{match.id}.txt", text),
    )
    return [errand.private(view)]


async def import_(errand: Errand) -> Sequence[Message]:
    """A match from a file's text."""
    if not errand.command.rest.strip():
        raise CommandError(BadCommand.NO_FILE)
    fact = await errand.table.import_file(
        errand.command.rest, errand.visitor.player, errand.visitor.place, at=errand.at
    )
    return await errand.announce(fact)


async def _pressed(errand: Errand, button: Action) -> Sequence[Message]:
    match = await errand.table.get(button.match)
    if button.verb is Verb.BOARD:
        return await _board(errand, match)
    if button.verb is Verb.EXPORT:
        return await _export(errand, match)
    on = button.verb is Verb.WATCH
    return await errand.announce(await errand.table.watch(match.id, errand.visitor.place, on=on))


COMMANDS: Final[Mapping[str, Handler]] = {
    "board": board,
    "games": games,
    "watch": watch,
    "rules": rules,
    "help": help_,
    "language": language,
    "export": export,
    "import": import_,
}

PRESSES: Final[Mapping[Verb, Pressed]] = dict.fromkeys(
    (Verb.BOARD, Verb.EXPORT, Verb.WATCH, Verb.UNWATCH), _pressed
)
