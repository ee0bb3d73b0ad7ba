"""The page plugin-api.md: what plugins may import, taken from the source.

Each module is shown as its author wrote it, without the bodies of functions and without private names. Adding a name to
FLOOR, or removing one, changes what plugins may rely on: docs/stability.md.
"""

import ast
import importlib.util
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

FLOOR: Final[dict[str, tuple[str, ...] | None]] = {  # module: the names that count; None: all public ones
    "accel.vendors.contract.hookspecs": None,
    "accel.vendors.contract.vendor": None,
    "accel.vendors.contract.backend": None,
    "accel.vendors.contract.watching": None,
    "accel.vendors.toolkit.presence": ("shown",),
    "accel.machine.protocol": ("Machine",),
    "accel.machine.files": None,
    "accel.machine.process": ("CommandResult",),
    "accel.vendors.toolkit.vendor_backend": ("VendorBackend",),
    "accel.vendors.toolkit.notes": None,
    "accel.vendors.toolkit.lspci_reader": ("lspci_reader",),
    "accel.checks.driver_not_loaded": None,
    "accel.facts.driver_absent": None,
    "accel.model.device": None,
    "accel.model.readings": ("State", "Readings", "ProcessReadings", "is_blank", "readings_of", "without_readings"),
    "accel.model.report": None,
    "accel.model.observation": None,
    "accel.model.environment": None,
    "accel.model.snapshot": None,
    "accel.model.diagnosis": None,
    "accel.vendors.contract.check": None,
    "accel.vendors.contract.rule": ("rule", "Rule", "Seen", "fact_from"),
    "accel.facts.questions": None,
    "accel.specs.load": ("load", "Specs"),
    "accel.model.chip": ("Chip",),
    "accel.specs.architectures": ("Architecture",),
    "accel.text.amounts": None,
    "accel.text.sections": None,
    "accel.text.grid": None,
    "accel.text.cells": None,
    "accel.text.lines": None,
    "accel.text.pattern": None,
    "accel.model.errors": None,
    "accel.machine.recorded": None,
}
_HEAD: Final = """# The plugin API

These names and no others: [what is promised of them](../stability.md). Import each from the module above it.
Records are `@dataclass(frozen=True, slots=True, kw_only=True)`; subclass them with the same decorator.
Tests may besides import `accel.model.merge` and `accel.machine.live`. Made from the source by `docs/generate.py`.

"""


def page() -> str:
    """Return the whole page."""
    parts = [_HEAD]
    for module, names in FLOOR.items():
        source = _source(module)
        shown = re.sub(r"  # type: ignore.*", "", "\n".join(_shown(source, names)).rstrip())
        about = (
            ""
            if names and module != "accel.vendors.toolkit.presence"
            else f"{ast.get_docstring(ast.parse(source))}\n\n"
        )
        title = "accel.specs" if module.startswith("accel.specs.") else module
        parts.append(f"## {title}\n\n" + (f"```text\n{about.strip()}\n```\n\n" if about else ""))
        parts.append(f"```python\n{shown}\n```\n\n" if shown else "")
    return "".join(parts).rstrip() + "\n"


def _source(module: str) -> str:
    found = importlib.util.find_spec(module)
    assert found is not None, module
    assert found.origin is not None, module
    return Path(found.origin).read_text(encoding="utf-8")


def _shown(source: str, names: Iterable[str] | None) -> Iterator[str]:
    """Yield the lines of the public constants, classes and functions of a module."""
    lines = source.splitlines()
    for node in ast.parse(source).body:
        name = _name(node)
        if name is None or (name not in names if names is not None else name.startswith("_")):
            continue
        if isinstance(node, ast.ClassDef):
            yield from _class(node, lines)
        elif isinstance(node, ast.FunctionDef):
            yield from _function(node, lines)
        else:
            yield from lines[node.lineno - 1 : node.end_lineno]
        yield ""


def _name(node: ast.stmt) -> str | None:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return node.name
    target = (
        node.targets[0] if isinstance(node, ast.Assign) else node.target if isinstance(node, ast.AnnAssign) else None
    )
    return target.id if isinstance(target, ast.Name) else None


def _class(node: ast.ClassDef, lines: list[str]) -> Iterator[str]:
    yield from _head(node, lines)
    shown = False
    for item in node.body:
        name = _name(item)
        public = name is not None and not name.startswith("_")
        if isinstance(item, ast.FunctionDef) and public:
            yield ""
            yield from _function(item, lines)
        elif isinstance(item, ast.AnnAssign) and public:
            if not shown and ast.get_docstring(node):
                yield ""
            yield from lines[item.lineno - 1 : item.end_lineno]
            shown = True


def _function(node: ast.FunctionDef, lines: list[str]) -> Iterator[str]:
    head = list(_head(node, lines))
    if ast.get_docstring(node) is None and not head[-1].endswith("..."):
        head[-1] += " ..."
    yield from head


def _head(node: ast.ClassDef | ast.FunctionDef, lines: list[str]) -> Iterator[str]:
    """Yield decorators, the line with the name, and the docstring."""
    start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    first = node.body[0]
    if ast.get_docstring(node) is not None:
        yield from lines[start - 1 : first.end_lineno]
    elif first.lineno == node.lineno:  # def f() -> int: ...
        yield lines[node.lineno - 1]
    else:
        yield from _without_comment(lines[start - 1 : first.lineno - 1])


def _without_comment(head: list[str]) -> list[str]:
    while head and not head[-1].rstrip().endswith(":"):
        head = head[:-1]
    return head
