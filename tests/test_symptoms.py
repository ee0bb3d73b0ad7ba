"""What tells why comes before the symptom that it explains (specs/system/symptoms), in whatever text the two meet.

The case of each reason, with a line below it that states the symptom and no more.
"""

from collections.abc import Iterator
from graphlib import TopologicalSorter
from typing import Any

import pytest
from every_case import Case, by_check, registry

from accel.model.diagnosis import Diagnosis, Finding
from accel.vendors.contract.check import Check

SYMPTOMS: list[dict[str, Any]] = registry().specs.table("system/symptoms")["symptoms"]
CHECKS = {check.name: check for check in registry().checks}
LEAST_FIRST = 0.98  # of the pairs of a reason and a symptom
SAID = {  # by symptom and maker ("AC": of none)
    ("device-not-seen", "NV"): "RuntimeError: No CUDA GPUs are available",
    ("device-not-seen", "AM"): "RuntimeError: No HIP GPUs are available",
    ("device-not-seen", "IN"): "RuntimeError: No XPU devices are available.",
    ("device-not-seen", "AC"): "clinfo: Number of platforms 0",
    ("driver-not-running", "NV"): "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
    ("driver-not-running", "AM"): "ROCk module is NOT loaded, possibly no GPU devices",
    ("library-not-loaded", "NV"): "OSError: libcudart.so: cannot open shared object file: No such file or directory",
    ("collective-failed", "NV"): "RuntimeError: NCCL error: unhandled system error (run with NCCL_DEBUG=INFO)",
    ("devices-not-offered", "NV"): "FailedScheduling 0/1 nodes are available: 1 Insufficient nvidia.com/gpu",
}


def tells_why(check: Check, symptom: dict[str, Any]) -> bool:
    by_family = check.family in symptom.get("families", ()) and check.name not in symptom["findings"]
    return check.name in symptom["reasons"] or by_family


def pairs() -> Iterator[tuple[dict[str, Any], Check, Case, str]]:
    """Yield (symptom, reason, its first case, a line that states the symptom), of the reason's maker if it has one."""
    for symptom in SYMPTOMS:
        said = {maker: line for (name, maker), line in SAID.items() if name == symptom["name"]}
        for check in CHECKS.values():
            line = said.get(check.code[:2]) or (next(reversed(said.values())) if check.code[:2] == "AC" else None)
            if line is not None and tells_why(check, symptom):
                found = (case for case in by_check()[check.name] if "finds" in case.given and case.text_alone)
                yield from ((symptom, check, case, line) for case in list(found)[:1])


def first(diagnosis: Diagnosis) -> Finding | None:
    return next((one for one in diagnosis.findings if one.severity != "info"), None)


def test_a_reason_comes_before_its_symptom() -> None:
    tried, behind = 0, []
    for symptom, check, case, line in pairs():
        found = first(case.diagnosis_of(f"{(case.text or '').rstrip()}\n{line}\n"))
        tried += 1
        if found is None or (found.name in symptom["findings"] and found.name != check.name):
            behind.append((symptom["name"], check.name, found.name if found else None))
    assert tried > 60
    assert len(behind) <= tried * (1 - LEAST_FIRST), behind


@pytest.mark.parametrize(("name", "maker"), SAID)
def test_a_symptom_alone_has_no_reason(name: str, maker: str) -> None:
    symptom = next(one for one in SYMPTOMS if one["name"] == name)
    found = Case.diagnosis_of(next(iter(pairs()))[2], f"{SAID[name, maker]}\n")
    named = [one.name for one in found.findings if one.severity != "info" and tells_why(CHECKS[one.name], symptom)]
    assert [one for one in named if one not in symptom["findings"] and one != "container-without-gpu"] == []


def test_a_reason_of_another_maker_explains_nothing() -> None:
    case = next(case for case in by_check()["rocm-arch-unsupported"] if "finds" in case.given and case.text_alone)
    found = case.diagnosis_of(f"{(case.text or '').rstrip()}\nRuntimeError: No XPU devices are available.\n")
    assert [one.explained_by for one in found.findings if one.name == "xpu-not-found"] == [()]


def test_reasons_and_symptoms_do_not_go_in_a_circle() -> None:
    graph: dict[str, set[str]] = {}
    for symptom in SYMPTOMS:
        for name in symptom["findings"]:
            own = (check for check in CHECKS.values() if tells_why(check, symptom))
            graph.setdefault(name, set()).update(
                c.name
                for c in own
                if c.name != name
                and c.code[:2] in ("AC", CHECKS[name].code[:2])
                and name not in c.explained_by
                and not {c.name, c.family} & set(CHECKS[name].explains)
            )
    assert len(list(TopologicalSorter(graph).static_order())) >= len(graph)
