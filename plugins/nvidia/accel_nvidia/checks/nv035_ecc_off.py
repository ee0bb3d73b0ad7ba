"""Error correction is off on a data-centre GPU."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Evidence, Problem, Remedy, check
from accel.vendors.contract.command import command_line, number_word
from accel_nvidia import around

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="NV035", name="ecc-off", layer="hardware", severity="info", needs=("nvidia.devices",))
def ecc_off(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """Error correction is off on a GPU that is sold for data centres.

    Why it matters   A flipped bit in its memory goes unseen into results.
    What to do       Switch it on, then reset the GPU; it may be off on purpose.
    Looks at         ecc_enabled; whether the spec says that the model is marketed for data centres
    Silent when      the model is not one of them, or either is not known
    Source           NVML API: nvmlDeviceGetEccMode
    """
    found = False
    for device in around.gpus(facts):
        if device.ecc_enabled is not False or not (device.name or device.pci_id):
            continue
        chip = specs.chip(name=device.name, vendor="nvidia", pci_id=device.pci_id)
        if chip is None or not chip.marketed_for_datacenter:
            continue
        found = True
        yield Problem(
            title=f"Error correction is off on {device.id}",
            devices=(device.id,),
            evidence=(Evidence(fact="ecc_enabled", value="no"),),
            remedies=(
                Remedy(
                    text="Turn it on; this takes effect after a reset.",
                    command=command_line(
                        *("sudo nvidia-smi -i", number_word(device.index), "-e 1 &&"),
                        *("sudo nvidia-smi --gpu-reset -i", number_word(device.index)),
                    ),
                    action="reset",
                ),
            ),
        )
    if not found:
        around.must_know(facts, "ecc_enabled")
