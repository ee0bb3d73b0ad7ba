"""The smallest image of Windows that has an import table, and no code."""

import struct

_SECTION_AT, _ADDRESS = 0x400, 0x1000  # in the file; when loaded
_OPTIONAL_BYTES = 240


def small_pe(*imports: str, machine: int = 0x8664) -> bytes:
    """Return the bytes of a 64-bit DLL; machine: 0x8664 for x86_64, 0xaa64 for aarch64."""
    table_bytes = 20 * (len(imports) + 1)
    rows, names = b"", b""
    for name in imports:
        rows += struct.pack("<IIIII", 0, 0, 0, _ADDRESS + table_bytes + len(names), 0)
        names += name.encode() + b"\0"
    content = rows + bytes(20) + names
    dos = b"MZ" + bytes(58) + struct.pack("<I", 64)
    head = b"PE\0\0" + struct.pack("<HHIIIHH", machine, 1, 0, 0, 0, _OPTIONAL_BYTES, 0x2022)
    optional = struct.pack("<H", 0x20B).ljust(112, b"\0") + bytes(8)  # no exports
    optional += struct.pack("<II", _ADDRESS if imports else 0, table_bytes)
    section = struct.pack("<8sIIIIIIHHI", b".rdata", len(content), _ADDRESS, len(content), _SECTION_AT, 0, 0, 0, 0, 0)
    return (dos + head + optional.ljust(_OPTIONAL_BYTES, b"\0") + section).ljust(_SECTION_AT, b"\0") + content
