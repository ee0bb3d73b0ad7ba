"""The agents listed by rocminfo.

    *******
    Agent 2
    *******
      Name:                    gfx1100
      Uuid:                    GPU-6b2a8f1c9d0e7a55
      Marketing Name:          AMD Radeon RX 7900 XTX
      Device Type:             GPU
      BDFID:                   768
CPU agents have a processor's name and Device Type CPU. Hygon's toolkit has its own rocminfo, which lists its DCUs the
same way: they are left out. Seen: ROCm 3.x to 7.x.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.device import Device
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_amd.quantities import whole_lines
from accel_amd.record import address_of_location, gpu, is_foreign, reading, whole_uuid
from accel_amd.targets import plain_target

SOURCE: Final = "rocminfo"
_AGENT: Final = pattern(r"^[ \t]*Agent(?:[ \t]+(?:\d{1,24}|N/?A|ERR!))?[ \t]*$", re.MULTILINE)
_FIELD: Final = pattern(
    r"^[ \t]*(Name|Uuid|Marketing Name|Vendor Name|Device Type|BDFID|Chip ID|Node|Compute Unit):(.*)$",
    re.MULTILINE,
)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the GPU agents, numbered as in HIP: from 0, without CPUs."""
    text = "\n".join(whole_lines(text))
    starts = [match.start() for match in _AGENT.finditer(text)]
    devices: list[Device] = []
    for start, end in zip(starts, (*starts[1:], len(text)), strict=False):
        fields: dict[str, str] = {}
        told = _FIELD.findall(text[start:end])
        if sum(key == "Device Type" for key, _ in told) > 1:  # the line between two agents is missing
            break
        for key, value in told:
            fields.setdefault(key, value.strip())
        target = plain_target(fields.get("Name"))
        foreign = any(is_foreign(fields.get(key, "")) for key in ("Name", "Vendor Name", "Marketing Name"))
        if foreign or fields.get("Device Type", "GPU" if target else "") != "GPU":
            continue
        if target is None:  # its agent is unreadable, so the numbers after it are too
            break
        device = gpu(
            len(devices),
            fields.get("Marketing Name") or None,
            target,
            pci_address=address_of_location(_whole(fields.get("BDFID")) or 0),
            pci_id=_pci_id(fields.get("Chip ID")),
            node_id=_whole(fields.get("Node")),
            compute_units=_whole(fields.get("Compute Unit")),
        )
        device = replace(device, uuid=whole_uuid(fields.get("Uuid")))  # boards without one print "GPU-XX"
        devices.append(device)
    if devices:
        yield reading(SOURCE, 70, devices)


def _pci_id(text: str | None) -> str | None:
    """Return the PCI ID in "29772(0x744c)"."""
    found = re.search(r"0x([0-9a-fA-F]{4})\b", text or "")
    return f"1002:{found[1].lower()}" if found else None


def _whole(text: str | None) -> int | None:
    """Return the number that a value starts with: "96(0x60)" in some releases."""
    found = re.match(r"\d{1,9}(?!\d)", text or "")
    return int(found[0]) if found else None


READER: Final = Reader(name=SOURCE, signs=("Agent ",), read=read)
