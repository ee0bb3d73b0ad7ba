"""GPU code in shared objects: objects are made here, to the layout that the module's head tells; no tool made them.

The same functions were tried on the libraries that the module names.
"""

import random
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from accel.collect.environment.builds import framework_builds
from accel.machine.recorded import RecordedMachine
from accel.model.environment import Framework, Package
from accel.text.elf import sections
from accel.text.fatbin import amd_code, nvidia_code


def entry(kind: int, capability: int, code: bytes = b"\x90" * 40) -> bytes:
    """Return an entry of a fat binary: kind 1 is PTX, 2 machine code."""
    head = struct.pack("<HHIQIIHHI", kind, 0x101, 64, len(code), len(code), 64, 8, 12, capability)
    return head.ljust(64, b"\0") + code


def binary(*entries: bytes) -> bytes:
    """Return a fat binary, padded as the next one wants it."""
    inside = b"".join(entries)
    made = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(inside)) + inside
    return made + b"\0" * (-len(made) % 8)


def bundle(*targets: str) -> bytes:
    """Return an offload bundle with a piece for the host and one for each target."""
    names = ["host-x86_64-unknown-linux--", *(f"hipv4-amdgcn-amd-amdhsa--{t}" for t in targets)]
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(names))
    at = 4096
    for name in names:
        head += struct.pack("<QQQ", at, 100, len(name)) + name.encode()
        at += 100
    return head.ljust(at, b"\0") + b"\0" * (-at % 4096)


def elf(**named: bytes) -> bytes:
    """Return a 64-bit object with these sections; "_" stands for "." in their names."""
    names = ["", *(name.replace("_", ".", 1) for name in named), ".shstrtab"]
    table, offsets = b"", []
    for name in names:
        offsets.append(len(table))
        table += name.encode() + b"\0"
    pieces, at = [*named.values(), table], 64
    rows = [bytes(64)]
    for number, piece in enumerate(pieces, 1):
        rows.append(struct.pack("<IIQQQQIIQQ", offsets[number], 1, 0, 0, at, len(piece), 0, 0, 1, 0))
        at += len(piece)
    head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, at, 0, 64, 56, 0, 64, len(rows), len(rows) - 1
    )
    return head + b"".join(pieces) + b"".join(rows)


def read_of(data: bytes) -> "Reader":
    """Return what reads these bytes, and counts how often it is asked."""
    return Reader(data)


class Reader:
    """Bytes as a file is read."""

    def __init__(self, data: bytes) -> None:
        self.data, self.asked, self.most = data, 0, 0

    def __call__(self, offset: int, count: int) -> bytes:
        self.asked += 1
        self.most = max(self.most, count)
        assert offset >= 0
        assert count >= 0
        return self.data[offset : offset + count]


def codes(*capabilities: int, ptx: Sequence[int] = ()) -> bytes:
    """Return a fat binary with machine code, and portable code."""
    return binary(*(entry(2, c) for c in capabilities), *(entry(1, c) for c in ptx))


@pytest.mark.parametrize(
    ("section", "code"),
    [
        (codes(75, 80, 90), ("sm_75", "sm_80", "sm_90")),
        (codes(80, 120, ptx=[120]), ("sm_80", "sm_120", "compute_120")),
        (codes(90) + codes(80, 90) + codes(75), ("sm_75", "sm_80", "sm_90")),
        (codes(80) + b"\0" * 64, ("sm_80",)),
        (codes(80) + codes(90)[:40], ("sm_80",)),
        (binary(entry(16, 80), entry(2, 7)), None),
        (b"", None),
        (b"\0" * 200, None),
    ],
    ids=["machine code", "portable code", "several files", "padding", "cut", "unknown kinds", "empty", "zeros"],
)
def test_the_headers_of_fat_binaries_tell_the_code(section: bytes, code: tuple[str, ...] | None) -> None:
    assert nvidia_code(read_of(elf(_text=b"x" * 32, _nv_fatbin=section, _data=b"y"))) == code


@pytest.mark.parametrize(
    ("section", "targets"),
    [
        (bundle("gfx90a:sramecc+:xnack-", "gfx1100"), ("gfx90a", "gfx1100")),
        (bundle("gfx908") + bundle("gfx908", "gfx942"), ("gfx908", "gfx942")),
        (b"CCOB\x03\x00\x01\x00" + b"\x28\xb5\x2f\xfd" * 40, None),
        (bundle("gfx942")[:60], None),
        (bundle(), None),
    ],
    ids=["targets", "several bundles", "compressed", "cut", "host alone"],
)
def test_the_names_in_offload_bundles_tell_the_targets(section: bytes, targets: tuple[str, ...] | None) -> None:
    assert amd_code(read_of(elf(_hip_fatbin=section))) == targets


def compressed(version: int, raw: bytes, method: int = 0, packed: bytes | None = None) -> bytes:
    """Return a compressed bundle, padded to a page as the linker does."""
    body = zlib.compress(raw) if packed is None else packed
    sizes = {1: "<I", 2: "<II", 3: "<QQ"}[version]
    whole = 8 + struct.calcsize(sizes) + 8 + len(body)
    lengths = (len(raw),) if version == 1 else (whole, len(raw))
    made = b"CCOB" + struct.pack("<HH", version, method) + struct.pack(sizes, *lengths) + struct.pack("<Q", 0) + body
    return made + b"\0" * (-len(made) % 4096)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_the_head_of_a_compressed_bundle_is_expanded(version: int) -> None:
    section = compressed(version, bundle("gfx90a:xnack-", "gfx942") + b"code" * 100_000)
    assert amd_code(read_of(elf(_hip_fatbin=section))) == ("gfx90a", "gfx942")


def test_after_a_compressed_bundle_that_says_its_length_the_next_is_read() -> None:
    section = compressed(2, bundle("gfx942")) + compressed(3, bundle("gfx1100")) + bundle("gfx1201")
    assert amd_code(read_of(elf(_hip_fatbin=section))) == ("gfx942", "gfx1100", "gfx1201")


@pytest.mark.parametrize(
    "section",
    [
        compressed(2, bundle("gfx942"))[:40],
        compressed(2, b"no bundle" * 99),
        compressed(2, bundle("gfx942"), method=7),
        compressed(2, b"", packed=b"\xff" * 99),
        b"CCOB\x63\x00\x00\x00" + b"\0" * 99,
        b"CCOB",
    ],
    ids=["cut", "no bundle inside", "unknown method", "no compressed data", "unknown version", "head alone"],
)
def test_a_compressed_bundle_that_cannot_be_expanded_tells_nothing(section: bytes) -> None:
    assert amd_code(read_of(elf(_hip_fatbin=section))) is None


def test_zstandard_is_expanded_where_python_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stored:
        """Stands for a library: the data are stored, and no more is given than is asked for."""

        def decompress(self, data: bytes, most: int) -> bytes:
            return data[:most]

    raw = bundle("gfx950")
    section = compressed(3, raw, method=1, packed=raw)
    monkeypatch.setattr("accel.text.fatbin._zstandard", Stored)
    assert amd_code(read_of(elf(_hip_fatbin=section))) == ("gfx950",)
    monkeypatch.setattr("accel.text.fatbin._zstandard", lambda: None)
    assert amd_code(read_of(elf(_hip_fatbin=section))) is None


def test_real_zstandard_is_expanded() -> None:
    zstd = pytest.importorskip("compression.zstd", reason="Python 3.14 brings it")
    section = compressed(2, b"", method=1, packed=zstd.compress(bundle("gfx950", "gfx1201")))
    assert amd_code(read_of(elf(_hip_fatbin=section))) == ("gfx950", "gfx1201")


def test_what_is_no_object_or_has_no_such_section_tells_nothing() -> None:
    for data in (b"", b"\x7fELF", b"MZ" + b"\0" * 300, elf(_text=b"x")):
        assert (nvidia_code(read_of(data)), amd_code(read_of(data))) == (None, None)
    assert sections(read_of(elf(_text=b"abc")))[".text"] == (64, 3)


def test_only_headers_are_read_of_however_much_code() -> None:
    many = Reader(elf(_nv_fatbin=b"".join(binary(entry(2, 80, b"\x90" * 5000)) for _ in range(1000))))
    assert nvidia_code(many) == ("sm_80",)
    assert many.asked < 600
    assert many.most < 10_000


def test_cut_and_changed_objects_never_raise_and_invent_no_capability() -> None:
    whole = elf(_nv_fatbin=codes(75, 90, ptx=[90]) + codes(80), _hip_fatbin=bundle("gfx90a", "gfx1100"))
    chance = random.Random(7)
    for _ in range(400):
        data = bytearray(whole[: chance.randrange(len(whole) + 1)])
        for _ in range(chance.randrange(6)):
            if data:
                data[chance.randrange(len(data))] = chance.randrange(256)
        for reader in (nvidia_code, amd_code):
            found = reader(Reader(bytes(data)))
            assert found is None or all(len(name) < 13 for name in found)


def build_of(folder: Path, version: str, **files: bytes) -> Framework:
    """Return what a recorded torch says of itself; "__" stands for "/" in the names of its libraries."""
    site = "/site-packages"
    (folder / "machine.yaml").write_text("{system: linux}\n", encoding="utf-8")
    for name, content in (("version.py", version.encode()), *((f"lib/{n}", data) for n, data in files.items())):
        place = folder / "files" / "site-packages" / "torch" / name.replace("__", "/").replace("_so", ".so")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    (build,) = framework_builds(RecordedMachine(folder), [Package(name="torch", version="2.4.0", location=site)])
    return build


def test_the_code_of_a_build_is_read_in_its_own_library(tmp_path: Path) -> None:
    held = elf(_nv_fatbin=codes(70, 90, ptx=(90,)))
    build = build_of(tmp_path, "cuda = '12.4'\nhip = None\n", libtorch_cuda_so=held)
    assert build.architectures == ("sm_70", "sm_90", "compute_90")


def test_a_build_for_rocm_tells_its_targets(tmp_path: Path) -> None:
    held = elf(_hip_fatbin=bundle("gfx90a", "gfx942"))
    build = build_of(tmp_path, "cuda = None\nhip = '6.4.1'\n", libtorch_hip_so=held)
    assert build.architectures == ("gfx90a", "gfx942")


@pytest.mark.parametrize("held", [b"", b"\x7fELF", elf(_nv_fatbin=codes(70))[:70]])
def test_a_library_that_is_cut_tells_no_code(tmp_path: Path, held: bytes) -> None:
    build = build_of(tmp_path, "cuda = '12.4'\nhip = None\n", libtorch_cuda_so=held)
    assert build.built_for == "cuda"
    assert build.architectures is None
