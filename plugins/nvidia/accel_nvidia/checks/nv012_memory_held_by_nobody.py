"""GPU memory that no visible process holds."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Evidence, Problem, Remedy, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.device import Device
    from accel.specs import Specs

_LEAST_BYTES: Final = 2 << 30
_LEAST_SHARE: Final = 0.05


@check(
    code="NV012",
    name="memory-held-by-nobody-visible",
    layer="access",
    severity="warning",
    family="gpu-memory-taken-by-other-process",
)
def memory_held_by_nobody(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A GPU's memory is in use and no process that can be seen holds it.

    Why it matters   A process that died badly, or one in another container or of another user, keeps memory from you.
    What to do       Look for holders of the device nodes; if there are none, reset the GPU.
    Looks at         used memory against the memory of the listed processes; "no such process" beside such a GPU
    Silent when      the processes could not be listed; the holders may be outside this container: information only
    Source           NVML API: nvmlDeviceGetComputeRunningProcesses; rule: at least 2 GiB and 5 % unaccounted for
    """
    for event in facts.events("holder-gone"):
        used = int(event.value("used") or 0) << 20
        if used >= _LEAST_BYTES:
            yield Problem(
                title=f"{used / (1 << 30):.1f} GiB of a GPU are held in the name of a process that is gone",
                severity="error",
                evidence=(signs.said(event), *signs.quoted(facts.events("no-such-process"), most=1)),
                remedies=_remedies("0"),
            )
            return
    gone = facts.events("no-such-process")
    for device in facts.of("nvidia"):
        missing = _unaccounted(device, bool(gone))
        if missing is None:
            continue
        failed = facts.event("out-of-memory", "allocation-outside-torch-failed") is not None
        certain = (
            bool(gone) or failed or (facts.live and facts.host.containerized is False and not signs.on_windows(facts))
        )
        yield Problem(
            title=f"{missing / (1 << 30):.1f} GiB of {device.id} are held by no process that can be seen",
            devices=(device.id,),
            severity=("error" if gone or failed else "warning") if certain else "info",
            evidence=(
                Evidence(fact="memory_used_bytes", value=str(device.memory_used_bytes)),
                *signs.quoted(gone, most=2),
            ),
            remedies=_remedies(str(device.index)),
        )


def _allocation_failed(facts: "Facts") -> bool:
    """Whether a program ran out of memory whose own processes would be listed."""
    if facts.event("allocation-outside-torch-failed") is not None:
        return True
    return facts.event("out-of-memory") is not None and not signs.in_container(facts)


def _remedies(index: str) -> tuple[Remedy, ...]:
    return (
        Remedy(
            text="Look for holders of the nodes, in other containers too.",
            command="sudo fuser -v /dev/nvidia*",
            action="admin",
        ),
        Remedy(
            text="If there are none, reset the GPU, or reboot.",
            command=f"sudo nvidia-smi --gpu-reset -i {index}",
            action="reset",
        ),
    )


def _unaccounted(device: "Device", holder_gone: bool) -> int | None:
    """Return the bytes that no listed process holds, if they are many; None also if it cannot be said."""
    used, total, processes = device.memory_used_bytes, device.memory_total_bytes, device.processes
    if used is None or total is None:
        return None
    if processes is None and not holder_gone:
        return None
    held = [p.memory_bytes for p in processes or () if not holder_gone or p.name is not None]
    if any(amount is None for amount in held):
        return None
    missing = used - sum(amount for amount in held if amount is not None)
    return missing if missing >= max(_LEAST_BYTES, int(_LEAST_SHARE * total)) else None
