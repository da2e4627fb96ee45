"""/note: a private text about a match, which its writer alone sees under its board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.chat.arguments import MATCH, Argument, ArgumentType, HelpTopic
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import CommandError
from bot.chat.grammar import OFF
from bot.chat.match_lookup import AmongFinished, Retry
from bot.chat.match_notes import LONGEST, MOST, note, noted
from bot.chat.presenting.naming import button
from bot.chat.registry import Registry
from bot.chat.view import Message
from bot.features.talking.telling import TellRefusal
from play.match import Match
from play.people import visible
from rules.core import Reason

registry: Final = Registry()


class NoteRefusal(Reason):
    """Why a note is not kept."""

    FULL = "bot.note.full"  # most, code
    OVERHEARD = "bot.note.overheard"  # example


_TEXT: Final = Argument("text", ArgumentType.TEXT, about="note")
KEYS: Final = {"bot.note.{}": (("under", "none", "deleted", "kept"),)}  # for the check of the catalogues


@registry.command("note", _TEXT, MATCH, topic=HelpTopic.MATCH, button=Verb.NOTE, finishing=False)
async def note_text(context: Context) -> Sequence[Message]:
    """`/note watch b5` keeps a text, `/note` shows it, `/note off` deletes it."""
    finder, said, notes = context.finder, context.command.rest.strip(), context.store.notes
    kinds = (finder.my_turn, finder.mine, AmongFinished(finder.was_mine), AmongFinished(finder.finished))
    match = await context.match(*kinds, retry=Retry(Verb.NOTE, said))
    who = (context.visitor.account, *context.own.others)
    if not visible(said).strip():
        kept = await noted(notes, who, match.id)
        return _answer(context, match, "under" if kept else "none", note=kept, code=f"#{match.id}")
    off = said.casefold() in OFF
    if not off and context.visitor.overheard and context.seen is None:  # others have read it
        raise CommandError(NoteRefusal.OVERHEARD, example=f"/note #{match.id}")
    if len(said) > LONGEST:
        raise CommandError(TellRefusal.TOO_LONG, limit=LONGEST, length=len(said))
    if (oldest := await note(notes, who, match.id, "" if off else said)) is not None:
        raise CommandError(NoteRefusal.FULL, most=MOST, code=f"#{oldest}")
    return _answer(context, match, "deleted" if off else "kept")


def _answer(context: Context, match: Match, key: str, **fields: str) -> Sequence[Message]:
    presentation, words = context.present(match), context.words
    shows = button(presentation, Verb.BOARD, label=words("bot.note.board"))
    view = presentation.note(words(f"bot.note.{key}", **fields), buttons=(shows,))
    return [context.private(view, secret=True)]
