"""The line of a text from which a reading comes, for evidence that only has its value. Pure.

driver: 410.104                    the line "| NVIDIA-SMI 410.104      Driver Version: 410.104 |"
torch's build: torch 1.3.1+cpu     the line "torch==1.3.1+cpu"

The first line with all version numbers of the value is taken; a short one, such as 1.0, only next to the fact's name.
"""

import re
from typing import Final

from accel.model.dataclass import replace
from accel.model.diagnosis import Diagnosis, Evidence
from accel.text.pattern import pattern

_VERSION: Final = pattern(r"(?<![\w.])\d{1,5}(?:\.\d{1,5}){1,4}(?:[.+-]?\w{1,20}){0,2}", exact_case=True)
_NAME: Final = pattern(r"[A-Za-z]{3,20}", exact_case=True)
_LONG: Final = 5  # characters of a version that is unlikely to be of something else


def located(diagnosis: Diagnosis, text: str) -> Diagnosis:
    """Return the diagnosis with the lines of readings that the text contains. text: the only one that was read."""
    if all(fact.line is not None for finding in diagnosis.findings for fact in finding.evidence):
        return diagnosis
    lines = text.splitlines()
    findings = (
        replace(finding, evidence=tuple(_with_line(fact, lines) for fact in finding.evidence))
        for finding in diagnosis.findings
    )
    return replace(diagnosis, findings=tuple(findings))


def _with_line(fact: Evidence, lines: list[str]) -> Evidence:
    versions = _VERSION.findall(fact.value) if fact.line is None else []
    if not versions:
        return fact
    names = [name.lower() for name in _NAME.findall(fact.fact)]
    forms = [re.compile(rf"(?<![\d.]){re.escape(version)}(?!\d|\.\d)") for version in versions]
    for number, line in enumerate(lines, 1):
        if all(form.search(line) for form in forms) and (
            len(max(versions, key=len)) >= _LONG or any(name in line.lower() for name in names)
        ):
            return replace(fact, line=number, last_line=number)
    return fact
