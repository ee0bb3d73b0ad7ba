"""NVLinks that are down where those of like GPUs are up."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs
    from accel_nvidia.model import NvidiaDevice


@check(code="NV031", name="nvlink-down", layer="hardware", severity="warning")
def nvlink_down(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A GPU has fewer NVLinks up than another GPU of the same model in this machine.

    Why it matters   Traffic between GPUs falls back to fewer links, or to PCIe, without any error.
    What to do       Reset the GPUs and restart the fabric manager; check bridges and boards if it stays.
    Looks at         the state of each NVLink, against the other GPUs of the same name
    Silent when      all like GPUs have the same number; none has a link (no bridge); MIG is on; not known
    Source           NVML API: nvmlDeviceGetNvLinkState
    """
    by_name: dict[str, list[NvidiaDevice]] = {}
    for device in signs.gpus(facts):
        if device.nvlinks and device.name and device.mig_mode != "enabled":
            by_name.setdefault(device.name, []).append(device)
    for devices in by_name.values():
        best = max(_active(device) for device in devices)
        for device in devices:
            if _active(device) < best:
                down = [str(link.index) for link in device.nvlinks or () if link.active is False]
                yield Problem(
                    title=f"{device.id} has {_active(device)} NVLinks up; a like GPU here has {best}",
                    devices=(device.id,),
                    evidence=(Evidence(fact="links down", value=", ".join(down) or "not said"),),
                    remedies=(
                        Remedy(
                            text="Reset the GPUs together and restart the fabric manager; check bridges if it stays.",
                            command=f"nvidia-smi nvlink --status -i {device.index}",
                            action="reset",
                        ),
                    ),
                )


def _active(device: "NvidiaDevice") -> int:
    return sum(link.active is True for link in device.nvlinks or ())
