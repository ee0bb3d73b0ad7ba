"""How to see that a fault is gone, as this machine types it and this reader may. Pure.

nvidia-smi -L; sudo dmesg -T | grep -i xid        nvidia-smi -L, for who is not root or rents a container
nvidia-smi --query-gpu=index,memory.used …        rocm-smi --showmeminfo vram, where the devices are AMD's
"""

from collections.abc import Mapping
from typing import Any, Final

from accel.model.diagnosis import Proof, Remedy
from accel.remedies.environment import Environment
from accel.remedies.render import rendered
from accel.resolver.system_tools import shells_table
from accel.text.pattern import pattern

_LIVE: Final = "accel doctor no longer names it."
_OF_A_TEXT: Final = "Do again what failed: accel doctor, run there or on the new output, no longer names it."
_OWN_KERNELS: Final = "ggml-program"  # brings its own GPU code: torch, if it is there, tells nothing of it
_OF_ROOT: Final = pattern(r"\bsudo |\bdmesg\b|\bjournalctl\b", exact_case=True)


def verification_of(name: str, here: Environment) -> Proof:
    """Return how to see that the fault of a check is gone: as its table has it, else by asking the doctor again."""
    again = {"text": _LIVE if here.facts.live else _OF_A_TEXT}
    known = here.specs.causes.get(name)
    told = known["over"] if known is not None else again
    if "import torch" in told.get("command", "") and here.facts.stated(_OWN_KERNELS):
        told = again
    command = _by_this_reader(told.get("command", "accel doctor"), here)
    typed = rendered(Remedy(text=told["text"], command=command), here)
    return Proof(text=typed.text, command=typed.command)


def _by_this_reader(command: str, here: Environment) -> str | None:
    """Return the parts that the reader may run and whose tool is there; None where none is left."""
    parts = command.split("; ")
    if here.root is False or (here.provider is not None and here.provider["is"] == "container"):
        parts = [part for part in parts if not _OF_ROOT.search(part)]
    makers = {device.backend for device in here.facts.accelerators}
    if len(makers) == 1 and "nvidia" not in makers:
        rows = shells_table(here.specs).get("device_tools", ())
        parts = [own for part in parts if (own := _in_tool_of(next(iter(makers)), part, rows)) is not None]
    return "; ".join(parts) or None


def _in_tool_of(maker: str, part: str, rows: "list[Mapping[str, Any]]") -> str | None:
    """Return what shows the same with the maker's own tool; None where it has none."""
    if "nvidia-smi" not in part:
        return part
    row = next((row for row in rows if row["nvidia"] == part), None)
    return row.get(maker) if row is not None else None
