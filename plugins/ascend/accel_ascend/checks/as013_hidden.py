"""ASCEND_RT_VISIBLE_DEVICES hides chips, or names some that are not there."""

from collections.abc import Iterator

from accel.contract.check import Evidence, Problem, Remedy, check, need
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_ascend.concern import chips, only_on_ascend, said
from accel_ascend.visibility import RUNTIME_MASK, runtime_ids


@check(code="AS013", name="npu-hidden", layer="access", family="devices-hidden")
def npu_hidden(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """ASCEND_RT_VISIBLE_DEVICES hides chips, or names some that are not there.

    Why it matters   The runtime drops what it does not know and stops at the first such entry, with 207004, 107001 or
                     no word at all.
    What to do       Use the numbers 0 to n-1 of the chips that this container or host shows.
    Looks at         ASCEND_RT_VISIBLE_DEVICES; the chips listed; the runtime's complaint about it
    Silent when      the variable is unset or takes every entry; the number of chips is not known
    Source           github.com/gpustack/gpustack/issues/3352; github.com/vllm-project/vllm-ascend/issues/10227
    """
    only_on_ascend(facts)
    events = facts.events("npu-visible-out-of-range")
    mask, known = facts.variable(RUNTIME_MASK), chips(facts)
    if mask is not None:
        events += tuple(e for e in facts.events("acl-error") if e.value("code") in ("107001", "207004"))
    if mask is None and not events:
        return
    evidence = tuple(said(event) for event in events)
    if mask is not None:
        evidence = (Evidence(fact=RUNTIME_MASK, value=mask), *evidence)
        if mask.strip() and not known and not events:
            need(None, "chips of this machine")
        taken = runtime_ids(mask, len(known))
        entries = [entry for entry in mask.split(",") if entry.strip()]
        if len(taken) == len(entries) and taken and not events:
            return
    yield Problem(
        title=f"{RUNTIME_MASK} is empty: no chip is visible"
        if mask is not None and not mask.strip()
        else f"{RUNTIME_MASK} names chips that are not there",
        detail=f"{len(known)} chips are listed: the numbers are 0 to {len(known) - 1}." if known else None,
        evidence=evidence,
        remedies=(
            Remedy(
                text="Unset it, or give numbers from 0 on, as this container counts",
                command=f"unset {RUNTIME_MASK}",
                action="env",
            ),
        ),
    )
