"""An AMD GPU is on the bus, and amdgpu does not drive it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check
from accel_amd import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_LOAD = Remedy(
    text="Load the driver, and read what it says; install amdgpu-dkms or a newer kernel if it does not know the GPU.",
    command="sudo modprobe amdgpu; sudo dmesg | grep -iE 'amdgpu|kfd'",
    action="admin",
)
_HAND_OVER = Remedy(
    text="If this is a container and the host's GPU works, hand the nodes over.",
    command="docker run --device=/dev/kfd --device=/dev/dri IMAGE",
    action="app",
)


@check(code="AM007", name="amd-driver-not-loaded", layer="driver")
def amd_driver_not_loaded(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The kernel driver amdgpu is not bound to an AMD GPU, or came up without its compute part.

    Why it matters   Without amdgpu and its node /dev/kfd no ROCm program sees the GPU.
    What to do       Load amdgpu and read the kernel's log; a GPU given to a virtual machine is bound to vfio-pci.
    Looks at         the driver of each AMD GPU on the PCI bus; /dev/kfd; rocminfo's word on the module
    Silent when      amdgpu drives the GPU, or vfio-pci holds it for a virtual machine; or under WSL
    Source           ROCm: installation prerequisites; Linux amdgpu and amdkfd
    """
    if signs.on_wsl(facts):
        return
    bare = [e for e in facts.events("amd-gpu-without-driver") if e.value("driver") != "vfio-pci"]
    if bare:
        yield Problem(
            title=f"amdgpu does not drive {len(bare)} AMD GPU{'s' if len(bare) > 1 else ''} on the PCI bus",
            devices=tuple(e.device for e in bare if e.device),
            evidence=signs.quoted(bare),
            remedies=(_LOAD,),
        )
    said = facts.events("rock-not-loaded", "kfd-missing")
    if said and not bare:
        yield Problem(
            title="The compute driver of AMD GPUs is not there",
            evidence=signs.quoted(said),
            remedies=(_LOAD, _HAND_OVER),
        )
