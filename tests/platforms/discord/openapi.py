"""What Discord's own description of its API says of the requests that the bot sends: a small table, and a check against it.

`python -m tests.platforms.discord.openapi PATH` makes `openapi.json` anew from `specs/openapi.json` of the repository
discord/discord-api-spec (MIT licence, Copyright (c) 2023 Discord; the notice stands in the table).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

Schema: TypeAlias = Mapping[str, Any]
Found: TypeAlias = Iterator[str]

TABLE: Final = Path(__file__).with_name("openapi.json")

ROUTES: Final = (
    "GET /gateway/bot",
    "GET /users/@me",
    "GET /users/{user_id}",
    "GET /oauth2/applications/@me",
    "PATCH /applications/@me",
    "GET /applications/{application_id}/commands",
    "PUT /applications/{application_id}/commands",
    "POST /users/@me/channels",
    "GET /guilds/{guild_id}",
    "GET /guilds/{guild_id}/channels",
    "GET /guilds/{guild_id}/members/{user_id}",
    "GET /channels/{channel_id}",
    "PATCH /channels/{channel_id}",
    "POST /channels/{channel_id}/messages",
    "PATCH /channels/{channel_id}/messages/{message_id}",
    "DELETE /channels/{channel_id}/messages/{message_id}",
    "POST /channels/{channel_id}/threads",
    "POST /interactions/{interaction_id}/{interaction_token}/callback",
    "POST /webhooks/{webhook_id}/{webhook_token}",
    "PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original",
    "PATCH /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}",
    "DELETE /webhooks/{webhook_id}/{webhook_token}/messages/@original",
    "DELETE /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}",
)
"""The requests that the bot sends. Any other is refused, until it is named here."""

_LEFT_OUT: Final = re.compile(
    r"(?<!String)(?<!User)Select|Container|FileComponent|FileUpload|Gallery|Section|Separator|TextDisplay|Radio|Checkbox|Poll"
    r"|Theme|Reference|Forum|UpdateDM|GroupDM|GuildChannel|Pong|SocialLayer|Subcommand|VideoQuality"
    r"|(Integer|Number|Channel|Mentionable|Role)Option|Callback(Integer|Number)"
)
"""Schemas that the bot does not use: nothing of theirs is accepted."""

_UNKNOWN_TO_IT: Final = {"nsfw", "tts", "flags"}
"""Keys that discord.py sends and the description, which calls itself a preview, leaves out in places."""

_TYPES: Final[Mapping[str, Any]] = {
    "string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict,
    "null": type(None),
}  # fmt: skip


def load() -> tuple[Mapping[str, Schema | None], Mapping[str, Schema]]:
    """Return the body of each route, None where there is none, and the schemas that bodies name."""
    held = json.loads(TABLE.read_text("utf-8"))
    return held["routes"], held["schemas"]


BODIES, SCHEMAS = load() if TABLE.exists() else ({}, {})


def pattern(route: str) -> re.Pattern[str]:
    """Return the pattern of a route's paths."""
    path = re.escape(route.partition(" ")[2]).replace(r"\{", "{").replace(r"\}", "}")
    path = re.sub("{[a-z_]*token}", "[A-Za-z0-9_.%-]+", path)
    return re.compile(re.sub("{[a-z_]*}", "[0-9]{1,20}", path))


def against(schema: Schema, value: Any, at: str) -> Found:
    """Yield everything in which a value is not what a schema asks for."""
    if "$ref" in schema:
        yield from against(SCHEMAS[schema["$ref"]], value, at)
        return
    if schema.get("format") == "snowflake" and isinstance(value, int):
        value = str(value)  # Discord takes both
    elif schema.get("maximum", 0) > 2**53 and str(value).isdecimal():
        value = int(value)  # a set of permissions, which Discord's pages ask for as text
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is_a(kind, value) for kind in kinds):
        yield f"{at}: {value!r} is no {kinds}"
        return
    yield from _values(schema, value, at)
    yield from _bounds(schema, value, at)
    if isinstance(value, list):
        for index, each in enumerate(value):
            yield from against(schema.get("items", {}), each, f"{at}[{index}]")
    if isinstance(value, dict) and schema.keys() & {"properties", "additionalProperties"}:
        yield from _fields(schema, value, at)
    if one_of := schema.get("oneOf"):
        yield from _any(one_of, value, at)


def _values(schema: Schema, value: Any, at: str) -> Found:
    if value not in schema.get("enum", [value]) or value != schema.get("const", value):
        yield f"{at}: {value!r} is not allowed"
    if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
        yield f"{at}: {value!r} is malformed"


def _is_a(kind: str, value: Any) -> bool:
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _bounds(schema: Schema, value: Any, at: str) -> Found:
    if value is None:
        return
    size = len(value) if isinstance(value, str | list | dict) else value
    kind = "Length" if isinstance(value, str) else "Items" if isinstance(value, list) else "Properties"
    sized = isinstance(value, str | list | dict)
    least = schema.get(f"min{kind}" if sized else "minimum")
    most = schema.get(f"max{kind}" if sized else "maximum")
    if (least is not None and size < least) or (most is not None and size > most):
        yield f"{at}: {size} is not within {least} and {most}"
    elif least and isinstance(value, str) and not value.strip():
        yield f"{at}: blank"
    if schema.get("uniqueItems") and isinstance(value, list) and len(set(map(str, value))) < len(value):
        yield f"{at}: one of them twice"


def _fields(schema: Schema, value: Mapping[str, Any], at: str) -> Found:
    known, others = schema.get("properties", {}), schema.get("additionalProperties")
    for name in schema.get("required", ()):
        if value.get(name) is None:
            yield f"{at}.{name}: is needed"
    for name, held in value.items():
        if name in known:
            yield from against(known[name], held, f"{at}.{name}")
        elif others:
            yield from against(others, held, f"{at}.{name}")
        elif name not in _UNKNOWN_TO_IT:
            yield f"{at}.{name}: is not known"


def _any(schemas: list[Schema], value: Any, at: str) -> Found:
    """One of them has to fit: where none does, what is wrong with the nearest."""
    wrong = [list(against(each, value, at)) for each in schemas]
    if all(wrong):
        yield from min(
            wrong, key=lambda found: (any(each.startswith(f"{at}.type:") for each in found), len(found))
        )


def make(spec: Schema) -> Mapping[str, Any]:
    """Return the table, from the whole description."""
    routes: dict[str, Any] = {}
    for route in ROUTES:
        method, _, path = route.partition(" ")
        body = spec["paths"][path][method.lower()].get("requestBody")
        routes[route] = _slim(body["content"]["application/json"]["schema"]) if body else None
    waiting, schemas = set(_named(list(routes.values()))) | {"AvailableLocalesEnum"}, dict[str, Any]()
    while waiting:
        name = waiting.pop()
        schemas[name] = _slim(spec["components"]["schemas"][name])
        waiting |= set(_named(schemas[name])) - schemas.keys()
    # Discord's pages have a text here, and discord.py sends one.
    schemas["ApplicationFormPartial"]["properties"]["description"] = {"type": "string", "maxLength": 400}
    return {
        **{
            name: text for name, text in json.loads(TABLE.read_text("utf-8")).items() if isinstance(text, str)
        },
        "routes": routes,
        "schemas": dict(sorted(schemas.items())),
    }


def _slim(held: Any) -> Any:
    """A schema without prose, and without what is left out."""
    if isinstance(held, list):
        return [_slim(each) for each in held if not _unused(each)]
    if not isinstance(held, dict):
        return held
    if "$ref" in held:
        return {"$ref": held["$ref"].rpartition("/")[2]}
    found: dict[str, Any] = {}
    for key, value in held.items():
        if key == "properties":
            found[key] = {name: _slim(each) for name, each in value.items() if not _unused(each)}
        elif key in ("oneOf", "anyOf"):
            found["oneOf"] = _slim(value)
        elif (key == "format" and value == "snowflake") or key not in (
            "title", "description", "allOf", "format", "x-discord-union",
        ):  # fmt: skip
            found[key] = _slim(value)
    return found


def _unused(held: Any) -> bool:
    """Whether a schema leads to nothing but what is left out."""
    if not isinstance(held, dict):
        return False
    if "$ref" in held:
        name = held["$ref"].rpartition("/")[2]
        return bool(_LEFT_OUT.search(name))
    among = held.get("oneOf") or held.get("anyOf") or ()
    parts = [each for each in among if each != {"type": "null"}]
    return (bool(parts) and all(map(_unused, parts))) or ("items" in held and _unused(held["items"]))


def _named(held: Any) -> Iterator[str]:
    if isinstance(held, list):
        for each in held:
            yield from _named(each)
    elif isinstance(held, dict):
        if isinstance(held.get("$ref"), str):
            yield held["$ref"]
        for each in held.values():
            yield from _named(each)


def _lines(held: Mapping[str, Any]) -> str:
    """JSON with one entry a line."""
    entries = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in held.items()]
    return "{\n" + ",\n".join(entries) + "\n}"


if __name__ == "__main__":
    made = make(json.loads(Path(sys.argv[1]).read_text("utf-8")))
    parts = [
        f"{json.dumps(key)}: {json.dumps(value) if isinstance(value, str) else _lines(value)}"
        for key, value in made.items()
    ]
    TABLE.write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")
