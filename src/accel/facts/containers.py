"""Whether what failed runs in a container, and how that was started. Pure.

CONTAINER and KUBERNETES name the facts that these questions ask: a check that asks them declares them as its `reads`.
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from accel.facts.questions import Facts

CONTAINER: Final = ("container-named", "container-run")
KUBERNETES: Final = "kubernetes-named"


def in_container(facts: "Facts") -> bool:
    """Whether what failed runs in a container: the machine itself is one, or a text comes from one or speaks of one."""
    if facts.live:
        return facts.host.containerized is True
    return bool(facts.host.containerized or facts.host.container or facts.stated(*CONTAINER))


def is_kubernetes(facts: "Facts") -> bool:
    """Whether Kubernetes starts the containers: this one is a pod's, or the text names it."""
    return facts.host.container == "kubernetes" or facts.first(KUBERNETES) is not None


def container_options(facts: "Facts") -> str | None:
    """Return the options of the command that started the container; None if none is shown."""
    run = facts.first("container-run")
    return (run.value("options") or "") if run else None
