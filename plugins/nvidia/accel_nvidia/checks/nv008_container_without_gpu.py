from typing import Final

from accel.facts.containers import ENVIRONMENT, OF_LXC, container_options, in_container, is_container_id
from accel.resolver.programs import foreign_device, without_cuda
from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Remedy, Specs, check, need, quoted
from accel.vendors.toolkit.table_steps import fixes
from accel_nvidia import around

_ENGINE_SAYS: Final = (
    *("engine-without-cdi", "engine-without-gpu-runtime", "runtime-class-not-configured", "cdi-unresolved"),
    "hook-without-library",
    "container-given-unknown-device",
)
_INSIDE_SAYS: Final = ("image-saw-no-driver", "exec-smi-not-found", "nv-finds-no-driver", "gpu-option-run-as-program")
_SYMPTOMS: Final = (
    *around.NO_LIBRARY,
    *("no-cuda-gpus", "cuda-no-device", "driver-insufficient", "no-gpu-seen", "no-devices-found", "cuda-unknown-error"),
)
_FROM_HOSTS: Final = ("nvidia-module-absent", "device-nodes-absent")
_STARTS: Final = (
    *("container-started-without-gpu", "container-started-with-gpu", "gpu-option-behind-image"),
    *("gpu-mask-of-container-empty", "nvidia-runtime-by-variable"),
)
_UNUSED: Final = "torch-takes-no-gpu"  # messages of programs that use a framework
_ANSWERS: Final = ("nvml-unknown-error", "nvml-no-permission", "driver-parts-unlike")
_WEAK: Final = ("no-cuda-gpus", "cuda-no-device", "no-gpu-seen", "no-devices-found", "cuda-unknown-error")
_EMPTY_MASKS: Final = ("void", "none")
_TITLE: Final = "The container was started without a GPU: it lacks the driver's libraries"


@check(
    code="NV008",
    name="container-without-gpu",
    layer="access",
    reads=(
        *(*_ENGINE_SAYS, *_INSIDE_SAYS, *_SYMPTOMS, *_FROM_HOSTS, *_STARTS, *_ANSWERS, *around.AROUND),
        *("rootless-named", "container-has-no-device", "host-driver-answers", "driver-version-said"),
        *("works-on-host-alone", "works-for-a-while", around.BRAND),
        *("gpus-option-tried", "runtime-registered", "engine-from-snap", "engine-of-docker-desktop"),
        *(OF_LXC, "smi-works-said", ENVIRONMENT, around.CDI_MADE, "cdi-description-closed"),
        *(around.GUEST, around.APPLIANCE, around.BY_DEFAULT, _UNUSED, "image-of-other-maker", *around.IN_JOB),
    ),
    needs=("use.torch|jax|tensorflow",),
    requires=(
        "cuda-torch-on-amd-machine",
        "k8s-nvidia-runtime-missing",
        "driver-capabilities-missing",
        "container-cgroup-denied",
    ),
)
def container_without_gpu(facts: Facts, specs: Specs) -> Problems:
    """The container was started without a GPU option, or its engine has no NVIDIA runtime to provide one.

    Why it matters   The container has no libcuda and no nvidia-smi, so every framework reports a missing driver
                     although the host's driver works.
    What to do       Start it with --gpus all (podman: --device nvidia.com/gpu=all; apptainer: --nv before the image);
                     if the engine rejects the option, install and configure the NVIDIA container toolkit on the host.
    Looks at         errors of docker, podman, containerd, CDI and the NVIDIA hook; the image's own warning; start
                     commands, compose files and pods; NVIDIA_VISIBLE_DEVICES; a missing libcuda or nvidia-smi
    Silent when      the container was started with a GPU option and the engine reports no error
    Source           NVIDIA container toolkit: install guide and troubleshooting; apptainer: GPU support
    """
    engine, inside = facts.stated(*_ENGINE_SAYS), facts.stated(*_INSIDE_SAYS)
    if facts.live and facts.host.containerized:
        inside += facts.stated("nvml-library-absent")
    if engine and not facts.live and (device := foreign_device(facts, specs)) is not None:
        yield Problem(
            title=f"The container is started with NVIDIA's runtime, but the accelerator here is from {device.vendor}",
            evidence=(*quoted(engine), Evidence(fact="accelerator", value=device.name or device.id)),
            remedies=(*_without_nvidia(engine[0], specs), *without_cuda(device, specs)),
        )
        return
    from accel_nvidia.container_remedies import of_engine, of_lxc, of_lxc_alone, of_missing_files, of_start

    if engine:
        yield Problem(
            title=_engine_title(engine[0]), evidence=quoted(engine), remedies=of_engine(facts, specs, engine[0])
        )
        return
    if inside and inside[0].name == "nv-finds-no-driver":
        yield Problem(
            title="The option --nv found no driver libraries on this host to pass to the container",
            evidence=quoted(inside),
            remedies=of_missing_files(facts, specs),
        )
        return
    if inside:
        given = facts.first("container-started-with-gpu") if inside[0].name == "image-saw-no-driver" else None
        if given is None:
            yield _without(facts, specs, inside)
        return
    answers, absent = facts.stated("host-driver-answers"), facts.stated("nvidia-module-absent")
    if answers and absent and in_container(facts) and not facts.stated(*_ANSWERS):
        yield Problem(
            title="The driver works on the host but not in the container: the GPU's device nodes were not passed to it",
            evidence=quoted((*absent[:2], *answers[:1])),
            remedies=of_start(facts, specs),
        )
        return
    if absent and of_lxc_alone(facts):
        yield Problem(
            title="The driver works on the host but not in the LXC container, which lacks its device nodes, or "
            "libraries of the same version",
            evidence=quoted((*absent[:2], *facts.stated("smi-works-said", OF_LXC)[:2])),
            remedies=of_lxc(facts, specs),
        )
        return
    nodes = tuple(f for f in facts.stated("device-nodes-absent") if f.value("name") == "/dev/nvidiactl")
    if nodes and absent and in_container(facts) and facts.stated("driver-version-said"):
        yield Problem(
            title="The driver's nodes (/dev/nvidiactl) are not in the container, so nvidia-smi finds no driver",
            evidence=quoted((*nodes[:2], *absent[:1])),
            remedies=of_start(facts, specs),
        )
        return
    bare = facts.stated("container-has-no-device")
    nvidia = facts.seen("nvidia") or bool(facts.stated(around.BRAND))
    lost = facts.states(("nvml-unknown-error", "works-for-a-while"))  # it had a GPU: see container-lost-gpu
    if not bare and nvidia and not lost and facts.first("container-started-with-gpu") is None:
        bare = facts.stated("works-on-host-alone")
    if bare:
        yield _without(facts, specs, bare)
        return
    yield from _by_symptoms(facts, specs)


def _by_symptoms(facts: Facts, specs: Specs) -> Problems:
    from accel_nvidia.container_remedies import of_contained, of_missing_files

    other = bool(facts.stated("image-of-other-maker")) and not facts.seen("nvidia")
    if not facts.live and (other or foreign_device(facts, specs) is not None):
        return  # other vendors' accelerators are passed differently
    symptoms = tuple(f for f in around.inside(facts.stated(*_SYMPTOMS)) if "uvm" not in f.text)  # see NV096
    if "/dev/kfd" in (container_options(facts) or ""):
        symptoms = tuple(f for f in symptoms if f.name not in _WEAK)  # AMD GPUs were passed
    starts = facts.stated("container-started-without-gpu", "gpu-option-behind-image", "gpu-mask-of-container-empty")
    from_hosts = tuple(f for f in facts.stated(*_FROM_HOSTS) if "uvm" not in f.text)
    symptoms += tuple(f for f in from_hosts if f.scope == "container" or is_container_id(f.value("host")))
    if starts and not symptoms:
        symptoms = tuple(f for f in from_hosts if f.scope != "host" and f.line and f.line >= (starts[0].line or 0))
    unseen = any(f.available is False for f in facts.environment.frameworks) or bool(facts.stated(_UNUSED))
    mask = (facts.variable("NVIDIA_VISIBLE_DEVICES") or "").strip().lower()
    if (not symptoms and not ((starts or mask in _EMPTY_MASKS) and unseen)) or facts.stated(*_ANSWERS):
        return  # nothing fails, or the container has a working driver library
    image = starts[0].value("image") if starts else None  # that another image gets the GPU does not give it to this one
    given = any(image is None or f.value("image") in (None, image) for f in facts.stated("container-started-with-gpu"))
    if mask in _EMPTY_MASKS or (starts and not (given and starts[0].name == "container-started-without-gpu")):
        yield _without(facts, specs, symptoms, starts, mask)
        return
    no_library = tuple(fact for fact in symptoms if fact.name not in _WEAK)
    if given and no_library and (asked := _by_nv(facts)):
        yield Problem(
            title="The option --nv did not pass CUDA's driver library to the container",
            detail="It passes what the host's loader lists under the names in nvliblist.conf.",
            evidence=quoted((asked, *no_library)),
            remedies=of_missing_files(facts, specs),
        )
        return
    contained = next((f for f in facts.stated("container-started-with-gpu") if f.value("contained")), None)
    if contained is not None:
        yield Problem(
            title="The container has its own /dev (--contain) without the GPU's device nodes, although --nv is given",
            evidence=quoted((contained, *symptoms[:2])),
            remedies=of_contained(specs),
        )
        return
    if not no_library or given:
        return
    if any(is_container_id(fact.value("host")) for fact in no_library):
        yield _without(facts, specs, no_library)
    elif in_container(facts) and not around.amd_seen(facts):
        if all(fact.name == "driver-insufficient" for fact in no_library):
            need(None, "whether the driver's libraries are in the container")
        yield _without(facts, specs, no_library)


def _by_nv(facts: Facts) -> Fact | None:
    """Return the container start by apptainer or singularity with --nv; None if there is none."""
    starts = facts.stated("container-started-with-gpu")
    return next((f for f in starts if f.value("tool") in ("apptainer", "singularity")), None)


def _engine_title(fact: Fact) -> str:
    if fact.name == "engine-without-cdi":
        return "The container engine does not support CDI devices: it is too old, or CDI is disabled"
    if fact.name == "cdi-unresolved":
        return "The container engine has no CDI description of the requested GPU"
    if fact.name == "hook-without-library":
        return "The NVIDIA container hook finds no driver library on the host that the engine runs on"
    if fact.name == "container-given-unknown-device":
        return f"The container requested GPU {fact.value('device')}, which the host does not have"
    return "The container engine has no NVIDIA runtime: the NVIDIA container toolkit is not installed or not configured"


def _without(
    facts: Facts, specs: Specs, found: tuple[Fact, ...], starts: tuple[Fact, ...] = (), mask: str = ""
) -> Problem:
    from accel_nvidia.container_remedies import of_start

    title = _TITLE
    first = starts[0] if starts else None
    if found and found[0].name == "gpu-option-run-as-program":
        behind = next(iter(facts.stated("gpu-option-behind-image")), None)
        title = "The container was started without a GPU: the option for it comes after the image name"
        return Problem(title=title, evidence=quoted(found), remedies=of_start(facts, specs, behind or found[0]))
    if first is not None and first.name == "gpu-option-behind-image":
        title = f"The container was started without a GPU: {first.value('option')} comes after the image name"
    elif first is not None and first.name == "gpu-mask-of-container-empty":
        title = f"The container was started without a GPU: NVIDIA_VISIBLE_DEVICES is {first.value('value')}"
    elif first is not None and first.value("tool") in ("singularity", "apptainer"):
        title = "The container was started without a GPU: --nv is missing"
    inside = (Evidence(fact="NVIDIA_VISIBLE_DEVICES", value=mask),) if mask in _EMPTY_MASKS and not starts else ()
    if inside:
        title = f"The container has no GPU: NVIDIA_VISIBLE_DEVICES is {mask} in it"
    return Problem(
        title=title, evidence=(*inside, *quoted((*starts[:1], *found))), remedies=of_start(facts, specs, first)
    )


def _without_nvidia(said: Fact, specs: Specs) -> tuple[Remedy, ...]:
    """Return how to start a container if its engine calls NVIDIA's hook for all of them."""
    return fixes(specs, "nvidia", "docker-own-runtime") if said.name == "hook-without-library" else ()
