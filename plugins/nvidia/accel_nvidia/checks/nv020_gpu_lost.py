"""A GPU that the driver no longer reaches."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Problem, Remedy, check
from accel_nvidia import nvml_errors, signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.report import Event
    from accel.specs import Specs

_REFUSED: Final = (
    "insufficient permissions",
    "insufficient external power",
    "insufficiently powered",
    "driver/library version mismatch",
    "driver not loaded",
)


@check(code="NV020", name="gpu-lost", layer="hardware", family="gpu-hardware-fault")
def gpu_lost(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A GPU that was there no longer answers: lost, fallen off the bus, or waiting for a reset.

    Why it matters   Programs on it die; tools may hang; it does not come back by itself.
    What to do       Stop its programs and reset it; reboot if that fails; then look at power, seat, riser and heat.
    Looks at         NVML's "GPU is lost", "GPU requires reset" and "Unable to determine the device handle"; the
                     kernel log
    Silent when      NVML could not start at all, for then no single GPU is meant
    Source           NVML API: NVML_ERROR_GPU_IS_LOST, NVML_ERROR_RESET_REQUIRED; NVIDIA Xid catalogue: 79
    """
    events = facts.events("gpu-is-lost", "fell-off-the-bus", "gpu-requires-reset")
    events += tuple(e for e in facts.events("no-device-handle") if _is_failure(e))
    events += signs.nvml_errors_of(facts, nvml_errors.GPU_IS_LOST, nvml_errors.RESET_REQUIRED)
    if not events:
        return
    named = {i for e in events for i in (*((e.device,) if e.device else ()), *signs.at_address(facts, e.value("pci")))}
    pci = next((p for e in events if (p := e.value("pci"))), None)
    reset = all(e.name == "gpu-requires-reset" or e.value("code") == str(nvml_errors.RESET_REQUIRED) for e in events)
    yield Problem(
        title=("A GPU needs a reset" if reset else "A GPU is lost: the driver no longer reaches it")
        + (f" ({pci})" if pci else ""),
        devices=tuple(sorted(named)),
        evidence=signs.quoted(events),
        remedies=(
            Remedy(
                text="Stop what uses the GPU and reset it.",
                command="sudo nvidia-smi --gpu-reset" + (f" -i {pci}" if pci else ""),
                action="reset",
            ),
            Remedy(
                text="If that fails, reboot; a lost GPU mostly needs a cold start.",
                command="sudo reboot",
                action="reboot",
            ),
            Remedy(
                text="If it returns: check power cables, seat, riser and temperature, then send the board to service.",
                command="sudo dmesg -T | grep -iE 'nvrm|xid|aer|pcie'",
                action="service",
            ),
        ),
    )


def _is_failure(event: "Event") -> bool:
    why = (event.value("why") or "").lower()
    return not any(words in why for words in _REFUSED)
