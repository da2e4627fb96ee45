"""/board, /replay, /games, /watch."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from bot.chat import arguments
from bot.chat.arguments import GAME, LINK, MATCH, HelpTopic
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, no_such_word
from bot.chat.game_words import game_names
from bot.chat.grammar import HERE, OFF, Command, switch
from bot.chat.match_lookup import AmongFinished, Retry, sound
from bot.chat.match_notes import noted
from bot.chat.page_links import LINK_KEPT, make_link, page_secret, shown_on_page, to_watch
from bot.chat.presenting import boards
from bot.chat.presenting.boards import FLIPPED, IN_WORDS, UNFLIPPED
from bot.chat.presenting.moments import nothing_due
from bot.chat.presenting.naming import Presentation
from bot.chat.presenting.trying import TryingRefusal, refusal
from bot.chat.quotas import ANIMATIONS, FREE, PICTURES, WATCHES
from bot.chat.registry import BOARDS, MENUS, Registry
from bot.chat.services import weeks_of
from bot.chat.view import Message, View, ViewKind
from bot.features.coaching.asking import can_be_coached
from bot.features.matches import cards
from bot.features.matches.time_control import gifts_hosted
from bot.features.talking.allowing import may_talk, talked
from play.actions.agreeing import AskPause, AskTakeback, OfferDraw, Propose, Undo
from play.actions.giving import GiveTime
from play.actions.leaving import Resign
from play.actions.renaming import Watch, show
from play.errors import Refused, Unavailable, WrongPhase
from play.listing import Listed, Waits, waiting
from play.match import Ask, Match, Phase
from play.people import channel
from play.ratings.records import counted
from play.request import Action
from render.picture import RenderOptions

registry: Final = Registry()

_LINK: Final = frozenset({LINK, "page", "browser", "посилання", "браузер", "ссылка"})
_FLIPPED: Final = "flip"
_WAYS: Final = {
    **dict.fromkeys(("words", "text", "словами", "текст", "текстом"), IN_WORDS),
    **dict.fromkeys(("flip", "flipped", "side", "розворот", "розвернути"), _FLIPPED),
    **dict.fromkeys(("разворот", "развернуть"), _FLIPPED),
}

_MORE: Final[tuple[tuple[Verb, Action[Any]], ...]] = (
    (Verb.UNDO, Undo()),
    (Verb.TAKEBACK, AskTakeback()),
    (Verb.DRAW, OfferDraw()),
    (Verb.PAUSE, AskPause()),
    (Verb.VOTE, Propose(Ask.END)),
    (Verb.RESIGN, Resign()),
)
"""What the menu of a match offers to those who would not be refused."""

_TURN: Final = "turn"
_HERE: Final = "here"
_TURNS: Final = frozenset({_TURN, "my", "mine", "waiting", "хід", "мої", "мій", "ход", "мои", "мой"})
_PAGE: Final = re.compile(r"[0-9]{1,3}\Z", re.ASCII)


@registry.command(
    "board",
    MATCH,
    arguments.choice("how", "words", "flip", LINK, named=False),
    topic=HelpTopic.BASICS,
    button=Verb.BOARD,
    cost=PICTURES,
    finishing=True,
    kind=ViewKind.CARD,
)
async def board(context: Context) -> Sequence[Message]:
    """Show a match to the visitor alone; `/board words` in words, `/board flip` from the other side, `/board link` in a browser.

    Their own that waits for them; else another of theirs, else any that is played here, else the last one. Where there is none, the
    link opens the list of their matches.
    """
    finder, linked = context.finder, context.command.rest.casefold() in _LINK
    ways = [] if linked else _ways(context.command)
    if context.command.code or await finder.fitting(finder.my_turn):
        retry = Retry(Verb.PAGE) if linked else Retry(Verb.BOARD, " ".join(ways))
        match = await context.match(finder.my_turn, retry=retry, reads=True)
    else:
        kinds = (finder.mine, lambda match: match.live, AmongFinished(finder.finished))
        if linked and not await finder.fitting(*kinds):
            return await _link(context, None)
        match = await context.match(*kinds, reads=True)
    if linked:
        return await _link(context, match)
    if IN_WORDS in ways and match.phase in (Phase.PLAYING, Phase.OVER):
        return [context.private(cards.in_words(context.present(match)))]
    return await _shown(context, match, flipped=context.flipped(match) is not (_FLIPPED in ways))


def _ways(command: Command) -> list[str]:
    for word in (*command.words, *command.options):
        if word.casefold() not in _WAYS:
            raise no_such_word(word)
    wanted = dict.fromkeys((_WAYS[word.casefold()] for word in command.words), True)
    wanted |= {_WAYS[key.casefold()]: switch(on) for key, on in command.chosen().items()}
    return [way for way, on in wanted.items() if on]


@registry.button(Verb.PAGE, finishing=True)
async def _page_pressed(context: Context, button: CallbackData) -> Sequence[Message]:
    return await _link(context, await context.table.get(button.match))


async def _link(context: Context, match: Match | None) -> Sequence[Message]:
    url = context.services.config.page_url
    if url is None:
        raise CommandError(BadCommand.NO_PAGE)
    if match is not None and not await shown_on_page(context.store.settings, match):
        raise CommandError(BadCommand.PAGE_OFF)
    player = replace(context.visitor.player, account=context.asker)
    code = match.id if match is not None else ""
    urls = [await make_link(context.store.notes, url, player, code, context.words.language)]
    lines = [
        context.words("bot.page-link", url=urls[0])
        if code
        else context.words("bot.page-link.games", url=urls[0]),
        context.words("bot.page-link.once", left=context.words.time_left(LINK_KEPT)),
    ]
    if code and (inside := context.visitor.page) is not None:
        urls.append(inside(to_watch(await page_secret(context.store.notes), code)))
        lines.append(context.words("bot.page-link.inside", url=urls[1]))
    return [context.private(View(lines=tuple(lines), urls=tuple(urls)), secret=True)]


@registry.button(Verb.FLIP, Verb.TEXT, cost=PICTURES, finishing=True, kind=ViewKind.CARD)
async def _flip_or_text(context: Context, button: CallbackData) -> Sequence[Message]:
    match = await context.table.get(button.match)
    text = button.verb is Verb.TEXT
    # Under the shared board: flipped, independently of the visitor's side; as text, from their own side.
    flipped = context.flipped(match) if text else True
    if button.argument:
        flipped = button.argument != UNFLIPPED
    said = boards.last_turn(context.present(match)) if match.phase is Phase.PLAYING else ()
    kind = None if text else ViewKind.PAGE
    return await _shown(context, match, *said, flipped=flipped, text=text, kind=kind)


async def _shown(
    context: Context,
    match: Match,
    *said: str,
    flipped: bool,
    text: bool = False,
    kind: ViewKind | None = None,
) -> Sequence[Message]:
    changes = await counted(context.table, match)
    weeks = await weeks_of(context.store, match)
    presentation = replace(context.present(match, changes), flipped=flipped, weeks=weeks)
    board = await _with_news(context, presentation, boards.show(presentation, *said))
    view = cards.looked_at(board, presentation, text=text)
    view = boards.for_one(view, presentation, context.asker, context.visitor.account)
    return [context.private(view, kind)]


async def _with_news(context: Context, presentation: Presentation, view: View) -> View:
    """Return a board with who wrote to whom, and with what its reader noted and features add."""
    who = (context.visitor.account, *context.own.others)
    own = await noted(context.store.notes, who, presentation.match.id)
    note = (presentation.words("bot.note.under", note=own),) if own else ()
    view = view.ending(*await talked(context.store, presentation), *note)
    return next(iter(await BOARDS.all(context, presentation, view)), view)


async def why_not(context: Context, match: Match) -> TryingRefusal | None:
    """Return why the visitor may not try moves on a board of their own; None: they may."""
    hints = boards.want_hints(await context.store.settings.get_many(*match.addresses))
    plays = context.finder.mine(match) or match.seat_of(channel(context.visitor.place)) is not None
    return refusal(match, plays=plays, hints=hints)


@registry.button(Verb.MORE, finishing=True, kind=ViewKind.CARD)
async def _more(context: Context, button: CallbackData) -> Sequence[Message]:
    match = await context.table.get(button.match)
    if match.phase is not Phase.PLAYING:
        return await _shown(context, match, flipped=context.flipped(match))
    finder = context.finder
    hints = context.services.thinker is not None and bool(await finder.with_hints([match]))
    verbs = [Verb.HINT] if hints and not match.paused else []
    # What is asked already is answered under the board.
    actions = _MORE[:1] + _MORE[-1:] if match.offer else _MORE
    verbs += [verb for verb, action in actions if finder.granted(match, action)]
    if finder.granted(match, GiveTime(hosted=await gifts_hosted(context, match))):
        verbs.insert(0, Verb.MORETIME)
    if Verb.UNDO in verbs and Verb.TAKEBACK in verbs:
        verbs.remove(Verb.TAKEBACK)
    if await why_not(context, match) is None:
        verbs.append(Verb.WHAT_IF)
    if finder.mine(match):
        verbs += [Verb.COACH, Verb.MUTE] if can_be_coached(match) else [Verb.MUTE]
        verbs += [Verb.TELL] if await may_talk(context.store, match) else []
    if context.services.config.page_url is not None and await shown_on_page(context.store.settings, match):
        verbs.append(Verb.PAGE)
    presentation = replace(context.present(match), flipped=button.argument == FLIPPED)
    menu = cards.more(
        presentation, verbs, muted=match.id in context.own.muted, coached=match.game in context.own.coached
    )
    further = [button for found in await MENUS.all(context, presentation) for button in found]
    menu = replace(menu, buttons=(*further, *menu.buttons))
    return [context.private(menu, ViewKind.MENU if Verb.RESIGN in verbs else None)]


@registry.button(Verb.BACK, cost=FREE, finishing=True, kind=ViewKind.BOARD)
async def _back(context: Context, button: CallbackData) -> Sequence[Message]:
    # From a menu, or from a move that is being picked.
    match = await context.table.get(button.match)
    presentation = replace(context.present(match), flipped=button.argument == FLIPPED)
    if match.phase is not Phase.PLAYING:
        return [context.private(boards.show(presentation))]
    view = await _with_news(context, presentation, boards.current_board(presentation))
    if context.visitor.alone:
        view = boards.for_one(view, presentation, context.asker, context.visitor.account)
    return [context.private(view)]


@registry.command(
    "replay",
    MATCH,
    arguments.HERE,
    topic=HelpTopic.REVIEW,
    button=Verb.REPLAY,
    kind=ViewKind.CARD,
    cost=ANIMATIONS,
    finishing=False,
)
async def replay(context: Context) -> Sequence[Message]:
    """Show a match as an animation: `/replay` to the visitor alone, `/replay here` to the place.

    Their own that is under way; else their last, else any here.
    """
    here, finder = context.only_here(), context.finder
    match = await context.match(
        finder.mine,
        AmongFinished(finder.was_mine),
        lambda match: match.phase is Phase.PLAYING,
        AmongFinished(finder.finished),
        reads=True,
    )
    if not match.log or match.phase is Phase.OPEN:
        raise CommandError(BadCommand.NOTHING_PLAYED)
    # A film is kept for all who watch it, so its clocks show the time of the last change.
    presentation = replace(context.present(match, here=here), now=context.table.as_of(match), zone=None)
    context.visitor.accepted()
    film = await context.services.pictures.film(
        (match.id, match.revision, presentation.words.language),
        partial(cards.frames, presentation),
        RenderOptions(presentation.theme, presentation.flipped, scale=1),
    )
    view = cards.replay(presentation, film)
    return [Message(context.visitor.place, view) if here else context.private(view)]


@registry.command(
    "games",
    GAME,
    arguments.choice("only", "turn", "here", named=False),
    topic=HelpTopic.BASICS,
    button=Verb.GAMES,
    finishing=True,
)
async def games(context: Context) -> Sequence[Message]:
    """`/games`: the visitor's matches in all chats; `/games lgame turn`, `/games here`: some of them; `/games 2`: a page."""
    words = [word.casefold() for word in context.command.words]
    number = next((int(word) for word in words if _PAGE.match(word)), 1)
    wishes = {**dict.fromkeys(HERE, _HERE), **dict.fromkeys(_TURNS, _TURN), **game_names(context.table.games)}
    words = [word for word in words if not _PAGE.match(word)]
    for word in words:
        if word not in wishes:
            raise no_such_word(word)
    known = [wishes[word] for word in words]
    mine = [
        match
        for match in await context.store.matches.of(context.visitor.account)
        if sound(context.table, match)
    ]
    courses = [(match, context.course(match)) for match in mine]
    entries: Sequence[Listed] = waiting(context.visitor.account, courses, context.now)
    turns = sum(entry.waits is Waits.MOVE and entry.match.phase is Phase.PLAYING for entry in entries)
    free = nothing_due(entries, context.own, context.at, context.words)
    entries = [entry for entry in entries if _fits(context, entry, known)]
    pages = max(1, -(-len(entries) // cards.PAGE))
    number = min(max(number, 1), pages)
    entries = entries[(number - 1) * cards.PAGE : number * cards.PAGE]
    listed = [(context.present(entry.match), entry) for entry in entries]
    page = cards.ListPage(number, pages, turns, " ".join(known), free)
    view = cards.my_matches(listed, context.visitor.place, context.words, page)
    return [context.private(replace(view, links=await _links(context, [entry.match for entry in entries])))]


def _fits(context: Context, entry: Listed, wanted: Sequence[str]) -> bool:
    some = [word for word in wanted if word in context.table.games]
    return (
        (_TURN not in wanted or entry.waits is not Waits.OTHERS)
        and (_HERE not in wanted or context.visitor.place in entry.match.addresses)
        and (not some or entry.match.game in some)
    )


async def _links(context: Context, matches: Sequence[Match]) -> tuple[tuple[str, str], ...]:
    link = context.visitor.link
    if link is None:
        return ()
    platform, outgoing = context.visitor.place.platform, context.store.outgoing()
    wanted = [
        (match.id, place) for match in matches for place in match.addresses if place.platform == platform
    ]
    try:
        shown = await asyncio.gather(*(outgoing.shown(code, place) for code, place in wanted))
    except Unavailable:
        return ()
    found: dict[str, str] = {}
    for (code, place), message in zip(wanted, shown, strict=True):
        url = link(place, message) if message else None
        if url is not None:
            found.setdefault(code, url)
    return tuple(found.items())


@registry.command("watch", MATCH, arguments.switch("stop", "off"), topic=HelpTopic.REVIEW, finishing=False)
async def watch(context: Context) -> Sequence[Message]:
    """`/watch #k7q2mz` shows a match here too; `/watch off` ends that."""
    off = context.command.rest.casefold() in OFF
    here = context.visitor.place

    def watched(match: Match) -> bool:
        return here in match.addresses[1:]

    if context.command.rest and not off:
        raise no_such_word(context.command.rest)
    if off:
        if not (context.command.code or await context.finder.fitting(watched, AmongFinished(watched))):
            raise WrongPhase(Refused.NOT_WATCHING)
        match = await context.match(watched, AmongFinished(watched), retry=Retry(Verb.UNWATCH))
    elif context.command.code:
        match = await context.finder.named(context.command.code)
    else:
        raise CommandError(BadCommand.WHICH_CODE)
    return await _switch(context, match, on=not off)


@registry.button(Verb.WATCH, Verb.UNWATCH, finishing=False)
async def _watch(context: Context, button: CallbackData) -> Sequence[Message]:
    match = await context.table.get(button.match)
    return await _switch(context, match, on=button.verb is Verb.WATCH)


async def _switch(context: Context, match: Match, *, on: bool) -> Sequence[Message]:
    here = context.visitor.place
    if not on:
        return await context.act(match, Watch(here, on=False))
    await context.take(WATCHES, match.id)
    return await context.announce(await show(context.table, match, here, context.request()))
