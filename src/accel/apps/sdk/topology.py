"""How the devices of a machine are connected: `accel.topology`."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from accel.facts.questions import Facts
from accel.watch.topology import Topology
from accel.watch.topology import topology as joined

if TYPE_CHECKING:
    from accel.model.snapshot import Snapshot
    from accel.watch.topology.whole import Named


def topology(of: "Snapshot | None" = None, *, ids: "Iterable[Named] | None" = None) -> Topology:
    """Return how devices and network cards are connected, for all vendors at once.

        t = accel.topology()
        t.link(0, 1).kind, t.link("nvidia:0", "mlx5_0").path            # "nvlink", "PIX"
        t.fully_connected(["cuda:0", "cuda:1"]), t.p2p(0, 1).allowed     # True, True
        t.numa(0).cpus, t.nearest_nic(0), t.groups

    of   a snapshot of any machine, in which case nothing is probed. None: this machine, where only links, the PCI bus
         and network cards are read, as set by `accel.configure`; nothing is cached between calls, and the ports of
         network cards have no error counters
    ids  only these devices, in this order; None: all. Names as `Topology` takes them

    Unknown values are None; `Link.reason`, `Allowed.reason`, `Numa.reason` and `Topology.gaps` say why. Raises
    NoSuchDevice for an unknown name, and DeadlineMissed, with what is known so far, if a backend did not list its
    devices in time.
    """
    from accel.apps import api

    if of is None:
        from accel.collect.deadline import check_in_time
        from accel.collect.live import devices_and_wiring

        apart, within = api._way(None, None)
        of = devices_and_wiring(api._machine(), api._registry(), isolate=apart, timeout_seconds=within, brief=True)
        check_in_time(of.reports)
    facts, specs = Facts(of), api._specs()
    whole = joined(facts, specs)
    return whole if ids is None else joined(facts, specs, whole.devices_named(ids))
