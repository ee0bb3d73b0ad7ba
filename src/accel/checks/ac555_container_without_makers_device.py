"""A container that was started without the nodes of its maker's accelerators."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.facts.containers import container_options
from accel.facts.query import holds
from accel.resolver.programs import handed_over
from accel.vendors.contract.check import Problem, applies, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_FAILED: Final = (
    *("no-gpu-seen", "no-gpu-usable", "no-cuda-gpus", "cuda-no-device", "no-hip-gpus", "torch-takes-no-gpu"),
    *(
        "program-takes-no-gpu",
        "program-without-gpu",
        "device-unused-said",
        "cuda-unknown-error",
        "cuda-not-initialized",
    ),
)
_ERRORS: Final = [
    ["error.cuda:3", "error.cuda:100", "error.cuda:999", "error.hip:100"]
]  # as MACA, DTK and CoreX say it


@check(
    code="AC555",
    name="container-without-makers-device",
    layer="access",
    family="container-without-gpu",
    reads=(*_FAILED, "spoken-of", "container-run"),
    needs=("use.torch|jax|tensorflow",),
)
def container_without_makers_device(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The container was started without the nodes of the accelerators, which are of a maker with a way of its own.

    Why it matters   Inside there is no node to open. Frameworks that replace CUDA then say that there is no CUDA
                     GPU or driver, and no driver or toolkit of NVIDIA's helps.
    What to do       Start the container with the maker's nodes, its runtime or its driver's folder.
    Looks at         the options of the command that started it; what programs say of a missing device; the maker
    Silent when      no start is shown, it gives one of the nodes, or is privileged; nothing failed
    Source           specs/system/handing_over.yaml
    """
    options = container_options(facts)
    applies(options is not None, "no command that starts a container is shown")
    failed = facts.stated(*_FAILED)
    if options is None or not (failed or holds(_ERRORS, facts)):
        return
    row = _maker(facts, specs)
    if row is None or "--privileged" in options or any(sign in options for sign in row["signs"]):
        return
    given = handed_over(row["backend"], specs)
    yield Problem(
        title=f"The container was started without {row['signs'][0]}: it has no accelerator inside",
        evidence=quoted((*facts.stated("container-run")[:1], *failed), most=4),
        remedies=(given,) if given is not None else (),
    )


def _maker(facts: "Facts", specs: "Specs") -> Mapping[str, Any] | None:
    """Return the row of the only maker whose accelerators are listed or named."""
    rows: Sequence[Mapping[str, Any]] = (specs.table("system/handing_over") or {}).get("makers", ())
    here = {device.backend for device in facts.accelerators} or {f.value("subject") for f in facts.stated("spoken-of")}
    found = [row for row in rows if row["backend"] in here and "signs" in row]
    return found[0] if len(found) == 1 else None
