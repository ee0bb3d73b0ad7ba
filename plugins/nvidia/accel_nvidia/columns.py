"""The nvidia-smi --query-gpu names of NvidiaDevice's fields, from the reader of its output."""

from collections.abc import Mapping
from typing import Final

from accel_nvidia.query_facts import FACTS

NAMES: Final[Mapping[str, str]] = {name: fact.field for fact in FACTS for name in fact.csv} | {
    f"ecc.errors.{kind}.{period}.total": f"ecc_{kind}_{period}"
    for kind in ("corrected", "uncorrected")
    for period in ("volatile", "aggregate")
}
