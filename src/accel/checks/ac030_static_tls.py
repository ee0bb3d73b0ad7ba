from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import assignment_word, command_line, path_word


@check(
    code="AC030", name="static-tls-exhausted", layer="toolkit", reads=("static-tls-exhausted",), needs=("run.program",)
)
def static_tls_exhausted(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A library (usually libgomp) needs space in the static block of thread-local storage, and none is left.

    Why it matters   The import fails although every file is there. It depends on the order of imports, so it looks
                     random. Mostly on aarch64.
    What to do       Load that file first: name it in LD_PRELOAD, or import the module that needs it before others.
    Looks at         the loader's message, and the file that it names
    Silent when      the loader complains about memory without mentioning thread-local storage
    Source           glibc: elf/dl-reloc.c (_dl_allocate_static_tls)
    """
    told = facts.stated("static-tls-exhausted")
    if not told:
        return
    file = next((fact.value("file") for fact in told if fact.value("file")), None)
    path = path_word(file) if file is not None and file.startswith("/") else None
    yield Problem(
        title=f"{file or 'A library'} was loaded too late: no static thread-local storage is left",
        evidence=quoted(told),
        remedies=(
            Remedy(
                text="Load this file before all others, in the shell or the service that starts the program.",
                command=command_line("export", assignment_word("LD_PRELOAD", path)),
            ),
            Remedy(
                text="Or import the module that fails before all others (before torch, cv2 and sklearn).",
                action="app",
            ),
        ),
    )
