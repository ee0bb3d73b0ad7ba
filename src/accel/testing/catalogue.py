"""The simulated machines by name: those in data/machines.yaml, and "8xH200" for a product in the spec database."""

import difflib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from accel.machine.recorded import parse_yaml
from accel.model.dataclass import dataclass
from accel.model.errors import BadInput
from accel.testing.compose import Part, add

if TYPE_CHECKING:
    from accel.specs import Chip, Specs

_DATA: Final = Path(__file__).parent / "data"
_MOST: Final = 16  # devices in a composed machine: its bus has no room for more
_COMPOSED: Final = {"nvidia": "nvidia", "amd": "amd"}  # vendor in the spec database: recipe
_NAME: Final = re.compile(r"(\d{1,3})\s{0,3}x\s{0,3}(\S.{0,99})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How to build a machine. about: a description; composed: built from a product's figures, not a listed machine."""

    name: str
    about: str
    parts: tuple[Part, ...]
    unified: bool = False
    composed: bool = False


def names() -> tuple[str, ...]:
    """Return the names of the machines, in file order."""
    return tuple(_machines())


def recipe_of(name: str, specs: "Specs") -> Recipe:
    """Return a machine's recipe. Raises BadInput, with the nearest names and the full list, if the name is unknown."""
    known = next((one for one in _machines() if one.lower() == name.strip().lower()), None)
    if known is not None:
        told = _machines()[known]
        return Recipe(
            name=known,
            about=told["about"],
            parts=_parts(told["parts"], specs),
            unified=any(part.get("unified") for part in told["parts"]),
        )
    found = _NAME.fullmatch(name.strip())
    if found is None:
        raise BadInput(f"accel.testing knows no machine {name!r}.{_near(name)} {_all()}")
    return _composed(name, int(found[1]), found[2], specs)


def _composed(name: str, count: int, product: str, specs: "Specs") -> Recipe:
    chips = [chip for chip in specs.named(product).chips if chip.vendor in _COMPOSED]
    if not chips:
        near = "; ".join(specs.near(product)[:3]) or "none"
        raise BadInput(
            f"accel.testing can compose no machine of {product!r}: name a product of "
            f"{' or '.join(_COMPOSED)}. Near it are: {near}.{_near(name)} {_all()}"
        )
    if len(chips) > 1:
        raise BadInput(
            f"{product!r} is the name of several products: {', '.join(chip.name for chip in chips)}. Name one of them."
        )
    if not 1 <= count <= _MOST:
        raise BadInput(f"machine({name!r}): from 1 to {_MOST} devices.")
    chip = chips[0]
    part = _part({"recipe": _COMPOSED[chip.vendor], "count": count}, chip, slot=0)
    if part.lacks is not None:
        raise BadInput(f"accel.testing cannot compose {product!r}: nothing is known of its {part.lacks}. {_all()}")
    about = f"{count} × {chip.name}, composed from the spec database: names, memory and limits are the product's"
    return Recipe(name=name, about=about, parts=(*_parts([{"recipe": "linux"}], specs), part), composed=True)


def _parts(told: Sequence[Mapping[str, Any]], specs: "Specs") -> tuple[Part, ...]:
    parts: list[Part] = []
    slot = 0
    for one in told:
        chip = None
        if "chip" in one:
            chip = next(chip for chip in specs.named(one["chip"]).chips if chip.name == one["chip"])
        parts.append(_part(one, chip, slot))
        slot += parts[-1].count
    return tuple(parts)


def _part(told: Mapping[str, Any], chip: "Chip | None", slot: int) -> Part:
    recipe = _recipe(told["recipe"], tuple(told.get("also", ())))
    return Part(recipe=recipe, count=told.get("count", 0), values=told.get("values", {}), chip=chip, slots=slot)


@cache
def _recipe(name: str, also: tuple[str, ...] = ()) -> Mapping[str, Any]:
    """Return a recipe merged with the sections of the recipes that it extends."""
    own = _read(f"recipes/{name}.yaml")
    made: dict[str, Any] = {}
    for base in (*own.get("also", ()), *also):
        add(made, _read(f"recipes/{base}.yaml"))
    add(made, own)
    return made


@cache
def _machines() -> Mapping[str, Any]:
    machines: Mapping[str, Any] = _read("machines.yaml")["machines"]
    return machines


def _read(name: str) -> Any:
    return parse_yaml((_DATA / name).read_text(encoding="utf-8"))


def _near(name: str) -> str:
    near = difflib.get_close_matches(name.lower(), {one.lower(): one for one in _machines()}, 3, 0.5)
    shown = [one for one in _machines() if one.lower() in near]
    return f" Near it: {', '.join(shown)}." if shown else ""


def _all() -> str:
    return f"There are: {', '.join(_machines())}, and a number and a product, such as 4xA10."
