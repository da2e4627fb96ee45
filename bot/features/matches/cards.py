"""Cards of matches: the list of a person's matches, a board as one person wants it, a match as a file or an animation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import Words
from bot.chat.presenting.boards import FLIPPED, IN_WORDS, TURNING, UNFLIPPED, result_or_turn
from bot.chat.presenting.captions import ALT, caption, cut, happened, length, position_lines, sentence
from bot.chat.presenting.cards import BULLET
from bot.chat.presenting.naming import Presentation, button, names_only, roster, time_text, turn
from bot.chat.presenting.selection import in_match
from bot.chat.view import Button, View
from play.actions.giving import usual_gift
from play.listing import Listed, Waits
from play.match import Ask, Phase, Ply
from play.people import Address, clean
from play.replay import Course
from play.time.clock import spell
from render.animation import MOST, Animation, AnimationFrame, spread
from rules.core import Highlights

PAGE: Final = 10  # matches on a page of a list, each with a button that opens it
MAX_LABEL: Final = 48  # characters of such a button's words: what a phone shows of it


@dataclass(frozen=True, slots=True)
class ListPage:
    """Part of a list of matches."""

    number: int = 1  # from 1
    pages: int = 1
    waiting: int = 0  # how many of all matches wait for the person's move
    wanted: str = ""  # the filter, as it is typed
    free: str = ""  # until when nothing is due, where that is not soon


def my_matches(
    listed: Sequence[tuple[Presentation, Listed]], here: Address, words: Words, page: ListPage = ListPage()
) -> View:
    """A page of the live matches of a person: those that wait for them first, the most urgent at the top.

    A button for each shows its board right here, wherever it is played; others lead to the pages beside this one.
    """
    if not listed:
        return View(lines=(words("bot.games.none-such" if page.wanted else "bot.games.none"),))
    lines, buttons = [], []
    for presentation, entry in listed:
        waits, match, names = entry.waits, presentation.match, presentation.names
        away = here not in match.addresses
        state = _state(presentation, waits, away=away) or turn(presentation)
        label = f"{words(f'{match.game}.name')} #{match.id} · {names.against(entry.seat)}"
        buttons.append(
            Button(_cut(clean(label, len(label))), CallbackData(Verb.BOARD, match.id, match.revision))
        )
        if match.phase is Phase.PLAYING and waits is Waits.MOVE:
            left = time_text(presentation)
            state = f"{state} {left}" if left else state
        if away:
            state = words("bot.games.elsewhere", state=state)
        lines.append(words("bot.games.line", title=names.title, opponents=names.opponents, state=state))
    shown = [entry.waits for presentation, entry in listed if presentation.match.phase is Phase.PLAYING]
    waiting = page.waiting or shown.count(Waits.MOVE)
    lead = words.count("bot.games.waiting", waiting) if waiting else words("bot.games.none-waiting")
    lines = [lead, *filter(None, (page.free,)), *(BULLET + line for line in lines)]
    if page.pages > 1:
        lines.append(words("bot.games.page", number=page.number, pages=page.pages))
        buttons += _beside(page, words)
    return View(lines=tuple(lines), buttons=tuple(buttons))


def _beside(page: ListPage, words: Words) -> Iterator[Button]:
    for number, key in ((page.number - 1, "bot.games.before"), (page.number + 1, "bot.games.after")):
        data = CallbackData.without_match(Verb.GAMES, f"{number} {page.wanted}".strip())
        if 1 <= number <= page.pages and data.fits:
            yield Button(words(key), data)


def _cut(label: str) -> str:
    return label if len(label) <= MAX_LABEL else f"{label[: MAX_LABEL - 1].rstrip()}…"


def _state(presentation: Presentation, waits: Waits, *, away: bool) -> str | None:
    match, words = presentation.match, presentation.words
    if match.phase is Phase.OPEN:
        if waits is Waits.INVITATION and away:
            return words("bot.games.invited-elsewhere", code=f"#{match.id}")
        if match.lobby and all(each.player for each in match.chairs):
            return words("bot.games.ready", command=f"/start #{match.id}" if away else "/start")
        return words("bot.games.invited" if waits is Waits.INVITATION else "bot.games.open")
    if waits is Waits.MOVE:
        return words("bot.games.your-turn")
    return words("bot.games.asked") if waits is Waits.ANSWER else None


LIMIT: Final = 1800  # characters of a match in words, in UTF-16 units: Discord takes 2000 in a message
_LAST: Final = 600  # of these, characters of the last turn at most


def in_words(presentation: Presentation) -> View:
    """A match in words alone: the last turn, who plays, what stands where, whose turn it is or how it ended."""
    names, after = presentation.names, result_or_turn(presentation)
    lines = [names.title, cut(" ".join(happened(presentation)), _LAST)]
    lines.append("; ".join(line.text for line in roster(presentation)))
    room = LIMIT - sum(length(line) + 1 for line in (*lines, *after))
    lines += position_lines(presentation.drawn, names, room)
    return View(lines=tuple(lines), after=after)


def looked_at(view: View, presentation: Presentation, *, text: bool = False) -> View:
    """A board for one person, as a picture or as text, with the controls that turn it; a move is picked on it as it is shown."""
    if view.diagram is None:
        return view
    flipped = presentation.flipped
    other = button(presentation, Verb.FLIP, UNFLIPPED if flipped else FLIPPED)
    same = button(presentation, Verb.TEXT, FLIPPED if flipped else UNFLIPPED)
    begin = in_match(presentation.match, flipped=flipped).moves(0)
    keep = [
        replace(control, data=begin) if control.data.verb is Verb.MOVE else control
        for control in view.controls
        if control.data.verb not in TURNING
    ]
    said = button(presentation, Verb.BOARD, IN_WORDS, label=presentation.words("bot.button.words"))
    ways = (other, said) if text else (other, same, said)
    return replace(view, text_board=text, controls=(*keep, *ways))


def more(
    presentation: Presentation, verbs: Iterable[Verb], *, muted: bool = False, coached: bool = False
) -> View:
    """What a person can do in a match that is being played; everybody can have the board turned, as text and in words."""
    flip = button(presentation, Verb.FLIP, UNFLIPPED if presentation.flipped else FLIPPED)
    unmute = presentation.words("bot.button.unmute") if muted else None
    uncoach = presentation.words("bot.button.uncoach") if coached else None
    labels = {Verb.MUTE: unmute, Verb.COACH: uncoach, Verb.VOTE: presentation.words("bot.button.end")}
    labels[Verb.WHAT_IF] = presentation.words("bot.page.what-if")
    gift = spell(usual_gift(presentation.match))
    labels[Verb.MORETIME] = presentation.words("bot.button.moretime", time=usual_gift(presentation.match))
    arguments = {Verb.VOTE: Ask.END.value, Verb.MORETIME: gift}
    offered = (button(presentation, verb, arguments.get(verb, ""), label=labels.get(verb)) for verb in verbs)
    said = button(presentation, Verb.BOARD, IN_WORDS, label=presentation.words("bot.button.words"))
    buttons = (*offered, flip, button(presentation, Verb.TEXT), said)
    return presentation.note(turn(presentation), buttons=buttons)


# Of an animation, in seconds:
LENGTH: Final = 60.0  # what the moves of a match take, unless they would go by too slowly or too fast
SLOWEST: Final = 1.2
FASTEST: Final = 0.3
OPENING: Final = 2.0
TOLD: Final = 4.5  # a frame of which something is told: its caption is read


def frames(
    presentation: Presentation, *, most: int = MOST, told: Mapping[int, str] = MappingProxyType({})
) -> tuple[AnimationFrame, ...]:
    """The start, a frame for each entry of the log, and at last how it ended or whose turn it is.

    Of a longer match than `most` frames some entries at even distances are shown. The moves take a minute. Entries of which
    something is `told`, by their index, are all shown, for longer and with that as their caption.
    """
    game, course, names = presentation.game, presentation.course, presentation.names
    who = names_only(presentation)
    every = list(_entries(course))
    entries = sorted({*spread(every, max(1, most - 2 - len(told))), *(every[index] for index in told)})
    seconds = min(SLOWEST, max(FASTEST, LENGTH / max(1, len(entries))))
    shown = [AnimationFrame(game.draw(course.start), names.opponents, OPENING, who)]
    for index, first in entries:
        diagram = game.draw(
            course.positions[index + 1],
            Highlights(
                last=[move for move in course.moves[first : index + 1] if move is not None],
                before=course.positions[first],
            ),
        )
        if diagram.first is not None:
            shown.append(AnimationFrame(diagram.first, caption(presentation, index), seconds, who))
            diagram = replace(diagram, first=None)
        words = told.get(index)
        shown.append(
            AnimationFrame(diagram, words or caption(presentation, index), TOLD if words else seconds, who)
        )
    shown.append(AnimationFrame(shown[-1].diagram, " ".join(result_or_turn(presentation)), SLOWEST, who))
    return tuple(shown)


def _entries(course: Course) -> Iterator[tuple[int, int]]:
    """The index of each entry of a log, and that at which its turn began: for an exit or a return, the turn before it."""
    first, mover = 0, None
    for index, (entry, before) in enumerate(zip(course.log, course.positions, strict=False)):
        if isinstance(entry, Ply):
            if entry.seat != mover or before.plies_left == before.turn_length:
                first = index
            mover = entry.seat
        yield index, first


def replay(presentation: Presentation, made: Animation | None) -> View:
    """A match as an animation; without one, where it could not be made, how else to look at the match."""
    words, names, match = presentation.words, presentation.names, presentation.match
    if made is None:
        return View(lines=(words("bot.replay.failed", title=names.title),))
    state = result_or_turn(presentation)
    after = (*happened(presentation), *state)
    return View(
        lines=(names.title, names.opponents),
        after=state,
        alt=cut(" ".join(sentence(one, words) for one in (names.opponents, *after)), ALT),
        film=(f"{match.game}-{match.id}.gif", made),
        buttons=(button(presentation, Verb.FROM), button(presentation, Verb.EXPORT))
        if match.phase is Phase.OVER
        else (),
    )
