"""Whether a request is one that the Bot API takes: names and types of parameters, limits, markup, keyboards."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from html.parser import HTMLParser
from typing import Any, Final
from urllib.parse import urlsplit

from tests.platforms.telegram.table import Fields, load

METHODS, TYPES, REACTIONS = load()

# Characters as the platform counts them, if nothing else is said.
TEXT, CAPTION, ALERT, DESCRIPTION = 4096, 1024, 200, 256
KEYS, ROW, RESULTS = 100, 8, 50
DATA, PHOTO = 64, 10_000_000  # bytes

_TAGS: Final = frozenset(
    [
        "b",
        "strong",
        "i",
        "em",
        "u",
        "ins",
        "s",
        "strike",
        "del",
        "code",
        "pre",
        "a",
        "blockquote",
        "tg-spoiler",
        "span",
    ]
)
_START: Final = re.compile(r"[A-Za-z0-9_-]{1,64}\Z", re.ASCII)
_COMMAND: Final = re.compile(r"[a-z0-9_]{1,32}\Z", re.ASCII)
_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{1,256}\Z", re.ASCII)
_ENTITIES: Final = re.compile(r"&(?!(?:lt|gt|amp|quot|#[0-9]+|#x[0-9a-fA-F]+);)")
_ONE_OF: Final = (
    "url", "callback_data", "web_app", "login_url", "switch_inline_query", "switch_inline_query_current_chat",
    "switch_inline_query_chosen_chat", "copy_text", "callback_game", "pay",
)  # fmt: skip
_PLAIN: Final[Mapping[str, Any]] = {"Integer": int, "Float": (int, float), "Boolean": bool, "String": str}
_TARGETED: Final = ("editMessageText", "editMessageCaption", "editMessageMedia", "editMessageReplyMarkup")


class Invalid(AssertionError):
    """A request that the platform would refuse, or that goes beyond what it publishes."""


def units(text: str) -> int:
    """Characters as the platform counts them."""
    return len(text.encode("utf-16-le")) // 2


def check(method: str, given: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    """Check a request: its parameters, structured ones taken out of their JSON, and its files; raises `Invalid`."""
    if method not in METHODS:
        raise Invalid(f"no method {method}, or none that is used")
    _fields(method, METHODS[method], given, files)
    for name, limit in (("text", TEXT), ("caption", CAPTION)):
        if name in given and method != "answerCallbackQuery":
            shown = Markup.read(given[name], given.get("parse_mode")).text
            _within(f"{method}.{name}", shown, limit, least=1 if name == "text" else 0)
    if (media := given.get("media")) is not None and isinstance(media, dict):
        _within("media.caption", Markup.read(media.get("caption", ""), media.get("parse_mode")).text, CAPTION)
    if (markup := given.get("reply_markup")) is not None and "force_reply" not in markup:
        keyboard(markup)
        if "web_app" in str(markup) and int(given.get("chat_id", -1)) < 0:
            raise Invalid("BUTTON_TYPE_INVALID: a Mini App is opened by a key in private chats only")
    if method in _TARGETED and not (
        "inline_message_id" in given or ("chat_id" in given and "message_id" in given)
    ):
        raise Invalid(f"{method} of no message")
    one = _ONE.get(method)
    if one:
        one(given, files)


def _photo(given: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    _png(files[str(given.get("photo", "photo")).removeprefix("attach://")])


def _media(given: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    if "inline_message_id" in given and files:
        raise Invalid("a new file cannot be uploaded to an inline message")
    if "media" not in given["media"]:
        raise Invalid("media without a file")
    if given["media"]["type"] == "photo":
        _png(files[given["media"]["media"].removeprefix("attach://")])


def _png(held: bytes) -> None:
    if not held.startswith(b"\x89PNG"):
        raise Invalid("no picture")
    if len(held) > PHOTO:
        raise Invalid(f"{len(held)} bytes in a photo")
    width, height = int.from_bytes(held[16:20], "big"), int.from_bytes(held[20:24], "big")
    if width + height > 10_000 or max(width, height) > 20 * min(width, height):
        raise Invalid(f"a photo of {width} x {height}")


def _alert(given: Mapping[str, Any], _files: Mapping[str, bytes]) -> None:
    _within("alert", given.get("text", ""), ALERT)
    if url := given.get("url"):
        parts = urlsplit(url)
        if parts.netloc != "t.me" or "start=" not in parts.query:
            raise Invalid(f"only the bot's own links can be opened: {url}")


def _inline(given: Mapping[str, Any], _files: Mapping[str, bytes]) -> None:
    results = given["results"]
    if len(results) > RESULTS:
        raise Invalid(f"{len(results)} results")
    if len({result["id"] for result in results}) < len(results):
        raise Invalid("results with one id")
    for result in results:
        if not 1 <= len(result["id"].encode()) <= 64:
            raise Invalid(f"the id {result['id']!r}")
        content = result["input_message_content"]
        _within("result", Markup.read(content["message_text"], content.get("parse_mode")).text, TEXT, least=1)
        if "reply_markup" in result:
            keyboard(result["reply_markup"])
    if (button := given.get("button")) and not _START.match(button.get("start_parameter", "x")):
        raise Invalid(f"start parameter {button['start_parameter']!r}")


def _commands(given: Mapping[str, Any], _files: Mapping[str, bytes]) -> None:
    if len(given["commands"]) > 100:
        raise Invalid("too many commands")
    for command in given["commands"]:
        if not _COMMAND.match(command["command"]):
            raise Invalid(f"a command called {command['command']!r}")
        _within("description", command["description"], DESCRIPTION, least=1)


def _hook(given: Mapping[str, Any], _files: Mapping[str, bytes]) -> None:
    if not given["url"].startswith("https://"):
        raise Invalid("updates are brought to https only")
    if not _SECRET.match(given["secret_token"]):
        raise Invalid("a secret of other characters")
    if not 1 <= int(given.get("max_connections", 40)) <= 100:
        raise Invalid("max_connections")


def _updates(given: Mapping[str, Any], _files: Mapping[str, bytes]) -> None:
    if not 1 <= int(given.get("limit", 100)) <= 100 or not 0 <= int(given.get("timeout", 0)) <= 50:
        raise Invalid("limit or timeout")


def _reaction(given: Mapping[str, Any], _files: Mapping[str, bytes]) -> None:
    wanted = given.get("reaction", [])
    if len(wanted) > 1:
        raise Invalid("a bot sets one reaction at most")
    for each in wanted:
        if each["type"] != "emoji" or each["emoji"] not in REACTIONS:
            raise Invalid(f"the reaction {each}")


_ONE: Final = {
    "sendPhoto": _photo,
    "editMessageMedia": _media,
    "answerCallbackQuery": _alert,
    "answerInlineQuery": _inline,
    "setMessageReaction": _reaction,
    "setMyCommands": _commands,
    "setWebhook": _hook,
    "getUpdates": _updates,
}


def keyboard(markup: Mapping[str, Any]) -> None:
    """Check an inline keyboard; raises `Invalid`."""
    rows: Sequence[Sequence[Mapping[str, Any]]] = markup["inline_keyboard"]
    if sum(map(len, rows)) > KEYS:
        raise Invalid(f"{sum(map(len, rows))} keys")
    for row in rows:
        if not 1 <= len(row) <= ROW:
            raise Invalid(f"{len(row)} keys in a row")
        for key in row:
            _key(key)


def _key(key: Mapping[str, Any]) -> None:
    _fields("InlineKeyboardButton", _known("InlineKeyboardButton"), key, {})
    if sum(name in key for name in _ONE_OF) != 1:
        raise Invalid(f"a key that does not do exactly one thing: {key}")
    if not key["text"].strip() or units(key["text"]) > 64:
        raise Invalid(f"a key labelled {key['text']!r}")
    if "callback_data" in key and not 1 <= len(key["callback_data"].encode()) <= DATA:
        raise Invalid(f"a key that holds {key['callback_data']!r}")
    if key.get("style") not in (None, "danger", "success", "primary"):
        raise Invalid(f"a key in the style {key['style']!r}")
    for carries in ("startgroup=", "start="):
        if carries in key.get("url", "") and not _START.match(key["url"].partition(carries)[2]):
            raise Invalid(f"a link that carries too much: {key['url']}")


def _within(what: str, text: str, most: int, *, least: int = 0) -> None:
    if not least <= units(text.strip()) or units(text) > most:
        raise Invalid(f"{what}: {units(text)} characters, {least} to {most} are allowed: {text[:80]!r}")


def _known(name: str) -> Fields:
    known = TYPES[name]
    assert not isinstance(known, tuple), name
    return known


def _fields(what: str, known: Fields, given: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    for name in given:
        if name not in known:
            raise Invalid(f"{what} has no {name}")
    for name, (types, needed) in known.items():
        if name in given or name in files:
            held = given.get(name)
            if name in given and not any(_fits(each, held, files) for each in types):
                raise Invalid(f"{what}.{name} is no {' or '.join(types)}: {str(held)[:200]}")
        elif needed:
            raise Invalid(f"{what} without {name}")


def _fits(kind: str, held: Any, files: Mapping[str, bytes]) -> bool:
    if kind.startswith("Array of "):
        inner = kind.removeprefix("Array of ")
        return isinstance(held, list) and all(_fits(inner, each, files) for each in held)
    if kind in _PLAIN:
        return isinstance(held, _PLAIN[kind]) and (kind == "Boolean" or not isinstance(held, bool))
    if kind == "InputFile":
        return isinstance(held, str) and held.removeprefix("attach://") in files
    known = TYPES.get(kind)
    if isinstance(known, tuple):
        return any(_fits(each, held, files) for each in known)
    if known is not None and isinstance(held, dict):
        with suppress(Invalid):
            _fields(kind, known, held, files)
            return True
    return False


def given_as(method: str, name: str, text: str) -> Any:
    """A parameter as it came over the wire, as what its type says it is."""
    types = METHODS.get(method, {}).get(name, (("String",), False))[0]
    for kind in types:
        if kind == "Integer" and re.fullmatch(r"-?[0-9]+", text):
            return int(text)
        if kind == "Boolean" and text in ("true", "false", "True", "False"):
            return text.lower() == "true"
        if kind not in ("Integer", "Boolean", "String", "Float", "InputFile"):
            try:
                return json.loads(text)
            except ValueError:
                continue
    return text


class Markup(HTMLParser):
    """Text with the few tags that the platform knows, and the entities of messages that they make; others are refused."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.entities: list[dict[str, Any]] = []
        self._open: list[tuple[str, int, dict[str, str | None]]] = []

    @classmethod
    def read(cls, text: str, mode: str | None) -> Markup:
        """A text in the mode that the request names."""
        found = cls()
        if mode is None:
            found.text = text
            return found
        if mode != "HTML":
            raise Invalid(f"mode {mode}")
        if wrong := _ENTITIES.search(text):
            raise Invalid(f"an ampersand that is none: {text[wrong.start() :][:20]!r}")
        if re.search(r"<(?![a-z/])", text):
            raise Invalid(f"an angle that is none: {text[:200]!r}")
        found.feed(text)
        found.close()
        if found._open:
            raise Invalid(f"unclosed: {found._open}")
        return found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS:
            raise Invalid(f"the tag {tag}")
        known = {"a": {"href"}, "blockquote": {"expandable"}, "code": {"class"}, "span": {"class"}}
        if {name for name, _ in attrs} - known.get(tag, set()):
            raise Invalid(f"{tag} with {attrs}")
        self._open.append((tag, units(self.text), dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1][0] != tag:
            raise Invalid(f"{tag} closed out of order")
        name, start, attrs = self._open.pop()
        entity: dict[str, Any] = {"offset": start, "length": units(self.text) - start}
        href = attrs.get("href") or ""
        if name == "a" and href.startswith("tg://user?id="):
            entity |= {"type": "text_mention", "user": int(href.removeprefix("tg://user?id="))}
        elif name == "a":
            entity |= {"type": "text_link", "url": href}
        else:
            entity |= {"type": {"pre": "pre", "b": "bold", "i": "italic", "code": "code"}.get(name, name)}
        if entity["length"]:
            self.entities.append(entity)

    def handle_data(self, data: str) -> None:
        self.text += data
