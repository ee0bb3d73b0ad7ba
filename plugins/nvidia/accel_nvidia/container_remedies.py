"""How to give a container the GPU, by engine. Pure."""

from typing import TYPE_CHECKING, Final

from accel.facts.containers import OF_LXC, is_kubernetes, is_of_class
from accel.model.dataclass import replace
from accel.model.observation import Command
from accel.text.pattern import pattern
from accel.vendors.contract.check import Fact, Facts, Remedy, Specs
from accel.vendors.contract.command import chained, command_line, name_word, number_word
from accel_nvidia import around

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

_FAMILY: Final = {"ubuntu": " (Debian, Ubuntu)", "fedora": " (Fedora, RHEL and related)"}
_SINGULARITY: Final = ("singularity", "apptainer")
_DISTRIBUTION: Final = pattern(
    r"(?<![\w:/.-])(?:Ubuntu|Debian|Fedora|CentOS|Rocky|Alma(?=Linux)|RHEL|Amazon(?= Linux)|openSUSE|Arch(?= Linux))"
    r"(?![\w:/.-])",
    exact_case=True,
)
_VERBS: Final = ("exec", "run", "shell", "instance start")


def _for_admin(text: str, command: str) -> Remedy:
    return Remedy(text=text, command=command, action="admin")


_CONFIGURE: Final = _for_admin(
    "Register the runtime with Docker.",
    "sudo nvidia-ctk runtime configure --runtime=docker && sudo systemctl restart docker",
)
_AS_DEFAULT: Final = _for_admin(
    "Make NVIDIA's runtime the engine's default: a container then gets the GPUs listed in "
    "NVIDIA_VISIBLE_DEVICES, which the nvidia/cuda images set to all, without any option.",
    "sudo nvidia-ctk runtime configure --runtime=docker --set-as-default && sudo systemctl restart docker",
)
_CONTAINERD: Final = _for_admin(
    "Register the runtime with the node's containerd.",
    "sudo nvidia-ctk runtime configure --runtime=containerd && sudo systemctl restart containerd",
)
_ROOTLESS: Final = _for_admin(
    "Register the runtime with this user's rootless Docker.",
    "nvidia-ctk runtime configure --runtime=docker --config=$HOME/.config/docker/daemon.json "
    "&& systemctl --user restart docker",
)
_LOWER_CASE: Final = Remedy(
    text="Write the runtime's name in lower case, as it is registered: nvidia.",
    command="docker run --rm --runtime=nvidia --gpus all IMAGE nvidia-smi",
    action="env",
)
_BY_OPTION: Final = Remedy(
    text="Request the GPU with --gpus, which this engine supports, and remove --runtime=nvidia (compose: "
    "deploy.resources, or gpus: all, instead of runtime: nvidia).",
    command="docker run --rm --gpus all IMAGE nvidia-smi",
    action="env",
)
_OTHER_ENGINE: Final = _for_admin(
    "The configuration names the runtime, but the running engine has not read it: restart it. If that does not "
    "help, another engine is running (snap, Docker Desktop, rootless), which has its own configuration.",
    "sudo systemctl restart docker && docker info | grep -i runtimes; docker context ls; snap list docker",
)
_CDI: Final = _for_admin(
    "Generate a CDI description of the GPUs; repeat this after each driver update.",
    "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml && nvidia-ctk cdi list",
)
_DRIVER: Final = Remedy(
    text="Check that the driver is installed and works on that very host; Docker Desktop, snap and rootless "
    "Docker run elsewhere.",
    command="nvidia-smi && docker context ls",
    action="admin",
    kind="look",
)
_FROM_SNAP: Final = _for_admin(
    "Docker from snap sees neither the host's driver libraries nor /etc/docker: save what its images and volumes "
    "contain, remove it, and install Docker's own packages and nvidia-container-toolkit.",
    "sudo snap remove docker && curl -fsSL https://get.docker.com | sudo sh",
)
_OF_DESKTOP: Final = _for_admin(
    "Docker Desktop on Linux runs containers in a virtual machine, which has no GPU: use the host's own engine "
    "(docker-ce; under sudo, until you are in the group docker), and register the runtime there.",
    "(command -v dockerd || curl -fsSL https://get.docker.com | sudo sh) && docker context use default",
)
_LOOKED_FOR: Final = Remedy(
    text="Let the hook look on the host if its driver is installed there (/run/nvidia/driver is for a driver "
    "container), and make sure that ldconfig lists its libraries.",
    command="sudo nvidia-ctk config --set nvidia-container-cli.root=/ --in-place && sudo ldconfig && "
    "ldconfig -p | grep libnvidia-ml",
    action="admin",
)
_POD: Final = Remedy(
    text="Request the GPU in the pod: in its container resources: {limits: {nvidia.com/gpu: 1}}, and if the cluster "
    "has that class (k3s, RKE2, GPU operator) in its spec runtimeClassName: nvidia; then apply it again.",
    action="env",
)
_NODES: Final = Remedy(
    text="Check whether the class exists, and whether the node offers GPUs.",
    command="kubectl get runtimeclass nvidia; kubectl describe node | grep -A 8 nvidia.com/gpu",
    action="env",
    kind="look",
)
_NODES_OF_LXC: Final = ("/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools")
_COMPOSE: Final = Remedy(
    text="In the compose file, pass the GPU to the service: deploy.resources.reservations.devices with driver: nvidia, "
    "count: all and capabilities: [gpu]; or gpus: all from Compose 2.30 on. Then recreate its container.",
    command="docker compose up -d --force-recreate",
    action="env",
)


_BY_VARIABLES: Final = Remedy(
    text="enroot and pyxis hand a container the GPUs that its variables ask for, which images from docker export or a "
    "plain base have lost: set them where the job is started.",
    command="export NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility",
    action="env",
)
_BY_GPUS: Final = Remedy(
    text="Or start it with the older option, which needs no CDI.",
    command="docker run --rm --gpus all IMAGE nvidia-smi",
    action="env",
)
FROM_GUEST: Final = Remedy(
    text="This is a virtual machine, which sees none of the host's GPUs unless one is passed through. Run the program "
    "on the host itself (or in WSL 2 on Windows), where the driver is; or pass the GPU through (VFIO under KVM, "
    "Proxmox or Hyper-V; VirtualBox cannot) and install the NVIDIA driver inside the virtual machine.",
    action="admin",
)


def _installed(facts: Facts, specs: Specs, then: Remedy | None) -> tuple[Remedy, ...]:
    """Return how to install the toolkit and register it with the engine: one remedy with its steps in order.

    then  the registration step; None if none is needed. For an unknown distribution, Debian and Ubuntu packages come
          first, then those of Fedora and its relatives.
    """
    from accel_nvidia.driver_install import appliance

    table: Mapping[str, Any] = specs.table("nvidia/container_toolkit") or {}
    own = next((row for row in table.get("appliances", ()) if row["appliance"] == appliance(facts)), None)
    if own is not None:
        return (Remedy(text=own["says"], action="admin"),)
    rows = table.get("rows", ())
    told = (facts.host.distribution or "").lower() or _said_distribution(facts)
    known = [row for row in rows if any(name in told for name in row["names"])][:1]
    chosen = known or [row for row in rows if {"ubuntu", "fedora"} & set(row["names"])]
    return tuple(
        _for_admin(
            f"On the host{'' if known else _FAMILY[row['names'][0]]}: {row['says'][:1].lower()}{row['says'][1:]}"
            + (f", then {step.text[:1].lower()}{step.text[1:]}" if step is not None else "."),
            row["command"] if step is None or step.command is None else f"{row['command']} && {step.command}",
        )
        for row in chosen
        for step in (None if row.get("registers") else then,)
    )


def _said_distribution(facts: Facts) -> str:
    """Return the only distribution that the user's own sentences name; "" for none or several.

    Names within images and commands ("cuda:12.4.1-base-ubuntu22.04") are a container's.
    """
    prose = (one.text for one in facts.snapshot.observations if not isinstance(one, Command))
    found = {hit[0].lower() for text in prose if not text.startswith("$") for hit in _DISTRIBUTION.finditer(text)}
    return found.pop() if len(found) == 1 else ""


def _described(install: Remedy) -> Remedy:
    """Return the step that generates the CDI description, after installing its tool if that is missing."""
    if install.command is None or _CDI.command is None:
        return install
    first = install.command.removesuffix(f" && {_CDI.command}")
    return replace(
        install,
        text=f"{_CDI.text} If nvidia-ctk is missing, the command first adds NVIDIA's repository and installs it.",
        command=chained(command_line("(command -v nvidia-ctk || (", first, "))"), _CDI.command),
    )


def of_engine(facts: Facts, specs: Specs, said: Fact) -> tuple[Remedy, ...]:
    """Return how to configure an engine that reports that it cannot pass the GPU."""
    if "change root failed" in said.text:
        return (_LOOKED_FOR, _DRIVER)
    if said.name == "container-given-unknown-device":
        return (_of_known_device(facts),)
    if said.name == "engine-without-cdi":
        from accel_nvidia.cdi_remedies import BY_HOOK, SWITCH  # few texts are about CDI

        by_docker = said.text.lstrip().startswith("docker") or "daemon" in said.text
        if facts.host.container == "podman":
            return (SWITCH,) if by_docker else BY_HOOK
        return (SWITCH, _BY_GPUS)
    if said.name == "cdi-unresolved":
        from accel_nvidia.cdi_remedies import CLOSED, FOLDER

        if facts.stated("cdi-description-closed"):
            return (CLOSED,)
        return (
            (FOLDER,)
            if facts.stated(around.CDI_MADE)
            else tuple(_described(one) for one in _installed(facts, specs, _CDI))
        )
    if facts.host.container == "podman":
        return _installed(facts, specs, _CDI)
    if all("name: NVIDIA" in fact.text for fact in facts.stated(said.name)):  # the engine's messages look different
        return (_LOWER_CASE, *_installed(facts, specs, _CONFIGURE))
    if _gives_by_option(facts):
        return (_BY_OPTION, _CONFIGURE)
    if said.name == "engine-without-gpu-runtime" and facts.stated("runtime-registered"):
        return (_OTHER_ENGINE, _CONFIGURE)
    if is_of_class(facts, "enroot"):
        return tuple(_for_enroot(one) for one in _installed(facts, specs, None))
    elsewhere = tuple(_of_foreign_engine(facts, specs))
    if said.name == "hook-without-library" and in_guest(facts):
        return (FROM_GUEST,)
    if said.name == "hook-without-library":
        looked = () if elsewhere else (_LOOKED_FOR,)
        return of_lxc(facts) if facts.first(OF_LXC) is not None else (*elsewhere, _DRIVER, *looked)
    if is_kubernetes(facts) and not elsewhere and said.name == "runtime-class-not-configured":
        return _installed(facts, specs, _CONTAINERD)
    register = _ROOTLESS if facts.first("rootless-named") is not None else _CONFIGURE
    return elsewhere or _installed(facts, specs, register)


def _of_known_device(facts: Facts) -> Remedy:
    """Return how to request an existing GPU: in a job its own by UUID, else one that the driver lists."""
    if facts.stated(*around.IN_JOB) or is_of_class(facts, "enroot"):
        return Remedy(
            text="A job only sees its own GPUs, which count from 0 there: the whole node's numbers, as in "
            "NVIDIA_VISIBLE_DEVICES here, match none. List them by UUID before the container starts; all "
            "works, too, if the job's cgroup hides the others.",
            command="export NVIDIA_VISIBLE_DEVICES=$(nvidia-smi --query-gpu=uuid --format=csv,noheader | paste -sd,)",
            action="env",
        )
    listed = sorted(device.index for device in facts.of("nvidia") if device.pci_address or device.uuid)
    first = "docker run --gpus device=0 IMAGE" if listed[:1] == [0] else None
    return Remedy(
        text="Use a GPU that the host lists, by number or UUID; numbers start at 0.",
        command=first or "nvidia-smi -L",
        action="env",
    )


def _for_enroot(install: Remedy) -> Remedy:
    """Return how to install nvidia-container-cli, which enroot's hook calls without a container engine."""
    text = install.text.replace("On the host", "On each GPU node", 1)
    return replace(
        install, text=f"{text} It installs nvidia-container-cli, which enroot's hook calls; no service needs a restart."
    )


def _of_foreign_engine(facts: Facts, specs: Specs) -> "Iterator[Remedy]":
    """Yield the whole way from an engine that does not run on the host itself, where the driver is, to the host's."""
    installs = _installed(facts, specs, _CONFIGURE)
    on_windows = any(fact.value("subject") == "windows" for fact in facts.stated("spoken-of"))
    linux = facts.host.system in ("linux", None) and not facts.host.wsl and not on_windows
    desktop = linux and facts.first("engine-of-docker-desktop") is not None
    for way in (*(_FROM_SNAP,) * (facts.first("engine-from-snap") is not None), *(_OF_DESKTOP,) * desktop):
        for one in installs:
            text = way.text if len(installs) == 1 else f"{way.text} {one.text}"
            yield replace(way, text=text, command=chained(way.command, one.command))


def _gives_by_option(facts: Facts) -> bool:
    """Return whether --gpus ran nvidia-smi successfully, and only the runtime's name was rejected."""
    refused = facts.stated("engine-without-gpu-runtime")
    by_name = bool(refused) and all("runtime" in fact.text for fact in refused)
    return by_name and bool(facts.stated("gpus-option-tried")) and facts.driver("nvidia") is not None


def of_missing_files(facts: Facts) -> tuple[Remedy, ...]:
    """Return what to do if apptainer's --nv finds nothing to pass."""
    if in_guest(facts):
        return (FROM_GUEST,)
    return (
        Remedy(
            text="On the host: the driver must work there, and the loader's cache must list its libraries.",
            command="nvidia-smi; sudo ldconfig; ldconfig -p | grep -E 'libcuda|libnvidia-ml'",
            action="admin",
        ),
        Remedy(
            text="Let NVIDIA's own tool pass them (needs nvidia-container-toolkit); also for Jetsons, which need "
            "a recent apptainer.",
            command="apptainer exec --nv --nvccli IMAGE nvidia-smi",
            action="env",
        ),
        Remedy(
            text="Or bind the libraries manually, if they are installed elsewhere.",
            command="find / -name 'libcuda.so.1' 2>/dev/null",
            action="env",
        ),
    )


def in_guest(facts: Facts) -> bool:
    """Return whether this is a virtual machine, without any sign of a passed-through GPU."""
    named = facts.host.virtualization is not None or bool(facts.stated(around.GUEST))
    return named and not facts.of("nvidia") and not facts.stated("nvidia-gpu-named")


def of_contained() -> tuple[Remedy, ...]:
    """Return what to do if --contain keeps the GPU's nodes out of the container's /dev."""
    return (
        Remedy(
            text="Remove -c (--contain), and isolate only what must be isolated: --no-home, --cleanenv.",
            command="singularity exec --nv --no-home --cleanenv IMAGE nvidia-smi",
            action="env",
        ),
        Remedy(
            text="Or bind the nodes manually; newer releases of SingularityCE and apptainer create them with --nv.",
            command="singularity exec -c --nv --bind /dev/nvidiactl,/dev/nvidia-uvm,/dev/nvidia0 IMAGE nvidia-smi",
            action="env",
        ),
    )


def of_lxc_alone(facts: Facts) -> bool:
    """Return whether only an LXC container lacks the driver: it responds on the host."""
    answers = facts.stated("smi-works-said", "host-driver-answers") or facts.driver("nvidia") is not None
    return facts.first(OF_LXC) is not None and bool(answers) and not facts.live


def of_lxc(facts: Facts) -> tuple[Remedy, ...]:
    """Return how to give an LXC container the GPU, with the tool that the text names: pct, incus or lxc."""
    said = [one for one in facts.snapshot.observations if "proxmox" in one.text.lower() or "pct " in one.text]
    container = next((v for fact in facts.stated(OF_LXC) if (v := fact.value("container"))), None)
    nodes = " ".join(f"-dev{number} {node}" for number, node in enumerate(_NODES_OF_LXC))
    number = number_word(container) or "CONTAINER"
    proxmox = _for_admin(
        "Proxmox VE, on its host: pass the driver's nodes to the container (from release 8.2 on as devices), "
        "then restart it; its driver packages must have the host's version, without a kernel module.",
        command_line("sudo pct set", number, nodes, "&& sudo pct reboot", number) or "",
    )
    plain = _for_admin(
        "Older Proxmox and plain LXC: allow the major numbers of all NVIDIA nodes in the container's configuration "
        "(lxc.cgroup2.devices.allow: c MAJOR:* rwm) and mount each node (lxc.mount.entry).",
        "ls -l /dev/nvidia* /dev/nvidia-caps; grep nvidia /proc/devices",
    )
    tool = "incus" if facts.mentions("incus") else "lxc"
    name = name_word(container) or "CONTAINER"
    steps = (("config device add", name, "gpu gpu"), ("config set", name, "nvidia.runtime=true"), ("restart", name))
    lxd = _for_admin(
        f"Pass the GPU and the host's driver files to the container ({'Incus' if tool == 'incus' else 'LXD'}); "
        "its driver packages must have the host's version, without a kernel module.",
        chained(*(command_line(tool, *step) for step in steps)) or "",
    )
    return (proxmox, plain) if said else (lxd, proxmox, plain)


def of_start(facts: Facts, specs: Specs, started: Fact | None = None) -> tuple[Remedy, ...]:
    """Return how to start this container with the GPU. started: how it was started, if known."""
    tool = (started.value("tool") if started is not None else None) or facts.host.container
    tool = tool or ("lxc" if facts.first(OF_LXC) is not None else "docker")
    if started is not None and started.name == "gpu-option-run-as-program" and "nv" in (started.value("name") or "nv"):
        tool = "singularity" if tool not in _SINGULARITY else tool
    verb = next((v for v in _VERBS if started is not None and started.value("verb") == v), "exec")
    if started is not None and started.name == "gpu-mask-of-container-empty":
        text = "Set NVIDIA_VISIBLE_DEVICES to all, or to GPUs of the host, where the container is started."
        command = "docker run --gpus all -e NVIDIA_VISIBLE_DEVICES=all IMAGE" if tool == "docker" else None
        return (Remedy(text=text, command=command, action="env"),)
    if tool == "lxc":
        return of_lxc(facts)
    if is_of_class(facts, "enroot"):
        return (_BY_VARIABLES,)
    if tool in _SINGULARITY:
        text = "Start the container with --nv, before the image name."
        return (Remedy(text=text, command=command_line(name_word(tool), verb, "--nv IMAGE PROGRAM"), action="env"),)
    if tool == "docker-compose":
        return (_COMPOSE, *_otherwise(facts, specs, _CONFIGURE))
    if tool == "kubectl":
        return (_POD, _NODES, *_otherwise(facts, specs, _CONTAINERD))
    if tool == "podman":
        start = Remedy(
            text="Generate a CDI description of the host's GPUs (again after each driver update), and start the "
            "container with that device: podman's own GPU option.",
            command="sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml && podman run --device "
            "nvidia.com/gpu=all IMAGE",
            action="env",
        )
        return (start, *_otherwise(facts, specs))
    start = Remedy(
        text="Start the container with a GPU option, before the image name.",
        command=command_line("nerdctl" if tool == "nerdctl" else "docker", "run --gpus all IMAGE"),
        action="env",
    )
    if is_kubernetes(facts):
        return (_POD, _NODES, *_otherwise(facts, specs, _CONTAINERD))
    if facts.stated(around.BY_DEFAULT):
        return (_AS_DEFAULT, start, *_otherwise(facts, specs, _CONFIGURE))
    return (start, *_otherwise(facts, specs, _CONFIGURE))


def _otherwise(facts: Facts, specs: Specs, then: Remedy | None = None) -> "Iterator[Remedy]":
    """Yield how to install the toolkit on the host, for hosts without it."""
    if facts.stated("container-started-with-gpu") and facts.stated("host-driver-answers"):
        return  # another container was given the GPU here: the toolkit is installed
    for one in _installed(facts, specs, then)[:1]:
        yield replace(one, text=f"If the host has no toolkit yet: {one.text[:1].lower()}{one.text[1:]}")
