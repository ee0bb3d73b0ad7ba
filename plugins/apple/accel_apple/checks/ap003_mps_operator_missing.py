"""PyTorch has no MPS kernel for an operator."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, applies, check
from accel_apple.signs import quoted
from accel_apple.wheels import torch_for_mac

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="AP003", name="mps-operator-missing", layer="framework")
def mps_operator_missing(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """An operator of the model is not implemented for MPS in this PyTorch.

    Why it matters   The program stops at it; later releases of torch have more operators.
    What to do       Let it run on the CPU by PYTORCH_ENABLE_MPS_FALLBACK=1, which must be set before torch is
                     imported, or take a newer torch.
    Looks at         "The operator 'aten::…' is not currently implemented for the MPS device"
    Silent when      it was not said, or only as the warning that the CPU takes over
    Source           pytorch/pytorch issue 77764 and 141287
    """
    events = facts.events("mps-operator-missing")
    applies(bool(events), "no operator was said to be missing")
    names = ", ".join(dict.fromkeys(event.value("operator") or "?" for event in events))
    yield Problem(
        title=f"No MPS kernel for {names} in this PyTorch",
        devices=tuple(device.id for device in facts.of("apple")),
        evidence=quoted(events),
        remedies=(
            Remedy(
                text="Let the CPU do what MPS cannot.",
                command="PYTORCH_ENABLE_MPS_FALLBACK=1 python3 PROGRAM.py",
                action="env",
            ),
            torch_for_mac(facts, specs, text="Take a newer torch"),
        ),
    )
