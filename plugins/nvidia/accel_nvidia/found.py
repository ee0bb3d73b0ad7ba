"""Constructors of the records that all readers of NVIDIA's texts yield."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.model.device import Device
from accel.model.report import Driver, Report
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reading
from accel_nvidia.model import NvidiaDevice

if TYPE_CHECKING:
    from accel.model.wiring import Link

BACKEND: Final = "nvidia"
VENDOR: Final = "NVIDIA"
_FOREIGN: Final = pattern(
    r"(?i)\b(?:amd|ati|radeon|instinct|gfx\d|mi\d{3}x?|intel|arc|iris|ascend|huawei|davinci|apple"
    r"|m[1-4] (?:pro|max|ultra)|gaudi|tpu|mtt|moore|metax|mxc|cambricon|mlu\d*|hygon|dcu|iluvatar"
    r"|bi-v\d+|mr-v\d+|hl-\d+|kunlun|xpu|p800|r[23]00|enflame|trainium|neuron"
    r"|matrox|aspeed|virtio|llvmpipe|microsoft|mali|adreno)\b"
)


def gpu(index: int, **facts: Any) -> NvidiaDevice:
    """Return a whole GPU; facts are fields of NvidiaDevice."""
    return NvidiaDevice(id=f"{BACKEND}:{index}", index=index, backend=BACKEND, vendor=VENDOR, kind="gpu", **facts)


def mig(parent: int, index: int, **facts: Any) -> NvidiaDevice:
    """Return a MIG partition of a GPU; index is the MIG device's number within it."""
    whole = f"{BACKEND}:{parent}"
    return NvidiaDevice(
        id=f"{whole}/mig{index}", index=index, backend=BACKEND, vendor=VENDOR, kind="gpu", parent=whole, **facts
    )


def is_foreign(name: str) -> bool:
    """Return whether a device's name is that of another vendor's product."""
    return bool(_FOREIGN.search(name))


def full_name(name: str | None) -> str | None:
    """Return a device's name; None if it is empty or one of the tools' words for "unknown"."""
    name = re.sub(r"\s+", " ", name or "").strip(" ,;|'\"")
    if not name or re.fullmatch(r"(?i)\[?(?:n/?a|err!|unknown(?: error)?|none|could not collect|no cuda)\]?", name):
        return None
    return name


def reading(
    source: str,
    trust: int,
    *,
    devices: Sequence[Device] = (),
    driver: Driver | None = None,
    links: "Sequence[Link]" = (),
    lines: tuple[int, int] | None = None,
) -> Reading:
    """Return one report as a reading; lines are the first and the last, from 1."""
    report = Report(
        backend=BACKEND, source=source, trust=trust, driver=driver, devices=tuple(devices), links=tuple(links)
    )
    first, last = lines or (None, None)
    return Reading(source=source, reports=(report,), first_line=first, last_line=last)
