"""Run small modules on the CPU and print what they really held at most, beside what accel.fit traced of them.

Started by tests/footprint/test_with_torch.py with a Python that has torch; prints a JSON document a line.
"""

import json
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

import accel


class Block(nn.Module):  # type: ignore[misc]
    def __init__(self, width: int) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(width, 4, batch_first=True)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.first(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.mlp(self.second(x))


def really_held(module: nn.Module, example: torch.Tensor, train: bool) -> int:
    """Return the most bytes that the process had allocated for tensors at one time, as the profiler saw it."""
    optimizer = torch.optim.AdamW(module.parameters()) if train else None
    held = sum(one.numel() * one.element_size() for one in (*module.parameters(), *module.buffers(), example))
    with (
        torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile,
        torch.set_grad_enabled(train),
    ):
        for _ in range(2 if train else 1):
            out = module(example)
            if optimizer is not None:
                out.float().sum().backward()
                optimizer.step()
                optimizer.zero_grad()
            del out
    now = peak = int(held)
    for event in sorted(profile.profiler.kineto_results.events(), key=lambda one: one.start_ns()):
        if event.name() == "[memory]":
            now += int(event.nbytes())
            peak = max(peak, now)
    return peak


MODULES: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "mlp": (lambda: nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 256)), (512, 256)),
    "transformer": (lambda: nn.Sequential(*(Block(128) for _ in range(3))), (4, 128, 128)),
    "convolution": (
        lambda: nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.Conv2d(32, 64, 3)),
        (4, 3, 64, 64),
    ),
}
torch.manual_seed(0)
torch.set_num_threads(1)
for name, (make, shape) in MODULES.items():
    for train in (False, True):
        module, example = make().train(train), torch.randn(*shape)
        before = [one.clone() for one in module.parameters()]
        answer = accel.fit(module, example=example, on="RTX 4090", train="full" if train else None)
        need = answer.verdicts[0].need
        with torch.device("meta"):
            without_memory = make().train(train)
        again = accel.fit(without_memory, example=example, on="RTX 4090", train="full" if train else None)
        same = all(torch.equal(one, other) for one, other in zip(before, module.parameters(), strict=True))
        row = {
            "name": name,
            "train": train,
            "traced": need.total_bytes - need.overhead_bytes,
            "spread": need.high - need.total_bytes,
            "held": really_held(module, example, train),
            "flops": answer.flops,
            "without_memory": again.verdicts[0].need.total_bytes - need.overhead_bytes,
            "unchanged": same,
        }
        print(json.dumps(row), flush=True)
