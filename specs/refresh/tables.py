"""Edits of the YAML tables that leave other lines as they are: a key of a release, a new release, a new package row."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from accel.apps.refresh.propose import Value

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


def add_row(text: str, members: Mapping[str, Value], identity: Sequence[str], of: str = "") -> str:
    """Return the text with a row, in braces on one line, set; one of the same identity gets these members.

    identity  the keys that tell rows apart; of: the list that a new row goes to, at its head; "": the last
    """
    lines = text.split("\n")
    same = [n for n, line in enumerate(lines) if _is_row_of(line, members, identity)]
    if same:
        told = {key: value for key, value in _row_in(lines[same[0]]).items() if key not in members}
        last = {key: told.pop(key) for key in ("source", "sources", "confidence") if key in told}
        lines[same[0]] = _row({**{k: v for k, v in members.items() if k in identity}, **told, **members, **last})
        return "\n".join(lines)
    heads = [n for n, line in enumerate(lines) if line.startswith(f"{of}:" if of else ("wheels:", "rows:"))]
    lines[heads[-1] + 1 : heads[-1] + 1] = [_row(members)]
    return "\n".join(lines)


def set_compared(text: str, day: str, package: str | None = None, inside: str = "") -> str:
    """Return the text with the day of the last comparison set at the head, or of one package of several.

    inside  the list whose row of the package has it: "projects"
    """
    if inside and package is not None:
        return add_row(text, {"package": package, "compared": day}, ("package",), inside)
    lines = text.split("\n")
    at = next((n for n, line in enumerate(lines) if line.startswith("compared:")), None)
    if package is None:
        line = f"compared: {json.dumps(day)}"
        if at is None:
            at = next(n for n, told in enumerate(lines) if told.startswith(("as_of:", "framework:", "sources:")))
            lines.insert(at + lines[at].startswith("as_of:"), line)
        else:
            lines[at] = line
        return "\n".join(lines)
    if at is None:
        at = next(n for n, told in enumerate(lines) if told.startswith("as_of:")) + 1
        lines.insert(at, "compared:")
    end = next(n for n in range(at + 1, len(lines)) if not lines[n].startswith("  "))
    mine = [n for n in range(at + 1, end) if lines[n].startswith(f"  {package}:")]
    lines[mine[0] if mine else end : mine[0] + 1 if mine else end] = [f"  {package}: {json.dumps(day)}"]
    return "\n".join(lines)


def _row(members: Mapping[str, Value]) -> str:
    return "  - {" + ", ".join(f"{_key(key)}: {_inline(value)}" for key, value in members.items()) + "}"


def _row_in(line: str) -> dict[str, Any]:
    told = yaml.safe_load(line.strip().removeprefix("- ")) if line.startswith("  - {") else None
    return told if isinstance(told, dict) else {}


def _is_row_of(line: str, members: Mapping[str, Value], identity: Sequence[str]) -> bool:
    if not line.startswith("  - {") or any(json.dumps(members[key]) not in line for key in identity):
        return False
    told = _row_in(line)
    return set(identity) <= set(told) and all(told[key] == members[key] for key in identity)
