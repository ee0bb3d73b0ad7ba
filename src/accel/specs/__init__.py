"""The spec database: what is known of products, toolkits, frameworks and their messages, with sources.

    from accel.specs import load
    specs = load()
    specs.compute_capability("GeForce GTX 1080 Ti")                         # "6.1"
    specs.toolkit("cuda", "12.1").driver_floor                              # "525.60.13"
    specs.build("torch", "2.4.0", variant="cu121").architectures            # ("sm_50", …, "sm_90")

A wheel holds the tables compiled to JSON; a checkout reads the YAML in specs/. Each is parsed when first asked for.
"""

from typing import TYPE_CHECKING, Any

from accel.specs.load import Specs, load

if TYPE_CHECKING:
    from accel.specs.records import Architecture, Build, Chip, Companion, Message, Release, Toolkit

__all__ = ["Architecture", "Build", "Chip", "Companion", "Message", "Release", "Specs", "Toolkit", "load"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'accel.specs' has no attribute {name!r}")
    from accel.specs import records

    return getattr(records, name)
