"""The documents of a case folder that a user shares: the doctor's page, a form to fill in, and a readme."""

from collections.abc import Sequence
from pkgutil import get_data
from typing import Final

from accel.apps.render.diagnosis_text import diagnosis_view
from accel.apps.render.page import lines_of
from accel.apps.render.width import PIPED_WIDTH
from accel.model.diagnosis import Diagnosis
from accel.model.printable import printable
from accel.model.snapshot import Snapshot

_FILL_IN: Final = (get_data("accel.apps.render", "case_form.yaml") or b"").decode()


def page(diagnosis: Diagnosis, snapshot: Snapshot) -> str:
    """Return the output of `accel doctor` as text."""
    shown = (line for one in diagnosis_view(diagnosis, snapshot, verbose=False) for line in lines_of(one, PIPED_WIDTH))
    return printable("\n".join(shown)) + "\n"


def case_yaml(diagnosis: Diagnosis) -> str:
    """Return the form for the reporter: the cause, and what fixed it."""
    found = [finding.name for finding in diagnosis.findings if finding.severity != "info"]
    return _FILL_IN.format(found=", ".join(dict.fromkeys(found)) or "nothing")


def readme(reports: Sequence[str], before: Diagnosis, after: Diagnosis, version: str) -> str:
    """Return a description of the folder. before, after: the diagnosis of the input, and of the folder's content."""
    lines = [
        "# A case for accel",
        "",
        f"Written by  accel doctor --case  of accel {version}. What is in it:",
        "",
        *(f"- `{name}`: the text that was judged, disguised" for name in reports),
        "- `snapshot.json`: what accel read, disguised; `accel doctor --from snapshot.json` judges it anywhere",
        "- `doctor.txt`, `findings.json`: what accel makes of it, for people and for programs",
        "- `case.yaml`: what it was in the end. Please fill it in: an answer without the truth teaches nothing",
        "",
        "Replaced are names of hosts and people, home folders, addresses, serials, unique ids, tokens and passwords.",
        "Kept are products, versions, PCI addresses, packages, and what the texts tell in words. No rule knows every",
        "secret: look through the files before you give them away.",
    ]
    if _told(before) != _told(after):
        lines += [
            "",
            "The disguise changed what accel finds: in what was given it found",
            f"{', '.join(_told(before)) or 'nothing'}; in this folder {', '.join(_told(after)) or 'nothing'}.",
        ]
    return "\n".join(lines) + "\n"


def _told(diagnosis: Diagnosis) -> list[str]:
    return [finding.name for finding in diagnosis.findings if finding.severity != "info"]
