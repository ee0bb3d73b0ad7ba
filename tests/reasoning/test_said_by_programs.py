"""What programs print where their surroundings are at fault leads to the same answer in any spelling."""

from pathlib import Path

import pytest

from accel.collect.live import judged
from accel.collect.text import read_texts
from accel.model.diagnosis import Diagnosis
from accel.plugins.registry import Registry
from accel.specs.store import parse

_REGISTRY = Registry({})
_SAID = parse(str(Path(__file__).parent / "said_by_programs.yaml"))
_SPELLINGS = (  # which the sentences of a program take in turns
    str.lower,
    "2026-11-23 10:00:01,123 | worker-3 | {}".format,
    "(EngineCore_0 pid=4242) ERROR 11-23 10:00:01 [core.py:708] {}".format,
)
_SAYS_LESS = {"metal-work-failed": "mps-out-of-memory", "symbol-not-found": "extension-built-for-other-torch"}


def diagnosed(text: str) -> Diagnosis:
    return judged(read_texts([("r", text)], _REGISTRY), _REGISTRY)


def _answer(text: str) -> str:
    """Return the name of the first cause; "open" where causes stand side by side; else ""."""
    diagnosis = diagnosed(text)
    findings = [one for one in diagnosis.findings if one.is_cause] or list(diagnosis.findings)
    return findings[0].name if findings else "open" if diagnosis.ambiguous_causes else ""


@pytest.mark.parametrize("program", sorted(_SAID))
def test_a_programs_sentence_is_read_in_any_case_and_behind_any_prefix(program: str) -> None:
    wrong = [
        (answer, row["finds"], text)
        for number, row in enumerate(_SAID[program])
        for text in (row["says"], _SPELLINGS[number % len(_SPELLINGS)](row["says"]))
        if (answer := _answer(text)) != row["finds"]
    ]
    assert wrong == []


@pytest.mark.parametrize("program", sorted(_SAID))
def test_half_a_sentence_never_names_another_hard_fault(program: str) -> None:
    """A line that is cut off says less: nothing, or the same; never an error of another kind."""
    wrong = []
    for row in _SAID[program]:
        half = row["says"][: len(row["says"]) // 2]
        found = [one.name for one in diagnosed(half).findings if one.severity == "error"]
        if found and row["finds"] not in ("open", *found, *(_SAYS_LESS.get(name) for name in found)):
            wrong.append((found, row["finds"], half))
    assert wrong == []
