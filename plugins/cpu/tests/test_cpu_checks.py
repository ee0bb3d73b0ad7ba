"""CP001 on the kernel's words and on its counters."""

from pathlib import Path

from accel_cpu.backend import CpuBackend

from accel.machine.recorded import RecordedMachine
from accel.model.observation import Noted
from accel.vendors.contract.backend import Request

HERE = Path(__file__).parent


def test_the_module_with_the_errors_is_named() -> None:
    (report,) = CpuBackend().probe(RecordedMachine(HERE / "machines/memory-errors"), Request())
    (one,) = report.observations
    assert isinstance(one, Noted)
    assert dict(one.values)["count"] == "2"
    assert dict(one.values)["place"] == "CPU_SrcID#0_MC#1_Chan#0_DIMM#0"
    assert report.devices[0].health == "critical"


def test_corrected_errors_and_no_edac_say_nothing(tmp_path: Path) -> None:
    (report,) = CpuBackend().probe(RecordedMachine(HERE / "machines/healthy"), Request())
    assert (report.observations, report.devices[0].health) == ((), "unknown")
    (tmp_path / "machine.yaml").write_text("nodes: [/sys/devices/system/edac/mc/mc0/ue_count]")
    (report,) = CpuBackend().probe(RecordedMachine(tmp_path), Request())
    assert (report.observations, report.devices[0].health) == ((), "unknown")
