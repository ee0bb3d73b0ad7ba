"""The wheels that bring CUDA's shared libraries, from specs/nvidia/library_wheels.yaml. Pure."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from accel.resolver.installer import pip_install
from accel.text.pattern import pattern
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import bounded_word, chained, command_line, module_word, python_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_OF_MAJOR: Final = pattern(r"nvidia-[a-z-]+-cu(\d{2})", exact_case=True)
_FRAMEWORKS: Final = ("torch", "jax", "jaxlib", "tensorflow")
_PRINTS_FOLDER: Final = "import {0} as m; print(m.__path__[0])"


def plain_name(path: str | None) -> str:
    """Return a library's file name without its folder, of either system."""
    return (path or "").replace("\\", "/").rpartition("/")[2]


def wheels_for(facts: "Facts", specs: "Specs", missing: Iterable[str], *, own_loader: bool) -> tuple[Remedy, ...]:
    """Return the remedies that install the libraries' wheels; () where none is known, or which major is meant is not.

    missing     sonames
    own_loader  the program finds the wheels by itself, as frameworks do; others are told where they are
    """
    sonames = tuple(dict.fromkeys(plain_name(name) for name in missing))
    rows = _rows(facts, specs, sonames)
    on_windows = facts.host.system == "windows" or any(name.endswith(".dll") for name in sonames)
    if not rows or facts.host.system == "macos":
        return ()
    toolkit = _toolkit(facts)
    wanted = []
    for row in rows:
        minor = ".".join((toolkit or "").split(".")[:2])
        follows = row.get("follows") and minor.count(".") == 1 and minor.split(".")[0] == row["cuda"]
        # A wheel whose name tells no major of CUDA has the library's own: 12.x has libcufft.so.12.
        own = "" if _OF_MAJOR.fullmatch(row["wheel"]) else f"=={row['soname'].split('.so.')[1]}.*"
        wanted.append(bounded_word(row["wheel"], f"=={minor}.*" if follows else own))
    names = ", ".join(row["wheel"] for row in rows)
    libraries = ", ".join(row["dll" if on_windows else "soname"] for row in rows)
    install = Remedy(
        text=f"Install what brings {libraries}: {names}"
        + (f", of the CUDA {toolkit} that the framework was built with." if toolkit else "."),
        command=pip_install(facts, *dict.fromkeys(wanted)),
    )
    if own_loader:
        return (install,)
    if on_windows:
        return (
            install,
            Remedy(
                text="Then put the folder bin of that package on PATH before the program starts, or install the CUDA "
                f"Toolkit {rows[0]['cuda']}: Windows does not search wheels.",
                command=command_line("python -c", python_word(_PRINTS_FOLDER, module_word(rows[0]["module"]))),
            ),
        )
    shown = command_line(
        "LD_LIBRARY_PATH=$(python -c",
        python_word(_PRINTS_FOLDER, module_word(rows[0]["module"])),
        ")/lib:$LD_LIBRARY_PATH && export LD_LIBRARY_PATH",
    )
    text = f"{install.text} Show the program its folder before it starts: the loader does not search wheels by itself."
    return (Remedy(text=text, command=chained(install.command, shown)),)


def _rows(facts: "Facts", specs: "Specs", missing: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return one row for each library that is known; [] if one may be of two majors and nothing tells of which."""
    table = specs.table("nvidia/library_wheels") or {}
    found = {
        name: [row for row in table.get("libraries", ()) if name in (row["soname"], row.get("dll"))] for name in missing
    }
    sure = {rows[0]["cuda"] for rows in found.values() if len(rows) == 1}
    major = sure.pop() if len(sure) == 1 else major_of_cuda(facts)
    chosen = []
    for rows in found.values():
        fitting = rows if len(rows) == 1 else [row for row in rows if row["cuda"] == major]
        if len(fitting) != 1:
            return []
        chosen.append(fitting[0])
    return list({row["wheel"]: row for row in chosen}.values())


def major_of_cuda(facts: "Facts") -> str | None:
    """Return the major of the CUDA that a framework was built with, or that the installed wheels are of."""
    said = facts.first("cuda-runtime-said")
    version = _toolkit(facts) or (said.value("version") if said is not None else None) or ""
    return version.split(".")[0] or _of_packages(facts)


def _toolkit(facts: "Facts") -> str | None:
    """Return the CUDA that a framework here was built with."""
    built = (framework.cuda_version for name in _FRAMEWORKS if (framework := facts.framework(name)) is not None)
    return next((version for version in built if version), None)


def _of_packages(facts: "Facts") -> str | None:
    """Return the major of the CUDA wheels that are installed, if they are of one."""
    majors = {found[1] for package in facts.packages() if (found := _OF_MAJOR.fullmatch(package.name))}
    return majors.pop() if len(majors) == 1 else None
