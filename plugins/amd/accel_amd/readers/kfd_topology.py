"""Dumps of KFD's topology: files under /sys/class/kfd/kfd/topology with their paths.

    ==> nodes/1/properties <==                        head, tail -n +1
    simd_count 256
    /sys/class/kfd/kfd/topology/nodes/1/properties:simd_count 256           grep -r ""
Each node with SIMDs is a GPU as ROCm counts them: a partitioned board has several. Seen: Linux 5.4 to 6.8.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_amd.kfd import is_unread, node_device, properties
from accel_amd.model import AmdDevice
from accel_amd.quantities import whole_lines
from accel_amd.record import reading

SOURCE: Final = "KFD topology"
_PATH: Final = pattern(
    r"(?:^|[\s/>'\"])nodes/(\d{1,4})/(gpu_id|name|properties|mem_banks/\d{1,3}/properties)(?::(?P<line>[^\n]*)|[\s<='\":]*$)"
)
_OTHER: Final = pattern(r"^==> .* <==\s*$")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the GPU nodes, numbered from 0 in the order of the nodes."""
    files: dict[tuple[int, str], list[str]] = {}
    home: list[str] | None = None
    for line in whole_lines(text):
        found = _PATH.search(line)
        if found is not None:
            home = files.setdefault((int(found[1]), found[2]), [])
            if found["line"]:
                home.append(found["line"])
        elif _OTHER.match(line):
            home = None
        elif home is not None:
            home.append(line)
    devices: list[AmdDevice] = []
    place = 0
    for node in sorted({node for node, _ in files}):
        facts = properties("\n".join(files.get((node, "properties"), ())))
        banks = [
            properties("\n".join(lines))
            for (other, name), lines in files.items()
            if other == node and name.startswith("mem_banks/")
        ]
        number = "".join(files.get((node, "gpu_id"), ())).strip()
        gpu_id = int(number) if number.isascii() and number.isdecimal() and len(number) < 11 else None
        device = node_device(place, node, facts, banks, gpu_id)
        if device is not None:
            devices.append(device)
        place += device is not None or is_unread(facts) or bool(not facts and gpu_id)
    if devices:
        yield reading(SOURCE, 55, without_shared_uuids(devices))


def without_shared_uuids(devices: list[AmdDevice]) -> list[AmdDevice]:
    """Remove the UUID of GPUs that share it: partitions of a board have one unique ID."""
    times = Counter(device.uuid for device in devices)
    return [replace(d, uuid=None) if d.uuid is not None and times[d.uuid] > 1 else d for d in devices]


READER: Final = Reader(name=SOURCE, signs=("nodes/",), read=read)
