"""The loader of Level Zero is not there."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="IN006",
    name="level-zero-missing",
    layer="driver",
    reads=("level-zero-missing",),
    needs=("run.program",),
    requires=("oneapi-version-mismatch",),
)
def level_zero_missing(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The loader of Level Zero (libze_loader.so.1), by which programs reach an Intel GPU, is not installed.

    Why it matters   PyTorch's XPU build and SYCL cannot be imported, or list no GPU.
    What to do       Install the loader and Intel's GPU runtime from the system's packages; in an image, in the image.
    Looks at         a missing libze_loader; sentences about the loader
    Silent when      a library of oneAPI is missing as well: that comes first
    Source           github.com/oneapi-src/level-zero; dgpu-docs.intel.com: installation
    """
    missing = facts.stated("level-zero-missing")
    if not missing:
        return
    name = next((name for fact in missing if (name := fact.value("name"))), None)
    yield Problem(
        title=f"The loader of Level Zero is not installed{f': {name} is not found' if name else ''}",
        evidence=quoted(missing),
        remedies=(
            Remedy(
                text="Install the loader and Intel's GPU runtime (Fedora: oneapi-level-zero; in an image, there).",
                command="sudo apt-get install -y libze1 libze-intel-gpu1",
                action="admin",
            ),
            Remedy(text="It is over when the GPU is listed.", command="sycl-ls; ls -l /dev/dri", action="env"),
        ),
    )
