"""Redacts a snapshot: hosts, users, serials, unique ids, addresses, home folders, secrets.

Each value is replaced by a placeholder that is the same throughout the snapshot, so that records about one device still
belong together and the checks reach the same findings.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from accel.apps.privacy.home_folders import owners
from accel.apps.privacy.placeholders import Placeholders
from accel.model.dataclass import field_names, is_record, replace
from accel.model.device import Device, Process
from accel.model.environment import Environment
from accel.model.observation import Command, Noted
from accel.model.snapshot import Host, Snapshot

_PLAIN_FACTS: Final = frozenset(  # accel's own words, by which records refer to each other
    {
        *("schema", "backend", "vendor", "kind", "id", "parent", "status", "system", "fact", "built_for"),
        *("channel", "health"),
    }
)
_OWNERS: Final = {  # fields of a process that identify its owner
    "user": "user",
    "container": "container",
    "container_name": "container-name",
    "pod": "pod",
    "pod_uid": "pod-uid",
    "pod_namespace": "namespace",
}
_VERSION_VALUES: Final = frozenset(
    ("version", "by_version", "has", "wants", "fits", "stale", "hidden")
)  # of Noted facts
_BOUNDS: Final = re.compile(r"[<>=!~]{0,3}\d{1,4}(?:\.[\w*+!-]{1,20}){0,8}(?:,[<>=!~]{1,3}\d[\w.*+!-]{0,40}){0,10}")
_VERSION_FACTS: Final = frozenset(
    {"version", "library_version", "toolkit_version", "firmware_version", "driver_version"}
)


def redacted(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with identifying values replaced, consistently."""
    names = Placeholders(p.name for environment in snapshot.environments for p in environment.packages or ())
    strings = list(_strings(snapshot))
    names.reserve(strings)
    if snapshot.host.name:
        names.word(snapshot.host.name, "host")
        names.word(snapshot.host.name.partition(".")[0], "host")
    for environment in snapshot.environments:
        for path in (environment.python_executable or "", *(value for _, value in environment.variables or ())):
            for begin, end in owners(path):
                names.word(path[begin:end], "user")
    for report in snapshot.reports:
        for device in report.devices:
            if device.serial:
                names.word(device.serial, "serial")
            for process in device.processes or ():
                if process.user:
                    names.word(process.user, "user")
    for holder in snapshot.holdings.holders if snapshot.holdings is not None else ():
        for field in ("user", "pod", "container_name"):
            if value := getattr(holder.process, field):
                names.word(value, _OWNERS[field])
    names.prepare([*strings, *_joined(snapshot)])
    result: Snapshot = _record(snapshot, names)
    return result


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _strings(item)
    elif is_record(value):
        for name in field_names(value):
            yield from _strings(getattr(value, name))


def _joined(value: Any) -> Iterator[str]:
    """Yield related words joined into one text: a name with its value, an option with the next word of its command."""
    if isinstance(value, tuple):
        for item in value:
            yield from _joined(item)
    elif isinstance(value, Command):
        yield from (f"{name}={inner}" for name, inner in value.variables)
        yield " ".join((value.tool, value.verb, *value.options, *value.operands))
    elif isinstance(value, Noted):
        values = dict(value.values)  # one value may name a variable, and another hold its value
        if (name := values.get("variable") or values.get("name")) and (given := values.get("value")):
            yield f"{name}={given}"
    elif is_record(value):
        for name in field_names(value):
            yield from _joined(getattr(value, name))
        if isinstance(value, Environment):
            yield from (f"{name}={inner}" for name, inner in value.variables or ())
        elif hasattr(value, "start_ticks") and value.command:
            yield " ".join(value.command)


def _device(device: Any, result: Device, names: Placeholders) -> Device:
    """Replace a board's identifiers, whatever their format; a numeric one by its sequence number."""
    new: dict[str, Any] = {}
    for name in type(device).identifying:
        value = getattr(device, name)
        if value not in (None, "") and getattr(result, name) == value:  # otherwise its format has identified it already
            placeholder = names.of(str(value), name)
            new[name] = int(placeholder.rpartition("-")[2]) if isinstance(value, int) else placeholder
    return replace(result, **new) if new else result


def _process(process: Any, result: Any, names: Placeholders) -> Any:
    """Replace the owners of a process: people, containers and pods have names that someone chose."""
    new: dict[str, Any] = {
        field: names.of(value, kind)
        for field, kind in _OWNERS.items()
        if (value := getattr(process, field)) and not names.is_no_name(value)
    }
    if process.command:  # as one text: the secret of an option is the next word
        new["command"] = tuple(names.in_text(" ".join(process.command)).split(" "))
    return replace(result, **new)


def _record(value: Any, names: Placeholders) -> Any:
    if isinstance(value, str):
        return names.in_text(value)
    if isinstance(value, tuple):
        return tuple(_record(item, names) for item in value)
    if not is_record(value):
        return value
    changed = {
        name: new
        for name in field_names(value)
        if name not in _VERSION_FACTS | _PLAIN_FACTS  # "470.223.02.1" is not an address
        and (new := _record(getattr(value, name), names)) != getattr(value, name)
    }
    result: Any = replace(value, **changed) if changed else value
    if isinstance(result, Host) and result.name:
        return replace(result, name=names.of(result.name, "host")) if not result.name.startswith("host-") else result
    if isinstance(result, Device):
        return _device(value, result, names)
    if hasattr(value, "start_ticks"):  # a RunningProcess, whose module is loaded only if there is one
        return _process(value, result, names)
    if isinstance(result, Process) and result.user and not result.user.startswith("user-"):
        return replace(result, user=names.of(result.user, "user"))
    if isinstance(result, Environment | Command) and (given := getattr(value, "variables", None)):
        return replace(result, variables=tuple((n, names.variable(n, v)) for n, v in given))
    if isinstance(value, Noted):
        kept = (key in _VERSION_VALUES and _BOUNDS.fullmatch(given) for key, given in value.values)
        pairs = zip(value.values, result.values, kept, strict=True)
        return replace(result, values=tuple(old if whole else new for old, new, whole in pairs))
    return result
