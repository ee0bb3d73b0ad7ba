"""Write specs/refresh/pci_ids.yaml: which PCI ids of the records pci.ids lists.

    python -m specs.refresh.pci_ids pci.ids

The ids that it lacks are named; where another source has one, it goes under `elsewhere` by hand. For maintainers alone.
"""

import sys
from collections import defaultdict
from pathlib import Path
from typing import Final

import yaml

from accel.specs.listed_ids import cited_ids, unlisted_ids
from accel.specs.store import user_folder
from specs.refresh.outlines import entries

SPECS: Final = Path(__file__).resolve().parent.parent
TABLE: Final = Path(__file__).with_suffix(".yaml")


def listed(text: str, cited: set[str]) -> dict[str, str]:
    """Return the cited ids that the text of pci.ids has: the device ids as one text, by vendor id."""
    found: dict[str, list[str]] = defaultdict(list)
    for vendor in sorted({number.partition(":")[0] for number in cited}):
        found[vendor] = sorted(device for device, _ in entries(text, vendor) if f"{vendor}:{device}" in cited)
    return {vendor: " ".join(devices) for vendor, devices in found.items() if devices}


def main(words: list[str]) -> int:
    """Write the table from the file named; return 1 if an id is in no source."""
    if len(words) != 1:
        sys.stderr.write("usage: python -m specs.refresh.pci_ids pci.ids\n")
        return 2
    opened = user_folder(str(SPECS))
    tables = ((name, opened.table(name)) for name in opened.names if "/chips/" in name)
    cited = {number for _, _, number in cited_ids(tables)}
    made = listed(Path(words[0]).read_text(encoding="utf-8", errors="replace"), cited)
    head, _, rest = TABLE.read_text(encoding="utf-8").partition("listed:\n")
    lines = "".join(f'  "{vendor}": "{devices}"\n' for vendor, devices in made.items())
    TABLE.write_text(f"{head}listed:\n{lines}elsewhere:{rest.partition('elsewhere:')[2]}", encoding="utf-8")
    yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    sentences = unlisted_ids(str(SPECS))
    sys.stdout.writelines(f"{sentence}\n" for sentence in sentences)
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
