"""AMD GPUs in lists by tools other than ROCm's own: collect_env, programs on ggml, lspci.

    GPU models and configuration: AMD Instinct MI250X (gfx90a:sramecc+:xnack-)
    GPU models and configuration: Radeon RX 7900 XTX (gfx1100)
      Device 1: AMD Radeon Graphics, gfx1036 (0x1036), VMM: no, Wave Size: 32     or: , compute capability 10.3
    03:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 [Radeon RX 7900]
    c1:00.0 Processing accelerators: Advanced Micro Devices, Inc. [AMD/ATI] Aqua Vanjaram [Instinct MI300X]
Seen: collect_env of torch 1.8 to 2.9; llama.cpp, ollama and llamafile of 2024 to 2025; lspci 3.x
with and without -nn and -D.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.device import Device
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_amd.record import gpu, is_foreign, reading
from accel_amd.targets import plain_target

SOURCE: Final = "GPU lists"
_COLLECT_ENV: Final = pattern(
    r"^[ \t]*GPU models and configuration[ \t]*:\s*(?:GPU \d+: )?"
    r"(?:(?=[^\n(]*(?:AMD|Radeon|Instinct))(?P<name>[^\s(]+(?:[ \t]+[^\s(]+)*)[ \t]*)?\((?P<target>gfx[^)\n]*)\)",
    re.MULTILINE,
)
_GGML: Final = pattern(
    r"\bDevice (?P<number>\d{1,3}): (?P<name>(?:AMD|Radeon)[^,\n]{1,60}), "
    r"(?:(?P<target>gfx[0-9a-f]{3,5})\b|compute capability \d)",
    re.IGNORECASE,
)
_LSPCI: Final = pattern(
    r"^[ \t]*(?P<address>(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\s+"
    r"(?:VGA compatible controller|3D controller|Display controller|Processing accelerators)(?: \[\w{4}\])?:\s+"
    r"(?:Advanced Micro Devices, Inc\.|AMD)[^\n]{0,80}?\[AMD/ATI\][ \t](?P<rest>[^\n]*)",
    re.MULTILINE | re.IGNORECASE,
)
_IDS: Final = pattern(r"\[(1002:[0-9a-f]{4})\]", re.IGNORECASE)


def read(text: str) -> Iterator[Reading]:
    """Yield a reading for each kind of list that is present."""
    ours = [match for match in _COLLECT_ENV.finditer(text) if not is_foreign(match[0])]
    found = [gpu(i, match["name"], plain_target(match["target"])) for i, match in enumerate(ours)]
    if found:
        yield reading("collect_env", 60, found[:1])
    counted = {
        int(m["number"]): gpu(int(m["number"]), m["name"], plain_target(m["target"])) for m in _GGML.finditer(text)
    }
    if counted:
        yield reading("ggml", 60, [counted[number] for number in sorted(counted)])
    listed: dict[str, Device] = {}
    for match in _LSPCI.finditer(text):
        address = match["address"].lower()
        address = address if address.count(":") == 2 else f"0000:{address}"
        ids = _IDS.search(match["rest"])
        named = re.findall(r"\[([^\]\n]{0,80}?(?:Radeon|Instinct|FirePro|Vega)[^\]\n]{0,80})\]", match["rest"])
        name = named[0] if named else match["rest"].split(" [")[0].split(" (rev")[0].strip() or None
        listed[address] = gpu(len(listed), name, pci_address=address, pci_id=ids[1].lower() if ids else None)
    if listed:
        yield reading("lspci", 30, list(listed.values()))


READER: Final = Reader(name=SOURCE, signs=("GPU models and configuration", "AMD/ATI", "Device "), read=read)
