"""Change code or tables a little, one change at a time, and see whether the tests notice.

    python benchmarks/mutants.py --count 200 --seed 1 --jobs 2 [--tables 60] [--only xid] [--all-tests]

A mutant is one change in one file of checks/, rules/, infer/ or resolver/: a comparison turned, a number moved by one,
a condition negated, "and" for "or", a statement left out; or in a table of inference, language, errors or Xids: a row
left out, a number moved, a severity or a relation turned, an exception dropped. The tests that concern it run on a copy
of the tree: the cases of the check, or of the checks that read what the rule or the table states; with --all-tests, all
that judges too. A mutant is killed when one of them fails or they do not end. Printed: what became of each, with its
place, so that somebody can write the missing case of a survivor or see that the change means nothing, and the share
was killed. A changed table is read as it is written, and all others with it: it is newer than the compiled ones. Of
a table those tests are run that read it back, with the cases of the checks that ask for its facts, in one go.
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
from functools import cache
from pathlib import Path
from queue import Queue

import yaml

from accel.plugins.registry import Registry

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
_CODE = ("checks", "diagnose", "rules", "facts", "resolver")  # folders that hold what is mutated
_TABLES = ("*/inference/*.yaml", "*/errors/*.yaml", "*/errors.yaml", "language/*.yaml", "nvidia/xid.yaml")
_OTHER = {"error": "warning", "warning": "error", "older": "newer", "newer": "older", "info": "warning"}
_REMEDIES = ("tests/resolver", "tests/test_remedies.py", "tests/test_remedy_rules.py")
_KNOWLEDGE = "tests/specs/test_knowledge_tables.py"
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
    parser.add_argument("--tables", type=int, default=60, help="how many of them are of tables")
    parser.add_argument("--all-tests", action="store_true", help="run all that judges where what concerns it passes")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    places = [place for file in _files(options.only) for place in _places(file)]
    rows = [place for file in _table_files(options.only) for place in _rows(file)]
    of_tables = chance.sample(rows, min(options.tables, options.count, len(rows)))
    chosen = chance.sample(places, min(options.count - len(of_tables), len(places))) + of_tables
    trees: Queue[Path] = Queue()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.jobs):
            trees.put(_copy(Path(folder) / str(number)))
        sound = trees.get()
        if failed := _failure(sound, _JUDGING if options.all_tests else _JUDGING[:1]):
            print(
                f"without any change these tests fail already, so nothing can be measured:\n{failed}", file=sys.stderr
            )
            return 2
        trees.put(sound)
        with ThreadPoolExecutor(options.jobs) as pool:
            killed = list(pool.map(lambda place: _try(place, trees, options.all_tests), chosen))
    for kind, wanted in (("code", False), ("tables", True)):
        of_kind = [dead for place, dead in zip(chosen, killed, strict=True) if (place[0].suffix == ".yaml") is wanted]
        print(f"{kind}: {sum(of_kind)} of {len(of_kind)} killed")
    share = sum(killed) / len(killed) if killed else 0.0
    total = len(places) + len(rows)
    print(f"{sum(killed)} of {len(killed)} killed: {share:.1%}; {total} places in all, seed {options.seed}")
    return 0 if share >= options.at_least else 1


def _try(place: tuple[Path, int], trees: "Queue[Path]", all_tests: bool) -> bool:
    mutant = _mutant(*place)
    dead = _is_killed(mutant, trees, all_tests)
    print(f"{'killed  ' if dead else 'survived'}  {mutant.file}:{mutant.line}  {mutant.change}", flush=True)
    return dead


def _files(only: str) -> Iterator[Path]:
    for base in (ROOT / "src" / "accel", *sorted((ROOT / "plugins").glob("*/accel_*"))):
        for path in sorted(base.rglob("*.py")):
            inside = path.relative_to(base).parts[:-1]
            if set(inside) & set(_CODE) and path.name != "__init__.py" and only in str(path):
                yield path


def _table_files(only: str) -> Iterator[Path]:
    found = {path for pattern in _TABLES for path in (ROOT / "specs").glob(pattern)}
    yield from (path for path in sorted(found) if only in str(path))


def _rows(path: Path) -> Iterator[tuple[Path, int]]:
    """Yield (table, number of the change in it)."""
    for number, _ in enumerate(_table_changes(yaml.safe_load(path.read_text(encoding="utf-8")), "")):
        yield path, number


def _table_changes(node: object, place: str) -> Iterator[tuple[str, "object"]]:
    """Yield (what it does and where, the function that does it) of each possible change; sources and prose stay."""
    if isinstance(node, dict):
        for key, value in node.items():
            here = f"{place}.{key}"
            if key in ("sources", "means", "example", "title", "why", "action", "url", "text", "silent", "layer"):
                continue
            if isinstance(value, str) and key in ("severity", "relation") and value in _OTHER:
                yield f"{here}: {value} becomes {_OTHER[value]}", lambda k=key, v=value: node.update({k: _OTHER[v]})
            elif type(value) is int:
                yield f"{here}: {value} becomes {value + 1}", lambda k=key, v=value: node.update({k: v + 1})
            elif key == "unless":
                yield f"{here}: dropped", lambda k=key: node.pop(k)
            else:
                yield from _table_changes(value, here)
    elif isinstance(node, list):
        for index, value in enumerate(node):
            if isinstance(value, dict):
                named = value.get("name") or value.get("code") or value.get("sentence") or index
                here = f"{place}[{str(named)[:60]}]"
                if not value.get("finding"):
                    yield f"{here}: left out", lambda i=index: node.pop(i)
                yield from _table_changes(value, here)


def _places(path: Path) -> Iterator[tuple[Path, int]]:
    """Yield (file, number of the change in it)."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for number, _ in enumerate(_changes(tree)):
        yield path, number


def _mutant(path: Path, wanted: int) -> Mutant:
    if path.suffix == ".yaml":
        table = yaml.safe_load(path.read_text(encoding="utf-8"))
        for number, (change, apply) in enumerate(_table_changes(table, "")):
            if number == wanted:
                apply()
                text = yaml.safe_dump(table, allow_unicode=True, sort_keys=False)
                return Mutant(file=str(path.relative_to(ROOT)), line=1, change=change, text=text)
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
        yield "continue becomes pass", lambda: setattr(node, "__class__", ast.Pass)


def _become(node: ast.UnaryOp, operand: ast.expr) -> None:
    node.op, node.operand = ast.Not(), ast.UnaryOp(op=ast.Not(), operand=operand)


def _copy(folder: Path) -> Path:
    """Return a copy of what the tests need."""
    left_out = shutil.ignore_patterns(
        *("__pycache__", ".git", ".venv*", "*.egg-info", ".mypy_cache", ".ruff_cache", ".hypothesis"),
    )
    for name in ("src", "plugins", "tests", "specs", "docs", "pyproject.toml", "README.md"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=left_out)
        else:
            shutil.copy(source, folder / name)
    return folder


def _is_killed(mutant: Mutant, trees: "Queue[Path]", all_tests: bool) -> bool:
    tree = trees.get()
    file = tree / mutant.file
    before, status = file.read_text(encoding="utf-8"), file.stat()
    try:
        file.write_text(mutant.text, encoding="utf-8")
        return any(_failure(tree, tests) for tests in _stages(mutant, all_tests)) or not _is_valid(tree, mutant.file)
    finally:
        file.write_text(before, encoding="utf-8")
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))  # so that what was compiled counts again
        trees.put(tree)


def _is_valid(tree: Path, file: str) -> bool:
    """Whether the tables are valid, where it is a table that was changed."""
    if not file.endswith(".yaml"):
        return True
    command = [sys.executable, "-m", "accel.specs.validate", "specs"]
    return subprocess.run(command, cwd=tree, env=_environment(tree), capture_output=True, check=False).returncode == 0


def _failure(tree: Path, tests: Sequence[str]) -> str:
    """Return the end of what the tests print where they fail or do not end; "" where they pass."""
    environment = _environment(tree)
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not slow", *tests]
    try:
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"no end after {_SECONDS:.0f} s"
    return "" if done.returncode in (0, 5) else (done.stdout + done.stderr).decode("utf-8", "replace")[-1500:]


def _environment(tree: Path) -> dict[str, str]:
    paths = [tree / "src", *sorted(path.parent for path in (tree / "plugins").glob("*/accel_*"))]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": os.pathsep.join(map(str, paths))}  # compiled files are kept: most stay as they are


def _stages(mutant: Mutant, all_tests: bool) -> Iterator[Sequence[str]]:
    """Yield the tests to run, the next where those before have passed: the cases that concern it, then all others."""
    text = (ROOT / mutant.file).read_text(encoding="utf-8")
    parts = Path(mutant.file).parts
    checks = _checks_of(text, parts)
    chosen = " or ".join(f"({name.replace('-', ' and ')})" for name in checks)
    if parts[0] == "specs":
        yield [_KNOWLEDGE, _JUDGING[0], "-k", " or ".join(filter(None, (Path(_KNOWLEDGE).stem, chosen)))]
    elif checks:
        yield [_JUDGING[0], "-k", chosen]
    if "rules" in parts or "infer" in parts:
        yield ["tests/rules"]
    elif "resolver" in parts:
        yield _REMEDIES
    if not checks or all_tests:
        yield _JUDGING


def _checks_of(text: str, parts: Sequence[str]) -> list[str]:
    """Return the checks that a file concerns: its own, or those that read a fact which it names."""
    own = _NAME.search(text) if "checks" in parts else None
    if own:
        return [own[1]]
    if "checks" in parts or "resolver" in parts:
        return []
    return [name for name, facts in _reads().items() if any(f'"{fact}"' in text for fact in facts)][:40]


@cache
def _reads() -> dict[str, tuple[str, ...]]:
    return {check.name: (check.name, *check.reads) for check in Registry({}).checks}


if __name__ == "__main__":
    sys.exit(main())
