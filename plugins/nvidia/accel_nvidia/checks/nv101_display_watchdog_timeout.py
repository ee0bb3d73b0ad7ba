"""Linux that ends a kernel on the GPU of the display since it ran too long."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted
from accel_nvidia import around

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV101",
    name="display-watchdog-timeout",
    layer="driver",
    reads=("launch-timed-out", "kernel-time-limit-on", "display-on-gpu-named", *around.AROUND),
    needs=("run.program",),
    requires=("windows-tdr-timeout",),
)
def display_watchdog_timeout(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A kernel ran longer than the driver allows on a GPU that also drives a screen (CUDA_ERROR_LAUNCH_TIMEOUT).

    Why it matters   The driver ends kernels after some seconds there, so that the screen stays alive.
    What to do       Compute on a GPU without a screen, run without X, or turn the limit off (Option "Interactive").
    Looks at         error 702; "Run time limit on kernels"; a display server among the GPU's processes
    Silent when      this is Windows or WSL, where the timeout is that of Windows
    Source           NVIDIA driver README: X config options, Interactive; CUDA: kernelExecTimeoutEnabled
    """
    timed_out = facts.stated("launch-timed-out")
    if not timed_out or around.on_windows(facts):
        return
    beside = facts.stated("kernel-time-limit-on", "display-on-gpu-named")
    yield Problem(
        title="The driver ended a kernel that ran too long on a GPU that drives a screen",
        evidence=quoted((*timed_out[:2], *beside[:2])),
        remedies=(
            Remedy(
                text="Compute on another GPU than the screen's, if there is one.",
                command="nvidia-smi --query-gpu=index,name,display_active --format=csv",
                action="env",
            ),
            Remedy(
                text="Or run without the display server while computing.",
                command="sudo systemctl isolate multi-user.target",
                action="admin",
            ),
            Remedy(
                text='Or turn the limit off: Option "Interactive" "0" in the Device section of xorg.conf. Or split the '
                "work into shorter kernels.",
                action="admin",
            ),
        ),
    )
