"""A program that stopped because a package, a driver or the kernel has another version than it requires."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import replace
from accel.model.observation import Complaint, Conflict, ErrorSeen, Fact, Missing, Raised, share_a_line
from accel.text.versions import relation
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
_SHORT: Final = 3
_RELEASES: Final = {"driver": "driver", "kernel": "running kernel"}


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


@rule(
    gives={"release-refused": "the driver or kernel is older than a program says that it requires; what, has, wants"},
    triggers=("conflict", "kernel-required"),
)
def refused_releases(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds if a program names both releases of a driver or kernel, or the kernel that it requires and the text shows
    an older one.
    """
    for one in seen.of(Conflict):
        wants = (one.wants or "").lstrip("<>=~^! ")
        counted = len(wants) < _SHORT and "." not in wants  # "0 drivers found, expected 1"
        if one.component in _RELEASES and not counted and relation(one.has, f">={wants}") == "older":
            yield fact_from("release-refused", one, what=_RELEASES[one.component], has=one.has, wants=wants)
    kernel = seen.snapshot.host.kernel
    fails = any(isinstance(one, Complaint | Raised | ErrorSeen | Missing) for one in seen.observations)
    for fact in seen.facts("kernel-required") if fails else ():
        wants = (fact.value("wants") or "").lstrip("<>=~^! ")
        if kernel and relation(kernel.partition("-")[0], f">={wants}") == "older":
            values = (("what", _RELEASES["kernel"]), ("has", kernel), ("wants", wants))
            yield replace(fact, name="release-refused", values=values)
