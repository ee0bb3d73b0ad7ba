"""The list printed by `nvidia-smi -L`; `nvidia-smi nvlink` and `mig -lgi` name GPUs the same way.

    GPU 0: NVIDIA H200 (UUID: GPU-2f8c…)
      MIG 2g.35gb     Device  2: (UUID: MIG-5b1e…)
      MIG 3g.20gb Device 0: (UUID: MIG-GPU-2f8c…/1/0)           drivers 450 and 460: GPU instance and compute instance

Seen    drivers 340 to 610; a GPU without a UUID on vGPU guests and in quoted text is left to collect_env's reader.
Other vendors' tools print similar lists: a GPU with the name of another vendor's product is skipped.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.device import Device
from accel.text import amounts as a
from accel.text.lines import lines_of
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_nvidia.found import full_name, gpu, is_foreign, mig, reading

SOURCE: Final = "nvidia-smi -L"
TRUST: Final = 55
_GPU: Final = pattern(
    r"^\s*GPU (?:(\d{1,3}):|N/?A|ERR!|\d{9,24}|) +(?:(\S.*?) ?)?"
    r"\(UUID: (?:(GPU-[0-9A-Za-z-]+)|N/?A|ERR!|\d{9,}|)[ \t]*(\)?)"
)
_MIG: Final = pattern(
    r"^\s*MIG(?:\s+(\S+))?\s+Device(?:\s+(?:(\d{1,3}):|N/?A|ERR!|\d{9,24}))? +"
    r"\(UUID: (?:(MIG-[^)\s]+)|N/?A|ERR!|\d{9,}|)[ \t]*(\)?)"
)
_WHOLE: Final = pattern(r"(?:GPU|MIG)-[0-9A-Za-z]{8}(?:-[0-9A-Za-z]{4}){3}-[0-9A-Za-z]{12}")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading of all the list's lines."""
    devices: dict[str, Device] = {}
    parent: int | None = None
    places: dict[int | None, int] = {None: 0}  # the next GPU, and the next part of each: they are listed in order
    lines: list[int] = []
    for number, line in lines_of(text):
        if (found := _GPU.match(line)) and is_foreign(found[2] or ""):
            parent = None
            continue
        if found:
            uuid = _uuid(found[3], found[4])
            known = next((one for one in devices.values() if one.uuid == uuid and one.is_top_level), None)
            parent = int(found[1]) if found[1] else places[None] if known is None or uuid is None else known.index
            places[None] = parent + 1
            device: Device = gpu(parent, name=full_name(found[2]), uuid=uuid)
        elif parent is not None and (found := _MIG.match(line)):
            old = re.match(r"(?i)MIG-GPU-[0-9a-f-]+/(\d+)/(\d+)$", found[3] or "") if found[4] else None
            part = int(found[2]) if found[2] else places.get(parent, 0)
            places[parent] = part + 1
            device = mig(
                parent,
                part,
                uuid=_uuid(found[3], found[4]),
                mig_profile=a.word(found[1]),
                gpu_instance_id=int(old[1]) if old else None,
                compute_instance_id=int(old[2]) if old else None,
            )
        else:
            continue
        devices.setdefault(device.id, device)
        lines.append(number)
    if devices:
        yield reading(SOURCE, TRUST, devices=list(devices.values()), lines=(lines[0], lines[-1]))


def _uuid(shown: str | None, end: str) -> str | None:
    """Return the UUID; None if the line ends within it."""
    return shown if shown and (end or _WHOLE.fullmatch(shown)) else None


READER: Final = Reader(name=SOURCE, signs=("(UUID: GPU-",), read=read)
