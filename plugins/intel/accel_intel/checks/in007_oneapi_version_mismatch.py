from collections.abc import Iterator
from typing import Final

from accel.text.pattern import pattern
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, requirement_word, url_word

_NUMBERED: Final = pattern(r"(?P<library>[\w+-]{1,60})\.so\.(?P<number>\d{1,3})")

_RELEASE: Final = pattern(r"(?<![\d.])(?P<release>20\d\d\.\d)(?:\.\d{1,2})?(?![\d.])")
_EXTENSION: Final = "intel-extension-for-pytorch"
_PROGRAM: Final = "Intel Extension for PyTorch"

_NOT_SET_UP: Final = (
    Remedy(
        text="oneAPI is installed, and its environment holds only for the shell in which it was loaded: load it in the "
        "one that starts the program.",
        command="source /opt/intel/oneapi/setvars.sh",
        action="env",
    ),
    Remedy(
        text="Load it in every new shell.",
        command="echo 'source /opt/intel/oneapi/setvars.sh' >> ~/.bashrc",
        action="env",
    ),
)
_OF_WINDOWS: Final = (
    Remedy(
        text="If the libraries were installed with pip or conda: activate the environment that has them, in the window "
        "that starts the program. If oneAPI itself is installed: load it there.",
        command='"C:\\Program Files (x86)\\Intel\\oneAPI\\setvars.bat"',
        action="env",
    ),
)
_WITHOUT_SETVARS: Final = Remedy(
    text="The package bundles its own oneAPI libraries: start it in a shell in which setvars.sh was not run.",
    command="unset LD_LIBRARY_PATH",
    action="env",
)


@check(
    code="IN007",
    name="oneapi-version-mismatch",
    layer="toolkit",
    reads=(
        "oneapi-library-missing",
        "oneapi-unlike-build",
        "oneapi-library-listed",
        "oneapi-loaded",
        "oneapi-folder-listed",
        "windows-dll-unloadable",
        "oneapi-taken-from-system",
        "oneapi-release-installed",
    ),
    needs=("run.program",),
)
def oneapi_version_mismatch(facts: Facts, specs: Specs) -> Problems:
    """A program needs a oneAPI library with another version number, or a symbol that the installed one lacks.

    Why it matters   The import fails; each oneAPI release raises its libraries' version numbers.
    What to do       Install the release that the program was built with, next to the newer one, or a newer program.
    Looks at         missing libsycl, libmkl_sycl, libccl and similar; those in a listing; missing symbols
    Silent when      only the Level Zero loader is missing
    Source           Intel oneAPI: release notes; Intel Extension for PyTorch: installation guide
    """
    missing, unlike = facts.stated("oneapi-library-missing"), facts.stated("oneapi-unlike-build")
    if (not missing and not unlike) or (missing and facts.stated("windows-dll-unloadable")):
        return
    listed = {(f.value("library"), f.value("number")): f for f in facts.stated("oneapi-library-listed")}
    releases = {
        (row["library"], row["number"]): row["release"]
        for row in (specs.table("intel/oneapi") or {}).get("libraries", ())
    }
    wanted = _NUMBERED.search(missing[0].value("name") or "") if missing else None
    other = None
    title = "The loaded oneAPI lacks what the program was built with"
    release = None
    if missing:
        title = f"{missing[0].value('name')} of oneAPI is not found"
    if wanted:
        release = releases.get((wanted["library"], wanted["number"]))
        other = next(
            (
                f
                for (library, number), f in listed.items()
                if library == wanted["library"] and number != wanted["number"]
            ),
            None,
        )
        title = f"The program needs {wanted[0]}{f' of oneAPI {release}' if release else ''}"
        if other:
            had = other.value("release") or releases.get((other.value("library") or "", other.value("number") or ""))
            title += f"; {other.value('library')}.so.{other.value('number')}{f' of {had}' if had else ''} is installed"
        elif has := _other_release(facts, release):
            title += f"; {has} is installed"
        else:
            title += ", which is not found"
    if missing and not unlike and not other and (set_up := _set_up(facts, release)):
        yield Problem(
            title=f"{title}: oneAPI's environment is not loaded", evidence=quoted(missing[:3]), remedies=set_up
        )
        return
    yield Problem(
        title=title,
        detail="Sourcing setvars.sh does not help here: it sets up the release that is installed."
        if other or unlike
        else None,
        evidence=quoted((*missing[:3], *unlike[:2], *((other,) if other else ()))),
        remedies=(_WITHOUT_SETVARS,)
        if facts.stated("oneapi-taken-from-system") and not missing
        else (
            *_extension(facts, specs, other.text if other else _other_release(facts, release)),
            *_remedies(
                release, loaded=bool(other or unlike or _other_release(facts, release) or facts.stated("oneapi-loaded"))
            ),
        ),
    )


def _set_up(facts: Facts, release: str | None) -> tuple[Remedy, ...]:
    """Return how the environment is loaded if nothing loaded it and nothing shows that its release is another."""
    if facts.host.system == "windows":
        return _OF_WINDOWS
    listed = facts.stated("oneapi-folder-listed") and not _other_release(facts, release)
    return _NOT_SET_UP if listed and not facts.stated("oneapi-loaded") else ()


def _other_release(facts: Facts, wanted: str | None) -> str | None:
    """Return the listed release, if all listed ones are of another year than the required one."""
    listed = [v for fact in facts.stated("oneapi-release-installed") if (v := fact.value("release"))]
    if not listed or wanted is None or any(one.split(".")[0] == wanted[:4] for one in listed):
        return None
    return listed[0].partition("-")[0]


def _extension(facts: Facts, specs: Specs, installed: str | None) -> Iterator[Remedy]:
    """Yield the release of Intel's PyTorch extension that was built with the installed oneAPI.

    installed  a path with its release: "/opt/intel/oneapi/mkl/2023.0.0/lib/intel64/libmkl_sycl.so.3"
    """
    found = _RELEASE.search(installed or "")
    named = any(fact.value("program") == _PROGRAM for fact in facts.stated("program-named"))
    if found is None or not (facts.package(_EXTENSION) or named):
        return
    rows = (specs.table("intel/oneapi") or {}).get("extensions", ())
    row = next((row for row in rows if row["release"] == found["release"]), None)
    if row is None:
        return
    words = [requirement_word(name, row[name]) for name in ("torch", "torchvision")]
    words.append(requirement_word(_EXTENSION, row["extension"]))
    where = ("-f", url_word(row["page"])) if "page" in row else ("--extra-index-url", url_word(row["index"]))
    yield Remedy(
        text=f"Install Intel's extension {row['extension']}, built with oneAPI {row['release']}, and the torch it "
        "needs.",
        command=command_line("python -m pip install", *words, *where),
        action="env",
    )


def _remedies(release: str | None, loaded: bool) -> Iterator[Remedy]:
    if not loaded:
        yield Remedy(
            text="If that release is installed, load it in the shell that starts the program.",
            command="source /opt/intel/oneapi/setvars.sh",
            action="env",
        )
    look = Remedy(
        text="Check which releases are installed.", command="ls -d /opt/intel/oneapi/*/20*", action="env", kind="look"
    )
    program = Remedy(
        text="Use the release of the program that was built with the installed oneAPI: its installation page "
        "lists the pairs.",
        action="env",
    )
    install = Remedy(
        text=f"Or install oneAPI {release or 'in the release that the program was built with'} alongside.",
        action="admin",
    )
    yield from (program, install, look) if loaded and release else (look, install, program)
