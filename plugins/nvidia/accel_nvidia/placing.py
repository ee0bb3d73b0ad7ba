"""Maps a program's own GPU numbers to GPUs.

CUDA numbers the fastest board first and counts only visible ones, so a framework's "GPU 0" may not be that
of nvidia-smi. If the same text has one of NVIDIA's own lists, a named GPU is matched by name.
"""

import re
from collections.abc import Iterable, Sequence

from accel.model.dataclass import replace
from accel.vendors.contract.backend import Reader
from accel_nvidia.model import NvidiaDevice


def listed(text: str, readers: Iterable[Reader]) -> tuple[NvidiaDevice, ...]:
    """Return the whole GPUs that these readers find in the text."""
    found: dict[str, NvidiaDevice] = {}
    for reader in readers:
        if any(sign in text for sign in reader.signs):
            for reading in reader.read(text):
                for report in reading.reports:
                    for device in report.devices:
                        if isinstance(device, NvidiaDevice) and device.is_top_level:
                            found.setdefault(device.id, device)
    return tuple(found.values())


def placed(devices: Sequence[NvidiaDevice], known: Sequence[NvidiaDevice]) -> tuple[NvidiaDevice, ...]:
    """Return the devices with the index of the listed one of the same name, without those of unlisted names."""
    if not known:
        return tuple(devices)
    result: dict[str, NvidiaDevice] = {}
    for device in devices:
        same = [other for other in known if same_product(device.name, other.name)]
        home = next((other for other in same if other.index == device.index), same[0] if same else None)
        for other in same if home is None or device.pci_address is None else [home]:
            # All boards of one name share the product's facts.
            result.setdefault(other.id, replace(device, id=other.id, index=other.index))
    return tuple(result.values())


def same_product(first: str | None, second: str | None) -> bool:
    """Return whether two names may mean one product: one may be truncated with "..." or lack its brand."""
    one, two = _core(first), _core(second)
    if not one or not two:
        return False
    return one == two or (_is_cut(first) and two.startswith(one)) or (_is_cut(second) and one.startswith(two))


def _is_cut(name: str | None) -> bool:
    return (name or "").rstrip().endswith("...")


def _core(name: str | None) -> str:
    words = re.sub(r"(?i)\b(?:nvidia|geforce|tesla|quadro|corporation)\b|\.\.\.$", " ", name or "")
    return re.sub(r"[^a-z0-9]", "", words.lower())
