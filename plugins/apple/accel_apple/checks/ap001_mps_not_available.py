"""PyTorch was built without MPS, or runs on a macOS or Python that cannot have it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, applies, check
from accel_apple.signs import quoted
from accel_apple.wheels import torch_for_mac

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="AP001", name="mps-not-available", layer="framework")
def mps_not_available(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A program wanted the Mac's GPU by MPS, and this PyTorch or this macOS does not have it.

    Why it matters   The model runs on the CPU, or not at all.
    What to do       Install an arm64 Python and the ordinary torch wheel for it; macOS must be 12.3 or newer (14 for
                     torch 2.9 and on).
    Looks at         the sentences of PyTorch about MPS that is not built or not available
    Silent when      nothing was said about it
    Source           PyTorch: notes/mps, torch/backends/mps
    """
    events = facts.events("mps-not-built", "mps-not-available")
    applies(bool(events), "nothing was said about MPS")
    built = any(event.name == "mps-not-available" for event in events)
    yield Problem(
        title="This macOS has no MPS for PyTorch" if built else "This PyTorch was built without MPS",
        devices=tuple(device.id for device in facts.of("apple")),
        evidence=quoted(events),
        remedies=(
            Remedy(
                text="See whether Python runs as arm64; x86_64 on an Apple chip means Rosetta, and no MPS.",
                command='python3 -c "import platform, torch; print(platform.machine(), torch.__version__)"',
                action="env",
            ),
            torch_for_mac(facts, specs, text="Install torch into an arm64 Python", again=True),
        ),
    )
