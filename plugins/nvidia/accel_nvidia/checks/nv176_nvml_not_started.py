"""NVIDIA's management library loads but does not initialize."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV176",
    name="nvml-not-started",
    layer="driver",
    reads=("nvml-start-refused",),
    needs=(),
    requires=(
        *("driver-not-loaded", "driver-library-mismatch", "nvml-library-not-found", "wsl-driver-libs"),
        *(
            "device-permission",
            "container-without-gpu",
            "container-lost-gpu",
            "container-cgroup-denied",
            "gpu-lost",
            "gpu-external-power-missing",
        ),
    ),
)
def nvml_not_started(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """libnvidia-ml loads, but its initialization fails with an error that no other check explains.

    Why it matters   Tools that query the driver, nvidia-smi included, see no GPU; most programs see none either.
    What to do       Read the driver's messages in the kernel log; stop programs that use the GPUs and reload the
                     module, or reboot; if it persists, reinstall driver, module and libraries of one version.
    Looks at         nvmlInit on the live machine; a tool's message about its initialization
    Silent when      the library initializes, or another check explains it: no module, other version, no permission
    Source           NVML API: nvmlInit_v2, nvmlReturn_t
    """
    for fact in facts.stated("nvml-start-refused")[:1]:
        code = fact.value("code") or ""
        meaning = specs.errors.meaning("nvml", code) if code else None
        yield Problem(
            title=f"NVIDIA's management library does not start{f': NVML error {code}' if code else ''}",
            detail=f"{meaning[:1].upper()}{meaning[1:]}." if meaning else None,
            evidence=quoted((fact,)),
            remedies=(
                Remedy(
                    text="Check what the driver logs in the kernel log, and which versions are installed.",
                    command="sudo dmesg -T | grep -iE 'nvrm|nvidia' | tail -50; cat /proc/driver/nvidia/version",
                    action="admin",
                    kind="look",
                ),
                Remedy(text="Stop the programs that use the GPUs and reboot.", action="reboot"),
                Remedy(
                    text=("If it persists, reinstall the driver: module and libraries in one version."), action="admin"
                ),
            ),
        )
