from typing import TYPE_CHECKING, Final

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, applies, check
from accel.vendors.contract.command import command_line, number_word
from accel.vendors.toolkit.table_steps import fix
from accel_nvidia import around

if TYPE_CHECKING:
    from accel_nvidia.model import NvidiaDevice

_BUSY_PERCENT: Final = 90
_LOW: Final = frozenset({"P5", "P6", "P7", "P8", "P9", "P10", "P11", "P12", "P13", "P14", "P15"})
_SLOW: Final = 0.5  # of the highest clock


@check(
    code="NV171",
    name="gpu-stuck-in-low-state",
    layer="hardware",
    severity="warning",
    needs=("nvidia.devices",),
    explained_by=("gpu-thermal-slowdown", "gpu-hardware-slowdown", "power-capped", "gpu-clocks-set-low"),
)
def gpu_stuck_in_low_state(facts: Facts, specs: Specs) -> Problems:
    """A GPU is at least 90 % busy but in a power-saving state, and the driver reports no reason for it.

    Why it matters   It runs at a fraction of its speed: its clocks, or its memory's, do not rise with the load.
    What to do       Reset locked clocks; end its programs and reset it; check its power supply.
    Looks at         utilization, performance state (P5 and lower), current and maximum clocks, reported reasons
    Silent when      it is idle or in P0 to P4; the driver reports heat, power or set clocks; a laptop, which the
                     firmware limits on battery. A single sample may catch a GPU that has just started work
    Source           NVML API: nvmlDeviceGetPerformanceState, clock event reasons
    """
    boards = [device for device in around.gpus(facts) if "laptop" not in (device.name or "").lower()]
    applies(bool(boards), "only laptop GPUs are here")
    for device in boards:
        held = [reason for reason in device.clock_event_reasons or () if reason != "idle"]
        busy = (used := device.utilization_percent) is not None and used >= _BUSY_PERCENT
        if not busy or held or device.performance_state not in _LOW or not _is_slow(device):
            continue
        yield Problem(
            title=f"{device.id} is busy ({device.utilization_percent:.0f} %) but stays in {device.performance_state}"
            + (f" at {device.clock_sm_mhz} MHz" if device.clock_sm_mhz is not None else ""),
            devices=(device.id,),
            evidence=(
                Evidence(fact="performance_state", value=device.performance_state or ""),
                Evidence(fact="clock_sm_mhz", value=f"{device.clock_sm_mhz} of {device.clock_sm_max_mhz}"),
                Evidence(fact="clock_memory_mhz", value=f"{device.clock_memory_mhz} of {device.clock_memory_max_mhz}"),
            ),
            remedies=(
                fix(specs, "nvidia", "watch-again"),
                Remedy(
                    text="Unlock clocks that somebody locked.",
                    command=command_line(
                        "sudo nvidia-smi -i", number_word(device.index), "--reset-gpu-clocks --reset-memory-clocks"
                    ),
                    action="admin",
                ),
                Remedy(
                    text="If it persists: stop its programs and reset it; check the board's power cables.",
                    command=command_line("sudo nvidia-smi --gpu-reset -i", number_word(device.index)),
                    action="reset",
                ),
            ),
        )
    around.must_know(facts, "utilization_percent", "performance_state", "clock_event_reasons")


def _is_slow(device: "NvidiaDevice") -> bool:
    """Return whether one of the known clocks is below half of its maximum."""
    pairs = ((device.clock_sm_mhz, device.clock_sm_max_mhz), (device.clock_memory_mhz, device.clock_memory_max_mhz))
    return any(now is not None and most and now < _SLOW * most for now, most in pairs)
