from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.resolver.shown_library import SHOWN, shown_library
from accel.resolver.system_libraries import holders_of
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted


@check(
    code="AC091",
    name="system-library-missing",
    layer="framework",
    reads=("system-library-missing", "no-root-said", *SHOWN),
    needs=("run.program",),
    requires=("cuda-library-missing", "npu-cann-environment-not-set"),
)
def system_library_missing(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A library of the operating system is not installed, or not where the loader looks.

    Why it matters   Small images and fresh systems lack it, and the import stops. It has nothing to do with the
                     accelerator.
    What to do       Install the package that contains it.
    Looks at         the loader's messages about libraries that a distribution provides: libGL, libsndfile, libgomp,
                     MPI's
    Silent when      no message is about such a library
    Source           specs/system/libraries.yaml; packages.debian.org
    """
    told = facts.stated("system-library-missing")
    if not told:
        return
    name = told[0].value("name") or "A library"
    yield Problem(
        title=f"The system library {name} is not installed, or not where the loader looks",
        evidence=quoted(told),
        remedies=(*filter(None, (shown_library(facts, [name]),)), *holders_of(name, facts, specs))
        or (
            Remedy(
                text="Install the package that contains it. If this system's release has no package with that "
                "number at the end, use the one that it has.",
                command="ldconfig -p",
                action="admin",
            ),
        ),
    )
