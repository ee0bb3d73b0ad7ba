from typing import Final

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel_nvidia import around, xid

_MOST_PAGES: Final = 60  # NVIDIA replaces a board at this count


@check(
    code="NV026",
    name="retired-pages-pending",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    reads=("xid-row-pending", "page-retirement-waits"),
    needs=("nvidia.devices",),
)
def retired_pages_pending(facts: Facts, specs: Specs) -> Problems:
    """Bad memory pages wait for a reset to be retired, or so many are retired that the board needs service.

    Why it matters   Until the reset the bad pages stay in use.
    What to do       Reset or reboot; at 60 retired pages have the board replaced.
    Looks at         retirement_pending; Xid 63 of page retirement; the counts of retired pages
    Silent when      nothing is pending and few pages are retired, or neither is known
    Source           NVIDIA: dynamic page retirement
    """
    said = [fact for fact in facts.stated("xid-row-pending", "page-retirement-waits") if fact.value("kind") == "page"]
    waiting = [device for device in around.gpus(facts) if device.retirement_pending]
    if said or waiting:
        devices = sorted({*xid.gpus_at(facts, said), *(device.id for device in waiting)})
        command = xid.reset_of(waiting[0].index) if len(waiting) == 1 else xid.reset_command(said)
        yield Problem(
            title=f"{', '.join(devices) or 'A GPU'} needs a reset to retire bad memory pages{xid.where(said)}",
            devices=tuple(devices),
            evidence=(*quoted(said), *(Evidence(fact=f"{d.id} retirement_pending", value="yes") for d in waiting[:4])),
            remedies=(
                Remedy(
                    text="Stop the programs that use the GPU and reset it, or reboot.",
                    command=command,
                    action="reset",
                ),
            ),
        )
    else:
        around.must_know(facts, "retirement_pending", "retired_pages_single_bit")
    for device in around.gpus(facts):
        single, double = device.retired_pages_single_bit, device.retired_pages_double_bit
        if single is not None and double is not None and single + double >= _MOST_PAGES:
            yield Problem(
                title=f"{device.id} has retired {single + double} memory pages",
                devices=(device.id,),
                evidence=(Evidence(fact="retired pages", value=f"{single} single-bit, {double} double-bit"),),
                remedies=(Remedy(text="Have the board replaced.", action="service", kind="ask"),),
            )
