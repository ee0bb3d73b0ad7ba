"""A GPU before Ampere that waits for a reset to retire bad memory pages."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Evidence, Problem, Remedy, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_MOST_PAGES: Final = 60  # NVIDIA replaces a board at this count


@check(code="NV026", name="retired-pages-pending", layer="hardware", severity="warning")
def retired_pages_pending(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """Bad memory pages wait for a reset to be retired, or so many were that the board is due for service.

    Why it matters   Until the reset the bad pages stay in use.
    What to do       Reset or reboot; at 60 retired pages have the board replaced.
    Looks at         retirement_pending; retired_pages_single_bit and retired_pages_double_bit
    Silent when      nothing is pending and the pages are few, or neither is known
    Source           NVIDIA: dynamic page retirement
    """
    for device in signs.gpus(facts):
        if device.retirement_pending:
            reset = Remedy(
                text="Reset the GPU.", command=f"sudo nvidia-smi --gpu-reset -i {device.index}", action="reset"
            )
            evidence = Evidence(fact="retirement_pending", value="yes")
            title = f"{device.id} waits for a reset to retire bad memory pages"
            yield Problem(title=title, devices=(device.id,), evidence=(evidence,), remedies=(reset,))
        single, double = device.retired_pages_single_bit, device.retired_pages_double_bit
        if single is not None and double is not None and single + double >= _MOST_PAGES:
            yield Problem(
                title=f"{device.id} has retired {single + double} memory pages",
                devices=(device.id,),
                evidence=(Evidence(fact="retired pages", value=f"{single} single-bit, {double} double-bit"),),
                remedies=(Remedy(text="Send the board to service.", action="service"),),
            )
