"""Time how the wiring of a node is judged and drawn: processor time, in this process, of snapshots made here.

python benchmarks/topology.py          nodes of 8, 16 and 64 devices, each with as many network cards
No machine is asked: reading sysfs costs what the kernel takes for it, a few files a card.
"""

import time
from collections.abc import Callable

from accel.apps.render.topology_svg import topology_svg
from accel.facts.questions import Facts
from accel.model.device import Device
from accel.model.report import Report
from accel.model.snapshot import Snapshot
from accel.model.wiring import Link, NetworkPort, NumaNode, PciFunction, Wiring
from accel.plugins.registry import Registry
from accel.watch.topology import topology

RUNS = 9


def node(count: int) -> Snapshot:
    """Return a node whose devices hang four to a switch, each with a card beside it, on two NUMA nodes."""
    devices, functions, ports = [], [], []
    for index in range(count):
        switch = f"0000:{index // 4 + 1:02x}:00.0"
        near = index * 2 // count
        address, card = f"0001:{index:02x}:00.0", f"0002:{index:02x}:00.0"
        kept = {"above": (switch,), "host_bridge": f"pci{near}", "numa_node": near, "speed_gts": 32.0, "width": 16}
        functions.append(PciFunction(address=address, role="accelerator", **kept))
        functions.append(PciFunction(address=card, role="network", **kept))
        ports.append(NetworkPort(card=f"mlx5_{index}", port=1, pci_address=card, state="ACTIVE"))
        devices.append(
            Device(
                id=f"x:{index}", index=index, backend="x", vendor="X", kind="gpu", pci_address=address, numa_node=near
            )
        )
    links = tuple(Link(one=f"x:{a}", other=f"x:{b}", path="NV18") for a in range(count) for b in range(a))
    wiring = Wiring(
        functions=tuple(functions), ports=tuple(ports), numa_nodes=tuple(NumaNode(index=index) for index in range(2))
    )
    report = Report(backend="x", source="x-smi", devices=tuple(devices), links=links)
    return Snapshot(origin="made", reports=(report,), wiring=wiring)


def least_milliseconds(work: Callable[[], object]) -> float:
    """Return the least processor time of several runs: whatever else the machine does only adds to it."""
    times = []
    for _ in range(RUNS):
        begun = time.process_time()
        work()
        times.append((time.process_time() - begun) * 1000)
    return min(times)


def main() -> None:
    """Print a row for each size."""
    specs = Registry({}).specs
    print("| devices and cards | pairs | topology, ms | picture, ms |\n|---:|---:|---:|---:|")
    for count in (8, 16, 64):
        snapshot = node(count)
        found = topology(Facts(snapshot), specs)
        judged = least_milliseconds(lambda: topology(Facts(snapshot), specs))  # noqa: B023
        drawn = least_milliseconds(lambda: topology_svg(found))  # noqa: B023
        print(f"| {count} and {count} | {len(found.joints):,} | {judged:.1f} | {drawn:.1f} |")


if __name__ == "__main__":
    main()
