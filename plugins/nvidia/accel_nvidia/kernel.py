"""What the kernel module reports about itself and its GPUs, without NVML.

Reads  /proc/driver/nvidia/version
           NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023
           NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  560.35.03  Release Build  (…)  Fri Aug 16 …
       /proc/driver/nvidia/gpus/<address>/information
           Model: 		 NVIDIA H100 80GB HBM3
           GPU UUID: 	 GPU-3c1f…          "GPU-????????-…" until a program has opened the device
           Video BIOS: 	 96.00.a5.00.01     likewise "??.??.??.??.??"
           Device Minor: 	 0
       /sys/module/nvidia/version            "570.124.06"
Seen   drivers 390 to 580
"""

import re
from typing import TYPE_CHECKING, Final

from accel.machine.files import file_text, names_in
from accel.model.dataclass import dataclass

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

VERSION_FILE: Final = "/proc/driver/nvidia/version"
_GPUS: Final = "/proc/driver/nvidia/gpus"
_LIBRARY_FOLDERS: Final = (
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/nvidia/lib64",
    "/usr/lib/wsl/lib",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelModule:
    """The loaded module. flavor: "open" or "proprietary"."""

    version: str | None = None
    flavor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelGpu:
    """A GPU that the module drives."""

    address: str
    name: str | None = None
    uuid: str | None = None
    vbios_version: str | None = None
    minor_number: int | None = None


def kernel_module(machine: "Machine") -> KernelModule | None:
    """Return the loaded module; None if none is loaded, as far as visible from here."""
    text = file_text(machine, VERSION_FILE)
    if text is not None:
        return parsed_version(text)
    version = file_text(machine, "/sys/module/nvidia/version")
    if version is not None:
        return KernelModule(version=version.strip() or None)
    return KernelModule() if machine.exists("/sys/module/nvidia/refcnt") else None


def parsed_version(text: str) -> KernelModule:
    """Parse the version file.

    >>> parsed_version("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023")
    KernelModule(version='535.104.05', flavor='proprietary')
    """
    line = next((line for line in text.splitlines() if "NVRM version" in line), "")
    found = re.search(r"Kernel Module\b.*?\s(\d{3}\.\d+(?:\.\d+)?)\b", line)
    if not found:
        return KernelModule()
    return KernelModule(version=found[1], flavor="open" if "Open Kernel Module" in line else "proprietary")


def kernel_gpus(machine: "Machine") -> tuple[KernelGpu, ...]:
    """Return the GPUs that the module lists, by address."""
    found = []
    for address in names_in(machine, _GPUS):
        text = file_text(machine, f"{_GPUS}/{address}/information")
        if text is not None:
            found.append(parsed_information(address, text))
    return tuple(found)


def parsed_information(address: str, text: str) -> KernelGpu:
    """Parse one GPU's information file; values of question marks are unknown."""
    values = dict(
        re.findall(r"^[ \t]*([^\s:]+(?:[ \t]+[^\s:]+)*)[ \t]*:[ \t]*(\S+(?:[ \t]+\S+)*)[ \t]*$", text, re.MULTILINE)
    )
    known = {key: value for key, value in values.items() if "?" not in value and value != "Unknown"}
    minor = known.get("Device Minor", "")
    return KernelGpu(
        address=address.lower(),
        name=known.get("Model"),
        uuid=known.get("GPU UUID"),
        vbios_version=known.get("Video BIOS"),
        minor_number=int(minor) if minor.isdecimal() else None,
    )


def library_version(machine: "Machine") -> str | None:
    """Return the version of NVML's library, from its file name: "libnvidia-ml.so.535.104.05"."""
    folders = [f for f in machine.environment.get("LD_LIBRARY_PATH", "").split(":") if f]
    for folder in (*folders, *_LIBRARY_FOLDERS):
        target = machine.link(f"{folder}/libnvidia-ml.so.1")
        found = re.search(r"\.so\.(\d{3}\.\d+(?:\.\d+)?)$", target or "")
        if found:
            return found[1]
    return None
