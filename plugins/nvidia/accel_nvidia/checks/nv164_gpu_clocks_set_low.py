from typing import Final

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check
from accel.vendors.contract.command import command_line, number_word
from accel_nvidia import around

_HELD: Final = "applications-clocks"
_LOWERED: Final = 0.9  # share of the maximum clock; the chip's own choice stays above it


@check(
    code="NV164",
    name="gpu-clocks-set-low",
    layer="hardware",
    severity="info",
    needs=("nvidia.devices.clock_event_reasons",),
    explained_by=("gpu-thermal-slowdown", "gpu-hardware-slowdown"),
)
def gpu_clocks_set_low(facts: Facts, specs: Specs) -> Problems:
    """Application or locked clocks hold a GPU more than 10 % below its maximum.

    Why it matters   The GPU is slower than others of its model, without any error. It may be intended.
    What to do       Reset the clocks if nobody needs the setting.
    Looks at         clock_event_reasons: applications-clocks; current and maximum SM clock
    Silent when      no clocks are set, or the clocks are unknown
    Source           NVML API: clock event reasons; nvidia-smi(1): --reset-applications-clocks, --reset-gpu-clocks
    """
    found = False
    for device in around.gpus(facts):
        now, most = device.clock_sm_mhz, device.clock_sm_max_mhz
        if _HELD not in (device.clock_event_reasons or ()) or now is None or not most or now >= _LOWERED * most:
            continue
        found = True
        number = number_word(device.index)
        yield Problem(
            title=f"The clocks of {device.id} are locked at {now:g} MHz; it can run at {most:g}",
            devices=(device.id,),
            evidence=(
                Evidence(fact="clock_event_reasons", value=_HELD),
                Evidence(fact="clock_sm_mhz", value=f"{now:g} of {most:g}"),
            ),
            remedies=(
                Remedy(
                    text="Unlock the clocks, unless somebody locked them on purpose.",
                    command=command_line("sudo nvidia-smi -i", number, "--reset-applications-clocks"),
                    action="admin",
                ),
                Remedy(
                    text="If they do not change: locked clocks are unlocked separately.",
                    command=command_line("sudo nvidia-smi -i", number, "--reset-gpu-clocks"),
                    action="admin",
                ),
            ),
        )
    if not found:
        around.must_know(facts, "clock_event_reasons")
