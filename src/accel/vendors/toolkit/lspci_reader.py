"""A reader for one vendor's boards in the output of `lspci`, derived from the vendor's declaration.

With -k or -v the output also shows whether the kernel driver is bound to them. Another driver is taken as intentional.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from accel.model.observation import Noted
from accel.model.report import Report
from accel.text.lspci import Function, damaged, functions, numbered
from accel.text.pattern import Pattern, pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.contract.vendor import Vendor
from accel.vendors.toolkit.notes import noted

_SOURCE = "lspci"
_TRUST = 30


def lspci_reader(
    vendor: Vendor[Any], maker: str = "", *, names: Pattern | None = None, kinds: tuple[str, ...] = ()
) -> Reader:
    """Return the reader.

    maker  lspci's name for the vendor, if its table of names has it
    names  pattern of the products' names; without it no names are read
    kinds  prefixes of a board's class if no id is printed, because the vendor also makes other things
    """
    ids = {pci_id.partition(":")[0] for pci_id in vendor.pci_ids}
    signs = (*((maker,) if maker else ()), *(f"{vendor_id}:" for vendor_id in sorted(ids)))
    return Reader(name=_SOURCE, signs=signs, read=partial(_read, vendor, maker, names, kinds))


def _read(
    vendor: Vendor[Any], maker: str, names: Pattern | None, kinds: tuple[str, ...], text: str
) -> Iterator[Reading]:
    """Yield one reading with the boards in the order of the list, which is their order on the bus.

    If a line may be a board but cannot be parsed, its index is not given to another one.
    """
    ids = sorted({pci_id.partition(":")[0] for pci_id in vendor.pci_ids})
    boards = [one for one in functions(text, maker, *ids) if _is_board(vendor, one, kinds)]
    if not boards:
        return
    ours = pattern(
        "|".join([*([rf"{re.escape(maker)}[^\[\n]*?(?=Device|\[|$)"] if maker else []), *(f"{one}:" for one in ids)])
    )
    lines = [one.number for one in boards]
    places = numbered(lines, damaged(text, ours, {one.kind for one in boards}, lines))
    devices = tuple(
        vendor.device(
            index,
            name=found[0] if names is not None and (found := names.search(one.line)) else None,
            pci_address=one.address,
            pci_id=one.pci_id,
        )
        for index, one in zip(places, boards, strict=True)
    )
    yield Reading(
        source=_SOURCE,
        reports=(Report(backend=vendor.name, source=_SOURCE, trust=_TRUST, devices=devices),),
        observations=tuple(_of_driver(vendor, boards)),
    )


def _of_driver(vendor: Vendor[Any], boards: list[Function]) -> Iterator[Noted]:
    own = {module.replace("-", "_") for module in vendor.modules}
    for one in boards:
        if one.driver is not None and (not one.driver or one.driver.replace("-", "_") in own):
            fact = vendor.fact_driver_loaded if one.driver else vendor.fact_driver_absent
            yield noted(fact, one.line, _SOURCE, one.number)


def _is_board(vendor: Vendor[Any], one: Function, kinds: tuple[str, ...]) -> bool:
    if one.pci_id:
        return vendor.is_board(one.pci_id)
    kind = one.kind.lower()
    return kind.startswith(tuple(map(str.lower, kinds))) if kinds else not kind.startswith("audio")
