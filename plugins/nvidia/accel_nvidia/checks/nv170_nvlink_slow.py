"""NVLinks that are up and slower than the others."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Evidence, Problem, Remedy, check, need
from accel.contract.command import command_line, number_word
from accel_nvidia import around

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs
    from accel_nvidia.model import NvidiaDevice, NvLink

_SLOWER: Final = 0.9  # of the fastest link of the same model: two tools round one speed unlike


@check(
    code="NV170",
    name="nvlink-slow",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    needs=("nvidia.devices",),
    explained_by=("nvlink-down", "gpu-xid", "nvswitch-fault"),
)
def nvlink_slow(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """An NVLink of a GPU is up and slower than the other links of that model here.

    Why it matters   A collective over all GPUs is as slow as its slowest link, without any error.
    What to do       Reset the GPUs together, so that the links are trained anew; service if it stays.
    Looks at         the speed of each link that is up, against the fastest of the same model, by NVML or nvidia-smi
    Silent when      all are about as fast; no speeds are told; one model has one link only
    Source           NVML API: NVML_FI_DEV_NVLINK_SPEED_MBPS_L0; nvidia-smi nvlink --status
    """
    known = False
    for device in around.gpus(facts):
        like = [link for other in around.gpus(facts) if other.name == device.name for link in _up(other)]
        best = max((link.speed_bytes_per_second or 0 for link in like), default=0)
        known = known or len(like) > 1
        slow = [link for link in _up(device) if (link.speed_bytes_per_second or 0) < _SLOWER * best]
        if not slow:
            continue
        yield Problem(
            title=f"{device.id}: {len(slow)} of {len(_up(device))} NVLinks that are up run at less than "
            f"{best / 1e9:.1f} GB/s, which like ones have",
            devices=(device.id,),
            evidence=tuple(
                Evidence(fact=f"link {link.index}", value=f"{(link.speed_bytes_per_second or 0) / 1e9:.1f} GB/s")
                for link in slow[:4]
            ),
            remedies=(
                Remedy(
                    text="See what each link says of itself.",
                    command=command_line("nvidia-smi nvlink --status -i", number_word(device.index)),
                    action="env",
                    kind="look",
                ),
                Remedy(
                    text="End what runs on the GPUs and reset all of them together; have the board looked at if it "
                    "stays.",
                    command="sudo nvidia-smi --gpu-reset",
                    action="reset",
                ),
            ),
        )
    around.must_know(facts, "nvlinks")
    if any(device.nvlinks for device in around.gpus(facts)):
        need(known or None, "the speed of two NVLinks")


def _up(device: "NvidiaDevice") -> "tuple[NvLink, ...]":
    return tuple(link for link in device.nvlinks or () if link.active and link.speed_bytes_per_second)
