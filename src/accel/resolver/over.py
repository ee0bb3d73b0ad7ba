"""How one sees that a fault is over, as this machine types it and this reader may. Pure.

nvidia-smi -L; sudo dmesg -T | grep -i xid        nvidia-smi -L, for who is not root or rents a container
nvidia-smi --query-gpu=index,memory.used …        rocm-smi --showmeminfo vram, where the devices are AMD's
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.model.diagnosis import Proof, Remedy
from accel.resolver.here import as_typed_here
from accel.resolver.renter import provider_of
from accel.resolver.surroundings import may_be_root
from accel.resolver.system_tools import shells_table
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_LIVE: Final = "accel doctor no longer names it."
_OF_A_TEXT: Final = "Do again what failed: accel doctor, run there or on the new output, no longer names it."
_OWN_KERNELS: Final = "ggml-program"  # brings its own GPU code: torch, if it is there, tells nothing of it
_OF_ROOT: Final = pattern(r"\bsudo |\bdmesg\b|\bjournalctl\b", exact_case=True)


def over_of(name: str, facts: "Facts", specs: "Specs", powershell: bool | None = None) -> Proof:
    """Return how one sees that the fault of a check is over: as its table has it, else by asking the doctor again."""
    known = specs.causes.get(name)
    told = known["over"] if known is not None else {"text": _LIVE if facts.live else _OF_A_TEXT}
    if "import torch" in told.get("command", "") and facts.stated(_OWN_KERNELS):
        told = {"text": _LIVE if facts.live else _OF_A_TEXT}
    command = _by_this_reader(told.get("command", "accel doctor"), facts, specs)
    typed = as_typed_here(Remedy(text=told["text"], command=command), facts, specs, powershell)
    return Proof(text=typed.text, command=typed.command)


def _by_this_reader(command: str, facts: "Facts", specs: "Specs") -> str | None:
    """Return the parts that the reader may run and whose tool is there; None where none is left."""
    parts = command.split("; ")
    provider = provider_of(facts, specs)
    if may_be_root(facts) is False or (provider is not None and provider["is"] == "container"):
        parts = [part for part in parts if not _OF_ROOT.search(part)]
    makers = {device.backend for device in facts.accelerators}
    if len(makers) == 1 and "nvidia" not in makers:
        rows = shells_table(specs).get("device_tools", ())
        parts = [here for part in parts if (here := _in_tool_of(next(iter(makers)), part, rows)) is not None]
    return "; ".join(parts) or None


def _in_tool_of(maker: str, part: str, rows: "list[Mapping[str, Any]]") -> str | None:
    """Return what shows the same with the maker's own tool; None where it has none."""
    if "nvidia-smi" not in part:
        return part
    row = next((row for row in rows if row["nvidia"] == part), None)
    return row.get(maker) if row is not None else None
