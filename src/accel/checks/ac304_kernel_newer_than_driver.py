"""A release of a driver that cannot be compiled for the kernel."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.checks.known_faults import told_faults
from accel.vendors.contract.check import Problem, check

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="AC304",
    name="kernel-newer-than-driver",
    layer="driver",
    family="driver-not-loaded",
    reads=("kernel-newer-than-driver",),
    needs=("run.build",),
    explained_by=("module-kept-out-by-secure-boot",),
)
def kernel_newer_than_driver(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The kernel is newer than this release of the driver was written for: its module does not compile.

    Why it matters   Headers, compilers and further attempts do not help; without the module there are no devices.
    What to do       Install a newer release of the driver, or boot the kernel that it was last built for.
    Looks at         the driver that is built, the kernel, and that the build failed, against specs/*/known_faults*.yaml
    Silent when      the build did not fail, or the driver or the kernel is not known, or in no range
    Source           what distributions patch, and the makers' threads, named with each row
    """
    yield from told_faults("kernel-newer-than-driver", facts, specs, most=1)
