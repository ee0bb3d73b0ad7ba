from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import assignment_word, chained, command_line, variable_word

_CACHES: Final = {  # folders with build files that name the compiler, by a word that only their paths contain
    "flashinfer": "~/.cache/flashinfer",
    "torch_extensions": "~/.cache/torch_extensions",
}


@check(
    code="AC351",
    name="toolkit-home-wrong",
    layer="toolkit",
    severity="warning",
    family="nvcc-missing",
    reads=("toolkit-home-wrong", "toolkit-shown"),
    needs=("fact.toolkit-home.there",),
)
def toolkit_home_wrong(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A variable for a toolkit's folder does not name an existing one: it was removed, or the value is a list.

    Why it matters   Compilation of extensions, and Numba, look there first and stop; programs that only run do not
                     care.
    What to do       Set the variable to the one folder of an installed toolkit, or unset it.
    Looks at         CUDA_HOME, ROCM_PATH and similar; toolkit paths in error messages: CUDA_HOME names one folder,
                     so CUDA_HOME=$CUDA_HOME:/usr/local/cuda names none
    Silent when      no such variable is set, or the folder exists
    Source           PyTorch: torch.utils.cpp_extension; Numba: CUDA_HOME and NUMBAPRO_NVVM; specs/system/places.yaml
    """
    told = facts.stated("toolkit-home-wrong")
    if not told:
        return
    lists = [fact for fact in told if fact.value("folder")]
    stale = [fact for fact in told if fact.value("installed")]
    first = (*lists, *stale, *told)[0]
    variable = first.value("variable") or "CUDA_HOME"
    if lists:
        title = f"{variable} must be one folder, but is a list: {first.value('path')}"
        remedies = _of_list(facts, variable, lists)
    elif stale:
        path, installed = first.value("path"), first.value("installed")
        title = f"A variable names {path}, which does not exist; CUDA {installed} is installed"
        remedies = _of_stale(facts, specs, first)
    else:
        title = "A variable is set to a toolkit folder that does not exist"
        remedies = _of_missing(facts)
    yield Problem(title=title, evidence=quoted(told), remedies=remedies, severity="error" if lists or stale else None)


def _of_list(facts: Facts, variable: str, lists: list[Fact]) -> tuple[Remedy, ...]:
    folder = lists[0].value("folder") or ""
    again = Remedy(
        text=f"Set {variable} to the one folder, and replace the line that appends to it "
        f"({variable}=${variable}:…) in ~/.bashrc or wherever it is set.",
        command=command_line("export", assignment_word(variable, folder)),
        action="env",
    )
    words = " ".join(one.text for one in facts.snapshot.observations)
    caches = [folder for name, folder in _CACHES.items() if name in words]
    if not caches:
        return (again,)
    clean = command_line("rm -rf", *caches)
    text = f"{again.text} Delete build files that were cached with the wrong path."
    return (Remedy(text=text, command=chained(again.command, clean), action="env"),)


def _of_stale(facts: Facts, specs: Specs, fact: Fact) -> tuple[Remedy, ...]:
    """Return how to stop a program from using an older toolkit: unset it if the environment has its own CUDA."""
    path, home = fact.value("path") or "", fact.value("home")
    search = command_line("grep -n -E", "'CUDA_HOME|CUDA_PATH|NUMBAPRO'", "~/.bashrc ~/.profile /etc/environment")
    named = f"this shows the line that sets it:  {search}"
    if home is not None:
        return (
            Remedy(
                text=f"Use the installed toolkit instead of {path}; {named}",
                command=chained(
                    "unset NUMBAPRO_NVVM NUMBAPRO_LIBDEVICE NUMBAPRO_CUDALIB",
                    command_line("export", assignment_word("CUDA_HOME", home)),
                ),
                action="env",
            ),
        )
    variables = (specs.table("system/places") or {}).get("overrides", ())
    return (
        Remedy(
            text=f"Unset whatever points to {path} (Numba: NUMBAPRO_NVVM; builds: CUDA_HOME): the environment's "
            f"CUDA is then used; {named}",
            command=command_line("unset", *map(variable_word, variables)),
            action="env",
        ),
    )


def _of_missing(facts: Facts) -> tuple[Remedy, ...]:
    shown = next((path for fact in facts.stated("toolkit-shown") if (path := fact.value("path"))), None)
    if shown is not None:
        return (
            Remedy(
                text="Use the toolkit that this text shows.",
                command=command_line("export", assignment_word("CUDA_HOME", shown)),
                action="env",
            ),
        )
    return (
        Remedy(
            text="Point it to an installed toolkit, or unset it and let the build look for one.",
            command="unset CUDA_HOME CUDA_PATH ROCM_HOME; ls -d /usr/local/cuda* /opt/cuda /opt/rocm*",
            action="env",
        ),
    )
