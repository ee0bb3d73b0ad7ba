"""Write specs/refresh/second_opinion.yaml: figures of the products that have a record, by another editor.

    python -m specs.refresh.second_opinion gpu.json

gpu.json holds the tables of Wikipedia's lists of NVIDIA, AMD and Intel graphics processing units, one product an entry,
as github.com/voidful/gpu-info-api publishes them (branch gpu-data). Only numbers and dates are taken. A figure with a
base and a boost clock, or of a part with several settings, is written as its lowest and its highest. The rows from
other sources and the rest of the table (accel.specs.second_opinion) stay as they are. For maintainers alone.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from accel.specs import Specs, load

TABLE: Final = Path(__file__).with_suffix(".yaml")
_NAMES: Final = (
    "Model name",
    "Branding and Model Branding and Model.1",
    "Model",
    "Model (Codename)",
    "Model (Code name)",
)
_SIZES: Final = {"K": 2**10, "M": 2**20, "G": 2**30}
_RATE: Final = {"G": 10**9, "T": 10**12}
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_OLDEST: Final = 2012
_VENDORS: Final = ("nvidia", "amd", "intel")  # whose lists these are, and the names of the sources


def figures(entry: dict[str, Any]) -> dict[str, Any]:
    """Return what an entry tells, by the names of the table that is written; what cannot be read is left out."""
    found: dict[str, Any] = {}
    for heading, value in entry.items():
        text = _text(value)
        numbers = _numbers(text)
        if not numbers:
            continue
        if unit := re.search(r"\(?([GT])FLOPS\)? (Single|Double)", heading):
            key = "fp32" if unit[2] == "Single" else "fp64"
            found[key] = _pair([number * _RATE[unit[1]] for number in numbers])
        elif heading in ("Memory Bandwidth (GB/s)", "Memory configuration Bandwidth (GB/s)"):
            found["bandwidth"] = _pair([number * 10**9 for number in numbers])
        elif re.match(r"(TDP|TBP)(?!.*[Ii]dle)", heading):
            found["watts"] = _pair(numbers)
        elif size := re.match(r"Memory (?:configuration )?Size(?: \(([KMG])i?B\))?$|Memory$", heading):
            unit_of = size[1] or (re.search(r"([KMG])i?B", text) or " G")[1]
            found["memory"] = sorted({round(number * _SIZES[unit_of]) for number in numbers if "+" not in text})
    if (day := _date(_text(entry.get("Launch")), _text(entry.get("Release Date & Price")))) is not None:
        found["released"] = day
    return {key: value for key, value in found.items() if value not in ([], [0, 0])}


def _text(value: Any) -> str:
    text = "" if value is None else str(value).replace("\xad", "").replace("\xa0", " ")
    return "" if text in ("nan", "None") else re.sub(r"\s+", " ", text).strip()


def _numbers(text: str) -> list[float]:
    """Return the numbers of a cell, "12,288.0 14,899.2" or "100-260 W"; none of one that has other words."""
    times, text = (
        (int(twice[1]), text[twice.end() :]) if (twice := re.match(r"(\d) ?[x×] ?(?=\d)", text)) else (1, text)
    )
    if re.search(r"[A-Za-z×]", re.sub(r"\b([KMG]i?B|W|or)\b|\((?:shared|boost|max|Boost|Max)\.?\)", "", text)):
        return []
    return [times * float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]


def _pair(numbers: list[float]) -> list[int] | int:
    low, high = round(min(numbers)), round(max(numbers))
    return low if low == high else [low, high]


def _date(launch: str, other: str) -> str | None:
    """Return the day: a first of January is that of a cell which tells the year alone."""
    if found := re.match(r"(\d{4})-(\d\d)-(\d\d)", launch):
        return found[1] if found[0].endswith("01-01") else found[0] if found[3] != "01" else found[0][:7]
    if found := re.match(r"([A-Z][a-z]{2})[a-z]*\.? (\d{1,2}), (\d{4})", other):
        month = _MONTHS.index(found[1].lower()) + 1 if found[1].lower() in _MONTHS else 0
        return f"{found[3]}-{month:02}-{int(found[2]):02}" if month else None
    return None


def names(entry: dict[str, Any], vendor: str) -> Iterator[str]:
    """Yield the ways in which an entry's name can be written, the fullest first."""
    name = next((text for key in _NAMES if (text := _text(entry.get(key)))), "")
    name = re.sub(r"\(?Notebook\)?", "Mobile", name)
    if vendor == "nvidia" and (form := re.match(r"(.+?) GPU accelerator ?(?:\((.*?)(?: card)?\))?$", name)):
        form_factor = {"mezzanine": "SXM"}.get(form[2] or "", form[2] or "")
        yield from (f"{form[1]} {form_factor}", f"{form[1]} {form_factor.replace('SXM', 'SXM2')}", form[1])
    if vendor == "intel":
        line = _text(entry.get("Branding and Model"))
        name = re.sub(r"^(A770)(\d+GB)$", r"\1 \2", name)
        yield f"{'Arc Pro' if line == 'Arc Pro' else 'Arc'} {name}"
    yield name
    yield re.sub(r"\bMobile (.+)", r"\1 Mobile", name)
    yield re.sub(r" ?\([^)]*\)$", "", name)


def record_name(specs: Specs, vendor: str, entry: dict[str, Any], told: dict[str, Any]) -> str | None:
    """Return the name of the one record that an entry can mean; None if none or several fit."""
    for name in filter(None, names(entry, vendor)):
        if (chip := specs.chip(name, vendor)) is not None:
            return chip.name
        kin = [chip for chip in specs.find(name, vendor) if chip.memory_bytes in told.get("memory", ())]
        year = told.get("released", "")[:4]
        kin = [chip for chip in kin if not year or not chip.released or chip.released[:4] == year]
        if len(kin) == 1:
            return kin[0].name
    return None


def rows(specs: Specs, entries: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for each entry that means one record, in the order of their names."""
    found = []
    for entry in entries.values():
        told, vendor = figures(entry), entry["Vendor"].lower()
        if int(told.get("released", "9999")[:4]) < _OLDEST or len(told) < 2:
            continue
        name = record_name(specs, vendor, entry, told)
        if name is not None:
            found.append({"chip": name, "vendor": vendor, "source": vendor, **told})
    return sorted(found, key=lambda row: (row["vendor"], row["chip"], str(row)))


def _is_of(line: str, *sources: str) -> bool:
    return any(f'"source": "{source}"' in line for source in sources)


def main(words: list[str]) -> int:
    """Write the table from the file named; return the exit code."""
    if len(words) != 1:
        sys.stderr.write("usage: python -m specs.refresh.second_opinion gpu.json\n")
        return 2
    head, _, rest = TABLE.read_text(encoding="utf-8").partition("rows:\n")
    kept = [line for line in rest.partition("accepted:\n")[0].splitlines() if not _is_of(line, *_VENDORS)]
    made = rows(load(), json.loads(Path(words[0]).read_text(encoding="utf-8")))
    lines = [f"  - {json.dumps(row)}" for row in made] + kept
    tail = "accepted:\n" + rest.partition("accepted:\n")[2]
    TABLE.write_text(head + "rows:\n" + "\n".join(lines) + "\n" + tail, encoding="utf-8")
    sys.stdout.write(f"{TABLE.name}: {len(made)} rows, and {len(kept)} of other sources\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
