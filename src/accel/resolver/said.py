"""Facts about the machine from a text's prose, for a remedy: the driver, and the only device it names. Pure.

"driver 551.86" in a sentence         the driver, if no tool shows one and the text names no other
"nvidia-smi shows RTX 2080 Ti"        the device, if none is listed and all named ones have the same code
"""

from typing import Any, Final

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.text.pattern import pattern

_CODES: Final = {"capability": pattern(r"\d{1,2}\.\d", exact_case=True), "target": pattern(r"gfx[0-9a-f]{3,5}")}
_NAMED: Final = "device-named"
_VERSION: Final = pattern(r"[1-9]\d{2}\.\d{2,3}(?:\.\d{2})?", exact_case=True)


def said_driver(facts: Facts, specs: Specs, vendor: str) -> str | None:
    """Return the version of the vendor's driver; None if the text names none, or several."""
    stated = _family(specs, vendor).get("driver_fact")
    if facts.live or stated is None:
        return None
    named = {fact.value("driver") or "" for fact in facts.stated(stated)}
    known = [version for version in named if _VERSION.fullmatch(version)]
    return known[0] if len(known) == 1 else None


def said_device(facts: Facts, specs: Specs, vendor: str) -> tuple[str, str] | None:
    """Return name and code of the vendor's device; None if none is named, or devices with different codes."""
    code = _CODES.get(_family(specs, vendor).get("code", ""))
    if facts.live or code is None:
        return None
    named = [(fact.value("name") or "", fact.value("code") or "") for fact in facts.stated(_NAMED)]
    of_vendor = [one for one in named if code.fullmatch(one[1])]
    return of_vendor[0] if len({found for _, found in of_vendor}) == 1 else None


def _family(specs: Specs, vendor: str) -> dict[str, Any]:
    """Return the family of builds for a vendor's devices; {} if there is none."""
    families = (specs.table("frameworks/installers") or {}).get("families", ())
    return next((family for family in families if family["vendor"] == vendor), {})
