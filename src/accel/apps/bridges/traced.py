"""A torch module run on fake tensors: what it would hold at most, and its operations, without memory or a device.

torch is the caller's: a module of it was given, so it is loaded. Nothing here imports it of its own accord.
"""

import copy
import importlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from accel.model.dataclass import dataclass
from accel.model.errors import BadInput

_STEPS = 2  # the first step makes the optimizer's states, the second holds them from its start


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """What a run on fake tensors told.

    parameters, trained   parameters of the module, and those with gradients
    peak_bytes            the most that tensors hold at one time; by_kind: of that, what each kind holds
    flops                 operations of one step: forward, and backward where it trains
    workspace_bytes       what convolutions may hold beside that: a copy of the largest output, in training of its
                          gradient as well, in the layout that their kernels have
    """

    parameters: int
    trained: int
    peak_bytes: int
    by_kind: Mapping[str, int]
    flops: int
    workspace_bytes: int = 0


def is_module(value: object) -> bool:
    """Whether a value is a torch module. Imports nothing."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def traced(module: Any, example: Any, *, train: bool = False, optimizer: Any = None) -> Traced:
    """Run a module on fake tensors of its inputs' shapes; it and its inputs are left as they are.

    example    a tensor, a sequence of the forward's arguments, or a mapping of its keyword arguments
    train      with backward and a step; the loss is the sum of all outputs, unless the module returns one as `.loss`
    optimizer  parameters -> an optimizer of torch; None: AdamW
    Raises BadInput where the module does what fake tensors cannot follow, with torch's own words: branches on values,
    kernels without a description of their shapes.
    """
    torch = sys.modules["torch"]
    fakes = importlib.import_module("torch._subclasses.fake_tensor")
    try:
        tracker = importlib.import_module("torch.distributed._tools.mem_tracker").MemTracker()
        counter = importlib.import_module("torch.utils.flop_counter").FlopCounterMode(display=False)
    except ImportError as error:
        raise BadInput(
            f"This torch ({torch.__version__}) has no memory tracker: {error}. Use torch 2.5 or newer."
        ) from None
    mode = fakes.FakeTensorMode(allow_non_fake_inputs=False)
    try:
        held = (*module.parameters(), *module.buffers())
        memo = {id(tensor): _faked(tensor, mode, torch) for tensor in held}
        arguments, keywords = _inputs(example, mode, torch)
        with mode:
            fake_module = copy.deepcopy(module, memo).train(train)
            outputs_of_convolutions = _watched(fake_module, torch)
            chosen = [one for one in fake_module.parameters() if one.requires_grad]
            stepper = (optimizer or torch.optim.AdamW)(chosen) if train and chosen else None
            tracker.track_external(
                *(one for one in (fake_module, stepper, *arguments, *keywords.values()) if one is not None)
            )
            with tracker, counter, torch.set_grad_enabled(train):
                for step in range(_STEPS if train else 1):
                    if step:
                        tracker.reset_mod_stats()
                    outputs = fake_module(*arguments, **keywords)
                    if train:
                        _loss(outputs, torch).backward()
                        if stepper is not None:
                            stepper.step()
                            stepper.zero_grad()
                    del outputs
    except BadInput:
        raise
    except Exception as error:
        said = " ".join(str(error).split())[:300]
        raise BadInput(
            f"The module cannot be followed on fake tensors: {type(error).__name__}: {said}. "
            "Give a part of it, or its sizes by accel.footprint.described."
        ) from error
    peak = tracker.get_tracker_snapshot("peak")
    kinds: dict[str, int] = {}
    for one in peak.values():
        for kind, size in one.items():
            name = str(getattr(kind, "value", kind)).lower()
            kinds[name] = kinds.get(name, 0) + int(size)
    total = kinds.pop("total", sum(kinds.values()))
    return Traced(
        parameters=sum(one.numel() for one in module.parameters()),
        trained=sum(one.numel() for one in module.parameters() if one.requires_grad) if train else 0,
        peak_bytes=total,
        by_kind={kind: size for kind, size in kinds.items() if size},
        flops=int(counter.get_total_flops()) // (_STEPS if train else 1),
        workspace_bytes=max(outputs_of_convolutions, default=0) * (2 if train else 1),
    )


def _faked(tensor: Any, mode: Any, torch: Any) -> Any:
    """Return a fake of a tensor; of one on the meta device, where modules are built without memory, one on the CPU."""
    if tensor.device.type != "meta":
        return mode.from_tensor(tensor)
    with mode:
        fake = torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device="cpu")
        return torch.nn.Parameter(fake, tensor.requires_grad) if isinstance(tensor, torch.nn.Parameter) else fake


def _watched(module: Any, torch: Any) -> list[int]:
    """Return a list to which each convolution adds the bytes of its output."""
    sizes: list[int] = []

    def note(_module: Any, _inputs: Any, output: Any) -> None:
        sizes.append(output.numel() * output.element_size())

    for one in module.modules():
        if isinstance(one, torch.nn.modules.conv._ConvNd):
            one.register_forward_hook(note)
    return sizes


def _inputs(example: Any, mode: Any, torch: Any) -> tuple[Sequence[Any], Mapping[str, Any]]:
    def fake(value: Any) -> Any:
        return mode.from_tensor(value) if isinstance(value, torch.Tensor) else value

    if isinstance(example, Mapping):
        return (), {str(name): fake(value) for name, value in example.items()}
    if isinstance(example, (list, tuple)):
        return tuple(fake(value) for value in example), {}
    return (fake(example),), {}


def _loss(outputs: Any, torch: Any) -> Any:
    loss = getattr(outputs, "loss", None)
    if loss is not None:
        return loss
    if isinstance(outputs, torch.Tensor):
        return outputs.float().sum()
    values = outputs.values() if isinstance(outputs, Mapping) else outputs
    found = [one.float().sum() for one in values if isinstance(one, torch.Tensor) and one.requires_grad]
    if not found:
        raise BadInput("The module's outputs hold no tensor with a gradient to train by.")
    return sum(found[1:], found[0])
