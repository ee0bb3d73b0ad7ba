"""What the probes of this machine and the readers of listings report, as facts of the same names."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.rule import Seen, rule
from accel.model.observation import Fact
from accel_nvidia import nvml_errors

if TYPE_CHECKING:
    from accel.model.report import Event
    from accel.specs import Specs

_BY_EVENT: Final = {
    "proc-driver-missing": "nvidia-module-absent",
    "nvidia-driver-not-loaded": "nvidia-module-absent",
    "other-driver-bound": "other-driver-bound",
    "gpu-bound-to-other-driver": "other-driver-bound",
    "nouveau": "nouveau-in-use",
    "device-node": "device-node-listed",
    "device-node-missing": "device-nodes-absent",
    "device-node-denied": "device-node-denied",
    "fabric-manager-down": "fabric-manager-down",
    "nvml-library-missing": "nvml-library-missing",
}
_BY_CODE: Final = {
    nvml_errors.NO_PERMISSION: "nvml-no-permission",
    nvml_errors.DRIVER_NOT_LOADED: "nvidia-module-absent",
    nvml_errors.LIBRARY_MISMATCH: "driver-parts-unlike",
}


@rule(
    gives={
        "device-node-listed": "a device node as ls shows it: path, mode, owner, group",
        "nvml-library-missing": "the probe of this machine found no NVML library",
        "nouveau-in-use": "the module nouveau is loaded and used",
    }
)
def probed(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds for each event that a probe or a reader of a listing gave; of NVML's answers for those of the driver
    as a whole: not loaded, not permitted, of another version, and "unknown error" at its start.
    """
    for report in seen.snapshot.reports:
        for event in report.events:
            name = _BY_EVENT.get(event.name)
            if event.name == "nvml-error":
                name = _of_answer(event)
            if name is not None:
                yield Fact(
                    name=name,
                    text=event.message,
                    values=event.values,
                    grade="measured" if event.line is None else "printed",
                    source=event.source,
                    line=event.line,
                    last_line=event.line,
                    scope=event.scope,
                    device=event.device,
                )


def _of_answer(event: "Event") -> str | None:
    code = event.value("code") or ""
    if code == str(nvml_errors.UNKNOWN):
        return "nvml-unknown-error" if "nvmlInit" in (event.value("call") or "") else None
    return _BY_CODE.get(int(code)) if code.isdecimal() else None
