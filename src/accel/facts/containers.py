"""Whether what failed runs in a container, and how that was started. Pure.

CONTAINER, OF_LXC, OF_DISTROBOX, IMAGE_BUILD, KUBERNETES and ENVIRONMENT list the facts behind these questions: a check
that uses one adds it to its `reads`.
"""

from typing import Final

from accel.facts.questions import Facts
from accel.vendors.contract.check import Remedy

CONTAINER: Final = ("container-named", "container-run")
OF_LXC: Final = "container-of-lxc"
OF_DISTROBOX: Final = "container-of-distrobox"
IMAGE_BUILD: Final = ("image-build",)
KUBERNETES: Final = "kubernetes-named"
ENVIRONMENT: Final = "environment-class"
IN_BUILD: Final = Remedy(
    text="An image build has neither a device nor the host's driver: do what needs them when the container is "
    "started, or keep this step from loading the device's part of the framework.",
    command="TORCH_DEVICE_BACKEND_AUTOLOAD=0 python -m pip install --no-build-isolation .",
    action="env",
)


def in_container(facts: Facts) -> bool:
    """Return whether what failed runs in a container: the machine is one, or a text comes from one or mentions one."""
    if facts.live:
        return facts.host.containerized is True
    return bool(facts.host.containerized or facts.host.container or facts.stated(*CONTAINER))


def is_kubernetes(facts: Facts) -> bool:
    """Return whether Kubernetes starts the containers: this is a pod's, or the text names it."""
    return facts.host.container == "kubernetes" or facts.first(KUBERNETES) is not None


def is_compose(facts: Facts) -> bool:
    """Return whether a text says that its containers are started from a compose file."""
    return is_of_class(facts, "compose")


def is_of_class(facts: Facts, name: str) -> bool:
    """Return whether a text names this class of environment: "conda", "compose"."""
    return any(fact.value("class") == name for fact in facts.stated(ENVIRONMENT))


def in_image_build(facts: Facts) -> bool:
    """Return whether what failed is a step of an image build, which no option of `docker run` affects."""
    return not facts.live and bool(facts.stated(*IMAGE_BUILD))


def is_container_id(name: str | None) -> bool:
    """Return whether a host's name is a container's short id, as Docker names containers by default."""
    return name is not None and len(name) == 12 and all(c in "0123456789abcdef" for c in name)


def container_engine(facts: Facts) -> str:
    """Return the tool that started the container: "podman"; docker if the text does not show one."""
    told = (*facts.stated("container-run"), *facts.stated("container-named"))
    tool = next((tool for fact in told if (tool := fact.value("tool"))), None)
    return tool if tool in ("podman", "nerdctl") else "docker"


def container_options(facts: Facts) -> str | None:
    """Return the options of the command that started the container; None if it is not shown."""
    run = facts.first("container-run")
    return (run.value("options") or "") if run else None
