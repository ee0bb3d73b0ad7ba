"""Installers of Python packages, recognized by their output and the files that they write."""

from collections.abc import Mapping
from typing import Final

from accel.text.pattern import Pattern, pattern

# What only the one says where it cannot resolve. In the order in which they are looked for.
SPOKEN: Final[Mapping[str, Pattern]] = {
    "conda": pattern(r"UnsatisfiableError|ResolvePackageNotFound|PackagesNotFoundError|LibMamba|SpecsConfiguration"),
    "pip": pattern(r"ResolutionImpossible|No matching distribution found"),
    "pixi": pattern(r"pixi\.(?:toml|lock)|failed to solve (?:the conda )?requirements of"),
    "poetry": pattern(r"poetry\.lock|SolverProblemError|version solving failed"),
    "uv": pattern(r"\buv\.lock\b|tool\.uv\b|No solution found when resolving dependencies"),
}

# What tells that a project is managed by the one: uv's own pip fails in the same words as uv's projects.
OF_PROJECT: Final[Mapping[str, Pattern]] = {
    "pixi": SPOKEN["pixi"],
    "poetry": SPOKEN["poetry"],
    "uv": pattern(r"\buv\.lock\b|tool\.uv\b"),
}
