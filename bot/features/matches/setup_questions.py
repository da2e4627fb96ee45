"""Setting up a match by pressing: which game, how it is played, against whom, its clock. Each question is a view.

An order travels in its buttons: `c/lgame/scoring,po:5/3d/any`, with a capital letter first if it is to be rated. Only the
names of people are stored elsewhere, in a note.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import Words
from bot.chat.presenting.forecast import cautions, weaker
from bot.chat.presenting.moments import OFFERED_CLOCKS, clock_label, clock_text
from bot.chat.presenting.naming import chosen_text, game_title, player_name
from bot.chat.view import Button, PeopleChoice, View, ViewKind
from play.actions.seating import player_counts
from play.match import STRONGEST, WEAKEST, Match, engine
from play.time.clock_text import clock_of
from rules.core import AnyGame, BadOption, Number, OneOf, Option, Size

LEVELS: Final = range(WEAKEST, STRONGEST + 1)
KEYS: Final = {"bot.order.level.{}": (LEVELS,)}  # for the check of the catalogues

MOST: Final = 24  # buttons for one question, so that there is room for the way back

SIZES: Final = (*(f"{side}x{side}" for side in (5, 6, 7, 8, 9, 10, 12, 15, 20, 26)), "20x30", "26x30")
"""The boards that are offered; any other can be typed."""

ANYONE: Final = "any"
NAMED: Final = "@"
ENGINE: Final = "e"
NOTED: Final = 8  # characters of the key of a note
_AUTO: Final = "auto"  # how games spell a value that follows from the others
OPTIONS: Final = "*"  # in the place of the clock: the options are being chosen; with a key after it, that one


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """What is known of a match that is being ordered."""

    kind: str  # `c` for a challenge, `n` for a lobby
    who: str = ""  # under which key the invited people are stored; empty: no one is named
    game: str = ""
    setting: str = ""  # a ready-made setting and, after commas, options on top of it
    clock: str = ""  # as it is typed, or that the options are being chosen
    opponent: str = ""  # anyone; or those named, an engine, or both, with its level: `@`, `e5`, `@e5`
    rated: bool = False

    @classmethod
    def read(cls, text: str) -> MatchSetup:
        """The order in a button; where it makes no sense, it asks again from there on."""
        head, *rest = text.split("/")
        game, setting, clock, opponent = [*rest, "", "", "", ""][:4]
        kind = head[:1]
        known = "n" if kind in ("n", "N") else "c"
        return cls(known, head[1:], game, setting, clock, opponent, kind.isupper())

    def __str__(self) -> str:
        kind = self.kind.upper() if self.rated else self.kind
        parts = (f"{kind}{self.who}", self.game, self.setting, self.clock, self.opponent)
        return "/".join(parts).rstrip("/")

    @property
    def lobby(self) -> bool:
        """Whether anybody may join."""
        return self.kind == "n"

    @property
    def named(self) -> bool:
        """Whether the match is for the people of the note."""
        return self.opponent.startswith(NAMED)

    @property
    def engine(self) -> str | None:
        """The level of an engine that takes part; empty if it is not chosen yet, None without an engine."""
        kind = self.opponent.removeprefix(NAMED)
        return kind.removeprefix(ENGINE) if kind.startswith(ENGINE) else None

    @property
    def data(self) -> CallbackData:
        """What leads to this order."""
        return CallbackData.without_match(Verb.ORDER, str(self))

    def chosen(self, game: AnyGame) -> dict[str, str]:
        """The texts of its options, by key; BadOption if something is chosen that there is not."""
        preset, *others = self.setting.split(",")
        chosen = {"preset": preset} if preset else {}
        keys = {_shortest(game, option.key): option.key for option in game.schema.options}
        for short, _, value in (part.partition(":") for part in others):
            if short in keys:
                chosen[keys[short]] = value
        game.choose(chosen)
        return chosen

    @classmethod
    def like(cls, game: AnyGame, match: Match) -> MatchSetup:
        """The order of the same game with the same options, against somebody else; options that no button can carry are left out."""
        played, plain = game.choose(dict(match.options)), cls("c", game=game.key, rated=match.rated)
        for preset in game.schema.presets:
            parts = [preset, *(f"{_shortest(game, key)}:{value}" for key, value in match.options)]
            for setting in (preset, ",".join(parts)):
                order = replace(plain, setting=setting)
                with suppress(BadOption):
                    same = game.choose(game.with_usual(order.chosen(game))) == played
                    if same and _can_be_finished(order):
                        return order
        return plain

    def with_option(self, game: AnyGame, key: str, value: str) -> MatchSetup:
        """With one more option, in the place of what was chosen for it before."""
        short = _shortest(game, key)
        kept = [part for part in self.setting.split(",") if part.partition(":")[0] != short]
        return replace(self, setting=",".join([*kept, f"{short}:{value}"]), clock=OPTIONS)


def _shortest(game: AnyGame, key: str) -> str:
    """The shortest beginning of an option's key that is of no other's."""
    others = [option.key for option in game.schema.options if option.key != key]
    for length in range(2, len(key)):
        if not any(other.startswith(key[:length]) for other in others):
            return key[:length]
    return key


def ask(
    games: Mapping[str, AnyGame], order: MatchSetup, words: Words, people: Mapping[str, str]
) -> View | None:
    """The next question of an order; None where nothing is left to ask.

    `people` are the names of those who can be chosen by a button, by the keys of their notes.
    """
    game = games.get(order.game)
    if game is None:
        order = replace(order, game="", setting="")
        named = (Button(words(f"{key}.name"), replace(order, game=key).data) for key in games)
        return _question("bot.order.game", order, named, words)
    if order.setting.partition(",")[0] not in game.schema.presets:
        order = replace(order, setting="")
        return _question("bot.order.setting", order, _settings(game, order, words), words, game)
    if order.rated and not _ratable(game, order):  # the button is an old one
        order = replace(order, rated=False)
    if not order.clock.startswith(OPTIONS):
        return _ask_rest(game, order, words, people)
    option = next((option for option in game.schema.options if option.key == order.clock[1:]), None)
    if option is None:
        return _question("bot.order.options", order, _options(game, order, words), words, game)
    return _question("bot.order.value", order, _values(game, order, option, words), words, game)


def _ask_rest(game: AnyGame, order: MatchSetup, words: Words, people: Mapping[str, str]) -> View | None:
    if not order.opponent:
        view = _question("bot.order.opponent", order, _opponents(order, words, people), words, game)
        return replace(view, people=_people(game, order, words))
    if order.engine == "":
        chosen = {level: replace(order, opponent=f"{order.opponent}{level}") for level in LEVELS}
        levels = (Button(words(f"bot.order.level.{level}"), each.data) for level, each in chosen.items())
        view = _question("bot.order.level", order, levels, words, game)
        less = weaker(game, map(str, LEVELS), words)
        return replace(view, lines=(*view.lines[:-1], *less, view.lines[-1]))
    if not order.clock:
        view = _question("bot.order.clock", order, _clocks(game, order, words), words, game)
        names = [people[order.who]] if order.named and order.who in people else []
        names += [player_name(engine(order.engine), words)] if order.engine else []
        against = [words("bot.order.against", people=words.list(names))] if names else []
        return replace(view, lines=(*view.lines[:-1], *against, view.lines[-1]))
    return None


def _question(
    key: str, order: MatchSetup, buttons: Iterator[Button], words: Words, game: AnyGame | None = None
) -> View:
    offered = [button for button in buttons if button.data.fits][:MOST]
    if (before := _before(order)) is not None:
        offered.append(Button(words("bot.button.back"), before.data))
    lines = [*_so_far(order, words, game)] if game else []
    return View(lines=(*lines, words(key)), buttons=tuple(offered), kind=ViewKind.FORM)


def _so_far(order: MatchSetup, words: Words, game: AnyGame) -> Iterator[str]:
    try:
        typed = order.chosen(game)
        chosen = game.describe(game.choose(typed if order.lobby else game.with_usual(typed)))
    except BadOption:
        chosen = {}
    said = game_title(game, chosen, words)
    if order.rated:
        said = words("bot.order.rated", setup=said)
    if order.clock and not order.clock.startswith(OPTIONS) and (clock := clock_of(order.clock)):
        said = words("bot.order.with-clock", setup=said, clock=clock_text(clock, words))
    yield said
    yield from cautions(game, chosen, words, draws=True)
    yield from weaker(game, [order.engine], words)


def _before(order: MatchSetup) -> MatchSetup | None:
    if order.clock.startswith(OPTIONS):
        return replace(order, clock=OPTIONS if len(order.clock) > 1 else "")
    if order.setting and order.opponent:
        return replace(order, opponent="")
    if order.setting:
        return replace(order, setting="")
    return replace(order, game="") if order.game else None


def _settings(game: AnyGame, order: MatchSetup, words: Words) -> Iterator[Button]:
    for preset in game.schema.presets:
        if order.rated and not game.ratable(game.choose({"preset": preset})):
            continue  # the way back to all of them is the last button
        yield Button(words(f"{game.key}.preset.{preset}"), replace(order, setting=preset).data)
    if order.rated:
        yield _rating(order, words)


def _options(game: AnyGame, order: MatchSetup, words: Words) -> Iterator[Button]:
    yield Button(words("bot.order.done"), replace(order, clock="").data, style="good")
    values = game.schema.write(game.values(game.choose(order.chosen(game))))
    for option in game.schema.options:
        if not isinstance(option, OneOf | Number | Size):
            continue
        if not any(button.data.fits for button in _values(game, order, option, words)):
            continue  # beside what is chosen it means nothing, or no button can carry one thing more
        text = values.get(option.key, option.default)
        label = words(f"{game.key}.option.{option.key}")
        auto = text == _AUTO and not isinstance(option, OneOf)
        said = words("bot.order.auto") if auto else chosen_text(game, option.key, text, words)
        said = said if said.startswith(label) else words("bot.match.option", option=label, value=said)
        yield Button(said, replace(order, clock=f"{OPTIONS}{option.key}").data)


def _values(game: AnyGame, order: MatchSetup, option: Option, words: Words) -> Iterator[Button]:
    if isinstance(option, OneOf):
        texts: Sequence[str] = option.offered
    elif isinstance(option, Number):
        texts = [str(number) for number in range(option.low, option.high + 1)]
        if len(texts) > MOST:
            texts = texts[:: -(-len(texts) // MOST)]
    else:
        texts = SIZES
    for text in texts:
        further = order.with_option(game, option.key, text)
        try:
            chosen = game.choose(further.chosen(game))
        except BadOption:
            continue
        if (order.rated and not game.ratable(chosen)) or not _can_be_finished(further):
            continue
        yield Button(chosen_text(game, option.key, text, words), further.data)


def _can_be_finished(order: MatchSetup) -> bool:
    longest = max(OFFERED_CLOCKS, key=len)
    return replace(order, clock=longest, opponent=f"{NAMED}{ENGINE}{STRONGEST}").data.fits


def _clocks(game: AnyGame, order: MatchSetup, words: Words) -> Iterator[Button]:
    for text in OFFERED_CLOCKS:
        yield Button(clock_label(text, words), replace(order, clock=text).data)
    if order.rated or (order.engine is None and _ratable(game, order)):
        yield _rating(order, words)
    yield Button(words("bot.order.more"), replace(order, clock=OPTIONS).data)


def _ratable(game: AnyGame, order: MatchSetup) -> bool:
    try:
        return game.ratable(game.choose(order.chosen(game)))
    except BadOption:
        return True  # what cannot be played at all is refused for that


def _rating(order: MatchSetup, words: Words) -> Button:
    key = "bot.order.unrate" if order.rated else "bot.order.rate"
    return Button(words(key), replace(order, rated=not order.rated).data)


def _opponents(order: MatchSetup, words: Words, people: Mapping[str, str]) -> Iterator[Button]:
    for who, name in people.items():
        chosen = replace(order, who=who, opponent=NAMED)
        yield Button(name, chosen.data, style="good" if who == order.who else "plain")
    yield Button(words("bot.order.anyone"), replace(order, opponent=ANYONE).data)
    if not order.rated:
        yield Button(words("bot.order.engine"), replace(order, opponent=ENGINE).data)


def _people(game: AnyGame, order: MatchSetup, words: Words) -> PeopleChoice | None:
    chosen = order.chosen(game)
    most = max(player_counts(game, chosen)) - 1
    further = replace(order, opponent=NAMED)
    if not _can_be_finished(replace(further, who="0" * NOTED)):
        return None  # the buttons that follow could not carry it
    prompt = words("bot.order.person") if most == 1 else words("bot.order.people", count=most)
    typed = [game.key, *(f"{key}:{text}" for key, text in chosen.items()), *["rated"] * order.rated]
    return PeopleChoice(prompt, further.data, most, " ".join(typed))
