"""Edits of the YAML tables that leave other lines as they are: a key of a release, a new release, a new package row."""

import json
import re
from collections.abc import Mapping, Sequence

Value = str | bool | Sequence[str] | Mapping[str, "Value"] | Sequence[Mapping[str, "Value"]]
_WIDEST_IN_LINE = 130


def set_key(text: str, version: str, key: str, value: Value) -> str:
    """Return the text with a key of one release set; ValueError if it has no such release."""
    lines = text.split("\n")
    start, end = _release(lines, version)
    rows = [number for number in range(start + 1, end) if re.match(rf"    {key}:", lines[number])]
    if rows:
        last = next((n for n in range(rows[0] + 1, end) if not lines[n].startswith("      ")), end)
        lines[rows[0] : last] = _written(key, value)
    else:
        heads = [n for n in range(start, end) if re.match(r"(  - version|    (date|requires_python)):", lines[n])]
        lines[heads[-1] + 1 : heads[-1] + 1] = _written(key, value)
    return "\n".join(lines)


def add_release(text: str, members: Mapping[str, Value]) -> str:
    """Return the text with a new release behind the last one. members: its keys in order, "version" the first."""
    lines = text.split("\n")
    starts = [n for n, line in enumerate(lines) if line.startswith("  - version:")]
    last = starts[-1]
    end = next((n for n in range(last + 1, len(lines)) if not lines[n].startswith("   ")), len(lines))
    made = [line for key, value in members.items() for line in _written(key, value)]
    made[0] = f"  - {made[0].strip()}"
    lines[end:end] = made
    return "\n".join(lines)


def add_package(text: str, members: Mapping[str, Value]) -> str:
    """Return the text with a row in a table of packages: before its package's lower versions, else at the end."""
    lines = text.split("\n")
    row = "  - {" + ", ".join(f"{key}: {_inline(value)}" for key, value in members.items()) + "}"
    name, version = str(members["name"]), str(members["version"])
    mine = [(n, _version_at(lines, n)) for n, line in enumerate(lines) if _names(line, name)]
    lower = [n for n, told in mine if told is not None and _order(told) < _order(version)]
    if lower:
        place = lower[0]
    elif mine:
        place = next((n for n in range(mine[-1][0] + 1, len(lines)) if not lines[n].startswith("    ")), len(lines))
    else:
        first = next(n for n, line in enumerate(lines) if line.startswith("packages:"))
        place = next((n for n in range(first + 1, len(lines)) if lines[n] and lines[n][0] != " "), len(lines))
        place -= 1 if not lines[place - 1] else 0
    lines[place:place] = [row]
    return "\n".join(lines)


def _release(lines: Sequence[str], version: str) -> tuple[int, int]:
    wanted = f'  - version: "{version}"'
    start = next((n for n, line in enumerate(lines) if line == wanted), None)
    if start is None:
        raise ValueError(f"no release {version} in the table")
    end = next((n for n in range(start + 1, len(lines)) if not lines[n].startswith("   ")), len(lines))
    return start, end


def _written(key: str, value: Value) -> list[str]:
    if not isinstance(value, str | bool | Mapping) and value and isinstance(value[0], Mapping):
        return [f"    {key}:", *(f"      - {_inline(row)}" for row in value)]
    line = f"    {key}: {_inline(value)}"
    if not isinstance(value, Mapping) or len(line) <= _WIDEST_IN_LINE:
        return [line]
    return [f"    {key}:", *(f"      {_key(name)}: {_inline(held)}" for name, held in value.items())]


def _inline(value: Value) -> str:
    if isinstance(value, str | bool):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(name)}: {_inline(held)}" for name, held in value.items()) + "}"
    return "[" + ", ".join(_inline(item) for item in value) + "]"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_][\w-]*", name) else json.dumps(name)


def _names(line: str, name: str) -> bool:
    return re.match(rf'  - (\{{)?name: "{re.escape(name)}"', line) is not None


def _version_at(lines: Sequence[str], number: int) -> str | None:
    found = re.search(r'version: "([^"]+)"', lines[number]) or re.search(r'version: "([^"]+)"', lines[number + 1])
    return found[1] if found else None


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", version.replace(".x", "")))
