"""What a chip, its driver or its software cannot do: the limits of specs/restrictions/technical.yaml."""

from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import dataclass
from accel.specs.export_rules.conditions import has_name
from accel.specs.export_rules.three_valued import Truth, all_of, negated

if TYPE_CHECKING:
    from accel.specs import Chip, Specs

_OF_MACHINE: Final = {
    "system": "the operating system",
    "toolkit_from": "the toolkit",
    "toolkit_below": "the toolkit",
    "driver_above": "the driver",
    "partitioned": "whether it is partitioned",
    "framework": "the framework",
    "framework_from": "the framework",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What is known about the machine that contains the chip; None if unknown.

    system "linux" or "windows"; toolkit "12.4"; driver "580.65.06"; frameworks {"torch": "2.8.0"}, {} if none is
    installed
    """

    system: str | None = None
    toolkit: str | None = None
    driver: str | None = None
    partitioned: bool | None = None
    frameworks: dict[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A limit that applies, or would apply depending on something unknown (applies is None).

    effect      "blocks" (does not run), "slows", "licence" (a contract's term) or "misleads"
    depends_on  what is unknown: ("the driver",)
    """

    name: str
    limit: str
    so: str
    effect: str
    applies: Truth
    depends_on: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    confidence: str | None = None


def limits(specs: "Specs", chip: "Chip", around: Surroundings | None = None) -> tuple[Limit, ...]:
    """Return the limits that apply to the chip, then those that may apply, in table order."""
    table = specs.table("restrictions/technical")
    if table is None:
        return ()
    found = (_limit(table, stated, chip, around or Surroundings()) for stated in table["limits"])
    return tuple(sorted((one for one in found if one is not None), key=lambda limit: limit.applies is None))


def limit_of(specs: "Specs", name: str, chip: "Chip", around: Surroundings | None = None) -> Limit | None:
    """Return the limit with this name if it applies or may apply to the chip.

    None otherwise, or if it does not exist.
    """
    table = specs.table("restrictions/technical") or {"limits": ()}
    stated = next((row for row in table["limits"] if row["name"] == name), None)
    return None if stated is None else _limit(table, stated, chip, around or Surroundings())


def _limit(table: Any, stated: dict[str, Any], chip: "Chip", around: Surroundings) -> Limit | None:
    """Return one limit of the table; None if it does not apply."""
    parts = {key: _holds(key, value, stated["when"], chip, around) for key, value in stated["when"].items()}
    applies = all_of(parts.values())
    if applies is False:
        return None
    open_keys = [key for key, holds in parts.items() if holds is None]
    sources = {key: table["sources"].get(key) or {} for key in stated["sources"]}
    return Limit(
        name=stated["name"],
        limit=stated["limit"],
        so=stated["so"],
        effect=stated["effect"],
        applies=applies,
        depends_on=tuple(dict.fromkeys(_OF_MACHINE.get(key, key.replace("_", " ")) for key in open_keys)),
        sources=tuple(source.get("url") or source.get("place") or key for key, source in sources.items()),
        confidence=stated["confidence"],
    )


def _holds(key: str, wanted: Any, when: dict[str, Any], chip: "Chip", around: Surroundings) -> Truth:
    """Evaluate one key of a condition. Raises KeyError for an unknown key."""
    if key.startswith("capability"):
        return _capability(key, wanted, chip)
    if key in ("names", "names_except"):
        named = any(has_name(name, each) for name in (chip.name, *chip.aliases, *chip.families) for each in wanted)
        return named if key == "names" else not named
    if key == "partitionable":
        return bool(bool(chip.mig_instances_max) == wanted)
    if key == "partitioned" and not chip.mig_instances_max:
        return wanted is False
    if key in _OF_MACHINE:
        return _machine(key, wanted, when, around)
    values = {
        "vendor": chip.vendor,
        "architectures": chip.architecture,
        "segments": chip.segment,
        "targets": chip.compute_target,
        "dies": chip.die_name,
    }
    value = values[key.removesuffix("_except")]
    if value is None:
        return None
    if key == "vendor":
        return bool(value == wanted)
    return bool((value in wanted) != key.endswith("_except"))


def _capability(key: str, wanted: Any, chip: "Chip") -> Truth:
    have = _numbers(chip.compute_capability)
    if have is None:
        return None
    if key == "capability_below":
        return have < (_numbers(wanted) or ())
    if key == "capability_from":
        return have >= (_numbers(wanted) or ())
    listed = bool(chip.compute_capability in wanted)
    return listed if key == "capability" else not listed


def _machine(key: str, wanted: Any, when: dict[str, Any], around: Surroundings) -> Truth:
    if key == "system":
        return None if around.system is None else around.system == wanted
    if key == "partitioned":
        return None if around.partitioned is None else around.partitioned == wanted
    if key == "framework":
        return None if around.frameworks is None else wanted in around.frameworks
    if key == "framework_from":
        return _from((around.frameworks or {}).get(when["framework"]), wanted)
    if key == "driver_above":
        have = _numbers(around.driver)
        return None if have is None else have[0] > wanted
    reached = _from(around.toolkit, wanted)
    return reached if key == "toolkit_from" else negated(reached)


def _from(version: str | None, wanted: str) -> Truth:
    have = _numbers(version)
    return None if have is None else have >= (_numbers(wanted) or ())


def _numbers(version: str | None) -> tuple[int, ...] | None:
    """Return the leading numbers of a version, "12.4.1" as (12, 4, 1); None if it does not start with a number."""
    found: list[int] = []
    for part in (version or "").split("+")[0].split("."):
        if not part.isdecimal():
            break
        found.append(int(part))
    return tuple(found) or None
