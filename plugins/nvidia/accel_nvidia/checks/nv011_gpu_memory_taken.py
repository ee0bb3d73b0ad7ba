from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from accel.facts.containers import CONTAINER, in_container
from accel.model.dataclass import replace
from accel.text.amounts import number
from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, number_word
from accel.vendors.toolkit.table_steps import fixes
from accel_nvidia import around

if TYPE_CHECKING:
    from accel.model.device import Device

_FULL: Final = 0.8  # of the whole, used
_NO_ROOM: Final = 0.95  # share used: a library's workspace does not fit in the rest
_MOSTLY_FREE: Final = 0.6  # of the whole
_LITTLE_FREE: Final = 0.5  # share free before a framework allocates any


@check(
    code="NV011",
    name="gpu-memory-taken-by-other-process",
    layer="access",
    reads=(
        *("memory-taken-at-start", "memory-held-by-others", "context-out-of-memory", "tensorflow-free-memory"),
        *(
            "gpu-out-of-memory",
            "math-library-not-started",
            "tensorflow-in-use",
            *around.AMD,
            "nvidia-gpu-named",
            *CONTAINER,
        ),
    ),
    needs=("run.program",),
    explained_by=("memory-held-by-nobody-visible",),
)
def gpu_memory_taken(facts: Facts, specs: Specs) -> Problems:
    """Another process, possibly a dead one, holds the GPU's memory before the job starts.

    Why it matters   The job stops with "out of memory" or refuses to start, although it would fit on an empty GPU.
    What to do       End the other process or choose another GPU; if no listed process holds the memory, reset the GPU.
    Looks at         free memory at startup of vLLM and SGLang; the processes, or the process's own share, in PyTorch's
                     message; a context or library workspace that does not fit; free memory that TensorFlow reports
    Silent when      the failing process holds the memory itself
    Source           vLLM gpu_worker; c10/cuda/CUDACachingAllocator.cpp; TensorFlow gpu_device.cc
    """
    said = facts.stated("memory-taken-at-start")
    if said:
        known = next((fact for fact in said if fact.value("free") and fact.value("total")), None)
        words = f": {known.value('free')} of {known.value('total')} GiB are free" if known else ""
        taken = _problem(facts, specs, f"The GPU's memory is in use before the program starts{words}", said)
        yield replace(taken, remedies=(*_within_what_is_free(known), *taken.remedies))
        return
    held = facts.stated("memory-held-by-others")
    if held:
        others, total = ((held[0].number(key) or 0) / (1 << 30) for key in ("others", "total"))
        title = f"Other processes use {others:.1f} of {total:.1f} GiB of GPU {held[0].value('gpu')}"
        free = held[0].number("free")
        rest = f"{total:.2f} GiB without the {(free or 0) / (1 << 30):.2f} GiB that are free, what torch holds"
        told = f"An estimate: {rest}, and up to 1.5 GiB for this process's own CUDA context."
        yield replace(_problem(facts, specs, title, held), detail=told if free is not None else None)
        return
    outside = facts.stated("context-out-of-memory")
    full = [d for d in around.listed(facts) if _share_used(d) >= _FULL]
    if outside and full:
        yield _problem(facts, specs, f"{full[0].id} is full: a program cannot even create its context", outside)
        return
    library = facts.stated("math-library-not-started")
    packed = [d for d in around.listed(facts) if _share_used(d) >= _NO_ROOM]
    takes_all = facts.framework("tensorflow") or facts.framework("jax") or facts.first("tensorflow-in-use")
    if library and packed and len(packed) == len(around.listed(facts)) and not takes_all:
        yield _problem(
            facts, specs, f"{packed[0].id} is full: cuBLAS or cuDNN finds no room for its workspace", library
        )
        return
    looked = [fact for fact in facts.stated("tensorflow-free-memory") if _is_little(fact)]
    if looked and facts.stated("gpu-out-of-memory"):
        yield _problem(facts, specs, "The GPU's memory is in use before TensorFlow starts", looked)


def _within_what_is_free(fact: Fact | None) -> tuple[Remedy, ...]:
    """Return the memory fraction to request when most of it is free: desktop programs hold the rest."""
    free, total = (number(fact.value(key)) if fact is not None else None for key in ("free", "total"))
    if free is None or not total or free < _MOSTLY_FREE * total:
        return ()
    share = int(100 * free / total - 3) / 100
    return (
        Remedy(
            text=f"Request only what is free, {share:.2f} of the total: vLLM's --gpu-memory-utilization, "
            "SGLang's --mem-fraction-static; use a smaller context or model if that is not enough.",
            action="app",
        ),
    )


def _is_little(fact: Fact) -> bool:
    """Return whether little of the total is free; the units are in the text: "10.91GiB freeMemory: 150.00MiB"."""
    free, total = (number(fact.value(key)) for key in ("free", "total"))
    if free is None or total is None:
        return False
    small = "mib" in fact.text.lower().split("freememory", 1)[-1][:24]
    return (free / 1024 if small else free) < _LITTLE_FREE * total


def _share_used(device: "Device") -> float:
    used, total = device.memory_used_bytes, device.memory_total_bytes
    return used / total if used is not None and total else 0.0


def _problem(facts: Facts, specs: Specs, title: str, found: Iterable[Fact]) -> Problem:
    found = tuple(found)
    alone = around.amd_seen(facts) and not facts.seen("nvidia")
    of_amd = alone or any("HIP out of memory" in fact.text for fact in found)
    remedies = fixes(specs, "nvidia", "memory-holder-amd") if of_amd else fixes(specs, "nvidia", "memory-holder")
    holders = {holder for fact in found if (holder := fact.value("holder"))}
    if len(holders) == 1 and not in_container(facts):  # a container's processes have other numbers inside
        (pid,) = holders
        text = f"Process {pid} holds it: stop that process if it is no longer needed, or choose an empty GPU."
        named = Remedy(text=text, command=command_line("ps -fp", number_word(pid)), action="app")
        remedies = (named, *remedies[1:])
    return Problem(title=title, evidence=quoted(found, most=2), remedies=remedies)
