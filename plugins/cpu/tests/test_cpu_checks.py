"""CP001 on the kernel's words and on its counters."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from accel_cpu.backend import CpuBackend
from accel_cpu.checks import cpu_checks

from accel.checks.engine import diagnose
from accel.collect.text import read_texts
from accel.contract.backend import Request
from accel.machine.recorded import RecordedMachine
from accel.plugins.registry import Registry

HERE = Path(__file__).parent
CASES: dict[str, dict[str, Any]] = yaml.safe_load((HERE / "checks/cases.yaml").read_text())


@pytest.mark.parametrize("case", CASES)
def test_a_text_ends_as_its_case_says(case: str) -> None:
    registry = Registry({})
    diagnosis = diagnose(read_texts([("dmesg", CASES[case]["text"])], registry), registry.specs, cpu_checks())
    titles = [finding.title for finding in diagnosis.findings]
    wanted = CASES[case]["finds"]
    assert len(titles) == (0 if wanted is None else 1)
    assert all(wanted in title for title in titles)


def test_the_module_with_the_errors_is_named() -> None:
    (report,) = CpuBackend().probe(RecordedMachine(HERE / "machines/memory-errors"), Request())
    (event,) = report.events
    assert event.value("count") == "2"
    assert event.value("place") == "CPU_SrcID#0_MC#1_Chan#0_DIMM#0"
    assert report.devices[0].health == "critical"


def test_corrected_errors_and_no_edac_say_nothing(tmp_path: Path) -> None:
    (report,) = CpuBackend().probe(RecordedMachine(HERE / "machines/healthy"), Request())
    assert (report.events, report.devices[0].health) == ((), "unknown")
    (tmp_path / "machine.yaml").write_text("nodes: [/sys/devices/system/edac/mc/mc0/ue_count]")
    (report,) = CpuBackend().probe(RecordedMachine(tmp_path), Request())
    assert (report.events, report.devices[0].health) == ((), "unknown")
