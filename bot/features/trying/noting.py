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
from play.people import visible
from rules.core import Reason

registry: Final = Registry()


class NoteRefusal(Reason):
    """Why a note is not kept."""

    FULL = "bot.note.full"  # most
    OVERHEARD = "bot.note.overheard"  # example


@registry.command(
    "note",
    Argument("text", ArgumentType.TEXT, about="note"),
    MATCH,
    topic=HelpTopic.MATCH,
    button=Verb.NOTE,
    finishing=False,
)
async def note_text(context: Context) -> Sequence[Message]:
    """`/note watch b5` keeps a text, `/note` shows it, `/note off` deletes it."""
    finder, said, notes = context.finder, context.command.rest.strip(), context.store.notes
    kinds = (finder.my_turn, finder.mine, AmongFinished(finder.was_mine), AmongFinished(finder.finished))
    match = await context.match(*kinds, retry=Retry(Verb.NOTE, said))
    presentation, words = context.present(match), context.words
    who = (context.visitor.account, *context.own.others)
    shows = button(presentation, Verb.BOARD, label=words("bot.note.board"))
    if not visible(said).strip():
        kept = await noted(notes, who, match.id)
        line = words("bot.note.under", note=kept) if kept else words("bot.note.none", code=f"#{match.id}")
        return [context.private(presentation.note(line, buttons=(shows,)), secret=True)]
    off = said.casefold() in OFF
    if not off and context.visitor.overheard and context.seen is None:  # others have read it
        raise CommandError(NoteRefusal.OVERHEARD, example=f"/note #{match.id}")
    if len(said) > LONGEST:
        raise CommandError(TellRefusal.TOO_LONG, limit=LONGEST, length=len(said))
    if not await note(notes, who, match.id, "" if off else said):
        raise CommandError(NoteRefusal.FULL, most=MOST)
    line = words("bot.note.deleted" if off else "bot.note.kept")
    return [context.private(presentation.note(line, buttons=(shows,)), secret=True)]
