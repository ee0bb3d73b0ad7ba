"""The text of `ixsmi -q`, with or without `-d` for some sections.

    Driver Version                            : 4.4.0
    CUDA Version                              : 10.2
    GPU 00000000:15:00.0
        Product Name                          : Iluvatar MR-V100
        GPU UUID                              : GPU-5d0c2f7e-93aa-5b61-8f41-0c1d2e3f4a5b
        Minor Number                          : 3
        FB Memory Usage
            Total                             : 32768 MiB

Seen    in reports of 4.4.0; the keys are those of nvidia-smi -q, so the product must be Iluvatar's. The minor number
        is that of /dev/iluvatar<N>, not the index of the table: GPUs are numbered in the order of the text.
"""

from collections.abc import Iterator
from typing import Any, Final

from accel.model.report import Driver, Report
from accel.text import amounts as a
from accel.text.pattern import pattern
from accel.text.sections import Block, blocks
from accel.vendors.contract.backend import Reader, Reading
from accel_iluvatar import VENDOR

SOURCE: Final = "ixsmi -q"
_HEAD: Final = pattern(r"\s*GPU(?:\s+(?P<bus>[0-9A-Fa-f:.]{7,40}|N/?A|ERR!))?\s*")
_DRIVER: Final = pattern(r"(?m)^[ \t]*Driver Version[ \t]*:[ \t]*(\d[\w.-]*)[ \t]*$")
_CUDA: Final = pattern(r"(?m)^[ \t]*CUDA Version[ \t]*:[ \t]*(\d[\w.]*)[ \t]*$")
_TOOL: Final = pattern(r"(?m)^[ \t]*IX-ML(?: Version)?[ \t]*:[ \t]*(\d[\w.]*)[ \t]*$")
_OURS: Final = pattern(r"(?i)\s*(?:Iluvatar\b|(?:BI|MR|TG)-V?\d).*")


def read(text: str) -> Iterator[Reading]:
    """Yield the GPUs whose product is Iluvatar's, or cannot be read among such; each keeps its place in the log."""
    found = [block for block in blocks(text, _HEAD) if block.values]
    products = [a.word(block.get((None, "product name"))) for block in found]
    if not any(product and _OURS.fullmatch(product) for product in products):
        return
    version, cuda, tool = (form.search(text) for form in (_DRIVER, _CUDA, _TOOL))
    driver = Driver(
        version=version[1] if version else None,
        library_version=tool[1] if tool else None,
        toolkit_version=cuda[1] if cuda else None,
    )
    devices = tuple(
        VENDOR.device(index, driver_version=driver.version, **_facts(block))
        for index, (block, product) in enumerate(zip(found, products, strict=True))
        if product is None or _OURS.fullmatch(product)
    )
    report = Report(backend=VENDOR.name, source=SOURCE, trust=58, driver=driver, devices=devices)
    yield Reading(source=SOURCE, reports=(report,), first_line=found[0].first_line, last_line=found[-1].last_line)


def _facts(block: Block) -> dict[str, Any]:
    uncorrectable = _errors(block, "uncorrectable", "double bit")
    return {
        "name": a.word(block.get((None, "product name"))),
        "pci_address": a.pci_address(block.head.get("bus")),
        "uuid": a.word(block.get((None, "gpu uuid"), (None, "uuid"))),
        "serial": a.word(block.get((None, "serial number"))),
        "memory_total_bytes": a.capacity(block.get(("fb memory usage", "total"), ("memory usage", "total"))),
        "memory_used_bytes": a.mebibytes(block.get(("fb memory usage", "used"), ("memory usage", "used"))),
        "memory_free_bytes": a.mebibytes(block.get(("fb memory usage", "free"), ("memory usage", "free"))),
        "utilization_percent": a.number(block.get(("utilization", "gpu"))),
        "temperature_celsius": a.number(block.get((None, "gpu current temp"), (None, "gpu temp"))),
        "power_watts": a.number(block.get((None, "gpu power draw"), (None, "power draw"), (None, "board power draw"))),
        "power_limit_watts": a.number(block.get((None, "current gpu power limit"), (None, "power limit"))),
        "performance_state": a.word(block.get((None, "performance state"))),
        "compute_mode": a.word(block.get((None, "compute mode"))),
        "health": "critical" if uncorrectable else "unknown",
        "ecc_uncorrectable_errors": uncorrectable,
        "ecc_correctable_errors": _errors(block, "correctable", "single bit"),
    }


def _errors(block: Block, *kinds: str) -> int | None:
    """Return the sum of the volatile counts; None if there are none."""
    counts = [
        a.count(value)
        for (title, key), value in block.values.items()
        if (title == "volatile" or (title in kinds and key != "total"))
        and (title in kinds or any(key == kind or key.endswith(f" {kind}") for kind in kinds))
    ]
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


READER: Final = Reader(name=SOURCE, signs=("Product Name",), read=read)
