"""Installers of Python packages, recognized by their output and the files that they write."""

from collections.abc import Mapping
from typing import Final

from accel.text.pattern import Pattern, pattern

# Messages by which only this installer reports that it cannot resolve, in search order.
SPOKEN: Final[Mapping[str, Pattern]] = {
    "conda": pattern(r"UnsatisfiableError|ResolvePackageNotFound|PackagesNotFoundError|LibMamba|SpecsConfiguration"),
    "pip": pattern(r"ResolutionImpossible|No matching distribution found"),
    "pixi": pattern(r"pixi\.(?:toml|lock)|failed to solve (?:the conda )?requirements of"),
    "poetry": pattern(r"poetry\.lock|SolverProblemError|version solving failed"),
    "uv": pattern(r"\buv\.lock\b|tool\.uv\b|No solution found when resolving dependencies"),
}

# Signs that a project is managed by it: uv's own pip fails with the same messages as uv's projects.
OF_PROJECT: Final[Mapping[str, Pattern]] = {
    "pixi": SPOKEN["pixi"],
    "poetry": SPOKEN["poetry"],
    "uv": pattern(r"\buv\.lock\b|tool\.uv\b"),
}
