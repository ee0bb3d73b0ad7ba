from typing import Final

from accel.facts.containers import CONTAINER, KUBERNETES, container_options, in_container, is_kubernetes
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, applies, check, quoted

_GIVE: Final = Remedy(
    text="Start the container with a node for each device that it should have; the driver stays on the host.",
    command="docker run --device=/dev/neuron0 IMAGE",
    action="env",
)
_HELD: Final = Remedy(
    text="End the other notebook's kernel or program (neuron-ls lists the processes that hold the cores), then restart "
    "this one: a process keeps its NeuronCores until it ends, and the runtime gives none of them to a second one.",
    command="neuron-ls --show-all-procs; kill PID",
    action="app",
)
_ON_HOST: Final = (
    Remedy(
        text="Check whether the instance has such devices at all, and whether the module is loaded.",
        command="lspci -n -d 1d0f: && modinfo neuron",
        action="admin",
        kind="look",
    ),
    Remedy(
        text="On the instance itself, not in a container: install the driver for the running kernel, with its headers "
        "(Amazon Linux by yum), and load it. A container is then started with --device=/dev/neuron0.",
        command='sudo apt-get install -y "linux-headers-$(uname -r)" aws-neuronx-dkms || sudo yum install -y '
        '"kernel-devel-$(uname -r)" aws-neuronx-dkms; sudo modprobe neuron',
        action="admin",
    ),
)
_REPOSITORY: Final = {  # by what the distribution's name begins with
    ("Amazon", "CentOS", "RHEL", "Red Hat", "Rocky"): "sudo rpm --import "
    "https://yum.repos.neuron.amazonaws.com/GPG-PUB-KEY-AMAZON-AWS-NEURON.PUB && printf '[neuron]\\n"
    "name=Neuron\\nbaseurl=https://yum.repos.neuron.amazonaws.com\\nenabled=1\\nmetadata_expire=0\\n' | sudo tee "
    "/etc/yum.repos.d/neuron.repo",
    ("Ubuntu", "Debian"): "wget -qO - https://apt.repos.neuron.amazonaws.com/GPG-PUB-KEY-AMAZON-AWS-NEURON.PUB | "
    "sudo tee /etc/apt/trusted.gpg.d/neuron.asc && "
    'echo "deb https://apt.repos.neuron.amazonaws.com $(. /etc/os-release; echo $VERSION_CODENAME) main" | '
    "sudo tee /etc/apt/sources.list.d/neuron.list && sudo apt-get update",
}


def _repository(facts: Facts) -> Remedy:
    """Return the step that adds the packages' repository, which images for deep learning have and plain ones lack."""
    name = facts.host.distribution or ""
    return Remedy(
        text="If the package is not found: the instance lacks AWS's Neuron repository. Add it, and install again. "
        "Only instances of the families Inf and Trn have such devices.",
        command=next((command for names, command in _REPOSITORY.items() if name.startswith(names)), None),
        action="admin",
    )


@check(
    code="NE001",
    name="neuron-driver-not-loaded",
    layer="driver",
    family="driver-not-loaded",
    reads=(
        "neuron-user-still-open",
        "neuron-no-module",
        "neuron-no-device",
        "neuron-driver-unknown",
        *CONTAINER,
        KUBERNETES,
    ),
    needs=(),
)
def neuron_driver_not_loaded(facts: Facts, specs: Specs) -> Problems:
    """The instance has Neuron devices, or should have them, but the driver shows none.

    Why it matters   Without the neuron module there is no /dev/neuron0, and the runtime finds no device.
    What to do       Install the driver package for the running kernel; check that the instance is of a Neuron family.
                     In a container, pass the host's nodes.
    Looks at         PCI IDs, /sys/module/neuron, /dev/neuronN; neuron-ls and runtime messages about missing devices
    Silent when      neuron-ls lists a device, or one has its node
    Source           aws-neuron-sdk: Neuron Runtime troubleshooting, "Neuron driver installation fails"
    """
    events = facts.stated("neuron-no-module", "neuron-no-device", "neuron-driver-unknown")
    applies(not (facts.live and facts.host.containerized), "a container uses the host's driver")
    served = [d for d in facts.of("neuron") if getattr(d, "device_path", None) or getattr(d, "core_count", None)]
    if not events or served:
        return
    options, on_host = container_options(facts), (*_ON_HOST, _repository(facts))
    title, starts = "The Neuron driver shows no devices", facts.stated("container-run")[:1]
    if not facts.live and in_container(facts) and options is not None and "/dev/neuron" not in options.lower():
        title = "The Neuron device nodes were not passed to the container"
    elif not facts.live and is_kubernetes(facts) and facts.stated("neuron-driver-unknown"):
        title, starts = "No Neuron device was assigned to the pod, or its node has no driver for them", ()
    else:
        held = () if in_container(facts) else facts.stated("neuron-user-still-open")
        if held:
            title = "The Neuron runtime finds no free device, and another process that uses them is still open"
        yield Problem(
            title=title,
            devices=tuple(device.id for device in facts.of("neuron")),
            evidence=quoted((*events, *held)),
            remedies=(_HELD, *on_host)
            if held
            else on_host
            if facts.stated("neuron-no-device")
            else (*_ON_HOST[::-1], on_host[-1]),
        )
        return
    yield Problem(title=title, evidence=quoted((*starts, *events)), remedies=(_GIVE, *on_host))
