"""Finds a shared library where the system's loader would, without loading it.

Linux    LD_LIBRARY_PATH, then the ldconfig cache, then the default folders (ld.so(8)). musl has no cache: its path file
         and the folders of ld.so.conf are used instead.
         /etc/ld.so.cache is binary: a header ("ld.so-1.7.0" or "glibc-ld.so.cache1.1"), entries, then names and paths,
         each terminated by a NUL. Only the paths are needed in either layout, so they are searched for as text.
WSL      its driver libraries are in /usr/lib/wsl/lib, which most distributions list in ld.so.conf.d, but not all
macOS    DYLD_LIBRARY_PATH, then the default folders; libraries that are only in the shared cache are not found
Windows  the folders of PATH, and System32
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.machine.files import names_in

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_DEFAULT: Final = (
    *("/lib64", "/usr/lib64", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu"),
    *("/usr/lib/aarch64-linux-gnu", "/lib", "/usr/lib", "/usr/lib/wsl/lib"),
)
_MACOS: Final = ("/usr/local/lib", "/opt/homebrew/lib", "/usr/lib")
_CACHE_LIMIT_BYTES: Final = 8 << 20
_OTHER_WIDTH: Final = re.compile(
    r"/(lib32|libx32|i[3-6]86-linux-gnu|arm-linux-gnueabi(hf)?)/"
)  # not this interpreter's


def search(name: str, machine: "Machine") -> str | None:
    """Return the path of the file that the loader would use for `name`; None if there is none."""
    if "/" in name or "\\" in name:
        return name if machine.exists(name) else None
    return next((path for path in _candidates(name, machine) if machine.exists(path)), None)


def _candidates(name: str, machine: "Machine") -> Iterator[str]:
    if machine.system == "windows":
        folders = machine.environment.get("PATH", "").split(";")
        root = machine.environment.get("SystemRoot", r"C:\Windows")
        yield from (rf"{folder}\{name}" for folder in (rf"{root}\System32", *filter(None, folders)))
        return
    if machine.system == "macos":
        folders = machine.environment.get("DYLD_LIBRARY_PATH", "").split(":")
        yield from (f"{folder}/{name}" for folder in (*filter(None, folders), *_MACOS))
        return
    folders = re.split("[:;]", machine.environment.get("LD_LIBRARY_PATH", ""))
    yield from (f"{folder.rstrip('/')}/{name}" for folder in folders if folder)
    cache = _read(machine, "/etc/ld.so.cache")
    if cache is not None:
        yield from _cached(name, cache)
    else:
        yield from (f"{folder}/{name}" for folder in _configured(machine))
    yield from (f"{folder}/{name}" for folder in _DEFAULT)


def _cached(name: str, cache: str) -> Iterator[str]:
    """Yield the paths in the cache that end with this name, in order."""
    end, at = f"/{name}\0", 0
    while (at := cache.find(end, at)) >= 0:
        start = cache.rfind("\0", 0, at) + 1
        path = cache[start : at + len(end) - 1]
        if path.startswith("/") and not _OTHER_WIDTH.search(path):
            yield path
        at += len(end)


def _configured(machine: "Machine") -> Iterator[str]:
    texts = [_read(machine, "/etc/ld.so.conf")]
    texts += [_read(machine, f"/etc/ld.so.conf.d/{name}") for name in names_in(machine, "/etc/ld.so.conf.d")]
    texts += [
        _read(machine, f"/etc/{name}") for name in names_in(machine, "/etc") if re.match(r"ld-musl-.*\.path$", name)
    ]
    for line in "\n".join(text or "" for text in texts).splitlines():
        for folder in line.split("#")[0].split(":"):
            if folder.strip().startswith("/"):
                yield folder.strip().rstrip("/")


def _read(machine: "Machine", path: str) -> str | None:
    try:
        return machine.read(path, _CACHE_LIMIT_BYTES)
    except OSError:
        return None
