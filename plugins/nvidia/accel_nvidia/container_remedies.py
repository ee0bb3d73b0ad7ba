"""How to give a container the GPU, by engine. Pure."""

from typing import TYPE_CHECKING, Final

from accel.facts.containers import OF_LXC, is_kubernetes, is_of_class
from accel.model.dataclass import replace
from accel.model.observation import Command
from accel.text.pattern import pattern
from accel.vendors.contract.check import Fact, Facts, Remedy, Specs
from accel.vendors.contract.command import chained, command_line, name_word, number_word
from accel.vendors.toolkit.table_steps import fix, fixes
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


_NODES_OF_LXC: Final = ("/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools")


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


def _described(install: Remedy, specs: Specs) -> Remedy:
    """Return the step that generates the CDI description, after installing its tool if that is missing."""
    described = fix(specs, "nvidia", "cdi-description")
    if install.command is None or described.command is None:
        return install
    first = install.command.removesuffix(f" && {described.command}")
    return replace(
        install,
        text=f"{described.text} If nvidia-ctk is missing, the command first adds NVIDIA's repository and installs it.",
        command=chained(command_line("(command -v nvidia-ctk || (", first, "))"), described.command),
    )


def of_engine(facts: Facts, specs: Specs, said: Fact) -> tuple[Remedy, ...]:
    """Return how to configure an engine that reports that it cannot pass the GPU."""
    if "change root failed" in said.text:
        return fixes(specs, "nvidia", "hook-looks-on-host", "driver-on-host")
    if said.name == "container-given-unknown-device":
        return (_of_known_device(facts, specs),)
    if said.name == "engine-without-cdi":
        by_docker = said.text.lstrip().startswith("docker") or "daemon" in said.text
        if facts.host.container == "podman":
            return fixes(specs, "nvidia", "docker-cdi") if by_docker else fixes(specs, "nvidia", "podman-hook")
        return fixes(specs, "nvidia", "docker-cdi", "gpus-without-cdi")
    if said.name == "cdi-unresolved":
        if facts.stated("cdi-description-closed"):
            return fixes(specs, "nvidia", "cdi-description-readable")
        return (
            fixes(specs, "nvidia", "cdi-folder-named")
            if facts.stated(around.CDI_MADE)
            else tuple(
                _described(one, specs) for one in _installed(facts, specs, fix(specs, "nvidia", "cdi-description"))
            )
        )
    if facts.host.container == "podman":
        return _installed(facts, specs, fix(specs, "nvidia", "cdi-description"))
    if all("name: NVIDIA" in fact.text for fact in facts.stated(said.name)):  # the engine's messages look different
        return (
            fix(specs, "nvidia", "runtime-in-lower-case"),
            *_installed(facts, specs, fix(specs, "nvidia", "register-docker")),
        )
    if _gives_by_option(facts):
        return fixes(specs, "nvidia", "gpus-option", "register-docker")
    if said.name == "engine-without-gpu-runtime" and facts.stated("runtime-registered"):
        return fixes(specs, "nvidia", "restart-engine", "register-docker")
    if is_of_class(facts, "enroot"):
        return tuple(_for_enroot(one) for one in _installed(facts, specs, None))
    elsewhere = tuple(_of_foreign_engine(facts, specs))
    if said.name == "hook-without-library" and in_guest(facts):
        return fixes(specs, "nvidia", "guest-without-gpu")
    if said.name == "hook-without-library":
        looked = () if elsewhere else fixes(specs, "nvidia", "hook-looks-on-host")
        return (
            of_lxc(facts, specs)
            if facts.first(OF_LXC) is not None
            else (*elsewhere, fix(specs, "nvidia", "driver-on-host"), *looked)
        )
    if is_kubernetes(facts) and not elsewhere and said.name == "runtime-class-not-configured":
        return _installed(facts, specs, fix(specs, "nvidia", "register-containerd"))
    register = fix(
        specs, "nvidia", "register-rootless" if facts.first("rootless-named") is not None else "register-docker"
    )
    return elsewhere or _installed(facts, specs, register)


def _of_known_device(facts: Facts, specs: Specs) -> Remedy:
    """Return how to request an existing GPU: in a job its own by UUID, else one that the driver lists."""
    if facts.stated(*around.IN_JOB) or is_of_class(facts, "enroot"):
        return fix(specs, "nvidia", "gpus-by-uuid")
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
    installs = _installed(facts, specs, fix(specs, "nvidia", "register-docker"))
    on_windows = any(fact.value("subject") == "windows" for fact in facts.stated("spoken-of"))
    linux = facts.host.system in ("linux", None) and not facts.host.wsl and not on_windows
    desktop = linux and facts.first("engine-of-docker-desktop") is not None
    for way in (
        *fixes(specs, "nvidia", "docker-without-snap") * (facts.first("engine-from-snap") is not None),
        *fixes(specs, "nvidia", "docker-without-desktop") * desktop,
    ):
        for one in installs:
            text = way.text if len(installs) == 1 else f"{way.text} {one.text}"
            yield replace(way, text=text, command=chained(way.command, one.command))


def _gives_by_option(facts: Facts) -> bool:
    """Return whether --gpus ran nvidia-smi successfully, and only the runtime's name was rejected."""
    refused = facts.stated("engine-without-gpu-runtime")
    by_name = bool(refused) and all("runtime" in fact.text for fact in refused)
    return by_name and bool(facts.stated("gpus-option-tried")) and facts.driver("nvidia") is not None


def of_missing_files(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    """Return what to do if apptainer's --nv finds nothing to pass."""
    if in_guest(facts):
        return fixes(specs, "nvidia", "guest-without-gpu")
    return fixes(specs, "nvidia", "singularity-files")


def in_guest(facts: Facts) -> bool:
    """Return whether this is a virtual machine, without any sign of a passed-through GPU."""
    named = facts.host.virtualization is not None or bool(facts.stated(around.GUEST))
    return named and not facts.of("nvidia") and not facts.stated("nvidia-gpu-named")


def of_contained(specs: Specs) -> tuple[Remedy, ...]:
    """Return what to do if --contain keeps the GPU's nodes out of the container's /dev."""
    return fixes(specs, "nvidia", "without-contain")


def of_lxc_alone(facts: Facts) -> bool:
    """Return whether only an LXC container lacks the driver: it responds on the host."""
    answers = facts.stated("smi-works-said", "host-driver-answers") or facts.driver("nvidia") is not None
    return facts.first(OF_LXC) is not None and bool(answers) and not facts.live


def of_lxc(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
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
    plain = fix(specs, "nvidia", "plain-lxc")
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
        return of_lxc(facts, specs)
    if is_of_class(facts, "enroot"):
        return fixes(specs, "nvidia", "enroot-variables")
    if tool in _SINGULARITY:
        text = "Start the container with --nv, before the image name."
        return (Remedy(text=text, command=command_line(name_word(tool), verb, "--nv IMAGE PROGRAM"), action="env"),)
    if tool == "docker-compose":
        return (
            fix(specs, "nvidia", "gpu-in-compose"),
            *_otherwise(facts, specs, fix(specs, "nvidia", "register-docker")),
        )
    if tool == "kubectl":
        return (
            *fixes(specs, "nvidia", "gpu-in-pod", "node-offers-gpus"),
            *_otherwise(facts, specs, fix(specs, "nvidia", "register-containerd")),
        )
    if tool == "podman":
        start = fix(specs, "nvidia", "podman-cdi")
        return (start, *_otherwise(facts, specs))
    start = Remedy(
        text="Start the container with a GPU option, before the image name.",
        command=command_line("nerdctl" if tool == "nerdctl" else "docker", "run --gpus all IMAGE"),
        action="env",
    )
    if is_kubernetes(facts):
        return (
            *fixes(specs, "nvidia", "gpu-in-pod", "node-offers-gpus"),
            *_otherwise(facts, specs, fix(specs, "nvidia", "register-containerd")),
        )
    if facts.stated(around.BY_DEFAULT):
        return (
            fix(specs, "nvidia", "runtime-as-default"),
            start,
            *_otherwise(facts, specs, fix(specs, "nvidia", "register-docker")),
        )
    return (start, *_otherwise(facts, specs, fix(specs, "nvidia", "register-docker")))


def _otherwise(facts: Facts, specs: Specs, then: Remedy | None = None) -> "Iterator[Remedy]":
    """Yield how to install the toolkit on the host, for hosts without it."""
    if facts.stated("container-started-with-gpu") and facts.stated("host-driver-answers"):
        return  # another container was given the GPU here: the toolkit is installed
    for one in _installed(facts, specs, then)[:1]:
        yield replace(one, text=f"If the host has no toolkit yet: {one.text[:1].lower()}{one.text[1:]}")
