"""`accel.supports`: whether a chip supports a number format, in which of its units, and with which build."""

from collections.abc import Iterable

from accel.apps.sdk.chip_record import ChipSpec
from accel.model.chip import Chip
from accel.model.device import Device
from accel.model.environment import Framework
from accel.specs import Specs
from accel.specs.number_formats import Computer, Unit, check_unit, computers, computes, format_named


def supports(
    of: Device | ChipSpec | Chip | str,
    dtype: object,
    unit: Unit | None = None,
    build: str | Iterable[str] | Framework | None = None,
) -> bool | None:
    """Return whether a chip supports a number format. None means unknown, which is not False.

    of     a Device, the result of accel.spec, a product name ("MI300X") or a record of the spec database
    dtype  in any spelling: "bf16", "bfloat16", "torch.bfloat16", torch.bfloat16, numpy.dtype("float16"), "fp8_e4m3fn",
           "nvfp4". For a word that covers several formats ("fp8", "fp4"), any of them is enough
    unit   "storage"     memory can hold it and the vendor's compiler or library can convert it, such as bf16 on a V100
           "arithmetic"  the ordinary units have instructions for it, however slow
           "matrix"      the matrix units can multiply it
           None          arithmetic or matrix: it computes in it natively
    build  the GPU code in a framework build: ("sm_80", "sm_90", "compute_90"), torch.cuda.get_arch_list(), or "sm_80
           sm_90+PTX"; or a framework of a snapshot, whose code was read from its files. The result is False if none of
           this code runs on the device

    fp8 is not one format: an MI300X multiplies fp8_e4m3fnuz, an H100 or MI355X fp8_e4m3fn. Raises BadInput for an
    unknown format, with the closest match, and for an unknown unit.
    """
    from accel.apps import api

    specs = api._specs()
    wanted = format_named(specs, dtype)
    check_unit(unit)
    asked = _asked(specs, of)
    if build is not None and _runs(specs, asked, build) is False:
        return False
    return computes(specs, asked, wanted, unit)


def _asked(specs: Specs, of: Device | ChipSpec | Chip | str) -> tuple[Computer, ...]:
    """Return what a device or name can be, as accel.spec found it if it knows the device or name."""
    from accel.apps.sdk.chip_spec import spec
    from accel.model.device import Device

    found = of if isinstance(of, ChipSpec) else spec(of)
    if found is None:
        return computers(specs, of) if isinstance(of, Device) else ()
    return found.computers


def _runs(specs: Specs, asked: Iterable[Computer], build: str | Iterable[str] | Framework) -> bool | None:
    """Return whether a build has code that runs on all of them; None if unknown."""
    from accel.model.environment import Framework
    from accel.resolver.code import fit_of_capability, limits_of

    if isinstance(build, Framework):
        build = build.architectures or ()
    entries = build.replace(",", " ").replace(";", " ").split() if isinstance(build, str) else [*build]
    code = tuple(dict.fromkeys(part for entry in entries for part in _parts(entry)))
    found: set[bool | None] = set()
    for one in asked:
        if one.code is None or not code:
            found.add(None)
        elif one.code[:1].isdecimal():
            fit = fit_of_capability(code, None, None, one.code, limits_of(specs, one.vendor, one.code))
            found.add(None if fit == "unknown" else fit != "no")
        else:
            found.add(any(one.code == target.partition(":")[0] for target in code))
    return found.pop() if len(found) == 1 else None


def _parts(entry: str) -> tuple[str, ...]:
    """Return the code targets of an entry: ("sm_90", "compute_90") for "9.0+PTX"."""
    bare, plus, _ = entry.strip().lower().partition("+ptx")
    if bare[:1].isdecimal():
        bare = f"sm_{bare.replace('.', '')}"
    return (bare, bare.replace("sm_", "compute_")) if plus else (bare,)
