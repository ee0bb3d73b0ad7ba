"""Devices of an answer that its input does not show: a number, a name or an address that stands nowhere in it."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from accel.model.device import Device
from accel.model.report import Report
from accel.names.counts import _NUMERALS, _WORDS
from accel.plugins.registry import Registry
from accel.text.clean import plain, unmarked, without_prefixes
from accel.text.encodings import decoded
from accel.text.wrapped import unwrapped

_BLANKS: Final = re.compile(r"[^\w]+")
_NUMBER: Final = re.compile(r"\d+")
_ADDRESS: Final = re.compile(r"[0-9a-f]{4,8}:(?=[0-9a-f]{2}:)")
_WORD: Final = re.compile(r"[^\W_]{2,}")
_ZEROS: Final = re.compile(r"^[A-Za-z]+-0*")  # "GPU-01a2" is made of the number "0x1a2"


def not_in_text(reports: Iterable[Report], text: str, registry: Registry) -> list[str]:
    """Return what is told of devices and stands nowhere in a text.

    An address or a serial number is in it, letter by letter, broken lines joined. A name has a word in it, or the
    board's numbers are. A device without an address has its index in it, or as many devices before it are counted or
    listed there. One of which none of this is told has at least a sign of its reader.
    """
    return list(_not_in_text(reports, _Shown(text), registry))


class _Shown:
    """What a text shows: its letters and digits, as they stand and with its lines joined, and its numbers."""

    def __init__(self, text: str) -> None:
        bare = unwrapped(unmarked(plain(text))).text
        self.lower = f"{text}\n{bare}\n{without_prefixes(bare)}".lower()
        self.letters = _BLANKS.sub("", self.lower)
        self.numbers = {int(number) for number in _NUMBER.findall(self.lower) if len(number) < 12}
        self.words = set(_WORD.findall(self.lower))
        self.lines = text.count("\n") + text.count("\r") + text.count("\\n") + 1

    def holds(self, value: object) -> bool:
        """Whether a value stands in the text, but for its punctuation."""
        return _BLANKS.sub("", str(value).lower()) in self.letters


def _not_in_text(reports: Iterable[Report], shown: _Shown, registry: Registry) -> Iterator[str]:
    for report in reports:
        for device in report.devices:
            known = [(field, value) for field in ("uuid", "serial") if (value := getattr(device, field))]
            for field, value in known:
                if not (shown.holds(value) or shown.holds(_ZEROS.sub("", str(value)))):
                    yield f"{report.source}: {device.id} has the {field} {value}"
            address = device.pci_address and _ADDRESS.sub("", device.pci_address)
            if address and not _has_address(address, shown):
                yield f"{report.source}: {device.id} is at {address}"
            if device.name and not (_has_word(device, shown) or _has_board(device, shown)):
                yield f"{report.source}: {device.id} is named {device.name}"
            if not (known or address) and not _has_place(device, report, shown):
                yield f"{report.source}: {device.id} is one of {len(report.devices)}"
            if not (known or address or device.name) and not _has_sign(report, shown, registry):
                yield f"{report.source}: {device.id}, and no sign of that tool"


def _has_address(address: str, shown: _Shown) -> bool:
    """Whether an address stands in the text: as one word, as the number that programs make of it, or its parts."""
    bus, device, function = (int(part, 16) for part in re.split("[:.]", address))
    whole = (bus << 8) + (device << 3) + function
    return shown.holds(address) or whole in shown.numbers or f"{bus:02x}" in shown.words


def _has_word(device: Device, shown: _Shown) -> bool:
    name = (device.name or "").lower()
    words = _WORD.findall(name)
    return any(word in shown.lower for word in words) if words else name in shown.lower


def _has_board(device: Device, shown: _Shown) -> bool:
    """Whether the text has what a name is looked up by: the numbers of the board, its architecture."""
    told = (device.pci_id or "").split(":")[-1], device.architecture or "", device.compute_capability or ""
    return any(word and shown.holds(word) for word in told)


def _has_place(device: Device, report: Report, shown: _Shown) -> bool:
    numbers = {device.index, *(v for name in _numbered(device) if isinstance(v := getattr(device, name), int))}
    counted = max((number for number in (*shown.numbers, *_spelt(shown.lower)) if number <= 512), default=0)
    return bool(numbers & shown.numbers) or device.index < max(counted, shown.lines)


def _spelt(lower: str) -> Iterator[int]:
    return (count for spelling, count in (*_WORDS.items(), *_NUMERALS.items()) if count and spelling in lower)


def _numbered(device: Device) -> list[str]:
    return [name for name in type(device).__dataclass_fields__ if name.endswith("_id")]


def _has_sign(report: Report, shown: _Shown, registry: Registry) -> bool:
    signs = [reader.signs for reader in registry.all_readers if reader.name == report.source]
    return not signs or any(not several or any(sign.lower() in shown.lower for sign in several) for several in signs)


def not_in_saved(reports: Iterable[Report], text: str) -> list[str]:
    """Return the ids and addresses of devices that stand nowhere in a saved snapshot."""
    held = set(_strings(json.loads(decoded(text.encode("utf-8", "surrogatepass")))))
    return [
        f"{report.source}: {value}"
        for report in reports
        for device in report.devices
        for value in (device.id, device.uuid, device.serial, device.pci_address)
        if value and value not in held
    ]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
