"""A user may not open AMD's device nodes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check
from accel_amd import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="AM005", name="amd-device-permission", layer="access", family="device-permission")
def amd_device_permission(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The user may not open /dev/kfd or a render node of an AMD GPU.

    Why it matters   The driver and the GPU are fine, and this user sees none of it.
    What to do       Join the groups render and video and log in again; in a container hand the nodes and groups over.
    Looks at         refused opens of /dev/kfd and /dev/dri; rocminfo's word on the groups
    Silent when      nothing was refused
    Source           ROCm: install, post-installation: group permissions
    """
    events = facts.events("kfd-denied")
    if events:
        yield Problem(
            title="This user may not open AMD's device nodes",
            evidence=signs.quoted(events),
            remedies=(
                Remedy(
                    text="Join the groups and log in again.",
                    command="sudo usermod -aG render,video $USER",
                    action="admin",
                ),
                Remedy(
                    text="In a container hand over the nodes and the host's groups.",
                    command=(
                        "docker run --device=/dev/kfd --device=/dev/dri --group-add $(getent group "
                        "render | cut -d: -f3) IMAGE"
                    ),
                    action="app",
                ),
            ),
        )
