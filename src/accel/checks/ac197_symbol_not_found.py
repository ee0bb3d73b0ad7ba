import re
from collections.abc import Iterator, Mapping
from typing import Final

from accel.facts.questions import Facts
from accel.facts.readers.mechanisms.exceptions import module_of
from accel.model.observation import Fact
from accel.resolver.installer import pip_install
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import (
    assignment_word,
    command_line,
    package_word,
    path_word,
    requirement_word,
    system_package_word,
)

_NEWER_MACOS: Final = "file-of-newer-macos"
_MAKERS: Final = ("driver", "toolkit")  # layers that a vendor releases together
_GENERAL: Final = ("glibc", "libstdcxx", "python", "openmp", "zlib", "openssl")  # too common to identify a release


@check(
    code="AC197",
    name="symbol-not-found",
    layer="framework",
    reads=("symbol-not-found", _NEWER_MACOS),
    needs=("run.program",),
    last_resort=True,
)
def symbol_not_found(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A compiled file needs a function that no loaded library has.

    Why it matters   Its import fails. Two files come from different releases, or one was built without part of its
                     sources.
    What to do       For a vendor's own libraries: install driver and toolkit of one release. For another library's
                     function: install the build of the file for the installed release. For its own function: rebuild
                     it, with the compiler and the device that its GPU part needs.
    Looks at         undefined symbols, entry points and references, and the libraries that they belong to
    Silent when      another check knows the symbol, or found another fault
    Source           ld.so(8); Itanium C++ ABI: names; specs/<domain>/components.yaml for the owner of a symbol
    """
    told = facts.stated("symbol-not-found")
    if not told:
        return
    owned = next((fact for fact in told if fact.value("by_component")), None)
    first = owned or next((fact for fact in told if fact.value("wanted_by")), told[0])
    component, by = first.value("component"), first.value("by_component")
    components = specs.components
    known = component if component not in _GENERAL else None
    file = _short(first.value("wanted_by") or "")
    library = _to_link(first, specs)
    if library is not None:
        title, remedies = _of_linker(library, first)
    elif by is not None and components.layer(by) in _MAKERS:
        title, remedies = _of_maker(by, known, file, specs)
    elif by is not None and (pair := specs.components.get(by, "pair")) is not None:
        title = f"{file} from {components.title(by)} does not match the loaded {components.title(known or 'torch')}"
        remedies = (Remedy(text=pair["text"], command=pair["command"], action="env"),)
    elif known is not None:
        title, remedies = _of_other(known, file, first, specs)
        remedies = (*_of_pair(file, known, facts, specs), *remedies)
    else:
        title, remedies = _of_itself(file, first, specs)
    newer = facts.stated(_NEWER_MACOS)
    if newer:
        title, remedies = _of_newer_macos(file, newer[0], first)
    yield Problem(title=title, evidence=quoted((*told, *newer)), remedies=remedies)


def _of_newer_macos(file: str, newer: Fact, first: Fact) -> tuple[str, tuple[Remedy, ...]]:
    """Return the problem of a file for a newer macOS, which the loader reports only on an older system."""
    built = newer.value("built")
    of_plugin = "tensorflow-plugins" in (first.value("wanted_by") or "")
    leave = Remedy(
        text="Or remove the Metal plugin, and compute on the CPU, until then.",
        command="pip uninstall -y tensorflow-metal",
    )
    other = Remedy(text="Or use a release of the package whose wheels were built for this macOS.")
    return f"{file or 'A compiled file'} was built for macOS {built}, but this system is older", (
        Remedy(
            text=f"Update macOS to {built} or newer: the function is part of that system, and no package provides it.",
            command="softwareupdate --install --all --restart",
            action="admin",
        ),
        leave if of_plugin else other,
    )


def _to_link(fact: Fact, specs: Specs) -> str | None:
    """Return the library that the linker command lacks: a linkable one of the function's component; None if unknown."""
    if "undefined reference" not in fact.text.lower() and "unresolved external" not in fact.text.lower():
        return None
    name = (fact.value("name") or "").strip("`'\"").lower()
    component = fact.value("component")
    linked: list[str] = (specs.components.get(component, "linked") if component else None) or []
    return next((library for library in linked if name.startswith(library.lower())), next(iter(linked), None))


def _of_linker(library: str, fact: Fact) -> tuple[str, tuple[Remedy, ...]]:
    name = (fact.value("name") or "").strip("`'\"")
    return f"The linker does not find {name} in the given libraries: {library} is not among them", (
        Remedy(
            text=f"Pass the library to the linker, after what uses it: -l{library}, or in CMake's "
            "target_link_libraries of the library that uses it."
        ),
        Remedy(text="If it is passed: check that the linker's folder contains the release that the headers come from."),
    )


def _short(path: str) -> str:
    """Return a file's name, with its folder if the name is not distinctive: "meshkit/_C.so"."""
    parts = path.replace("\\", "/").split("/")
    return "/".join(parts[-2:]) if len(parts) > 1 and parts[-1].startswith(("_", "C.")) else parts[-1]


def _of_maker(by: str, other: str | None, file: str, specs: Specs) -> tuple[str, tuple[Remedy, ...]]:
    mine = specs.components.title(by)
    theirs = specs.components.title(other) if other is not None and other != by else None
    title = f"{file} from {mine} does not match {theirs or 'the libraries that are loaded with it'}: different releases"
    said = specs.components.get(by, "needs") or specs.components.get(other or by, "needs")
    return title, (
        Remedy(
            text=f"Install driver, toolkit and libraries from one release{f': {said}' if said else ''}. In a "
            "container the driver's libraries are the host's, so the image must match the host's driver.",
            action="admin",
        ),
        Remedy(
            text="Check whether an older copy comes first: a second folder in LD_LIBRARY_PATH.",
            command="ldconfig -p",
            kind="look",
        ),
    )


def _of_other(other: str, file: str, fact: Fact, specs: Specs) -> tuple[str, tuple[Remedy, ...]]:
    theirs = specs.components.title(other)
    plain: Mapping[str, str] | None = specs.components.get(other, "plain_library")
    if plain is not None:
        return f"{file or 'A compiled file'} uses {theirs}, but does not load it", (
            Remedy(
                text=f"Load {theirs} before the program: the file was not linked with it, and any release of such a "
                "library has the function.",
                command=command_line("export", assignment_word("LD_PRELOAD", plain["file"])),
            ),
            Remedy(
                text=f"If it is missing: install it ({plain['apt']} on Debian and Ubuntu).",
                command=command_line("sudo apt install", system_package_word(plain["apt"])),
                action="admin",
            ),
        )
    title = f"{file or 'A compiled file'} was built for a different release of {theirs} than the loaded one"
    if (set_of := _set_of_maker(file, specs)) is not None:
        return title, (set_of, *_look(fact))
    setup = specs.components.get(other, "setup")
    wanting = specs.components.title(by) if (by := specs.components.of_file(file)) else file or "the file that needs it"
    show = Remedy(text="Check which copies it loads.", command=_ldd(fact), kind="look") if _ldd(fact) else None
    return title, (
        Remedy(text=f"Install releases of {wanting} and {theirs} that go together."),
        *(
            (
                Remedy(
                    text=f"If there are two copies of {theirs}, make sure that the right one comes first.",
                    command=setup,
                ),
            )
            if setup
            else ()
        ),
        *((show,) if show else ()),
    )


def _of_pair(file: str, other: str, facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    """Return the release of a file's package that goes with the installed framework, if a table pairs the two."""
    by, here = specs.components.of_file(file), facts.package(other)
    release = specs.companion_for(by, here.version, other) if by and here is not None and here.version else None
    if release is None or here is None or by is None or {one.version for one in facts.packages(by)} == {release}:
        return ()
    text = f"Install the {by} that goes with {specs.components.title(other)} {here.version}."
    return (Remedy(text=text, command=pip_install(facts, requirement_word(by, release))),)


def _of_itself(file: str, first: Fact, specs: Specs) -> tuple[str, tuple[Remedy, ...]]:
    title = (
        f"{file or 'A compiled file'} needs a function that no library has: part of it was not built, or comes "
        "from another release"
    )
    if (set_of := _set_of_maker(file, specs)) is not None:
        return f"{file} comes from a different release than the torch that loads it", (set_of, *_look(first))
    cuda = re.search(r"cuda|gpu|kernel", f"{first.value('name')}{file}", re.IGNORECASE)
    by = (first.value("wanted_by") or "").replace("\\", "/")
    package = module_of(by) if "-packages/" in by else None
    if package is not None and not cuda:
        command = command_line("pip install --force-reinstall --no-deps --no-cache-dir", package_word(package))
        build = f"Reinstall {package}, or use another release of it: this one was packaged without part of its sources."
        return title, (Remedy(text=build, command=command), *_look(first))
    from accel.resolver.own_extension import built_again

    if (again := built_again(file, first.value("wanted_by") or "", part_missing=True)) is not None:
        return title, (again, *_look(first))
    build = (
        "Build it again without anything from earlier builds. If its GPU part may be missing: build on a machine "
        "that sees the GPU and nvcc, or force that part to be built (many setup.py read FORCE_CUDA)."
    )
    command = "FORCE_CUDA=1 pip install --force-reinstall --no-cache-dir --no-build-isolation ." if cuda else None
    return title, (Remedy(text=build, command=command), *_look(first))


def _set_of_maker(file: str, specs: Specs) -> Remedy | None:
    """Return the step for a library of a maker's torch add-on, "libmusa_kernels.so"; None for any other."""
    rows = (specs.table("frameworks/makers") or {}).get("makers", ())
    name = file.lower()
    row = next((r for r in rows if r["add_on"] and r["add_on"].rpartition("_")[2] in name and "_" in r["add_on"]), None)
    if row is None:
        return None
    return Remedy(
        text=f"torch, {row['add_on']} and the {row['title']} software below them must come from matching releases: "
        f"install all of them in a new environment from {row['from']}; a build with FORCE_CUDA does not help."
    )


def _look(fact: Fact) -> tuple[Remedy, ...]:
    command = _ldd(fact)
    return (Remedy(text="Check which libraries it was linked with.", command=command, kind="look"),) if command else ()


def _ldd(fact: Fact) -> str | None:
    wanted_by = fact.value("wanted_by")
    if not wanted_by or "/" not in wanted_by:
        return None
    return command_line("otool -L" if wanted_by.endswith(".dylib") else "ldd -r", path_word(wanted_by))
