"""One node's answer, from its snapshot and diagnosis, and its serialised form: one line of schema accel.node/1."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.diagnose.open_questions import failures
from accel.fleet.fingerprint import fingerprint
from accel.fleet.model import NODE_SCHEMA, NodeAnswer, NodeDevice, NodeFinding
from accel.model.dataclass import field_names, replace
from accel.model.errors import BadInput
from accel.model.observation import Noted
from accel.model.printable import printable
from accel.model.readings import counts_of, readings_of
from accel.model.to_builtins import json_text, plain
from accel.specs import load

if TYPE_CHECKING:
    from accel.model.device import Device
    from accel.model.diagnosis import Diagnosis, Finding
    from accel.model.snapshot import Snapshot

_ILL: Final = frozenset(("error", "warning"))
_BUSY: Final = 20.0  # percent of the time: above, a device is busy
_READ: Final = (
    *("temperature_celsius", "memory_temperature_celsius", "power_watts", "clock_mhz", "clock_memory_mhz"),
    *("fan_percent", "memory_reserved_bytes"),
)
_OF_DRIVER: Final = "driver_version"
_MOST_TEXT: Final = 300
_MOST_FINDINGS, _MOST_GAPS, _MOST_LINE = 200, 40, 4_000_000


def answer_of(
    snapshot: "Snapshot",
    diagnosis: "Diagnosis",
    node: str | None = None,
    source: str | None = None,
    release: str | None = None,
) -> NodeAnswer:
    """Return a node's answer: findings without evidence, versions, its devices' readings, and what could not be read.

    release  the accel version that examined the node, if known
    """
    name = node or snapshot.host.name or "this node"
    findings = tuple(_finding(finding, name) for finding in diagnosis.findings[:_MOST_FINDINGS])
    lost, devices = failures(diagnosis.gaps), snapshot.devices
    ill = any(finding.severity in _ILL for finding in findings)
    why = f"{len(lost)} things could not be looked at: {lost[0].fact}: {lost[0].reason}" if lost else None
    return NodeAnswer(
        node=name,
        state="ill" if ill else "partial" if lost else "ok",
        why=None if ill else why,
        taken_at=snapshot.taken_at,
        accel=release,
        versions={**_versions(snapshot, devices), **({"accel": release} if release else {})},
        findings=findings,
        devices=tuple(_device(device) for device in devices if device.kind != "cpu"),
        gaps=tuple(_short(f"{gap.fact}: {gap.reason}") for gap in diagnosis.gaps[:_MOST_GAPS]),
        source=source,
    )


def _finding(finding: "Finding", node: str) -> NodeFinding:
    fix = next((remedy for remedy in finding.remedies if remedy.kind == "mend"), None)
    return NodeFinding(
        code=finding.code,
        name=finding.name,
        severity=finding.severity,
        title=_short(finding.title),
        fingerprint=_short(fingerprint(finding.code, finding.title, node)),
        devices=finding.devices,
        is_cause=finding.is_cause,
        fix=_short(fix.command or fix.text) if fix else None,
    )


def _short(text: str) -> str:
    return printable(text)[:_MOST_TEXT]


def _device(device: "Device") -> NodeDevice:
    now = readings_of(device)
    readings = {name: value * 1.0 for name in _READ if (value := getattr(now, name)) is not None}
    readings.update({name: count * 1.0 for name, count in counts_of(device).items()})
    busy = now.busy_percent
    load = "" if busy is None else "busy" if busy >= _BUSY else "idle"
    return NodeDevice(id=device.id, name=device.name, load=load, readings=readings)


def _versions(snapshot: "Snapshot", devices: "Sequence[Device]") -> dict[str, str]:
    host = snapshot.host
    found = {"kernel": host.kernel, "system": host.distribution}
    for backend, driver in snapshot.drivers.items():
        found[f"{backend} driver"] = driver.version
    firmware: dict[str, dict[str, None]] = {}
    for device in devices:
        for field in field_names(device):
            if field.endswith("_version") and field != _OF_DRIVER and (value := getattr(device, field)):
                word = field.removesuffix("_version").replace("_", " ")
                firmware.setdefault(f"{word} of {device.name or device.backend}", {})[str(value)] = None
    found.update({what: ", ".join(sorted(values)) for what, values in firmware.items()})
    for noted in snapshot.observations:
        if isinstance(noted, Noted) and noted.fact == "kernel-settings":
            found.update({f"setting {name}": value for name, value in noted.values})
    compared = frozenset((load().table("system/fleet") or {"packages": ()})["packages"])
    for environment in snapshot.environments[:1]:
        found["python"] = environment.python_version
        for package in environment.packages or ():
            if package.name.lower() in compared:
                found[package.name.lower()] = package.version
        for toolkit in environment.toolkits:
            found.setdefault(f"{toolkit.name} toolkit", toolkit.version)
    return {what: _short(value) for what, value in found.items() if value}


def node_line(answer: NodeAnswer) -> str:
    """Return the answer as one line of JSON with a trailing newline."""
    return json_text({"schema": NODE_SCHEMA, **plain(answer)}) + "\n"


def decode_node(data: bytes | str, name: str) -> NodeAnswer:
    """Parse the answer of a line; raises BadInput with the file and the place for anything else.

    Fingerprints are recomputed, since the nodes of a fleet may have different versions of accel.
    """
    import msgspec

    start = data[:200] if isinstance(data, str) else data[:200].decode("utf-8", "replace")
    if "accel.node/" in start and f'"{NODE_SCHEMA}"' not in start:
        raise BadInput(f"{name}: was written by a newer accel. Update this one to read it.")
    try:
        found: NodeAnswer = _decoder().decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadInput(f"{name}: {error}. Have the node write it again:  accel fleet probe") from None
    if not found.findings:
        return found
    again = (replace(one, fingerprint=fingerprint(one.code, one.title, found.node)) for one in found.findings)
    return replace(found, findings=tuple(again))


def _decoder() -> Any:
    global _made
    if _made is None:
        import msgspec

        _made = msgspec.json.Decoder(NodeAnswer)
    return _made


_made: Any = None


def expected_names(texts: Iterable[str]) -> tuple[str, ...]:
    """Return node names from words or a file's lines; folded ranges ("gpu[01-40]") are expanded."""
    from accel.fleet.folding import unfolded

    return tuple(dict.fromkeys(name for text in texts for name in unfolded(text)))


def places_of(table: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return node -> kind -> place from a mapping parsed from JSON or YAML; raises BadInput for another form."""
    found: dict[str, dict[str, str]] = {}
    for nodes, kinds in table.items():
        if not isinstance(kinds, Mapping) or not all(isinstance(value, (str, int)) for value in kinds.values()):
            raise BadInput(f"places of {str(nodes)[:60]!r}: give a mapping such as {{rack: 12, switch: s3}}.")
        for node in expected_names([str(nodes)]):
            found.setdefault(node, {}).update({str(kind): _short(str(place)) for kind, place in kinds.items()})
    return found
