"""NVIDIA's CUDA wheels among the packages: nvidia-cublas-cu11, nvidia-cublas-cu12. Pure."""

from typing import TYPE_CHECKING, Final

from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.facts.questions import Facts

_WHEEL: Final = pattern(r"nvidia-(\w[\w-]*)-cu(\d{2})", exact_case=True)


def of_two_majors(facts: "Facts") -> tuple[str, ...]:
    """Return the wheels of each library installed for more than one CUDA major; () if there are none."""
    found: dict[str, dict[str, str]] = {}
    for package in facts.packages():
        named = _WHEEL.fullmatch(package.name)
        if named:
            found.setdefault(named[1], {})[named[2]] = package.name
    return tuple(name for majors in found.values() if len(majors) > 1 for name in majors.values())
