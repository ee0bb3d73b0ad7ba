"""Cloud's metadata server does not answer libtpu."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check
from accel_tpu.signs import need_tpu_or_wish, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="TP009", name="tpu-metadata-unreachable", layer="access")
def metadata_unreachable(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """libtpu asks a metadata server that does not answer.

    Why it matters   The start hangs for minutes, in pods and sandboxes that cannot reach the server.
    What to do       Tell libtpu by variables what it asks for, and to skip the query.
    Looks at         "Failed to get TPU metadata"
    Silent when      it was not said
    Source           google/gvisor issue 10795; vllm-project/vllm pull 9599; jax issue 40854
    """
    need_tpu_or_wish(facts)
    said = facts.events("tpu-metadata-unreachable")
    if not said:
        return
    yield Problem(
        title="The metadata server does not answer libtpu",
        evidence=quoted(said),
        remedies=(
            Remedy(
                text="Skip the query, and set what it would answer: the slice's type and this worker's number.",
                command="export TPU_SKIP_MDS_QUERY=true TPU_ACCELERATOR_TYPE=v5litepod-8 TPU_WORKER_ID=0",
                action="env",
            ),
        ),
    )
