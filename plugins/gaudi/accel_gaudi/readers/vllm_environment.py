"""Gaudi cards in the output of vLLM's collect_env, in the fork and in the plugin.

    HPU devices: 8x HL-325L
    HPU driver version: 1.19.0-2427ed8

These are board names; the spec tables map each to its Gaudi.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.report import Driver, Report
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_gaudi.model import BACKEND, gaudi, with_product

_DEVICES: Final = pattern(
    r"^[ \t]{0,20}HPU devices[ \t]{0,40}:[ \t]{0,9}(?:(?P<count>\d{1,3})x|\S{1,24})?[ \t]{0,24}"
    r"(?P<name>HL-[0-9A-Z-]{3,12})",
    re.MULTILINE | re.IGNORECASE,
)
_DRIVER: Final = pattern(
    r"^[ \t]{0,20}HPU driver version[ \t]{0,40}:[ \t]{0,9}(?P<version>\d{1,3}\.\d{1,3}\.\d{1,3}(?:-[0-9a-f]{1,20})?)",
    re.MULTILINE | re.IGNORECASE,
)
_MOST: Final = 64


def _read(text: str) -> Iterator[Reading]:
    found, driver = _DEVICES.search(text), _DRIVER.search(text)
    if found is None and driver is None:
        return
    count = min(int(found["count"] or 1), _MOST) if found else 0  # at least one, if the number is unreadable
    devices = tuple(with_product(replace(gaudi(index), name=found["name"])) for index in range(count)) if found else ()
    report = Report(
        backend=BACKEND,
        source=READER.name,
        trust=40,
        devices=devices,
        driver=Driver(version=driver["version"]) if driver else None,
    )
    yield Reading(source=READER.name, reports=(report,))


READER: Final = Reader(name="vLLM's environment (Gaudi)", signs=("HPU devices", "HPU driver"), read=_read)
