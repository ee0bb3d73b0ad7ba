"""A package or feature that does not exist for Windows."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.checks.said import quoted
from accel.contract.check import Problem, Remedy, applies, check

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="AC004", name="no-windows-build", layer="framework", family="windows-specific")
def no_windows_build(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A package, or a feature of torch, that has no Windows build is asked for on Windows.

    Why it matters   pip finds no distribution, or the program stops at the missing feature.
    What to do       Use WSL2, or an option of the program that does without it (for torch.distributed: gloo).
    Looks at         pip's messages about packages without Windows wheels; torch's about NCCL, libuv and torch.compile;
                     Triton that is not found
    Silent when      the text does not come from Windows; a missing Triton that nothing needs is only noted
    Source           the packages' lists of wheels; JAX installation guide; PyTorch on Windows
    """
    applies(facts.host.system in ("windows", None), "this is not Windows")
    features = facts.events("windows-without-feature")
    on_windows = facts.host.system == "windows"
    applies(on_windows or bool(features), "nothing tells that this is Windows")
    without = frozenset((specs.table("frameworks/wheels") or {}).get("without_windows", ()))
    wanted = [
        e
        for e in facts.events("no-distribution-found", "no-version-found")
        if _lacks(e.value("package"), e.message, without)
    ]
    wheels = [e for e in facts.events("wheel-not-supported") if "linux" in (e.value("platform") or "")]
    nccl = facts.events("torch-nccl-not-built-in")
    triton = facts.events("triton-not-found")
    needed = [e for e in triton if e.message.startswith("Cannot find")]
    events = (*wanted, *wheels, *nccl, *features, *needed)
    if events:
        first = events[0]
        name = first.value("package") or first.value("feature") or ("NCCL" if nccl and first in nccl else "Triton")
        remedies = [Remedy(text="Run it under WSL2, where the Linux build serves.", action="admin")]
        if nccl:
            remedies.insert(0, Remedy(text='Or use backend="gloo" in torch.distributed.', action="app"))
        if first.value("feature") == "use_libuv":
            remedies.insert(0, Remedy(text="Switch libuv off.", command="set USE_LIBUV=0", action="app"))
        yield Problem(title=f"{name} has no Windows build", evidence=quoted(events), remedies=tuple(remedies))
    elif triton:
        yield Problem(
            title="Triton is not installed; it has no official Windows build", evidence=quoted(triton), severity="info"
        )


def _lacks(package: str | None, message: str, without: frozenset[str]) -> bool:
    name = (package or "").lower().replace("_", "-")
    return name in without or (name in ("jaxlib", "jax") and ("cuda" in message or "cudnn" in message))
