"""The public surface of accel: every name that docs/stability.md promises, as its source states it.

python docs/public_surface.py      write tests/public_surface.yaml, which tests/test_public_surface.py compares

Of a function its signature; of a record its fields with their types, its properties and methods; of an error its kind.
`changed` is the release in which the name came or changed last: what changes is of the release that CHANGELOG.md begins
with. Taken from the source texts, so that it is the same on every Python.
"""

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
STORED = ROOT / "tests" / "public_surface.yaml"
_HEAD = (
    "# The public names of accel, written by  python docs/public_surface.py  after a change that CHANGELOG.md names.\n"
)
_RELEASE = re.compile(r"^## (\S+)[^\n]*\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def release() -> tuple[str, str]:
    """Return the release that the changelog begins with, and what it says of it."""
    found = _RELEASE.search((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert found is not None
    return found[1], found[2]


def surface() -> dict[str, Any]:
    """Return each public name with what is promised of it."""
    found: dict[str, Any] = {}
    for home in ("accel", "accel.fleet", "accel.testing"):
        module = importlib.import_module(home)
        for name in sorted(module.__all__):
            value = getattr(module, name)
            if inspect.ismodule(value):
                found[f"{home}.{name}"] = "module"
                for own in sorted(value.__all__):
                    found[f"{home}.{name}.{own}"] = _described(getattr(value, own))
            else:
                found[f"{home}.{name}"] = _described(value)
    return found


def _described(value: Any) -> Any:
    if not inspect.isclass(value):
        return _signature(_definition(value))
    if issubclass(value, BaseException):
        told: dict[str, Any] = {"kind": value.__base__.__name__}
    else:
        told = {}
    members = dict(sorted(_members(value)))
    return {**told, **({"members": members} if members else {})}


def _members(kind: type) -> Iterator[tuple[str, str]]:
    """Yield the public fields, properties and methods of a class and of those of accel that it is made from."""
    for one in reversed(kind.__mro__):
        if not one.__module__.startswith("accel"):
            continue
        for node in _definition(one).body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                yield from _shown(node.target.id, _type(node.annotation))
            elif isinstance(node, ast.FunctionDef):
                is_property = any("property" in ast.unparse(mark) for mark in node.decorator_list)
                yield from _shown(node.name, _type(node.returns) if is_property else _signature(node))
                if node.name == "__init__" and one.__doc__ is not None:
                    yield from _attributes(node)


def _attributes(start: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """Yield what __init__ sets on the object, with the type that is written, or that of the argument set as it is."""
    given = {one.arg: _type(one.annotation) for one in (*start.args.args, *start.args.kwonlyargs)}
    for node in ast.walk(start):
        told = _type(node.annotation) if isinstance(node, ast.AnnAssign) else None
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            for each in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == "self":
                    yield from _shown(each.attr, told or given.get(each.attr, "attribute"))


def _shown(name: str, told: str) -> Iterator[tuple[str, str]]:
    if not name.startswith("_"):
        yield name, told


def _definition(value: Any) -> Any:
    return ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]


def _signature(node: ast.FunctionDef) -> str:
    return f"({_type(node.args)}) -> {_type(node.returns)}"


def _type(node: ast.AST | None) -> str:
    """Return an annotation without the quotes that keep it from being looked up."""
    if node is None:
        return "None"
    plain = ast.unparse(_Unquoted().visit(node))
    return re.sub(r"\s+", " ", plain)


class _Unquoted(ast.NodeTransformer):
    """Takes annotations out of their quotes; defaults, and the words of Literal, keep theirs."""

    def visit_arguments(self, node: ast.arguments) -> ast.arguments:
        for one in (*node.posonlyargs, *node.args, *node.kwonlyargs, node.vararg, node.kwarg):
            if one is not None and one.annotation is not None:
                one.annotation = self.visit(one.annotation)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:  # ast's name
        if isinstance(node.value, ast.Name) and node.value.id == "Literal":
            return node
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:  # ast's name
        return ast.parse(node.value, mode="eval").body if isinstance(node.value, str) else node


def stored() -> dict[str, Any]:
    """Return what is stored: each name with its release and what is promised of it."""
    names: dict[str, Any] = yaml.safe_load(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    return names


def renewed() -> dict[str, Any]:
    """Return what is to be stored: what has changed is of the release that is being made."""
    before, now, number = stored(), surface(), release()[0]
    kept = {
        name: before[name] if name in before and before[name]["is"] == told else {"changed": number, "is": told}
        for name, told in now.items()
    }
    gone = {name: {"changed": number, "is": None} for name, told in before.items() if name not in now and told["is"]}
    left = {name: told for name, told in before.items() if name not in now and not told["is"]}
    return dict(sorted({**kept, **gone, **left}.items()))


if __name__ == "__main__":
    text = yaml.safe_dump(renewed(), sort_keys=False, allow_unicode=True, width=10**6)
    STORED.write_text(_HEAD + text, encoding="utf-8")
