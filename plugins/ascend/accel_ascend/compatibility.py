"""Which versions are compatible, from specs/ascend/compatibility.yaml."""

from typing import Any, Final

from accel.model.dataclass import dataclass
from accel.specs import Specs
from accel_ascend.versions import matches, order, release

_WINDOW: Final = ("8.0.RC2", "8.3.RC1")  # of CANN, for the releases of TorchNPU named next (its release notes)
_WINDOWED: Final = frozenset(("6.0.0", "7.0.0", "7.1.0", "7.2.0"))
_TRAINS_BACK: Final = 4  # the vendor's compatibility lifecycle


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverWindow:
    """The known drivers for one CANN.

    lowest, highest  the oldest and the newest compatible train; recommended: its own train's driver
    published        the vendor published the window; otherwise it follows from the rule of four trains
    """

    cann: str
    recommended: str
    lowest: str | None
    highest: str | None = None
    excluded: tuple[str, ...] = ()
    published: bool = False

    def admits(self, driver: str) -> bool | None:
        """Return whether a driver is in the window; None if no minimum is known. A newer driver is always accepted."""
        if any(matches(driver, name) for name in self.excluded):
            return False
        if self.lowest is None:
            return None
        return order(driver) >= order(self.lowest) or matches(driver, self.lowest)


def driver_window(specs: Specs, cann: str) -> DriverWindow | None:
    """Return the driver window of a CANN version; None if its release is not in the table."""
    table = _table(specs)
    rows = table.get("cann_driver", ())
    row = next((r for r in rows if matches(cann, r["cann"])), None)
    if row is None:  # a release between two of the table has the window of the one before it, of the same M.m
        same = [r for r in rows if release(r["cann"]) == release(cann) and order(r["cann"]) <= order(cann)]
        row = max(same, key=lambda r: order(r["cann"]), default=None)
    if row is None:
        return None
    names = [name for entry in row["compatible"] or () for name in entry.split("/")]
    lowest = min((name.removesuffix(".X") for name in names), key=order, default=None)
    highest = max((name.removesuffix(".X") for name in names), key=order, default=None)
    if lowest is None:
        trains = list(table["driver_trains"])
        at = next((n for n, name in enumerate(trains) if matches(row["recommended"], name)), None)
        lowest = trains[at + _TRAINS_BACK] if at is not None and at + _TRAINS_BACK < len(trains) else None
        highest = trains[at - _TRAINS_BACK] if at is not None and at >= _TRAINS_BACK else None
    return DriverWindow(
        cann=row["cann"],
        recommended=row["recommended"],
        lowest=lowest,
        highest=highest,
        excluded=tuple(row["incompatible"]),
        published=bool(names),
    )


def cann_of_torch_npu(specs: Specs, torch_npu: str) -> str | None:
    """Return the CANN that a torch_npu was built with; for one not in the table, the oldest of its torch release."""
    rows = _table(specs).get("torch_npu", ())
    exact = next((r for r in rows if r["torch_npu"] == torch_npu), None)
    if exact is not None:
        return str(exact["cann"])
    same = [str(r["cann"]) for r in rows if r["torch"] == release(torch_npu)]
    return min(same, key=order, default=None)


def in_window(specs: Specs, torch_npu: str, cann: str) -> bool:
    """Return whether the vendor tested a released torch_npu with this CANN, too; no development build was tested."""
    rows = (specs.table("ascend/versions") or {}).get("torch_npu", {}).get("rows", ())
    row = next((r for r in rows if r["torch_npu"] == torch_npu), None)
    if row is None or row.get("release") not in _WINDOWED:
        return False
    return order(_WINDOW[0]) <= order(cann) <= order(_WINDOW[1])


def releases_behind(specs: Specs, have: str, want: str) -> int | None:
    """Return how many CANN releases `have` is behind `want`, 0 if it is not; None if they cannot be ordered."""
    known = sorted({str(r["cann"]).upper().removesuffix(".X") for r in _table(specs).get("torch_npu", ())}, key=order)
    if not known or order(have) < order(known[0]):
        return None
    mine = sum(order(name) <= order(have) or matches(have, name) for name in known)
    theirs = sum(order(name) <= order(want) or matches(want, name) for name in known)
    return max(0, theirs - mine)


def _table(specs: Specs) -> dict[str, Any]:
    return specs.table("ascend/compatibility") or {}
