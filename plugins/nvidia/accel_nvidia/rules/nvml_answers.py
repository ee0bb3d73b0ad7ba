"""What NVML answered in this machine's own probe, as the facts that texts state in words."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from accel.contract.rule import Seen, rule
from accel.model.observation import Fact
from accel_nvidia import nvml_errors

if TYPE_CHECKING:
    from accel.specs import Specs

_FACTS: Final[Mapping[str, str]] = {
    str(nvml_errors.GPU_IS_LOST): "gpu-lost-said",
    str(nvml_errors.RESET_REQUIRED): "gpu-reset-asked",
    str(nvml_errors.INSUFFICIENT_POWER): "gpu-power-cable-missing",
    "14": "inforom-corrupt",
}


@rule(gives=dict.fromkeys(sorted(_FACTS.values()), "NVML answered so when this machine was probed"))
def nvml_answers(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds for the codes that a probe of the machine recorded, each for the device that was asked."""
    for report in seen.snapshot.reports:
        for event in report.events:
            name = _FACTS.get(dict(event.values).get("code", "")) if event.name == "nvml-error" else None
            if name is not None:
                yield Fact(
                    name=name,
                    text=event.message,
                    values=event.values,
                    source=event.source,
                    grade="measured",
                    device=event.device,
                )
