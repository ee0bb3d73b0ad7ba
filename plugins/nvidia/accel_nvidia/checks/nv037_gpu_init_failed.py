from typing import Final

from accel.facts.containers import in_container
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, applies, check, need, quoted
from accel.vendors.toolkit.table_steps import fix
from accel_nvidia import around
from accel_nvidia.driver_install import newer_driver, proprietary_modules
from accel_nvidia.version import parts

_NEW: Final = "card-or-machine-new"
_GSP: Final = "gsp-not-started"
_MATURE: Final = 535  # the first branch of long support whose open modules are made for GeForce


@check(
    code="NV037",
    name="gpu-init-failed",
    layer="hardware",
    family="gpu-hardware-fault",
    reads=("gpu-bring-up-failed", "no-devices-found", _GSP, _NEW, *around.DRIVER_NAMED),
    needs=("nvidia.devices", "source.kernel log"),
    requires=("driver-not-loaded", "driver-library-mismatch", "gpu-bar-unassigned", "gpu-needs-other-module"),
)
def gpu_init_failed(facts: Facts, specs: Specs) -> Problems:
    """The driver is loaded but could not initialize a GPU ("RmInitAdapter failed", "No devices were found").

    Why it matters   The GPU is on the bus, but CUDA cannot see it.
    What to do       Above 4G Decoding in a new machine; cold start; power, seating, pass-through; another driver.
    Looks at         NVRM lines of the kernel log
    Silent when      another driver holds the GPU; the module type is wrong. Undecided if nvidia-smi only finds none
    Source           NVIDIA driver README: common problems
    """
    found = facts.stated("gpu-bring-up-failed")
    version = around.driver_version(facts) or around.installed_driver(facts)
    if found and facts.stated(_GSP) and version is not None and parts(version)[0] < _MATURE:
        yield Problem(
            title=f"The GPU's system processor (GSP) does not start with driver {version}, an early one that uses it",
            evidence=quoted((*found[:2], *facts.stated(_GSP)[:2])),
            remedies=(
                newer_driver(facts, specs, None, f"Driver {version} is from the branches in which the GSP was new. "),
                proprietary_modules(facts, specs, None, "They start the GPU without the GSP."),
            ),
        )
        return
    if found:
        cycle = Remedy(text="Power the machine off and on; check the board's power and seating.", action="reboot")
        never_ran = bool(facts.stated(_NEW)) and not in_container(facts)
        yield Problem(
            title="The driver could not initialise a GPU",
            evidence=quoted(found),
            remedies=(
                *(
                    (fix(specs, "nvidia", "large-windows"), cycle)
                    if never_ran
                    else (cycle, fix(specs, "nvidia", "large-windows"))
                ),
                fix(specs, "nvidia", "other-driver-then-board"),
            ),
        )
        return
    silent = not facts.stated("no-devices-found") or bool(facts.of("nvidia")) or in_container(facts)
    applies(not silent, "nothing that it looks for was seen")
    need(None, "the kernel log (dmesg | grep -i nvrm): why the driver has no GPU")
