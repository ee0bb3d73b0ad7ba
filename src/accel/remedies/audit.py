"""Whether a remedy's commands can work on the machine of a text, according to the tables. Pure.

pip install 'jax[cuda12]'                Python 3.6: no release of jax has wheels for it
pip install 'tensorflow[and-cuda]==2.12' 2.12 has no extra and-cuda
pip install onnxruntime-gpu              the newest is built for CUDA 13.0; CUDA 12.3 is installed
pip install torch==2.4.0 --index-url https://download.pytorch.org/whl/cu130       that index has no torch 2.4.0
sudo apt install gcc                     this system installs with dnf

What is in no table, or not in the text, is no objection.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import dataclass, replace
from accel.model.errors import BadInput
from accel.remedies.actions import Action, effects_of
from accel.resolver.candidates import candidates
from accel.resolver.catalogue import Catalogue, catalogue_of, choice
from accel.resolver.constraints import RULES
from accel.resolver.request import Request, parse_request
from accel.resolver.situation import Situation
from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.text.versions import index_variant, normalised
from accel.vendors.contract.command import Word, command_line, requirement_word, url_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.remedies.environment import Environment
    from accel.resolver.records import Candidate
    from accel.resolver.target import Target

_RULES: Final = frozenset(("board", "driver-drives-device", "driver", "capability", "device-code", "libc", "system"))
_PIP: Final = pattern(r"%?(?:.{0,200}[/\\])?pip[0-9.]{0,5}(?:\.exe)?", exact_case=True)
_WITH_VALUE: Final = frozenset(
    ("-i", "-f", "-t", "-r", "-c", "-p", "--index-url", "--extra-index-url", "--find-links", "--target", "--python")
)
_INDEXES: Final = ("--index-url", "-i", "--extra-index-url", "--find-links", "-f")
_PYTHON: Final = pattern(r"python==?(?P<version>3\.\d{1,2}).{0,9}", exact_case=True)
_ASKED_THERE: Final = pattern(r"(?P<head>[A-Za-z][\w.-]{0,60}(?:\[[\w, -]{0,60}\])?)==\$\(.{1,300}")
_BRINGS_CUDA: Final = pattern(
    r"nvidia-c\w{3,8}(?:-[a-z]{2,12}){0,2}-cu\d\d|cudatoolkit|cudnn|cuda-toolkit|cuda-version"
)
_RELEASE: Final = pattern(r"\d{1,4}(?:\.\d{1,3})?", exact_case=True)
_KITS: Final = ("cuda", "cuda-libraries", "cuda-stated")
_OWN_MINOR: Final = (10, 2)  # the last CUDA whose libraries have the minor version in their names


@dataclass(frozen=True, slots=True)
class Install:
    """One installation by pip or uv: what it requests, from which index.

    other      the index is not the package's usual one
    python     of the environment that an earlier step creates
    variables  that the same remedy sets
    """

    asked: tuple[str, ...]
    variant: str | None = None
    other: bool = False
    python: str | None = None
    variables: frozenset[str] = frozenset()


def objections(actions: Sequence[Action], here: "Environment") -> tuple[str, ...]:
    """Return why commands of a remedy cannot work here, as clauses: "jax 0.4.30 has no wheels for Python 3.8"."""
    brought = any(_BRINGS_CUDA.match(one) for action in actions for one in action.command.operands)
    variables = frozenset(name for kind, name, _ in effects_of(actions) if kind == "variable")
    found = (
        reason
        for one in installs_of(actions, variables)
        for asked in one.asked
        if (reason := objection(asked, one, here, brought)) is not None
    )
    return tuple(dict.fromkeys((*found, *_of_other_systems(actions, here))))


def installs_of(actions: Sequence[Action], variables: frozenset[str] = frozenset()) -> Iterator[Install]:
    """Yield what each step installs by pip or uv."""
    python: str | None = None
    for action in actions:
        words = [token.value if token.value is not None else token.raw for token in action.step.words]
        python = next((hit["version"] for word in words if (hit := _PYTHON.fullmatch(word))), python)
        if words[:2] == ["uv", "venv"] and "--python" in words[:-1]:
            python = words[words.index("--python") + 1]
        at = next((at for at in range(1, len(words)) if _installs(words, at)), None)
        if at is not None:
            yield replace(_install(words[at + 1 :]), python=python, variables=variables)


def _installs(words: Sequence[str], at: int) -> bool:
    return (words[at] == "install" and _PIP.fullmatch(words[at - 1]) is not None) or (
        words[at - 1 : at + 1] == ["uv", "add"]
    )


def _install(words: Sequence[str]) -> Install:
    asked: list[str] = []
    sources: list[str] = []
    option = ""
    for word in words:
        name, _, value = word.partition("=")
        if option:
            sources += [word] if option in _INDEXES else []
            option = ""
        elif word in _WITH_VALUE:
            option = word
        elif name in _INDEXES and value:
            sources.append(value)
        elif not word.startswith("-"):
            asked.append(word)
    variant = next((found for one in sources if (found := index_variant(one)) is not None), None)
    return Install(tuple(asked), variant, bool(sources) and variant is None)


def objection(
    asked: str, install: Install, here: "Environment", brought: bool = False, any_python: bool = False
) -> str | None:
    """Return why a requirement cannot be met here; None if it can, or if the tables do not say.

    asked       as given to pip: "jax[cuda12]", "torch==2.4.0"
    brought     the same remedy installs CUDA's libraries, so the installed ones do not count
    any_python  for any version of Python
    """
    asked = _with_release_here(asked, here.facts)
    try:
        request = parse_request(asked)
    except BadInput:
        return None
    catalogue = catalogue_of(here.specs)
    if install.other or not catalogue.knows(request.name):
        return None
    name = catalogue.name_of(request.name)
    if name not in catalogue.packages:
        return None
    target = machine_here(here)
    if any_python or install.python is not None:
        target = replace(target, python=None if any_python else install.python, python_release=None)
    return _reason(replace(request, name=name), asked, install, target, catalogue, brought, here)


def newest_that_passes(asked: str, install: Install, here: "Environment", any_python: bool = False) -> Word | None:
    """Return a requirement with the newest release that has no objections, and the extras that it has."""
    catalogue = catalogue_of(here.specs)
    name, extras = asked.partition("[")[0], _extras(asked)
    if normalised(name) not in catalogue.packages:
        return None  # also a release that was chosen together with others
    versions = dict.fromkeys(one.version for one in candidates(catalogue, normalised(name)) if one.variant != "cpu")
    for version in versions:
        for kept in dict.fromkeys((extras, ())):
            word = requirement_word(name, version, ",".join(kept) or None)
            if word is not None and objection(word, install, here, any_python=any_python) is None:
                return word
    return None


def of_other_index(install: Install, here: "Environment") -> str | None:
    """Return the command for a build on its own index that is made for the CUDA and cuDNN of the text."""
    cuda, cudnn = stated_cuda(here.facts), _stated_cudnn(here.facts)
    for row in (here.specs.table("frameworks/add_on_wheels") or {}).get("other_cuda", ()):
        if install.asked == (row["package"],) and _of_major(row["cuda"], cuda) and _of_major(row["cudnn"], cudnn):
            release, index = requirement_word(row["package"], row["release"]), url_word(row["index"])
            return command_line("pip install --force-reinstall --no-deps", release, "--index-url", index)
    return None


def _of_major(major: str, told: Sequence[str]) -> bool:
    return bool(told) and all(one.partition(".")[0] == major for one in told)


def _reason(
    request: Request,
    asked: str,
    install: Install,
    target: "Target",
    catalogue: Catalogue,
    brought: bool,
    here: "Environment",
) -> str | None:
    name, extras = request.name, _extras(asked)
    made = [one for one in candidates(catalogue, name) if target.system is None or one.platform == target.platform]
    within = [one for one in made if request.allows(one.version)] or _of_minor(request, made)
    if not within:
        return _no_release(request, made, catalogue, target)
    variant = request.variant or catalogue.variant_named(asked.partition("[")[0].partition("=")[0])
    if variant is None and name in _on_index(catalogue):
        variant = install.variant
    named = [one for one in within if variant in (None, one.variant)]
    if not named:
        return f"{_called(within, request)} has no build {variant}"
    situation = Situation(catalogue, target)
    by_python = [one for one in named if _rule("python")(one, catalogue.family(one.family), situation) is None]
    if not by_python:
        known = [one for one in named if one.pythons]
        return f"no wheel of {_called(named, request)} for Python {target.python} is known" if known else None
    newest = by_python[0].version
    taken = [one for one in by_python if one.version == newest]
    first = next((one for one in taken if one.default), taken[0]) if variant is None else taken[0]
    if first.variant == "cpu":
        return None
    if missing := _missing_extras(name, extras, first, catalogue):
        return f"{name} {newest} has no extra {', '.join(missing)}"
    family = catalogue.family(first.family)
    overridden = any(name in family.get("override_hint", "") for name in install.variables)
    for rule, because in RULES:
        if rule == "device-code" and overridden:
            continue
        if rule in _RULES and (why := because(first, family, situation)) is not None:
            return f"{name} {newest}: {why}"
    return None if brought else _unlike_cuda(first, extras, catalogue, here)


def machine_here(here: "Environment") -> "Target":
    """Return the machine in the resolver's form."""
    from accel.resolver.remedies import machine_of

    found: Target = here.facts.cached(("machine-here", id(here.specs)), lambda: machine_of(here.facts, here.specs))
    return found


def stated_cuda(facts: "Facts") -> tuple[str, ...]:
    """Return the installed CUDA versions, according to the text or machine."""
    return tuple(dict.fromkeys(kit.version for kit in facts.environment.toolkits if kit.name in _KITS and kit.version))


def _stated_cudnn(facts: "Facts") -> tuple[str, ...]:
    return tuple(kit.version for kit in facts.environment.toolkits if kit.name == "cudnn-stated" and kit.version)


def _with_release_here(asked: str, facts: "Facts") -> str:
    """Return a requirement with the installed release, if the command gets it from the machine."""
    found = _ASKED_THERE.fullmatch(asked.strip("\"'"))
    if found is None:
        return asked
    name = found["head"].partition("[")[0]
    framework, package = facts.framework(name), facts.package(name)
    version = (framework.version if framework else None) or (package.version if package else None)
    return f"{found['head']}=={version}" if version else found["head"]


def _extras(asked: str) -> tuple[str, ...]:
    inside = asked.partition("[")[2].partition("]")[0]
    return tuple(one.strip() for one in inside.split(",") if one.strip())


def _on_index(catalogue: Catalogue) -> frozenset[str]:
    """Return the packages with one index per build."""
    return frozenset(name for name, record in catalogue.packages.items() if "{variant}" in record.get("index", ""))


def _no_release(request: Request, made: Sequence["Candidate"], catalogue: Catalogue, target: "Target") -> str | None:
    """Return that there is no such release, for this system or at all, if the tables have neighbouring releases."""
    every = [one for one in candidates(catalogue, request.name) if request.allows(one.version)]
    if every and not made:
        return f"{request.name} has no wheels for {target.platform}"
    if every:
        return f"{_called(every, request)} has no wheels for {target.platform}"
    return None


def _of_minor(request: Request, made: Sequence["Candidate"]) -> list["Candidate"]:
    """Return the builds of the minor version of a release in no table: a patch release has those of its neighbours."""
    minor = request.bound.removeprefix("==").split(".")[:2]
    return [one for one in made if request.bound.startswith("==") and one.version.split(".")[:2] == minor]


def _called(found: Sequence["Candidate"], request: Request) -> str:
    return f"{request.name} {found[0].version}" if request.bound.startswith("==") else request.name


def _rule(name: str) -> Any:
    return next(rule for known, rule in RULES if known == name)


def _missing_extras(name: str, extras: Sequence[str], chosen: "Candidate", catalogue: Catalogue) -> tuple[str, ...]:
    """Return the extras that other releases of a package have, but not the chosen one."""
    rows: Sequence[dict[str, Any]] = catalogue.packages[name].get("extras") or ()
    known = {part for row in rows for part in row.get("extra", "").split(",")}
    row = choice(list(rows), chosen.variant, chosen.version) or {}
    own = row.get("extra", "").replace("{variant}", chosen.variant).split(",")
    return tuple(extra for extra in extras if extra in known and extra not in own)


def _looks_for_cuda(package: str, catalogue: Catalogue) -> bool:
    """Return whether builds of a package load the machine's CUDA libraries, unless an extra brings them."""
    return any("{toolkit}" in row.get("note", "") for row in catalogue.packages[package].get("extras") or ())


def _unlike_cuda(
    candidate: "Candidate", extras: Sequence[str], catalogue: Catalogue, here: "Environment"
) -> str | None:
    """Return that the CUDA or cuDNN of the text is not one that the build loads."""
    told, toolkit = stated_cuda(here.facts), candidate.toolkit_version
    if toolkit is None or not told or not _looks_for_cuda(candidate.package, catalogue):
        return None
    called = f"{candidate.package} {candidate.version}"
    row = choice(catalogue.packages[candidate.package].get("extras"), candidate.variant, candidate.version) or {}
    brings = bool(set(row.get("extra", "").split(",")) & set(extras))
    served = [one for one in told if _serves(toolkit, one)] or [
        one for one in told if brings and _is_newer(one, toolkit)
    ]
    if not served:
        return f"{called} is built for CUDA {toolkit}, but CUDA {told[0]} is installed"
    release = here.specs.framework(candidate.package, candidate.version)
    builds = release.builds if release is not None else ()
    wants = next((one.cudnn_version for one in builds if one.variant == candidate.variant and one.cudnn_version), None)
    has = _stated_cudnn(here.facts)
    if wants and has and not brings and all(one.partition(".")[0] != wants.partition(".")[0] for one in has):
        return f"{called} is built for cuDNN {wants}, but cuDNN {has[0]} is installed"
    return None


def _is_newer(has: str, wanted: str) -> bool:
    """Return whether a CUDA has a later major version than a build's: a driver that supports it supports the build."""
    return numbers(has)[:1] > numbers(wanted)[:1]


def _serves(wanted: str, has: str) -> bool:
    one, other = numbers(wanted)[:2], numbers(has)[:2]
    return one[:1] == other[:1] and (one > _OWN_MINOR or len(one) < 2 or len(other) < 2 or one == other)


def _of_other_systems(actions: Sequence[Action], here: "Environment") -> Iterator[str]:
    """Yield which package manager commands this release of the distribution does not have."""
    table: Mapping[str, Any] = here.specs.table("language/shells") or {}
    distribution = (here.facts.host.distribution or "").lower()
    release = _RELEASE.search(distribution)
    if release is None:
        return
    for action in actions:
        words = [token.raw.strip("'\"") for token in action.step.words]
        for row in table.get("missing", ()):
            if (
                any(name in distribution for name in row["distributions"])
                and numbers(release[0]) < numbers(row["first"])
                and set(row["words"]) <= set(words)
            ):
                yield row["why"]
