from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts, texts
from accel.model.environment import Package
from accel.model.observation import Fact
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, check, quoted
from accel.vendors.contract.command import bounded_word, chained, command_line, package_word, removed_word

_FRAMEWORKS: Final = ("jax", "jaxlib", "tensorflow")  # torch: duplicate-torch-install


@check(
    code="AC042",
    name="package-installed-twice",
    layer="framework",
    severity="warning",
    reads=(
        "package-metadata-stale",
        "package-copy-hidden",
        "library-owned-twice",
        "package-over-condas",
        "packages-said-together",
    ),
    needs=("environment.packages",),
    asks=("environment.packages",),
)
def package_installed_twice(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Two distributions provide one module, metadata of an older release was left, or a copy hides the right one.

    Why it matters   The last one installed overwrote the other: onnxruntime over onnxruntime-gpu computes on the CPU.
                     Installers use either of two metadata folders, and check requirements against the wrong version.
    What to do       Remove both and install the intended one; remove metadata that belongs to nothing.
    Looks at         the packages of one module; libraries that two wheels record (nvidia-cudnn-cu11 and -cu12);
                     metadata folders of one package against the version stated in its files; copies on sys.path before
                     the environment's own
    Silent when      the copies have one version; an environment's own copy precedes the system's
    Source           packaging.python.org: recording installed projects; ONNX Runtime: installation notes
    """
    table = specs.table("frameworks/requirements") or {}
    for row in table.get("same_module", ()):
        there = [p for p in facts.packages(*row["wheels"]) if p.version]
        names = tuple(dict.fromkeys(p.name for p in there))
        if len(names) > 1:
            yield Problem(
                title=f"{texts(names)} both install the module {row['module']}: the last one installed is used",
                evidence=tuple(Evidence(fact=p.name, value=p.version or "") for p in there),
                remedies=tuple(_one_of(there)),
                severity="info" if row.get("harmless") else None,
            )
    for fact in facts.stated("packages-said-together"):
        names = tuple((fact.value("names") or "").split())
        if sum(bool(package.version) for package in facts.packages(*names)) < len(names):  # else it is said above
            known = {package.name: package.version for package in facts.packages(*names)}
            yield Problem(
                title=f"{' and '.join(names)} are both installed, and share their files: the last installed is used",
                evidence=quoted([fact]),
                remedies=tuple(_one_of([Package(name=name, version=known.get(name)) for name in names])),
            )
    for fact in facts.stated("library-owned-twice"):
        names = tuple((fact.value("packages") or "").split())
        owner = fact.value("owner")
        yield Problem(
            title=f"{texts(names)} contain the same library"
            + (f": {owner}'s is installed" if owner else ": it is unknown which of them is installed"),
            detail="Packages that use the other one load a library that they were not built with; removing one removes "
            "both.",
            evidence=quoted([fact]),
            remedies=(
                Remedy(
                    text="Remove all of them, then install the one that the framework requires.",
                    command=command_line("pip uninstall -y", *(package_word(name) for name in names)),
                ),
            ),
        )
    for fact in facts.stated("package-metadata-stale"):
        yield Problem(
            title=f"{fact.value('package')} {fact.value('version')} is installed, and metadata of "
            f"{fact.value('stale')} was left in the same folder",
            detail="pip and importlib.metadata may take either for the installed release.",
            evidence=quoted([fact]),
            remedies=(
                Remedy(
                    text="Remove the leftover metadata.",
                    command=command_line("rm -r", removed_word(fact.value("path"))),
                ),
            ),
        )
    for fact in facts.stated("package-over-condas"):
        if fact.value("package") in _FRAMEWORKS:
            yield Problem(
                title=f"{fact.value('package')} {fact.value('version')} was installed by pip over conda's "
                f"{fact.value('hidden')}",
                evidence=quoted([fact]),
                remedies=(
                    Remedy(
                        text="Remove both, then install it with only one of the two.",
                        command=chained(
                            command_line("pip uninstall -y", package_word(fact.value("package"))),
                            command_line("conda remove -y --force", package_word(fact.value("conda"))),
                        ),
                    ),
                ),
            )
    for fact in facts.stated("package-copy-hidden"):
        yield Problem(
            title=f"{fact.value('package')} {fact.value('version')} from outside the environment hides the "
            f"environment's {fact.value('hidden')}",
            evidence=quoted([fact]),
            remedies=tuple(_unhidden(facts, fact)),
        )


def _one_of(there: list[Package]) -> Iterator[Remedy]:
    """Yield how to keep one of several packages: the one for the GPU, if there is one."""
    removed = command_line("pip uninstall -y", *(package_word(name) for name in dict.fromkeys(p.name for p in there)))
    for package in there:
        if package.name.endswith("-gpu"):
            version = package.version
            word = bounded_word(package.name, f"=={version}") if version else package_word(package.name)
            yield Remedy(
                text="If the GPU build is wanted: remove all of them, because they share files, then install "
                f"only {package.name}.",
                command=chained(removed, command_line("pip install --force-reinstall --no-deps", word)),
            )
    yield Remedy(text="Remove all of them, then install the one that you want.", command=removed)


def _unhidden(facts: Facts, fact: Fact) -> Iterator[Remedy]:
    path = fact.value("path") or ""
    if "/.local/" in path or "\\Roaming\\" in path:
        yield Remedy(
            text="Start Python without the packages in the user's own folder.", command="export PYTHONNOUSERSITE=1"
        )
    elif facts.variable("PYTHONPATH"):
        yield Remedy(
            text=f"Remove {path} from PYTHONPATH: its packages come before the environment's.",
            command="unset PYTHONPATH",
        )
    else:
        yield Remedy(
            text=f"Find what puts {path} on sys.path before the environment's own folder (a .pth file, a script).",
            action="app",
            kind="look",
        )
