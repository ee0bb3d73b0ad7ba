"""Whether RDMA network cards can access the GPUs' memory, according to a live machine's kernel modules."""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.observation import Fact
from accel.vendors.contract.rule import Seen, Specs, rule

_MODULES: Final = ("nvidia_peermem", "nv_peer_mem")
_SHARES_BUFFERS: Final = (5, 12)  # the first Linux on which the open kernel modules export memory as dma-buf
_OWN_WAY: Final = ("efa",)  # drivers of cards with their own
_WITHOUT: Final = ("GeForce", "TITAN")  # boards without GPUDirect RDMA
_MANY: Final = 4  # GPUs per machine that is built for multi-node jobs


@rule(
    gives={
        "peermem-loaded": "the kernel module that lets network cards reach the GPU's memory is loaded",
        "peermem-missing": "the kernel module that lets network cards reach the GPU's memory is not loaded",
        "gpu-memory-closed-to-cards": "neither that module nor dma-buf lets the network cards reach the GPU's memory",
    },
    triggers=("wiring",),
)
def peer_memory(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds with NVIDIA GPUs under their driver, an active RDMA port, and known modules. Whether dma-buf works instead
    is known only with the modules' flavor and the kernel release.
    """
    wiring = seen.snapshot.wiring
    if wiring is None or wiring.modules is None:
        return
    reports = [report for report in seen.snapshot.reports if report.backend == "nvidia"]
    driven = any(report.driver is not None and report.driver.version for report in reports)
    ports = [port for port in wiring.ports or () if port.is_active and port.driver not in _OWN_WAY]
    loaded = [name for name in _MODULES if name in wiring.modules]
    if loaded:
        yield _fact("peermem-loaded", f"/sys/module/{loaded[0]} is there")
    elif ports and driven:
        yield _fact("peermem-missing", "neither nvidia_peermem nor nv_peer_mem is in /sys/module")
        flavor = next((r.driver.flavor for r in reports if r.driver is not None and r.driver.flavor), None)
        kernel = _release(seen.snapshot.host.kernel)
        boards = max(([d.name or "" for d in report.devices if d.is_top_level] for report in reports), key=len)
        fit = bool(boards) and not any(word in name for name in boards for word in _WITHOUT)
        if fit and (flavor == "proprietary" or (kernel is not None and kernel < _SHARES_BUFFERS)):
            why = f"kernel modules: {flavor or 'not known'}, Linux {seen.snapshot.host.kernel}"
            told = f"no module of peer memory is loaded; {why}"
            few = "yes" if len(boards) < _MANY else "no"
            yield _fact("gpu-memory-closed-to-cards", told, card=ports[0].card, few=few)


def _release(kernel: str | None) -> tuple[int, int] | None:
    found = re.match(r"(\d{1,3})\.(\d{1,3})", kernel or "")
    return (int(found[1]), int(found[2])) if found else None


def _fact(name: str, text: str, **values: str) -> Fact:
    return Fact(name=name, text=text, values=tuple(values.items()), grade="measured", source="sysfs")
