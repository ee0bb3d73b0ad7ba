"""No test measures time: machines differ, and a busy one would fail it. Count calls or steps; time in benchmarks/."""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent
CLOCKS = {"monotonic", "perf_counter", "process_time", "monotonic_ns", "perf_counter_ns", "timeit"}


def test_no_test_reads_a_clock() -> None:
    asked = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for folder in (ROOT / "tests", *(ROOT / "plugins").glob("*/tests"))
        for path in sorted(folder.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in CLOCKS
    ]
    assert asked == []
