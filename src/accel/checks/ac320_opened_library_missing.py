from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.resolver.installer import pip_install, pip_of
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import bounded_word, command_line, requirement_word

_MOST_LINES: Final = 8
_AGAIN: Final = "pip install --force-reinstall --no-deps"


@check(
    code="AC320",
    name="opened-library-missing",
    layer="framework",
    reads=("opened-library-missing",),
    needs=("run.program",),
    requires=("package-requirement-unmet", "package-files-damaged"),
)
def opened_library_missing(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A library that is opened by name at run time (dlopen) is in none of the folders that the loader searches.

    Why it matters   The import works. Later a call fails (cuDNN: CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED), or JAX,
                     TensorFlow or ONNX Runtime compute without the GPU, with no more than a warning.
    What to do       Install the wheel that provides it, or reinstall the one that it is part of.
    Looks at         which file opens what by which name, from the spec tables; RPATH, LD_LIBRARY_PATH, RUNPATH, the
                     wheels' folders if the framework loads them itself, the system's cache and folders, in the loader's
                     order
    Silent when      an unmet requirement or a damaged package explains it; the program works without it; none of the
                     opened libraries is there and no accelerator was seen. A warning if no accelerator was seen
    Source           dlopen(3); the sources of specs/frameworks/opened_libraries
    """
    told = [fact for fact in facts.stated("opened-library-missing") if facts.accelerators or fact.value("bare") is None]
    by_framework: dict[str, list[Fact]] = {}
    for fact in told:
        by_framework.setdefault(fact.value("framework") or "?", []).append(fact)
    for framework, found in by_framework.items():
        first, more = found[0], f", and {len(found) - 1} more" if len(found) > 1 else ""
        yield Problem(
            title=f"{framework} will not find {first.value('name')}{more} when {first.value('when')}",
            evidence=quoted(found, _MOST_LINES),
            remedies=_remedies(facts, specs, found),
            severity="error" if facts.accelerators else "warning",
        )


def _remedies(facts: Facts, specs: Specs, found: list[Fact]) -> tuple[Remedy, ...]:
    """Return the steps that install the wheels with these libraries, and reinstall the one that lost its part."""
    tables = dict.fromkeys(name for fact in found if (name := fact.value("wheels")))
    rows = [row for name in tables for row in (specs.table(name) or {}).get("libraries", ())]
    missing = {fact.value("name") for fact in found}
    names = _of_one_major(facts, [row for row in rows if row["soname"] in missing], rows)
    if names:
        install = pip_install(facts, *(bounded_word(name) for name in names))
        return (Remedy(text=f"Install what contains them: {', '.join(names)}.", command=install),)
    opener = found[0].value("wanted_by") or ""
    whole = (facts.package(row["wheel"]) for row in rows if f"/{row['module'].replace('.', '/')}/" in opener)
    package = next(filter(None, whole), None)
    text = "Reinstall, in the same release, the package that loads it: this part is included, too."
    if package is None:
        return (Remedy(text=text),)
    words = "uv pip install --reinstall --no-deps" if pip_of(facts).words == "uv pip" else _AGAIN
    return (Remedy(text=text, command=command_line(words, requirement_word(package.name, package.version))),)


def _of_one_major(facts: Facts, bringing: "list[dict[str, str]]", rows: "list[dict[str, str]]") -> tuple[str, ...]:
    """Return the wheels with the missing libraries for one CUDA major: that of the others, or of installed wheels.

    A soname may exist in two: libcusolver.so.11 came with CUDA 11 and 12.
    """
    here = [row["cuda"] for row in rows if facts.package(row["wheel"])]
    sonames = [row["soname"] for row in bringing]
    told = [row["cuda"] for row in bringing if sonames.count(row["soname"]) == 1]
    votes = told or here
    chosen = max(votes, key=votes.count) if votes else None
    fitting = [row["wheel"] for row in bringing if sonames.count(row["soname"]) == 1 or row["cuda"] == chosen]
    return tuple(dict.fromkeys(fitting))
