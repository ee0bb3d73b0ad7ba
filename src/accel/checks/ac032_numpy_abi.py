import re
from collections.abc import Iterator, Mapping
from typing import Final

from accel.facts.questions import Facts
from accel.model.environment import Framework, Package
from accel.model.observation import Fact
from accel.resolver.installer import pip_install
from accel.specs import Specs
from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.vendors.contract.check import Evidence, Problem, Remedy, check, quoted
from accel.vendors.contract.command import bounded_word, command_line

_DTYPE_BYTES: Final = {"96": "1", "88": "2"}  # sizeof(PyArray_Descr) by NumPy's major: its ndarraytypes.h
_INTERFACE_OF_TWO: Final = 0x12  # NPY_2_0_API_VERSION
_NEWER: Final = "a newer"
_OLDER: Final = "an older"
_LONGEST_SIZES: Final = 20  # digits of two sizes in bytes
_INTERFACE: Final = pattern(r"0[xX][0-9a-fA-F]{1,8}")


@check(
    code="AC032",
    name="numpy-abi-mismatch",
    layer="framework",
    reads=("numpy-abi-unlike-build", "numpy-older-than-data", "built-for-older-numpy"),
    needs=("run.program",),
)
def numpy_abi_mismatch(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A compiled module (torch before 2.3, OpenCV, pandas …) was built for NumPy 1 but finds NumPy 2, or the reverse.

    Why it matters   The long message on import is only a warning; the error comes later, at the first conversion:
                     "Numpy is not available".
    What to do       Keep NumPy below 2, or use a release of the module that was built for NumPy 2.
    Looks at         messages of NumPy and PyTorch; sizes of NumPy's types when compiled modules are imported; the
                     versions of NumPy and torch if both are listed, which alone is a warning
    Silent when      a name is missing that NumPy removed: numpy-too-new covers that
    Source           NumPy: migration guide of 2.0; PyTorch: release notes of 2.3
    """
    told = facts.stated("numpy-abi-unlike-build")
    older = facts.stated("numpy-older-than-data")
    if not told and not older:
        yield from _listed(facts)
        return
    numpy, torch = facts.package("numpy"), facts.package("torch") or facts.framework("torch")
    has = next(
        (v for fact in told if (v := fact.value("has")) and re.fullmatch(r"\d{1,9}(?:\.\d{1,9}){0,5}\w{0,40}", v)), None
    )
    has = has if has is not None and not has.startswith("0x") else numpy.version if numpy is not None else None
    told_by = next((one for fact in told if (one := _by_size(fact) or _by_interface(fact)) is not None), None)
    built, runs = told_by or ("2" if older or (has is not None and numbers(has)[:1] == (1,)) else "1", None)
    title = f"Modules here were built for NumPy {built}, but NumPy {has or runs or 'of the other major'} is loaded"
    if built not in ("1", "2"):
        title = f"Modules here were built for {built} release of NumPy than {has or 'the one that'} is loaded"
    evidence = quoted((*told, *older))
    if torch is not None and torch.version:
        evidence = (*evidence, Evidence(fact="torch", value=torch.version))
    yield Problem(
        title=title,
        evidence=evidence,
        remedies=_remedies(facts, built, {"torch": "2.3"} if _is_before(torch, (2, 3)) else {}),
    )


def _listed(facts: Facts) -> Iterator[Problem]:
    """Yield a problem from the versions alone: nothing has failed yet, but the import or first conversion will."""
    told = facts.stated("built-for-older-numpy")
    if not told:
        return
    numpy, packages = told[0].value("has"), {fact.value("package"): fact for fact in told}
    names = [f"{name} {fact.value('version')}" for name, fact in packages.items()]
    unimportable = [str(name) for name, fact in packages.items() if fact.value("breaks") == "import"]
    detail = "The import only warns; converting between tensors and arrays then fails: Numpy is not available."
    if unimportable:
        detail = f"The import of {' and of '.join(unimportable)} fails: numpy.core.multiarray failed to import."
    yield Problem(
        title=f"{' and '.join(names)} {'was' if len(names) == 1 else 'were'} built for NumPy 1, but NumPy "
        f"{numpy} is installed",
        detail=detail,
        evidence=(
            Evidence(fact="numpy", value=numpy or ""),
            *(Evidence(fact=str(name), value=fact.value("version") or "") for name, fact in packages.items()),
            *quoted([fact for fact in packages.values() if fact.value("path")]),
        ),
        remedies=tuple(_kept_below(facts, {str(n): fact.value("first") or "" for n, fact in packages.items()})),
        severity="error" if unimportable else "warning",
    )


def _by_size(fact: Fact) -> tuple[str, str | None] | None:
    """Return which NumPy a module was built for and which is loaded, by a type's size in the headers and at run time.

    A dtype has 96 bytes in NumPy 1 and 88 in NumPy 2; other types grew between releases of NumPy 1.
    """
    expected, got = fact.value("expected") or "", fact.value("got") or ""
    if not expected.isdecimal() or not got.isdecimal() or len(expected + got) > _LONGEST_SIZES:
        return None
    if {expected, got} == set(_DTYPE_BYTES) and "dtype size changed" in fact.text:
        return _DTYPE_BYTES[expected], _DTYPE_BYTES[got]
    return (_NEWER if int(expected) > int(got) else _OLDER), None


def _by_interface(fact: Fact) -> tuple[str, str | None] | None:
    """Return the same by the versions of NumPy's C interface that the module needs and NumPy has."""
    wanted, had = (_INTERFACE.fullmatch(fact.value(name) or "") for name in ("wants", "has"))
    if not wanted or not had:
        return None
    wants, has = int(wanted[0], 16), int(had[0], 16)
    if (wants >= _INTERFACE_OF_TWO) != (has >= _INTERFACE_OF_TWO):
        return ("2", "1") if wants > has else ("1", "2")
    return (_NEWER if wants > has else _OLDER), None


def _is_before(package: Package | Framework | None, release: tuple[int, ...]) -> bool:
    return package is not None and bool(package.version) and numbers(package.version or "")[:2] < release


def _remedies(facts: Facts, built: str, newer: Mapping[str, str]) -> tuple[Remedy, ...]:
    if built == "1":
        return tuple(_kept_below(facts, newer))
    return tuple(_upgraded(facts) if built == "2" else _any_release(facts, newer=built == _NEWER))


def _kept_below(facts: Facts, newer: Mapping[str, str]) -> Iterator[Remedy]:
    """Yield how to keep NumPy 1, or to use the first release of each package that was built for NumPy 2."""
    yield Remedy(
        text="Keep NumPy 1 until every module is built for NumPy 2.",
        command=pip_install(facts, bounded_word("numpy", "<2")),
    )
    if "torch" in newer:
        yield Remedy(text="Or use torch 2.3 or newer, with its companions: it was built for NumPy 2.")
    elif newer:
        taken = " and ".join(
            f"{name} {first} or newer" if first else f"a newer {name}" for name, first in newer.items()
        )
        yield Remedy(text=f"Or use {taken}, built for NumPy 2.")


def _upgraded(facts: Facts) -> Iterator[Remedy]:
    yield Remedy(
        text="Install NumPy 2, which these modules were built for; or reinstall them, built for the installed NumPy.",
        command=pip_install(facts, bounded_word("numpy", ">=2")),
    )


def _any_release(facts: Facts, *, newer: bool) -> Iterator[Remedy]:
    if newer:
        yield Remedy(
            text="Use a NumPy at least as new as the one that these modules were built with.",
            command=command_line("pip install --upgrade", bounded_word("numpy", "<2")),
        )
    yield Remedy(text="Or reinstall these modules, built for the installed NumPy.")
