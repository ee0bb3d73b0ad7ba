"""A running container that lost its access to the GPU."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check
from accel_nvidia import nvml_errors, signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV009",
    name="container-lost-gpu",
    layer="access",
    requires=("gpu-lost", "gpu-xid", "driver-not-loaded", "driver-library-mismatch", "wsl-driver-libs"),
)
def container_lost_gpu(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A container that had the GPU lost it: NVML answers "Unknown Error" when it starts.

    Why it matters   systemd rewrote the container's device rules (a daemon-reload is enough), and the NVIDIA nodes
                     are not in them. Running programs go on; new ones see no GPU.
    What to do       Recreate the container; then hand the devices over by CDI or explicitly, so that it does not
                     return.
    Looks at         NVML's answer at its start; the device cgroup's list
    Silent when      the GPU itself is failing, or the driver is not loaded
    Source           NVIDIA container toolkit: troubleshooting, "Failed to initialize NVML: Unknown Error"
    """
    events = facts.events("nvml-unknown-error", "cgroup-denies-nvidia")
    events += tuple(
        e for e in signs.nvml_errors_of(facts, nvml_errors.UNKNOWN) if "nvmlInit" in (e.value("call") or "")
    )
    if not events:
        return
    yield Problem(
        title="The container lost its access to the GPU: NVML answers Unknown Error",
        evidence=signs.quoted(events),
        remedies=(
            Remedy(
                text="Recreate the container (a restart inside it does not help).",
                command="docker restart CONTAINER",
                action="app",
            ),
            Remedy(
                text=(
                    "So that it does not return: hand the GPU over by CDI, or name the device nodes in "
                    "the start command."
                ),
                command=(
                    "docker run --gpus all --device /dev/nvidia0 --device /dev/nvidiactl --device /dev/nvidia-uvm IMAGE"
                ),
                action="admin",
            ),
            Remedy(
                text='Or have Docker manage cgroups: "exec-opts": ["native.cgroupdriver=cgroupfs"] in daemon.json, '
                "and let udev make the links in /dev/char.",
                command="sudo nvidia-ctk system create-dev-char-symlinks --create-all",
                action="admin",
            ),
        ),
    )
