"""The agents that rocminfo lists.

    *******
    Agent 2
    *******
      Name:                    gfx1100
      Uuid:                    GPU-6b2a8f1c9d0e7a55
      Marketing Name:          AMD Radeon RX 7900 XTX
      Device Type:             GPU
      BDFID:                   768
CPU agents have a processor's name and Device Type CPU. Seen: ROCm 3.x to 7.x.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from accel.backend import Reader, Reading
from accel.model.device import Device
from accel_amd.record import gpu, plain_target, reading

SOURCE: Final = "rocminfo"
_AGENT: Final = re.compile(r"^\s*Agent (\d+)\s*$", re.MULTILINE)
_FIELD: Final = re.compile(r"^\s*(Name|Uuid|Marketing Name|Device Type|BDFID|Chip ID):[ \t]*(.*?)[ \t]*$", re.MULTILINE)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the GPU agents, numbered as HIP numbers them: from 0, CPUs left out."""
    starts = [match.start() for match in _AGENT.finditer(text)]
    devices: list[Device] = []
    for start, end in zip(starts, (*starts[1:], len(text)), strict=False):
        fields: dict[str, str] = {}
        for key, value in _FIELD.findall(text[start:end]):
            fields.setdefault(key, value)
        target = plain_target(fields.get("Name"))
        if target is None or fields.get("Device Type", "GPU") != "GPU":
            continue
        device = gpu(len(devices), fields.get("Marketing Name") or None, target, _address(fields.get("BDFID")))
        uuid = fields.get("Uuid", "")
        if uuid.startswith("GPU-") and uuid != "GPU-XX":
            device = replace(device, uuid=uuid)
        devices.append(device)
    if devices:
        yield reading(SOURCE, 70, devices)


def _address(number: str | None) -> str | None:
    """Return the PCI address that a BDFID stands for: bus, device and function in one number."""
    if number is None or not number.isdecimal() or int(number) > 0xFFFF or number == "0":
        return None
    value = int(number)
    return f"0000:{value >> 8:02x}:{(value >> 3) & 31:02x}.{value & 7:x}"


READER: Final = Reader(name=SOURCE, signs=("Agent ",), read=read)
