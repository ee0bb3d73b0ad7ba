"""Hygon's DCUs among the agents that `rocminfo` lists.

    *******
    Agent 9
    *******
      Name:                    gfx936
      Uuid:                    GPU-1a2b3c4d5e6f7081
      Marketing Name:          BW
      Device Type:             HCU
      BDFID:                   2304

Seen    DTK 25 and 26; older ones say GPU, as AMD's does: there the target decides, which no AMD chip has, or for
        gfx906 the name of the vendor or the product.
"""

from collections.abc import Iterator
from typing import Final

from accel.text.amounts import word
from accel.text.lines import broken_line
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_hygon import VENDOR
from accel_hygon.model import HygonDevice
from accel_hygon.readers.smi_facts import reading

SOURCE: Final = "rocminfo"
_AGENT: Final = pattern(r"(?m)^[ \t]*Agent(?:[ \t]+(?:\d{1,24}|N/?A|ERR!))?[ \t]*$")
_PAIR: Final = pattern(
    r"(?m)^[ \t]*(Name|Uuid|Marketing Name|Vendor Name|Device Type|BDFID):[ \t]*(\S+(?:[ \t]+\S+)*)[ \t]*$"
)
_TARGETS: Final = ("gfx926", "gfx928", "gfx936", "gfx938")
_OURS: Final = pattern(r"(?i)\b[dh]cus?\b|hygon|haiguang|chengdu")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the DCUs, numbered from 0 as in HIP."""
    if broken_line(text):
        text = text[: text.rfind("\n") + 1]
    starts = [found.start() for found in _AGENT.finditer(text)]
    devices: list[HygonDevice] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=False):
        pairs: dict[str, str] = {}
        told = _PAIR.findall(text[start:end])
        if sum(key == "Device Type" for key, _ in told) > 1:  # the line between two agents is missing
            break
        for key, value in told:
            pairs.setdefault(key, value)
        target = pairs.get("Name", "").partition(":")[0]
        kind = pairs.get("Device Type", "")
        named = any(_OURS.search(pairs.get(key, "")) for key in ("Vendor Name", "Marketing Name"))
        if kind in ("HCU", "DCU") or target in _TARGETS or (named and kind == "GPU"):
            devices.append(_device(len(devices), target, pairs))
        elif kind == "GPU" and not target.startswith("gfx"):  # its agent is unreadable, so the numbers after it are too
            break
    if devices:
        yield reading(SOURCE, devices, None, 58)


def _device(index: int, target: str, pairs: dict[str, str]) -> HygonDevice:
    uuid, place = word(pairs.get("Uuid")), pairs.get("BDFID", "")
    bdf = int(place) if place.isdecimal() and len(place) < 6 else 0
    return VENDOR.device(
        index,
        name=word(pairs.get("Marketing Name")),
        uuid=None if uuid == "GPU-XX" else uuid,
        compute_capability=target if target.startswith("gfx") else None,
        pci_address=f"0000:{bdf >> 8:02x}:{bdf >> 3 & 31:02x}.{bdf & 7}" if bdf else None,
    )


READER: Final = Reader(name=SOURCE, signs=("Device Type:", "gfx926", "gfx928", "gfx936", "gfx938"), read=read)
