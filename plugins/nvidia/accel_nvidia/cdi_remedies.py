"""How to fix a container engine that has no CDI description of the GPU. Pure."""

from typing import Final

from accel.vendors.contract.check import Remedy

FOLDER: Final = Remedy(
    text="The description exists, but podman does not read it: name its folder (NixOS writes it to /run/cdi). A podman "
    "older than the toolkit may not know the format: update it then.",
    command="podman --cdi-spec-dir=/etc/cdi --cdi-spec-dir=/run/cdi run --rm --device nvidia.com/gpu=all "
    "--security-opt=label=disable IMAGE nvidia-smi -L",
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
        "from 22.10 on, Debian from 12 on: upgrade to one if yours lacks it and it still has this GPU's driver.",
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
