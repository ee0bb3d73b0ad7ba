"""Persistence mode is off."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, applies, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="NV034", name="persistence-off", layer="driver", severity="info")
def persistence_off(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """Persistence mode is off: the driver unloads the GPU's state whenever nothing uses it.

    Why it matters   The first program, and each nvidia-smi, then waits a second or more for every GPU.
    What to do       Run nvidia-persistenced on machines without a display.
    Looks at         persistence_mode; display_active
    Silent when      a display is active, on Windows and WSL, where there is no such mode, or it is not known
    Source           NVIDIA: driver persistence
    """
    applies(not signs.on_windows(facts), "there is no persistence mode on Windows")
    off = [d for d in signs.gpus(facts) if d.persistence_mode is False and not d.display_active]
    if off:
        yield Problem(
            title=f"Persistence mode is off on {len(off)} of {len(facts.of('nvidia'))} GPUs",
            devices=tuple(d.id for d in off),
            evidence=(Evidence(fact="persistence_mode", value="off"),),
            remedies=(
                Remedy(
                    text="Run the persistence daemon.",
                    command="sudo systemctl enable --now nvidia-persistenced",
                    action="admin",
                ),
            ),
        )
