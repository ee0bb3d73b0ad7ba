"""accel.require: the devices that meet it, or the reason for each that does not."""

import pytest

from accel.model.device import Device
from accel.model.diagnosis import Diagnosis, Finding
from accel.model.errors import BadInput, RequirementUnmet
from accel.resolver.requirement import Requirement, check_names, check_requirement
from accel.specs import load

GIB = 2**30
H100 = Device(
    id="nvidia:0",
    index=0,
    backend="nvidia",
    vendor="NVIDIA",
    kind="gpu",
    architecture="hopper",
    compute_capability="9.0",
    memory_total_bytes=80 * GIB,
)
T4 = Device(
    id="nvidia:1",
    index=1,
    backend="nvidia",
    vendor="NVIDIA",
    kind="gpu",
    architecture="turing",
    compute_capability="7.5",
    memory_total_bytes=15 * GIB,
)
HIDDEN = Device(id="nvidia:2", index=2, backend="nvidia", vendor="NVIDIA", kind="gpu", visible=False)
BARE = Device(id="ascend:0", index=0, backend="ascend", vendor="Huawei", kind="npu")
BROKEN = Diagnosis(
    verdict="faults",
    findings=(Finding(code="NV003", name="driver-not-loaded", severity="error", title="No driver is loaded"),),
)


def met(wanted: Requirement, *devices: Device) -> list[str]:
    return [d.id for d in check_requirement(wanted, devices, load, lambda: Diagnosis(verdict="clear"))]


def unmet(wanted: Requirement, *devices: Device, diagnosis: Diagnosis = BROKEN) -> str:
    with pytest.raises(RequirementUnmet) as error:
        check_requirement(wanted, devices, load, lambda: diagnosis)
    assert error.value.diagnosis is diagnosis
    return str(error.value)


def test_what_meets_it_is_returned_and_nothing_is_diagnosed() -> None:
    def never() -> Diagnosis:
        raise AssertionError("a diagnosis costs seconds")

    wanted = Requirement(vendor="NVIDIA", kind="gpu", memory_bytes=40 * GIB, compute_capability="8.0", dtype="bf16")
    assert check_requirement(wanted, (H100, T4), load, never) == (H100,)


def test_a_vendor_may_be_named_by_its_backend_in_any_case() -> None:
    assert met(Requirement(vendor="Ascend"), BARE, H100) == ["ascend:0"]
    assert met(Requirement(vendor="huawei"), BARE, H100) == ["ascend:0"]


def test_too_little_memory_is_said_in_numbers() -> None:
    assert "nvidia:1: it has 15.0 GiB, 24.0 wanted" in unmet(Requirement(memory_bytes=24 * GIB), T4)


def test_what_is_not_known_does_not_count_as_met() -> None:
    said = unmet(Requirement(memory_bytes=1, compute_capability="1.0", dtype="bf16"), BARE)
    assert "its memory size is not known" in said
    assert "its compute capability is not known" in said
    assert "whether it computes in bf16 is not known" in said


def test_a_type_that_the_architecture_lacks_is_refused() -> None:
    assert "does not compute in fp8" in unmet(Requirement(dtype="fp8"), T4)
    assert met(Requirement(dtype="FP8"), H100, T4) == ["nvidia:0"]


def test_a_type_that_nobody_knows_is_bad_input_and_the_nearest_is_named() -> None:
    with pytest.raises(BadInput, match=r"'fp3'.*fp8"):
        check_names(Requirement(dtype="fp3"), ["nvidia"])


@pytest.mark.parametrize("dtype", ["bf16", "BFLOAT16", "torch.bfloat16", "fp8_e4m3fn"])
def test_a_type_is_understood_in_any_spelling(dtype: str) -> None:
    assert met(Requirement(dtype=dtype), H100, T4) == ["nvidia:0"]


def test_a_hidden_device_does_not_count() -> None:
    assert "nvidia:2: a visibility variable hides it" in unmet(Requirement(), HIDDEN)
    assert met(Requirement(), HIDDEN, T4) == ["nvidia:1"]


def test_versions_are_compared_as_numbers() -> None:
    blackwell = Device(id="nvidia:3", index=3, backend="nvidia", vendor="NVIDIA", kind="gpu", compute_capability="10.0")
    assert met(Requirement(compute_capability="9.0"), blackwell) == ["nvidia:3"]
    assert "its compute capability is 7.5, 8.0 wanted" in unmet(Requirement(compute_capability="8.0"), T4)


def test_too_few_are_counted_and_the_first_fault_is_named() -> None:
    said = unmet(Requirement(count=2, memory_bytes=40 * GIB), H100, T4)
    assert said.startswith("Asked for 2 accelerators, each with 40.0 GiB: 1 of the 2 accelerators here will do.")
    assert "NV003 No driver is loaded" in said
    assert said.endswith("See  accel doctor")


def test_a_machine_without_accelerators_says_so() -> None:
    said = unmet(Requirement(), diagnosis=Diagnosis(verdict="clear"))
    assert said.startswith("Asked for 1 accelerator: 0 of the 0 accelerators here will do.")
    assert "broken" not in said
