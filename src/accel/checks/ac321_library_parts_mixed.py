"""Parts of one library, of two places."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.vendors.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_MOST_LINES: Final = 8


@check(
    code="AC321",
    name="library-parts-mixed",
    layer="framework",
    reads=("library-parts-mixed",),
    needs=("run.program",),
    requires=("package-files-damaged",),
)
def library_parts_mixed(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A library opens a part of itself (libcudnn.so.9: libcudnn_ops.so.9) that another installation brought.

    Why it matters   Parts of two releases refuse each other: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH, or a crash in
                     the first convolution. The import works.
    What to do       Keep folders with another copy out of LD_LIBRARY_PATH, or make both copies one release.
    Looks at         the parts that are opened by name while a program runs, in the loader's order, against the
                     opener's own folder
    Silent when      both are one file, by links or by name and size; the part was not found at all
    Source           dlopen(3), ld.so(8); cuDNN: error codes
    """
    told = facts.stated("library-parts-mixed")
    if not told:
        return
    first, more = told[0], f", and {len(told) - 1} more" if len(told) > 1 else ""
    opener = (first.value("opener") or "").rpartition("/")[2]
    by_variable = any(fact.value("by_variable") for fact in told)
    clean = Remedy(
        text=f"Start without {first.value('folder')} in LD_LIBRARY_PATH: {opener} then finds its own parts.",
        command="env -u LD_LIBRARY_PATH python PROGRAM.py",
    )
    one = Remedy(text=f"Install the package of {opener} again, so that all its parts are of one release.", action="env")
    yield Problem(
        title=f"{opener} opens {first.value('name')} of another installation{more}: {first.value('path')}",
        evidence=quoted(told, _MOST_LINES),
        remedies=(clean,) if by_variable else (one,),
    )
