"""How often one edit of a recorded text changes what was not edited, or makes a device.

    python benchmarks/single_edits.py [--verbose] [EDITS] [SEED] [FOLDER …]

The texts are those of the plugins' recorded machines, and of further folders.
"""

import sys
from pathlib import Path
from random import Random

from accel.plugins.registry import Registry

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "judged"))  # what the tests and this ask alike

from single_edits import devices_of, edited, moved, phantoms

ROOT = Path(__file__).parents[1]


def main(arguments: list[str]) -> None:
    """Print how many edits broke something, and with --verbose which."""
    verbose = "--verbose" in arguments
    words = [word for word in arguments if word != "--verbose"]
    count, seed = (int(word) for word in (*words[:2], *("1500", "9")[len(words[:2]) :]))
    registry, chance = Registry({}), Random(seed)
    folders = [ROOT / "tests" / "machines", *ROOT.glob("plugins/*/tests/machines"), *map(Path, words[2:])]
    texts = {path: path.read_text("utf-8", "replace") for folder in folders for path in sorted(folder.rglob("*.txt"))}
    known = [
        (path, text, found) for path, text in texts.items() if text.strip() and (found := devices_of(text, registry))
    ]
    bad = made = 0
    for _ in range(count):
        path, text, before = chance.choice(known)
        edit = edited(text, chance)
        if edit is None:
            continue
        after = devices_of(edit.text, registry)
        changes, new = moved(before, after, edit), phantoms(before, after)
        bad += bool(changes)
        made += bool(new)
        if verbose and (changes or new):
            print(f"{path}:{edit.line}: {edit.word!r} became {edit.new!r}; made {', '.join(new) or 'no device'}")
            print("".join(f"    {change[:300]}\n" for change in changes), end="", flush=True)
    print(f"{count} edits: {bad} changed what was not edited, {made} made a device")


if __name__ == "__main__":
    main(sys.argv[1:])
