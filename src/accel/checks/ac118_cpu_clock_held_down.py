"""The processors are kept at their lowest clock."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_OWN_RULE: Final = ("intel_pstate", "amd-pstate-epp", "amd_pstate_epp")  # there "powersave" follows the load


@check(
    code="AC118",
    name="cpu-clock-held-down",
    layer="hardware",
    severity="info",
    reads=("cpu-governor",),
    needs=("fact.cpu-governor.driver",),
)
def cpu_clock_held_down(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The governor "powersave" keeps the processors at their lowest clock, whatever the load.

    Why it matters   Data loading, launching of kernels and the host's part of collectives slow down; devices wait.
    What to do       Choose a governor that follows the load, or "performance".
    Looks at         the governor and the driver of the processors' clocks
    Silent when      the driver has a rule of its own (intel_pstate, amd-pstate in active mode), or is not known
    Source           Linux: Documentation/admin-guide/pm/cpufreq.rst, intel_pstate.rst, amd-pstate.rst
    """
    for fact in facts.stated("cpu-governor"):
        driver = fact.value("driver")
        if fact.value("governor") == "powersave" and driver and driver not in _OWN_RULE:
            yield Problem(
                title="The processors are kept at their lowest clock: their governor is powersave",
                evidence=quoted([fact]),
                remedies=(
                    Remedy(
                        text="Let the clocks follow the load, or keep them high while jobs run.",
                        command="sudo cpupower frequency-set -g performance",
                        action="admin",
                    ),
                ),
            )
