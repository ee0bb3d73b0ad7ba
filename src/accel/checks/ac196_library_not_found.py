from collections.abc import Iterator
from typing import Final

from accel.facts.containers import CONTAINER, in_container
from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.resolver.programs import handed_over
from accel.resolver.shown_library import SHOWN, shown_library
from accel.resolver.system_libraries import holders_of
from accel.specs import Specs
from accel.text.library_names import library_names
from accel.text.pattern import pattern
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import bounded_word, command_line, path_word

_UNNAMED: Final = "*.dll"
_PACKAGE: Final = pattern(r"(?:site|dist)-packages[\\/](?P<name>[A-Za-z]\w{1,60})[\\/]", exact_case=True)


@check(
    code="AC196",
    name="library-not-found",
    layer="framework",
    reads=("library-not-found", "library-release-shown", *SHOWN, *CONTAINER),
    needs=("run.program",),
    requires=("rocm-libraries-missing",),
    last_resort=True,
)
def library_not_found(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A shared library that a program needs is not where the loader or the linker looks.

    Why it matters   The program or the import stops there. The driver and the device are not involved.
    What to do       Load the environment of the software that it belongs to; install that software; or use the build of
                     the program for the installed release.
    Looks at         messages of the loader, a linker and Windows about a file that they do not find
    Silent when      another check knows the library, or found another fault; TensorFlow looks for CUDA's libraries or
                     JAX for libtpu, and continues without: they do so on every machine without such a device
    Source           ld.so(8); ld(1); specs/<domain>/components.yaml for the owner of a library
    """
    told = [f for f in facts.stated("library-not-found") if f.value("name") != _UNNAMED and not _is_optional(f)]
    if not told:
        return
    first = told[0]
    name, component = first.value("name") or "", first.value("component")
    owner = f" ({specs.components.title(component)})" if component else ""
    other = _other_release(name, facts)
    if other is not None:
        yield _of_another_release(name, owner, other, told, facts)
        return
    more = f", and {len({f.value('name') for f in told}) - 1} more" if len({f.value("name") for f in told}) > 1 else ""
    yield Problem(
        title=f"{name}{owner} is not found{more}",
        evidence=quoted(told),
        remedies=tuple(_remedies(name, component, first.value("wanted_by"), facts, specs)),
    )


def _other_release(name: str, facts: Facts) -> Fact | None:
    """Return the same library in another release, if the text shows one and does not show the one that is wanted."""
    wanted = next(library_names(name), None)
    if wanted is None:
        return None
    release = f"{wanted.release}."
    shown = [fact for fact in facts.stated("library-release-shown") if fact.value("stem") == wanted.stem]
    if any(f"{fact.value('release')}.".startswith(release) for fact in shown):
        return None
    return next((fact for fact in shown if not release.startswith(f"{fact.value('release')}.")), None)


def _of_another_release(name: str, owner: str, other: Fact, told: list[Fact], facts: Facts) -> Problem:
    there, what = other.value("name") or "", owner.strip(" ()") or "the software that it belongs to"
    shown = shown_library(facts, [name])
    return Problem(
        title=f"The program is built for {name}{owner}, and this machine has another release: {there}",
        evidence=quoted((*told[:2], other)),
        remedies=(
            Remedy(
                text=f"Use a build of the program that is linked to {there}, or install the release of {what} that "
                f"contains {name}. A link from one name to the other does not make them the same.",
                action="env",
            ),
            *((shown,) if shown is not None else ()),
        ),
    )


def _is_optional(fact: Fact) -> bool:
    """Return whether TensorFlow or JAX only tries the library; they also say so on machines without such a device."""
    said = fact.text.lower()
    tried = "unable to initialize backend" in said and "error: unable" not in said  # logged, and JAX goes on
    return tried or ("could not load dynamic library" in said and "dlerror" in said)


def _remedies(name: str, component: str | None, wanted_by: str | None, facts: Facts, specs: Specs) -> Iterator[Remedy]:
    title = specs.components.title(component) if component else None
    windows = name.lower().endswith(".dll")
    if (own := _of_itself(name, wanted_by)) is not None:
        yield Remedy(
            text=f"It is a part of {own} itself: its wheel is incomplete, or was only partly installed. Install it "
            "again without the cache; if that release lacks the file, install another one.",
            command=command_line("python -m pip install --force-reinstall --no-cache-dir", bounded_word(own)),
            action="env",
        )
        return
    given = handed_over(component, specs) if in_container(facts) else None
    yield from (one for one in (given, shown_library(facts, [name])) if one is not None)
    bringers = (specs.table("frameworks/windows_dlls") or {}).get("brought_by", ()) if windows else ()
    if (known := next((row for row in bringers if row["dll"] == _plain(name)), None)) is not None:
        yield Remedy(text=known["text"], action="env")
        title = None
    setup = specs.components.get(component, "setup") if component else None
    if setup is not None:
        yield Remedy(
            text=f"Add the folder of {title} to the loader's path, in the shell, service or container that runs the "
            "program.",
            command=setup,
        )
    if title is not None:
        yield Remedy(
            text=f"If it is not installed: install {title}, in the release that the program was built for; a "
            "number at the end of the file name is that release.",
        )
    elif windows:
        if known is None:
            yield Remedy(text="Install what contains the DLL, and put its folder on PATH before the program starts.")
        return
    else:
        yield from tuple(holders_of(name, facts, specs)) or (
            Remedy(text="Install the package that contains it, for this system and this release."),
        )
    if wanted_by is not None and wanted_by.startswith("./") and not windows:
        yield Remedy(
            text="It may be next to the program, where the loader does not look: find it, and add its folder.",
            command=command_line("find . -name", path_word(name)),
        )
    if wanted_by is not None and "/" in wanted_by:
        yield Remedy(
            text="List everything that this file misses.",
            command=command_line("otool -L" if facts.host.system == "macos" else "ldd", path_word(wanted_by)),
            kind="look",
        )
    else:
        look = command_line("where.exe", path_word(_plain(name))) if windows else "ldconfig -p"
        yield Remedy(text="Check which copies the loader knows.", command=look, kind="look")


def _of_itself(name: str, wanted_by: str | None) -> str | None:
    """Return the package whose own file misses a library of the same name: mlx/core.so wants libmlx.dylib."""
    inside = _PACKAGE.search(wanted_by or "")
    stem = _plain(name).removeprefix("lib").partition(".")[0]
    return inside["name"] if inside and inside["name"].lower().replace("_", "") == stem.replace("_", "") else None


def _plain(name: str) -> str:
    """Return the name of a DLL without its folders."""
    return name.replace("\\", "/").rsplit("/", 1)[-1].lower()
