"""Read the imports of a Windows DLL or extension module from the import table of a PE file.

Reads   32- and 64-bit images; only the bytes that it needs. Delayed imports are left out, because they are loaded on
        first call
Source  Microsoft: PE Format, "Import Directory Table"
"""

import struct
from collections.abc import Sequence
from typing import Final

from accel.model.dataclass import dataclass
from accel.text.elf import Read

_DOS_HEADER_BYTES: Final = 64
_MOST_HEADER_BYTES: Final = 1 << 12
_FILE_HEADER: Final = struct.Struct("<4sHHIIIHH")
_SECTION: Final = struct.Struct("<8sIIIIIIHHI")
_DIRECTORIES_AT: Final = {0x10B: 96, 0x20B: 112}  # in the optional header of 32 and 64 bits
_DESCRIPTOR: Final = struct.Struct("<IIIII")
_MOST_SECTIONS: Final = 96
_MOST_IMPORTS: Final = 512
_MOST_NAME_BYTES: Final = 256
_MACHINES: Final = {0x8664: "x86_64", 0xAA64: "aarch64", 0x14C: "i386"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A PE image. machine: "x86_64", or the file's number. imports: the DLLs that it needs, as spelled there."""

    machine: str
    imports: tuple[str, ...]


def image(read: Read) -> Image | None:
    """Parse an image; None if the file is none or is truncated.

    read  returns the file's bytes from an offset, at most the given count
    """
    dos = read(0, _DOS_HEADER_BYTES)
    if len(dos) < _DOS_HEADER_BYTES or dos[:2] != b"MZ":
        return None
    head = read(struct.unpack_from("<I", dos, 60)[0], _MOST_HEADER_BYTES)
    if len(head) < _FILE_HEADER.size + 2:
        return None
    signature, machine, count, _, _, _, size, _ = _FILE_HEADER.unpack_from(head)
    directories = _DIRECTORIES_AT.get(struct.unpack_from("<H", head, _FILE_HEADER.size)[0])
    first = _FILE_HEADER.size + size
    if signature != b"PE\0\0" or directories is None or not 0 < count <= _MOST_SECTIONS:
        return None
    if len(head) < first + count * _SECTION.size or directories + 16 > size:
        return None
    sections = [_SECTION.unpack_from(head, first + number * _SECTION.size) for number in range(count)]
    table = struct.unpack_from("<I", head, _FILE_HEADER.size + directories + 8)[0]
    return Image(machine=_MACHINES.get(machine, str(machine)), imports=_imports(read, table, sections))


def _imports(read: Read, table: int, sections: Sequence[tuple[int, ...]]) -> tuple[str, ...]:
    """Return the names in the descriptors from a relative address on, up to the empty descriptor."""
    at = _file_offset(table, sections) if table else None
    if at is None:
        return ()
    names = []
    raw = read(at, _MOST_IMPORTS * _DESCRIPTOR.size)
    for fields in _DESCRIPTOR.iter_unpack(raw[: len(raw) // _DESCRIPTOR.size * _DESCRIPTOR.size]):
        place = _file_offset(fields[3], sections) if fields[3] else None
        if place is None:
            break
        name, end, _ = read(place, _MOST_NAME_BYTES).partition(b"\0")
        if not end or not name.isascii():
            break
        names.append(name.decode("ascii"))
    return tuple(names)


def _file_offset(address: int, sections: Sequence[tuple[int, ...]]) -> int | None:
    for _, _, start, size, place, *_ in sections:
        if start <= address < start + size:
            return place + address - start
    return None
