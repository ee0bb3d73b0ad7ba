"""Finds installed plugins in the metadata of distributions, without importing any.

Reads   <sys.path>/*.dist-info/entry_points.txt (and *.egg-info), the groups "accel.plugins", "accel.plugin_data"
        (accel.plugins.yaml_plugin), "accel.plugin_api" and "accel.plugin_signs" (accel.vendors.toolkit.presence)
Why     importlib.metadata takes 33 ms for this with 200 distributions; reading only these files takes 7 ms
Source  packaging.python.org, "Entry points specification"
"""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from accel.machine.outside import read_regular

GROUP: Final = "accel.plugins"
DATA_GROUP: Final = "accel.plugin_data"
API_GROUP: Final = "accel.plugin_api"
SIGNS_GROUP: Final = "accel.plugin_signs"
OWN: Final = "accel-sdk"  # the distribution of accel itself
OWN_PLUGINS: Final = frozenset(
    {
        *("amd", "apple", "ascend", "cambricon", "cpu", "enflame", "gaudi", "hygon", "iluvatar", "intel", "kunlun"),
        *("metax", "mthreads", "neuron", "nvidia", "tpu"),
    }
)  # what calls itself OWN and is none of these, or of another module, is a stranger's
CORE: Final = "accel"  # under this name the catalogue has the readers, checks and rules that are no plugin's
NAMED: Final = "ACCEL_PLUGINS"  # in the place of a distribution, of what this variable names
API_LOWEST: Final = 1
_MOST_BYTES: Final = 1_000_000  # of one entry_points.txt
API_NEWEST: Final = 1


class Installed(NamedTuple):
    """An entry point. distribution, version: from the folder name; api: the range it supports, (1, 1) if not stated.

    signs      signs of its hardware; () if it declares none
    data       module is a folder of YAML, or a package that contains one (accel.plugins.yaml_plugin)
    namesake   the distribution whose plugin already has this name, so that this one is not loaded
    """

    name: str
    module: str
    distribution: str
    version: str | None = None
    api: tuple[int, int] = (1, 1)
    signs: tuple[str, ...] = ()
    data: bool = False
    namesake: str | None = None

    @property
    def clash(self) -> str | None:
        """Why this version of accel cannot load it; None if it can."""
        if self.namesake:
            return f"{self.namesake} has a plugin of this name: uninstall one of the two, or rename it"
        low, high = self.api
        if low > API_NEWEST:
            return f"it needs plugin API {low}, but this accel supports {API_NEWEST}: upgrade accel-sdk"
        if high < API_LOWEST:
            return f"it supports plugin API {high}, but this accel needs {API_LOWEST}: upgrade {self.distribution}"
        return None


def installed(paths: Iterable[str]) -> tuple[Installed, ...]:
    """Return the plugins in these folders, sorted by name.

    If several have the same name, accel's own wins, or else the first; those of other distributions are also listed, as
    clashing. A distribution that is found twice counts once.
    """
    found: dict[str, Installed] = {}
    for path in dict.fromkeys(paths):
        for folder, text in _entry_files(path or "."):
            for stated in parse(text, folder):
                plugin = _whose(stated)
                other = found.setdefault(plugin.name, plugin)
                if other.distribution == plugin.distribution == OWN and plugin.version == _own_version():
                    found[plugin.name] = plugin  # what else calls itself so may state other signs, or another API
                if other.distribution != plugin.distribution:
                    first, second = (plugin, other) if plugin.distribution == OWN else (other, plugin)
                    name = f"{second.name}@{second.distribution}"
                    found[first.name] = first
                    found[name] = second._replace(name=name, namesake=first.distribution)
    return tuple(found[name] for name in sorted(found))


def parse(text: str, folder: str) -> Iterator[Installed]:
    """Yield what one entry_points.txt registers; lines that are not entries are skipped.

    >>> [p.module for p in parse("[accel.plugins]\\nacme = accel_acme\\n", "acme_accel-1.2.dist-info")]
    ['accel_acme']
    """
    if f"[{GROUP}]" not in text and f"[{DATA_GROUP}]" not in text:
        return
    groups: dict[str, dict[str, str]] = {}
    group = ""
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif "=" in line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            groups.setdefault(group, {})[name.strip()] = value.strip()
    stem = folder.rsplit(".", 1)[0]
    distribution, _, version = stem.partition("-")
    plugins = {**dict.fromkeys(groups.get(DATA_GROUP, {}), True), **dict.fromkeys(groups.get(GROUP, {}), False)}
    signs: dict[str, list[str]] = {}
    for sign, plugin in groups.get(SIGNS_GROUP, {}).items():
        signs.setdefault(plugin, []).append(sign)
    for name, data in plugins.items():
        module = groups[DATA_GROUP if data else GROUP][name]
        api = _api_range(groups.get(API_GROUP, {}).get(name))
        yield Installed(
            name=name,
            module=module,
            distribution=distribution.replace("_", "-"),
            version=version or None,
            api=api,
            data=data,
            signs=tuple(signs.get(name, ())),
        )


def _own_version() -> str:
    version: str = sys.modules["accel"].__version__  # importing it from there would be a circle
    return version


def _whose(plugin: Installed) -> Installed:
    """Return the plugin; mark one that claims to be accel's own but is not as third-party."""
    own = plugin.name in OWN_PLUGINS and plugin.module == f"accel_{plugin.name}" and not plugin.data
    return plugin if own or plugin.distribution != OWN else plugin._replace(distribution=f"another {OWN}")


def _api_range(text: str | None) -> tuple[int, int]:
    """Parse "v1" or "v1:v2" (setuptools requires letters) or "1:2"; anything else counts as 1."""
    low, _, high = (text or "1").replace("v", "").partition(":")
    if not low.isdecimal() or (high and not high.isdecimal()):
        return (1, 1)
    return (int(low), int(high or low))


def _entry_files(path: str) -> Iterator[tuple[str, str]]:
    try:
        names = sorted(n for n in os.listdir(path) if n.endswith((".dist-info", ".egg-info")))
    except OSError:
        return
    for name in names:
        try:
            yield (
                name,
                read_regular(os.path.join(path, name, "entry_points.txt"), _MOST_BYTES).decode("utf-8", "replace"),
            )
        except OSError:
            continue


def words(text: str) -> tuple[str, ...]:
    """Split a variable that contains a comma-separated list."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def named_extra(environment: Mapping[str, str]) -> Iterator[Installed]:
    """Yield what ACCEL_PLUGINS names: modules, and folders of YAML."""
    for module in words(environment.get(NAMED, "")):
        name = os.path.basename(os.path.normpath(module)).removeprefix("accel_")
        data = os.path.isdir(module)
        place = os.path.abspath(module) if data else module
        yield Installed(name=name, module=place, distribution=NAMED, data=data)
