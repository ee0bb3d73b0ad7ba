"""`accel.fit`: whether a model fits this machine's devices, or a product, before anything is downloaded or started."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.apps import api
from accel.apps.sdk.chip_spec import spec as spec_of
from accel.footprint.model import Plan
from accel.footprint.verdict import Target, Verdict, judged
from accel.model.dataclass import dataclass, replace
from accel.model.errors import BadInput

if TYPE_CHECKING:
    from accel.footprint.model import ModelShape
    from accel.model.device import Device
    from accel.specs.load import Specs

_COUNTS: Final = (2, 4, 8)  # devices of a product in one machine
_FEW: Final = 8  # if fewer products fit singly, several devices of each are tried


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """The result of `accel.fit`. model: the shape; verdicts: one per target, in the order asked.

    flops  operations of one step, if a module was run on fake tensors
    fits  for one target its verdict's; for several whether it fits any of them; None: unknown for all
    """

    model: "ModelShape"
    plan: Plan
    verdicts: tuple[Verdict, ...]
    gaps: tuple[str, ...] = ()
    flops: int | None = None

    @property
    def fits(self) -> bool | None:
        """Whether it fits: True, False, or None if the estimate's range includes both or no memory size is known."""
        said = [verdict.fits for verdict in self.verdicts]
        return True if True in said else (None if not said or None in said else False)


def fit(model: Any, *, on: str | None = None, example: Any = None, **plan: Any) -> Fit:
    """Estimate whether a model fits, in bytes by part. Reads headers but no weights; no network, no framework import.

    model  a folder with config.json and optionally *.safetensors, one such file, a .gguf file; a config as a mapping; a
           ModelShape, as accel.footprint.described makes from sizes; or a torch module, which is run on fake tensors
           of the shapes of `example`, without memory and without a device: with backward and AdamW if train="full"
    on     a product ("2x RTX 4090", "H100 SXM5 80GB"), "all" for this machine's devices and every known product, or a
           device of this machine ("nvidia:0"); None: each device of this machine, with its currently free memory
    plan   the fields of accel.footprint.model.Plan: context=8192, batch=4, dtype="bf16", quant="q4_k_m",
           kv_dtype="fp8", train="lora", optimizer="adamw_8bit", zero=3, devices=8, checkpointing="full", …

    Figures are bytes on one device, the fullest; `low` and `high` of each verdict's need are the range of the estimate.
    Raises BadInput for a file that is not a model, or an unknown format, optimizer or product.
    """
    try:
        asked = Plan(**plan)
    except TypeError as error:
        raise BadInput(f"accel.fit does not know that option: {error}.") from None
    specs = api._specs()
    from accel.apps.bridges.traced import is_module

    if is_module(model):
        return _traced(model, example, asked, targets(on, specs, asked), specs)
    return fitted(shape_of_model(model, specs), asked, targets(on, specs, asked), specs, advise=on != "all")


def fitted(
    shape: "ModelShape",
    plan: Plan,
    found: "tuple[Sequence[Target], tuple[str, ...]]",
    specs: "Specs",
    advise: bool = True,
) -> Fit:
    """Return the answer for these targets; if few products fit singly, also for several devices of each."""
    verdicts = tuple(judged(shape, plan, target, specs, advise) for target in found[0])
    if len(verdicts) > 2 and not advise and sum(one.fits is True for one in verdicts) < _FEW:
        left = [one.target for one in verdicts if one.target.id is None and one.fits is not True]
        verdicts = (*verdicts, *_several(shape, plan, left, specs))
    return Fit(model=shape, plan=plan, verdicts=verdicts, gaps=found[1])


def _several(shape: "ModelShape", plan: Plan, left: "list[Target]", specs: "Specs") -> Iterator[Verdict]:
    """Yield the products that fit with 2, 4 or 8 devices, the fewest first."""
    for count in _COUNTS:
        rest = []
        for target in left:
            verdict = judged(shape, plan, replace(target, count=count), specs, advise=False)
            if verdict.fits:
                yield verdict
            else:
                rest.append(target)
        left = rest


def _traced(
    module: Any, example: Any, plan: Plan, found: "tuple[Sequence[Target], tuple[str, ...]]", specs: "Specs"
) -> Fit:
    from accel.apps.bridges.traced import traced
    from accel.footprint.memory import of_tensors
    from accel.footprint.model import ModelShape
    from accel.footprint.verdict import verdict_of

    if example is None:
        raise BadInput("A torch module is run on fake tensors: give it its inputs, accel.fit(module, example=tensor).")
    told = traced(module, example, train=plan.train is not None)
    shape = ModelShape(
        name=type(module).__name__, family=None, parameters=told.parameters, active=told.parameters, origin="counted"
    )
    verdicts = []
    for target in found[0]:
        need = of_tensors(
            told.parameters, told.trained, told.by_kind, told.peak_bytes, told.workspace_bytes, specs, target.backend
        )
        verdicts.append(verdict_of(need, plan, target))
    return Fit(model=shape, plan=plan, verdicts=tuple(verdicts), gaps=found[1], flops=told.flops)


def shape_of_model(model: Any, specs: "Specs") -> "ModelShape":
    """Return the shape of the given model."""
    from accel.footprint.model import ModelShape

    if isinstance(model, ModelShape):
        return model
    if isinstance(model, Mapping):
        from accel.footprint.config import shape_of

        return shape_of(model, specs)
    from accel.footprint.files import shape_of_path

    return shape_of_path(os.fspath(model), specs)


def targets(on: str | None, specs: "Specs", plan: Plan) -> tuple[Sequence[Target], tuple[str, ...]]:
    """Return the target devices, and sentences on what is unknown about them."""
    if on is None:
        return _live(None, plan)
    if on == "all":
        own = tuple(_of_device(one, plan) for one in _own(api.accelerators()))
        return (*own, *_all(specs, plan)), ()
    if ":" in on and on.partition(":")[2].replace(":", "").isalnum() and " " not in on:
        return _live(on, plan)
    return (_product(on, specs, plan),), ()


def _live(device: str | None, plan: Plan) -> tuple[Sequence[Target], tuple[str, ...]]:
    if device:
        return (_of_device(api.device(device), plan),), ()
    return targets_among(api.devices(), plan)


def targets_among(devices: "Sequence[Device]", plan: Plan) -> tuple[Sequence[Target], tuple[str, ...]]:
    """Return the accelerators among devices; without any the machine's CPU, and a sentence that says so."""
    found = _own(devices)
    gaps = () if found else ("No accelerator was found on this machine: the figures are for its main memory.",)
    found = found or tuple(one for one in devices if one.kind == "cpu")[:1]
    if not found:
        return (Target(name="this machine", gap="no device of this kind is known"),), gaps
    return tuple(_of_device(one, plan) for one in found), gaps


def _own(devices: "Sequence[Device]") -> "tuple[Device, ...]":
    """Return the accelerators; for a partitioned one (MIG) its partitions, since only they run programs."""
    found = tuple(one for one in devices if one.kind != "cpu")
    divided = {one.parent for one in found if not one.is_top_level}
    return tuple(one for one in found if one.id not in divided)


def _of_device(device: "Device", plan: Plan) -> Target:
    spec = spec_of(device)
    free = device.memory_free_bytes
    memory = device.memory_total_bytes or (spec.memory_bytes if spec else None)
    return Target(
        name=device.name or device.id,
        id=device.id,
        memory_bytes=memory,
        free_bytes=free,
        bandwidth_bytes_per_second=spec.memory_bandwidth_bytes_per_second if spec else None,
        flops=spec.peak_flops(plan.dtype or "bf16") if spec else None,
        backend=device.backend,
        gap=None if free is not None or memory else "how much memory it has is not known",
        limits=spec.limits if spec else (),
    )


def _product(on: str, specs: "Specs", plan: Plan) -> Target:
    named = specs.named(on)
    if not named.chips:
        near = specs.near(on)
        raise BadInput(
            f"{on!r} is no product that accel knows." + (f" Did you mean {' or '.join(near[:3])}?" if near else "")
        )
    spec = spec_of(on)
    if spec is None:
        raise BadInput(f"{on!r}: nothing is known of it that would tell its memory.")
    memory = named.altered * 2**30 if named.altered else spec.memory_bytes
    if memory is None:
        several = sorted({chip.memory_bytes for chip in named.chips if chip.memory_bytes})
        sizes = ", ".join(f"{size // 2**30} GiB" for size in several[:6])
        gap = (
            f"it is sold with {sizes}. Choose one:  --on '{on} {several[-1] // 2**30}GB'"
            if several
            else "its memory is not known"
        )
    else:
        gap = None
    return Target(
        name=spec.name,
        count=named.count or 1,
        memory_bytes=memory,
        bandwidth_bytes_per_second=spec.memory_bandwidth_bytes_per_second,
        flops=spec.peak_flops(plan.dtype or "bf16"),
        backend=named.chips[0].vendor,
        gap=gap,
    )


def _all(specs: "Specs", plan: Plan) -> Iterator[Target]:
    """Yield every product that is or was on sale and whose memory is known, the smallest first."""
    from accel.model.rates import best_rate

    rows = []
    for chip in specs.chips():
        if chip.memory_bytes and chip.kind != "cpu" and chip.stage is None:
            rows.append((chip.memory_bytes, -(chip.memory_bandwidth_bytes_per_second or 0), chip.name, chip))
    for memory, bandwidth, name, chip in sorted(rows, key=lambda row: row[:3]):
        yield Target(
            name=name,
            memory_bytes=memory,
            bandwidth_bytes_per_second=-bandwidth or None,
            flops=best_rate(chip, plan.dtype or "bf16"),
            backend=chip.vendor,
        )
