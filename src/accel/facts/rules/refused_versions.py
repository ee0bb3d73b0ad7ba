"""A program that stopped because a package has another version than it requires."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.model.observation import Complaint, Conflict, Fact, Raised, share_a_line
from accel.vendors.contract.rule import Seen, fact_from, rule

if TYPE_CHECKING:
    from accel.specs import Specs

# Their pairs have their own checks, which know when a difference matters.
_JUDGED: Final = frozenset(
    (
        *("torch", "torchvision", "torchaudio", "jax", "jaxlib", "jax-cuda-plugin", "jax-rocm-plugin", "numpy"),
        *("triton", "torch-npu", "vllm-ascend", "torch-xla", "libtpu", "nccl", "pjrt", "python", "cpu-architecture"),
    )
)


@rule(
    gives={"version-refused": "a program rejected a package's version; package, has, wants, by"},
    triggers=("conflict",),
)
def refused_versions(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds if an exception's message names the package, the installed version and the required one. Libraries, drivers
    and toolkits, which are not Python packages, are left to other rules.
    """
    raised = (
        *seen.of(Raised),
        *(one for one in seen.of(Complaint) if one.certain and "exception:" in one.text.lower()),
    )
    for one in seen.of(Conflict):
        stated = one.by is not None or (one.wants or "")[:1] in ("<", "=", "~", "!")
        bound = one.component == "numpy" and stated and one.relation == "newer"  # not of its ABI
        if (one.component in _JUDGED and not bound) or not (one.has or bound) or not one.wants:
            continue
        if specs.components.layer(one.component) != "framework":
            continue
        if "versionconflict" in one.text.lower() or any(share_a_line(one, error) for error in raised):
            yield fact_from(
                "version-refused",
                one,
                package=one.component,
                has=one.has,
                wants=one.wants,
                by=one.by,
                relation=one.relation,
            )
