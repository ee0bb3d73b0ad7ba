"""The smallest shared object that has a dynamic section: what it needs and where it looks, and no code."""

import struct

_HEADERS_AT, _CONTENT_AT = 64, 64 + 2 * 56


def small_elf(
    *needed: str,
    runpath: str | None = None,
    rpath: str | None = None,
    soname: str | None = None,
    machine: int = 62,
    rodata: str = "",
) -> bytes:
    """Return the bytes of an object; machine: 62 for x86_64, 183 for aarch64; rodata: constants of its own section."""
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
    constants, names = rodata.encode() + b"\0", b"\0.rodata\0.shstrtab\0"
    rows = [(0, 0, 0, 0), (1, 1, size, len(constants)), (9, 3, size + len(constants), len(names))]
    sections = b"".join(
        struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, at, count, 0, 0, 1, 0) for name, kind, at, count in rows
    )
    tail = constants + names + sections if rodata else b""
    sections_at = size + len(constants) + len(names) if rodata else 0
    head = b"\x7fELF\x02\x01\x01" + bytes(9)
    head += struct.pack("<HHIQQQIHHH", 3, machine, 1, 0, _HEADERS_AT, sections_at, 0, 64, 56, 2)
    head += struct.pack("<HHH", 64, 3 if rodata else 0, 2 if rodata else 0)
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, size, size, 4096)
    part = struct.pack("<IIQQQQQQ", 2, 6, dynamic_at, dynamic_at, dynamic_at, len(dynamic), len(dynamic), 8)
    return head + load + part + strings + dynamic + tail
