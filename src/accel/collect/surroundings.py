"""The environment of this machine's programs: confinement, allotments, and uptime.

Reads    /proc/self/status        "Seccomp: 2", "NoNewPrivs: 1", "CapEff: 000001fffeffffff", "Cpus_allowed_list: 0-63"
         /proc/self/attr/current  "docker-default (enforce)"; of SELinux "system_u:system_r:container_t:s0:c1,c2"
         /sys/fs/selinux/enforce  "1"; /sys/module/apparmor/parameters/enabled "Y"
         /proc/self/uid_map       "0 100000 65536": user ids are mapped here (a user namespace)
         /proc/self/ns/{pid,ipc,user}   the kernel's own have fixed numbers
         /proc/uptime             "5140900.11 4.2"
         /sys/class/dmi/id/product_name "p5.48xlarge", "DGXH100"
         /usr/lib/wsl/{lib,drivers}     under WSL, what Windows provides
         the variables of a scheduler: specs/system/surroundings.yaml
Source   Linux: proc_pid_status(5), namespaces(7), include/linux/proc_ns.h; CUDA on WSL user guide
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.machine.files import file_text, names_in
from accel.machine.protocol import Machine
from accel.model.observation import Noted
from accel.text.pattern import pattern
from accel.vendors.toolkit.notes import noted

_SECCOMP: Final = {"0": "none", "1": "strict", "2": "filter"}
_HOSTS: Final = {"pid": "4026531836", "ipc": "4026531839", "user": "4026531837"}
_PRODUCT: Final = "/sys/class/dmi/id/product_name"
_DAY_SECONDS: Final = 86_400
_FIELD: Final = pattern(
    r"^(Seccomp|NoNewPrivs|CapEff|CapBnd|Cpus_allowed_list):\s{1,8}(\S{1,400})$", re.MULTILINE, exact_case=True
)
_NAMES: Final = pattern(
    r"(?:[A-Z]{3}-[0-9A-Za-z/-]{8,80},){0,63}[A-Z]{3}-[0-9A-Za-z/-]{8,80}", exact_case=True
)  # of uuids
_USUAL_CAPABILITIES: Final = 14  # that Docker grants to a container; a privileged one has many more


def surroundings(machine: Machine) -> tuple[Noted, ...]:
    """Return the facts; what cannot be read is left out."""
    if machine.system != "linux":
        return ()
    return (*_uptime(machine), *_type(machine), *_confinement(machine), *_windows(machine), *_allotment(machine))


def _uptime(machine: Machine) -> Iterator[Noted]:
    words = (file_text(machine, "/proc/uptime") or "").split()
    if words and re.fullmatch(r"\d{1,12}(?:\.\d{1,6})?", words[0]):
        days = int(float(words[0])) // _DAY_SECONDS
        yield noted("up-for-days", f"up {days} days", "/proc/uptime", days=str(days))


def _type(machine: Machine) -> Iterator[Noted]:
    """Yield the machine's type according to the firmware; on AWS that is the instance type."""
    product = (file_text(machine, _PRODUCT) or "").strip()
    if product:
        yield noted("machine-type", f"product name: {product}", _PRODUCT, type=product)


def _confinement(machine: Machine) -> Iterator[Noted]:
    fields = dict(_FIELD.findall(file_text(machine, "/proc/self/status") or ""))
    label = (file_text(machine, "/proc/self/attr/current") or "").strip("\0")
    selinux = label if label.count(":") >= 3 else None
    enforcing = {"1": "enforcing", "0": "permissive"}.get(file_text(machine, "/sys/fs/selinux/enforce") or "")
    if enforcing == "enforcing" or (selinux and enforcing is None and "unconfined" not in selinux):
        text = f"SELinux enforces its rules{f'; the label is {selinux}' if selinux else ''}"
        yield noted("selinux-named", text, "/sys/fs/selinux/enforce")
    capabilities = int(fields["CapEff"], 16) if re.fullmatch(r"[0-9a-f]{1,16}", fields.get("CapEff", "")) else None
    told = {
        "seccomp": _SECCOMP.get(fields.get("Seccomp", "")),
        "no_new_privileges": {"0": "no", "1": "yes"}.get(fields.get("NoNewPrivs", "")),
        "capabilities": None if capabilities is None else str(bin(capabilities).count("1")),
        "privileged": None if capabilities is None else _yes(bin(capabilities).count("1") > 2 * _USUAL_CAPABILITIES),
        "apparmor": None if selinux else label or None,
        "selinux": enforcing,
        "label": selinux,
        "cpus": fields.get("Cpus_allowed_list"),
        **{f"own_{name}_namespace": _own(machine, name) for name in _HOSTS},
    }
    if any(told.values()):
        text = ", ".join(f"{name} {value}" for name, value in told.items() if value)
        yield noted("confinement", text, "/proc/self/status", **told)


def _own(machine: Machine, name: str) -> str | None:
    link = machine.link(f"/proc/self/ns/{name}")
    return None if link is None else _yes(_HOSTS[name] not in link)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _windows(machine: Machine) -> Iterator[Noted]:
    if not machine.exists("/usr/lib/wsl"):
        return
    libraries, drivers = names_in(machine, "/usr/lib/wsl/lib"), names_in(machine, "/usr/lib/wsl/drivers")
    text = f"Windows provides {len(libraries)} libraries and {len(drivers)} driver packages in /usr/lib/wsl"
    yield noted("wsl-driver-store", text, "/usr/lib/wsl", libraries=str(len(libraries)), drivers=str(len(drivers)))


def _allotment(machine: Machine) -> Iterator[Noted]:
    """Yield how many devices a scheduler gave to the job that this process belongs to."""
    from accel.specs import load

    for row in load().table("system/surroundings")["allotments"]:
        value = machine.environment.get(row["variable"], "").strip()
        if "with" in row and row["with"] not in machine.environment:
            continue
        count = int(value) if row["form"] == "count" and value.isdecimal() else None
        if row["form"] == "list" and value:
            count = listed(value)
        if row["form"] == "names":
            count = len(value.split(",")) if _NAMES.fullmatch(value) else None
        if count is not None:
            text = f"{row['variable']}={value}"
            yield noted("devices-allotted", text, "environment", scheduler=row["scheduler"], count=str(count))
            return


def listed(value: str) -> int | None:
    """Return how many numbers a list of numbers and ranges contains; None if it is not one.

    >>> listed("0,2-3"), listed("gpu:2"), listed("")
    (3, None, None)
    """
    count = 0
    for part in value.split(","):
        first, _, last = part.strip().partition("-")
        if not first.isdecimal() or (last and not last.isdecimal()) or (last and int(last) - int(first) > 1024):
            return None
        count += int(last) - int(first) + 1 if last else 1
    return count
