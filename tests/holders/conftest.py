"""Machines whose processes hold nodes, made by hand in the forms of Linux 5.15 to 6.8: see PROVENANCE.md."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from accel.machine.recorded import RecordedMachine
from accel.model.device import Device, Process
from accel.vendors.contract.vendor import Daemon, Vendor
from accel.vendors.toolkit.vendor_backend import VendorBackend

HEX = "0123456789abcdef" * 4
UID = "12345678-1234-1234-1234-123456789012"
HOST = {"/proc/self/ns/pid": "pid:[4026531836]"}
BACKEND = VendorBackend(
    Vendor(
        name="acme",
        maker="Acme",
        kind="npu",
        package="accel_acme",
        record=Device,
        nodes=("/dev/acme<N>", "/dev/acmectl"),
        daemons=(Daemon(program="acme-share-server", role="sharing server"),),
        reset="sudo acme-smi reset {index:number}",
    )
)


def device(index: int, processes: tuple[Process, ...] | None = None, **facts: Any) -> Device:
    """Return an Acme device."""
    return Device(
        id=f"acme:{index}", index=index, backend="acme", vendor="Acme", kind="npu", processes=processes, **facts
    )


def process(
    pid: int,
    name: str = "python3",
    *,
    state: str = "S",
    parent: int = 1,
    start: int = 360_000,
    flags: int = 0x400000,
    uid: int = 1000,
    command: Iterable[str] = ("python3", "train.py"),
    cgroup: str = "0::/user.slice/user-1000.slice/session-3.scope",
    variables: Mapping[str, str] | None = None,
    more: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return the files of a process below /proc."""
    folder = f"/proc/{pid}"
    words = "".join(f"{word}\0" for word in command)
    numbers = f"{parent} {pid} {pid} 0 -1 {flags} 9 0 0 0 5 4 0 0 20 0 41 0 {start} 0 12"
    return {
        f"{folder}/stat": f"{pid} ({name}) {state} {numbers}",
        f"{folder}/status": f"Name:\t{name}\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\nVmRSS:\t    5120 kB\n",
        f"{folder}/cmdline": "" if state == "Z" else words,
        f"{folder}/cgroup": f"{cgroup}\n",
        f"{folder}/mountinfo": "",
        f"{folder}/environ": "".join(f"{key}={value}\0" for key, value in (variables or {}).items()),
        **{f"{folder}/{path}": text for path, text in (more or {}).items()},
    }


def machine(
    folder: Path, *processes: Mapping[str, str], opened: Mapping[int, Iterable[str]] | None = None, **more: Any
) -> RecordedMachine:
    """Return a machine with the nodes of two devices. opened: what each process has open, by its number."""
    files = {
        "/proc/stat": "cpu  1 2 3\nbtime 1795000000\n",
        "/etc/passwd": "root:x:0:0::/root:/bin/bash\njane:x:1000:1000::/home/jane:/bin/bash\n",
        "/proc/1/stat": "1 (systemd) S 0 1 1 0 -1 4194560 9 0 0 0 5 4 0 0 20 0 1 0 2 0 12",
        **{path: text for files in processes for path, text in files.items()},
        **more.pop("files", {}),
    }
    links = {
        **HOST,
        **{f"/proc/{pid}/fd/{n}": path for pid, paths in (opened or {}).items() for n, path in enumerate(paths, 3)},
        **more.pop("links", {}),
    }
    nodes = ["/dev/acme0", "/dev/acme1", "/dev/acmectl", *more.pop("nodes", [])]
    recorded = {"system": "linux", "files": files, "links": links, "nodes": nodes, **more}
    (folder / "machine.yaml").write_text(yaml.safe_dump(recorded), encoding="utf-8")
    return RecordedMachine(folder)


@pytest.fixture(name="acme")
def acme_machines() -> SimpleNamespace:
    """Give the tests what they make such machines of."""
    return SimpleNamespace(BACKEND=BACKEND, HEX=HEX, UID=UID, device=device, machine=machine, process=process)
