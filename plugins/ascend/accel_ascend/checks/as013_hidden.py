from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Remedy, Specs, check, need, quoted
from accel.vendors.contract.command import assignment_word, command_line
from accel.vendors.toolkit.table_steps import fix
from accel_ascend.concern import chips
from accel_ascend.visibility import RUNTIME_MASK, runtime_ids


@check(
    code="AS013",
    name="npu-hidden",
    layer="access",
    family="devices-hidden",
    reads=("npu-visible-out-of-range", "acl-no-device", "npu-count-printed"),
    needs=("ascend.devices", "environment.variables"),
    asks=("environment.variables",),
)
def npu_hidden(facts: Facts, specs: Specs) -> Problems:
    """ASCEND_RT_VISIBLE_DEVICES hides chips, or names missing ones.

    Why it matters   The runtime stops at the first invalid entry, with 207004, 107001 or no message.
    What to do       Use the logic IDs 0 to n-1 of the chips that this container or host shows, ascending, without
                     blanks; not slots, NPU IDs or physical IDs.
    Looks at         ASCEND_RT_VISIBLE_DEVICES and the runtime's message about it; chips listed or counted by a program
    Silent when      the variable is unset or every entry is valid; the number of chips is unknown
    Source           github.com/gpustack/gpustack/issues/3352; github.com/vllm-project/vllm-ascend/issues/10227;
                     hiascend.com, environment variables of CANN 8.5
    """
    told = facts.stated("npu-visible-out-of-range")
    mask, known = facts.variable(RUNTIME_MASK), chips(facts)
    if mask is not None:
        told += facts.stated("acl-no-device")
    if mask is None and not told:
        return
    entries = [entry for entry in (mask or "").split(",") if entry.strip()]
    fewer = tuple(fact for fact in facts.stated("npu-count-printed") if mask and 0 <= _count(fact) < len(entries))
    told += fewer
    evidence = quoted(told)
    ranged = next((high for fact in told if (high := fact.number("high"))), None)
    count = ranged or len(known)
    if mask is not None:
        evidence = (Evidence(fact=RUNTIME_MASK, value=mask), *evidence)
        if mask.strip() and not count and not told:
            need(None, "chips of this machine")
        taken = runtime_ids(mask, count)
        if len(taken) == len(entries) and taken and not told:
            return
    yield Problem(
        title=f"{RUNTIME_MASK} is empty: no chip is visible"
        if mask is not None and not mask.strip()
        else f"{RUNTIME_MASK} is not in ascending order"
        if any(fact.value("order") for fact in told)
        else f"{RUNTIME_MASK} names chips that do not exist",
        detail=f"There are {count} chips, numbered 0 to {count - 1}, whatever their slot or NPU ID." if count else None,
        evidence=evidence,
        remedies=(
            fix(specs, "ascend", "unset-mask"),
            Remedy(
                text="Or give the numbers as the runtime counts them: from 0, ascending, without spaces.",
                command=command_line(
                    "export", assignment_word(RUNTIME_MASK, ",".join(str(n) for n in range(min(count, 8))))
                )
                if count
                else None,
                action="env",
            ),
        ),
    )


def _count(fact: Fact) -> int:
    count = fact.number("count")
    return -1 if count is None else count
