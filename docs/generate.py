"""Make the reference pages from the program itself, so that they cannot go stale.

python docs/generate.py            write docs/reference/
python docs/generate.py --check    say which pages are stale, and fail
"""

import argparse
import importlib
import inspect
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import plugin_api

import accel
from accel.check import LAYERS
from accel.cli import COMMANDS
from accel.codec import json_schema
from accel.registry import Registry

FOLDER = Path(__file__).parent / "reference"


def pages() -> Iterator[tuple[str, str]]:
    """Yield each page's name and text."""
    registry = Registry({})
    yield "cli.md", cli_page()
    yield "checks.md", checks_page(registry)
    yield "api.md", api_page()
    yield "plugin-api.md", plugin_api.page()
    yield "snapshot.schema.json", json.dumps(json_schema(), indent=1, sort_keys=True) + "\n"


def cli_page() -> str:
    os.environ["COLUMNS"] = "100"
    parts = ["# The command line\n", "Made from `--help` by `docs/generate.py`.\n"]
    for name, says in COMMANDS.items():
        text = importlib.import_module(f"accel.cli.{name}").parser().format_help()
        parts.append(f"## accel {name}\n\n{says[0].upper()}{says[1:]}.\n\n```text\n{text.strip()}\n```\n")
    return "\n".join(parts)


def checks_page(registry: Registry) -> str:
    checks = registry.checks
    parts = [
        "# The checks\n",
        f"{len(checks)} checks, the lowest layer first: {', '.join(LAYERS)}. Made from the checks' own docstrings by "
        "`docs/generate.py`. Codes and names are never reused.\n",
        "| code | name | layer | severity | family |\n|---|---|---|---|---|",
    ]
    ordered = sorted(checks, key=lambda c: (LAYERS.index(c.layer), c.code))
    parts += [
        f"| {c.code} | [{c.name}](#{c.code.lower()}-{c.name}) | {c.layer} | {c.severity} | {c.family or ''} |"
        for c in ordered
    ]
    parts.append("")
    for check in ordered:
        parts.append(f"## {check.code} {check.name}\n\n```text\n{inspect.cleandoc(check.run.__doc__ or '')}\n```\n")
    return "\n".join(parts)


def api_page() -> str:
    parts = ["# The Python API\n", "Made from the docstrings of `accel.__all__` by `docs/generate.py`.\n"]
    for name in accel.__all__:
        value = getattr(accel, name)
        signature = f"{name}{inspect.signature(value)}" if inspect.isfunction(value) else f"class {name}"
        parts.append(f"## accel.{name}\n\n```text\n{signature}\n\n{inspect.cleandoc(value.__doc__ or '')}\n```\n")
    return "\n".join(parts)


def main() -> int:
    """Write or check the pages; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is stale")
    check = parser.parse_args().check
    stale = []
    for name, text in pages():
        path = FOLDER / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not check:
            path.write_text(text, encoding="utf-8")
    if check and stale:
        print(f"stale: {', '.join(stale)}. Make them again:  python docs/generate.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
