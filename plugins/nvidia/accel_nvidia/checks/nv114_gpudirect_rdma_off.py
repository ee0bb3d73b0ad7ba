from typing import Final

from accel.model.dataclass import replace
from accel.text.pattern import pattern
from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel_nvidia import around

_BLIND: Final = (2, 22, 3)  # up to this NCCL looks for nv_peer_mem's file and misses the driver's own module
_CHANNEL: Final = pattern(r"([\w.-]{1,80}):\d{1,9}(?::\d{1,9})? \[\d{1,3}\] NCCL ", exact_case=True)
_MANY: Final = 4  # GPUs per machine that is built for multi-node jobs
_LOAD: Final = (
    Remedy(
        text="Load the module now and at every boot.",
        command="sudo modprobe nvidia-peermem; echo nvidia-peermem | sudo tee /etc/modules-load.d/nvidia-peermem.conf",
        action="admin",
    ),
    Remedy(
        text="Or use the driver's open kernel modules on Linux 5.12 or newer: NCCL then uses dma-buf instead.",
        action="admin",
    ),
)

_BUILD_AGAIN: Final = (
    Remedy(
        text="It was built against different RDMA headers than those of the loaded ib_core. Install the RDMA "
        "stack (MLNX_OFED or DOCA) first, then reinstall the NVIDIA driver, whose own nvidia-peermem is "
        "built against it; remove the older nv_peer_mem.",
        command="ofed_info -s; modinfo ib_core | head -3; sudo grep -c ib_register_peer_memory_client /proc/kallsyms",
        action="admin",
    ),
    Remedy(
        text="Then load it, and read what the kernel logs if it is still rejected.",
        command="sudo modprobe nvidia-peermem; sudo dmesg | grep -iE 'peer_?mem' | tail",
        action="admin",
    ),
    Remedy(
        text="With the open kernel modules and Linux 5.12 or newer, NCCL can use dma-buf, without this module.",
        action="admin",
    ),
)

_FAR: Final = (
    Remedy(
        text="Check which card is connected to which switch; start each rank with the GPUs of its own socket, or "
        "move the card to a slot next to them.",
        command="nvidia-smi topo -m",
        action="admin",
    ),
    Remedy(
        text="NCCL does not use it because it is usually slower over this distance. Enable it anyway, and measure.",
        command="export NCCL_NET_GDR_LEVEL=SYS",
        action="env",
    ),
)

_OF_AMD: Final = (
    Remedy(
        text="Install AMD's driver with DKMS (amdgpu-dkms) after the network card's own stack (MLNX_OFED or DOCA), "
        "whose headers it is built against, or use a kernel whose amdgpu shares its memory with dma-buf.",
        command="ls /sys/kernel/mm/memory_peers; modinfo amdgpu | head -3; ofed_info -s",
        action="admin",
    ),
    Remedy(
        text="It works when RCCL's log shows GDRDMA.",
        command="export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET",
        action="env",
    ),
)


@check(
    code="NV114",
    name="gpudirect-rdma-off",
    layer="driver",
    severity="warning",
    family="nccl-problem",
    reads=(
        "gdr-refused",
        "gdr-too-far",
        "rccl-named",
        "nccl-over-ib",
        "nccl-over-gdr",
        "peermem-missing",
        "peermem-loaded",
        "peermem-refused",
        "nccl-version",
        "job-slow",
        "gpu-memory-closed-to-cards",
    ),
    needs=(),
    requires=("nccl-ib-not-used", "memlock-too-low", "pcie-acs-breaks-p2p"),
)
def gpudirect_rdma_off(facts: Facts, specs: Specs) -> Problems:
    """NCCL uses InfiniBand but copies through host memory: GPUDirect RDMA is off.

    Why it matters   Multi-node jobs run at a tenth to half of the speed, without an error.
    What to do       Load nvidia-peermem; if it is loaded, use NCCL 2.23.4 or newer, which detects it.
    Looks at         "GPU Direct RDMA Disabled for HCA"; NET/IB channels without GDRDMA; loaded kernel modules; refusals
                     of the peer-memory module by modprobe and the kernel; on a live machine with an active RDMA port,
                     whether that module or dma-buf is available
    Silent when      a line says Enabled or GDRDMA: it is then off only for one pair of card and GPU because of their
                     distance, unless one host of a job never reports it and others do
    Source           NCCL: src/transport/net_ib.cc, release notes 2.23.4; NVIDIA driver: nvidia-peermem
    """
    unfit = facts.stated("peermem-refused")
    if unfit:
        yield Problem(
            title="GPUDirect RDMA is off: the kernel rejects the module that lets network cards access the GPU's "
            "memory",
            evidence=quoted(unfit[:4]),
            remedies=_BUILD_AGAIN,
        )
        return
    refused, missing = facts.stated("gdr-refused"), facts.stated("peermem-missing")
    used, over_ib = facts.stated("nccl-over-gdr"), facts.stated("nccl-over-ib")
    closed = facts.first("gpu-memory-closed-to-cards")
    if closed is not None and not (used or refused or over_ib) and _is_for_clusters(facts):
        yield Problem(
            title=f"GPUDirect RDMA is off: {closed.value('card')} cannot access the GPU's memory",
            severity=None if len(around.gpus(facts)) >= _MANY else "info",
            evidence=quoted((closed,)),
            remedies=_LOAD,
        )
        return
    lagging = _hosts_without(over_ib, used)
    if lagging and (missing or len(lagging) == 1):
        yield Problem(
            title=f"GPUDirect RDMA is off on {', '.join(lagging[:3])}, but on for the job's other machines",
            evidence=quoted((*_first_of(lagging[0], over_ib), *used[:1], *missing[:1])),
            remedies=(replace(_LOAD[0], text=f"On {lagging[0]}, load the module now and at every boot."), _LOAD[1]),
        )
        return
    far = facts.stated("gdr-too-far")
    if used or not (refused or (over_ib and (missing or far or facts.stated("job-slow")))):
        return
    if far and not (refused or missing):
        yield Problem(
            title="GPUDirect RDMA is off: NCCL finds no network card close enough to the GPUs",
            evidence=quoted((*far[:3], *over_ib[:1])),
            remedies=_FAR,
        )
        return
    if (facts.stated("rccl-named") or around.amd_seen(facts)) and not facts.seen("nvidia"):
        yield Problem(
            title="GPUDirect RDMA is off: transfers between nodes go through the host's memory",
            evidence=quoted((*refused[:2], *over_ib[:1], *missing[:1])),
            remedies=_OF_AMD,
        )
        return
    loaded = facts.stated("peermem-loaded")
    versions = facts.stated("nccl-version")
    numbers = [number for fact in versions if (number := _number(fact))]
    blind = bool(numbers) and min(numbers) <= _BLIND
    renew = Remedy(
        text="Use NCCL 2.23.4 or newer: older ones do not look for the driver's own module nvidia-peermem.",
        command="python -c 'import torch; print(torch.cuda.nccl.version())'",
        action="env",
    )
    load = Remedy(
        text="Load the module on each node, now and at every boot.",
        command="sudo modprobe nvidia-peermem; echo nvidia-peermem | sudo tee /etc/modules-load.d/nvidia-peermem.conf",
        action="admin",
    )
    over = Remedy(
        text="It works when NCCL's log shows GDRDMA.",
        command="export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET",
        action="env",
    )
    unregistered = bool(loaded and missing)  # the module is loaded but not registered with the RDMA stack
    order = (
        _BUILD_AGAIN
        if unregistered
        else (renew, over)
        if loaded
        else (load, renew, over)
        if blind or not numbers
        else (load, over)
    )
    yield Problem(
        title="GPUDirect RDMA is off: nvidia-peermem is loaded, but this NCCL does not detect it"
        if loaded and not missing
        else "GPUDirect RDMA is off: nvidia-peermem is loaded, but the RDMA stack does not know it"
        if unregistered
        else "GPUDirect RDMA is off: transfers between nodes go through the host's memory",
        evidence=quoted((*refused[:2], *over_ib[:1], *missing[:1], *loaded[:1], *versions[:1]), most=6),
        remedies=order,
    )


def _hosts_without(over_ib: tuple[Fact, ...], used: tuple[Fact, ...]) -> list[str]:
    """Return the hosts whose channels lack GDRDMA, if other hosts of the job have it."""
    plain = {found[1] for fact in over_ib if (found := _CHANNEL.match(fact.text)) and "via NET/" in fact.text}
    direct = {found[1] for fact in used if (found := _CHANNEL.match(fact.text))}
    return sorted(plain - direct) if direct else []


def _first_of(host: str, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    return tuple(fact for fact in facts if fact.text.startswith(f"{host}:"))[:1]


def _number(fact: Fact) -> tuple[int, ...] | None:
    plain = (fact.value("version") or "").partition("+")[0]
    parts = tuple(int(part) for part in plain.split(".") if part.isdecimal())
    return parts if len(parts) >= 2 else None


def _is_for_clusters(facts: Facts) -> bool:
    """Return whether the GPUs support GPUDirect RDMA: GeForce boards do not."""
    names = [device.name or "" for device in around.gpus(facts)]
    return bool(names) and not any("GeForce" in name or "TITAN" in name for name in names)
