"""Runs a torch module on fake tensors: its peak memory and its operations, without allocating memory or using a device.

The caller passes a torch module, so torch is already loaded; nothing here imports it otherwise.
"""

import copy
import importlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from accel.model.dataclass import dataclass
from accel.model.errors import BadInput

_STEPS = 2  # the first step creates the optimizer's states, the second has them from the start


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """The result of a run on fake tensors.

    parameters, trained   number of parameters of the module, and of those with gradients
    peak_bytes            the peak size of all tensors; by_kind: its breakdown by kind of tensor
    flops                 operations of one step: forward, and backward when training
    workspace_bytes       what convolutions may need in addition: a copy of the largest output, and of its gradient
                          when training, in the layout of their kernels
    """

    parameters: int
    trained: int
    peak_bytes: int
    by_kind: Mapping[str, int]
    flops: int
    workspace_bytes: int = 0


def is_module(value: object) -> bool:
    """Return whether a value is a torch module. Imports nothing."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def traced(module: Any, example: Any, *, train: bool = False, optimizer: Any = None) -> Traced:
    """Run a module on fake tensors with the shapes of its inputs; the module and its inputs are not changed.

    example    a tensor, a sequence of the forward's arguments, or a mapping of its keyword arguments
    train      include backward and an optimizer step; the loss is the sum of all outputs, unless the module returns
               one as `.loss`
    optimizer  a function from parameters to a torch optimizer; None: AdamW

    Raises BadInput, with torch's own message, if the module does what fake tensors do not support: branching on values,
    or kernels without a shape function.
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
            f"The module cannot be traced with fake tensors: {type(error).__name__}: {said}. Pass a part of it, "
            "or its sizes with accel.footprint.described."
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
    """Return a fake of a tensor; a meta tensor, as in modules built without memory, becomes one on the CPU."""
    if tensor.device.type != "meta":
        return mode.from_tensor(tensor)
    with mode:
        fake = torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device="cpu")
        return torch.nn.Parameter(fake, tensor.requires_grad) if isinstance(tensor, torch.nn.Parameter) else fake


def _watched(module: Any, torch: Any) -> list[int]:
    """Return a list to which each convolution appends the size of its output in bytes."""
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
        raise BadInput("The module's outputs contain no tensor with a gradient to train with.")
    return sum(found[1:], found[0])
