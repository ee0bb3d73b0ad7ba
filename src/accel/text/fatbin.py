"""List the GPU code in a Linux shared object from the headers of NVIDIA's fat binaries and clang's offload bundles.

Reads   section .nv_fatbin: one fat binary per compiled file
            header  0xba55ed50, version (2 bytes), length of the header (2), length of everything after it (8)
            entry   kind (2): 1 PTX, 2 machine code; version (2); length of the entry's header (4), of its code (8);
                    at offset 28 the compute capability times ten (4): 90
        section .hip_fatbin: bundles, each aligned to a page
            "__CLANG_OFFLOAD_BUNDLE__", count (8), and for each: offset (8), size (8), length of the name (8), the name,
            "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"
        A compressed bundle begins with "CCOB", version (2 bytes), method (2): 0 zlib, 1 Zstandard; from version 2 on
            the total length (4, from version 3 on 8); uncompressed length (4 or 8), hash (8). Only the head of the
            bundle is decompressed. Zstandard needs Python 3.14 or the package backports.zstd; without either, the
            contents stay unknown.
Seen    in libnvjpeg 12.3 (CUDA 12.6) and jax-cuda13-plugin 0.12.0.1; compressed in jax-rocm7-plugin 0.12.0
Bounds  only the headers of the first 128 binaries: a library is compiled for one list of targets
Source  https://docs.nvidia.com/cuda/cuda-binary-utilities/ (what cuobjdump lists); the headers as in RWTH-ACS/cricket;
        https://clang.llvm.org/docs/ClangOffloadBundler.html
"""

import re
import struct
import zlib
from importlib import import_module
from typing import Any, Final

from accel.text.elf import Read, sections

_BINARY: Final = struct.Struct("<IHHQ")
_MAGIC: Final = 0xBA55ED50
_ENTRY: Final = struct.Struct("<HHIQ")
_CAPABILITY_AT: Final = 28
_ENTRY_BYTES: Final = 32
_PTX, _MACHINE_CODE = 1, 2
_MOST_BINARIES: Final = 128
_MOST_ENTRIES: Final = 64  # of one binary
_BUNDLE: Final = b"__CLANG_OFFLOAD_BUNDLE__"
_MOST_BUNDLE_BYTES: Final = 1 << 13
_PAGE: Final = 4096
_COMPRESSED: Final = b"CCOB"
_HEADS: Final = {1: struct.Struct("<4sHHIQ"), 2: struct.Struct("<4sHHIIQ"), 3: struct.Struct("<4sHHQQQ")}
_ZLIB, _ZSTANDARD = 0, 1
_MOST_COMPRESSED_BYTES: Final = 1 << 18  # Zstandard decompresses whole blocks, of at most half this size
_TARGET: Final = re.compile(rb"amdgcn-amd-amdhsa--(gfx[0-9a-f]{3,5})")


def nvidia_code(read: Read) -> tuple[str, ...] | None:
    """Return a library's NVIDIA code, such as ("sm_75", "sm_90", "compute_90"); None if unknown or none."""
    place = sections(read).get(".nv_fatbin")
    if place is None:
        return None
    at, end = place[0], place[0] + place[1]
    found: set[tuple[int, int]] = set()
    for _ in range(_MOST_BINARIES):
        head = read(at, _BINARY.size)
        if at + _BINARY.size > end or len(head) < _BINARY.size:
            break
        magic, _, header, length = _BINARY.unpack(head)
        if magic != _MAGIC or header < _BINARY.size or length > end - at:
            break
        found |= _entries(read, at + header, at + header + length)
        at = (at + header + length + 7) // 8 * 8
    names = ("", "compute", "sm")
    known = sorted(found, key=lambda one: (-one[0], one[1]))
    return tuple(f"{names[kind]}_{capability}" for kind, capability in known) or None


def _entries(read: Read, at: int, end: int) -> set[tuple[int, int]]:
    """Return the kind and the capability of each entry of one fat binary."""
    found: set[tuple[int, int]] = set()
    for _ in range(_MOST_ENTRIES):
        head = read(at, _ENTRY_BYTES)
        if at + _ENTRY_BYTES > end or len(head) < _ENTRY_BYTES:
            break
        kind, _, header, length = _ENTRY.unpack_from(head)
        capability = struct.unpack_from("<I", head, _CAPABILITY_AT)[0]
        if header < _ENTRY_BYTES or length > end - at:
            break
        if kind in (_PTX, _MACHINE_CODE) and 20 <= capability < 1000:
            found.add((kind, capability))
        at += header + length
    return found


def amd_code(read: Read) -> tuple[str, ...] | None:
    """Return a library's AMD targets, such as ("gfx90a", "gfx1100"); None if there are none or they are unreadable."""
    place = sections(read).get(".hip_fatbin")
    if place is None:
        return None
    at, end = place[0], place[0] + place[1]
    found: dict[str, None] = {}
    for _ in range(_MOST_BINARIES):
        raw = read(at, min(_MOST_BUNDLE_BYTES, end - at)) if at < end else b""
        whole: int | None = None
        if raw.startswith(_COMPRESSED):
            whole, raw = _expanded(read(at, min(_MOST_COMPRESSED_BYTES, end - at)))
        if not raw.startswith(_BUNDLE) or len(raw) < len(_BUNDLE) + 8:
            break
        last, names = _bundle(raw)
        last = last if whole is None else whole
        found |= dict.fromkeys(names)
        if last <= 0 or last > end - at:
            break
        at += (last + _PAGE - 1) // _PAGE * _PAGE
    return tuple(sorted(found, key=lambda name: (len(name), name))) or None


def _expanded(raw: bytes) -> tuple[int, bytes]:
    """Return a compressed bundle's length (0 if not stated) and its decompressed head (b"" on failure)."""
    version = struct.unpack_from("<H", raw, 4)[0] if len(raw) > 6 else 0
    head = _HEADS.get(version)
    if head is None or len(raw) < head.size:
        return 0, b""
    _, _, method, *lengths = head.unpack_from(raw)
    return (lengths[0] if version > 1 else 0), _head_of(raw[head.size :], method)


def _head_of(packed: bytes, method: int) -> bytes:
    try:
        if method == _ZLIB:
            return zlib.decompressobj().decompress(packed, _MOST_BUNDLE_BYTES)
        if method == _ZSTANDARD and (decompressor := _zstandard()) is not None:
            found: bytes = decompressor.decompress(packed, _MOST_BUNDLE_BYTES)
            return found
    except Exception:  # truncated or invalid data: each library raises its own error
        return b""
    return b""


def _zstandard() -> Any:
    """Return a Zstandard decompressor; None if this Python has none."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return import_module(name).ZstdDecompressor()
        except ImportError:
            continue
    return None


def _bundle(raw: bytes) -> tuple[int, list[str]]:
    """Return the end of a bundle's last piece (0 if its head is truncated) and the targets of its pieces."""
    count = struct.unpack_from("<Q", raw, len(_BUNDLE))[0]
    at, last = len(_BUNDLE) + 8, 0
    names: list[str] = []
    for _ in range(min(count, _MOST_ENTRIES)):
        if len(raw) < at + 24:
            return 0, names
        offset, size, length = struct.unpack_from("<QQQ", raw, at)
        name = raw[at + 24 : at + 24 + min(length, 256)]
        target = _TARGET.search(name)
        names += [target[1].decode("ascii")] if target else []
        last, at = max(last, offset + size), at + 24 + length
    return last, names
