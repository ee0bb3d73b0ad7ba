"""Converts snapshots to JSON and back, strictly. Errors name the exact place.

Built on msgspec, which is imported only here, and only when something is decoded or a schema is needed. A vendor's own
device record is restored if its plugin is installed; otherwise it becomes a plain Device.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import field_names, replace
from accel.model.device import Device
from accel.model.errors import BadInput
from accel.model.report import Report
from accel.model.snapshot import SNAPSHOT_SCHEMA, Snapshot
from accel.model.to_builtins import json_text, plain

if TYPE_CHECKING:
    from accel.model.holding import Holdings
    from accel.model.observation import Observation
    from accel.model.wiring import Wiring

_FAMILY: Final = SNAPSHOT_SCHEMA.rsplit("/", 1)[0]
_NEWEST: Final = int(SNAPSHOT_SCHEMA.rsplit("/", 1)[1])


def encode_snapshot(snapshot: Snapshot) -> str:
    """Return the snapshot as indented JSON that ends in a newline."""
    return json_text(plain(snapshot), indent=1) + "\n"


def decode_snapshot(text: str, device_types: Mapping[str, type[Device]], name: str = "snapshot") -> Snapshot:
    """Decode a snapshot. device_types: the device record of each backend.

    Raises BadInput with the file and the place: "x.json: Expected `int`, got `str` - at `$.reports[0].trust`".
    """
    import msgspec

    try:
        data = msgspec.json.decode(text.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadInput(
            f"{name}: not a complete JSON document: {error}. Write it again:  accel snapshot > {name}"
        ) from None
    if not isinstance(data, dict):
        raise BadInput(f"{name}: expected a JSON object, got {type(data).__name__}. Make one:  accel snapshot")
    _check_schema(data.get("schema"), name)
    try:
        snapshot = msgspec.convert(data, Snapshot)
        reports, observations = reports_of(snapshot.reports, data, device_types), observations_of(data)
        parts = tuple(
            replace(part, reports=reports_of(part.reports, raw, device_types), observations=observations_of(raw))
            for part, raw in zip(snapshot.parts, data.get("parts", ()), strict=True)
        )
        wiring, holdings = wiring_of(data), _holdings(data)
    except msgspec.ValidationError as error:
        raise BadInput(f"{name}: {error}. Write it again:  accel snapshot > {name}") from None
    return replace(snapshot, reports=reports, observations=observations, wiring=wiring, holdings=holdings, parts=parts)


def is_snapshot(text: str) -> bool:
    """Return whether a text looks like a saved snapshot, of any version, without decoding it."""
    return _begins_as(_FAMILY, text)


def is_bench(text: str) -> bool:
    """Return whether a text looks like a saved benchmark, of any version, without decoding it."""
    return _begins_as("accel.bench", text)


def _begins_as(family: str, text: str) -> bool:
    start = text.lstrip("\ufeff \t\r\n")[:400]
    return start.startswith("{") and f'"{family}/' in start


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a snapshot with plain devices."""
    import msgspec

    return msgspec.json.schema(Snapshot)


def _check_schema(schema: object, name: str) -> None:
    family, _, version = str(schema).rpartition("/")
    if family != _FAMILY or not version.isdecimal():
        raise BadInput(f'{name}: expected "schema": "{SNAPSHOT_SCHEMA}", got {schema!r}. Make one:  accel snapshot')
    if int(version) > _NEWEST:
        raise BadInput(
            f"{name}: its schema is {schema}, this accel reads up to {SNAPSHOT_SCHEMA}. "
            "Upgrade:  pip install -U accel-sdk"
        )


def reports_of(
    reports: tuple[Report, ...], holder: dict[str, Any], device_types: Mapping[str, type[Device]]
) -> tuple[Report, ...]:
    """Return the reports of a snapshot or part, with the vendors' own device records."""
    return tuple(
        replace(
            report,
            devices=tuple(device_of_row(d, device_types) for d in raw.get("devices", ())),
            observations=observations_of(raw),
            links=_records(raw, "links"),
            peers=_records(raw, "peers"),
            domains=_records(raw, "domains"),
        )
        for report, raw in zip(reports, holder.get("reports", ()), strict=True)
    )


def observations_of(holder: dict[str, Any]) -> "tuple[Observation, ...]":
    """Return the observations of a report or snapshot, without those of a kind that this version does not know."""
    import msgspec

    raw = holder.get("observations") or ()
    if not raw:
        return ()
    from accel.model import observation

    kinds = {
        kind.__dataclass_fields__["kind"].default: kind
        for kind in vars(observation).values()
        if isinstance(kind, type) and issubclass(kind, observation.Observation) and kind is not observation.Observation
    }
    stated = [one for one in raw if isinstance(one, dict) and isinstance(one.get("kind"), str)]
    return tuple(msgspec.convert(one, kinds[one["kind"]]) for one in stated if one["kind"] in kinds)


def _records(report: dict[str, Any], field: str) -> tuple[Any, ...]:
    """Return the links, peers or domains of a report."""
    raw = report.get(field) or ()
    if not raw:
        return ()
    import msgspec

    from accel.model.wiring import Domain, Link, PeerAccess

    kind: Any = {"links": Link, "peers": PeerAccess, "domains": Domain}[field]
    return tuple(msgspec.convert(raw, list[kind]))


def wiring_of(snapshot: dict[str, Any]) -> "Wiring | None":
    raw = snapshot.get("wiring")
    if raw is None:
        return None
    import msgspec

    from accel.model.wiring import Wiring

    return msgspec.convert(raw, Wiring)


def _holdings(data: dict[str, Any]) -> "Holdings | None":
    if data.get("holdings") is None:
        return None
    import msgspec

    from accel.model.holding import Holdings

    return msgspec.convert(data["holdings"], Holdings)


def device_of_row(raw: Any, device_types: Mapping[str, type[Device]]) -> Device:
    import msgspec

    kind = device_types.get(str(raw.get("backend")), Device)
    known = set(field_names(kind))
    return msgspec.convert({key: value for key, value in raw.items() if key in known}, kind)
