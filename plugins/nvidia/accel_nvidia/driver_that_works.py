"""A driver version that, according to the text, does not have the fault. Pure."""

from typing import Final

from accel.text.pattern import pattern
from accel.vendors.contract.check import Fact, Facts, Remedy

FACT: Final = "works-with-version"
_DRIVER: Final = pattern(r"[3-9]\d\d\.\d{2,3}(?:\.\d{2})?", exact_case=True)
_BRANCH: Final = pattern(r"[3-9]\d\d", exact_case=True)  # only next to the word driver


def told(facts: Facts) -> tuple[Fact, ...]:
    """Return where a text mentions a driver version that works; versions of other programs look different."""
    return tuple(fact for fact in facts.stated(FACT) if _is_driver(fact))


def _is_driver(fact: Fact) -> bool:
    version = fact.value("version") or ""
    return bool(_DRIVER.fullmatch(version) or (_BRANCH.fullmatch(version) and "driver" in fact.text.lower()))


def go_back(facts: Facts) -> tuple[Remedy, ...]:
    """Return the step to that version, if one is mentioned."""
    for fact in told(facts)[:1]:
        return (
            Remedy(
                text=f"Go back to driver {fact.value('version')}, which works according to this text, and pin "
                "the package until a newer driver fixes the problem; then reboot.",
                command="cat /proc/driver/nvidia/version",
                action="admin",
            ),
        )
    return ()
