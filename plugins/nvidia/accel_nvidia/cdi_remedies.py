"""What to do where a container engine does not know the GPU's description by CDI. Pure."""

from typing import Final

from accel.vendors.contract.check import Remedy

FOLDER: Final = Remedy(
    text="The description is written, and podman does not read it: name its folder (on NixOS /run/cdi). A podman older "
    "than the toolkit may not know the form: then update it.",
    command="podman --cdi-spec-dir=/etc/cdi run --rm --device nvidia.com/gpu=all --security-opt=label=disable IMAGE "
    "nvidia-smi -L",
    action="env",
)
BY_HOOK: Final = (
    Remedy(
        text="Update podman to 4.1 or newer: older ones take the name of a CDI device for a path. Ubuntu has it from "
        "22.10 on, Debian from 12 on: upgrade to such a release where yours has none.",
        action="admin",
    ),
    Remedy(
        text="Until then let NVIDIA's hook hand the GPU over.",
        command="podman run --hooks-dir=/usr/share/containers/oci/hooks.d --security-opt=label=disable "
        "-e NVIDIA_VISIBLE_DEVICES=all IMAGE nvidia-smi",
        action="env",
    ),
)
SWITCH: Final = Remedy(
    text='Docker knows CDI from 25 on: set "features": {"cdi": true} in /etc/docker/daemon.json (from 28.3 on it is '
    "set), describe the GPUs, and restart the engine.",
    command="docker version --format '{{.Server.Version}}'; sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml "
    "&& sudo systemctl restart docker",
    action="admin",
)
