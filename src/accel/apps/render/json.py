"""Results as JSON with a schema name; missing facts are null, never omitted."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from accel.model.to_builtins import json_text, plain

if TYPE_CHECKING:
    from accel.facts.devices_apart import Listing
    from accel.model.device import Device, Gap
    from accel.model.diagnosis import Diagnosis
    from accel.model.rows import Row
    from accel.resolver.records import Resolution

DEVICES_SCHEMA: Final = "accel.devices/1"
DIAGNOSIS_SCHEMA: Final = "accel.diagnosis/1"
DIAGNOSES_SCHEMA: Final = "accel.diagnoses/1"


def dumps(schema: str, **members: Any) -> str:
    """Return one document that ends in a newline."""
    return json_text({"schema": schema, **members}, indent=1) + "\n"


def devices_json(devices: "Iterable[Device | Row]", gaps: "Iterable[Gap | Row]") -> str:
    """Return the output of `accel devices --json`, one line per device, which is faster than json's indentation."""
    head, tail = (f'{{"schema": {json_text(DEVICES_SCHEMA)},\n"devices": [', "]}\n")
    return f'{head}{_lines(devices)}],\n"gaps": [{_lines(gaps)}{tail}'


def listings_json(listings: "Iterable[Listing]", gaps: "Iterable[Gap]") -> str:
    """Return the same output for a text about several machines or runs: each device has `where`, since ids repeat."""
    listings = tuple(listings)
    devices = [{**plain(device), "where": one.says} for one in listings for device in one.devices]
    every = (*(gap for one in listings for gap in one.gaps), *gaps)
    return devices_json(devices, tuple(dict.fromkeys(every)))


def _lines(records: "Iterable[Device | Gap | Row]") -> str:
    lines = ",\n".join(json_text(plain(record)) for record in records)
    return f"\n{lines}\n" if lines else ""


def diagnosis_json(diagnosis: "Diagnosis") -> str:
    """Return the output of `accel doctor --json`."""
    return dumps(DIAGNOSIS_SCHEMA, **plain(diagnosis))


def diagnoses_json(answers: "Iterable[tuple[str, Diagnosis]]") -> str:
    """Return the output of `accel doctor --all-environments --json`: a diagnosis for each interpreter."""
    each = [{"python": python, **plain(diagnosis)} for python, diagnosis in answers]
    return dumps(DIAGNOSES_SCHEMA, environments=each)


def resolution_json(resolution: "Resolution") -> str:
    """Return the output of `accel resolve --json`."""
    return dumps(**plain(resolution))
