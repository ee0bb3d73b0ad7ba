"""The kit's result for a plugin: a record, in the user's state folder or in its package as conformance.json."""

import importlib.util
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from accel.kit.requirement import LEVELS, Level, Outcome
from accel.model.dataclass import dataclass
from accel.model.errors import BadInput
from accel.model.to_builtins import json_text, plain

KIT_VERSION: Final = "1"
SCHEMA: Final = "accel.conformance/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result. level: the highest one up to which every rule passed or does not apply; None: not even discover.

    chosen  whether only some rules were run; there is no level then
    notes   information for the user that is not a fault
    """

    plugin: str
    distribution: str
    version: str | None
    level: Level | None
    outcomes: tuple[Outcome, ...] = ()
    notes: tuple[str, ...] = ()
    machines: tuple[str, ...] = ()
    chosen: bool = False
    seconds: float = 0.0
    schema: str = SCHEMA
    kit: str = KIT_VERSION
    accel: str | None = None
    python: str | None = None
    system: str | None = None
    taken_at: str | None = None

    @property
    def faults(self) -> int:
        return sum(len(outcome.faults) for outcome in self.outcomes)


def reached(outcomes: tuple[Outcome, ...]) -> Level | None:
    """Return the level that these outcomes prove."""
    found: Level | None = None
    for level in LEVELS:
        rules = [outcome for outcome in outcomes if outcome.level == level]
        if not rules or any(outcome.status in ("failed", "not proven") for outcome in rules):
            return found
        found = level
    return found


SHIPPED = "conformance.json"


def write_result(result: Result, path: Path) -> None:
    """Write the file, creating its folder. Raises BadInput if it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(as_json(result), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror}. Give another place:  --output FILE") from None


def as_json(result: Result) -> str:
    """Return the result as JSON, with a count of its faults."""
    return json_text({**plain(result), "faults": result.faults}, indent=1) + "\n"


def state_file(plugin: str, environment: Mapping[str, str]) -> Path:
    """Return the path of the result of the last check on this machine."""
    if sys.platform == "win32":
        home = environment.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    else:
        home = environment.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(home) / "accel" / "conformance" / f"{plugin}.json"


def level_shown(plugin: str, module: str, version: str | None, environment: Mapping[str, str]) -> str | None:
    """Return the level for `accel plugins list`, from the last check on this machine or else from the shipped file.

    "none" if not even the lowest level was reached, "stale" if the file is for another version, None if there is no
    file.
    """
    stale = False
    for path in (state_file(plugin, environment), _shipped(module)):
        said = _read(path) if path else None
        if said is None or said.get("plugin") != plugin:
            continue
        if said.get("version") == version:
            return str(said.get("level") or "none")
        stale = True
    return "stale" if stale else None


def _shipped(module: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(module.split(".")[0])
    except (ImportError, ValueError):
        return None
    folders = list(spec.submodule_search_locations or ()) if spec else []
    places = [Path(folder) / SHIPPED for folder in folders]  # an uninstalled version may leave others behind
    return next((place for place in places if place.is_file()), None)


def _read(path: Path) -> Mapping[str, Any] | None:
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    fits = isinstance(said, dict) and str(said.get("schema", "")) == SCHEMA and not said.get("chosen")
    return said if fits else None
