from collections.abc import Mapping
from typing import Final

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fix
from accel_nvidia import around, xid

_WORDS: Final[Mapping[str, tuple[str, bool, str]]] = {
    "gpu-reset": ("Stop the programs that use this GPU, and reset it.", True, "reset"),
    "node-reboot": ("Drain the node and reboot it.", False, "reboot"),
    "drain-p2p": ("Stop the programs that use this GPU over NVLink, and those on its peers.", False, "app"),
    "drain-and-reset": ("Let its programs finish, start no new ones, then reset it.", True, "reset"),
}
_LOGGED: Final[Mapping[str, str]] = {
    "gpu reset required": "gpu-reset",
    "reset required": "gpu-reset",
    "node reboot required": "node-reboot",
    "drain and reset": "drain-and-reset",
    "drain p2p": "drain-p2p",
}


@check(
    code="NV027",
    name="gpu-recovery-needed",
    layer="hardware",
    family="gpu-hardware-fault",
    reads=("xid-recovery", "gpu-reset-asked"),
    needs=("nvidia.devices",),
    explained_by=(
        *("gpu-lost", "gpu-lost-after-suspend", "gpu-xid", "gpu-ecc-uncorrectable", "gpu-row-remap-pending"),
        *("gpu-row-remap-failed", "gpu-pcie-errors", "nvswitch-fault"),
    ),
)
def gpu_recovery_needed(facts: Facts, specs: Specs) -> Problems:
    """The driver reports that a GPU needs a reset, a drain or a reboot to recover.

    Why it matters   The driver's recommendation outranks conclusions from single errors.
    What to do       Do exactly what it names; other log lines show what failed.
    Looks at         recovery_action; the text of Xid 154; NVML's "GPU requires reset"; NV_ERR_RESET_REQUIRED
    Silent when      the action is "none", or the driver is too old to report one
    Source           NVML API: nvmlDeviceGpuRecoveryAction_t; NVIDIA Xid catalogue: 154
    """
    asking = [d for d in around.gpus(facts) if d.recovery_action not in (None, "none")]
    for device in asking:
        action = device.recovery_action or ""
        yield Problem(
            title=f"{device.id} needs recovery: {action}",
            devices=(device.id,),
            evidence=(Evidence(fact="recovery_action", value=action),),
            remedies=_remedies(action, xid.reset_of(device.index), specs),
        )
    found = facts.stated("xid-recovery", "gpu-reset-asked")
    if found:
        words = next((w for fact in reversed(found) if (w := fact.value("words"))), "gpu reset required")
        action = _LOGGED.get(words, "gpu-reset")
        yield Problem(
            title=f"The driver requests recovery of a GPU: {action}{xid.where(found)}",
            devices=tuple(sorted({*xid.gpus_at(facts, found), *(f.device for f in found if f.device)})),
            evidence=quoted(found),
            remedies=_remedies(action, xid.reset_command(found), specs),
        )
    if not (asking or found):
        around.must_know(facts, "recovery_action")


def _remedies(action: str, reset: str | None, specs: Specs) -> tuple[Remedy, ...]:
    text, with_reset, kind = _WORDS.get(action, (f"Do what the driver requests: {action}.", False, "admin"))
    asked = Remedy(text=text, command=reset if with_reset else None, action=kind)  # type: ignore[arg-type]
    return (asked, fix(specs, "nvidia", "reboot-if-reset-rejected")) if with_reset else (asked,)
