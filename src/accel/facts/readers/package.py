"""Make Package records from printed names and versions."""

from typing import Final

from accel.model.environment import Package
from accel.text.versions import normalised

# Names used by conda and by people that differ from those of pip and Python's metadata.
_CONDA_NAMES: Final = {"pytorch": "torch", "pytorch-gpu": "torch", "pytorch-cpu": "torch"}


def package_of(
    name: str,
    version: str | None,
    *,
    build: str | None = None,
    channel: str | None = "pip",
    location: str | None = None,
) -> Package:
    """Make a Package. build: conda's build string; it becomes the variant if it is more than a number."""
    bare, _, local = (version or "").partition("+")
    normal = normalised(name)
    return Package(
        name=_CONDA_NAMES.get(normal, normal),
        version=bare or None,
        variant=local or build or None,
        channel=channel,
        location=location or None,
    )
