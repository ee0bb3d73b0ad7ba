"""The smallest shared object that has a dynamic section: what it needs and where it looks, and no code."""

import struct

_HEADERS_AT, _CONTENT_AT = 64, 64 + 2 * 56


def small_elf(
    *needed: str, runpath: str | None = None, rpath: str | None = None, soname: str | None = None, machine: int = 62
) -> bytes:
    """Return the bytes of an object; machine: 62 for x86_64, 183 for aarch64."""
    strings, entries = b"\0", []
    named = [(1, name) for name in needed] + [(14, soname), (15, rpath), (29, runpath)]
    for tag, text in named:
        if text is not None:
            entries.append((tag, len(strings)))
            strings += text.encode() + b"\0"
    entries += [(5, _CONTENT_AT), (10, len(strings)), (0, 0)]
    dynamic_at = _CONTENT_AT + len(strings)
    dynamic = b"".join(struct.pack("<QQ", *entry) for entry in entries)
    size = dynamic_at + len(dynamic)
    head = b"\x7fELF\x02\x01\x01" + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, _HEADERS_AT, 0, 0, 64, 56, 2, 64, 0, 0)
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, size, size, 4096)
    part = struct.pack("<IIQQQQQQ", 2, 6, dynamic_at, dynamic_at, dynamic_at, len(dynamic), len(dynamic), 8)
    return head + load + part + strings + dynamic
