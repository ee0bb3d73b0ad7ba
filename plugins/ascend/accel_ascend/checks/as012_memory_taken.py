from accel.vendors.contract.check import Facts, Problem, Problems, Specs, check, need, quoted
from accel.vendors.toolkit.table_steps import fixes


@check(
    code="AS012",
    name="npu-memory-taken",
    layer="access",
    family="gpu-memory-taken-by-other-process",
    reads=("npu-out-of-memory",),
    needs=("run.program",),
)
def npu_memory_taken(facts: Facts, specs: Specs) -> Problems:
    """A program ran out of chip memory because other processes hold most of it.

    Why it matters   Allocating less does not help: the other processes' memory must be freed.
    What to do       List the chip's processes and stop leftover ones.
    Looks at         torch_npu's out-of-memory message: this process's share of the total, and what was free
    Silent when      the process held at least half of the chip itself, or no less than others did; nothing ran out of
                     memory
    Source           torch_npu NPUCachingAllocator; github.com/Ascend/pytorch/issues/166
    """
    told = facts.stated("npu-out-of-memory")
    free = {fact.line: _number(fact.value("free")) for fact in told if fact.value("free")}
    for fact in told:
        total = need(_number(fact.value("total")), "the chip's memory")
        own = need(_number(fact.value("allocated")), "what the process held")
        own = own / 1024 if fact.value("unit") == "MiB" else own
        of_others = total - own - (free.get(fact.line) or 0)
        if own >= total / 2 or own >= of_others:
            continue
        npu = fact.value("npu")
        yield Problem(
            title=f"NPU {npu} ran out of memory; this process used {own:.1f} of {total:.1f} GiB",
            evidence=quoted((fact,)),
            remedies=fixes(specs, "ascend", "npu-memory-taken"),
        )


def _number(text: str | None) -> float | None:
    try:
        return float(text or "")
    except ValueError:
        return None
