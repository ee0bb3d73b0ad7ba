"""The driver answers, and the loader does not find its management library."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, applies, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV041",
    name="nvml-library-not-found",
    layer="driver",
    severity="warning",
    requires=("container-without-gpu", "wsl-driver-libs", "driver-not-loaded"),
)
def nvml_library_not_found(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """nvidia-smi or the kernel module answers, but libnvidia-ml.so.1 is not where the loader looks.

    Why it matters   Programs that ask the driver's library (monitors, vLLM, containers' hooks) see no GPU.
    What to do       Reinstall the driver's libraries of the same version, or run ldconfig.
    Looks at         what the probe of this machine found of the library, beside the driver's own signs
    Silent when      no other sign of the driver is here, or the facts are a text's
    Source           NVML API: nvmlInit; ld.so(8)
    """
    applies(facts.live, "a text does not tell what the loader finds")
    events = facts.events("nvml-library-missing")
    if events and signs.driver_answers(facts):
        yield Problem(
            title="The driver works, but the loader does not find libnvidia-ml.so.1",
            evidence=(*signs.quoted(events), Evidence(fact="nvidia-smi or the module", value="answers")),
            remedies=(
                Remedy(
                    text="See whether the library is there; then rebuild the loader's cache, or reinstall the driver.",
                    command="sudo ldconfig && ldconfig -p | grep libnvidia-ml",
                    action="admin",
                ),
            ),
        )
