"""libtpu waits for the rest of the slice."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check
from accel_tpu.signs import need_tpu_or_wish, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="TP008",
    name="tpu-slice-incomplete",
    layer="application",
    explained_by=("tpu-held-by-other-process", "tpu-device-node-missing"),
)
def slice_incomplete(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """libtpu does not find all the chips or hosts that the slice's variables promise.

    Why it matters   The program hangs at its start, or fails to learn the topology.
    What to do       Start the program on every host of the slice, or set the bounds of one host.
    Looks at         "Failed to get global TPU topology", "Did you run your code on all TPU hosts?"
    Silent when      neither was said
    Source           jax: jax/_src/xla_bridge.py; google/gemma_pytorch issue 25
    """
    need_tpu_or_wish(facts)
    said = facts.events("tpu-topology-unknown")
    if not said:
        return
    hosts = [name for name in (facts.variable("TPU_WORKER_HOSTNAMES") or "").split(",") if name]
    count = f", which has {len(hosts)} hosts" if len(hosts) > 1 else ""
    yield Problem(
        title=f"libtpu waits for the rest of the slice{count}",
        evidence=quoted(said),
        remedies=(
            Remedy(
                text="Start the same program on every host of the slice.",
                command="gcloud compute tpus tpu-vm ssh NAME --worker=all --command='python program.py'",
                action="app",
            ),
            Remedy(
                text="To use this host alone, say so to libtpu, with the bounds of its own chips.",
                command="TPU_PROCESS_BOUNDS=1,1,1 TPU_CHIPS_PER_PROCESS_BOUNDS=2,2,1 python program.py",
                action="app",
            ),
        ),
    )
