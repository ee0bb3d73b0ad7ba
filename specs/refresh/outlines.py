"""Write <vendor>/outlines.yaml: the products of pci.ids, each with its generation, its die and nothing more.

    python -m specs.refresh.outlines pci.ids          write specs/<vendor>/outlines.yaml of the vendors in dies.yaml

What the tables of chips have is left out, unless pci.ids tells an id of it that they lack: it is then written with the
name by which the record is found. For maintainers alone.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from accel.names.tokens import words_of
from accel.specs import load
from accel.specs.outlines import NOTE

SPECS = Path(__file__).resolve().parent.parent
_RULES = Path(__file__).with_name("dies.yaml")
_OTHERS = (
    "audio",
    "usb",
    "controller hub",
    "i bridge",
    "e bridge",
    "sata",
    "ethernet",
    "host",
    "smbus",
    "(secondary)",
    "ucsi",
    "fpga",
)
_MODEL = re.compile(r"\d")
_BEGINS = (
    "Radeon",
    "Mobility",
    "FirePro",
    "FireGL",
    "FireStream",
    "FireMV",
    "Instinct",
    "GeForce",
    "Quadro",
    "Tesla",
    "AMD",
)
_SERIES = ("HD", "RX", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9", "Pro", "PRO", "E-Series", "Vega")
_BINS = re.compile(
    r"(?: (?:XTX|XTA|XT|PRO|LE|GLXTA|GL|XL|LP|SE|GT\d\S*|UP\d|M|\(\d Tile\)))+$|(?<=[A-Z]{2}\d{3})(?:GLM|GL|BM|M)$"
)
_ALONE = re.compile(r"D[357]00|W\d{4}M?|V\d{4}")


def entries(text: str, vendor: str) -> Iterator[tuple[str, str]]:
    """Yield (device id, description) of a vendor in the text of pci.ids."""
    inside = False
    for line in text.splitlines():
        if line[:1] not in ("\t", "#", ""):
            inside = line.startswith(f"{vendor} ")
        elif inside and line.startswith("\t") and not line.startswith("\t\t"):
            yield line[1:5], line[7:].strip()


def described(description: str) -> tuple[str, str]:
    """Return the die and the names in an entry: ("GP107", "GeForce GTX 1050 Ti")."""
    die, bracket, rest = description.partition("[")
    return (die.strip(), rest.partition("]")[0].strip()) if bracket else ("", description)


def alternatives(names: str) -> Iterator[str]:
    """Yield each name of a list, in full: "Radeon HD 7970/8970 OEM / R9 280X" is three Radeons.

    >>> list(alternatives("Radeon HD 7970/8970 OEM / R9 280X"))
    ['Radeon HD 7970', 'Radeon HD 8970 OEM', 'Radeon R9 280X']
    """
    before: list[str] = []
    for part in names.split("/"):
        words = part.split()
        if not words:
            continue
        if before and words[0] not in _BEGINS:
            if words[0] in _SERIES:
                words = [before[0], *words]
            elif _ALONE.fullmatch(words[0]):
                words = ["FirePro", *words]
            else:
                models = [n for n, word in enumerate(before) if _MODEL.search(word) and word not in _SERIES]
                words = [*before[: models[0] if models else len(before) - 1], *words]
        before = words
        yield " ".join(words)


def outlines(text: str, rules: dict[str, Any], known: Any) -> list[dict[str, Any]]:
    """Return the rows of one vendor, those of one die together. known: tells what specs/ knows of (name, id)."""
    rows: dict[tuple[str, str | None, str], dict[str, list[str]]] = {}
    for number, description in entries(text, rules["vendor_id"]):
        die, names = described(description)
        if any(word in description.lower() for word in _OTHERS) or not _is_display(description, rules["named"]):
            continue
        whole = not die
        die = _BINS.sub("", die.partition(" / ")[0].partition("/")[0])
        rule = next((r for r in rules["dies"] if (die or names).startswith(tuple(r["begin"]))), None)
        if rule is None:
            continue
        place = rows.setdefault((rule["architecture"], rule.get("compute_capability"), die), {})
        for name in (names,) if whole else alternatives(names):
            has_record, has_id = known(name, f"{rules['vendor_id']}:{number}")
            if not (has_record and has_id):
                place.setdefault(name, []).append(number)
    return [
        {
            "architecture": architecture,
            **({"compute_capability": capability} if capability else {}),
            **({"die_name": die} if die else {}),
            "products": [f"{','.join(ids)} {name}" for name, ids in products.items()],
        }
        for (architecture, capability, die), products in rows.items()
        if products
    ]


def _is_display(description: str, named: str) -> bool:
    if named == "bracketed":
        return "[" in description
    lower = description.lower()
    return any(word in lower for word in ("graphics", "[arc", "[iris", "[data center gpu", "xeon phi"))


def written(vendor: str, rows: list[dict[str, Any]], day: str) -> str:
    """Return the text of <vendor>/outlines.yaml."""
    head = (
        "# Products that pci.ids lists and of which no figures are kept: maker, generation, die and PCI device ids.\n"
        "# Written by  python -m specs.refresh.outlines pci.ids ; products: the device ids, then the name.\n"
        f'as_of: "{day}"\nvendor: "{vendor}"\nsources:\n'
        '  lists: {what: "compute_capabilities, compute_targets, and makers\' pages from memory", level: "recalled"}\n'
        '  pciids: {url: "https://github.com/pciutils/pciids/blob/master/pci.ids", read: "2026-11", level: "seen"}\n'
        "outlines:\n"
    )
    return head + "".join(_row(row) for row in rows)


def _row(row: dict[str, Any]) -> str:
    def quoted(text: str) -> str:
        return '"' + text.replace('"', "'") + '"'

    told = [f"{key}: {quoted(row[key])}" for key in ("architecture", "compute_capability", "die_name") if key in row]
    lines = [f"  - {told[0]}", *(f"    {each}" for each in told[1:]), "    products:"]
    lines += [f"      - {quoted(product)}" for product in row["products"]]
    source = "lists" if row["products"][0].startswith("- ") else "pciids"
    return "\n".join([*lines, f'    sources: ["{source}"]', '    confidence: "derived"']) + "\n"


def of_lists(specs: Any, vendor: str, listed: set[str]) -> list[dict[str, Any]]:
    """Return rows of the names whose capability or target is known and that neither records nor pci.ids have."""
    found: dict[tuple[str, str | None], list[str]] = {}
    generations = specs.table(f"{vendor}/architectures")["architectures"]
    for _, table in specs.tables(f"{vendor}/compute_"):
        for group in table["compute_names"]:
            capability, target = group.get("compute_capability"), group.get("compute_target")
            fitting = [
                each["name"]
                for each in generations
                if capability in (each.get("compute_capabilities") or ())
                or target in (each.get("compute_targets") or ())
            ]
            for name in group["names"]:
                new = words_of(name) not in listed and _MODEL.search(name) and not name.startswith(("Navi", "Vega 20"))
                new = new and target != "gfx803"  # of two generations
                if len(fitting) == 1 and new and not has_record(specs, name):
                    found.setdefault((fitting[0], capability), []).append(f"- {name}")
    return [
        {"architecture": name, **({"compute_capability": capability} if capability else {}), "products": products}
        for (name, capability), products in found.items()
    ]


def has_record(specs: Any, name: str) -> bool:
    """Tell whether the name means a product of which figures are kept."""
    return any(chip.note != NOTE for chip in specs.named(name).chips)


def main(words: list[str]) -> int:
    """Write the tables out of the file that is named."""
    if len(words) != 1:
        sys.stderr.write(__doc__ or "")
        return 2
    text = Path(words[0]).read_text(encoding="utf-8", errors="replace")
    specs = load()
    ids = {pci_id for chip in specs.chips() for pci_id in chip.pci_ids or ()}

    def known(name: str, pci_id: str) -> tuple[bool, bool]:
        return has_record(specs, name), pci_id in ids

    every = yaml.safe_load(_RULES.read_text(encoding="utf-8"))
    for vendor in ("nvidia", "amd", "intel"):
        rules = every[vendor]
        rows = outlines(text, rules, known)
        listed = {words_of(product.partition(" ")[2]) for row in rows for product in row["products"]}
        rows += [*of_lists(specs, vendor, listed), *rules.get("more", ())]
        (SPECS / vendor / "outlines.yaml").write_text(written(vendor, rows, "2026-11"), encoding="utf-8")
        sys.stdout.write(f"{vendor}: {sum(len(row['products']) for row in rows)} products of {len(rows)} dies\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
