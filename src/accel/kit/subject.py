"""The plugin under test: its distribution's metadata, read without importing any of its code."""

import os
import sys
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from importlib.metadata import Distribution, distributions
from typing import Final

from accel.model.dataclass import dataclass
from accel.model.errors import PluginError
from accel.plugins.discovery import API_GROUP, DATA_GROUP, GROUP, Installed, installed

OWN_DISTRIBUTION: Final = "accel-sdk"
FROM_VARIABLE: Final = "ACCEL_PLUGINS"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A plugin under test.

    api_said    whether its metadata states the plugin API it supports
    clash       why this accel cannot load it; None if it can
    readme      the description in its metadata; None if there is none, or no distribution
    signs       the signs of its hardware stated in its metadata; () if none
    data        whether it is a folder of YAML: accel.plugins.yaml_plugin
    packaged    whether a distribution registers it; accel's own plugins are `bundled`
    """

    name: str
    module: str
    distribution: str
    version: str | None
    api_said: bool
    clash: str | None
    readme: str | None
    signs: tuple[str, ...]
    data: bool
    packaged: bool

    @property
    def bundled(self) -> bool:
        return self.distribution.replace("_", "-").lower() == OWN_DISTRIBUTION


def find_subject(name: str, environment: Mapping[str, str], paths: Sequence[str] | None = None) -> Subject:
    """Return the plugin with this name. Raises PluginError with the nearest name if there is none."""
    places = list(sys.path if paths is None else paths)
    by_name = {plugin.name: plugin for plugin in installed(places)}
    for module in (word.strip() for word in environment.get(FROM_VARIABLE, "").split(",")):
        if module:
            short = os.path.basename(os.path.normpath(module)).removeprefix("accel_")
            data = os.path.isdir(module)
            place = os.path.abspath(module) if data else module
            by_name[short] = Installed(name=short, module=place, distribution=FROM_VARIABLE, data=data)
    found = by_name.get(name) or by_name.get(name.removeprefix("accel-").removeprefix("accel_"))
    if found is None:
        near = get_close_matches(name, by_name, 2, 0.7)
        meant = f" Did you mean {' or '.join(near)}?" if near else f" Installed are: {', '.join(by_name)}."
        raise PluginError(
            f"No plugin {name!r} is installed.{meant} Install yours into this environment first:  pip install -e ."
        )
    home = _home(found, places)
    return Subject(
        name=found.name,
        module=found.module,
        distribution=found.distribution,
        version=found.version,
        api_said=home is not None and any(e.group == API_GROUP and e.name == found.name for e in home.entry_points),
        clash=found.clash,
        signs=found.signs,
        data=found.data,
        readme=_description(home) if home else None,
        packaged=found.distribution != FROM_VARIABLE,
    )


def _home(plugin: Installed, paths: list[str]) -> Distribution | None:
    for distribution in distributions(path=paths):
        if any(e.group in (GROUP, DATA_GROUP) and e.name == plugin.name for e in distribution.entry_points):
            return distribution
    return None


def _description(home: Distribution) -> str | None:
    """Return the long description: the body of METADATA, or its Description field as older tools write it."""
    from email.parser import Parser

    message = Parser().parsestr(home.read_text("METADATA") or home.read_text("PKG-INFO") or "")
    body = message.get_payload()
    text = (body if isinstance(body, str) else "").strip() or str(message.get("Description", "")).strip()
    return text or None
