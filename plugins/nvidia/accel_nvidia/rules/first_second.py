"""NVML's Unknown Error from the command that started the container: the GPU never worked there."""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Command, Fact
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule

_ENGINES: Final = ("docker", "podman", "nerdctl")


@rule(
    gives={"unknown-from-the-first-second": "NVML answers Unknown Error to a container's first program"},
    triggers=("nvml-unknown-error",),
)
def first_second(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if the command runs nvidia-smi in a new container, Unknown Error follows within two lines, and the text
    does not say that it worked before or that systemd reloaded its units.
    """
    if seen.facts("container-reload-named", "worked-before", "cgroup-denies-nvidia"):
        return
    unknown = seen.facts("nvml-unknown-error")
    for command in seen.of(Command):
        if command.advice or command.tool not in _ENGINES or command.verb != "run":
            continue
        if not any("nvidia-smi" in word for word in command.operands):
            continue
        end = command.last_line or command.line or 0
        near = [fact for fact in unknown if fact.line and end < fact.line <= end + 2]
        if near:
            yield fact_from("unknown-from-the-first-second", command, tool=command.tool)
