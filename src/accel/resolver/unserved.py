"""A torch for a device without a public build: its vendor's, or a similar chip's with an override. Pure.

RX 6700 XT (gfx1031) on Linux      torch for ROCm with code for gfx1030, and HSA_OVERRIDE_GFX_VERSION=10.3.0
RX 5700 XT (gfx1010), or Windows   AMD's own wheels: torch[device-gfx1010] from its index

Rows: makers and families in specs/frameworks/installers.yaml, overrides in specs/amd/targets.yaml.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import replace
from accel.text.pattern import pattern
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import assignment_word, chained, command_line

if TYPE_CHECKING:
    from accel.resolver.catalogue import Catalogue
    from accel.resolver.target import Target

_OVERRIDE: Final = pattern(r"(?P<major>\d{1,2})\.(?P<minor>\d{1,2})\.(?P<step>\d{1,2})", exact_case=True)
_VARIABLE: Final = "HSA_OVERRIDE_GFX_VERSION"


def for_unserved(
    catalogue: "Catalogue", package: str, have: str | None, target: "Target", text: str, on: "Callable[[Any], Remedy]"
) -> Remedy | None:
    """Return the remedy for a device without a public build; None if no row has one.

    have  the installed build: "cu124", "rocm6.3"; on: returns the remedy for another machine
    """
    devices = target.accelerators or ()
    if len(devices) != 1:
        return None
    code = devices[0].code
    family = next((f for f in catalogue.families if f["vendor"] == devices[0].vendor), None)
    own = catalogue.command_of_makers(package, (target.platform or "").split("_")[0], devices)
    override = _override_of(catalogue, family, code) if target.platform == "linux_x86_64" else None
    if override is not None and family is not None and catalogue.family_of_variant(have or "cpu") != family["name"]:
        sister = on(replace(target, accelerators=(replace(devices[0], code=_target_of(override)),)))
        if sister.command is not None:
            word = f"{sister.text} Its code for {_target_of(override)} runs on {code}, which AMD does not support."
            command = chained(sister.command, command_line("export", assignment_word(_VARIABLE, override)))
            return Remedy(text=word, command=command)
    if own is None:
        return None
    told, command = own
    whole = chained(command_line("pip uninstall -y torch torchvision torchaudio"), command)  # pip takes one for another
    where = " for Windows" if target.system == "windows" else ""
    return Remedy(
        text=f"{text}. No build of {package} on the public index{where} has code for {code}: {told}.", command=whole
    )


def _override_of(catalogue: "Catalogue", family: "dict[str, Any] | None", code: str | None) -> str | None:
    table = catalogue.specs.table(family["overrides"]) if family is not None and family.get("overrides") else None
    rows = (table or {}).get("targets") or ()
    found: str | None = next((row["override"] for row in rows if row["target"] == code), None)
    return found


def _target_of(override: str) -> str | None:
    """Return the target of an override's version.

    >>> _target_of("10.3.0"), _target_of("9.0.12")
    ('gfx1030', 'gfx90c')
    """
    found = _OVERRIDE.fullmatch(override)
    return f"gfx{found['major']}{found['minor']}{int(found['step']):x}" if found is not None else None
