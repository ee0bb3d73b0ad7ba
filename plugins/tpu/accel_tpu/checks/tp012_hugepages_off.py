"""Transparent huge pages are off."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="TP012",
    name="tpu-hugepages-off",
    layer="toolkit",
    severity="warning",
    reads=("tpu-hugepages-off",),
    needs=("use.jax|torch-xla",),
)
def hugepages_off(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """Transparent huge pages are not set to "always" on a machine with a v5e or later chip.

    Why it matters   Start-up and copies between host and chip are slower.
    What to do       Switch them on, and have that done at every boot.
    Looks at         /sys/kernel/mm/transparent_hugepage/enabled; JAX's warning
    Silent when      the setting is "always", or the chips are older
    Source           jax: jax/_src/cloud_tpu_init.py
    """
    said = facts.stated("tpu-hugepages-off")
    if not said:
        return
    yield Problem(
        title="Transparent huge pages are not on for every process",
        evidence=quoted(said),
        remedies=(
            Remedy(
                text="Switch them on.",
                command="sudo sh -c 'echo always > /sys/kernel/mm/transparent_hugepage/enabled'",
                action="admin",
            ),
        ),
    )
