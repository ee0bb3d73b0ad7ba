"""What a process holds on the GPUs of DRM drivers (amdgpu, i915, xe, …), as the kernel counts it for each open file.

/proc/<pid>/fdinfo/<n>   drm-pdev:	0000:03:00.0
                         drm-client-id:	17                  two files of one client are counted once
                         drm-total-vram0:	1024 MiB        what it has allocated; shared buffers count for each
                         drm-resident-vram0:	512 MiB         what of it lies in the memory now: this counts
                         drm-memory-vram:	524288 KiB      amdgpu's older name for the same
Source  Linux: Documentation/gpu/drm-usage-stats.rst. Regions of system memory ("gtt", "cpu", "system") do not count
"""

import re
from typing import TYPE_CHECKING, Final

from accel.machine.files import file_text, names_in

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_LINE: Final = re.compile(r"^drm-([a-z0-9-]{1,60}):[ \t]{1,8}(\S{1,60})(?: (KiB|MiB|GiB))?$", re.MULTILINE)
_UNITS: Final = {"": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_OWN_MEMORY: Final = ("vram", "lmem", "local")
_MOST_FILES: Final = 512


def memory_by_address(machine: "Machine", pid: int) -> dict[str, int]:
    """Return the bytes of device memory by PCI address; a device whose driver tells nothing is left out."""
    found: dict[tuple[str, str], int] = {}
    folder = f"/proc/{pid}/fd"
    for name in names_in(machine, folder)[:_MOST_FILES]:
        if "/dev/dri/" in (machine.link(f"{folder}/{name}") or ""):
            client = parsed(file_text(machine, f"/proc/{pid}/fdinfo/{name}") or "")
            if client is not None:
                address, number, held = client
                found[address, number] = held
    sums: dict[str, int] = {}
    for (address, _), held in found.items():
        sums[address] = sums.get(address, 0) + held
    return sums


def parsed(text: str) -> tuple[str, str, int] | None:
    """Return PCI address, client and bytes of one file; None if it tells no device memory.

    >>> parsed("drm-pdev:\\t0000:03:00.0\\ndrm-client-id:\\t17\\ndrm-resident-vram0:\\t512 MiB\\n")
    ('0000:03:00.0', '17', 536870912)
    """
    lines = {key: (value, unit) for key, value, unit in _LINE.findall(text)}
    address = lines.get("pdev", ("", ""))[0]
    for way in ("resident", "memory"):
        sizes = [
            int(value) * _UNITS[unit]
            for key, (value, unit) in lines.items()
            if key.startswith(tuple(f"{way}-{region}" for region in _OWN_MEMORY)) and value.isdecimal()
        ]
        if address and sizes:
            return address.lower(), lines.get("client-id", ("", ""))[0], sum(sizes)
    return None
