"""How containers were started: with the GPU, without it, or with a GPU option that the engine ignores."""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Command, Fact
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule

_ENGINES: Final = ("docker", "podman", "nerdctl")
_SINGULARITY: Final = ("singularity", "apptainer")
_STARTS: Final = ("run", "create")
_GIVING: Final = ("--gpus", "--nv", "--nvccli", "--gpu-count", "--gpu-ids")
_NAMING: Final = ("--device", "--runtime", "--device-driver", "--runtime-class", "--security-opt", "--hooks-dir")
_MISPLACED: Final = ("--nv", "--gpus", "--nvccli")
_CONTAINED: Final = frozenset(("-c", "--contain", "-C", "--containall"))  # a small /dev of its own
_EMPTY: Final = ("void", "none", "")


@rule(
    gives={
        "container-started-without-gpu": "a container was started without an option that gives it the GPU",
        "container-started-with-gpu": "a container was started with an option that gives it the GPU",
        "gpu-option-behind-image": (
            "the option for the GPU comes after the image name, where it is passed to the program"
        ),
        "gpu-mask-of-container-empty": "NVIDIA_VISIBLE_DEVICES is void, none or empty, so the hook gives no GPU",
        "nvidia-runtime-by-variable": (
            "only NVIDIA_VISIBLE_DEVICES requests the GPU, and only NVIDIA's runtime reads it"
        ),
    },
    triggers=("command",),
)
def container_starts(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for command lines of docker, podman, nerdctl, singularity and apptainer, for compose services and
    Kubernetes pods. Commands that somebody only recommends do not count.
    """
    for command in seen.of(Command):
        if command.advice:
            continue
        variables = {name.upper(): value for name, value in (*command.variables, *_handed_over(command))}
        mask = variables.get("NVIDIA_VISIBLE_DEVICES")
        if mask is not None and mask.strip("'\" ").lower() in _EMPTY:
            yield fact_from("gpu-mask-of-container-empty", command, value=mask or "empty", tool=command.tool)
        if not _starts(command):
            continue
        image = command.operands[0] if command.operands else None
        if _gives_gpu(command, variables):
            apart = "yes" if command.tool in _SINGULARITY and not _CONTAINED.isdisjoint(command.options) else None
            yield fact_from("container-started-with-gpu", command, tool=command.tool, contained=apart, image=image)
            continue
        behind = next((word for word in command.operands[1:] if word.split("=")[0] in _MISPLACED), None)
        if behind is not None:
            yield fact_from(
                "gpu-option-behind-image",
                command,
                tool=command.tool,
                verb=command.verb,
                option=behind.split("=")[0],
                image=image,
            )
        elif mask is not None and mask.strip("'\" ").lower() not in _EMPTY:
            yield fact_from("nvidia-runtime-by-variable", command, tool=command.tool)
        else:
            yield fact_from("container-started-without-gpu", command, tool=command.tool, verb=command.verb, image=image)


def _starts(command: Command) -> bool:
    if command.tool in _ENGINES:
        return command.verb in _STARTS and bool(command.operands)
    if command.tool in _SINGULARITY:
        return command.verb in ("run", "exec", "shell", "instance start") and bool(command.operands)
    if command.tool == "ctr":  # containerd's own; without the option the GPU may come from the runtime
        return command.verb == "run" and any(option.startswith("--gpus") for option in command.options)
    return (command.tool, command.verb) in (("docker-compose", "service"), ("kubectl", "pod"))


def _gives_gpu(command: Command, variables: dict[str, str]) -> bool:
    for option in command.options:
        name, _, value = option.lower().partition("=")
        if name in _GIVING and not (
            command.tool == "podman" and name == "--gpus"
        ):  # podman 4 accepts it without effect
            return True
        if name in _NAMING and ("nvidia" in value or "oci/hooks" in value):
            return True
        if name == "--resource" and value.startswith("nvidia.com/"):
            return True
        if name == "--capabilities" and "gpu" in value:
            return True
    if command.tool in _SINGULARITY:
        return any(variables.get(f"{tool}_NV", "") not in ("", "0") for tool in ("SINGULARITY", "APPTAINER"))
    return False


def _handed_over(command: Command) -> Iterator[tuple[str, str]]:
    """Yield the environment variables that options set: "-e A=b"."""
    for option in command.options:
        name, _, value = option.partition("=")
        if name in ("-e", "--env") and "=" in value:
            variable, _, text = value.partition("=")
            yield variable, text
