"""The page of the faults that accel detects, in full, in part or not, generated from coverage.yaml."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

FILE: Final = Path(__file__).parent / "coverage.yaml"
STATES: Final = {"whole": "detected", "part": "in part", "no": "not detected", "outside": "out of scope"}
_HEAD: Final = """# Coverage of faults

{total} faults that operators of accelerators check for, according to the handbooks and health checks of clusters, and
accel's coverage: **{whole} detected**, {part} in part, {no} not detected, {outside} out of scope, since accel
is read-only: it starts no work on a device, uses no network and does not judge a site's choices. The counts come from
reading each check's conditions; `docs/generate.py` generates the page from `docs/coverage.yaml`, and a test verifies
every code and command in it. accel has checks beyond these: [checks.md](checks.md).

| | detected | in part | not detected | out of scope |
|---|---:|---:|---:|---:|"""


def state_of(row: Mapping[str, Any]) -> str:
    """Return "whole", "part", "no" or "outside"."""
    if "outside" in row:
        return "outside"
    if "by" not in row:
        return "no"
    return "part" if "lacks" in row else "whole"


def coverage_page(names: Mapping[str, str]) -> str:
    """Return the page. names: the name of each check by its code."""
    families = yaml.safe_load(FILE.read_text(encoding="utf-8"))["families"]
    rows = [row for family in families for row in family["rows"]]
    counted = {state: sum(state_of(row) == state for row in rows) for state in STATES}
    lines = [_HEAD.format(total=len(rows), **counted)]
    for family in families:
        counts = " | ".join(str(sum(state_of(row) == state for row in family["rows"])) for state in STATES)
        lines.append(f"| {family['family']} | {counts} |")
    for family in families:
        lines += ["", f"## {family['family']}", "", "| fault | | by | what is missing |", "|---|---|---|---|"]
        lines += _rows(family["rows"], names)
    return "\n".join(lines) + "\n"


def _rows(rows: list[dict[str, Any]], names: Mapping[str, str]) -> Iterator[str]:
    for row in rows:
        by = ", ".join(_linked(one, names) for one in row.get("by", ()))
        yield f"| {row['asks']} | {STATES[state_of(row)]} | {by} | {row.get('lacks') or row.get('outside') or ''} |"


def _linked(one: str, names: Mapping[str, str]) -> str:
    return f"`{one}`" if one.startswith("accel ") else f"[{one}](checks.md#{one.lower()}-{names[one]})"
