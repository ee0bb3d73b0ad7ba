"""What can be asked about a text: commands for its vendors, system and devices, unless it already answers them. Pure.

a Mac, an Ascend server      no nvidia-smi and no LD_LIBRARY_PATH, even if the text contains the word cuda
a Jetson                     no nvidia-smi, which its driver does not include
a Radeon                     rocm-smi instead of nvidia-smi, and nothing of NVIDIA's that has no counterpart
"""

from collections.abc import Iterable, Iterator
from typing import Final

from accel.facts.makers import is_of_others
from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.command import parts_of

_ALSO_OF_PROCESSORS: Final = frozenset({"amd", "intel", "nvidia"})  # named for the processor, or to compare with


def subjects_of(facts: Facts, specs: Specs) -> frozenset[str]:
    """Return what a text is about, without vendors that have no device here; everything, if no device is known."""
    spoken = frozenset(fact.value("subject") or "" for fact in facts.stated("spoken-of"))
    makers = specs.hints.makers
    here = {device.backend for device in facts.accelerators}
    here |= {"apple"} if facts.host.system == "macos" else set()
    known = frozenset(subject for subject, backend in makers.items() if backend in here)
    return (spoken - makers.keys()) | known if known else spoken


def maker_of(facts: Facts, specs: Specs) -> str | None:
    """Return the backend of the only vendor whose devices are present or named; None if there are several or none."""
    here = {device.backend for device in facts.accelerators}
    if not here and facts.states(("amd-brand-named",)) and not facts.states(("nvidia-gpu-named",)):
        here = {"amd"}
    named = here or {specs.hints.makers[one] for one in subjects_of(facts, specs) if one in specs.hints.makers}
    named = (named - _ALSO_OF_PROCESSORS) or named
    return next(iter(named)) if len(named) == 1 else None


def askable(command: str | None, facts: Facts, specs: Specs) -> str | None:
    """Return the parts of a command, joined by ";", that this machine can have and that the text does not answer."""
    from accel.diagnose.answered import unanswered

    lacking = specs.hints.lacking(facts.host.system, subjects_of(facts, specs))
    parts = [part for part in parts_of(command or "") if part and not any(word in part for word in lacking)]
    maker = maker_of(facts, specs)
    if maker is not None and parts:
        parts = list(_of_maker(maker, parts, specs))
    return unanswered("; ".join(parts), facts, specs) if parts else None


def _of_maker(maker: str, parts: "Iterable[str]", specs: Specs) -> "Iterator[str]":
    """Yield the parts in a vendor's tools, without those of other vendors' tools that have no counterpart."""
    from accel.remedies.verify import in_tool_of  # needed only where something is asked

    rows = (specs.table("language/shells") or {}).get("device_tools", ())
    for part in parts:
        typed = part if maker == "nvidia" else in_tool_of(maker, part, rows)
        if typed is not None and not is_of_others(typed, frozenset({maker}), specs):
            yield typed
