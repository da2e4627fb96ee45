"""Writes the types of the page's frames for TypeScript, from the structs of `bot.platforms.page.wire`.

`python -m scripts.page_types` writes `protocol.d.ts` beside the scripts; with `--check` it says whether that is up to date, and
exits with status 1 if it is not.
"""

from __future__ import annotations

import sys
from inspect import getdoc
from pathlib import Path
from typing import Final

import msgspec
from msgspec import inspect

from bot.platforms.page import wire

PATH: Final = Path(wire.__file__).parent / "static" / "protocol.d.ts"

_HEAD: Final = "// What the page and the server say to each other: written by `python -m scripts.page_types`, from wire.py.\n"


def declarations() -> str:
    """Return the declarations of all structs, in the order of the module."""
    structs = [
        each
        for each in vars(wire).values()
        if isinstance(each, type) and issubclass(each, msgspec.Struct) and each.__module__ == wire.__name__
    ]
    return "\n".join([_HEAD, *map(_interface, structs)])


def _interface(struct: type[msgspec.Struct]) -> str:
    shape = inspect.type_info(struct)
    assert isinstance(shape, inspect.StructType)  # noqa: S101
    # What the server says leaves out fields that have their default; what it is told may leave them out.
    may_lack = struct.__struct_config__.omit_defaults or struct.__struct_config__.forbid_unknown_fields
    base = next((each for each in struct.__bases__ if each is not msgspec.Struct), None)
    held = inspect.type_info(base) if base else None
    had = {each.name: each.required for each in held.fields} if isinstance(held, inspect.StructType) else {}
    lines = []
    for field in shape.fields:
        if had.get(field.name) is field.required:  # as the base has it
            continue
        absent = may_lack and not field.required
        kind = _kind(field.type, absent=absent)
        lines.append(f"  {field.encode_name}{'?' if absent else ''}: {kind};\n")
    doc = (getdoc(struct) or "").partition("\n")[0]
    extends = f" extends {base.__name__}" if base else ""
    return f"/** {doc} */\ninterface {struct.__name__}{extends} {{\n{''.join(lines)}}}\n"


_PLAIN: Final = {
    inspect.StrType: "string",
    inspect.IntType: "number",
    inspect.FloatType: "number",
    inspect.BoolType: "boolean",
    inspect.NoneType: "null",
}


def _kind(shape: inspect.Type, *, absent: bool = False) -> str:
    """Return a type as TypeScript writes it; a field that may be absent is never null."""
    match shape:
        case inspect.Metadata(extra={"struct": struct}):
            kind = struct.__name__
        case inspect.Metadata(type=inner):
            kind = _kind(inner)
        case inspect.StructType(cls=struct):
            kind = struct.__name__
        case inspect.ListType(item_type=item):
            kind = f"Array<{_kind(item)}>"
        case inspect.DictType(key_type=key, value_type=value):
            kind = f"Record<{_kind(key)}, {_kind(value)}>"
        case inspect.LiteralType(values=values):
            kind = " | ".join(f'"{value}"' for value in values)
        case inspect.UnionType(types=types):
            kind = " | ".join(
                _kind(each) for each in types if not (absent and type(each) is inspect.NoneType)
            )
        case _:
            kind = _PLAIN[type(shape)]
    return str(kind)


def main(arguments: list[str]) -> int:
    """Write the file, or check it; return the exit status."""
    wanted = declarations()
    if arguments != ["--check"]:
        PATH.write_text(wanted, "utf-8")
    elif not PATH.exists() or PATH.read_text("utf-8") != wanted:
        sys.stderr.write(f"{PATH} is out of date: run python -m scripts.page_types\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
