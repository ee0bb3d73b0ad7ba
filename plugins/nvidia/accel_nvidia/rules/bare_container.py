"""A live container created for NVIDIA's runtime that has no device."""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Fact
from accel.vendors.contract.rule import Seen, Specs, rule

_EMPTY: Final = ("", "void", "none")


@rule(
    gives={"container-has-no-device": "a container whose image is made for NVIDIA's runtime has no accelerator"},
    triggers=("@live",),
)
def bare_container(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds on a live machine in a container with a framework built for CUDA and NVIDIA_VISIBLE_DEVICES set to GPUs,
    where no probe finds an accelerator.
    """
    snapshot = seen.snapshot
    if snapshot.origin != "live" or not snapshot.host.containerized:
        return
    if any(device.kind != "cpu" for report in snapshot.reports for device in report.devices):
        return
    masks = [
        value
        for environment in snapshot.environments
        for name, value in environment.variables or ()
        if name == "NVIDIA_VISIBLE_DEVICES" and value.strip().lower() not in _EMPTY
    ]
    built = any(f.built_for == "cuda" for environment in snapshot.environments for f in environment.frameworks)
    if masks and built:
        yield Fact(name="container-has-no-device", text=f"NVIDIA_VISIBLE_DEVICES={masks[0]}", grade="measured")
