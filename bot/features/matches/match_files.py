"""/export and /import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bot.chat.arguments import FILE, MATCH, HelpTopic
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError
from bot.chat.match_lookup import AmongFinished
from bot.chat.page_links import page_secret, shown_on_page, watch_address, watch_key
from bot.chat.quotas import IMPORTS
from bot.chat.registry import Registry
from bot.chat.view import Message, View, ViewKind
from bot.features.matches.match_setup import check_place
from play.errors import NoSuchMatch
from play.files import matchfile
from play.files.matchfile import Import, held_in
from play.files.matchreader import MAX_REMARKS, Record
from play.match import Phase
from play.people import Account, filed

registry: Final = Registry()


@registry.command(
    "export",
    MATCH,
    topic=HelpTopic.REVIEW,
    button=Verb.EXPORT,
    aliases=("share", "поділитися", "поделиться"),
    finishing=False,
    kind=ViewKind.CARD,
)
async def export(context: Context) -> Sequence[Message]:
    """Show a match as a file; with a link for everyone, once it is over."""
    context.no_words()
    finder = context.finder
    match = await context.match(
        finder.mine,
        AmongFinished(finder.was_mine),
        AmongFinished(finder.finished),
        finder.entered,
        reads=True,
    )
    text = matchfile.export(match, [context.visitor.account])
    lines = [context.words("bot.exported", title=context.names(match).title)]
    url, urls = context.services.config.page_url, list[str]()
    if url is not None and match.phase is Phase.OVER and await shown_on_page(context.store.settings, match):
        key = watch_key(await page_secret(context.store.notes), match.id)
        urls.append(watch_address(url, key, match.id))
        lines.append(context.words("bot.exported.link", url=urls[0]))
    file = (f"{match.game}-{match.id}.txt", text)
    return [context.private(View(lines=tuple(lines), urls=tuple(urls), files=(file,)))]


@registry.command("import", FILE, topic=HelpTopic.REVIEW, cost=IMPORTS, finishing=False)
async def import_(context: Context) -> Sequence[Message]:
    """Create a match from a file's text."""
    if not context.command.rest.strip():
        raise CommandError(BadCommand.NO_FILE)
    held = held_in(context.command.rest, context.table.games, context.at)
    game = context.table.games.get(held.game)
    if game is not None:  # else it is refused
        await check_place(context, game)
    known = await _known(context, held)
    fact = await context.table.open(
        Import(context.command.rest, context.visitor.place, known), context.request()
    )
    told = await context.announce(fact)
    if held.aside:
        told = [*told, context.private(View(lines=(context.words("bot.imported.aside", limit=MAX_REMARKS),)))]
    return told


async def _known(context: Context, held: Record) -> Mapping[Account, Account]:
    # Whom the aliases in a file stand for, if the visitor played in its match and that is stored here.
    try:
        match = await context.table.get(held.match)
    except NoSuchMatch:
        return {}
    if context.visitor.account not in {player.account for player in match.players()}:
        return {}
    return {
        filed(held.match, seat): chair.player.account
        for seat, chair in enumerate(match.chairs, 1)
        if chair.player
    }
