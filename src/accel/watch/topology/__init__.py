"""How the devices and network cards of one machine are connected, for all vendors at once.

    topology(facts, specs) -> Topology      from any snapshot: live, saved, or the output of vendors' tools

What a vendor's driver or tool reports about a link comes first, then what lies between two devices on the PCI bus.
Unknown values are None, with the reason.
"""

from accel.watch.topology.build import topology
from accel.watch.topology.records import Allowed, Joint, Link, Member, Numa
from accel.watch.topology.whole import Topology

__all__ = ["Allowed", "Joint", "Link", "Member", "Numa", "Topology", "topology"]
