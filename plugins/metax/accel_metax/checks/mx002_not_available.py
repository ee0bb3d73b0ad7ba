"""mx-smi says that a GPU is not available."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Evidence, Problem, Remedy, check
from accel_metax import VENDOR

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="MX002",
    name="metax-not-available",
    layer="hardware",
    family="gpu-hardware-fault",
    needs=("metax.devices.state",),
)
def metax_not_available(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """mx-smi says that a GPU is not available.

    Why it matters   The driver cannot use the GPU; a program that is given it fails or hangs.
    What to do       Read the reason; see the kernel's log for the PCIe link and the firmware; reset or restart.
    Looks at         GPU-State of the table; the states of mx-smi -L and --show-unavailable-reason
    Silent when      every GPU is "Available"; undecided where no source tells the state (mx-smi before 2.2.4)
    Source           developer.metax-tech.com, mx-smi user guide
    """
    gpus = [gpu for gpu in facts.of(VENDOR.name) if isinstance(gpu, VENDOR.record)]
    lost = [gpu for gpu in gpus if gpu.state is not None and gpu.health == "critical"]
    if not lost:
        return
    yield Problem(
        title=f"{lost[0].id} is not available" if len(lost) == 1 else f"{len(lost)} MetaX GPUs are not available",
        devices=tuple(gpu.id for gpu in lost),
        evidence=tuple(
            Evidence(
                fact="state", value=f"{gpu.id}: {gpu.state}" + (f" ({gpu.state_reason})" if gpu.state_reason else "")
            )
            for gpu in lost[:8]
        ),
        remedies=(
            Remedy(text="See the reason.", command="mx-smi --show-unavailable-reason", kind="look"),
            Remedy(
                text="See the driver and the PCIe link.",
                command="sudo dmesg | grep -i metax",
                action="admin",
                kind="look",
            ),
            Remedy(
                text="If the reason names nothing that can be mended, switch the machine off and on once; a card that "
                "stays so goes to the service of its maker, with both outputs.",
                action="service",
                kind="ask",
            ),
        ),
    )
