"""Number formats by any of their names, and which chips compute in them, with which units."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, get_args

from accel.model.chip import Chip
from accel.model.dataclass import dataclass
from accel.model.device import Device
from accel.model.errors import BadInput
from accel.specs.load import Specs
from accel.text.pattern import pattern

Unit = Literal["storage", "arithmetic", "matrix"]
_NATIVE: Final[tuple[Unit, ...]] = ("arithmetic", "matrix")
_SIGNS: Final = pattern(r"[^a-z0-9]")
_PERHAPS: Final = "?"  # before a format in a list: not known; alone: there may be formats that it does not name
_WORDY: Final = ("bool", "int", "float", "complex", "str", "object")  # Python's own types say no width


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One number format.

    members  for a name that covers several formats ("fp8"), those formats; () for a single format
    rate     the format in accel.model.rates whose peak rate applies to this one; None if none is recorded
    """

    name: str
    title: str
    spellings: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    rate: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Computer:
    """A chip generation to ask about, as far as it is known.

    code  its compute capability or target: "9.0", "gfx942"
    dies  the dies that it can be; () if unknown
    """

    vendor: str
    architecture: str | None = None
    code: str | None = None
    dies: tuple[str, ...] = ()


def format_named(specs: Specs, dtype: object) -> Format:
    """Return the number format with this name in any spelling, or that of a framework's dtype object, by its name.

    "bf16", "bfloat16", "torch.bfloat16", torch.bfloat16, numpy.dtype("float16"), jax.numpy.float8_e4m3fn
    Raises BadInput, with the closest names, for an unknown name.
    """
    known = specs.cached("number formats", lambda: _by_name(specs))
    said = _said(dtype)
    found = known.get(_SIGNS.sub("", said.rpartition(".")[2].lower()))
    if found is None:
        raise BadInput(f"{said!r} is not the name of a number format. {nearest_formats(specs, said)}")
    return found


def nearest_formats(specs: Specs, said: str) -> str:
    """Return a sentence that suggests the formats closest to an unknown name, else lists all."""
    from difflib import get_close_matches

    known = specs.cached("number formats", lambda: _by_name(specs))
    near = get_close_matches(_SIGNS.sub("", said.rpartition(".")[2].lower()), known, 3, 0.6)
    names = tuple(dict.fromkeys(known[each].name for each in near))
    if names:
        return f"Near it {'is' if len(names) == 1 else 'are'} {', '.join(names)}."
    return f"Known are: {', '.join(dict.fromkeys(one.name for one in known.values()))}."


def formats(specs: Specs) -> tuple[Format, ...]:
    """Return every format, widest first."""
    known = specs.cached("number formats", lambda: _by_name(specs))
    return specs.cached("each number format", lambda: tuple(dict.fromkeys(known.values())))


def check_unit(unit: object) -> None:
    """Raise BadInput for an unknown unit."""
    if unit is not None and unit not in get_args(Unit):
        raise BadInput(f"unit={unit!r}: no such unit. Use one of {', '.join(get_args(Unit))}, or None.")


def computers(specs: Specs, device: Device, chips: Iterable[Chip] = ()) -> tuple[Computer, ...]:
    """Return what a device can be: the generation from its record, and the possible dies from its possible chips.

    chips  the result of accel.specs.matching; () looks them up
    """
    from accel.specs.matching import chips_of

    meant = tuple(chips) or chips_of(specs, device)
    if meant and (device.architecture is None or device.compute_capability is None):
        return tuple(dict.fromkeys(of_chip(chip) for chip in meant))
    dies = tuple(dict.fromkeys(chip.die_name for chip in meant if chip.die_name is not None))
    vendor = meant[0].vendor if meant else device.backend
    return (Computer(vendor=vendor, architecture=device.architecture, code=device.compute_capability, dies=dies),)


def of_chip(chip: Chip) -> Computer:
    """Return a product's generation."""
    return Computer(
        vendor=chip.vendor,
        architecture=chip.architecture,
        code=chip.compute_capability or chip.compute_target,
        dies=(chip.die_name,) if chip.die_name else (),
    )


def computes(specs: Specs, asked: "Iterable[Computer]", dtype: Format, unit: Unit | None = None) -> bool | None:
    """Return whether chips support a format; None if unknown, or if the possible chips differ.

    unit  "storage": values can be stored in memory, and the vendor's compiler or library converts them, if need be by
          shifts; "arithmetic": the ordinary units have instructions for it; "matrix": the matrix units multiply it;
          None: "arithmetic" or "matrix"
    """

    def answer(one: Computer) -> bool | None:
        return specs.cached(("computes", one, dtype.name, unit), lambda: _computes(specs, one, dtype, unit))

    answers = set(map(answer, asked))
    return answers.pop() if len(answers) == 1 else None


def _computes(specs: Specs, one: Computer, dtype: Format, unit: Unit | None) -> bool | None:
    if unit is None:
        answers = [_computes(specs, one, dtype, each) for each in _NATIVE]
        return True if True in answers else None if None in answers else False
    found = {_listed(dtype, names, specs) for names in _lists(specs, one, unit)}
    return found.pop() if len(found) == 1 else None


def _lists(specs: Specs, one: Computer, unit: Unit) -> list[tuple[str, ...] | None]:
    """Return the lists of formats that can apply to this chip: those of its code or codes, else of its architecture."""
    table = specs.table(f"{specs.folder_of(one.vendor)}/architectures") or {}
    known = specs.architecture(one.vendor, one.architecture, one.code)
    codes = {one.code} if one.code or known is None else {*(known.compute_capabilities or known.compute_targets or ())}
    architecture = known.name if known is not None else one.architecture
    rows: list[Mapping[str, Any]] = table.get("number_formats") or []
    mine = [row for row in rows if not codes.isdisjoint(row["of"])]
    mine = mine or [row for row in rows if architecture in row["of"]]
    if one.dies:
        mine = [row for row in mine if not {*one.dies}.isdisjoint(row.get("dies") or ())] or [
            row for row in mine if not row.get("dies")
        ]
    if mine:
        return [tuple(row[unit]) if row.get(unit) is not None else None for row in mine]
    if known is None or unit == "storage":
        return []
    if unit == "matrix":
        return [known.matrix_dtypes]
    return [known.vector_dtypes and (*known.vector_dtypes, _PERHAPS)]


def _listed(dtype: Format, names: tuple[str, ...] | None, specs: Specs) -> bool | None:
    """Return whether a list of formats has one.

    "?bf16" in it means unknown; a name of several formats matches any of them.
    """
    if names is None:
        return None
    perhaps = {name.removeprefix(_PERHAPS) for name in names if name.startswith(_PERHAPS)}
    if not {dtype.name, *dtype.members}.isdisjoint(names):
        return True
    families = {one.name for one in formats(specs) if dtype.name in one.members or _share(one, dtype)}
    related = {dtype.name, *dtype.members, *families}
    open_ended = _PERHAPS in names or not families.isdisjoint(names) or not related.isdisjoint(perhaps)
    return None if open_ended else False


def _share(one: Format, other: Format) -> bool:
    """Return whether two names of several formats have formats in common: an E4M3 can be an fp8."""
    return one is not other and not set(one.members).isdisjoint(other.members)


def _by_name(specs: Specs) -> dict[str, Format]:
    found: dict[str, Format] = {}
    for row in (specs.table("number_formats") or {}).get("formats") or ():
        known: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
        one = Format(**known)
        found |= dict.fromkeys((_SIGNS.sub("", one.name), *one.spellings), one)
    return found


def _said(dtype: object) -> str:
    if isinstance(dtype, str):
        return dtype.strip()
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None)  # numpy's dtypes and scalar types
    said = name if isinstance(name, str) else str(dtype)
    if isinstance(dtype, type) and dtype.__module__ == "builtins" and said in _WORDY:
        raise BadInput(f"{said} has no width: name the format, such as 'float32'.")
    return said
