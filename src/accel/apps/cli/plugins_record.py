"""`accel plugins record NAME FOLDER`: record what a plugin reads from this machine, for its tests."""

import argparse
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from accel.model.errors import BadInput, PluginError

if TYPE_CHECKING:
    from accel.kit.recording import RecordingMachine
    from accel.machine.process import CommandResult
    from accel.machine.protocol import Machine
    from accel.model.device import Device
    from accel.model.report import Report
    from accel.plugins.registry import Registry
    from accel.vendors.contract.backend import Backend

_SYSTEM: Final = ("/etc/os-release", "/proc/version", "/proc/sys/kernel/osrelease", "/proc/sys/kernel/arch")
_MOST_SECONDS: Final = 300.0  # for all calls of a third-party plugin
_LEFT_OUT: Final = ("backend", "vendor", "kind", "visible", "runtime_names", "processes")


def add(actions: "argparse._SubParsersAction[Any]") -> None:
    """Add the action's parser."""
    it = actions.add_parser(
        "record",
        help="record this machine for a plugin's tests",
        description="Record everything that a plugin reads on this machine as a recorded machine, with the plugin's "
        "result as expected.yaml: check that file, and correct what is wrong. Serial numbers and unique "
        "IDs are replaced by others of the same form, host and user names by placeholders; tokens are "
        "removed.",
        epilog="Exit codes: 0 the recording reproduces the devices of this machine, 1 it does not, 2 nothing was "
        "written.",
    )
    it.add_argument("name", metavar="NAME", help="the plugin, as  accel plugins list  names it")
    it.add_argument("folder", metavar="FOLDER", help="folder to create, such as  src/accel_acme/machines/two-boards")
    it.add_argument("--identifiers", action="store_true", help="keep serial numbers, unique IDs, host and user names")


def run(options: argparse.Namespace) -> int:
    """Record; return 1 if the recording does not reproduce the machine's devices."""
    from accel.plugins.registry import Registry

    registry = Registry(os.environ, guarded=True)
    backend = _backend(registry, options.name)
    folder = Path(options.folder)
    if folder.exists() and any(folder.iterdir() if folder.is_dir() else [folder]):
        raise BadInput(f"{folder} is there already, and nothing was written. Name another folder.")
    if options.name not in registry.apart:
        return _recorded(registry, backend, folder, options)
    return _recorded_apart(folder, options)


def _recorded_apart(folder: Path, options: argparse.Namespace) -> int:
    """Record with a third-party plugin in a child process: reads can only be observed within a single process."""
    import json

    from accel.plugins.guard import Fault, once
    from accel.plugins.registry import Registry

    def act() -> bytes:
        import io

        sys.stdout = io.StringIO()
        registry = Registry(os.environ, guarded=True, trusted={options.name})
        try:
            code = _recorded(registry, _backend(registry, options.name), folder, options)
        except (BadInput, PluginError) as error:
            return json.dumps([2, str(error)]).encode()
        except (Exception, SystemExit) as error:  # a plugin's code may raise anything
            return json.dumps([2, f"{options.name}: {type(error).__name__}: {error}. Nothing is recorded."]).encode()
        return json.dumps([code, sys.stdout.getvalue()]).encode()

    try:
        code, told = json.loads(once(act, _MOST_SECONDS))
    except Fault as fault:
        raise PluginError(f"{options.name}: its backend {fault}. Nothing is recorded.") from None
    if code == 2:
        raise PluginError(str(told))
    sys.stdout.write(str(told))
    return 0 if code == 0 else 1


def _recorded(registry: "Registry", backend: "Backend", folder: Path, options: argparse.Namespace) -> int:
    from accel.kit.recording import RecordingMachine
    from accel.machine.live import LiveMachine
    from accel.machine.recorded import RecordedMachine

    machine = RecordingMachine(LiveMachine())
    live = _asked(backend, machine)
    try:
        _write(folder, machine, live, keep=options.identifiers)
        again = _asked(backend, RecordedMachine(folder))
        _write_expected(folder, registry, options.name, RecordedMachine(folder), again)
    except OSError as error:
        raise BadInput(f"{error.filename or folder}: {error.strerror or error}. Name a folder to write to.") from None
    same = [device.id for device in _devices(live)] == [device.id for device in _devices(again)]
    sys.stdout.write(_told(options.name, folder, machine, live, again, keep=options.identifiers))
    return 0 if same else 1


def _backend(registry: "Registry", name: str) -> "Backend":
    from difflib import get_close_matches

    plugins = {plugin.name: plugin for plugin in registry.plugins}
    if name not in plugins:
        near = get_close_matches(name, plugins, 3, 0.5) or plugins
        raise PluginError(f"No plugin {name!r} is installed. Named are: {', '.join(near)}.")
    backend = registry.backend_of(name)
    if backend is None:
        reason = plugins[name].reason or "it has no backend, so it queries no machine"
        raise PluginError(f"{name}: {reason}. There is nothing to record.")
    return backend


def _asked(backend: "Backend", machine: "Machine") -> "tuple[Report, ...]":
    """Make all of a backend's calls, and read the host; return the reports with masks applied."""
    from contextlib import suppress

    from accel.model.dataclass import replace
    from accel.vendors.contract.backend import Request

    for path in _SYSTEM:
        with suppress(OSError):
            machine.read(path)
    backend.detect(machine)
    reports = tuple(backend.probe(machine, Request(depth="health")))
    for device in _devices(reports):
        backend.memory(machine, device.id)
    backend.processes(machine)
    return tuple(replace(r, devices=tuple(backend.visible(r.devices, machine.environment))) for r in reports)


def _devices(reports: "Iterable[Report]") -> "tuple[Device, ...]":
    from accel.model.merge import merged_devices

    return merged_devices(reports)[0]


def _write(folder: Path, machine: "RecordingMachine", reports: "tuple[Report, ...]", *, keep: bool) -> None:
    from accel.kit.recording import machine_yaml

    disguised = (lambda text: text) if keep else _disguise(machine, reports).of
    folder.mkdir(parents=True, exist_ok=True)
    commands = []
    for number, done in enumerate(machine.commands):
        name = f"{number + 1}-{_file_name(done)}.txt"
        (folder / name).write_text(disguised(done.stdout), encoding="utf-8")
        entry: dict[str, Any] = {"argv": list(done.argv), "stdout_file": name}
        if done.stderr:
            entry["stderr"] = disguised(done.stderr)
        entry |= {"timed_out": True} if done.timed_out else {"exit_code": done.exit_code} if done.exit_code else {}
        commands.append(entry)
    document = {**machine.document(disguised), **({"commands": commands} if commands else {})}
    for path, text in list(document.get("files", {}).items()):
        if len(text.splitlines()) > 1:
            copy = folder / "files" / path.lstrip("/")
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text, encoding="utf-8")
            del document["files"][path]
    (folder / "machine.yaml").write_text(machine_yaml(document), encoding="utf-8")


def _disguise(machine: "RecordingMachine", reports: "tuple[Report, ...]") -> Any:
    import secrets

    from accel.apps.privacy.disguise import Disguise
    from accel.apps.privacy.home_folders import owners

    texts = [*machine.files.values(), *(done.stdout for done in machine.commands), *machine.variables().values()]
    users = {text[begin:end] for text in texts for begin, end in owners(text)} - {"root"}
    users |= {p.user for d in _devices(reports) for p in d.processes or () if p.user and p.user != "root"}
    host = machine.files.get("/proc/sys/kernel/hostname", "").strip()
    every = [device for report in reports for device in report.devices]
    return Disguise(every, [host, host.partition(".")[0]], users, secrets.token_hex(8))


def _file_name(done: "CommandResult") -> str:
    words = " ".join([os.path.basename(done.argv[0]), *done.argv[1:]])
    return re.sub(r"[^A-Za-z0-9.]+", "-", words).strip("-")[:60] or "output"


def _write_expected(
    folder: Path, registry: "Registry", name: str, machine: "Machine", reports: "tuple[Report, ...]"
) -> None:
    """Write the plugin's results for the recording: its devices, driver, and its own checks' findings."""
    from accel.collect.environment import environment_facts
    from accel.collect.host import host_facts
    from accel.diagnose.engine import diagnose
    from accel.kit.recording import expected_yaml
    from accel.model.merge import merged_driver
    from accel.model.snapshot import Snapshot
    from accel.model.to_builtins import plain

    snapshot = Snapshot(host=host_facts(machine), environments=(environment_facts(machine, None),), reports=reports)
    findings = diagnose(snapshot, registry.specs, registry.checks_of(name), registry.rules).findings
    driver = merged_driver(reports)
    devices = [
        {
            key: value
            for key, value in plain(device).items()
            if value not in (None, [], "unknown") and key not in _LEFT_OUT
        }
        for device in _devices(reports)
    ]
    told = {
        "devices": devices,
        **({"driver": {k: v for k, v in plain(driver).items() if v is not None}} if driver else {}),
        "findings": sorted({finding.code for finding in findings}),
    }
    (folder / "expected.yaml").write_text(expected_yaml(told), encoding="utf-8")


def _told(
    name: str,
    folder: Path,
    machine: "RecordingMachine",
    live: "tuple[Report, ...]",
    again: "tuple[Report, ...]",
    *,
    keep: bool,
) -> str:
    there, kept = len(_devices(live)), len(_devices(again))
    asked = f"{len(machine.commands)} commands and {len(machine.files)} files"
    lines = [
        f"{name}: {there} device{'' if there == 1 else 's'} in {asked}.",
        f"Wrote  {folder / 'machine.yaml'}",
        f"       {folder / 'expected.yaml'}   what the plugin reads from it: check it, and correct what is wrong",
        "Serials, unique ids, hosts, users and tokens are as they are: look before you publish."
        if keep
        else (
            "Serials, unique ids, hosts and users are replaced, tokens removed; check it once more before you "
            "publish it."
        ),
    ]
    if there != kept:
        lines.append(
            f"The recording yields {kept} of {there} devices: what a library returns when it is called "
            "cannot be recorded."
        )
    lines.append(f"Next:  accel plugins check {name} --machines {folder.parent}")
    return "\n".join(lines) + "\n"
