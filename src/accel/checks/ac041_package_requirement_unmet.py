from collections.abc import Iterator, Sequence
from typing import Any, Final

from accel.facts.questions import Facts
from accel.model.diagnosis import Severity
from accel.model.observation import Fact
from accel.resolver.installer import pip_install
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, applies, check, quoted
from accel.vendors.contract.command import Word, bounded_word

# Their builds depend on the device: a plain pip install might replace one build with another.
_FRAMEWORKS: Final = frozenset(("torch", "torchvision", "torchaudio", "jax", "jaxlib", "tensorflow", "vllm"))
_MOST_LINES: Final = 12


@check(
    code="AC041",
    name="package-requirement-unmet",
    layer="framework",
    reads=("requirement-missing", "requirement-unmet", "python-unlike-required", "package-without-metadata"),
    needs=("environment.packages",),
)
def package_requirement_unmet(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A package that concerns accelerators requires another one that is missing, or has another version.

    Why it matters   The import fails, or a later call: an installation in several steps, or with --no-deps, caused it.
    What to do       Install what is missing, in a version that all its dependents accept.
    Looks at         the declared requirements of the installed distributions, with their markers, and their
                     supported Python versions; extras whose packages are installed; the requirements that an import
                     needs, from the spec tables
    Silent when      the pair has its own check (torchvision and torch, jax and jaxlib); the missing one is installed
                     without metadata. Only information if another distribution has the module (onnxruntime-gpu for
                     onnxruntime), or if pip's message is about something that no import needs
    Source           packaging.python.org: core metadata, dependency specifiers
    """
    unseen = {fact.value("package") for fact in facts.stated("package-without-metadata") if fact.value("whole")}
    told = [
        fact for fact in facts.stated("requirement-missing", "requirement-unmet") if fact.value("package") not in unseen
    ]
    foreign = facts.stated("python-unlike-required")
    applies(
        bool(told or foreign) or facts.environment.requirements_read is not None,
        "no package requirements were read",
    )
    table = specs.table("frameworks/requirements") or {}
    packages: dict[str, list[Fact]] = {}
    for fact in told:
        packages.setdefault(fact.value("package") or "?", []).append(fact)
    ranked: dict[tuple[Severity, str], list[list[Fact]]] = {}
    for asking in packages.values():
        importer = next((name for fact in asking if (name := _importer(fact, table))), "")
        noted = all(
            f.value("rival") or f.grade != "measured" for f in asking
        )  # installers also warn about unused packages
        severity: Severity = "error" if importer else "info" if noted else "warning"
        ranked.setdefault((severity, importer), []).append(asking)
    for (severity, importer), found in ranked.items():
        yield _problem(facts, severity, importer, found)
    if foreign:
        yield _of_other_python(foreign)


def _importer(fact: Fact, table: dict[str, Any]) -> str | None:
    """Return the package whose import fails because of it; None if no import is known to fail."""
    by, name, relation = (fact.value(key) or "" for key in ("by", "package", "relation"))
    if fact.value("rival"):
        return None
    for row in table.get("imports", ()):
        if by in (row["package"], *row.get("through", ())) and any(
            _is(pattern, name) for pattern in row.get(relation, ())
        ):
            return str(row["package"])
    return None


def _is(pattern: str, name: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


def _problem(facts: Facts, severity: Severity, importer: str, found: list[list[Fact]]) -> Problem:
    """Return one problem for the missing packages, each with all its dependents."""
    asking = [fact for several in found for fact in several]
    first = next((fact for fact in asking if fact.value("by") == importer), asking[0])
    package, wants, has, by = (first.value(key) or "" for key in ("package", "wants", "has", "by"))
    how = {"older": "too old", "newer": "too new"}.get(first.value("relation") or "", "another")
    state = f"{package} {has} is {how}, {package}{wants} is required" if has else f"{package} is missing"
    if first.value("rival"):
        title = f"{by} requires {package}, but {first.value('rival')} is installed instead"
    elif importer:
        title = f"importing {importer} fails: {state}"
    else:
        title = f"{by} {first.value('by_version') or ''} lacks a requirement: {state}"
    if len(found) > 1:
        title += f"; {len(found) - 1} more like it"
    return Problem(
        title=title,
        evidence=quoted(asking, _MOST_LINES),
        remedies=() if severity == "info" else tuple(_remedies(facts, found)),
        severity=severity,
    )


def _of_other_python(told: Sequence[Fact]) -> Problem:
    """Return one problem for the packages that do not support the Python that would import them."""
    first, more = told[0], f"; {len(told) - 1} more like it" if len(told) > 1 else ""
    name, version, wants, has = (first.value(key) for key in ("package", "version", "wants", "has"))
    return Problem(
        title=f"{name} {version} is for Python {wants}, but this is Python {has}{more}",
        detail="Installers reject this: the packages were copied, or another Python's folder is in PYTHONPATH.",
        evidence=quoted(told, _MOST_LINES),
        remedies=(
            Remedy(
                text="Import them with the Python that installed them, or create an environment for this one and "
                "install what the program needs there."
            ),
        ),
        severity="warning",
    )


def _remedies(facts: Facts, found: list[list[Fact]]) -> Iterator[Remedy]:
    words: list[Word | None] = []
    contrary, builds = [], []
    for asking in found:
        package = asking[0].value("package")
        if package in _FRAMEWORKS:
            builds.append(asking[0])
        elif asking[0].grade != "measured":
            words.append(bounded_word(package))
        elif (fits := asking[0].value("fits")) is None:
            contrary.append(asking[0])
        else:
            words.append(bounded_word(package, fits))
    if words:
        yield Remedy(
            text="Install a version that all packages that need it accept.",
            command=pip_install(facts, *words) if all(words) else None,
        )
    for fact in builds:
        package, by, wants = fact.value("package"), fact.value("by"), fact.value("wants") or ""
        yield Remedy(
            text=f"Use a release of {by} for the installed {package}, or {package}{wants} in the build for this "
            f"device: accel resolve {package} names it."
            if fact.value("has")
            else f"Install {package}{wants} in the build for this device: accel resolve {package} names it.",
        )
    for fact in contrary:
        yield Remedy(
            text=f"No version of {fact.value('package')} suits all packages that need it: use releases of them from "
            "the same time.",
            command="pip check",
        )
