"""The release and build of a package that the user requested from an installer, as typed. Pure.

pip install "jax[cuda12_pip]"                     build cuda12
pip install jaxlib==0.4.28+cuda12.cudnn89         version 0.4.28, build cuda12
uv pip install torch==2.4.1+cu118                 version 2.4.1, build cu118
pip install torch --index-url https://download.pytorch.org/whl/cu121     build cu121
conda install pytorch=1.9.0 cudatoolkit=11.1      version 1.9.0, build cu111
pip install torch==2.1.0; pip install -U torch    no version: a later command may have changed it
pip install .../vllm-0.2.4+cu118-cp39-….whl       version 0.2.4, build cu118
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from accel.facts.questions import Facts
from accel.facts.readers.package import package_of
from accel.model.dataclass import dataclass
from accel.model.environment import Package
from accel.model.observation import Command, Complaint, Missing, Observation, Offered, Raised
from accel.text.pattern import pattern
from accel.text.versions import index_variant, normalised

_ASKED: Final = pattern(
    r"[\"']?(?P<name>[A-Za-z][\w.-]{0,60})(?:\[(?P<extra>[\w, -]{1,60})\])?"
    r"(?:==(?P<version>\d[\w.]{0,30})(?:\+(?P<local>[\w.]{1,30}))?)?[\"']?"
)
_BUILD: Final = pattern(r"(?P<build>cuda1[0-9]|cu1[0-9]{2}|rocm\d(?:\.\d)?|tpu)(?![0-9])")
_INDEX_OPTIONS: Final = ("--index-url=", "--extra-index-url=")
_LISTING: Final = ("list", "freeze")
_LISTERS: Final = ("pip", "pip3", "uv", "conda", "mamba")
_CONDA: Final = ("conda", "mamba", "micromamba")
_OF_CONDA: Final = pattern(
    r"[\"']?(?:[\w-]{1,30}::)?(?P<name>[A-Za-z][\w.-]{0,60}?)(?:={1,2}(?P<version>\d[\d.]{0,20}?)(?:\.?\*)?(?:=[^=]{1,60})?)?[\"']?"
)
_CONDA_NAMES: Final = {"torch": ("pytorch", "pytorch-gpu", "torch")}
_CUDA_OF_CONDA: Final = ("cudatoolkit", "pytorch-cuda", "cuda-version")
_LIST: Final = 8  # packages: a traceback and its warnings name fewer
_INSTALLERS: Final = ("pip", "pip3", "uv", "py")
_WHEEL: Final = pattern(r"(?P<name>[A-Za-z]\w{0,60})-(?P<version>\d[\w.]{0,30}(?:\+[\w.]{1,30})?)-[^/]+\.whl")
_READ: Final = pattern(r"\$\{?(?P<name>[A-Za-z_]\w{0,60})\}?")
_NEWER: Final = ("-U", "--upgrade", "--force-reinstall", "--pre")
_REFUSED: Final = pattern(r"error|could not|failed|packagesnotfound|unsatisfiable|no matching|×|bash:|zsh:")
_NOT_BUILT: Final = pattern(
    r"failed (?:to build|building)|subprocess-exited-with-error|metadata-generation-failed|could not build wheels"
    r"|resolutionimpossible|conflicting dependencies|not a supported wheel|unable to find installation candidates"
)
_OF_TORCH: Final = ("torch", "torchvision", "torchaudio")


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedPin:
    """version, build: None if the command names none. A CPU build is dropped, since the user expects a device."""

    version: str | None = None
    build: str | None = None


def typed_pin(facts: Facts, names: Sequence[str]) -> TypedPin:
    """Return what the last installer commands request for a package, under any of its names."""
    version = build = None
    for one in facts.snapshot.observations:
        if (
            not isinstance(one, Command)
            or one.advice
            or one.tool not in _INSTALLERS
            or one.verb not in ("install", "pip")
        ):
            continue
        for word in _operands(one):
            asked = _ASKED.fullmatch(word)
            if asked is not None and asked["name"].lower() in names:
                version = asked["version"] or version
                named = _BUILD.match(asked["local"] or "") or _BUILD.match(asked["extra"] or "")
                build = (named["build"].lower() if named else _of_index(one)) or build
    return TypedPin(version=version, build=build)


def typed_packages(observations: Iterable[Observation], known: Collection[str]) -> tuple[Package, ...]:
    """Return the packages that the text's commands install in a stated version, without those that it lists anyway.

    A package is left out if the last command about it failed, removed it or took any version, and if several commands
    name different versions: they may be alternatives. Without a failure in the text they may be a question or a manual.
    known  names of packages whose versions the text tells in another way
    """
    observations = [one for one in observations if one.status == "present"]
    if not any(
        isinstance(one, Raised | Missing) or (isinstance(one, Complaint) and one.certain) for one in observations
    ):
        return ()
    found: dict[str, Package] = {}
    several: set[str] = set()
    exported: dict[str, str] = {}
    last: list[str] = []
    for one in observations:
        if isinstance(one, Offered):
            found.pop(normalised(one.package), None)
        elif isinstance(one, Complaint) and _NOT_BUILT.search(one.text):
            for name in last:
                found.pop(name, None)
        if not isinstance(one, Command) or one.advice:
            continue
        exported |= dict(one.variables) if one.tool == "export" else {}
        if one.tool in _INSTALLERS and "uninstall" in (one.verb, *one.operands[:1]):
            for word in one.operands:
                found.pop(normalised(word), None)
        elif one.tool in _INSTALLERS and "install" in (one.verb, *one.operands[:1]):
            refused, last = _REFUSED.search(one.answer or "") is not None, []
            for name, version in _versions(one, exported):
                if refused or (version is None and not set(_NEWER).isdisjoint(one.options)):
                    found.pop(name, None)
                elif version is not None and name not in known:
                    package = package_of(name, version, channel=None)
                    if found.get(name, package).version != package.version:
                        several.update(_OF_TORCH if name in _OF_TORCH else (name,))
                    found[name] = package
                    last.append(name)
    return tuple(package for name, package in found.items() if name not in several)


def _versions(command: Command, exported: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
    """Yield each package of an installation with the version that it names, "2.1.0+cu118"; None if it names none."""
    build = _of_index(command)
    for written in _operands(command):
        word = _READ.sub(lambda hit: exported.get(hit["name"], hit[0]), written)
        asked = _WHEEL.fullmatch(word.replace("\\", "/").rpartition("/")[2])
        if asked is not None:
            yield normalised(asked["name"]), asked["version"]
        elif (asked := _ASKED.fullmatch(word)) is not None:
            name, version, local = normalised(asked["name"]), asked["version"], asked["local"]
            if version is not None and local is None and name in _OF_TORCH:
                local = build
            yield name, f"{version}+{local}" if version and local else version


def typed_in_conda(facts: Facts, name: str) -> TypedPin | None:
    """Return what the last conda command that installs a package requests; None if another tool installs it."""
    last: TypedPin | None = None
    for one in facts.snapshot.observations:
        if not isinstance(one, Command) or one.advice or one.verb not in ("install", "create", "update", "add"):
            continue
        if one.tool in _INSTALLERS and any(
            (hit := _ASKED.fullmatch(w)) and hit["name"] == name for w in _operands(one)
        ):
            last = None
        if one.tool not in _CONDA:
            continue
        asked = {hit["name"].lower(): hit["version"] for w in _operands(one) if (hit := _OF_CONDA.fullmatch(w))}
        own = next((known for known in _CONDA_NAMES.get(name, (name,)) if known in asked), None)
        if own is not None:
            cuda = next((asked[key] for key in _CUDA_OF_CONDA if asked.get(key)), None)
            last = TypedPin(version=asked[own], build=f"cu{cuda.replace('.', '')}" if cuda else None)
    return last


def is_typed(facts: Facts, name: str) -> bool:
    """Return whether an installer command in the text requests a package, in any release."""
    return any(
        isinstance(one, Command)
        and not one.advice
        and one.tool in (*_INSTALLERS, *_CONDA)
        and one.verb in ("install", "pip", "add")
        and any((asked := _name_in(word, one.tool)) and asked.lower() == name for word in _operands(one))
        for one in facts.snapshot.observations
    )


def _name_in(word: str, tool: str) -> str | None:
    found = (_OF_CONDA if tool in _CONDA else _ASKED).fullmatch(word)
    return found["name"] if found is not None else None


def _operands(command: Command) -> tuple[str, ...]:
    """Return the operands, without the commas of the sentence that quotes a command."""
    return tuple(word.rstrip(",;") for word in command.operands)


def is_listed(facts: Facts) -> bool:
    """Return whether the text shows what is installed: a listing command, or as many packages as a list has."""
    lists = (o for o in facts.snapshot.observations if isinstance(o, Command) and not o.advice)
    return any(o.verb in _LISTING and o.tool in _LISTERS for o in lists) or len(facts.packages()) >= _LIST


def _of_index(command: Command) -> str | None:
    labels = (index_variant(option) for option in command.options if option.startswith(_INDEX_OPTIONS))
    return next((label for label in labels if label is not None and _BUILD.match(label)), None)
