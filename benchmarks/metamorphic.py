"""Paste labelled reports in other ways, and count what accel still finds.

    ACCEL_CORPUS=FOLDER python benchmarks/metamorphic.py [--every 4 --first 1] [--only wrapped] [--verbose] [--cuts 3]
    python benchmarks/metamorphic.py --kit --cases cudnn --verbose      the texts of the cases of checks, here cuDNN's
FOLDER holds cases/*/report.txt and case.json. Of each way: the share of the findings above info that stay; the share
of the labelled causes found that are lost; findings that were not there before; healthy reports that raise an alarm.
"""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from accel.collect.text import decode_bytes, read_texts
from accel.diagnose.engine import diagnose
from accel.model.diagnosis import Diagnosis, Finding
from accel.plugins.registry import Registry

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "judged"))  # what the tests and this ask alike

from check_cases import check_cases
from respelling import Respelling
from rewritings import REWRITINGS, cuts_a_line

ROOT = Path(__file__).resolve().parent.parent
Way = Callable[[str, Random], str]


def main() -> int:
    """Print one line for each way, and the findings that were lost with --verbose."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="take every Nth report: a quick look")
    parser.add_argument("--first", type=int, default=0, help="and begin with this one: another part of them")
    parser.add_argument("--only", default="", metavar="PART", help="only ways whose name holds this")
    parser.add_argument("--cases", default="", metavar="PART", help="only reports whose name holds this")
    parser.add_argument("--cuts", type=int, default=3, help="lines deleted of each report, one at a time")
    parser.add_argument("--kit", action="store_true", help="take the texts of the cases of checks")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    registry = Registry({})
    given = list(_kit() if options.kit else _reports())[options.first :: options.every]
    reports = [report for report in given if options.cases in report["id"]]
    before = [_found(registry, report["text"]) for report in reports]
    print(f"{len(reports)} reports, {sum(len(found) for found in before)} findings above info")
    print(f"{'way':28s} {'kept':>6s} {'causes lost':>12s} {'new':>5s} {'alarms':>7s}")
    for name, way in _ways(options.cuts):
        if options.only in name:
            _row(name, way, reports, before, registry, options.verbose)
    return 0


def _ways(cuts: int) -> Iterator[tuple[str, Way]]:
    for rewriting in REWRITINGS:
        yield rewriting.name, lambda text, random, one=rewriting: decode_bytes("report", one.data(text, random))
    yield from ((f"one-line-deleted-{number + 1}", cuts_a_line) for number in range(cuts))
    respelling = Respelling.of(ROOT / "specs")
    yield "codes-respelt", respelling.run


def _row(
    name: str,
    way: Way,
    reports: list[dict[str, Any]],
    before: list[dict[str, Finding]],
    registry: Registry,
    verbose: bool,
) -> None:
    count: Counter[str] = Counter()
    for report, found in zip(reports, before, strict=True):
        text = way(report["text"], Random(f"{name} {report['id']}"))
        if text == report["text"]:
            continue
        now = _found(registry, text)
        label = report["root_cause"]
        lost, new = sorted(found.keys() - now.keys()), sorted(now.keys() - found.keys())
        count["findings"] += len(found)
        count["kept"] += len(found) - len(lost)
        count["causes"] += _names(found, label)
        count["causes lost"] += _names(found, label) and not _names(now, label)
        count["new"] += len(new)
        count["alarms"] += label == "healthy" and bool(new)
        if verbose and (lost or new):
            print(f"    {report['id']}: lost {', '.join(lost) or 'none'}; new {', '.join(new) or 'none'}")
            if name.startswith("one-line"):
                print("".join(f"        without: {line}\n" for line in _gone(report["text"], text)), end="")
    if not count["findings"]:
        print(f"{name:28s} changes none of them")
        return
    kept, causes = count["kept"] / count["findings"], count["causes lost"] / (count["causes"] or 1)
    print(f"{name:28s} {kept:6.1%} {causes:12.1%} {count['new']:5d} {count['alarms']:7d}", flush=True)


def _gone(text: str, cut: str) -> list[str]:
    kept = Counter(cut.split("\n"))
    return list((Counter(text.split("\n")) - kept).elements())


def _names(found: dict[str, Finding], label: str) -> bool:
    return any(label in (finding.name, finding.family) for finding in found.values())


def _kit() -> Iterator[dict[str, Any]]:
    for folder in (ROOT / "tests" / "checks", *sorted((ROOT / "plugins").glob("*/tests/*checks"))):
        for check, name, case in check_cases(folder):
            if "text" in case and "finds" in case:
                yield {"id": f"{check}:{name}", "root_cause": check, "text": case["text"]}


def _reports() -> Iterator[dict[str, Any]]:
    folder = os.environ.get("ACCEL_CORPUS") or sys.exit("ACCEL_CORPUS names no folder of labelled reports")
    for path in sorted(Path(folder).glob("cases/*/case.json")):
        text = path.with_name("report.txt").read_text(encoding="utf-8", errors="replace")
        yield {**json.loads(path.read_text(encoding="utf-8")), "text": text}


def _found(registry: Registry, text: str) -> dict[str, Finding]:
    snapshot = read_texts([("report", text)], registry)
    diagnosis: Diagnosis = diagnose(snapshot, registry.specs, registry.checks, registry.rules)
    return {finding.name: finding for finding in diagnosis.findings if finding.severity != "info"}


if __name__ == "__main__":
    sys.exit(main())
