"""A path with letters that a compiler or a C library does not read."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_PLAIN: Final = "export TMPDIR=/tmp CUPY_CACHE_DIR=/tmp/cupy TRITON_CACHE_DIR=/tmp/triton"
_PLAIN_WINDOWS: Final = "set TEMP=C:\\tmp&& set TMP=C:\\tmp&& set CUPY_CACHE_DIR=C:\\tmp\\cupy"


@check(
    code="AC171",
    name="path-not-ascii",
    layer="application",
    severity="warning",
    reads=("path-with-foreign-letters",),
    needs=("run.program",),
    last_resort=True,
)
def path_not_ascii(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A file is there and is not read, since its path has letters beyond ASCII: a name of a user, a folder.

    Why it matters   nvcc, NVRTC, Triton, ONNX Runtime, TensorRT and llama.cpp open paths through older calls of Windows
                     that turn such letters into others.
    What to do       Let the program, its temporary files and its models lie in folders with plain names.
    Looks at         lines that cannot open or find a file, and the letters of the path
    Silent when      the path is plain; another check found a fault
    Source           CUDA on Windows: NVRTC, nvcc: code pages of paths
    """
    told = facts.stated("path-with-foreign-letters")
    if not told:
        return
    yield Problem(
        title="A file is not read whose path has letters beyond ASCII",
        evidence=quoted(told),
        remedies=(
            Remedy(
                text="Let temporary files and caches lie in folders with plain names, for all programs of this shell.",
                command=_PLAIN_WINDOWS if facts.host.system in ("windows", None) else _PLAIN,
                action="env",
            ),
            Remedy(text="Move the program, its environment and its models to such a folder, too.", action="env"),
        ),
    )
