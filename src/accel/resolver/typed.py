"""Which release and build of a package the user asked an installer for, as typed. Pure.

pip install "jax[cuda12_pip]"                     build cuda12
pip install jaxlib==0.4.28+cuda12.cudnn89         version 0.4.28, build cuda12
uv pip install torch==2.4.1+cu118                 version 2.4.1, build cu118
pip install torch --index-url https://download.pytorch.org/whl/cu121     build cu121
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import dataclass
from accel.model.observation import Command
from accel.text.pattern import pattern
from accel.text.versions import index_variant

if TYPE_CHECKING:
    from accel.facts.questions import Facts

_ASKED: Final = pattern(
    r"[\"']?(?P<name>[A-Za-z][\w.-]{0,60})(?:\[(?P<extra>[\w, -]{1,60})\])?"
    r"(?:==(?P<version>\d[\w.]{0,30})(?:\+(?P<local>[\w.]{1,30}))?)?[\"']?"
)
_BUILD: Final = pattern(r"(?P<build>cuda1[0-9]|cu1[0-9]{2}|rocm\d(?:\.\d)?|tpu)(?![0-9])")
_INDEX_OPTIONS: Final = ("--index-url=", "--extra-index-url=")
_LISTING: Final = ("list", "freeze")
_LISTERS: Final = ("pip", "pip3", "uv", "conda", "mamba")
_LIST: Final = 8  # packages: a traceback and its warnings name fewer
_INSTALLERS: Final = ("pip", "pip3", "uv", "py")


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedPin:
    """version, build: None where the command names none. A build for the CPU is not kept: a device is missed."""

    version: str | None = None
    build: str | None = None


def typed_pin(facts: "Facts", names: Sequence[str]) -> TypedPin:
    """Return what the last commands of an installer ask for of a package, by any of its names."""
    version = build = None
    for one in facts.snapshot.observations:
        if (
            not isinstance(one, Command)
            or one.advice
            or one.tool not in _INSTALLERS
            or one.verb not in ("install", "pip")
        ):
            continue
        for word in one.operands:
            asked = _ASKED.fullmatch(word)
            if asked is not None and asked["name"].lower() in names:
                version = asked["version"] or version
                named = _BUILD.match(asked["local"] or "") or _BUILD.match(asked["extra"] or "")
                build = (named["build"].lower() if named else _of_index(one)) or build
    return TypedPin(version=version, build=build)


def is_typed(facts: "Facts", name: str) -> bool:
    """Whether a command of an installer in the text asks for a package, in any release."""
    return any(
        isinstance(one, Command)
        and not one.advice
        and one.tool in _INSTALLERS
        and one.verb in ("install", "pip", "add")
        and any((asked := _ASKED.fullmatch(word)) and asked["name"].lower() == name for word in one.operands)
        for one in facts.snapshot.observations
    )


def is_listed(facts: "Facts") -> bool:
    """Whether the text shows what is installed: by a command that lists it, or a list as long as one."""
    lists = (o for o in facts.snapshot.observations if isinstance(o, Command) and not o.advice)
    return any(o.verb in _LISTING and o.tool in _LISTERS for o in lists) or len(facts.packages()) >= _LIST


def _of_index(command: Command) -> str | None:
    labels = (index_variant(option) for option in command.options if option.startswith(_INDEX_OPTIONS))
    return next((label for label in labels if label is not None and _BUILD.match(label)), None)
