"""The result as a file: in the user's state folder, or shipped in the plugin's package as conformance.json."""

import importlib.util
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from accel.kit.result import SCHEMA, Result
from accel.model.errors import BadInput
from accel.model.to_builtins import json_text, plain

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
