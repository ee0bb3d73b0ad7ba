"""Whether a device can run the GPU code in a build.

Machine code ("sm_86") runs on its own capability and on later minors of the same major; on integrated devices only on
its own, according to CUDA's guide ("binary compatibility is not supported between desktop and Tegra"). "sm_90a" runs
only on 9.0. Portable code ("compute_90") is compiled on any later device, if the driver supports the toolkit that made
it. A toolkit older than the device cannot produce code for it; libraries in such a build predate the device too.
"""

import re
from functools import lru_cache
from typing import Any, Literal

from accel.model.dataclass import dataclass
from accel.specs import Specs
from accel.specs.versions import Numbers, numbers

Fit = Literal["machine", "portable", "no", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The toolkits that can target a device, and the driver branches that support it; None if unknown.

    first_compatible_toolkit  the first that can target it or an earlier minor of its major, whose code also runs on it
    """

    integrated: bool = False
    first_toolkit: str | None = None
    first_compatible_toolkit: str | None = None
    last_toolkit: str | None = None
    first_branch: int | None = None
    last_branch: int | None = None


def limits_of(specs: Specs, vendor: str, code: str | None) -> Limits:
    """Return the limits of a device; all None if its code is not in the vendor's table."""
    rows = (specs.table(f"{vendor}/architectures") or {}).get("compute_capabilities") or ()
    row: dict[str, Any] | None = next((r for r in rows if r["compute_capability"] == code), None)
    if row is None or code is None:
        return Limits()
    integrated = row.get("kind") == "integrated"
    earlier = [r for r in rows if _runs_code_of(code, r["compute_capability"]) and r.get("kind") != "integrated"]
    firsts = [r["first_toolkit"] for r in ([row] if integrated else earlier) if r.get("first_toolkit")]
    return Limits(
        integrated=integrated,
        first_toolkit=row.get("first_toolkit"),
        first_compatible_toolkit=min(firsts, key=numbers) if firsts else None,
        last_toolkit=row.get("last_toolkit"),
        first_branch=row.get("first_driver_branch"),
        last_branch=row.get("last_driver_branch"),
    )


def fit_of_capability(
    architectures: tuple[str, ...] | None, toolkit: str | None, served: str | None, code: str | None, limits: Limits
) -> Fit:
    """Return whether the code in a build (by its architectures and toolkit) runs on a device.

    served  the newest toolkit that the driver supports; None if unknown
    """
    if code is None:
        return "unknown"
    made_with = numbers(toolkit)[:2] if toolkit else None
    if architectures is None:
        return "no" if made_with and _outside(made_with, limits) else "unknown"
    entries = _entries(tuple(architectures))
    if any(kind == "sm" and _machine_code_runs(made_for, suffix, code, limits) for kind, made_for, suffix in entries):
        return "machine"
    portable = [
        made_for
        for kind, made_for, suffix in entries
        if kind == "compute" and not suffix and numbers(made_for) <= numbers(code)
    ]
    too_old = made_with is not None and limits.first_toolkit is not None and made_with < numbers(limits.first_toolkit)
    if not portable or too_old:
        return "no"
    if made_with is None or served is None:
        return "unknown"
    return "portable" if made_with <= numbers(served)[:2] else "no"


@lru_cache(maxsize=512)
def _entries(architectures: tuple[str, ...]) -> tuple[tuple[str, str, str], ...]:
    """Return (kind, capability, suffix) of each: ("sm", "9.0", "a") of "sm_90a"."""
    matches = (re.fullmatch(r"(sm|compute)_(\d+)(\d)([af]?)", text) for text in architectures)
    return tuple((one[1], f"{one[2]}.{one[3]}", one[4]) for one in matches if one is not None)


def _machine_code_runs(made_for: str, suffix: str, code: str, limits: Limits) -> bool:
    if suffix == "a" or limits.integrated:
        return made_for == code
    return _runs_code_of(code, made_for)


def _runs_code_of(code: str, made_for: str) -> bool:
    """Return whether the majors are equal and the code's minor is not above the device's."""
    one, other = numbers(made_for), numbers(code)
    return one[:1] == other[:1] and one <= other


def _outside(made_with: Numbers, limits: Limits) -> bool:
    first, last = limits.first_compatible_toolkit, limits.last_toolkit
    return (first is not None and made_with < numbers(first)) or (last is not None and made_with > numbers(last))
