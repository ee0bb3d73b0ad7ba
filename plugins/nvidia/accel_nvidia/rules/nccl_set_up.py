"""How a job configures NCCL: variables in places where no shell reads them, interfaces that do not exist."""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Command, Fact, Noted
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule

_ASSIGNED: Final = pattern(r"(?P<name>NCCL_[A-Z0-9_]{2,60})=(?P<value>\S{1,100})", exact_case=True)
_TAKE_VARIABLES: Final = frozenset(
    (
        "export",
        "env",
        "set",
        "setx",
        "setenv",
        "declare",
        "echo",
        "docker",
        "podman",
        "nerdctl",
        "sbatch",
        "conda",
        "make",
    )
)
_INTERFACE: Final = pattern(
    r"NCCL_SOCKET_IFNAME\s{0,2}(?:=|:|set by environment to|to)\s{0,2}[\"']?(?P<value>[\^=]{0,2}[\w.,:-]{1,80})",
    exact_case=True,
)

_VIRTUAL: Final = ("docker", "veth", "br-", "virbr", "cni", "flannel", "cali", "podman", "lxdbr")


@rule(
    gives={
        "variable-behind-command": "a variable comes after a command, as an argument, and so is not set",
        "nccl-interface-absent": "NCCL_SOCKET_IFNAME names no interface of those that the text lists",
    },
    triggers=("command", "network-interface"),
)
def nccl_set_up(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """The first holds for NAME=value among a program's arguments, unless the program reads such arguments; the second
    only if interfaces are listed and none starts with a name in the variable ("=" requires the whole name).
    """
    for command in seen.of(Command):
        if command.tool.lower() in _TAKE_VARIABLES or command.advice:
            continue
        for operand in command.operands[1:]:
            found = _ASSIGNED.fullmatch(operand)
            if found:
                yield fact_from("variable-behind-command", command, name=found["name"], value=found["value"])
    listed = {
        name for one in seen.of(Noted) if one.fact == "network-interface" and (name := dict(one.values).get("name"))
    }
    if all(name.startswith(_VIRTUAL) for name in listed):
        return  # nothing listed, or only virtual interfaces: the list is incomplete
    stated = [
        (value, f"{name}={value}")
        for environment in seen.snapshot.environments
        for name, value in environment.variables or ()
        if name == "NCCL_SOCKET_IFNAME"
    ]
    for one in seen.observations:
        found = _INTERFACE.search(one.text) if "IFNAME" in one.text else None
        if found:
            stated.append((found["value"], one.text))
    absent = next(((value, text) for value, text in stated if not _fits(value, listed)), None)
    if absent:
        interface = absent[0].lstrip("=")
        yield Fact(name="nccl-interface-absent", text=absent[1][:1000], values=(("interface", interface),))


@rule(
    gives={"nccl-wheels-overlap": "two NCCL wheels are installed, and both own nvidia/nccl/lib/libnccl.so.2"},
    triggers=("package.nvidia-nccl-cu11", "package.nvidia-nccl-cu12", "package.nvidia-nccl-cu13"),
)
def nccl_wheels_overlap(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds where one environment lists wheels of NCCL for two CUDA majors."""
    for environment in seen.snapshot.environments:
        wheels = {p.name: p.version for p in environment.packages or () if p.name.startswith("nvidia-nccl-cu")}
        if len(wheels) > 1:
            listed = ", ".join(f"{name} {version or ''}".strip() for name, version in sorted(wheels.items()))
            yield Fact(name="nccl-wheels-overlap", text=listed, grade=environment.grade, source=environment.source)


def _fits(value: str, listed: set[str]) -> bool:
    if value.startswith("^"):
        return True
    exact = value.startswith("=")
    names = [name.partition(":")[0] for name in value.lstrip("=").split(",") if name]
    return any(there == name or (not exact and there.startswith(name)) for name in names for there in listed)
