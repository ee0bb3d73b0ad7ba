"""Whether binaries contain code for a GPU: the build's architectures against the GPU's compute capability. Pure."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

Fit = Literal["code", "ptx", "none"]


def capabilities(facts: "Facts", specs: "Specs") -> tuple[str, ...] | None:
    """Return the GPUs' compute capabilities without duplicates; None if there are none or one is unknown."""
    found = [d.compute_capability or (specs.compute_capability(d.name) if d.name else None) for d in facts.of("nvidia")]
    known = tuple(dict.fromkeys(c for c in found if c is not None))
    return known if known and None not in found else None


def platform_of(facts: "Facts") -> str:
    """Return the wheel platform; Linux on x86-64 unless the text says otherwise."""
    arm = facts.host.machine in ("aarch64", "arm64")
    if facts.host.system == "windows":
        return "windows_arm64" if arm else "windows_x86_64"
    return "linux_aarch64" if arm else "linux_x86_64"


def capability_of(architecture: str) -> tuple[int, int] | None:
    """Return the capability that an architecture's name stands for; None if it is not such a name.

    >>> capability_of("sm_86"), capability_of("compute_120"), capability_of("9.0"), capability_of("gfx90a")
    ((8, 6), (12, 0), (9, 0), None)
    """
    found = re.fullmatch(r"(?:(?:sm|compute)_)?(\d{1,2}?)\.?(\d)[af]?", architecture.strip())
    return (int(found[1]), int(found[2])) if found else None


def fit(architectures: Iterable[str], capability: str) -> Fit | None:
    """Return how a build runs on a GPU: by machine code, by PTX that the driver compiles, or not at all.

    Machine code runs on its own major version from its own minor upwards; with the suffix "a" only on exactly its own
    capability. PTX runs on everything newer. None if the capability, or every architecture, is unreadable.

    >>> fit(("sm_80",), "8.6"), fit(("sm_50",), "6.1"), fit(("sm_50", "compute_50"), "6.1"), fit(("sm_90a",), "9.0")
    ('code', 'none', 'ptx', 'code')
    """
    wanted = capability_of(capability)
    known = [(name, number) for name in architectures if (number := capability_of(name)) is not None]
    if wanted is None or not known:
        return None
    best: Fit = "none"
    for name, number in known:
        if name.startswith("compute"):
            if number <= wanted and not name.endswith(("a", "f")):
                best = "ptx"
        elif number == wanted or (number[0] == wanted[0] and number[1] <= wanted[1] and not name.endswith("a")):
            return "code"
    return best
