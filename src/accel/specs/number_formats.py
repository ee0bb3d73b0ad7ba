"""Number formats by any of their names, and which chips compute in them, and with which of their units."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from accel.model.dataclass import dataclass
from accel.model.errors import BadInput
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.model.chip import Chip
    from accel.model.device import Device
    from accel.specs.load import Specs

Unit = Literal["storage", "arithmetic", "matrix"]
_NATIVE: Final[tuple[Unit, ...]] = ("arithmetic", "matrix")
_SIGNS: Final = pattern(r"[^a-z0-9]")
_PERHAPS: Final = "?"  # before a format in a list: not known; alone: there may be formats that it does not name
_WORDY: Final = ("bool", "int", "float", "complex", "str", "object")  # Python's own types say no width


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One number format.

    members  of a word for several formats ("fp8"), these; () of a format
    rate     the format of accel.model.rates whose peak is this one's; None: none is recorded
    """

    name: str
    title: str
    spellings: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    rate: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Computer:
    """What is asked: a generation of chips, as far as it is known.

    code  its compute capability or target: "9.0", "gfx942"
    dies  the dies that it can be; () if that is not known
    """

    vendor: str
    architecture: str | None = None
    code: str | None = None
    dies: tuple[str, ...] = ()


def format_named(specs: "Specs", dtype: object) -> Format:
    """Return the format of a name, in any spelling, or of a framework's object, by its name.

    "bf16", "bfloat16", "torch.bfloat16", torch.bfloat16, numpy.dtype("float16"), jax.numpy.float8_e4m3fn
    Raises BadInput, with the nearest, for a name that no format has.
    """
    known = specs.cached("number formats", lambda: _by_name(specs))
    said = _said(dtype)
    found = known.get(_SIGNS.sub("", said.rpartition(".")[2].lower()))
    if found is None:
        raise BadInput(f"{said!r} is the name of no number format. {nearest_formats(specs, said)}")
    return found


def nearest_formats(specs: "Specs", said: str) -> str:
    """Return the sentence that names the formats which a name that none has was perhaps meant to be, else all."""
    from difflib import get_close_matches

    known = specs.cached("number formats", lambda: _by_name(specs))
    near = get_close_matches(_SIGNS.sub("", said.rpartition(".")[2].lower()), known, 3, 0.6)
    names = tuple(dict.fromkeys(known[each].name for each in near))
    if names:
        return f"Near it {'is' if len(names) == 1 else 'are'} {', '.join(names)}."
    return f"Known are: {', '.join(dict.fromkeys(one.name for one in known.values()))}."


def formats(specs: "Specs") -> tuple[Format, ...]:
    """Return every format, the widest first."""
    known = specs.cached("number formats", lambda: _by_name(specs))
    return specs.cached("each number format", lambda: tuple(dict.fromkeys(known.values())))


def check_unit(unit: object) -> None:
    """Raise BadInput for a unit that there is not."""
    if unit is not None and unit not in get_args(Unit):
        raise BadInput(f"unit={unit!r}: no such unit. Say one of {', '.join(get_args(Unit))}, or None.")


def computers(specs: "Specs", device: "Device", chips: "Iterable[Chip]" = ()) -> tuple[Computer, ...]:
    """Return what a device can be: what its record says, and the dies of the chips that it can be.

    chips  as accel.specs.matching has them; () looks them up
    """
    from accel.specs.matching import chips_of

    meant = tuple(chips) or chips_of(specs, device)
    if meant and (device.architecture is None or device.compute_capability is None):
        return tuple(dict.fromkeys(of_chip(chip) for chip in meant))
    dies = tuple(dict.fromkeys(chip.die_name for chip in meant if chip.die_name is not None))
    vendor = meant[0].vendor if meant else device.backend
    return (Computer(vendor=vendor, architecture=device.architecture, code=device.compute_capability, dies=dies),)


def of_chip(chip: "Chip") -> Computer:
    """Return what a product is."""
    return Computer(
        vendor=chip.vendor,
        architecture=chip.architecture,
        code=chip.compute_capability or chip.compute_target,
        dies=(chip.die_name,) if chip.die_name else (),
    )


def computes(specs: "Specs", asked: "Iterable[Computer]", dtype: Format, unit: Unit | None = None) -> bool | None:
    """Whether chips work in a format; None: not known, or not the same of all that are asked of.

    unit  "storage": memory holds it, and the maker's compiler or library converts it, if need be by shifts;
          "arithmetic": the ordinary units have instructions on it; "matrix": the matrix units multiply it;
          None: one of the last two
    """

    def answer(one: Computer) -> bool | None:
        return specs.cached(("computes", one, dtype.name, unit), lambda: _computes(specs, one, dtype, unit))

    answers = set(map(answer, asked))
    return answers.pop() if len(answers) == 1 else None


def _computes(specs: "Specs", one: Computer, dtype: Format, unit: Unit | None) -> bool | None:
    if unit is None:
        answers = [_computes(specs, one, dtype, each) for each in _NATIVE]
        return True if True in answers else None if None in answers else False
    found = {_listed(dtype, names, specs) for names in _lists(specs, one, unit)}
    return found.pop() if len(found) == 1 else None


def _lists(specs: "Specs", one: Computer, unit: Unit) -> list[tuple[str, ...] | None]:
    """Return the lists of formats that may be this chip's: of its code or codes, else of its architecture."""
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
        return [_tuple(row.get(unit)) for row in mine]
    if known is None or unit == "storage":
        return []
    if unit == "matrix":
        return [known.matrix_dtypes]
    return [known.vector_dtypes and (*known.vector_dtypes, _PERHAPS)]


def _listed(dtype: Format, names: tuple[str, ...] | None, specs: "Specs") -> bool | None:
    """Whether a list of formats has one. "?bf16" in it: not known; a word for several formats: any of them."""
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
    """Whether two words for several formats have some in common: an E4M3 can be what an fp8 is."""
    return one is not other and not set(one.members).isdisjoint(other.members)


def _by_name(specs: "Specs") -> dict[str, Format]:
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
        raise BadInput(f"{said} says no width: name the format, such as 'float32'.")
    return said


def _tuple(value: list[str] | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(value)
