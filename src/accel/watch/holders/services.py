"""Which services of the vendors, and which display server, are running, by process name.

/proc/<pid>/comm      "nv-fabricmanage": at most 15 characters of a program's name
/proc/<pid>/cgroup    "0::/system.slice/nvidia-fabricmanager.service": the unit
The programs are listed in the vendors' declarations (`daemons`) and in specs/system/surroundings.yaml. If one declares
a version command, it is asked for its version.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from accel.machine.files import file_text
from accel.text.pattern import pattern
from accel.vendors.contract.vendor import Vendor
from accel.vendors.toolkit.notes import noted
from accel.vendors.toolkit.open_files import process_ids
from accel.watch.holders.attribution import by_cgroup

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.observation import Noted
    from accel.vendors.contract.backend import Backend
    from accel.vendors.contract.vendor import Daemon

SOURCE: Final = "/proc"
_SHORT: Final = 15
_LOOKS: Final = 32  # processes between two looks at the clock
_VERSION: Final = pattern(r"\b(\d{1,4}(?:\.\d{1,5}){1,3})\b", exact_case=True)
_ASK_SECONDS: Final = 1.0


def services(machine: "Machine", backends: "Iterable[Backend]", seconds: float) -> "Iterator[Noted]":
    """Yield service-running once per program; programs that there is no time for are skipped."""
    if machine.system != "linux":
        return
    daemons = {d.program[:_SHORT]: d for b in backends for d in _daemons(b)}
    from accel.specs import load

    displays = {name[:_SHORT]: name for name in load().table("system/surroundings")["display_servers"]}
    told: set[str] = set()
    ends = machine.seconds() + seconds
    for place, pid in enumerate(process_ids(machine)):
        if place % _LOOKS == 0 and machine.seconds() > ends:
            return
        name = file_text(machine, f"/proc/{pid}/comm", 64)
        if name is None or name in told or not (name in daemons or name in displays):
            continue
        told.add(name)
        daemon = daemons.get(name)
        program = daemon.program if daemon else displays[name]
        unit = by_cgroup(file_text(machine, f"/proc/{pid}/cgroup") or "").get("unit")
        role = daemon.role if daemon else "display server"
        version = _version(machine, daemon) if daemon else None
        text = f"{program} ({pid}) runs: {role}{f', {version}' if version else ''}"
        yield noted(
            "service-running", text, SOURCE, program=program, role=role, pid=str(pid), unit=unit, version=version
        )


def _daemons(backend: "Backend") -> "tuple[Daemon, ...]":
    stated = getattr(backend, "stated", None)
    return stated.daemons if isinstance(stated, Vendor) else ()


def _version(machine: "Machine", daemon: "Daemon") -> str | None:
    if not daemon.version:
        return None
    done = machine.run([daemon.program, *daemon.version], _ASK_SECONDS)
    found = _VERSION.search(done.stdout) if done.exit_code == 0 else None
    return found[1] if found else None
