"""What programs print on a machine without an accelerator, where they go on without one: it is expected there."""

from collections.abc import Container
from typing import Final

from accel.collect.status.faults import FAULTS, kind_of
from accel.collect.status.told import Told
from accel.model.dataclass import replace
from accel.model.observation import Observation

_WITHOUT: Final = ("intel", "apple", "cpu")  # makers whose graphics such machines have
_WHY: Final = "expected on a machine whose accelerator is not to be used, or that has none"


def with_fallbacks(judged: list[Observation], told: Told, fallback: Container[str]) -> list[Observation]:
    """Return the observations, the fallbacks expected where the writer says that no accelerator is there or wanted.

    fallback  names of facts: what a program says that goes on without a device
    """
    if not told.says("bare") or told.says("wanted") or any(map(_is_accelerator, judged)):
        return judged
    lines = {one.line for one in judged if getattr(one, "fact", None) in fallback and one.status == "present"}
    lines -= {one.line for one in judged if kind_of(one) == "raised"}  # what ends a program is no way to go on
    return [
        replace(one, status="expected", why=_WHY)
        if one.line in lines and one.status == "present" and kind_of(one) in FAULTS
        else one
        for one in judged
    ]


def _is_accelerator(one: Observation) -> bool:
    """Whether a device is named that a program could use."""
    return kind_of(one) == "product" and one.status == "present" and getattr(one, "vendor", "") not in _WITHOUT
