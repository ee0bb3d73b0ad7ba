"""The texts below the folder that ACCEL_CORPUS names, each read and judged once for all tests of a run."""

import os
from functools import cache
from pathlib import Path
from typing import Final

from every_case import registry
from shared_parts import Each

from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose
from accel.model.diagnosis import Diagnosis
from accel.model.errors import BadInput
from accel.model.snapshot import Snapshot

IS_THERE: Final = "ACCEL_CORPUS" in os.environ
Judged = tuple[Snapshot, Diagnosis]


@cache
def reports() -> tuple[Path, ...]:
    """Return the users' reports, each with its label beside it."""
    return tuple(sorted(_root().glob("cases/*/report.txt")))


@cache
def outputs() -> tuple[Path, ...]:
    """Return the recorded outputs of tools."""
    return tuple(sorted(path for path in _root().glob("outputs/*/*") if path.suffix in (".txt", ".xml", ".csv")))


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def judged(path: Path) -> Judged | None:
    """Return the snapshot of one of these texts and its diagnosis; None if accel refuses to read it."""
    return _each()[_numbers()[path]]


def _root() -> Path:
    return Path(os.environ.get("ACCEL_CORPUS", "/nowhere"))


@cache
def _numbers() -> dict[Path, int]:
    return {path: number for number, path in enumerate((*reports(), *outputs()))}


@cache
def _each() -> Each[Judged | None]:
    paths = tuple(_numbers())
    return Each("corpus", len(paths), lambda number: _judge(paths[number]))


def _judge(path: Path) -> Judged | None:
    known = registry()
    try:
        snapshot = read_texts([("report", text_of(path))], known)
    except BadInput:
        return None
    return snapshot, diagnose(snapshot, known.specs, known.checks, known.rules)
