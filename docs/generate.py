"""Build the reference pages from the program itself, and update the plugins' lines of pyproject.toml.

python docs/generate.py            write the pages to docs/reference/, which is not committed, and update pyproject.toml
python docs/generate.py --to DIR   write the pages to another folder
python docs/generate.py --check    write nothing; fail if a page cannot be made or pyproject.toml is out of date
"""

import argparse
import importlib
import inspect
import json
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coverage_page
import packaging_lists
import plugin_api
import yaml

import accel
from accel.apps.cli import COMMANDS
from accel.model.codec import json_schema
from accel.plugins.registry import Registry
from accel.vendors.contract.check import LAYERS

FOLDER = Path(__file__).parent / "reference"
NOT_PROVEN = Path(__file__).parent.parent / "tests" / "outcomes_not_proven.yaml"


def pages() -> Iterator[tuple[str, str]]:
    """Yield each page's name and text."""
    registry = Registry({})
    yield "cli.md", cli_page()
    yield "checks.md", checks_page(registry)
    yield "coverage.md", coverage_page.coverage_page({check.code: check.name for check in registry.checks})
    yield "api.md", api_page()
    yield "plugin-api.md", plugin_api.page()
    yield "snapshot.schema.json", json.dumps(_cleaned(json_schema()), indent=1, sort_keys=True) + "\n"


def _cleaned(schema: Any) -> Any:
    """Return a schema whose descriptions, which are docstrings, stand alike on every Python."""
    if isinstance(schema, dict):
        return {k: inspect.cleandoc(v) if k == "description" else _cleaned(v) for k, v in schema.items()}
    return [_cleaned(item) for item in schema] if isinstance(schema, list) else schema


def cli_page() -> str:
    parts = ["# The command line\n", "Made from `--help` by `docs/generate.py`.\n"]
    for name, says in COMMANDS.items():
        parser = importlib.import_module(f"accel.apps.cli.{name}").parser()
        parts.append(f"## accel {name}\n\n{says[0].upper()}{says[1:]}.\n\n```text\n{_help(parser)}\n```\n")
    return "\n".join(parts)


def _help(parser: argparse.ArgumentParser) -> str:
    """Return what --help states, laid out here: argparse breaks and spells it differently from version to version."""
    lines = [parser.description or ""]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, sub in action.choices.items():
                lines += ["", f"{parser.prog} {name}", *(f"  {line}".rstrip() for line in _help(sub).splitlines())]
        elif action.help != argparse.SUPPRESS:
            lines += _option(action)
    return "\n".join([*lines, *(["", *textwrap.wrap(parser.epilog, 96)] if parser.epilog else [])])


def _option(action: argparse.Action) -> list[str]:
    values = action.metavar or (
        "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.dest.upper()
    )
    named = "" if action.nargs == 0 else f" {values if isinstance(values, str) else ' '.join(values)}"
    many = " …" if action.nargs in ("+", "*") else ""
    head = f"  {', '.join(action.option_strings)}{named}{many}" if action.option_strings else f"  {values}{many}"
    help_text = (action.help or "") % {"default": action.default, "prog": "accel"}
    return [head, *(f"      {line}" for line in textwrap.wrap(help_text, 90))]


def checks_page(registry: Registry) -> str:
    checks = registry.checks
    lacking = yaml.safe_load(NOT_PROVEN.read_text(encoding="utf-8"))["checks"]
    parts = [
        "# The checks\n",
        f"{len(checks)} checks, the lowest layer first: {', '.join(LAYERS)}. Made from the checks' own docstrings by "
        "`docs/generate.py`. Codes and names are never reused.\n",
        f"A check ends found, clear, undecided or not applicable. {len(checks) - len(lacking)} of them were seen to "
        "end in each of the four ways, on the cases in `tests/checks` and `plugins/*/tests` and on the situations of "
        "`tests/judged/outcomes.py`; of the others the last column tells which ways were not. A test keeps it so.\n",
        "| code | name | layer | severity | family | not proven |\n|---|---|---|---|---|---|",
    ]
    ordered = sorted(checks, key=lambda c: (LAYERS.index(c.layer), c.code))
    parts += [
        f"| {c.code} | [{c.name}](#{c.code.lower()}-{c.name}) | {c.layer} | {c.severity} | {c.family or ''} "
        f"| {', '.join(lacking.get(c.name, {}).get('lacks', ()))} |"
        for c in ordered
    ]
    parts.append("")
    for check in ordered:
        parts.append(f"## {check.code} {check.name}\n\n```text\n{inspect.cleandoc(check.run.__doc__ or '')}\n```\n")
    return "\n".join(parts)


def api_page() -> str:
    parts = ["# The Python API\n", "Made from the docstrings of `accel.__all__` by `docs/generate.py`.\n"]
    modules = [name for name in accel.__all__ if inspect.ismodule(getattr(accel, name))]
    inside = [
        (f"{name}.{own}", getattr(getattr(accel, name), own))
        for name in modules
        for own in getattr(accel, name).__all__
    ]
    for name, value in [*((name, getattr(accel, name)) for name in accel.__all__), *inside]:
        if inspect.ismodule(value):
            parts.append(f"## accel.{name}\n\n```text\n{inspect.cleandoc(value.__doc__ or '')}\n```\n")
            continue
        signature = f"{name}{inspect.signature(value)}" if inspect.isfunction(value) else f"class {name}"
        parts.append(f"## accel.{name}\n\n```text\n{signature}\n\n{inspect.cleandoc(value.__doc__ or '')}\n```\n")
    return "\n".join(parts)


def main() -> int:
    """Write the pages and pyproject.toml, or check them; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=FOLDER, metavar="DIR", help="the folder for the pages")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page cannot be made")
    given = parser.parse_args()
    made = dict(pages())
    project = packaging_lists.pyproject()
    is_current = packaging_lists.PYPROJECT.read_text(encoding="utf-8") == project
    if given.check:
        if not is_current:
            print("pyproject.toml is out of date. Update it:  python docs/generate.py", file=sys.stderr)
        return 0 if is_current else 1
    given.to.mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        (given.to / name).write_text(text, encoding="utf-8")
    if not is_current:
        packaging_lists.PYPROJECT.write_text(project, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
