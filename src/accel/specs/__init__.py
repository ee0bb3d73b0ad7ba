"""The spec database: products, toolkits, frameworks and their error messages, with sources.

None always means "unknown". A record's confidence is| "official" (a vendor's document), "derived" (computed from
official data), "community" (third parties); of chips "high" (a vendor's document or driver table that an independent
table agrees with), "medium" (one of the two, or derived), "low" (press, estimates, conflicts).

    from accel.specs import load
    specs = load()
    specs.compute_capability("GeForce GTX 1080 Ti")                         # "6.1"
    specs.toolkit("cuda", "12.1").driver_floor                              # "525.60.13"
    specs.build("torch", "2.4.0", variant="cu121").architectures            # ("sm_50", …, "sm_90")

A wheel holds the tables compiled to JSON; a checkout reads the YAML in specs/. Each table is parsed on first use.
"""

from typing import TYPE_CHECKING, Any

from accel.specs.load import Specs, load

if TYPE_CHECKING:
    from accel.model.chip import Chip
    from accel.specs.architectures import Architecture
    from accel.specs.companions import Companion
    from accel.specs.frameworks import Build, Release
    from accel.specs.toolkits import Toolkit

__all__ = ["Architecture", "Build", "Chip", "Companion", "Release", "Specs", "Toolkit", "load"]

_HOMES = {
    "Architecture": "accel.specs.architectures",
    "Chip": "accel.model.chip",
    "Companion": "accel.specs.companions",
    **dict.fromkeys(("Build", "Release"), "accel.specs.frameworks"),
    "Toolkit": "accel.specs.toolkits",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'accel.specs' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
