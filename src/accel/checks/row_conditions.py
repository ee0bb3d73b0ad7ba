"""What a row of a table of checks asks of the facts before it says anything. Pure.

    when: ["iommu-fault", "not no-iommu", ["peer-transfer-wrong", "peer-test-hangs"], "@container"]

All must hold; of a list within the list one must, and of a list within that all again.

"driver-oops"            this fact is stated; "a | b": one of them is
"@wsl"                   a property of the machine or of the text: see PROPERTIES
"devices:nvidia"         a device of this backend is listed
"driver:nvidia"          the version of this backend's driver is known
"package:vllm"           this package is installed
"variable:PJRT_DEVICE"   this variable is set
"not …"                  the opposite of any of these
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.facts.containers import CONTAINER, IMAGE_BUILD, KUBERNETES, in_container, in_image_build, is_kubernetes

if TYPE_CHECKING:
    from accel.facts.questions import Facts

_WSL: Final = "wsl-named"
PROPERTIES: Final[Mapping[str, "tuple[tuple[str, ...], Callable[[Facts], bool]]"]] = {
    # name: (the facts that it reads, how it is known)
    "@live": ((), lambda facts: facts.live),
    "@linux": ((), lambda facts: facts.host.system == "linux"),
    "@windows": ((), lambda facts: facts.host.system == "windows"),
    "@macos": ((), lambda facts: facts.host.system == "macos"),
    "@system-known": ((), lambda facts: facts.host.system is not None),
    "@wsl": ((_WSL,), lambda facts: facts.host.wsl is True or facts.first(_WSL) is not None),
    "@containerized": ((), lambda facts: bool(facts.host.containerized)),
    "@secure-boot": ((), lambda facts: facts.host.secure_boot is True),
    "@container": (CONTAINER, in_container),
    "@kubernetes": ((KUBERNETES,), is_kubernetes),
    "@image-build": (IMAGE_BUILD, in_image_build),
    "@variables-known": ((), lambda facts: facts.variables_known),
}
_ASKED: Final[Mapping[str, "Callable[[Facts, str], bool]"]] = {
    "devices": lambda facts, backend: bool(facts.of(backend)),
    "driver": lambda facts, backend: bool((driver := facts.driver(backend)) and driver.version),
    "package": lambda facts, name: bool(facts.packages(name)),
    "variable": lambda facts, name: facts.variable(name) is not None,
}


def holds(condition: Any, facts: "Facts") -> bool:
    """Say whether a condition holds: one of the above, or a list of which all must."""
    if not isinstance(condition, str):
        return all(holds(one, facts) if isinstance(one, str) else _any_holds(one, facts) for one in condition)
    wanted = condition.removeprefix("not ")
    if wanted.startswith("@"):
        known = PROPERTIES[wanted][1](facts)
    else:
        kind, colon, name = wanted.partition(":")
        known = _ASKED[kind](facts, name) if colon else bool(facts.stated(*names_of(wanted)))
    return known is (wanted == condition)


def _any_holds(conditions: Iterable[Any], facts: "Facts") -> bool:
    return any(holds(one, facts) for one in conditions)


def names_of(alternatives: str) -> list[str]:
    """Return the facts of "a | b".

    >>> names_of("peer-test-hangs | peer-copies-slower")
    ['peer-test-hangs', 'peer-copies-slower']
    """
    return [name.strip() for name in alternatives.split("|")]


def subject_of(condition: Any) -> list[str]:
    """Return the facts of the first condition of a list that asks for one to be stated; [] if none does.

    >>> subject_of(["@wsl", "not a", "b | c", "d"])
    ['b', 'c']
    """
    first = next((one for one in _single(condition) if not one.startswith(("@", "not ")) and ":" not in one), None)
    return names_of(first) if first is not None else []


def reads_of(condition: Any) -> Iterator[str]:
    """Yield the facts that a condition asks for."""
    for one in _single(condition):
        wanted = one.removeprefix("not ")
        if wanted.startswith("@"):
            yield from PROPERTIES[wanted][0]
        elif ":" not in wanted:
            yield from names_of(wanted)


def _single(condition: Any) -> Iterator[Any]:
    """Yield the single conditions of lists within lists."""
    if isinstance(condition, Sequence) and not isinstance(condition, str):
        for one in condition:
            yield from _single(one)
    else:
        yield condition
