from typing import Final

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Specs, applies, check, quoted
from accel.vendors.toolkit.table_steps import fixes
from accel_nvidia import around

_ASLEEP: Final = "dgpu-stays-awake-said"


@check(
    code="NV034",
    name="persistence-off",
    layer="driver",
    severity="info",
    reads=("driver-slow-to-start", "persistence-said-off", "wsl-named", "nvidia-gpu-named", _ASLEEP),
    needs=("nvidia.devices",),
    explained_by=("process-stuck-in-driver", "driver-hang-long-uptime", "gpu-xid", "gpu-lost"),
)
def persistence_off(facts: Facts, specs: Specs) -> Problems:
    """Persistence mode is off: the driver unloads the GPU's state when nothing uses it.

    Why it matters   The first program, and each nvidia-smi, waits a second or more per GPU; containers may time out.
    What to do       Run nvidia-persistenced on machines without a display.
    Looks at         persistence_mode; display_active; slow first calls, "driver error: timed out"
    Silent when      a display is active; Windows and WSL, which lack the mode; unknown. Information if nothing is slow
    Source           NVIDIA: driver persistence; nvidia-container-cli
    """
    applies(not around.on_windows(facts), "there is no persistence mode on Windows")
    applies(not facts.stated(_ASLEEP), "the GPU is meant to power off when nothing uses it")
    slow = facts.stated("driver-slow-to-start")
    said = facts.stated("persistence-said-off")
    off = [d for d in around.gpus(facts) if d.persistence_mode is False and not d.display_active]
    timed_out = any(fact.value("certain") for fact in slow)
    told = any(device.persistence_mode is not None for device in around.gpus(facts))
    named = facts.seen("nvidia") or any(word in fact.text.lower() for fact in slow for word in ("nvidia", "cuda"))
    asked = slow if named and not told else ()  # prose only: no tool printed the mode
    if not off and not said and not timed_out and not asked:
        around.must_know(facts, "persistence_mode")
        return
    known = off or said
    yield Problem(
        title=(
            f"Persistence mode is off on {len(off)} of {len(facts.of('nvidia'))} GPUs"
            if off
            else "Persistence mode is off"
            if said
            else "The driver starts so slowly that a container's start timed out: is persistence mode off?"
            if timed_out
            else "Starting on the GPU takes long: is persistence mode off?"
        )
        + (", and the driver is slow to start" if slow and known else ""),
        severity="warning" if slow else None,
        devices=tuple(d.id for d in off),
        evidence=(*quoted((*slow, *said)), *([Evidence(fact="persistence_mode", value="off")] if off else [])),
        remedies=fixes(specs, "nvidia", "persistence-daemon"),
    )
