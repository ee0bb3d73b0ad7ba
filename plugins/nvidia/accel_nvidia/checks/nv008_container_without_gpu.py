"""A container that was started without the GPU, or an engine that cannot give it one."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from accel.contract.check import Evidence, Problem, Remedy, check, need
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.report import Event
    from accel.specs import Specs

_ENGINE_SAYS: Final = ("docker-no-gpu-driver", "docker-no-nvidia-runtime", "cdi-unresolved", "container-cli-no-library")
_INSIDE_SAYS: Final = ("image-saw-no-driver", "exec-smi-not-found")
_SYMPTOMS: Final = (*signs.NO_LIBRARY_EVENTS, "no-cuda-gpus", "cuda-no-device", "driver-insufficient", "no-gpu-seen")
_COMMANDS: Final = {
    "podman": "podman run --device nvidia.com/gpu=all IMAGE",
    "apptainer": "apptainer exec --nv IMAGE PROGRAM",
    "singularity": "singularity exec --nv IMAGE PROGRAM",
}
_EMPTY_MASKS: Final = ("void", "none")
_STARTS: Final = ("run", "create")  # what compose and start hand over stands elsewhere


@check(code="NV008", name="container-without-gpu", layer="access", requires=("cuda-torch-on-amd-machine",))
def container_without_gpu(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The container was started without a GPU option, or its engine has no NVIDIA runtime to give it one.

    Why it matters   Inside there is no libcuda and no nvidia-smi, so every framework says that there is no driver,
                     though the host's driver is fine.
    What to do       Start it with --gpus all (podman: --device nvidia.com/gpu=all); install and configure the NVIDIA
                     container toolkit on the host if the engine does not know that option.
    Looks at         the errors of docker, podman, containerd, CDI and the NVIDIA hook; the image's own warning; a
                     missing libcuda or nvidia-smi beside signs of a container or a start command without a GPU option
    Silent when      the container was started with a GPU option and nothing of the engine complains
    Source           NVIDIA container toolkit: install guide and troubleshooting
    """
    engine, inside = facts.events(*_ENGINE_SAYS), facts.events(*_INSIDE_SAYS)
    if facts.live and facts.host.containerized:
        inside += facts.events("nvml-library-missing")
    if engine:
        yield Problem(title=_engine_title(engine[0]), evidence=signs.quoted(engine), remedies=_toolkit(engine[0]))
        return
    if inside:
        yield _without(facts, inside)
        return
    if facts.live and facts.host.containerized and not facts.accelerators and _wants_gpu(facts):
        problem = _without(facts, ())
        mask = facts.variable("NVIDIA_VISIBLE_DEVICES") or ""
        yield replace(problem, evidence=(Evidence(fact="NVIDIA_VISIBLE_DEVICES", value=mask),))
        return
    symptoms = tuple(event for event in facts.events(*_SYMPTOMS) if event.scope != "host")
    symptoms += tuple(
        e for e in facts.events("driver-no-communication", "proc-driver-missing") if e.scope == "container"
    )
    if not symptoms or facts.event("nvml-unknown-error", "nvml-no-permission", "nvml-version-mismatch"):
        return  # a driver library that answers is in the container
    commands = tuple(c for c in facts.events("container-command") if c.value("verb") in _STARTS)
    given = any((c.value("gpu_options") or "").replace("--privileged", "").strip() for c in commands)
    mask = (facts.variable("NVIDIA_VISIBLE_DEVICES") or "").strip().lower()
    if mask in _EMPTY_MASKS or (commands and not given):
        yield _without(facts, symptoms, commands)
        return
    no_library = tuple(e for e in symptoms if e.name not in ("no-cuda-gpus", "cuda-no-device", "no-gpu-seen"))
    if not no_library or given:
        return
    if any(_container_id(e.value("host")) for e in no_library):
        yield _without(facts, no_library)
    elif signs.in_container(facts) and not signs.amd_seen(facts):
        if all(e.name == "driver-insufficient" for e in no_library):
            need(None, "whether the container was given the driver's libraries")
        yield _without(facts, no_library)


def _wants_gpu(facts: "Facts") -> bool:
    """Whether the container's image was made for NVIDIA's runtime and holds a framework built for CUDA."""
    mask = (facts.variable("NVIDIA_VISIBLE_DEVICES") or "").strip().lower()
    return mask not in ("", *_EMPTY_MASKS) and any(f.built_for == "cuda" for f in facts.environment.frameworks)


def _container_id(name: str | None) -> bool:
    return name is not None and len(name) == 12 and all(c in "0123456789abcdef" for c in name)


def _engine_title(event: "Event") -> str:
    if event.name == "cdi-unresolved":
        return "The container engine has no CDI description of the GPU that was asked for"
    if event.name == "container-cli-no-library":
        return "The NVIDIA container hook finds no driver library on the host that the engine runs on"
    return "The container engine has no NVIDIA runtime: the NVIDIA container toolkit is not installed or not configured"


def _without(facts: "Facts", events: "tuple[Event, ...]", commands: "tuple[Event, ...]" = ()) -> Problem:
    command = _COMMANDS.get(facts.host.container or "", "docker run --gpus all IMAGE")
    return Problem(
        title="The container was started without a GPU: the driver's libraries are not in it",
        evidence=signs.quoted((*commands[:1], *events)),
        remedies=(
            Remedy(text="Start the container with a GPU option.", command=command, action="app"),
            Remedy(
                text=(
                    "In Kubernetes request the GPU: resources.limits of nvidia.com/gpu: 1, and the "
                    "nvidia runtime class."
                ),
                action="app",
            ),
            *_toolkit(None),
        ),
    )


def _toolkit(event: "Event | None") -> tuple[Remedy, ...]:
    install = Remedy(
        text="On the host: install nvidia-container-toolkit (from NVIDIA's package repository).",
        command="sudo apt install -y nvidia-container-toolkit || sudo dnf install -y nvidia-container-toolkit",
        action="admin",
    )
    configure = Remedy(
        text="Register the runtime with Docker.",
        command="sudo nvidia-ctk runtime configure --runtime=docker && sudo systemctl restart docker",
        action="admin",
    )
    cdi = Remedy(
        text="Describe the GPUs for CDI; again after each driver update.",
        command="sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml && nvidia-ctk cdi list",
        action="admin",
    )
    driver = Remedy(
        text="See that the driver works on that very host; Docker Desktop, snap and rootless Docker run elsewhere.",
        command="nvidia-smi && docker context ls",
        action="admin",
    )
    if event is not None and event.name == "cdi-unresolved":
        return (cdi, install)
    if event is not None and event.name == "container-cli-no-library":
        return (driver, install, configure)
    return (install, configure)
