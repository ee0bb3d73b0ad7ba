"""accel.require: the devices that meet it, or the reason for each that does not."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from accel.model.device import Device
from accel.model.diagnosis import Diagnosis, Finding
from accel.model.environment import Environment, Framework, Package
from accel.model.errors import BadInput, RequirementUnmet
from accel.resolver.builds_here import Build
from accel.resolver.requirement import Requirement, check_names, check_requirement
from accel.specs import Specs, load

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


@dataclass
class Simulated:
    """A machine, as far as a requirement asks of it."""

    listed: tuple[Device, ...]
    judged: Diagnosis | None = None
    links: tuple[frozenset[str], ...] = ()
    shm: int | None = None
    memlock: int | None = None
    installed: Environment = field(default_factory=Environment)

    def devices(self) -> tuple[Device, ...]:
        return self.listed

    def specs(self) -> Specs:
        return load()

    def diagnosis(self) -> Diagnosis:
        assert self.judged is not None, "a diagnosis costs seconds"
        return self.judged

    def environment(self) -> Environment:
        return self.installed

    def joined(self, devices: Sequence[Device]) -> Callable[[Device, Device], str | None]:
        return lambda one, other: "nvlink" if frozenset((one.id, other.id)) in self.links else "pcie"

    def shm_bytes(self) -> int | None:
        return self.shm

    def memlock_bytes(self) -> int | None:
        return self.memlock


def met(wanted: Requirement, *devices: Device) -> list[str]:
    return [d.id for d in check_requirement([wanted], Simulated(devices))]


def unmet(wanted: Requirement, *devices: Device, diagnosis: Diagnosis = BROKEN) -> str:
    with pytest.raises(RequirementUnmet) as error:
        check_requirement([wanted], Simulated(devices, diagnosis))
    assert error.value.diagnosis is diagnosis
    return str(error.value)


def test_what_meets_it_is_returned_and_nothing_is_diagnosed() -> None:
    wanted = Requirement(
        vendors=("NVIDIA",), kind="gpu", memory_bytes=40 * GIB, compute_capability="8.0", dtypes=("bf16",)
    )
    assert check_requirement([wanted], Simulated((H100, T4))) == (H100,)


def test_a_vendor_may_be_named_by_its_backend_in_any_case() -> None:
    assert met(Requirement(vendors=("Ascend",)), BARE, H100) == ["ascend:0"]
    assert met(Requirement(vendors=("huawei",)), BARE, H100) == ["ascend:0"]


def test_too_little_memory_is_said_in_numbers() -> None:
    assert "nvidia:1: it has 15.0 GiB, 24.0 needed" in unmet(Requirement(memory_bytes=24 * GIB), T4)


def test_what_is_not_known_does_not_count_as_met() -> None:
    said = unmet(Requirement(memory_bytes=1, compute_capability="1.0", dtypes=("bf16",)), BARE)
    assert "its memory size is not known" in said
    assert "its compute capability is not known" in said
    assert "whether it computes in bf16 is not known" in said


def test_a_type_that_the_architecture_lacks_is_refused() -> None:
    assert "does not support fp8" in unmet(Requirement(dtypes=("fp8",)), T4)
    assert met(Requirement(dtypes=("FP8",)), H100, T4) == ["nvidia:0"]


def test_a_type_that_nobody_knows_is_bad_input_and_the_nearest_is_named() -> None:
    with pytest.raises(BadInput, match=r"'fp3'.*fp8"):
        check_names("require", load, ["nvidia"], dtypes=["fp3"])


@pytest.mark.parametrize("dtype", ["bf16", "BFLOAT16", "torch.bfloat16", "fp8_e4m3fn"])
def test_a_type_is_understood_in_any_spelling(dtype: str) -> None:
    assert met(Requirement(dtypes=(dtype,)), H100, T4) == ["nvidia:0"]


def test_a_hidden_device_does_not_count() -> None:
    assert "nvidia:2: a visibility variable hides it" in unmet(Requirement(), HIDDEN)
    assert met(Requirement(), HIDDEN, T4) == ["nvidia:1"]


def test_versions_are_compared_as_numbers() -> None:
    blackwell = Device(id="nvidia:3", index=3, backend="nvidia", vendor="NVIDIA", kind="gpu", compute_capability="10.0")
    assert met(Requirement(compute_capability="9.0"), blackwell) == ["nvidia:3"]
    assert "its compute capability is 7.5, 8.0 needed" in unmet(Requirement(compute_capability="8.0"), T4)


def test_too_few_are_counted_and_the_first_fault_is_named() -> None:
    said = unmet(Requirement(count=2, memory_bytes=40 * GIB), H100, T4)
    assert said.startswith("Requires 2 accelerators, each with 40.0 GiB: 1 of the 2 accelerators here will do.")
    assert "NV003 No driver is loaded" in said
    assert said.endswith("Try  accel doctor")


def test_a_machine_without_accelerators_says_so() -> None:
    said = unmet(Requirement(), diagnosis=Diagnosis(verdict="clear"))
    assert said.startswith("Requires 1 accelerator: 0 of the 0 accelerators here will do.")
    assert "broken" not in said


def joined(*pairs: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(f"nvidia:{number}" for number in pair) for pair in pairs)


def test_links_must_join_each_to_each_and_the_most_that_are_so_are_returned() -> None:
    devices = tuple(replace(H100, id=f"nvidia:{number}", index=number) for number in range(4))
    machine = Simulated(devices, BROKEN, joined("01", "12", "02", "23"))
    found = check_requirement([Requirement(count=3, link="nvlink")], machine)
    assert [device.id for device in found] == ["nvidia:0", "nvidia:1", "nvidia:2"]
    with pytest.raises(RequirementUnmet) as error:
        check_requirement([Requirement(count=4, link="nvlink")], machine)
    assert error.value.reasons["links"] == "at most 3 of them are connected by nvlink, each to each"


@pytest.mark.parametrize(
    ("wanted", "machine", "lacks"),
    [
        (Requirement(shm_bytes=8 * GIB), {"shm": 64 << 20}, {"shm": "/dev/shm: it has 0.1 GiB, 8.0 GiB needed"}),
        (Requirement(shm_bytes=8 * GIB), {}, {"shm": "/dev/shm: its size is not known, 8.0 GiB needed"}),
        (Requirement(shm_bytes=8 * GIB), {"shm": 8 * GIB}, {}),
        (Requirement(memlock_bytes=-1), {"memlock": 65536}, {"memlock": "65536 bytes may be locked, no limit needed"}),
        (Requirement(memlock_bytes=-1), {"memlock": -1}, {}),
        (Requirement(memlock_bytes=1024), {"memlock": -1}, {}),
    ],
)
def test_room_in_shm_and_locked_memory_are_compared(
    wanted: Requirement, machine: dict[str, int], lacks: dict[str, str]
) -> None:
    assert reasons(wanted, Simulated((H100,), BROKEN, **machine)) == lacks


def reasons(wanted: Requirement, machine: Simulated) -> dict[str, str]:
    try:
        check_requirement([wanted], machine)
    except RequirementUnmet as unmet:
        return unmet.reasons
    return {}


@pytest.mark.parametrize(
    ("build", "lacks"),
    [
        (Build(name="torch", version=">=2.4", build="cu12*"), None),
        (Build(name="torch", version=">=2.5"), "torch is 2.4.1, but >=2.5 is needed"),
        (Build(name="torch", build="rocm*"), "torch is the build cu121, but rocm* is needed"),
        (Build(name="jax", build="cuda12"), "jax does not tell its build, but cuda12 is needed"),
        (Build(name="vllm"), "vllm is not installed"),
    ],
)
def test_frameworks_are_compared_by_version_and_build(build: Build, lacks: str | None) -> None:
    environment = Environment(
        packages=(Package(name="torch", version="2.4.1"), Package(name="jax", version="0.4.35")),
        frameworks=(Framework(name="torch", version="2.4.1", cuda_version="12.1", built_for="cuda"),),
    )
    machine = Simulated((H100,), BROKEN, installed=environment)
    assert reasons(Requirement(frameworks=(build,)), machine) == ({"frameworks": lacks} if lacks else {})


def test_the_first_alternative_that_is_met_counts_and_all_are_told_if_none_is() -> None:
    alternatives = [Requirement(vendors=("amd",)), Requirement(compute_capability="8.0")]
    assert check_requirement(alternatives, Simulated((H100, T4))) == (H100,)
    with pytest.raises(RequirementUnmet, match=r"(?s)Requires 1 amd accelerator: .*Or requires 1 accelerator, with"):
        check_requirement(alternatives, Simulated((T4,), BROKEN))


def test_a_driver_is_compared_by_its_numbers() -> None:
    device = replace(H100, driver_version="550.90.07")
    assert met(Requirement(driver=">=550,<560"), device) == ["nvidia:0"]
    assert "its driver is 550.90.07, >=570 needed" in unmet(Requirement(driver=">=570"), device)
    assert "its driver's version is not known" in unmet(Requirement(driver=">=570"), H100)


def test_a_fault_of_another_device_explains_nothing() -> None:
    hot = Finding(code="NV021", name="device-hot", severity="error", title="It is hot", devices=("nvidia:0",))
    diagnosis = Diagnosis(verdict="faults", findings=(hot,))
    assert "It is hot" not in unmet(Requirement(memory_bytes=40 * GIB), T4, diagnosis=diagnosis)
    assert "NV021 It is hot" in unmet(Requirement(memory_bytes=99 * GIB), H100, T4, diagnosis=diagnosis)
