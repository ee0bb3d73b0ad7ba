"""rocm-smi's output with --json.

    {"card0": {"Unique ID": "0x79ccd55167a2124a", "GPU use (%)": "0", …}, "system": {"Driver version": "6.3.6"}}
The labels present depend on the options. Seen: ROCm 4.3 to 6.4, complete and truncated.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from accel.model.dataclass import replace
from accel.vendors.contract.backend import Reader, Reading
from accel_amd.json_text import json_values
from accel_amd.model import AmdDevice
from accel_amd.quantities import lower_keys, word
from accel_amd.record import joined_by_index, reading
from accel_amd.rocm_smi_facts import device

SOURCE: Final = "rocm-smi JSON"


def read(text: str) -> Iterator[Reading]:
    """Yield one reading that combines all answers in the text for each GPU."""
    found: list[AmdDevice] = []
    driver: str | None = None
    for value in json_values(text):
        if not isinstance(value, Mapping):
            continue
        cards = lower_keys(value)
        system = cards.get("system")
        driver = driver or (word(system.get("driver version")) if isinstance(system, Mapping) else None)
        for name, labels in cards.items():
            if name.startswith("card") and isinstance(labels, Mapping):
                known = device(name, labels)
                if known is not None:
                    found.append(known)
    devices = joined_by_index(replace(d, driver_version=driver) for d in found)
    if devices:
        yield reading(SOURCE, 62, devices, driver=driver)


READER: Final = Reader(name=SOURCE, signs=('"card',), read=read)
