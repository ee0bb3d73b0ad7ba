"""Sentences of programs that name a GPU with its compute capability.

    NVIDIA H100 PCIe with CUDA capability sm_90 is not compatible with the current PyTorch installation.
    Your Tesla T4 GPU has compute capability 7.5
    Detected GPU: NVIDIA GeForce RTX 3090

Other names in prose are read by the core (accel.facts.readers.mechanisms.products). If the text has one of
NVIDIA's own lists, only facts about its boards are added.
"""

from collections.abc import Iterator
from typing import Any, Final

from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_nvidia.found import full_name, gpu, is_foreign, reading
from accel_nvidia.model import NvidiaDevice
from accel_nvidia.placing import listed, placed, same_product
from accel_nvidia.readers.device_properties import listing_readers, named

SOURCE: Final = "text"
TRUST: Final = 12
_FORMS: Final = tuple(
    pattern(form)
    for form in (
        r"(?i:(?:^|: )(?P<name>[A-Z][^:,\n]*?) with CUDA capability sm_(?P<sm>\d+)[a-z]? is not compatible)",
        r"(?i:Your (?P<name>\S.{0,80}?) GPU has compute capability(?: (?P<cc>\d+\.\d))?)",
    )
)
_LONGEST: Final = 600


def read(text: str) -> Iterator[Reading]:
    """Yield one reading, or nothing: a board for each name, with its capability."""
    found: dict[str, NvidiaDevice] = {}
    lines: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > _LONGEST:
            continue
        for form in _FORMS:
            match = form.search(line)
            groups: dict[str, Any] = match.groupdict() if match else {}
            name = full_name(groups.get("name"))
            if name is None or is_foreign(name):
                continue
            sm = groups.get("sm")
            capability = f"{sm[:-1]}.{sm[-1]}" if sm else groups.get("cc")
            home = next((known for known in found if same_product(known, name)), name)
            found.setdefault(home, gpu(len(found), name=name, compute_capability=capability))
            lines.append(number)
    if not found:
        return
    known = listed(text, listing_readers())
    if not known and any(True for _ in named(text)):
        return
    devices = placed(tuple(found.values()), known)
    if devices:
        yield reading(SOURCE, TRUST, devices=devices, lines=(lines[0], lines[-1]))


READER: Final = Reader(name="compute capability", signs=("capability sm_", "has compute capability"), read=read)
