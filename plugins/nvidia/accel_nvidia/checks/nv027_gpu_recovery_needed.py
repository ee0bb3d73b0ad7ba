"""A GPU that asks for a reset or a reboot by itself."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from accel.contract.check import Evidence, Problem, Remedy, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_WORDS: Final[Mapping[str, tuple[str, str | None, str]]] = {
    "gpu-reset": ("Stop what uses this GPU and reset it.", "sudo nvidia-smi --gpu-reset -i {index}", "reset"),
    "node-reboot": ("Drain the node and reboot it.", "sudo reboot", "reboot"),
    "drain-p2p": ("Stop the programs that use this GPU over NVLink, and the GPU's own peers.", None, "app"),
    "drain-and-reset": (
        "Let its programs end, start none, then reset it.",
        "sudo nvidia-smi --gpu-reset -i {index}",
        "reset",
    ),
}


@check(code="NV027", name="gpu-recovery-needed", layer="hardware", family="gpu-hardware-fault")
def gpu_recovery_needed(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The driver says of a GPU that it needs a reset, a drain or a reboot to recover.

    Why it matters   The driver knows best: this answer outranks what can be read off single errors.
    What to do       Exactly what it names.
    Looks at         recovery_action
    Silent when      it is "none", or the driver is too old to say
    Source           NVML API: nvmlDeviceGpuRecoveryAction_t
    """
    for device in signs.gpus(facts):
        action = device.recovery_action
        if action is None or action == "none":
            continue
        text, command, kind = _WORDS.get(action, (f"Do what the driver asks for: {action}.", None, "admin"))
        yield Problem(
            title=f"{device.id} needs recovery: {action}",
            devices=(device.id,),
            evidence=(Evidence(fact="recovery_action", value=action),),
            remedies=(
                Remedy(
                    text=text,
                    command=command.format(index=device.index) if command else None,
                    action=kind,  # type: ignore[arg-type]
                ),
            ),
        )
