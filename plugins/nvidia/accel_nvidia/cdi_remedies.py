"""How to fix a container engine that has no CDI description of the GPU. Pure."""

from typing import TYPE_CHECKING, Final

from accel.model.dataclass import replace
from accel.vendors.contract.check import Remedy

if TYPE_CHECKING:
    from accel.facts.questions import Facts

_FOLDER: Final = Remedy(
    text="The description exists, but podman does not read it: configure its folder. A "
    "podman older than the toolkit may not know the format: update it then.",
    command="podman --cdi-spec-dir=/etc/cdi run --rm --device nvidia.com/gpu=all --security-opt=label=disable IMAGE "
    "nvidia-smi -L",
    action="env",
)
CLOSED: Final = Remedy(
    text="The description exists, but only root may read it: let every user read it. It contains no secret.",
    command="sudo chmod a+rx /etc/cdi && sudo chmod a+r /etc/cdi/*",
    action="admin",
)
BY_HOOK: Final = (
    Remedy(
        text="Update podman to 4.1 or newer: older ones treat the name of a CDI device as a path. Ubuntu has it "
        "from 22.10 on, Debian from 12 on: upgrade to such a release if yours does not have it.",
        action="admin",
    ),
    Remedy(
        text="Until then, let NVIDIA's hook pass the GPU.",
        command="podman run --hooks-dir=/usr/share/containers/oci/hooks.d --security-opt=label=disable "
        "-e NVIDIA_VISIBLE_DEVICES=all IMAGE nvidia-smi",
        action="env",
    ),
)
SWITCH: Final = Remedy(
    text='Docker supports CDI from 25 on: set "features": {"cdi": true} in /etc/docker/daemon.json (from 28.3 on '
    "it is the default), generate the description of the GPUs, and restart the engine.",
    command="docker version --format '{{.Server.Version}}'; sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml "
    "&& sudo systemctl restart docker",
    action="admin",
)


def of_folder(facts: "Facts") -> Remedy:
    """Return the step that names the folder of the description: NixOS writes it to /run/cdi at each start."""
    on_nixos = "nixos" in (facts.host.distribution or "").lower()
    command = (_FOLDER.command or "").replace("/etc/cdi", "/run/cdi" if on_nixos else "/etc/cdi")
    return replace(_FOLDER, command=command)
