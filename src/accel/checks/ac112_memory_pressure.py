from collections.abc import Iterator
from typing import Final

from accel.checks.stated_limits import size_in_words
from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, need, quoted

_LONG: Final = 10.0  # percentage of the last minute in which nothing ran because memory was missing


@check(
    code="AC112",
    name="memory-pressure",
    layer="access",
    severity="warning",
    reads=("pressure", "swap-use", "memory-use"),
    needs=("fact.pressure",),
    explained_by=("host-memory-limit",),
)
def memory_pressure(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """During at least a tenth of the last minute, all programs waited for memory at once.

    Why it matters   Data loading stalls while the kernel looks for free pages or swaps, the devices idle, and the next
                     allocation may get a process killed.
    What to do       Find what uses the memory; use fewer or smaller workers; give the job or container more memory.
    Looks at         the kernel's pressure stall information of the machine and of the control group; swap in use
    Silent when      the kernel does not measure it (no /proc/pressure); some programs wait while others run
    Source           Linux: Documentation/accounting/psi.rst
    """
    for fact in facts.stated("pressure"):
        if fact.value("resource") != "memory":
            continue
        share = fact.decimal("full_avg60")
        if need(share, "the share of time in which all programs waited for memory") < _LONG:
            continue
        group = fact.value("whose") == "control group"
        whose = "this control group" if group else "this machine"
        swap = next((one for one in facts.stated("swap-use") if (one.number("used") or 0) > 0), None)
        swapped = f", and {size_in_words(swap.number('used') or 0)} are swapped out" if swap is not None else ""
        yield Problem(
            title=f"Every program of {whose} waited for memory in {share:.0f} % of the last minute{swapped}",
            evidence=quoted((fact, *facts.stated("memory-use")[:1], *((swap,) if swap else ()))),
            remedies=(
                Remedy(
                    text="Check which processes use the memory, and use fewer or smaller workers.",
                    command="ps -eo pid,user,rss,args --sort=-rss | head -15; cat /proc/pressure/memory",
                    action="env",
                ),
                Remedy(
                    text="Give the job or the container more memory."
                    if group
                    else "Move a job to another machine, or add memory; more swap only makes it slower.",
                    action="admin",
                ),
            ),
        )
        return
