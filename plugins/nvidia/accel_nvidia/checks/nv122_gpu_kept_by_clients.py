"""A reset, or a change of MIG, is refused since something holds the GPU."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV122",
    name="gpu-kept-by-clients",
    layer="access",
    reads=("gpu-kept-by-clients",),
    needs=(),
)
def gpu_kept_by_clients(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A reset of the GPU, or a change of its MIG mode or instances, is refused: something holds the GPU open.

    Why it matters   The change stays pending, and the GPU as it was; nvidia-smi lists programs alone, not services and
                     modules that hold it.
    What to do       Stop the holders: nvidia-persistenced, DCGM, monitors, display managers, the module nvidia_drm.
    Looks at         "In use by another client", "pending enable state", "is currently in use by another process"
    Silent when      nothing was to be reset or changed
    Source           NVIDIA: MIG user guide; mig-parted: known issues; nvidia-smi: --gpu-reset
    """
    kept = facts.stated("gpu-kept-by-clients")
    if not kept:
        return
    yield Problem(
        title="The GPU cannot be reset or parted: services, programs or modules hold it",
        evidence=quoted(kept[:4]),
        remedies=(
            Remedy(
                text="See who holds it; programs in containers and services count.",
                command="sudo lsof -w /dev/nvidia* /dev/dri/* ; lsmod | grep ^nvidia",
                action="admin",
                kind="look",
            ),
            Remedy(
                text="Stop the services that hold it for as long as the change takes (Fabric Manager stays on), and "
                "take nvidia_drm out if nothing draws on this GPU.",
                command="sudo systemctl stop nvidia-persistenced nvidia-dcgm; sudo modprobe -r nvidia_drm",
                action="admin",
            ),
            Remedy(
                text="Then do it again; if a holder cannot be stopped, the change is made at the next boot.",
                command="sudo nvidia-smi --gpu-reset -i GPU_NUMBER",
                action="reset",
            ),
        ),
    )
