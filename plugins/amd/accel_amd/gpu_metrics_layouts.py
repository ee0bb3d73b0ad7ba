"""The layout of amdgpu's gpu_metrics by version, from specs/amd/gpu_metrics.yaml."""

from typing import Final

from accel.specs.store import bundled

Layout = tuple[tuple[int, str], ...]

_TABLE: Final = bundled().table("amd/gpu_metrics")
LAYOUTS: Final[dict[tuple[int, int], Layout]] = {
    tuple(row["version"]): tuple((size, names) for size, names in row["parts"]) for row in _TABLE["layouts"]
}
# Versions whose record goes on with partitions, and how long it is at least. Each begins with eight numbers of four
# bytes: how busy its dies are.
WITH_PARTITIONS: Final = {
    tuple(row["version"]): row["partitions_from"] for row in _TABLE["layouts"] if "partitions_from" in row
}
PARTITIONS: Final = 8
DIES: Final = 8
ATTRIBUTES: Final = dict(enumerate(_TABLE["attributes"].split()))
