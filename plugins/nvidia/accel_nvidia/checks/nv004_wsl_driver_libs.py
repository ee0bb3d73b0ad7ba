"""Under WSL, the driver library in use is not the one that Windows provides."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Problem, Remedy, applies, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_SYMPTOMS: Final = (
    "cuda-no-device",
    "no-cuda-gpus",
    "torch-found-no-driver",
    "libcuda-missing",
    "cuda-unknown-error",
    "driver-no-communication",
    "nvml-driver-not-loaded",
    "nvml-access-blocked",
    "nvml-version-mismatch",
    "driver-library-mismatch-803",
    "container-cli-driver-error",
    "container-cli-wsl-no-adapter",
)


@check(
    code="NV004",
    name="wsl-driver-libs",
    layer="driver",
    requires=("container-without-gpu", "devices-hidden", "torch-cpu-build-on-gpu-machine", "driver-too-old"),
)
def wsl_driver_libs(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """Under WSL the NVIDIA library in use is not the one that Windows provides in /usr/lib/wsl/lib.

    Why it matters   Under WSL the driver is that of Windows. A Linux driver package in the distribution puts its own
                     libcuda before it, which finds no device.
    What to do       Remove the Linux driver packages (not the CUDA toolkit), put /usr/lib/wsl/lib first, restart WSL.
    Looks at         signs of WSL beside a sentence that says: no device, no driver, another version
    Silent when      there is no sign of WSL; a visibility mask, a container or a CPU build explains it
    Source           NVIDIA: CUDA on WSL user guide, chapter on known limitations and drivers
    """
    applies(signs.on_wsl(facts), "no sign of WSL")
    if any(f.name == "torch" and f.built_for in ("cpu", "rocm") for f in facts.environment.frameworks):
        return
    events = facts.events(*_SYMPTOMS)
    if not events or (signs.amd_seen(facts) and not signs.nvidia_seen(facts)):
        return
    foreign = facts.events("wsl-foreign-libcuda")
    yield Problem(
        title="Under WSL, a program does not reach the Windows driver through /usr/lib/wsl/lib",
        detail="The driver belongs to Windows; a Linux driver package inside the distribution hides its libraries.",
        evidence=signs.quoted((*events[:3], *foreign[:1], *facts.events("wsl-sign")[:1]), most=5),
        remedies=(
            Remedy(
                text="Remove the Linux driver packages from the distribution; the CUDA toolkit may stay.",
                command="sudo apt purge 'nvidia-driver-*' 'libnvidia-*' 'nvidia-kernel-*' 'cuda-drivers*'",
                action="admin",
            ),
            Remedy(
                text="Put the libraries of WSL first.",
                command="export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH; ldconfig -p | grep libcuda",
                action="env",
            ),
            Remedy(
                text="Update WSL and restart it, from Windows.",
                command="wsl --update && wsl --shutdown",
                action="admin",
            ),
        ),
    )
