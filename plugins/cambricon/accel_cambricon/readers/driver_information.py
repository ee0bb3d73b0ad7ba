"""The driver's file of one card.

    /proc/driver/cambricon/mlus/0000:3b:00.0/information
    Device name: MLU370-X8
    Device inode path: /dev/cambricon_dev0
    Driver Version: v5.10.22
    MCU Version: v1.1.6
    Board Serial Number: SN/202012345678
    MLU Firmware Version: 4.6.1

Source  the driver's cndrv_info_board_model, cndrv_info_device. Several files printed one after another are several
        cards; the file does not say which address each has.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from accel.model.report import Driver, Report
from accel.text.amounts import word
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_cambricon import VENDOR

SOURCE: Final = "driver information"
TRUST: Final = 45
_START: Final = pattern(r"(?m)^[ \t]*Device name:[ \t]*(?=MLU|N/?A\b|ERR!|\d{9}|\r?\n)")
_PAIR: Final = pattern(
    r"(?m)^[ \t]*([A-Z][\w ]*):[ \t]*(\S+(?:[ \t]+\S+)*)[ \t]*\r?\n"
)  # a value at the truncated end may be half a number
_NODE: Final = pattern(r"/dev/cambricon_dev(\d{1,3})")


def facts(text: str) -> Mapping[str, Any]:
    """Return the device fields in the file of one card; {} for other text."""
    pairs = {key.lower(): value for key, value in _PAIR.findall(text)}
    known = {
        "name": word(pairs.get("device name")),
        "driver_version": word(pairs.get("driver version")),
        "firmware_version": word(pairs.get("mcu version")),
        "serial": word(pairs.get("board serial number", "").removeprefix("SN/").strip("0")),
    }
    if known["serial"]:
        known["serial"] = pairs["board serial number"].removeprefix("SN/")
    return {field: value for field, value in known.items() if value}


def read(text: str) -> Iterator[Reading]:
    """Yield one reading of all files in the text; a card without a node has no number."""
    starts = [found.start() for found in _START.finditer(text)]
    devices = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=False):
        node = _NODE.search(text, start)
        if node is None or node.end() > end:
            continue
        index = int(node[1])
        devices.append(
            VENDOR.device(
                index,
                **facts(text[start:end]),
            )
        )
    if devices:
        driver = Driver(version=devices[0].driver_version)
        report = Report(backend=VENDOR.name, source=SOURCE, trust=TRUST, driver=driver, devices=tuple(devices))
        yield Reading(source=SOURCE, reports=(report,))


READER: Final = Reader(name=SOURCE, signs=("/dev/cambricon_dev",), read=read)
