"""The loader's search, on recorded machines."""

import struct
from pathlib import Path
from typing import Any, cast

import yaml

from accel.machine.libraries import search
from accel.machine.live import LiveMachine
from accel.machine.recorded import RecordedMachine


def _machine(folder: Path, cache: bytes | None = None, **record: object) -> RecordedMachine:
    (folder / "machine.yaml").write_text(yaml.safe_dump(record))
    if cache is not None:
        (folder / "files/etc").mkdir(parents=True)
        (folder / "files/etc/ld.so.cache").write_bytes(cache)
    return RecordedMachine(folder)


def _new_cache(paths: list[str]) -> bytes:
    """The layout of glibc 2.32 and later: a name is the tail of its path."""
    start = 48 + 24 * len(paths)
    entries, strings = b"", b""
    for path in paths:
        at = start + len(strings)
        entries += struct.pack("<iIIIQ", 0x0303, at + path.rindex("/") + 1, at, 0, 0)
        strings += path.encode() + b"\0"
    return b"glibc-ld.so.cache1.1" + struct.pack("<II20x", len(paths), len(strings)) + entries + strings


def _old_cache(paths: list[str]) -> bytes:
    """The layout before it: names and paths apart."""
    entries, strings = b"", b""
    for path in paths:
        name = path.rsplit("/", 1)[1]
        entries += struct.pack("<iII", 0x0303, len(strings), len(strings) + len(name) + 1)
        strings += name.encode() + b"\0" + path.encode() + b"\0"
    return b"ld.so-1.7.0\0" + struct.pack("<I", len(paths)) + entries + strings


PATHS = ["/usr/lib/i386-linux-gnu/libcuda.so.1", "/opt/driver/libcuda.so.1", "/opt/driver/libcuda.so.1.1"]


def test_both_layouts_of_the_cache_are_read(tmp_path: Path) -> None:
    for name, cache in (("new", _new_cache(PATHS)), ("old", _old_cache(PATHS))):
        folder = tmp_path / name
        folder.mkdir()
        machine = _machine(folder, cache, nodes=PATHS)
        assert search("libcuda.so.1", machine) == "/opt/driver/libcuda.so.1"
        assert search("libcuda.so", machine) is None
        assert search("cuda.so.1", machine) is None


def test_a_stale_line_of_the_cache_is_no_library(tmp_path: Path) -> None:
    assert search("libcuda.so.1", _machine(tmp_path, _new_cache(PATHS))) is None


def test_a_cut_cache_gives_what_it_still_holds(tmp_path: Path) -> None:
    cache = _new_cache(["/opt/a/liba.so.1", "/opt/b/libb.so.1"])
    machine = _machine(tmp_path, cache[:-4], nodes=["/opt/a/liba.so.1", "/opt/b/libb.so.1"])
    assert search("liba.so.1", machine) == "/opt/a/liba.so.1"
    assert search("libb.so.1", machine) is None


def test_the_library_path_comes_first(tmp_path: Path) -> None:
    machine = _machine(
        tmp_path,
        _new_cache(PATHS),
        nodes=[*PATHS, "/mine/libcuda.so.1"],
        environment={"LD_LIBRARY_PATH": ":/none:/mine/"},
    )
    assert search("libcuda.so.1", machine) == "/mine/libcuda.so.1"


def test_without_a_cache_the_configured_folders_stand_in(tmp_path: Path) -> None:
    files = {
        "/etc/ld.so.conf": "include /etc/ld.so.conf.d/*.conf\n",
        "/etc/ld.so.conf.d/acme.conf": "# ours\n/opt/acme/lib\n",
        "/etc/ld-musl-x86_64.path": "/lib:/opt/musl\n",
    }
    nodes = ["/opt/acme/lib/liba.so", "/opt/musl/libb.so", "/usr/lib/wsl/lib/libcuda.so.1"]
    machine = _machine(tmp_path, files=files, nodes=nodes)
    assert search("liba.so", machine) == "/opt/acme/lib/liba.so"
    assert search("libb.so", machine) == "/opt/musl/libb.so"
    assert search("libcuda.so.1", machine) == "/usr/lib/wsl/lib/libcuda.so.1"


def test_a_path_is_taken_as_it_is(tmp_path: Path) -> None:
    machine = _machine(tmp_path, nodes=["/opt/x/liba.so"])
    assert search("/opt/x/liba.so", machine) == "/opt/x/liba.so"
    assert search("/opt/x/libb.so", machine) is None


def test_macos_looks_in_its_own_folders(tmp_path: Path) -> None:
    machine = _machine(tmp_path, system="macos", nodes=["/usr/local/lib/liba.dylib"])
    assert search("liba.dylib", machine) == "/usr/local/lib/liba.dylib"


def test_windows_looks_in_system32_and_along_the_path(tmp_path: Path) -> None:
    class Windows(RecordedMachine):
        def exists(self, path: str) -> bool:
            return path in {r"C:\Windows\System32\nvml.dll", r"D:\tools\acme.dll"}

    _machine(tmp_path, system="windows", environment={"PATH": r"C:\x;D:\tools"})
    assert search("nvml.dll", Windows(tmp_path)) == r"C:\Windows\System32\nvml.dll"
    assert search("acme.dll", Windows(tmp_path)) == r"D:\tools\acme.dll"
    assert search("other.dll", Windows(tmp_path)) is None


class Counted:
    """This machine, with the calls to it counted."""

    def __init__(self) -> None:
        self.machine = LiveMachine()
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        self.calls += 1
        return getattr(self.machine, name)


def test_a_search_on_this_machine_asks_little() -> None:
    machine = Counted()
    assert search("libnone-of-this-name.so.1", cast("LiveMachine", machine)) is None
    assert machine.calls < 60
