"""Another process holds the GPU's memory before the job starts."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Evidence, Problem, Remedy, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.device import Device
    from accel.model.report import Event
    from accel.specs import Specs

_BYTES: Final = {"bytes": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_SHARE: Final = 0.25  # of the whole: what another must hold to count as the cause of a failed allocation
_LEAST_BYTES: Final = 2 << 30  # contexts and the driver's own share stay below
_FULL: Final = 0.8  # of the whole, used
_LITTLE_FREE: Final = 0.5  # of the whole, free before a framework takes any


@check(code="NV011", name="gpu-memory-taken-by-other-process", layer="access")
def gpu_memory_taken(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """Another process, or one that is dead, holds the GPU's memory before the job starts.

    Why it matters   The job stops with "out of memory" or refuses to start, though it would fit on an empty GPU.
    What to do       End the other process or choose another GPU; if nothing shown holds it, reset the GPU.
    Looks at         vLLM's look at free memory on startup; the processes or the own share that torch's message names;
                     a context that does not fit; free memory that TensorFlow prints
    Silent when      the failing process holds the memory itself
    Source           vLLM gpu_worker; c10/cuda/CUDACachingAllocator.cpp; TensorFlow gpu_device.cc
    """
    said = facts.events("vllm-memory-taken", "memory-gone-at-start", "memory-changed-by-others", "memory-unbalanced")
    if said:
        left, whole = said[0].value("free"), said[0].value("total")
        known = f": {left} of {whole} GiB are free" if left and whole else ""
        yield _problem(f"The GPU's memory is taken before the program starts{known}", said)
        return
    for event in facts.events("oom-with-processes", "oom-with-own-share"):
        total = _bytes(event.value("total"), event.value("total_unit"))
        others = _held_by_others(event)
        if total is not None and others is not None and others >= max(_LEAST_BYTES, _SHARE * total):
            share = f"{others / (1 << 30):.1f} of {total / (1 << 30):.1f} GiB"
            yield _problem(f"Other processes hold {share} of GPU {event.value('gpu')}", (event,))
            return
    outside = facts.events("allocation-outside-torch-failed")
    full = [d for d in signs.listed(facts) if _share_used(d) >= _FULL]
    if outside and full:
        yield _problem(f"{full[0].id} is full, and a program does not even get its context", outside)
        return
    if facts.event("out-of-memory") is None:
        return
    for event in facts.events("device-free-memory"):
        total, free = _bytes(event.value("total"), "GiB"), _bytes(event.value("free"), event.value("free_unit"))
        if total is not None and free is not None and free < _LITTLE_FREE * total:
            yield _problem("The GPU's memory is taken before TensorFlow starts", (event,))
            return


def _held_by_others(event: "Event") -> int | None:
    """Return what others hold, in bytes: as listed, or what is neither free nor the failing process's own."""
    listed = event.value("processes")
    if listed is not None:
        words = listed.split()
        amounts = [_bytes(words[i + 1], words[i + 2]) for i, word in enumerate(words) if word == "has"]
        return sum(amount for amount in amounts if amount is not None)
    total = _bytes(event.value("total"), event.value("total_unit"))
    free = _bytes(event.value("free"), event.value("free_unit"))
    own = _bytes(event.value("own"), event.value("own_unit"))
    return None if total is None or free is None or own is None else total - free - own


def _share_used(device: "Device") -> float:
    used, total = device.memory_used_bytes, device.memory_total_bytes
    return used / total if used is not None and total else 0.0


def _bytes(number: str | None, unit: str | None) -> int | None:
    if number is None or unit not in _BYTES:
        return None
    try:
        return int(float(number) * _BYTES[unit])
    except ValueError:
        return None


def _problem(title: str, events: "tuple[Event, ...]") -> Problem:
    return Problem(
        title=title,
        evidence=(*signs.quoted(events, most=2), Evidence(fact="held by", value="not the failing process")),
        remedies=(
            Remedy(
                text="See who holds it, and end that process, or choose an empty GPU.",
                command=(
                    "nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv; sudo "
                    "fuser -v /dev/nvidia*"
                ),
                action="app",
            ),
            Remedy(
                text="If no living process is listed, reset the GPU (nothing may use it), or reboot.",
                command="sudo nvidia-smi --gpu-reset",
                action="reset",
            ),
        ),
    )
