"""Delete one line of each labelled report, and see whether accel still names its cause, or says what it wants.

    python benchmarks/deletions.py FOLDER [FOLDER …] [--all] [--verbose] [--cases PART]

A folder holds NAME/report.txt with NAME/case.json (root_cause), or NAME.txt with NAME.json (class, accept). Taken are
the reports whose cause accel names as they stand. The line that goes is the deciding one: the first that the finding
quotes as evidence; where it quotes no line, the first whose loss changes the answer. With --all each goes in turn.

found       the labelled cause is among the findings above info
undecided   it is not, the verdict is undecided, and the answer says what would decide it: a command whose output
            decides this cause, a fact that the check of this cause wants, or texts for a line that nothing explains
asked       undecided likewise, but asked is only for what the failing program prints
other       another cause is named in its place
silent      none of these
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose
from accel.model.diagnosis import Diagnosis, Finding
from accel.plugins.registry import Registry

_OUTCOMES = ("found", "undecided", "asked", "other", "silent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A report with the names under which its cause may be found."""

    name: str
    causes: frozenset[str]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """What came of one report without one of its lines; the line from 1."""

    report: Labelled
    line: int
    gone: str
    outcome: str
    found: tuple[str, ...]


def main() -> int:
    """Print a row for each class that lost anything, and one for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--all", action="store_true", help="delete each line in turn, not the deciding one alone")
    parser.add_argument("--cases", default="", metavar="PART", help="only reports whose name holds this")
    parser.add_argument("--verbose", action="store_true", help="show each deletion after which the cause is not found")
    options = parser.parse_args()
    registry = Registry({})
    made: list[Deletion] = []
    taken = short = 0
    for report in (one for folder in options.folders for one in _labelled(folder) if options.cases in one.name):
        whole = _judged(registry, report.text)
        if not _right(whole, report):
            continue
        if sum(1 for line in report.text.splitlines() if line.strip()) < 2:
            short += 1
            continue
        taken += 1
        made += _deletions(registry, report, whole, all_lines=options.all)
    print(f"{taken} reports whose cause is named as they stand; left out: {short} of a single line")
    _table(made)
    if options.verbose:
        for one in made:
            if one.outcome != "found":
                said = f" (named: {', '.join(one.found)})" if one.found else ""
                print(f"{one.outcome}: {one.report.name}, {'/'.join(sorted(one.report.causes))}{said}")
                print(f"    without {one.line}: {one.gone.strip()[:150]}")
    return 0 if made else 2


def _table(made: list[Deletion]) -> None:
    by_class: dict[str, Counter[str]] = defaultdict(Counter)
    for one in made:
        by_class[min(one.report.causes)][one.outcome] += 1
    print(f"{'':42s}" + "".join(f"{outcome:>10s}" for outcome in _OUTCOMES))
    for name, count in sorted(by_class.items(), key=lambda item: (item[1]["found"] - item[1].total(), item[0])):
        if count["found"] < count.total():
            print(f"{name:42s}" + "".join(f"{count[outcome]:10d}" for outcome in _OUTCOMES))
    total: Counter[str] = sum(by_class.values(), Counter())
    print(f"{'all':42s}" + "".join(f"{total[outcome]:10d}" for outcome in _OUTCOMES))
    count = total.total() or 1
    right = total["found"] + total["undecided"]
    asked = right + total["asked"]
    print(f"found {total['found'] / count:.1%}, or undecided {right / count:.1%}, or asked {asked / count:.1%}")


def _deletions(registry: Registry, report: Labelled, whole: Diagnosis, *, all_lines: bool) -> Iterator[Deletion]:
    lines = report.text.splitlines()
    filled = [number for number, line in enumerate(lines) if line.strip()]
    quoted = [
        evidence.line - 1
        for finding in _above_info(whole)
        if report.causes & {finding.name, finding.family}
        for evidence in finding.evidence
        if evidence.line is not None and evidence.line <= len(lines)
    ]
    if quoted and not all_lines:
        yield _without(registry, report, lines, quoted[0])
        return
    tried = []
    for number in filled:
        one = _without(registry, report, lines, number)
        tried.append(one)
        if one.outcome != "found" and not all_lines:
            yield one
            return
    yield from tried if all_lines else tried[:1]


def _without(registry: Registry, report: Labelled, lines: list[str], number: int) -> Deletion:
    left = "\n".join(lines[:number] + lines[number + 1 :]) + "\n"
    now = _judged(registry, left)
    found = tuple(sorted({finding.name for finding in _above_info(now)}))
    return Deletion(
        report=report, line=number + 1, gone=lines[number], outcome=_outcome(now, report, registry), found=found
    )


def _outcome(now: Diagnosis, report: Labelled, registry: Registry) -> str:
    if _right(now, report):
        return "found"
    if _above_info(now):
        return "other"
    families = {check.name: check.family for check in registry.checks}
    wanting = any(report.causes & {one.name, families.get(one.name)} for one in now.undecided)
    giving = any(one.give for one in now.unexplained)
    deciding = any(report.causes & _with_families(one.decides, families) for one in now.looks)
    if now.verdict != "undecided":
        return "silent"
    return "undecided" if wanting or giving or deciding else "asked" if now.looks else "silent"


def _with_families(names: Iterable[str], families: Mapping[str, str | None]) -> set[str]:
    return {*names, *(family for name in names if (family := families.get(name)))}


def _right(diagnosis: Diagnosis, report: Labelled) -> bool:
    return any(report.causes & {finding.name, finding.family} for finding in _above_info(diagnosis))


def _above_info(diagnosis: Diagnosis) -> list[Finding]:
    return [finding for finding in diagnosis.findings if finding.severity != "info"]


def _judged(registry: Registry, text: str) -> Diagnosis:
    return diagnose(read_texts([("report", text)], registry), registry.specs, registry.checks, registry.rules)


def _labelled(folder: Path) -> Iterator[Labelled]:
    for path in sorted([*folder.glob("*/case.json"), *folder.glob("*.json")]):
        text = path.with_name("report.txt") if path.name == "case.json" else path.with_suffix(".txt")
        label = json.loads(path.read_text(encoding="utf-8"))
        if not text.is_file() or not isinstance(label, dict):
            continue
        named = {label.get("root_cause"), label.get("class"), label.get("cls"), *label.get("accept", ())}
        causes = frozenset(str(cause) for cause in named - {None, "healthy", "none"})
        if causes:
            yield Labelled(
                name=path.parent.name if path.name == "case.json" else f"{folder.name}/{path.stem}",
                causes=causes,
                text=text.read_text(encoding="utf-8", errors="replace"),
            )


if __name__ == "__main__":
    sys.exit(main())
