"""What pyproject.toml says of accel's own plugins, out of their statements: each package is a line in eleven lists.

A folder plugins/<name>/accel_<name> with a VENDOR is a plugin by existing. Installing again makes pip read it.
"""

import importlib
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from accel.model.device import Device
from accel.vendors.contract.vendor import Vendor

ROOT: Final = Path(__file__).parent.parent
PYPROJECT: Final = ROOT / "pyproject.toml"
_PURE: Final = ("checks", "readers")


def pyproject() -> str:
    """Return the whole file as it should be."""
    text = PYPROJECT.read_text(encoding="utf-8")
    vendors = _vendors()
    names = [vendor.name for vendor in vendors]
    packages = [vendor.package for vendor in vendors]
    text = _with_table(text, "accel.plugins", [(name, f"accel_{name}") for name in names])
    signs = [(f'"{sign}"', vendor.name) for vendor in vendors for sign in vendor.signs]
    text = _with_table(text, "accel.plugin_signs", signs)
    text = _with_list(text, "dev-mode-dirs", ["src", *(f"plugins/{name}" for name in names)])
    text = _with_list(
        text, "[tool.hatch.build.targets.wheel]", ["src/accel", *(f"plugins/{n}/accel_{n}" for n in names)]
    )
    text = _with_list(text, "[tool.mypy]", ["accel", *packages])
    text = _with_list(text, "root_packages", ["accel", *packages])
    text = _with_list(text, 'name = "The core knows no vendor"', packages, of="forbidden_modules", after=True)
    text = _with_list(text, 'name = "Plugins stand on', packages)
    text = _with_list(text, 'name = "Plugins import nothing', packages)
    pure = [f"{vendor.package}.{part}" for vendor in vendors for part in _PURE if _has(vendor, part)]
    return _with_list(text, 'name = "Checks, readers and doctor are pure"', pure, of="source_modules", after=True)


def _vendors() -> list[Vendor[Device]]:
    found = []
    for place in sorted((ROOT / "plugins").glob("*/accel_*/__init__.py")):
        if str(place.parents[1]) not in sys.path:
            sys.path.append(str(place.parents[1]))
        stated = importlib.import_module(place.parent.name).VENDOR
        assert isinstance(stated, Vendor), place
        found.append(stated)
    return found


def _has(vendor: "Vendor[Device]", part: str) -> bool:
    return (ROOT / "plugins" / vendor.name / vendor.package / part).is_dir()


def _with_table(text: str, group: str, rows: Iterable[tuple[str, str]]) -> str:
    head = f'[project.entry-points."{group}"]\n'
    start = text.index(head) + len(head)
    end = text.index("\n\n", start)
    return text[:start] + "\n".join(f'{key} = "{value}"' for key, value in rows) + text[end:]


def _with_list(text: str, anchor: str, items: Iterable[str], *, of: str = "", after: bool = False) -> str:
    """Return the text with the list that begins after the anchor replaced.

    of     the list's key, where the anchor is followed by others
    after  keep what the list holds of accel's own and of others' modules before the plugins'
    """
    place = text.index(anchor)
    begin = text.index("[\n", text.index(of, place) if of else place) + 1
    end = text.index("\n]", begin)
    kept = [w for w in re.findall(r'"([^"]+)"', text[begin:end]) if not w.startswith("accel_")] if after else []
    return text[:begin] + "\n" + "\n".join(f'  "{item}",' for item in (*kept, *items)) + text[end:]
