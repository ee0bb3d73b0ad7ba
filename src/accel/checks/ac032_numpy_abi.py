"""NumPy of another major version than the modules were built for."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, check, quoted
from accel.contract.command import bounded_word
from accel.resolver.installer import pip_install
from accel.specs.versions import numbers

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="AC032",
    name="numpy-abi-mismatch",
    layer="framework",
    reads=("numpy-abi-unlike-build", "numpy-older-than-data"),
    needs=(),
)
def numpy_abi_mismatch(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A compiled module (torch before 2.3, OpenCV, pandas …) was built for NumPy 1 and finds NumPy 2, or the reverse.

    Why it matters   The long text at the import is only a warning; the error comes later, at the first conversion:
                     "Numpy is not available".
    What to do       Keep NumPy below 2, or take a release of the module that was built for NumPy 2.
    Looks at         NumPy's and PyTorch's words; sizes of NumPy's types at the import of compiled modules; the versions
    Silent when      a name is missing that NumPy removed: numpy-too-new then speaks
    Source           NumPy: migration guide of 2.0; PyTorch: release notes of 2.3
    """
    told = facts.stated("numpy-abi-unlike-build")
    older = facts.stated("numpy-older-than-data")
    if not told and not older:
        return
    numpy, torch = facts.package("numpy"), facts.package("torch") or facts.framework("torch")
    has = next((v for fact in told if (v := fact.value("has")) and v[:1].isdigit()), None)
    has = has or (numpy.version if numpy is not None else None)
    grown = [_grown(fact.value("expected"), fact.value("got")) for fact in told]
    built_newer = bool(older) or True in grown or (has is not None and numbers(has)[:1] == (1,))
    title = f"Modules here were built for NumPy {'2' if built_newer else '1'}, and NumPy {has or 'of the other major'}"
    evidence = quoted((*told, *older))
    if torch is not None and torch.version:
        evidence = (*evidence, Evidence(fact="torch", value=torch.version))
    yield Problem(
        title=f"{title} is loaded",
        evidence=evidence,
        remedies=tuple(_upgraded(facts) if built_newer else _kept_below(facts, torch.version if torch else None)),
    )


def _grown(expected: str | None, got: str | None) -> bool | None:
    """Whether the module was built for a newer NumPy: types of NumPy 2 are larger than those of NumPy 1."""
    if not (expected or "").isdecimal() or not (got or "").isdecimal():
        return None
    return int(expected or 0) > int(got or 0)


def _kept_below(facts: "Facts", torch: str | None) -> Iterator[Remedy]:
    yield Remedy(
        text="Keep NumPy 1 until every module is built for NumPy 2.",
        command=pip_install(facts, bounded_word("numpy", "<2")),
    )
    if torch is not None and numbers(torch)[:2] < (2, 3):
        yield Remedy(text="Or take torch 2.3 or newer, with its companions: it was built for NumPy 2.")


def _upgraded(facts: "Facts") -> Iterator[Remedy]:
    yield Remedy(
        text="Install NumPy 2, which these modules were built for; or install them again, built for the NumPy that is "
        "there.",
        command=pip_install(facts, bounded_word("numpy", ">=2")),
    )
