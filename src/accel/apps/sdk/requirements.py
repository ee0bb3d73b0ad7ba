"""Checking at startup that the machine has what a program needs: `accel.require`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.apps import api
from accel.model.errors import BadInput

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from accel.model.device import Device
    from accel.model.diagnosis import Diagnosis
    from accel.model.environment import Environment
    from accel.resolver.requirement import Requirement
    from accel.specs import Specs

_NAMES: Final = ("accel.yaml", "pyproject.toml")
_MOST_BYTES: Final = 1 << 20


def require(
    *,
    file: "str | os.PathLike[str] | None" = None,
    vendor: "str | Sequence[str] | None" = None,
    kind: str | None = None,
    count: int | None = None,
    memory: "str | int | None" = None,
    capability: str | None = None,
    dtype: "str | Sequence[str] | None" = None,
    driver: str | None = None,
    links: str | None = None,
    frameworks: "Mapping[str, str | Mapping[str, str]] | None" = None,
    shm: "str | int | None" = None,
    memlock: "str | int | None" = None,
    any: "Sequence[Any] | None" = None,
    memory_bytes: int | None = None,
    compute_capability: str | None = None,
) -> "tuple[Device, ...]":
    """Return the visible accelerators that meet all requirements; raise RequirementUnmet if there are too few.

    file         accel.yaml, or pyproject.toml with a [tool.accel] table, or a folder with one of them. Keyword
                 arguments override the file
    vendor       a backend or vendor name, in any case: "nvidia"; or several, of which any will do
    kind         "gpu", "npu" or "tpu"
    count        number of devices, at least 1 (the default)
    memory       least total memory of each device: "16GiB", or bytes; also memory_bytes
    capability   least compute capability: "8.0"; also compute_capability
    dtype        a number format that it computes in: "bf16", "fp8_e4m3fn"; or several, all of which are needed
    driver       bounds on the driver version: ">=550"
    links        a kind of link that must connect every pair of devices: "nvlink", "xgmi", "hccs"
    frameworks   {"torch": {"version": ">=2.4", "build": "cu12*"}}, in the environment of this process
    shm          least size of /dev/shm
    memlock      least limit of locked memory, or "unlimited"
    any          alternatives in the same form, of which one must be met: [{"vendor": "nvidia"}, {"vendor": "amd"}]

    A device for which a required fact is unknown does not count. The error's message is the diagnosis: what each device
    lacks, and the first fault that explains it; its `reasons` are keyed by device, and by "count", "links",
    "frameworks", "shm" and "memlock". Raises BadInput for unknown names or values, with their place in the file and the
    closest match.
    """
    from accel.resolver.requirement import check_requirement

    given = {
        "vendor": vendor,
        "kind": kind,
        "count": count,
        "memory": memory,
        "memory_bytes": memory_bytes,
        "capability": capability,
        "compute_capability": compute_capability,
        "dtype": dtype,
        "driver": driver,
        "links": links,
        "frameworks": frameworks,
        "shm": shm,
        "memlock": memlock,
        "any": any,
    }
    return check_requirement(wanted({key: value for key, value in given.items() if value is not None}, file), _Here())


def wanted(given: Mapping[str, Any], file: "str | os.PathLike[str] | None" = None) -> "tuple[Requirement, ...]":
    """Return the alternatives that the keyword arguments and a file ask for. Raises BadInput."""
    from accel.resolver.requirement_table import parse_table

    vendors = sorted({*api._registry().backend_names.values(), *api._specs().vendors})
    if file is None:
        return parse_table(given, api._specs(), vendors)
    table, place = _table(file)
    return parse_table(table, api._specs(), vendors, place, over=given)


def default_file() -> str | None:
    """Return the file with requirements in the working folder; None if there is none."""
    from os.path import exists

    for name in _NAMES:
        if exists(name) and (name != "pyproject.toml" or "[tool.accel" in _text(name)):
            return name
    return None


def _table(file: "str | os.PathLike[str]") -> "tuple[Mapping[str, Any], Callable[[str], str]]":
    import os

    path = os.fspath(file)
    if os.path.isdir(path):
        found = [name for name in _NAMES if os.path.exists(os.path.join(path, name))]
        if not found:
            raise BadInput(f"{path}: it has neither {' nor '.join(_NAMES)}.")
        path = os.path.join(path, found[0])
    from accel.resolver.stated_requirements import read_toml, read_yaml

    read = read_toml if path.endswith(".toml") else read_yaml
    return read(_text(path), path)


def _text(path: str) -> str:
    from accel.machine.outside import read_regular

    try:
        return read_regular(path, _MOST_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput(f"{path}: {reason}. Give accel.yaml, or pyproject.toml with a table [tool.accel].") from None


class _Here:
    """This machine; see accel.resolver.requirement.Asked."""

    def devices(self) -> "Sequence[Device]":
        return api.accelerators()

    def specs(self) -> "Specs":
        return api._specs()

    def diagnosis(self) -> "Diagnosis":
        return api.doctor()

    def environment(self) -> "Environment":
        from accel.collect.environment import looked_at

        return looked_at(api._machine())[0]

    def joined(self, devices: "Sequence[Device]") -> "Callable[[Device, Device], str | None]":
        from accel.apps.sdk.topology import topology

        joints = topology(ids=[device.id for device in devices])
        return lambda one, other: joints.link(one.id, other.id).kind

    def shm_bytes(self) -> int | None:
        size = api._machine().filesystem_bytes("/dev/shm")
        return None if size is None else size[0]

    def memlock_bytes(self) -> int | None:
        from accel.collect.limits import limits
        from accel.model.observation import Limit

        told = (one for one in limits(api._machine()) if isinstance(one, Limit) and one.resource == "memlock_bytes")
        found = next(told, None)
        return None if found is None else -1 if found.value is None else found.value
