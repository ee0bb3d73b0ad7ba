"""How to pass AMD's device nodes to a container, for the tool that created the container. Pure."""

from typing import Final

from accel.facts.containers import CONTAINER, OF_DISTROBOX, OF_LXC, container_engine
from accel.vendors.contract.check import Facts, Remedy, Specs
from accel.vendors.toolkit.table_steps import fix

READS: Final = (*CONTAINER, OF_LXC, OF_DISTROBOX)


def with_groups(facts: Facts, specs: Specs) -> Remedy:
    """Return how to give a container the nodes and the permission to open them."""
    if facts.first(OF_LXC):
        return fix(specs, "amd", "lxc-nodes")
    if facts.first(OF_DISTROBOX):
        return fix(specs, "amd", "toolbox-groups")
    return fix(specs, "amd", "podman-groups" if container_engine(facts) == "podman" else "container-nodes-and-group")


def nodes(facts: Facts, specs: Specs) -> Remedy:
    """Return how to give a container the nodes that it lacks."""
    if facts.first(OF_LXC):
        return fix(specs, "amd", "lxc-nodes")
    return fix(specs, "amd", "toolbox-groups" if facts.first(OF_DISTROBOX) else "container-nodes")
