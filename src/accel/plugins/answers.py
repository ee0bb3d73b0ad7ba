"""Builds records from the plain values that a guest process returns. Anything of the wrong form raises an exception."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from accel.model import codec
from accel.model.device import Device, Gap
from accel.model.environment import Environment
from accel.model.observation import Fact
from accel.model.report import Report
from accel.model.snapshot import Host
from accel.vendors.contract.backend import Mask, Reading
from accel.vendors.contract.check import Check, Problem
from accel.vendors.contract.metric_names import MetricName
from accel.vendors.contract.vendor import Daemon, Vendor

DeviceTypes = Mapping[str, type[Device]]
_NAMED: Final[Mapping[str, Any]] = {"str": str, "int": int, "float": float, "bool": bool, "none": None}
_MOST: Final = 4096  # of anything that is given one by one
_types: Final[dict[str, type[Device]]] = {}  # the records of guests' devices, by their backends
_again: "list[Callable[[Mapping[str, Any]], Device]]" = []  # in a guest's process: what makes its own records


def data_of(answer: bytes) -> Any:
    return msgspec.json.decode(answer)


def reading_of(row: Any, types: DeviceTypes) -> Reading:
    """Return what a reader found."""
    row = _dict(row)
    return Reading(
        source=_str(row["source"]),
        reports=reports_of(row.get("reports") or (), types),
        environment=msgspec.convert(row.get("environment"), Environment | None),
        host=msgspec.convert(row.get("host"), Host | None),
        observations=codec.observations_of(row),
        wiring=codec.wiring_of(row),
        first_line=msgspec.convert(row.get("first_line"), int | None),
        last_line=msgspec.convert(row.get("last_line"), int | None),
    )


def reports_of(rows: Any, types: DeviceTypes) -> tuple[Report, ...]:
    """Return reports with the vendors' own device records."""
    return codec.reports_of(msgspec.convert(rows, tuple[Report, ...]), {"reports": rows}, types)


def problem_of(row: Any) -> Problem:
    return msgspec.convert(row, Problem)


def fact_of(row: Any) -> Fact:
    return msgspec.convert(row, Fact)


def mask_of(row: Any) -> Mask:
    return msgspec.convert(row, Mask)


def gaps_of(rows: Any) -> tuple[Gap, ...]:
    return msgspec.convert(rows, tuple[Gap, ...])


def devices_of(rows: Any, types: DeviceTypes) -> tuple[Device, ...]:
    return tuple(codec.device_of_row(_dict(row), types) for row in _list(rows))


def check_of(row: Any, run: Callable[..., Any]) -> Check:
    """Return a check with the attributes that its plugin declares, and the given function."""
    from accel.vendors.contract.check import Check

    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in _dict(row).items()
    }
    return Check(run=run, **fields)


def stated_of(row: Any, record: type[Device]) -> "Vendor[Any]":
    """Return a guest's vendor declaration, without its code."""
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in _dict(row).items()
    }
    fields["daemons"] = msgspec.convert(row["daemons"], tuple[Daemon, ...])
    for name, value in fields.items():
        if name != "daemons":
            msgspec.convert(value, tuple[str, ...] | str)
    return Vendor(record=record, **fields)


def metric_names_of(rows: Any) -> tuple[MetricName, ...]:
    return msgspec.convert(rows, tuple[MetricName, ...])


def record_of(row: Any, backend: str) -> type[Device]:
    """Return a class for a guest's device records, built from its description: fields with types and defaults."""
    from dataclasses import field, make_dataclass

    row = _dict(row)
    own: list[Any] = []
    for name, spelled, default in row["fields"][:_MOST]:
        more = {"default": _frozen(default[0])} if default else {}
        own.append((_str(name), _type(spelled), field(kw_only=True, **more)))
    made: type[Device] = Device
    if own or row["name"] != "Device":
        made = make_dataclass(
            _str(row["name"]),
            own,
            bases=(Device,),
            namespace={
                "__reduce__": _reduced,
                "identifying": msgspec.convert(row["identifying"], tuple[str, ...]),
                "readings_from": msgspec.convert(row["readings_from"], tuple[tuple[str, str], ...]),
            },
            frozen=True,
            slots=True,
            kw_only=True,
        )
    _types[backend] = made
    return made


def taken(rows: Any) -> Sequence[Any]:
    """Return a guest's value if it is a list of acceptable length."""
    found = _list(rows)
    if len(found) > _MOST:
        raise TypeError(f"it gave more than {_MOST} of them")
    return found


def _reduced(device: Device) -> Any:
    """Reduce a guest's device to a row, which becomes the plugin's own record again in its process."""
    from accel.model.to_builtins import plain

    return device_again, (plain(device),)


def device_again(row: Mapping[str, Any]) -> Device:
    """Rebuild a guest's device from its row, in either process."""
    return _again[0](row) if _again else codec.device_of_row(row, _types)


def make_devices_by(make: "Callable[[Mapping[str, Any]], Device]") -> None:
    """Set how devices that come from the command are rebuilt in this process."""
    _again[:] = [make]


def _type(spelled: Any) -> Any:
    if isinstance(spelled, str):
        return _NAMED.get(spelled, Any)
    if not isinstance(spelled, list) or len(spelled) < 2:
        return Any
    kind, *inner = spelled
    if kind == "tuple":
        return tuple[_type(inner[0]), ...]  # type: ignore[misc]
    made: Any = _type(inner[0])
    for one in map(_type, inner[1:]):
        if Any in (made, one):
            return Any
        made = made | one
    return made


def _frozen(value: Any) -> Any:
    return tuple(_frozen(one) for one in value) if isinstance(value, list) else value


def _dict(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"it returned {value!r:.60} instead of a record")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"it returned {value!r:.60} instead of a list")
    return value


def _str(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"it returned {value!r:.60} instead of text")
    return value
