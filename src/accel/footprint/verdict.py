"""Whether a model fits a device, its maximum speed, and what to change if it does not fit."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from accel.footprint.memory import Need, needed
from accel.footprint.model import Plan
from accel.model.dataclass import dataclass, field_names, replace

if TYPE_CHECKING:
    from accel.footprint.model import ModelShape
    from accel.specs.load import Specs

_USABLE: Final = 0.97  # of the nominal memory: firmware, page tables and ECC use the rest
_SHORTEST: Final = 512  # tokens; advice never shortens the context below this
_WORTH: Final = 0.02  # of what is missing: smaller savings are not suggested
_GRAIN: Final = 256  # tokens to which a context that fits is rounded down


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A device, or several equal ones, on which a model is to run.

    name             of the product or of the live device; id: of the live device ("nvidia:0")
    count            how many
    memory_bytes     of each; free_bytes: of each now, if it was read; None: a product, with nearly all of it free
    bandwidth, flops of each: bytes and operations per second in the plan's dtype, from its data sheet
    backend          whose overhead applies
    gap              why memory is unknown
    limits           sentences: conditions that bandwidth and flops ignore, such as a lowered power limit
    """

    name: str
    id: str | None = None
    count: int = 1
    memory_bytes: int | None = None
    free_bytes: int | None = None
    bandwidth_bytes_per_second: float | None = None
    flops: float | None = None
    backend: str = "other"
    gap: str | None = None
    limits: tuple[str, ...] = ()

    @property
    def usable_bytes(self) -> int | None:
        """The memory of one device available to a program: what is free, or for a product most of it."""
        if self.free_bytes is not None:
            return self.free_bytes
        return None if self.memory_bytes is None else int(self.memory_bytes * _USABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A possible change, with the bytes of the total that it saves; fits: whether that is enough."""

    what: str
    option: str
    saves_bytes: int
    costs: str
    fits: bool | None
    plan: Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The answer for one target.

    fits             True: even the high end of the estimate fits; False: not even the low end; None: it is between,
                     or the device's memory is unknown
    spare_bytes      free on one device after the estimate; negative: what is missing
    longest_context  tokens per sequence that still fit with this plan; None: not inference, or none fits
    tokens_per_second_at_most   over all sequences when generating: the limit by memory bandwidth and peak rate
    prompt_tokens_per_second_at_most   when reading a prompt
    changes          what to change, each on its own, least harmful first
    together         the first of these that together make it fit; () if none do, or if a single one does
    """

    target: Target
    need: Need
    plan: Plan
    fits: bool | None
    spare_bytes: int | None
    longest_context: int | None = None
    tokens_per_second_at_most: float | None = None
    prompt_tokens_per_second_at_most: float | None = None
    changes: tuple[Change, ...] = ()
    together: tuple[Change, ...] = ()


def judged(shape: "ModelShape", plan: Plan, target: Target, specs: "Specs", advise: bool = True) -> Verdict:
    """Return whether the model fits a target with this plan."""
    plan = shared(plan, target)
    need = needed(shape, plan, specs, target.backend)
    fits, spare = _fits(need, target)
    generated, prompt = _speed(shape, plan, need, target)
    changes = tuple(_changes(shape, plan, need, target, specs)) if advise and fits is not True else ()
    return Verdict(
        target=target,
        need=need,
        plan=plan,
        fits=fits,
        spare_bytes=spare,
        longest_context=_longest(shape, plan, target, specs) if plan.train is None else None,
        tokens_per_second_at_most=generated,
        prompt_tokens_per_second_at_most=prompt,
        changes=changes,
        together=() if any(one.fits for one in changes) else _together(shape, plan, changes, target, specs),
    )


def verdict_of(need: Need, plan: Plan, target: Target) -> Verdict:
    """Return whether a module's measured memory fits a target."""
    fits, spare = _fits(need, target)
    return Verdict(target=target, need=need, plan=plan, fits=fits, spare_bytes=spare)


def shared(plan: Plan, target: Target) -> Plan:
    """Return the plan using several devices: by tensor parallelism, for training by ZeRO, unless it specifies how."""
    split = plan.tensor_parallel * plan.pipeline_parallel * plan.devices
    if target.count == 1 or split > 1:
        return plan
    if plan.train is None:
        return replace(plan, tensor_parallel=target.count)
    return replace(plan, devices=target.count)


def _fits(need: Need, target: Target) -> tuple[bool | None, int | None]:
    usable = target.usable_bytes
    if usable is None:
        return None, None
    spare = usable - need.total_bytes
    if need.high <= usable:
        return True, spare
    return (False if need.low > usable else None), spare


def _longest(shape: "ModelShape", plan: Plan, target: Target, specs: "Specs") -> int | None:
    usable = target.usable_bytes
    if usable is None or not shape.caches:
        return None

    def fits(context: int) -> bool:
        return needed(shape, replace(plan, context=context), specs, target.backend).total_bytes <= usable

    if not fits(1):
        return None
    low, high = 1, shape.longest or 1 << 20
    if fits(high):
        return high
    while high - low > _GRAIN:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return max(low // _GRAIN * _GRAIN, 1)


def _speed(shape: "ModelShape", plan: Plan, need: Need, target: Target) -> tuple[float | None, float | None]:
    """Return the tokens per second that the roofline allows, for generating and for reading a prompt.

    Each generation step reads the weights used per token, and the cache, once; the rates of all devices that share the
    layers add up. Kernels, launches and links cost extra: no program is faster than this.
    """
    if plan.train is not None or not shape.caches:
        return None, None
    active = shape.active or shape.parameters
    share = min(1.0, active * plan.batch / shape.parameters) if active < shape.parameters else 1.0
    rates = plan.tensor_parallel
    by_flops = target.flops * rates / (2 * active) if target.flops else None
    if target.bandwidth_bytes_per_second is None:
        return None, by_flops
    read = need.weights_bytes * share + need.kv_cache_bytes
    by_memory = plan.batch * target.bandwidth_bytes_per_second / read if read else None
    known = [rate for rate in (by_memory, by_flops) if rate is not None]
    return min(known, default=None), by_flops


def _changes(shape: "ModelShape", plan: Plan, need: Need, target: Target, specs: "Specs") -> Iterator[Change]:
    """Yield what to change, each on its own relative to the current plan; least harmful first."""
    missing = max(need.total_bytes - (target.usable_bytes or 0), 0)
    for what, option, costs, changed in _options(shape, plan, need, target):
        other = needed(shape, changed, specs, target.backend)
        saves = need.total_bytes - other.total_bytes
        if saves > missing * _WORTH:
            fits, _ = _fits(other, target)
            yield Change(what=what, option=option, saves_bytes=saves, costs=costs, fits=fits, plan=changed)


def _together(
    shape: "ModelShape", plan: Plan, changes: tuple[Change, ...], target: Target, specs: "Specs"
) -> tuple[Change, ...]:
    """Return the changes that together make it fit, applied in order; for one option the later change wins."""
    taken: dict[str, Change] = {}
    for change in changes:
        taken[change.option.split()[0]] = change
        fields: dict[str, Any] = {name: value for one in taken.values() for name, value in _differs(plan, one.plan)}
        other = replace(plan, **fields)
        if _fits(needed(shape, other, specs, target.backend), target)[0]:
            return tuple(taken.values())
    return ()


def _differs(plan: Plan, other: Plan) -> "Iterator[tuple[str, object]]":
    for name in field_names(plan):
        if getattr(plan, name) != getattr(other, name):
            yield name, getattr(other, name)


_Option = tuple[str, str, str, Plan]


def _options(shape: "ModelShape", plan: Plan, need: Need, target: Target) -> Iterator[_Option]:
    if plan.attention == "eager":
        yield "attention without the matrix of scores", "--attention flash", "nothing", replace(plan, attention="flash")
    if need.dtype == "fp32":
        yield "16-bit weights", "--dtype bf16", "little precision", replace(plan, dtype="bf16")
    yield from _training_options(plan) if plan.train else _inference_options(shape, plan, need)
    more = _enough(need, target, 2 * max(target.count, plan.tensor_parallel))
    if plan.train and plan.zero == 3:
        twice = replace(plan, devices=2 * plan.devices)
        yield f"{twice.devices} devices instead of {plan.devices}", f"--devices {twice.devices}", "more devices", twice
    elif plan.train:
        three = replace(plan, zero=3, devices=2 * plan.devices)
        yield (
            f"{2 * plan.devices} devices with ZeRO 3",
            f"--zero 3 --devices {2 * plan.devices}",
            "a device more",
            three,
        )
    elif not plan.train:
        yield (
            f"split over {more} devices",
            f"--tensor-parallel {more}",
            "more devices",
            replace(plan, tensor_parallel=more),
        )


def _enough(need: Need, target: Target, least: int) -> int:
    """Return the minimum number of devices over which the layers must be split: a power of two, up to 64."""
    usable = target.usable_bytes or 0
    held = need.weights_bytes + need.kv_cache_bytes
    count = least
    while count < 64 and held * max(target.count, 1) / count + need.high - held > usable:
        count *= 2
    return count


def _inference_options(shape: "ModelShape", plan: Plan, need: Need) -> Iterator[_Option]:
    if plan.batch > 1:
        yield "one sequence at a time", "--batch 1", "throughput", replace(plan, batch=1)
    if not plan.kv_dtype and need.kv_cache_bytes:
        yield "a cache in 8 bits", "--kv-dtype fp8", "little precision", replace(plan, kv_dtype="fp8")
    if need.context >= 2 * _SHORTEST and need.kv_cache_bytes:
        half = need.context // 2
        yield f"half the context, {half} tokens", f"--context {half}", "context", replace(plan, context=half)
    if not need.quant:
        yield "weights in 8 bits", "--quant fp8", "little precision", replace(plan, quant="fp8")
        yield "weights in 4 bits", "--quant awq", "some precision", replace(plan, quant="awq")


def _training_options(plan: Plan) -> Iterator[_Option]:
    if plan.checkpointing == "none":
        yield "checkpoint all layers", "--checkpointing full", "a third more time", replace(plan, checkpointing="full")
    if plan.batch > 1:
        one = replace(plan, batch=1)
        yield "one sequence at a time, with accumulated gradients", "--batch 1", "some throughput", one
    if "8bit" not in plan.optimizer.replace("_", "") and plan.train == "full":
        eight = replace(plan, optimizer="adamw_8bit")
        yield "the optimizer's states in 8 bits", "--optimizer adamw_8bit", "little precision", eight
    if plan.zero == 0 and plan.devices > 1:
        yield "share the states among the devices", "--zero 3", "communication", replace(plan, zero=3)
    if not plan.offload and plan.train == "full":
        away = replace(plan, offload="optimizer")
        yield "the optimizer in the host's memory", "--offload optimizer", "much time", away
    if plan.train == "full":
        yield "train adapters only", "--train lora", "what can be learned", replace(plan, train="lora")
    if plan.train in ("full", "lora"):
        yield "adapters on 4-bit weights", "--train qlora", "some precision", replace(plan, train="qlora")
