"""The expected results of a recording: expected.yaml next to machine.yaml, <name>.expected.yaml next to a text.

devices:                          in any order; a fact that is null must be unknown
  - {id: "acme:0", name: X1, memory_total_bytes: 68719476736, health: ok}
driver: {version: "2.4"}
gaps: [temperature_celsius]       facts that must be reported as missing
findings: [AX001]                 findings of the plugin's own checks, by code or name; [] for none
"""

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from accel.model.dataclass import dataclass

_KEYS: Final = ("devices", "driver", "gaps", "findings")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """None: not specified. mistakes: one sentence for each unusable part of the file."""

    devices: tuple[Mapping[str, Any], ...] | None = None
    driver: Mapping[str, Any] | None = None
    gaps: tuple[str, ...] = ()
    findings: tuple[str, ...] | None = None
    mistakes: tuple[str, ...] = ()


def read_expected(path: Path) -> Expected | None:
    """Return the contents of the file; None if it does not exist."""
    import yaml

    from accel.machine.recorded import parse_yaml

    try:
        said = parse_yaml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        return Expected(mistakes=(f"{path}: not YAML: {' '.join(str(error).split())}",))
    said = {} if said is None else said
    if not isinstance(said, dict):
        return Expected(mistakes=(f"{path}: expected the keys {', '.join(_KEYS)}, got {type(said).__name__}",))
    return Expected(
        devices=_records(said, "devices"),
        driver=said["driver"] if isinstance(said.get("driver"), dict) else None,
        gaps=tuple(str(gap) for gap in said.get("gaps") or ()),
        findings=None if said.get("findings") is None else tuple(str(name) for name in said["findings"]),
        mistakes=tuple(f"{path}: {mistake}" for mistake in _mistakes(said)),
    )


def _records(said: Mapping[str, Any], key: str) -> tuple[Mapping[str, Any], ...] | None:
    given = said.get(key)
    return tuple(row for row in given if isinstance(row, dict)) if isinstance(given, list) else None


def _mistakes(said: Mapping[str, Any]) -> list[str]:
    found = []
    for key in said:
        if key not in _KEYS:
            near = get_close_matches(str(key), _KEYS, 1)
            found.append(f"unknown key {key!r}" + (f"; did you mean {near[0]}?" if near else ""))
    for key, kind, words in (("devices", list, "a list of records"), ("driver", dict, "a record"),
                             ("gaps", list, "a list of facts"), ("findings", list, "a list of codes")):  # fmt: skip
        if said.get(key) is not None and not isinstance(said[key], kind):
            found.append(f"{key}: expected {words}, got {said[key]!r:.40}")
    if isinstance(said.get("devices"), list) and not all(isinstance(row, dict) for row in said["devices"]):
        found.append("devices: each must be a record, as {id: ..., name: ...}")
    return found
