"""How the devices and network cards of one machine are joined, of every vendor at once.

    topology(facts, specs) -> Topology      from any snapshot: live, saved, or what vendors' tools printed

What a vendor's driver or tool says of a link comes first, then what lies between two devices on the PCI bus. What is
not known is None, with the reason.
"""

from accel.watch.topology.build import topology
from accel.watch.topology.records import Allowed, Joint, Link, Member, Numa
from accel.watch.topology.whole import Topology

__all__ = ["Allowed", "Joint", "Link", "Member", "Numa", "Topology", "topology"]
