from typing import TYPE_CHECKING, Final

from accel.facts.containers import in_container
from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, number_word, path_word
from accel.vendors.toolkit.table_steps import fix
from accel_nvidia import around

if TYPE_CHECKING:
    from accel.model.device import Device
    from accel.model.diagnosis import Severity

_LEAST_BYTES: Final = 2 << 30
_LEAST_SHARE: Final = 0.05
_IDLE_PERCENT: Final = 5


@check(
    code="NV012",
    name="memory-held-by-nobody-visible",
    layer="access",
    severity="warning",
    family="gpu-memory-taken-by-other-process",
    reads=(
        *("holder-gone", "no-such-process", "no-processes-listed", "memory-kept-said", "gpu-out-of-memory"),
        *("context-out-of-memory", "memory-without-owner"),
    ),
    needs=("nvidia.devices",),
    explained_by=("process-stuck-in-driver", "gpu-lost", "gpu-xid"),
)
def memory_held_by_nobody(facts: Facts, specs: Specs) -> Problems:
    """A GPU's memory is in use, but no visible process holds it.

    Why it matters   A process that crashed, or one in another container or of another user, holds memory that you need.
    What to do       Find the processes that have the device nodes open and end them; if there are none, reset the GPU.
    Looks at         used memory against the memory of the listed processes; "No running processes found"; processes
                     without a name; reports of memory that stays in use after a program ends
    Silent when      the processes could not be listed. Information if another container may hold it, or the GPU works
    Source           NVML API: nvmlDeviceGetComputeRunningProcesses; rule: at least 2 GiB and 5 % unaccounted for
    """
    gone = facts.stated("no-such-process")
    nameless = [fact for fact in facts.stated("holder-gone") if (fact.number("bytes") or 0) >= _LEAST_BYTES]
    if nameless:
        used = max(fact.number("bytes") or 0 for fact in nameless)
        yield Problem(
            title=f"{used / (1 << 30):.1f} GiB of a GPU are allocated to a process that no longer exists",
            devices=tuple(dict.fromkeys(fact.device for fact in nameless if fact.device)),
            evidence=(*quoted(nameless), *quoted(gone, most=1)),
            remedies=_remedies(specs, nameless[0].number("gpu") or 0),
        )
        return
    found = False
    for device in facts.of("nvidia"):
        missing = _unaccounted(device, facts)
        if missing is None:
            continue
        found = True
        yield Problem(
            title=f"{missing / (1 << 30):.1f} GiB of {device.id} are used by "
            + ("processes that the driver does not list" if _left(device, facts) else "no visible process"),
            devices=(device.id,),
            severity=_severity(device, facts),
            evidence=(
                Evidence(fact="memory_used_bytes", value=str(device.memory_used_bytes)),
                *quoted(_owners(device, facts)),
                *quoted((*facts.stated("no-processes-listed"), *facts.stated("memory-kept-said"), *gone), most=2),
            ),
            remedies=_remedies(specs, device.index, _owners(device, facts)),
        )
    said = facts.stated("memory-kept-said")
    if said and not found:
        yield Problem(
            title="GPU memory stays allocated after its program has ended",
            evidence=quoted(said),
            remedies=_remedies(specs, None),
        )
    elif not found:
        around.must_know(facts, "memory_used_bytes")


def _severity(device: "Device", facts: Facts) -> "Severity":
    if facts.stated("no-such-process", "gpu-out-of-memory", "context-out-of-memory"):
        return "warning"
    idle = device.utilization_percent is None or device.utilization_percent <= _IDLE_PERCENT
    told = bool(facts.stated("no-processes-listed")) and idle and not in_container(facts)
    told = told or bool(facts.stated("memory-kept-said")) or bool(_owners(device, facts))  # the processes were listed
    here = facts.live and facts.host.containerized is False and not around.on_windows(facts)
    return "warning" if told or here else "info"


def _owners(device: "Device", facts: Facts) -> tuple[Fact, ...]:
    """Return what this machine's processes show about the device's memory."""
    return tuple(fact for fact in facts.stated("memory-without-owner") if fact.device == device.id)


def _left(device: "Device", facts: Facts) -> bool:
    return any(fact.value("reason") == "unlisted" for fact in _owners(device, facts))


def _remedies(specs: Specs, index: int | None, owners: tuple[Fact, ...] = ()) -> tuple[Remedy, ...]:
    seen = tuple(
        Remedy(
            text="Find out which process still has the device open, and stop what is left of a job.",
            command=command_line("sudo accel ps", path_word(fact.device), "--ghosts --kill"),
            action="env",
        )
        for fact in owners[:1]
        if fact.value("pids")
    )
    return (
        *seen,
        fix(specs, "nvidia", "find-open-nodes"),
        Remedy(
            text="If there are none, reset the GPU, or reboot.",
            command=command_line("sudo nvidia-smi --gpu-reset -i", number_word(index) or "GPU_NUMBER"),
            action="reset",
        ),
    )


def _unaccounted(device: "Device", facts: Facts) -> int | None:
    """Return the bytes that no listed process holds, if above the limit; None if below it or unknown."""
    used, total, processes = device.memory_used_bytes, device.memory_total_bytes, device.processes
    gone = bool(facts.stated("no-such-process"))
    if used is None or total is None or device.unified_memory:  # used memory is then the whole system's
        return None
    if processes is None and not gone and not facts.stated("no-processes-listed"):
        return None
    held = [p.memory_bytes for p in processes or () if not gone or p.name is not None]
    if any(amount is None for amount in held):
        return None
    missing = used - sum(amount for amount in held if amount is not None)
    return missing if missing >= max(_LEAST_BYTES, int(_LEAST_SHARE * total)) else None
