"""How often one edit of a recorded text changes what was not edited, or makes a device.

    python benchmarks/single_edits.py [EDITS] [FOLDER …]

A word with a digit is replaced by ERR!, N/A, blanks or 20 digits; the texts are those of the plugins' recorded
machines, and of further folders.
"""

import random
import re
import sys
from dataclasses import fields
from pathlib import Path

from accel.collect.text import read_texts
from accel.model.device import Device
from accel.model.merge import merged_devices
from accel.plugins.registry import Registry

ROOT = Path(__file__).parents[1]
NAMES = ("name", "processes", "runtime_names", "uuid", "serial")


def devices_of(text: str, registry: Registry) -> dict[str, Device]:
    """Return the devices of a text by their ids."""
    found, _ = merged_devices(read_texts([("text", text)], registry).reports)
    return {device.id: device for device in found}


def changed(before: Device, after: Device) -> bool:
    """Say whether a known value became another one; one that became unknown did not."""
    pairs = ((getattr(before, f.name, None), getattr(after, f.name)) for f in fields(after) if f.name not in NAMES)
    return any(old is not None and new != old and new not in (None, (), "unknown") for old, new in pairs)


def main() -> None:
    """Print how many edits broke something."""
    registry, chance = Registry({}), random.Random(9)
    folders = [ROOT / "tests" / "machines", *ROOT.glob("plugins/*/tests/machines"), *map(Path, sys.argv[2:])]
    texts = [path.read_text(encoding="utf-8", errors="replace") for folder in folders for path in folder.rglob("*.txt")]
    known = [(text, found) for text in sorted(texts) if text.strip() and (found := devices_of(text, registry))]
    edits, moved, phantoms = int(sys.argv[1]) if len(sys.argv) > 1 else 1500, 0, 0
    for _ in range(edits):
        text, before = chance.choice(known)
        word = chance.choice(list(re.finditer(r"[\w./:%-]*\d[\w./:%-]*", text)) or [None])
        if word is None:
            continue
        new = chance.choice(["ERR!", "N/A", "", "9" * 20])
        after = devices_of(text[: word.start()] + new.ljust(len(word[0])) + text[word.end() :], registry)
        differ = [name for name, device in after.items() if name in before and changed(before[name], device)]
        phantoms += bool(set(after) - set(before))
        moved += len(differ) > 1 or bool(differ and not new.startswith("9"))
    print(f"{edits} edits: {moved} changed what was not edited, {phantoms} made a device")


if __name__ == "__main__":
    main()
