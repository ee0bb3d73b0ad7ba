"""Published measurements of matrix multiplication (system/achieved), by product and by architecture."""

from collections.abc import Iterable

from accel.specs import Specs


def published_rate(specs: Specs, products: Iterable[str], dtype: str) -> tuple[float | None, str | None]:
    """Return the measured operations per second of these products, and the source; (None, None) if none is published.

    products  every product that the device can be; a figure counts only if it is published for each of them
    """
    table = specs.table("system/achieved") or {"rates": ()}
    names = {*products}
    for row in table["rates"]:
        if row["dtype"] == dtype and names <= {*row["chips"]}:
            return float(row["operations_per_second"]), table["sources"][row["source"]]["what"]
    return None, None


def usual_share(specs: Specs, product: str, dtype: str) -> float | None:
    """Return the share of its peak that a product reached in a number format, else the lowest of its architecture.

    None if nothing is published for either.
    """
    found: float | None = specs.cached(("usual share", product, dtype), lambda: _usual_share(specs, product, dtype))
    return found


def _usual_share(specs: Specs, product: str, dtype: str) -> float | None:
    chip = specs.chip(name=product)
    if chip is None or chip.architecture is None:
        return None
    shares: dict[str, float] = {}
    for row in (specs.table("system/achieved") or {"rates": ()})["rates"]:
        for name in row["chips"] if row["dtype"] == dtype else ():
            other = specs.chip(name=name)
            peak = (other.dense_operations_per_second or {}).get(dtype) if other is not None else None
            if other is not None and other.architecture == chip.architecture and peak:
                shares[other.name] = row["operations_per_second"] / peak
    return shares.get(chip.name, min(shares.values(), default=None))
