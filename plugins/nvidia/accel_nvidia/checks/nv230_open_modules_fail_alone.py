from typing import Final

from accel.vendors.contract.check import Facts, Problem, Problems, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fix
from accel_nvidia import around
from accel_nvidia.driver_install import proprietary_modules

_OPEN_ALONE: Final = 590  # the first branch without proprietary modules
_WHY: Final = "The proprietary modules of the same driver do not have this fault."


@check(
    code="NV230",
    name="open-modules-fail-alone",
    layer="driver",
    reads=("open-modules-fail-alone", *around.DRIVER_NAMED),
    needs=("run.program",),
    explains=(
        *("laptop-gpu-stays-awake", "gpu-lost-after-suspend", "video-memory-not-preserved", "driver-oops"),
        *("gpu-xid", "program-xid", "gpu-lost", "gpu-init-failed", "process-stuck-in-driver"),
    ),
)
def open_modules_fail_alone(facts: Facts, specs: Specs) -> Problems:
    """A fault of the open kernel modules, which the proprietary ones of the same driver do not have.

    Why it matters   Both kinds are built from one release, so hardware, firmware setup and libraries are not at fault.
    What to do       Use the proprietary modules until a release has it fixed; report it to the open modules' project.
    Looks at         sentences that say that only the open modules have the fault
    Silent when      the GPU is of a generation that only the open modules support (Blackwell and newer)
    Source           NVIDIA open-gpu-kernel-modules: README, supported GPUs
    """
    stated = facts.stated("open-modules-fail-alone")
    if not stated or any(_needs_open(device.name, specs) for device in facts.of("nvidia")):
        return
    version = around.driver_version(facts) or around.installed_driver(facts)
    branch = (version or "").split(".")[0]
    beyond = branch.isdecimal() and int(branch) >= _OPEN_ALONE
    swap = proprietary_modules(facts, specs, None if beyond else version, _WHY)
    newer = fix(specs, "nvidia", "open-modules-fixed")
    yield Problem(
        title="The fault is in the open kernel modules: the proprietary ones work",
        evidence=quoted(stated),
        remedies=(swap, newer),
    )


def _needs_open(name: str | None, specs: Specs) -> bool:
    """Return whether only the open modules support a GPU."""
    chip = specs.chip(name=name, vendor="nvidia") if name else None
    generation = specs.architecture("nvidia", chip.architecture, chip.compute_capability) if chip else None
    first = (generation.first_driver or "").split(".")[0] if generation else ""
    return first.isdecimal() and int(first) >= 570
