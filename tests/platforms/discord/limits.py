"""What Discord lets a bot send: its published figures, and every way in which a request goes beyond them.

The figures are those of Discord's own description of its API (version 10), and of the pages it publishes beside it, for
what the description does not say: the sum of an embed's parts, rows of buttons, what a command counts in all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

CONTENT: Final = 2000
EMBEDS: Final = 10
EMBED_SUM: Final = 6000
ATTACHMENTS: Final = 10
ALT_TEXT: Final = 1024
FILE_SIZE: Final = 10 * 1024 * 1024
ROWS: Final = 5
BUTTONS_IN_ROW: Final = 5
CUSTOM_ID: Final = 100
BUTTON_LABEL: Final = 80
OPTIONS: Final = 25
NONCE: Final = 25
COMMANDS: Final = 100
COMMANDS_FOR_USERS: Final = 15  # context menus of the kind that belongs to a person; other kinds are not used
COMMAND_SUM: Final = 8000
EPHEMERAL: Final = 1 << 6
FLAGS_OF_MESSAGES: Final = (
    1 << 2 | EPHEMERAL | 1 << 12 | 1 << 15
)  # no embeds, ephemeral, silent, components v2
LOCALES: Final = frozenset(
    [
        "id",
        "da",
        "de",
        "en-GB",
        "en-US",
        "es-ES",
        "es-419",
        "fr",
        "hr",
        "it",
        "lt",
        "hu",
        "nl",
        "no",
        "pl",
        "pt-BR",
        "ro",
        "fi",
        "sv-SE",
        "vi",
        "tr",
        "cs",
        "el",
        "bg",
        "ru",
        "uk",
        "hi",
        "th",
        "zh-CN",
        "ja",
        "zh-TW",
        "ko",
    ]
)

_COMMAND_NAME: Final = re.compile(r"[-_'\w]{1,32}\Z")
_SNOWFLAKE: Final = re.compile(r"[0-9]{1,20}\Z", re.ASCII)

Found: TypeAlias = Iterator[str]
Check: TypeAlias = Callable[[Any, str], Found]


def problems(method: str, path: str, payload: Any, files: Sequence[tuple[str, bytes]] = ()) -> list[str]:
    """Everything about a request that Discord would refuse; nothing, if it would take it.

    Args:
        method: Of the request.
        path: After the version, with the ids in it.
        payload: The JSON; None where there is none.
        files: The names and contents of uploads, in their order.
    """
    for known, pattern, check in _ROUTES:
        if known == method and pattern.fullmatch(path):
            return [*check(payload, "body"), *_files(payload, files)]
    return [f"no such route: {method} {path}"]


@dataclass(frozen=True, slots=True)
class Form:
    """An object: what each of its fields must be, and which must be there. Unknown ones are refused."""

    fields: Mapping[str, Check]
    needed: Sequence[str] = ()
    also: Sequence[Check] = field(default=())

    def __call__(self, value: Any, at: str) -> Found:
        if not isinstance(value, dict):
            yield f"{at}: no object"
            return
        for key in self.needed:
            if value.get(key) is None:
                yield f"{at}.{key}: is needed"
        for key, held in value.items():
            if key not in self.fields:
                yield f"{at}.{key}: is not known"
            elif held is not None:
                yield from self.fields[key](held, f"{at}.{key}")
        for check in self.also:
            yield from check(value, at)


def text(most: int, least: int = 0) -> Check:
    """Text of so many characters, counted as Discord counts: code points."""

    def check(value: Any, at: str) -> Found:
        if not isinstance(value, str):
            yield f"{at}: no text"
        elif not least <= len(value) <= most:
            yield f"{at}: {len(value)} characters, {least} to {most} are allowed"
        elif least and not value.strip():
            yield f"{at}: blank"

    return check


def number(least: int, most: int) -> Check:
    """A whole number in these bounds."""

    def check(value: Any, at: str) -> Found:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            yield f"{at}: {value!r} is no number from {least} to {most}"

    return check


def one_of(*values: Any) -> Check:
    """One of these."""

    def check(value: Any, at: str) -> Found:
        if value not in values:
            yield f"{at}: {value!r} is none of {values}"

    return check


def several(item: Check, most: int, least: int = 0, *, unique: bool = False) -> Check:
    """A list of so many."""

    def check(value: Any, at: str) -> Found:
        if not isinstance(value, list):
            yield f"{at}: no list"
            return
        if not least <= len(value) <= most:
            yield f"{at}: {len(value)} entries, {least} to {most} are allowed"
        if unique and len(set(map(str, value))) < len(value):
            yield f"{at}: one of them twice"
        for index, held in enumerate(value):
            yield from item(held, f"{at}[{index}]")

    return check


def flag(value: Any, at: str) -> Found:
    """Yes or no."""
    if not isinstance(value, bool):
        yield f"{at}: {value!r} is neither true nor false"


def snowflake(value: Any, at: str) -> Found:
    """An id."""
    if not _SNOWFLAKE.match(str(value)):
        yield f"{at}: {value!r} is no id"


def link(value: Any, at: str) -> Found:
    """An address of the web or of an attachment."""
    yield from text(2048, 1)(value, at)
    if isinstance(value, str) and not value.startswith(("https://", "http://", "attachment://")):
        yield f"{at}: {value!r} is no address"


def anything(_value: Any, _at: str) -> Found:
    """Whatever it is."""
    return iter(())


# --- messages


_EMBED: Final = Form(
    {
        "title": text(256),
        "type": one_of("rich"),
        "description": text(4096),
        "url": link,
        "color": number(0, 0xFFFFFF),
        "timestamp": text(40),
        "footer": Form({"text": text(2048), "icon_url": link}),
        "image": Form({"url": link}),
        "thumbnail": Form({"url": link}),
        "author": Form({"name": text(256), "url": link, "icon_url": link}),
        "fields": several(
            Form({"name": text(256, 1), "value": text(1024, 1), "inline": flag}, ("name", "value")), 25
        ),
        "flags": anything,
    }
)
_EMOJI: Final = Form({"id": snowflake, "name": text(32), "animated": flag})
_OPTION: Final = Form(
    {
        "label": text(100, 1),
        "value": text(100, 1),
        "description": text(100),
        "emoji": _EMOJI,
        "default": flag,
    },
    ("label", "value"),
)


def _button_says_something(value: Mapping[str, Any], at: str) -> Found:
    if not value.get("label") and not value.get("emoji"):
        yield f"{at}: neither label nor emoji"
    links = value.get("style") == 5
    if links != bool(value.get("url")) or links == bool(value.get("custom_id")):
        yield f"{at}: a link has an address, any other button an id"


def _values_once(value: Mapping[str, Any], at: str) -> Found:
    values = [option.get("value") for option in value.get("options") or ()]
    if len(set(values)) < len(values):
        yield f"{at}: a value twice"
    if (value.get("max_values") or 1) > len(values):
        yield f"{at}: more can be chosen than there are"


_ID: Final = text(CUSTOM_ID, 1)
_BUTTON: Final = Form(
    {
        "type": one_of(2),
        "id": number(0, 2**31 - 1),
        "style": one_of(1, 2, 3, 4, 5),
        "label": text(BUTTON_LABEL),
        "emoji": _EMOJI,
        "custom_id": _ID,
        "url": text(512, 1),
        "disabled": flag,
    },
    ("style",),
    (_button_says_something,),
)
_SELECT: Final = Form(
    {
        "type": one_of(3),
        "id": number(0, 2**31 - 1),
        "custom_id": _ID,
        "placeholder": text(150),
        "min_values": number(0, 25),
        "max_values": number(1, 25),
        "disabled": flag,
        "required": flag,
        "options": several(_OPTION, OPTIONS, 1),
    },
    ("custom_id", "options"),
    (_values_once,),
)


def _row(value: Any, at: str) -> Found:
    if not isinstance(value, dict) or value.get("type") != 1:
        yield f"{at}: no row"
        return
    held = value.get("components")
    if not isinstance(held, list) or not held:
        yield f"{at}: an empty row"
        return
    if any(each.get("type") == 3 for each in held):
        if len(held) > 1:
            yield f"{at}: a select has its row to itself"
        yield from _SELECT(held[0], f"{at}[0]")
        return
    yield from several(_BUTTON, BUTTONS_IN_ROW, 1)(held, at)


def _rows(value: Any, at: str) -> Found:
    yield from several(_row, ROWS)(value, at)
    if not isinstance(value, list):
        return
    ids = [
        each.get("custom_id") for row in value for each in row.get("components", ()) if each.get("custom_id")
    ]
    if len(set(ids)) < len(ids):
        yield f"{at}: an id twice"


def _all_embeds(value: Any, at: str) -> Found:
    yield from several(_EMBED, EMBEDS)(value, at)
    if sum(map(_length, value)) > EMBED_SUM:
        yield f"{at}: more than {EMBED_SUM} characters in all"


def _length(embed: Mapping[str, Any]) -> int:
    parts = [embed.get("title"), embed.get("description")]
    parts += [(embed.get("footer") or {}).get("text"), (embed.get("author") or {}).get("name")]
    for each in embed.get("fields") or ():
        parts += [each.get("name"), each.get("value")]
    return sum(len(part) for part in parts if part)


def _pings(value: Any, at: str) -> Found:
    yield from Form(
        {
            "parse": several(one_of("users", "roles", "everyone"), 3, unique=True),
            "users": several(snowflake, 100, unique=True),
            "roles": several(snowflake, 100, unique=True),
            "replied_user": flag,
        }
    )(value, at)
    for kind in ("users", "roles"):
        if value.get(kind) and kind in (value.get("parse") or ()):
            yield f"{at}: {kind} both named and parsed"
    if value.get("parse"):
        yield f"{at}: this bot parses no mentions"


def _says_something(value: Mapping[str, Any], at: str) -> Found:
    if not any(value.get(key) for key in ("content", "embeds", "components", "attachments")):
        yield f"{at}: an empty message"


def _mentions_nobody(value: Mapping[str, Any], at: str) -> Found:
    if "allowed_mentions" not in value:
        yield f"{at}: does not say whom it calls"


_MESSAGE: Final[Mapping[str, Check]] = {
    "content": text(CONTENT),
    "embeds": _all_embeds,
    "components": _rows,
    "allowed_mentions": _pings,
    "attachments": several(
        Form(
            {"id": snowflake, "filename": text(1024, 1), "description": text(ALT_TEXT), "title": text(1024)},
            ("id",),
        ),
        ATTACHMENTS,
    ),
    "flags": number(0, 2**31 - 1),
    "tts": one_of(False),
}


def _flags_known(value: Mapping[str, Any], at: str) -> Found:
    if (value.get("flags") or 0) & ~FLAGS_OF_MESSAGES:
        yield f"{at}: flags that nobody may set"


def _nonce(value: Mapping[str, Any], at: str) -> Found:
    if not value.get("nonce") or value.get("enforce_nonce") is not True:
        yield f"{at}: could come twice, for it has no nonce that counts"


_NEW: Final = Form(
    {**_MESSAGE, "nonce": text(NONCE, 1), "enforce_nonce": flag},
    (),
    (_says_something, _mentions_nobody, _flags_known, _nonce),
)
_EDIT: Final = Form(_MESSAGE)
_FOLLOW_UP: Final = Form(_MESSAGE, (), (_says_something, _mentions_nobody, _flags_known))


# --- answers to interactions


_INPUT: Final = Form(
    {
        "type": one_of(4),
        "id": number(0, 2**31 - 1),
        "custom_id": _ID,
        "style": one_of(1, 2),
        "label": text(45, 1),
        "value": text(4000),
        "placeholder": text(100),
        "required": flag,
        "min_length": number(0, 4000),
        "max_length": number(1, 4000),
    },
    ("custom_id", "style"),
)


def _part_of_modal(value: Any, at: str) -> Found:
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == 1:
        held = value.get("components")
        if not isinstance(held, list) or len(held) != 1:
            yield f"{at}: a row of a modal holds one thing"
            return
        yield from Form({**_INPUT.fields}, (*_INPUT.needed, "label"))(held[0], f"{at}[0]")
    elif kind == 18:
        yield from Form(
            {
                "type": one_of(18),
                "id": number(0, 2**31 - 1),
                "label": text(45, 1),
                "description": text(100, 1),
                "component": _INPUT,
            },
            ("label", "component"),
        )(value, at)
    else:
        yield f"{at}: {kind} is not in modals here"


_MODAL: Final = Form(
    {"custom_id": _ID, "title": text(45, 1), "components": several(_part_of_modal, 5, 1)},
    ("custom_id", "title", "components"),
)
_CHOICE: Final = Form(
    {"name": text(100, 1), "name_localizations": anything, "value": text(100, 1)}, ("name", "value")
)


def _callback(value: Any, at: str) -> Found:
    kind = value.get("type") if isinstance(value, dict) else None
    data = value.get("data") if isinstance(value, dict) else None
    if kind in (5, 6):
        yield from Form({"flags": number(0, EPHEMERAL)})(data or {}, f"{at}.data")
    elif kind == 8:
        yield from Form({"choices": several(_CHOICE, 25)}, ("choices",))(data, f"{at}.data")
    elif kind == 9:
        yield from _MODAL(data, f"{at}.data")
    elif kind in (4, 7):
        yield from (_FOLLOW_UP if kind == 4 else _EDIT)(data, f"{at}.data")
    else:
        yield f"{at}.type: {kind} is no answer"


# --- commands


def command_name(value: Any, at: str) -> Found:
    """The name of a command or an option that is typed: letters of any script, lower case where there is such a thing."""
    yield from text(32, 1)(value, at)
    if isinstance(value, str) and (not _COMMAND_NAME.match(value) or value != value.lower()):
        yield f"{at}: {value!r} is no name of a command"


def _localised(check: Check) -> Check:
    def look(value: Any, at: str) -> Found:
        for locale, held in value.items():
            if locale not in LOCALES:
                yield f"{at}: {locale} is no language of Discord's"
            yield from check(held, f"{at}.{locale}")

    return look


def _options(value: Any, at: str) -> Found:
    yield from several(_option, OPTIONS)(value, at)
    names: list[str] = []
    optional = False
    for option in value:
        names.append(option.get("name"))
        if option.get("required") and optional:
            yield f"{at}: one that is needed after one that is not"
        optional = optional or not option.get("required")
    if len(set(names)) < len(names):
        yield f"{at}: a name twice"
    for locale in LOCALES:
        called = [
            (option.get("name_localizations") or {}).get(locale) or option.get("name") for option in value
        ]
        if len(set(called)) < len(called):
            yield f"{at}: a name twice in {locale}"


def _option(value: Any, at: str) -> Found:
    yield from Form(
        {
            "type": one_of(3, 4, 5, 6, 11),
            "name": command_name,
            "name_localizations": _localised(command_name),
            "description": text(100, 1),
            "description_localizations": _localised(text(100, 1)),
            "required": flag,
            "autocomplete": flag,
            "choices": several(
                Form(
                    {
                        "name": text(100, 1),
                        "name_localizations": _localised(text(100, 1)),
                        "value": text(100, 1),
                    },
                    ("name", "value"),
                ),
                25,
            ),
            "min_length": number(0, 6000),
            "max_length": number(1, 6000),
            "min_value": number(-(2**53), 2**53),
            "max_value": number(-(2**53), 2**53),
        },
        ("type", "name", "description"),
    )(value, at)
    if value.get("autocomplete") and value.get("choices"):
        yield f"{at}: either choices or autocomplete"
    if value.get("autocomplete") and value.get("type") not in (3, 4):
        yield f"{at}: only text and numbers complete themselves"


def _command(value: Any, at: str) -> Found:
    menu = value.get("type") in (2, 3)
    name = text(32, 1) if menu else command_name
    yield from Form(
        {
            "type": one_of(1, 2),
            "name": name,
            "name_localizations": _localised(name),
            "description": text(0) if menu else text(100, 1),
            "description_localizations": _localised(text(100, 1)),
            "options": _options,
            "default_member_permissions": _permissions,
            "contexts": several(one_of(0, 1, 2), 3, 1, unique=True),
            "integration_types": several(one_of(0, 1), 2, 1, unique=True),
            "nsfw": flag,
        },
        ("name",) if menu else ("name", "description"),
    )(value, at)
    if (total := _counted(value)) > COMMAND_SUM:
        yield f"{at}: {total} characters in all"


def _permissions(value: Any, at: str) -> Found:
    if not str(value).isdigit() or int(value) >= 2**54:
        yield f"{at}: {value!r} is no set of permissions"


def _counted(value: Mapping[str, Any]) -> int:
    """Characters of a command that count: of each text the longest of its languages."""
    total = 0
    for key in ("name", "description"):
        texts = [value.get(key) or "", *(value.get(f"{key}_localizations") or {}).values()]
        total += max(map(len, texts))
    for each in (*(value.get("options") or ()), *(value.get("choices") or ())):
        total += _counted(each) + len(str(each.get("value", "")))
    return total


def _commands(value: Any, at: str) -> Found:
    typed = [each for each in value if each.get("type", 1) == 1]
    menus = [each for each in value if each.get("type", 1) != 1]
    if len(typed) > COMMANDS or len(menus) > COMMANDS_FOR_USERS:
        yield f"{at}: too many"
    for of_kind in (typed, menus):
        for locale in LOCALES:
            called = [(each.get("name_localizations") or {}).get(locale) or each["name"] for each in of_kind]
            if len(set(called)) < len(called):
                yield f"{at}: two commands of one name in {locale}"
    for each in value:
        yield from _command(each, f"{at}[{each.get('name')}]")


# --- the rest


_THREAD: Final = Form(
    {
        "name": text(100, 1),
        "auto_archive_duration": one_of(60, 1440, 4320, 10080),
        "type": one_of(11),
        "rate_limit_per_user": number(0, 21600),
        "invitable": flag,
    },
    ("name",),
)
_THREAD_EDIT: Final = Form({"archived": flag, "locked": flag, "name": text(100, 1)})


def _nothing(value: Any, at: str) -> Found:
    if value:
        yield f"{at}: nothing is expected"


def _files(payload: Any, files: Sequence[tuple[str, bytes]]) -> Found:
    """Uploads are named in the message that they come with, and described."""
    if not files:
        return
    if sum(len(content) for _, content in files) > FILE_SIZE:
        yield "files: too large"
    inner = payload.get("data", payload) if isinstance(payload, dict) else {}
    named = {str(each.get("id")): each for each in inner.get("attachments") or ()}
    for index, (name, content) in enumerate(files):
        held = named.get(str(index))
        if held is None or held.get("filename") != name:
            yield f"files[{index}]: the message does not name it"
        elif name.endswith((".png", ".gif", ".webp")) and not held.get("description"):
            yield f"files[{index}]: a picture without words for those who cannot see it"
        if not content:
            yield f"files[{index}]: empty"


_I: Final = "[0-9]{1,20}"
_T: Final = "[A-Za-z0-9_.%-]+"
_ROUTES: Final = tuple(
    (method, re.compile(pattern), check)
    for method, pattern, check in (
        ("GET", "/gateway/bot", _nothing),
        ("GET", "/users/@me", _nothing),
        ("GET", f"/users/{_I}", _nothing),
        ("GET", "/oauth2/applications/@me", _nothing),
        ("GET", f"/applications/{_I}/commands", _nothing),
        ("PUT", f"/applications/{_I}/commands", _commands),
        ("POST", "/users/@me/channels", Form({"recipient_id": snowflake}, ("recipient_id",))),
        ("GET", f"/channels/{_I}", _nothing),
        ("PATCH", f"/channels/{_I}", _THREAD_EDIT),
        ("POST", f"/channels/{_I}/messages", _NEW),
        ("PATCH", f"/channels/{_I}/messages/{_I}", _EDIT),
        ("POST", f"/channels/{_I}/threads", _THREAD),
        ("POST", f"/channels/{_I}/messages/{_I}/threads", _THREAD),
        ("POST", f"/interactions/{_I}/{_T}/callback", _callback),
        ("POST", f"/webhooks/{_I}/{_T}", _FOLLOW_UP),
        ("PATCH", f"/webhooks/{_I}/{_T}/messages/(@original|{_I})", _EDIT),
        ("DELETE", f"/webhooks/{_I}/{_T}/messages/(@original|{_I})", _nothing),
    )
)
