"""Applies a backend's interpretation of the mask variables to its report: which devices a new process would see."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accel.model.report import Report
    from accel.vendors.contract.backend import Backend


def masked(report: "Report", backend: "Backend", variables: Mapping[str, str]) -> "Report":
    """Return the report with `visible` and `runtime_names` of each device set; with a gap if the backend fails."""
    from accel.model.dataclass import replace
    from accel.model.device import Gap

    if not report.devices:
        return report
    try:
        shown = tuple(backend.visible(report.devices, variables))
        if [getattr(device, "id", None) for device in shown] != [device.id for device in report.devices]:
            raise TypeError(f"visible() gave other devices than it was given: {shown!r:.80}")
        return replace(report, devices=shown)
    except (Exception, SystemExit) as error:  # a plugin's code may raise anything
        from accel.model.errors import in_words

        reason = f"reading the masks broke: {in_words(error)}"
        return replace(report, gaps=(*report.gaps, Gap(fact="visible", reason=reason, backend=backend.name)))
