"""Tells CUDA error 999 at initialization (the driver does not respond) from one after work (a kernel was killed)."""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import ErrorSeen, Fact
from accel.text.words import Words
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule

_AT_START: Final = ("cuinit", "cudagetdevicecount", "cuda_init", "cudasetdevice", "cudadriver", "is_available")
_AT_WORK: Final = (
    *("cudadevicesynchronize", "cudastreamsynchronize", "cudaeventsynchronize", "cuctxsynchronize"),
    *("custreamsynchronize", "cueventsynchronize", "cudathreadsynchronize", "cudamemcpy", "cudamemcpyasync"),
    *("cumemcpy", "cudalaunchkernel", "culaunchkernel", "cudapeekatlasterror", "cudafree", "cudaeventquery"),
    *("cudagetlasterror", "cudaeventrecord", "cudamemset", "cufree", "optixlaunch"),
)


@rule(
    gives={"cuda-failed-at-work": "an error that a kernel's end or the device's reset leaves, after the start"},
    triggers=("error.cuda",),
)
def cuda_failed_at_work(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for 719, and for 999 (30 before CUDA 10.1) from a call that waits for work or copies results, not from one
    that initializes CUDA: the driver worked until then.
    """
    for error in seen.of(ErrorSeen):
        if error.domain != "cuda" or error.code not in ("999", "30", "719"):
            continue
        words = Words(error.text).words
        work = [word for word in words if word.startswith(_AT_WORK)]
        if error.code == "719" or (work and not any(word.startswith(_AT_START) for word in words)):
            yield fact_from("cuda-failed-at-work", error, code=error.code, call=next(iter(work), None))
