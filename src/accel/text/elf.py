"""Read a Linux shared object's dependencies and search paths from its dynamic section, and find its sections.

Reads   64-bit little-endian objects (x86_64, aarch64, riscv64 …); only the bytes that it needs
Source  System V ABI, "Object files" and "Dynamic linking"; Linux elf.h
"""

import struct
from collections.abc import Callable, Sequence
from typing import Final

from accel.model.dataclass import dataclass

_HEADER_BYTES: Final = 64
_PROGRAM_HEADER: Final = struct.Struct("<IIQQQQQQ")
_MOST_HEADERS: Final = 128
_MOST_DYNAMIC_BYTES: Final = 1 << 16
_MOST_STRING_BYTES: Final = 1 << 13
_SECTION_HEADER: Final = struct.Struct("<IIQQQQIIQQ")
_MOST_SECTIONS: Final = 4096
_LOAD, _DYNAMIC = 1, 2  # p_type
_NEEDED, _STRTAB, _SONAME, _RPATH, _RUNPATH = 1, 5, 14, 15, 29  # d_tag
_MACHINES: Final = {3: "i386", 62: "x86_64", 183: "aarch64", 243: "riscv64", 22: "s390x", 21: "ppc64le"}

_MACH_O: Final = (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe")

Read = Callable[[int, int], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedObject:
    """A shared object. machine: "x86_64", or the file's number. least_bytes: a smaller file is truncated."""

    machine: str
    soname: str | None
    needed: tuple[str, ...]
    rpath: tuple[str, ...]
    runpath: tuple[str, ...]
    least_bytes: int


def shared_object(read: Read) -> SharedObject | None:
    """Parse a shared object; None if it is none, has another width or byte order, or is truncated.

    read  returns the file's bytes from an offset, at most the given count
    """
    head = read(0, _HEADER_BYTES)
    if len(head) < _HEADER_BYTES or head[:6] != b"\x7fELF\x02\x01":
        return None
    machine = struct.unpack_from("<H", head, 18)[0]
    headers_at, sections_at = struct.unpack_from("<QQ", head, 32)
    size, count, section_size, sections = struct.unpack_from("<HHHH", head, 54)
    if size != _PROGRAM_HEADER.size or not 0 < count <= _MOST_HEADERS:
        return None
    raw = read(headers_at, size * count)
    if len(raw) < size * count:
        return None
    segments = list(_PROGRAM_HEADER.iter_unpack(raw))
    ends = [offset + length for kind, _, offset, _, _, length, _, _ in segments if kind == _LOAD]
    least = max([*ends, sections_at + section_size * sections])
    entries = _entries(read, segments)
    table = next((value for tag, value in entries if tag == _STRTAB), None)
    at = None if table is None else _file_offset(table, segments)
    strings = {} if at is None else _strings(read, at, [v for t, v in entries if t in _NAMES])

    def named(tag: int) -> tuple[str, ...]:
        return tuple(text for t, value in entries if t == tag and (text := strings.get(value)))

    return SharedObject(
        machine=_MACHINES.get(machine, str(machine)),
        soname=next(iter(named(_SONAME)), None),
        needed=named(_NEEDED),
        rpath=_folders(named(_RPATH)),
        runpath=_folders(named(_RUNPATH)),
        least_bytes=least,
    )


def object_kind(head: bytes) -> str | None:
    """Return the machine of an object file from its first 64 bytes: "x86_64"; "macos" or "windows" for those systems.

    Returns "linux" for an ELF file of another width or byte order, and None for anything that is not an object file.

    >>> object_kind(bytes.fromhex("cffaedfe") + bytes(60)), object_kind(b"#!/bin/sh"), object_kind(b"MZ" + bytes(62))
    ('macos', None, 'windows')
    """
    if head[:4] == b"\x7fELF":
        is_known = head[:6] == b"\x7fELF\x02\x01" and len(head) >= _HEADER_BYTES
        return _MACHINES.get(struct.unpack_from("<H", head, 18)[0], "linux") if is_known else "linux"
    if head[:4] in _MACH_O:
        return "macos"
    return "windows" if head[:2] == b"MZ" else None


def sections(read: Read) -> dict[str, tuple[int, int]]:
    """Return (offset, size) of each section by name; {} if the file is no such object or has no section headers."""
    head = read(0, _HEADER_BYTES)
    if len(head) < _HEADER_BYTES or head[:6] != b"\x7fELF\x02\x01":
        return {}
    at = struct.unpack_from("<Q", head, 40)[0]
    size, count, names_in = struct.unpack_from("<HHH", head, 58)
    if size != _SECTION_HEADER.size or not 0 < count <= _MOST_SECTIONS or names_in >= count:
        return {}
    raw = read(at, size * count)
    if len(raw) < size * count:
        return {}
    rows = list(_SECTION_HEADER.iter_unpack(raw))
    names = read(rows[names_in][4], min(rows[names_in][5], _MOST_DYNAMIC_BYTES))
    return {
        names[row[0] : end].decode("ascii", "replace"): (row[4], row[5])
        for row in rows
        if row[0] < len(names) and (end := names.find(b"\0", row[0])) > row[0]
    }


_NAMES: Final = (_NEEDED, _SONAME, _RPATH, _RUNPATH)


def _entries(read: Read, segments: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
    """Return the (tag, value) pairs of the dynamic section, up to its terminator."""
    found: list[tuple[int, int]] = []
    for kind, _, offset, _, _, length, _, _ in segments:
        if kind == _DYNAMIC:
            raw = read(offset, min(length, _MOST_DYNAMIC_BYTES))
            for tag, value in struct.iter_unpack("<QQ", raw[: len(raw) // 16 * 16]):
                if tag == 0:
                    break
                found.append((tag, value))
    return found


def _file_offset(address: int, segments: Sequence[tuple[int, ...]]) -> int | None:
    for kind, _, offset, virtual, _, length, _, _ in segments:
        if kind == _LOAD and virtual <= address < virtual + length:
            return offset + address - virtual
    return None


def _strings(read: Read, table: int, offsets: Sequence[int]) -> dict[int, str]:
    """Return the strings at these offsets, in a single read if they are close together, as they usually are."""
    if not offsets:
        return {}
    low, high = min(offsets), max(offsets)
    if high - low <= 8 * _MOST_STRING_BYTES:
        block = read(table + low, high - low + _MOST_STRING_BYTES)
        parts = {offset: block[offset - low :] for offset in offsets}
    else:
        parts = {offset: read(table + offset, _MOST_STRING_BYTES) for offset in offsets}
    return {
        offset: part.split(b"\0", 1)[0].decode("utf-8", "replace") for offset, part in parts.items() if b"\0" in part
    }


def _folders(paths: Sequence[str]) -> tuple[str, ...]:
    return tuple(folder for path in paths for folder in path.split(":") if folder)
