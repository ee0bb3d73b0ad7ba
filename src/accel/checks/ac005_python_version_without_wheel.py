from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import replace
from accel.resolver.installer import manager_of
from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check, quoted
from accel.vendors.contract.command import command_line, version_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.observation import Fact
    from accel.resolver.target import Target
    from accel.specs import Specs

_OF_ONE_PYTHON: Final = ("colab", "kaggle")
_NIGHTLY: Final = pattern(r"(?P<release>[0-9]{1,3}(?:\.[0-9]{1,3}){1,2})\.dev[0-9]{8}", exact_case=True)
_WIDE: Final = Remedy(
    text="Install the 64-bit Python and create the environment with it: no framework has 32-bit wheels.",
    command="python -c 'import struct; print(struct.calcsize(\"P\") * 8)'",
)
_FIRST_PIP: Final = (19, 3)  # knows manylinux2014, the tag of nearly all wheels of today
_NEWER_PIP: Final = Remedy(
    text="Update pip first: before 19.3 it does not know the tag manylinux2014, which nearly all wheels of today have, "
    "and says that there is no version. Then install again.",
    command="python -m pip install --upgrade pip",
)


@check(
    code="AC005",
    name="python-version-without-wheel",
    layer="framework",
    reads=("wheel-for-other-python", "python-of-32-bits", "index-unreachable", "machine-rented", "pip-release-said"),
    needs=("run.installation",),
    requires=("windows-specific", "torch-cpu-label-conflict"),
    explained_by=("python-under-rosetta",),
)
def python_version_without_wheel(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The requested package has no wheel for this Python version.

    Why it matters   The installer says that it finds no version, without saying why.
    What to do       Create an environment with a Python that the package supports, or use a release that supports this
                     one.
    Looks at         answers of pip, uv, Poetry and conda; the versions that they offer instead; the Python; the Pythons
                     in the release table
    Silent when      the index could not be reached; the requested version names a build (+cu118) that is on another
                     index, or does not exist at all: wheel-not-in-index covers that
    Source           the packages' lists of wheels, as cited in specs/frameworks; pip: resolution messages
    """
    told = facts.stated("wheel-for-other-python")
    applies(not told or facts.first("index-unreachable") is None, "the package index could not be reached")
    if not told:
        return
    name = told[0].value("package") or "the package"
    told = tuple(fact for fact in told if fact.value("package") == name)
    python = next((fact.value("python") for fact in told if fact.value("python")), None)
    exact = next((v for fact in told if (v := fact.value("wants")) and not set(v) & set("<>=!~^*,")), None)
    narrow = facts.stated("python-of-32-bits")
    evidence = quoted((*told, *narrow))
    if facts.environment.python_version:
        evidence = (*evidence, Evidence(fact="Python", value=facts.environment.python_version))
    where = "Python " + python if python else "this Python"
    where = f"a 32-bit {where}" if narrow else where
    title = f"There is no wheel of {name}{'==' + exact if exact else ''} for {where} on this platform"
    served = next((value for fact in told if ".whl" in fact.text and (value := fact.value("served"))), None)
    if served and python and not narrow:
        title = f"The file of {name}{'==' + exact if exact else ''} is for Python {served}, and this is Python {python}"
    known = (_WIDE,) if narrow else _for_file(facts, told, _remedies(facts, specs, name, exact, python))
    pips = [fact for fact in facts.stated("pip-release-said") if () < numbers(fact.value("version") or "") < _FIRST_PIP]
    if pips and not served and not narrow:
        title = (
            f"The installed pip {pips[0].value('version')} is too old to take the wheels of {name} that the index has"
        )
        evidence, known = (*evidence, *quoted(pips[:1])), (_NEWER_PIP, *known)
    yield Problem(title=title, evidence=evidence, remedies=known)


def _for_file(facts: "Facts", told: "tuple[Fact, ...]", known: tuple[Remedy, ...]) -> tuple[Remedy, ...]:
    """Return what makes a rejected file installable: the Python in its name, if no table offers another way."""
    served = next((value for fact in told if ".whl" in fact.text and (value := fact.value("served"))), None)
    word = version_word(served)
    if served is None or word is None or f" {served} " in (known[0].command or ""):
        return known
    python = next((value for fact in told if (value := fact.value("python"))), None)
    tag = f" (cp{python.replace('.', '')})" if python else ""
    other = f"Use the release's file for this Python{tag}, or its source distribution; this lists the supported tags."
    if any(fact.value("provider") in _OF_ONE_PYTHON for fact in facts.stated("machine-rented")):
        return (
            Remedy(
                text=f"The file is for Python {served}, and the service's notebooks run another one that cannot be "
                f"changed. {other}",
                command="pip debug --verbose",
                action="env",
            ),
        )
    managed = manager_of(facts) == "poetry"
    return (
        Remedy(
            text=f"The file is for Python {served}: install it in an environment with that version.",
            command=command_line("poetry env use", word) if managed else command_line("uv venv --python", word),
            action="env",
        ),
        Remedy(text=f"Or u{other[1:]}", command="pip debug --verbose"),
    )


def _remedies(facts: "Facts", specs: "Specs", name: str, exact: str | None, python: str | None) -> tuple[Remedy, ...]:
    from accel.resolver.remedies import install, machine_of

    machine = machine_of(facts, specs)
    machine = replace(machine, python=machine.python or python)
    if (nightly := _NIGHTLY.match(exact or "")) is not None and specs.frameworks(name):
        text = "The index only keeps nightly builds for a few months: use the release that followed this one"
        return (install(facts, specs, name, text=text, on=machine, version=nightly["release"], again=True),)
    here = _other_release(facts, specs, name, machine)
    asked = f"=={exact}" if exact else None
    from accel.resolver.other_python import other_python

    elsewhere = other_python(specs, name, asked, machine, manager_of(facts)) if exact or here is None else None
    found = [remedy for remedy in (elsewhere, here) if remedy is not None]
    return tuple(found) or (
        Remedy(text="Create an environment with a Python version that the package has wheels for."),
    )


def _other_release(facts: "Facts", specs: "Specs", name: str, machine: "Target") -> Remedy | None:
    from accel.resolver.remedies import install

    if machine.python is None or not specs.frameworks(name):
        return None
    text = f"Keep Python {machine.python} and install a release that has wheels for it"
    found = install(facts, specs, name, text=text, on=machine, newest=True)
    return found if found.command is not None else None
