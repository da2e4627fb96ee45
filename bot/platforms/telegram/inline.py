"""Inline cards sent by way of the bot into any chat: invitations, the matches played on them, and what features offer.

The bot is not in the chat. It can edit the card by its id and gets the presses of its keys: a place like any other.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from telegram import (
    ChosenInlineResult,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InlineQuery,
    InlineQueryResultArticle,
    InlineQueryResultsButton,
    InputTextMessageContent,
    User,
)
from telegram.constants import ParseMode
from telegram.error import TelegramError

from bot.chat import metrics
from bot.chat.errors import CommandError
from bot.chat.game_words import RATED, find_game, is_rated, rating_words, read_words
from bot.chat.grammar import Command
from bot.chat.i18n import FALLBACK, Words
from bot.chat.presenting.naming import game_title
from bot.chat.receiving import Rest
from bot.chat.registry import INLINE
from bot.chat.view import Message
from bot.chat.visitor import Visitor
from bot.platforms.platform import PlatformServices
from bot.platforms.telegram.courier import lesson_keys
from bot.platforms.telegram.known_users import KnownUsers, player
from bot.platforms.telegram.places import HELLO, PLATFORM, InlineMessage, account, address
from bot.platforms.telegram.presses import IncomingPress, PressReplies
from bot.platforms.telegram.rendering import cut, html, keyboard, plain, texts
from bot.platforms.telegram.request import LATE, has_words
from play.errors import Refused, Unavailable
from play.match import Match, Phase
from play.people import Player, visible
from play.request import listed_in
from rules.core import AnyGame, BadOption

_log: Final = logging.getLogger(__name__)

MOST: Final = 50  # most cards in the answer to a query

_DATA: Final = re.compile(r"[jJ]([0-9]{1,20})([a-z]{2}):([a-z]{1,20}):([\x21-\x7e]*)\Z", re.ASCII)
_BYTES: Final = 64
_LARGEST: Final = 2**52 - 1  # the number of a person
_CACHED: Final = 5  # seconds; the language of the person may change
_TITLE: Final = 64  # characters
_SUMMARY: Final = 200


@dataclass(frozen=True, slots=True)
class MatchCard:
    """The match that a card offers; its options are `key:value` words that differ from the defaults."""

    game: str
    options: tuple[str, ...]
    rated: bool = False

    def data(self, host: int, language: str) -> str:
        """Return the data of its key, with the card's owner and their language."""
        return f"{'J' if self.rated else 'j'}{host}{language}:{self.game}:{','.join(self.options)}"

    @property
    def line(self) -> str:
        """The command that opens its match."""
        rated = ("rated:yes",) if self.rated else ()
        return " ".join(("/challenge anyone", self.game, *self.options, *rated))


class InlineCards:
    """Offers cards, and opens matches on those that are sent."""

    def __init__(self, services: PlatformServices, presses: PressReplies, known_users: KnownUsers) -> None:
        self._services = services
        self._bot = presses.replies.messenger.bot
        self._presses = presses
        self._known_users = known_users

    @staticmethod
    def is_join(data: str) -> bool:
        """Whether the data of a key is a card's."""
        return _DATA.match(data) is not None

    async def offer(self, query: InlineQuery) -> None:
        """Answer an inline query with the cards of features, and one for each game and variant that fits."""
        user = query.from_user
        with suppress(Unavailable):
            await self._known_users.met(user.id, [user])
        words = await self._services.words(account(user.id), user.language_code)
        cards = self._cards(query.query, words)
        results = [
            *await self._others(query.query, words),
            *(self._result(card, user, words) for card in cards),
        ]
        button = InlineQueryResultsButton(words("bot.telegram.inline.private"), start_parameter=HELLO)
        try:
            await self._bot.answer_inline_query(
                query.id, results[:MOST], cache_time=_CACHED, is_personal=True, button=button
            )
        except TelegramError as error:
            if not has_words(error, LATE):
                _log.warning("cards were not offered: %s", error)

    async def _others(self, text: str, words: Words) -> Sequence[InlineQueryResultArticle]:
        games = tuple(self._services.table.games.values())
        offered = await INLINE.all(self._services.store, games, words, self._services.now())
        return [
            InlineQueryResultArticle(
                id=card.id,
                title=cut(visible(card.label), _TITLE),
                description=cut(visible(card.view.lines[0]), _SUMMARY),
                input_message_content=InputTextMessageContent(
                    "\n".join(texts(card.view)), parse_mode=ParseMode.HTML
                ),
                reply_markup=keyboard(card.view),
            )
            for card in offered
            if text.casefold().strip() in f"{card.id} {card.label}".casefold()
        ]

    def _cards(self, text: str, words: Words) -> Iterator[MatchCard]:
        games = self._services.table.games
        typed, rated = _asked(text.casefold().split())
        game = next((found for word in typed if (found := find_game(games, word))), None)
        said = [word for word in typed if game is None or find_game(games, word) is not game]
        offered: dict[MatchCard, None] = {}
        if game is not None and (exact := _exact(game, said)):
            offered[exact] = None
        for each in [game] if game else games.values():
            for name, preset in {"": {}, **each.schema.presets}.items():
                chosen = each.with_usual(preset)
                label = game_title(each, chosen, words)
                known = f"{each.key} {name} {label} {words(f'{each.key}.aliases')}".casefold()
                if all(word in known for word in said):
                    # A preset may be the plain game under another name: that is one card.
                    offered[MatchCard(each.key, _spelled(each.describe(each.choose(chosen))))] = None
        # A card too long for the data of a key is not offered.
        for card in offered:
            if len(card.data(_LARGEST, FALLBACK)) > _BYTES:
                continue
            if not rated:
                yield card
            elif games[card.game].ratable(games[card.game].choose(_chosen(card))):
                yield replace(card, rated=True)

    def _result(self, card: MatchCard, user: User, words: Words) -> InlineQueryResultArticle:
        game = self._services.table.games[card.game]
        title = game_title(game, _chosen(card), words)
        if card.rated:
            title = words("bot.order.rated", setup=title)
        said = words("bot.telegram.inline.card", name=visible(player(user).name), title=title)
        key = InlineKeyboardButton(words("bot.button.join"), callback_data=card.data(user.id, words.language))
        rows = filter(None, [(key,), lesson_keys(self._bot.username, game, words)])
        return InlineQueryResultArticle(
            id=card.data(0, words.language),
            title=cut(visible(title), _TITLE),
            description=cut(visible(words(f"{card.game}.summary")), _SUMMARY),
            input_message_content=InputTextMessageContent(html(visible(said)), parse_mode=ParseMode.HTML),
            reply_markup=InlineKeyboardMarkup(list(rows)),
        )

    async def chosen(self, request: str, result: ChosenInlineResult) -> None:
        """Open the match of a card that was sent. Telegram reports these only if it is set up to."""
        await self._known_users.met(result.from_user.id, [result.from_user])
        found, message = _DATA.match(result.result_id), result.inline_message_id
        if message and found and (card := self._card(found)):
            await self._opened(InlineMessage(message), player(result.from_user), card, request, found[2])

    async def join(self, pressed: IncomingPress, data: str) -> Rest:
        """Join the match of a card, after opening it if need be; return what is still to be answered."""
        found = _DATA.match(data)
        if found is None or not isinstance(pressed.where, InlineMessage):
            return self._presses.confirm(pressed.query)
        visitor, place = pressed.visitor, pressed.visitor.place
        card = self._card(found)
        if card is None:
            return self._presses.refuse(pressed, "bot.telegram.old-key")
        host, match = account(int(found[1])), await self._here(pressed.where)
        chat = await self._services.store.settings.get(visitor.chat)
        if (match is None or match.phase is Phase.OPEN) and (out := listed_in(chat.excluded, {host})):
            return self._presses.refuse(pressed, Refused.EXCLUDED, name=out.name)
        if match is None:
            if host == visitor.account:
                return self._presses.refuse(pressed, "bot.telegram.inline.own")
            name = await self._known_users.name(host.uid) or host.uid
            # One press makes two requests: one opens the match, the other joins it.
            request = f"{visitor.request}:host"
            said = await self._opened(pressed.where, Player(host, name), card, request, found[2])
            match = await self._here(pressed.where)
            if match is None:
                return self._presses.confirm(pressed.query, plain(said[0].view) if said else None)
        messages = await self._services.desk.answer(replace(visitor, place=place), f"/join #{match.id}")
        alert = plain(messages[0].view) if messages else None
        return self._presses.confirm(pressed.query, alert)

    def _card(self, found: re.Match[str]) -> MatchCard | None:
        """None if the bot offers no such card: data is a claim."""
        # A comma within an option, in a list of squares, does not end it.
        options = tuple(filter(None, re.split(r",(?=[a-z]+:)", found[4])))
        card = MatchCard(found[3], options, found[0].startswith("J"))
        game = self._services.table.games.get(card.game)
        with suppress(BadOption, ValueError):  # the latter: an option without a value
            if game is not None and (game.ratable(game.choose(_chosen(card))) or not card.rated):
                return card
        metrics.UNREADABLE.add(PLATFORM)
        return None

    async def _here(self, where: InlineMessage) -> Match | None:
        found = await self._services.store.matches.at(address(where))
        return next((match for match in found if match.phase is not Phase.CALLED_OFF), None)

    async def _opened(
        self, where: InlineMessage, host: Player, card: MatchCard, request: str, language: str
    ) -> Sequence[Message]:
        place, store = address(where), self._services.store
        if not await store.notes.write_once(f"{PLATFORM}:card:{where.message}", request):
            (by,) = await store.notes.read(f"{PLATFORM}:card:{where.message}")
            if by != request:
                return ()  # another request opens it
        await store.settings.change(place, lambda now: replace(now, language=now.language or language))
        visitor = Visitor(player=host, place=place, find=lambda _: None, locale=language, request=request)
        return await self._services.desk.answer(visitor, card.line)


def _asked(typed: Sequence[str]) -> tuple[list[str], bool]:
    command = Command.of(
        "challenge",
        *(word for word in typed if ":" not in word),
        options=dict(word.split(":", 1) for word in typed if ":" in word),
    )
    try:
        rated = is_rated(command)
    except CommandError:
        rated = False  # the word is not complete yet
    left, _ = rating_words([word for word in typed if word.partition(":")[0] not in RATED])
    return left, rated


def _exact(game: AnyGame, said: Sequence[str]) -> MatchCard | None:
    options = dict(word.split(":", 1) for word in said if ":" in word)
    try:
        texts, left = read_words(game, [word for word in said if ":" not in word], options)
        chosen = game.describe(game.choose(texts)) if not left else None
    except (CommandError, BadOption):
        return None
    return None if chosen is None else MatchCard(game.key, _spelled(chosen))


def _spelled(chosen: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(f"{key}:{text}" for key, text in chosen.items())


def _chosen(card: MatchCard) -> dict[str, str]:
    return dict(option.split(":", 1) for option in card.options)
