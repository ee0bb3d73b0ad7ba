"""Toolkit and cache folders, from environment variables and conventions: whether they exist and are writable.

Reads    the folders that specs/system/places.yaml names by variable: CUDA_HOME, TRITON_CACHE_DIR, …
         /proc/self/mountinfo: the type of file system that contains a cache of compiled code
         the names in /usr/local, and PATH: which toolkit's commands are found first
These are facts; tables say which of them are faults.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from accel.collect.upkeep import mount_of, mounted
from accel.machine.files import file_text, names_in
from accel.text.pattern import pattern
from accel.text.versions import order_of
from accel.vendors.toolkit.notes import noted

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.observation import Noted

_INSTALLED = pattern(r"cuda-(\d{1,2}\.\d{1,2})", exact_case=True)


def places(
    machine: "Machine", table: Mapping[str, Any], network_file_systems: Sequence[str] = ()
) -> "tuple[Noted, ...]":
    """Return the facts of this machine. table: specs/system/places; network_file_systems: types on a server."""
    if machine.system != "linux":
        return ()
    return (*_homes(machine, table), *_caches(machine, table, tuple(network_file_systems)), *_order(machine))


def _homes(machine: "Machine", table: Mapping[str, Any]) -> "Iterator[Noted]":
    for variable in table["homes"]:
        path = machine.environment.get(variable, "")
        if path.startswith("/"):
            there = bool(machine.list(path)) or machine.exists(path)
            text = f"{variable}={path}{'' if there else ': there is no such folder'}"
            yield noted(
                "toolkit-home", text, "environment", variable=variable, path=path, there="yes" if there else "no"
            )
            if not there:
                yield noted("toolkit-home-wrong", text, "environment", variable=variable, path=path)


def _caches(machine: "Machine", table: Mapping[str, Any], of_servers: tuple[str, ...]) -> "Iterator[Noted]":
    mounts = mounted(file_text(machine, "/proc/self/mountinfo", 1 << 20) or "")
    home = machine.environment.get("HOME", "")
    for row in table["caches"]:
        path = machine.environment.get(row["variable"]) or (f"{home}/{row['folder']}" if home.startswith("/") else "")
        if not path.startswith("/"):
            continue
        if not machine.exists(path):
            continue
        may = machine.accessible(path)
        text = f"{path} ({row['variable']}) may {'' if may else 'not '}be written by this user"
        told = {"variable": row["variable"], "path": path}
        kind = mounts.get(mount_of(path, mounts) or "")
        yield noted("cache-folder", text, path, **told, may="yes" if may else "no", kind=kind)
        if row.get("compiles") and kind and of_servers and kind.startswith(of_servers):
            says = f"{path} ({row['variable']}) is on a file server ({kind})"
            yield noted("cache-on-file-server", says, path, **told, kind=kind)
        if not may:
            yield noted("cache-folder-not-writable", text, path, variable=row["variable"], path=path)


def _order(machine: "Machine") -> "Iterator[Noted]":
    """Yield which of several CUDA toolkits comes first in PATH."""
    installed = sorted(
        (found[1] for name in names_in(machine, "/usr/local") if (found := _INSTALLED.fullmatch(name))),
        key=lambda version: order_of(version) or ((), 0, 0, 0, 0),
    )
    for folder in machine.environment.get("PATH", "").split(":") if len(installed) > 1 else ():
        stem = folder.removesuffix("/").removesuffix("/bin")
        leads = (machine.link(stem) or stem).rsplit("/", 1)[-1] if stem.startswith("/usr/local/cuda") else ""
        if found := _INSTALLED.match(leads):
            text = f"PATH leads to CUDA {found[1]} first; installed are {', '.join(installed)}"
            told = {"first": found[1], "newest": installed[-1]}
            yield noted("toolkit-order", text, "environment", **told)
            if found[1] != installed[-1]:
                yield noted("older-toolkit-first", text, "environment", **told)
            return
