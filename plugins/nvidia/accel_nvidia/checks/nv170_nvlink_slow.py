from typing import TYPE_CHECKING, Final

from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, need
from accel.vendors.contract.command import command_line, number_word
from accel.vendors.toolkit.table_steps import fix
from accel_nvidia import around
from accel_nvidia.nvlink_causes import by_cause, evidence, names

if TYPE_CHECKING:
    from accel_nvidia.model import NvidiaDevice, NvLink

_SLOWER: Final = 0.9  # share of the fastest link of the same model: tools round speeds differently


@check(
    code="NV170",
    name="nvlink-slow",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    needs=("nvidia.devices",),
    explained_by=("nvlink-down", "gpu-xid", "nvswitch-fault"),
)
def nvlink_slow(facts: Facts, specs: Specs) -> Problems:
    """An NVLink of a GPU is up but slower than the other links of that model here.

    Why it matters   A collective over all GPUs is as slow as its slowest link, without any error.
    What to do       Reset the GPUs together to retrain the links; contact service if it persists.
    Looks at         the speed of each active link, against the fastest of the same model, from NVML or nvidia-smi
    Silent when      all are about as fast; speeds are unknown; a model has only one link
    Source           NVML API: NVML_FI_DEV_NVLINK_SPEED_MBPS_L0; nvidia-smi nvlink --status
    """
    gpus, known = around.gpus(facts), False
    faulty = []
    like: dict[str | None, list[NvLink]] = {}
    for device in gpus:
        like.setdefault(device.name, []).extend(_up(device))
    best = {name: max((link.speed_bytes_per_second or 0 for link in links), default=0) for name, links in like.items()}
    for device in gpus:
        known = known or len(like[device.name]) > 1
        slow = [link for link in _up(device) if (link.speed_bytes_per_second or 0) < _SLOWER * best[device.name]]
        if slow:
            faulty.append((device, tuple(slow)))
    for group in by_cause(faulty, gpus):
        slow_links, links = sum(len(slow) for _, slow in group), sum(len(_up(device)) for device, _ in group)
        at = command_line("nvidia-smi nvlink --status -i", number_word(group[0][0].index if len(group) == 1 else None))
        yield Problem(
            title=f"{names(group)}: {slow_links} of {links} active NVLinks run below "
            f"{best[group[0][0].name] / 1000000000.0:.1f} GB/s, the speed of the same model's others",
            devices=tuple(device.id for device, _ in group),
            evidence=evidence(group, lambda link: f"{(link.speed_bytes_per_second or 0) / 1e9:.1f} GB/s"),
            remedies=(
                Remedy(
                    text="Check what each link reports.",
                    command=at or "nvidia-smi nvlink --status",
                    action="env",
                    kind="look",
                ),
                fix(specs, "nvidia", "reset-all-linked"),
            ),
        )
    around.must_know(facts, "nvlinks")
    if any(device.nvlinks for device in around.gpus(facts)):
        need(known or None, "the speed of two NVLinks")


def _up(device: "NvidiaDevice") -> "tuple[NvLink, ...]":
    return tuple(link for link in device.nvlinks or () if link.active and link.speed_bytes_per_second)
