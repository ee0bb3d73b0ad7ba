"""Change checks and rules a little, one change at a time, and see whether the tests notice.

    python benchmarks/mutants.py --count 200 --seed 1 --jobs 2

A mutant is one change in one file of checks/, rules/ or infer/: a comparison turned, a number moved by one, a condition
negated, "and" for "or", a word of a string cut, a statement left out. The cases of the check, and then all tests of
what judges, run on a copy of the tree; a mutant is killed when one of them fails or they do not end. Printed: the share
that was killed, and each survivor with its place, so that somebody can write the missing case or see that the change
means nothing.
"""

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).resolve().parent.parent
_TURNED = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_SECONDS = 300.0
_CODE = ("checks", "rules", "infer")  # folders that hold what is mutated
_JUDGING = ("tests/test_check_cases.py", "tests/rules", "tests/test_machines.py", "tests/test_doctor.py")
_NAME = re.compile(r'\bname="([a-z0-9-]+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change: the file, below the tree's root, its line, what was done, and the new text of the file."""

    file: str
    line: int
    change: str
    text: str


def main() -> int:
    """Try the mutants; return 1 where fewer than --at-least of them were killed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--at-least", type=float, default=0.9, metavar="SHARE")
    parser.add_argument("--only", default="", metavar="PART", help="only files whose path holds this")
    options = parser.parse_args()
    places = [place for file in _files(options.only) for place in _places(file)]
    chosen = random.Random(options.seed).sample(places, min(options.count, len(places)))
    trees: Queue[Path] = Queue()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.jobs):
            trees.put(_copy(Path(folder) / str(number)))
        sound = trees.get()
        if failed := _failure(sound, _JUDGING):
            print(
                f"without any change these tests fail already, so nothing can be measured:\n{failed}", file=sys.stderr
            )
            return 2
        trees.put(sound)
        with ThreadPoolExecutor(options.jobs) as pool:
            killed = list(pool.map(lambda place: _is_killed(_mutant(*place), trees), chosen))
    for place, dead in zip(chosen, killed, strict=True):
        if not dead:
            mutant = _mutant(*place)
            print(f"survived  {mutant.file}:{mutant.line}  {mutant.change}")
    share = sum(killed) / len(killed) if killed else 0.0
    print(f"{sum(killed)} of {len(killed)} killed: {share:.1%}; {len(places)} places in all, seed {options.seed}")
    return 0 if share >= options.at_least else 1


def _files(only: str) -> Iterator[Path]:
    for base in (ROOT / "src" / "accel", *sorted((ROOT / "plugins").glob("*/accel_*"))):
        for path in sorted(base.rglob("*.py")):
            inside = path.relative_to(base).parts[:-1]
            if set(inside) & set(_CODE) and path.name != "__init__.py" and only in str(path):
                yield path


def _places(path: Path) -> Iterator[tuple[Path, int]]:
    """Yield (file, number of the change in it)."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for number, _ in enumerate(_changes(tree)):
        yield path, number


def _mutant(path: Path, wanted: int) -> Mutant:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for number, (line, change, apply) in enumerate(_changes(tree)):
        if number == wanted:
            apply()
            text = ast.unparse(ast.fix_missing_locations(tree))
            return Mutant(file=str(path.relative_to(ROOT)), line=line, change=change, text=text)
    raise IndexError(wanted)


def _changes(tree: ast.Module) -> Iterator[tuple[int, str, "object"]]:
    """Yield (line, what it does, the function that does it) of each possible change; docstrings and decorators stay."""
    skipped = {id(node) for stays in ast.walk(tree) for node in _staying(stays)}
    for node in ast.walk(tree):
        if id(node) in skipped or not hasattr(node, "lineno"):
            continue
        yield from ((node.lineno, change, apply) for change, apply in _of(node))


def _staying(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what no change is made in: annotations, docstrings, imports, the arguments of decorators."""
    if isinstance(node, ast.FunctionDef):
        for part in (*node.decorator_list, node.returns, node.args):
            if part is not None:
                yield from ast.walk(part)
    if isinstance(node, ast.AnnAssign):
        yield from ast.walk(node.annotation)
    if isinstance(node, ast.FunctionDef | ast.Module | ast.ClassDef) and node.body:
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            yield from ast.walk(first)
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from ast.walk(node)
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        yield from ast.walk(node)


def _of(node: ast.AST) -> Iterator[tuple[str, object]]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _TURNED:
        turned = _TURNED[type(node.ops[0])]
        yield (
            f"{type(node.ops[0]).__name__} becomes {turned.__name__}",
            lambda: node.ops.__setitem__(0, turned()),
        )
    elif isinstance(node, ast.BoolOp):
        other = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield f"{type(node.op).__name__} becomes {other.__name__}", lambda: setattr(node, "op", other())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not left out", lambda: _become(node, node.operand)
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        test = node.test
        yield "condition negated", lambda: setattr(node, "test", ast.UnaryOp(op=ast.Not(), operand=test))
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield f"{node.value} becomes {node.value + 1}", lambda: setattr(node, "value", node.value + 1)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield f"{node.value} becomes {not node.value}", lambda: setattr(node, "value", not node.value)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div):
        other_op = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}[type(node.op)]
        yield f"{type(node.op).__name__} becomes {other_op.__name__}", lambda: setattr(node, "op", other_op())
    elif isinstance(node, ast.Return) and node.value is not None:
        yield "returns None", lambda: setattr(node, "value", ast.Constant(value=None))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield | ast.YieldFrom | ast.Call):
        yield "left out", lambda: setattr(node, "value", ast.Constant(value=None))
    elif isinstance(node, ast.Continue):
        yield "continue becomes pass", lambda: None


def _become(node: ast.UnaryOp, operand: ast.expr) -> None:
    node.op, node.operand = ast.Not(), ast.UnaryOp(op=ast.Not(), operand=operand)


def _copy(folder: Path) -> Path:
    """Return a copy of what the tests need."""
    left_out = shutil.ignore_patterns("__pycache__", ".git", ".venv*", "*.egg-info", ".mypy_cache", ".ruff_cache")
    for name in ("src", "plugins", "tests", "specs", "docs", "pyproject.toml", "README.md"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=left_out)
        else:
            shutil.copy(source, folder / name)
    return folder


def _is_killed(mutant: Mutant, trees: "Queue[Path]") -> bool:
    tree = trees.get()
    file = tree / mutant.file
    before = file.read_text(encoding="utf-8")
    try:
        file.write_text(mutant.text, encoding="utf-8")
        return any(_failure(tree, tests) for tests in _stages(tree, mutant.file))
    finally:
        file.write_text(before, encoding="utf-8")
        trees.put(tree)


def _failure(tree: Path, tests: Sequence[str]) -> str:
    """Return the end of what the tests print where they fail or do not end; "" where they pass."""
    paths = [tree / "src", *sorted(path.parent for path in (tree / "plugins").glob("*/accel_*"))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not slow", *tests]
    try:
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"no end after {_SECONDS:.0f} s"
    return "" if done.returncode in (0, 5) else (done.stdout + done.stderr).decode("utf-8", "replace")[-1500:]


def _stages(tree: Path, file: str) -> Iterator[Sequence[str]]:
    """Yield the tests to run, the next where those before have passed: a check's own cases, then all that judges."""
    name = _NAME.search((tree / file).read_text(encoding="utf-8")) if "checks" in Path(file).parts else None
    if name:
        yield [_JUDGING[0], "-k", name[1].replace("-", " and ")]
    yield _JUDGING


if __name__ == "__main__":
    sys.exit(main())
