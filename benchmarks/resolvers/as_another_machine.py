"""Run by a peer's own Python: light-the-torch or torchruntime as it would go on another machine.

    python as_another_machine.py light-the-torch Windows install torch …       pip's own output
    python as_another_machine.py torchruntime Linux x86_64 3.12 10de:1b06,10de:2b85 torch
                                                                    the arguments of its pip commands, as JSON

Only what they read of the machine is replaced: the system's name, its processor, the Python, and what lspci,
PowerShell or system_profiler would print.
"""

import json
import sys
from types import SimpleNamespace


def light_the_torch(system: str, words: list[str]) -> int:
    """Run its patched pip; nvidia-smi is looked up on PATH."""
    from light_the_torch import _cb, _cli

    _cb.platform = SimpleNamespace(system=lambda: system)
    return int(_cli.main(words) or 0)


def torchruntime(system: str, machine: str, python: str, ids: str, packages: list[str]) -> int:
    """Print what it would have pip install."""
    from torchruntime import device_db, installer, platform_detection

    numbers = [pair.split(":") for pair in ids.split(",") if pair]
    lspci = "".join(f"01:00.0 VGA compatible controller [0300]: [{vendor}:{device}]\n" for vendor, device in numbers)
    pnp = "".join(f"PCI\\VEN_{vendor}&DEV_{device}&SUBSYS_00000000\n" for vendor, device in numbers)
    device_db.get_linux_output = lambda: lspci
    device_db.get_windows_output = lambda: pnp
    device_db.get_macos_output = lambda: '{"SPDisplaysDataType": [{"spdisplays_vendor": "sppci_vendor_Apple"}]}'
    for module in (device_db, platform_detection, installer):
        module.os_name = system
    platform_detection.arch = "amd64" if system == "Windows" else machine.lower()
    platform_detection.py_version = tuple(int(n) for n in python.split("."))
    try:
        chosen = platform_detection.get_torch_platform(device_db.get_gpus(), packages=packages)
        commands = installer.get_install_commands(chosen, packages)
    except (NotImplementedError, ValueError, KeyError) as error:
        print(json.dumps({"platform": None, "commands": [], "said": f"{type(error).__name__}: {error}"}))
        return 0
    print(json.dumps({"platform": chosen, "commands": commands, "said": ""}))
    return 0


if __name__ == "__main__":
    tool, *rest = sys.argv[1:]
    if tool == "light-the-torch":
        sys.exit(light_the_torch(rest[0], rest[1:]))
    sys.exit(torchruntime(rest[0], rest[1], rest[2], rest[3], rest[4:]))
