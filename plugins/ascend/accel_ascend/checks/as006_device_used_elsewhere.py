"""Another container or a dead job holds the chips."""

from collections.abc import Iterator

from accel.contract.check import Problem, Remedy, check
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_ascend.concern import only_on_ascend, said


@check(code="AS006", name="npu-device-used-elsewhere", layer="access", explained_by=("npu-cann-driver-mismatch",))
def npu_device_used_elsewhere(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Another container or a dead job holds the chips.

    Why it matters   A plain container claims a chip for itself: npu-smi and the runtime of all others then fail
                     (-8020, EL0005, EJ0001).
    What to do       Stop the container or job that holds it, or share the chip on purpose.
    Looks at         what npu-smi and the runtime say
    Silent when      none of these sentences was said
    Source           github.com/Ascend/cann-container-image/issues/46; mind-cluster AISW_PyTorch_Start_03
    """
    only_on_ascend(facts)
    events = facts.events("npu-smi-device-used", "npu-last-process-running", "npu-resources-busy")
    if not events:
        return
    yield Problem(
        title="The Ascend chips are held by another container or job",
        evidence=tuple(said(event) for event in events),
        remedies=(
            Remedy(
                text="On the host, see which processes hold the chips",
                command="npu-smi info; fuser -v /dev/davinci*",
                action="admin",
            ),
            Remedy(
                text="Stop the container that was given the same chips",
                command="docker inspect --format '{{.Name}} {{.HostConfig.Devices}}' $(docker ps -q)",
                action="admin",
            ),
        ),
    )
